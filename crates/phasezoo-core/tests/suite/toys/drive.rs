//! Driving a pool with an evaluator that makes its answers up.

use phasezoo_core::game::Action;
use phasezoo_core::gate::Gating;
use phasezoo_core::model::SearchModel;
use phasezoo_core::rng::mix;
use phasezoo_core::search::{
    Evaluation, LeafBatch, Limit, NodeView, Params, Policy, SearchPool, SearchResult, Value,
};

/// Logits and values made of hashes of positions: the same for the same position, and meaningless.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    /// Spread of the logits; 0 makes all moves alike.
    pub spread: f32,
    /// Spread of the values; 0 makes all positions even.
    pub doubt: f32,
}

/// Knows nothing.
pub const EVEN: Synthetic = Synthetic { spread: 0.0, doubt: 0.0 };

/// Has opinions.
pub const OPINIONS: Synthetic = Synthetic { spread: 2.0, doubt: 0.9 };

fn unit(hash: u64) -> f32 {
    (mix(hash) >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
}

impl Synthetic {
    /// Legal logits and values of a batch.
    pub fn evaluate<M: SearchModel>(
        self,
        model: &M,
        leaves: &LeafBatch<M>,
    ) -> (Vec<f32>, Vec<f32>) {
        let (mut logits, mut values) = (Vec::new(), Vec::new());
        for row in 0..leaves.len() {
            let mut state = leaves.root(row).clone();
            leaves.restore(model, row, &mut state).unwrap();
            let key = model.key(&state).unwrap().unwrap();
            let spread = |action: &u32| self.spread * unit(key ^ mix(u64::from(*action) + 1));
            logits.extend(leaves.legal(row).iter().map(spread));
            values.push(self.doubt * unit(key));
        }
        (logits, values)
    }
}

/// Completes a batch with what `evaluator` says.
pub fn answer<M: SearchModel>(
    pool: &mut SearchPool<M>,
    leaves: &LeafBatch<M>,
    evaluator: Synthetic,
) {
    let (logits, values) = evaluator.evaluate(pool.model(), leaves);
    let evaluation =
        Evaluation { policy: Policy::LegalLogits(&logits), value: Value::ToPlay(&values) };
    pool.complete(leaves, &evaluation).unwrap();
}

/// Runs every search of a pool to its end.
pub fn run<M: SearchModel>(pool: &mut SearchPool<M>, rows: usize, evaluator: Synthetic) {
    while pool.running() > 0 {
        let leaves = pool.collect(rows).unwrap();
        answer(pool, &leaves, evaluator);
    }
}

/// One search and its pool.
pub struct Driver<M: SearchModel> {
    pub pool: SearchPool<M>,
    pub tree: u32,
    pub evaluator: Synthetic,
}

impl<M: SearchModel> Driver<M> {
    pub fn new(model: M, params: Params, evaluator: Synthetic) -> Self {
        Self::gated(model, params, evaluator, None)
    }

    pub fn gated(
        model: M,
        params: Params,
        evaluator: Synthetic,
        gate: Option<Gating<M::Game>>,
    ) -> Self {
        let mut pool = SearchPool::new(model, params, gate, Some(1)).unwrap();
        let tree = pool.add(7).unwrap();
        Self { pool, tree, evaluator }
    }

    /// Searches `root` until a limit of nodes and simulations.
    pub fn search(&mut self, root: &M::State, limit: Limit) -> SearchResult {
        self.pool.begin(self.tree, root.clone(), limit, -1).unwrap();
        let rows = self.pool.params().batch_size;
        run(&mut self.pool, rows, self.evaluator);
        self.pool.finish(self.tree).unwrap()
    }

    /// Searches `root` with so many simulations.
    pub fn simulate(&mut self, root: &M::State, simulations: u64) -> SearchResult {
        self.search(root, Limit { simulations: Some(simulations), ..Limit::default() })
    }

    /// Searches `root` with so many nodes.
    pub fn expand(&mut self, root: &M::State, nodes: u64) -> SearchResult {
        self.search(root, Limit { nodes: Some(nodes), ..Limit::default() })
    }
}

/// All nodes of a tree, parents first, with the way to each.
pub fn nodes_of<M: SearchModel>(pool: &SearchPool<M>, tree: u32) -> Vec<(Vec<Action>, NodeView)> {
    fn dump<M: SearchModel>(
        pool: &SearchPool<M>,
        tree: u32,
        path: &mut Vec<Action>,
        out: &mut Vec<(Vec<Action>, NodeView)>,
    ) {
        let Some(node) = pool.inspect(tree, path).unwrap() else { return };
        out.push((path.clone(), node.clone()));
        for action in node.actions {
            path.push(action);
            dump(pool, tree, path, out);
            path.pop();
        }
    }
    let mut nodes = Vec::new();
    dump(pool, tree, &mut Vec::new(), &mut nodes);
    nodes
}
