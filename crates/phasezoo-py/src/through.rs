//! Playing one game through, from a state of Python's.

use numpy::PyReadonlyArray1;
use phasezoo_core::records::{Through, Told, Visits};
use pyo3::prelude::*;

use crate::catalogue;
use crate::encode;
use crate::errors::to_py;
use crate::native::{Native, typed};
use crate::records::contiguous;

/// The states before and after the last ply, or the ply from which on a game goes on after its end.
#[derive(IntoPyObject)]
pub(crate) enum Led {
    Whole((Py<PyAny>, Py<PyAny>)),
    Beyond(usize),
}

/// Plays a game of the room `name`.
pub(crate) fn led<G: Native>(
    start: &Bound<'_, PyAny>,
    name: &str,
    told: Told<'_>,
    beyond: bool,
) -> PyResult<Led> {
    let py = start.py();
    let start: &G = typed(start, name).map_err(to_py)?;
    match py.detach(|| Through::play(start, told, beyond)).map_err(to_py)? {
        Through::Whole { last, end } => Ok(Led::Whole((last.shown(py)?, end.shown(py)?))),
        Through::Beyond(ply) => Ok(Led::Beyond(ply)),
    }
}

/// Plays the `actions` uint16[T * width] of one game from a state, each checked for legality, as those
/// are that searches visited: `visits`, a pair of offsets int64[T * width + 1] and actions int32[V].
/// Gives the states before and after the last ply; of a game that goes on after its end by the rules the
/// ply from which on it does: the rest is played and checked if `beyond` says so.
#[pyfunction]
#[pyo3(signature = (start, actions, width = 1, visits = None, beyond = false))]
fn play_through<'py>(
    start: &Bound<'py, PyAny>,
    actions: PyReadonlyArray1<'py, u16>,
    width: usize,
    visits: Option<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>)>,
    beyond: bool,
) -> PyResult<Led> {
    let game = catalogue::game_of(start).ok_or_else(|| encode::no_state(start))?;
    let visits = match &visits {
        Some((offsets, actions)) => {
            Some(Visits { offsets: contiguous(offsets)?, actions: contiguous(actions)? })
        }
        None => None,
    };
    game.through(start, Told { actions: contiguous(&actions)?, width, visits }, beyond)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(play_through, m)?)
}
