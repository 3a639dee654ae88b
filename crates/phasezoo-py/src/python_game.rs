//! A user's Python game as a search model: states are Python objects, every question is a call.

mod joint;

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use phasezoo_core::game::{Action, MAX_PLAYERS, Player, Returns};
use phasezoo_core::gate::{GateKind, Subject};
use phasezoo_core::model::{SearchModel, ValueRule};
use phasezoo_core::search::LeafBatch;
use phasezoo_core::{Error, Result};
use pyo3::exceptions::{PyAttributeError, PyException};
use pyo3::prelude::*;

use crate::errors::external;
use crate::gating::{own_key, own_plies};
use crate::options::GameOptions;
use crate::planes::{self, WantedPlanes};
use crate::rows::{Rooted, Walked};

/// How far returns may leave [-1, 1], or the sum of two players' zero: rounding of float32.
const SLACK: f32 = 1e-4;

/// A game whose states have the members of `phasezoo.types.State`.
#[derive(Clone)]
pub(crate) struct PythonModel {
    name: Arc<str>,
    num_players: usize,
    num_actions: usize,
    /// What the game was given as; asked for the shapes of planes.
    handle: Arc<Py<PyAny>>,
}

/// A state of the user's. Cloning it does not need the interpreter lock.
#[derive(Clone)]
pub(crate) struct PythonState(Arc<Py<PyAny>>);

impl PythonState {
    /// The user's object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.0.bind(py)
    }
}

/// Gates that fit every game fit a user's own.
impl Subject for PythonState {
    fn game_name() -> &'static str {
        "a game of your own"
    }

    fn gates() -> Vec<GateKind<Self>> {
        Vec::new()
    }

    fn position_key(&self) -> Result<Option<u64>> {
        Python::attach(|py| own_key(self.object(py)).map_err(external))
    }

    fn plies(&self) -> Result<Option<u32>> {
        Python::attach(|py| own_plies(self.object(py)).map_err(external))
    }
}

impl From<Bound<'_, PyAny>> for PythonState {
    fn from(object: Bound<'_, PyAny>) -> Self {
        Self(Arc::new(object.unbind()))
    }
}

impl PythonModel {
    /// The model of a game handle with `num_players`, `num_actions` and, for messages, `name`.
    pub(crate) fn new(handle: &Bound<'_, PyAny>) -> PyResult<Self> {
        let name = match handle.getattr("name") {
            Ok(name) => name.to_string(),
            Err(_) => handle.get_type().name()?.to_string(),
        };
        let num_players: usize = handle.getattr("num_players")?.extract()?;
        let num_actions: usize = handle.getattr("num_actions")?.extract()?;
        if !(1..=MAX_PLAYERS).contains(&num_players) || num_actions == 0 {
            return Err(crate::errors::to_py(Error::InvalidConfig(format!(
                "{name}: {num_players} players and {num_actions} actions; allowed are 1 to \
                 {MAX_PLAYERS} players and at least one action"
            ))));
        }
        let handle = Arc::new(handle.clone().unbind());
        Ok(Self { name: name.into(), num_players, num_actions, handle })
    }

