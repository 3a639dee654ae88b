//! Any game in which one player moves at a time, as a search walks it.

use std::marker::PhantomData;

use super::{Played, SearchModel, ValueRule};
use crate::error::{Error, Result};
use crate::game::{Action, Game, Kept, Player, Returns, Turn};
use crate::rng::Stream;

/// The model of a game of turns with any number of players: two of them have one value between them,
/// more have one each. A node keeps `K` of its state.
pub struct Turns<G: Game, K = <G as Game>::Kept> {
    players: usize,
    actions: usize,
    game: PhantomData<fn() -> (G, K)>,
}

impl<G: Game> Turns<G> {
    /// The model of the game that `state` is of: of as many players and actions.
    pub fn of(state: &G) -> Self {
        Self::sized(state.num_players(), state.num_actions())
    }

    /// The model of a game of so many players and actions.
    pub(crate) const fn sized(players: usize, actions: usize) -> Self {
        Self { players, actions, game: PhantomData }
    }

    /// The same model with nodes that keep something else of their states.
    pub fn keeping<K: Kept<G>>(self) -> Turns<G, K> {
        Turns { players: self.players, actions: self.actions, game: PhantomData }
    }
}

impl<G: Game, K> Clone for Turns<G, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game, K> Copy for Turns<G, K> {}

impl<G: Game, K> std::fmt::Debug for Turns<G, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Turns of {}", G::NAME)
    }
}

impl<G: Game, K: Kept<G>> SearchModel for Turns<G, K> {
    type State = G;
    type Snapshot = K;
    type Game = G;

    fn value_rule(&self) -> ValueRule {
        match self.players {
            1 => ValueRule::Same,
            2 => ValueRule::Negate,
            more => ValueRule::PerPlayer(more),
        }
    }

    fn num_actions(&self) -> usize {
        self.actions
    }

    fn actor(&self, state: &G) -> Result<Player> {
        state.actor().ok_or_else(|| {
            Error::GameContract(format!(
                "several players of {} move at once: a search of turns needs one player at a time; \
                 search such a game for one player among others",
                G::NAME
            ))
        })
    }

    fn actions(&self, state: &G, actions: &mut Vec<Action>) -> Result<()> {
        state.turn_and_actions(actions);
        Ok(())
    }

    fn advance(&self, state: &mut G, action: Action) -> Result<()> {
        // The tree plays only what `actions` gave it, so that a second check of legality is saved.
        state.apply_legal(&[action])
    }

    fn terminal(&self, state: &G) -> Result<Option<Returns>> {
        Ok((state.turn() == Turn::Over).then(|| state.returns()))
    }

    fn expand(&self, state: &G, actions: &mut Vec<Action>) -> Result<Option<Returns>> {
        let returns = state.expand(actions);
        if returns.is_none() && actions.is_empty() {
            self.actor(state)?;
        }
        Ok(returns)
    }

    fn play_random(
        &self,
        state: &mut G,
        stream: &mut Stream,
        legal: &mut Vec<Action>,
    ) -> Result<Played> {
        state.play_random(stream, legal)
    }

    fn snapshot(&self, state: &G) -> K {
        K::of(state)
    }

    fn heap_bytes(&self, kept: &K) -> usize {
        kept.heap_bytes()
    }

    fn restore(&self, state: &mut G, root: &G, path: &[Action], kept: &K) -> Result<()> {
        kept.restore(state, root, path)
    }

    fn game<'a>(&self, state: &'a G) -> &'a G {
        state
    }

    fn key(&self, state: &G) -> Result<Option<u64>> {
        Ok(Some(state.key()))
    }

    fn graph_key(&self, state: &G) -> Result<Option<u64>> {
        Ok(state.graph_key())
    }

    fn ends_by_history(&self, state: &G) -> bool {
        state.ends_by_history()
    }

    fn ply(&self, state: &G) -> Option<u32> {
        Some(state.ply())
    }

    fn same(&self, a: &G, b: &G) -> Result<bool> {
        Ok(a.is_same(b))
    }

    fn is_forcing(&self, state: &G, action: Action) -> Result<bool> {
        Ok(state.is_forcing(action))
    }

    fn repeats_within(&self, state: &G, plies: usize) -> bool {
        state.repeats_within(plies)
    }
}
