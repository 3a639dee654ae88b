//! Arguments that are refused with a typed error if a plain conversion would raise another one.

use std::ops::Deref;

use phasezoo_core::Error;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::to_py;

/// Text from a caller. What cannot be encoded (lone surrogates) is replaced, so that the parser
/// refuses it with its own typed error.
pub(crate) struct Text(String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(text: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(text.cast::<PyString>()?.to_string_lossy().into_owned()))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// An action as a caller gives it: any whole number. One that is no action index is named in an
/// `IllegalAction`, not wrapped and not an overflow; what is no number, in a `TypeError`.
pub(crate) struct ActionIndex(pub(crate) u32);

impl<'a, 'py> FromPyObject<'a, 'py> for ActionIndex {
    type Error = PyErr;

    fn extract(action: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match action.extract::<u32>() {
            Ok(index) => Ok(Self(index)),
            Err(error) if error.is_instance_of::<PyOverflowError>(action.py()) => {
                let message =
                    format!("action {}: not an action index; choose one of legal_actions", *action);
                Err(to_py(Error::IllegalAction(message)))
            }
            Err(_) => Err(PyTypeError::new_err(format!(
                "action {}: a {}; expected an action index, one of legal_actions (parse_uci and \
                 parse_san of a state read the text of a move)",
                action.repr()?,
                action.get_type().name()?
            ))),
        }
    }
}

/// A seed: any whole number from 0 to 2^64 - 1. Another one is an `InvalidConfig`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seed(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Seed {
    type Error = PyErr;

    fn extract(number: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match number.extract::<u64>() {
            Ok(seed) => Ok(Self(seed)),
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
                let message =
                    format!("seed {}: expected a whole number from 0 to 2^64 - 1", *number);
                Err(to_py(Error::InvalidConfig(message)))
            }
            Err(error) => Err(error),
        }
    }
}

/// A number of things, zero or more. A negative or huge one is an `InvalidConfig`.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub(crate) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Count {
    type Error = PyErr;

    fn extract(number: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match number.extract::<usize>() {
            Ok(count) => Ok(Self(count)),
            Err(error) if error.is_instance_of::<PyOverflowError>(number.py()) => {
                let message = format!("{}: expected a whole number from 0", *number);
                Err(to_py(Error::InvalidConfig(message)))
            }
            Err(error) => Err(error),
        }
    }
}
