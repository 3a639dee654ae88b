//! A list in blocks: it grows without moving what it holds, in large pages if asked.
//!
//! A descent jumps from node to node all over a tree. With pages of 4 KiB nearly every such jump makes the
//! processor look up where the page lies; with pages of 2 MiB few do, and a deep search gains a sixth.
//! Rows that are read in order gain nothing, and fresh large pages may cost more than small ones.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ops::{Index, IndexMut};
use std::ptr::NonNull;

/// Bytes of a full block: those of a large page.
const BLOCK: usize = 1 << 21;

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Elements that the first block has room for at first. It grows by steps, so that a small tree stays small.
const FIRST: usize = 64;

/// How much the first block grows by.
const GROWTH: usize = 4;

/// A list that is only added to. Elements that are added as a row lie one behind the other.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// All but the first have room for [`Slab::FULL`] elements.
    blocks: Vec<Block<T>>,
    /// How many of the blocks hold something, all but the last of them done with. The others wait for
    /// elements to come.
    used: usize,
    /// Whether blocks after the first are of large pages.
    large: bool,
}

impl<T: Copy> Slab<T> {
    /// Elements of a block, as a power of two.
    const BITS: u32 = (BLOCK / size_of::<T>()).ilog2();

    const FULL: usize = 1 << Self::BITS;

    pub(crate) fn new() -> Self {
        Self { blocks: Vec::new(), used: 0, large: false }
    }

    /// A list whose elements are asked for in no order.
    pub(crate) fn in_large_pages() -> Self {
        Self { large: true, ..Self::new() }
    }

    /// The place of the next element, unless it is the first of a row that does not fit into the block.
    /// So many elements there are, left-out ones at ends of blocks among them.
    pub(crate) fn len(&self) -> usize {
        match self.used {
            0 => 0,
            used => ((used - 1) << Self::BITS) + self.blocks[used - 1].len,
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// The first element.
    pub(crate) fn first(&self) -> Option<&T> {
        self.blocks.first().and_then(|block| block.elements().first())
    }

    /// Forgets all elements. The memory that they took is kept for those to come, because asking the
    /// system for it anew takes a tenth of a search; what they left unused is given back.
    pub(crate) fn clear(&mut self) {
        self.blocks.truncate(self.used);
        self.blocks.iter_mut().for_each(|block| block.len = 0);
        self.used = 0;
    }

    /// Exchanges two elements.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        let (first, second) = (self[a], self[b]);
        self[a] = second;
        self[b] = first;
    }

    /// Forgets the elements from place `len` on, which is one that [`Slab::len`] gave before they came,
    /// or the end of a row.
    pub(crate) fn truncate(&mut self, len: usize) {
        let used = len.div_ceil(Self::FULL);
        for block in &mut self.blocks[used..self.used] {
            block.len = 0;
        }
        self.used = used;
        if let Some(last) = used.checked_sub(1) {
            self.blocks[last].len = len - (last << Self::BITS);
        }
    }

    /// Moves a row towards the front, to `to` or, if it does not fit into that block, to the next; gives
    /// the place. All before it has been moved already, so that no other row is there.
    pub(crate) fn move_row(&mut self, from: usize, to: usize, count: usize) -> usize {
        let mask = Self::FULL - 1;
        let to = if (to & mask) + count > Self::FULL { (to | mask) + 1 } else { to };
        let (source, goal) = (from >> Self::BITS, to >> Self::BITS);
        if from == to || count == 0 {
            return to;
        }
        if source == goal {
            self.blocks[source]
                .elements_mut()
                .copy_within(from & mask..(from & mask) + count, to & mask);
        } else {
            let (left, right) = self.blocks.split_at_mut(source);
            left[goal].put(to & mask, &right[0].elements()[from & mask..][..count]);
        }
        to
    }

    /// Gives memory back of which less than a quarter is in use.
    pub(crate) fn give_back(&mut self) {
        if self.blocks.len() > 4 * self.used.max(1) {
            self.blocks.truncate(2 * self.used.max(1));
        }
    }

    /// Adds an element.
    pub(crate) fn push(&mut self, element: T) {
        self.block_with(1).push(element);
    }

    /// Adds a row of up to [`Slab::FULL`] elements, then `filler` up to `count` of them; gives the place
    /// of the first.
    pub(crate) fn push_row(&mut self, row: &[T], count: usize, filler: T) -> usize {
        if count == 0 {
            return self.len();
        }
        let block = self.block_with(count);
        block.put(block.len, row);
        for _ in row.len()..count {
            block.push(filler);
        }
        self.len() - count
    }

    /// The block in use, with room for `count` more.
    #[inline]
    fn block_with(&mut self, count: usize) -> &mut Block<T> {
        let has_room = self.used > 0
            && self.blocks[self.used - 1].len + count <= self.blocks[self.used - 1].room;
        if !has_room {
            self.make_room(count);
        }
        &mut self.blocks[self.used - 1]
    }

    #[cold]
    fn make_room(&mut self, count: usize) {
        assert!(count <= Self::FULL, "a row fits into a block");
        let first = self.blocks.first().map_or((0, 0), |first| (first.len, first.room));
        if self.used <= 1 && first.0 + count <= Self::FULL {
            if first.0 + count > first.1 {
                let room = (first.0 + count).max(first.1 * GROWTH).max(FIRST).min(Self::FULL);
                let grown = Block::copied(self.blocks.first(), room);
                self.blocks.splice(..self.blocks.len().min(1), [grown]);
            }
            self.used = 1;
            return;
        }
        self.used = self.used.max(1) + 1;
        if self.blocks.is_empty() {
            self.blocks.push(Block::copied(None, FIRST.min(Self::FULL)));
        }
        if self.used > self.blocks.len() {
            self.blocks.push(if self.large {
                Block::large(Self::FULL)
            } else {
                Block::copied(None, Self::FULL)
            });
        }
    }

    /// `count` elements that were added as one row, or as part of one.
    #[inline]
    pub(crate) fn row(&self, start: usize, count: usize) -> &[T] {
        let at = start & (Self::FULL - 1);
        match self.blocks.get(start >> Self::BITS) {
            Some(block) => &block.elements()[at..at + count],
            None => &[],
        }
    }

    /// [`Slab::row`], to be changed.
    #[inline]
    pub(crate) fn row_mut(&mut self, start: usize, count: usize) -> &mut [T] {
        let at = start & (Self::FULL - 1);
        match self.blocks.get_mut(start >> Self::BITS) {
            Some(block) => &mut block.elements_mut()[at..at + count],
            None => &mut [],
        }
    }

    /// Tells the processor that an element will be asked for.
    #[inline]
    pub(crate) fn prefetch(&self, at: usize) {
        if let Some(block) = self.blocks.get(at >> Self::BITS) {
            block.prefetch(at & (Self::FULL - 1));
        }
    }
}

impl<T: Copy> Index<usize> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: usize) -> &T {
        &self.blocks[at >> Self::BITS].elements()[at & (Self::FULL - 1)]
    }
}

