//! `Records`: stored games in columns that `NumPy` owns.

use numpy::{
    PyArray1, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray4,
};
use phasezoo_core::games::Chess;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::records::{Permutation, Rows, Samples, Starts, Table};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::boards::AnyBoard;
use crate::errors::to_py;
use crate::gating::Gate;
use crate::state::BoardState;

/// Start positions of the games of a kind: the one place that dispatches over the kinds.
enum AnyStarts {
    Chess(Starts<Chess>),
}

/// Evaluates an expression on the table of the columns, whatever its game.
macro_rules! dispatch_table {
    ($starts:expr, $moves:expr, $offsets:expr, $table:ident => $body:expr) => {
        match $starts {
            AnyStarts::Chess(starts) => {
                let $table = Table::new($moves, $offsets, starts);
                $body
            }
        }
    };
}

/// Games in columns: `moves` uint16[T], one game after the other, and `offsets` int64[N + 1]. The
/// arrays must not be changed while this object lives.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct Records {
    moves: Py<PyArray1<u16>>,
    offsets: Py<PyArray1<i64>>,
    starts: AnyStarts,
}

#[pymethods]
impl Records {
    /// Checks the columns' shape and the start positions; the moves are checked by `label`.
    #[new]
    fn new(
        game: &str,
        moves: Bound<'_, PyArray1<u16>>,
        offsets: Bound<'_, PyArray1<i64>>,
        starts: Vec<(usize, String)>,
    ) -> PyResult<Self> {
        let pairs = starts.iter().map(|(game, fen)| (*game, fen.as_str()));
        let starts = match game {
            "chess" => Starts::parse(pairs).map(AnyStarts::Chess),
            other => Err(Error::UnknownGame(format!(
                "{other:?}: games of this kind cannot be stored; known is \"chess\""
            ))),
        };
        let starts = starts.map_err(to_py)?;
        {
            let (moves, offsets) = (moves.try_readonly()?, offsets.try_readonly()?);
            let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
            dispatch_table!(&starts, moves, offsets, table => table.check()).map_err(to_py)?;
        }
        Ok(Self { moves: moves.unbind(), offsets: offsets.unbind(), starts })
    }

