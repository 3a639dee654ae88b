//! UCT with rollouts (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006), and as a study
//! of the endgame of king and rook used it (`docs/definitions/krk.md`).
//!
//! A simulation selects from the root on while nodes have been visited more often than a threshold.
//! If one has not, a rollout starts: its moves are played by a policy, through what the tree holds
//! and out of it, and the first position that the tree does not hold is added. A node that has an
//! untried action takes it before it selects, and a rollout starts behind it. With
//! [`Expansion::Rollouts`] it does not: children enter the tree through rollouts alone, so that a root
//! holds only moves that the policy plays.
//!
//! | part | what it does |
//! |---|---|
//! | `params` | settings and their ranges |
//! | `rollout` | what plays rollouts |
//! | `search` | a search's life over a game: begin, simulate, advance |
//! | `select` | UCB1, and PUCT with uniform priors |
//! | `report` | what a search found |
//!
//! The tree is that of the batched search. Its values are returns in [-1, 1]; scores, which are shares
//! of wins in [0, 1], are made of them where a child is chosen and where results are reported.

mod params;
mod report;
mod rollout;
mod search;
mod select;

pub use params::{Choice, Ends, Expansion, Params, Selection, Ties};
pub use report::Report;
pub use rollout::{Played, RandomRollout, Rollout};
pub use search::Search;
