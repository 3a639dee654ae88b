//! What the games of a vector share, and what one step of a game shows.

use super::options::{Opponent, OptionsOf};
use crate::error::{Error, Result};
use crate::game::{Action, Game, Player, PlayerSet, Returns};
use crate::plane_buffers::PlaneSize;

/// `to_play` where several players move at once.
pub const SIMULTANEOUS: i64 = -2;

/// Makes the initial state of the game with a seed.
pub(super) type Start<G> = dyn Fn(u64) -> Result<G> + Send + Sync;

/// What all boards share while they are stepped.
pub(super) struct Context<'a, G: Game> {
    pub(super) options: &'a OptionsOf<G>,
    pub(super) start: &'a Start<G>,
    pub(super) num_players: usize,
    pub(super) num_actions: usize,
    pub(super) plane_size: PlaneSize,
}

impl<G: Game> Context<'_, G> {
    pub(super) fn self_play(&self) -> bool {
        self.options.opponent == Opponent::None
    }

    /// The game's own index of an action that the learner gave; `None` if it means none.
    pub(super) fn own_action(&self, state: &G, action: Action) -> Option<Action> {
        if self.options.compact { state.action_of_compact(action) } else { Some(action) }
    }

    /// Who has won a game that paid `returns`, the learner being in `seat`.
    pub(super) fn won(&self, returns: &Returns, seat: Player) -> Won {
        let winners = (0..).zip(returns.as_slice()).filter(|&(_, &value)| value > 0.0);
        let winners = PlayerSet::of(winners.map(|(player, _)| player));
        // Two players are told apart by colour, whoever learns.
        let watched = if self.num_players == 2 || self.self_play() { 0 } else { seat };
        let result = match winners {
            PlayerSet(0) => 0,
            won if won.contains(watched) => 1,
            _ => -1,
        };
        Won { winners, result }
    }
}

/// Who has won a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Won {
    /// Those whom it paid more than nothing.
    pub winners: PlayerSet,
    /// 1, 0 or -1 as [`super::Outputs::result`] has it.
    pub result: i8,
}

/// The room of one observation; none where there are no observations.
pub(super) fn plane_size<G: Game>(options: &OptionsOf<G>) -> PlaneSize {
    let sized = |planes| PlaneSize::of::<G>(planes, options.packed);
    options.planes.map_or(PlaneSize::default(), sized)
}

/// What a finished game showed last; kept where the new game takes its place in the same step.
#[derive(Clone, Debug)]
pub struct Final<G> {
    /// The last state.
    pub state: G,
    /// Who saw it.
    pub seat: Player,
    /// The player to move, had the game gone on.
    pub to_play: i64,
    /// Its phase.
    pub phase: u8,
    /// Whether an illegal action ended it.
    pub illegal: bool,
    /// Who has won, if the rules ended it.
    pub won: Option<Won>,
    /// What was told of the learner's last move ([`Game::MOVE_NUMBERS`]).
    pub move_numbers: Vec<f64>,
    /// What the learner might have played, as they are told it, where the limit of steps alone ended
    /// the episode; else empty.
    pub legal: Vec<Action>,
}

/// What one step or reset did.
#[derive(Debug)]
pub(super) struct Shown<G> {
    pub(super) reward: f64,
    pub(super) end: Option<End>,
    /// Whether this was the last step that an episode may have.
    pub(super) is_last_step: bool,
    pub(super) illegal: bool,
    /// Who has won, if the rules ended the game.
    pub(super) won: Option<Won>,
    /// The game that ended in this step, where the next one has begun already.
    pub(super) last: Option<Box<Final<G>>>,
    /// Whether a game began, using up the seed prepared for it.
    pub(super) restarted: bool,
}

impl<G> Default for Shown<G> {
    fn default() -> Self {
        Self {
            reward: 0.0,
            end: None,
            is_last_step: false,
            illegal: false,
            won: None,
            last: None,
            restarted: false,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By its rules, or by an illegal action.
    Terminated,
    /// At its length limit.
    Truncated,
}

pub(super) fn no_action(player: Player) -> Error {
    Error::GameContract(format!(
        "player {player} is to move but has no legal action: a game must say that it is over, or give \
         at least one action"
    ))
}

pub(super) fn nobody_moves_for_all() -> Error {
    Error::InvalidConfig(
        "opponent = none: players of this game move at once, so that one action a step is not \
         enough; name an opponent"
            .into(),
    )
}
