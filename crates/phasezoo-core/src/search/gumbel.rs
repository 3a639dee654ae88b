//! Planning with Gumbel noise (Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning
//! with Gumbel", 2022), as mctx defines it: sequential halving at the root, deterministic selection
//! elsewhere, and the improved policy.
//!
//! Logits are the logarithms of priors. `sigma(q) = (maxvisit_init + max n) * value_scale * q`, where q
//! is **completed**: an unvisited move has the mixed value (appendix D), `(v + N q_P) / (1 + N)`, with v
//! the network's value, N the visits of all moves and `q_P` the mean Q of the visited ones, weighted by
//! their priors. With `rescale` completed Qs are first spread over [0, 1].

use super::params::Params;
use super::tree::{NONE, NodeId, ROOT, Tree};
use crate::game::Action;
use crate::rng::Stream;

/// Logits below this are lifted to it, so that a move without a prior can be the only one considered.
const LOW: f32 = -1e9;

/// The least difference of Qs that is spread over [0, 1].
const LEAST_SPREAD: f32 = 1e-8;

/// What the formulas have in common.
#[derive(Clone, Debug)]
pub(crate) struct Gumbel {
    considered: usize,
    scale: f32,
    maxvisit_init: f32,
    value_scale: f32,
    rescale: bool,
}

impl Gumbel {
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            considered: params.max_num_considered_actions,
            scale: params.gumbel_scale,
            maxvisit_init: params.gumbel_maxvisit_init,
            value_scale: params.gumbel_value_scale,
            rescale: params.gumbel_rescale_values,
        }
    }

    /// `sigma` of the completed Q of each slot of a node, for its actor.
    fn sigma<S>(&self, tree: &Tree<S>, id: NodeId) -> Vec<f32> {
        let actor = tree.node(id).actor;
        let mut completed = Vec::with_capacity(usize::from(tree.node(id).count));
        let (mut total, mut most, mut mass, mut weighted) = (0_u32, 0, 0.0, 0.0);
        for (edge, &prior) in tree.edges(id).zip(tree.priors(id)) {
            if edge.visits == 0 || edge.child == NONE {
                completed.push(f32::NAN);
                continue;
            }
            let q = tree.worth(&tree.known(edge.child), actor);
            let prior = prior.max(f32::MIN_POSITIVE);
            completed.push(q);
            total += edge.visits;
            most = most.max(edge.visits);
            mass += prior;
            weighted += prior * q;
        }
        let raw = tree.worth(&tree.values(id), actor);
        let mean = if mass > 0.0 { weighted / mass } else { 0.0 };
        let mixed = (raw + total as f32 * mean) / (total as f32 + 1.0);
        for q in &mut completed {
            *q = if q.is_nan() { mixed } else { *q };
        }
        if self.rescale {
            let least = completed.iter().copied().fold(f32::INFINITY, f32::min);
            let largest = completed.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let spread = (largest - least).max(LEAST_SPREAD);
            for q in &mut completed {
                *q = (*q - least) / spread;
            }
        }
        let scale = (self.maxvisit_init + most as f32) * self.value_scale;
        for q in &mut completed {
            *q *= scale;
        }
        completed
    }

    /// The improved policy of a node: `softmax(logits + sigma)`, a share for each slot.
    pub(crate) fn improved<S>(&self, tree: &Tree<S>, id: NodeId) -> Vec<f32> {
        let mut shares = self.sigma(tree, id);
        let priors = tree.priors(id);
        shares.iter_mut().zip(priors).for_each(|(share, prior)| *share += prior.ln());
        let largest = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for share in &mut shares {
            *share = (*share - largest).exp();
        }
        let total: f32 = shares.iter().sum();
        for share in &mut shares {
            *share /= total;
        }
        shares
    }

    /// The slot that a descent takes below the root: the largest `improved - n / (1 + N)`, waiting
    /// descents among the visits, proven losses never. With `pass_proven` slots whose children are
    /// proven are passed by.
    pub(crate) fn interior<S>(&self, tree: &Tree<S>, id: NodeId, pass_proven: bool) -> u32 {
        let node = tree.node(id);
        let all = (node.visits + node.waiting) as f32; // 1 + N: the node's own visit is the first
        let mut best: Option<(f32, usize)> = None;
        for (slot, (edge, share)) in tree.edges(id).zip(self.improved(tree, id)).enumerate() {
            let is_known = edge.child != NONE && tree.node(edge.child).proven;
            if is_known && (pass_proven || edge.q == f32::NEG_INFINITY) {
                continue;
            }
            let score = share - (edge.visits + edge.waiting) as f32 / all;
            if best.is_none_or(|(other, _)| score > other) {
                best = Some((score, slot));
            }
        }
        best.map_or(0, |(_, slot)| slot as u32)
    }
}

/// The visits that sequential halving wants next (Karnin, Koren and Somekh, 2013; in mctx a table):
/// entry `t` is the number of visits of the moves from which simulation `t` may choose.
#[derive(Clone, Debug)]
struct Halving {
    budget: u64,
    /// Doublings up to the number of moves that are considered at first; 0 for one move.
    phases: u64,
    considered: u64,
    /// Visits of the moves after the first `passed` simulations, most first.
    profile: Vec<u32>,
    passed: usize,
}

impl Halving {
    fn new(considered: usize, budget: u64) -> Self {
        let phases = considered.max(1).next_power_of_two().trailing_zeros().into();
        let profile = vec![0; considered];
        Self { budget, phases, considered: considered as u64, profile, passed: 0 }
    }

