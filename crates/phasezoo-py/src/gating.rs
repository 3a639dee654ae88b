//! `Gate`: the core's gates as Python values.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use phasezoo_core::gate::{self, Gating, LIMITS, MONOTONE, Spelling};
use phasezoo_core::{Error, Result};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::catalogue::{self, GAMES};
use crate::errors::to_py;
use crate::native::{Native, typed, viewer};
use crate::python_game::PythonState;

/// A gate of one game, behind one type.
pub(crate) trait DynGate: Send + Sync {
    /// The canonical specification.
    fn spec(&self) -> String;
    /// One name per phase.
    fn names(&self) -> Vec<String>;
    /// Whether it never goes back to an earlier phase.
    fn monotone(&self) -> bool;
    /// The phase of a state of the game, as a player (default: the one to move) sees it.
    fn phase(
        &self,
        state: &Bound<'_, PyAny>,
        player: Option<i64>,
        previous: Option<u8>,
    ) -> Result<u8>;
}

/// A gate, or the reason why there is none.
pub(crate) type Read = std::result::Result<Box<dyn DynGate>, String>;

/// The gate of a specification for states of type `G`.
pub(crate) fn read<G: Native>(game: &'static str, spec: &str, monotone: bool) -> Read {
    Ok(Box::new(OfGame::<G> { game, rule: Gating::read(spec, monotone)? }))
}

/// A gate of a game of the core.
struct OfGame<G> {
    game: &'static str,
    rule: Gating<G>,
}

impl<G: Native> DynGate for OfGame<G> {
    fn spec(&self) -> String {
        self.rule.spec()
    }

    fn names(&self) -> Vec<String> {
        self.rule.names()
    }

    fn monotone(&self) -> bool {
        self.rule.monotone()
    }

    fn phase(
        &self,
        state: &Bound<'_, PyAny>,
        player: Option<i64>,
        previous: Option<u8>,
    ) -> Result<u8> {
        let state: &G = typed(state, self.game)?;
        self.rule.phase(state, viewer(state, player)?, previous)
    }
}

/// A gate of a user's own game: one that fits every game.
struct OfUser(Gating<PythonState>);

impl DynGate for OfUser {
    fn spec(&self) -> String {
        self.0.spec()
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn monotone(&self) -> bool {
        self.0.monotone()
    }

    fn phase(
        &self,
        state: &Bound<'_, PyAny>,
        _player: Option<i64>,
        previous: Option<u8>,
    ) -> Result<u8> {
        self.0.phase(&PythonState::from(state.clone()), 0, previous)
    }
}

/// The gate of a specification for a user's own game.
fn read_own(spec: &str, monotone: bool) -> Read {
    Ok(Box::new(OfUser(Gating::read(spec, monotone)?)))
}

/// The gate of a specification for `game`, or for the first game that has one of that name.
fn made(spec: &str, game: Option<&str>, monotone: bool) -> Result<Box<dyn DynGate>> {
    let Some(name) = game else {
        let read = match GAMES.iter().find(|game| game.knows_gate(spec)) {
            Some(game) => game.gate(spec, monotone),
            None if spec.trim_start_matches(MONOTONE).is_empty() => Err("it is empty".into()),
            None => Err("there is no such gate".into()),
        };
        let all: Vec<Spelling> = GAMES.iter().flat_map(|game| game.gate_spellings()).collect();
        return read.map_err(|reason| gate::refused(spec, &reason, &all));
    };
    let native = catalogue::game(name).ok();
    let (read, kinds) = match native {
        Some(game) => (game.gate(spec, monotone), game.gate_spellings()),
        None => (
            read_own(spec, monotone).map_err(|reason| format!("{reason} (game {name:?})")),
            gate::spellings::<PythonState>(),
        ),
    };
    read.map_err(|reason| gate::refused(spec, &reason, &kinds))
}

/// What a specification may be in any game: what the first game has, and what others have beside that.
fn grammar() -> String {
    let mut known = HashSet::new();
    let mut parts = Vec::new();
    for game in GAMES {
        let kinds = game.gate_spellings().into_iter().map(|kind| kind.grammar);
        let lines: Vec<String> = kinds.filter(|line| known.insert(line.clone())).collect();
        if lines.is_empty() {
            continue;
        }
        let lines = lines.join(" | ");
        parts.push(if parts.is_empty() { lines } else { format!("in {} {lines}", game.name()) });
    }
    format!("{}; {LIMITS}", parts.join(" | "))
}

/// Says which phase of the game a state is in; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
pub(crate) struct Gate {
    spec: String,
    names: Vec<String>,
    monotone: bool,
    /// The game it was made for.
    game: Option<String>,
    /// The gate of each game of the core, made when it is first asked for; a user's own is the last.
    made: Vec<OnceLock<Read>>,
}

impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

#[pymethods]
impl Gate {
    /// The gate of a specification; with `game`, one that must fit that game.
    #[new]
    #[pyo3(signature = (spec, game = None, monotone = false))]
    fn new(spec: &str, game: Option<String>, monotone: bool) -> PyResult<Self> {
        let read = made(spec, game.as_deref(), monotone).map_err(to_py)?;
        Ok(Self {
            spec: read.spec(),
            names: read.names(),
            monotone: read.monotone(),
            game,
            made: (0..=GAMES.len()).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The canonical specification: equal specifications are equal gates.
    #[getter]
    pub(crate) fn spec(&self) -> String {
        self.spec.clone()
    }

    /// One name per phase, in order of play if there is one.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.names)
    }

    /// How many phases there are.
    #[getter]
    fn num_phases(&self) -> usize {
        self.names.len()
    }

    /// Whether the gate never goes back to an earlier phase.
    #[getter]
    fn monotone(&self) -> bool {
        self.monotone
    }

    /// The phase of a state as `player` (default: the one to move) sees it; `previous` is the phase
    /// one ply before, which only monotone gates read.
    #[pyo3(signature = (state, player = None, previous = None))]
    fn __call__(
        &self,
        state: &Bound<'_, PyAny>,
        player: Option<i64>,
        previous: Option<i64>,
    ) -> PyResult<u8> {
        self.phase(state, player, previous).map_err(to_py)
    }

    /// int64[N]: the phases of many states.
    #[pyo3(signature = (states, players = None, previous = None))]
    fn batch<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        players: Option<Vec<i64>>,
        previous: Option<Vec<i64>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let phases = self.phases(states, players, previous)?;
        Ok(PyArray1::from_vec(py, phases.into_iter().map(i64::from).collect()))
    }

    /// float32[N, n]: 1 at each state's phase, 0 elsewhere.
    #[pyo3(signature = (states, players = None, previous = None))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        players: Option<Vec<i64>>,
        previous: Option<Vec<i64>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let phases = self.phases(states, players, previous)?;
        let array = PyArray2::zeros(py, [phases.len(), self.names.len()], false);
        let mut writable = array.try_readwrite()?;
        for (row, &phase) in
            writable.as_slice_mut()?.chunks_exact_mut(self.names.len()).zip(&phases)
        {
            row[usize::from(phase)] = 1.0;
        }
        drop(writable);
        Ok(array)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.spec.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("Gate('{}')", self.spec)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (String, Option<String>, bool)) {
        let gate = slf.get();
        (slf.get_type().into_any(), (gate.spec(), gate.game.clone(), gate.monotone))
    }
}

impl Gate {
    /// The gate as the game of `state` has it.
    fn of(&self, state: &Bound<'_, PyAny>) -> Result<&dyn DynGate> {
        let place = catalogue::place_of(state);
        let read = self.made[place.unwrap_or(GAMES.len())].get_or_init(|| {
            let gate = match place {
                Some(place) => GAMES[place].gate(&self.spec, false)?,
                None => read_own(&self.spec, false)?,
            };
            // Where the game has another gate of that name, this is not meant.
            if gate.spec() == self.spec { Ok(gate) } else { Err("it is of another game".into()) }
        });
        match read {
            Ok(gate) => Ok(&**gate),
            Err(reason) => {
                let kinds = match place {
                    Some(place) => GAMES[place].gate_spellings(),
                    None => gate::spellings::<PythonState>(),
                };
                Err(gate::refused(&self.spec, reason, &kinds))
            }
        }
    }

