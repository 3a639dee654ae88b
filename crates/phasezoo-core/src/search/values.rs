//! What values are inside a tree, and their sums.
//!
//! **Sums are whole numbers** in units of 2^-32: they do not depend on the order in which leaves come
//! back, and they do not stop growing after 2^24 visits.

use super::tree::{NodeId, Tree};
use crate::game::{MAX_PLAYERS, Player, Returns};
use crate::model::ValueRule;

/// Values as a tree stores them. Scalar games use entry 0 alone: with [`ValueRule::Negate`] the value
/// for player 0, with [`ValueRule::Same`] the value for the one who searches. With
/// [`ValueRule::PerPlayer`] entry `p` is the value for player `p`.
pub(crate) type Values = [f32; MAX_PLAYERS];

/// Sums of [`Values`], in 2^-32; entries that a game does not use are 0.
pub(crate) type Sums = [i64; MAX_PLAYERS];

/// Units of a value sum per 1.0.
const UNIT: f64 = 4_294_967_296.0;

/// What `values` is worth to `actor`.
#[inline]
pub(crate) fn worth(rule: ValueRule, values: &Values, actor: Player) -> f32 {
    match rule {
        ValueRule::Negate if actor != 0 => -values[0],
        ValueRule::Negate | ValueRule::Same => values[0],
        ValueRule::PerPlayer(_) => values[usize::from(actor)],
    }
}

/// The value of an ended game, where `searcher` is the one who searches.
pub(crate) fn values_of(rule: ValueRule, returns: &Returns, searcher: Player) -> Values {
    let mut values = Values::default();
    match rule {
        ValueRule::Negate => values[0] = returns.of(0),
        ValueRule::Same => values[0] = returns.of(searcher),
        ValueRule::PerPlayer(players) => {
            values[..players].copy_from_slice(&returns.as_slice()[..players]);
        }
    }
    values
}

impl<S> Tree<S> {
    /// How values pass upwards.
    pub(crate) fn rule(&self) -> ValueRule {
        self.rule
    }

    /// What `values` is worth to `actor`.
    #[inline]
    pub(crate) fn worth(&self, values: &Values, actor: Player) -> f32 {
        worth(self.rule, values, actor)
    }

    /// The value of an ended game, where `searcher` is the one who searches.
    pub(crate) fn values_of(&self, returns: &Returns, searcher: Player) -> Values {
        values_of(self.rule, returns, searcher)
    }

    /// The network's value of a node, or the exact one if proven.
    pub(crate) fn values(&self, id: NodeId) -> Values {
        let mut values = Values::default();
        values[0] = self.rest(id).value;
        let more = self.width - 1;
        values[1..self.width].copy_from_slice(&self.more_values[id as usize * more..][..more]);
        values
    }

    /// Sets what [`Tree::values`] gives.
    pub(crate) fn set_values(&mut self, id: NodeId, values: &Values) {
        self.rest_mut(id).value = values[0];
        let more = self.width - 1;
        self.more_values[id as usize * more..][..more].copy_from_slice(&values[1..self.width]);
    }

    /// The best that is known of a visited node, for every player: exact if proven, else the mean
    /// of the values backed up.
    pub(crate) fn known(&self, id: NodeId) -> Values {
        let node = self.node(id);
        if node.proven || node.visits == 0 {
            return self.values(id);
        }
        std::array::from_fn(|entry| match entry {
            0 => mean(node.sum, node.visits),
            _ if entry < self.width => mean(self.more_sums[self.more_at(id, entry)], node.visits),
            _ => 0.0,
        })
    }

    /// The mean of the values backed up through a visited node, for `actor`.
    #[inline]
    pub(crate) fn mean_for(&self, id: NodeId, actor: Player) -> f32 {
        let node = self.node(id);
        match self.rule {
            ValueRule::Negate if actor != 0 => -mean(node.sum, node.visits),
            ValueRule::PerPlayer(_) if actor != 0 => {
                mean(self.more_sums[self.more_at(id, usize::from(actor))], node.visits)
            }
            _ => mean(node.sum, node.visits),
        }
    }