impl<T: Copy> IndexMut<usize> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.blocks[at >> Self::BITS].elements_mut()[at & (Self::FULL - 1)]
    }
}

/// Memory for a number of elements, the first of which are there.
///
/// Not a `Vec`, whose memory would begin in the middle of a large page.
#[derive(Debug)]
struct Block<T> {
    start: NonNull<T>,
    len: usize,
    room: usize,
    /// How `start` was allocated.
    layout: Layout,
}

// SAFETY: a block owns its elements as a `Vec` does, and nobody else has its pointer.
#[allow(unsafe_code)]
unsafe impl<T: Send> Send for Block<T> {}
// SAFETY: as above; a shared block gives shared elements alone.
#[allow(unsafe_code)]
unsafe impl<T: Sync> Sync for Block<T> {}

#[allow(unsafe_code)]
impl<T: Copy> Block<T> {
    fn new(room: usize, align: usize) -> Self {
        const { assert!(size_of::<T>() > 0, "elements take room") };
        let layout = Layout::array::<T>(room).and_then(|layout| layout.align_to(align));
        let layout = layout.expect("a block takes a few MiB at most");
        // SAFETY: `layout` has a size, because `T` has one and `room` is not 0.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start.cast()) else { handle_alloc_error(layout) };
        Self { start, len: 0, room, layout }
    }

    /// A block of small pages that begins with the elements of `other`.
    fn copied(other: Option<&Self>, room: usize) -> Self {
        let mut block = Self::new(room, align_of::<T>());
        for &element in other.map_or(&[][..], Self::elements) {
            block.push(element);
        }
        block
    }

    /// A block of large pages where the system has them.
    fn large(room: usize) -> Self {
        let block = Self::new(room, BLOCK);
        #[cfg(target_os = "linux")]
        // SAFETY: the memory is ours; the advice does not change what it holds. If it is refused the
        // pages are small.
        unsafe {
            libc::madvise(block.start.as_ptr().cast(), block.layout.size(), libc::MADV_HUGEPAGE);
        }
        block
    }

    #[inline]
    fn push(&mut self, element: T) {
        assert!(self.len < self.room, "whoever adds has made room");
        // SAFETY: there is room for `room` elements, and `len` is less.
        unsafe { self.start.add(self.len).write(element) };
        self.len += 1;
    }

    /// Writes a row from place `at` on, where elements end or before.
    fn put(&mut self, at: usize, row: &[T]) {
        let known = (self.len - at).min(row.len());
        self.elements_mut()[at..at + known].copy_from_slice(&row[..known]);
        for &element in &row[known..] {
            self.push(element);
        }
    }

