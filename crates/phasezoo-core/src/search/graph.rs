//! Transpositions: one node for a position that several lines lead to (Czech, Korus and Kersting,
//! "Improving `AlphaZero` Using Monte-Carlo Graph Search", 2021).
//!
//! A position is the same if its [`SearchModel::graph_key`] and its ply are; so the graph has no
//! circles. A line that reaches a known position is linked to its node. An edge may then have fewer
//! visits than its child. As long as it has, the child's mean is counted as the result of a descent
//! through it, and nothing is evaluated: the edge catches up. A node's mean is that of its own value and
//! its edges' Q by their visits, made anew on each way up; parents off that way learn of it when they
//! are passed next.
//!
//! What a position is worth because of the moves before it (a third repetition, fifty moves without
//! progress) may not hold on another way to a node above. Such ends are counted and prove nothing.

use super::backup::edge_q;
use super::select::Step;
use super::session::Search;
use super::solver::prove_upwards;
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};
use super::values::{Values, units};
use crate::error::Result;
use crate::game::MAX_PLAYERS;
use crate::model::SearchModel;
use crate::rng::mix;

impl<S> Tree<S> {
    /// Whether nodes may have several parents.
    #[inline]
    pub(crate) fn is_graph(&self) -> bool {
        self.transpositions.is_some()
    }

    /// The node of a key, if it can be linked to.
    fn known_as(&self, key: u64) -> Option<NodeId> {
        self.transpositions.as_ref()?.get(&key).copied()
    }

    /// Lets later lines find node `id` by `key`; the first node of a key stays.
    pub(crate) fn remember(&mut self, key: u64, id: NodeId) {
        if let Some(nodes) = &mut self.transpositions {
            nodes.entry(key).or_insert(id);
        }
    }

    /// Whether the edge of a slot has fewer visits than its child, which is known but not for good.
    pub(crate) fn lags(&self, id: NodeId, slot: u32, child: NodeId) -> bool {
        let below = self.node(child);
        let edge = self.edge(id, slot as usize);
        below.kind == Kind::Evaluated && !below.proven && edge.visits + edge.waiting < below.visits
    }

    /// How many slots lead to no proven child.
    pub(super) fn count_unproven(&self, id: NodeId) -> usize {
        let is_open = |child: NodeId| child == NONE || !self.node(child).proven;
        self.edges(id).filter(|edge| is_open(edge.child)).count()
    }

    /// Makes the sum of a node that of its own value and of its means of its children by their edges'
    /// visits.
    fn add_up(&mut self, id: NodeId) {
        let own = self.values(id);
        let mut total: [i128; MAX_PLAYERS] =
            std::array::from_fn(|entry| i128::from(units(own[entry])));
        let mut weight = 1_i128;
        for edge in self.edges(id).filter(|edge| edge.visits > 0 && edge.child != NONE) {
            let visits = i128::from(self.node(edge.child).visits.max(1));
            weight += i128::from(edge.visits);
            for (entry, total) in total.iter_mut().enumerate().take(self.width) {
                *total +=
                    i128::from(self.sum(edge.child, entry)) * i128::from(edge.visits) / visits;
            }
        }
        // Edges whose children are gone count like the mean of the others.
        let visits = i128::from(self.node(id).visits);
        for (entry, total) in total.iter().enumerate().take(self.width) {
            let sum = if visits == weight { *total } else { total * visits / weight };
            self.set_sum(id, entry, sum as i64);
        }
    }
}

/// Counts one simulation along `path`: one that ended at its last step's child with `values`, or one
/// that takes the child as it is.
pub(crate) fn backup_graph<S>(tree: &mut Tree<S>, path: &[Step], values: Option<Values>) {
    let Some(last) = path.last() else {
        if let Some(values) = values {
            tree.visit(ROOT, &values);
        }
        return;
    };
    if let Some(values) = values {
        let leaf = tree.child(last.node, last.slot);
        tree.visit(leaf, &values);
    }
    for step in path.iter().rev() {
        let child = tree.child(step.node, step.slot);
        let actor = tree.node(step.node).actor;
        let q = edge_q(tree, child, actor);
        let (quad, lane) = tree.quad_mut(step.node, step.slot);
        quad.visits[lane] += 1;
        quad.q[lane] = q;
        let own = tree.values(step.node);
        tree.visit(step.node, &own);
        if !tree.node(step.node).proven {
            tree.add_up(step.node);
        }
    }
}

impl<M: SearchModel> Search<M> {
    /// The key of `state`, which the current path leads to, if it may be shared.
    pub(crate) fn key_of(&self, model: &M, state: &M::State) -> Result<Option<u64>> {
        if !self.tree.is_graph() {
            return Ok(None);
        }
        let ply = u64::from(self.followed) + self.path.len() as u64;
        Ok(model.graph_key(state)?.map(|key| mix(key ^ mix(ply))))
    }

    /// Links the last step of the path to the node of `key`; `false` if there is none.
    pub(crate) fn join(&mut self, key: Option<u64>) -> bool {
        let known = key.and_then(|key| self.tree.known_as(key));
        if let Some(id) = known {
            self.link(id);
        }
        known.is_some()
    }

    /// Counts a descent that ended at a node with other parents: one that is known for good, or one that
    /// the last edge of the path lags behind.
    pub(crate) fn count_shared(&mut self, solver: bool) {
        let Some(&last) = self.path.last() else { return };
        let id = self.tree.child(last.node, last.slot);
        let is_proven = self.tree.node(id).proven;
        if is_proven && solver {
            prove_upwards(&mut self.tree, &self.path, id);
        }
        let values = self.tree.known(id);
        backup_graph(&mut self.tree, &self.path, is_proven.then_some(values));
        // How many of the simulations behind a mean were draws is not known.
        let is_draw = self.tree.worth(&values, self.tree.node(id).actor) == 0.0;
        if is_proven {
            self.note_at_root(f32::from(is_draw));
        }
        self.simulations += 1;
        self.descents.note(self.path.len());
    }
}
