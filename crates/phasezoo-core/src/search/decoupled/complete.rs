//! Answers of evaluators, and the way up.

use super::batch::JointBatch;
use super::model::JointModel;
use super::node::{Kind, Node, PerPlayer};
use super::params::Params;
use super::search::{Answer, Row, Search};
use crate::error::{Error, Result};
use crate::game::{MAX_PLAYERS, Player};
use crate::model::ValueRule;
use crate::search::batch::Ticket;
use crate::search::evaluation::{Evaluation, Shape, Value};

/// The sizes that an answer must have. A row's value is that of its own player.
pub(super) fn shape_of<M: JointModel>(
    model: &M,
    leaves: &JointBatch<M::State>,
    evaluation: &Evaluation<'_>,
) -> Shape {
    let rule = match evaluation.value {
        Value::PerPlayer(_) => ValueRule::PerPlayer(model.num_players()),
        Value::ToPlay(_) | Value::Wdl(_) => ValueRule::Same,
    };
    let (rows, legal) = (leaves.len(), leaves.actions.len());
    Shape { rows, actions: model.num_actions(), legal, rule }
}

impl<M: JointModel> Search<M> {
    /// Whether a row is awaited; false if it was given up, and an error if it never was out or is
    /// back.
    pub(super) fn is_out(&self, ticket: Ticket) -> Result<bool> {
        let row = self.rows.get(ticket.slot as usize);
        if row.is_some_and(|row| row.serial == ticket.serial && row.answer.is_none()) {
            return Ok(true);
        }
        if ticket.serial < self.given_up_below {
            return Ok(false);
        }
        Err(Error::InvalidState(format!(
            "leaf {} of tree {} is not outstanding: it was completed already",
            ticket.serial, ticket.tree
        )))
    }

    /// Sets the phase that a row's player sees.
    pub(super) fn set_phase(&mut self, ticket: Ticket, phase: i8) {
        let row = &self.rows[ticket.slot as usize];
        let node = &mut self.nodes[self.leaves[row.leaf].node as usize];
        node.phases[usize::from(node.seats[row.seat].player)] = phase;
    }

    /// Enters a checked row. When the last one of the mini-batch is back, all of it is backed up.
    pub(super) fn complete(
        &mut self,
        params: &Params,
        leaves: &JointBatch<M::State>,
        evaluation: &Evaluation<'_>,
        row: usize,
        shape: Shape,
    ) {
        let Ok(true) = self.is_out(leaves.tickets[row]) else { return };
        let out = &mut self.rows[leaves.tickets[row].slot as usize];
        let seat = &mut self.nodes[self.leaves[out.leaf].node as usize].seats[out.seat];
        let (legal, at) = (leaves.legal(row), leaves.offsets[row]);
        evaluation.priors(row, at, shape, params.node_temperature, legal, &mut seat.priors);
        let values = evaluation.values(row, seat.player, shape.rule).map(f64::from);
        out.answer = Some(match shape.rule {
            ValueRule::PerPlayer(_) => Answer::Each(values),
            ValueRule::Same | ValueRule::Negate => Answer::Own(values[0]),
        });
        self.missing -= 1;
        if self.missing == 0 {
            self.back_up_all(params);
        }
    }

    fn back_up_all(&mut self, params: &Params) {
        let rows = std::mem::take(&mut self.rows);
        let mut of_leaves = rows.chunk_by(|a, b| a.leaf == b.leaf);
        for leaf in std::mem::take(&mut self.leaves) {
            let node = &mut self.nodes[leaf.node as usize];
            set_values(node, of_leaves.next().unwrap_or_default());
            node.kind = Kind::Open;
            self.clock.take_back();
            let values = node.values;
            self.mark(&leaf.path, false);
            self.evaluated += 1;
            self.back_up(params, &leaf.path, leaf.node, &values);
        }
        self.check_end();
    }
}

/// Sets what a node is worth to those for whom that is not known: who has a row, what it says for them;
/// others, what the first row says that speaks of everybody, or an equal share of the opposite of all
/// that was said.
fn set_values<S>(node: &mut Node<S>, rows: &[Row]) {
    let (mut own, mut each) = ([None; MAX_PLAYERS], None);
    for row in rows {
        let player = usize::from(node.seats[row.seat].player);
        own[player] = match row.answer {
            Some(Answer::Own(value)) => Some(value),
            Some(Answer::Each(values)) => {
                each = each.or(Some(values));
                Some(values[player])
            }
            None => None,
        };
    }
    let said: PerPlayer = own.map(Option::unwrap_or_default);
    let (total, silent) =
        (said.iter().sum::<f64>(), node.num_players - own.iter().flatten().count());
    let share = -total / silent.max(1) as f64;
    for player in 0..node.num_players {
        if !node.is_known(player as Player) {
            let other = each.map_or(share, |values: PerPlayer| values[player]);
            node.values[player] = own[player].unwrap_or(other);
        }
    }
}
