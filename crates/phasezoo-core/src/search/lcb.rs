//! The choice of the move by lower confidence bounds (Leela Zero, `KataGo`): of the moves with enough
//! visits the one whose value is most surely good.

use super::params::Params;
use super::root::{Candidate, best_index, normalised};
use super::tree::{ROOT, Tree};
use super::values::Values;
use crate::game::Action;

/// Units of a sum of squares per 1.0: sums are whole, and do not depend on the order of leaves.
const UNIT: f64 = 4_294_967_296.0;

/// By what share the move with the best bound is ahead of others with as many visits. It outlasts
/// rounding.
const AHEAD: f32 = 1e-6;

/// The values that a search has backed up through one of the root's moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spread {
    count: u32,
    sum: i64,
    squares: i64,
}

impl Spread {
    fn add(&mut self, value: f32) {
        let value = f64::from(value);
        self.count += 1;
        self.sum += (value * UNIT) as i64;
        self.squares += (value * value * UNIT) as i64;
    }

    /// The variance of the values; `None` of less than two.
    fn variance(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        let count = f64::from(self.count);
        let mean = self.sum as f64 / UNIT / count;
        Some((self.squares as f64 / UNIT / count - mean * mean).max(0.0) * count / (count - 1.0))
    }
}

/// Counts `values` for the move in a slot of the root.
pub(crate) fn note<S>(spreads: &mut [Spread], tree: &Tree<S>, slot: u32, values: &Values) {
    if let Some(spread) = spreads.get_mut(slot as usize) {
        spread.add(tree.worth(values, tree.node(ROOT).actor));
    }
}

/// The policy by visits in which the move with the best lower bound, `q - stdevs sqrt(variance / n)`, has
/// changed places with the most visited one, ahead of others with as many visits. Only moves with [`Params::min_visit_prop_for_lcb`] of the
/// most visits and two new values come into question; proven losses never do.
pub(crate) fn policy<S>(
    params: &Params,
    tree: &Tree<S>,
    spreads: &[Spread],
    moves: &[Candidate],
) -> Option<Vec<f32>> {
    let visits = |found: &Candidate| if found.is_lost() { 0.0 } else { found.visits as f32 };
    let mut mass: Vec<f32> = moves.iter().map(visits).collect();
    let leader = best_index(&mass, moves);
    if mass[leader] == 0.0 {
        return None;
    }
    let enough = params.min_visit_prop_for_lcb * mass[leader];
    let bound = |index: usize| {
        let found = &moves[index];
        if mass[index] < enough || mass[index] == 0.0 {
            return None;
        }
        if found.proven.is_some() {
            return Some(found.q);
        }
        let variance = spreads.get(slot_of(tree, found.action)?)?.variance()?;
        let radius = f64::from(params.lcb_stdevs) * (variance / f64::from(found.visits)).sqrt();
        Some(found.q - radius as f32)
    };
    let bounds: Vec<Option<f32>> = (0..moves.len()).map(bound).collect();
    let best = (0..moves.len()).filter(|&index| bounds[index].is_some()).fold(leader, |top, i| {
        let low = |i: usize| bounds[i].unwrap_or(f32::NEG_INFINITY);
        if low(i) > low(top) { i } else { top }
    });
    mass.swap(leader, best);
    if best != leader && (0..mass.len()).any(|i| i != best && mass[i] == mass[best]) {
        mass[best] *= 1.0 + AHEAD;
    }
    Some(normalised(mass))
}

fn slot_of<S>(tree: &Tree<S>, action: Action) -> Option<usize> {
    tree.actions(ROOT).iter().position(|&known| known == action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_is_that_of_the_values() {
        let mut spread = Spread::default();
        for value in [0.5, -0.25, 1.0, 0.0] {
            spread.add(value);
        }
        let expected =
            (0.1875_f64.powi(2) + 0.5625_f64.powi(2) + 0.6875_f64.powi(2) + 0.3125_f64.powi(2))
                / 3.0;
        assert!((spread.variance().expect("four values") - expected).abs() < 1e-6);
        assert_eq!(Spread { count: 1, sum: 7, squares: 9 }.variance(), None);
    }
}
