//! `LeafBatch`: leaves of searches on their way to an evaluator.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray4, PyArrayMethods};
use phasezoo_core::game::Game;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::pommerman::CHANNELS;
use phasezoo_core::games::pommerman::config::MAX_SIZE;
use phasezoo_core::games::{
    Atomic, BoardModel, BoardState as CoreBoard, Chess, Chess960, Crazyhouse, Krk, Rules,
};
use phasezoo_core::model::SearchModel;
use phasezoo_core::{Error, Result, search, threads};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::boards::{AnyBoard, dispatch_over, from_games};
use crate::errors::to_py;
use crate::others::PommermanModel;
use crate::pommerman::{PommermanState, check_spec};
use crate::python_game::{PythonModel, integers};
use crate::state::BoardState;

/// Rows that a thread encodes at least: less is done before another thread has woken up.
const GRAIN: usize = 16;

/// The batches of each model that a pool may have.
pub(crate) enum Rows {
    /// Standard chess.
    Chess(Batch<Chess>),
    /// Chess from one of 960 starts.
    Chess960(Batch<Chess960>),
    /// Atomic chess.
    Atomic(Batch<Atomic>),
    /// Crazyhouse.
    Crazyhouse(Batch<Crazyhouse>),
    /// King and rook against king.
    Krk(Batch<Krk>),
    /// Pommerman, as one player sees it.
    Pommerman(search::LeafBatch<PommermanModel>),
    /// A user's game, with its model.
    Python(search::LeafBatch<PythonModel>, PythonModel),
}

/// Evaluates an expression on the batch inside a [`Rows`], whatever its model.
macro_rules! dispatch_rows {
    ($rows:expr, $batch:ident => $body:expr) => {{
        use $crate::leaves::Rows;
        $crate::boards::dispatch_over!(Rows, $rows, $batch => $body,
            Rows::Pommerman($batch) => $body, Rows::Python($batch, _) => $body)
    }};
}
pub(crate) use dispatch_rows;

/// The batch of one board game.
type Batch<R> = search::LeafBatch<BoardModel<R>>;

from_games!(Rows, Batch);

/// Positions that await an evaluation.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct LeafBatch {
    pub(crate) rows: Rows,
    /// The pool that takes the rows back.
    pub(crate) pool: u64,
    threads: Option<usize>,
    planes: Mutex<HashMap<String, Py<PyAny>>>,
    /// The batch that this one was selected from, with the rows: planes made there need not be made
    /// again.
    parent: Option<(Py<LeafBatch>, Vec<usize>)>,
}

impl LeafBatch {
    /// The rows that a pool has collected.
    pub(crate) fn new(rows: Rows, pool: u64, threads: Option<usize>) -> Self {
        Self { rows, pool, threads, planes: Mutex::default(), parent: None }
    }

    fn known_planes(&self, py: Python<'_>, spec: &str) -> Option<Py<PyAny>> {
        let planes = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        planes.get(spec).map(|array| array.clone_ref(py))
    }

    /// The planes as rows of those that the batch of origin has made already.
    fn planes_of_parent<'py>(
        &self,
        py: Python<'py>,
        spec: &str,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((parent, rows)) = &self.parent else { return Ok(None) };
        let Some(planes) = parent.get().known_planes(py, spec) else { return Ok(None) };
        planes.bind(py).call_method1("take", (rows.clone(), 0)).map(Some)
    }
}

#[pymethods]
impl LeafBatch {
    fn __len__(&self) -> usize {
        self.count()
    }

