//! The original's `SimpleAgent`: the same decisions from the same random draws
//! (`docs/definitions/pommerman.md`).

use super::config::{MAX_CELLS, MAX_PLAYERS};
use super::distances::{Distances, NEAR, Ways, window};
use super::recent::Recent;
use super::sets::{Cells, Shown, bit, each, line, place, steps};
use super::state::{Cell, NOWHERE, State, action, beside, cell};
use super::twister::Twister;
use crate::game::Player;
use crate::rng::Stream;

/// Cells that are remembered as visited.
const MEMORY: usize = 6;
/// Distance to enemies, power-ups and wood that draw the agent near.
const NEAR_ENEMY: usize = NEAR;
const NEAR_POWER_UP: usize = 2;
const NEAR_WOOD: usize = 2;

/// Neighbours in the order in which paths are searched.
pub(super) const AROUND: [u8; 4] = [action::UP, action::DOWN, action::LEFT, action::RIGHT];

/// Where an agent's random numbers come from.
pub trait Draws {
    /// Whether a number drawn from [0, 1) is below one half.
    fn coin(&mut self) -> bool;
    /// A whole number below `bound`, drawn also if it is 1.
    fn below(&mut self, bound: usize) -> usize;
    /// Throws so many coins that nobody looks at.
    fn skip(&mut self, coins: u32) {
        for _ in 0..coins {
            self.coin();
        }
    }
}

impl Draws for Twister {
    fn coin(&mut self) -> bool {
        self.coin()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.below(bound)
    }

    fn skip(&mut self, coins: u32) {
        self.skip_coins(coins as usize);
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
struct Look {
    size: u8,
    own: Cell,
    /// What the cells show, and those that the player sees.
    shown: Shown,
    seen: Cells,
    /// Enemies by their codes, ascending.
    enemies: [Cells; MAX_PLAYERS],
    /// Cells that the agent would step on: a passage, a power-up, itself or its mate.
    passable: Cells,
    /// Cells that are looked at.
    known: Cells,
    /// Bombs that are seen, with their reach.
    bombs: Cells,
    blast: [u8; MAX_CELLS],
    distances: Distances,
}

/// Few directions, in the order in which they were found.
#[derive(Clone, Copy, Default)]
struct Directions {
    all: [u8; AROUND.len() + 1],
    count: usize,
}

impl Directions {
    fn push(&mut self, direction: u8) {
        self.all[self.count] = direction;
        self.count += 1;
    }

    fn as_slice(&self) -> &[u8] {
        &self.all[..self.count]
    }

    fn keep(&mut self, is_kept: impl Fn(u8) -> bool) {
        *self = self.as_slice().iter().copied().filter(|&direction| is_kept(direction)).collect();
    }

    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn draw(&self, draws: &mut impl Draws) -> u8 {
        self.all[draws.below(self.count)]
    }
}

impl FromIterator<u8> for Directions {
    fn from_iter<I: IntoIterator<Item = u8>>(all: I) -> Self {
        let mut directions = Self::default();
        all.into_iter().for_each(|direction| directions.push(direction));
        directions
    }
}

/// Directions of bombs, in the order in which they were noticed, with the reach of the strongest in each.
#[derive(Default)]
struct Danger {
    directions: Directions,
    blast: [u8; AROUND.len() + 1],
}

impl Danger {
    fn notice(&mut self, direction: u8, blast: u8) {
        if !self.directions.as_slice().contains(&direction) {
            self.directions.push(direction);
        }
        let most = &mut self.blast[usize::from(direction)];
        *most = blast.max(*most);
    }
}

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
        let look = Look::new(state, player, draws);
        let danger = look.danger();
        if !danger.directions.is_empty() {
            return (look.escapes(&danger).draw(draws), Rule::Escape);
        }
        let agent = state.agents[usize::from(player)];
        let can_bomb = || agent.ammo > 0 && look.has_refuge(agent.blast);
        let beside_own = look.distances.within(1) & !bit(look.own);
        if look.enemies.iter().any(|enemy| enemy & beside_own != 0) && can_bomb() {
            return (action::BOMB, Rule::BombEnemy);
        }
        let mut ways = None;
        if let Some(direction) = look.towards(&look.enemies, NEAR_ENEMY, &mut ways)
            && (self.direction != Some(direction) || draws.coin())
        {
            self.direction = Some(direction);
            return (direction, Rule::Approach);
        }
        let power_ups = [cell::EXTRA_BOMB, cell::RANGE, cell::KICK].map(|code| look.showing(code));
        if let Some(direction) = look.towards(&power_ups, NEAR_POWER_UP, &mut ways) {
            return (direction, Rule::PowerUp);
        }
        let wood = look.showing(cell::WOOD);
        if wood & beside_own != 0 {
            let action = if can_bomb() { action::BOMB } else { action::STOP };
            return (action, Rule::BesideWood);
        }
        if let Some(direction) = look.towards(&[wood], NEAR_WOOD, &mut ways)
            && !look.is_in_line(look.beside(direction))
        {
            return (direction, Rule::TowardsWood);
        }
        let options = self.wander(&look);
        self.recent.push(look.own);
        (options.draw(draws), Rule::Wander)
    }

