//! `PommermanSamples`: training positions from games that agents play against each other.

use numpy::{
    IntoPyArray, PyArray1, PyArray4, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use phasezoo_core::games::pommerman::samples::{Batch, Row};
use phasezoo_core::games::pommerman::{CHANNELS, Planner, Samples};
use phasezoo_core::gate::Gating;
use phasezoo_core::{Error, memory};
use pyo3::prelude::*;

use super::state::PommermanState;
use super::{config, mode_of};
use crate::arguments::{Count, Seed};
use crate::errors::to_py;
use crate::gating::Gate;

/// Positions of the living players of whole episodes, one after the other.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct PommermanSamples {
    samples: Samples,
    width: usize,
}

impl PommermanSamples {
    fn column<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Row) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        self.samples.rows().iter().map(of).collect::<Vec<T>>().into_pyarray(py)
    }
}

#[pymethods]
impl PommermanSamples {
    /// At least `rows` positions, in whole episodes whose players are all moved by `agent`.
    #[new]
    #[pyo3(
        signature = (game, rows, *, seed = Seed(0), agent = "simple_unbiased", fog = None,
            collapse = false, threads = None),
        text_signature = "(game, rows, *, seed=0, agent='simple_unbiased', fog=None, \
            collapse=False, threads=None)"
    )]
    #[allow(clippy::too_many_arguments)] // keywords
    fn new(
        py: Python<'_>,
        game: &str,
        rows: Count,
        seed: Seed,
        agent: &str,
        fog: Option<bool>,
        collapse: bool,
        threads: Option<Count>,
    ) -> PyResult<Self> {
        let mode = mode_of(game).ok_or_else(|| {
            to_py(Error::UnknownGame(format!("{game:?} is no game of Pommerman")))
        })?;
        let config = config(mode, fog, collapse);
        let planner = Planner::parse(agent).map_err(to_py)?;
        let threads = threads.map(|count| count.0);
        let samples =
            py.detach(|| Samples::play(config, planner, seed.0, rows.0, threads)).map_err(to_py)?;
        Ok(Self { samples, width: usize::from(config.size) })
    }

    fn __len__(&self) -> usize {
        self.samples.rows().len()
    }

    /// How many episodes the positions come from.
    #[getter]
    fn num_episodes(&self) -> u32 {
        self.samples.episodes()
    }

    /// int32[N]: the episode of each position.
    #[getter]
    fn episodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |row| row.episode as i32)
    }

    /// int8[N]: who sees each position, and acts.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.column(py, |row| row.player as i8)
    }

    /// int8[N]: how the episode ended for them: 1 won, -1 lost or died, 0 nobody won and they were there
    /// to the end.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.column(py, |row| row.value)
    }

    /// int32[N]: steps since the start.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |row| self.samples.state(row).step_count() as i32)
    }

    /// int32[N]: steps to the end of the episode.
    #[getter]
    fn left<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.column(py, |row| i32::from(row.left))
    }

    /// uint64[N]: equal keys are equal positions seen by the same player, but for the step.
    #[getter]
    fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.samples.keys().into_pyarray(py)
    }

    /// int8[N]: the phase of each position, as its player sees it.
    fn phases<'py>(&self, py: Python<'py>, gate: &Gate) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let gate = Gating::parse(&gate.spec(), false).map_err(to_py)?;
        let phases = py.detach(|| self.samples.phases(&gate)).map_err(to_py)?;
        Ok(phases.into_iter().map(|phase| phase as i8).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The state of a position.
    fn state(&self, row: usize) -> PyResult<PommermanState> {
        let rows = self.samples.rows();
        let row = rows.get(row).ok_or_else(|| {
            let message = format!("position {row}: there are the positions 0 to {}", rows.len());
            pyo3::exceptions::PyIndexError::new_err(message)
        })?;
        Ok(self.samples.state(row).clone().into())
    }

    /// Planes float32[B, 23, n, n] and actions int64[B] of some positions, each turned by one of the
    /// eight symmetries of the board (uint8[B], 0 to 7); without them as they are.
    #[pyo3(signature = (rows, symmetries = None, threads = None))]
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn batch<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'py, i64>,
        symmetries: Option<PyReadonlyArray1<'py, u8>>,
        threads: Option<Count>,
    ) -> PyResult<(Bound<'py, PyArray4<f32>>, Bound<'py, PyArray1<i64>>)> {
        let bytes = 4 * CHANNELS * self.width * self.width + 8;
        memory::check("a batch of positions", rows.len(), bytes).map_err(to_py)?;
        let planes = PyArray4::zeros(py, [rows.len(), CHANNELS, self.width, self.width], false);
        let actions = PyArray1::zeros(py, rows.len(), false);
        let (mut to_planes, mut to_actions) = (planes.try_readwrite()?, actions.try_readwrite()?);
        let batch =
            Batch { planes: to_planes.as_slice_mut()?, actions: to_actions.as_slice_mut()? };
        let rows = rows.as_slice()?;
        let symmetries = symmetries.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let threads = threads.map(|count| count.0);
        py.detach(|| self.samples.write(rows, symmetries.unwrap_or_default(), batch, threads))
            .map_err(to_py)?;
        drop((to_planes, to_actions));
        Ok((planes, actions))
    }

    fn __repr__(&self) -> String {
        let (rows, episodes) = (self.samples.rows().len(), self.samples.episodes());
        format!("<PommermanSamples of {rows} positions from {episodes} episodes>")
    }
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PommermanSamples>()
}
