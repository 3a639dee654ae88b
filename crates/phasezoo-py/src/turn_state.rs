//! What the classes of states of turn games say of them, the same in every room.

use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use phasezoo_core::Result;
use phasezoo_core::game::{Action, Player};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::native::{Native, viewer};
use crate::outcome::Outcome;
use crate::planes::{self, WantedPlanes};

/// What the class of a turn game's states says of them.
pub(crate) trait TurnState: Send + Sync {
    /// The name of the game.
    fn name(&self) -> &'static str;
    /// Moves since the start.
    fn plies(&self) -> u32;
    /// The player to move, also when the game is over.
    fn to_play(&self) -> Player;
    /// How the game ended; `None` while it goes on.
    fn end(&self) -> Option<Outcome>;
    /// float32[P]: the return of each player.
    fn paid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>>;
    /// The legal actions of the player to move, ascending.
    fn list_actions(&self) -> Vec<Action>;
    /// int8[A]: 1 where an action is legal.
    fn mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>>;
    /// A key of the position alone.
    fn position_key(&self) -> u64;
    /// float32[C, H, W], or packed, as a player (default: the one to move) sees the state.
    fn planes<'py>(
        &self,
        py: Python<'py>,
        wanted: WantedPlanes<'_>,
        player: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

impl<G: Native> TurnState for G {
    fn name(&self) -> &'static str {
        self.game_name()
    }

    fn plies(&self) -> u32 {
        self.ply()
    }

    fn to_play(&self) -> Player {
        self.mover().unwrap_or_default()
    }

    fn end(&self) -> Option<Outcome> {
        self.outcome().map(Outcome::from)
    }

    fn paid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.returns().as_slice().to_pyarray(py)
    }

    fn list_actions(&self) -> Vec<Action> {
        let mut actions = Vec::with_capacity(64);
        self.legal_actions(TurnState::to_play(self), &mut actions);
        actions
    }

    fn mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let mask = PyArray1::zeros(py, self.num_actions(), false);
        let mut writable = mask.try_readwrite()?;
        let slots = writable.as_slice_mut()?;
        for action in self.list_actions() {
            slots[action as usize] = 1;
        }
        drop(writable);
        Ok(mask)
    }

    fn position_key(&self) -> u64 {
        self.key()
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        wanted: WantedPlanes<'_>,
        player: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let planes = G::named_planes(wanted.spec, Some(self)).map_err(to_py)?;
        let player = viewer(self, player).map_err(to_py)?;
        planes::of_state(py, self, planes, player, wanted.packed)
    }
}

/// The state after one action of the player to move.
pub(crate) fn played<G: Native>(state: &G, action: Action) -> Result<G> {
    let mut next = state.clone();
    next.apply(&[action])?;
    Ok(next)
}

/// int64[L] of actions.
pub(crate) fn int64<'py>(py: Python<'py>, actions: &[Action]) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_vec(py, actions.iter().map(|&action| i64::from(action)).collect())
}
