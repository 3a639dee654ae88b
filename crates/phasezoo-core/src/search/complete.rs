//! Leaves that come back: their evaluations enter the tree.

use super::backup::{backup, remove_waiting};
use super::batch::{LeafBatch, Ticket};
use super::drawn;
use super::evaluation::{Evaluation, Shape, sort_candidates};
use super::heads::Heads;
use super::session::{Rules, Search};
use super::solver::prove_upwards;
use super::tree::{Kind, ROOT};
use crate::error::{Error, Result};
use crate::model::SearchModel;

impl<M: SearchModel> Search<M> {
    /// Whether the leaf of `ticket` is out; `false` where it was given up.
    pub(crate) fn is_out(&self, ticket: Ticket) -> Result<bool> {
        let kept = self.outstanding.get(ticket.slot as usize);
        if kept.is_some_and(|kept| kept.serial == ticket.serial) {
            return Ok(true);
        }
        if ticket.serial < self.cancelled_below {
            return Ok(false);
        }
        Err(Error::InvalidState(format!(
            "leaf {} of tree {} has been completed before: complete each leaf once",
            ticket.serial, ticket.tree
        )))
    }

    /// Enters row `row` of a checked evaluation, whose first legal action is number `at` of all. A leaf
    /// that was given up is ignored.
    pub(crate) fn complete(
        &mut self,
        rules: &Rules,
        batch: &LeafBatch<M>,
        evaluation: &Evaluation<'_>,
        heads: &Heads<'_>,
        row: usize,
        shape: Shape,
    ) {
        let ticket = batch.tickets[row];
        let slot = ticket.slot as usize;
        if self.outstanding.get(slot).is_none_or(|kept| kept.serial != ticket.serial) {
            return;
        }
        let kept = &mut self.outstanding[slot];
        kept.serial = 0;
        let (id, key, path) = (kept.node, kept.key, std::mem::take(&mut kept.path));
        let proof = kept.proof.filter(|_| rules.params.solver && id != ROOT);
        let skipped = kept.skipped;
        self.free_slots.push(ticket.slot);

        let tree = &mut self.tree;
        let actor = tree.node(id).actor;
        let values = evaluation.values(row, actor, tree.rule());
        let chance = match proof {
            Some(_) => f32::from(tree.worth(&values, actor) == 0.0),
            None => heads.draw(row),
        };
        let (priors, actions) = tree.candidates_mut(id);
        let legal = batch.legal(row);
        evaluation.priors(
            row,
            batch.offsets[row],
            shape,
            rules.params.node_temperature,
            legal,
            priors,
        );
        sort_candidates(priors, actions, &mut self.sorting);
        tree.copy_first(id);
        tree.set_values(id, &values);
        tree.node_mut(id).kind = Kind::Evaluated;
        if let Some(key) = key {
            tree.remember(key, id);
        }
        remove_waiting(tree, &path[skipped..]);
        if let Some(plies) = proof {
            tree.set_proven(id, &values, plies);
            prove_upwards(tree, &path, id);
        }
        backup(tree, &path[skipped..], id, values);
        if skipped == 0
            && let Some(step) = path.first()
        {
            drawn::note(&mut self.drawn, step.slot, chance);
        }

        self.nodes += 1;
        self.simulations += 1;
        self.descents.note(path.len());
        self.outstanding[slot].path = path;
        if id == ROOT {
            self.restrict_root();
            self.mix_noise(rules);
        }
        self.clock.take_back();
        self.check_end(rules);
    }
}
