//! Boards that shrink from step 500 on (`docs/definitions/pommerman.md`, "Collapse").

use super::config::{CAP, FIRST_COLLAPSE};
use super::state::{Cell, State, cell};

/// How many rings collapse.
const RINGS: u32 = 4;

impl State {
    /// The ring that collapses at the end of the step that has just been played.
    pub(super) fn ring_due(&self) -> Option<u32> {
        let every = self.config.max_steps.saturating_sub(FIRST_COLLAPSE) / RINGS;
        let since = self.step_count.checked_sub(FIRST_COLLAPSE)?;
        let due = self.config.collapse && every > 0 && since.is_multiple_of(every);
        Some(since.checked_div(every)?).filter(|&ring| due && ring < RINGS)
    }

    /// Turns ring number `ring`, counted from the border, into walls. Who stands there dies, bombs go
    /// back to their owners, flames and hidden power-ups are gone.
    pub fn collapse(&mut self, ring: u32) {
        let size = u32::from(self.config.size);
        for at in 0..size * size {
            let (row, column) = (at / size, at % size);
            let depth = row.min(column).min(size - 1 - row).min(size - 1 - column);
            if depth == ring {
                self.wall_up(at as Cell);
            }
        }
    }

    fn wall_up(&mut self, at: Cell) {
        let players = self.config.players();
        if let Some(player) = self.shown(at).checked_sub(cell::AGENT)
            && usize::from(player) < players
        {
            self.agents[usize::from(player)].alive = false;
        }
        for bomb in self.bombs.iter().filter(|bomb| bomb.cell == at) {
            let owner = &mut self.agents[usize::from(bomb.owner)];
            owner.ammo = (owner.ammo + 1).min(CAP);
        }
        self.bombs.retain(|bomb| bomb.cell != at);
        self.flames.retain(|flame| flame.cell != at);
        self.items[usize::from(at)] = cell::PASSAGE;
        self.show(at, cell::RIGID);
    }
}
