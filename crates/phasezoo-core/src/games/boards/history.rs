//! What came before a position.

use crate::games::boards::packed::PackedMove;
use crate::prefetch;

/// How many of the last moves planes show.
pub const SHOWN_MOVES: usize = 8;

/// How many of the last keys are asked for beforehand: few games have more since a capture or pawn move.
const SHOWN_KEYS: usize = 24;

/// Room that a cloned list gets for moves to come, so that playing on does not move it at once.
const HEADROOM: usize = 8;

/// Keys of the positions since the last final move and all moves since the start.
///
/// Two plain lists, because copying a few hundred bytes into lists that a walker already owns costs
/// less than following shared ones, and a walker then needs no allocation to play on.
#[derive(Debug, PartialEq, Eq)]
pub struct History {
    /// Keys of the positions that may still recur, the current one last.
    keys: Vec<u64>,
    /// Moves since the start of the game, oldest first.
    moves: Vec<PackedMove>,
    /// The first move that planes may show.
    shown_from: u32,
    /// How often the current position stood before.
    occurrences: u32,
}

impl History {
    /// The history of a game that starts at the position with this key.
    pub fn new(key: u64) -> Self {
        Self { keys: vec![key], moves: Vec::new(), shown_from: 0, occurrences: 0 }
    }

    /// The history of a position with this key that has not stood before, of which the last `moves` are
    /// known.
    pub(super) fn of_last(moves: Vec<PackedMove>, key: u64) -> Self {
        Self { moves, ..Self::new(key) }
    }

    /// Adds a move and the key of the position after it. After a `final_move` no earlier position
    /// can recur.
    pub fn push(&mut self, played: PackedMove, key: u64, final_move: bool) {
        self.moves.push(played);
        if final_move {
            self.keys.clear();
            self.occurrences = 0;
        } else {
            self.occurrences =
                same_side(&self.keys).filter(|&&earlier| earlier == key).count() as u32;
        }
        self.keys.push(key);
    }

    /// The key of the current position.
    pub fn key(&self) -> u64 {
        // The list starts with one key and `push` leaves at least one.
        self.keys.last().copied().unwrap_or_default()
    }

    /// How often the current position stood before in this game.
    pub fn occurrences(&self) -> u32 {
        self.occurrences
    }

    /// Keys of the positions since the last final move, the current one last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Whether the current position stood before within the last `plies` plies.
    pub fn repeats_within(&self, plies: usize) -> bool {
        self.occurrences > 0 && {
            let key = self.key();
            let earlier = &self.keys[..self.keys.len() - 1];
            let within = &earlier[earlier.len().saturating_sub(plies)..];
            same_side(within).any(|&earlier| earlier == key)
        }
    }

    /// The moves since the start of the game, oldest first.
    pub fn moves(&self) -> &[PackedMove] {
        &self.moves
    }

    /// The last moves that planes show, newest first, at most [`SHOWN_MOVES`].
    pub fn shown(&self) -> impl Iterator<Item = PackedMove> + '_ {
        self.moves[self.shown_from as usize..].iter().rev().take(SHOWN_MOVES).copied()
    }

    /// Asks the processor for what the next move and planes look at.
    pub(crate) fn prefetch(&self) {
        prefetch::tail(&self.keys, SHOWN_KEYS);
        prefetch::tail(&self.moves, SHOWN_MOVES);
    }

    /// Hides all moves so far from planes; repetitions stay counted.
    pub fn hide_moves(&mut self) {
        self.hide_moves_before(self.moves.len() as u32);
    }

    /// Hides the first `count` moves from planes.
    pub(crate) fn hide_moves_before(&mut self, count: u32) {
        self.shown_from = count.min(self.moves.len() as u32);
    }

    /// How many of the first moves are hidden from planes.
    pub(crate) fn hidden(&self) -> u32 {
        self.shown_from
    }
}

/// Of the keys before a position those in which the same side moved and that could be the same:
/// newest first, from four plies back, every second.
fn same_side(earlier: &[u64]) -> impl Iterator<Item = &u64> {
    earlier.iter().rev().skip(3).step_by(2)
}

impl Clone for History {
    fn clone(&self) -> Self {
        let mut keys = Vec::with_capacity(self.keys.len() + HEADROOM);
        keys.extend_from_slice(&self.keys);
        let mut moves = Vec::with_capacity(self.moves.len() + HEADROOM);
        moves.extend_from_slice(&self.moves);
        Self { keys, moves, shown_from: self.shown_from, occurrences: self.occurrences }
    }

    fn clone_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
        self.moves.clone_from(&other.moves);
        self.shown_from = other.shown_from;
        self.occurrences = other.occurrences;
    }
}
