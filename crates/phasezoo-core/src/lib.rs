//! Rules, planes, gates and tree search of phasezoo, in pure Rust.
//!
//! | module | what it holds |
//! |---|---|
//! | [`game`], [`model`] | the two contracts: what a game is, what a tree walks |
//! | [`games`] | the games, a room each |
//! | [`gate`] | phases of a game |
//! | [`search`] | tree search over any model |
//! | [`planes`] | packed planes |
//! | [`perft`] | counting sequences of moves |
//! | [`records`] | stored games: replaying, labels, training samples |
//! | [`vector`] | many games stepped together |
//! | [`types`], [`threads`], [`memory`], [`rng`], [`error`] | shared by all |

pub mod error;
pub mod game;
pub mod games;
pub mod gate;
pub mod memory;
pub mod model;
pub mod perft;
pub mod plane_buffers;
pub mod planes;
mod prefetch;
pub mod records;
pub mod rng;
pub mod search;
pub mod threads;
pub mod types;
pub mod vector;

pub use error::{Error, Result};
