//! Pools of searches behind one type, whatever their model walks.

use std::any::Any;

use phasezoo_core::game::Action;
use phasezoo_core::gate::{Gating, Subject};
use phasezoo_core::search::{
    self, Evaluation, Heads, Limit, NodeView, Params, SearchResult, Status,
};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::native::PoolSetup;
use crate::options::GameOptions;
use crate::rows::{DynRows, Rows, Walked, own, own_mut, strange};

/// Where a search begins: a state of the pool's model.
pub(crate) type Root = Box<dyn Any + Send>;

/// A pool of searches of any model. One call of it does the work of a batch.
pub(crate) trait DynPool: Send {
    /// Adds a tree.
    fn add(&mut self, seed: u64) -> Result<u32>;
    /// Forgets a tree.
    fn remove(&mut self, tree: u32) -> Result<()>;
    /// Forgets all trees.
    fn remove_all(&mut self);
    /// The root of a search, from a state of Python's with what the game's room wants to know of it.
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<Root>;
    /// Begins a search at such a root.
    fn begin(&mut self, tree: u32, root: Root, limit: Limit, previous_phase: i8) -> Result<()>;
    /// Says which of the root's actions the next search looks at.
    fn restrict(&mut self, tree: u32, actions: &[Action]) -> Result<()>;
    /// Follows a move of the game.
    fn advance(&mut self, tree: u32, action: Action) -> Result<()>;
    /// Ends a search.
    fn stop(&mut self, tree: u32) -> Result<()>;
    /// Forgets what a tree knows.
    fn clear(&mut self, tree: u32) -> Result<()>;
    /// Where a search stands.
    fn status(&self, tree: u32) -> Result<Status>;
    /// Nodes and simulations so far.
    fn progress(&self, tree: u32) -> Result<(u64, u64)>;
    /// What a tree holds about a position.
    fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>>;
    /// How many searches have not ended.
    fn running(&self) -> usize;
    /// New leaves.
    fn collect(&mut self, max_rows: usize) -> Result<Box<dyn DynRows>>;
    /// Enters evaluations of rows that this pool has collected.
    fn complete(
        &mut self,
        rows: &dyn DynRows,
        evaluation: &Evaluation<'_>,
        heads: Heads<'_>,
    ) -> Result<()>;
    /// Gives rows up.
    fn cancel(&mut self, rows: &dyn DynRows) -> Result<()>;
    /// Sets the phases of outstanding rows.
    fn set_phases(&mut self, rows: &mut dyn DynRows, phases: &[i8]) -> Result<()>;
    /// Says whose values will be exact.
    fn set_proofs(&mut self, rows: &dyn DynRows, plies: &[i32]) -> Result<()>;
    /// What a search has found so far.
    fn report(&self, tree: u32) -> Result<SearchResult>;
    /// Replaces the limit of a search that runs.
    fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()>;
    /// What a search found.
    fn finish(&mut self, tree: u32) -> Result<SearchResult>;
    /// The size of the action space.
    fn num_actions(&self) -> usize;
    /// Whether trees ask Python code, which must not wait for the interpreter lock.
    fn calls_python(&self) -> bool;
}

/// The pool of one model.
struct Pool<M: Walked>(search::SearchPool<M>);

/// A pool of searches of a model.
pub(crate) fn boxed<M: Walked<Game: Subject>>(
    model: M,
    params: Params,
    gate: Option<&str>,
    threads: Option<usize>,
) -> PyResult<Box<dyn DynPool>> {
    // Python code runs under the interpreter lock: more threads would only wait for it.
    let threads = if model.calls_python() { Some(1) } else { threads };
    let gate = gate.map(|spec| Gating::parse(spec, false)).transpose().map_err(to_py)?;
    let pool = search::SearchPool::new(model, params, gate, threads).map_err(to_py)?;
    Ok(Box::new(Pool(pool)))
}

