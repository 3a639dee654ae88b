//! The board games of the core behind one type: the only list of them in the bindings.

use phasezoo_core::game::{Game, Player};
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::krk::Start;
use phasezoo_core::games::{Atomic, BoardState, Chess, Chess960, Crazyhouse, Krk, Rules};
use phasezoo_core::rng::Stream;
use phasezoo_core::{Error, Result};

/// A state of any board game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum AnyBoard {
    /// Standard chess.
    Chess(BoardState<Chess>),
    /// Chess from one of 960 starts.
    Chess960(BoardState<Chess960>),
    /// Atomic chess.
    Atomic(BoardState<Atomic>),
    /// Crazyhouse.
    Crazyhouse(BoardState<Crazyhouse>),
    /// King and rook against king.
    Krk(BoardState<Krk>),
}

/// A game of which [`AnyBoard`] holds states.
pub(crate) trait Native: Rules {
    /// The state, if it is one of this game.
    fn of(board: &AnyBoard) -> Option<&BoardState<Self>>;
}

macro_rules! native {
    ($($rules:ident),*) => {
        $(
            impl Native for $rules {
                fn of(board: &AnyBoard) -> Option<&BoardState<Self>> {
                    match board {
                        AnyBoard::$rules(state) => Some(state),
                        _ => None,
                    }
                }
            }
        )*
    };
}

native!(Chess, Chess960, Atomic, Crazyhouse, Krk);

/// Makes the variants of an enum over the board games from what they hold, `$inner<Rules>`.
macro_rules! from_games {
    ($any:ident, $inner:ident) => {
        $crate::boards::from_games!(@each $any, $inner, Chess, Chess960, Atomic, Crazyhouse, Krk);
    };
    (@each $any:ident, $inner:ident, $($rules:ident),*) => {
        $(
            impl From<$inner<phasezoo_core::games::$rules>> for $any {
                fn from(inner: $inner<phasezoo_core::games::$rules>) -> Self {
                    Self::$rules(inner)
                }
            }
        )*
    };
}
pub(crate) use from_games;

from_games!(AnyBoard, BoardState);

/// The state as one of the game that is wanted.
pub(crate) fn typed<R: Native>(board: &AnyBoard) -> Result<&BoardState<R>> {
    R::of(board).ok_or_else(|| {
        Error::InvalidState(format!(
            "a state of {:?} was given where one of {:?} is needed",
            board.game(),
            R::NAME
        ))
    })
}

/// Evaluates an expression on what the variant of an enum over the board games holds, whatever its
/// game: `dispatch!(AnyBoard, board, state => state.fen())`. Variants besides the board games follow.
macro_rules! dispatch_over {
    ($any:ident, $value:expr, $inner:pat => $body:expr $(, $other:pat => $otherwise:expr)*) => {
        match $value {
            $any::Chess($inner) => $body,
            $any::Chess960($inner) => $body,
            $any::Atomic($inner) => $body,
            $any::Crazyhouse($inner) => $body,
            $any::Krk($inner) => $body,
            $($other => $otherwise,)*
        }
    };
}
pub(crate) use dispatch_over;

/// Evaluates an expression on the state inside an [`AnyBoard`], whatever its game.
macro_rules! dispatch {
    ($board:expr, $state:pat => $body:expr) => {{
        use $crate::boards::AnyBoard;
        $crate::boards::dispatch_over!(AnyBoard, $board, $state => $body)
    }};
}
pub(crate) use dispatch;

/// Evaluates an expression with `$rules` standing for the rules of the game called `$name`; an
/// `UnknownGame` where there is no such board game.
macro_rules! with_rules {
    ($name:expr, $rules:ident => $body:expr) => {{
        use phasezoo_core::games::{Atomic, Chess, Chess960, Crazyhouse, Krk};
        $crate::boards::with_rules!(@arms $name, $rules => $body, Chess, Chess960, Atomic, Crazyhouse, Krk)
    }};
    (@arms $name:expr, $rules:ident => $body:expr, $($known:ident),*) => {
        match $name {
            $(name if name == <$known as phasezoo_core::games::Rules>::NAME => {
                type $rules = $known;
                $body
            })*
            other => Err($crate::boards::unknown_game(other)),
        }
    };
}
pub(crate) use with_rules;

/// No board game is called `name`.
pub(crate) fn unknown_game(name: &str) -> Error {
    let known = [Chess::NAME, Chess960::NAME, Atomic::NAME, Crazyhouse::NAME, Krk::NAME];
    Error::UnknownGame(format!(
        "{name:?} is not a board game of the core; known are {}",
        known.map(|known| format!("{known:?}")).join(", ")
    ))
}

impl AnyBoard {
    /// A game that starts at a FEN.
    pub(crate) fn from_fen(game: &str, fen: &str) -> Result<Self> {
        with_rules!(game, R => BoardState::<R>::from_fen(fen).map(Self::from))
    }

    /// The state of `to_bytes`.
    pub(crate) fn from_bytes(game: &str, bytes: &[u8]) -> Result<Self> {
        with_rules!(game, R => BoardState::<R>::from_bytes(bytes).map(Self::from))
    }

    /// The name of the game.
    pub(crate) fn game(&self) -> &'static str {
        dispatch!(self, state => state.game())
    }

    /// Whose turn it is, also when the game is over.
    pub(crate) fn to_play(&self) -> Player {
        dispatch!(self, state => state.player_to_move())
    }

    /// The planes of that name in this game.
    pub(crate) fn planes(&self, spec: &str) -> Result<BoardPlanes> {
        fn parse<R: Rules>(_: &BoardState<R>, spec: &str) -> Result<BoardPlanes> {
            BoardPlanes::parse::<R>(spec)
        }
        dispatch!(self, state => parse(state, spec))
    }

    /// The state after one action.
    pub(crate) fn play(&self, action: u32) -> Result<Self> {
        let mut next = self.clone();
        dispatch!(&mut next, state => state.apply(&[action]))?;
        Ok(next)
    }
}

/// Where games start when nobody says otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Starts {
    /// Always alike.
    Usual,
    /// One of the 960 starts.
    Chess960,
    /// Starts of the endgame.
    Krk(Start),
}

impl Starts {
    /// The starts of a game; `start`, `dtm` and `both_move` are for games that have a choice.
    pub(crate) fn parse(
        game: &str,
        start: Option<&str>,
        dtm: Option<(i64, i64)>,
        both_move: bool,
    ) -> Result<Self> {
        with_rules!(game, R => Ok(R::NAME))?;
        match game {
            "krk" => Start::parse(start, dtm, both_move).map(Self::Krk),
            _ if start.is_some() || dtm.is_some() || both_move => {
                Err(Error::InvalidConfig(format!(
                    "start=, dtm= and both_move= choose among the starts of \"krk\"; {game:?} has \
                     none to choose from"
                )))
            }
            "chess960" => Ok(Self::Chess960),
            _ => Ok(Self::Usual),
        }
    }

    /// The start that `seed` draws; without one the usual start, or the fixed one.
    pub(crate) fn state<R: Native>(self, seed: Option<u64>) -> Result<BoardState<R>> {
        let mut stream = Stream::new(seed.unwrap_or_default());
        let drawn = match self {
            Self::Chess960 if seed.is_some() => {
                AnyBoard::Chess960(BoardState::from_position(Chess960::drawn(&mut stream)))
            }
            Self::Krk(start) => AnyBoard::Krk(start.draw(&mut stream)),
            _ => return Ok(BoardState::initial()),
        };
        typed(&drawn).cloned()
    }
}
