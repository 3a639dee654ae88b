//! The rollouts of the study of the rook endgame.

use super::line::{KrkLine, KrkModel};
use super::moves::{Code, Index, Row};
use crate::error::Result;
use crate::game::Returns;
use crate::games::lone_king::Policy;
use crate::rng::Stream;
use crate::search::uct::{Played, Rollout};

/// Filters over legal moves, each dropped if it would leave nothing: those of the model's [`Policy`]
/// (`docs/definitions/krk.md#rollout-policies`). What is left is played with the same probability.
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
        if let Some(returns) = state.returns(row.has_moves(), row.is_mate()) {
            return Ok(Played::Over(returns));
        }
        let is_strong = index.is_strong_to_move();
        if !is_strong && model.policy.has(Policy::CAPTURE) && index.placement().men().can_take() {
            return Ok(Played::Over(Returns::zero_sum(None)));
        }
        let mut code = row.get(stream.below(row.policy()));
        if is_strong && state.has_seen(index.after(code)) {
            code = another(model.policy, state, index, row, stream).unwrap_or(code);
        }
        state.play(code);
        Ok(Played::Action(KrkLine::action(index, code)))
    }
}

/// A move in place of one that repeats a position; `None` if the policy has no other.
fn another(
    policy: Policy,
    state: &KrkLine,
    index: Index,
    row: Row<'_>,
    stream: &mut Stream,
) -> Option<Code> {
    let repeats = |code: Code| state.has_seen(index.after(code));
    let anew = || {
        let legal: Vec<Code> = row.all().collect();
        policy.kept(index.placement().men(), &legal, |code| index.step(code), repeats)
    };
    let kept = (0..row.policy()).map(|at| row.get(at));
    policy.another(kept, anew, repeats, stream)
}
