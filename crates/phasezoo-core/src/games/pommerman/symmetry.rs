//! The eight symmetries of the board, for planes and actions.

use super::config::{MAX_CELLS, MAX_SIZE};
use super::state::{Cell, action};

/// How many symmetries there are.
pub const SYMMETRIES: usize = 8;

/// A symmetry: columns mirrored, rows mirrored, then rows and columns swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    mirrors_columns: bool,
    mirrors_rows: bool,
    swaps: bool,
}

impl Symmetry {
    /// Symmetry `index`, whose three lowest bits say what is done; 0 changes nothing.
    pub const fn new(index: u8) -> Self {
        Self {
            mirrors_columns: index & 1 != 0,
            mirrors_rows: index & 2 != 0,
            swaps: index & 4 != 0,
        }
    }

    /// Where a place of a board goes.
    pub const fn place(self, size: usize, row: usize, column: usize) -> (usize, usize) {
        let column = if self.mirrors_columns { size - 1 - column } else { column };
        let row = if self.mirrors_rows { size - 1 - row } else { row };
        if self.swaps { (column, row) } else { (row, column) }
    }

    /// What an action becomes.
    pub const fn action(self, given: u8) -> u8 {
        use action::{DOWN, LEFT, RIGHT, UP};
        let mirrored = match given {
            LEFT if self.mirrors_columns => RIGHT,
            RIGHT if self.mirrors_columns => LEFT,
            UP if self.mirrors_rows => DOWN,
            DOWN if self.mirrors_rows => UP,
            other => other,
        };
        match mirrored {
            UP if self.swaps => LEFT,
            LEFT if self.swaps => UP,
            DOWN if self.swaps => RIGHT,
            RIGHT if self.swaps => DOWN,
            other => other,
        }
    }

    /// Where each cell of a board of that size goes.
    pub(super) fn places(self, size: u8) -> &'static [Cell; MAX_CELLS] {
        let index = usize::from(self.mirrors_columns)
            | usize::from(self.mirrors_rows) << 1
            | usize::from(self.swaps) << 2;
        &PLACES[usize::from(size)][index]
    }
}

/// Where each cell goes, for every size and symmetry.
static PLACES: [[[Cell; MAX_CELLS]; SYMMETRIES]; MAX_SIZE + 1] = {
    let mut places = [[[0; MAX_CELLS]; SYMMETRIES]; MAX_SIZE + 1];
    let mut size = 1;
    while size <= MAX_SIZE {
        let mut index = 0;
        while index < SYMMETRIES {
            let mut at = 0;
            while at < size * size {
                let (row, column) = Symmetry::new(index as u8).place(size, at / size, at % size);
                places[size][index][at] = (row * size + column) as Cell;
                at += 1;
            }
            index += 1;
        }
        size += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pommerman::twister::Twister;
    use crate::games::pommerman::{Agent, Bomb, CHANNELS, Config, Flame, Mode, Parts, State};

    /// The same state on the turned board.
    fn turned(state: &State, symmetry: Symmetry) -> State {
        let size = usize::from(state.config().size);
        let place = |at: u8| {
            let (row, column) =
                symmetry.place(size, usize::from(at) / size, usize::from(at) % size);
            (row * size + column) as u8
        };
        let parts = state.parts();
        let mut board = parts.board.clone();
        for (at, &shown) in parts.board.iter().enumerate() {
            board[usize::from(place(at as u8))] = shown;
        }
        let agent = |agent: &Agent| Agent { cell: place(agent.cell), ..*agent };
        let bomb = |bomb: &Bomb| Bomb {
            cell: place(bomb.cell),
            direction: symmetry.action(bomb.direction),
            ..*bomb
        };
        let flame = |flame: &Flame| Flame { cell: place(flame.cell), ..*flame };
        let parts = Parts {
            board,
            agents: parts.agents.iter().map(agent).collect(),
            bombs: parts.bombs.iter().map(bomb).collect(),
            flames: parts.flames.iter().map(flame).collect(),
            items: parts.items.iter().map(|&(at, kind)| (place(at), kind)).collect(),
            step_count: parts.step_count,
        };
        State::from_parts(*state.config(), &parts).unwrap()
    }

    #[test]
    fn turned_planes_are_the_planes_of_the_turned_board() {
        let mut random = crate::rng::Stream::new(3);
        let mut rolling = 0;
        for game in 0..60 {
            let mut state =
                State::new(Config::new(Mode::Ffa, false, false), &mut Twister::new(game));
            for agent in &mut state.agents {
                agent.can_kick = true;
            }
            while !state.is_over() {
                state.step(std::array::from_fn(|_| random.below(6) as u8));
                rolling += state.bombs().iter().filter(|bomb| bomb.direction > 0).count();
                let symmetry = Symmetry::new(random.below(SYMMETRIES) as u8);
                let player = random.below(4) as u8;
                let size = CHANNELS * state.config().cells();
                let (mut planes, mut expected) = (vec![0.0; size], vec![0.0; size]);
                state.write_turned(player, symmetry, &mut planes);
                turned(&state, symmetry).write_planes(player, &mut expected);
                assert_eq!(planes, expected, "{symmetry:?}");
            }
        }
        assert!(rolling > 20, "{rolling} bombs rolled");
    }
}
