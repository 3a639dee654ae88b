//! The rollouts of the study of the rook endgame.

use super::line::{KrkLine, KrkModel};
use super::moves::{Code, Index, Row};
use super::policy::{Policy, is_rook_safe};
use crate::error::Result;
use crate::game::Returns;
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
        if let Some(returns) = state.returns(row.len() > 0, row.is_mate) {
            return Ok(Played::Over(returns));
        }
        let is_strong = index.is_strong_to_move();
        if !is_strong && model.policy.has(Policy::CAPTURE) && !is_rook_safe(index.placement()) {
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
///
/// As long as some move that the policy keeps is new, avoiding repetitions early or late is the same:
/// a filter that leaves something of all moves and something of the new ones leaves the same of these.
fn another(
    policy: Policy,
    state: &KrkLine,
    index: Index,
    row: Row<'_>,
    stream: &mut Stream,
) -> Option<Code> {
    let repeats = |code: Code| state.has_seen(index.after(code));
    let fresh = || row.all().take(row.policy()).filter(|&code| !repeats(code));
    match fresh().count() {
        0 if policy.has(Policy::EARLY) => {
            let legal: Vec<Code> = row.all().collect();
            let kept = policy.kept(index, &legal, repeats);
            kept.get(stream.below(kept.len())).copied()
        }
        0 => None,
        count => {
            let chosen = stream.below(count);
            fresh().nth(chosen)
        }
    }
}
