//! When a game ends, and what it pays (`docs/definitions/pommerman.md`, "Rewards").

use super::config::{MAX_PLAYERS, Mode};
use super::state::State;

/// Players 0 and 2, and players 1 and 3.
const TEAMS: [u8; 2] = [0b0101, 0b1010];

impl State {
    /// Whether the step limit is reached.
    pub(super) fn is_timed_out(&self) -> bool {
        self.step_count >= self.config.max_steps
    }

    /// The team, as bits, whose members alone live.
    pub(super) fn team_left(&self) -> Option<u8> {
        let living = self.living();
        TEAMS.into_iter().find(|&team| living != 0 && living & !team == 0)
    }

    /// Whether the figures and the step end the game.
    pub(super) fn is_done(&self) -> bool {
        let left = self.living();
        self.is_timed_out()
            || left.count_ones() <= 1
            || (self.config.mode.has_teams() && TEAMS.contains(&left))
    }

    /// The rewards that the original gives after a step, one per player. Whom the collapse of the board
    /// has just killed, it pays for only after the next step.
    ///
    /// Entries of players who do not take part are 0.
    pub fn rewards(&self) -> [i8; MAX_PLAYERS] {
        let players = self.config.players();
        let rewards = self.before_collapse().rewards_of_all();
        std::array::from_fn(|player| if player < players { rewards[player] } else { 0 })
    }

    fn rewards_of_all(&self) -> [i8; MAX_PLAYERS] {
        let living = self.living();
        let of_set =
            |set: u8| std::array::from_fn(|player| if set >> player & 1 == 1 { 1 } else { -1 });
        let alone = living.is_power_of_two();
        match self.config.mode {
            Mode::Team | Mode::TeamRadio => match self.team_left() {
                Some(team) => of_set(team),
                None if self.is_timed_out() || living == 0 => [-1; MAX_PLAYERS],
                None => [0; MAX_PLAYERS],
            },
            _ if alone => of_set(living),
            _ if self.is_timed_out() => [-1; MAX_PLAYERS],
            Mode::OneVsOne => [0; MAX_PLAYERS],
            Mode::Ffa => {
                std::array::from_fn(|player| if living >> player & 1 == 1 { 0 } else { -1 })
            }
        }
    }
}
