//! Distance to mate of every position of king and rook against king, by retrograde analysis.
//!
//! The rook side is called the strong one and plays White here; positions with a black rook are
//! mirrored. The eight symmetries of the board map the lone king into the triangle a1, d1, d4, which
//! leaves 81,920 positions with either side to move, a byte each. The table is built on first use from
//! shakmaty's moves, so that there is no second rule set.

use std::sync::OnceLock;

use shakmaty::{CastlingMode, Chess, Color, Move, Position, Role, Setup, Square};

use crate::games::boards::fen;
use crate::rng::mix;

/// The longest win, in moves of the rook side.
pub const LONGEST: u8 = 16;

/// Squares of the triangle.
const TRIANGLE: usize = 10;
/// Placements of two more pieces.
const PAIRS: usize = 64 * 64;
/// Positions with the same side to move.
const HALF: usize = TRIANGLE * PAIRS;

/// What mirrors a square's file, and its rank.
const FILES: u8 = 0o07;
const RANKS: u8 = 0o70;

/// What the table holds if there is no position.
const ILLEGAL: u8 = u8::MAX;
/// What the table holds of a draw, and while it is built of positions that nothing is known of.
const DRAW: u8 = u8::MAX - 1;

/// Number of each square in the triangle, files a to d by ranks 1 to 4; [`ILLEGAL`] outside.
const IN_TRIANGLE: [u8; 64] = {
    let mut numbers = [ILLEGAL; 64];
    let mut next = 0;
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square % 8, square / 8);
        if file < 4 && rank <= file {
            numbers[square] = next;
            next += 1;
        }
        square += 1;
    }
    numbers
};

/// A position of king and rook against king, the rook side as White. Squares count from a1 = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The strong king.
    pub king: u8,
    /// The rook.
    pub rook: u8,
    /// The lone king.
    pub lone: u8,
    /// Whether the rook side moves.
    pub strong_to_move: bool,
}

impl Placement {
    /// The placement of a position with these three pieces, and the colour of the rook side; `None` of
    /// any other position.
    pub fn of(position: &Chess) -> Option<(Self, Color)> {
        let board = position.board();
        let rook = board.rooks().single_square()?;
        if board.occupied().count() != 3 {
            return None;
        }
        let strong = board.color_at(rook)?;
        let seen = |square: Square| match strong {
            Color::White => square as u8,
            Color::Black => square.flip_vertical() as u8,
        };
        let placement = Self {
            king: seen(board.king_of(strong)?),
            rook: seen(rook),
            lone: seen(board.king_of(!strong)?),
            strong_to_move: position.turn() == strong,
        };
        Some((placement, strong))
    }

    /// The position; `None` if pieces share a square, the kings touch or a king can be captured.
    pub fn position(self) -> Option<Chess> {
        let Self { king, rook, lone, .. } = self;
        if king == rook || king == lone || rook == lone {
            return None;
        }
        let mut setup = Setup::empty();
        for (square, color, role) in [
            (king, Color::White, Role::King),
            (rook, Color::White, Role::Rook),
            (lone, Color::Black, Role::King),
        ] {
            setup.board.set_piece_at(Square::try_from(square).ok()?, role.of(color));
        }
        setup.turn = Color::from_white(self.strong_to_move);
        fen::setup_position(setup, CastlingMode::Standard).ok()
    }

    fn map(self, to: impl Fn(u8) -> u8) -> Self {
        Self { king: to(self.king), rook: to(self.rook), lone: to(self.lone), ..self }
    }

    /// The position with the lone king in the triangle.
    fn reduced(self) -> Self {
        let (file, rank) = (self.lone & 7, self.lone >> 3);
        let flip = if file > 3 { FILES } else { 0 } | if rank > 3 { RANKS } else { 0 };
        let flipped = self.map(|square| square ^ flip);
        if flipped.lone >> 3 > flipped.lone & 7 { flipped.map(transposed) } else { flipped }
    }

