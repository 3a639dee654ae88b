//! Asking the processor for memory that will be read soon.
//!
//! Work that goes through thousands of games, each with a few lists of its own, waits for memory more
//! than it computes, unless the next game is on its way while this one is worked on. Where processors
//! have no such request, nothing is done.

/// The bytes of a cache line.
const LINE: usize = 64;

/// Asks for a value: for what it holds itself, not what it points to.
#[inline]
pub(crate) fn value<T>(value: &T) {
    lines(std::ptr::from_ref(value).cast(), size_of::<T>());
}

/// Asks for the items of a slice.
#[inline]
pub(crate) fn slice<T>(items: &[T]) {
    lines(items.as_ptr().cast(), size_of_val(items));
}

/// Asks for the last `count` items of a slice and for where one more would go.
#[inline]
pub(crate) fn tail<T>(items: &[T], count: usize) {
    let last = &items[items.len().saturating_sub(count)..];
    lines(last.as_ptr().cast(), size_of_val(last) + size_of::<T>());
}

#[inline]
fn lines(first: *const u8, bytes: usize) {
    for offset in (0..bytes).step_by(LINE) {
        line(first.wrapping_add(offset));
    }
    line(first.wrapping_add(bytes.saturating_sub(1)));
}

#[inline]
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn line(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: it is only asked for; an address that cannot be read is ignored.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
}

#[inline]
#[cfg(not(target_arch = "x86_64"))]
fn line(_address: *const u8) {}
