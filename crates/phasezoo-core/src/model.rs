//! What a search tree walks. A two-player turn game is its own model; a simultaneous game becomes a
//! single-player one by letting other agents move everybody else ([`SinglePlayer`]).

use crate::error::{Error, Result};
use crate::game::{Action, Game, Player, PlayerSet, Returns, Turn};
use crate::gating::Features;
use crate::rng::Stream;

/// How a value passes from a node to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// Two players, zero sum: one player's value is the other's, negated. A tree negates where the
    /// actor changes, so a player who moves twice in a row keeps his sign.
    Negate,
    /// One player acts everywhere: the value is passed on as it is.
    Same,
    /// One value per player; a node chooses by its actor's.
    PerPlayer(usize),
}

/// What one step of a rollout did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Played {
    /// The state was moved forward by this action.
    Action(Action),
    /// The game was over already.
    Over(Returns),
}

/// What a tree needs to know of a game.
///
/// Every method may fail, because a model may be the user's own code; an error ends the search and
/// reaches the caller unchanged.
pub trait SearchModel: Send + Sync {
    /// A state that is moved forward along a path.
    type State: Clone + Send + Sync;

    /// What a node keeps of its state: `()` where replaying from the root is cheaper than storing.
    type Snapshot: Clone + Send + Sync;

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
        if legal.is_empty() {
            return Err(Error::GameContract(
                "a state that does not end the game has no legal action".into(),
            ));
        }
        let action = legal[stream.below(legal.len())];
        self.advance(state, action)?;
        Ok(Played::Action(action))
    }

    /// What a node keeps of `state`.
    fn snapshot(&self, state: &Self::State) -> Self::Snapshot;

    /// Sets `state` to the node reached from `root` by `path`, whose snapshot is given.
    fn restore(
        &self,
        state: &mut Self::State,
        root: &Self::State,
        path: &[Action],
        snapshot: &Self::Snapshot,
    ) -> Result<()>;

    /// What gates look at, from the actor's view.
    fn features(&self, state: &Self::State) -> Result<Features>;

    /// Plies since the game's start, where the game counts them; play temperatures depend on it.
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
            && self.features(a)?.key == self.features(b)?.key)
    }

    /// Whether the position of `state` stood before within its last `plies` plies. A tree may count
    /// such a second occurrence inside itself as a draw.
    fn repeats_within(&self, _state: &Self::State, _plies: usize) -> bool {
        false
    }
}

/// Chooses actions for everybody but the searching player.
pub trait Others<G: Game>: Send + Sync {
    /// The action of `player` in `state`.
    fn act(&self, state: &G, player: Player) -> Result<Action>;
}

/// A game as one player sees it when others move by agents of their own.
///
/// A node is a turn of `player`; the others' turns, and their share of simultaneous turns, are played
/// inside [`SearchModel::advance`]. States are stored, because asking the others again is dear.
#[derive(Clone, Debug)]
pub struct SinglePlayer<G, O> {
    player: Player,
    others: O,
    num_actions: usize,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<G: Game, O: Others<G>> SinglePlayer<G, O> {
    /// A model in which `player` searches and `others` move everybody else.
    pub fn new(player: Player, others: O, num_actions: usize) -> Self {
        Self { player, others, num_actions, game: std::marker::PhantomData }
    }

    /// The root of a search: `state`, moved to the first turn of the searching player.
    pub fn root(&self, mut state: G) -> Result<G> {
        self.skip_others(&mut state)?;
        Ok(state)
    }

    fn skip_others(&self, state: &mut G) -> Result<()> {
        loop {
            match state.turn() {
                Turn::Over => return Ok(()),
                Turn::Player(player) if player == self.player => return Ok(()),
                Turn::Simultaneous(set) if set.contains(self.player) => return Ok(()),
                Turn::Player(player) => {
                    let action = self.others.act(state, player)?;
                    state.apply(&[action])?;
                }
                Turn::Simultaneous(set) => self.play_together(state, set, None)?,
            }
        }
    }

    /// Plays a simultaneous turn, with `own` as the searching player's action if he takes part.
    fn play_together(&self, state: &mut G, set: PlayerSet, own: Option<Action>) -> Result<()> {
        let joint: Vec<Action> = set
            .iter()
            .map(|player| match own {
                Some(action) if player == self.player => Ok(action),
                _ => self.others.act(state, player),
            })
            .collect::<Result<_>>()?;
        state.apply(&joint)
    }
}

impl<G: Game, O: Others<G>> SearchModel for SinglePlayer<G, O> {
    type State = G;
    type Snapshot = G;

    fn value_rule(&self) -> ValueRule {
        ValueRule::Same
    }

    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn actor(&self, _state: &G) -> Result<Player> {
        Ok(self.player)
    }

    fn actions(&self, state: &G, actions: &mut Vec<Action>) -> Result<()> {
        state.legal_actions(self.player, actions);
        Ok(())
    }

    fn advance(&self, state: &mut G, action: Action) -> Result<()> {
        match state.turn() {
            Turn::Over => {
                return Err(Error::InvalidState(
                    "the game is over: no action can be played".into(),
                ));
            }
            Turn::Player(_) => state.apply(&[action])?,
            Turn::Simultaneous(set) => self.play_together(state, set, Some(action))?,
        }
        self.skip_others(state)
    }

    fn terminal(&self, state: &G) -> Result<Option<Returns>> {
        Ok((state.turn() == Turn::Over).then(|| state.returns()))
    }

    fn snapshot(&self, state: &G) -> G {
        state.clone()
    }

    fn restore(&self, state: &mut G, _root: &G, _path: &[Action], snapshot: &G) -> Result<()> {
        state.clone_from(snapshot);
        Ok(())
    }

    fn features(&self, state: &G) -> Result<Features> {
        Ok(state.features(self.player))
    }

    fn ply(&self, state: &G) -> Option<u32> {
        Some(state.ply())
    }

    /// The same ply and key: others who did not move as they were expected to give another state.
    fn same(&self, a: &G, b: &G) -> Result<bool> {
        Ok(a.ply() == b.ply() && a.key() == b.key() && a.turn() == b.turn())
    }
}
