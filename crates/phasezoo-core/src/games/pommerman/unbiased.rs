//! `SimpleUnbiasedAgent`: the rule of thumb that the published search plans with and learns from
//! (`docs/definitions/pommerman.md`, `SimpleUnbiasedAgent`).
//!
//! Known of it are its rules and their order: flee if a bomb in line explodes within nine steps, bomb
//! an enemy beside, chase enemies that can be reached, bomb wood, fetch power-ups, walk about; and that
//! ties are drawn, so that no seat and no direction is preferred. The details are our own. Bombs in line
//! count whether or not a wall is between; one flees to a neighbouring cell in no bomb's line, and where
//! there is none to the neighbour that burns last; who comes to stand beside an enemy waits every other
//! time. Its games last about 170 steps, one in twenty has no winner, and it is as strong as the original's
//! `SimpleAgent`.

use super::recent::Recent;
use super::sets::{Cells, beside_any, bit, each};
use super::state::{Cell, NOWHERE, State, action, beside, cell};
use crate::game::Player;
use crate::rng::Stream;

/// Cells that are remembered as visited.
pub(super) const MEMORY: usize = 4;
/// How far enemies may be, in rows and columns, to be chased.
const NEAR_ENEMY: u8 = 14;
/// How many steps away power-ups may be to be fetched.
const NEAR_POWER_UP: usize = 5;
/// How far one looks for a cell in no bomb's line. Whoever looks farther hardly ever dies: among four who
/// do, half of the games end at the step limit, which leaves little to learn.
const NEAR_SAFETY: usize = 1;
/// A cell that is walked to on purpose stays safe for so many steps.
const SAFE_STEPS: u8 = 3;
/// The timer of a cell in no bomb's line.
const NEVER: u8 = u8::MAX;
/// The longest way that is looked for.
const FARTHEST: usize = super::config::MAX_CELLS;

/// What the agent remembers of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimpleUnbiasedAgent {
    recent: Recent<MEMORY>,
}

/// One decision in the making.
#[derive(Default)]
struct Look {
    size: u8,
    own: Cell,
    has_bomb: bool,
    /// Cells that can be walked on, the own one among them.
    free: Cells,
    enemies: Cells,
    wood: Cells,
    power_ups: Cells,
    /// Bombs that are seen: life, place, and how far the blast reaches beyond it.
    bombs: Vec<(u8, Cell, u8)>,
    /// Cells in line with a bomb.
    danger: Cells,
}

/// Directions with the same claim.
struct Options {
    best: usize,
    actions: [u8; 5],
    count: usize,
}

impl SimpleUnbiasedAgent {
    /// The memory as bytes.
    pub(super) fn to_bytes(self) -> [u8; MEMORY] {
        self.recent.cells()
    }

    /// The memory of [`SimpleUnbiasedAgent::to_bytes`].
    pub(super) fn from_bytes(bytes: [u8; MEMORY]) -> Self {
        Self { recent: Recent::of(bytes) }
    }

    /// The action of `player`, who lives.
    pub fn act(&mut self, state: &State, player: Player, stream: &mut Stream) -> u8 {
        let look = Look::new(state, player);
        let action = look.choose(self.recent, stream);
        self.recent.push(look.own);
        action
    }
}

impl Look {
    fn new(state: &State, player: Player) -> Self {
        let agent = state.agents[usize::from(player)];
        let mut look = Self {
            size: state.config.size,
            own: agent.cell,
            free: bit(agent.cell),
            ..Self::default()
        };
        let hostile = state.enemies(player).fold(0_u8, |set, enemy| set | 1 << enemy);
        for (at, &shown) in state.board().iter().enumerate() {
            if !state.sees(player, at as Cell) {
                continue;
            }
            let here = 1 << at;
            match shown {
                cell::PASSAGE => look.free |= here,
                cell::WOOD => look.wood |= here,
                cell::EXTRA_BOMB..=cell::KICK => {
                    look.power_ups |= here;
                    look.free |= here;
                }
                code @ cell::AGENT.. if hostile >> (code - cell::AGENT) & 1 == 1 => {
                    look.enemies |= here;
                }
                _ => {}
            }
        }
        for bomb in state.bombs.iter().filter(|bomb| state.sees(player, bomb.cell)) {
            let life = bomb.life.clamp(1, i16::from(NEVER - 1)) as u8;
            look.bombs.push((life, bomb.cell, bomb.blast.saturating_sub(1)));
            look.danger |= look.line(bomb.cell, bomb.blast.saturating_sub(1));
        }
        let is_on_bomb = look.bombs.iter().any(|bomb| bomb.1 == look.own);
        look.has_bomb = agent.ammo > 0 && !is_on_bomb;
        look
    }

    /// The cells in line with `at`, up to `reach` away; walls are not looked at.
    fn line(&self, at: Cell, reach: u8) -> Cells {
        let mut cells = bit(at);
        for direction in action::UP..=action::RIGHT {
            let mut next = at;
            for _ in 0..reach {
                next = beside(self.size, next, direction);
                if next == NOWHERE {
                    break;
                }
                cells |= bit(next);
            }
        }
        cells
    }

