//! What players see.

use crate::error::{Error, Result};
use crate::game::Player;
use crate::games::connect_four::game::ConnectFour;
use crate::games::connect_four::stones::{COLUMNS, ROWS};
use crate::planes::{PackedRow, PlaneKind};

/// The choices of input planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectFourPlanes {
    /// `[3, 6, 7]`: own stones, theirs, ones if player 0 is to move. Row 0 is the bottom row.
    Default,
}

/// The seven cells of a row as numbers, for every set of stones in it.
const CELLS: [[f32; COLUMNS]; 1 << COLUMNS] = {
    let mut cells = [[0.0; COLUMNS]; 1 << COLUMNS];
    let mut row = 0;
    while row < cells.len() {
        let mut column = 0;
        while column < COLUMNS {
            if row >> column & 1 == 1 {
                cells[row][column] = 1.0;
            }
            column += 1;
        }
        row += 1;
    }
    cells
};

impl ConnectFourPlanes {
    /// The planes of that name.
    pub fn parse(spec: &str) -> Result<Self> {
        match spec {
            "default" => Ok(Self::Default),
            _ => Err(Error::InvalidPlaneSpec(format!(
                "{spec:?}: connect-four has no such planes; choose \"default\""
            ))),
        }
    }

    /// The name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
        }
    }

    /// Channels, height and width.
    pub const fn shape(self) -> [usize; 3] {
        match self {
            Self::Default => [3, ROWS, COLUMNS],
        }
    }

    /// Writes the planes that `player` sees; `out` has exactly the size of [`Self::shape`].
    pub(super) fn write(self, state: &ConnectFour, player: Player, out: &mut [f32]) {
        let Self::Default = self;
        let (cells, rest) = out.split_at_mut(2 * ROWS * COLUMNS);
        let (rows, _) = cells.as_chunks_mut::<COLUMNS>();
        let (own, theirs) = (state.stones(player), state.stones(1 - player));
        for row in 0..ROWS {
            rows[row] = CELLS[usize::from(own.row(row))];
            rows[ROWS + row] = CELLS[usize::from(theirs.row(row))];
        }
        rest.fill(first_moves(state));
    }

    /// What each plane holds.
    pub(super) fn kinds(self) -> Vec<PlaneKind> {
        match self {
            Self::Default => vec![PlaneKind::Binary, PlaneKind::Binary, PlaneKind::Constant],
        }
    }

    /// Writes the planes of [`Self::write`] packed.
    pub(super) fn pack(self, state: &ConnectFour, player: Player, out: &mut PackedRow<'_>) {
        let Self::Default = self;
        out.bits.copy_from_slice(&[state.stones(player).dense(), state.stones(1 - player).dense()]);
        out.numbers.copy_from_slice(&[first_moves(state)]);
    }
}

/// 1 if player 0 is to move.
fn first_moves(state: &ConnectFour) -> f32 {
    if state.player_to_move() == 0 { 1.0 } else { 0.0 }
}
