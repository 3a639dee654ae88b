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

    /// Exchanges two elements.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let (low, high) = (a.min(b), a.max(b));
        if low >> BITS == high >> BITS {
            self.chunks[low >> BITS].swap(low & (CHUNK - 1), high & (CHUNK - 1));
            return;
        }
        let (left, right) = self.chunks.split_at_mut(high >> BITS);
        std::mem::swap(
            &mut left[low >> BITS][low & (CHUNK - 1)],
            &mut right[0][high & (CHUNK - 1)],
        );
    }

    /// Forgets all elements but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.chunks.truncate(len.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut() {
            last.truncate(len - (len.div_ceil(CHUNK) - 1) * CHUNK);
        }
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

    #[test]
    fn swapping_and_truncating_are_a_vector_s() {
        for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
            let (mut slab, mut plain) = (Slab::new(), Vec::new());
            for i in 0..2 * CHUNK + 3 {
                slab.push(i);
                plain.push(i);
            }
            for (a, b) in [(0, 1), (5, CHUNK + 2), (2 * CHUNK + 2, 7), (3, 3)] {
                slab.swap(a, b);
                plain.swap(a, b);
            }
            slab.truncate(len);
            plain.truncate(len);
            slab.push(1);
            plain.push(1);
            assert_eq!((0..slab.len()).map(|i| slab[i]).collect::<Vec<_>>(), plain);
        }
    }
}
