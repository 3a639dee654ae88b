//! Boards, agents, bombs, flames.

use super::config::{Config, MAX_CELLS, MAX_PLAYERS, MAX_SIZE};
use crate::game::Player;

/// What a cell of the board shows.
pub mod cell {
    /// Nothing.
    pub const PASSAGE: u8 = 0;
    /// A wall that stays.
    pub const RIGID: u8 = 1;
    /// A wall that a blast breaks.
    pub const WOOD: u8 = 2;
    /// A bomb.
    pub const BOMB: u8 = 3;
    /// Flames.
    pub const FLAMES: u8 = 4;
    /// What a player does not see.
    pub const FOG: u8 = 5;
    /// A power-up: one bomb more.
    pub const EXTRA_BOMB: u8 = 6;
    /// A power-up: blasts reach farther.
    pub const RANGE: u8 = 7;
    /// A power-up: bombs can be kicked.
    pub const KICK: u8 = 8;
    /// Nobody, in lists of team mates and enemies.
    pub const DUMMY: u8 = 9;
    /// Agent 0; the others follow.
    pub const AGENT: u8 = 10;
}

/// What a player may do.
pub mod action {
    /// Nothing.
    pub const STOP: u8 = 0;
    /// One row less.
    pub const UP: u8 = 1;
    /// One row more.
    pub const DOWN: u8 = 2;
    /// One column less.
    pub const LEFT: u8 = 3;
    /// One column more.
    pub const RIGHT: u8 = 4;
    /// Lay a bomb.
    pub const BOMB: u8 = 5;
    /// How many there are.
    pub const COUNT: usize = 6;
}

/// Index of a cell, row by row.
pub type Cell = u8;

/// No cell.
pub const NOWHERE: Cell = u8::MAX;

/// The life of a bomb when it is laid; the step that lays it takes the first one.
pub const BOMB_LIFE: i16 = 10;
/// The life of a flame when it is lit.
pub const FLAME_LIFE: u8 = 2;

/// The neighbour of every cell by action up, down, left, right (entry 0 is the cell itself), for every
/// size; [`NOWHERE`] off the board.
static NEIGHBOURS: [[[Cell; 5]; MAX_CELLS]; MAX_SIZE + 1] = {
    let mut all = [[[NOWHERE; 5]; MAX_CELLS]; MAX_SIZE + 1];
    let mut size = 1;
    while size <= MAX_SIZE {
        let mut at = 0;
        while at < size * size {
            let (row, column) = (at / size, at % size);
            all[size][at][0] = at as Cell;
            if row > 0 {
                all[size][at][1] = (at - size) as Cell;
            }
            if row + 1 < size {
                all[size][at][2] = (at + size) as Cell;
            }
            if column > 0 {
                all[size][at][3] = (at - 1) as Cell;
            }
            if column + 1 < size {
                all[size][at][4] = (at + 1) as Cell;
            }
            at += 1;
        }
        size += 1;
    }
    all
};

/// The cell beside `cell` on a board of that size in the direction of an action, itself for stop;
/// [`NOWHERE`] off the board.
#[inline]
pub(super) fn beside(size: u8, cell: Cell, direction: u8) -> Cell {
    NEIGHBOURS[usize::from(size)][usize::from(cell)][usize::from(direction)]
}

/// One player's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    /// Where it is; where it died.
    pub cell: Cell,
    /// Bombs that it may lay.
    pub ammo: u8,
    /// Reach of its bombs, the bomb's own cell included.
    pub blast: u8,
    /// Whether it kicks bombs.
    pub can_kick: bool,
    /// Whether it lives.
    pub alive: bool,
}

impl Agent {
    /// An agent at the start of a game.
    pub const fn new(cell: Cell) -> Self {
        Self { cell, ammo: 1, blast: 2, can_kick: false, alive: true }
    }
}

/// A bomb.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bomb {
    /// Who laid it.
    pub owner: Player,
    /// Where it is.
    pub cell: Cell,
    /// Steps to its explosion.
    pub life: i16,
    /// Reach of its blast, its own cell included.
    pub blast: u8,
    /// The action that names where it rolls; 0 where it rests.
    pub direction: u8,
}

