//! `SearchPool`: searches driven from Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

use numpy::PyReadonlyArray1;
use phasezoo_core::game::Action;
use phasezoo_core::search::Status;
use phasezoo_core::{Error, Result, threads};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyDict;

use crate::answers::Answers;
use crate::arguments::{ActionIndex, Count};
use crate::beam;
use crate::catalogue;
use crate::decoupled;
use crate::errors::to_py;
use crate::gating::Gate;
use crate::leaves::LeafBatch;
use crate::limits::{LimitWords, TimeWords};
use crate::native::PoolSetup;
use crate::options::GameOptions;
use crate::pools::{self, DynPool};
use crate::python_game::PythonModel;
use crate::results::{NodeView, SearchResult};
use crate::search_params::SearchParams;

/// Numbers the pools of a process, so that a batch finds its way home only.
static NEXT_POOL: AtomicU64 = AtomicU64::new(1);

/// Many searches whose leaves go out together. Any thread may call; calls wait for each other.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct SearchPool {
    pool: Mutex<Box<dyn DynPool>>,
    /// The thread that works on the pool, so that a game's own code that calls back is told so instead
    /// of waiting for itself.
    holder: Mutex<Option<ThreadId>>,
    number: u64,
    /// The game of the core that is searched; `None` of a user's own.
    native: Option<String>,
    /// Whether trees ask Python code, which must not wait for the interpreter lock.
    calls_python: bool,
    threads: Option<usize>,
    /// A gate that the core does not know, asked about each new leaf.
    gate: Option<Py<PyAny>>,
}

#[pymethods]
impl SearchPool {
    /// A pool of searches of a game by name, or of a game handle with `num_players` and `num_actions`;
    /// if players move at once `others`, a name or an agent with `select_batch`, moves all but the
    /// searching one.
    #[new]
    #[pyo3(signature = (game, params, gate = None, threads = None, others = None))]
    #[allow(clippy::similar_names)] // game and gate are the words
    fn new(
        game: &Bound<'_, PyAny>,
        params: &SearchParams,
        gate: Option<&Bound<'_, PyAny>>,
        threads: Option<Count>,
        others: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let params = params.core();
        let gates = Gates::of(gate);
        let name = native_name(game);
        let threads = thread_count(threads)?;
        let pool = if let Some(name) = name.as_deref() {
            let setup = PoolSetup { params, gate: gates.known.clone(), threads, others };
            catalogue::game(name).map_err(to_py)?.pool(setup)?
        } else {
            pools::boxed(PythonModel::new(game)?, params, gates.known.as_deref(), threads)?
        };
        Ok(Self::around(pool, name, gates.own, threads))
    }

    /// A pool of decoupled searches of a game whose players may move at once, each with statistics of
    /// their own: `game_options` of their `begin` name the `player` who searches. `settings` are those of
    /// `decoupled_settings`.
    #[staticmethod]
    #[pyo3(signature = (game, settings, gate = None, threads = None))]
    #[allow(clippy::similar_names)] // game and gate are the words
    fn decoupled(
        game: &Bound<'_, PyAny>,
        settings: &Bound<'_, PyDict>,
        gate: Option<&Bound<'_, PyAny>>,
        threads: Option<Count>,
    ) -> PyResult<Self> {
        let params = decoupled::params_of(Some(settings))?;
        let gates = Gates::of(gate);
        let (name, known) = (native_name(game), gates.known.as_deref());
        let pool = match name.as_deref() {
            Some(name) => catalogue::game(name).map_err(to_py)?.decoupled(params, known)?,
            None => decoupled::boxed(PythonModel::new(game)?, params, known)?,
        };
        Ok(Self::around(pool, name, gates.own, thread_count(threads)?))
    }

    /// A pool of beam searches of a game in which players take turns. `settings` are those of
    /// `beam_settings`; every collection hands out a layer of each tree.
    #[staticmethod]
    #[pyo3(signature = (game, settings, gate = None, threads = None))]
    #[allow(clippy::similar_names)] // game and gate are the words
    fn beam(
        game: &Bound<'_, PyAny>,
        settings: &Bound<'_, PyDict>,
        gate: Option<&Bound<'_, PyAny>>,
        threads: Option<Count>,
    ) -> PyResult<Self> {
        let params = beam::params_of(Some(settings))?;
        let gates = Gates::of(gate);
        let (name, known) = (native_name(game), gates.known.as_deref());
        let pool = match name.as_deref() {
            Some(name) => catalogue::game(name).map_err(to_py)?.beam(params, known)?,
            None => beam::boxed(PythonModel::new(game)?, params, known)?,
        };
        Ok(Self::around(pool, name, gates.own, thread_count(threads)?))
    }

