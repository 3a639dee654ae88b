//! `Gate`: the core's gates as Python values.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use phasezoo_core::gating::{self, Features, View};
use phasezoo_core::{Error, Result};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::catalogue;
use crate::errors::to_py;

/// Says which phase of the game a state is in; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    pub(crate) gate: gating::Gate,
    game: Option<String>,
}

impl PartialEq for Gate {
    fn eq(&self, other: &Self) -> bool {
        self.gate == other.gate
    }
}

#[pymethods]
impl Gate {
    /// The gate of a specification; with `game`, one that must fit that game.
    #[new]
    #[pyo3(signature = (spec, game = None, monotone = false))]
    fn new(spec: &str, game: Option<String>, monotone: bool) -> PyResult<Self> {
        let made = match &game {
            Some(game) => gating::Gate::parse_for(game, spec, monotone),
            None => gating::Gate::parse(spec, monotone),
        };
        Ok(Self { gate: made.map_err(to_py)?, game })
    }

    /// The canonical specification: equal specifications are equal gates.
    #[getter]
    fn spec(&self) -> String {
        self.gate.spec()
    }

    /// One name per phase, in order of play where there is one.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.gate.names())
    }

    /// How many phases there are.
    #[getter]
    fn num_phases(&self) -> usize {
        self.gate.num_phases()
    }

    /// Whether the gate never goes back to an earlier phase.
    #[getter]
    fn monotone(&self) -> bool {
        self.gate.monotone()
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
        let features = self.features(state, player)?;
        self.phase(&features, previous).map_err(to_py)
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
        let phases = self.phases(py, states, players, previous)?;
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
        let phases = self.phases(py, states, players, previous)?;
        let array = PyArray2::zeros(py, [phases.len(), self.gate.num_phases()], false);
        let mut writable = array.try_readwrite()?;
        for (row, &phase) in
            writable.as_slice_mut()?.chunks_exact_mut(self.gate.num_phases()).zip(&phases)
        {
            row[usize::from(phase)] = 1.0;
        }
        drop(writable);
        Ok(array)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.gate.spec().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("Gate('{}')", self.gate.spec())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (String, Option<String>, bool)) {
        let Self { gate, game } = slf.get();
        (slf.get_type().into_any(), (gate.spec(), game.clone(), gate.monotone()))
    }
}

impl Gate {
    /// What the gate may read of a state: everything of one of ours, a `key` of a user's own.
    fn features(&self, state: &Bound<'_, PyAny>, player: Option<i64>) -> PyResult<Features> {
        if let Some(game) = catalogue::game_of(state) {
            return game.features(state, player).map_err(to_py);
        }
        let key = if self.gate.needs_key() { own_key(state)? } else { None };
        Ok(Features { key, view: View::Plain })
    }

    fn phase(&self, features: &Features, previous: Option<i64>) -> Result<u8> {
        let previous = match previous {
            Some(phase) if self.gate.monotone() => {
                // Anything outside a byte is outside the phases too, and refused as such.
                Some(u8::try_from(phase).unwrap_or(u8::MAX))
            }
            _ => None,
        };
        self.gate.phase(features, previous)
    }

    fn phases(
        &self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        players: Option<Vec<i64>>,
        previous: Option<Vec<i64>>,
    ) -> PyResult<Vec<u8>> {
        let mut features = Vec::with_capacity(states.len().unwrap_or_default());
        for (row, state) in states.try_iter()?.enumerate() {
            let player = players.as_ref().and_then(|players| players.get(row)).copied();
            features.push(self.features(&state?, player)?);
        }
        for (name, given) in [("players", &players), ("previous", &previous)] {
            if let Some(list) = given
                && list.len() != features.len()
            {
                return Err(to_py(Error::InvalidArray(format!(
                    "{name} has {} entries for {} states; give one a state, or None",
                    list.len(),
                    features.len()
                ))));
            }
        }
        py.detach(|| {
            let previous = |row: usize| previous.as_ref().map(|previous| previous[row]);
            features
                .iter()
                .enumerate()
                .map(|(row, features)| self.phase(features, previous(row)))
                .collect::<Result<_>>()
        })
        .map_err(to_py)
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

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Gate>()?;
    m.add("GATE_GRAMMAR", gating::GRAMMAR)
}
