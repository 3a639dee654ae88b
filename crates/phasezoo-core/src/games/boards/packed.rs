//! Moves in sixteen bits: what histories, records and files hold.

use std::fmt;

use shakmaty::{Bitboard, CastlingMode, CastlingSide, File, Move, Position, Role, Square};

use crate::error::{Error, Result};

/// A move as `from | to << 6 | promotion << 12`, squares with a1 = 0.
///
/// Promotion: 0 none, 1 knight, 2 bishop, 3 rook, 4 queen; from 9 to 13 a drop of pawn, knight,
/// bishop, rook or queen on `to`. Castling is the king's two squares; in chess960 the king takes its
/// own rook.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedMove(pub u16);

const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
const DROPS: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

impl PackedMove {
    /// Packs a move of a position that castles by `mode`.
    pub fn pack(m: Move, mode: CastlingMode) -> Self {
        let (from, to) = squares(m, mode);
        let code = match m {
            Move::Put { role, .. } => 8 + role as u16,
            _ => m.promotion().map_or(0, |role| role as u16 - 1),
        };
        Self(from as u16 | (to as u16) << 6 | code << 12)
    }

    /// The move in `position`, checked for legality.
    pub fn unpack<P: Position>(self, position: &P) -> Result<Move> {
        self.complete(position).filter(|&m| position.is_legal(m)).ok_or_else(|| {
            Error::CorruptRecord(format!(
                "move {:#06x} ({self}) is not legal in '{}'",
                self.0,
                super::fen::text(position)
            ))
        })
    }

    /// The move in `position` by its squares alone: right if it is legal.
    fn complete<P: Position>(self, position: &P) -> Option<Move> {
        match self.code() {
            0 => complete(position, self.from()?, self.to(), None),
            code @ 1..=4 => complete(position, self.from()?, self.to(), Some(PROMOTIONS[code - 1])),
            code @ 9..=13 => Some(Move::Put { role: DROPS[code - 9], to: self.to() }),
            _ => None,
        }
    }

    fn code(self) -> usize {
        usize::from(self.0 >> 12)
    }

    /// The square that the move leaves; `None` for a drop.
    pub fn from(self) -> Option<Square> {
        (self.code() < 8).then(|| Square::new(u32::from(self.0 & 63)))
    }

    /// Whether a pawn became another piece.
    pub(super) fn promotes(self) -> bool {
        (1..=4).contains(&self.code())
    }

    /// The square that the move goes to.
    pub fn to(self) -> Square {
        Square::new(u32::from(self.0 >> 6 & 63))
    }
}

/// The move as UCI writes it.
impl fmt::Display for PackedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code(), self.from()) {
            (code @ 1..=4, Some(from)) => {
                write!(f, "{from}{}{}", self.to(), PROMOTIONS[code - 1].char())
            }
            (_, Some(from)) => write!(f, "{from}{}", self.to()),
            (code, None) => {
                let role = DROPS.get(code.wrapping_sub(9)).map_or('?', |role| role.upper_char());
                write!(f, "{role}@{}", self.to())
            }
        }
    }
}

/// From and to square of a move as notation and planes have them: castling is the king's two squares,
/// or in chess960 king takes rook; a drop has its target twice.
pub fn squares(m: Move, mode: CastlingMode) -> (Square, Square) {
    match m {
        Move::Castle { king, rook } if mode.is_standard() => {
            let side = CastlingSide::from_king_side(king < rook);
            (king, Square::from_coords(side.king_to_file(), king.rank()))
        }
        _ => (m.from().unwrap_or_else(|| m.to()), m.to()),
    }
}

/// The only move of the side to move that could be meant by these squares, legal or not.
///
/// A pawn that reaches the last rank needs a promotion, anything else must have none.
pub fn complete<P: Position>(
    position: &P,
    from: Square,
    to: Square,
    promotion: Option<Role>,
) -> Option<Move> {
    let board = position.board();
    if !position.us().contains(from) {
        return None;
    }
    let role = board.role_at(from)?;
    let promotes = role == Role::Pawn && Bitboard::BACKRANKS.contains(to);
    if promotes != promotion.is_some() {
        return None;
    }
    if role == Role::King
        && let Some(castling) = castling(position, from, to)
    {
        return Some(castling);
    }
    if position.us().contains(to) {
        return None;
    }
    let capture = board.role_at(to);
    if role == Role::Pawn && capture.is_none() && from.file() != to.file() {
        return Some(Move::EnPassant { from, to });
    }
    Some(Move::Normal { role, from, capture, to, promotion })
}

fn castling<P: Position>(position: &P, king: Square, to: Square) -> Option<Move> {
    let castles = position.castles();
    match castles.mode() {
        CastlingMode::Standard => {
            let side = match (king.file(), to.file()) {
                (File::E, File::G) => CastlingSide::KingSide,
                (File::E, File::C) => CastlingSide::QueenSide,
                _ => return None,
            };
            let rook = castles.rook(position.turn(), side)?;
            (king.rank() == to.rank()).then_some(Move::Castle { king, rook })
        }
        CastlingMode::Chess960 => (castles.castling_rights() & position.us())
            .contains(to)
            .then_some(Move::Castle { king, rook: to }),
    }
}
