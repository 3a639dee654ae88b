//! A game as one player searches it among others who are moved by agents of their own.

use super::{SearchModel, ValueRule};
use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, Player, PlayerSet, Returns, Turn};

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

    /// The root of a search of `player`: `game`, moved to their first turn.
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

    /// Plays the turn of the players `acting`, with `own` as the searching player's action if they are
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

    fn heap_bytes(&self, snapshot: &Self::Snapshot) -> usize {
        snapshot.game.heap_bytes()
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

    /// Others who did not move as they were expected to give another state.
    fn same(&self, a: &Self::State, b: &Self::State) -> Result<bool> {
        Ok(a.player == b.player && a.game.is_same(&b.game))
    }
}
