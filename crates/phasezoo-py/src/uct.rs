//! `UctSearch`: UCT with rollouts over one game, driven from Python.

use numpy::{IntoPyArray, PyArray1};
use phasezoo_core::Error;
use phasezoo_core::search::uct::{Choice, Ends, Expansion, Params, Report, Selection, Ties};
use pyo3::prelude::*;

use crate::arguments::{ActionIndex, Count};
use crate::catalogue;
use crate::errors::to_py;
use crate::limits::LimitWords;
use crate::options::GameOptions;
use crate::python_game::PythonModel;
use crate::rollouts::{self, DynUct, RolloutName, UctSetup};
use crate::search::native_name;
use crate::vector::named;

/// UCT over one game, its tree kept from move to move.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct UctSearch {
    search: Box<dyn DynUct>,
    /// The game of the core that is searched; empty of a user's own.
    game: String,
}

#[pymethods]
impl UctSearch {
    /// A search of a game by name, or of a game handle. `rollout` is "random", a policy that the game
    /// brings along, or a callable `(state, rng) -> action`; `selection` "ucb1" or "puct"; `defender`
    /// "oppose", or if one side alone can win also "follow"; `expansion`, `ties`, `choice` and `ends` are
    /// those of `agents.UCTAgent`.
    #[new]
    #[pyo3(signature = (game, *, c, threshold, expansion, rollout, selection, defender, ties, choice, ends,
        root_visits, max_rollout_plies, memory_mb, seed))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn new(
        game: &Bound<'_, PyAny>,
        c: f32,
        threshold: i64,
        expansion: &str,
        rollout: RolloutName<'_>,
        selection: &str,
        defender: &str,
        ties: &str,
        choice: &str,
        ends: &str,
        root_visits: i64,
        max_rollout_plies: Option<i64>,
        memory_mb: Count,
        seed: Count,
    ) -> PyResult<Self> {
        let selections = [("ucb1", Selection::Ucb1), ("puct", Selection::Puct)];
        let expansions = [("untried", Expansion::Untried), ("rollouts", Expansion::Rollouts)];
        let choices = [("careful", Choice::Careful), ("most_visited", Choice::MostVisited)];
        let params = Params {
            c,
            threshold: whole("threshold", threshold, 0)?,
            expansion: named("expansion", expansion, &expansions)?,
            selection: named("selection", selection, &selections)?,
            follow: named("defender", defender, &[("oppose", false), ("follow", true)])?,
            ties: named("ties", ties, &[("first", Ties::First), ("random", Ties::Random)])?,
            choice: named("choice", choice, &choices)?,
            ends: named("ends", ends, &[("count", Ends::Count), ("restart", Ends::Restart)])?,
            root_visits: whole("root_visits", root_visits, 0)?,
            max_plies: max_rollout_plies
                .map(|plies| whole("max_rollout_plies", plies, 1))
                .transpose()?,
            memory: memory_mb.0.saturating_mul(1 << 20).max(1),
        };
        params.check().map_err(to_py)?;
        let name = native_name(game);
        let setup = UctSetup { rollout, params, seed: seed.0 as u64 };
        let search = if let Some(name) = &name {
            catalogue::game(name).map_err(to_py)?.uct(setup)?
        } else {
            let model = PythonModel::new(game)?;
            let name = model.name().to_owned();
            rollouts::of_turns(&name, model, setup)?
        };
        Ok(Self { search, game: name.unwrap_or_default() })
    }

    /// An action of anybody was played.
    fn advance(&mut self, action: ActionIndex) {
        self.search.advance(action.0);
    }

    /// Forget the tree: the next search begins another game.
    fn clear(&mut self) {
        self.search.clear();
    }

    /// How often a reply was not in the tree.
    #[getter]
    fn collapses(&self) -> u64 {
        self.search.collapses()
    }

    /// Search `root`; what is known of it is kept if `advance` has led there. Ctrl-C stops it, and
    /// `keep_on`, asked some times a second, by an answer that is false.
    #[pyo3(signature = (root, *, nodes = None, simulations = None, movetime_ms = None, keep_on = None))]
    fn search(
        &mut self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        nodes: Option<i64>,
        simulations: Option<i64>,
        movetime_ms: Option<f64>,
        keep_on: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<UctResult> {
        let words = LimitWords { nodes, simulations, movetime_ms, ..LimitWords::default() };
        let limit = words.limit().map_err(to_py)?;
        let report =
            self.search.search(root, GameOptions::new(&self.game, None), &limit, keep_on)?;
        Ok(UctResult::new(py, report))
    }
}

