//! New nodes: leaves that go out, ends of games and repetitions.

use std::sync::Arc;

use super::backup::add_waiting;
use super::batch::{Leaf, LeafBatch, Origin};
use super::params::MemoryFull;
use super::select::Step;
use super::session::{Rules, Search};
use super::solver::prove_upwards;
use super::tree::{Kind, NONE, NodeId, ROOT};
use super::values::Values;
use crate::error::{Error, Result};
use crate::game::{Action, Player, Returns};
use crate::gate::Gating;
use crate::model::SearchModel;

/// What expanding a slot gave.
pub(crate) enum Expanded {
    /// A leaf that goes out; its row was added.
    Leaf,
    /// An end of the game, or a repetition, backed up at once.
    End,
    /// A node that has other parents; the slot leads to it now.
    Joined,
    /// There is no room.
    Full,
}

/// Where a gathering takes place.
pub(crate) struct Place<'a, M: SearchModel> {
    pub(crate) model: &'a M,
    pub(crate) gate: Option<&'a Gating<M::Game>>,
    pub(crate) tree: u32,
    pub(crate) root: &'a Arc<M::State>,
    /// The root's index in `out`.
    pub(crate) shared: u32,
    pub(crate) out: &'a mut LeafBatch<M>,
}

/// What is found at a leaf's state.
pub(crate) struct Filling<'a, S> {
    pub(crate) actor: Player,
    pub(crate) phase: i8,
    /// The phase one ply before.
    pub(crate) previous: i8,
    pub(crate) legal: &'a [Action],
    pub(crate) snapshot: S,
}

impl<M: SearchModel> Search<M> {
    /// Whether the tree holds as much as it may.
    pub(crate) fn is_full(&self) -> bool {
        self.memory.is_some_and(|limit| self.tree.bytes() >= limit)
    }

