//! `phasezoo._core`: conversions, release of the interpreter lock and error mapping around
//! `phasezoo-core`. No logic lives here.

// Arguments come from Python by value.
#![allow(clippy::needless_pass_by_value)]

mod answers;
mod arguments;
mod boards;
mod encode;
mod errors;
mod gating;
mod leaves;
mod others;
mod pgn;
mod pommerman;
mod pommerman_agents;
mod pommerman_samples;
mod python_game;
mod records;
mod results;
mod search;
mod search_params;
mod state;
mod stream;
mod threads;
mod uct;
mod vector;
mod vector_buffers;

use pyo3::prelude::*;

/// The native core of phasezoo.
#[pymodule(gil_used = false)]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    state::register(m)?;
    encode::register(m)?;
    gating::register(m)?;
    pgn::register(m)?;
    pommerman::register(m)?;
    pommerman_agents::register(m)?;
    pommerman_samples::register(m)?;
    records::register(m)?;
    search::register(m)?;
    search_params::register(m)?;
    leaves::register(m)?;
    results::register(m)?;
    stream::register(m)?;
    uct::register(m)?;
    threads::register(m)?;
    vector::register(m)?;
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // The stub is the list of names, and it is checked against the module.
    m.delattr("__all__")
}
