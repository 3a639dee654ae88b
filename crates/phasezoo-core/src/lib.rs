//! Rules, planes, gates and tree search of phasezoo, in pure Rust.
//!
//! | module | what it holds |
//! |---|---|
//! | [`game`], [`model`] | the two contracts: what a game is, what a tree walks |
//! | [`games`] | the games |
//! | [`encode`] | planes and action indices |
//! | [`gating`] | phases of a game |
//! | [`search`] | tree search over any model |
//! | [`pgn`], [`records`] | games on disk: reading PGN, replaying stored games, training samples |
//! | [`tablebase`] | distance to mate in the endgame of king and rook |
//! | [`vector`] | many games stepped together |
//! | [`threads`], [`rng`], [`error`] | shared by all |

pub mod encode;
pub mod error;
pub mod game;
pub mod games;
pub mod gating;
pub mod model;
pub mod pgn;
pub mod records;
pub mod rng;
pub mod search;
pub mod tablebase;
pub mod threads;
pub mod vector;

pub use error::{Error, Result};
