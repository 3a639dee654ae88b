//! Proofs: ends of games carried up the tree (Winands, Björnsson and Saito, "Monte-Carlo Tree Search
//! Solver", 2008), for any number of players.
//!
//! A node is proven when one of its moves leads to the best value there is (+1 for its actor), or when
//! all of its moves are proven: then its value is that of the best. The distance of a proof is that of
//! the shortest way to a won end among the moves proven so far, of the longest way otherwise.
//!
//! If each player has a value of their own, moves that are equally good for the actor may differ for
//! the others, and so may a won move and one that nobody has looked at. Such a node is proven only
//! once all of its moves are, and what the others get is a **range** over the moves that the actor may
//! choose. What a range leaves open is reported nowhere as proven.

use super::backup::edge_q;
use super::select::Step;
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};
use super::values::{Sums, Values};
use crate::game::{MAX_PLAYERS, Player};

/// The least and the largest value that each player may get behind a node of which nothing more can be
/// learnt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: Values,
    pub(crate) high: Values,
}

/// What is known of a node for good.
struct Proof {
    values: Values,
    distance: u16,
    /// `None` if `values` is exact for everybody.
    range: Option<Range>,
}

/// Carries the proof of the node that `path` leads to as far up as it goes, and what it changed into
/// the means of all nodes above.
pub(crate) fn prove_upwards<S>(tree: &mut Tree<S>, path: &[Step], proven: NodeId) {
    let mut child = proven;
    let mut change = Sums::default();
    for step in path.iter().rev() {
        let id = step.node;
        let is_new = tree.node(child).proven;
        if tree.node(id).proven || (!is_new && change == Sums::default()) {
            return;
        }
        let actor = tree.node(id).actor;
        let q = edge_q(tree, child, actor);
        let (quad, lane) = tree.quad_mut(id, step.slot);
        quad.q[lane] = q;
        let through = quad.visits[lane];
        scale(&mut change, through, tree.node(child).visits);
        match if is_new { prove(tree, id, child) } else { None } {
            Some(proof) => {
                change = tree.set_proven(id, &proof.values, proof.distance);
                tree.set_range(id, proof.range);
            }
            // The backup that follows makes the means of a graph anew.
            None if tree.is_graph() => return,
            None => tree.add_to_sum(id, &change),
        }
        child = id;
    }
}

/// Proves a root that has become one with a winning move: elsewhere that settles nothing where more
/// than two play, as the other players' values matter as well.
pub(crate) fn prove_root<S>(tree: &mut Tree<S>) {
    let root = tree.node(ROOT);
    let (actor, kind) = (root.actor, root.kind);
    if tree.width == 1 || root.proven || kind != Kind::Evaluated {
        return;
    }
    let wins = |child| tree.exact_worth(child, actor).is_some_and(|worth| worth >= 1.0);
    if !proven_children(tree, ROOT).any(wins) {
        return;
    }
    if let Some((values, distance)) = best_proven(tree, ROOT, actor) {
        tree.set_proven(ROOT, &values, distance.saturating_add(1));
        tree.set_range(ROOT, Some(won(actor)));
    }
}

/// What is known of a position that `actor` wins.
fn won(actor: Player) -> Range {
    let mut range = Range { low: [-1.0; MAX_PLAYERS], high: [1.0; MAX_PLAYERS] };
    range.low[usize::from(actor)] = 1.0;
    range
}

/// What a change means for a parent that only `through` of all visits of its child came through: the
/// others began below the parent.
fn scale(change: &mut Sums, through: u32, all: u32) {
    if through < all {
        for units in change {
            *units = (i128::from(*units) * i128::from(through) / i128::from(all)) as i64;
        }
    }
}

/// What the proof of `child` makes of its parent `id`, if anything.
fn prove<S>(tree: &mut Tree<S>, id: NodeId, child: NodeId) -> Option<Proof> {
    let actor = tree.node(id).actor;
    let is_settled = if tree.is_graph() {
        tree.count_unproven(id) == 0
    } else {
        let rest = tree.rest_mut(id);
        rest.unproven -= 1;
        rest.unproven == 0
    };
    let wins = tree.exact_worth(child, actor).is_some_and(|worth| worth >= 1.0);
    // Elsewhere than at the root the other players' values matter as well.
    if !is_settled && !(wins && (tree.width == 1 || id == ROOT)) {
        return None;
    }
    let (values, distance) = best_proven(tree, id, actor)?;
    let distance = distance.saturating_add(1);
    let range = match (tree.width, is_settled) {
        (1, _) => None,
        (_, true) => range_over(tree, id, actor),
        (_, false) => Some(won(actor)),
    };
    Some(Proof { values, distance, range })
}

