//! Early stop: when no other move can become the most visited one (lc0's smart pruning).

use super::session::{Rules, Search};
use super::tree::ROOT;
use crate::model::SearchModel;

impl<M: SearchModel> Search<M> {
    /// Whether what is left of the search is too little for the second most visited move to catch up,
    /// even if it got [`super::Params::smart_pruning_factor`] times less than all of it.
    pub(crate) fn is_decided(&self, rules: &Rules) -> bool {
        let factor = rules.params.smart_pruning_factor;
        if factor <= 0.0 || !self.limit.ends_when_forced() {
            return false;
        }
        let until = |limit: Option<u64>, done: u64| limit.map(|limit| limit.saturating_sub(done));
        let left = [
            until(self.limit.nodes, self.nodes),
            until(self.limit.simulations, self.simulations),
            self.clock.simulations_left(self.simulations),
        ];
        let Some(left) = left.into_iter().flatten().min() else { return false };
        let (mut first, mut second) = (0, 0);
        for edge in self.tree.edges(ROOT) {
            if edge.visits > first {
                (first, second) = (edge.visits, first);
            } else {
                second = second.max(edge.visits);
            }
        }
        f64::from(first - second) > left as f64 / f64::from(factor) + 1.0
    }
}
