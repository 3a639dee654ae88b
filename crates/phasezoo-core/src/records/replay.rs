//! Replaying a game to one of its positions, fast.

use shakmaty::{Move, Position, Role};

use crate::error::{Error, Result};
use crate::games::boards::history::SHOWN_MOVES;
use crate::games::{BoardState, PackedMove, Rules};

/// A state that planes and actions cannot tell from the one after `moves` from `start`.
///
/// Only what planes read is kept: the last moves, and the positions since the last move that let no
/// earlier one recur. Everything before is played on the bare position, without keys or lists. Moves
/// are trusted to be legal; others give an error or a wrong position, never a panic.
pub(super) fn state_after<R: Rules>(start: &R::Position, moves: &[u16]) -> Result<BoardState<R>> {
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

/// A stored move that was found legal before. Where playing one that is not could panic (a king is
/// taken, pieces end on the same square) it is looked at again.
pub(super) fn trusted<P: Position>(position: &P, packed: u16) -> Result<Move> {
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
