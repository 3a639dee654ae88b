//! How many threads the core uses.

use phasezoo_core::threads;
use pyo3::prelude::*;

use crate::errors::to_py;

/// Threads used if none are asked for: `PHASEZOO_THREADS`, otherwise the CPUs that affinity and
/// control group leave to this process.
#[pyfunction]
fn default_threads() -> PyResult<usize> {
    threads::default_threads().map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(default_threads, m)?)
}
