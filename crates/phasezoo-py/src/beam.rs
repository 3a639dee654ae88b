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
use crate::pools::{DynPool, Root};
use crate::rows::{DynRows, Rows, Walked, own, own_mut, strange};
use crate::search_params::{read, shown};

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
    fn add(&mut self, seed: u64) -> Result<u32> {
        self.0.add(seed)
    }

    fn remove(&mut self, tree: u32) -> Result<()> {
        self.0.remove(tree)
    }

    fn remove_all(&mut self) {
        self.0.remove_all();
    }

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

    fn stop(&mut self, tree: u32) -> Result<()> {
        self.0.stop(tree)
    }

    fn clear(&mut self, tree: u32) -> Result<()> {
        self.0.clear(tree)
    }

    fn status(&self, tree: u32) -> Result<Status> {
        self.0.status(tree)
    }

    fn progress(&self, tree: u32) -> Result<(u64, u64)> {
        self.0.progress(tree)
    }

    fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>> {
        self.0.inspect(tree, path)
    }

    fn running(&self) -> usize {
        self.0.running()
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

    fn report(&self, tree: u32) -> Result<SearchResult> {
        self.0.report(tree)
    }

    fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()> {
        self.0.change_limit(tree, limit)
    }

    fn finish(&mut self, tree: u32) -> Result<SearchResult> {
        self.0.finish(tree)
    }

    fn num_actions(&self) -> usize {
        self.0.model().num_actions()
    }

    fn calls_python(&self) -> bool {
        self.0.model().calls_python()
    }
}

/// The settings of beam searches: the core's defaults, those given changed.
pub(crate) fn params_of(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Params> {
    let mut params = Params::default();
    for (name, given) in settings.into_iter().flatten() {
        let name: String = name.extract()?;
        let present = params.get(&name);
        let setting = read("beam_settings", &name, present.as_ref(), &given)?;
        params.set(&name, &setting).map_err(to_py)?;
    }
    params.check().map_err(to_py)?;
    Ok(params)
}

/// All settings of beam searches by name: the core's defaults, those given changed; a schedule is
/// written "8,5,3,2,1,1,1". `agents.BeamConfig` documents them.
#[pyfunction]
#[pyo3(signature = (**settings))]
fn beam_settings<'py>(
    py: Python<'py>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let params = params_of(settings)?;
    let all = PyDict::new(py);
    for &name in Params::NAMES {
        if let Some(setting) = params.get(name) {
            all.set_item(name, shown(py, setting)?)?;
        }
    }
    Ok(all)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(beam_settings, m)?)
}
