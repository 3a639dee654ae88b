//! Descents: from the root to leaves that go out, or to ends that are backed up at once.

use std::sync::Arc;

use super::backup::{add_waiting, backup, remove_waiting};
use super::batch::{Leaf, LeafBatch};
use super::limit::{Ended, MAX_IDLE};
use super::select::Arrival;
use super::session::{Rules, Search};
use super::solver::prove_upwards;
use super::tree::{Kind, NodeId, ROOT, Values};
use crate::error::{Error, Result};
use crate::game::Returns;
use crate::gating::Gate;
use crate::model::SearchModel;

/// Visits of known ends between two looks at the clock.
const CLOCK_EVERY: u32 = 64;

/// What expanding a slot gave.
enum Expanded {
    /// A leaf that goes out; its row was added.
    Leaf,
    /// An end of the game, or a repetition, backed up at once.
    End,
    /// There is no room.
    Full,
}

impl<M: SearchModel> Search<M> {
    /// How many leaves this search would hand out now.
    pub(crate) fn room(&self, rules: &Rules) -> usize {
        if !self.is_running() {
            return 0;
        }
        let waiting = self.waiting() as u64;
        let left = |limit: Option<u64>, done: u64| {
            limit.map_or(u64::MAX, |limit| limit.saturating_sub(done + waiting))
        };
        let left = left(self.limit.nodes, self.nodes)
            .min(left(self.limit.simulations, self.simulations))
            .min((rules.params.batch_size as u64).saturating_sub(waiting));
        // Nothing else can be evaluated before the root is.
        let root_is_out = waiting > 0 && !self.tree.has_root();
        if root_is_out { 0 } else { left as usize }
    }

    /// Adds up to `rows` new leaves to `out`. Ends of games that are met on the way are backed up at
    /// once; after `2 * batch_size` of them a batch goes out as it is.
    ///
    /// On an error of the game's own code the search has failed, and its new leaves are given up.
    pub(crate) fn collect(
        &mut self,
        model: &M,
        rules: &Rules,
        gate: Option<&Gate>,
        tree: u32,
        rows: usize,
        out: &mut LeafBatch<M>,
    ) -> Result<()> {
        if self.tree.has_root() && self.clock.is_too_late() {
            self.end(Ended::Time);
        }
        let before = out.len();
        let result = self.gather(model, rules, gate, tree, rows, out);
        let collided = std::mem::take(&mut self.collided);
        remove_waiting(&mut self.tree, &collided);
        self.collided = collided;
        self.collided.clear();
        if let Err(error) = result {
            self.end(Ended::Failed);
            for row in before..out.len() {
                self.cancel_slot(out.tickets[row].slot as usize);
            }
            self.cancelled_below = self.next_serial;
            return Err(error);
        }
        if out.len() > before {
            self.clock.hand_out();
        }
        Ok(())
    }

    fn gather(
        &mut self,
        model: &M,
        rules: &Rules,
        gate: Option<&Gate>,
        tree: u32,
        rows: usize,
        out: &mut LeafBatch<M>,
    ) -> Result<()> {
        let Some(root) = self.root.clone().filter(|_| rows > 0 && self.is_running()) else {
            return Ok(());
        };
        let shared = out.push_root(&root);
        let mut at = Place { model, gate, tree, root: &root, shared, out };
        if self.tree.nodes.is_empty() {
            return self.hand_out_root(&mut at);
        }
        let (mut new, mut ends, mut collisions) = (0, 0, 0);
        while new < rows.min(self.room(rules) + new) && self.is_running() {
            let alone = self.waiting() == 0;
            match rules.selector.descend(&mut self.tree, &self.noise, &mut self.path) {
                Arrival::New => match self.expand(rules, &mut at)? {
                    Expanded::Leaf => {
                        new += 1;
                        self.idle = 0;
                        continue;
                    }
                    Expanded::End => self.idle = 0,
                    Expanded::Full => {
                        self.end(Ended::Memory);
                        break;
                    }
                },
                Arrival::Known(id) => {
                    let values = self.tree.values(id);
                    self.count_end(id, values);
                    self.idle = if alone { self.idle + 1 } else { 0 };
                }
                Arrival::Waiting => {
                    add_waiting(&mut self.tree, &self.path);
                    self.collided.extend_from_slice(&self.path);
                    collisions += 1;
                    if collisions >= rules.params.batch_size {
                        break;
                    }
                    continue;
                }
                Arrival::Full => {
                    self.end(Ended::Memory);
                    break;
                }
            }
            ends += 1;
            self.check_end(rules);
            if self.idle >= MAX_IDLE {
                self.end(Ended::Exhausted);
            }
            if self.waiting() > 0 && ends >= 2 * rules.params.batch_size as u32 {
                break;
            }
            if ends % CLOCK_EVERY == 0 && self.clock.is_too_late() {
                self.end(Ended::Time);
            }
        }
        Ok(())
    }

    /// Backs up a visit of a node whose value is known.
    fn count_end(&mut self, id: NodeId, values: Values) {
        backup(&mut self.tree, &self.path, id, values);
        self.simulations += 1;
        self.depth = self.depth.max(self.path.len() as u32);
    }

    /// The tree's first leaf is its root.
    fn hand_out_root(&mut self, at: &mut Place<'_, M>) -> Result<()> {
        self.path.clear();
        self.path_actions.clear();
        if at.model.expand(at.root, &mut self.legal)?.is_some() {
            return Err(Error::InvalidState("the game is over at this root".into()));
        }
        let added = self.add_leaf(at, at.root, self.previous_phase)?;
        debug_assert!(added, "an empty tree has room for its root");
        Ok(())
    }

