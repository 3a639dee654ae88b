//! `SearchResult`: what a search found.

use std::sync::OnceLock;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use phasezoo_core::error::Error;
use phasezoo_core::search;
use pyo3::prelude::*;

use crate::errors::to_py;

/// Where tables are made of results.
const RESULTS: &str = "phasezoo.agents.search.results";

type Floats = Py<PyArray1<f32>>;
type Integers = Py<PyArray1<i64>>;

/// What a search found, from the view of the root's player to move.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct SearchResult {
    /// What `lines` is told from.
    found: search::SearchResult,
    /// The action to play.
    #[pyo3(get)]
    action: u32,
    /// int64[L]: the root's legal actions, or those of searchmoves, ascending.
    #[pyo3(get)]
    actions: Integers,
    /// int64[L]: simulations through each, those of a reused subtree included.
    #[pyo3(get)]
    visits: Integers,
    /// float32[L]: mean value of each, exact if proven; -1 (or what fpu says) if unvisited.
    #[pyo3(get)]
    q: Floats,
    /// float32[L]: prior of each at the node temperature, without noise.
    #[pyo3(get)]
    prior: Floats,
    /// float32[A]: the final policy, before the play temperature; sums to 1.
    #[pyo3(get)]
    policy: Floats,
    /// The line that the search expects, `action` first.
    #[pyo3(get)]
    pv: Vec<u32>,
    /// The root's mean value, exact if proven.
    #[pyo3(get)]
    value: f32,
    /// What the evaluator said of the root alone, exact if proven; 0 before it was asked.
    #[pyo3(get)]
    network_value: f32,
    /// float32[P]: the mean for each player, in games of more than two.
    #[pyo3(get)]
    values: Option<Floats>,
    /// float32[P, A]: the final policy of every player, zeros for those who do not move; of decoupled
    /// searches alone.
    #[pyo3(get)]
    policies: Option<Py<PyArray2<f32>>>,
    /// Positions newly evaluated.
    #[pyo3(get)]
    nodes: u64,
    /// Simulations of this search.
    #[pyo3(get)]
    simulations: u64,
    /// Descents of this search that met a leaf that awaited its evaluation, so that they gave no row.
    #[pyo3(get)]
    collisions: u64,
    /// The mean length of this search's descents, in whole plies.
    #[pyo3(get)]
    depth: u32,
    /// The longest descent of this search, in plies.
    #[pyo3(get)]
    seldepth: u32,
    /// float32[L]: share of draws in this search's simulations through each, by what the evaluator says
    /// (0 of one that says nothing) and by ends; NaN if there were none.
    #[pyo3(get)]
    draws: Floats,
    /// "win", "loss" or "draw" if the solver knows; None otherwise.
    #[pyo3(get)]
    proven: Option<&'static str>,
    /// Plies to the end behind a proof.
    #[pyo3(get)]
    proven_plies: Option<u16>,
    /// Wall-clock time of the search.
    #[pyo3(get)]
    seconds: f64,
    /// The root's phase; 0 without a gate.
    #[pyo3(get)]
    phase: i8,
    /// Why the search ended: "nodes", "simulations", "movetime", "depth", "mate", "solved", "forced",
    /// "exhausted", "memory", "schedule", "stopped" or "failed".
    #[pyo3(get)]
    ended: &'static str,
    /// Whether this was one of the cheap searches (`cheap_search_prob`).
    #[pyo3(get)]
    cheap: bool,
    /// Bytes that the tree holds.
    #[pyo3(get)]
    memory: usize,
    /// What was searched, if it was said; tables name moves by it.
    state: OnceLock<Py<PyAny>>,
}

/// What a search expects after one of the root's moves, from the view of the root's player to move.
#[pyclass(frozen, get_all, eq, module = "phasezoo._core")]
#[derive(PartialEq)]
pub(crate) struct Line {
    /// The move.
    action: u32,
    /// Simulations through it.
    visits: u32,
    /// Its mean value, exact if proven; -1 (or what fpu says) if unvisited.
    q: f32,
    /// The line, `action` first.
    pv: Vec<u32>,
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        format!(
            "<Line action={} visits={} q={:.3} pv={:?}>",
            self.action, self.visits, self.q, self.pv
        )
    }
}

/// What a tree holds about one position, from the view of its player to move.
#[pyclass(frozen, get_all, module = "phasezoo._core")]
pub(crate) struct NodeView {
    /// The player to move; at an end of the game whoever moved last.
    player: u8,
    /// The phase; 0 without a gate, -1 at ends of games.
    phase: i8,
    /// Simulations that ended here or below.
    visits: u32,
    /// The evaluator's value, exact if proven.
    value: f32,
    /// The mean of the values backed up, exact if proven.
    mean: f32,
    /// "win", "loss" or "draw" if the solver knows; None otherwise.
    proven: Option<&'static str>,
    /// Plies to the end behind a proof.
    proven_plies: Option<u16>,
    /// Whether the evaluation is outstanding.
    waiting: bool,
    /// int64[L]: the actions, by falling prior.
    actions: Integers,
    /// float32[L]: prior of each.
    priors: Floats,
    /// int64[L]: simulations through each.
    action_visits: Integers,
    /// float32[L]: mean value of each, NaN if unvisited.
    q: Floats,
}