/// The value and distance of the best proven child of `id`: the highest worth to `actor`; among equals
/// the nearest if it is won, otherwise the farthest. Where equals differ for the others, their mean.
fn best_proven<S>(tree: &Tree<S>, id: NodeId, actor: Player) -> Option<(Values, u16)> {
    let mut best: Option<(Values, f32, u16)> = None;
    let (mut total, mut equals) = ([0.0_f64; MAX_PLAYERS], 0_u32);
    for child in proven_children(tree, id) {
        let values = tree.values(child);
        let (worth, distance) = (tree.worth(&values, actor), tree.rest(child).distance);
        let known = best.map(|(_, worth, _)| worth);
        if known.is_none_or(|known| worth > known) {
            (total, equals) = Default::default();
        }
        if known.is_none_or(|known| worth >= known) {
            total.iter_mut().zip(&values).for_each(|(total, &value)| *total += f64::from(value));
            equals += 1;
        }
        if best.is_none_or(|(_, other, far)| is_better((worth, distance), (other, far))) {
            best = Some((values, worth, distance));
        }
    }
    let (values, _, distance) = best?;
    if tree.width == 1 {
        return Some((values, distance));
    }
    Some((total.map(|total| (total / f64::from(equals)) as f32), distance))
}

/// What each player may get at `id`, all of whose moves are proven: over the moves that may be the
/// best for `actor`. `None` if there is one possibility.
fn range_over<S>(tree: &Tree<S>, id: NodeId, actor: Player) -> Option<Range> {
    let own = usize::from(actor);
    let floor = proven_children(tree, id)
        .map(|child| tree.range(child).low[own])
        .fold(f32::NEG_INFINITY, f32::max);
    let range = proven_children(tree, id)
        .map(|child| tree.range(child))
        .filter(|range| range.high[own] >= floor)
        .reduce(|a, b| Range {
            low: std::array::from_fn(|p| a.low[p].min(b.low[p])),
            high: std::array::from_fn(|p| a.high[p].max(b.high[p])),
        });
    range
        .map(|mut range| {
            range.low[own] = floor;
            range
        })
        .filter(|range| range.low != range.high)
}

fn proven_children<S>(tree: &Tree<S>, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    tree.edges(id)
        .map(|edge| edge.child)
        .filter(move |&child| child != NONE && tree.node(child).proven)
}

/// Whether a proof is to be preferred: worth more, or as much and a shorter win or a longer rest.
pub(crate) fn is_better(new: (f32, u16), old: (f32, u16)) -> bool {
    if new.0 != old.0 {
        return new.0 > old.0;
    }
    if new.0 > 0.0 { new.1 < old.1 } else { new.1 > old.1 }
}

impl<S> Tree<S> {
    /// What `id` is worth to `actor`, if that is proven.
    pub(crate) fn exact_worth(&self, id: NodeId, actor: Player) -> Option<f32> {
        let node = self.node(id);
        let is_open = |range: &Range| {
            let own = usize::from(actor);
            range.low[own] != range.high[own]
        };
        let is_exact = node.proven && !self.ranges.get(&id).is_some_and(is_open);
        is_exact.then(|| self.worth(&self.values(id), actor))
    }

    /// Whether the tree holds the move that a proven node owes its value to: not if an evaluator said the
    /// value, nor if what lies below the proof was forgotten.
    pub(crate) fn shows_proof(&self, id: NodeId) -> bool {
        let actor = self.node(id).actor;
        let worth = self.worth(&self.values(id), actor);
        proven_children(self, id).any(|child| {
            self.worth(&self.values(child), actor) == worth
                && self.rest(child).distance.saturating_add(1) == self.rest(id).distance
        })
    }

    /// What each player may get behind a proven node.
    fn range(&self, id: NodeId) -> Range {
        self.ranges.get(&id).copied().unwrap_or_else(|| {
            let values = self.values(id);
            Range { low: values, high: values }
        })
    }

    fn set_range(&mut self, id: NodeId, range: Option<Range>) {
        if let Some(range) = range {
            self.ranges.insert(id, range);
        }
    }
}
