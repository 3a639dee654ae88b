//! Stored board games: replaying them fast, mirroring them, and their moves as older files have them.

use shakmaty::{Bitboard, Move, Position, Role};

use super::board::color_of;
use super::history::{SHOWN_MOVES, Undo};
use super::planes::{self, BoardPlanes};
use super::{BoardState, PackedMove, Rules, actions};
use crate::error::{Error, Result};
use crate::game::{Action, Player};
use crate::planes::PackedRow;
use crate::records::Stored;

impl<R: Rules> Stored for BoardState<R> {
    /// As they are, and with files mirrored.
    const SYMMETRIES: usize = 2;

    /// Any legal move: people play on where a repetition or fifty moves draw.
    fn play_stored(&mut self, joint: &[u16]) -> Result<()> {
        let &[action] = joint else {
            return Err(Error::IllegalAction(format!("{} actions: one player moves", joint.len())));
        };
        let m = self.move_of(Action::from(action))?;
        self.play_move(m);
        Ok(())
    }

    /// Without a look for legal moves.
    fn has_ended(&self) -> bool {
        self.outcome_if(false).is_some()
    }

    fn replayed(start: &Self, actions: &[u16], _width: usize) -> Result<Self> {
        state_after(start, actions)
    }

    fn hide_history(&mut self) {
        self.history_mut().hide_moves();
    }

    /// Castling knows left from right.
    fn is_symmetric(&self) -> bool {
        !self.position().castles().any()
    }

    fn encode_turned(&self, planes: BoardPlanes, player: Player, _symmetry: u8, out: &mut [f32]) {
        planes::mirrored(self, planes, color_of(player), out);
    }

    fn encode_turned_packed(
        &self,
        planes: BoardPlanes,
        player: Player,
        _symmetry: u8,
        out: &mut PackedRow<'_>,
    ) {
        planes::packed(self, planes, color_of(player), true, out);
    }

    fn turned_action(action: Action, _symmetry: u8) -> Action {
        actions::mirrored(action)
    }

    /// The moves in sixteen bits each.
    fn hashed(start: &Self, actions: &[u16]) -> Result<Vec<u16>> {
        let mut position = start.position().clone();
        let pack = |&action: &u16| {
            let m = trusted::<R>(&position, action)?;
            position.play_unchecked(m);
            Ok(PackedMove::pack(m, R::MODE).0)
        };
        actions.iter().map(pack).collect()
    }
}

/// A state that planes and actions cannot tell from the one after `actions` from `start`.
///
/// Everything is played on the bare position, without keys or lists; of what came before planes show
/// the last moves and positions, and whether each of those stood before. Actions are trusted to be legal; others give
/// an error or a wrong position, never a panic.
fn state_after<R: Rules>(start: &BoardState<R>, actions: &[u16]) -> Result<BoardState<R>> {
    if start.ply() > 0 {
        return state_with_history(start, actions);
    }
    let unseen = actions.len().saturating_sub(SHOWN_MOVES);
    let mut position = start.position().clone();
    // What tells most positions apart, of those since the last move that let no earlier one recur.
    let mut before: Vec<(Bitboard, Bitboard)> = Vec::with_capacity(SHOWN_MOVES);
    let mut shown = Vec::with_capacity(SHOWN_MOVES);
    let outline = |position: &R::Position| (position.board().occupied(), position.board().white());
    // The last ply after which a position may have stood before.
    let mut repeated = None;
    for (ply, &action) in actions.iter().enumerate() {
        let m = trusted::<R>(&position, action)?;
        if R::is_final(&position, m) {
            before.clear();
        } else {
            before.push(outline(&position));
        }
        if ply >= unseen {
            shown.push((PackedMove::pack(m, R::MODE), Undo::of(m)));
        }
        position.play_unchecked(m);
        if before.contains(&outline(&position)) {
            repeated = Some(ply);
        }
    }
    // Planes may show whether each of the last positions stood before, and those that may stand again.
    let first = unseen.min(actions.len() - before.len());
    if repeated.is_some_and(|ply| ply >= first) {
        return state_with_history(start, actions);
    }
    Ok(BoardState::rootless(position, &shown, before.len(), start))
}

/// [`state_after`] for positions that may have stood before, and starts that moves led to: everything
/// since the last move that let no earlier position recur is played with its history.
fn state_with_history<R: Rules>(start: &BoardState<R>, actions: &[u16]) -> Result<BoardState<R>> {
    let unseen = actions.len().saturating_sub(SHOWN_MOVES);
    let mut position = start.position().clone();
    let mut base = None;
    for (ply, &action) in actions[..unseen].iter().enumerate() {
        let m = trusted::<R>(&position, action)?;
        let last_of_its_kind = R::is_final(&position, m);
        position.play_unchecked(m);
        if last_of_its_kind {
            base = Some((ply + 1, position.clone()));
        }
    }
    let (first, mut state) = match base {
        Some((first, position)) => (first, BoardState::rootless(position, &[], 0, start)),
        None => (0, start.clone()),
    };
    for &action in &actions[first..] {
        let m = trusted::<R>(state.position(), action)?;
        state.play_move(m);
    }
    Ok(state)
}

/// The move of a stored action that was found legal before. If playing one that is not could panic (a
/// king is taken, pieces end on the same square) it is looked at again.
fn trusted<R: Rules>(position: &R::Position, action: u16) -> Result<Move> {
    actions::move_of(position, Action::from(action)).filter(|&m| is_safe(position, m)).ok_or_else(
        || {
            Error::CorruptRecord(format!(
                "action {action} fits no position it was stored for: the store has changed since \
                 its actions were checked"
            ))
        },
    )
}

/// Whether a move made of squares alone can be played without looking whether it is legal.
fn is_safe<P: Position>(position: &P, m: Move) -> bool {
    match m {
        Move::Normal { capture, .. } => capture != Some(Role::King),
        Move::Put { role, to } => {
            let pockets = position.pockets();
            !position.board().occupied().contains(to)
                && pockets.is_some_and(|pockets| pockets[position.turn()][role] > 0)
                && (role != Role::Pawn || !Bitboard::BACKRANKS.contains(to))
        }
        Move::EnPassant { .. } | Move::Castle { .. } => position.is_legal(m),
    }
}

#[cfg(test)]
mod tests;
