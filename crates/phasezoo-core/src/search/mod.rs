//! Tree search over any [`SearchModel`](crate::model::SearchModel): batched PUCT with a terminal
//! solver, as sessions, many at once.
//!
//! A caller begins searches in a [`SearchPool`], collects a [`LeafBatch`], has it evaluated, completes
//! it, and so on until a search has ended; [`SearchPool::finish`] says what it found.
//!
//! | part | what it does |
//! |---|---|
//! | `params`, `settings`, `limit`, `time_control` | settings, their ranges and sources; when a search ends |
//! | `tree`, `edges`, `slab` | nodes, candidates, edges and where they lie |
//! | `values` | what values are inside a tree, and their sums |
//! | `select` | PUCT and virtual visits: the way down |
//! | `explore` | descents that begin elsewhere, now and then |
//! | `gumbel` | selection by Gumbel noise and sequential halving |
//! | `heads` | what evaluators say besides values |
//! | `searchmoves` | a search among some moves |
//! | `graph` | nodes that several lines lead to |
//! | `collect`, `expand` | leaves that go out, ends that are backed up at once |
//! | `ahead` | one tree on several threads |
//! | `evaluation`, `complete` | answers of evaluators, checked, into priors and values |
//! | `backup`, `solver` | values and proofs on the way up |
//! | `root`, `result`, `lines`, `inspect`, `descents`, `drawn` | noise, choice of the move, what is reported |
//! | `reroot`, `session` | a search's life over a game |
//! | [`uct`] | UCT with rollouts, on the same tree |
//! | [`beam`] | the best successors of every kept node, layer by layer |
//! | [`decoupled`] | players who move at once, each with statistics of their own |
//! | `batch`, `trees`, `pool` | leaves with tickets; many searches at once |
//! | `cache` | answers kept for positions that come again |
//!
//! Values are expected returns in [-1, 1]. Inside a tree they are kept per player (one number if one
//! is enough), so that nothing has to be negated on the way up; what leaves the tree is for the player
//! to move.

mod ahead;
mod backup;
mod batch;
pub mod beam;
mod cache;
mod collect;
mod complete;
pub mod decoupled;
mod descents;
mod drawn;
mod edges;
mod evaluation;
mod expand;
mod explore;
mod graph;
mod gumbel;
mod heads;
mod inspect;
mod limit;
mod lines;
mod params;
mod pool;
mod reroot;
mod result;
mod root;
mod searchmoves;
mod select;
mod session;
mod settings;
mod slab;
mod solver;
mod time_control;
mod tree;
mod trees;
pub mod uct;
mod values;

pub use batch::{LeafBatch, Origin, Ticket};
pub use cache::{CacheKey, EvaluationCache};
pub use evaluation::{Evaluation, Policy, Value};
pub use heads::Heads;
pub use inspect::NodeView;
pub use limit::{Ended, Limit, Status};
pub use lines::{Line, Replies};
pub use params::{FpuStyle, MemoryFull, Params, Selection, VirtualStyle};
pub use pool::SearchPool;
pub use result::{PlayersPolicy, SearchResult};
pub use settings::{Setting, Settings};
pub use time_control::{Allotment, TimeControl};
