//! Pommerman in its modes.

mod agents;
mod state;

use phasezoo_core::game::Game;
use phasezoo_core::games::pommerman::config::MAX_SIZE;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Config, Minds, Mode, Planner, PommermanPlanes, State};
use phasezoo_core::model::{Scene, SinglePlayer};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::LeafBatch;
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::arguments::Seed;
use crate::errors::{external, to_py};
use crate::native::{Native, PoolSetup, Positions, Room, Start, typed, viewer};
use crate::options::GameOptions;
use crate::others::Movers;
use crate::planes::WantedPlanes;
use crate::pools::{self, DynPool};
use crate::rollouts::{DynUct, UctSetup};
use crate::rows::{Rooted, Walked, native_planes};
use state::PommermanState;

/// One mode of the game, on boards of one size.
pub(crate) struct Pommerman {
    mode: Mode,
    size: u8,
}

impl Pommerman {
    /// A mode on its own board.
    pub(crate) const fn of(mode: Mode) -> Self {
        Self::on_board(mode, mode.size() as u8)
    }

    /// A mode on a board of `size` cells a side.
    pub(crate) const fn on_board(mode: Mode, size: u8) -> Self {
        Self { mode, size }
    }
}

/// The name of the game in a mode; two players have a game of their own on large boards.
fn name_of(mode: Mode, size: u8) -> &'static str {
    match mode {
        Mode::Ffa => "pommerman-ffa",
        Mode::Team => "pommerman-team",
        Mode::TeamRadio => "pommerman-team-radio",
        Mode::OneVsOne if usize::from(size) == MAX_SIZE => "pommerman-1v1-11",
        Mode::OneVsOne => "pommerman-1v1",
    }
}

/// The rules of a mode on a board of `size`, by default its own. Only the radio's games have fog unless
/// told otherwise.
fn config(mode: Mode, fog: Option<bool>, collapse: bool, size: Option<u8>) -> Config {
    let own = Config::new(mode, fog.unwrap_or(mode == Mode::TeamRadio), collapse);
    Config { size: size.unwrap_or(own.size), ..own }
}

impl Native for State {
    fn game_name(&self) -> &'static str {
        name_of(self.config().mode, self.config().size)
    }

    fn inside<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Self> {
        Some(&object.cast::<PommermanState>().ok()?.get().state)
    }

    fn shown(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, PommermanState::from(self))?.into_any())
    }

    fn named_planes(spec: &str, like: Option<&Self>) -> Result<PommermanPlanes> {
        if spec != "standard" {
            return Err(Error::InvalidPlaneSpec(format!(
                "{spec:?} is not a plane spec of Pommerman; expected \"standard\""
            )));
        }
        Ok(PommermanPlanes { size: like.map_or(MAX_SIZE as u8, |state| state.config().size) })
    }
}

/// Who moves the others in a search.
type Others = Movers<Planner>;

/// A search by one player, others being moved by agents.
type Model = SinglePlayer<State, Others>;

impl Rooted for Model {
    /// `player` searches, `seed` is that of the others' random numbers, and with `observed` those whom
    /// the player does not see at the root stay where they are thought to be.
    fn root(
        &self,
        state: &Bound<'_, PyAny>,
        options: GameOptions<'_, '_>,
    ) -> Result<Scene<State, Minds>> {
        let (player, seed, observed) = options_of_search(options).map_err(external)?;
        let state: &State = typed(state, options.game)?;
        let player = viewer(state, Some(player))?;
        let mut minds = Minds::new(Stream::new(seed));
        if observed {
            minds = minds.of_seen(state, player);
        }
        SinglePlayer::root(self, state.clone(), player, minds)
    }

    fn calls_python(&self) -> bool {
        self.others().calls_python()
    }
}

fn options_of_search(options: GameOptions<'_, '_>) -> PyResult<(i64, u64, bool)> {
    options.check(&["player", "seed", "observed"])?;
    let player = options.get("player", "a player")?.unwrap_or(0);
    let seed: Seed = options.get("seed", "a whole number from 0 to 2^64 - 1")?.unwrap_or_default();
    Ok((player, seed.0, options.get("observed", "True or False")?.unwrap_or(true)))
}

impl Walked for Model {
    fn show(&self, py: Python<'_>, state: &Scene<State, Minds>) -> PyResult<Py<PyAny>> {
        state.game.clone().shown(py)
    }

    fn planes<'py>(
        &self,
        py: Python<'py>,
        batch: &LeafBatch<Self>,
        wanted: WantedPlanes<'_>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        native_planes(py, self, batch, wanted, threads)
    }
}

impl Pommerman {
    /// The rules that options ask for.
    fn config(&self, options: GameOptions<'_, '_>) -> PyResult<Config> {
        options.check(&["fog", "collapse"])?;
        let fog = options.get("fog", "True, False or None")?;
        let collapse = options.get("collapse", "True or False")?.unwrap_or_default();
        Ok(config(self.mode, fog, collapse, Some(self.size)))
    }
}

impl Room for Pommerman {
    type State = State;

    fn name(&self) -> &'static str {
        name_of(self.mode, self.size)
    }

    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()> {
        state::register(m)?;
        agents::register(m)
    }

    /// With `fog` players see four cells far, with `collapse` the board shrinks.
    fn starts(&self, options: GameOptions<'_, '_>) -> PyResult<Start<State>> {
        let config = self.config(options)?;
        Ok(Box::new(move |seed| {
            Ok(State::new(config, &mut Twister::new(seed.unwrap_or_default())))
        }))
    }

    /// A position is written as JSON, and on a board of the game's size.
    fn positions<'a>(&'a self, options: GameOptions<'_, '_>) -> PyResult<Positions<'a, State>> {
        let config = self.config(options)?;
        Ok(Box::new(move |position, moves| {
            if !moves.is_empty() {
                let message = "moves of Pommerman are not written as text".into();
                return Err(Error::InvalidState(message));
            }
            let state = State::from_json(config, position)?;
            if state.config().size == config.size {
                return Ok(state);
            }
            Err(Error::InvalidState(format!(
                "the board has {} rows; stored games of {:?} have {}",
                state.config().size,
                name_of(config.mode, config.size),
                config.size
            )))
        }))
    }

    fn pool(&self, setup: PoolSetup<'_, '_>) -> PyResult<Box<dyn DynPool>> {
        let Some(others) = setup.others else {
            return Err(to_py(Error::InvalidConfig(format!(
                "{:?}: players move at once, and one searches while others= moves the rest: name an \
                 agent of the game, such as \"simple_unbiased\", or give one",
                self.name()
            ))));
        };
        let num_actions =
            State::new(config(self.mode, None, false, None), &mut Twister::new(0)).num_actions();
        let model = Model::new(Others::of(others, Planner::parse)?, num_actions);
        pools::boxed(model, setup.params, setup.gate.as_deref(), setup.threads)
    }

    fn uct(&self, _setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        Err(to_py(Error::InvalidConfig(format!(
            "players of {:?} move at once: a search with rollouts walks games in which one moves",
            self.name()
        ))))
    }

    fn players(&self) -> &'static [&'static str] {
        const { &[Planner::Simple.as_str(), Planner::SimpleUnbiased.as_str()] }
    }
}
