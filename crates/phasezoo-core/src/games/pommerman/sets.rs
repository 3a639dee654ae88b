//! Sets of cells as bits.

use super::config::{MAX_CELLS, MAX_SIZE};
use super::state::{Cell, cell};

/// Cells as bits, row by row.
pub(super) type Cells = u128;

/// The set of one cell.
pub(super) const fn bit(cell: Cell) -> Cells {
    1 << cell
}

/// The cells of a set, row by row.
pub(super) fn each(mut cells: Cells) -> impl Iterator<Item = Cell> {
    std::iter::from_fn(move || {
        let cell = (cells != 0).then(|| cells.trailing_zeros() as Cell)?;
        cells &= cells - 1;
        Some(cell)
    })
}

/// Cells of the first column, by the side of the board.
static FIRST_COLUMN: [Cells; MAX_SIZE + 1] = {
    let mut all = [0; MAX_SIZE + 1];
    let mut size = 1;
    while size <= MAX_SIZE {
        let mut row = 0;
        while row < size {
            all[size] |= 1 << (row * size);
            row += 1;
        }
        size += 1;
    }
    all
};

/// The cells beside those of a set, and some of the set itself; cells off the board may be among them.
#[inline]
pub(super) fn beside_any(size: u8, cells: Cells) -> Cells {
    let first = FIRST_COLUMN[usize::from(size)];
    let last = first << (size - 1);
    cells << size | cells >> size | (cells & !last) << 1 | (cells & !first) >> 1
}

/// The cells that a set reaches by one step up, down, left and right; cells off the board may be among
/// them.
#[inline]
pub(super) fn steps(size: u8, cells: Cells) -> [Cells; 4] {
    let first = FIRST_COLUMN[usize::from(size)];
    let last = first << (size - 1);
    [cells >> size, cells << size, (cells & !first) >> 1, (cells & !last) << 1]
}

/// Row and column of every cell, for every size.
static PLACES: [[(u8, u8); MAX_CELLS]; MAX_SIZE + 1] = {
    let mut all = [[(0, 0); MAX_CELLS]; MAX_SIZE + 1];
    let mut size = 1;
    while size <= MAX_SIZE {
        let mut at = 0;
        while at < size * size {
            all[size][at] = ((at / size) as u8, (at % size) as u8);
            at += 1;
        }
        size += 1;
    }
    all
};

/// Row and column of a cell.
#[inline]
pub(super) fn place(size: u8, cell: Cell) -> (u8, u8) {
    PLACES[usize::from(size)][usize::from(cell)]
}

/// The cells of a rectangle: its rows, then its columns, ends left out.
#[inline]
fn rectangle(size: u8, rows: std::ops::Range<u8>, columns: std::ops::Range<u8>) -> Cells {
    let row: Cells = ((1 << columns.end) - 1) & !((1 << columns.start) - 1);
    rows.fold(0, |cells, r| cells | row << (r * size))
}

/// The cells up to `reach` rows and columns away.
pub(super) fn square(size: u8, at: Cell, reach: u8) -> Cells {
    let (row, column) = place(size, at);
    let span =
        |own: u8| own.saturating_sub(reach)..own.saturating_add(reach).saturating_add(1).min(size);
    rectangle(size, span(row), span(column))
}

/// The cells of the row and the column of `at`, itself among them.
#[inline]
fn cross(size: u8, at: Cell) -> Cells {
    let (row, column) = place(size, at);
    ((1 << size) - 1) << (row * size) | FIRST_COLUMN[usize::from(size)] << column
}

/// The cells in line with `at`, up to `reach` away, itself among them; walls are not looked at.
#[inline]
pub(super) fn line(size: u8, at: Cell, reach: u8) -> Cells {
    let all = cross(size, at);
    if reach >= size { all } else { all & square(size, at, reach) }
}

/// What the cells of a board show: the four bits of their codes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    bits: [Cells; 4],
}

