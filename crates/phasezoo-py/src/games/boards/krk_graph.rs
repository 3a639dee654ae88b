//! The whole endgame at once.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use phasezoo_core::games::krk::graph::Graph;
use pyo3::prelude::*;

use super::state::BoardState;
use crate::errors::to_py;

type Everything<'py> = (
    Vec<BoardState>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f32>>,
);

/// All N positions of king and rook against king with White, who has the rook, to move: (states,
/// offsets, actions, dtm).
///
/// offsets int64[N + 1]: where the actions of each position begin and end. actions int64[E]: the legal
/// actions, ascending in each position. dtm float32[E]: White's moves to mate after each of them with
/// best play of both, inf where it draws. The positions have no past and are in a fixed order.
#[pyfunction]
fn krk_graph(py: Python<'_>) -> Everything<'_> {
    let graph = py.detach(Graph::get);
    let offsets = std::iter::once(0).chain(graph.ends().iter().map(|&end| i64::from(end)));
    let dtm = graph.dtm().iter().map(|moves| moves.map_or(f32::INFINITY, f32::from));
    (
        graph.states().map(BoardState::new).collect(),
        offsets.collect::<Vec<_>>().into_pyarray(py),
        graph
            .actions()
            .iter()
            .map(|&action| i64::from(action))
            .collect::<Vec<_>>()
            .into_pyarray(py),
        dtm.collect::<Vec<_>>().into_pyarray(py),
    )
}

/// float64[N]: the chance in each position of `krk_graph` that White mates within `moves` moves, if it
/// draws its actions by `probabilities` (float64[E], with the sum 1 in each position) and Black, who
/// knows them, answers with what is worst for White.
#[pyfunction]
#[pyo3(signature = (probabilities, moves = 50))]
fn krk_mate_chances<'py>(
    py: Python<'py>,
    probabilities: PyReadonlyArray1<'py, f64>,
    moves: u32,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let given = probabilities.as_slice()?;
    let found = py.detach(|| Graph::get().mate_chances(given, moves)).map_err(to_py)?;
    Ok(found.into_pyarray(py))
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(krk_graph, m)?)?;
    m.add_function(wrap_pyfunction!(krk_mate_chances, m)?)
}
