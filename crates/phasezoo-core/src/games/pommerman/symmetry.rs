//! The eight symmetries of the board, for planes and actions.

use super::planes::{BOARD_CHANNELS, SIDEWAYS, UPWARDS};
use super::state::action;

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

    /// Turns the planes of a board of that size; `room` is as long as one of them.
    pub fn turn(self, size: usize, planes: &mut [f32], room: &mut [f32]) {
        if self == Self::new(0) {
            return;
        }
        let cells = size * size;
        for plane in planes.chunks_exact_mut(cells).take(BOARD_CHANNELS) {
            for row in 0..size {
                for column in 0..size {
                    let (to_row, to_column) = self.place(size, row, column);
                    room[to_row * size + to_column] = plane[row * size + column];
                }
            }
            plane.copy_from_slice(&room[..cells]);
        }
        // Movement is to the right and upwards: both change with the board.
        let (sideways, upwards) = planes[SIDEWAYS * cells..].split_at_mut(cells);
        let upwards = &mut upwards[(UPWARDS - SIDEWAYS - 1) * cells..][..cells];
        for (right, up) in sideways.iter_mut().zip(upwards) {
            let across = if self.mirrors_columns { -*right } else { *right };
            let along = if self.mirrors_rows { -*up } else { *up };
            (*right, *up) = if self.swaps { (-along, -across) } else { (across, along) };
        }
    }
}

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
                state.write_planes(player, &mut planes);
                symmetry.turn(11, &mut planes, &mut [0.0; 121]);
                turned(&state, symmetry).write_planes(player, &mut expected);
                assert_eq!(planes, expected, "{symmetry:?}");
            }
        }
        assert!(rolling > 20, "{rolling} bombs rolled");
    }
}
