//! Atomic chess: captures explode, and whose king explodes has lost.

use shakmaty::{
    Bitboard, Color, EnPassantMode, Move, MoveList, Position, Rank, Role, Square, attacks,
};

use crate::game::{Outcome, Reason};
use crate::games::boards::board::player_of;
use crate::games::boards::planes::BoardPlanes;
use crate::games::boards::rules::Rules;

/// Atomic chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atomic;

impl Rules for Atomic {
    type Position = shakmaty::variant::Atomic;

    const NAME: &'static str = "atomic";
    const PGN_VARIANTS: &'static [&'static str] = &["atom", "atomic chess"];
    const PLANES: &'static [BoardPlanes] = &[
        BoardPlanes::V1,
        BoardPlanes::V2,
        BoardPlanes::MINIMAL,
        BoardPlanes::LICHESS,
        BoardPlanes::SHARED,
    ];

    fn variant_end(position: &Self::Position) -> Option<Outcome> {
        let gone =
            Color::ALL.into_iter().find(|&color| position.board().king_of(color).is_none())?;
        Some(Outcome { winner: Some(player_of(!gone)), reason: Reason::KingExploded })
    }

    /// Plays out the few moves that go there; the list of all legal moves plays every move.
    fn san_candidates(position: &Self::Position, role: Role, to: Square) -> MoveList {
        let en_passant = position.ep_square(EnPassantMode::Always) == Some(to);
        if role == Role::Pawn && en_passant {
            return position.san_candidates(role, to);
        }
        let mut moves = MoveList::new();
        for from in origins(position, role, to) {
            let capture = position.board().role_at(to);
            let normal = |promotion| Move::Normal { role, from, capture, to, promotion };
            if role == Role::Pawn && Bitboard::BACKRANKS.contains(to) {
                let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                moves.extend(roles.map(|role| normal(Some(role))));
            } else {
                moves.push(normal(None));
            }
        }
        moves.retain(|m| leaves_king_safe(position, *m));
        moves
    }
}

/// Where pieces of the side to move stand that could go to a square, their king's safety left aside;
/// of pawns that take en passant nothing.
fn origins(position: &shakmaty::variant::Atomic, role: Role, to: Square) -> Bitboard {
    let (board, mover) = (position.board(), position.turn());
    if position.us().contains(to) {
        return Bitboard::EMPTY;
    }
    let reach = match role {
        Role::Knight => attacks::knight_attacks(to),
        Role::Bishop => attacks::bishop_attacks(to, board.occupied()),
        Role::Rook => attacks::rook_attacks(to, board.occupied()),
        Role::Queen => attacks::queen_attacks(to, board.occupied()),
        // A king that takes explodes itself.
        Role::King if board.occupied().contains(to) => Bitboard::EMPTY,
        Role::King => attacks::king_attacks(to),
        Role::Pawn if board.occupied().contains(to) => attacks::pawn_attacks(!mover, to),
        Role::Pawn => {
            let forward = mover.fold_wb(8, -8);
            let one = to.offset(-forward);
            let is_free = one.is_some_and(|one| !board.occupied().contains(one));
            let is_double = to.rank() == mover.fold_wb(Rank::Fourth, Rank::Fifth) && is_free;
            let two = if is_double { to.offset(-2 * forward) } else { None };
            one.into_iter().chain(two).collect()
        }
    };
    reach & position.our(role)
}

/// Whether a move that can be made leaves its player's king on the board and unattacked, or ends the
/// game.
fn leaves_king_safe(position: &shakmaty::variant::Atomic, m: Move) -> bool {
    let mover = position.turn();
    let mut after = position.clone();
    after.play_unchecked(m);
    let board = after.board();
    board.king_of(mover).is_some_and(|king| {
        board.king_of(!mover).is_none()
            || after.king_attackers(king, !mover, board.occupied()).is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// Squares of the board.
    const SQUARES: u32 = 64;

    #[test]
    fn candidates_are_those_of_the_list_of_all_moves() {
        let mut stream = Stream::new(7);
        let mut most = 0;
        for _ in 0..60 {
            let mut position = Atomic::initial();
            for _ in 0..120 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                for role in Role::ALL {
                    for to in (0..SQUARES).map(Square::new) {
                        let key = |m: &Move| (m.from(), m.promotion().map(u32::from));
                        let mut found: Vec<_> =
                            Atomic::san_candidates(&position, role, to).into_iter().collect();
                        let mut expected: Vec<_> =
                            position.san_candidates(role, to).into_iter().collect();
                        found.sort_by_key(key);
                        expected.sort_by_key(key);
                        assert_eq!(found, expected, "{role:?} to {to} in {position:?}");
                        most = most.max(found.len());
                    }
                }
                let m = legal[stream.below(legal.len())];
                position.play_unchecked(m);
            }
        }
        assert!(most >= 4, "promotions are among them");
    }
}
