//! `SearchParams`: the settings of a pool's searches, by the core's names.

use phasezoo_core::search::{Params, Setting, Settings};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;

/// What steers the searches of a pool; an immutable value. `agents.SearchConfig` documents the fields.
#[pyclass(frozen, eq, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SearchParams(Params);

#[pymethods]
impl SearchParams {
    /// The core's defaults, which are settings of match play, with those given changed. `memory_mb=0`
    /// is no limit.
    #[new]
    #[pyo3(signature = (**settings))]
    fn new(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        params_of("SearchParams", settings).map(Self)
    }

    /// All settings by name.
    fn asdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        by_name(py, &self.0)
    }

    /// A setting by name.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let setting = self.0.get(name).ok_or_else(|| {
            PyAttributeError::new_err(format!("'SearchParams' object has no attribute '{name}'"))
        })?;
        shown(py, setting)
    }

    /// What differs from the defaults.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let default = Params::default();
        let mut changed = Vec::new();
        for &name in Params::NAMES {
            if self.0.get(name) != default.get(name) {
                changed.push(format!("{name}={}", self.__getattr__(py, name)?.repr()?));
            }
        }
        Ok(format!("SearchParams({})", changed.join(", ")))
    }
}

impl SearchParams {
    /// The same for the core.
    pub(crate) fn core(&self) -> Params {
        self.0.clone()
    }
}

/// The defaults of a record of settings, with those given to `callee` changed.
pub(crate) fn params_of<P: Settings>(
    callee: &str,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<P> {
    let mut params = P::default();
    for (name, given) in settings.into_iter().flatten() {
        let name: String = name.extract()?;
        let present = params.get(&name);
        let setting = read(callee, &name, present.as_ref(), &given)?;
        params.set(&name, &setting).map_err(to_py)?;
    }
    params.check().map_err(to_py)?;
    Ok(params)
}

/// All settings of a record by name.
pub(crate) fn by_name<'py, P: Settings>(
    py: Python<'py>,
    params: &P,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for &name in P::NAMES {
        if let Some(setting) = params.get(name) {
            all.set_item(name, shown(py, setting)?)?;
        }
    }
    Ok(all)
}

/// A setting as Python sees it.
fn shown(py: Python<'_>, setting: Setting) -> PyResult<Bound<'_, PyAny>> {
    Ok(match setting {
        Setting::Flag(given) => given.into_pyobject(py)?.to_owned().into_any(),
        Setting::Whole(given) => given.into_pyobject(py)?.into_any(),
        Setting::Real(given) => given.into_pyobject(py)?.into_any(),
        Setting::MaybeReal(given) => given.into_pyobject(py)?.into_any(),
        Setting::Word(given) => given.into_pyobject(py)?.into_any(),
    })
}

/// What was given to `callee` for the setting `name`, of the kind that is `present` now.
fn read(
    callee: &str,
    name: &str,
    present: Option<&Setting>,
    given: &Bound<'_, PyAny>,
) -> PyResult<Setting> {
    let Some(present) = present else {
        return Err(PyTypeError::new_err(format!(
            "{callee}() got an unexpected keyword argument '{name}'"
        )));
    };
    like(present, name, given)
}

/// What was given, as a setting of the kind that is `present` now.
fn like(present: &Setting, name: &str, given: &Bound<'_, PyAny>) -> PyResult<Setting> {
    let setting = match present {
        Setting::Flag(_) => given.extract().map(Setting::Flag),
        Setting::Whole(_) => given.extract().map(Setting::Whole),
        Setting::Real(_) => given.extract().map(Setting::Real),
        Setting::MaybeReal(_) => given.extract().map(Setting::MaybeReal),
        Setting::Word(_) => given.extract().map(Setting::Word),
    };
    setting.map_err(|error| {
        if error.is_instance_of::<PyTypeError>(given.py()) {
            let why = error.value(given.py());
            return PyTypeError::new_err(format!("argument '{name}': {why}"));
        }
        error
    })
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<SearchParams>()
}
