//! Flames, explosions, and what the board shows afterwards
//! (`docs/definitions/pommerman.md`, "Flames", "Explosions", "Redraw").

use super::config::CAP;
use super::sets::{Cells, bit, each};
use super::state::{Bomb, FLAME_LIFE, Flame, NOWHERE, State, action, cell};

impl State {
    /// Lets flames burn down. If one ends it uncovers what lay below, even if another still burns
    /// there, which hides it again: the power-up is lost then.
    pub(super) fn burn(&mut self) {
        let mut flames = std::mem::take(&mut self.flames);
        flames.retain_mut(|flame| {
            if flame.life > 0 {
                flame.life -= 1;
                return true;
            }
            let item = std::mem::take(&mut self.items[usize::from(flame.cell)]);
            self.show(flame.cell, item);
            false
        });
        for flame in &flames {
            self.show(flame.cell, cell::FLAMES);
        }
        self.flames = flames;
    }

    /// Lets bombs tick and explode, chains included; the cells that burn from now on.
    pub(super) fn explode(&mut self) -> Cells {
        let mut is_lit = false;
        for index in 0..self.bombs.len() {
            let in_flames = self.shown(self.bombs[index].cell) == cell::FLAMES;
            let bomb = &mut self.bombs[index];
            bomb.life = bomb.life.saturating_sub(1);
            if in_flames {
                bomb.life = 0;
            }
            is_lit |= bomb.life == 0;
        }
        let mut burning = 0;
        while std::mem::take(&mut is_lit) {
            let mut bombs = std::mem::take(&mut self.bombs);
            for bomb in bombs.iter().filter(|bomb| bomb.life == 0) {
                let owner = &mut self.agents[usize::from(bomb.owner)];
                owner.ammo = (owner.ammo + 1).min(CAP);
                burning |= self.blast(*bomb);
            }
            bombs.retain(|bomb| bomb.life != 0);
            for bomb in &mut bombs {
                if burning & bit(bomb.cell) != 0 {
                    bomb.life = 0;
                    is_lit = true;
                }
            }
            self.bombs = bombs;
        }
        burning
    }

    /// The cells that a bomb's blast reaches. The board is as before all blasts of the step, so that
    /// blasts at once never break through the same wood.
    fn blast(&self, bomb: Bomb) -> Cells {
        let mut reached = 0;
        if bomb.blast == 0 || self.shown(bomb.cell) == cell::RIGID {
            return reached;
        }
        reached |= bit(bomb.cell);
        for direction in [action::UP, action::DOWN, action::LEFT, action::RIGHT] {
            // The ray down begins at the bomb's own cell, and wood there would end it.
            if direction == action::DOWN && self.shown(bomb.cell) == cell::WOOD {
                continue;
            }
            let mut at = bomb.cell;
            for _ in 1..bomb.blast {
                at = self.beside(at, direction);
                if at == NOWHERE || self.shown(at) == cell::RIGID {
                    break;
                }
                reached |= bit(at);
                if self.shown(at) == cell::WOOD {
                    break;
                }
            }
        }
        reached
    }

    /// Draws bombs, new and old flames and agents; who stands in flames dies.
    pub(super) fn redraw(&mut self, burning: Cells) {
        for index in 0..self.bombs.len() {
            self.show(self.bombs[index].cell, cell::BOMB);
        }
        self.flames.extend(each(burning).map(|cell| Flame { cell, life: FLAME_LIFE }));
        for index in 0..self.flames.len() {
            self.show(self.flames[index].cell, cell::FLAMES);
        }
        for player in 0..self.config.players() {
            let agent = self.agents[player];
            if !agent.alive {
                continue;
            }
            if self.shown(agent.cell) == cell::FLAMES {
                self.agents[player].alive = false;
            } else {
                self.show(agent.cell, cell::AGENT + player as u8);
            }
        }
    }
}
