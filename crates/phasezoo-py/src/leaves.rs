//! `LeafBatch`: leaves of searches on their way to an evaluator.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1};
use phasezoo_core::Error;
use phasezoo_core::search::Origin;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::to_py;
use crate::planes::WantedPlanes;
use crate::python_game::integers;
use crate::rows::{Columns, DynRows};

/// Positions that await an evaluation.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct LeafBatch {
    pub(crate) rows: Box<dyn DynRows>,
    /// The pool that takes the rows back.
    pub(crate) pool: u64,
    /// Of the game that is searched, or of one player in it.
    num_actions: usize,
    threads: Option<usize>,
    /// Planes made, by their text and whether they are packed.
    planes: Mutex<HashMap<(String, bool), Py<PyAny>>>,
    /// The batch that this one was selected from, with the rows: planes made there need not be made
    /// again.
    parent: Option<(Py<LeafBatch>, Vec<usize>)>,
}

impl LeafBatch {
    /// The rows that a pool has collected.
    pub(crate) fn new(
        rows: Box<dyn DynRows>,
        pool: u64,
        num_actions: usize,
        threads: Option<usize>,
    ) -> Self {
        Self { rows, pool, num_actions, threads, planes: Mutex::default(), parent: None }
    }

    fn known_planes(&self, py: Python<'_>, wanted: WantedPlanes<'_>) -> Option<Py<PyAny>> {
        let planes = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        planes.get(&(wanted.spec.to_owned(), wanted.packed)).map(|array| array.clone_ref(py))
    }

    /// The planes as rows of those that the batch of origin has made already.
    fn planes_of_parent<'py>(
        &self,
        py: Python<'py>,
        wanted: WantedPlanes<'_>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((parent, rows)) = &self.parent else { return Ok(None) };
        let Some(planes) = parent.get().known_planes(py, wanted) else { return Ok(None) };
        planes.bind(py).call_method1("take", (rows.clone(), 0)).map(Some)
    }
}

#[pymethods]
impl LeafBatch {
    fn __len__(&self) -> usize {
        self.count()
    }

    /// float32[B, C, H, W] as the player to move sees each row, packed if asked so; made once per spec
    /// and form.
    #[pyo3(signature = (spec, packed = false))]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        spec: &str,
        packed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = WantedPlanes { spec, packed };
        if let Some(known) = self.known_planes(py, wanted) {
            return Ok(known.into_bound(py));
        }
        let made = match self.planes_of_parent(py, wanted)? {
            Some(made) => made,
            None => self.rows.planes(py, wanted, self.threads)?,
        };
        let mut planes = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        planes.insert((spec.to_owned(), packed), made.clone().unbind());
        Ok(made)
    }

    /// How many actions the game has: the columns of policy logits.
    #[getter]
    fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// int8[B]: each row's phase under the pool's gate; 0 without one.
    #[getter]
    fn phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_slice(py, self.rows.columns().phases)
    }

    /// int8[B]: the phase one ply before each row; -1 if nobody knows, as above a game's start.
    #[getter]
    fn parent_phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        self.origins(py, |origin| origin.parent_phase)
    }

    /// int8[B]: the phase of the root of each row's tree.
    #[getter]
    fn root_phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        let Columns { phases, origins, .. } = self.rows.columns();
        // A gate of the user's is asked about a root when it has gone out.
        let rows = origins.iter().zip(phases);
        let of = |(origin, &phase): (&Origin, &i8)| {
            if origin.depth == 0 { phase } else { origin.root_phase }
        };
        rows.map(of).collect::<Vec<_>>().into_pyarray(py)
    }

    /// int32[B]: plies from the root of its tree to each row.
    #[getter]
    fn depths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        self.origins(py, |origin| origin.depth as i32)
    }

    /// int64[B]: visits of the node above each row when the row was collected; 0 at a root.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.origins(py, |origin| i64::from(origin.parent_visits))
    }

    /// int32[B]: the tree that each row belongs to.
    #[getter]
    fn trees<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let tickets = self.rows.columns().tickets;
        tickets.iter().map(|ticket| ticket.tree as i32).collect::<Vec<_>>().into_pyarray(py)
    }

    /// int64[B]: a number for each row, unique within its tree.
    #[getter]
    fn tickets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let tickets = self.rows.columns().tickets;
        tickets.iter().map(|ticket| ticket.serial as i64).collect::<Vec<_>>().into_pyarray(py)
    }

    /// int64[B]: the player to move in each row.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let players = self.rows.columns().players;
        players.iter().map(|&player| i64::from(player)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// (offsets int64[B + 1], actions int32[total]): row i's legal actions, ascending, are
    /// `actions[offsets[i]:offsets[i + 1]]`.
    #[getter]
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn legal<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>) {
        let Columns { offsets, actions, .. } = self.rows.columns();
        let offsets: Vec<i64> = offsets.iter().map(|&at| at as i64).collect();
        let actions: Vec<i32> = actions.iter().map(|&action| action as i32).collect();
        (offsets.into_pyarray(py), actions.into_pyarray(py))
    }

    /// The states of the rows, made on demand.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows.states(py)
    }

    /// The batch of these rows, in this order.
    fn select(slf: &Bound<'_, Self>, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let this = slf.get();
        let count = this.count();
        let rows = integers(rows)?
            .into_iter()
            .map(|row| usize::try_from(row).ok().filter(|&row| row < count).ok_or(row))
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|row| {
                to_py(Error::InvalidArray(format!(
                    "row {row} of a batch of {count} leaves; rows are 0 to {}",
                    count.saturating_sub(1)
                )))
            })?;
        Ok(Self {
            rows: this.rows.select(&rows),
            pool: this.pool,
            num_actions: this.num_actions,
            threads: this.threads,
            planes: Mutex::default(),
            parent: Some((slf.clone().unbind(), rows)),
        })
    }

    fn __repr__(&self) -> String {
        format!("<LeafBatch of {} leaves>", self.count())
    }
}

