//! Endings of a side with one or two pieces against a lone king, as chess has them.
//!
//! | module | what it holds |
//! |---|---|
//! | [`men`] | who stands where |
//! | `symmetry` | the board's eight images, of which tables keep one |
//! | [`table`] | distance to mate, by retrograde analysis |
//! | [`distances`] | what a table says of a state and its actions |
//! | [`policy`], [`rollout`] | which moves rollouts play |

pub mod distances;
pub mod men;
pub mod policy;
pub mod rollout;
pub(super) mod symmetry;
pub mod table;

pub use men::Men;
pub use policy::Policy;
pub use rollout::LoneKingRollout;
