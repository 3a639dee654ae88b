//! The board games of shakmaty's rules: one room over all of them.

mod krk;
mod krk_graph;
mod lc0;
mod lone_king;
mod pgn;
mod state;

use std::marker::PhantomData;

use phasezoo_core::game::Player;
use phasezoo_core::games::boards::perft::ByShakmaty;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::{Atomic, BoardModel, BoardState as Core, Chess960, Crazyhouse, Rules};
use phasezoo_core::rng::Stream;
use phasezoo_core::{Result, perft};
use pyo3::prelude::*;

use crate::native::{Native, Room, Start};
use crate::options::GameOptions;
use crate::rollouts::{self, DynUct, UctSetup};
use state::BoardState;

/// What sets one board game apart in Python.
pub(crate) trait Hosted: Rules {
    /// The rollout policies of its own, beside those of every game.
    const ROLLOUTS: &'static [&'static str] = &[];

    /// Whether one side alone can win.
    const IS_ONE_SIDED: bool = false;

    /// What games start from, as the game's options say.
    fn starts(options: GameOptions<'_, '_>) -> PyResult<Start<Core<Self>>> {
        options.check(&[])?;
        Ok(Box::new(|_| Ok(Core::initial())))
    }

    /// The player for whom a draw is won in a search from a state, where one side alone can win.
    fn favoured(_state: &Core<Self>) -> Result<Option<Player>> {
        Ok(None)
    }

    /// A search with rollouts.
    fn uct(setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        rollouts::of_turns(Self::NAME, BoardModel::<Self>::new(), setup)
    }
}

impl Hosted for Chess960 {
    fn starts(options: GameOptions<'_, '_>) -> PyResult<Start<Core<Self>>> {
        options.check(&[])?;
        Ok(Box::new(|seed| match seed {
            Some(seed) => Ok(Core::from_position(Self::drawn(&mut Stream::new(seed)))),
            None => Ok(Core::initial()),
        }))
    }
}

impl Hosted for Atomic {}

impl Hosted for Crazyhouse {}

/// One board game.
pub(crate) struct Boards<R>(PhantomData<fn() -> R>);

impl<R> Boards<R> {
    /// The room.
    pub(crate) const ROOM: Self = Self(PhantomData);
}

impl<R: Hosted> Native for Core<R> {
    fn game_name(&self) -> &'static str {
        R::NAME
    }

    fn inside<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Self> {
        object.cast::<BoardState>().ok()?.get().typed()
    }

    fn shown(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, BoardState::new(self))?.into_any())
    }

    fn named_planes(spec: &str, _like: Option<&Self>) -> Result<BoardPlanes> {
        BoardPlanes::parse::<R>(spec)
    }

    fn mover(&self) -> Option<Player> {
        Some(self.player_to_move())
    }

    fn favoured(&self) -> Result<Option<Player>> {
        R::favoured(self)
    }

    fn text(&self) -> Option<String> {
        Some(self.fen())
    }
}

impl<R: Hosted> Room for Boards<R> {
    type State = Core<R>;

    fn name(&self) -> &'static str {
        R::NAME
    }

    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()> {
        state::register(m)?;
        pgn::register(m)?;
        lc0::register(m)?;
        krk_graph::register(m)
    }

    fn starts(&self, options: GameOptions<'_, '_>) -> PyResult<Start<Core<R>>> {
        R::starts(options)
    }

    fn parse(&self, position: &str, moves: &[&str]) -> Result<Core<R>> {
        let mut state = Core::from_fen(position)?;
        for uci in moves {
            let played = state.move_from_uci(uci)?;
            state.play_move(played);
        }
        Ok(state)
    }

    fn restore(&self, bytes: &[u8]) -> Result<Core<R>> {
        Core::from_bytes(bytes)
    }

    fn uct(&self, setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        R::uct(setup)
    }

    fn rollouts(&self) -> &'static [&'static str] {
        R::ROLLOUTS
    }

    fn is_one_sided(&self) -> bool {
        R::IS_ONE_SIDED
    }

    fn perft(
        &self,
        position: Option<&str>,
        depth: u32,
        threads: Option<usize>,
        keep_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Option<u64>> {
        let state = position.map_or_else(|| Ok(Core::<R>::initial()), Core::from_fen)?;
        perft::count(&ByShakmaty(state.position().clone()), depth, threads, keep_on)
    }
}
