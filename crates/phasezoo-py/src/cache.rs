//! `EvaluationCache`: answers of evaluators, kept for positions that come again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1,
    PyReadwriteArray2, PyUntypedArrayMethods, ndarray::Array2,
};
use phasezoo_core::Error;
use phasezoo_core::search::{self, CacheKey};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::errors::to_py;

/// Answers of evaluators, those used last, within a bound of memory. Any thread may call.
///
/// An answer is a head of a fixed width (values) and, if `layout` is odd, a logit for each legal action.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct EvaluationCache(Mutex<search::EvaluationCache>);

#[pymethods]
impl EvaluationCache {
    /// A cache of at most `capacity` bytes, everything counted.
    #[new]
    fn new(capacity: usize) -> Self {
        Self(Mutex::new(search::EvaluationCache::new(capacity)))
    }

    /// How many answers are kept.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.with(py, |cache| cache.len())
    }

    /// Bytes in use.
    #[getter]
    fn bytes(&self, py: Python<'_>) -> usize {
        self.with(py, |cache| cache.bytes())
    }

    /// Forgets everything.
    fn clear(&self, py: Python<'_>) {
        self.with(py, search::EvaluationCache::clear);
    }

    /// Writes what is known into `heads` and `logits`. Returns int64[B]: -1 for a row that is known,
    /// otherwise the first row with the same key.
    fn look<'py>(
        &self,
        py: Python<'py>,
        keys: PyReadonlyArray2<'py, u64>,
        layout: u32,
        offsets: PyReadonlyArray1<'py, i64>,
        mut heads: PyReadwriteArray2<'py, f32>,
        mut logits: PyReadwriteArray1<'py, f32>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let width = heads.shape()[1];
        let rows = Rows::new(keys.as_slice()?, offsets.as_slice()?, layout)?;
        rows.check(heads.shape()[0], logits.shape()[0])?;
        let (heads, logits) = (heads.as_slice_mut()?, logits.as_slice_mut()?);
        let mut found = vec![-1; rows.count()];
        let mut first: HashMap<(u64, u64), i64> = HashMap::new();
        self.with(py, |cache| {
            for (row, found) in found.iter_mut().enumerate() {
                let key = rows.key(row);
                let own = rows.logits(row);
                match cache.get(key, layout) {
                    Some(numbers) if numbers.len() == width + own.len() => {
                        heads[row * width..][..width].copy_from_slice(&numbers[..width]);
                        logits[own].copy_from_slice(&numbers[width..]);
                    }
                    _ => *found = *first.entry((key.0, key.1)).or_insert(row as i64),
                }
            }
        });
        Ok(found.into_pyarray(py))
    }

    /// Keeps answers.
    fn put<'py>(
        &self,
        py: Python<'py>,
        keys: PyReadonlyArray2<'py, u64>,
        layout: u32,
        offsets: PyReadonlyArray1<'py, i64>,
        heads: PyReadonlyArray2<'py, f32>,
        logits: PyReadonlyArray1<'py, f32>,
    ) -> PyResult<()> {
        let width = heads.shape()[1];
        let rows = Rows::new(keys.as_slice()?, offsets.as_slice()?, layout)?;
        rows.check(heads.shape()[0], logits.shape()[0])?;
        let (heads, logits) = (heads.as_slice()?, logits.as_slice()?);
        self.with(py, |cache| {
            let mut numbers = Vec::new();
            for row in 0..rows.count() {
                numbers.clear();
                numbers.extend_from_slice(&heads[row * width..][..width]);
                numbers.extend_from_slice(&logits[rows.logits(row)]);
                cache.put(rows.key(row), layout, &numbers);
            }
        });
        Ok(())
    }
}

impl EvaluationCache {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut search::EvaluationCache) -> T,
    ) -> T {
        work(&mut self.0.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner))
    }
}

/// Keys of rows, and where their logits lie.
struct Rows<'a> {
    keys: &'a [u64],
    offsets: &'a [i64],
    has_logits: bool,
}

impl<'a> Rows<'a> {
    fn new(keys: &'a [u64], offsets: &'a [i64], layout: u32) -> PyResult<Self> {
        let rising = offsets.first() == Some(&0) && offsets.is_sorted();
        if offsets.len() * 2 != keys.len() + 2 || !rising {
            return Err(wrong("keys and offsets are not of the same rows"));
        }
        Ok(Self { keys, offsets, has_logits: layout % 2 == 1 })
    }

    fn check(&self, heads: usize, logits: usize) -> PyResult<()> {
        let total = if self.has_logits { self.offsets[self.count()] as usize } else { 0 };
        if heads == self.count() && logits == total {
            return Ok(());
        }
        Err(wrong("heads and logits are not of the keys' rows"))
    }

    fn count(&self) -> usize {
        self.keys.len() / 2
    }

    fn key(&self, row: usize) -> CacheKey {
        CacheKey(self.keys[2 * row], self.keys[2 * row + 1])
    }

    fn logits(&self, row: usize) -> std::ops::Range<usize> {
        if self.has_logits {
            self.offsets[row] as usize..self.offsets[row + 1] as usize
        } else {
            0..0
        }
    }
}

/// uint64[B, 2]: what the answers to rows of planes, float32[B, n], depend on: the planes, who is to move,
/// the legal actions, and `asked`, a number for the evaluator.
#[pyfunction]
fn row_keys<'py>(
    py: Python<'py>,
    planes: PyReadonlyArray2<'py, f32>,
    players: PyReadonlyArray1<'py, i64>,
    offsets: PyReadonlyArray1<'py, i64>,
    actions: PyReadonlyArray1<'py, i32>,
    asked: u64,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let [count, size] = [planes.shape()[0], planes.shape()[1]];
    let (planes, players) = (planes.as_slice()?, players.as_slice()?);
    let (offsets, actions) = (offsets.as_slice()?, actions.as_slice()?);
    let fits = players.len() == count
        && offsets.len() == count + 1
        && offsets.is_sorted()
        && offsets[0] == 0
        && offsets[count] as usize == actions.len();
    if !fits {
        return Err(wrong("planes, players and legal actions are not of the same rows"));
    }
    let legal: Vec<u32> = actions.iter().map(|&action| action as u32).collect();
    let keys: Vec<u64> = py.detach(|| {
        let each = (0..count).map(|row| {
            let legal = &legal[offsets[row] as usize..offsets[row + 1] as usize];
            CacheKey::of(&planes[row * size..][..size], players[row] as u8, legal, asked)
        });
        each.flat_map(|key| [key.0, key.1]).collect()
    });
    let keys = Array2::from_shape_vec((count, 2), keys)
        .map_err(|_| wrong("two numbers are needed for each row"))?;
    Ok(keys.into_pyarray(py))
}

fn wrong(what: &str) -> PyErr {
    to_py(Error::InvalidArray(what.into()))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<EvaluationCache>()?;
    m.add_function(wrap_pyfunction!(row_keys, m)?)
}
