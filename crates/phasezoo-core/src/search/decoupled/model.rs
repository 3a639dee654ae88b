//! What a decoupled search needs to know of a game.

use std::marker::PhantomData;

use crate::error::Result;
use crate::game::{Action, Game, Player, PlayerSet, Turn};

/// A game in which any number of players moves at a time.
///
/// Every method may fail, because a model may be the user's own code; an error ends the search and
/// reaches the caller unchanged.
pub trait JointModel: Send + Sync {
    /// A state; a node keeps one.
    type State: Clone + Send + Sync;

    /// The game that gates look at.
    type Game;

    /// How many players take part.
    fn num_players(&self) -> usize;

    /// The size of the action space, the same for every player.
    fn num_actions(&self) -> usize;

    /// Who moves; nobody when the game is over.
    fn acting(&self, state: &Self::State) -> Result<PlayerSet>;

    /// What `state` is worth to a player for whom the game is over, though it may go on for others;
    /// known of everybody when nobody moves.
    fn settled(&self, state: &Self::State, player: Player) -> Result<Option<f32>>;

    /// Clears `actions` and fills it with those of a player who moves, ascending and never empty.
    fn actions(&self, state: &Self::State, player: Player, actions: &mut Vec<Action>)
    -> Result<()>;

    /// Moves `state` forward by one action for each player who moves, in ascending order of players.
    fn play(&self, state: &mut Self::State, joint: &[Action]) -> Result<()>;

    /// What gates look at.
    fn game<'a>(&self, state: &'a Self::State) -> &'a Self::Game;

    /// Bytes that a state holds besides its own size.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }
}

/// Any game of the core, whether its players move at once or in turns.
#[derive(Clone, Debug)]
pub struct Together<G> {
    num_players: usize,
    num_actions: usize,
    game: PhantomData<fn() -> G>,
}

impl<G: Game> Together<G> {
    /// The model of games like `state`'s.
    pub fn of(state: &G) -> Self {
        Self {
            num_players: state.num_players(),
            num_actions: state.num_actions(),
            game: PhantomData,
        }
    }
}

impl<G: Game> JointModel for Together<G> {
    type State = G;
    type Game = G;

    fn num_players(&self) -> usize {
        self.num_players
    }

    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn acting(&self, state: &G) -> Result<PlayerSet> {
        Ok(match state.turn() {
            Turn::Over => PlayerSet(0),
            Turn::Player(player) => PlayerSet(1 << player),
            Turn::Simultaneous(players) => players,
        })
    }

    fn settled(&self, state: &G, player: Player) -> Result<Option<f32>> {
        Ok(state.worth(player))
    }

    fn actions(&self, state: &G, player: Player, actions: &mut Vec<Action>) -> Result<()> {
        if state.is_idle(player) {
            // Whatever they answer, nothing happens.
            state.legal_actions(player, actions);
            actions.truncate(1);
        } else {
            state.actions_worth_trying(player, actions);
        }
        Ok(())
    }

    fn play(&self, state: &mut G, joint: &[Action]) -> Result<()> {
        state.apply_legal(joint)
    }

    fn game<'a>(&self, state: &'a G) -> &'a G {
        state
    }

    fn heap_bytes(&self, state: &G) -> usize {
        state.heap_bytes()
    }
}
