//! A user's Python game in a decoupled search: players may move at once, and it need not be zero-sum.

use numpy::IntoPyArray;
use phasezoo_core::game::{Action, Player, PlayerSet};
use phasezoo_core::model::SearchModel;
use phasezoo_core::search::decoupled::{JointBatch, JointModel};
use phasezoo_core::vector::SIMULTANEOUS;
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use super::{PythonModel, PythonState, integers};
use crate::decoupled::{JointWalked, searcher};
use crate::errors::external;
use crate::options::GameOptions;
use crate::planes::{self, WantedPlanes};

impl PythonModel {
    /// Who moves in a state that goes on, and whether at once.
    fn movers(&self, state: &Bound<'_, PyAny>) -> Result<(PlayerSet, bool)> {
        let given = state.getattr("to_play").map_err(external)?;
        let to_play: Option<i64> = given.extract().ok();
        let at_once = to_play == Some(SIMULTANEOUS);
        let players = if at_once {
            let acting = state.getattr("acting").map_err(external)?;
            integers(&acting).map_err(|_| self.broken(state, "acting are not whole numbers"))?
        } else {
            to_play.into_iter().collect()
        };
        let known = 0..self.num_players as i64;
        if players.is_empty() || !players.iter().all(|player| known.contains(player)) {
            let what = format!(
                "to_play is {given} and those who move are {players:?}, expected players from 0 to {}, \
                 in to_play or, if that is {SIMULTANEOUS}, in acting",
                self.num_players - 1
            );
            return Err(self.broken(state, &what));
        }
        Ok((PlayerSet::of(players.into_iter().map(|player| player as Player)), at_once))
    }
}

impl JointModel for PythonModel {
    type State = PythonState;
    type Game = PythonState;

    fn num_players(&self) -> usize {
        self.num_players
    }

    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn acting(&self, state: &PythonState) -> Result<PlayerSet> {
        Python::attach(|py| {
            let state = state.object(py);
            if self.is_over(state)? {
                return Ok(PlayerSet(0));
            }
            self.movers(state).map(|(players, _)| players)
        })
    }

    fn settled(&self, state: &PythonState, player: Player) -> Result<Option<f32>> {
        Python::attach(|py| {
            let state = state.object(py);
            if self.is_over(state)? {
                return Ok(self.each_return(state)?.get(usize::from(player)).copied());
            }
            if !state.hasattr("settled").map_err(external)? {
                return Ok(None);
            }
            let worth = state.call_method1("settled", (player,)).map_err(external)?;
            worth.extract().map_err(|_| {
                self.broken(
                    state,
                    &format!("settled({player}) is {worth}, expected a number or None"),
                )
            })
        })
    }

    fn actions(
        &self,
        state: &PythonState,
        player: Player,
        actions: &mut Vec<Action>,
    ) -> Result<()> {
        Python::attach(|py| {
            let state = state.object(py);
            let (_, at_once) = self.movers(state)?;
            if at_once {
                let given = state.call_method1("legal_actions_of", (player,)).map_err(external)?;
                self.check_actions(state, &given, "legal_actions_of(player)", actions)
            } else {
                self.legal(state, actions)
            }
        })
    }

    fn play(&self, state: &mut PythonState, joint: &[Action]) -> Result<()> {
        Python::attach(|py| {
            let (_, at_once) = self.movers(state.object(py))?;
            let next = if at_once {
                let actions: Vec<i64> = joint.iter().map(|&action| i64::from(action)).collect();
                self.played(state.object(py), actions.into_pyarray(py))?
            } else {
                self.played(state.object(py), joint[0])?
            };
            *state = next;
            Ok(())
        })
    }

    fn game<'a>(&self, state: &'a PythonState) -> &'a PythonState {
        state
    }

    fn heap_bytes(&self, state: &PythonState) -> usize {
        SearchModel::heap_bytes(self, state)
    }
}

impl JointWalked for PythonModel {
    fn root(
        &self,
        state: &Bound<'_, PyAny>,
        options: GameOptions<'_, '_>,
    ) -> Result<(PythonState, Player)> {
        let player = searcher(options)?;
        let known = usize::try_from(player).ok().filter(|&player| player < self.num_players);
        let player = known.ok_or_else(|| {
            Error::InvalidConfig(format!(
                "player {player}: {} has the players 0 to {}",
                self.name,
                self.num_players - 1
            ))
        })?;
        Ok((state.clone().into(), player as Player))
    }

    fn show(&self, py: Python<'_>, state: &PythonState) -> PyResult<Py<PyAny>> {
        Ok(state.object(py).clone().unbind())
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &JointBatch<PythonState>,
        wanted: WantedPlanes<'_>,
        _threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = batch.states.iter().zip(&batch.players);
        let rows = rows
            .map(|(state, &player)| self.planes_of(state, py, wanted.spec, Some(player)))
            .collect::<PyResult<Vec<_>>>()?;
        let planes = py.import("numpy")?.call_method1("stack", (rows,))?;
        if wanted.packed { planes::general(&planes) } else { Ok(planes) }
    }

    fn calls_python(&self) -> bool {
        true
    }
}
