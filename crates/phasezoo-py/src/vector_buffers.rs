//! The arrays that a vector of games fills, recycled when nobody else holds them.

use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArray4, PyArrayDescrMethods, PyArrayMethods,
    PyUntypedArrayMethods,
};
use phasezoo_core::memory;
use phasezoo_core::plane_buffers::PlaneSize;
use phasezoo_core::vector::{Mark, Outputs};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::to_py;
use crate::planes::GivenPlanes;
use crate::vectors::DynVector;

/// Sets that are kept: one that the caller is looking at, one being filled, and a spare.
pub(crate) const KEPT: usize = 3;

/// What is observed of one game.
#[derive(Clone, Copy)]
pub(crate) enum RowPlanes {
    /// float32[C, H, W], which has no elements without observations.
    Floats([usize; 3]),
    /// So many words and numbers.
    Packed(PlaneSize),
}

impl RowPlanes {
    /// What a vector shows.
    pub(crate) fn of(vector: &dyn DynVector, packed: bool) -> Self {
        match vector.plane_shape() {
            Some(_) if packed => Self::Packed(vector.plane_size()),
            shape => Self::Floats(shape.unwrap_or_default()),
        }
    }

    /// Arrays of zeros for `rows` games.
    pub(crate) fn arrays(self, py: Python<'_>, rows: usize) -> Observations {
        match self {
            Self::Floats([c, h, w]) => {
                Observations::Floats(PyArray4::zeros(py, [rows, c, h, w], false).unbind())
            }
            Self::Packed(size) => Observations::Packed {
                bits: PyArray2::zeros(py, [rows, size.words], false).unbind(),
                numbers: PyArray2::zeros(py, [rows, size.floats], false).unbind(),
            },
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Floats(shape) => 4 * shape.iter().product::<usize>(),
            Self::Packed(size) => size.bytes(),
        }
    }
}

/// The arrays of what is observed: one of floats, or one of words and one of numbers.
pub(crate) enum Observations {
    Floats(Py<PyArray4<f32>>),
    Packed { bits: Py<PyArray2<u64>>, numbers: Py<PyArray2<f32>> },
}

impl Observations {
    /// As Python gets them: an array, or a pair.
    pub(crate) fn shown<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Floats(array) => Ok(array.bind(py).as_any().clone()),
            Self::Packed { bits, numbers } => {
                (bits.bind(py), numbers.bind(py)).into_pyobject(py).map(Bound::into_any)
            }
        }
    }

    /// The arrays, to be written to.
    pub(crate) fn given<'py>(&self, py: Python<'py>) -> GivenPlanes<'py> {
        match self {
            Self::Floats(array) => GivenPlanes::Floats(array.bind(py).clone()),
            Self::Packed { bits, numbers } => GivenPlanes::Packed {
                bits: bits.bind(py).clone(),
                numbers: numbers.bind(py).clone(),
            },
        }
    }

    fn is_usable(&self, py: Python<'_>, planes: RowPlanes, rows: usize, alone: bool) -> bool {
        match (self, planes) {
            (Self::Floats(array), RowPlanes::Floats([c, h, w])) => {
                is_usable(py, array, &[rows, c, h, w], alone)
            }
            (Self::Packed { bits, numbers }, RowPlanes::Packed(size)) => {
                is_usable(py, bits, &[rows, size.words], alone)
                    && is_usable(py, numbers, &[rows, size.floats], alone)
            }
            _ => false,
        }
    }
}

/// Sizes of the arrays.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) planes: RowPlanes,
    pub(crate) actions: usize,
    pub(crate) players: usize,
}

impl Shape {
    /// What one row takes in all arrays.
    fn row_bytes(self) -> usize {
        // A reward, three counts, four flags and a result beside them.
        self.planes.bytes() + self.actions + self.players + 8 + 3 * 8 + 4 + 1
    }
}

/// One array of each kind, row `i` being game `i`'s.
struct Set {
    observations: Observations,
    masks: Py<PyArray2<i8>>,
    /// What is set in the masks; unknown, and empty, where the caller may have written into them.
    marks: Vec<Mark>,
    rewards: Py<PyArray1<f64>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    illegal: Py<PyArray1<bool>>,
    to_play: Py<PyArray1<i64>>,
    ply: Py<PyArray1<i64>>,
    phase: Py<PyArray1<i64>>,
    result: Py<PyArray1<i8>>,
    has_result: Py<PyArray1<bool>>,
    winners: Py<PyArray2<bool>>,
}

impl Set {
    fn new(py: Python<'_>, shape: Shape, marked: bool) -> PyResult<Self> {
        let rows = shape.rows;
        memory::check("the arrays of num_envs games", rows, shape.row_bytes()).map_err(to_py)?;
        Ok(Self {
            observations: shape.planes.arrays(py, rows),
            masks: PyArray2::zeros(py, [rows, shape.actions], false).unbind(),
            marks: vec![Mark::Unknown; if marked { rows } else { 0 }],
            rewards: PyArray1::zeros(py, rows, false).unbind(),
            terminated: PyArray1::zeros(py, rows, false).unbind(),
            truncated: PyArray1::zeros(py, rows, false).unbind(),
            illegal: PyArray1::zeros(py, rows, false).unbind(),
            to_play: PyArray1::zeros(py, rows, false).unbind(),
            ply: PyArray1::zeros(py, rows, false).unbind(),
            phase: PyArray1::zeros(py, rows, false).unbind(),
            result: PyArray1::zeros(py, rows, false).unbind(),
            has_result: PyArray1::zeros(py, rows, false).unbind(),
            winners: PyArray2::zeros(py, [rows, shape.players], false).unbind(),
        })
    }