    /// A number that the eight images of the position share, and no other position.
    fn class(self) -> u64 {
        let reduced = self.reduced();
        let code = |each: Self| {
            u64::from(each.lone) << 12 | u64::from(each.king) << 6 | u64::from(each.rook)
        };
        // With the lone king on the diagonal there are two images of this kind.
        let other = reduced.map(transposed);
        let lowest =
            if other.lone == reduced.lone { code(reduced).min(code(other)) } else { code(reduced) };
        lowest << 1 | u64::from(self.strong_to_move)
    }

    /// A hash that the eight images of the position share, the same on every machine.
    pub fn class_hash(self) -> u64 {
        mix(self.class())
    }

    /// Whether the lone king stands on the rim.
    pub fn is_lone_on_rim(self) -> bool {
        let (file, rank) = (self.lone & 7, self.lone >> 3);
        [file, rank].into_iter().any(|line| line == 0 || line == 7)
    }

    fn index(self) -> usize {
        let Self { king, rook, lone, strong_to_move } = self.reduced();
        let triangle = usize::from(IN_TRIANGLE[usize::from(lone)]);
        let side = if strong_to_move { 0 } else { HALF };
        side + triangle * PAIRS + usize::from(king) * 64 + usize::from(rook)
    }

    fn from_index(index: usize) -> Self {
        let (rest, pair) = (index % HALF / PAIRS, index % PAIRS);
        let lone = IN_TRIANGLE.iter().position(|&number| usize::from(number) == rest);
        Self {
            king: (pair / 64) as u8,
            rook: (pair % 64) as u8,
            lone: lone.unwrap_or_default() as u8,
            strong_to_move: index < HALF,
        }
    }
}

/// A square mirrored on the diagonal a1–h8.
const fn transposed(square: u8) -> u8 {
    (square & 7) << 3 | square >> 3
}

/// The rook side's moves to mate with best play of both, 0 if the lone king is mated; `None` of a
/// draw and of what is no position. Repetitions and the fifty-move rule are not considered: no win
/// takes more than [`LONGEST`] moves.
pub fn dtm(placement: Placement) -> Option<u8> {
    static TABLE: OnceLock<Box<[u8]>> = OnceLock::new();
    let entry = TABLE.get_or_init(build)[placement.index()];
    (entry <= LONGEST).then_some(entry)
}

/// The moves of every position: which positions they lead to, as rows of one list.
struct Moves {
    ends: Vec<u32>,
    targets: Vec<u32>,
}

impl Moves {
    fn row(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.targets[start..self.ends[index] as usize]
    }
}

/// Solves all positions: won in `n` moves is what has a move to a position lost in `n - 1`; lost in `n`
/// is what has only moves to positions won in at most `n`, one of them in `n`.
fn build() -> Box<[u8]> {
    let mut table = vec![DRAW; 2 * HALF].into_boxed_slice();
    let mut moves = Moves { ends: Vec::with_capacity(2 * HALF), targets: Vec::new() };
    // Where the lone king can take the rook it is not lost.
    let mut safe = vec![false; HALF];
    for index in 0..2 * HALF {
        let placement = Placement::from_index(index);
        match placement.position() {
            None => table[index] = ILLEGAL,
            Some(position) => {
                let legal = position.legal_moves();
                if legal.is_empty() && position.is_check() {
                    table[index] = 0;
                }
                for m in legal {
                    match after(placement, m) {
                        Some(next) => moves.targets.push(next.index() as u32),
                        None => safe[index - HALF] = true,
                    }
                }
            }
        }
        moves.ends.push(moves.targets.len() as u32);
    }
    for distance in 1..=LONGEST {
        for index in 0..HALF {
            let mut next = moves.row(index).iter().map(|&next| table[next as usize]);
            if table[index] == DRAW && next.any(|known| known == distance - 1) {
                table[index] = distance;
            }
        }
        for index in HALF..2 * HALF {
            let row = moves.row(index);
            let lost = || row.iter().all(|&next| table[next as usize] <= distance);
            if table[index] == DRAW && !row.is_empty() && !safe[index - HALF] && lost() {
                table[index] = distance;
            }
        }
    }
    table
}

