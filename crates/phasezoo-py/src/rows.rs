//! Leaves of searches behind one type, whatever their model walks.

use std::any::Any;
use std::ops::Range;

use phasezoo_core::game::{Action, Kept, Player};
use phasezoo_core::model::{SearchModel, Turns};
use phasezoo_core::plane_buffers::{PlaneBuffer, PlaneRows};
use phasezoo_core::search::{LeafBatch, Origin, Ticket};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{external, to_py};
use crate::native::{Native, typed};
use crate::options::GameOptions;
use crate::planes::{WantedPlanes, fill_in_parallel, of_states};

/// Rows that a thread encodes at least: less is done before another thread has woken up.
pub(crate) const GRAIN: usize = 16;

/// A search model that begins at states of Python's.
pub(crate) trait Rooted: SearchModel + 'static {
    /// The root of a search, from a state and what the game's room wants to know of it.
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<Self::State>;

    /// The player for whom a draw is won in a search from `root`, in games in which one side alone can
    /// win.
    fn favoured(&self, _root: &Self::State) -> Result<Option<Player>> {
        Ok(None)
    }

    /// Whether the model asks Python code.
    fn calls_python(&self) -> bool {
        false
    }
}

/// A search model whose states Python sees.
pub(crate) trait Walked: Rooted + Clone {
    /// A state as Python sees it.
    fn show(&self, py: Python<'_>, state: &Self::State) -> PyResult<Py<PyAny>>;

    /// float32[B, C, H, W], or packed: planes of rows as the players to move see them.
    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &LeafBatch<Self>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// Leaves of any model.
pub(crate) trait DynRows: Any + Send + Sync {
    /// What every row has, one after the other.
    fn columns(&self) -> Columns<'_>;
    /// float32[B, C, H, W], or packed: planes as the players to move see the rows.
    fn planes<'py>(
        &self,
        py: Python<'py>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>>;
    /// The states of the rows.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>>;
    /// These rows, in this order.
    fn select(&self, rows: &[usize]) -> Box<dyn DynRows>;
}

/// What every row has: row `i`'s legal actions are `actions[offsets[i]..offsets[i + 1]]`.
pub(crate) struct Columns<'a> {
    pub(crate) tickets: &'a [Ticket],
    pub(crate) phases: &'a [i8],
    pub(crate) origins: &'a [Origin],
    pub(crate) players: &'a [Player],
    pub(crate) offsets: &'a [usize],
    pub(crate) actions: &'a [Action],
}

/// The leaves of one model.
pub(crate) struct Rows<M: Walked> {
    pub(crate) batch: LeafBatch<M>,
    pub(crate) model: M,
}

impl<M: Walked> DynRows for Rows<M> {
    fn columns(&self) -> Columns<'_> {
        let LeafBatch { tickets, phases, origins, players, offsets, actions, .. } = &self.batch;
        Columns { tickets, phases, origins, players, offsets, actions }
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.model.planes(py, &self.batch, wanted, threads)
    }

    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let states = PyList::empty(py);
        for row in 0..self.batch.len() {
            let mut state = self.batch.root(row).clone();
            self.batch.restore(&self.model, row, &mut state).map_err(to_py)?;
            states.append(self.model.show(py, &state)?)?;
        }
        Ok(states)
    }

    fn select(&self, rows: &[usize]) -> Box<dyn DynRows> {
        Box::new(Self { batch: self.batch.select(rows), model: self.model.clone() })
    }
}

/// Rows as the pool has collected them that is asked.
pub(crate) fn own<R: DynRows>(rows: &dyn DynRows) -> Result<&R> {
    let rows: &dyn Any = rows;
    rows.downcast_ref().ok_or_else(strange)
}

/// [`own`], to be changed.
pub(crate) fn own_mut<R: DynRows>(rows: &mut dyn DynRows) -> Result<&mut R> {
    let rows: &mut dyn Any = rows;
    rows.downcast_mut().ok_or_else(strange)
}

/// What is said of leaves and roots that are not of a pool's own kind.
pub(crate) fn strange() -> Error {
    Error::InvalidState("these leaves are of another game than the pool searches".into())
}

/// Writes the planes of row `row`, as `player` sees `state`.
pub(crate) fn write_row<G: Native>(
    room: &mut PlaneBuffer<'_>,
    row: usize,
    state: &G,
    planes: G::Planes,
    player: Player,
) -> Result<()> {
    if !state.fits(planes) {
        return Err(Error::InvalidArray(format!(
            "row {row} is of a board of another size than row 0: search them in pools of their own"
        )));
    }
    room.encode(state, planes, player);
    Ok(())
}

/// float32[B, C, H, W], or packed, of rows of a game of the core, made in parallel with the interpreter lock
/// released.
pub(crate) fn native_planes<'py, M: SearchModel<Game: Native>>(
    py: Python<'py>,
    model: &M,
    batch: &LeafBatch<M>,
    wanted: WantedPlanes<'_>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let like = (!batch.is_empty()).then(|| model.game(batch.root(0)));
    let planes = M::Game::named_planes(wanted.spec, like).map_err(to_py)?;
    let write = |rows: Range<usize>, room: PlaneRows<'_>| {
        let mut state = None;
        for (mut room, row) in room.zip(rows) {
            let state = state.get_or_insert_with(|| batch.root(row).clone());
            batch.restore(model, row, state)?;
            write_row(&mut room, row, model.game(state), planes, batch.players[row])?;
        }
        Ok(())
    };
    let count = batch.len();
    of_states::<M::Game>(py, "planes of leaves", planes, count, wanted.packed, |room| {
        fill_in_parallel(count, room, threads, GRAIN, write)
    })
}

impl<G: Native, K: Kept<G> + 'static> Rooted for Turns<G, K> {
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<G> {
        options.check(&[]).map_err(external)?;
        typed(state, options.game).cloned()
    }

    fn favoured(&self, root: &G) -> Result<Option<Player>> {
        root.favoured()
    }
}

impl<G: Native, K: Kept<G> + 'static> Walked for Turns<G, K> {
    fn show(&self, py: Python<'_>, state: &G) -> PyResult<Py<PyAny>> {
        state.clone().shown(py)
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &LeafBatch<Self>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        native_planes(py, self, batch, wanted, threads)
    }
}