    /// (phase int8[T], key uint64[T]) of the position before every move, all moves checked.
    #[pyo3(signature = (gate, threads = None))]
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn label<'py>(
        &self,
        py: Python<'py>,
        gate: &Gate,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<u64>>)> {
        let (moves, offsets) = self.columns(py)?;
        let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
        let labels = py.detach(
            || dispatch_table!(&self.starts, moves, offsets, table => table.label(&gate.gate, threads)),
        );
        let labels = labels.map_err(to_py)?;
        Ok((PyArray1::from_vec(py, labels.phase), PyArray1::from_vec(py, labels.key)))
    }

    /// The states of one game before each of its moves, every move checked.
    fn states(&self, py: Python<'_>, game: usize) -> PyResult<Vec<BoardState>> {
        let (moves, offsets) = self.columns(py)?;
        let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
        let states = match &self.starts {
            AnyStarts::Chess(starts) => Table::new(moves, offsets, starts).states(game),
        };
        let states = states.map_err(to_py)?;
        Ok(states.into_iter().map(|state| AnyBoard::Chess(state).into()).collect())
    }

    /// Fills `planes` float32[B, C, 8, 8], `action` int64[B], `to_play` int8[B] and `plies_left`
    /// float32[B] for the positions after `plies` moves of `games`; `hidden` bool[B] leaves the planes
    /// of the last moves empty. The moves must have been checked by `label`.
    #[pyo3(signature = (games, plies, spec, planes, action, to_play, plies_left, hidden = None, threads = None))]
    #[allow(clippy::too_many_arguments)] // four outputs, each a buffer of the caller's
    fn sample(
        &self,
        py: Python<'_>,
        games: PyReadonlyArray1<'_, i32>,
        plies: PyReadonlyArray1<'_, i32>,
        spec: &str,
        planes: Bound<'_, PyArray4<f32>>,
        action: Bound<'_, PyArray1<i64>>,
        to_play: Bound<'_, PyArray1<i8>>,
        plies_left: Bound<'_, PyArray1<f32>>,
        hidden: Option<PyReadonlyArray1<'_, bool>>,
        threads: Option<usize>,
    ) -> PyResult<()> {
        let spec = BoardPlanes::parse::<Chess>(spec).map_err(to_py)?;
        let (moves, offsets) = self.columns(py)?;
        let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
        let hidden = hidden.as_ref().map(contiguous).transpose()?;
        let rows = Rows {
            games: contiguous(&games)?,
            plies: contiguous(&plies)?,
            hidden: hidden.unwrap_or_default(),
        };
        let mut planes: PyReadwriteArray4<'_, f32> = planes.try_readwrite()?;
        let mut action: PyReadwriteArray1<'_, i64> = action.try_readwrite()?;
        let mut to_play: PyReadwriteArray1<'_, i8> = to_play.try_readwrite()?;
        let mut plies_left: PyReadwriteArray1<'_, f32> = plies_left.try_readwrite()?;
        let out = Samples {
            planes: planes.as_slice_mut()?,
            action: action.as_slice_mut()?,
            to_play: to_play.as_slice_mut()?,
            plies_left: plies_left.as_slice_mut()?,
        };
        py.detach(|| {
            dispatch_table!(&self.starts, moves, offsets, table => table.sample(rows, spec, out, threads))
        })
        .map_err(to_py)
    }

    /// uint64[N]: a number per game that depends on `seed`, its start and its moves alone.
    fn hashes<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let (moves, offsets) = self.columns(py)?;
        let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
        let hashes = py
            .detach(|| dispatch_table!(&self.starts, moves, offsets, table => table.hashes(seed)))
            .map_err(to_py)?;
        Ok(PyArray1::from_vec(py, hashes))
    }

    /// (moves, offsets) of some of the games, in the order given.
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn gather<'py>(
        &self,
        py: Python<'py>,
        games: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<u16>>, Bound<'py, PyArray1<i64>>)> {
        let (moves, offsets) = self.columns(py)?;
        let (moves, offsets) = (contiguous(&moves)?, contiguous(&offsets)?);
        let games = contiguous(&games)?;
        let (moves, offsets) = py
            .detach(|| dispatch_table!(&self.starts, moves, offsets, table => table.gather(games)))
            .map_err(to_py)?;
        Ok((PyArray1::from_vec(py, moves), PyArray1::from_vec(py, offsets)))
    }
}

/// Both columns, borrowed.
type Columns<'py> = (PyReadonlyArray1<'py, u16>, PyReadonlyArray1<'py, i64>);

impl Records {
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        Ok((self.moves.bind(py).try_readonly()?, self.offsets.bind(py).try_readonly()?))
    }
}

/// The elements of an array, which must lie one after the other.
fn contiguous<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| {
        to_py(Error::InvalidArray(
            "an array is not contiguous; copy it with numpy.ascontiguousarray".into(),
        ))
    })
}

/// int64[count]: what stands at the places `first`, `first + 1`, … of the permutation of
/// `range(len)` that belongs to `seed`.
#[pyfunction]
fn permuted(
    py: Python<'_>,
    len: u64,
    seed: u64,
    first: u64,
    count: u64,
) -> PyResult<Bound<'_, PyArray1<i64>>> {
    let end = first.checked_add(count).filter(|&end| end <= len);
    let places: Result<Vec<i64>> = match end {
        Some(end) => {
            let permutation = Permutation::new(len, seed);
            Ok((first..end).map(|place| permutation.get(place) as i64).collect())
        }
        None => Err(Error::InvalidArray(format!(
            "places {first} to {first} + {count} of a permutation of {len} numbers"
        ))),
    };
    Ok(PyArray1::from_vec(py, places.map_err(to_py)?))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Records>()?;
    m.add_function(wrap_pyfunction!(permuted, m)?)
}