    /// Add a tree that draws its randomness from `seed`; returns its number.
    fn add(&self, py: Python<'_>, seed: Count) -> PyResult<u32> {
        self.with(py, |pool| pool.add(seed.0 as u64))
    }

    /// Forget a tree; its number is not used again.
    fn remove(&self, py: Python<'_>, tree: i64) -> PyResult<()> {
        let tree = number(tree)?;
        self.with_released(py, |pool| pool.remove(tree))
    }

    /// Begin a search; what is known of `root` is kept if `advance` has led there. `game_options` are
    /// what the game wants to know beside the state, by name. With `searchmoves` only these actions of
    /// the root are searched, in a new tree.
    #[pyo3(signature = (tree, root, *, nodes = None, simulations = None, movetime_ms = None,
        clock = None, depth = None, mate = None, infinite = false, previous_phase = None, game_options = None, searchmoves = None))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn begin(
        &self,
        py: Python<'_>,
        tree: i64,
        root: &Bound<'_, PyAny>,
        nodes: Option<i64>,
        simulations: Option<i64>,
        movetime_ms: Option<f64>,
        clock: Option<TimeWords>,
        depth: Option<i64>,
        mate: Option<i64>,
        infinite: bool,
        previous_phase: Option<i8>,
        game_options: Option<&Bound<'_, PyDict>>,
        searchmoves: Option<Vec<ActionIndex>>,
    ) -> PyResult<()> {
        let tree = number(tree)?;
        let among: Vec<Action> = searchmoves.iter().flatten().map(|action| action.0).collect();
        if searchmoves.is_some() && among.is_empty() {
            let message = "searchmoves is empty: name at least one action, or leave it out".into();
            return Err(to_py(Error::InvalidConfig(message)));
        }
        let words = LimitWords { nodes, simulations, movetime_ms, clock, depth, mate, infinite };
        let limit = words.limit().map_err(to_py)?;
        let options = GameOptions::new(self.native.as_deref().unwrap_or_default(), game_options);
        let root = self.with(py, |pool| pool.root(root, options))?;
        let previous_phase = previous_phase.unwrap_or(-1);
        self.with_released(py, |pool| {
            pool.restrict(tree, &among)?;
            pool.begin(tree, root, limit, previous_phase)
        })
    }

    /// Replace the limit of a search that runs: time counts from now, all else from its beginning. One
    /// that has ended stays as it is.
    #[pyo3(signature = (tree, *, nodes = None, simulations = None, movetime_ms = None, clock = None,
        depth = None, mate = None, infinite = false))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn change_limit(
        &self,
        py: Python<'_>,
        tree: i64,
        nodes: Option<i64>,
        simulations: Option<i64>,
        movetime_ms: Option<f64>,
        clock: Option<TimeWords>,
        depth: Option<i64>,
        mate: Option<i64>,
        infinite: bool,
    ) -> PyResult<()> {
        let tree = number(tree)?;
        let words = LimitWords { nodes, simulations, movetime_ms, clock, depth, mate, infinite };
        let limit = words.limit().map_err(to_py)?;
        self.with(py, |pool| pool.change_limit(tree, limit))
    }

    /// Follow a move of the game: its subtree becomes the tree.
    fn advance(&self, py: Python<'_>, tree: i64, action: ActionIndex) -> PyResult<()> {
        let tree = number(tree)?;
        self.with_released(py, |pool| pool.advance(tree, action.0))
    }

    /// End a search; leaves that are out may still be completed.
    fn stop(&self, py: Python<'_>, tree: i64) -> PyResult<()> {
        let tree = number(tree)?;
        self.with(py, |pool| pool.stop(tree))
    }

    /// Forget what a tree knows, and what is outstanding.
    fn clear(&self, py: Python<'_>, tree: i64) -> PyResult<()> {
        let tree = number(tree)?;
        self.with_released(py, |pool| pool.clear(tree))
    }

    /// Whether a search has not ended.
    fn is_running(&self, py: Python<'_>, tree: i64) -> PyResult<bool> {
        let tree = number(tree)?;
        let status = self.with(py, |pool| pool.status(tree))?;
        Ok(status == Status::Running)
    }

    /// "idle", "running", or why the search ended.
    fn status(&self, py: Python<'_>, tree: i64) -> PyResult<&'static str> {
        let tree = number(tree)?;
        let status = self.with(py, |pool| pool.status(tree))?;
        Ok(match status {
            Status::Idle => "idle",
            Status::Running => "running",
            Status::Ended(why) => why.as_str(),
        })
    }

    /// (nodes, simulations) of a tree's search so far.
    fn progress(&self, py: Python<'_>, tree: i64) -> PyResult<(u64, u64)> {
        let tree = number(tree)?;
        self.with(py, |pool| pool.progress(tree))
    }

    /// What a tree holds about the position that `path` leads to from its root; None if nothing.
    #[pyo3(signature = (tree, path = Vec::new()))]
    fn inspect(&self, py: Python<'_>, tree: i64, path: Vec<u32>) -> PyResult<Option<NodeView>> {
        let tree = number(tree)?;
        let node = self.with(py, |pool| pool.inspect(tree, &path))?;
        Ok(node.map(|node| NodeView::new(py, node)))
    }

    /// How many searches have not ended.
    #[getter]
    fn running(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |pool| Ok(pool.running()))
    }

    /// New leaves of all running trees, at most `max_rows`; there may be none.
    fn collect(&self, py: Python<'_>, max_rows: Count) -> PyResult<LeafBatch> {
        let max_rows = max_rows.0;
        if max_rows == 0 {
            let message = "max_rows is 0: at least one row is needed to go on".into();
            return Err(to_py(Error::InvalidConfig(message)));
        }
        let (rows, actions) =
            self.with_released(py, |pool| Ok((pool.collect(max_rows)?, pool.num_actions())))?;
        let leaves = LeafBatch::new(rows, self.number, actions, self.threads);
        match &self.gate {
            Some(gate) if leaves.count() > 0 => self.gated(py, gate.bind(py), leaves),
            _ => Ok(leaves),
        }
    }

    /// Enter the evaluation of leaves, in any order and division. On an error nothing has changed.
    #[pyo3(signature = (leaves, policy_logits = None, legal_logits = None, value = None, wdl = None,
        plies_left = None))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn complete(
        &self,
        py: Python<'_>,
        leaves: &LeafBatch,
        policy_logits: Option<&Bound<'_, PyAny>>,
        legal_logits: Option<&Bound<'_, PyAny>>,
        value: Option<&Bound<'_, PyAny>>,
        wdl: Option<&Bound<'_, PyAny>>,
        plies_left: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.check_home(leaves)?;
        let legal = leaves.rows.columns().actions.len();
        let rows = leaves.count();
        let answers =
            Answers::new(rows, legal, policy_logits, legal_logits, value, wdl, plies_left)?;
        let (evaluation, heads) = (answers.evaluation(), answers.heads());
        self.with_released(py, |pool| pool.complete(&*leaves.rows, &evaluation, heads))
    }

    /// Give leaves up: their trees are as if they had not been handed out.
    fn cancel(&self, py: Python<'_>, leaves: &LeafBatch) -> PyResult<()> {
        self.check_home(leaves)?;
        self.with(py, |pool| pool.cancel(&*leaves.rows))
    }

    /// Say of outstanding leaves whose values will be exact: `plies` int32[B], to the end of the game, -1
    /// of others. A search with a solver proves by them.
    fn set_proofs(
        &self,
        py: Python<'_>,
        leaves: &LeafBatch,
        plies: PyReadonlyArray1<'_, i32>,
    ) -> PyResult<()> {
        self.check_home(leaves)?;
        let plies = plies.as_slice()?;
        self.with(py, |pool| pool.set_proofs(&*leaves.rows, plies))
    }

    /// What a search has found so far; it goes on.
    fn report(&self, py: Python<'_>, tree: i64) -> PyResult<SearchResult> {
        let tree = number(tree)?;
        let (result, actions) =
            self.with_released(py, |pool| Ok((pool.report(tree)?, pool.num_actions())))?;
        Ok(SearchResult::new(py, result, actions))
    }

    /// End a search if it still runs, and say what it found.
    fn finish(&self, py: Python<'_>, tree: i64) -> PyResult<SearchResult> {
        let tree = number(tree)?;
        let (result, actions) =
            self.with_released(py, |pool| Ok((pool.finish(tree)?, pool.num_actions())))?;
        Ok(SearchResult::new(py, result, actions))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<SearchPool with {} searches running>", self.running(py)?))
    }
}

