//! Which child a descent takes: PUCT, with waiting descents counted.

use super::params::{Params, VirtualStyle};
use super::tree::{Edge, Kind, NONE, NodeId, ROOT, Tree};

/// Visits up to which the exploration factor is looked up.
const TABLE: u32 = 4_096;

/// Edges scored side by side.
const LANES: usize = 8;

/// The factors of the selection rule, prepared once per pool.
///
/// A slot's score is `Q + c(N) P sqrt(N) / (1 + n)` with `c(N) = ln((N + base + 1) / base) + init`
/// (Silver et al., "A general reinforcement learning algorithm…", 2018): `n` the edge's visits, `N` the
/// sum of `n` over the node's edges, both with waiting descents.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    init: f32,
    base: f32,
    /// `c(N) sqrt(N)` for small N.
    table: Vec<f32>,
    fpu: Option<f32>,
    /// Edges with more visits than this count waiting descents as losses.
    loss_above: i32,
}

/// One step of a descent: a slot of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The node.
    pub(crate) node: NodeId,
    /// The slot chosen there.
    pub(crate) slot: u32,
}

/// Where a descent ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// At a slot without a child: the last step of the path.
    New,
    /// At a node whose evaluation is outstanding.
    Waiting,
    /// At a node whose value is known for good: proven, ended or a repetition.
    Known(NodeId),
    /// Nowhere: 32 bits or memory are used up.
    Full,
}

impl Selector {
    /// The rule that `params` ask for.
    pub(crate) fn new(params: &Params) -> Self {
        let mut selector = Self {
            init: params.c_puct_init,
            base: params.c_puct_base,
            table: Vec::new(),
            fpu: params.fpu,
            loss_above: match params.virtual_style {
                VirtualStyle::Loss => -1,
                VirtualStyle::Visit => i32::MAX,
                VirtualStyle::Mix => params.virtual_mix_threshold.min(i32::MAX as u32) as i32,
            },
        };
        selector.table = (0..TABLE).map(|visits| selector.compute(visits)).collect();
        selector
    }

    fn compute(&self, visits: u32) -> f32 {
        let visits = visits as f32;
        (((visits + self.base + 1.0) / self.base).ln() + self.init) * visits.sqrt()
    }

    /// `c(N) sqrt(N)`.
    fn exploration(&self, visits: u32) -> f32 {
        match self.table.get(visits as usize) {
            Some(&factor) => factor,
            None => self.compute(visits),
        }
    }

    /// Q of a slot that nobody has visited, at a node whose mean value for its actor is `mean`.
    pub(crate) fn unvisited(&self, mean: impl FnOnce() -> f32) -> f32 {
        self.fpu.map_or(-1.0, |reduction| (mean() - reduction).max(-1.0))
    }

    /// Walks from the root to where something is to be done, and writes the way into `path`.
    ///
    /// `noise` holds the root's priors with noise, or nothing. With noise all of the root's slots are
    /// compared, because they are no longer in the order of the priors that count. With `pass_proven`
    /// the way leads past proven children, to something that can be learnt.
    pub(crate) fn descend<S>(
        &self,
        tree: &mut Tree<S>,
        noise: &[f32],
        pass_proven: bool,
        path: &mut Vec<Step>,
    ) -> Arrival {
        path.clear();
        let mut id = ROOT;
        loop {
            let node = tree.node(id);
            match node.kind {
                Kind::Pending => return Arrival::Waiting,
                Kind::Evaluated if !node.proven => {}
                _ => return Arrival::Known(id),
            }
            let slot = if node.edges == NONE {
                if !tree.open(id) {
                    return Arrival::Full;
                }
                first_slot(if id == ROOT { noise } else { &[] })
            } else {
                self.best(tree, id, if id == ROOT { noise } else { &[] }, pass_proven)
            };
            path.push(Step { node: id, slot });
            let child = tree.edge_mut(id, slot).child;
            if child == NONE {
                return Arrival::New;
            }
            id = child;
        }
    }

