//! What steers a beam search: settings, their sources and their ranges.

use super::schedule::Schedule;
use crate::error::{Error, Result};
use crate::search::settings::Allowed::{Any, To};
use crate::search::settings::{Choice, Setting, Stored, settings};

/// What the successors that are kept are chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The evaluator's policy: what is kept is evaluated, and nothing else is.
    Policy,
    /// Their values for who chooses: all that are rated are evaluated before some are kept.
    Value,
}

impl Choice for Keep {
    const WORDS: &'static [(&'static str, Self)] =
        &[("policy", Self::Policy), ("value", Self::Value)];
}

/// What a node is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backup {
    /// As much as the best kept successor for who moves there.
    Minimax,
    /// The mean of the kept successors, weighted by the policy.
    Mean,
}

impl Choice for Backup {
    const WORDS: &'static [(&'static str, Self)] =
        &[("minimax", Self::Minimax), ("mean", Self::Mean)];
}

/// At which nodes all moves are tried for one that wins the game at once; it is then all that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wins {
    /// None: such a move counts if it is among those kept.
    Kept,
    /// The root.
    Root,
    /// All that are kept.
    All,
}

impl Choice for Wins {
    const WORDS: &'static [(&'static str, Self)] =
        &[("kept", Self::Kept), ("root", Self::Root), ("all", Self::All)];
}

settings! {
    /// The settings of a beam search. Defaults are written here alone and read from here by the
    /// bindings.
    pub struct Params {
        /// How many successors every kept node keeps, by layer.
        schedule: Schedule = Schedule::default(), Any;
        /// What they are chosen by.
        keep: Keep = Keep::Policy, Any;
        /// With [`Keep::Value`], how many successors of a node are rated, the likeliest first; 0: all.
        rated: u32 = 0, To(0.0, 65_535.0);
        /// What a node is worth.
        backup: Backup = Backup::Minimax, Any;
        /// Where moves that win at once are looked for.
        wins: Wins = Wins::Root, Any;
        /// Priors are `softmax(logits / node_temperature)` over the legal actions.
        node_temperature: f32 = 1.0, To(1e-2, 1e2);
        /// The final policy is `softmax(ln P + Q / policy_temperature)`, Q of actions that were not kept
        /// being the evaluator's value of the root.
        policy_temperature: f32 = 0.1, To(1e-3, 1e3);
        /// The action is drawn from `policy^(1 / temperature)` in the first plies; 0: the best.
        temperature: f32 = 0.0, To(0.0, 1e2);
        /// How many plies those are.
        temperature_plies: u32 = 0, To(0.0, 4_294_967_295.0);
        /// Whether the searches of a pool begin a layer apart, so that its batches are alike.
        stagger: bool = true, Any;
        /// Bytes that a tree may hold; a search ends when the next layer would not fit. `None`: no limit.
        memory as "memory_mb": Option<usize> = Some(2 << 30), Any;
    }
}

impl Params {
    /// Refuses settings outside their ranges.
    pub fn check(&self) -> Result<()> {
        self.check_ranges()
    }

    /// How many of its successors a node `depth` plies below the root may need.
    pub(super) fn wanted(&self, depth: usize, legal: usize) -> usize {
        let width = self.schedule.width(depth);
        match self.keep {
            _ if width == 0 => 0,
            _ if self.tries_all(depth) => legal,
            Keep::Policy => width.min(legal),
            Keep::Value => self.rated(depth, legal),
        }
    }

    /// How many successors of such a node become nodes.
    pub(super) fn rated(&self, depth: usize, legal: usize) -> usize {
        let width = self.schedule.width(depth);
        match (self.keep, self.rated as usize) {
            (Keep::Policy, _) => width.min(legal),
            (Keep::Value, 0) => legal,
            (Keep::Value, rated) => rated.max(width).min(legal),
        }
    }

    /// Whether all moves of such a node are tried for a win.
    pub(super) fn tries_all(&self, depth: usize) -> bool {
        match self.wins {
            Wins::Kept => false,
            Wins::Root => depth == 0,
            Wins::All => true,
        }
    }
}
