//! Proofs: ends of games carried up the tree (Winands, Björnsson and Saito, "Monte-Carlo Tree Search
//! Solver", 2008), for any number of players.
//!
//! A node is proven when one of its moves leads to the best value there is (+1 for its actor), or when
//! all of its moves are proven: then its value is that of the best. The distance of a proof is that of
//! the shortest way to a won end among the moves proven so far, of the longest way otherwise.

use super::backup::edge_q;
use super::select::Step;
use super::tree::{NONE, NodeId, Tree};
use super::values::Values;
use crate::game::Player;

/// Carries the proof of the node that `path` leads to as far up as it goes.
pub(crate) fn prove_upwards<S>(tree: &mut Tree<S>, path: &[Step], proven: NodeId) {
    let mut child = proven;
    for step in path.iter().rev() {
        let id = step.node;
        if tree.node(id).proven {
            return;
        }
        let actor = tree.node(id).actor;
        let q = edge_q(tree, child, actor);
        let (quad, lane) = tree.quad_mut(id, step.slot);
        quad.q[lane] = q;
        let rest = tree.rest_mut(id);
        rest.unproven -= 1;
        let unproven = rest.unproven;
        let wins = tree.worth(&tree.values(child), actor) >= 1.0;
        if !wins && unproven > 0 {
            return;
        }
        let Some((values, distance)) = best_proven(tree, id, actor) else { return };
        tree.set_proven(id, &values, distance.saturating_add(1));
        child = id;
    }
}

/// The value and distance of the best proven child of `id`: the highest worth to `actor`; among equals
/// the nearest if it is won, otherwise the farthest.
fn best_proven<S>(tree: &Tree<S>, id: NodeId, actor: Player) -> Option<(Values, u16)> {
    let mut best: Option<(Values, f32, u16)> = None;
    for edge in tree.edges(id) {
        if edge.child == NONE || !tree.node(edge.child).proven {
            continue;
        }
        let values = tree.values(edge.child);
        let (worth, distance) = (tree.worth(&values, actor), tree.rest(edge.child).distance);
        if best.is_none_or(|(_, other, far)| is_better((worth, distance), (other, far))) {
            best = Some((values, worth, distance));
        }
    }
    best.map(|(values, _, distance)| (values, distance))
}

/// Whether a proof is to be preferred: worth more, or as much and a shorter win or a longer rest.
pub(crate) fn is_better(new: (f32, u16), old: (f32, u16)) -> bool {
    if new.0 != old.0 {
        return new.0 > old.0;
    }
    if new.0 > 0.0 { new.1 < old.1 } else { new.1 > old.1 }
}
