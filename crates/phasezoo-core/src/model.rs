//! What a search tree walks. A two-player turn game is its own model; a simultaneous game becomes a
//! single-player one by letting other agents move everybody else ([`SinglePlayer`]).

use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, Player, PlayerSet, Returns, Turn};
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

    /// What gates look at.
    fn game<'a>(&self, state: &'a Self::State) -> &'a Self::Game;

    /// A key of the position alone, the same on every machine; `None` if the game has none.
    fn key(&self, _state: &Self::State) -> Result<Option<u64>> {
        Ok(None)
    }

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
            && self.key(a)? == self.key(b)?)
    }

    /// Whether the position of `state` stood before within its last `plies` plies. A tree may count
    /// such a second occurrence inside itself as a draw.
    fn repeats_within(&self, _state: &Self::State, _plies: usize) -> bool {
        false
    }
}

/// Chooses actions for everybody but the searching player.
pub trait Others<G: Game>: Send + Sync {
    /// What the others remember of a game, their random numbers included: those of the search, never
    /// the game's own.
    type Memory: Clone + Send + Sync;

    /// Writes the actions of `players`, who are to move in `state`, to their places in `actions`.
    ///
    /// The same state and memory give the same actions, so that a node is left in the same way by
    /// whatever its own player does.
    fn act(
        &self,
        state: &G,
        players: PlayerSet,
        memory: &mut Self::Memory,
        actions: &mut [Action; MAX_PLAYERS],
    ) -> Result<()>;
}

/// A point of a game that one player searches, with what the others remember there.
#[derive(Debug, PartialEq)]
pub struct Scene<G, M> {
    /// The game.
    pub game: G,
    /// Who searches.
    pub player: Player,
    /// What the others remember.
    pub memory: M,
}

impl<G: Clone, M: Clone> Clone for Scene<G, M> {
    fn clone(&self) -> Self {
        Self { game: self.game.clone(), player: self.player, memory: self.memory.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.game.clone_from(&other.game);
        self.player = other.player;
        self.memory.clone_from(&other.memory);
    }
}

/// A game as one player sees it when others move by agents of their own.
///
/// A node is a turn of the searching player; the others' turns, and their share of simultaneous turns,
/// are played inside [`SearchModel::advance`]. States are stored, because asking the others again is
/// dear. A game ends where it is over for the searching player ([`Game::worth`]).
#[derive(Clone, Debug)]
pub struct SinglePlayer<G, O> {
    others: O,
    num_actions: usize,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<G: Game, O: Others<G>> SinglePlayer<G, O> {
    /// A model in which `others` move everybody but the player who searches.
    pub fn new(others: O, num_actions: usize) -> Self {
        Self { others, num_actions, game: std::marker::PhantomData }
    }

    /// Who moves the others.
    pub fn others(&self) -> &O {
        &self.others
    }

    /// The root of a search of `player`: `game`, moved to his first turn.
    pub fn root(&self, game: G, player: Player, memory: O::Memory) -> Result<Scene<G, O::Memory>> {
        let mut scene = Scene { game, player, memory };
        self.skip_others(&mut scene)?;
        Ok(scene)
    }

    fn skip_others(&self, scene: &mut Scene<G, O::Memory>) -> Result<()> {
        while scene.game.worth(scene.player).is_none() {
            let acting = match scene.game.turn() {
                Turn::Over => break,
                Turn::Player(player) => PlayerSet(1 << player),
                Turn::Simultaneous(set) => set,
            };
            if acting.contains(scene.player) {
                break;
            }
            self.play_together(scene, acting, None)?;
        }
        Ok(())
    }

    /// Plays the turn of the players `acting`, with `own` as the searching player's action if he is
    /// among them.
    fn play_together(
        &self,
        scene: &mut Scene<G, O::Memory>,
        acting: PlayerSet,
        own: Option<Action>,
    ) -> Result<()> {
        let mut actions = [0; MAX_PLAYERS];
        let others = PlayerSet(acting.0 & !(u8::from(own.is_some()) << scene.player));
        if others.0 != 0 {
            self.others.act(&scene.game, others, &mut scene.memory, &mut actions)?;
        }
        if let Some(own) = own {
            actions[usize::from(scene.player)] = own;
        }
        let mut joint = [0; MAX_PLAYERS];
        let mut count = 0;
        for player in acting.iter() {
            joint[count] = actions[usize::from(player)];
            count += 1;
        }
        scene.game.apply_legal(&joint[..count])
    }
}

impl<G: Game, O: Others<G>> SearchModel for SinglePlayer<G, O> {
    type State = Scene<G, O::Memory>;
    type Snapshot = Scene<G, O::Memory>;
    type Game = G;

    fn value_rule(&self) -> ValueRule {
        ValueRule::Same
    }

    fn num_actions(&self) -> usize {
        self.num_actions
    }

    fn actor(&self, state: &Self::State) -> Result<Player> {
        Ok(state.player)
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Action>) -> Result<()> {
        state.game.actions_worth_trying(state.player, actions);
        Ok(())
    }

    fn advance(&self, state: &mut Self::State, action: Action) -> Result<()> {
        let acting = match state.game.turn() {
            Turn::Over => {
                return Err(Error::InvalidState(
                    "the game is over: no action can be played".into(),
                ));
            }
            Turn::Player(player) => PlayerSet(1 << player),
            Turn::Simultaneous(set) => set,
        };
        self.play_together(state, acting, Some(action))?;
        self.skip_others(state)
    }

    fn terminal(&self, state: &Self::State) -> Result<Option<Returns>> {
        let players = state.game.num_players();
        Ok(state.game.worth(state.player).map(|worth| Returns::all(worth, players)))
    }

    fn snapshot(&self, state: &Self::State) -> Self::Snapshot {
        state.clone()
    }

    fn restore(
        &self,
        state: &mut Self::State,
        _root: &Self::State,
        _path: &[Action],
        snapshot: &Self::Snapshot,
    ) -> Result<()> {
        state.clone_from(snapshot);
        Ok(())
    }

    fn game<'a>(&self, state: &'a Self::State) -> &'a G {
        &state.game
    }

    fn key(&self, state: &Self::State) -> Result<Option<u64>> {
        Ok(Some(state.game.key()))
    }

    fn ply(&self, state: &Self::State) -> Option<u32> {
        Some(state.game.ply())
    }

    /// The same ply and key: others who did not move as they were expected to give another state.
    fn same(&self, a: &Self::State, b: &Self::State) -> Result<bool> {
        let (game, other) = (&a.game, &b.game);
        Ok(a.player == b.player
            && game.ply() == other.ply()
            && game.key() == other.key()
            && game.turn() == other.turn())
    }
}
