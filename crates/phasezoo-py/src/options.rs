//! What a caller says of one game beside what is said of every game: read by the game's room.

use phasezoo_core::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;

/// The options of one game, by name.
#[derive(Clone, Copy)]
pub(crate) struct GameOptions<'a, 'py> {
    /// The game, for messages.
    pub(crate) game: &'a str,
    given: Option<&'a Bound<'py, PyDict>>,
}

impl<'a, 'py> GameOptions<'a, 'py> {
    /// What was given to the game of that name.
    pub(crate) fn new(game: &'a str, given: Option<&'a Bound<'py, PyDict>>) -> Self {
        Self { game, given }
    }

    /// Refuses options that are not `allowed`.
    pub(crate) fn check(&self, allowed: &[&str]) -> PyResult<()> {
        let Some(given) = self.given else { return Ok(()) };
        for (key, _) in given.iter() {
            let key = key.to_string();
            if allowed.contains(&key.as_str()) {
                continue;
            }
            let known = match allowed {
                [] => "it has none".into(),
                names => format!("it has {}", names.join(", ")),
            };
            return Err(to_py(Error::InvalidConfig(format!(
                "{key} is no option of the game {:?}: {known}",
                self.game
            ))));
        }
        Ok(())
    }

    /// The option of that name; `None` where it was left out, or is None. `expected` says what it may
    /// be.
    pub(crate) fn get<T>(&self, key: &str, expected: &str) -> PyResult<Option<T>>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        let Some(value) = self.given.map(|given| given.get_item(key)).transpose()?.flatten() else {
            return Ok(None);
        };
        if value.is_none() {
            return Ok(None);
        }
        value
            .extract()
            .map(Some)
            .map_err(|_| to_py(Error::InvalidConfig(format!("{key}={value}: expected {expected}"))))
    }
}
