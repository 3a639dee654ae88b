//! Rollouts of endings against a lone king, by shakmaty's moves.

use shakmaty::{Move, Position, Role};

use super::men::{Men, Mover, Step};
use super::policy::Policy;
use crate::error::{Error, Result};
use crate::game::{Player, Returns};
use crate::games::boards::board::player_of;
use crate::games::boards::rules::position_key;
use crate::games::{ChessModel, ChessState};
use crate::rng::Stream;
use crate::search::uct::{Played, Rollout};

/// Filters over legal moves, each dropped if it would leave nothing: those of a [`Policy`]. What is left
/// is played with the same probability.
#[derive(Clone, Copy, Debug)]
pub struct LoneKingRollout {
    policy: Policy,
}

impl LoneKingRollout {
    /// Rollouts by a policy.
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// The player with the lone king, for whom a draw is won; an error if `state` is no such ending.
    pub fn favoured(state: &ChessState) -> Result<Player> {
        let (men, strong) = men_of(state)?;
        if men.roles().is_empty() {
            return Err(Error::InvalidState(
                "the game is over at the root: both kings are alone".into(),
            ));
        }
        Ok(player_of(!strong))
    }
}

impl Rollout<ChessModel> for LoneKingRollout {
    fn step(
        &mut self,
        _model: &ChessModel,
        state: &mut ChessState,
        stream: &mut Stream,
    ) -> Result<Played> {
        // By reference, because the list is large and would be moved.
        let legal = &state.legal_moves();
        if let Some(outcome) = state.outcome_if(legal.is_empty()) {
            return Ok(Played::Over(Returns::zero_sum(outcome.winner)));
        }
        let (men, strong) = men_of(state)?;
        if !men.strong_to_move && self.policy.has(Policy::CAPTURE) && men.can_take() {
            return Ok(Played::Over(Returns::zero_sum(None)));
        }
        let seen = |square: shakmaty::Square| strong.fold_wb(square, square.flip_vertical()) as u8;
        let step = |m: Move| {
            let from = m.from().map(seen);
            let at = men.squares().iter().position(|&square| Some(square) == from);
            let is_piece = m.role() != Role::King;
            let mover = at.filter(|_| is_piece).map_or(Mover::King, Mover::Piece);
            Step { mover, to: seen(m.to()) }
        };
        let kept = self.policy.kept(men, legal, step, |_| false);
        let mut m = kept[stream.below(kept.len())];
        let repeats = |m: Move| stood_before(state, m, self.policy.has(Policy::WINDOW));
        if men.strong_to_move && repeats(m) {
            let anew = || self.policy.kept(men, legal, step, repeats);
            let other = self.policy.another(kept.iter().copied(), anew, repeats, stream);
            m = other.unwrap_or(m);
        }
        let action = state.action_of(m);
        state.play_move(m);
        Ok(Played::Action(action))
    }
}

/// Whether the position after a move stood before: in the game, or among its last positions, of which
/// its first is none.
fn stood_before(state: &ChessState, m: Move, is_windowed: bool) -> bool {
    let mut next = state.position().clone();
    next.play_unchecked(m);
    let keys = state.history().keys();
    let begins = usize::from(keys.len() > state.ply() as usize);
    let first = if is_windowed { keys.len().saturating_sub(Policy::LAST).max(begins) } else { 0 };
    keys[first..].contains(&position_key(&next))
}

fn men_of(state: &ChessState) -> Result<(Men, shakmaty::Color)> {
    Men::of(state.position()).ok_or_else(|| {
        Error::InvalidState(format!(
            "'{}' is no ending against a lone king: expected two kings and one or two pieces of one \
             side, no pawns, no right to castle",
            state.fen()
        ))
    })
}
