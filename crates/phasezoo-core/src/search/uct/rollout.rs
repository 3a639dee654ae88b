//! What plays rollouts.

use crate::error::Result;
use crate::game::{Action, Returns};
use crate::model::SearchModel;
use crate::rng::Stream;

pub use crate::model::Played;

/// A policy that plays positions on from where a search's tree ends.
pub trait Rollout<M: SearchModel>: Send + Sync {
    /// Moves `state` forward by one action of its player, or says how the game ended there.
    fn step(&mut self, model: &M, state: &mut M::State, stream: &mut Stream) -> Result<Played>;
}

/// Every legal action with the same probability.
#[derive(Clone, Debug, Default)]
pub struct RandomRollout {
    legal: Vec<Action>,
}

impl<M: SearchModel> Rollout<M> for RandomRollout {
    fn step(&mut self, model: &M, state: &mut M::State, stream: &mut Stream) -> Result<Played> {
        model.play_random(state, stream, &mut self.legal)
    }
}

/// The returns of a rollout that nobody has won.
pub(super) fn drawn() -> Returns {
    Returns::all(0.0, crate::game::MAX_PLAYERS)
}
