//! `Outcome`: how a game ended.

use phasezoo_core::game::{Outcome as CoreOutcome, Player};
use pyo3::prelude::*;

/// How a game ended.
#[pyclass(frozen, eq, hash, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    /// Index of the winner, or None.
    #[pyo3(get)]
    winner: Option<Player>,
    /// Why the game ended, such as "checkmate".
    #[pyo3(get)]
    reason: String,
}

#[pymethods]
impl Outcome {
    #[new]
    #[pyo3(signature = (winner, reason))]
    fn new(winner: Option<Player>, reason: String) -> Self {
        Self { winner, reason }
    }

    fn __repr__(&self) -> String {
        let winner = self.winner.map_or_else(|| "None".into(), |winner| winner.to_string());
        format!("Outcome(winner={winner}, reason='{}')", self.reason)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<Player>, String)) {
        let outcome = slf.get();
        (slf.get_type().into_any(), (outcome.winner, outcome.reason.clone()))
    }
}

impl From<CoreOutcome> for Outcome {
    fn from(outcome: CoreOutcome) -> Self {
        Self { winner: outcome.winner, reason: outcome.reason.as_str().into() }
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Outcome>()
}
