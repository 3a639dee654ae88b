//! Standard chess.

use shakmaty::{Bitboard, Chess, Move, Position, Role, attacks};

use crate::games::rules::Rules;

impl Rules for Chess {
    const NAME: &'static str = "chess";

    fn has_legal_move(&self) -> bool {
        let board = self.board();
        if let Some(king) = board.king_of(self.turn())
            && self.checkers().is_empty()
        {
            // A piece on no line through its king cannot be pinned, so that any step of it is legal.
            let free = self.us() & !attacks::queen_attacks(king, Bitboard::EMPTY);
            let forward = self.turn().fold_wb(8, -8);
            if ((free & board.pawns()).shift(forward) & !board.occupied()).any()
                || (free & board.knights())
                    .into_iter()
                    .any(|from| (attacks::knight_attacks(from) & !self.us()).any())
            {
                return true;
            }
        }
        !self.legal_moves().is_empty()
    }

    fn is_final(&self, m: Move) -> bool {
        m.is_zeroing()
            || (self.castles().any()
                && match m {
                    Move::Castle { .. } => true,
                    Move::Normal { role: Role::King, .. } => self.castles().has_color(self.turn()),
                    Move::Normal { from, .. } => self.castles().castling_rights().contains(from),
                    _ => false,
                })
    }
}