/// A flame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flame {
    /// Where it burns.
    pub cell: Cell,
    /// Steps to its end.
    pub life: u8,
}

/// A game at one point.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) config: Config,
    pub(super) board: [u8; MAX_CELLS],
    /// Power-ups under wood and flames; 0 where there is none.
    pub(super) items: [u8; MAX_CELLS],
    pub(super) agents: [Agent; MAX_PLAYERS],
    /// By age; the order decides conflicts.
    pub(super) bombs: Vec<Bomb>,
    /// By age; several may burn on a cell.
    pub(super) flames: Vec<Flame>,
    pub(super) step_count: u32,
    /// What each player said in the last step.
    pub(super) words: [[u8; 2]; MAX_PLAYERS],
    /// What the last step paid, where it ended the game. Kept, because a board that collapses after that
    /// kills agents whose deaths count in the next step.
    pub(super) paid: Option<[i8; MAX_PLAYERS]>,
    /// The state before the board collapsed, where it did in the last step: the original's rewards and
    /// observations of that step tell of it.
    pub(super) uncollapsed: Option<Box<State>>,
}

impl State {
    /// What the rules depend on.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What the cells show, row by row.
    pub fn board(&self) -> &[u8] {
        &self.board[..self.config.cells()]
    }

    /// The power-ups under wood and flames, row by row; 0 where there is none.
    pub fn items(&self) -> &[u8] {
        &self.items[..self.config.cells()]
    }

    /// The players' figures.
    pub fn agents(&self) -> &[Agent] {
        &self.agents[..self.config.players()]
    }

    /// The bombs by age.
    pub fn bombs(&self) -> &[Bomb] {
        &self.bombs
    }

    /// The flames by age.
    pub fn flames(&self) -> &[Flame] {
        &self.flames
    }

    /// The state that the original's rewards and observations tell of: this one, or, where the board
    /// collapsed in the last step, the one before that.
    pub fn before_collapse(&self) -> &State {
        self.uncollapsed.as_deref().unwrap_or(self)
    }

    /// Steps since the start.
    pub fn step_count(&self) -> u32 {
        self.step_count
    }

    /// What each player said in the last step.
    pub fn words(&self) -> &[[u8; 2]] {
        &self.words[..self.config.players()]
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.paid.is_some()
    }

    /// What the last step paid, where it ended the game.
    pub(super) fn paid(&self) -> [i8; MAX_PLAYERS] {
        self.paid.unwrap_or_default()
    }

    /// The cell beside `cell` in the direction of an action, itself for stop; [`NOWHERE`] off the board.
    #[inline]
    pub(super) fn beside(&self, cell: Cell, direction: u8) -> Cell {
        beside(self.config.size, cell, direction)
    }

    /// What a cell of the board shows.
    #[inline]
    pub(super) fn shown(&self, cell: Cell) -> u8 {
        self.board[usize::from(cell)]
    }

    /// Sets what a cell of the board shows.
    #[inline]
    pub(super) fn show(&mut self, cell: Cell, code: u8) {
        self.board[usize::from(cell)] = code;
    }

    /// The living players, as bits.
    pub fn living(&self) -> u8 {
        let living = |(player, agent): (usize, &Agent)| u8::from(agent.alive) << player;
        self.agents().iter().enumerate().map(living).sum()
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self {
            bombs: self.bombs.clone(),
            flames: self.flames.clone(),
            uncollapsed: self.uncollapsed.clone(),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        let Self {
            config,
            board,
            items,
            agents,
            bombs,
            flames,
            step_count,
            words,
            paid,
            uncollapsed,
        } = self;
        uncollapsed.clone_from(&other.uncollapsed);
        bombs.clone_from(&other.bombs);
        flames.clone_from(&other.flames);
        (*config, *board, *items) = (other.config, other.board, other.items);
        (*agents, *step_count) = (other.agents, other.step_count);
        (*words, *paid) = (other.words, other.paid);
    }
}