/// A gate: the specification of one that the core knows, or one of the user's.
struct Gates {
    known: Option<String>,
    own: Option<Py<PyAny>>,
}

impl Gates {
    fn of(gate: Option<&Bound<'_, PyAny>>) -> Self {
        let known = gate.and_then(|gate| gate.cast::<Gate>().ok()).map(|gate| gate.get().spec());
        let own = if known.is_some() { None } else { gate.map(|gate| gate.clone().unbind()) };
        Self { known, own }
    }
}

/// A number of threads that is allowed.
fn thread_count(threads: Option<Count>) -> PyResult<Option<usize>> {
    let threads = threads.map(|count| count.0);
    threads::count(threads).map_err(to_py)?;
    Ok(threads)
}

impl Drop for SearchPool {
    /// Forgets the trees with the interpreter lock released, if the game is native: giving memory back
    /// takes a while.
    fn drop(&mut self) {
        if self.calls_python {
            return;
        }
        let pool = self.pool.get_mut().unwrap_or_else(PoisonError::into_inner);
        Python::try_attach(|py| py.detach(|| pool.remove_all()));
    }
}

impl SearchPool {
    /// A pool for Python.
    fn around(
        pool: Box<dyn DynPool>,
        native: Option<String>,
        gate: Option<Py<PyAny>>,
        threads: Option<usize>,
    ) -> Self {
        Self {
            calls_python: pool.calls_python(),
            pool: Mutex::new(pool),
            holder: Mutex::default(),
            number: NEXT_POOL.fetch_add(1, Ordering::Relaxed),
            native,
            threads,
            gate,
        }
    }