/// The placement after a legal move; `None` if it takes the rook.
pub(crate) fn after(placement: Placement, m: Move) -> Option<Placement> {
    if m.is_capture() {
        return None;
    }
    let to = m.to() as u8;
    let next = Placement { strong_to_move: !placement.strong_to_move, ..placement };
    Some(match (placement.strong_to_move, m.role()) {
        (true, Role::Rook) => Placement { rook: to, ..next },
        (true, _) => Placement { king: to, ..next },
        (false, _) => Placement { lone: to, ..next },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn all() -> impl Iterator<Item = Placement> {
        (0..64 * 64 * 64 * 2_u32).map(|code| Placement {
            king: (code & 63) as u8,
            rook: (code >> 6 & 63) as u8,
            lone: (code >> 12 & 63) as u8,
            strong_to_move: code >> 18 == 0,
        })
    }

    #[test]
    fn the_longest_win_takes_sixteen_moves() {
        let table = build();
        let longest = table.iter().filter(|&&entry| entry < DRAW).max();
        assert_eq!(longest, Some(&LONGEST));
        // Every position with the rook side to move is won; counts of a distance are multiples of the
        // symmetries only in the full board, so that only extremes are asked for.
        let strong = &table[..HALF];
        assert!(!strong.contains(&DRAW));
    }

    #[test]
    fn values_follow_from_those_one_ply_later() {
        let mut stream = Stream::new(3);
        let placements: Vec<Placement> = all().collect();
        for _ in 0..20_000 {
            let placement = placements[stream.below(placements.len())];
            let Some(position) = placement.position() else {
                assert_eq!(dtm(placement), None);
                continue;
            };
            let legal = position.legal_moves();
            let next: Vec<Option<u8>> =
                legal.iter().map(|&m| after(placement, m).and_then(dtm)).collect();
            let expected = if placement.strong_to_move {
                next.iter().flatten().min().map(|&least| least + 1)
            } else if legal.is_empty() {
                position.is_check().then_some(0)
            } else {
                next.iter()
                    .copied()
                    .collect::<Option<Vec<u8>>>()
                    .and_then(|all| all.into_iter().max())
            };
            assert_eq!(dtm(placement), expected, "{placement:?}");
        }
    }

    #[test]
    fn images_share_value_and_class_and_nothing_else_does() {
        let mut sizes = std::collections::HashMap::new();
        for placement in all().filter(|placement| placement.strong_to_move) {
            let images = [
                placement.map(|square| square ^ FILES),
                placement.map(|square| square ^ RANKS),
                placement.map(transposed),
            ];
            for image in images {
                assert_eq!(image.class(), placement.class());
                assert_eq!(dtm(image), dtm(placement));
            }
            *sizes.entry(placement.class()).or_insert(0) += 1;
        }
        // Eight images, or four if a diagonal or nothing but the board's symmetry maps it to itself.
        assert!(sizes.values().all(|size| [4, 8].contains(size)));
    }

    #[test]
    fn colours_are_mirrored() {
        let white = fen::parse::<crate::games::Krk>("8/8/8/4k3/8/8/8/4K2R w - - 0 1").unwrap();
        let black = fen::parse::<crate::games::Krk>("4k2r/8/8/8/4K3/8/8/8 b - - 0 1").unwrap();
        let (seen, strong) = Placement::of(&white).unwrap();
        assert_eq!((seen, strong), (Placement::of(&black).unwrap().0, Color::White));
        assert!(dtm(seen).is_some_and(|moves| (1..=LONGEST).contains(&moves)));
    }
}
