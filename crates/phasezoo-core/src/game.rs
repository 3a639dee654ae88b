//! What a game is: the contract between rules and everything that plays, encodes, labels or steps them.

use std::fmt::Debug;

use crate::error::{Error, Result};
use crate::gate::{GateKind, Plies, Subject};
use crate::planes::{PackedLayout, PackedRow, PlaneKind};
use crate::rng::Stream;

pub use crate::types::{
    Action, MAX_PLAYERS, Outcome, Played, Player, PlayerSet, Reason, Returns, Turn,
};

/// A player that a game brings along: a rule of thumb with a memory of one game.
pub trait Scripted<G>: Debug + Send + Sync {
    /// The action of `player`, who is to move in `state`, with random numbers from `stream`.
    fn act(&mut self, state: &G, player: Player, stream: &mut Stream) -> Action;

    /// What it remembers of the game, for [`Scripted::recall`].
    fn memory(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Remembers what one of the same name did; false if the bytes are no such memory.
    fn recall(&mut self, memory: &[u8]) -> bool {
        memory.is_empty()
    }
}

/// The rules of a game, as a state that is changed in place.
///
/// Games in which one player moves and games in which several move at once answer the same
/// questions; who acts is asked by [`Game::turn`]. Immutability is the bindings' affair.
pub trait Game: Clone + Send + Sync + 'static {
    /// A choice of input planes (`v1`, `v2`, …).
    type Planes: Copy + Send + Sync;

    /// What a node of a search tree keeps of its state: [`Replay`] if playing the moves from the root
    /// is cheaper than storing, otherwise [`Store`].
    type Kept: Kept<Self>;

    /// The name of the game, or of the family of games that share these rules.
    const NAME: &'static str;

    /// How many actions the game has by a numbering as small as can be, which means another action in
    /// another state (`docs/definitions/actions.md#compact-actions`); 0 if there is none.
    const NUM_COMPACT: usize = 0;

    /// The names of the numbers that are told of a state of this game besides what every game tells.
    const STATE_NUMBERS: &'static [&'static str] = &[];

    /// The names of the numbers that are told of a move.
    const MOVE_NUMBERS: &'static [&'static str] = &[];

    /// The name and the default thresholds of the game's gate by plies.
    const PLIES: Plies = Plies { name: "plies", default: None };

    /// How many players take part.
    fn num_players(&self) -> usize;

    /// The size of the action space, the same for every player.
    fn num_actions(&self) -> usize;

    /// Whose turn it is.
    fn turn(&self) -> Turn;

    /// Plies (moves of anybody) since this game's start; a start from a position counts from 0.
    fn ply(&self) -> u32;

    /// Clears `actions` and fills it with the legal actions of `player`, ascending.
    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>);

    /// Plays one action per acting player, in ascending order of players.
    ///
    /// On an error the state is unchanged.
    fn apply(&mut self, joint: &[Action]) -> Result<()>;

    /// Plays actions that are known to be legal; games may leave out the checks of [`Game::apply`].
    fn apply_legal(&mut self, joint: &[Action]) -> Result<()> {
        self.apply(joint)
    }

    /// Whose turn it is, `actions` holding the legal ones of the player where one moves, otherwise
    /// nothing: in one call what [`Game::turn`] and [`Game::legal_actions`] say in two.
    fn turn_and_actions(&self, actions: &mut Vec<Action>) -> Turn {
        let turn = self.turn();
        match turn {
            Turn::Player(player) => self.legal_actions(player, actions),
            Turn::Simultaneous(_) | Turn::Over => actions.clear(),
        }
        turn
    }

    /// The player to move in a state that is known to go on; `None` if several move at once. Games
    /// whose ends are dear to find answer without looking for one.
    fn actor(&self) -> Option<Player> {
        match self.turn() {
            Turn::Player(player) => Some(player),
            Turn::Simultaneous(_) | Turn::Over => None,
        }
    }

    /// Fills `actions` like [`Game::turn_and_actions`], and says what the game returned if it is over.
    fn expand(&self, actions: &mut Vec<Action>) -> Option<Returns> {
        (self.turn_and_actions(actions) == Turn::Over).then(|| self.returns())
    }

    /// Plays an action of the player to move, each with the same probability, unless the game is over.
    /// `legal` is room to work in. A game may do without listing actions in order.
    fn play_random(&mut self, stream: &mut Stream, legal: &mut Vec<Action>) -> Result<Played> {
        if let Some(returns) = self.expand(legal) {
            return Ok(Played::Over(returns));
        }
        let action = random_action(legal, stream)?;
        self.apply_legal(&[action])?;
        Ok(Played::Action(action))
    }

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The return of a player for whom the game is over although it goes on for others; `None` of all
    /// others, and when it is over for everybody.
    fn settled(&self, _player: Player) -> Option<f32> {
        None
    }

    /// Returns per player: zero while the game goes on.
    fn returns(&self) -> Returns;

    /// Asks the processor for what this state points to, because it will be looked at soon.
    fn prefetch(&self) {}

    /// Whether it does not matter what `player`, who is asked for an action, answers.
    fn is_idle(&self, _player: Player) -> bool {
        false
    }

    /// What this state is worth to `player` if they need not look further: because the game is over,
    /// or is so for them. A search by them ends here.
    fn worth(&self, player: Player) -> Option<f32> {
        match self.turn() {
            Turn::Over => Some(self.returns().of(player)),
            Turn::Player(_) | Turn::Simultaneous(_) => self.settled(player),
        }
    }

    /// Clears `actions` and fills it with the legal actions of `player` that a search looks at,
    /// ascending and at least one: all but those that are sure to do what another one does.
    fn actions_worth_trying(&self, player: Player, actions: &mut Vec<Action>) {
        self.legal_actions(player, actions);
    }

    /// Channels, height and width of a choice of planes.
    fn plane_shape(planes: Self::Planes) -> [usize; 3];

    /// Writes the planes that `player` sees into `out`, which has exactly the size of
    /// [`Game::plane_shape`]; every element is written.
    fn encode(&self, planes: Self::Planes, player: Player, out: &mut [f32]);

    /// What each plane of a choice holds in every state.
    fn plane_kinds(planes: Self::Planes) -> Vec<PlaneKind> {
        vec![PlaneKind::General; Self::plane_shape(planes)[0]]
    }

    /// Where planes are in their packed form.
    fn packed_layout(planes: Self::Planes) -> PackedLayout {
        let [_, height, width] = Self::plane_shape(planes);
        PackedLayout::new(Self::plane_kinds(planes), height * width)
    }

    /// Writes the planes of [`Game::encode`] in their packed form into `out`, which has exactly the
    /// sizes of [`Game::packed_layout`]; every element is written.
    fn encode_packed(&self, planes: Self::Planes, player: Player, out: &mut PackedRow<'_>) {
        let mut floats = vec![0.0; Self::plane_shape(planes).iter().product()];
        self.encode(planes, player, &mut floats);
        Self::packed_layout(planes).pack(&floats, out);
    }

    /// The kinds of gates that this game alone has.
    fn gates() -> Vec<GateKind<Self>> {
        Vec::new()
    }

    /// A 64-bit key of the position alone, the same on every machine and in every process.
    fn key(&self) -> u64;

    /// Whether this is the same point of a game as `other` for all a search can tell.
    fn is_same(&self, other: &Self) -> bool {
        self.ply() == other.ply() && self.key() == other.key() && self.turn() == other.turn()
    }

    /// A key of all that a position is worth for the moves to come, for searches in which lines share
    /// nodes; `None` of a state that should share none. Unless a game knows better, its key.
    fn graph_key(&self) -> Option<u64> {
        Some(self.key())
    }

    /// Whether an ended game ended by the moves before its last position, such as by a repetition.
    fn ends_by_history(&self) -> bool {
        false
    }

    /// Bytes that a state holds besides its own size; searches count them against their memory.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// Whether the position stood before within the last `plies` plies, in games whose positions can
    /// recur.
    fn repeats_within(&self, _plies: usize) -> bool {
        false
    }

    /// Whether a legal action of the player to move forces the answer, as a check does.
    fn is_forcing(&self, _action: Action) -> bool {
        false
    }

    /// Keeps of the legal `actions` of the player to move those of perfect play; all of them in games
    /// whose perfect play is not known.
    fn keep_best(&self, _actions: &mut Vec<Action>) {}

    /// The compact index of a legal action of the player to move.
    fn compact_of(&self, action: Action) -> Action {
        action
    }

    /// The action of a compact index, legal or not; `None` if it means none in this state.
    fn action_of_compact(&self, index: Action) -> Option<Action> {
        Some(index)
    }

    /// Writes the numbers of [`Game::STATE_NUMBERS`]; nan if there is none.
    fn state_numbers(&self, _out: &mut [f64]) {}

    /// Writes the numbers of [`Game::MOVE_NUMBERS`] for a legal action in this state.
    fn move_numbers(&self, _action: Action, _out: &mut [f64]) {}

    /// The player that this game brings along under that name, new to the game; `None` where it brings
    /// none.
    fn scripted(_name: &str) -> Option<Box<dyn Scripted<Self>>> {
        None
    }

    /// A full state that is consistent with what `player` knows; the state itself where nothing is
    /// hidden.
    #[must_use]
    fn observed_by(&self, _player: Player) -> Self {
        self.clone()
    }
}

