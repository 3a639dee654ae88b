//! An evaluator's arrays, with the shapes that the core expects.

use numpy::{PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use phasezoo_core::Error;
use phasezoo_core::search::{Evaluation, Heads, Policy, Value};
use pyo3::prelude::*;

use crate::errors::to_py;

/// A C-contiguous float32 array.
struct Floats<'py>(PyReadonlyArrayDyn<'py, f32>);

/// What an evaluator said of a batch.
pub(crate) struct Answers<'py> {
    policy_logits: Option<Floats<'py>>,
    legal_logits: Option<Floats<'py>>,
    value: Option<Floats<'py>>,
    wdl: Option<Floats<'py>>,
    plies_left: Option<Floats<'py>>,
}

impl<'py> Answers<'py> {
    /// The arrays given for `rows` leaves with `legal` legal actions in all. If both `value` and
    /// `wdl` are given, `value` counts, and `wdl` says the chance of a draw.
    #[allow(clippy::too_many_arguments)] // an array each
    pub(crate) fn new(
        rows: usize,
        legal: usize,
        policy_logits: Option<&Bound<'py, PyAny>>,
        legal_logits: Option<&Bound<'py, PyAny>>,
        value: Option<&Bound<'py, PyAny>>,
        wdl: Option<&Bound<'py, PyAny>>,
        plies_left: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        if policy_logits.is_some() && legal_logits.is_some() {
            return Err(invalid("policy_logits and legal_logits are both given; give one of them"));
        }
        if value.is_none() && wdl.is_none() {
            return Err(invalid(&format!(
                "neither value (float32[{rows}]) nor wdl (float32[{rows}, 3]) is given"
            )));
        }
        let answers = Self {
            policy_logits: floats("policy_logits", policy_logits, &[Some(rows), None])?,
            legal_logits: floats("legal_logits", legal_logits, &[Some(legal)])?,
            value: match value {
                Some(value) if is_matrix(value) => {
                    floats("value", Some(value), &[Some(rows), None])?
                }
                _ => floats("value", value, &[Some(rows)])?,
            },
            wdl: floats("wdl", wdl, &[Some(rows), Some(3)])?,
            plies_left: floats("plies_left", plies_left, &[Some(rows)])?,
        };
        Ok(answers)
    }

    /// The same for the core.
    pub(crate) fn evaluation(&self) -> Evaluation<'_> {
        let policy = match (&self.policy_logits, &self.legal_logits) {
            (Some(logits), _) => Policy::Logits(logits.slice()),
            (None, Some(logits)) => Policy::LegalLogits(logits.slice()),
            (None, None) => Policy::Uniform,
        };
        let value = match (&self.value, &self.wdl) {
            (Some(value), _) if value.0.ndim() == 2 => Value::PerPlayer(value.slice()),
            (Some(value), _) => Value::ToPlay(value.slice()),
            (None, Some(wdl)) => Value::Wdl(wdl.slice()),
            (None, None) => Value::ToPlay(&[]),
        };
        Evaluation { policy, value }
    }

    /// What was said besides, for the core.
    pub(crate) fn heads(&self) -> Heads<'_> {
        Heads {
            wdl: self.wdl.as_ref().map(Floats::slice),
            plies_left: self.plies_left.as_ref().map(Floats::slice),
        }
    }
}

impl Floats<'_> {
    fn slice(&self) -> &[f32] {
        // `floats` lets only contiguous arrays through.
        self.0.as_slice().unwrap_or_default()
    }
}

fn is_matrix(array: &Bound<'_, PyAny>) -> bool {
    array.getattr("ndim").and_then(|ndim| ndim.extract::<usize>()).is_ok_and(|ndim| ndim == 2)
}

/// `given` as a contiguous float32 array whose axes have the lengths in `shape` (None: any).
fn floats<'py>(
    name: &str,
    given: Option<&Bound<'py, PyAny>>,
    shape: &[Option<usize>],
) -> PyResult<Option<Floats<'py>>> {
    let Some(given) = given else { return Ok(None) };
    let array = match given.cast::<PyArrayDyn<f32>>() {
        Ok(array) if array.is_c_contiguous() => array.clone(),
        _ => converted(name, given, shape)?,
    };
    let fits = array.ndim() == shape.len()
        && array
            .shape()
            .iter()
            .zip(shape)
            .all(|(&axis, want)| want.is_none_or(|want| want == axis));
    if !fits {
        return Err(invalid(&format!(
            "{name} is float32{:?}, expected float32{}",
            array.shape(),
            shown(shape)
        )));
    }
    let readable = array
        .try_readonly()
        .map_err(|error| invalid(&format!("{name} cannot be read now ({error})")))?;
    Ok(Some(Floats(readable)))
}

/// A contiguous float32 copy of numbers of another type or layout.
fn converted<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
    shape: &[Option<usize>],
) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("asarray", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !["f", "i", "u"].contains(&kind.as_str()) {
        let dtype = array.getattr("dtype")?;
        return Err(invalid(&format!("{name} is {dtype}, expected float32{}", shown(shape))));
    }
    let float32 = numpy.getattr("float32")?;
    let array = numpy.call_method1("asarray", (array, float32, "C"))?; // keeps a scalar one
    Ok(array.cast_into::<PyArrayDyn<f32>>()?)
}

fn shown(shape: &[Option<usize>]) -> String {
    let axes: Vec<String> = shape
        .iter()
        .map(|axis| axis.map_or_else(|| "any".into(), |axis| axis.to_string()))
        .collect();
    format!("[{}]", axes.join(", "))
}

fn invalid(message: &str) -> PyErr {
    to_py(Error::InvalidEvaluation(message.to_owned()))
}