    #[inline]
    fn elements(&self) -> &[T] {
        // SAFETY: the first `len` elements have been written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    #[inline]
    fn elements_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    #[inline]
    fn prefetch(&self, at: usize) {
        #[cfg(target_arch = "x86_64")]
        if at < self.len {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the element is inside the block, and asking for it changes nothing.
            unsafe {
                let element: *const i8 = self.start.as_ptr().add(at).cast();
                for line in (0..size_of::<T>()).step_by(LINE) {
                    _mm_prefetch(element.add(line), _MM_HINT_T0);
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = at;
    }
}

#[allow(unsafe_code)]
impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout. Elements are `Copy`, so that nothing is to be dropped.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn elements_are_found_again_across_blocks() {
        let mut slab = Slab::new();
        assert!(slab.is_empty() && slab.first().is_none());
        let count = 2 * Slab::<u64>::FULL + 5;
        for i in 0..count {
            slab.push(i as u64);
            assert_eq!(slab.len(), i + 1);
        }
        assert!((0..count).all(|i| slab[i] == i as u64));
        slab[count - 1] += 7;
        assert_eq!((slab.first(), slab[count - 1]), (Some(&0), count as u64 + 6));
    }

    #[test]
    fn rows_lie_in_one_block() {
        let mut slab = Slab::new();
        let mut rows = Vec::new();
        let mut number = 0_u32;
        while slab.len() < 2 * Slab::<u32>::FULL {
            let row: Vec<u32> = (0..number % 1_000).map(|i| number + i).collect();
            let count = row.len().next_multiple_of(4);
            rows.push((slab.push_row(&row, count, u32::MAX), row));
            number += 1;
        }
        for (start, row) in rows {
            let count = row.len().next_multiple_of(4);
            let found = slab.row_mut(start, count);
            assert_eq!(found[..row.len()], row);
            assert!(found[row.len()..].iter().all(|&filler| filler == u32::MAX));
            assert_eq!(slab.row(start + row.len(), count - row.len()).len(), count - row.len());
        }
    }

    #[test]
    fn memory_is_kept_as_long_as_it_is_used() {
        let mut slab = Slab::new();
        let full = Slab::<u32>::FULL;
        (0..3 * full).for_each(|i| slab.push(i as u32));
        let second = &raw const slab[full];
        slab.clear();
        assert!(slab.is_empty() && slab.first().is_none() && slab.row(full, 0).is_empty());
        (0..=full).for_each(|i| slab.push(i as u32));
        assert!(std::ptr::eq(second, &raw const slab[full]));
        assert_eq!((slab.len(), slab[full], slab.blocks.len()), (full + 1, full as u32, 3));
        slab.clear();
        assert_eq!(slab.blocks.len(), 2);
    }

    #[test]
    fn a_row_as_large_as_a_block_fits() {
        let mut slab = Slab::new();
        slab.push(1_u32);
        let full = Slab::<u32>::FULL;
        let start = slab.push_row(&[], full, 3);
        assert_eq!((start, slab.len()), (full, 2 * full));
        assert_eq!(slab.row(start, full).iter().filter(|&&filler| filler == 3).count(), full);
        assert_eq!(slab[0], 1);
    }

    #[test]
    fn swapping_and_truncating_are_a_vector_s() {
        let full = Slab::<u64>::FULL;
        for len in [0, 1, full - 1, full, full + 1, 2 * full] {
            let (mut slab, mut plain) = (Slab::new(), Vec::new());
            for i in 0..2 * full as u64 + 3 {
                slab.push(i);
                plain.push(i);
            }
            for (a, b) in [(0, 1), (5, full + 2), (2 * full + 2, 7), (3, 3)] {
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

    #[test]
    fn rows_close_up() {
        let mut stream = Stream::new(3);
        let mut slab = Slab::new();
        let mut rows: Vec<(usize, Vec<u64>)> = Vec::new();
        while slab.len() < 3 * Slab::<u64>::FULL {
            let row: Vec<u64> = (0..stream.below(90_000)).map(|_| stream.next_u64()).collect();
            rows.push((slab.push_row(&row, row.len(), 0), row));
        }
        let mut end = 0;
        rows.retain(|_| stream.below(3) > 0);
        for (start, row) in &mut rows {
            *start = slab.move_row(*start, end, row.len());
            end = *start + row.len();
        }
        slab.truncate(end);
        assert_eq!(slab.len(), end);
        assert!(rows.iter().all(|(start, row)| slab.row(*start, row.len()) == row));
        slab.push(5);
        assert_eq!(slab[end], 5);
    }

    #[test]
    fn the_newest_elements_can_be_forgotten() {
        let full = Slab::<u32>::FULL;
        for len in [0, 1, full - 1, full, full + 1] {
            let mut slab = Slab::new();
            (0..len).for_each(|i| slab.push(i as u32));
            for _ in 0..2 {
                let start = slab.push_row(&[7; 9], 9, 0);
                (0..full).for_each(|_| slab.push(8));
                assert!(slab.row(start, 9).iter().all(|&found| found == 7) && start >= len);
                slab.truncate(len);
                assert_eq!((slab.len(), slab.is_empty()), (len, len == 0));
                assert!((0..len).all(|i| slab[i] == i as u32));
            }
        }
    }
}
