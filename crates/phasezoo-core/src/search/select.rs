//! Which child a descent takes: PUCT, with waiting descents counted.

use super::edges::{Best, QUAD, Quad};
use super::params::{Params, VirtualStyle};
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};

/// Visits up to which the exploration factor is looked up.
const TABLE: u32 = 4_096;

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
    /// At a child with other parents, which the edge to it lags behind.
    Lagging,
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
            let noise = if id == ROOT { noise } else { &[] };
            if (usize::from(node.opened) >= QUAD || !noise.is_empty()) && !tree.open_all(id) {
                return Arrival::Full;
            }
            let slot = self.best(tree, id, noise, pass_proven);
            path.push(Step { node: id, slot });
            let child = tree.child(id, slot);
            if child == NONE {
                return Arrival::New;
            }
            if tree.is_graph() && tree.lags(id, slot, child) {
                return Arrival::Lagging;
            }
            id = child;
        }
    }

    /// The slot with the highest score, the first of equal ones. The edges after the first four exist
    /// if they are to be compared.
    fn best<S>(&self, tree: &Tree<S>, id: NodeId, noise: &[f32], pass_proven: bool) -> u32 {
        let node = tree.node(id);
        let at = Scoring {
            factor: self.exploration(node.visits - 1 + node.waiting),
            unvisited: self.unvisited(|| tree.mean_for(id, node.actor)),
            loss_above: self.loss_above,
        };
        if pass_proven || !noise.is_empty() {
            return at.best_slowly(tree, id, noise, pass_proven);
        }
        let (priors, quad) = Tree::<S>::first_quad(node);
        let mut best = Best::new();
        let compared = usize::from(node.opened + 1).min(usize::from(node.count));
        let more = compared.div_ceil(QUAD) - 1;
        if node.waiting == 0 {
            best.see(0, at.scores(priors, quad));
        } else {
            best.see(0, at.scores_waiting(priors, quad));
        }
        if more > 0 {
            let (priors, quads) = tree.more_quads(node, more);
            let quads = (1..).zip(priors.iter().zip(quads));
            if node.waiting == 0 {
                quads
                    .for_each(|(number, (priors, quad))| best.see(number, at.scores(priors, quad)));
            } else {
                quads.for_each(|(number, (priors, quad))| {
                    best.see(number, at.scores_waiting(priors, quad));
                });
            }
        }
        best.slot()
    }
}

/// What the scores of a node's slots have in common.
struct Scoring {
    /// `c(N) sqrt(N)`.
    factor: f32,
    /// Q of slots that nobody has visited.
    unvisited: f32,
    loss_above: i32,
}

impl Scoring {
    /// The scores of four slots of a node at which nothing waits.
    #[inline]
    fn scores(&self, priors: &[f32; QUAD], quad: &Quad) -> [f32; QUAD] {
        std::array::from_fn(|lane| {
            // Counts stay below 2^31; a signed one is converted in one instruction.
            let visits = quad.visits[lane] as i32 as f32;
            let q = if quad.visits[lane] == 0 { self.unvisited } else { quad.q[lane] };
            q + self.factor * priors[lane] / (1.0 + visits)
        })
    }

    /// The scores of four slots of a node at which something waits.
    #[inline]
    fn scores_waiting(&self, priors: &[f32; QUAD], quad: &Quad) -> [f32; QUAD] {
        std::array::from_fn(|lane| {
            let visits = quad.visits[lane] as i32 as f32;
            let waiting = quad.waiting[lane] as i32 as f32;
            let q = if quad.visits[lane] == 0 { self.unvisited } else { quad.q[lane] };
            let lost = (q * visits - waiting) / (visits + waiting).max(1.0);
            let counts = quad.waiting[lane] > 0 && quad.visits[lane] as i32 > self.loss_above;
            let q = if counts { lost } else { q };
            q + self.factor * priors[lane] / (1.0 + visits + waiting)
        })
    }

    /// The best of all slots, with noise in their priors, or of those that lead to no proven child.
    fn best_slowly<S>(&self, tree: &Tree<S>, id: NodeId, noise: &[f32], pass_proven: bool) -> u32 {
        let priors = if noise.is_empty() { tree.priors(id) } else { noise };
        let mut best = Best::new();
        for (slot, (&prior, edge)) in priors.iter().zip(tree.edges(id)).enumerate() {
            let known = edge.child != NONE && tree.node(edge.child).proven;
            if pass_proven && known {
                continue;
            }
            let mut quad = Quad::fresh(0);
            let mut priors = [0.0; QUAD];
            quad.set(slot % QUAD, edge);
            priors[slot % QUAD] = prior;
            best.see((slot / QUAD) as u32, self.scores_waiting(&priors, &quad));
        }
        best.slot()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
