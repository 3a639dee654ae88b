//! The moves of the rook endgame, tabulated once: a cache of shakmaty's, not a second rule set.
//!
//! A position has an index of 19 bits: the strong king, the rook and the lone king by six bits each, and
//! the side to move. The rook side is seen as White. For each position the table has the codes of its
//! legal moves, those first that a rollout policy keeps.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::games::krk::table::{self, Placement};
use crate::games::lone_king::Policy;
use crate::games::lone_king::men::{Mover, Step};

/// Positions with either side to move.
const POSITIONS: usize = 1 << 19;
/// The bit of the side to move: set if the lone king moves.
const LONE_MOVES: u32 = 1 << 18;

/// The bit of a move's code that says: of the strong side, the rook moves; of the lone king, it takes
/// the rook. The other six bits are the target square.
const MARK: u8 = 64;

/// The number of policy moves that says that a position without moves is mate.
const MATE: u32 = 31;

/// Bits of an entry: where its row begins, in pairs of bytes; its legal moves; those of the policy.
const LEGAL_AT: u32 = 22;
const POLICY_AT: u32 = 27;
const COUNT: u32 = 31;

/// A position of the endgame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Index(pub(super) u32);

impl Index {
    pub(super) fn of(placement: Placement) -> Self {
        let squares = u32::from(placement.king)
            | u32::from(placement.rook) << 6
            | u32::from(placement.lone) << 12;
        Self(squares | if placement.strong_to_move { 0 } else { LONE_MOVES })
    }

    pub(super) fn placement(self) -> Placement {
        let square = |shift: u32| (self.0 >> shift & 63) as u8;
        Placement {
            king: square(0),
            rook: square(6),
            lone: square(12),
            strong_to_move: self.is_strong_to_move(),
        }
    }

    pub(super) fn is_strong_to_move(self) -> bool {
        self.0 & LONE_MOVES == 0
    }

    /// What turns squares into those that the player to move sees, and back.
    pub(super) fn flip(self) -> u8 {
        if self.is_strong_to_move() { 0 } else { 0o70 }
    }

    /// From and to square of a move.
    pub(super) fn squares(self, code: Code) -> (u8, u8) {
        let from = self.0 >> self.shift(code) & 63;
        (from as u8, code.to())
    }

    /// The code of the move between these squares.
    pub(super) fn code(self, from: u8, to: u8) -> Code {
        let placement = self.placement();
        // Of the strong side the rook moves, of the lone king it is taken.
        let square = if self.is_strong_to_move() { from } else { to };
        let marked = square == placement.rook;
        Code(to | if marked { MARK } else { 0 })
    }

    /// The move, as other endings have it.
    pub(super) fn step(self, code: Code) -> Step {
        let is_rook = self.is_strong_to_move() && code.is_marked();
        Step { mover: if is_rook { Mover::Piece(0) } else { Mover::King }, to: code.to() }
    }

    /// The position after a move; of no meaning if it takes the rook.
    pub(super) fn after(self, code: Code) -> Self {
        let shift = self.shift(code);
        let moved = self.0 & !(63 << shift) | u32::from(code.to()) << shift;
        Self(moved ^ LONE_MOVES)
    }

    /// Where the square of the moving piece begins.
    fn shift(self, code: Code) -> u32 {
        match (self.is_strong_to_move(), code.is_marked()) {
            (true, false) => 0,
            (true, true) => 6,
            (false, _) => 12,
        }
    }
}

/// A move in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(u8);

impl Code {
    pub(super) fn to(self) -> u8 {
        self.0 & 63
    }

    /// Whether the rook moves, or is taken.
    pub(super) fn is_marked(self) -> bool {
        self.0 & MARK != 0
    }

    /// Whether the lone king, moving from `index`, takes the rook.
    pub(super) fn takes_rook(self, index: Index) -> bool {
        !index.is_strong_to_move() && self.is_marked()
    }
}

/// The moves of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    codes: &'a [u8],
    policy: usize,
    /// Whether the side to move is mated.
    pub(super) is_mate: bool,
}

impl Row<'_> {
    /// How many legal moves there are.
    pub(super) fn len(&self) -> usize {
        self.codes.len()
    }

    /// How many of the first ones the policy keeps.
    pub(super) fn policy(&self) -> usize {
        self.policy
    }

    /// One of the legal moves, which are fewer than 32.
    pub(super) fn get(&self, at: usize) -> Code {
        Code(self.codes[at])
    }

    /// The legal moves.
    pub(super) fn all(&self) -> impl Iterator<Item = Code> + '_ {
        self.codes.iter().map(|&code| Code(code))
    }
}

/// The moves of every position.
#[derive(Debug)]
pub(super) struct Moves {
    entries: Box<[u32]>,
    codes: Vec<u8>,
}

