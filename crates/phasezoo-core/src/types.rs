//! The small types that rules, gates and searches share.

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

    /// These players.
    pub fn of(players: impl IntoIterator<Item = Player>) -> Self {
        Self(players.into_iter().fold(0, |bits, player| bits | 1 << player))
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

/// Why a game ended (`docs/definitions/ends.md`).
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

/// What one step of a rollout did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Played {
    /// The state was moved forward by this action.
    Action(Action),
    /// The game was over already.
    Over(Returns),
}
