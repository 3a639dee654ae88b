//! Beam search: layer by layer, every kept node expands its best successors, so many as a schedule says
//! (`docs/definitions/beam.md`).
//!
//! | part | what it does |
//! |---|---|
//! | `schedule`, `params` | how many successors a layer keeps; settings and their ranges |
//! | `node` | a position, and what is known of it |
//! | `layers` | a new layer below the last one, whole or not at all |
//! | `search`, `rows` | a search's life; rows out, answers in |
//! | `backup` | values from the last layer up to the root |
//! | `result`, `inspect` | the principal variation, the policy, what is reported |
//! | `pool` | many beams at once, one layer apart |
//!
//! Leaves are the [`LeafBatch`](super::LeafBatch) of all tree searches, and values are kept as in their
//! trees.

mod backup;
mod inspect;
mod layers;
mod node;
mod params;
mod pool;
mod result;
mod rows;
mod schedule;
mod search;

pub use params::{Backup, Keep, Params, Wins};
pub use pool::BeamPool;
pub use schedule::Schedule;