    /// float32[B, C, H, W] as the player to move sees each row; made once per spec.
    fn planes<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.known_planes(py, spec) {
            return Ok(known.into_bound(py));
        }
        let made = match self.planes_of_parent(py, spec)? {
            Some(made) => made,
            None => dispatch_over!(Rows, &self.rows,
                batch => board_planes(py, batch, spec, self.threads)?,
                Rows::Pommerman(batch) => pommerman_planes(py, batch, spec, self.threads)?,
                Rows::Python(batch, model) => {
                    let rows = (0..batch.len())
                        .map(|row| model.planes(batch.snapshot(row), py, spec))
                        .collect::<PyResult<Vec<_>>>()?;
                    py.import("numpy")?.call_method1("stack", (rows,))?
                }
            ),
        };
        let mut planes = self.planes.lock().unwrap_or_else(PoisonError::into_inner);
        planes.insert(spec.to_owned(), made.clone().unbind());
        Ok(made)
    }

    /// int8[B]: each row's phase under the pool's gate; 0 without one.
    #[getter]
    fn phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        dispatch_rows!(&self.rows, batch => PyArray1::from_slice(py, &batch.phases))
    }

    /// int32[B]: the tree that each row belongs to.
    #[getter]
    fn trees<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i32>> {
        let trees: Vec<i32> = dispatch_rows!(&self.rows, batch => {
            batch.tickets.iter().map(|ticket| ticket.tree as i32).collect()
        });
        trees.into_pyarray(py)
    }

    /// int64[B]: a number for each row, unique within its tree.
    #[getter]
    fn tickets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let tickets: Vec<i64> = dispatch_rows!(&self.rows, batch => {
            batch.tickets.iter().map(|ticket| ticket.serial as i64).collect()
        });
        tickets.into_pyarray(py)
    }

    /// int64[B]: the player to move in each row.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let players: Vec<i64> = dispatch_rows!(&self.rows, batch => {
            batch.players.iter().map(|&player| i64::from(player)).collect()
        });
        players.into_pyarray(py)
    }

    /// (offsets int64[B + 1], actions int32[total]): row i's legal actions, ascending, are
    /// `actions[offsets[i]:offsets[i + 1]]`.
    #[getter]
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn legal<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>) {
        let (offsets, actions): (Vec<i64>, Vec<i32>) = dispatch_rows!(&self.rows, batch => (
            batch.offsets.iter().map(|&at| at as i64).collect(),
            batch.actions.iter().map(|&action| action as i32).collect(),
        ));
        (offsets.into_pyarray(py), actions.into_pyarray(py))
    }

    /// The states of the rows, made on demand.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        dispatch_over!(Rows, &self.rows,
            batch => {
                let states = board_states(batch).map_err(to_py)?;
                PyList::new(
                    py,
                    states.into_iter().map(|state| BoardState::from(AnyBoard::from(state))),
                )
            },
            Rows::Pommerman(batch) => {
                let states = (0..batch.len())
                    .map(|row| PommermanState::from(batch.snapshot(row).game.clone()));
                PyList::new(py, states)
            },
            Rows::Python(batch, _) => {
                PyList::new(py, (0..batch.len()).map(|row| batch.snapshot(row).object(py)))
            }
        )
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
            rows: dispatch_over!(Rows, &this.rows,
                batch => Rows::from(batch.select(&rows)),
                Rows::Pommerman(batch) => Rows::Pommerman(batch.select(&rows)),
                Rows::Python(batch, model) => Rows::Python(batch.select(&rows), model.clone())
            ),
            pool: this.pool,
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
    /// B, the number of rows.
    pub(crate) fn count(&self) -> usize {
        dispatch_rows!(&self.rows, batch => batch.len())
    }

    /// The phases that a gate of the user's gives the rows. A root has no ply before it, so it is asked
    /// about without `previous`.
    pub(crate) fn ask_gate(&self, py: Python<'_>, gate: &Bound<'_, PyAny>) -> PyResult<Vec<i8>> {
        let count = gate.getattr("names")?.len()?;
        let (players, previous) =
            dispatch_rows!(&self.rows, batch => (&batch.players, &batch.previous));
        let states = self.states(py)?;
        let mut phases = vec![0; self.count()];
        for known in [false, true] {
            let rows: Vec<usize> =
                (0..phases.len()).filter(|&row| (previous[row] >= 0) == known).collect();
            if rows.is_empty() {
                continue;
            }
            let asked =
                rows.iter().map(|&row| states.get_item(row)).collect::<PyResult<Vec<_>>>()?;
            let seen_by: Vec<i64> = rows.iter().map(|&row| i64::from(players[row])).collect();
            let before: Option<Vec<i64>> =
                known.then(|| rows.iter().map(|&row| i64::from(previous[row])).collect());
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

/// float32[B, C, 8, 8], made in parallel with the interpreter lock released.
fn board_planes<'py, R: Rules>(
    py: Python<'py>,
    batch: &search::LeafBatch<BoardModel<R>>,
    spec: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let planes = BoardPlanes::parse::<R>(spec).map_err(to_py)?;
    in_parallel(py, batch.len(), planes.shape(), threads, |rows, out| {
        let mut state = None;
        for (out, row) in out.chunks_exact_mut(planes.size()).zip(rows) {
            let state = state.get_or_insert_with(|| batch.root(row).clone());
            batch.restore(&BoardModel::new(), row, state)?;
            state.encode(planes, batch.players[row], out);
        }
        Ok(())
    })
}

/// float32[B, 23, n, n], made in parallel with the interpreter lock released.
fn pommerman_planes<'py>(
    py: Python<'py>,
    batch: &search::LeafBatch<PommermanModel>,
    spec: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    check_spec(spec).map_err(to_py)?;
    let width = match batch.len() {
        0 => MAX_SIZE,
        _ => usize::from(batch.snapshot(0).game.config().size),
    };
    if let Some(row) =
        (0..batch.len()).find(|&row| usize::from(batch.snapshot(row).game.config().size) != width)
    {
        return Err(to_py(Error::InvalidArray(format!(
            "row {row} is of a board of another size than row 0: search them in pools of their own"
        ))));
    }
    let shape = [CHANNELS, width, width];
    in_parallel(py, batch.len(), shape, threads, |rows, out| {
        for (out, row) in out.chunks_exact_mut(shape.iter().product()).zip(rows) {
            batch.snapshot(row).game.write_planes(batch.players[row], out);
        }
        Ok(())
    })
}

