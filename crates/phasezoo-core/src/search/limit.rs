//! When a search ends (`docs/definitions/limits.md`).

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::time_control::TimeControl;
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
    /// The clock of the player to move: a share of it is spent, and the root is not evaluated if that
    /// would take more than there is.
    pub clock: Option<TimeControl>,
    /// The mean length of this search's descents in whole plies, at which it ends (lc0's depth).
    pub depth: Option<u32>,
    /// A win of the player to move in this many of their moves ends the search; a single legal move
    /// does not. Needs the solver.
    pub mate: Option<u32>,
    /// Whether a search without any other limit is meant. With it a single legal move does not end
    /// the search.
    pub infinite: bool,
}

impl Limit {
    /// Refuses a limit that is zero, and none at all unless [`Limit::infinite`].
    pub fn check(&self) -> Result<()> {
        let (depth, mate) = (self.depth.map(u64::from), self.mate.map(u64::from));
        for (name, given) in [
            ("nodes", self.nodes),
            ("simulations", self.simulations),
            ("depth", depth),
            ("mate", mate),
        ] {
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
                "a search needs nodes, simulations, movetime_ms, clock, depth or mate, or \
                 infinite=True"
                    .into(),
            ));
        }
        Ok(())
    }

    /// Time from the beginning in which leaves may come back.
    fn target(&self) -> Option<Duration> {
        let clock = self.clock.map(|clock| clock.allot().target);
        self.movetime.into_iter().chain(clock).min()
    }

    /// Whether a single legal move is looked at no longer than once.
    pub(crate) fn ends_when_forced(&self) -> bool {
        !self.infinite && self.mate.is_none()
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// [`Limit::nodes`] is used up.
    Nodes,
    /// [`Limit::simulations`] is used up.
    Simulations,
    /// [`Limit::movetime`] is used up, or what [`Limit::clock`] allots.
    Time,
    /// [`Limit::depth`] is reached.
    Depth,
    /// A win in [`Limit::mate`] moves is proven.
    Mate,
    /// The solver knows the root's value.
    Solved,
    /// There is one legal move, and it has been looked at.
    Forced,
    /// A thousand descents in a row found nothing to expand.
    Exhausted,
    /// The next node would not fit into [`super::Params::memory`], or 32-bit offsets are used up.
    Memory,
    /// The last layer of a beam has been looked at ([`super::beam`]).
    Schedule,
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
            Self::Depth => "depth",
            Self::Mate => "mate",
            Self::Solved => "solved",
            Self::Forced => "forced",
            Self::Exhausted => "exhausted",
            Self::Memory => "memory",
            Self::Schedule => "schedule",
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
    /// When the move has to be played, whatever is known of the root.
    last: Option<Instant>,
    /// Whether batches are measured.
    measures: bool,
    /// Batches that are out, the oldest first.
    out: VecDeque<Out>,
    /// When the newest batch came back.
    back: Option<Instant>,
    latency: Latency,
}

/// A batch that is out.
#[derive(Clone, Copy, Debug)]
struct Out {
    since: Instant,
    rows: usize,
    /// Rows that have not come back.
    left: usize,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            ended: None,
            deadline: None,
            last: None,
            measures: false,
            out: VecDeque::new(),
            back: None,
            latency: Latency::default(),
        }
    }

    /// Starts a search.
    pub(crate) fn start(&mut self, limit: &Limit) {
        self.started = Instant::now();
        self.ended = None;
        self.give_up();
        self.limit(self.started, limit);
    }

    /// Goes on with another limit from now on.
    pub(crate) fn change(&mut self, limit: &Limit) {
        self.limit(Instant::now(), limit);
    }

    fn limit(&mut self, now: Instant, limit: &Limit) {
        let after = |time: Duration| now.checked_add(time);
        self.deadline = limit.target().and_then(after);
        self.last = limit.clock.and_then(|clock| after(clock.allot().most));
        // Only searches by time are measured: asking for the time costs as much as a step of a descent.
        // One without an end may get one later.
        self.measures = self.deadline.is_some() || limit.infinite;
    }

    /// Whether not even the root would be back before the move has to be played.
    pub(crate) fn is_too_late(&self) -> bool {
        let left = |last: Instant| last.saturating_duration_since(Instant::now()).as_secs_f64();
        self.last.is_some_and(|last| self.latency.of(1) > left(last))
    }

    /// Whether the time for leaves is over.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Stops the time that a result reports.
    pub(crate) fn end(&mut self) {
        self.ended.get_or_insert_with(Instant::now);
    }

    /// Seconds from the start to the end, or to now.
    pub(crate) fn seconds(&self) -> f64 {
        self.ended.unwrap_or_else(Instant::now).duration_since(self.started).as_secs_f64()
    }

    /// How many of `rows` leaves would be back before the deadline if they left now.
    pub(crate) fn fits(&self, rows: usize) -> usize {
        if self.deadline.is_some() { self.fits_at(Instant::now(), rows) } else { rows }
    }

    fn fits_at(&self, now: Instant, rows: usize) -> usize {
        let Some(deadline) = self.deadline else { return rows };
        // What is out comes back first. Its first batch has been worked on for a while.
        let busy: f64 = self.out.iter().map(|out| self.latency.of(out.rows)).sum();
        let done = self.out.front().map_or(0.0, |out| self.served(out, now));
        let left = deadline.saturating_duration_since(now).as_secs_f64() - (busy - done).max(0.0);
        if left <= 0.0 {
            return 0;
        }
        let (mut fits, mut too_many) = (0, rows + 1);
        while too_many - fits > 1 {
            let middle = usize::midpoint(fits, too_many);
            if self.latency.of(middle) < left { fits = middle } else { too_many = middle }
        }
        fits
    }

    /// Seconds that a batch has been worked on: since it left, or since the one before came back.
    fn served(&self, out: &Out, now: Instant) -> f64 {
        let begun = self.back.map_or(out.since, |back| back.max(out.since));
        now.saturating_duration_since(begun).as_secs_f64()
    }

    /// Notes that leaves leave.
    pub(crate) fn hand_out(&mut self, rows: usize) {
        if self.measures {
            self.out.push_back(Out { since: Instant::now(), rows, left: rows });
        }
    }

    /// Notes that a leaf is back.
    pub(crate) fn take_back(&mut self) {
        if let Some(first) = self.out.front_mut() {
            first.left -= 1;
            if first.left == 0 {
                self.take_back_at(Instant::now());
            }
        }
    }

    fn take_back_at(&mut self, now: Instant) {
        if let Some(out) = self.out.pop_front() {
            let seconds = self.served(&out, now);
            self.latency.note(out.rows, seconds);
            self.back = Some(now);
        }
    }

    /// Forgets what is out.
    pub(crate) fn give_up(&mut self) {
        self.out.clear();
        self.back = None;
    }
}