    /// The name of the game, for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// float32[C, H, W] of a state as `player` (or who is to move) sees it, checked against what the game
    /// was registered with.
    fn planes_of<'py>(
        &self,
        state: &PythonState,
        py: Python<'py>,
        spec: &str,
        player: Option<Player>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let state = state.object(py);
        let given = match player {
            Some(player) => state.call_method1("planes", (spec, player))?,
            None => state.call_method1("planes", (spec,))?,
        };
        let planes = numpy.call_method1("asarray", (given, numpy.getattr("float32")?))?;
        if let Ok(shapes) = self.handle.bind(py).getattr("plane_shape") {
            let expected: Vec<usize> = shapes.call1((spec,))?.extract()?;
            let shape: Vec<usize> = planes.getattr("shape")?.extract()?;
            if shape != expected {
                return Err(crate::errors::to_py(self.broken(
                    state,
                    &format!("planes({spec:?}) has shape {shape:?}, registered is {expected:?}"),
                )));
            }
        }
        Ok(planes)
    }

    fn broken(&self, state: &Bound<'_, PyAny>, what: &str) -> Error {
        let shown =
            state.repr().map_or_else(|_| "a state without repr".into(), |text| text.to_string());
        Error::GameContract(format!("{}: {what}, in {shown}", self.name))
    }

    fn legal(&self, state: &Bound<'_, PyAny>, actions: &mut Vec<Action>) -> Result<()> {
        let given = state.getattr("legal_actions").map_err(external)?;
        self.check_actions(state, &given, "legal_actions", actions)
    }

    /// Writes the legal actions that a state gave by the member `name`.
    fn check_actions(
        &self,
        state: &Bound<'_, PyAny>,
        given: &Bound<'_, PyAny>,
        name: &str,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        actions.clear();
        let given = integers(given)
            .map_err(|_| self.broken(state, &format!("{name} are not whole numbers")))?;
        if given.is_empty() {
            let what = format!("{name} is empty, but is_terminal is not set");
            return Err(self.broken(state, &what));
        }
        for action in given {
            let index = usize::try_from(action).ok().filter(|&index| index < self.num_actions);
            let Some(index) = index else {
                let what =
                    format!("legal action {action} is outside 0 to {}", self.num_actions - 1);
                return Err(self.broken(state, &what));
            };
            if actions.last().is_some_and(|&last| last as usize >= index) {
                let what = format!("{name} do not ascend at {action} (each once, in order)");
                return Err(self.broken(state, &what));
            }
            actions.push(index as Action);
        }
        Ok(())
    }

    /// A return in [-1, 1] for each player.
    fn each_return(&self, state: &Bound<'_, PyAny>) -> Result<Vec<f32>> {
        let given = state.getattr("returns").map_err(external)?;
        let values: Vec<f32> = given
            .try_iter()
            .and_then(|items| items.map(|item| item?.extract()).collect())
            .map_err(|_| self.broken(state, "returns are not numbers"))?;
        if values.len() != self.num_players {
            let what =
                format!("returns has {} numbers for {} players", values.len(), self.num_players);
            return Err(self.broken(state, &what));
        }
        if let Some(value) = values.iter().find(|value| value.is_nan() || value.abs() > 1.0 + SLACK)
        {
            return Err(self.broken(state, &format!("a return is {value}, outside [-1, 1]")));
        }
        Ok(values)
    }

    fn returns(&self, state: &Bound<'_, PyAny>) -> Result<Returns> {
        let values = self.each_return(state)?;
        if let [first, second] = values[..]
            && (first + second).abs() > SLACK
        {
            let what = format!("returns {values:?} of two players do not add up to zero");
            return Err(self.broken(state, &what));
        }
        Ok(Returns::new(&values))
    }

    fn is_over(&self, state: &Bound<'_, PyAny>) -> Result<bool> {
        let over = state.getattr("is_terminal").map_err(external)?;
        over.is_truthy().map_err(|_| {
            self.broken(state, &format!("is_terminal is {over}, expected True or False"))
        })
    }

    /// What `state.play(action)` leads to.
    fn played<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: impl IntoPyObject<'py>,
    ) -> Result<PythonState> {
        let next = state.call_method1("play", (action,)).map_err(external)?;
        let is_state = next.get_type().is(state.get_type())
            || next.hasattr("is_terminal").map_err(external)?;
        if is_state {
            return Ok(next.into());
        }
        let what = format!("play(action) has returned {next}, expected the new state");
        Err(self.broken(state, &what))
    }
}

impl SearchModel for PythonModel {
    type State = PythonState;
    type Snapshot = PythonState;
    type Game = PythonState;

    fn value_rule(&self) -> ValueRule {
        match self.num_players {
            1 => ValueRule::Same,
            2 => ValueRule::Negate,
            more => ValueRule::PerPlayer(more),
        }
    }

    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn actor(&self, state: &PythonState) -> Result<Player> {
        Python::attach(|py| {
            let state = state.object(py);
            let player = state.getattr("to_play").map_err(external)?;
            match player.extract::<i64>() {
                Ok(player) if (0..self.num_players as i64).contains(&player) => {
                    Ok(player as Player)
                }
                _ => {
                    let last = self.num_players - 1;
                    let what = format!(
                        "to_play is {player}, expected a player from 0 to {last} (this search walks \
                         games in which one player moves at a time)"
                    );
                    Err(self.broken(state, &what))
                }
            }
        })
    }

    fn actions(&self, state: &PythonState, actions: &mut Vec<Action>) -> Result<()> {
        Python::attach(|py| self.legal(state.object(py), actions))
    }

    fn advance(&self, state: &mut PythonState, action: Action) -> Result<()> {
        Python::attach(|py| {
            let next = self.played(state.object(py), action)?;
            *state = next;
            Ok(())
        })
    }

    fn terminal(&self, state: &PythonState) -> Result<Option<Returns>> {
        Python::attach(|py| {
            let state = state.object(py);
            if self.is_over(state)? { self.returns(state).map(Some) } else { Ok(None) }
        })
    }

    fn snapshot(&self, state: &PythonState) -> PythonState {
        state.clone()
    }