    /// The entry `t`; the halving goes on where the budget has been too small.
    fn at(&self, t: usize) -> u32 {
        if self.phases == 0 {
            return t as u32;
        }
        // Each phase visits all that it considers `rounds` times.
        let (mut left, mut visits, mut considered) = (t as u64, 0, self.considered);
        while considered > 2 {
            let rounds = (self.budget / (self.phases * considered)).max(1);
            if left < rounds * considered {
                break;
            }
            left -= rounds * considered;
            visits += rounds;
            considered = (considered / 2).max(2);
        }
        (visits + left / considered) as u32
    }

    /// The visits that the moves have after `t` simulations, most first.
    fn profile(&mut self, t: usize) -> &[u32] {
        while self.passed < t {
            let wanted = self.at(self.passed);
            if let Some(place) = self.profile.iter().position(|&visits| visits == wanted) {
                self.profile[place] += 1;
            }
            self.passed += 1;
        }
        while self.passed > t {
            self.passed -= 1;
            let reached = self.at(self.passed) + 1;
            if let Some(place) = self.profile.iter().rposition(|&visits| visits == reached) {
                self.profile[place] -= 1;
            }
        }
        &self.profile
    }
}

/// Selection at the root of one search.
#[derive(Clone, Debug)]
pub(crate) struct GumbelRoot {
    /// `scale * g + logit` of each slot, the largest logit taken as 0.
    noisy: Vec<f32>,
    /// Visits of each slot before this search.
    before: Vec<u32>,
    halving: Halving,
}

impl GumbelRoot {
    /// The noise and the schedule of a search with `budget` simulations below a root that is evaluated.
    pub(crate) fn new<S>(rule: &Gumbel, tree: &Tree<S>, budget: u64, stream: &mut Stream) -> Self {
        let priors = tree.priors(ROOT);
        // Drawn in the order of actions, which priors do not change.
        let mut order: Vec<usize> = (0..priors.len()).collect();
        order.sort_unstable_by_key(|&slot| tree.actions(ROOT)[slot]);
        let largest = priors.iter().copied().fold(0.0, f32::max).ln();
        let mut noisy = vec![0.0; priors.len()];
        for slot in order {
            let exponential = -(1.0 - stream.unit()).ln();
            let gumbel = -exponential.max(f64::MIN_POSITIVE).ln();
            noisy[slot] = rule.scale * gumbel as f32 + priors[slot].ln() - largest;
        }
        let considered = rule.considered.min(priors.len());
        let before = tree.edges(ROOT).map(|edge| edge.visits).collect();
        Self { noisy, before, halving: Halving::new(considered, budget) }
    }

    /// Visits of each slot by this search.
    fn own<S>(&self, tree: &Tree<S>, waiting: bool) -> Vec<u32> {
        let own = |(edge, &before): (super::edges::Edge, &u32)| {
            edge.visits.saturating_sub(before) + if waiting { edge.waiting } else { 0 }
        };
        tree.edges(ROOT).zip(&self.before).map(own).collect()
    }

    /// The slot that the next descent takes.
    pub(crate) fn next<S>(&mut self, rule: &Gumbel, tree: &Tree<S>) -> u32 {
        let visits = self.own(tree, true);
        let done = visits.iter().sum::<u32>() as usize;
        let wanted = self.halving.at(done);
        // Other visits than the schedule's are possible: descents that met and were taken back, that
        // pass proven nodes by or explore, moves that were forgotten. What is missing is made up first.
        let mut made = visits.clone();
        made.sort_unstable_by(|a, b| b.cmp(a));
        let short = made.iter().zip(self.halving.profile(done)).find(|(made, due)| made < due);
        let count = short.map_or(wanted, |(&made, _)| made);
        self.best_of(&visits, count, &rule.sigma(tree, ROOT), |_| true).unwrap_or(0) as u32
    }

    /// The action to play: the best of the moves that this search has visited most, proven losses left
    /// out.
    pub(crate) fn action<S>(&self, rule: &Gumbel, tree: &Tree<S>) -> Option<Action> {
        let is_open: Vec<bool> = tree.edges(ROOT).map(|edge| edge.q > f32::NEG_INFINITY).collect();
        let visits = self.own(tree, false);
        let open = visits.iter().zip(&is_open).filter(|&(_, &open)| open);
        let most = open.map(|(&n, _)| n).max()?;
        let slot = self.best_of(&visits, most, &rule.sigma(tree, ROOT), |slot| is_open[slot])?;
        Some(tree.actions(ROOT)[slot])
    }

    /// The slot of the largest `g + logit + sigma` of those with `count` visits.
    fn best_of(
        &self,
        visits: &[u32],
        count: u32,
        sigma: &[f32],
        allowed: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let score = |slot: usize| (self.noisy[slot] + sigma[slot]).max(LOW);
        (0..visits.len())
            .filter(|&slot| visits[slot] == count && allowed(slot))
            .reduce(|best, slot| if score(slot) > score(best) { slot } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_visits_as_the_paper_says() {
        let sequence = |considered, budget, length: usize| {
            let halving = Halving::new(considered, budget);
            (0..length).map(|t| halving.at(t)).collect::<Vec<u32>>()
        };
        // Four moves, 16 simulations: two rounds of two visits each, then four more for the better two.
        assert_eq!(sequence(4, 16, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(sequence(1, 4, 6), [0, 1, 2, 3, 4, 5]);
        assert_eq!(sequence(5, 3, 7), [0, 0, 0, 0, 0, 1, 1]);
    }
}
