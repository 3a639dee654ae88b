//! Looking into a tree.

use super::session::Search;
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};
use crate::game::{Action, Player};
use crate::model::SearchModel;

/// What a tree holds about one position. Values are for its player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// The player to move; at an end of the game whoever moved last.
    pub player: Player,
    /// The phase under the search's gate; 0 without one, -1 at ends.
    pub phase: i8,
    /// Simulations that ended here or below.
    pub visits: u32,
    /// The evaluator's value, exact if proven; 0 while the evaluation is outstanding.
    pub value: f32,
    /// The mean of the values backed up.
    pub mean: f32,
    /// The exact value and the plies to the end behind it, if proven.
    pub proven: Option<(f32, u16)>,
    /// Whether the evaluation is outstanding.
    pub waiting: bool,
    /// The actions, by falling prior; the next three have an entry for each.
    pub actions: Vec<Action>,
    /// The priors, at the node temperature, without noise.
    pub priors: Vec<f32>,
    /// Simulations through each action.
    pub action_visits: Vec<u32>,
    /// Mean value of each action; `None` if unvisited.
    pub q: Vec<Option<f32>>,
}

impl<M: SearchModel> Search<M> {
    /// The node that `path` leads to, if the tree holds it.
    pub(crate) fn inspect(&self, path: &[Action]) -> Option<NodeView> {
        let mut id = (!self.tree.nodes.is_empty()).then_some(ROOT)?;
        for &action in path {
            let slot = self.tree.actions(id).iter().position(|&known| known == action)?;
            id = Some(self.tree.edge(id, slot).child).filter(|&id| id != NONE)?;
        }
        Some(view(&self.tree, id))
    }
}

fn view<S>(tree: &Tree<S>, id: NodeId) -> NodeView {
    let node = tree.node(id);
    let actions = tree.actions(id).to_vec();
    let value = tree.worth(&tree.values(id), node.actor);
    let q = |slot: usize| {
        let edge = tree.edge(id, slot);
        let is_visited = edge.visits > 0 && edge.child != NONE;
        is_visited.then(|| tree.worth(&tree.known(edge.child), node.actor))
    };
    NodeView {
        player: node.actor,
        phase: node.phase,
        visits: node.visits,
        value,
        mean: tree.worth(&tree.known(id), node.actor),
        proven: tree.exact_worth(id, node.actor).map(|worth| (worth, tree.rest(id).distance)),
        waiting: node.kind == Kind::Pending,
        priors: tree.priors(id).to_vec(),
        action_visits: tree.edges(id).map(|edge| edge.visits).collect(),
        q: (0..actions.len()).map(q).collect(),
        actions,
    }
}
