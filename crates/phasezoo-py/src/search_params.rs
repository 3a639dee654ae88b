//! `SearchParams`: the settings of a pool's searches.

use phasezoo_core::search::{Params, VirtualStyle};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::errors::to_py;

/// What steers the searches of a pool; an immutable value. `agents.SearchConfig` documents the fields.
#[pyclass(frozen, get_all, eq, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchParams {
    batch_size: i64,
    c_puct_init: f64,
    c_puct_base: f64,
    fpu: Option<f64>,
    virtual_style: String,
    virtual_mix_threshold: i64,
    node_temperature: f64,
    dirichlet_alpha: f64,
    dirichlet_epsilon: f64,
    q_value_weight: f64,
    q_veto_delta: f64,
    temperature: f64,
    temperature_plies: i64,
    temperature_decay: f64,
    quantile_clipping: f64,
    solver: bool,
    reuse_tree: bool,
    memory_mb: i64,
    draw_on_second_occurrence: bool,
}

#[pymethods]
impl SearchParams {
    /// Settings of match play, with those given changed. `memory_mb=0` is no limit.
    #[new]
    #[pyo3(signature = (*, batch_size = 1, c_puct_init = 2.5, c_puct_base = 19652.0, fpu = None,
        virtual_style = "virtual_mix", virtual_mix_threshold = 1000, node_temperature = 1.7,
        dirichlet_alpha = 0.2, dirichlet_epsilon = 0.0, q_value_weight = 1.0, q_veto_delta = 0.4,
        temperature = 0.0, temperature_plies = 0, temperature_decay = 0.92, quantile_clipping = 0.25,
        solver = true, reuse_tree = true, memory_mb = 0, draw_on_second_occurrence = false))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // keywords of one record
    fn new(
        batch_size: i64,
        c_puct_init: f64,
        c_puct_base: f64,
        fpu: Option<f64>,
        virtual_style: &str,
        virtual_mix_threshold: i64,
        node_temperature: f64,
        dirichlet_alpha: f64,
        dirichlet_epsilon: f64,
        q_value_weight: f64,
        q_veto_delta: f64,
        temperature: f64,
        temperature_plies: i64,
        temperature_decay: f64,
        quantile_clipping: f64,
        solver: bool,
        reuse_tree: bool,
        memory_mb: i64,
        draw_on_second_occurrence: bool,
    ) -> PyResult<Self> {
        let params = Self {
            batch_size,
            c_puct_init,
            c_puct_base,
            fpu,
            virtual_style: virtual_style.to_owned(),
            virtual_mix_threshold,
            node_temperature,
            dirichlet_alpha,
            dirichlet_epsilon,
            q_value_weight,
            q_veto_delta,
            temperature,
            temperature_plies,
            temperature_decay,
            quantile_clipping,
            solver,
            reuse_tree,
            memory_mb,
            draw_on_second_occurrence,
        };
        params.core().map_err(to_py)?;
        Ok(params)
    }
}

impl SearchParams {
    /// The same for the core, checked.
    pub(crate) fn core(&self) -> Result<Params> {
        let memory = whole("memory_mb", self.memory_mb)? as usize;
        let params = Params {
            batch_size: whole("batch_size", self.batch_size)? as usize,
            c_puct_init: self.c_puct_init as f32,
            c_puct_base: self.c_puct_base as f32,
            fpu: self.fpu.map(|reduction| reduction as f32),
            virtual_style: VirtualStyle::parse(&self.virtual_style)?,
            virtual_mix_threshold: whole("virtual_mix_threshold", self.virtual_mix_threshold)?,
            node_temperature: self.node_temperature as f32,
            dirichlet_alpha: self.dirichlet_alpha as f32,
            dirichlet_epsilon: self.dirichlet_epsilon as f32,
            q_value_weight: self.q_value_weight as f32,
            q_veto_delta: self.q_veto_delta as f32,
            temperature: self.temperature as f32,
            temperature_plies: whole("temperature_plies", self.temperature_plies)?,
            temperature_decay: self.temperature_decay as f32,
            quantile_clipping: self.quantile_clipping as f32,
            solver: self.solver,
            reuse_tree: self.reuse_tree,
            memory: (memory > 0).then_some(memory << 20),
            draw_on_second_occurrence: self.draw_on_second_occurrence,
        };
        params.check()?;
        Ok(params)
    }
}

fn whole(name: &str, given: i64) -> Result<u32> {
    u32::try_from(given).map_err(|_| {
        Error::InvalidConfig(format!("{name} is {given}, allowed are whole numbers from 0"))
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<SearchParams>()
}
