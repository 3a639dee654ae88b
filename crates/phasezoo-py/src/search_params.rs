//! `SearchParams`: the settings of a pool's searches.

use std::sync::LazyLock;

use phasezoo_core::search::{Params, VirtualStyle};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::errors::to_py;

/// The core's defaults, which are nowhere written again.
static DEFAULTS: LazyLock<SearchParams> = LazyLock::new(|| SearchParams::of(&Params::default()));

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
    /// The core's defaults, which are settings of match play, with those given changed. `memory_mb=0`
    /// is no limit.
    #[new]
    #[pyo3(signature = (*, batch_size = DEFAULTS.batch_size, c_puct_init = DEFAULTS.c_puct_init,
        c_puct_base = DEFAULTS.c_puct_base, fpu = DEFAULTS.fpu,
        virtual_style = DEFAULTS.virtual_style.clone(),
        virtual_mix_threshold = DEFAULTS.virtual_mix_threshold,
        node_temperature = DEFAULTS.node_temperature, dirichlet_alpha = DEFAULTS.dirichlet_alpha,
        dirichlet_epsilon = DEFAULTS.dirichlet_epsilon, q_value_weight = DEFAULTS.q_value_weight,
        q_veto_delta = DEFAULTS.q_veto_delta, temperature = DEFAULTS.temperature,
        temperature_plies = DEFAULTS.temperature_plies,
        temperature_decay = DEFAULTS.temperature_decay,
        quantile_clipping = DEFAULTS.quantile_clipping, solver = DEFAULTS.solver,
        reuse_tree = DEFAULTS.reuse_tree, memory_mb = DEFAULTS.memory_mb,
        draw_on_second_occurrence = DEFAULTS.draw_on_second_occurrence))]
    #[allow(clippy::too_many_arguments, clippy::fn_params_excessive_bools)] // keywords of one record
    fn new(
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
    ) -> PyResult<Self> {
        let params = Self {
            batch_size,
            c_puct_init,
            c_puct_base,
            fpu,
            virtual_style,
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
    /// What the core's settings are in Python.
    fn of(params: &Params) -> Self {
        Self {
            batch_size: params.batch_size as i64,
            c_puct_init: shortest(params.c_puct_init),
            c_puct_base: shortest(params.c_puct_base),
            fpu: params.fpu.map(shortest),
            virtual_style: params.virtual_style.as_str().to_owned(),
            virtual_mix_threshold: params.virtual_mix_threshold.into(),
            node_temperature: shortest(params.node_temperature),
            dirichlet_alpha: shortest(params.dirichlet_alpha),
            dirichlet_epsilon: shortest(params.dirichlet_epsilon),
            q_value_weight: shortest(params.q_value_weight),
            q_veto_delta: shortest(params.q_veto_delta),
            temperature: shortest(params.temperature),
            temperature_plies: params.temperature_plies.into(),
            temperature_decay: shortest(params.temperature_decay),
            quantile_clipping: shortest(params.quantile_clipping),
            solver: params.solver,
            reuse_tree: params.reuse_tree,
            memory_mb: params.memory.map_or(0, |bytes| (bytes >> 20) as i64),
            draw_on_second_occurrence: params.draw_on_second_occurrence,
        }
    }

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

/// The decimal number that people write for `value`: 1.7, not 1.7000000476837158.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

fn whole(name: &str, given: i64) -> Result<u32> {
    u32::try_from(given).map_err(|_| {
        Error::InvalidConfig(format!("{name} is {given}, allowed are whole numbers from 0"))
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<SearchParams>()
}
