//! The rollouts of the study of the rook endgame.

use super::line::{KrkLine, KrkModel};
use crate::error::Result;
use crate::rng::Stream;
use crate::search::uct::{Played, Rollout};

/// Filters over legal moves, each dropped if it would leave nothing (`docs/definitions/krk.md`): the
/// rook side loses no piece, its king does not move away from the other, its king moves when the kings
/// are more than 3 apart, in opposition it checks from the side, it does not repeat a position of the
/// game or of the rollout; the lone king stays near the centre. Distances are Manhattan. What is left is
/// played with the same probability.
#[derive(Clone, Copy, Debug, Default)]
pub struct KrkRollout;

impl Rollout<KrkModel> for KrkRollout {
    #[inline]
    fn step(
        &mut self,
        model: &KrkModel,
        state: &mut KrkLine,
        stream: &mut Stream,
    ) -> Result<Played> {
        let index = state.index();
        let row = model.moves.row(index);
        if let Some(returns) = state.returns(row.len() > 0, row.is_mate) {
            return Ok(Played::Over(returns));
        }
        let mut code = row.get(stream.below(row.policy()));
        if index.is_strong_to_move() && state.has_seen(index.after(code)) {
            let is_new = |at: &usize| !state.has_seen(index.after(row.get(*at)));
            let fresh = (0..row.policy()).filter(is_new).count();
            // A draw among those that are new, or among all if none is.
            if fresh > 0 {
                let chosen = stream.below(fresh);
                let at = (0..row.policy()).filter(is_new).nth(chosen);
                code = row.get(at.unwrap_or_default());
            }
        }
        state.play(code);
        Ok(Played::Action(KrkLine::action(index, code)))
    }
}
