//! How a tree walks a board game: it is its own model.

use std::marker::PhantomData;

use crate::error::Result;
use crate::game::{Action, Game, Player, Returns};
use crate::games::boards::actions;
use crate::games::boards::board::BoardState;
use crate::games::boards::chess::Chess;
use crate::games::boards::rules::Rules;
use crate::model::{Played, SearchModel, ValueRule};
use crate::rng::Stream;

/// The model of a board game.
///
/// Nodes store nothing: a walker copies the root into lists that it owns already and plays the path,
/// a few nanoseconds a ply, without allocating.
#[derive(Clone, Copy, Debug)]
pub struct BoardModel<R>(PhantomData<fn() -> R>);

/// The model of standard chess.
pub type ChessModel = BoardModel<Chess>;

impl<R> BoardModel<R> {
    /// The model.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R> Default for BoardModel<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Rules> SearchModel for BoardModel<R> {
    type State = BoardState<R>;
    type Snapshot = ();
    type Game = BoardState<R>;

    fn value_rule(&self) -> ValueRule {
        ValueRule::Negate
    }

    fn num_actions(&self) -> usize {
        R::NUM_ACTIONS
    }

    fn actor(&self, state: &Self::State) -> Result<Player> {
        Ok(state.player_to_move())
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Action>) -> Result<()> {
        actions.clear();
        actions::legal_actions(state.position(), actions);
        Ok(())
    }

    fn advance(&self, state: &mut Self::State, action: Action) -> Result<()> {
        // The tree plays only what `actions` gave it, so that a second check of legality is saved.
        state.play_trusted(action)
    }

    fn terminal(&self, state: &Self::State) -> Result<Option<Returns>> {
        Ok(state.outcome().map(|outcome| Returns::zero_sum(outcome.winner)))
    }

    fn expand(&self, state: &Self::State, actions: &mut Vec<Action>) -> Result<Option<Returns>> {
        let outcome = state.outcome_and_actions(actions);
        Ok(outcome.map(|outcome| Returns::zero_sum(outcome.winner)))
    }

    fn play_random(
        &self,
        state: &mut Self::State,
        stream: &mut Stream,
        _legal: &mut Vec<Action>,
    ) -> Result<Played> {
        // By reference, because the list is large and would be moved.
        let moves = &state.legal_moves();
        if let Some(outcome) = state.outcome_if(moves.is_empty()) {
            return Ok(Played::Over(Returns::zero_sum(outcome.winner)));
        }
        let m = moves[stream.below(moves.len())];
        let action = state.action_of(m);
        state.play_move(m);
        Ok(Played::Action(action))
    }

    fn snapshot(&self, _state: &Self::State) {}

    fn restore(
        &self,
        state: &mut Self::State,
        root: &Self::State,
        path: &[Action],
        _snapshot: &(),
    ) -> Result<()> {
        state.clone_from(root);
        path.iter().try_for_each(|&action| self.advance(state, action))
    }

    fn game<'a>(&self, state: &'a Self::State) -> &'a Self::Game {
        state
    }

    fn key(&self, state: &Self::State) -> Result<Option<u64>> {
        Ok(Some(state.key()))
    }

    fn ply(&self, state: &Self::State) -> Option<u32> {
        Some(state.ply())
    }

    fn same(&self, a: &Self::State, b: &Self::State) -> Result<bool> {
        Ok(a == b)
    }

    fn repeats_within(&self, state: &Self::State, plies: usize) -> bool {
        state.history().repeats_within(plies)
    }
}
