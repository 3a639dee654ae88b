//! The games. Chess and, later, its variants share one state, generic over shakmaty's positions.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rules`] | what we need to know of one of shakmaty's position types |
//! | [`chess`] | standard chess |
//! | [`board`] | [`BoardState`]: a position with its history, the state of all board games here |
//! | [`history`] | what came before: repetitions, last moves, moves since the start |
//! | [`packed`] | moves in sixteen bits |
//! | [`fen`], [`notation`] | positions and moves as text |
//! | [`bytes`] | states as bytes |
//! | [`model`] | how a tree walks a board game |
//! | [`perft`] | counting positions |

pub mod board;
pub mod bytes;
pub mod chess;
pub mod fen;
pub mod history;
pub mod model;
pub mod notation;
pub mod packed;
pub mod perft;
pub mod rules;

pub use board::{BoardState, ChessState};
pub use history::History;
pub use model::{BoardModel, ChessModel};
pub use packed::PackedMove;
pub use perft::perft;
pub use rules::Rules;
