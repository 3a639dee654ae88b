//! The cells that an agent was on last.

use super::state::{Cell, NOWHERE};

/// The latest `N` cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recent<const N: usize> {
    /// The latest last; [`NOWHERE`] if fewer are known.
    cells: [Cell; N],
}

impl<const N: usize> Default for Recent<N> {
    fn default() -> Self {
        Self { cells: [NOWHERE; N] }
    }
}

impl<const N: usize> Recent<N> {
    /// The cells, the latest last.
    pub(super) const fn cells(self) -> [Cell; N] {
        self.cells
    }

    /// The memory of these cells.
    pub(super) const fn of(cells: [Cell; N]) -> Self {
        Self { cells }
    }

    /// Remembers a cell, and forgets the oldest.
    pub(super) fn push(&mut self, cell: Cell) {
        self.cells.rotate_left(1);
        if let Some(last) = self.cells.last_mut() {
            *last = cell;
        }
    }

    /// Whether a cell of the board is among them.
    pub(super) fn contains(&self, cell: Cell) -> bool {
        cell != NOWHERE && self.cells.contains(&cell)
    }
}