    /// Works on the pool with the interpreter lock held: for short work and for users' games.
    fn with<R>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn DynPool) -> Result<R>,
    ) -> PyResult<R> {
        self.check_reentrance()?;
        let mut pool = self.pool.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        self.set_holder(Some(std::thread::current().id()));
        let result = work(&mut **pool);
        self.set_holder(None);
        drop(pool);
        result.map_err(to_py)
    }

    /// Works on the pool with the interpreter lock released, if the game is native.
    fn with_released<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn DynPool) -> Result<R> + Send,
    ) -> PyResult<R> {
        if self.calls_python {
            return self.with(py, work);
        }
        py.detach(|| work(&mut **self.pool.lock().unwrap_or_else(PoisonError::into_inner)))
            .map_err(to_py)
    }

    fn set_holder(&self, thread: Option<ThreadId>) {
        *self.holder.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }

    fn check_reentrance(&self) -> PyResult<()> {
        let holder = *self.holder.lock().unwrap_or_else(PoisonError::into_inner);
        if holder != Some(std::thread::current().id()) {
            return Ok(());
        }
        let message = "the game's own code called the pool that is asking it: use another pool";
        Err(to_py(Error::InvalidState(message.into())))
    }

    fn check_home(&self, leaves: &LeafBatch) -> PyResult<()> {
        if leaves.pool == self.number {
            return Ok(());
        }
        let message =
            "these leaves belong to another pool: complete them where they were collected";
        Err(to_py(Error::InvalidState(message.into())))
    }

    /// The leaves with the phases that a gate of the user's gives them. When it fails, the leaves are
    /// given up.
    fn gated(
        &self,
        py: Python<'_>,
        gate: &Bound<'_, PyAny>,
        mut leaves: LeafBatch,
    ) -> PyResult<LeafBatch> {
        match leaves.ask_gate(py, gate) {
            Ok(phases) => {
                self.with(py, |pool| pool.set_phases(&mut *leaves.rows, &phases))?;
                Ok(leaves)
            }
            Err(error) => {
                self.cancel(py, &leaves)?;
                Err(error)
            }
        }
    }
}

/// The name of a game of the core, given by name or by handle.
pub(crate) fn native_name(game: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(name) = game.extract() {
        return Some(name);
    }
    let native = game.getattr("native").and_then(|native| native.is_truthy()).unwrap_or(false);
    if native { game.getattr("name").and_then(|name| name.extract()).ok() } else { None }
}

fn number(tree: i64) -> PyResult<u32> {
    u32::try_from(tree).map_err(|_| {
        to_py(Error::InvalidState(format!("tree {tree} is not in this pool: add() makes one")))
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<SearchPool>()
}
