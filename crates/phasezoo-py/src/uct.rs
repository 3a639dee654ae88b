//! `UctSearch`: UCT with rollouts over one game, driven from Python.

use numpy::{IntoPyArray, PyArray1};
use phasezoo_core::game::{Action, Player};
use phasezoo_core::games::krk::{KrkLine, KrkModel, KrkRollout};
use phasezoo_core::games::{BoardModel, Krk, KrkState, Rules};
use phasezoo_core::model::{Played, SearchModel};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::Limit;
use phasezoo_core::search::uct::{Params, RandomRollout, Report, Rollout, Search, Selection};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::arguments::{ActionIndex, Count};
use crate::boards::{AnyBoard, Native, typed, with_rules};
use crate::errors::to_py;
use crate::python_game::{PythonModel, PythonState};
use crate::search::{limit, native_name};
use crate::state::BoardState;
use crate::vector::named;

/// What a search begins at.
enum Root {
    Board(Box<AnyBoard>),
    Python(PythonState),
}

/// Turns a root into the state of a model, and says for whom draws are won there.
type Read<S> = fn(&Root) -> Result<(S, Option<Player>)>;

/// A search of any game with any rollout policy.
trait AnySearch: Send + Sync {
    fn search(
        &mut self,
        root: &Root,
        limit: &Limit,
        keep_on: &mut dyn FnMut() -> bool,
    ) -> Result<Report>;
    fn advance(&mut self, action: Action);
    fn clear(&mut self);
    fn collapses(&self) -> u64;
}

/// A search with what turns a root into its model's state, and into the player for whom draws are won.
struct Searcher<M: SearchModel, P> {
    search: Search<M, P>,
    read: Read<M::State>,
}

impl<M: SearchModel, P: Rollout<M>> AnySearch for Searcher<M, P> {
    fn search(
        &mut self,
        root: &Root,
        limit: &Limit,
        keep_on: &mut dyn FnMut() -> bool,
    ) -> Result<Report> {
        let (state, favoured) = (self.read)(root)?;
        self.search.search(state, favoured, limit, keep_on)
    }