    /// Whether all arrays are as they were made and, with `alone`, nobody but the pool holds any of
    /// them. A view counts: it holds its base.
    fn is_usable(&self, py: Python<'_>, shape: Shape, alone: bool) -> bool {
        let rows = shape.rows;
        self.observations.is_usable(py, shape.planes, rows, alone)
            && is_usable(py, &self.masks, &[rows, shape.actions], alone)
            && is_usable(py, &self.rewards, &[rows], alone)
            && is_usable(py, &self.terminated, &[rows], alone)
            && is_usable(py, &self.truncated, &[rows], alone)
            && is_usable(py, &self.illegal, &[rows], alone)
            && is_usable(py, &self.to_play, &[rows], alone)
            && is_usable(py, &self.ply, &[rows], alone)
            && is_usable(py, &self.phase, &[rows], alone)
            && is_usable(py, &self.result, &[rows], alone)
            && is_usable(py, &self.has_result, &[rows], alone)
            && is_usable(py, &self.winners, &[rows, shape.players], alone)
    }

    /// Runs `work`, without the interpreter lock, on the arrays.
    fn fill<R: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(Outputs) -> R + Send,
    ) -> PyResult<R> {
        let mut planes = self.observations.given(py).writable()?;
        let mut masks = self.masks.bind(py).try_readwrite()?;
        let mut rewards = self.rewards.bind(py).try_readwrite()?;
        let mut terminated = self.terminated.bind(py).try_readwrite()?;
        let mut truncated = self.truncated.bind(py).try_readwrite()?;
        let mut illegal = self.illegal.bind(py).try_readwrite()?;
        let mut to_play = self.to_play.bind(py).try_readwrite()?;
        let mut ply = self.ply.bind(py).try_readwrite()?;
        let mut phase = self.phase.bind(py).try_readwrite()?;
        let mut result = self.result.bind(py).try_readwrite()?;
        let mut has_result = self.has_result.bind(py).try_readwrite()?;
        let mut winners = self.winners.bind(py).try_readwrite()?;
        let outputs = Outputs {
            planes: planes.buffer()?,
            masks: masks.as_slice_mut()?,
            marks: &mut self.marks,
            rewards: rewards.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            illegal: illegal.as_slice_mut()?,
            to_play: to_play.as_slice_mut()?,
            ply: ply.as_slice_mut()?,
            phase: phase.as_slice_mut()?,
            result: result.as_slice_mut()?,
            has_result: has_result.as_slice_mut()?,
            winners: winners.as_slice_mut()?,
        };
        Ok(py.detach(|| work(outputs)))
    }

    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(
            py,
            [
                &self.observations.shown(py)?,
                self.rewards.bind(py).as_any(),
                self.terminated.bind(py).as_any(),
                self.truncated.bind(py).as_any(),
                self.masks.bind(py).as_any(),
                self.to_play.bind(py).as_any(),
                self.ply.bind(py).as_any(),
                self.phase.bind(py).as_any(),
                self.illegal.bind(py).as_any(),
                self.result.bind(py).as_any(),
                self.has_result.bind(py).as_any(),
                self.winners.bind(py).as_any(),
            ],
        )
    }
}

/// Whether an array has its shape and type, may be written to, and with `alone` is held by the pool
/// only. Whoever had it before may have reshaped it in place, or made it read-only.
fn is_usable<T: Element, D: Dimension>(
    py: Python<'_>,
    array: &Py<PyArray<T, D>>,
    shape: &[usize],
    alone: bool,
) -> bool {
    let bound = array.bind(py);
    (!alone || holders(py, array) == 1)
        && bound.shape() == shape
        && bound.dtype().is_equiv_to(&T::get_dtype(py))
        && bound.try_readwrite().is_ok_and(|mut array| array.as_slice_mut().is_ok())
}

/// How many hold an object: its reference count.
#[allow(unsafe_code)]
fn holders<T>(_py: Python<'_>, object: &Py<T>) -> isize {
    // SAFETY: the pointer is that of an object we own, and the token shows that we are attached.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
}

/// The sets of one vector.
pub(crate) struct BufferPool {
    shape: Shape,
    /// Whether the one set is filled again whoever holds it.
    reuse: bool,
    sets: Vec<Set>,
}

impl BufferPool {
    pub(crate) fn new(shape: Shape, reuse: bool) -> PyResult<Self> {
        memory::check("the arrays of num_envs games", shape.rows, shape.row_bytes())
            .map_err(to_py)?;
        Ok(Self { shape, reuse, sets: Vec::new() })
    }

    /// Lets `work` fill a set that nobody holds, and hands it out: observations (packed a pair), rewards,
    /// terminations, truncations, masks, `to_play`, ply, phase, illegal, result, whether there is a
    /// result, winners. An error of `work` leaves the set in the pool.
    pub(crate) fn fill<'py>(
        &mut self,
        py: Python<'py>,
        work: impl FnOnce(Outputs) -> phasezoo_core::Result<()> + Send,
    ) -> PyResult<phasezoo_core::Result<Bound<'py, PyTuple>>> {
        let free = self.sets.iter().position(|set| set.is_usable(py, self.shape, !self.reuse));
        let index = if let Some(index) = free {
            index
        } else {
            self.sets.truncate(KEPT - 1); // sets that are held live on with their holders
            self.sets.push(Set::new(py, self.shape, self.reuse)?);
            self.sets.len() - 1
        };
        let set = &mut self.sets[index];
        match set.fill(py, work)? {
            Ok(()) => Ok(Ok(set.arrays(py)?)),
            Err(error) => Ok(Err(error)),
        }
    }
}