    fn phase(
        &self,
        state: &Bound<'_, PyAny>,
        player: Option<i64>,
        previous: Option<i64>,
    ) -> Result<u8> {
        // Anything outside a byte is outside the phases too, and refused as such.
        let previous = previous.map(|phase| u8::try_from(phase).unwrap_or(u8::MAX));
        self.of(state)?.phase(state, player, previous)
    }

    fn phases(
        &self,
        states: &Bound<'_, PyAny>,
        players: Option<Vec<i64>>,
        previous: Option<Vec<i64>>,
    ) -> PyResult<Vec<u8>> {
        let states: Vec<Bound<'_, PyAny>> = states.try_iter()?.collect::<PyResult<_>>()?;
        for (name, given) in [("players", &players), ("previous", &previous)] {
            if let Some(list) = given
                && list.len() != states.len()
            {
                return Err(to_py(Error::InvalidArray(format!(
                    "{name} has {} entries for {} states; give one a state, or None",
                    list.len(),
                    states.len()
                ))));
            }
        }
        let of_row = |list: &Option<Vec<i64>>, row: usize| list.as_ref().map(|list| list[row]);
        let phase = |(row, state): (usize, &Bound<'_, PyAny>)| {
            self.phase(state, of_row(&players, row), of_row(&previous, row))
        };
        states.iter().enumerate().map(phase).collect::<Result<_>>().map_err(to_py)
    }
}

/// The `key` of a user's own state, if it has one.
pub(crate) fn own_key(state: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    match state.getattr("key") {
        Ok(key) => key.extract().map(Some).map_err(|_| {
            to_py(Error::InvalidGate(format!(
                "the key of a state is {key}; the gate hash:n needs a whole number from 0 to \
                 2**64 - 1"
            )))
        }),
        Err(error) if error.is_instance_of::<PyAttributeError>(state.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The `ply` of a user's own state, if it has one.
pub(crate) fn own_plies(state: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    match state.getattr("ply") {
        Ok(ply) => ply.extract().map(Some).map_err(|_| {
            to_py(Error::InvalidGate(format!(
                "the ply of a state is {ply}; the gate plies:… needs a whole number, 0 at the start"
            )))
        }),
        Err(error) if error.is_instance_of::<PyAttributeError>(state.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Gate>()?;
    m.add("GATE_GRAMMAR", grammar())?;
    let kinds = GAMES.iter().flat_map(|game| game.gate_spellings());
    let mut names: Vec<&str> = kinds.flat_map(|kind| kind.names).collect();
    names.sort_unstable();
    names.dedup();
    m.add("GATE_NAMES", PyTuple::new(m.py(), names)?)
}