    fn advance(&mut self, action: Action) {
        self.search.advance(action);
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn collapses(&self) -> u64 {
        self.search.collapses()
    }
}

/// A policy in Python: `policy(state, rng) -> action`.
struct PythonRollout<M: SearchModel> {
    policy: Py<PyAny>,
    rng: Py<PyAny>,
    legal: Vec<Action>,
    show: fn(Python<'_>, &M::State) -> PyResult<Py<PyAny>>,
}

impl<M: SearchModel> Rollout<M> for PythonRollout<M> {
    fn step(&mut self, model: &M, state: &mut M::State, _stream: &mut Stream) -> Result<Played> {
        if let Some(returns) = model.expand(state, &mut self.legal)? {
            return Ok(Played::Over(returns));
        }
        let action = Python::attach(|py| {
            let shown = (self.show)(py, state)?;
            let answer = self.policy.bind(py).call1((shown, self.rng.bind(py)))?;
            answer.extract::<ActionIndex>().map(|action| action.0)
        });
        let action = action.map_err(|error| Error::External(Box::new(error)))?;
        if self.legal.binary_search(&action).is_err() {
            return Err(Error::IllegalAction(format!(
                "the rollout policy answered action {action}, which is not legal there; legal are {} \
                 actions, from {:?} to {:?}",
                self.legal.len(),
                self.legal.first(),
                self.legal.last()
            )));
        }
        model.advance(state, action)?;
        Ok(Played::Action(action))
    }
}

/// Which policy plays rollouts.
#[derive(FromPyObject)]
enum RolloutName<'py> {
    Name(String),
    Policy(Bound<'py, PyAny>),
}

/// UCT over one game, its tree kept from move to move.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct UctSearch {
    search: Box<dyn AnySearch>,
    is_native: bool,
}

#[pymethods]
impl UctSearch {
    /// A search of a board game by name, or of a game handle. `rollout` is "random", in "krk" also
    /// "krk", or a callable `(state, rng) -> action`; `selection` "ucb1" or "puct"; `defender` "oppose",
    /// or in "krk" also "follow".
    #[new]
    #[pyo3(signature = (game, *, c, threshold, rollout, selection, defender, max_rollout_plies,
        memory_mb, seed))]
    #[allow(clippy::too_many_arguments)] // keywords
    fn new(
        game: &Bound<'_, PyAny>,
        c: f32,
        threshold: i64,
        rollout: RolloutName<'_>,
        selection: &str,
        defender: &str,
        max_rollout_plies: Option<i64>,
        memory_mb: Count,
        seed: Count,
    ) -> PyResult<Self> {
        let selections = [("ucb1", Selection::Ucb1), ("puct", Selection::Puct)];
        let params = Params {
            c,
            threshold: whole("threshold", threshold, 0)?,
            selection: named("selection", selection, &selections)?,
            follow: named("defender", defender, &[("oppose", false), ("follow", true)])?,
            max_plies: max_rollout_plies
                .map(|plies| whole("max_rollout_plies", plies, 1))
                .transpose()?,
            memory: memory_mb.0.saturating_mul(1 << 20).max(1),
        };
        params.check().map_err(to_py)?;
        let name = native_name(game);
        let is_krk = name.as_deref() == Some(Krk::NAME);
        if params.follow && !is_krk {
            return Err(to_py(Error::InvalidConfig(
                "defender=\"follow\" is for the game \"krk\", where one side alone can mate; use \
                 \"oppose\""
                    .into(),
            )));
        }
        let parts = (params, seed.0 as u64);
        let search = match (name.as_deref(), rollout) {
            (Some(Krk::NAME), RolloutName::Name(rollout)) => krk(&rollout, parts)?,
            (Some(name), rollout) => {
                with_rules!(name, R => Ok(board::<R>(rollout, parts))).map_err(to_py)??
            }
            (None, rollout) => python(PythonModel::new(game)?, rollout, parts)?,
        };
        Ok(Self { search, is_native: name.is_some() })
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

    /// Search `root`; what is known of it is kept if `advance` has led there. Ctrl-C stops it.
    #[pyo3(signature = (root, *, nodes = None, simulations = None, movetime_ms = None))]
    fn search(
        &mut self,
        py: Python<'_>,
        root: &Bound<'_, PyAny>,
        nodes: Option<i64>,
        simulations: Option<i64>,
        movetime_ms: Option<f64>,
    ) -> PyResult<UctResult> {
        let limit = limit(nodes, simulations, movetime_ms, false).map_err(to_py)?;
        let state = match (self.is_native, root.cast::<BoardState>()) {
            (true, Ok(state)) => Root::Board(Box::new(state.get().board.clone())),
            (true, Err(_)) => {
                return Err(to_py(Error::InvalidState(format!(
                    "the root is a {}, this search walks a board game: give a state of that game",
                    root.get_type()
                ))));
            }
            (false, _) => Root::Python(root.clone().into()),
        };
        let mut interrupt = Ok(());
        let search = &mut self.search;
        let mut keep_on = || {
            // A path to the method would fix one lifetime.
            #[allow(clippy::redundant_closure_for_method_calls)]
            let checked = Python::attach(|py| py.check_signals());
            interrupt = checked;
            interrupt.is_ok()
        };
        let report = if self.is_native {
            py.detach(|| search.search(&state, &limit, &mut keep_on))
        } else {
            search.search(&state, &limit, &mut keep_on)
        };
        interrupt?;
        report.map(|report| UctResult::new(py, report)).map_err(to_py)
    }
}

