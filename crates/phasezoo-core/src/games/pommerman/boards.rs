//! Boards from seeds, drawn in the original's order (`docs/definitions/pommerman.md`,
//! "Boards", "Random numbers").

use super::cells::{CELLS_8, CELLS_11};
use super::config::{Config, MAX_CELLS, MAX_PLAYERS, Mode};
use super::state::{Agent, Cell, State, action, beside, cell};
use super::twister::Twister;

/// Cells that may be cut off from the rest of a board.
const MOST_CUT_OFF: usize = 4;

/// Walls of each kind, and hidden power-ups, on a board of a size.
const fn counts(size: usize) -> (usize, usize) {
    if size == 8 { (16, 10) } else { (36, 20) }
}

/// A board under construction.
struct Draft {
    size: usize,
    board: [u8; MAX_CELLS],
    /// The cells off the diagonal in the order of the original's set, and the place of each in it.
    order: &'static [Cell],
    places: &'static [u8; MAX_CELLS],
    /// The places of cells that may still become walls, as bits.
    free: u128,
}

/// The place of every cell in an order.
const fn places(order: &[Cell]) -> [u8; MAX_CELLS] {
    let mut places = [u8::MAX; MAX_CELLS];
    let mut place = 0;
    while place < order.len() {
        places[order[place] as usize] = place as u8;
        place += 1;
    }
    places
}

static PLACES_8: [u8; MAX_CELLS] = places(&CELLS_8);
static PLACES_11: [u8; MAX_CELLS] = places(&CELLS_11);

impl Draft {
    fn at(&self, row: usize, column: usize) -> Cell {
        (row * self.size + column) as Cell
    }

    fn take(&mut self, row: usize, column: usize) {
        let place = self.places[usize::from(self.at(row, column))];
        // Cells on the diagonal are in no order.
        if place != u8::MAX {
            self.free &= !(1 << place);
        }
    }

    fn put(&mut self, row: usize, column: usize, code: u8) {
        let cell = self.at(row, column);
        self.board[usize::from(cell)] = code;
        self.take(row, column);
    }

    /// Puts `count` walls on drawn cells and their mirror images on the diagonal.
    fn draw(&mut self, count: usize, code: u8, random: &mut Twister) {
        for _ in 0..count / 2 {
            let chosen = random.below(self.free.count_ones() as usize);
            let place = (0..chosen).fold(self.free, |left, _| left & (left - 1)).trailing_zeros();
            let cell = usize::from(self.order[place as usize]);
            let (row, column) = (cell / self.size, cell % self.size);
            self.put(row, column, code);
            self.put(column, row, code);
        }
    }

    /// How many passages nobody at the last corner can reach, even by breaking wood.
    fn cut_off(&self) -> usize {
        let size = self.size;
        let start = (size - 2) * size + size - 2;
        let mut seen = [false; MAX_CELLS];
        seen[start] = true;
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for direction in action::UP..=action::RIGHT {
                let next = usize::from(beside(size as u8, at as Cell, direction));
                let is_open = self.board.get(next).is_some_and(|&code| code != cell::RIGID);
                if is_open && !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        (0..size * size).filter(|&at| self.board[at] == cell::PASSAGE && !seen[at]).count()
    }
}

/// Where the players start.
fn corners(config: &Config) -> Vec<(usize, usize)> {
    let last = usize::from(config.size) - 2;
    match config.mode {
        Mode::OneVsOne => vec![(1, 1), (last, last)],
        _ => vec![(1, 1), (last, 1), (last, last), (1, last)],
    }
}

fn draft(config: &Config, random: &mut Twister) -> Draft {
    let size = usize::from(config.size);
    let (order, places): (&'static [Cell], _) =
        if size == 8 { (&CELLS_8, &PLACES_8) } else { (&CELLS_11, &PLACES_11) };
    let free = (1 << order.len()) - 1;
    let mut draft = Draft { size, board: [cell::PASSAGE; MAX_CELLS], order, places, free };
    let four = config.players() == MAX_PLAYERS;
    for (player, &(row, column)) in corners(config).iter().enumerate() {
        draft.put(row, column, cell::AGENT + player as u8);
    }
    let (last, mirrored) = (size - 2, |i: usize| size - 1 - i);
    for i in 2..4 {
        let mut cells = vec![(1, i), (i, 1), (last, mirrored(i)), (mirrored(i), last)];
        if four {
            cells.extend([(1, mirrored(i)), (mirrored(i), 1), (i, last), (last, i)]);
        }
        for (row, column) in cells {
            draft.take(row, column);
        }
    }
    let (walls, _) = counts(size);
    let mut wood = walls;
    if four {
        for i in 4..size - 4 {
            for (row, column) in
                [(1, i), (mirrored(i), 1), (last, mirrored(i)), (mirrored(i), last)]
            {
                draft.put(row, column, cell::WOOD);
            }
            wood -= 4;
        }
    }
    draft.draw(walls, cell::RIGID, random);
    draft.draw(wood, cell::WOOD, random);
    draft
}

impl State {
    /// The start of a game on the board that the original draws after `random.seed(seed)`. Boards of 8
    /// or 11 cells a side are drawn.
    pub fn new(config: Config, random: &mut Twister) -> Self {
        let draft = loop {
            let draft = draft(&config, random);
            if draft.cut_off() <= MOST_CUT_OFF {
                break draft;
            }
        };
        let mut agents = [Agent { alive: false, ..Agent::new(0) }; MAX_PLAYERS];
        for (player, &(row, column)) in corners(&config).iter().enumerate() {
            agents[player] = Agent::new(draft.at(row, column));
        }
        let mut state = Self {
            config,
            board: draft.board,
            items: [0; MAX_CELLS],
            agents,
            bombs: Vec::new(),
            flames: Vec::new(),
            step_count: 0,
            words: [[0; 2]; MAX_PLAYERS],
            paid: None,
            uncollapsed: None,
        };
        state.hide_items(random);
        state
    }

    fn hide_items(&mut self, random: &mut Twister) {
        let size = usize::from(self.config.size);
        let (_, mut left) = counts(size);
        while left > 0 {
            let row = random.below(size);
            let cell = row * size + random.below(size);
            if self.board[cell] == cell::WOOD && self.items[cell] == 0 {
                self.items[cell] = cell::EXTRA_BOMB + random.below(3) as u8;
                left -= 1;
            }
        }
    }
}
