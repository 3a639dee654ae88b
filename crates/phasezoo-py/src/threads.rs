//! What the machine leaves to this process: threads and memory.

use phasezoo_core::{memory, threads};
use pyo3::prelude::*;

use crate::errors::to_py;

/// Threads used if none are asked for: `PHASEZOO_THREADS`, otherwise the CPUs that affinity and
/// control group leave to this process.
#[pyfunction]
fn default_threads() -> PyResult<usize> {
    threads::default_threads().map_err(to_py)
}

/// Refuses `count` things of `size` bytes each that memory cannot hold; `what` names the option that asks
/// for them.
#[pyfunction]
fn check_memory(what: &str, count: usize, size: usize) -> PyResult<()> {
    memory::check(what, count, size).map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(default_threads, m)?)?;
    m.add_function(wrap_pyfunction!(check_memory, m)?)
}
