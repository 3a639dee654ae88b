//! What a search expects: the lines after the root's moves.

use super::edges::Edge;
use super::root::Candidate;
use super::solver::is_better;
use super::tree::{NONE, NodeId, ROOT, Tree};
use crate::game::Action;

/// The longest principal variation that is reported, in plies.
pub(crate) const MAX_PV: usize = 128;

/// What a search expects after one of the root's moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The move.
    pub action: Action,
    /// Its mean value for the root's player, exact if proven.
    pub q: f32,
    /// Simulations through it.
    pub visits: u32,
    /// The line, [`Line::action`] first.
    pub pv: Vec<Action>,
}

/// What a search expects after each of the root's moves, one behind the other: results are made after
/// every move of a game, and few are asked for their lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Replies {
    /// Without the root's moves themselves.
    actions: Vec<Action>,
    /// Where each move's begin, and the end of the last.
    starts: Vec<u32>,
}

impl Replies {
    /// Those after `moves`, nothing after moves that were not visited.
    pub(crate) fn of<S>(tree: &Tree<S>, moves: &[Candidate]) -> Self {
        Self::collect(moves.len(), |place, replies| {
            if moves[place].visits > 0 {
                push_variation(tree, moves[place].action, replies);
            }
        })
    }

    /// Those that `push` appends for the move at each place.
    pub(crate) fn collect(count: usize, mut push: impl FnMut(usize, &mut Vec<Action>)) -> Self {
        let mut found = Self { actions: Vec::new(), starts: vec![0] };
        for place in 0..count {
            push(place, &mut found.actions);
            found.starts.push(found.actions.len() as u32);
        }
        found
    }

    /// `first` and what is expected after it, the move at `place`.
    pub(crate) fn line(&self, place: usize, first: Action) -> Vec<Action> {
        let (start, end) = (self.starts[place] as usize, self.starts[place + 1] as usize);
        [&[first], &self.actions[start..end]].concat()
    }
}

/// Appends what each node's player would choose after the root's move `first`.
fn push_variation<S>(tree: &Tree<S>, first: Action, replies: &mut Vec<Action>) {
    let longest = replies.len() + MAX_PV - 1;
    let slot = tree.actions(ROOT).iter().position(|&action| action == first);
    let mut next = slot.and_then(|slot| child(tree, ROOT, slot));
    while let Some(id) = next.filter(|_| replies.len() < longest) {
        let Some(slot) = best_slot(tree, id) else { break };
        replies.push(tree.action(id, slot as u32));
        next = child(tree, id, slot);
    }
}

fn child<S>(tree: &Tree<S>, id: NodeId, slot: usize) -> Option<NodeId> {
    Some(tree.edge(id, slot).child).filter(|&child| child != NONE)
}

/// The slot that a node's player would choose: by proofs if the node is proven or the move wins;
/// otherwise the most visited move that is not proven lost. `None` if the tree does not hold it, or
/// has visited lost moves alone while others are left.
fn best_slot<S>(tree: &Tree<S>, id: NodeId) -> Option<usize> {
    let node = tree.node(id);
    if node.proven && !tree.shows_proof(id) {
        return None;
    }
    let found = |(slot, edge): (usize, Edge)| {
        if edge.child == NONE || edge.visits == 0 {
            return None;
        }
        let below = tree.node(edge.child);
        let (worth, rank) = match tree.exact_worth(edge.child, node.actor) {
            _ if node.proven && below.proven => {
                (tree.worth(&tree.values(edge.child), node.actor), Rank::Proven)
            }
            Some(worth) if worth >= 1.0 => (worth, Rank::Proven),
            Some(worth) if worth <= -1.0 => (worth, Rank::Lost),
            _ => (0.0, Rank::Open),
        };
        let proof = (worth, tree.rest(edge.child).distance);
        Some(Child { slot, visits: edge.visits, rank, proof })
    };
    tree.edges(id)
        .take(usize::from(node.opened))
        .enumerate()
        .filter_map(found)
        .reduce(|best, new| if new.is_better(&best) { new } else { best })
        .filter(|best| node.proven || best.rank != Rank::Lost)
        .map(|best| best.slot)
}

/// What is chosen first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Proven lost while something else is not.
    Lost,
    /// To be compared by visits.
    Open,
    /// To be compared by proofs.
    Proven,
}

/// What decides between a node's children.
struct Child {
    slot: usize,
    visits: u32,
    rank: Rank,
    /// Worth and distance, unless [`Rank::Open`].
    proof: (f32, u16),
}

impl Child {
    fn is_better(&self, other: &Self) -> bool {
        if self.rank != other.rank {
            return self.rank > other.rank;
        }
        match self.rank {
            Rank::Open => self.visits > other.visits,
            Rank::Lost | Rank::Proven => is_better(self.proof, other.proof),
        }
    }
}
