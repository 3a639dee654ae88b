//! When a search ends (`docs/definitions/limits.md`).

use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Descents in a row that expand nothing, with no leaf outstanding, after which a search gives up.
pub(crate) const MAX_IDLE: u32 = 1_000;

/// How much work a search may do. Only new work counts: a reused subtree is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limit {
    /// Positions newly evaluated, the root among them unless it was reused.
    pub nodes: Option<u64>,
    /// Finished descents with their backup: evaluations and visits of known ends.
    pub simulations: Option<u64>,
    /// Wall-clock time. Checked per batch with the latency measured so far; the root is evaluated
    /// however short it is.
    pub movetime: Option<Duration>,
    /// Whether a search without any other limit is meant. With it a single legal move does not end
    /// the search.
    pub infinite: bool,
}

impl Limit {
    /// Refuses a limit that is zero, and none at all unless [`Limit::infinite`].
    pub fn check(&self) -> Result<()> {
        for (name, given) in [("nodes", self.nodes), ("simulations", self.simulations)] {
            if given == Some(0) {
                return Err(Error::InvalidConfig(format!("{name} is 0, at least 1 is needed")));
            }
        }
        if self.movetime == Some(Duration::ZERO) {
            return Err(Error::InvalidConfig("movetime_ms is 0, it must be positive".into()));
        }
        let unlimited = *self == Self::default();
        if unlimited {
            return Err(Error::InvalidConfig(
                "a search needs nodes, simulations or movetime_ms, or infinite=True".into(),
            ));
        }
        Ok(())
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// [`Limit::nodes`] is used up.
    Nodes,
    /// [`Limit::simulations`] is used up.
    Simulations,
    /// [`Limit::movetime`] is used up.
    Time,
    /// The solver knows the root's value.
    Solved,
    /// There is one legal move, and it has been looked at.
    Forced,
    /// A thousand descents in a row found nothing to expand.
    Exhausted,
    /// The next node would not fit into [`super::Params::memory`], or 32-bit offsets are used up.
    Memory,
    /// Somebody called stop, advance, or began another search.
    Stopped,
    /// The game's own code failed; the error went to the caller.
    Failed,
}

impl Ended {
    /// The name that results carry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Simulations => "simulations",
            Self::Time => "movetime",
            Self::Solved => "solved",
            Self::Forced => "forced",
            Self::Exhausted => "exhausted",
            Self::Memory => "memory",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
        }
    }
}

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not begun, or finished with.
    Idle,
    /// Leaves can be collected or completed.
    Running,
    /// No more leaves will be handed out.
    Ended(Ended),
}

/// Keeps a search's time.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    started: Instant,
    ended: Option<Instant>,
    deadline: Option<Instant>,
    handed_out: Option<Instant>,
    /// Mean seconds from handing leaves out to taking them back, over the tree's whole life; recent
    /// ones count more.
    latency: Option<f64>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let started = Instant::now();
        Self { started, ended: None, deadline: None, handed_out: None, latency: None }
    }

    /// Starts a search.
    pub(crate) fn start(&mut self, movetime: Option<Duration>) {
        self.started = Instant::now();
        self.ended = None;
        self.handed_out = None;
        self.deadline = movetime.and_then(|time| self.started.checked_add(time));
    }

    /// Stops the time that a result reports.
    pub(crate) fn end(&mut self) {
        self.ended.get_or_insert_with(Instant::now);
    }

    /// Seconds from the start to the end, or to now.
    pub(crate) fn seconds(&self) -> f64 {
        self.ended.unwrap_or_else(Instant::now).duration_since(self.started).as_secs_f64()
    }

    /// Whether another batch would come back after the deadline.
    pub(crate) fn is_too_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| {
            let latency = self.latency.unwrap_or(0.0).clamp(0.0, 3_600.0);
            Instant::now() + Duration::from_secs_f64(latency) >= deadline
        })
    }

    /// Notes that leaves leave. Only searches by time are measured: asking for the time costs as much
    /// as a step of a descent.
    pub(crate) fn hand_out(&mut self) {
        if self.deadline.is_some() {
            self.handed_out.get_or_insert_with(Instant::now);
        }
    }

    /// Notes that all leaves are back.
    pub(crate) fn take_back(&mut self) {
        if let Some(then) = self.handed_out.take() {
            let seconds = then.elapsed().as_secs_f64();
            self.latency = Some(self.latency.map_or(seconds, |mean| 0.75 * mean + 0.25 * seconds));
        }
    }
}
