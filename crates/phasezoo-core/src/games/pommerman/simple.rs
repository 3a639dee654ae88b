//! The original's `SimpleAgent`: the same decisions from the same random draws
//! (`docs/definitions/pommerman.md`).

use super::config::{MAX_CELLS, MAX_PLAYERS};
use super::recent::Recent;
use super::sight::Sight;
use super::state::{Cell, NOWHERE, State, action, cell};
use super::twister::Twister;
use crate::game::Player;
use crate::rng::Stream;

/// Cells that are remembered as visited.
const MEMORY: usize = 6;
/// How far distances are measured; the window that they are measured in ends one cell earlier below and
/// to the right.
const DEPTH: u8 = 10;
/// Distance to enemies, power-ups and wood that draw the agent near.
const NEAR_ENEMY: u8 = 3;
const NEAR_POWER_UP: u8 = 2;
const NEAR_WOOD: u8 = 2;

/// The distance of a cell that cannot be reached, and of one that is not looked at.
const FAR: u8 = u8::MAX - 1;
const UNKNOWN: u8 = u8::MAX;

/// Neighbours in the order in which paths are searched.
const AROUND: [u8; 4] = [action::UP, action::DOWN, action::LEFT, action::RIGHT];

/// Where an agent's random numbers come from.
pub trait Draws {
    /// Whether a number drawn from [0, 1) is below one half.
    fn coin(&mut self) -> bool;
    /// A whole number below `bound`, drawn also if it is 1.
    fn below(&mut self, bound: usize) -> usize;
}

impl Draws for Twister {
    fn coin(&mut self) -> bool {
        self.coin()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.below(bound)
    }
}

impl Draws for Stream {
    fn coin(&mut self) -> bool {
        self.next_u64() >> 63 == 0
    }

    fn below(&mut self, bound: usize) -> usize {
        self.below(bound)
    }
}

/// Which of the agent's rules decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Rule {
    /// Away from bombs.
    Escape,
    /// A bomb beside an enemy.
    BombEnemy,
    /// Towards an enemy.
    Approach,
    /// Towards a power-up.
    PowerUp,
    /// A bomb beside wood, or waiting for one.
    BesideWood,
    /// Towards wood.
    TowardsWood,
    /// Anywhere.
    Wander,
}

/// What the agent remembers of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimpleAgent {
    /// Cells that it wandered from.
    recent: Recent<MEMORY>,
    /// The direction in which it last approached an enemy.
    direction: Option<u8>,
}

/// One decision in the making.
struct Look<'a> {
    state: &'a State,
    sight: Sight,
    own: Cell,
    /// Codes of enemies.
    enemies: [u8; MAX_PLAYERS],
    distance: [u8; MAX_CELLS],
    previous: [Cell; MAX_CELLS],
    /// Cells that are looked at, row by row.
    cells: Vec<Cell>,
}

/// Directions of bombs with the reach of the strongest, in the order in which they were noticed.
type Danger = Vec<(u8, u8)>;

/// Bytes of a memory.
pub(super) const MEMORY_BYTES: usize = MEMORY + 1;

impl SimpleAgent {
    /// The memory as bytes.
    pub fn to_bytes(self) -> [u8; MEMORY_BYTES] {
        let mut bytes = [self.direction.unwrap_or(0); MEMORY_BYTES];
        bytes[..MEMORY].copy_from_slice(&self.recent.cells());
        bytes
    }

    /// The memory of [`SimpleAgent::to_bytes`].
    pub fn from_bytes(bytes: [u8; MEMORY_BYTES]) -> Self {
        let [cells @ .., direction] = bytes;
        Self { recent: Recent::of(cells), direction: Some(direction).filter(|&way| way > 0) }
    }

    /// The action of `player`, who lives, and the rule behind it.
    pub fn act(&mut self, state: &State, player: Player, draws: &mut impl Draws) -> (u8, Rule) {
        let mut look = Look::new(state, player);
        look.measure(draws);
        let danger = look.danger();
        if !danger.is_empty() {
            let options = look.escapes(&danger);
            return (options[draws.below(options.len())], Rule::Escape);
        }
        let agent = state.agents[usize::from(player)];
        let can_bomb = agent.ammo > 0 && look.has_refuge(agent.blast);
        let enemies = look.enemies;
        if can_bomb && look.cells_showing(&enemies).any(|at| look.distance_to(at) == 1) {
            return (action::BOMB, Rule::BombEnemy);
        }
        if let Some(direction) = look.towards(&enemies, NEAR_ENEMY)
            && (self.direction != Some(direction) || draws.coin())
        {
            self.direction = Some(direction);
            return (direction, Rule::Approach);
        }
        let power_ups = [cell::EXTRA_BOMB, cell::RANGE, cell::KICK];
        if let Some(direction) = look.towards(&power_ups, NEAR_POWER_UP) {
            return (direction, Rule::PowerUp);
        }
        if look.towards(&[cell::WOOD], 1).is_some() {
            let action = if can_bomb { action::BOMB } else { action::STOP };
            return (action, Rule::BesideWood);
        }
        if let Some(direction) = look.towards(&[cell::WOOD], NEAR_WOOD)
            && !look.is_in_line(look.beside(direction))
        {
            return (direction, Rule::TowardsWood);
        }
        let options = self.wander(&look);
        self.recent.push(look.own);
        (options[draws.below(options.len())], Rule::Wander)
    }

