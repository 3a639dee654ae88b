//! Search of games whose players move at once: at every node each player has statistics of their own,
//! and joint actions are the edges (*decoupled* search; `docs/definitions/decoupled.md`).
//!
//! | part | what it does |
//! |---|---|
//! | `model` | what such a tree walks |
//! | `params` | settings, their ranges and sources |
//! | `node` | a position, what is known of it, and each player's statistics there |
//! | `select` | PUCT and regret matching: how a player chooses, and what a visit teaches |
//! | `search` | a search's life, and values on the way up |
//! | `collect`, `complete` | leaves out, answers in |
//! | `result` | policies of all players, and the action of one |
//! | `batch`, `pool` | leaves with a row for each player; many searches at once |
//!
//! Values are expected returns in [-1, 1], one for each player; games need not be zero-sum.

mod batch;
mod collect;
mod complete;
mod model;
mod node;
mod params;
mod pool;
mod result;
mod search;
mod select;

pub use batch::JointBatch;
pub use model::{JointModel, Together};
pub use params::{Params, Play, Selection};
pub use pool::JointPool;
