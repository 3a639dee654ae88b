//! Boards of states, as text and as pictures.

use pyo3::prelude::*;

/// What `phasezoo.envs.rendering.render` makes of a state: "ansi" or "svg".
pub(crate) fn picture(state: &Bound<'_, PyAny>, mode: &str) -> PyResult<String> {
    let py = state.py();
    let game = py.import("phasezoo.games")?.call_method1("game_of", (state,))?;
    py.import("phasezoo.envs.rendering")?.call_method1("render", (game, state, mode))?.extract()
}
