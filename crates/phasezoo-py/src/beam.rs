//! Pools of beam searches, of the core's games and a user's own, behind the type of all pools.

use phasezoo_core::game::Action;
use phasezoo_core::gate::{Gating, Subject};
use phasezoo_core::search::beam::{BeamPool, Params};
use phasezoo_core::search::{Evaluation, Heads, Limit, NodeView, SearchResult, Status};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;
use crate::options::GameOptions;
use crate::pools::{DynPool, Root, forwards_to_pool};
use crate::rows::{DynRows, Rows, Walked, own, own_mut, strange};
use crate::search_params;

/// The pool of one model.
struct Pool<M: Walked>(BeamPool<M>);

/// A pool of beam searches of a model.
pub(crate) fn boxed<M: Walked<Game: Subject>>(
    model: M,
    params: Params,
    gate: Option<&str>,
) -> PyResult<Box<dyn DynPool>> {
    let gate = gate.map(|spec| Gating::parse(spec, false)).transpose().map_err(to_py)?;
    Ok(Box::new(Pool(BeamPool::new(model, params, gate).map_err(to_py)?)))
}

impl<M: Walked> DynPool for Pool<M> {
    forwards_to_pool!();

    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<Root> {
        Ok(Box::new(self.0.model().root(state, options)?))
    }

    fn begin(&mut self, tree: u32, root: Root, limit: Limit, previous_phase: i8) -> Result<()> {
        let root: Box<M::State> = root.downcast().map_err(|_| strange())?;
        self.0.begin(tree, *root, limit, previous_phase)
    }

    fn restrict(&mut self, _tree: u32, actions: &[Action]) -> Result<()> {
        if actions.is_empty() {
            return Ok(());
        }
        Err(Error::InvalidConfig(
            "searchmoves restricts searches that select move by move, and a beam keeps what the \
             evaluator prefers: leave it out"
                .into(),
        ))
    }

    fn advance(&mut self, tree: u32, _action: Action) -> Result<()> {
        self.0.advance(tree)
    }

    fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>> {
        self.0.inspect(tree, path)
    }

    fn collect(&mut self, max_rows: usize) -> Result<Box<dyn DynRows>> {
        let batch = self.0.collect(max_rows)?;
        Ok(Box::new(Rows { batch, model: self.0.model().clone() }))
    }

    fn complete(
        &mut self,
        rows: &dyn DynRows,
        evaluation: &Evaluation<'_>,
        _heads: Heads<'_>,
    ) -> Result<()> {
        self.0.complete(&own::<Rows<M>>(rows)?.batch, evaluation)
    }

    fn cancel(&mut self, rows: &dyn DynRows) -> Result<()> {
        self.0.cancel(&own::<Rows<M>>(rows)?.batch);
        Ok(())
    }

    fn set_phases(&mut self, rows: &mut dyn DynRows, phases: &[i8]) -> Result<()> {
        self.0.set_phases(&mut own_mut::<Rows<M>>(rows)?.batch, phases)
    }

    fn set_proofs(&mut self, _rows: &dyn DynRows, _plies: &[i32]) -> Result<()> {
        Err(Error::InvalidState(
            "beams prove by ends of games alone: give values of leaves without proofs".into(),
        ))
    }
}

/// The settings of beam searches: the core's defaults, those given changed.
pub(crate) fn params_of(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Params> {
    search_params::params_of("beam_settings", settings)
}

/// All settings of beam searches by name: the core's defaults, those given changed; a schedule is
/// written "8,5,3,2,1,1,1". `agents.BeamConfig` documents them.
#[pyfunction]
#[pyo3(signature = (**settings))]
fn beam_settings<'py>(
    py: Python<'py>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    search_params::by_name(py, &params_of(settings)?)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(beam_settings, m)?)
}
