//! Chess and its variants: one state, generic over rules that shakmaty plays.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rules`] | what we need to know of a game over one of shakmaty's position types |
//! | [`chess`] | standard chess and chess960 |
//! | [`atomic`], [`crazyhouse`] | variants |
//! | [`board`] | [`BoardState`]: a position with its history, the state of all board games here |
//! | [`history`] | what came before: repetitions, last moves, moves since the start |
//! | [`actions`], [`planes`] | action indices and input planes |
//! | [`lc0_moves`] | the moves of lc0's policies, and the actions that they are |
//! | `gates`, [`mixedness`] | phases, and how far the armies are mixed |
//! | [`packed`] | moves in sixteen bits |
//! | [`fen`], [`notation`] | positions and moves as text |
//! | [`pgn`], [`records`] | reading files of games, and games as they are stored |
//! | [`bytes`] | states as bytes |
//! | [`model`] | how a tree walks a board game |
//! | [`perft`] | counting positions |

pub mod actions;
pub mod atomic;
pub mod board;
pub mod bytes;
pub mod chess;
pub mod crazyhouse;
pub mod fen;
mod gates;
pub mod history;
pub mod lc0_moves;
pub mod mixedness;
pub mod model;
pub mod notation;
pub mod packed;
pub mod perft;
pub mod pgn;
pub mod planes;
pub mod records;
pub mod rules;

pub use atomic::Atomic;
pub use board::{BoardState, ChessState};
pub use chess::{Chess, Chess960};
pub use crazyhouse::Crazyhouse;
pub use history::History;
pub use model::{BoardModel, ChessModel};
pub use packed::PackedMove;
pub use rules::Rules;