impl Shown {
    pub(super) fn new(board: &[u8; MAX_CELLS]) -> Self {
        /// The lowest bit of eight bytes, and the factor that gathers these in the highest byte.
        const LOWEST: u64 = 0x0101_0101_0101_0101;
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let mut bytes = [0; Cells::BITS as usize];
        bytes[..MAX_CELLS].copy_from_slice(board);
        let mut halves = [[0_u64; 4]; 2];
        for (half, bytes) in halves.iter_mut().zip(bytes.chunks_exact(64)) {
            for (place, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
                let eight = u64::from_le_bytes(*eight);
                for (bit, gathered) in half.iter_mut().enumerate() {
                    let row = (eight >> bit & LOWEST).wrapping_mul(GATHER) >> 56;
                    *gathered |= row << (8 * place);
                }
            }
        }
        let [low, high] = halves;
        Self { bits: std::array::from_fn(|i| Cells::from(low[i]) | Cells::from(high[i]) << 64) }
    }

    /// The cells that show a code. Beyond the end of the board there are passages.
    #[inline]
    pub(super) fn code(&self, code: u8) -> Cells {
        let one = |bit: usize| if code >> bit & 1 == 1 { self.bits[bit] } else { !self.bits[bit] };
        one(0) & one(1) & one(2) & one(3)
    }

    /// The cells that show [`cell::AGENT`] or more.
    #[inline]
    pub(super) fn figures(&self) -> Cells {
        // 10 to 15: the highest bit and one of the two in the middle.
        self.bits[3] & (self.bits[2] | self.bits[1])
    }

    /// The cells that show a power-up.
    #[inline]
    pub(super) fn power_ups(&self) -> Cells {
        self.code(cell::EXTRA_BOMB) | self.code(cell::RANGE) | self.code(cell::KICK)
    }
}

const _: () = assert!(MAX_CELLS <= Cells::BITS as usize, "a board fits a set");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pommerman::state::{NOWHERE, beside};

    #[test]
    fn neighbours_are_those_of_the_table() {
        for size in 4..=11_u8 {
            let board = (1 << (u32::from(size) * u32::from(size))) - 1;
            for cell in 0..size * size {
                let expected = (1..=4)
                    .map(|direction| beside(size, cell, direction))
                    .filter(|&next| next != NOWHERE)
                    .fold(0, |set, next| set | bit(next));
                assert_eq!(beside_any(size, bit(cell)) & board, expected, "{size} {cell}");
            }
            assert_eq!(each(board).count(), usize::from(size) * usize::from(size));
        }
    }

    #[test]
    fn lines_and_squares_are_those_of_rows_and_columns() {
        for size in 4..=11_u8 {
            let cells = size * size;
            let set = |is_in: &dyn Fn(u8, u8) -> bool, at: Cell| {
                let away =
                    |to: Cell| ((to / size).abs_diff(at / size), (to % size).abs_diff(at % size));
                let mut all = 0;
                for to in 0..cells {
                    let (rows, columns) = away(to);
                    all |= Cells::from(is_in(rows, columns)) << to;
                }
                all
            };
            for at in 0..cells {
                for reach in [0, 1, 2, 4, 10, 11, 200, 254, 255] {
                    let in_line = |r: u8, c: u8| (r == 0 || c == 0) && r + c <= reach;
                    assert_eq!(line(size, at, reach), set(&in_line, at), "{size} {at} {reach}");
                    let in_square = |r: u8, c: u8| r.max(c) <= reach;
                    assert_eq!(square(size, at, reach), set(&in_square, at), "{size} {at} {reach}");
                }
                let around = steps(size, bit(at)).map(|to| to & ((1 << cells) - 1));
                assert_eq!(
                    around.iter().fold(0, |set, to| set | to),
                    beside_any(size, bit(at)) & ((1 << cells) - 1)
                );
                for (direction, to) in around.into_iter().enumerate() {
                    let next = beside(size, at, direction as u8 + 1);
                    assert_eq!(to, if next == NOWHERE { 0 } else { bit(next) });
                }
            }
        }
    }

    #[test]
    fn codes_are_found_cell_by_cell() {
        let board: [u8; MAX_CELLS] = std::array::from_fn(|at| (at * 7 % 14) as u8);
        let shown = Shown::new(&board);
        for code in 0..14 {
            let expected = each((1 << MAX_CELLS) - 1).filter(|&at| board[usize::from(at)] == code);
            assert_eq!(
                shown.code(code) & ((1 << MAX_CELLS) - 1),
                expected.fold(0, |set, at| set | bit(at)),
                "{code}"
            );
        }
    }
}
