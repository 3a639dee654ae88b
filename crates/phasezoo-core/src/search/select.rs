//! Which child a descent takes: PUCT, with waiting descents counted.

use super::edges::{Best, QUAD, Quad};
use super::gumbel::Gumbel;
use super::params::{FpuStyle, Params, Selection, VirtualStyle};
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};

/// Visits up to which the exploration factor is looked up.
const TABLE: u32 = 4_096;

/// The rule of selection, prepared once per pool.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    puct: Puct,
    /// The rule below the root, if it is another than PUCT.
    interior: Option<Gumbel>,
    /// Edges with more visits than this count waiting descents as losses.
    loss_above: i32,
    /// Whether waiting descents count at all.
    sees_waiting: bool,
}

/// The factors of PUCT at a node.
///
/// A slot's score is `Q + c(N) P sqrt(N) / (1 + n)` with `c(N) = ln((N + base + 1) / base) + init`
/// (Silver et al., "A general reinforcement learning algorithm…", 2018): `n` the edge's visits, `N` the
/// sum of `n` over the node's edges, both with waiting descents.
#[derive(Clone, Debug)]
struct Puct {
    init: f32,
    base: f32,
    /// `c(N) sqrt(N)` for small N.
    table: Vec<f32>,
    /// Q of slots that nobody has visited; `None`: a loss.
    fpu: Option<f32>,
    style: FpuStyle,
    /// How far the factor follows the scatter of a node's values.
    stdev_scale: f32,
}

/// The standard deviation of values at which [`Params::c_puct_stdev_scale`] changes nothing (`KataGo`:
/// cpuctUtilityStdevPrior).
const USUAL_STDEV: f64 = 0.4;

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

