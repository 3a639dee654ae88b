//! Pommerman, step for step as the original plays it (`docs/definitions/pommerman.md`).
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
//! | [`sight`], [`observation`] | what a player sees of the board, and all that they are told |
//! | [`tracker`] | what they can know of a game, as a full state |
//! | [`simple`], [`unbiased`] | the agent that the original comes with, and the one that searches plan with |
//! | [`planners`] | these as opponents, and as those who move others inside a search |
//! | `distances` | how far cells are from an agent, in the order of the original's search |
//! | `records`, [`symmetry`] | stored games, and the eight ways to turn them |
//! | `sets`, `recent` | sets of cells, and the cells visited last |
//! | [`boards`], [`twister`] | boards from seeds, in the original's order of random numbers |

pub mod boards;
mod cells;
mod collapse;
pub mod config;
mod distances;
mod ends;
mod explosions;
pub mod game;
mod gates;
pub mod json;
mod movement;
pub mod observation;
mod parts;
mod planes;
pub mod planners;
mod recent;
mod records;
mod sets;
pub mod sight;
pub mod simple;
pub mod state;
mod step;
pub mod symmetry;
pub mod tracker;
pub mod twister;
pub mod unbiased;

pub use config::{Config, Mode};
pub use game::PommermanPlanes;
pub use observation::Observation;
pub use parts::Parts;
pub use planes::CHANNELS;
pub use planners::{Minds, Planned, Planner};
pub use simple::SimpleAgent;
pub use state::{Agent, Bomb, Flame, State};
pub use tracker::Tracker;
pub use unbiased::SimpleUnbiasedAgent;