    fn wander(self, look: &Look) -> Directions {
        let order = [action::STOP, action::LEFT, action::RIGHT, action::UP, action::DOWN];
        let is_open = |direction: &u8| {
            let to = look.beside(*direction);
            look.is_passable(to) && !look.is_in_line(to)
        };
        let mut options: Directions = order.into_iter().filter(is_open).collect();
        let is_new = |direction: u8| !self.recent.contains(look.beside(direction));
        if options.as_slice().iter().any(|&direction| is_new(direction)) {
            options.keep(is_new);
        }
        if options.count > 1 {
            options.keep(|direction| direction != action::STOP);
        }
        if options.is_empty() {
            options.push(action::STOP);
        }
        options
    }
}

impl Look {
    fn new(state: &State, player: Player, draws: &mut impl Draws) -> Self {
        let size = state.config.size;
        let own = state.agents[usize::from(player)].cell;
        let shown = Shown::new(&state.board);
        let seen = state.view(player);
        let mut enemies = [0; MAX_PLAYERS];
        for (cells, enemy) in enemies.iter_mut().zip(state.enemies(player)) {
            *cells = shown.code(cell::AGENT + enemy) & seen;
        }
        let hostile = enemies.iter().fold(0, |all, cells| all | cells);
        let figures = shown.figures() & !hostile;
        let passable = (shown.code(cell::PASSAGE) | shown.power_ups() | figures) & seen;
        let walls = shown.code(cell::RIGID) | shown.code(cell::FLAMES);
        let known = window(size, own) & seen & !walls;
        let (mut bombs, mut blast) = (0, [0; MAX_CELLS]);
        for bomb in &state.bombs {
            blast[usize::from(bomb.cell)] = bomb.blast;
            bombs |= bit(bomb.cell) & seen;
        }
        let distances = Distances::measure(size, own, known, passable, draws);
        Self { size, own, shown, seen, enemies, passable, known, bombs, blast, distances }
    }

    fn beside(&self, direction: u8) -> Cell {
        beside(self.size, self.own, direction)
    }

    /// The cells looked at that show a code.
    fn showing(&self, code: u8) -> Cells {
        self.shown.code(code) & self.known
    }

    fn is_passable(&self, at: Cell) -> bool {
        at != NOWHERE && self.passable & bit(at) != 0
    }

