//! Pommerman, step for step as the original plays it (`facts/pommerman.md`).
//!
//! | module | what it holds |
//! |---|---|
//! | [`config`] | modes, sizes, caps and what else a game's rules depend on |
//! | [`state`] | boards, agents, bombs, flames |
//! | `movement`, `explosions`, `step` | one step: who goes where, what explodes, what the board shows |
//! | [`game`], `planes` | the game as agents, environments and networks know it |
//! | `parts` | states put together by a caller, checked |
//! | `ends` | when a game ends, and what it pays |
//! | `collapse` | boards that shrink |
//! | [`json`] | states as the original writes them |
//! | [`sight`] | what a player sees |
//! | [`simple`] | the agent that the original comes with |
//! | [`boards`], [`twister`] | boards from seeds, in the original's order of random numbers |

pub mod boards;
mod cells;
mod collapse;
pub mod config;
mod ends;
mod explosions;
pub mod game;
pub mod json;
mod movement;
mod parts;
mod planes;
pub mod sight;
pub mod simple;
pub mod state;
mod step;
pub mod twister;

pub use config::{Config, Mode};
pub use game::PommermanPlanes;
pub use parts::Parts;
pub use planes::CHANNELS;
pub use simple::SimpleAgent;
pub use state::{Agent, Bomb, Flame, State};