    /// What Python says of the object and of what its fields hold; what those hold in turn, and what
    /// several states share, is not looked at.
    fn heap_bytes(&self, snapshot: &PythonState) -> usize {
        Python::attach(|py| {
            let state = snapshot.object(py);
            let size = |object: &Bound<'_, PyAny>| -> usize {
                let size = object.call_method0("__sizeof__").and_then(|size| size.extract());
                size.unwrap_or(0)
            };
            let fields = state
                .getattr("__dict__")
                .and_then(|fields| fields.cast_into::<pyo3::types::PyDict>().map_err(Into::into));
            let held = fields.map_or(0, |fields| {
                size(fields.as_any()) + fields.iter().map(|(_, value)| size(&value)).sum::<usize>()
            });
            size(state) + held
        })
    }

    fn restore(
        &self,
        state: &mut PythonState,
        _root: &PythonState,
        _path: &[Action],
        snapshot: &PythonState,
    ) -> Result<()> {
        state.clone_from(snapshot);
        Ok(())
    }

    fn game<'a>(&self, state: &'a PythonState) -> &'a PythonState {
        state
    }

    fn key(&self, state: &PythonState) -> Result<Option<u64>> {
        state.position_key()
    }

    /// What the state says by `graph_key`, otherwise the key of its position.
    fn graph_key(&self, state: &PythonState) -> Result<Option<u64>> {
        Python::attach(|py| {
            let state = state.object(py);
            // A property that fails says so by the type, which has it.
            let has_own = state.get_type().hasattr("graph_key").map_err(external)?
                || state.hasattr("graph_key").map_err(external)?;
            let name = if has_own { "graph_key" } else { "key" };
            let key = match state.getattr(name) {
                Err(error) if !has_own && error.is_instance_of::<PyAttributeError>(py) => {
                    return Ok(None);
                }
                key => key.map_err(external)?,
            };
            key.extract::<Option<u64>>().map_err(|_| {
                Error::GameContract(format!(
                    "the {name} of a state is {key}; with graph=True it must be a whole number from \
                     0 to 2**64 - 1, or graph_key None for a state that shares no node"
                ))
            })
        })
    }

    fn ply(&self, state: &PythonState) -> Option<u32> {
        Python::attach(|py| state.object(py).getattr("ply").ok()?.extract().ok())
    }

    /// By `==` if the type defines it, otherwise by turn, legal actions, and `key` and `ply` if there
    /// are such.
    fn same(&self, a: &PythonState, b: &PythonState) -> Result<bool> {
        Python::attach(|py| {
            let (a, b) = (a.object(py), b.object(py));
            match has_equality(a)
                .and_then(|equality| if equality { a.eq(b).map(Some) } else { Ok(None) })
            {
                Ok(Some(equal)) => Ok(equal),
                Ok(None) => self.looks_same(a, b),
                // States that cannot be compared (arrays in a dataclass, say) are not the same.
                Err(error) if error.is_instance_of::<PyException>(py) => Ok(false),
                Err(error) => Err(external(error)),
            }
        })
    }
}

impl PythonModel {
    fn looks_same(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> Result<bool> {
        if self.is_over(a)? || self.is_over(b)? {
            return Ok(false);
        }
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        self.legal(a, &mut of_a)?;
        self.legal(b, &mut of_b)?;
        let turn = |state: &Bound<'_, PyAny>| {
            state.getattr("to_play").and_then(|player| player.extract::<i64>()).map_err(external)
        };
        let agree = |name: &str| match (a.getattr(name), b.getattr(name)) {
            (Ok(of_a), Ok(of_b)) => of_a.eq(of_b).unwrap_or(true),
            _ => true,
        };
        Ok(of_a == of_b && turn(a)? == turn(b)? && agree("key") && agree("ply"))
    }
}

impl Rooted for PythonModel {
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<PythonState> {
        options.check(&[]).map_err(external)?;
        Ok(state.clone().into())
    }

    fn calls_python(&self) -> bool {
        true
    }
}

impl Walked for PythonModel {
    fn show(&self, py: Python<'_>, state: &PythonState) -> PyResult<Py<PyAny>> {
        Ok(state.object(py).clone().unbind())
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &LeafBatch<Self>,
        wanted: WantedPlanes<'_>,
        _threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = (0..batch.len())
            .map(|row| self.planes_of(batch.snapshot(row), py, wanted.spec, None))
            .collect::<PyResult<Vec<_>>>()?;
        let planes = py.import("numpy")?.call_method1("stack", (rows,))?;
        if wanted.packed { planes::general(&planes) } else { Ok(planes) }
    }
}

/// Whether a state's type has an `__eq__` of its own.
fn has_equality(state: &Bound<'_, PyAny>) -> PyResult<bool> {
    let object = state.py().import("builtins")?.getattr("object")?;
    Ok(!state.get_type().getattr("__eq__")?.is(&object.getattr("__eq__")?))
}

/// The whole numbers of an array or any other sequence.
pub(crate) fn integers(given: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    if let Ok(array) = given.cast::<PyArray1<i64>>() {
        return Ok(array.try_readonly()?.as_array().to_vec());
    }
    given.try_iter()?.map(|item| item?.extract()).collect()
}
