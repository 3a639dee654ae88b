//! What a game is: the contract between rules and everything that plays, encodes, labels or steps them.

use std::fmt::Debug;

use crate::error::Result;
use crate::gating::Features;
use crate::rng::Stream;

/// An index into a game's action space.
pub type Action = u32;

/// Index of a player; player 0 has the first turn.
pub type Player = u8;

/// The largest number of players a game may have.
pub const MAX_PLAYERS: usize = 8;

/// A set of players, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerSet(pub u8);

impl PlayerSet {
    /// The first `count` players.
    pub fn first(count: usize) -> Self {
        Self(((1_u16 << count) - 1) as u8)
    }

    /// Whether `player` is in the set.
    pub fn contains(self, player: Player) -> bool {
        self.0 >> player & 1 == 1
    }

    /// The players, ascending.
    pub fn iter(self) -> impl Iterator<Item = Player> {
        (0..MAX_PLAYERS as Player).filter(move |&player| self.contains(player))
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// One player moves.
    Player(Player),
    /// These players move at once.
    Simultaneous(PlayerSet),
    /// The game has ended.
    Over,
}

/// One number per player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Returns {
    values: [f32; MAX_PLAYERS],
    len: u8,
}

impl Returns {
    /// From one value per player.
    pub fn new(values: &[f32]) -> Self {
        let mut array = [0.0; MAX_PLAYERS];
        array[..values.len()].copy_from_slice(values);
        Self { values: array, len: values.len() as u8 }
    }

    /// All players alike.
    pub fn all(value: f32, players: usize) -> Self {
        Self::new(&[value; MAX_PLAYERS][..players])
    }

    /// A two-player zero-sum result: +1 for the winner, -1 for the other, 0 each without one.
    pub fn zero_sum(winner: Option<Player>) -> Self {
        match winner {
            None => Self::all(0.0, 2),
            Some(0) => Self::new(&[1.0, -1.0]),
            Some(_) => Self::new(&[-1.0, 1.0]),
        }
    }

    /// The values, one per player.
    pub fn as_slice(&self) -> &[f32] {
        &self.values[..usize::from(self.len)]
    }

    /// The value for `player`.
    pub fn of(&self, player: Player) -> f32 {
        self.values[usize::from(player)]
    }
}

/// Why a game ended (SPEC §4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The side to move is mated.
    Checkmate,
    /// Atomic: a king exploded.
    KingExploded,
    /// No legal move, not in check.
    Stalemate,
    /// Neither side can ever mate.
    InsufficientMaterial,
    /// The position stands for the third time.
    ThreefoldRepetition,
    /// A hundred plies without capture or pawn move.
    FiftyMoves,
    /// One player alone is left.
    LastStanding,
    /// Members of one team alone are left.
    LastTeamStanding,
    /// Nobody is left.
    AllDead,
    /// The game has gone on for as long as its rules allow.
    StepLimit,
    /// Any other game's reason.
    Other(&'static str),
}

impl Reason {
    /// The name that states and infos carry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::KingExploded => "king_exploded",
            Self::Stalemate => "stalemate",
            Self::InsufficientMaterial => "insufficient_material",
            Self::ThreefoldRepetition => "threefold_repetition",
            Self::FiftyMoves => "fifty_moves",
            Self::LastStanding => "last_standing",
            Self::LastTeamStanding => "last_team_standing",
            Self::AllDead => "all_dead",
            Self::StepLimit => "step_limit",
            Self::Other(name) => name,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner, if one player alone won.
    pub winner: Option<Player>,
    /// Why it ended.
    pub reason: Reason,
}

/// A player that a game brings along: a rule of thumb with a memory of one game.
pub trait Expert<G>: Debug + Send + Sync {
    /// The action of `player`, who is to move in `state`, with random numbers from `stream`.
    fn act(&mut self, state: &G, player: Player, stream: &mut Stream) -> Action;
}

/// The rules of a game, as a state that is changed in place.
///
/// Games in which one player moves and games in which several move at once answer the same
/// questions; who acts is asked by [`Game::turn`]. Immutability is the bindings' affair.
pub trait Game: Clone + Send + Sync {
    /// A choice of input planes (`v1`, `v2`, …).
    type Planes: Copy + Send + Sync;

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

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// The return of a player for whom the game is over although it goes on for others; `None` of all
    /// others, and when it is over for everybody.
    fn settled(&self, _player: Player) -> Option<f32> {
        None
    }

    /// Returns per player: zero while the game goes on.
    fn returns(&self) -> Returns;

    /// Whether it does not matter what `player`, who is asked for an action, answers.
    fn is_idle(&self, _player: Player) -> bool {
        false
    }

    /// What this state is worth to `player` where he need not look further: because the game is over,
    /// or is so for him. A search by him ends here.
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

    /// What gates look at, as `player` sees it.
    fn features(&self, player: Player) -> Features;

    /// A 64-bit key of the position alone, the same on every machine and in every process.
    fn key(&self) -> u64;

    /// Keeps of the legal `actions` of the player to move those of perfect play; all of them in games
    /// whose perfect play is not known.
    fn keep_best(&self, _actions: &mut Vec<Action>) {}

    /// The player that this game brings along under that name, new to the game; `None` where it brings
    /// none.
    fn expert(_name: &str) -> Option<Box<dyn Expert<Self>>> {
        None
    }

    /// A full state that is consistent with what `player` knows; the state itself where nothing is
    /// hidden.
    #[must_use]
    fn observed_by(&self, _player: Player) -> Self {
        self.clone()
    }
}