impl Puct {
    fn new(params: &Params) -> Self {
        let mut puct = Self {
            init: params.c_puct_init,
            base: params.c_puct_base,
            table: Vec::new(),
            fpu: params.fpu,
            style: params.fpu_style,
            stdev_scale: params.c_puct_stdev_scale,
        };
        puct.table = (0..TABLE).map(|visits| puct.compute(visits)).collect();
        puct
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

    /// [`Puct::exploration`] of `visits` of the edges of a node, with the scatter of its values.
    fn factor<S>(&self, tree: &Tree<S>, id: NodeId, visits: u32) -> f32 {
        let plain = self.exploration(visits);
        match tree.stdev(id, USUAL_STDEV) {
            None => plain,
            Some(stdev) => plain * (1.0 + self.stdev_scale * (stdev / USUAL_STDEV - 1.0) as f32),
        }
    }

    /// Q of a slot that nobody has visited.
    fn unvisited<S>(&self, tree: &Tree<S>, id: NodeId) -> f32 {
        let Some(fpu) = self.fpu else { return -1.0 };
        let mean = || tree.mean_for(id, tree.node(id).actor);
        match self.style {
            FpuStyle::Reduction => (mean() - fpu).max(-1.0),
            FpuStyle::ScaledReduction => (mean() - fpu * visited_prior(tree, id).sqrt()).max(-1.0),
            FpuStyle::Absolute => fpu,
        }
    }
}

/// The sum of the priors of a node's visited slots.
fn visited_prior<S>(tree: &Tree<S>, id: NodeId) -> f32 {
    let opened = usize::from(tree.node(id).opened);
    let visited = tree.edges(id).zip(tree.priors(id)).take(opened);
    visited.map(|(edge, &prior)| if edge.visits > 0 { prior } else { 0.0 }).sum()
}

impl Selector {
    /// The rule that `params` ask for.
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            puct: Puct::new(params),
            interior: (params.interior == Selection::Gumbel).then(|| Gumbel::new(params)),
            loss_above: match params.virtual_style {
                VirtualStyle::Loss => -1,
                VirtualStyle::Visit | VirtualStyle::None => i32::MAX,
                VirtualStyle::Mix => params.virtual_mix_threshold.min(i32::MAX as u32) as i32,
            },
            sees_waiting: params.virtual_style != VirtualStyle::None,
        }
    }

    /// What PUCT multiplies `P / (1 + n)` of a visited node's slots by, nothing waiting.
    pub(crate) fn factor<S>(&self, tree: &Tree<S>, id: NodeId) -> f32 {
        self.puct.factor(tree, id, tree.node(id).visits.saturating_sub(1))
    }

    /// Q of a slot of `id` that nobody has visited.
    pub(crate) fn unvisited<S>(&self, tree: &Tree<S>, id: NodeId) -> f32 {
        self.puct.unvisited(tree, id)
    }

    /// Walks from the root to where something is to be done, and writes the way into `path`.
    ///
    /// `noise` holds the root's priors with noise, filled up to whole quads, or nothing. With noise all
    /// of the root's slots are compared, because they are no longer in the order of the priors that
    /// count. With `pass_proven` the way leads past proven children, to something that can be learnt.
    pub(crate) fn descend<S>(
        &self,
        tree: &mut Tree<S>,
        noise: &[f32],
        pass_proven: bool,
        path: &mut Vec<Step>,
    ) -> Arrival {
        path.clear();
        self.descend_from(ROOT, tree, noise, pass_proven, path)
    }

    /// [`Selector::descend`] from `id`, to which `path` leads.
    pub(crate) fn descend_from<S>(
        &self,
        mut id: NodeId,
        tree: &mut Tree<S>,
        noise: &[f32],
        pass_proven: bool,
        path: &mut Vec<Step>,
    ) -> Arrival {
        loop {
            let node = tree.node(id);
            match node.kind {
                Kind::Pending => return Arrival::Waiting,
                Kind::Evaluated if !node.proven => {}
                _ => return Arrival::Known(id),
            }
            let noise = if id == ROOT { noise } else { &[] };
            tree.expect_children(node);
            if (usize::from(node.opened) >= QUAD || !noise.is_empty()) && !tree.open_all(id) {
                return Arrival::Full;
            }
            let slot = match &self.interior {
                Some(gumbel) if id != ROOT => {
                    if !tree.open_all(id) {
                        return Arrival::Full;
                    }
                    gumbel.interior(tree, id, pass_proven)
                }
                _ => self.best(tree, id, noise, pass_proven),
            };
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
        let puct = &self.puct;
        let waiting = if self.sees_waiting { node.waiting } else { 0 };
        let at = Scoring {
            factor: puct.factor(tree, id, node.visits - 1 + waiting),
            unvisited: puct.unvisited(tree, id),
            loss_above: self.loss_above,
        };
        if pass_proven {
            return at.best_unproven(tree, id, noise, waiting > 0);
        }
        let count = usize::from(node.count);
        let noise = noise.as_chunks().0.split_first();
        let compared =
            if noise.is_some() { count } else { count.min(usize::from(node.opened) + 1) };
        let (priors, quad) = Tree::<S>::first_quad(node);
        let priors = noise.map_or(priors, |(first, _)| first);
        let mut best = Best::new();
        let more = compared.div_ceil(QUAD) - 1;
        if waiting == 0 {
            best.see(0, at.scores(priors, quad));
        } else {
            best.see(0, at.scores_waiting(priors, quad));
        }
        if more > 0 {
            let (priors, quads) = tree.more_quads(node, more);
            let priors = noise.map_or(priors, |(_, more)| more);
            let quads = (1..).zip(priors.iter().zip(quads));
            if waiting == 0 {
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

    /// The best of the slots that lead to no proven child.
    fn best_unproven<S>(
        &self,
        tree: &Tree<S>,
        id: NodeId,
        noise: &[f32],
        sees_waiting: bool,
    ) -> u32 {
        let priors = if noise.is_empty() { tree.priors(id) } else { noise };
        let mut best = Best::new();
        for (slot, (&prior, edge)) in priors.iter().zip(tree.edges(id)).enumerate() {
            if edge.child != NONE && tree.node(edge.child).proven {
                continue;
            }
            let mut quad = Quad::fresh(0);
            let mut priors = [0.0; QUAD];
            quad.set(slot % QUAD, edge);
            priors[slot % QUAD] = prior;
            let scores = if sees_waiting {
                self.scores_waiting(&priors, &quad)
            } else {
                self.scores(&priors, &quad)
            };
            best.see((slot / QUAD) as u32, scores);
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
            assert!((f64::from(selector.puct.exploration(visits)) / expected - 1.0).abs() < 1e-5);
        }
        assert_eq!(selector.puct.exploration(0), 0.0);
    }
}