    /// Makes the child of the path's last step.
    fn expand(&mut self, rules: &Rules, at: &mut Place<'_, M>) -> Result<Expanded> {
        let Some((&last, before)) = self.path.split_last() else { return Ok(Expanded::Full) };
        if rules.params.memory.is_some_and(|limit| self.tree.bytes() >= limit) {
            return Ok(Expanded::Full);
        }
        self.path_actions.clear();
        self.path_actions.extend(before.iter().map(|step| self.tree.action(step.node, step.slot)));
        let action = self.tree.action(last.node, last.slot);
        let mut walker = self.walker.take().unwrap_or_else(|| M::State::clone(at.root));
        let snapshot = &self.tree.snapshots[last.node as usize];
        at.model.restore(&mut walker, at.root, &self.path_actions, snapshot)?;
        at.model.advance(&mut walker, action)?;
        self.path_actions.push(action);
        let expanded = self.expand_state(rules, at, &walker);
        self.walker = Some(walker);
        expanded
    }

    fn expand_state(
        &mut self,
        rules: &Rules,
        at: &mut Place<'_, M>,
        state: &M::State,
    ) -> Result<Expanded> {
        if let Some(returns) = at.model.expand(state, &mut self.legal)? {
            return Ok(self.add_end(rules, at, state, &returns));
        }
        if rules.params.draw_on_second_occurrence && at.model.repeats_within(state, self.path.len())
        {
            return Ok(self.add_repetition(at, state));
        }
        let previous = self.path.last().map_or(-1, |step| self.tree.node(step.node).phase);
        Ok(if self.add_leaf(at, state, previous)? { Expanded::Leaf } else { Expanded::Full })
    }

    /// Adds a node for `state`, hands it out and adds its row; `false` where there is no room.
    fn add_leaf(&mut self, at: &mut Place<'_, M>, state: &M::State, previous: i8) -> Result<bool> {
        check_actions(&self.legal, at.model.num_actions())?;
        let actor = at.model.actor(state)?;
        let phase = match at.gate {
            None => 0,
            Some(gate) => {
                let before = u8::try_from(previous).ok();
                gate.phase(&at.model.features(state)?, before)? as i8
            }
        };
        let snapshot = at.model.snapshot(state);
        let Some(id) = self.tree.add(Kind::Pending, actor, snapshot.clone()) else {
            return Ok(false);
        };
        self.tree.add_candidates(id, &self.legal)?;
        self.tree.node_mut(id).phase = phase;
        self.link(id);
        add_waiting(&mut self.tree, &self.path);
        let ticket = self.hand_out(at.tree, id);
        let leaf = Leaf {
            ticket,
            phase,
            previous,
            player: actor,
            actions: &self.legal,
            path: &self.path_actions,
            snapshot,
        };
        at.out.push(at.shared, leaf);
        Ok(true)
    }

    /// Adds an ended game, backs it up and carries its proof upwards.
    fn add_end(
        &mut self,
        rules: &Rules,
        at: &Place<'_, M>,
        state: &M::State,
        returns: &Returns,
    ) -> Expanded {
        let actor = self.path.last().map_or(0, |step| self.tree.node(step.node).actor);
        let Some(id) = self.tree.add(Kind::Terminal, actor, at.model.snapshot(state)) else {
            return Expanded::Full;
        };
        let values = self.tree.values_of(returns, self.tree.node(ROOT).actor);
        self.tree.set_values(id, &values);
        self.link(id);
        if rules.params.solver {
            self.tree.set_proven(id, &values, 0);
            prove_upwards(&mut self.tree, &self.path, id);
        }
        self.count_end(id, values);
        Expanded::End
    }

    /// Adds a draw by second occurrence and backs it up. It proves nothing: without the search's own
    /// moves the position may not have stood before.
    fn add_repetition(&mut self, at: &Place<'_, M>, state: &M::State) -> Expanded {
        let actor = self.path.last().map_or(0, |step| self.tree.node(step.node).actor);
        let Some(id) = self.tree.add(Kind::Repetition, actor, at.model.snapshot(state)) else {
            return Expanded::Full;
        };
        let back = (1..self.path.len()).find(|&plies| at.model.repeats_within(state, plies));
        self.tree.node_mut(id).distance = back.unwrap_or(self.path.len()) as u16;
        self.link(id);
        self.count_end(id, Values::default());
        Expanded::End
    }

    /// Makes `id` the child of the path's last step.
    fn link(&mut self, id: NodeId) {
        let Some(&step) = self.path.last() else { return };
        self.tree.edge_mut(step.node, step.slot).child = id;
        let node = self.tree.node_mut(step.node);
        node.opened = node.opened.max(step.slot as u16 + 1);
    }
}

/// Where a gathering takes place.
struct Place<'a, M: SearchModel> {
    model: &'a M,
    gate: Option<&'a Gate>,
    tree: u32,
    root: &'a Arc<M::State>,
    /// The root's index in `out`.
    shared: u32,
    out: &'a mut LeafBatch<M>,
}

/// Refuses what no evaluator could answer.
fn check_actions(legal: &[u32], num_actions: usize) -> Result<()> {
    if legal.is_empty() {
        return Err(Error::GameContract(
            "a state that does not end the game has no legal action".into(),
        ));
    }
    if let Some(action) = legal.iter().find(|&&action| action as usize >= num_actions) {
        return Err(Error::GameContract(format!(
            "legal action {action} is outside the action space of {num_actions}"
        )));
    }
    Ok(())
}
