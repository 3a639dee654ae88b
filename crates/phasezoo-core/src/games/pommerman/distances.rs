//! How far the cells around an agent are, and the way to the near ones, as the original searches them:
//! breadth first, and between two ways of the same length a coin is thrown
//! (`docs/definitions/pommerman.md`, "`SimpleAgent`").
//!
//! The coins follow the order in which cells are met, and all are thrown before anything is decided. Ways
//! are asked for to near cells alone: their coins are kept, those of the others only counted.

use super::config::{CAP, MAX_CELLS, MAX_SIZE, MIN_SIZE};
use super::sets::{Cells, bit, steps};
use super::simple::{AROUND, Draws};
use super::state::{Cell, NOWHERE, action, beside};

/// How far distances are measured; the window that they are measured in ends one cell earlier below and
/// to the right.
const DEPTH: usize = 10;
/// The farthest cells to which ways are asked for.
pub(super) const NEAR: usize = 3;
/// Steps after which the cells met are kept: 0 to the longest blast of a game.
const KEPT: usize = CAP as usize + 1;

/// The cells that are looked at from every cell, for every size.
static WINDOWS: [[Cells; MAX_CELLS]; MAX_SIZE + 1] = {
    let mut all = [[0; MAX_CELLS]; MAX_SIZE + 1];
    let mut size = MIN_SIZE;
    while size <= MAX_SIZE {
        let mut pair = 0;
        while pair < size * size * size * size {
            let (own, at) = (pair / (size * size), pair % (size * size));
            let (rows, columns) = ((own / size, at / size), (own % size, at % size));
            let away = rows.0.abs_diff(rows.1) + columns.0.abs_diff(columns.1);
            if away <= DEPTH && rows.1 < rows.0 + DEPTH && columns.1 < columns.0 + DEPTH {
                all[size][own] |= 1 << at;
            }
            pair += 1;
        }
        size += 1;
    }
    all
};

/// The cells that are looked at from `own`.
pub(super) fn window(size: u8, own: Cell) -> Cells {
    WINDOWS[usize::from(size)][usize::from(own)]
}

/// Distances from one cell.
#[derive(Debug)]
pub(super) struct Distances {
    size: u8,
    own: Cell,
    /// Cells that can have a distance, and those that are walked through.
    known: Cells,
    passable: Cells,
    /// The cells met after so many steps.
    within: [Cells; KEPT],
    /// Every cell that can be reached.
    pub(super) reached: Cells,
    /// The coins of the near cells, in the order in which they were thrown, from the lowest bit on.
    coins: u64,
}

impl Distances {
    /// Measures distances from `own` to cells of `known` through cells of `passable`.
    pub(super) fn measure(
        size: u8,
        own: Cell,
        known: Cells,
        passable: Cells,
        draws: &mut impl Draws,
    ) -> Self {
        let mut distances =
            Self { size, own, known, passable, within: [0; KEPT], reached: 0, coins: 0 };
        let mut new = bit(own) & known;
        let mut reached = new;
        // Cells that are met from two, three and four cells at once.
        let mut again = [0; 3];
        let mut count = 0;
        while new != 0 {
            if count < KEPT {
                distances.within[count] = reached;
            }
            count += 1;
            let [up, down, left, right] = steps(size, new & passable);
            let (some, both) = (up | down, up & down);
            let (others, all) = (left | right, left & right);
            new = (some | others) & known & !reached;
            reached |= new;
            again[0] |= (both | all | some & others) & new;
            again[1] |= (both & others | some & all) & new;
            again[2] |= both & all & new;
        }
        distances.reached = reached;
        for within in distances.within.iter_mut().skip(count) {
            *within = reached;
        }
        let near = distances.within[NEAR];
        let thrown = |cells: Cells| again.iter().map(|again| (again & cells).count_ones()).sum();
        let kept: u32 = thrown(near);
        for coin in 0..kept {
            distances.coins |= u64::from(draws.coin()) << coin;
        }
        draws.skip(thrown(!near));
        distances
    }

    /// The cells at most so many steps away.
    pub(super) fn within(&self, most: usize) -> Cells {
        if let Some(&within) = self.within.get(most) {
            return within;
        }
        let mut within = self.within[KEPT - 1];
        for _ in KEPT..=most {
            let around = steps(self.size, within & self.passable);
            within |= around.iter().fold(0, |set, cells| set | cells) & self.known;
        }
        within
    }

    /// The first step to each of the near cells, in the original's order: of several ways of the same
    /// length the coins choose.
    pub(super) fn ways(&self) -> Ways {
        let mut first = [action::STOP; MAX_CELLS];
        let mut queue = [self.own; MOST_NEAR];
        let (mut next, mut end) = (0, 1);
        let mut coins = self.coins;
        let mut met = bit(self.own);
        for distance in 1..=NEAR {
            let here = self.within[distance] & !self.within[distance - 1];
            let last = end;
            for place in next..last {
                let at = queue[place];
                if self.passable & bit(at) == 0 {
                    continue;
                }
                for direction in AROUND {
                    let to = beside(self.size, at, direction);
                    if to == NOWHERE || here & bit(to) == 0 {
                        continue;
                    }
                    let step = if distance == 1 { direction } else { first[usize::from(at)] };
                    if met & bit(to) == 0 {
                        met |= bit(to);
                        first[usize::from(to)] = step;
                        queue[end] = to;
                        end += 1;
                    } else {
                        if coins & 1 == 1 {
                            first[usize::from(to)] = step;
                        }
                        coins >>= 1;
                    }
                }
            }
            next = last;
        }
        Ways { first }
    }
}

/// Cells at most [`NEAR`] steps away, at most.
const MOST_NEAR: usize = 2 * NEAR * (NEAR + 1) + 1;

/// First steps to near cells.
#[derive(Debug)]
pub(super) struct Ways {
    first: [u8; MAX_CELLS],
}

impl Ways {
    /// The first step to a near cell that can be reached; stop for the own one.
    pub(super) fn first(&self, to: Cell) -> u8 {
        self.first[usize::from(to)]
    }
}
