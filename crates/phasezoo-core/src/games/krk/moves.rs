//! The moves of the rook endgame, tabulated once: a cache of shakmaty's, not a second rule set.
//!
//! A position has an index of 19 bits: the strong king, the rook and the lone king by six bits each, and
//! the side to move. The rook side is seen as White. What moves a rollout policy keeps is a bit each; all
//! legal moves are in another table, which rollouts hardly ever need. Rollouts jump all over these tables,
//! and what they take is how long such a jump does: the smaller the table, the shorter.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::bits::{count, nth};
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

/// Bits of moves, in the order of shakmaty's list of moves: the squares on the rook's file and rank but
/// its own, then those around the king that moves, each from a1 on.
const ROOK_MOVES: u32 = 14;
const KING_MOVES: u32 = 8;
const MOVES: u32 = (1 << (ROOK_MOVES + KING_MOVES)) - 1;

/// The legal moves of a position that is mate; of one that is stalemate they are 0.
const MATE: u32 = 1 << 31;

/// Where the rook may go from each square, by bit; the last two are of no meaning.
const ROOK_TO: [[u8; 16]; 64] = rook_to();
/// Where a king may go from each square, by bit less [`ROOK_MOVES`]; off the board of no meaning.
const KING_TO: [[u8; 8]; 64] = king_to();

const fn rook_to() -> [[u8; 16]; 64] {
    let mut to = [[0; 16]; 64];
    let mut from = 0;
    while from < 64 {
        let (mut square, mut bit) = (0, 0);
        while square < 64 {
            if square != from && (square % 8 == from % 8 || square / 8 == from / 8) {
                to[from][bit] = square as u8;
                bit += 1;
            }
            square += 1;
        }
        from += 1;
    }
    to
}

const fn king_to() -> [[u8; 8]; 64] {
    const AROUND: [i8; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
    let mut to = [[0; 8]; 64];
    let mut from = 0;
    while from < 64 {
        let mut bit = 0;
        while bit < AROUND.len() {
            to[from][bit] = (from as i8 + AROUND[bit]) as u8 & 63;
            bit += 1;
        }
        from += 1;
    }
    to
}

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

    /// The code of the move of a bit.
    #[inline]
    fn code_of(self, bit: u32) -> Code {
        let Placement { king, rook, lone, strong_to_move } = self.placement();
        let mover = if strong_to_move { king } else { lone };
        let walk = KING_TO[usize::from(mover)][(bit.wrapping_sub(ROOK_MOVES) & 7) as usize];
        let slide = ROOK_TO[usize::from(rook)][(bit & 15) as usize] | MARK;
        let takes = if !strong_to_move && walk == rook { MARK } else { 0 };
        Code(if bit < ROOK_MOVES { slide } else { walk | takes })
    }

    /// The bit of a move.
    fn bit_of(self, code: Code) -> Option<u32> {
        (0..ROOK_MOVES + KING_MOVES).find(|&bit| {
            let is_rook = self.is_strong_to_move() && code.is_marked();
            is_rook == (bit < ROOK_MOVES) && self.code_of(bit) == code
        })
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
    moves: &'a Moves,
    index: Index,
    kept: u32,
}

impl Row<'_> {
    /// Whether there is a legal move.
    #[inline]
    pub(super) fn has_moves(&self) -> bool {
        self.kept != 0
    }

    /// Whether the side to move is mated.
    #[inline]
    pub(super) fn is_mate(&self) -> bool {
        !self.has_moves() && self.moves.legal[self.index.0 as usize] == MATE
    }

    /// How many moves the policy keeps.
    #[inline]
    pub(super) fn policy(&self) -> usize {
        count(self.kept)
    }

    /// One of those that the policy keeps.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Code {
        self.index.code_of(nth(self.kept, at))
    }

    /// How many legal moves there are.
    pub(super) fn len(&self) -> usize {
        count(self.legal())
    }

    /// One of the legal moves, those first that the policy keeps.
    #[inline]
    pub(super) fn any(&self, at: usize) -> Code {
        match at.checked_sub(self.policy()) {
            None => self.get(at),
            Some(rest) => self.index.code_of(nth(self.legal() & !self.kept, rest)),
        }
    }

    /// The legal moves, those first that the policy keeps.
    pub(super) fn all(&self) -> impl Iterator<Item = Code> + '_ {
        (0..self.len()).map(|at| self.any(at))
    }

    fn legal(&self) -> u32 {
        self.moves.legal[self.index.0 as usize] & MOVES
    }
}

