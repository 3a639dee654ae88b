//! Who moves the other players inside a search: an agent of the game's own, or one in Python.

use std::sync::Arc;

use phasezoo_core::game::{Action, MAX_PLAYERS, PlayerSet};
use phasezoo_core::model::Others;
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::{external, to_py};
use crate::native::Native;
use crate::python_game::integers;

/// An agent of the game's own, or one in Python that answers many states at once.
#[derive(Clone)]
pub(crate) enum Movers<O> {
    /// One of the game's own.
    Native(O),
    /// `select_batch(states, players) -> actions`.
    Python(Arc<Py<PyAny>>),
}

impl<O> Movers<O> {
    /// An agent by a name that the game knows, or one with `select_batch`.
    pub(crate) fn of(
        given: &Bound<'_, PyAny>,
        parse: impl FnOnce(&str) -> Result<O>,
    ) -> PyResult<Self> {
        if let Ok(name) = given.extract::<String>() {
            return parse(&name).map(Self::Native).map_err(to_py);
        }
        let ask = given.getattr("select_batch").map_err(|_| {
            to_py(Error::InvalidConfig(format!(
                "others is a {}: expected the name of an agent that the game brings along, or an \
                 agent with select_batch(states, players)",
                given.get_type()
            )))
        })?;
        Ok(Self::Python(Arc::new(ask.unbind())))
    }

    /// Whether Python code is asked.
    pub(crate) fn calls_python(&self) -> bool {
        matches!(self, Self::Python(_))
    }
}

impl<G: Native, O: Others<G>> Others<G> for Movers<O> {
    type Memory = O::Memory;

    fn act(
        &self,
        state: &G,
        players: PlayerSet,
        memory: &mut O::Memory,
        actions: &mut [Action; MAX_PLAYERS],
    ) -> Result<()> {
        match self {
            Self::Native(planner) => planner.act(state, players, memory, actions),
            Self::Python(ask) => ask_agent(ask, state, players, actions),
        }
    }
}

fn ask_agent<G: Native>(
    ask: &Py<PyAny>,
    state: &G,
    players: PlayerSet,
    actions: &mut [Action; MAX_PLAYERS],
) -> Result<()> {
    // Players whose answers do not matter are asked by the game; an agent is not.
    let asked: Vec<u8> = players.iter().filter(|&player| !state.is_idle(player)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let given = Python::attach(|py| -> PyResult<Vec<i64>> {
        let shown = state.clone().shown(py)?;
        let states = PyList::new(py, asked.iter().map(|_| &shown))?;
        let players: Vec<i64> = asked.iter().map(|&player| i64::from(player)).collect();
        let answer = ask.bind(py).call1((states, players))?;
        integers(&answer).map_err(|_| {
            crate::errors::to_py(Error::InvalidArray(format!(
                "the agent that moves the others answered {answer}, expected a whole number for each \
                 of {} players",
                asked.len()
            )))
        })
    });
    let given = given.map_err(external)?;
    if given.len() != asked.len() {
        return Err(Error::InvalidArray(format!(
            "the agent that moves the others gave {} actions for {} players",
            given.len(),
            asked.len()
        )));
    }
    for (&player, &action) in asked.iter().zip(&given) {
        let index = Action::try_from(action).ok();
        let index = index.filter(|&index| (index as usize) < state.num_actions());
        actions[usize::from(player)] = index.ok_or_else(|| {
            Error::IllegalAction(format!(
                "the agent that moves the others answered action {action} for player {player}: \
                 expected a whole number from 0 to {}",
                state.num_actions() - 1
            ))
        })?;
    }
    Ok(())
}
