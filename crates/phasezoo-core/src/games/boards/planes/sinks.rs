//! What planes of a board are written to: floats, words, or the list of what they hold.

use std::slice::IterMut;

use shakmaty::Bitboard;

use super::PLANE;
use crate::planes::{PackedRow, PlaneKind};

/// Takes planes one after the other.
pub(super) trait Sink {
    /// A plane with one value everywhere.
    fn constant(&mut self, value: f32);

    /// A plane with ones on squares that the viewer sees as they stand, else zeros.
    fn squares(&mut self, squares: Bitboard);
}

/// Planes as floats, in a buffer that is cleared first.
///
/// One long clearing and a few single writes beat writing each plane once: processors clear without
/// reading what was there (on buffers larger than the cache a third of the time).
pub(super) struct Floats<'a>(IterMut<'a, [f32; PLANE]>);

impl<'a> Floats<'a> {
    /// A buffer for that many planes.
    pub(super) fn new(out: &'a mut [f32], planes: usize) -> Self {
        assert_eq!(out.len(), planes * PLANE, "the buffer has the size of the planes");
        out.fill(0.0);
        Self(out.as_chunks_mut().0.iter_mut())
    }
}

impl Sink for Floats<'_> {
    fn constant(&mut self, value: f32) {
        if let Some(plane) = self.0.next()
            && value != 0.0
        {
            plane.fill(value);
        }
    }

    fn squares(&mut self, squares: Bitboard) {
        if let Some(plane) = self.0.next() {
            for square in squares {
                plane[square.to_usize()] = 1.0;
            }
        }
    }
}

/// Packed planes: a word for squares, a number for a value.
pub(super) struct Packed<'a> {
    bits: IterMut<'a, u64>,
    numbers: IterMut<'a, f32>,
}

impl<'a> Packed<'a> {
    pub(super) fn new(out: &'a mut PackedRow<'_>) -> Self {
        Self { bits: out.bits.iter_mut(), numbers: out.numbers.iter_mut() }
    }

    /// Whether nothing is left to write.
    pub(super) fn is_full(&self) -> bool {
        self.bits.len() == 0 && self.numbers.len() == 0
    }
}

impl Sink for Packed<'_> {
    fn constant(&mut self, value: f32) {
        if let Some(number) = self.numbers.next() {
            *number = value;
        }
    }

    fn squares(&mut self, squares: Bitboard) {
        if let Some(word) = self.bits.next() {
            *word = squares.0;
        }
    }
}

/// What each plane holds, so that no list of it has to be kept beside the planes.
#[derive(Default)]
pub(super) struct Kinds(pub(super) Vec<PlaneKind>);

impl Sink for Kinds {
    fn constant(&mut self, _value: f32) {
        self.0.push(PlaneKind::Constant);
    }

    fn squares(&mut self, _squares: Bitboard) {
        self.0.push(PlaneKind::Binary);
    }
}