    fn wander(self, look: &Look<'_>) -> Vec<u8> {
        let order = [action::STOP, action::LEFT, action::RIGHT, action::UP, action::DOWN];
        let mut options: Vec<u8> = order
            .into_iter()
            .filter(|&direction| {
                let to = look.beside(direction);
                look.is_passable(to) && !look.is_in_line(to)
            })
            .collect();
        let is_new = |direction: &u8| !self.recent.contains(look.beside(*direction));
        if options.iter().any(is_new) {
            options.retain(is_new);
        }
        if options.len() > 1 {
            options.retain(|&direction| direction != action::STOP);
        }
        if options.is_empty() {
            options.push(action::STOP);
        }
        options
    }
}

impl<'a> Look<'a> {
    fn new(state: &'a State, player: Player) -> Self {
        let mut enemies = [cell::DUMMY; MAX_PLAYERS];
        for (slot, enemy) in enemies.iter_mut().zip(state.enemies(player)) {
            *slot = cell::AGENT + enemy;
        }
        Self {
            state,
            sight: state.sight(player),
            own: state.agents[usize::from(player)].cell,
            enemies,
            distance: [UNKNOWN; MAX_CELLS],
            previous: [NOWHERE; MAX_CELLS],
            cells: Vec::with_capacity(MAX_CELLS),
        }
    }

    fn place(&self, at: Cell) -> (u8, u8) {
        (at / self.state.config.size, at % self.state.config.size)
    }

    fn beside(&self, direction: u8) -> Cell {
        self.state.beside(self.own, direction)
    }

    fn shown(&self, at: Cell) -> u8 {
        self.sight.board[usize::from(at)]
    }

    fn distance_to(&self, at: Cell) -> u8 {
        self.distance[usize::from(at)]
    }

    /// Whether the agent would step on a cell: a passage, a power-up, itself or its mate.
    fn is_passable(&self, at: Cell) -> bool {
        at != NOWHERE
            && match self.shown(at) {
                cell::PASSAGE | cell::EXTRA_BOMB | cell::RANGE | cell::KICK => true,
                code => code >= cell::AGENT && !self.enemies.contains(&code),
            }
    }

    /// Measures distances from the own cell, breadth first. Between two paths of the same length a coin
    /// is thrown.
    fn measure(&mut self, draws: &mut impl Draws) {
        let size = self.state.config.size;
        let (row, column) = self.place(self.own);
        let window = |own: u8| own.saturating_sub(DEPTH)..size.min(own + DEPTH);
        for r in window(row) {
            for c in window(column) {
                let at = r * size + c;
                let is_out = row.abs_diff(r) + column.abs_diff(c) > DEPTH;
                if !is_out && !matches!(self.shown(at), cell::FOG | cell::RIGID | cell::FLAMES) {
                    self.distance[usize::from(at)] = FAR;
                    self.cells.push(at);
                }
            }
        }
        if self.distance_to(self.own) == UNKNOWN {
            return;
        }
        self.distance[usize::from(self.own)] = 0;
        let mut queue = Vec::with_capacity(self.cells.len());
        queue.push(self.own);
        let mut next = 0;
        while let Some(&at) = queue.get(next) {
            next += 1;
            if !self.is_passable(at) {
                continue;
            }
            let farther = self.distance_to(at) + 1;
            for direction in AROUND {
                let to = self.state.beside(at, direction);
                if to == NOWHERE || self.distance_to(to) == UNKNOWN {
                    continue;
                }
                let known = self.distance_to(to);
                if farther < known {
                    self.distance[usize::from(to)] = farther;
                    queue.push(to);
                    self.previous[usize::from(to)] = at;
                } else if farther == known && draws.coin() {
                    self.previous[usize::from(to)] = at;
                }
            }
        }
    }

