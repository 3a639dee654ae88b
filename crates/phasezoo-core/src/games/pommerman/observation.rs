//! All that a player is told of a state (`docs/definitions/pommerman.md`, "Observations"): what others
//! may know of it has no place here.

use super::config::{Config, MAX_CELLS};
use super::sight::{Sight, is_in_view};
use super::state::{Agent, Cell, State};
use crate::game::Player;

/// What one player knows after a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The rules.
    pub config: Config,
    /// Who looks.
    pub player: Player,
    /// The board, and how far bombs reach.
    pub sight: Sight,
    /// The life of the bomb on each cell; 0 if none is seen.
    pub life: [i16; MAX_CELLS],
    /// The action that names where the bomb on each cell rolls.
    pub direction: [u8; MAX_CELLS],
    /// One more than the life of the longest flame on each cell; 0 if none is seen.
    pub flame: [u8; MAX_CELLS],
    /// The player's own figure.
    pub own: Agent,
    /// Who lives, as bits.
    pub living: u8,
    /// Steps since the start.
    pub step_count: u32,
    /// What the team mate said.
    pub heard: [u8; 2],
}

impl State {
    /// What `player` knows; of the dead, from where they died.
    pub fn observe(&self, player: Player) -> Observation {
        let mate = (usize::from(player) + 2) % self.words.len();
        let mut observation = Observation {
            config: self.config,
            player,
            sight: self.sight(player),
            life: [0; MAX_CELLS],
            direction: [0; MAX_CELLS],
            flame: [0; MAX_CELLS],
            own: self.agents[usize::from(player)],
            living: self.living(),
            step_count: self.step_count,
            heard: self.words[mate],
        };
        for bomb in self.bombs.iter().filter(|bomb| self.sees(player, bomb.cell)) {
            let at = usize::from(bomb.cell);
            observation.life[at] = bomb.life;
            observation.direction[at] = bomb.direction;
        }
        // Of several flames on a cell the last one burns longest.
        for flame in self.flames.iter().filter(|flame| self.sees(player, flame.cell)) {
            observation.flame[usize::from(flame.cell)] = flame.life + 1;
        }
        observation
    }
}

impl Observation {
    /// Whether the player sees a cell.
    pub fn sees(&self, at: Cell) -> bool {
        is_in_view(&self.config, self.own.cell, at)
    }

    /// Whether `player` lives.
    pub fn lives(&self, player: Player) -> bool {
        self.living >> player & 1 == 1
    }
}