/// How long batches take, by their rows: a time per call and a time per row, fitted by least squares to
/// all that was seen over the tree's whole life; recent batches count more.
#[derive(Clone, Copy, Debug, Default)]
struct Latency {
    /// Sums over batches: their weights, rows, seconds, squared rows, and rows times seconds.
    weight: f64,
    rows: f64,
    seconds: f64,
    squares: f64,
    products: f64,
}

impl Latency {
    /// What older batches still count after another one.
    const MEMORY: f64 = 0.75;

    /// Takes a batch into account.
    fn note(&mut self, rows: usize, seconds: f64) {
        let rows = rows as f64;
        let add = |sum: &mut f64, new: f64| *sum = *sum * Self::MEMORY + new;
        add(&mut self.weight, 1.0);
        add(&mut self.rows, rows);
        add(&mut self.seconds, seconds);
        add(&mut self.squares, rows * rows);
        add(&mut self.products, rows * seconds);
    }

    /// Seconds that a batch will take; 0 if none was seen. If all had about the same size, a larger one
    /// is taken to cost in proportion, and a smaller one as much.
    fn of(&self, rows: usize) -> f64 {
        if self.weight == 0.0 {
            return 0.0;
        }
        let rows = rows as f64;
        let (mean_rows, mean) = (self.rows / self.weight, self.seconds / self.weight);
        let variance = self.squares / self.weight - mean_rows * mean_rows;
        if variance < 0.01 * mean_rows * mean_rows {
            return mean * (rows / mean_rows).max(1.0);
        }
        let covariance = self.products / self.weight - mean_rows * mean;
        let per_row = (covariance / variance).max(0.0);
        let per_call = mean - per_row * mean_rows;
        if per_call < 0.0 {
            return rows * self.products / self.squares;
        }
        per_call + per_row * rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A search of 100 ms on a clock of its own, whose evaluator takes `call` and `row` milliseconds and
    /// works on one batch after the other; how many milliseconds it takes. Up to `depth` batches are out.
    fn searched(call: f64, row: f64, batch: usize, depth: usize) -> f64 {
        let start = Instant::now();
        let at = |ms: f64| start + Duration::from_secs_f64(ms / 1e3);
        let mut clock = Clock::new();
        clock.deadline = Some(at(100.0));
        let (mut now, mut free, mut due) = (0.0_f64, 0.0_f64, VecDeque::new());
        let mut rows = 1;
        loop {
            let out = due.len();
            let fits = if out < depth && rows > 0 { clock.fits_at(at(now), rows) } else { 0 };
            if fits > 0 || free == 0.0 {
                let fits = fits.max(1);
                free = free.max(now) + call + row * fits as f64;
                clock.out.push_back(Out { since: at(now), rows: fits, left: fits });
                due.push_back(free);
                // Nothing else leaves before the root is back.
                rows = if rows == 1 && free <= call + row { 0 } else { batch };
                continue;
            }
            let Some(back) = due.pop_front() else { return now };
            now = back;
            clock.take_back_at(at(now));
            rows = batch;
        }
    }

    #[test]
    fn a_batch_leaves_only_if_it_comes_back_in_time() {
        for depth in [1, 2] {
            for (call, row, batch) in
                [(2.0, 1.0, 58), (3.0, 0.0, 64), (0.1, 0.9, 64), (20.0, 0.5, 64), (1.0, 0.01, 8)]
            {
                let took = searched(call, row, batch, depth);
                assert!(took <= 100.0 + 1e-6, "{took} with {call}, {row}, {batch}, {depth}");
                assert!(took > 100.0 - 2.0 * (call + row) - 10.0, "{took} is early: {call}, {row}");
            }
        }
    }

    #[test]
    fn the_root_is_looked_at_however_late_it_is() {
        assert!((searched(150.0, 1.0, 64, 1) - 151.0).abs() < 1e-6);
    }

    #[test]
    fn latencies_are_fitted_per_call_and_per_row() {
        let mut latency = Latency::default();
        assert_eq!(latency.of(64), 0.0);
        latency.note(1, 3.0);
        assert_eq!((latency.of(1), latency.of(64)), (3.0, 192.0));
        latency.note(64, 66.0);
        assert!((latency.of(1) - 3.0).abs() < 1e-9 && (latency.of(32) - 34.0).abs() < 1e-9);
    }
}
