//! What a search found.

use super::search::Search;
use crate::game::Action;
use crate::model::SearchModel;
use crate::search::limit::Ended;
use crate::search::tree::{NONE, ROOT};

/// The outcome of a search, for the root's player to move. Lists have an entry for each of the root's
/// children in the tree, ascending by action.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The action to play: the most visited, of equals the one with the higher share of wins.
    pub action: Action,
    /// The children's actions.
    pub actions: Vec<Action>,
    /// Simulations through each, those of a reused subtree included.
    pub visits: Vec<u32>,
    /// Wins and half the draws below each; in the rook endgame mates, or what is no mate.
    pub totals: Vec<f64>,
    /// Nodes added to the tree.
    pub nodes: u64,
    /// Simulations of this search.
    pub simulations: u64,
    /// Plies played by rollouts, those inside the tree included.
    pub rollout_plies: u64,
    /// The longest way from the root to a new node, in plies.
    pub depth: u32,
    /// Nodes that the tree holds.
    pub tree_nodes: usize,
    /// Whether the last reply was not in the tree, so that this search began with a root alone.
    pub collapsed: bool,
    /// Wall-clock time of this search.
    pub seconds: f64,
    /// Why the search ended.
    pub ended: Ended,
}

impl<M: SearchModel, P> Search<M, P> {
    /// What was found so far; at least one simulation has been made.
    pub(super) fn report(&self, ended: Ended, seconds: f64) -> Report {
        let actor = self.tree.node(ROOT).actor;
        let actions = self.tree.actions(ROOT);
        let mut children: Vec<(Action, u32, f64)> = (0..usize::from(self.tree.node(ROOT).opened))
            .filter_map(|slot| {
                let edge = self.tree.edge(ROOT, slot);
                let wins = || self.tree.wins_for(edge.child, actor);
                (edge.child != NONE).then(|| (actions[slot], edge.visits, wins()))
            })
            .collect();
        children.sort_unstable_by_key(|&(action, ..)| action);
        let mut best = (0, 0, 0.0);
        for &child in &children {
            // Whole numbers of visits: the higher total of equals has the higher share.
            if child.1 > best.1 || (child.1 == best.1 && child.2 > best.2) {
                best = child;
            }
        }
        Report {
            action: best.0,
            actions: children.iter().map(|child| child.0).collect(),
            visits: children.iter().map(|child| child.1).collect(),
            totals: children.iter().map(|child| child.2).collect(),
            nodes: self.nodes,
            simulations: self.simulations,
            rollout_plies: self.rollout_plies,
            depth: self.depth,
            tree_nodes: self.tree.nodes.len(),
            collapsed: self.collapsed,
            seconds,
            ended,
        }
    }
}
