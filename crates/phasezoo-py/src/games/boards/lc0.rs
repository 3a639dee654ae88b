//! The moves of lc0's policies.

use numpy::PyArray1;
use phasezoo_core::games::boards::lc0_moves::{Lc0Actions, Lc0Move};
use pyo3::prelude::*;

type Indices<'py> = Bound<'py, PyArray1<i64>>;

/// The 1,858 moves in UCI notation as the mover sees them, and the place of each in the output of a
/// convolutional policy, int64[1858].
#[pyfunction]
fn lc0_moves(py: Python<'_>) -> (Vec<String>, Indices<'_>) {
    let text = |m: Lc0Move| {
        let promotion = m.promotion.map(|role| role.char().to_string()).unwrap_or_default();
        format!("{}{}{promotion}", m.from, m.to)
    };
    let places = Lc0Move::all().map(|m| m.in_convolution() as i64).collect();
    (Lc0Move::all().map(text).collect(), PyArray1::from_vec(py, places))
}

/// The move of each of the 4,672 actions, int64[4672], and the one if a pawn on the seventh rank becomes
/// a queen or the king on e1 castles, int64[4672]; -1 if there is none.
#[pyfunction]
fn lc0_actions(py: Python<'_>) -> (Indices<'_>, Indices<'_>) {
    let Lc0Actions { usual, special } = Lc0Actions::new();
    let array = |moves: Vec<Option<u16>>| {
        PyArray1::from_vec(py, moves.into_iter().map(|m| m.map_or(-1, i64::from)).collect())
    };
    (array(usual), array(special))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(lc0_moves, m)?)?;
    m.add_function(wrap_pyfunction!(lc0_actions, m)?)
}