/// The moves of every position.
#[derive(Debug)]
pub(super) struct Moves {
    /// Those that the policy keeps of the strong side: some wherever there are legal ones.
    strong: Box<[u32]>,
    /// The same of the lone king, from bit [`ROOK_MOVES`] on.
    lone: Box<[u8]>,
    /// All of either side.
    legal: Box<[u32]>,
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
        let at = (index.0 & (LONE_MOVES - 1)) as usize;
        let kept = if index.is_strong_to_move() {
            self.strong[at]
        } else {
            u32::from(self.lone[at]) << ROOK_MOVES
        };
        Row { moves: self, index, kept }
    }

    fn build(policy: Policy) -> Self {
        let mut strong = vec![0; POSITIONS / 2].into_boxed_slice();
        let mut lone = vec![0; POSITIONS / 2].into_boxed_slice();
        let mut legal = vec![0; POSITIONS].into_boxed_slice();
        for index in (0..POSITIONS as u32).map(Index) {
            let Some(position) = index.placement().position() else { continue };
            let codes = shakmaty::Position::legal_moves(&position);
            let codes: Vec<Code> = codes
                .iter()
                .map(|m| index.code(m.from().map_or(0, |from| from as u8), m.to() as u8))
                .collect();
            let men = index.placement().men();
            let kept = policy.kept(men, &codes, |code| index.step(code), |_| false);
            let at = (index.0 & (LONE_MOVES - 1)) as usize;
            if index.is_strong_to_move() {
                strong[at] = word(index, &kept);
            } else {
                lone[at] = (word(index, &kept) >> ROOK_MOVES) as u8;
            }
            let is_mate = codes.is_empty() && table::dtm(index.placement()) == Some(0);
            legal[index.0 as usize] = if is_mate { MATE } else { word(index, &codes) };
        }
        Self { strong, lone, legal }
    }
}

/// The bits of moves.
fn word(index: Index, codes: &[Code]) -> u32 {
    codes.iter().filter_map(|&code| index.bit_of(code)).fold(0, |word, bit| word | 1 << bit)
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
            assert_eq!(row.has_moves(), !legal.is_empty());
            assert_eq!(row.is_mate(), position.is_checkmate());
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
    fn moves_stand_in_the_order_of_their_list_those_that_are_kept_first() {
        for names in ["window", "closer,leave", "urgent,protect,early,window,closer,leave,capture"]
        {
            let policy = Policy::parse(names).unwrap();
            for index in (0..POSITIONS as u32).step_by(7).map(Index) {
                let Some(position) = index.placement().position() else { continue };
                let legal: Vec<Code> = position
                    .legal_moves()
                    .iter()
                    .map(|m| index.code(m.from().unwrap() as u8, m.to() as u8))
                    .collect();
                let men = index.placement().men();
                let kept = policy.kept(men, &legal, |code| index.step(code), |_| false);
                let others = legal.iter().filter(|code| !kept.contains(code));
                let expected: Vec<Code> = kept.iter().chain(others).copied().collect();
                let row = Moves::of(policy).row(index);
                assert_eq!(row.all().collect::<Vec<_>>(), expected);
                assert_eq!(row.policy(), kept.len());
                assert!(kept.iter().enumerate().all(|(at, &code)| row.get(at) == code));
            }
        }
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
