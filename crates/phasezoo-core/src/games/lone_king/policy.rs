//! Which moves rollouts of an ending play (`docs/definitions/krk.md#rollout-policies`).
//!
//! The policy of a study of king and rook against king, and what the study's program does otherwise, one
//! change at a time; both for any pieces.

use shakmaty::Role;

use super::men::{Men, Mover, Step, manhattan, steps, touch};
use crate::rng::Stream;

/// Squares in the centre: d4, e4, d5, e5.
const CENTRE: [u8; 4] = [27, 28, 35, 36];

/// Manhattan distance between the kings above which the strong king walks.
const FAR: u8 = 3;

/// Which changes to the policy of the study's text are made; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy(u8);

impl Policy {
    /// The strong side looks first to a piece that is attacked or has to be protected.
    pub const URGENT: Self = Self(1);
    /// A piece may stand beside the lone king if its own king protects it; it keeps away otherwise.
    pub const PROTECT: Self = Self(2);
    /// Repetitions are avoided before the king comes nearer, not after all other filters.
    pub const EARLY: Self = Self(4);
    /// Repetitions are looked for among the last 20 positions, not in the whole game.
    pub const WINDOW: Self = Self(8);
    /// The king comes nearer; it does not only keep its distance.
    pub const CLOSER: Self = Self(16);
    /// The lone king takes a piece, or leaves the opposition, before it looks to the centre.
    pub const LEAVE: Self = Self(32);
    /// A rollout ends as no mate where the lone king could take a piece.
    pub const CAPTURE: Self = Self(64);

    /// The changes by name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("urgent", Self::URGENT),
        ("protect", Self::PROTECT),
        ("early", Self::EARLY),
        ("window", Self::WINDOW),
        ("closer", Self::CLOSER),
        ("leave", Self::LEAVE),
        ("capture", Self::CAPTURE),
    ];

    /// Positions among which [`Policy::WINDOW`] looks for repetitions, the present one included.
    pub(in crate::games) const LAST: usize = 20;

    /// The policy with the changes named, by commas; `None` if one of them is unknown or named twice.
    pub fn parse(names: &str) -> Option<Self> {
        names.split(',').try_fold(Self::default(), |policy, name| {
            let (_, change) = Self::NAMES.iter().find(|known| known.0 == name)?;
            (!policy.has(*change)).then_some(Self(policy.0 | change.0))
        })
    }

    /// Whether a change is made.
    pub fn has(self, change: Self) -> bool {
        self.0 & change.0 != 0
    }

    /// What the policy keeps of the legal moves: filters in its order, each dropped if it would leave
    /// nothing. `repeats` says which moves of the strong side lead to a position that stood before; it is
    /// asked only by a policy that avoids repetitions early.
    pub(in crate::games) fn kept<M: Copy>(
        self,
        now: Men,
        legal: &[M],
        step: impl Fn(M) -> Step,
        repeats: impl Fn(M) -> bool,
    ) -> Vec<M> {
        let mut kept = Kept(legal.iter().map(|&m| (m, step(m))).collect());
        if now.strong_to_move {
            self.keep_strong(&mut kept, now, repeats);
        } else {
            self.keep_lone(&mut kept, now);
        }
        kept.0.into_iter().map(|(m, _)| m).collect()
    }

    /// A move in place of one that repeats a position; `None` if the policy has no other.
    ///
    /// As long as some move that the policy `keeps` is new, avoiding repetitions early or late is the
    /// same: a filter that leaves something of all moves and something of the new ones leaves the same of
    /// these. Otherwise a policy that avoids them early chooses among what it keeps `anew`.
    pub(in crate::games) fn another<M: Copy>(
        self,
        kept: impl Iterator<Item = M> + Clone,
        anew: impl FnOnce() -> Vec<M>,
        repeats: impl Fn(M) -> bool,
        stream: &mut Stream,
    ) -> Option<M> {
        let mut fresh = kept.filter(|&m| !repeats(m));
        match fresh.clone().count() {
            0 if self.has(Self::EARLY) => {
                let kept = anew();
                kept.get(stream.below(kept.len())).copied()
            }
            0 => None,
            count => fresh.nth(stream.below(count)),
        }
    }

    fn keep_strong<M: Copy>(self, kept: &mut Kept<M>, now: Men, repeats: impl Fn(M) -> bool) {
        if self.has(Self::URGENT) {
            kept.filter(|_, step| helps(now, step));
        }
        if self.has(Self::PROTECT) {
            kept.filter(|_, step| protects(now, step));
        } else {
            kept.filter(|_, step| !now.after(step).can_take());
        }
        if self.has(Self::EARLY) {
            kept.filter(|m, _| !repeats(m));
        }
        let distance = manhattan(now.king, now.lone);
        kept.filter(|_, step| {
            let next = manhattan(step.to, now.lone);
            step.mover != Mover::King
                || next < distance
                || (next == distance && !self.has(Self::CLOSER))
        });
        if distance > FAR {
            kept.filter(|_, step| step.mover == Mover::King);
        }
        if let Some(line) = opposition(now) {
            kept.filter(|_, step| checks_across(now, step, line));
        }
        if now.roles() == [Role::Bishop; 2] {
            kept.filter(|_, step| are_beside(now.after(step).squares()));
        }
    }

    fn keep_lone<M: Copy>(self, kept: &mut Kept<M>, now: Men) {
        if self.has(Self::LEAVE) {
            let takes = |step: Step| now.squares().contains(&step.to);
            // Whoever takes does not ask where the other king stands.
            let can_take = kept.0.iter().any(|&(_, step)| takes(step));
            kept.filter(
                |_, step| {
                    if can_take { takes(step) } else { manhattan(now.king, step.to) != 2 }
                },
            );
        }
        let from_centre =
            |step: Step| CENTRE.map(|square| manhattan(square, step.to)).into_iter().min();
        let least = kept.0.iter().map(|&(_, step)| from_centre(step)).min();
        kept.filter(|_, step| Some(from_centre(step)) == least);
    }
}

