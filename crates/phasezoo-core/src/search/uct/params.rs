//! Settings of UCT, their ranges and sources.

use crate::error::{Error, Result};

/// How a child is chosen if a node has been visited often enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// `q + C sqrt(ln N / n)` (Auer, Cesa-Bianchi and Fischer, 2002; Kocsis and Szepesvári, 2006).
    Ucb1,
    /// `q + C P sqrt(N) / (1 + n)` (Silver et al., `AlphaZero` 2018) with the same P for all children.
    Puct,
}

/// Which actions of a node enter the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expansion {
    /// Every legal one, in random order, before a child is selected (Kocsis and Szepesvári, 2006; Browne
    /// et al., "A survey of Monte Carlo tree search methods", 2012, algorithm 2).
    #[default]
    Untried,
    /// Those that rollouts from the node have played.
    Rollouts,
}

/// Which of equally good children is taken inside the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The one that entered the tree first.
    #[default]
    First,
    /// Any, with the same probability.
    Random,
}

/// Which action is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// See [`super::Report::action`]: counts that differ by one are equal.
    #[default]
    Careful,
    /// The most visited; any of those whose counts are the same, with the same probability.
    MostVisited,
}

/// What a rollout does that meets an end on its way through what the tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// It ends there.
    #[default]
    Count,
    /// Another is played from the node where selection ended; no node is added.
    Restart,
}

/// Everything that a search does besides its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The exploration constant C; from 0.
    pub c: f32,
    /// Visits T up to which a node plays a rollout instead of selecting; from 0.
    pub threshold: u32,
    /// Which actions enter the tree at a node that has been visited more often.
    pub expansion: Expansion,
    /// How children are chosen.
    pub selection: Selection,
    /// Whether the player for whom draws are won chooses, inside the tree, what is worst for them: as if
    /// they too played for the other's mates.
    pub follow: bool,
    /// Which of equal children selection takes.
    pub ties: Ties,
    /// Which action is played.
    pub choice: Choice,
    /// What an end inside the tree does to a rollout.
    pub ends: Ends,
    /// Visits that a new root begins with.
    pub root_visits: u32,
    /// Plies after which a rollout is given up as a draw; `None` for no limit.
    pub max_plies: Option<u32>,
    /// Bytes at which the tree stops growing.
    pub memory: usize,
}

impl Params {
    /// Refuses what is out of range.
    pub fn check(&self) -> Result<()> {
        if !(self.c.is_finite() && self.c >= 0.0) {
            return Err(Error::InvalidConfig(format!(
                "c={}: the exploration constant is a finite number from 0",
                self.c
            )));
        }
        if self.max_plies == Some(0) {
            return Err(Error::InvalidConfig(
                "max_rollout_plies=0: a rollout needs at least 1 ply; None is no limit".into(),
            ));
        }
        Ok(())
    }
}
