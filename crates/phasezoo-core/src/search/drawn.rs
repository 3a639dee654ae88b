//! How many of the simulations through each of the root's moves were expected to end as draws.

/// Units of a sum of shares per 1.0: sums are whole, and do not depend on the order of leaves.
const UNIT: f64 = 4_294_967_296.0;

/// Chances of a draw, added up over the simulations of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drawn {
    count: u32,
    sum: i64,
}

impl Drawn {
    /// Counts a simulation that ended in a draw with this chance.
    fn add(&mut self, chance: f32) {
        self.count += 1;
        self.sum += (f64::from(chance) * UNIT) as i64;
    }

    /// The mean; `None` of none.
    pub(crate) fn mean(&self) -> Option<f32> {
        (self.count > 0).then(|| (self.sum as f64 / UNIT / f64::from(self.count)) as f32)
    }
}

/// Counts a simulation through one of the root's slots.
#[inline]
pub(crate) fn note(drawn: &mut [Drawn], slot: u32, chance: f32) {
    if let Some(drawn) = drawn.get_mut(slot as usize) {
        drawn.add(chance);
    }
}
