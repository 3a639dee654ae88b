//! Arrays of planes for Python, as floats or packed.

use std::ops::Range;

use numpy::{
    PyArray1, PyArray2, PyArray3, PyArray4, PyArrayMethods, PyReadwriteArray2, PyReadwriteArray4,
};
use phasezoo_core::game::Player;
use phasezoo_core::plane_buffers::{PlaneBuffer, PlaneRows};
use phasezoo_core::planes::{PackedLayout, PackedRow};
use phasezoo_core::{Result, memory, threads};
use pyo3::prelude::*;

use crate::arguments::Text;
use crate::catalogue;
use crate::errors::to_py;
use crate::native::Native;

/// Which planes are asked for.
#[derive(Clone, Copy)]
pub(crate) struct WantedPlanes<'a> {
    pub(crate) spec: &'a str,
    pub(crate) packed: bool,
}

/// Arrays of the caller's that planes are written to.
#[derive(FromPyObject)]
pub(crate) enum GivenPlanes<'py> {
    /// float32[B, C, H, W].
    Floats(Bound<'py, PyArray4<f32>>),
    /// The arrays of a `phasezoo.games.PackedPlanes`: uint64[B, words], float32[B, N].
    Packed { bits: Bound<'py, PyArray2<u64>>, numbers: Bound<'py, PyArray2<f32>> },
}

/// The same arrays while they are written to.
pub(crate) enum WritablePlanes<'py> {
    Floats(PyReadwriteArray4<'py, f32>),
    Packed(PyReadwriteArray2<'py, u64>, PyReadwriteArray2<'py, f32>),
}

impl<'py> GivenPlanes<'py> {
    pub(crate) fn writable(&self) -> PyResult<WritablePlanes<'py>> {
        Ok(match self {
            Self::Floats(array) => WritablePlanes::Floats(array.try_readwrite()?),
            Self::Packed { bits, numbers } => {
                WritablePlanes::Packed(bits.try_readwrite()?, numbers.try_readwrite()?)
            }
        })
    }
}

impl WritablePlanes<'_> {
    pub(crate) fn buffer(&mut self) -> PyResult<PlaneBuffer<'_>> {
        Ok(match self {
            Self::Floats(array) => PlaneBuffer::Floats(array.as_slice_mut()?),
            Self::Packed(bits, numbers) => PlaneBuffer::Packed(PackedRow {
                bits: bits.as_slice_mut()?,
                numbers: numbers.as_slice_mut()?,
            }),
        })
    }
}

/// The planes of one state: float32[C, H, W], or packed.
pub(crate) fn of_state<'py, G: Native>(
    py: Python<'py>,
    state: &G,
    planes: G::Planes,
    player: Player,
    packed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = G::plane_shape(planes);
    if !packed {
        let array = PyArray3::zeros(py, shape, false);
        let mut writable = array.try_readwrite()?;
        state.encode(planes, player, writable.as_slice_mut()?);
        drop(writable);
        return Ok(array.into_any());
    }
    let layout = G::packed_layout(planes);
    let (mut bits, mut numbers) = (vec![0; layout.words()], vec![0.0; layout.numbers()]);
    let mut row = PackedRow { bits: &mut bits, numbers: &mut numbers };
    state.encode_packed(planes, player, &mut row);
    let bits = PyArray1::from_vec(py, bits).into_any();
    let numbers = PyArray1::from_vec(py, numbers).into_any();
    packed_of(py, bits, numbers, &layout, shape)
}

/// The planes of `count` states, which `fill` writes with the interpreter lock released:
/// float32[count, C, H, W], or packed. Errors call them `what`.
pub(crate) fn of_states<'py, G: Native>(
    py: Python<'py>,
    what: &str,
    planes: G::Planes,
    count: usize,
    packed: bool,
    fill: impl FnOnce(PlaneRows<'_>) -> Result<()> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = G::plane_shape(planes);
    let [channels, height, width] = shape;
    if !packed {
        memory::check(what, count, 4 * channels * height * width).map_err(to_py)?;
        let array = PyArray4::<f32>::zeros(py, [count, channels, height, width], false);
        let mut writable = array.try_readwrite()?;
        let room = PlaneBuffer::Floats(writable.as_slice_mut()?);
        py.detach(|| fill(room.rows::<G>(planes, count)?)).map_err(to_py)?;
        drop(writable);
        return Ok(array.into_any());
    }
    let layout = G::packed_layout(planes);
    memory::check(what, count, layout.bytes()).map_err(to_py)?;
    let bits = PyArray2::<u64>::zeros(py, [count, layout.words()], false);
    let numbers = PyArray2::<f32>::zeros(py, [count, layout.numbers()], false);
    let (mut words, mut floats) = (bits.try_readwrite()?, numbers.try_readwrite()?);
    let room = PackedRow { bits: words.as_slice_mut()?, numbers: floats.as_slice_mut()? };
    py.detach(|| fill(PlaneBuffer::Packed(room).rows::<G>(planes, count)?)).map_err(to_py)?;
    drop((words, floats));
    packed_of(py, bits.into_any(), numbers.into_any(), &layout, shape)
}

/// Fills the room of `count` states in parallel: `write` is given a part of it and which states that is.
pub(crate) fn fill_in_parallel(
    count: usize,
    mut room: PlaneRows<'_>,
    threads: Option<usize>,
    grain: usize,
    write: impl Fn(Range<usize>, PlaneRows<'_>) -> Result<()> + Sync,
) -> Result<()> {
    let parts = threads::parts(threads, count, grain)?;
    let mut done: Vec<Result<()>> = Vec::new();
    done.resize_with(parts, || Ok(()));
    let tasks = threads::ranges(count, parts)
        .map(|rows| (room.take_rows(rows.len()), rows))
        .zip(&mut done)
        .collect();
    threads::run(
        threads,
        tasks,
        |((room, rows), done): ((PlaneRows<'_>, Range<usize>), &mut Result<()>)| {
            *done = write(rows, room);
        },
    )?;
    done.into_iter().collect()
}

/// A `phasezoo.games.PackedPlanes` of arrays.
fn packed_of<'py>(
    py: Python<'py>,
    bits: Bound<'py, PyAny>,
    numbers: Bound<'py, PyAny>,
    layout: &PackedLayout,
    [_, height, width]: [usize; 3],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = (bits, numbers, kinds(layout), height, width);
    py.import("phasezoo.games.packed")?.call_method1("packed_planes", arguments)
}

/// Planes of which nothing is known as a `phasezoo.games.PackedPlanes`.
pub(crate) fn general<'py>(planes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    planes.py().import("phasezoo.games.packed")?.call_method1("general_planes", (planes,))
}

/// A letter for the kind of each plane.
pub(crate) fn kinds(layout: &PackedLayout) -> String {
    layout.kinds().iter().map(|kind| kind.letter()).collect()
}

/// What each plane of a choice holds, a letter a plane (`docs/definitions/planes.md#packed-planes`).
#[pyfunction]
fn plane_kinds(game: Text, spec: Text) -> PyResult<String> {
    catalogue::game(&game).and_then(|game| game.plane_kinds(&spec)).map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(plane_kinds, m)?)
}
