//! `phasezoo._core`: conversions, release of the interpreter lock and error mapping around
//! `phasezoo-core`. No logic lives here.

// Arguments come from Python by value.
#![allow(clippy::needless_pass_by_value)]

mod answers;
mod arguments;
mod beam;
mod cache;
mod catalogue;
mod decoupled;
mod encode;
mod errors;
mod games;
mod gating;
mod leaves;
mod limits;
mod native;
mod options;
mod others;
mod outcome;
mod pictures;
mod planes;
mod pools;
mod python_game;
mod records;
mod results;
mod rollouts;
mod rows;
mod search;
mod search_params;
mod stream;
mod threads;
mod through;
mod turn_state;
mod uct;
mod vector;
mod vector_buffers;
mod vectors;

use pyo3::prelude::*;

/// The native core of phasezoo.
#[pymodule(gil_used = false)]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    beam::register(m)?;
    cache::register(m)?;
    catalogue::register(m)?;
    decoupled::register(m)?;
    encode::register(m)?;
    gating::register(m)?;
    outcome::register(m)?;
    planes::register(m)?;
    records::register(m)?;
    search::register(m)?;
    search_params::register(m)?;
    leaves::register(m)?;
    limits::register(m)?;
    results::register(m)?;
    stream::register(m)?;
    uct::register(m)?;
    threads::register(m)?;
    through::register(m)?;
    vector::register(m)?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // The stub is the list of names, and it is checked against the module.
    m.delattr("__all__")
}