    /// The standard deviation of the values backed up through a visited node, for its actor, with two
    /// more whose deviation is `prior`; `None` if squares are not kept.
    pub(crate) fn stdev(&self, id: NodeId, prior: f64) -> Option<f64> {
        let squares = self.squares.as_ref()?[id as usize];
        let node = self.node(id);
        if node.visits <= 1 {
            return Some(prior);
        }
        let visits = f64::from(node.visits);
        let mean = f64::from(self.mean_for(id, node.actor));
        let squares = squares.max(visits * mean * mean);
        let moment = (2.0 * (mean * mean + prior * prior) + squares) / (visits + 1.0);
        Some((moment - mean * mean).max(0.0).sqrt())
    }

    /// Wins and half the draws among the visits of a node, for `actor`; exact if all values backed up
    /// were -1, 0 or 1.
    pub(crate) fn wins_for(&self, id: NodeId, actor: Player) -> f64 {
        let node = self.node(id);
        let sum = match self.rule {
            ValueRule::Negate if actor != 0 => -node.sum,
            ValueRule::PerPlayer(_) if actor != 0 => {
                self.more_sums[self.more_at(id, usize::from(actor))]
            }
            _ => node.sum,
        };
        0.5 * (f64::from(node.visits) + sum as f64 / UNIT)
    }

    /// Counts a visit of a node and adds `values` to its sum.
    #[inline]
    pub(crate) fn visit(&mut self, id: NodeId, values: &Values) {
        let node = self.node_mut(id);
        let actor = node.actor;
        node.visits += 1;
        node.sum += units(values[0]);
        if let Some(squares) = &mut self.squares {
            let entry = if self.width > 1 { usize::from(actor) } else { 0 };
            squares[id as usize] += f64::from(values[entry]).powi(2);
        }
        for (entry, &value) in values.iter().enumerate().take(self.width).skip(1) {
            let at = self.more_at(id, entry);
            self.more_sums[at] += units(value);
        }
    }

    /// Makes a node proven: its value is exact, and so is its mean from now on. Returns by how much
    /// its sum has changed.
    pub(crate) fn set_proven(&mut self, id: NodeId, values: &Values, distance: u16) -> Sums {
        self.set_values(id, values);
        self.rest_mut(id).distance = distance;
        let node = self.node_mut(id);
        node.proven = true;
        let visits = i64::from(node.visits);
        let mut change = Sums::default();
        for (entry, &value) in values.iter().enumerate().take(self.width) {
            change[entry] = units(value) * visits - *self.sum_mut(id, entry);
        }
        self.add_to_sum(id, &change);
        change
    }

    /// Adds to the sum of a node, without a visit.
    pub(crate) fn add_to_sum(&mut self, id: NodeId, change: &Sums) {
        for (entry, &units) in change.iter().enumerate().take(self.width) {
            *self.sum_mut(id, entry) += units;
        }
    }

    pub(super) fn sum(&self, id: NodeId, entry: usize) -> i64 {
        if entry == 0 { self.node(id).sum } else { self.more_sums[self.more_at(id, entry)] }
    }

    pub(super) fn set_sum(&mut self, id: NodeId, entry: usize, sum: i64) {
        *self.sum_mut(id, entry) = sum;
    }

    fn sum_mut(&mut self, id: NodeId, entry: usize) -> &mut i64 {
        if entry == 0 {
            return &mut self.node_mut(id).sum;
        }
        let at = self.more_at(id, entry);
        &mut self.more_sums[at]
    }

    fn more_at(&self, id: NodeId, entry: usize) -> usize {
        id as usize * (self.width - 1) + entry - 1
    }
}

#[inline]
pub(super) fn units(value: f32) -> i64 {
    (f64::from(value) * UNIT) as i64
}

#[inline]
fn mean(sum: i64, visits: u32) -> f32 {
    (sum as f64 / (f64::from(visits) * UNIT)) as f32
}
