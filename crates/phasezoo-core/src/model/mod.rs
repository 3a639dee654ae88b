//! What a search tree walks. Every game in which one player moves at a time is a model by [`Turns`]; a
//! game whose players move at once becomes a single player's by letting other agents move everybody
//! else ([`SinglePlayer`]).

mod single_player;
mod turns;

use crate::error::Result;
use crate::game::{Action, Player, Returns, random_action};
use crate::rng::Stream;

pub use crate::game::Played;
pub use single_player::{Others, Scene, SinglePlayer};
pub use turns::Turns;

/// How a value passes from a node to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Two players, zero sum: one player's value is the other's, negated. A tree negates if the
    /// actor changes, so a player who moves twice in a row keeps their sign.
    Negate,
    /// One player acts everywhere: the value is passed on as it is.
    Same,
    /// One value per player; a node chooses by its actor's.
    PerPlayer(usize),
}

/// What a tree needs to know of a game.
///
/// Every method may fail, because a model may be the user's own code; an error ends the search and
/// reaches the caller unchanged.
pub trait SearchModel: Send + Sync {
    /// A state that is moved forward along a path.
    type State: Clone + Send + Sync;

    /// What a node keeps of its state: `()` if replaying from the root is cheaper than storing.
    type Snapshot: Clone + Send + Sync;

    /// The game that gates look at.
    type Game;

    /// How values pass upwards.
    fn value_rule(&self) -> ValueRule;

    /// The size of the action space.
    fn num_actions(&self) -> usize;

    /// Who chooses in `state`, which is not terminal.
    fn actor(&self, state: &Self::State) -> Result<Player>;

    /// Clears `actions` and fills it with the actor's actions, ascending and never empty.
    fn actions(&self, state: &Self::State, actions: &mut Vec<Action>) -> Result<()>;

    /// Moves `state` forward by one of its actions.
    fn advance(&self, state: &mut Self::State, action: Action) -> Result<()>;

    /// Returns per player where `state` ends the game, otherwise `None`.
    fn terminal(&self, state: &Self::State) -> Result<Option<Returns>>;

    /// [`SearchModel::terminal`], and where the game goes on [`SearchModel::actions`], in one call:
    /// a model whose ends are found by looking for moves need not look twice.
    fn expand(&self, state: &Self::State, actions: &mut Vec<Action>) -> Result<Option<Returns>> {
        actions.clear();
        let returns = self.terminal(state)?;
        if returns.is_none() {
            self.actions(state, actions)?;
        }
        Ok(returns)
    }

    /// Plays an action of the actor, each with the same probability, unless the game is over. `legal`
    /// is room to work in. A model may do without listing actions in order.
    fn play_random(
        &self,
        state: &mut Self::State,
        stream: &mut Stream,
        legal: &mut Vec<Action>,
    ) -> Result<Played> {
        if let Some(returns) = self.expand(state, legal)? {
            return Ok(Played::Over(returns));
        }
        let action = random_action(legal, stream)?;
        self.advance(state, action)?;
        Ok(Played::Action(action))
    }

    /// What a node keeps of `state`.
    fn snapshot(&self, state: &Self::State) -> Self::Snapshot;

    /// Bytes that a snapshot holds besides its own size.
    fn heap_bytes(&self, _snapshot: &Self::Snapshot) -> usize {
        0
    }

    /// Sets `state` to the node reached from `root` by `path`, whose snapshot is given.
    fn restore(
        &self,
        state: &mut Self::State,
        root: &Self::State,
        path: &[Action],
        snapshot: &Self::Snapshot,
    ) -> Result<()>;

    /// What gates look at.
    fn game<'a>(&self, state: &'a Self::State) -> &'a Self::Game;

    /// A key of the position alone, the same on every machine; `None` if the game has none.
    fn key(&self, _state: &Self::State) -> Result<Option<u64>> {
        Ok(None)
    }

    /// A key of all that a position is worth, for lines that may share a node ([`crate::search`] adds the
    /// ply); `None` if `state` shares none. By default nothing does.
    fn graph_key(&self, _state: &Self::State) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Whether a game that ended in `state` ended by the moves before it, such as by a repetition.
    fn ends_by_history(&self, _state: &Self::State) -> bool {
        false
    }

    /// Plies since the game's start, if the game counts them; play temperatures depend on it.
    fn ply(&self, _state: &Self::State) -> Option<u32> {
        None
    }

    /// Whether `a` and `b` are the same point of a game for all a search can tell. A search keeps
    /// what it knows of `a` when it is begun at `b` only if they are.
    ///
    /// Unless a model knows better, states with the same actor, actions and key are the same.
    fn same(&self, a: &Self::State, b: &Self::State) -> Result<bool> {
        let (mut actions_a, mut actions_b) = (Vec::new(), Vec::new());
        let over_a = self.expand(a, &mut actions_a)?;
        let over_b = self.expand(b, &mut actions_b)?;
        if over_a.is_some() || over_b.is_some() {
            return Ok(over_a == over_b);
        }
        Ok(actions_a == actions_b
            && self.actor(a)? == self.actor(b)?
            && self.key(a)? == self.key(b)?)
    }

    /// Whether one of the actor's actions forces the answer, as a check does: a search may try such
    /// actions first.
    fn is_forcing(&self, _state: &Self::State, _action: Action) -> Result<bool> {
        Ok(false)
    }

    /// Whether the position of `state` stood before within its last `plies` plies. A tree may count
    /// such a second occurrence inside itself as a draw.
    fn repeats_within(&self, _state: &Self::State, _plies: usize) -> bool {
        false
    }
}
