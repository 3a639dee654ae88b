//! How far a search has looked ahead.

/// Lengths of the descents of a search, from its root, in plies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Descents {
    /// Those of all finished ones together.
    plies: u64,
    /// That of the longest.
    pub(crate) longest: u32,
}

impl Descents {
    /// Counts a finished descent.
    #[inline]
    pub(crate) fn note(&mut self, plies: usize) {
        self.plies += plies as u64;
        self.longest = self.longest.max(plies as u32);
    }

    /// The mean of `count` descents, rounded down; 0 of none.
    pub(crate) fn mean(&self, count: u64) -> u32 {
        self.plies.checked_div(count).unwrap_or(0) as u32
    }
}
