//! Values from the last layer up to the root.

use super::node::{Kind, Node};
use super::params::Backup;
use super::search::Search;
use crate::game::Player;
use crate::model::{SearchModel, ValueRule};
use crate::search::values::{Values, worth};

/// What a node is worth by all that lies below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    pub(super) values: Values,
    /// Whether anything is known of it.
    pub(super) is_known: bool,
    /// Plies to the end, if its values are exact.
    pub(super) exact: Option<u16>,
    /// The place of the child that who moves would choose, in the layer below.
    pub(super) best: Option<usize>,
    /// Positions looked at, this one and those kept below it.
    pub(super) looked: u32,
}

/// What a node is chosen by: its worth, then by proofs that are won soon or lost late. Larger is better.
pub(super) fn rank(rule: ValueRule, found: &Worth, actor: Player) -> (f32, i32) {
    let value = worth(rule, &found.values, actor);
    let class = match found.exact {
        Some(plies) if value >= 1.0 => 1 + i32::from(u16::MAX) - i32::from(plies),
        Some(plies) if value <= -1.0 => i32::from(plies) - i32::from(u16::MAX) - 1,
        _ => 0,
    };
    (value, class)
}

/// The first of the places with the highest rank, of those that are known.
fn best_of(rule: ValueRule, below: &[Worth], actor: Player) -> Option<usize> {
    let known = (0..below.len()).filter(|&place| below[place].is_known);
    known.reduce(|best, new| {
        let is_better = rank(rule, &below[new], actor) > rank(rule, &below[best], actor);
        if is_better { new } else { best }
    })
}

/// The mean of a node's children, weighted by their priors.
fn mean<S>(children: &[Node<S>], below: &[Worth]) -> Values {
    let total: f64 = children.iter().map(|child| f64::from(child.prior)).sum();
    std::array::from_fn(|entry| {
        let value = |found: &Worth| f64::from(found.values[entry]);
        let pairs = children.iter().zip(below);
        let sum: f64 = if total > 0.0 {
            pairs.map(|(child, found)| f64::from(child.prior) * value(found)).sum::<f64>() / total
        } else {
            below.iter().map(value).sum::<f64>() / below.len() as f64
        };
        sum as f32
    })
}

impl<M: SearchModel> Search<M> {
    /// What every node is worth, by layer and place.
    pub(super) fn back_up(&self, backup: Backup) -> Vec<Vec<Worth>> {
        let mut layers: Vec<Vec<Worth>> = vec![Vec::new(); self.layers.len()];
        for depth in (0..self.layers.len()).rev() {
            let below = layers.get(depth + 1).map_or(&[][..], Vec::as_slice);
            let worth_of = |node| self.worth_of((node, depth), below, backup);
            layers[depth] = self.layers[depth].iter().map(worth_of).collect();
        }
        layers
    }

    fn worth_of(
        &self,
        (node, depth): (&Node<M::Snapshot>, usize),
        layer: &[Worth],
        backup: Backup,
    ) -> Worth {
        let mut found = Worth {
            values: node.values,
            is_known: node.is_known(),
            exact: (node.kind == Kind::End).then_some(0),
            best: None,
            looked: u32::from(node.is_known()),
        };
        let places = node.places();
        let Some(below) = layer.get(places.clone()) else { return found };
        found.looked += below.iter().map(|child| child.looked).sum::<u32>();
        let Some(best) = best_of(self.rule, below, node.actor) else { return found };
        found.exact = self.proof(node, below, best);
        let is_open = below.len() < node.moves as usize;
        let is_lost = rank(self.rule, &below[best], node.actor).1 < 0;
        let is_awaited = below.iter().any(|child| !child.is_known);
        if found.exact.is_none() && (is_awaited || is_lost && is_open) {
            return found; // as a leaf: what is kept and back says nothing of what it is worth
        }
        found.best = Some(places.start + best);
        found.values = match backup {
            Backup::Mean if found.exact.is_none() => mean(&self.layers[depth + 1][places], below),
            Backup::Mean | Backup::Minimax => below[best].values,
        };
        found
    }

    /// The plies behind a node's exact values, if its children prove any: one of them wins, or all of
    /// the legal moves are kept and exact. Where each player has a value of their own, all have to be,
    /// and what the mover is indifferent to must not matter to the others.
    fn proof(&self, node: &Node<M::Snapshot>, below: &[Worth], best: usize) -> Option<u16> {
        let value = |child: &Worth| worth(self.rule, &child.values, node.actor);
        let chosen = &below[best];
        let plies = chosen.exact?;
        let is_whole =
            below.len() == node.moves as usize && below.iter().all(|child| child.exact.is_some());
        let equals = || below.iter().filter(|child| value(child) == value(chosen));
        if let ValueRule::PerPlayer(_) = self.rule {
            if !is_whole || equals().any(|child| child.values != chosen.values) {
                return None;
            }
        } else if value(chosen) < 1.0 && !is_whole {
            return None;
        }
        let farthest = || equals().filter_map(|child| child.exact).max();
        let plies = if value(chosen).abs() < 1.0 { farthest().unwrap_or(plies) } else { plies };
        Some(plies.saturating_add(1))
    }
}