    /// Steps to the first explosion of a bomb in line with a cell.
    fn timer(&self, at: Cell) -> u8 {
        if self.danger & bit(at) == 0 {
            return NEVER;
        }
        let size = self.size;
        let reaches = |&&(_, bomb, reach): &&(u8, Cell, u8)| {
            let rows = (bomb / size).abs_diff(at / size);
            let columns = (bomb % size).abs_diff(at % size);
            (rows == 0 || columns == 0) && rows + columns <= reach
        };
        self.bombs.iter().filter(reaches).map(|bomb| bomb.0).min().unwrap_or(NEVER)
    }

    fn choose(&self, recent: Recent<MEMORY>, stream: &mut Stream) -> u8 {
        if self.danger & bit(self.own) != 0 {
            return self.flee(stream);
        }
        let around = beside_any(self.size, bit(self.own));
        if around & self.enemies != 0 && self.has_bomb {
            return action::BOMB;
        }
        let near = each(self.enemies).filter(|&at| self.distance(at) <= NEAR_ENEMY);
        let near = near.fold(0, |set, at| set | bit(at));
        if near != 0 {
            let beside = beside_any(self.size, near) & self.free;
            if let Some(direction) = self.towards(beside, FARTHEST, SAFE_STEPS, stream) {
                // Two that chase each other and always move keep the same distance for ever.
                let waits = around & beside != 0 && stream.below(2) == 0;
                return if waits { action::STOP } else { direction };
            }
        }
        if around & self.wood != 0 && self.has_bomb {
            return action::BOMB;
        }
        if let Some(direction) = self.towards(self.power_ups, NEAR_POWER_UP, SAFE_STEPS, stream) {
            return direction;
        }
        self.wander(recent, stream)
    }

    fn distance(&self, at: Cell) -> u8 {
        let (size, own) = (self.size, self.own);
        (own / size).abs_diff(at / size) + (own % size).abs_diff(at % size)
    }

    /// The cells beside the own one that can be walked on, by direction.
    fn ways(&self) -> impl Iterator<Item = (u8, Cell)> + '_ {
        (action::UP..=action::RIGHT).filter_map(|direction| {
            let to = beside(self.size, self.own, direction);
            (to != NOWHERE && self.free & bit(to) != 0).then_some((direction, to))
        })
    }

    /// To a neighbouring cell in no bomb's line, otherwise to the one that burns last.
    fn flee(&self, stream: &mut Stream) -> u8 {
        let safe = self.free & !self.danger;
        if let Some(direction) = self.towards(safe, NEAR_SAFETY, 1, stream) {
            return direction;
        }
        let mut options = Options::new();
        for (direction, to) in self.ways().chain([(action::STOP, self.own)]) {
            options.offer(direction, usize::from(NEVER - self.timer(to)));
        }
        options.draw(stream).unwrap_or(action::STOP)
    }

    /// The first step of a shortest way to one of `targets`, at most `most` steps long, onto a cell that
    /// is safe for the next `safe_steps` steps.
    fn towards(
        &self,
        targets: Cells,
        most: usize,
        safe_steps: u8,
        stream: &mut Stream,
    ) -> Option<u8> {
        if targets == 0 {
            return None;
        }
        let mut options = Options::new();
        for (direction, to) in self.ways().filter(|&(_, to)| self.timer(to) > safe_steps) {
            let (mut cells, mut new) = (bit(self.own) | bit(to), bit(to));
            for steps in 1..=most.min(options.best) {
                if new & targets != 0 {
                    options.offer(direction, steps);
                    break;
                }
                new = beside_any(self.size, new) & self.free & !cells;
                if new == 0 {
                    break;
                }
                cells |= new;
            }
        }
        options.draw(stream)
    }

    /// To a cell beside that is in no bomb's line, better one that is new.
    fn wander(&self, recent: Recent<MEMORY>, stream: &mut Stream) -> u8 {
        let mut options = Options::new();
        for (direction, to) in self.ways().filter(|&(_, to)| self.danger & bit(to) == 0) {
            options.offer(direction, usize::from(recent.contains(to)));
        }
        options.draw(stream).unwrap_or(action::STOP)
    }
}

impl Options {
    fn new() -> Self {
        Self { best: usize::MAX, actions: [0; 5], count: 0 }
    }

    /// Keeps an action if none is better, and drops those that are worse.
    fn offer(&mut self, action: u8, cost: usize) {
        if cost < self.best {
            (self.best, self.count) = (cost, 0);
        }
        if cost == self.best {
            self.actions[self.count] = action;
            self.count += 1;
        }
    }

    fn draw(&self, stream: &mut Stream) -> Option<u8> {
        (self.count > 0).then(|| self.actions[stream.below(self.count)])
    }
}
