//! Rows of the last layer on their way out, and answers in.

use super::node::Kind;
use super::params::Params;
use super::search::Search;
use crate::error::{Error, Result};
use crate::model::SearchModel;
use crate::search::batch::{Leaf, LeafBatch, Origin, Ticket};
use crate::search::evaluation::{Evaluation, Shape, sort_candidates};

impl<M: SearchModel> Search<M> {
    /// Hands out the rows of the last layer that are not out.
    pub(super) fn hand_out(&mut self, tree: u32, out: &mut LeafBatch<M>) {
        let Some(root) = self.root.clone().filter(|_| self.unsent > 0) else { return };
        let shared = out.push_root(&root);
        let depth = self.layers.len() - 1;
        let mut path = Vec::new();
        for place in 0..self.layers[depth].len() {
            if self.layers[depth][place].kind != Kind::Unsent {
                continue;
            }
            self.path_to((depth, place), &mut path);
            let parent_phase = self.previous_phase((depth, place));
            let root_phase = self.layers[0][0].phase;
            let serial = self.next_serial;
            self.next_serial += 1;
            let node = &mut self.layers[depth][place];
            node.kind = Kind::Out(serial);
            let leaf = Leaf {
                ticket: Ticket { tree, slot: place as u32, serial },
                phase: node.phase,
                origin: Origin { parent_phase, root_phase, depth: depth as u32, parent_visits: 0 },
                player: node.actor,
                actions: &node.legal,
                path: &path,
                snapshot: node.snapshot.clone(),
            };
            out.push(shared, leaf);
        }
        self.clock.hand_out(self.unsent);
        self.unsent = 0;
    }

    /// Whether a row is awaited; false if it was given up, and an error if it is back.
    pub(super) fn is_out(&self, ticket: Ticket) -> Result<bool> {
        let node = self.layers.last().and_then(|layer| layer.get(ticket.slot as usize));
        if node.is_some_and(|node| node.kind == Kind::Out(ticket.serial)) {
            return Ok(true);
        }
        if ticket.serial < self.given_up_below {
            return Ok(false);
        }
        Err(Error::InvalidState(format!(
            "leaf {} of tree {} has been completed before: complete each leaf once",
            ticket.serial, ticket.tree
        )))
    }

    /// Sets the phase of a row that is out.
    pub(super) fn set_phase(&mut self, ticket: Ticket, phase: i8) {
        if let Some(layer) = self.layers.last_mut() {
            layer[ticket.slot as usize].phase = phase;
        }
    }

    /// Takes a row back: it goes out again.
    pub(super) fn cancel(&mut self, ticket: Ticket) {
        let Some(layer) = self.layers.last_mut() else { return };
        layer[ticket.slot as usize].kind = Kind::Unsent;
        self.unsent += 1;
        self.given_up_below = self.given_up_below.max(ticket.serial + 1);
        self.clock.give_up(); // what is measured is whole batches
    }

    /// Takes back all rows that are out.
    pub(super) fn cancel_all(&mut self) {
        for node in self.layers.last_mut().into_iter().flatten() {
            if matches!(node.kind, Kind::Out(_)) {
                node.kind = Kind::Unsent;
                self.unsent += 1;
            }
        }
        self.given_up_below = self.next_serial;
        self.clock.give_up();
    }

    /// Enters row `row` of a checked evaluation. A row that was given up is ignored.
    pub(super) fn complete(
        &mut self,
        params: &Params,
        batch: &LeafBatch<M>,
        evaluation: &Evaluation<'_>,
        row: usize,
        shape: Shape,
    ) {
        let ticket = batch.tickets[row];
        let (rule, depth) = (self.rule, self.layers.len().saturating_sub(1));
        let node = self.layers.last_mut().and_then(|layer| layer.get_mut(ticket.slot as usize));
        let Some(node) = node.filter(|node| node.kind == Kind::Out(ticket.serial)) else { return };
        node.kind = Kind::Evaluated;
        node.values = evaluation.values(row, node.actor, rule);
        let legal = batch.legal(row);
        let wanted = if depth == 0 { legal.len() } else { params.wanted(depth, legal.len()) };
        if wanted > 0 {
            let (mut priors, mut actions) = (vec![0.0; legal.len()], legal.to_vec());
            let at = batch.offsets[row];
            evaluation.priors(row, at, shape, params.node_temperature, legal, &mut priors);
            sort_candidates(&mut priors, &mut actions, &mut Vec::new());
            node.successors = actions.into_iter().zip(priors).take(wanted).collect();
        }
        if depth > 0 {
            node.legal = Vec::new();
        }
        self.evaluated += 1;
        self.missing -= 1;
        self.clock.take_back();
        if self.missing == 0 && self.is_running() {
            self.settle(params);
        }
    }
}
