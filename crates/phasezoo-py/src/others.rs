//! Who moves the other players inside a search of Pommerman: an agent of the core, or one in Python.

use std::sync::Arc;

use phasezoo_core::game::{Action, Game, MAX_PLAYERS, PlayerSet};
use phasezoo_core::games::pommerman::{Minds, Planner, State};
use phasezoo_core::model::{Others, SinglePlayer};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::errors::to_py;
use crate::pommerman::PommermanState;
use crate::python_game::integers;

/// The model of a search of Pommerman.
pub(crate) type PommermanModel = SinglePlayer<State, AnyOthers>;

/// An agent of the core, or one in Python that answers many states at once.
#[derive(Clone)]
pub(crate) enum AnyOthers {
    /// One of the core's.
    Native(Planner),
    /// `select_batch(states, players) -> actions`.
    Python(Arc<Py<PyAny>>),
}

impl AnyOthers {
    /// A planner's name, or an agent with `select_batch`.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = given.extract::<String>() {
            return Planner::parse(&name).map(Self::Native).map_err(to_py);
        }
        let ask = given.getattr("select_batch").map_err(|_| {
            to_py(Error::InvalidConfig(format!(
                "others is a {}: expected a name such as \"simple_unbiased\", or an agent with \
                 select_batch(states, players)",
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

impl Others<State> for AnyOthers {
    type Memory = Minds;

    fn act(
        &self,
        state: &State,
        players: PlayerSet,
        memory: &mut Minds,
        actions: &mut [Action; MAX_PLAYERS],
    ) -> Result<()> {
        let ask = match self {
            Self::Native(planner) => return Others::act(planner, state, players, memory, actions),
            Self::Python(ask) => ask,
        };
        // The dead of a team are asked by the game; an agent is not.
        let asked: Vec<u8> = players.iter().filter(|&player| !state.is_idle(player)).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let given = Python::attach(|py| -> PyResult<Vec<i64>> {
            let shown = Bound::new(py, PommermanState::from(state.clone()))?;
            let states = PyList::new(py, asked.iter().map(|_| &shown))?;
            let players: Vec<i64> = asked.iter().map(|&player| i64::from(player)).collect();
            integers(&ask.bind(py).call1((states, players))?)
        });
        let given = given.map_err(|error| Error::External(Box::new(error)))?;
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
}