impl Moves {
    /// The table of a policy, made on first use and kept.
    pub(super) fn of(policy: Policy) -> &'static Self {
        static MOVES: OnceLock<Mutex<HashMap<Policy, &'static Moves>>> = OnceLock::new();
        let mut known =
            MOVES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(policy).or_insert_with(|| Box::leak(Box::new(Self::build(policy))))
    }

    /// The moves of a position.
    #[inline]
    pub(super) fn row(&self, index: Index) -> Row<'_> {
        let entry = self.entries[index.0 as usize];
        let start = 2 * (entry & ((1 << LEGAL_AT) - 1)) as usize;
        let legal = (entry >> LEGAL_AT & COUNT) as usize;
        let policy = entry >> POLICY_AT;
        let is_mate = legal == 0 && policy == MATE;
        Row { codes: &self.codes[start..start + legal], policy: policy as usize, is_mate }
    }

    fn build(policy: Policy) -> Self {
        let mut entries = vec![0; POSITIONS].into_boxed_slice();
        let mut codes = Vec::with_capacity(6 << 20);
        for (index, entry) in entries.iter_mut().enumerate() {
            let index = Index(index as u32);
            let Some(position) = index.placement().position() else { continue };
            let start = codes.len();
            let legal: Vec<Code> = shakmaty::Position::legal_moves(&position)
                .iter()
                .map(|m| index.code(m.from().map_or(0, |from| from as u8), m.to() as u8))
                .collect();
            let men = index.placement().men();
            let kept = policy.kept(men, &legal, |code| index.step(code), |_| false);
            codes.extend(kept.iter().map(|code| code.0));
            codes.extend(legal.iter().filter(|code| !kept.contains(code)).map(|code| code.0));
            let count = match legal.len() {
                0 if table::dtm(index.placement()) == Some(0) => MATE,
                _ => kept.len() as u32,
            };
            *entry = (start / 2) as u32 | (legal.len() as u32) << LEGAL_AT | count << POLICY_AT;
            codes.resize(codes.len().next_multiple_of(2), 0);
        }
        Self { entries, codes }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::{Position, Square};

    use super::*;
    use crate::games::KrkState;

    fn row_of(fen: &str) -> (Index, Row<'static>) {
        let state = KrkState::from_fen(fen).unwrap();
        let index = Index::of(Placement::of(state.position()).unwrap().0);
        (index, Moves::of(Policy::default()).row(index))
    }

    fn policy_of(fen: &str) -> HashSet<String> {
        let (index, row) = row_of(fen);
        row.all().take(row.policy()).map(|code| text(index, code)).collect()
    }

    fn text(index: Index, code: Code) -> String {
        let (from, to) = index.squares(code);
        format!("{}{}", Square::new(u32::from(from)), Square::new(u32::from(to)))
    }

    fn set(moves: &[&str]) -> HashSet<String> {
        moves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_table_holds_every_legal_move() {
        let mut positions = 0;
        for index in (0..POSITIONS as u32).map(Index) {
            assert_eq!(Index::of(index.placement()), index);
            let Some(position) = index.placement().position() else { continue };
            positions += 1;
            let row = Moves::of(Policy::default()).row(index);
            let legal = position.legal_moves();
            assert_eq!(row.len(), legal.len());
            assert_eq!(row.is_mate, position.is_checkmate());
            for m in &legal {
                let code = index.code(m.from().unwrap() as u8, m.to() as u8);
                assert!(row.all().any(|known| known == code));
                let next = table::after(index.placement(), *m);
                assert_eq!(next.is_none(), code.takes_rook(index));
                assert!(next.is_none_or(|next| Index::of(next) == index.after(code)));
            }
            assert!(legal.is_empty() || (1..=legal.len()).contains(&row.policy()));
        }
        assert_eq!(positions, 399_112);
    }

    #[test]
    fn filters_keep_what_they_say() {
        // Far from each other: the king comes nearer and the rook waits.
        assert_eq!(policy_of("8/8/8/4k3/8/8/8/K6R w - - 0 1"), set(&["a1a2", "a1b1", "a1b2"]));
        // In opposition on a file the rook checks on the rank; on a rank, on the file.
        assert_eq!(policy_of("8/8/3k4/8/3K4/8/7R/8 w - - 0 1"), set(&["h2h6"]));
        assert_eq!(policy_of("8/8/8/1k1K4/8/8/8/7R w - - 0 1"), set(&["h1b1"]));
        // The rook is attacked: it leaves, though the king should walk when it is far.
        let saved = policy_of("8/8/8/8/3k4/4R3/8/7K w - - 0 1");
        assert!(saved.contains("e3e8") && !saved.contains("e3e5"));
        assert!(saved.iter().all(|uci| uci.starts_with("e3")));
        // The lone king goes to the centre.
        assert_eq!(policy_of("8/8/8/8/8/2k5/8/K6R b - - 0 1"), set(&["c3d4"]));
    }
}