impl NodeView {
    /// The core's view.
    pub(crate) fn new(py: Python<'_>, node: search::NodeView) -> Self {
        Self {
            player: node.player,
            phase: node.phase,
            visits: node.visits,
            value: node.value,
            mean: node.mean,
            proven: node.proven.map(|(worth, _)| outcome(worth)),
            proven_plies: node.proven.map(|(_, plies)| plies),
            waiting: node.waiting,
            actions: integers(py, &node.actions),
            priors: node.priors.into_pyarray(py).unbind(),
            action_visits: integers(py, &node.action_visits),
            q: floats(py, node.q.iter().map(|q| q.unwrap_or(f32::NAN))),
        }
    }
}

#[pymethods]
impl NodeView {
    fn __repr__(&self) -> String {
        format!("<NodeView of {} visits, mean {:.3}>", self.visits, self.mean)
    }
}

fn integers(py: Python<'_>, numbers: &[u32]) -> Integers {
    numbers.iter().map(|&n| i64::from(n)).collect::<Vec<_>>().into_pyarray(py).unbind()
}

fn floats(py: Python<'_>, numbers: impl Iterator<Item = f32>) -> Floats {
    numbers.collect::<Vec<_>>().into_pyarray(py).unbind()
}

/// The word for an exact value.
fn outcome(worth: f32) -> &'static str {
    match worth {
        worth if worth > 0.0 => "win",
        worth if worth < 0.0 => "loss",
        _ => "draw",
    }
}

impl SearchResult {
    /// The core's result, in a game of `num_actions` actions.
    pub(crate) fn new(py: Python<'_>, found: search::SearchResult, num_actions: usize) -> Self {
        let policies = found.policies.as_ref().map(|each| {
            let mut shares = Array2::<f32>::zeros([each.len(), num_actions]);
            for (player, policy) in each.iter().enumerate() {
                for (&action, &share) in policy.actions.iter().zip(&policy.shares) {
                    shares[[player, action as usize]] = share;
                }
            }
            shares.into_pyarray(py).unbind()
        });
        let mut policy = vec![0.0; num_actions];
        for (&action, &share) in found.actions.iter().zip(&found.policy) {
            policy[action as usize] = share;
        }
        Self {
            action: found.action,
            actions: integers(py, &found.actions),
            visits: integers(py, &found.visits),
            q: floats(py, found.q.iter().copied()),
            prior: floats(py, found.prior.iter().copied()),
            policy: policy.into_pyarray(py).unbind(),
            pv: found.pv(),
            value: found.value,
            network_value: found.network_value,
            policies,
            values: found.values.as_ref().map(|values| floats(py, values.iter().copied())),
            nodes: found.nodes,
            simulations: found.simulations,
            collisions: found.collisions,
            depth: found.depth,
            seldepth: found.seldepth,
            draws: floats(py, found.draws.iter().map(|draws| draws.unwrap_or(f32::NAN))),
            proven: found.proven.map(|(worth, _)| outcome(worth)),
            proven_plies: found.proven.map(|(_, plies)| plies),
            seconds: found.seconds,
            phase: found.phase,
            ended: found.ended.as_str(),
            cheap: found.cheap,
            memory: found.memory,
            state: OnceLock::new(),
            found,
        }
    }
}

#[pymethods]
impl SearchResult {
    /// The lines of the `count` best moves, all without it: the one to play, then by their share of the
    /// policy, visits and priors.
    #[pyo3(signature = (count=None))]
    fn lines(&self, count: Option<Bound<'_, PyAny>>) -> PyResult<Vec<Line>> {
        let count = match &count {
            None => usize::MAX,
            Some(given) => match given.extract::<i64>() {
                Ok(count) if count > 0 => count as usize,
                _ => {
                    let given = given.repr()?;
                    let message = format!(
                        "lines({given}): give a whole number of 1 or more, or nothing for all"
                    );
                    return Err(to_py(Error::InvalidConfig(message)));
                }
            },
        };
        let told = |line: search::Line| Line {
            action: line.action,
            visits: line.visits,
            q: line.q,
            pv: line.pv,
        };
        Ok(self.found.lines(count).into_iter().map(told).collect())
    }

    fn __repr__(&self) -> String {
        let proven = self.proven.map_or_else(String::new, |proven| format!(", proven {proven}"));
        format!(
            "<SearchResult action={} value={:.3}{proven}, {} nodes, {} simulations, depth {}>",
            self.action, self.value, self.nodes, self.simulations, self.depth
        )
    }

    /// The state that was searched, by an agent's `search`; None in results of pools.
    #[getter]
    fn state(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.state.get().map(|state| state.clone_ref(py))
    }

    /// Say once which state was searched.
    fn _searched(&self, state: Py<PyAny>) {
        let _ = self.state.set(state);
    }

    /// A table of the root's actions, the most visited first.
    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(RESULTS)?.call_method1("table_of", (slf,))
    }

    /// The same table for notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(RESULTS)?.call_method1("html_of", (slf,))
    }

    /// The root's actions as a pandas `DataFrame`, the most visited first.
    fn to_frame<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(RESULTS)?.call_method1("frame_of", (slf,))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Line>()?;
    m.add_class::<NodeView>()?;
    m.add_class::<SearchResult>()
}
