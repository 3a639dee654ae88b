//! What steers a decoupled search: constants, their sources and their ranges.

use crate::error::{Error, Result};
use crate::search::settings::Allowed::{Any, To};
use crate::search::settings::{Choice, Setting, Stored, settings};

/// How a player chooses at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Each player by their own PUCT (decoupled UCT: Finnsson and Björnsson, "Simulation-based approach
    /// to general game playing", 2008; with priors as in Silver et al. 2018).
    Puct,
    /// Each player draws by their regrets (Hart and Mas-Colell 2000; in a tree: Lanctot, Lisý and
    /// Winands, "Monte Carlo tree search in simultaneous move games with applications to Goofspiel",
    /// 2013).
    RegretMatching,
}

impl Choice for Selection {
    const WORDS: &'static [(&'static str, Self)] =
        &[("puct", Self::Puct), ("regret_matching", Self::RegretMatching)];
}

/// How the action comes from the final policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Play {
    /// Drawn where regrets are matched, the likeliest one where they are not.
    Auto,
    /// The likeliest one.
    Best,
    /// Drawn: who always plays the same can be exploited where players move at once.
    Sample,
}

impl Choice for Play {
    const WORDS: &'static [(&'static str, Self)] =
        &[("auto", Self::Auto), ("best", Self::Best), ("sample", Self::Sample)];
}

settings! {
    /// The settings of a decoupled search. Defaults are written here alone and read from here by the
    /// bindings.
    pub struct Params {
        /// How players choose.
        selection: Selection = Selection::Puct, Any;
        /// How the action comes from the final policy.
        play: Play = Play::Auto, Any;
        /// Leaves that a tree may have outstanding; each has a row for each player who moves.
        batch_size: usize = 1, To(1.0, 65_535.0);
        /// `init` in `c(N) = ln((N + base + 1) / base) + init` (Silver et al. 2018, pseudo-code).
        c_puct_init: f32 = 1.25, To(0.0, 1e3);
        /// `base` in the same formula, in visits.
        c_puct_base: f32 = 19_652.0, To(1.0, 1e9);
        /// Q of an action that was not tried: the node's mean value for its player, less this.
        fpu: f32 = 0.0, To(0.0, 2.0);
        /// Priors are `softmax(logits / node_temperature)` over a player's actions.
        node_temperature: f32 = 1.0, To(1e-2, 1e2);
        /// Share of uniform draws in regret matching, which keeps every joint action in sight.
        exploration: f32 = 0.05, To(0.0, 1.0);
        /// Bytes that a tree may hold; a search ends when the next node would not fit. `None`: no limit.
        memory as "memory_mb": Option<usize> = Some(2 << 30), Any;
    }
}

impl Params {
    /// Refuses settings outside their ranges.
    pub fn check(&self) -> Result<()> {
        self.check_ranges()
    }
}
