//! Forced playouts at the root and what they leave in the policy (Wu, "Accelerating self-play learning in
//! Go", 2019, section 3.2).

use super::root::Candidate;
use super::select::Selector;
use super::tree::{ROOT, Tree};

/// The least visits of a move that has any: `sqrt(k P N)`.
fn least(k: f32, prior: f32, all: u32) -> f32 {
    (k * prior * all as f32).sqrt()
}

/// The first of the root's slots with visits, but fewer than are forced; waiting descents count. Moves
/// that are proven have no need of more.
pub(crate) fn slot<S>(tree: &Tree<S>, noise: &[f32], k: f32) -> Option<u32> {
    let root = tree.node(ROOT);
    let priors = if noise.is_empty() { tree.priors(ROOT) } else { noise };
    let all = root.visits - 1 + root.waiting;
    let is_short = |(edge, &prior): (super::edges::Edge, &f32)| {
        edge.visits > 0
            && !tree.node(edge.child).proven
            && ((edge.visits + edge.waiting) as f32) < least(k, prior, all)
    };
    tree.edges(ROOT).zip(priors).position(is_short).map(|slot| slot as u32)
}

/// The moves with the visits that selection would have given them: of each but the most visited one up
/// to the forced number are taken, as long as its score stays below that one's, and moves that keep one
/// visit lose it.
pub(crate) fn pruned<S>(
    tree: &Tree<S>,
    selector: &Selector,
    noise: &[f32],
    k: f32,
    moves: &[Candidate],
) -> Vec<Candidate> {
    let priors = if noise.is_empty() { tree.priors(ROOT) } else { noise };
    let actions = tree.actions(ROOT);
    let prior_of = |found: &Candidate| {
        actions.iter().position(|&action| action == found.action).map_or(0.0, |slot| priors[slot])
    };
    let all = tree.node(ROOT).visits - 1;
    let factor = selector.exploration(ROOT, all);
    let score =
        |found: &Candidate, visits: u32| found.q + factor * prior_of(found) / (1.0 + visits as f32);
    let leader = (0..moves.len())
        .fold(0, |top, i| if moves[i].visits > moves[top].visits { i } else { top });
    let Some(best) = moves.get(leader).map(|found| score(found, found.visits)) else {
        return Vec::new();
    };
    let prune = |(index, found): (usize, &Candidate)| {
        let mut pruned = *found;
        if index == leader || found.visits == 0 {
            return pruned;
        }
        let forced = least(k, prior_of(found), all) as u32;
        for _ in 0..forced.min(found.visits) {
            if score(found, pruned.visits - 1) >= best {
                break;
            }
            pruned.visits -= 1;
        }
        if pruned.visits <= 1 {
            pruned.visits = 0;
        }
        pruned
    };
    moves.iter().enumerate().map(prune).collect()
}
