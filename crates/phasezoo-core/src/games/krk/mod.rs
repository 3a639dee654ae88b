//! The endgame of king and rook against king: chess from other starts, with a table beside it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rules`] | the game, its starts, and what its table says of a state |
//! | [`table`] | distance to mate of every position |
//! | [`graph`] | all positions and actions at once, and what a policy is worth in them |
//! | `gates` | its phases |
//! | `compact` | its actions as 36 indices |
//! | `moves`, `bits`, `line`, `rollout` | a fast search model: moves tabulated, a game as one word per position, the rollouts of the study of UCT |

mod bits;
mod compact;
mod gates;
pub mod graph;
mod line;
mod moves;
mod rollout;
pub mod rules;
pub mod table;

pub use line::{KrkLine, KrkModel};
pub use rollout::KrkRollout;
pub use rules::{Krk, KrkState, Start};