    /// Bombs that are seen, row by row, with their reach.
    fn bombs(&self) -> impl Iterator<Item = (Cell, u8)> + '_ {
        let bombs = each(self.bombs).map(|at| (at, self.blast[usize::from(at)]));
        bombs.filter(|&(_, blast)| blast > 0)
    }

    /// The directions in which bombs lie within their reach; walls are not looked at.
    fn danger(&self) -> Danger {
        let mut danger = Danger::default();
        let (row, column) = place(self.size, self.own);
        for (at, blast) in self.bombs() {
            let (r, c) = place(self.size, at);
            let is_in_line = r == row || c == column;
            if !is_in_line || self.distances.within(usize::from(blast)) & bit(at) == 0 {
                continue;
            }
            if at == self.own {
                for direction in [action::RIGHT, action::LEFT, action::UP, action::DOWN] {
                    danger.notice(direction, blast);
                }
            } else if r == row {
                danger.notice(if c > column { action::RIGHT } else { action::LEFT }, blast);
            } else {
                danger.notice(if r > row { action::DOWN } else { action::UP }, blast);
            }
        }
        danger
    }

    fn escapes(&self, danger: &Danger) -> Directions {
        let noticed = danger.directions.as_slice();
        if noticed.len() == AROUND.len() {
            // As if a bomb lay on the own cell, which then cannot be passed.
            let passable = self.passable & !bit(self.own);
            let works = |&direction: &u8| {
                let to = self.beside(direction);
                let blast = danger.blast[usize::from(direction)];
                self.is_passable(to) && !self.is_stuck(passable, to, blast)
            };
            return [noticed.iter().copied().find(works).unwrap_or(action::STOP)]
                .into_iter()
                .collect();
        }
        let is_safe = |&direction: &u8| {
            let to = self.beside(direction);
            to != NOWHERE
                && !noticed.contains(&direction)
                && (self.passable | !self.seen) & bit(to) != 0
        };
        let safe: Directions = AROUND.into_iter().filter(is_safe).collect();
        if !safe.is_empty() {
            return safe;
        }
        let mut on_board = danger.directions;
        on_board.keep(|direction| self.beside(direction) != NOWHERE);
        if on_board.is_empty() {
            on_board.push(action::STOP);
        }
        on_board
    }

    /// Whether no cell that can be reached from `start` is out of its lines or beyond the blast.
    fn is_stuck(&self, passable: Cells, start: Cell, blast: u8) -> bool {
        let line = line(self.size, start, blast);
        let (mut new, mut met) = (bit(start), bit(start));
        while new != 0 {
            let around = steps(self.size, new).iter().fold(0, |set, cells| set | cells);
            new = around & passable & !met;
            if new & !line != 0 {
                return false;
            }
            met |= new;
        }
        true
    }

    /// Whether the agent could lay a bomb and reach a passage outside its blast.
    fn has_refuge(&self, blast: u8) -> bool {
        let passages = self.showing(cell::PASSAGE) & self.distances.reached;
        let in_line = line(self.size, self.own, self.size);
        passages & !(in_line & self.distances.within(usize::from(blast))) != 0
    }

    /// The first step to the nearest cell of several sets within `radius`; of equally near ones, to the
    /// last of the last set. The ways are worked out if they are not known yet.
    fn towards(&self, sets: &[Cells], radius: usize, ways: &mut Option<Ways>) -> Option<u8> {
        let all = sets.iter().fold(0, |all, cells| all | cells) & self.known;
        let distance = (1..=radius).find(|&steps| all & self.distances.within(steps) != 0)?;
        let near = self.distances.within(distance);
        let nearest = sets.iter().rev().map(|cells| cells & near & self.known);
        let last = nearest.into_iter().find(|&cells| cells != 0)?;
        let at = (Cells::BITS - 1 - last.leading_zeros()) as Cell;
        let ways = ways.get_or_insert_with(|| self.distances.ways());
        Some(ways.first(at))
    }

    /// Whether a cell is in line with a bomb's reach; walls are not looked at.
    fn is_in_line(&self, at: Cell) -> bool {
        self.bombs().any(|(bomb, blast)| line(self.size, bomb, blast) & bit(at) != 0)
    }
}
