//! How a tree walks a board game: by turns, each played from the root in a few nanoseconds.

use super::board::BoardState;
use super::chess::Chess;
use super::rules::Rules;
use crate::model::Turns;

/// The model of a board game.
pub type BoardModel<R> = Turns<BoardState<R>>;

/// The model of standard chess.
pub type ChessModel = BoardModel<Chess>;

impl<R: Rules> BoardModel<R> {
    /// The model.
    pub const fn new() -> Self {
        Self::sized(2, R::NUM_ACTIONS)
    }
}

impl<R: Rules> Default for BoardModel<R> {
    fn default() -> Self {
        Self::new()
    }
}