/// What a search found, from the view of the root's player to move. Arrays have an entry for each of
/// the root's children in the tree, ascending by action.
#[pyclass(frozen, get_all, module = "phasezoo._core")]
pub(crate) struct UctResult {
    /// The action to play: the most visited; unless `choice` says otherwise, if counts differ by one at
    /// most, a win at once.
    action: u32,
    /// int64[K]: the children's actions.
    actions: Py<PyArray1<i64>>,
    /// int64[K]: simulations through each, those of a reused subtree included.
    visits: Py<PyArray1<i64>>,
    /// float64[K]: wins and half the draws below each; where a game counts wins of one
    /// side alone, those, or for the other side what is none.
    totals: Py<PyArray1<f64>>,
    /// float64[K]: totals / visits.
    q: Py<PyArray1<f64>>,
    /// totals / visits over all children, in [0, 1].
    value: f64,
    /// Nodes added to the tree.
    nodes: u64,
    /// Simulations of this search.
    simulations: u64,
    /// Plies that rollouts played, inside and outside the tree.
    rollout_plies: u64,
    /// Plies from the root to the deepest new node.
    depth: u32,
    /// Nodes in the tree.
    tree_nodes: usize,
    /// Whether the reply was not in the tree, so that this search began with its root alone.
    collapsed: bool,
    /// Wall-clock time of the search.
    seconds: f64,
    /// Why the search ended: "nodes", "simulations", "movetime", "exhausted", "memory" or "stopped".
    ended: &'static str,
}

impl UctResult {
    fn new(py: Python<'_>, report: Report) -> Self {
        let shares = report.totals.iter().zip(&report.visits);
        let q: Vec<f64> = shares.map(|(&total, &visits)| total / f64::from(visits)).collect();
        let visits: f64 = report.visits.iter().copied().map(f64::from).sum();
        let integers = |values: Vec<u32>| -> Py<PyArray1<i64>> {
            let values: Vec<i64> = values.into_iter().map(i64::from).collect();
            values.into_pyarray(py).unbind()
        };
        Self {
            action: report.action,
            value: report.totals.iter().sum::<f64>() / visits,
            actions: integers(report.actions),
            visits: integers(report.visits),
            totals: report.totals.into_pyarray(py).unbind(),
            q: q.into_pyarray(py).unbind(),
            nodes: report.nodes,
            simulations: report.simulations,
            rollout_plies: report.rollout_plies,
            depth: report.depth,
            tree_nodes: report.tree_nodes,
            collapsed: report.collapsed,
            seconds: report.seconds,
            ended: report.ended.as_str(),
        }
    }
}

#[pymethods]
impl UctResult {
    fn __repr__(&self) -> String {
        format!(
            "<UctResult action {} value {:.3} after {} simulations>",
            self.action, self.value, self.simulations
        )
    }
}

/// A whole number from `least` that fits into 32 bits.
fn whole(name: &str, given: i64, least: i64) -> PyResult<u32> {
    u32::try_from(given).ok().filter(|_| given >= least).ok_or_else(|| {
        to_py(Error::InvalidConfig(format!(
            "{name}={given}: expected a whole number from {least} to {}",
            u32::MAX
        )))
    })
}

/// The rollout policies that a game of the core brings along.
#[pyfunction]
fn rollout_policies(game: &str) -> PyResult<Vec<&'static str>> {
    Ok(catalogue::game(game).map_err(to_py)?.rollouts().to_vec())
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(rollout_policies, m)?)?;
    m.add_class::<UctSearch>()?;
    m.add_class::<UctResult>()
}
