//! Stored board games: a FEN and the moves in sixteen bits each; replaying them fast.

use shakmaty::{Move, Position, Role};

use super::history::SHOWN_MOVES;
use super::{BoardState, PackedMove, Rules};
use crate::error::{Error, Result};
use crate::game::Action;
use crate::records::Stored;

impl<R: Rules> Stored for BoardState<R> {
    fn usual_start() -> Self {
        Self::initial()
    }

    fn parse_start(text: &str) -> Result<Self> {
        Self::from_fen(text)
    }

    fn stored_action(&self, code: u16) -> Result<Action> {
        Ok(self.action_of(PackedMove(code).unpack(self.position())?))
    }

    fn play_stored(&mut self, code: u16) -> Result<()> {
        let m = PackedMove(code).unpack(self.position())?;
        self.play_move(m);
        Ok(())
    }

    fn replayed(start: &Self, codes: &[u16]) -> Result<Self> {
        state_after(start.position(), codes)
    }

    fn hide_history(&mut self) {
        self.history_mut().hide_moves();
    }
}

/// A state that planes and actions cannot tell from the one after `moves` from `start`.
///
/// Only what planes read is kept: the last moves, and the positions since the last move that let no
/// earlier one recur. Everything before is played on the bare position, without keys or lists. Moves
/// are trusted to be legal; others give an error or a wrong position, never a panic.
fn state_after<R: Rules>(start: &R::Position, moves: &[u16]) -> Result<BoardState<R>> {
    let unseen = moves.len().saturating_sub(SHOWN_MOVES);
    let mut position = start.clone();
    let (mut first, mut base) = (0, start.clone());
    for (ply, &packed) in moves[..unseen].iter().enumerate() {
        let m = trusted(&position, packed)?;
        let last_of_its_kind = R::is_final(&position, m);
        position.play_unchecked(m);
        if last_of_its_kind {
            (first, base) = (ply + 1, position.clone());
        }
    }
    let mut state = BoardState::from_position(base);
    for &packed in &moves[first..] {
        let m = trusted(state.position(), packed)?;
        state.play_move(m);
    }
    Ok(state)
}

/// A stored move that was found legal before. If playing one that is not could panic (a king is
/// taken, pieces end on the same square) it is looked at again.
fn trusted<P: Position>(position: &P, packed: u16) -> Result<Move> {
    let safe = |m: &Move| match m {
        Move::Normal { capture, .. } => *capture != Some(Role::King),
        Move::EnPassant { .. } | Move::Castle { .. } | Move::Put { .. } => position.is_legal(*m),
    };
    PackedMove(packed).complete(position).filter(safe).ok_or_else(|| {
        Error::CorruptRecord(format!(
            "move {packed:#06x} fits no position it was stored for: the store has changed since its \
             moves were checked"
        ))
    })
}

#[cfg(test)]
mod tests;