    /// The slot with the highest score, the first of equal ones.
    fn best<S>(&self, tree: &Tree<S>, id: NodeId, noise: &[f32], pass_proven: bool) -> u32 {
        let node = tree.node(id);
        let (priors, compared) = if noise.is_empty() {
            (tree.priors(id), usize::from(node.opened + 1).min(usize::from(node.count)))
        } else {
            (noise, usize::from(node.count))
        };
        let (priors, edges) = (&priors[..compared], &tree.edges(id)[..compared]);
        let factor = self.exploration(node.visits - 1 + node.waiting);
        let unvisited = self.unvisited(|| tree.mean_for(id, node.actor));
        if node.waiting == 0 && !pass_proven {
            highest(priors, edges, |prior, edge| {
                let visits = edge.visits as i32 as f32;
                let q = if edge.visits == 0 { unvisited } else { edge.q };
                q + factor * prior / (1.0 + visits)
            })
        } else {
            highest(priors, edges, |prior, edge| {
                let (visits, waiting) = (edge.visits as i32 as f32, edge.waiting as i32 as f32);
                let q = if edge.visits == 0 { unvisited } else { edge.q };
                let lost = edge.waiting > 0 && edge.visits as i32 > self.loss_above;
                let q = if lost { (q * visits - waiting) / (visits + waiting) } else { q };
                if pass_proven && edge.child != NONE && tree.node(edge.child).proven {
                    return f32::NEG_INFINITY;
                }
                q + factor * prior / (1.0 + visits + waiting)
            })
        }
    }
}

/// The slot that a node's first descent takes, when every score is the same Q: the best prior.
fn first_slot(noise: &[f32]) -> u32 {
    let mut best = 0;
    for (slot, &prior) in noise.iter().enumerate() {
        if prior > noise[best] {
            best = slot;
        }
    }
    best as u32
}

/// The index of the highest score. Lanes keep their own best, so that the compiler can score several
/// edges at once.
fn highest(priors: &[f32], edges: &[Edge], score: impl Fn(f32, &Edge) -> f32) -> u32 {
    let mut best = [f32::NEG_INFINITY; LANES];
    let mut at = [0_u32; LANES];
    let (prior_chunks, prior_rest) = priors.as_chunks::<LANES>();
    let (edge_chunks, edge_rest) = edges.as_chunks::<LANES>();
    for (chunk, (priors, edges)) in prior_chunks.iter().zip(edge_chunks).enumerate() {
        for lane in 0..LANES {
            let score = score(priors[lane], &edges[lane]);
            let better = score > best[lane];
            best[lane] = if better { score } else { best[lane] };
            at[lane] = if better { (chunk * LANES + lane) as u32 } else { at[lane] };
        }
    }
    let whole = priors.len() - prior_rest.len();
    for (lane, (&prior, edge)) in prior_rest.iter().zip(edge_rest).enumerate() {
        let score = score(prior, edge);
        if score > best[lane] {
            (best[lane], at[lane]) = (score, (whole + lane) as u32);
        }
    }
    let mut winner = 0;
    for lane in 1..LANES {
        let earlier = best[lane] == best[winner] && at[lane] < at[winner];
        if best[lane] > best[winner] || earlier {
            winner = lane;
        }
    }
    at[winner]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn lanes_find_what_a_plain_loop_finds() {
        let mut stream = Stream::new(5);
        for length in 1..70 {
            // Few distinct priors, so that ties are common.
            let priors: Vec<f32> = (0..length).map(|_| stream.below(4) as f32).collect();
            let edges = vec![Edge { q: 0.0, visits: 0, waiting: 0, child: NONE }; length];
            let mut plain = 0;
            for slot in 0..length {
                if priors[slot] > priors[plain] {
                    plain = slot;
                }
            }
            assert_eq!(highest(&priors, &edges, |prior, _| prior), plain as u32);
            assert_eq!(first_slot(&priors), plain as u32);
        }
    }

    #[test]
    fn the_factor_is_the_published_formula() {
        let selector = Selector::new(&Params::default());
        for visits in [1_u32, 100, 4_095, 4_096, 1_000_000] {
            let n = f64::from(visits);
            let expected = (((n + 19_653.0) / 19_652.0).ln() + 2.5) * n.sqrt();
            assert!((f64::from(selector.exploration(visits)) / expected - 1.0).abs() < 1e-5);
        }
        assert_eq!(selector.exploration(0), 0.0);
    }
}