/// A pool of searches of a turn game, in which nobody else moves inside the search.
pub(crate) fn of_turns<M: Walked<Game: Subject>>(
    game: &str,
    model: M,
    setup: PoolSetup<'_, '_>,
) -> PyResult<Box<dyn DynPool>> {
    if setup.others.is_some() {
        return Err(to_py(Error::InvalidConfig(format!(
            "others= was given for {game:?}, whose players take turns: every player is searched for \
             there; leave it out"
        ))));
    }
    boxed(model, setup.params, setup.gate.as_deref(), setup.threads)
}

/// The methods of [`DynPool`] in which pools of all kinds are alike: `self.0` has one of each name.
macro_rules! forwards_to_pool {
    () => {
        fn add(&mut self, seed: u64) -> Result<u32> {
            self.0.add(seed)
        }

        fn remove(&mut self, tree: u32) -> Result<()> {
            self.0.remove(tree)
        }

        fn remove_all(&mut self) {
            self.0.remove_all();
        }

        fn stop(&mut self, tree: u32) -> Result<()> {
            self.0.stop(tree)
        }

        fn clear(&mut self, tree: u32) -> Result<()> {
            self.0.clear(tree)
        }

        fn status(&self, tree: u32) -> Result<Status> {
            self.0.status(tree)
        }

        fn progress(&self, tree: u32) -> Result<(u64, u64)> {
            self.0.progress(tree)
        }

        fn running(&self) -> usize {
            self.0.running()
        }

        fn report(&self, tree: u32) -> Result<SearchResult> {
            self.0.report(tree)
        }

        fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()> {
            self.0.change_limit(tree, limit)
        }

        fn finish(&mut self, tree: u32) -> Result<SearchResult> {
            self.0.finish(tree)
        }

        fn num_actions(&self) -> usize {
            self.0.model().num_actions()
        }

        fn calls_python(&self) -> bool {
            self.0.model().calls_python()
        }
    };
}
pub(crate) use forwards_to_pool;

impl<M: Walked> DynPool for Pool<M> {
    forwards_to_pool!();

    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<Root> {
        Ok(Box::new(self.0.model().root(state, options)?))
    }

    fn begin(&mut self, tree: u32, root: Root, limit: Limit, previous_phase: i8) -> Result<()> {
        let root: Box<M::State> = root.downcast().map_err(|_| strange())?;
        self.0.begin(tree, *root, limit, previous_phase)
    }

    fn restrict(&mut self, tree: u32, actions: &[Action]) -> Result<()> {
        self.0.restrict(tree, actions)
    }

    fn advance(&mut self, tree: u32, action: Action) -> Result<()> {
        self.0.advance(tree, action)
    }

    fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>> {
        self.0.inspect(tree, path)
    }

    fn collect(&mut self, max_rows: usize) -> Result<Box<dyn DynRows>> {
        let batch = self.0.collect(max_rows)?;
        Ok(Box::new(Rows { batch, model: self.0.model().clone() }))
    }

    fn complete(
        &mut self,
        rows: &dyn DynRows,
        evaluation: &Evaluation<'_>,
        heads: Heads<'_>,
    ) -> Result<()> {
        self.0.complete_with(&own::<Rows<M>>(rows)?.batch, evaluation, heads)
    }

    fn cancel(&mut self, rows: &dyn DynRows) -> Result<()> {
        self.0.cancel(&own::<Rows<M>>(rows)?.batch);
        Ok(())
    }

    fn set_phases(&mut self, rows: &mut dyn DynRows, phases: &[i8]) -> Result<()> {
        self.0.set_phases(&mut own_mut::<Rows<M>>(rows)?.batch, phases)
    }

    fn set_proofs(&mut self, rows: &dyn DynRows, plies: &[i32]) -> Result<()> {
        self.0.set_proofs(&own::<Rows<M>>(rows)?.batch, plies)
    }
}
