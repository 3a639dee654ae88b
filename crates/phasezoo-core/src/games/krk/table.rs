//! Positions of king and rook against king, and the distance to mate of each.

use std::sync::OnceLock;

use shakmaty::{Chess, Color, Move, Position, Role, Square};

use crate::games::lone_king::Men;
use crate::games::lone_king::symmetry::{Symmetry, transposed};
use crate::games::lone_king::table::Table;
use crate::rng::mix;

/// The longest win, in moves of the rook side.
pub const LONGEST: u8 = 16;

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

    /// The men, as other endings have them.
    pub(super) fn men(self) -> Men {
        Men::new(self.king, self.lone, self.strong_to_move, &[(Role::Rook, self.rook)])
    }

    /// The position; `None` if pieces share a square, the kings touch or a king can be captured.
    pub fn position(self) -> Option<Chess> {
        self.men().position()
    }

    fn map(self, to: impl Fn(u8) -> u8) -> Self {
        Self { king: to(self.king), rook: to(self.rook), lone: to(self.lone), ..self }
    }

    /// The position with the lone king in the triangle.
    fn reduced(self) -> Self {
        let image = Symmetry::of(self.lone);
        self.map(|square| image.map(square))
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
}

/// The rook side's moves to mate with best play of both, 0 if the lone king is mated; `None` of a
/// draw and of what is no position. Repetitions and the fifty-move rule are not considered: no win
/// takes more than [`LONGEST`] moves.
pub fn dtm(placement: Placement) -> Option<u8> {
    static TABLE: OnceLock<&Table> = OnceLock::new();
    TABLE.get_or_init(|| Table::of(&[Role::Rook])).dtm(placement.men())
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
    use crate::games::boards::fen;
    use crate::games::lone_king::symmetry::{FILES, RANKS};

    fn all() -> impl Iterator<Item = Placement> {
        (0..64 * 64 * 64 * 2_u32).map(|code| Placement {
            king: (code & 63) as u8,
            rook: (code >> 6 & 63) as u8,
            lone: (code >> 12 & 63) as u8,
            strong_to_move: code >> 18 == 0,
        })
    }

    #[test]
    fn the_rook_side_wins_every_position_in_sixteen_moves_at_most() {
        let values: Vec<Option<u8>> = all()
            .filter(|placement| placement.strong_to_move && placement.position().is_some())
            .map(dtm)
            .collect();
        assert!(values.iter().all(Option::is_some));
        assert_eq!(values.into_iter().max(), Some(Some(LONGEST)));
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