/// Moves that are left.
struct Kept<M>(Vec<(M, Step)>);

impl<M: Copy> Kept<M> {
    /// Leaves the moves that `keep` says, unless that is none.
    fn filter(&mut self, keep: impl Fn(M, Step) -> bool) {
        if self.0.iter().any(|&(m, step)| keep(m, step)) {
            self.0.retain(|&(m, step)| keep(m, step));
        }
    }
}

/// Whether a piece beside the lone king, and not beside its own, gets its king's protection or goes away.
fn helps(now: Men, step: Step) -> bool {
    let is_alone = |square: u8| touch(square, now.lone) && !touch(now.king, square);
    match step.mover {
        Mover::King => {
            now.squares().iter().any(|&square| is_alone(square) && touch(step.to, square))
        }
        Mover::Piece(at) => is_alone(now.squares()[at]) && !touch(step.to, now.lone),
    }
}

/// Whether a king's move does not give up a piece that it alone protects, and a piece's move ends beside
/// its king or away from the other.
fn protects(now: Men, step: Step) -> bool {
    match step.mover {
        Mover::King => now.squares().iter().all(|&square| {
            let was_protected = touch(square, now.lone) && touch(now.king, square);
            !was_protected || touch(step.to, square)
        }),
        Mover::Piece(_) => !touch(step.to, now.lone) || touch(now.king, step.to),
    }
}

/// A line of the board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Rank,
    File,
}

/// The line on which the kings stand with one square between.
fn opposition(men: Men) -> Option<Line> {
    match steps(men.king, men.lone) {
        (2, 0) => Some(Line::Rank),
        (0, 2) => Some(Line::File),
        _ => None,
    }
}

/// Whether a rook or queen moves to where it gives check along the line through the lone king at right
/// angles to that of the opposition. The strong king stands on the latter and is never between; another
/// piece may be.
fn checks_across(now: Men, step: Step, line: Line) -> bool {
    let Mover::Piece(at) = step.mover else { return false };
    let (files, ranks) = steps(step.to, now.lone);
    let is_across = match line {
        Line::Rank => files == 0,
        Line::File => ranks == 0,
    };
    let is_between = |(other, &square): (usize, &u8)| {
        let (first, last) = (steps(step.to, square), steps(square, now.lone));
        other != at && (first.0 + last.0, first.1 + last.1) == (files, ranks)
    };
    is_across
        && matches!(now.roles()[at], Role::Rook | Role::Queen)
        && !now.squares().iter().enumerate().any(is_between)
}

/// Whether two bishops stand on neighbouring diagonals.
fn are_beside(bishops: &[u8]) -> bool {
    let &[a, b] = bishops else { return false };
    let (rising, falling) = (|s: u8| (s & 7) + 7 - (s >> 3), |s: u8| (s & 7) + (s >> 3));
    rising(a).abs_diff(rising(b)) == 1 || falling(a).abs_diff(falling(b)) == 1
}
