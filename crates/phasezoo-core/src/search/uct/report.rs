//! What a search found.

use super::params::Choice;
use super::rollout::Rollout;
use super::search::Search;
use crate::game::Action;
use crate::model::SearchModel;
use crate::rng::Stream;
use crate::search::limit::Ended;
use crate::search::tree::{Kind, ROOT};

/// The outcome of a search, for the root's player to move. Lists have an entry for each of the root's
/// children in the tree, ascending by action.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The action to play: the most visited. Unless [`Choice`] says otherwise, counts that differ by one
    /// are equal, because children of the same value are visited in turn; of equals the one that wins
    /// at once, then the more visited, then the one with more wins.
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

/// A child of the root.
struct Child {
    action: Action,
    visits: u32,
    total: f64,
    /// Whether the game is won there.
    wins: bool,
}

/// The action to play by [`Choice::MostVisited`].
fn most_visited(children: &[Child], stream: &mut Stream) -> Action {
    let most = children.iter().map(|child| child.visits).max();
    let equals = || children.iter().filter(|child| Some(child.visits) == most);
    let chosen = match equals().count() {
        0 | 1 => 0,
        count => stream.below(count),
    };
    equals().nth(chosen).map_or(0, |child| child.action)
}

/// The action to play by [`Choice::Careful`]; see [`Report::action`].
fn best(children: &[Child]) -> Action {
    let most = children.iter().map(|child| child.visits).max().unwrap_or_default();
    let mut equals = children.iter().filter(|child| child.visits + 1 >= most);
    let Some(mut best) = equals.next() else { return 0 };
    for child in equals {
        let is_better = (child.wins, child.visits) > (best.wins, best.visits)
            || ((child.wins, child.visits) == (best.wins, best.visits) && child.total > best.total);
        if is_better {
            best = child;
        }
    }
    best.action
}

impl<M: SearchModel, P: Rollout<M>> Search<M, P> {
    /// What was found so far; at least one simulation has been made.
    pub(super) fn report(&mut self, ended: Ended, seconds: f64) -> Report {
        let actor = self.tree.node(ROOT).actor;
        let actions = self.tree.actions(ROOT);
        let mut children: Vec<Child> = (0..usize::from(self.tree.node(ROOT).opened))
            .map(|slot| {
                let edge = self.tree.edge(ROOT, slot);
                let total = self.tree.wins_for(edge.child, actor);
                let is_end = self.tree.node(edge.child).kind == Kind::Terminal;
                let wins = is_end && total >= f64::from(edge.visits);
                Child { action: actions[slot], visits: edge.visits, total, wins }
            })
            .collect();
        children.sort_unstable_by_key(|child| child.action);
        let action = match self.params.choice {
            Choice::Careful => best(&children),
            Choice::MostVisited => most_visited(&children, &mut self.stream),
        };
        Report {
            action,
            actions: children.iter().map(|child| child.action).collect(),
            visits: children.iter().map(|child| child.visits).collect(),
            totals: children.iter().map(|child| child.total).collect(),
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