/// float32[count, C, H, W] that `write` fills rows of, in parallel with the interpreter lock released.
fn in_parallel(
    py: Python<'_>,
    count: usize,
    [channels, height, width]: [usize; 3],
    threads: Option<usize>,
    write: impl Fn(std::ops::Range<usize>, &mut [f32]) -> Result<()> + Sync,
) -> PyResult<Bound<'_, PyAny>> {
    let array = PyArray4::<f32>::zeros(py, [count, channels, height, width], false);
    let mut writable = array.try_readwrite()?;
    let mut rest = writable.as_slice_mut()?;
    let size = channels * height * width;
    let fill = || -> Result<()> {
        let parts = threads::parts(threads, count, GRAIN)?;
        let mut done: Vec<Result<()>> = Vec::new();
        done.resize_with(parts, || Ok(()));
        let tasks = threads::ranges(count, parts)
            .map(|rows| (threads::take_rows(&mut rest, rows.len() * size), rows))
            .zip(&mut done)
            .collect();
        threads::run(
            threads,
            tasks,
            |((out, rows), done): ((&mut [f32], std::ops::Range<usize>), &mut Result<()>)| {
                *done = write(rows, out);
            },
        )?;
        done.into_iter().collect()
    };
    py.detach(fill).map_err(to_py)?;
    drop(writable);
    Ok(array.into_any())
}

fn board_states<R: Rules>(batch: &search::LeafBatch<BoardModel<R>>) -> Result<Vec<CoreBoard<R>>> {
    let model = BoardModel::new();
    (0..batch.len())
        .map(|row| {
            let mut state = batch.root(row).clone();
            batch.path(row).iter().try_for_each(|&action| model.advance(&mut state, action))?;
            Ok(state)
        })
        .collect()
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<LeafBatch>()
}