impl LeafBatch {
    /// An array of something that is known of where each row is.
    fn origins<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        of: impl Fn(&Origin) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        self.rows.columns().origins.iter().map(of).collect::<Vec<_>>().into_pyarray(py)
    }

    /// B, the number of rows.
    pub(crate) fn count(&self) -> usize {
        self.rows.columns().tickets.len()
    }

    /// The phases that a gate of the user's gives the rows. A root has no ply before it, so it is asked
    /// about without `previous`.
    pub(crate) fn ask_gate(&self, py: Python<'_>, gate: &Bound<'_, PyAny>) -> PyResult<Vec<i8>> {
        let count = gate.getattr("names")?.len()?;
        let Columns { players, origins, .. } = self.rows.columns();
        let states = self.states(py)?;
        let mut phases = vec![0; self.count()];
        for known in [false, true] {
            let rows: Vec<usize> = (0..phases.len())
                .filter(|&row| (origins[row].parent_phase >= 0) == known)
                .collect();
            if rows.is_empty() {
                continue;
            }
            let asked =
                rows.iter().map(|&row| states.get_item(row)).collect::<PyResult<Vec<_>>>()?;
            let seen_by: Vec<i64> = rows.iter().map(|&row| i64::from(players[row])).collect();
            let before: Option<Vec<i64>> = known
                .then(|| rows.iter().map(|&row| i64::from(origins[row].parent_phase)).collect());
            let answer = gate.call_method1("batch", (asked, seen_by, before))?;
            let given = integers(&answer).map_err(|_| {
                to_py(Error::InvalidGate(format!(
                    "the gate answered {answer}, expected a whole number for each state"
                )))
            })?;
            if given.len() != rows.len() {
                return Err(to_py(Error::InvalidGate(format!(
                    "the gate gave {} phases for {} states",
                    given.len(),
                    rows.len()
                ))));
            }
            for (&row, phase) in rows.iter().zip(given) {
                phases[row] = i8::try_from(phase)
                    .ok()
                    .filter(|&phase| (0..count as i64).contains(&i64::from(phase)))
                    .ok_or_else(|| {
                        to_py(Error::InvalidGate(format!(
                            "the gate gave phase {phase}, it has the phases 0 to {}",
                            count.saturating_sub(1)
                        )))
                    })?;
            }
        }
        Ok(phases)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<LeafBatch>()
}
