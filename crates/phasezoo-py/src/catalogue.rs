//! The games of the core: a line a game. Beside a room's own files nothing in the bindings names one.

use phasezoo_core::games::pommerman::Mode;
use phasezoo_core::games::{Atomic, Chess, Chess960, Crazyhouse, Krk};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::games::boards::Boards;
use crate::games::connect_four::ConnectFour;
use crate::games::pommerman::Pommerman;
use crate::native::NativeGame;

/// Every game.
pub(crate) static GAMES: &[&dyn NativeGame] = &[
    &Boards::<Chess>::ROOM,
    &Boards::<Chess960>::ROOM,
    &Boards::<Atomic>::ROOM,
    &Boards::<Crazyhouse>::ROOM,
    &Boards::<Krk>::ROOM,
    &ConnectFour,
    &Pommerman::of(Mode::Ffa),
    &Pommerman::of(Mode::Team),
    &Pommerman::of(Mode::TeamRadio),
    &Pommerman::of(Mode::OneVsOne),
    &Pommerman::on_board(Mode::OneVsOne, 11),
];

/// The game called `name`.
pub(crate) fn game(name: &str) -> Result<&'static dyn NativeGame> {
    GAMES.iter().copied().find(|game| game.name() == name).ok_or_else(|| {
        let known: Vec<_> = GAMES.iter().map(|game| format!("{:?}", game.name())).collect();
        Error::UnknownGame(format!(
            "{name:?} is not a game of the core; known are {}",
            known.join(", ")
        ))
    })
}

/// The game that an object is a state of; `None` where it is none of the core's.
pub(crate) fn game_of(state: &Bound<'_, PyAny>) -> Option<&'static dyn NativeGame> {
    place_of(state).map(|place| GAMES[place])
}

/// The place among all games of the one that an object is a state of.
pub(crate) fn place_of(state: &Bound<'_, PyAny>) -> Option<usize> {
    GAMES.iter().position(|game| game.holds(state))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    GAMES.iter().try_for_each(|game| game.register(m))
}
