//! The core's errors as exceptions of `phasezoo.errors`.

use phasezoo_core::Error;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The exception of an error: the class of the variant's name in `phasezoo.errors`, with its message.
/// An exception that the caller's own code raised comes back as it was.
pub(crate) fn to_py(error: Error) -> PyErr {
    let class = match &error {
        Error::InvalidFen(_) => "InvalidFen",
        Error::InvalidUci(_) => "InvalidUci",
        Error::InvalidSan(_) => "InvalidSan",
        Error::InvalidPgn(_) => "InvalidPgn",
        Error::IllegalAction(_) => "IllegalAction",
        Error::InvalidGate(_) => "InvalidGate",
        Error::InvalidPlaneSpec(_) => "InvalidPlaneSpec",
        Error::UnknownGame(_) => "UnknownGame",
        Error::InvalidArray(_) => "InvalidArray",
        Error::InvalidConfig(_) => "InvalidConfig",
        Error::InvalidEvaluation(_) => "InvalidEvaluation",
        Error::GameContract(_) => "GameContract",
        Error::CorruptRecord(_) => "CorruptRecord",
        Error::InvalidState(_) => "InvalidState",
        Error::External(_) => return raised_by_caller(error),
    };
    let message = error.to_string();
    Python::attach(|py| raised(py, class, message).unwrap_or_else(|failure| failure))
}

fn raised(py: Python<'_>, class: &str, message: String) -> PyResult<PyErr> {
    let exception = py.import("phasezoo.errors")?.getattr(class)?.call1((message,))?;
    Ok(PyErr::from_value(exception))
}

fn raised_by_caller(error: Error) -> PyErr {
    match error {
        Error::External(inner) => match inner.downcast::<PyErr>() {
            Ok(raised) => *raised,
            Err(other) => PyRuntimeError::new_err(other.to_string()),
        },
        other => to_py(other),
    }
}

/// An exception of the caller's own code, which comes back as it was.
pub(crate) fn external(error: PyErr) -> Error {
    Error::External(Box::new(error))
}
