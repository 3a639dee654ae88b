//! How a vector of games is set up, and the random streams of one game.

use crate::game::{Game, Player};
use crate::gate::Gating;
use crate::rng::Stream;

/// Which player the learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// Always this one.
    Fixed(Player),
    /// Player 0 in the first game after a seeding, then one seat further every game.
    Alternate,
    /// Drawn for every game from its seed.
    Random,
}

/// Who moves for the players that are not the learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// Nobody: the learner moves for all, one ply a step (turn games alone).
    None,
    /// A uniformly random legal action, drawn from the game's stream for that seat.
    Random,
    /// An action of perfect play, drawn from the same stream, in games whose perfect play is known; in
    /// others any legal one.
    Best,
    /// The player of that name that the game brings along ([`crate::game::Game::scripted`]), with random
    /// numbers from the same stream.
    Scripted(&'static str),
    /// The caller, who answers [`super::Vector::waiting`] by [`super::Vector::reply`].
    Outside,
}

/// What happens when the learner's action is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// The game ends, with -1 for the learner.
    Terminate,
    /// The step is refused before any game has moved.
    Raise,
    /// A uniformly random legal action is played instead.
    RandomLegal,
}

/// When a finished game is followed by a new one (Gymnasium's modes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// At the next step, which ignores the action.
    NextStep,
    /// In the same step, which shows the new game's first observation.
    SameStep,
    /// Never: the caller resets.
    Disabled,
}

/// The set-up shared by all games of a vector: with planes `P` and a gate `R`, which differ by game.
#[derive(Clone, Debug)]
pub struct Options<P, R> {
    /// Which planes are observed; `None` for no observations.
    pub planes: Option<P>,
    /// Whether planes come packed.
    pub packed: bool,
    /// What says the phase; `None` if it is always 0.
    pub gate: Option<R>,
    /// Which player the learner is; not read when [`Opponent::None`].
    pub seat: Seat,
    /// Who moves for the others.
    pub opponent: Opponent,
    /// What an illegal action does.
    pub illegal: Illegal,
    /// Games are truncated after so many plies since their start.
    pub max_plies: Option<u32>,
    /// Episodes are truncated after so many steps of the learner, which the game knows nothing of.
    pub max_steps: Option<u32>,
    /// Sets of the arrays that show the games which the caller has at once, for the check of memory.
    pub array_sets: usize,
    /// What follows the end of a game.
    pub autoreset: Autoreset,
    /// Threads to use; `None` for the default.
    pub threads: Option<usize>,
    /// Whether the learner's actions and masks are compact ([`Game::compact_of`]).
    pub compact: bool,
    /// Whether what is told of moves ([`Game::move_numbers`]) is worked out at every step.
    pub move_numbers: bool,
}

/// The set-up of games of type `G`.
pub type OptionsOf<G> = Options<<G as Game>::Planes, Gating<G>>;

impl<P, R> Options<P, R> {
    /// The same set-up for games of type `G`.
    pub fn of<G: Game>(self, planes: Option<G::Planes>, gate: Option<Gating<G>>) -> OptionsOf<G> {
        let Self { planes: _, gate: _, seat, opponent, illegal, max_plies, .. } = self;
        let Self { max_steps, array_sets, packed, autoreset, threads, .. } = self;
        let Self { compact, move_numbers, .. } = self;
        Options {
            planes,
            packed,
            gate,
            seat,
            opponent,
            illegal,
            max_plies,
            max_steps,
            array_sets,
            autoreset,
            threads,
            compact,
            move_numbers,
        }
    }
}

/// What a stream of a game is for. Every game has one seed; its parts draw from streams of their own
/// (`docs/definitions/randomness.md`), so that one game is the same whichever environment plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The initial state, in games that draw it.
    Start = 0,
    /// The learner's seat.
    Seat = 1,
    /// The random opponent in a seat.
    Opponent = 2,
    /// Replacing illegal actions.
    Illegal = 3,
    /// The session of an agent in a seat.
    Session = 4,
}

/// The stream of the game with seed `game_seed` for one purpose and player.
pub fn stream(game_seed: u64, purpose: Purpose, player: Player) -> Stream {
    Stream::derive(game_seed, (purpose as u64) << 8 | u64::from(player))
}
