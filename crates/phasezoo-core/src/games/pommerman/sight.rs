//! What a player sees of the board: all of it, or a window in fog (`docs/definitions/pommerman.md`,
//! "Observations").

use super::config::{Config, MAX_CELLS};
use super::sets::{Cells, square};
use super::state::{Cell, State, cell};
use crate::game::Player;

/// The board and the bombs as one player sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// What the cells show; [`cell::FOG`] if the player does not see.
    pub board: [u8; MAX_CELLS],
    /// Blast strength of the bomb on each cell, also below agents; 0 if none is seen.
    pub blast: [u8; MAX_CELLS],
}

/// Whether somebody on cell `own` sees cell `at`.
#[inline]
pub(super) fn is_in_view(config: &Config, own: Cell, at: Cell) -> bool {
    let Some(view) = config.view else { return true };
    let size = config.size;
    let rows = (own / size).abs_diff(at / size);
    let columns = (own % size).abs_diff(at % size);
    rows.max(columns) <= view
}

impl State {
    /// Whether `player` sees a cell.
    #[inline]
    pub fn sees(&self, player: Player, at: Cell) -> bool {
        is_in_view(&self.config, self.agents[usize::from(player)].cell, at)
    }

    /// The cells that `player` sees.
    #[inline]
    pub(super) fn view(&self, player: Player) -> Cells {
        match self.config.view {
            Some(view) => square(self.config.size, self.agents[usize::from(player)].cell, view),
            None => (1 << self.config.cells()) - 1,
        }
    }

    /// What `player` sees of the board.
    pub fn sight(&self, player: Player) -> Sight {
        let mut sight = Sight { board: self.board, blast: [0; MAX_CELLS] };
        for bomb in &self.bombs {
            if self.sees(player, bomb.cell) {
                sight.blast[usize::from(bomb.cell)] = bomb.blast;
            }
        }
        if self.config.view.is_some() {
            for (at, shown) in sight.board[..self.config.cells()].iter_mut().enumerate() {
                if !self.sees(player, at as Cell) {
                    *shown = cell::FOG;
                }
            }
        }
        sight
    }

    /// Who plays against `player`, ascending.
    pub fn enemies(&self, player: Player) -> impl Iterator<Item = Player> + use<> {
        let teams = self.config.mode.has_teams();
        (0..self.config.players() as Player)
            .filter(move |&other| other != player && !(teams && other % 2 == player % 2))
    }
}