    /// Bombs that are seen, row by row, with their reach.
    fn bombs(&self) -> impl Iterator<Item = (Cell, u8)> + '_ {
        let bombs = self.sight.blast[..self.state.config.cells()].iter().enumerate();
        bombs.filter(|&(_, &blast)| blast > 0).map(|(at, &blast)| (at as Cell, blast))
    }

    /// The directions in which bombs lie within their reach; walls are not looked at.
    fn danger(&self) -> Danger {
        let mut danger = Danger::new();
        let mut notice = |direction: u8, blast: u8| match danger
            .iter_mut()
            .find(|(known, _)| *known == direction)
        {
            Some((_, most)) => *most = blast.max(*most),
            None => danger.push((direction, blast)),
        };
        let (row, column) = self.place(self.own);
        for (at, blast) in self.bombs() {
            // What is not looked at or cannot be reached is farther than any blast.
            if self.distance_to(at) > blast {
                continue;
            }
            let (r, c) = self.place(at);
            if at == self.own {
                for direction in [action::RIGHT, action::LEFT, action::UP, action::DOWN] {
                    notice(direction, blast);
                }
            } else if r == row {
                notice(if c > column { action::RIGHT } else { action::LEFT }, blast);
            } else if c == column {
                notice(if r > row { action::DOWN } else { action::UP }, blast);
            }
        }
        danger
    }

    fn escapes(&mut self, danger: &Danger) -> Vec<u8> {
        if danger.len() == AROUND.len() {
            // As if a bomb lay on the own cell, which then cannot be passed.
            self.sight.board[usize::from(self.own)] = cell::BOMB;
            let works = |&&(direction, blast): &&(u8, u8)| {
                let to = self.beside(direction);
                self.is_passable(to) && !self.is_stuck(to, blast)
            };
            return vec![
                danger.iter().find(works).map_or(action::STOP, |&(direction, _)| direction),
            ];
        }
        let is_safe = |&direction: &u8| {
            let to = self.beside(direction);
            to != NOWHERE
                && !danger.iter().any(|&(unsafe_one, _)| unsafe_one == direction)
                && (self.is_passable(to) || self.shown(to) == cell::FOG)
        };
        let safe: Vec<u8> = AROUND.into_iter().filter(is_safe).collect();
        if !safe.is_empty() {
            return safe;
        }
        let directions = danger.iter().map(|&(direction, _)| direction);
        let on_board: Vec<u8> =
            directions.filter(|&direction| self.beside(direction) != NOWHERE).collect();
        if on_board.is_empty() { vec![action::STOP] } else { on_board }
    }

    /// Whether no cell that can be reached from `start` is out of its lines or beyond the blast.
    fn is_stuck(&self, start: Cell, blast: u8) -> bool {
        let (row, column) = self.place(start);
        let mut seen = 1_u128 << start;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            let (r, c) = self.place(at);
            let is_off_lines = r != row && c != column;
            if is_off_lines || r.abs_diff(row) + c.abs_diff(column) > blast {
                return false;
            }
            for direction in AROUND {
                let to = self.state.beside(at, direction);
                if self.is_passable(to) && seen & 1 << to == 0 {
                    seen |= 1 << to;
                    open.push(to);
                }
            }
        }
        true
    }

    /// Cells that show one of the codes, code by code and row by row.
    fn cells_showing<'s>(&'s self, codes: &'s [u8]) -> impl Iterator<Item = Cell> + 's {
        codes.iter().flat_map(move |&code| {
            self.cells.iter().copied().filter(move |&at| self.shown(at) == code)
        })
    }

    /// Whether the agent could lay a bomb and reach a passage outside its blast.
    fn has_refuge(&self, blast: u8) -> bool {
        let (row, column) = self.place(self.own);
        self.cells_showing(&[cell::PASSAGE]).any(|at| {
            let (r, c) = self.place(at);
            let distance = self.distance_to(at);
            distance < FAR && (distance > blast || (r != row && c != column))
        })
    }

    /// The first step to the nearest cell within `radius` that shows one of the codes; of equally near
    /// ones, to the last.
    fn towards(&self, codes: &[u8], radius: u8) -> Option<u8> {
        let mut limit = self.cells.iter().map(|&at| self.distance_to(at)).max()?;
        let mut nearest = None;
        for at in self.cells_showing(codes) {
            let distance = self.distance_to(at);
            if distance <= radius && distance <= limit {
                (nearest, limit) = (Some(at), distance);
            }
        }
        let mut at = nearest?;
        while self.previous[usize::from(at)] != self.own {
            at = self.previous[usize::from(at)];
            if at == NOWHERE {
                return None;
            }
        }
        AROUND.into_iter().find(|&direction| self.beside(direction) == at)
    }

    /// Whether a cell is in line with a bomb's reach; walls are not looked at.
    fn is_in_line(&self, at: Cell) -> bool {
        let (row, column) = self.place(at);
        self.bombs().any(|(bomb, blast)| {
            let (r, c) = self.place(bomb);
            (r == row && c.abs_diff(column) <= blast) || (c == column && r.abs_diff(row) <= blast)
        })
    }
}
