//! Room for planes, as floats or packed, of one state or of several.

use super::PackedRow;
use crate::error::{Error, Result};
use crate::game::{Game, Player};
use crate::records::Stored;
use crate::threads::take_rows;

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

    /// Writes what `player` sees of the state turned by `symmetry`, which it has.
    pub fn encode_turned<G: Stored>(
        &mut self,
        state: &G,
        planes: G::Planes,
        player: Player,
        symmetry: u8,
    ) {
        match self {
            Self::Floats(out) => state.encode_turned(planes, player, symmetry, out),
            Self::Packed(out) => state.encode_turned_packed(planes, player, symmetry, out),
        }
    }

    /// The room of each of `count` states, if it has their size.
    pub fn rows<G: Game>(self, planes: G::Planes, count: usize) -> Result<PlaneRows<'a>> {
        let rows = match &self {
            Self::Floats(_) => {
                let size = G::plane_shape(planes).iter().product();
                PlaneRows { rest: self, left: count, words: 0, floats: size }
            }
            Self::Packed(_) => {
                let layout = G::packed_layout(planes);
                let (words, floats) = (layout.words(), layout.numbers());
                PlaneRows { rest: self, left: count, words, floats }
            }
        };
        rows.check()?;
        Ok(rows)
    }

    /// How many words and floats it has.
    fn len(&self) -> (usize, usize) {
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
    /// Words and floats of one state.
    words: usize,
    floats: usize,
}

impl PlaneRows<'_> {
    /// Takes the room of the first `count` states off, which must be there.
    #[must_use]
    pub fn take_rows(&mut self, count: usize) -> Self {
        let Self { words, floats, .. } = *self;
        self.left -= count;
        let rest = match &mut self.rest {
            PlaneBuffer::Floats(out) => PlaneBuffer::Floats(take_rows(out, count * floats)),
            PlaneBuffer::Packed(PackedRow { bits, numbers }) => PlaneBuffer::Packed(PackedRow {
                bits: take_rows(bits, count * words),
                numbers: take_rows(numbers, count * floats),
            }),
        };
        Self { rest, left: count, words, floats }
    }

    fn check(&self) -> Result<()> {
        let Self { left, words, floats, .. } = *self;
        let found = self.rest.len();
        if found == (left * words, left * floats) {
            return Ok(());
        }
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
