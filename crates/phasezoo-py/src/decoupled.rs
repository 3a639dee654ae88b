//! Pools of decoupled searches, of the core's games and a user's own, behind the type of all pools.

use std::ops::Range;

use phasezoo_core::game::{Action, Player};
use phasezoo_core::gate::{Gating, Subject};
use phasezoo_core::plane_buffers::PlaneRows;
use phasezoo_core::search::decoupled::{JointBatch, JointModel, JointPool, Params, Together};
use phasezoo_core::search::{Evaluation, Heads, Limit, NodeView, SearchResult, Status};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{external, to_py};
use crate::native::{Native, typed, viewer};
use crate::options::GameOptions;
use crate::planes::{WantedPlanes, fill_in_parallel, of_states};
use crate::pools::{DynPool, Root, forwards_to_pool};
use crate::rows::{Columns, DynRows, GRAIN, own, own_mut, strange, write_row};
use crate::search_params;

/// A model of a decoupled search whose states Python sees.
pub(crate) trait JointWalked: JointModel + Clone + 'static {
    /// The state of Python's that a search begins at, and who searches.
    fn root(
        &self,
        state: &Bound<'_, PyAny>,
        options: GameOptions<'_, '_>,
    ) -> Result<(Self::State, Player)>;

    /// A state as Python sees it.
    fn show(&self, py: Python<'_>, state: &Self::State) -> PyResult<Py<PyAny>>;

    /// float32[B, C, H, W], or packed: planes of rows as their players see them.
    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &JointBatch<Self::State>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>>;

    /// Whether the model asks Python code.
    fn calls_python(&self) -> bool {
        false
    }
}

/// The player whom the options of a search name.
pub(crate) fn searcher(options: GameOptions<'_, '_>) -> Result<i64> {
    options.check(&["player"]).map_err(external)?;
    Ok(options.get("player", "a player").map_err(external)?.unwrap_or(0))
}

impl<G: Native> JointWalked for Together<G> {
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<(G, Player)> {
        let state: &G = typed(state, options.game)?;
        Ok((state.clone(), viewer(state, Some(searcher(options)?))?))
    }

    fn show(&self, py: Python<'_>, state: &G) -> PyResult<Py<PyAny>> {
        state.clone().shown(py)
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &JointBatch<G>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let planes = G::named_planes(wanted.spec, batch.states.first()).map_err(to_py)?;
        let write = |rows: Range<usize>, room: PlaneRows<'_>| {
            for (mut room, row) in room.zip(rows) {
                write_row(&mut room, row, &batch.states[row], planes, batch.players[row])?;
            }
            Ok(())
        };
        let count = batch.len();
        of_states::<G>(py, "planes of leaves", planes, count, wanted.packed, |room| {
            fill_in_parallel(count, room, threads, GRAIN, write)
        })
    }
}

/// The leaves of one model.
struct JointRows<M: JointWalked> {
    batch: JointBatch<M::State>,
    model: M,
}

impl<M: JointWalked> DynRows for JointRows<M> {
    fn columns(&self) -> Columns<'_> {
        let JointBatch { tickets, phases, origins, players, offsets, actions, .. } = &self.batch;
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
        for state in &self.batch.states {
            states.append(self.model.show(py, state)?)?;
        }
        Ok(states)
    }

    fn select(&self, rows: &[usize]) -> Box<dyn DynRows> {
        Box::new(Self { batch: self.batch.select(rows), model: self.model.clone() })
    }
}

/// The pool of one model.
struct Pool<M: JointWalked>(JointPool<M>);

/// A pool of decoupled searches of a model.
pub(crate) fn boxed<M: JointWalked<Game: Subject>>(
    model: M,
    params: Params,
    gate: Option<&str>,
) -> PyResult<Box<dyn DynPool>> {
    let gate = gate.map(|spec| Gating::parse(spec, false)).transpose().map_err(to_py)?;
    Ok(Box::new(Pool(JointPool::new(model, params, gate).map_err(to_py)?)))
}

impl<M: JointWalked> DynPool for Pool<M> {
    forwards_to_pool!();

    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<Root> {
        Ok(Box::new(self.0.model().root(state, options)?))
    }

    fn begin(&mut self, tree: u32, root: Root, limit: Limit, previous_phase: i8) -> Result<()> {
        let root: Box<(M::State, Player)> = root.downcast().map_err(|_| strange())?;
        let (root, player) = *root;
        self.0.begin(tree, root, player, limit, previous_phase)
    }

    fn restrict(&mut self, _tree: u32, actions: &[Action]) -> Result<()> {
        if actions.is_empty() {
            return Ok(());
        }
        Err(Error::InvalidConfig(
            "searchmoves restricts searches in which one player moves at a time: leave it out"
                .into(),
        ))
    }

    /// What all did at once is not known here: the next search begins anew.
    fn advance(&mut self, tree: u32, _action: Action) -> Result<()> {
        self.0.clear(tree)
    }

    fn inspect(&self, _tree: u32, _path: &[Action]) -> Result<Option<NodeView>> {
        Err(Error::InvalidState(
            "positions of a decoupled search have no player to move, whose view could be shown; \
             finish(tree) says what was found"
                .into(),
        ))
    }

    fn collect(&mut self, max_rows: usize) -> Result<Box<dyn DynRows>> {
        let batch = self.0.collect(max_rows)?;
        Ok(Box::new(JointRows { batch, model: self.0.model().clone() }))
    }

    fn complete(
        &mut self,
        rows: &dyn DynRows,
        evaluation: &Evaluation<'_>,
        _heads: Heads<'_>,
    ) -> Result<()> {
        self.0.complete(&own::<JointRows<M>>(rows)?.batch, evaluation)
    }

    fn cancel(&mut self, rows: &dyn DynRows) -> Result<()> {
        self.0.cancel(&own::<JointRows<M>>(rows)?.batch);
        Ok(())
    }

    fn set_phases(&mut self, rows: &mut dyn DynRows, phases: &[i8]) -> Result<()> {
        self.0.set_phases(&mut own_mut::<JointRows<M>>(rows)?.batch, phases)
    }

    fn set_proofs(&mut self, _rows: &dyn DynRows, _plies: &[i32]) -> Result<()> {
        Err(Error::InvalidState("decoupled searches prove nothing: give values alone".into()))
    }
}

/// The settings of decoupled searches: the core's defaults, those given changed.
pub(crate) fn params_of(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Params> {
    search_params::params_of("decoupled_settings", settings)
}

/// All settings of decoupled searches by name: the core's defaults, those given changed.
/// `agents.DecoupledConfig` documents them.
#[pyfunction]
#[pyo3(signature = (**settings))]
fn decoupled_settings<'py>(
    py: Python<'py>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    search_params::by_name(py, &params_of(settings)?)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(decoupled_settings, m)?)
}
