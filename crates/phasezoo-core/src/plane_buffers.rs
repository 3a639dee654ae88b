//! Room for planes, as floats or packed, of one state or of several.

use crate::error::{Error, Result};
use crate::game::{Game, Player};
use crate::planes::PackedRow;
use crate::threads::take_rows;

/// The room that the planes of one state take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneSize {
    /// Words, if they are packed.
    pub words: usize,
    /// Floats: those of the planes, or if they are packed their numbers.
    pub floats: usize,
}

impl PlaneSize {
    /// That of a choice of planes as floats, or packed.
    pub fn of<G: Game>(planes: G::Planes, packed: bool) -> Self {
        if packed {
            let layout = G::packed_layout(planes);
            return Self { words: layout.words(), floats: layout.numbers() };
        }
        Self { words: 0, floats: G::plane_shape(planes).iter().product() }
    }

    /// In bytes.
    pub const fn bytes(self) -> usize {
        8 * self.words + 4 * self.floats
    }
}

/// Room for the planes of one state, or of several one after the other.
#[derive(Debug)]
pub enum PlaneBuffer<'a> {
    /// `[.., C, H, W]`.
    Floats(&'a mut [f32]),
    /// In the packed form.
    Packed(PackedRow<'a>),
}

impl<'a> PlaneBuffer<'a> {
    /// Writes what `player` sees; the room is that of one state.
    pub fn encode<G: Game>(&mut self, state: &G, planes: G::Planes, player: Player) {
        match self {
            Self::Floats(out) => state.encode(planes, player, out),
            Self::Packed(out) => state.encode_packed(planes, player, out),
        }
    }

    /// The room of each of `count` states, if it has their size.
    pub fn rows<G: Game>(self, planes: G::Planes, count: usize) -> Result<PlaneRows<'a>> {
        let size = PlaneSize::of::<G>(planes, matches!(self, Self::Packed(_)));
        let rows = PlaneRows { rest: self, left: count, size };
        rows.check()?;
        Ok(rows)
    }

    /// Takes the room of the first `count` states off, which must be there.
    #[must_use]
    pub fn take(&mut self, count: usize, size: PlaneSize) -> Self {
        match self {
            Self::Floats(out) => Self::Floats(take_rows(out, count * size.floats)),
            Self::Packed(PackedRow { bits, numbers }) => Self::Packed(PackedRow {
                bits: take_rows(bits, count * size.words),
                numbers: take_rows(numbers, count * size.floats),
            }),
        }
    }

    /// The room of one of the states.
    pub(crate) fn row(&mut self, row: usize, size: PlaneSize) -> PlaneBuffer<'_> {
        let floats = row * size.floats..(row + 1) * size.floats;
        match self {
            Self::Floats(out) => PlaneBuffer::Floats(&mut out[floats]),
            Self::Packed(PackedRow { bits, numbers }) => PlaneBuffer::Packed(PackedRow {
                bits: &mut bits[row * size.words..(row + 1) * size.words],
                numbers: &mut numbers[floats],
            }),
        }
    }

    /// Whether it has the room of `count` states, no more and no less.
    pub(crate) fn fits(&self, count: usize, size: PlaneSize) -> bool {
        self.len() == (count * size.words, count * size.floats)
    }

    /// How many words and floats it has.
    pub(crate) fn len(&self) -> (usize, usize) {
        match self {
            Self::Floats(out) => (0, out.len()),
            Self::Packed(out) => (out.bits.len(), out.numbers.len()),
        }
    }
}

/// The room of one state after the other.
#[derive(Debug)]
pub struct PlaneRows<'a> {
    rest: PlaneBuffer<'a>,
    left: usize,
    size: PlaneSize,
}

impl PlaneRows<'_> {
    /// Takes the room of the first `count` states off, which must be there.
    #[must_use]
    pub fn take_rows(&mut self, count: usize) -> Self {
        self.left -= count;
        Self { rest: self.rest.take(count, self.size), left: count, size: self.size }
    }

    fn check(&self) -> Result<()> {
        let Self { left, size, .. } = *self;
        if self.rest.fits(left, size) {
            return Ok(());
        }
        let PlaneSize { words, floats } = size;
        let found = self.rest.len();
        Err(Error::InvalidArray(format!(
            "planes of {left} states are {words} words and {floats} numbers each; there is room for \
             {} and {} in all",
            found.0, found.1
        )))
    }
}

impl<'a> Iterator for PlaneRows<'a> {
    type Item = PlaneBuffer<'a>;

    fn next(&mut self) -> Option<PlaneBuffer<'a>> {
        (self.left > 0).then(|| self.take_rows(1).rest)
    }
}