/// What a search found, from the view of the root's player to move. Arrays have an entry for each of
/// the root's children in the tree, ascending by action.
#[pyclass(frozen, get_all, module = "phasezoo._core")]
pub(crate) struct UctResult {
    /// The action to play: the most visited; where counts differ by one at most, a win at once.
    action: u32,
    /// int64[K]: the children's actions.
    actions: Py<PyArray1<i64>>,
    /// int64[K]: simulations through each, those of a reused subtree included.
    visits: Py<PyArray1<i64>>,
    /// float64[K]: wins and half the draws below each; in "krk" mates, or for the lone king what is no
    /// mate.
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
    /// Why the search ended: "nodes", "simulations", "movetime", "exhausted" or "memory".
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

fn boxed<M: SearchModel + 'static, P: Rollout<M> + 'static>(
    model: M,
    policy: P,
    (params, seed): (Params, u64),
    read: Read<M::State>,
) -> PyResult<Box<dyn AnySearch>> {
    let search = Search::new(model, policy, params, seed).map_err(to_py)?;
    Ok(Box::new(Searcher { search, read }))
}

/// The endgame with a policy of the core, by its table of moves.
fn krk(rollout: &str, parts: (Params, u64)) -> PyResult<Box<dyn AnySearch>> {
    let read = |root: &Root| {
        let line = KrkLine::of(krk_state(root)?)?;
        let favoured = 1 - line.strong();
        Ok((line, Some(favoured)))
    };
    match rollout {
        "krk" => boxed(KrkModel::new(), KrkRollout, parts, read),
        "random" => boxed(KrkModel::new(), RandomRollout::default(), parts, read),
        other => Err(unknown_rollout(other, "\"random\", \"krk\"")),
    }
}

fn board<R: Native>(
    rollout: RolloutName<'_>,
    (params, seed): (Params, u64),
) -> PyResult<Box<dyn AnySearch>>
where
    AnyBoard: From<phasezoo_core::games::BoardState<R>>,
{
    let read = |root: &Root| match root {
        Root::Board(board) => {
            let favoured = match &**board {
                AnyBoard::Krk(state) => Some(1 - KrkLine::of(state)?.strong()),
                _ => None,
            };
            Ok((typed::<R>(board)?.clone(), favoured))
        }
        Root::Python(_) => Err(wrong_root()),
    };
    let model = BoardModel::<R>::new();
    match rollout {
        RolloutName::Name(name) if name == "random" => {
            boxed(model, RandomRollout::default(), (params, seed), read)
        }
        RolloutName::Name(name) if name == "krk" => Err(to_py(Error::InvalidConfig(format!(
            "rollout=\"krk\" is for the game \"krk\"; in {:?} use \"random\" or a callable (state, \
             rng) -> action",
            R::NAME
        )))),
        RolloutName::Name(name) => Err(unknown_rollout(&name, "\"random\"")),
        RolloutName::Policy(policy) => {
            let policy = PythonRollout {
                rng: generator(policy.py(), seed)?,
                policy: policy.unbind(),
                legal: Vec::new(),
                show: |py, state: &phasezoo_core::games::BoardState<R>| {
                    let shown = BoardState::from(AnyBoard::from(state.clone()));
                    Ok(Py::new(py, shown)?.into_any())
                },
            };
            boxed(model, policy, (params, seed), read)
        }
    }
}

fn python(
    model: PythonModel,
    rollout: RolloutName<'_>,
    (params, seed): (Params, u64),
) -> PyResult<Box<dyn AnySearch>> {
    let read = |root: &Root| match root {
        Root::Python(state) => Ok((state.clone(), None)),
        Root::Board(_) => Err(wrong_root()),
    };
    match rollout {
        RolloutName::Name(name) if name == "random" => {
            boxed(model, RandomRollout::default(), (params, seed), read)
        }
        RolloutName::Name(name) => Err(unknown_rollout(&name, "\"random\"")),
        RolloutName::Policy(policy) => {
            let policy = PythonRollout {
                rng: generator(policy.py(), seed)?,
                policy: policy.unbind(),
                legal: Vec::new(),
                show: |py, state: &PythonState| Ok(state.object(py).clone().unbind()),
            };
            boxed(model, policy, (params, seed), read)
        }
    }
}

fn krk_state(root: &Root) -> Result<&KrkState> {
    match root {
        Root::Board(board) => typed::<Krk>(board),
        Root::Python(_) => Err(wrong_root()),
    }
}

fn wrong_root() -> Error {
    Error::InvalidState("the root is a state of another game than the search walks".into())
}

fn unknown_rollout(name: &str, known: &str) -> PyErr {
    to_py(Error::InvalidConfig(format!(
        "rollout={name:?}: expected {known}, or a callable (state, rng) -> action"
    )))
}

/// The generator that a policy in Python draws from.
fn generator(py: Python<'_>, seed: u64) -> PyResult<Py<PyAny>> {
    let random = py.import("numpy")?.getattr("random")?;
    Ok(random.call_method1("default_rng", (seed,))?.unbind())
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

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<UctSearch>()?;
    m.add_class::<UctResult>()
}
