//! A list in chunks: it grows without moving what it holds.

use std::ops::{Index, IndexMut};

/// Elements of a chunk, as a power of two.
const BITS: usize = 10;
const CHUNK: usize = 1 << BITS;

/// A list that is only added to. Elements never move, so a large one is not copied as it grows, and
/// their alignment holds.
#[derive(Clone, Debug)]
pub(crate) struct Slab<T> {
    /// All full but the last.
    chunks: Vec<Vec<T>>,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The first element.
    pub(crate) fn first(&self) -> Option<&T> {
        self.chunks.first().and_then(|chunk| chunk.first())
    }

    /// Adds an element.
    pub(crate) fn push(&mut self, element: T) {
        if self.chunks.last().is_none_or(|last| last.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        if let Some(last) = self.chunks.last_mut() {
            last.push(element);
        }
    }
}

impl<T> Index<usize> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.chunks[at >> BITS][at & (CHUNK - 1)]
    }
}

impl<T> IndexMut<usize> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.chunks[at >> BITS][at & (CHUNK - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_where_they_are() {
        let mut slab = Slab::new();
        assert!(slab.is_empty() && slab.first().is_none());
        for i in 0..3 * CHUNK + 5 {
            slab.push(i);
            assert_eq!(slab.len(), i + 1);
        }
        let first = &raw const slab[0];
        slab.push(0);
        assert!(std::ptr::eq(first, &raw const slab[0]));
        slab[CHUNK] += 7;
        assert_eq!((slab[CHUNK], slab[3 * CHUNK + 4]), (CHUNK + 7, 3 * CHUNK + 4));
    }
}