/// One of `legal` actions, each with the same probability; an error if there is none.
pub(crate) fn random_action(legal: &[Action], stream: &mut Stream) -> Result<Action> {
    if legal.is_empty() {
        return Err(Error::GameContract(
            "a state that does not end the game has no legal action".into(),
        ));
    }
    Ok(legal[stream.below(legal.len())])
}

/// What a node of a search tree keeps of its state, and how a walker comes back to it.
pub trait Kept<G>: Clone + Send + Sync {
    /// What is kept of `state`.
    fn of(state: &G) -> Self;

    /// Sets `state` to the node reached from `root` by `path`, which kept this.
    fn restore(&self, state: &mut G, root: &G, path: &[Action]) -> Result<()>;

    /// Bytes that this holds besides its own size.
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Nothing is kept: a walker copies the root into lists that it owns already and plays the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replay;

impl<G: Game> Kept<G> for Replay {
    fn of(_state: &G) -> Self {
        Self
    }

    fn restore(&self, state: &mut G, root: &G, path: &[Action]) -> Result<()> {
        state.clone_from(root);
        path.iter().try_for_each(|&action| state.apply_legal(&[action]))
    }
}

/// The state is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store<G>(G);

impl<G: Game> Kept<G> for Store<G> {
    fn of(state: &G) -> Self {
        Self(state.clone())
    }

    fn restore(&self, state: &mut G, _root: &G, _path: &[Action]) -> Result<()> {
        state.clone_from(&self.0);
        Ok(())
    }

    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}

impl<G: Game> Subject for G {
    const PLIES: Plies = G::PLIES;

    fn game_name() -> &'static str {
        G::NAME
    }

    fn gates() -> Vec<GateKind<Self>> {
        G::gates()
    }

    fn position_key(&self) -> Result<Option<u64>> {
        Ok(Some(self.key()))
    }

    fn plies(&self) -> Result<Option<u32>> {
        Ok(Some(self.ply()))
    }
}
