//! Which moves rollouts of the rook endgame play (`docs/definitions/krk.md#rollout-policies`).
//!
//! The policy of the study's text, and what the study's program does otherwise, one change at a time.

use super::moves::{Code, Index};
use crate::games::krk::table::Placement;

/// Squares in the centre: d4, e4, d5, e5.
const CENTRE: [u8; 4] = [27, 28, 35, 36];

/// Manhattan distance between the kings above which the strong king walks.
const FAR: u8 = 3;

/// Which changes to the policy of the study's text are made; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy(u8);

impl Policy {
    /// The rook side looks first to a rook that is attacked or has to be protected.
    pub const URGENT: Self = Self(1);
    /// A rook may stand beside the lone king if its own king protects it; it keeps away otherwise.
    pub const PROTECT: Self = Self(2);
    /// Repetitions are avoided before the king comes nearer, not after all other filters.
    pub const EARLY: Self = Self(4);
    /// Repetitions are looked for among the last 20 positions, not in the whole game.
    pub const WINDOW: Self = Self(8);
    /// The king comes nearer; it does not only keep its distance.
    pub const CLOSER: Self = Self(16);
    /// The lone king takes the rook, or leaves the opposition, before it looks to the centre.
    pub const LEAVE: Self = Self(32);
    /// A rollout ends as no mate where the lone king could take the rook.
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
    /// nothing. `repeats` says which moves of the rook side lead to a position that stood before; it is
    /// asked only by a policy that avoids repetitions early.
    pub(super) fn kept(
        self,
        index: Index,
        legal: &[Code],
        repeats: impl Fn(Code) -> bool,
    ) -> Vec<Code> {
        let mut kept = Kept(legal.to_vec());
        let now = index.placement();
        if now.strong_to_move {
            self.keep_strong(&mut kept, index, repeats);
        } else {
            self.keep_lone(&mut kept, index);
        }
        kept.0
    }

    fn keep_strong(self, kept: &mut Kept, index: Index, repeats: impl Fn(Code) -> bool) {
        let now = index.placement();
        let after = |code: Code| index.after(code).placement();
        if self.has(Self::URGENT) {
            kept.filter(|code| helps_rook(now, after(code), code));
        }
        if self.has(Self::PROTECT) {
            kept.filter(|code| leaves_rook_safe(now, after(code), code));
        } else {
            kept.filter(|code| is_rook_safe(after(code)));
        }
        if self.has(Self::EARLY) {
            kept.filter(|code| !repeats(code));
        }
        let distance = manhattan(now.king, now.lone);
        kept.filter(|code| {
            let next = manhattan(after(code).king, now.lone);
            next < distance || code.is_marked() || (next == distance && !self.has(Self::CLOSER))
        });
        if distance > FAR {
            kept.filter(|code| !code.is_marked());
        }
        if let Some(line) = opposition(now) {
            kept.filter(|code| code.is_marked() && checks_across(after(code), line));
        }
    }

    fn keep_lone(self, kept: &mut Kept, index: Index) {
        if self.has(Self::LEAVE) {
            kept.filter(|code| code.takes_rook(index));
            let king = index.placement().king;
            kept.filter(|code| manhattan(king, code.to()) != 2);
        }
        let from_centre =
            |code: Code| CENTRE.map(|square| manhattan(square, code.to())).into_iter().min();
        let least = kept.0.iter().map(|&code| from_centre(code)).min();
        kept.filter(|code| Some(from_centre(code)) == least);
    }
}

/// Moves that are left.
struct Kept(Vec<Code>);

impl Kept {
    /// Leaves the moves that `keep` says, unless that is none.
    fn filter(&mut self, keep: impl Fn(Code) -> bool) {
        if self.0.iter().any(|&code| keep(code)) {
            self.0.retain(|&code| keep(code));
        }
    }
}

/// Whether the lone king, to move, cannot take the rook.
pub(super) fn is_rook_safe(placement: Placement) -> bool {
    !touch(placement.lone, placement.rook) || touch(placement.king, placement.rook)
}

/// Whether a rook beside the lone king gets its own king's protection, or goes away unprotected.
fn helps_rook(now: Placement, after: Placement, code: Code) -> bool {
    let is_alone = touch(now.rook, now.lone) && !touch(now.king, now.rook);
    let is_helped =
        if code.is_marked() { !touch(after.rook, now.lone) } else { touch(after.king, now.rook) };
    is_alone && is_helped
}

/// Whether a king's move does not give up a rook that it alone protects, and a rook's move ends beside
/// its king or away from the other.
fn leaves_rook_safe(now: Placement, after: Placement, code: Code) -> bool {
    if code.is_marked() {
        return is_rook_safe(after);
    }
    let was_protected = touch(now.rook, now.lone) && touch(now.king, now.rook);
    !was_protected || touch(after.king, now.rook)
}

/// A line of the board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Rank,
    File,
}

/// The line on which the kings stand with one square between.
fn opposition(placement: Placement) -> Option<Line> {
    let (files, ranks) = steps(placement.king, placement.lone);
    match (files, ranks) {
        (2, 0) => Some(Line::Rank),
        (0, 2) => Some(Line::File),
        _ => None,
    }
}

/// Whether the rook checks at right angles to the line of the opposition. The strong king stands on
/// that line and is never between.
fn checks_across(placement: Placement, line: Line) -> bool {
    let (files, ranks) = steps(placement.rook, placement.lone);
    match line {
        Line::Rank => files == 0,
        Line::File => ranks == 0,
    }
}

/// Files and ranks between two squares.
fn steps(a: u8, b: u8) -> (u8, u8) {
    ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3))
}

fn manhattan(a: u8, b: u8) -> u8 {
    let (files, ranks) = steps(a, b);
    files + ranks
}

fn touch(a: u8, b: u8) -> bool {
    let (files, ranks) = steps(a, b);
    files <= 1 && ranks <= 1
}
