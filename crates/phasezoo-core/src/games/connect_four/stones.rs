//! Sets of cells as bits: drops, lines of four, threats, the mirror image.
//!
//! Bit `8 * row + column` is a cell, row 0 at the bottom. Bit 7 of each row is always empty, so that a
//! line that is shifted over the right edge does not come in again on the left.

/// How many columns there are.
pub const COLUMNS: usize = 7;

/// How many rows there are.
pub const ROWS: usize = 6;

/// Bits between neighbours in a line: beside, above, and along both diagonals.
const DIRECTIONS: [u32; 4] = [1, 8, 9, 7];

/// Every cell of the board.
const BOARD: u64 = 0x7f7f_7f7f_7f7f;

/// The cells of column 0.
const FIRST_COLUMN: u64 = 0x0101_0101_0101;

/// Where the top row begins.
const TOP: usize = 8 * (ROWS - 1);

/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones(pub u64);

impl Stones {
    /// The seven cells of `row` as bits, column 0 the lowest.
    pub const fn row(self, row: usize) -> u8 {
        (self.0 >> (8 * row)) as u8
    }

    /// The cells as bits without those between rows: cell `7 * row + column` is that bit.
    pub const fn dense(self) -> u64 {
        let mut dense = 0;
        let mut row = 0;
        while row < ROWS {
            dense |= (self.row(row) as u64) << (COLUMNS * row);
            row += 1;
        }
        dense
    }

    /// Columns that still have an empty cell, as bits, where `self` holds all stones.
    pub const fn open_columns(self) -> u8 {
        !(self.0 >> TOP) as u8 & 0x7f
    }

    /// The cell that a stone dropped into `column` takes, where `self` holds all stones; no cell if the
    /// column is full.
    #[must_use]
    pub const fn landing(self, column: usize) -> Self {
        let free = !self.0 & (FIRST_COLUMN << column);
        Self(free & free.wrapping_neg())
    }

    /// Whether four of these are in a line.
    pub fn has_line(self) -> bool {
        DIRECTIONS.iter().any(|&step| {
            let pairs = self.0 & (self.0 >> step);
            pairs & (pairs >> (2 * step)) != 0
        })
    }

    /// Cells that would make a line of four with three of these, whether empty or not.
    #[must_use]
    pub fn completions(self) -> Self {
        let own = self.0;
        let mut cells = 0;
        for step in DIRECTIONS {
            // Two neighbours of a cell on one side, then: three on that side, or two and one on the
            // other.
            let up = (own << step) & (own << (2 * step));
            let down = (own >> step) & (own >> (2 * step));
            cells |= up & ((own << (3 * step)) | (own >> step));
            cells |= down & ((own >> (3 * step)) | (own << step));
        }
        Self(cells & BOARD)
    }

    /// The mirror image, column 0 becoming the last.
    #[must_use]
    pub fn mirrored(self) -> Self {
        // All bits reversed turn rows and columns around; the bytes swapped back leave each row
        // reversed over eight columns.
        Self(self.0.reverse_bits().swap_bytes() >> 1 & BOARD)
    }

    /// The cells in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The cells that are in this set alone.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How many cells there are.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the whole board is taken.
    pub const fn is_full(self) -> bool {
        self.0 == BOARD
    }
}
