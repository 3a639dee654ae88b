//! How a player chooses at a node, and what a visit teaches them.

use super::node::{Node, Seat, Step};
use super::params::{Params, Selection};
use crate::rng::Stream;

/// The action, by its place, that a seat of `node` plays next.
pub(super) fn choose<S>(node: &Node<S>, seat: &Seat, params: &Params, stream: &mut Stream) -> u32 {
    if seat.actions.len() == 1 {
        return 0;
    }
    match params.selection {
        Selection::Puct => puct(node, seat, params, stream),
        Selection::RegretMatching => {
            let count = seat.actions.len();
            if stream.unit() < f64::from(params.exploration) {
                return stream.below(count) as u32;
            }
            draw((0..count).map(strategy(seat)), stream)
        }
    }
}

/// Scores that differ by less are equal where several players move: players whose statistics are alike
/// would try everything in step, and never see an action against another one.
const EQUAL: f64 = 0.01;

/// The action with the highest `Q + c(N) P sqrt(N) / (1 + n)`; of equal ones any. A descent that waits
/// counts as a visit that lost.
fn puct<S>(node: &Node<S>, seat: &Seat, params: &Params, stream: &mut Stream) -> u32 {
    let visits = f64::from(node.visits + node.waiting);
    let (base, init) = (f64::from(params.c_puct_base), f64::from(params.c_puct_init));
    let scale = (((visits + base + 1.0) / base).ln() + init) * visits.sqrt();
    let untried = (node.mean(seat.player) - f64::from(params.fpu)).max(-1.0);
    let score = |slot: usize| {
        let waiting = f64::from(seat.waiting[slot]);
        let tried = f64::from(seat.visits[slot]) + waiting;
        let q = if tried > 0.0 { (seat.totals[slot] - waiting) / tried } else { untried };
        q + scale * f64::from(seat.priors[slot]) / (1.0 + tried)
    };
    let slots = 0..seat.actions.len();
    let best = slots.clone().map(score).fold(f64::NEG_INFINITY, f64::max);
    let least = if node.seats.len() > 1 { best - EQUAL } else { best };
    let equal = slots.clone().filter(|&slot| score(slot) >= least).count();
    let drawn = if equal > 1 { stream.below(equal) } else { 0 };
    let chosen = slots.filter(|&slot| score(slot) >= least).nth(drawn);
    chosen.unwrap_or_default() as u32
}

/// The share of each action under regret matching: its regret among those above zero, and the prior if
/// none is.
fn strategy(seat: &Seat) -> impl Fn(usize) -> f64 + '_ {
    let total: f64 = seat.regrets.iter().map(|regret| regret.max(0.0)).sum();
    move |slot| {
        if total > 0.0 { seat.regrets[slot].max(0.0) / total } else { f64::from(seat.priors[slot]) }
    }
}

/// A place, each with its share of 1.
pub(super) fn draw(shares: impl Iterator<Item = f64>, stream: &mut Stream) -> u32 {
    let mut left = stream.unit();
    let mut last = 0;
    for (place, share) in shares.enumerate() {
        if share > 0.0 {
            last = place;
            if left < share {
                break;
            }
            left -= share;
        }
    }
    last as u32
}

/// Writes to `regrets`, for each action of seat `index`, what the player would have gained by it against
/// what the others played: the mean below that joint action, less `value`. What was never
/// played counts as the node's mean.
pub(super) fn regret<S>(
    nodes: &[Node<S>],
    step: &Step,
    index: usize,
    value: f64,
    regrets: &mut Vec<f64>,
) {
    let node = &nodes[step.node as usize];
    let seat = &node.seats[index];
    let own = node.mean(seat.player);
    regrets.clear();
    regrets.extend((0..seat.actions.len() as u32).map(|slot| {
        if slot == step.slots[index] {
            return 0.0;
        }
        let mut other = step.slots;
        other[index] = slot;
        let child = node.children.get(&node.key(&other)).map(|&child| &nodes[child as usize]);
        let tried = child.filter(|child| child.visits > 0);
        tried.map_or(own, |child| child.mean(seat.player)) - value
    }));
}

/// Enters regrets, and the strategy that they replace.
pub(super) fn learn(seat: &mut Seat, regrets: &[f64]) {
    let shares: Vec<f64> = (0..seat.actions.len()).map(strategy(seat)).collect();
    for (slot, (share, regret)) in shares.into_iter().zip(regrets).enumerate() {
        seat.strategies[slot] += share;
        seat.regrets[slot] += regret;
    }
}

/// A seat's final policy: the mean of its strategies, or the shares of its visits; the priors before
/// there is either.
pub(super) fn policy(seat: &Seat) -> Vec<f32> {
    let visits: Vec<f64>;
    let weights = if seat.strategies.is_empty() {
        visits = seat.visits.iter().map(|&visits| f64::from(visits)).collect();
        &visits[..]
    } else {
        &seat.strategies
    };
    let total: f64 = weights.iter().sum();
    if total > 0.0 {
        return weights.iter().map(|weight| (weight / total) as f32).collect();
    }
    seat.priors.to_vec()
}
