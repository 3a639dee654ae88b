//! `Records`: stored games in columns that `NumPy` owns.

use numpy::{
    PyArray1, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1, PyReadwriteArray4,
};
use phasezoo_core::records::{Labels, Permutation, Rows, Samples};
use phasezoo_core::{Error, Result, memory};
use pyo3::prelude::*;

use crate::catalogue;
use crate::errors::to_py;
use crate::gating::Gate;

/// Games in columns that somebody else owns: the moves of all games, and where each game's begin.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) moves: &'a [u16],
    pub(crate) offsets: &'a [i64],
}

/// Stored games of any kind: it knows their start positions, and reads their columns.
pub(crate) trait DynTable: Send + Sync {
    /// Checks the columns' shape.
    fn check(&self, columns: Columns<'_>) -> Result<()>;
    /// Phase and key of the position before every move, all moves checked.
    fn label(&self, columns: Columns<'_>, gate: &str, threads: Option<usize>) -> Result<Labels>;
    /// The states of one game before each of its moves.
    fn states(&self, py: Python<'_>, columns: Columns<'_>, game: usize)
    -> PyResult<Vec<Py<PyAny>>>;
    /// Fills training rows.
    fn sample(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        spec: &str,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()>;
    /// A number per game.
    fn hashes(&self, columns: Columns<'_>, seed: u64) -> Result<Vec<u64>>;
    /// Some of the games.
    fn gather(&self, columns: Columns<'_>, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)>;
}

/// Games in columns: `moves` uint16[T], one game after the other, and `offsets` int64[N + 1]. The
/// arrays must not be changed while this object lives.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct Records {
    moves: Py<PyArray1<u16>>,
    offsets: Py<PyArray1<i64>>,
    table: Box<dyn DynTable>,
}

#[pymethods]
impl Records {
    /// Checks the columns' shape and the start positions; the moves are checked by `label`.
    #[new]
    fn new(
        py: Python<'_>,
        game: &str,
        moves: Bound<'_, PyArray1<u16>>,
        offsets: Bound<'_, PyArray1<i64>>,
        starts: Vec<(usize, String)>,
    ) -> PyResult<Self> {
        let native = catalogue::game(game).map_err(to_py)?;
        let table = native.records(&starts).map_err(to_py)?;
        let records = Self { moves: moves.unbind(), offsets: offsets.unbind(), table };
        records.read(py, |columns| records.table.check(columns))?;
        Ok(records)
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
        let labels = self.read(py, |columns| self.table.label(columns, &gate.spec(), threads))?;
        Ok((PyArray1::from_vec(py, labels.phase), PyArray1::from_vec(py, labels.key)))
    }

    /// The states of one game before each of its moves, every move checked.
    fn states(&self, py: Python<'_>, game: usize) -> PyResult<Vec<Py<PyAny>>> {
        let (moves, offsets) = self.columns(py)?;
        let columns = Columns { moves: contiguous(&moves)?, offsets: contiguous(&offsets)? };
        self.table.states(py, columns, game)
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
        self.read(py, |columns| self.table.sample(columns, rows, spec, out, threads))
    }

    /// uint64[N]: a number per game that depends on `seed`, its start and its moves alone.
    fn hashes<'py>(&self, py: Python<'py>, seed: u64) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let hashes = self.read(py, |columns| self.table.hashes(columns, seed))?;
        Ok(PyArray1::from_vec(py, hashes))
    }

    /// (moves, offsets) of some of the games, in the order given.
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn gather<'py>(
        &self,
        py: Python<'py>,
        games: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<u16>>, Bound<'py, PyArray1<i64>>)> {
        let games = contiguous(&games)?;
        let (moves, offsets) = self.read(py, |columns| self.table.gather(columns, games))?;
        Ok((PyArray1::from_vec(py, moves), PyArray1::from_vec(py, offsets)))
    }
}

/// Both columns, borrowed.
type Borrowed<'py> = (PyReadonlyArray1<'py, u16>, PyReadonlyArray1<'py, i64>);

impl Records {
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Borrowed<'py>> {
        Ok((self.moves.bind(py).try_readonly()?, self.offsets.bind(py).try_readonly()?))
    }

    /// Works on the columns with the interpreter lock released.
    fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Columns<'_>) -> Result<R> + Send,
    ) -> PyResult<R> {
        let (moves, offsets) = self.columns(py)?;
        let columns = Columns { moves: contiguous(&moves)?, offsets: contiguous(&offsets)? };
        py.detach(|| work(columns)).map_err(to_py)
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
            memory::check("count", count as usize, 8).map_err(to_py)?;
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
