//! Plies to the end as a tie-break (lc0's moves-left head): who is winning prefers short ways, who is
//! losing long ones.

use super::params::Params;
use super::select::Step;
use super::tree::{NodeId, Tree};

/// Units of a sum of plies per ply: sums are whole, and do not depend on the order of leaves.
const UNIT: f64 = 1_048_576.0;

/// The factors of the utility that is added to an edge's Q.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovesLeft {
    most: f32,
    slope: f32,
    threshold: f32,
    factors: [f32; 3],
}

impl MovesLeft {
    /// The factors that `params` ask for; `None` if it is off.
    pub(crate) fn new(params: &Params) -> Option<Self> {
        (params.moves_left_max_effect > 0.0).then_some(Self {
            most: params.moves_left_max_effect,
            slope: params.moves_left_slope,
            threshold: params.moves_left_threshold,
            factors: [
                params.moves_left_constant_factor,
                params.moves_left_scaled_factor,
                params.moves_left_quadratic_factor,
            ],
        })
    }

    /// `-sign(q) clamp(slope (m - m_parent), most) (a + b |q'| + c q'^2)` with
    /// `q' = max(0, |q| - threshold) / (1 - threshold)`; 0 unless the parent's mean passes the threshold.
    fn utility(&self, plies: f32, parent_plies: f32, q: f32, parent_q: f32) -> f32 {
        if parent_q.abs() <= self.threshold || q == 0.0 {
            return 0.0;
        }
        let effect = (self.slope * (plies - parent_plies)).clamp(-self.most, self.most);
        let certain = ((q.abs() - self.threshold).max(0.0) / (1.0 - self.threshold)).min(1.0);
        let [constant, scaled, quadratic] = self.factors;
        -q.signum() * effect * (constant + scaled * certain + quadratic * certain * certain)
    }
}

impl<S> Tree<S> {
    /// Counts the plies that the game lasts beyond `leaf`, for it and for every node of the path to it.
    /// The backup of the same simulation has to follow.
    pub(crate) fn add_plies(&mut self, path: &[Step], leaf: NodeId, plies: f32) {
        self.plies.resize(self.nodes.len(), 0);
        let mut units = (f64::from(plies) * UNIT) as i64;
        self.plies[leaf as usize] += units;
        for step in path.iter().rev() {
            units += UNIT as i64;
            self.plies[step.node as usize] += units;
        }
    }

    /// What the length of the game adds to `q` of the edge from `parent` to `child`, while a simulation
    /// through both is backed up that only `child` has counted yet.
    #[inline]
    pub(crate) fn moves_left(&self, parent: NodeId, child: NodeId, q: f32) -> f32 {
        self.moves_left.map_or(0.0, |rule| {
            let node = self.node(parent);
            let mean = |id: NodeId, visits: u32| {
                (self.plies[id as usize] as f64 / (f64::from(visits) * UNIT)) as f32
            };
            let plies = mean(child, self.node(child).visits);
            let parent_q = self.mean_for(parent, node.actor);
            rule.utility(plies, mean(parent, node.visits + 1), q, parent_q)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_wins_hurries_and_who_loses_waits() {
        let params = Params { moves_left_max_effect: 0.0345, ..Params::default() };
        let rule = MovesLeft::new(&params).expect("it is on");
        let (short, long) =
            (rule.utility(10.0, 40.0, 0.95, 0.95), rule.utility(90.0, 40.0, 0.95, 0.95));
        assert!(short > 0.0 && long < 0.0);
        assert_eq!(rule.utility(10.0, 40.0, -0.95, -0.95), -short);
        assert_eq!(rule.utility(10.0, 40.0, 0.5, 0.5), 0.0, "nobody is winning yet");
        // lc0's formula by hand: the effect is capped at 0.0345, q' = 0.15 / 0.2 = 0.75.
        let expected = 0.0345 * (1.6521 * 0.75 - 0.6521 * 0.5625);
        assert!((short - expected).abs() < 1e-5, "{short} {expected}");
        assert!(MovesLeft::new(&Params::default()).is_none());
    }
}