    /// Makes the child of the path's last step.
    pub(crate) fn expand(&mut self, rules: &Rules, at: &mut Place<'_, M>) -> Result<Expanded> {
        if !self.has_room(rules) {
            return Ok(Expanded::Full);
        }
        let Some((&last, before)) = self.path.split_last() else { return Ok(Expanded::Full) };
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

    /// Whether another node fits, after pruning if that is asked for.
    fn has_room(&mut self, rules: &Rules) -> bool {
        let Some(limit) = self.memory.filter(|_| self.is_full()) else { return true };
        if rules.params.memory_full == MemoryFull::End {
            return false;
        }
        // Steps at which a descent explored do not say that they wait.
        let steps = self.path.iter().chain(&self.collided);
        let mut held: Vec<NodeId> = steps.map(|step| step.node).collect();
        for kept in self.outstanding.iter().filter(|kept| kept.serial != 0) {
            held.push(kept.node);
            held.extend(kept.path.iter().map(|step| step.node));
        }
        let places = self.tree.prune(limit / 4 * 3, &held);
        let waiting = self.outstanding.iter_mut().filter(|kept| kept.serial != 0);
        let waiting = waiting.flat_map(|kept| {
            kept.node = places[kept.node as usize];
            &mut kept.path
        });
        for step in waiting.chain(&mut self.path).chain(&mut self.collided) {
            step.node = places[step.node as usize];
        }
        // A tree that is all in use would be pruned for every node.
        self.tree.bytes() < limit / 16 * 15
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
        let key = self.key_of(at.model, state)?;
        if self.join(key) {
            return Ok(Expanded::Joined);
        }
        self.key = key;
        let previous = self.path.last().map_or(-1, |step| self.tree.node(step.node).phase);
        Ok(if self.add_leaf(at, state, previous)? { Expanded::Leaf } else { Expanded::Full })
    }

    /// Adds a node for `state`, hands it out and adds its row; `false` if there is no room.
    pub(crate) fn add_leaf(
        &mut self,
        at: &mut Place<'_, M>,
        state: &M::State,
        previous: i8,
    ) -> Result<bool> {
        check_actions(&self.legal, at.model.num_actions())?;
        let actor = at.model.actor(state)?;
        let phase = phase_of(at.gate, at.model.game(state), actor, previous)?;
        let Some(id) = self.tree.reserve(Kind::Pending, actor) else {
            return Ok(false);
        };
        let legal = std::mem::take(&mut self.legal);
        let snapshot = at.model.snapshot(state);
        let found = Filling { actor, phase, previous, legal: &legal, snapshot };
        let filled = self.fill_leaf(at, id, found);
        self.legal = legal;
        filled?;
        self.link(id);
        add_waiting(&mut self.tree, &self.path[self.skipped..]);
        Ok(true)
    }

    /// Gives a reserved node what was found at its state, hands it out and adds its row.
    pub(crate) fn fill_leaf(
        &mut self,
        at: &mut Place<'_, M>,
        id: NodeId,
        found: Filling<'_, M::Snapshot>,
    ) -> Result<()> {
        let Filling { actor, phase, previous, legal, snapshot } = found;
        self.tree.heap_bytes += at.model.heap_bytes(&snapshot);
        self.tree.snapshots.push(snapshot.clone());
        self.tree.add_candidates(id, legal)?;
        let node = self.tree.node_mut(id);
        (node.actor, node.phase) = (actor, phase);
        let ticket = self.hand_out(at.tree, id);
        let path = &self.path_actions;
        let player = actor;
        let above = self.path.last().map(|step| self.tree.node(step.node));
        let origin = Origin {
            parent_phase: previous,
            root_phase: if above.is_some() { self.tree.node(ROOT).phase } else { phase },
            depth: path.len() as u32,
            parent_visits: above.map_or(0, |node| node.visits),
        };
        let leaf = Leaf { ticket, phase, origin, player, actions: legal, path, snapshot };
        at.out.push(at.shared, leaf);
        Ok(())
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
        let Some(id) = self.tree.add(at.model, Kind::Terminal, actor, state) else {
            return Expanded::Full;
        };
        let values = self.tree.values_of(returns, self.tree.node(ROOT).actor);
        self.tree.set_values(id, &values);
        self.link(id);
        let holds_everywhere = !self.tree.is_graph() || !at.model.ends_by_history(state);
        if rules.params.solver && holds_everywhere {
            self.tree.set_proven(id, &values, 0);
            prove_upwards(&mut self.tree, &self.path, id);
        }
        self.count_end(id, values);
        Expanded::End
    }

    /// Where the root has just been proven won in several plies, looks whether one move wins at once:
    /// proofs come in the order in which ends are met, and nobody wants to see a mate in one missed.
    pub(crate) fn prefer_win_at_once(&mut self, rules: &Rules, at: &Place<'_, M>) -> Result<()> {
        let root = self.tree.node(ROOT);
        let actor = root.actor;
        let is_slow = root.proven && self.tree.rest(ROOT).distance > 1;
        let is_used_up = self.limit.simulations.is_some_and(|limit| self.simulations >= limit);
        if !is_slow || is_used_up || self.tree.worth(&self.tree.values(ROOT), actor) < 1.0 {
            return Ok(());
        }
        let count = u32::from(root.count);
        self.tree.open_all(ROOT);
        for slot in 0..count {
            if self.tree.edge(ROOT, slot as usize).child != NONE {
                continue;
            }
            let mut state = M::State::clone(at.root);
            at.model.advance(&mut state, self.tree.action(ROOT, slot))?;
            let Some(returns) = at.model.terminal(&state)? else { continue };
            if self.tree.worth(&self.tree.values_of(&returns, actor), actor) >= 1.0 {
                self.path.clear();
                self.skipped = 0;
                self.path.push(Step { node: ROOT, slot });
                self.add_end(rules, at, &state, &returns);
                self.tree.rest_mut(ROOT).distance = 1;
                return Ok(());
            }
        }
        Ok(())
    }

    /// Adds a draw by second occurrence and backs it up. It proves nothing: without the search's own
    /// moves the position may not have stood before.
    fn add_repetition(&mut self, at: &Place<'_, M>, state: &M::State) -> Expanded {
        let actor = self.path.last().map_or(0, |step| self.tree.node(step.node).actor);
        let Some(id) = self.tree.add(at.model, Kind::Repetition, actor, state) else {
            return Expanded::Full;
        };
        let back = (1..self.path.len()).find(|&plies| at.model.repeats_within(state, plies));
        self.tree.rest_mut(id).distance = back.unwrap_or(self.path.len()) as u16;
        self.link(id);
        self.count_end(id, Values::default());
        Expanded::End
    }

    /// Makes `id` the child of the path's last step.
    pub(crate) fn link(&mut self, id: NodeId) {
        let Some(&step) = self.path.last() else { return };
        self.tree.set_child(step.node, step.slot, id);
        let node = self.tree.node_mut(step.node);
        node.opened = node.opened.max(step.slot as u16 + 1);
    }
}

/// The phase that `gate` gives a position, `previous` being that of one ply before, -1 if unknown; 0
/// without a gate.
pub(crate) fn phase_of<G>(
    gate: Option<&Gating<G>>,
    state: &G,
    player: Player,
    previous: i8,
) -> Result<i8> {
    let Some(gate) = gate else { return Ok(0) };
    Ok(gate.phase(state, player, u8::try_from(previous).ok())? as i8)
}

/// Refuses what no evaluator could answer.
pub(crate) fn check_actions(legal: &[u32], num_actions: usize) -> Result<()> {
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
