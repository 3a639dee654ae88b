//! Sets of cells as bits.

use super::config::{MAX_CELLS, MAX_SIZE};
use super::state::Cell;

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
}
