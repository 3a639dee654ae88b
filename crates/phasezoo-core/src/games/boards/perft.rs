//! Counting the positions a number of plies away, the usual proof of a move generator.

use rayon::ThreadPool;
use rayon::prelude::*;
use shakmaty::Position;

use crate::error::Result;
use crate::threads;

/// Depths that are shared between threads piece by piece: below, sharing does not pay; above, the
/// caller would wait too long between two questions whether to go on.
const SHARED: std::ops::RangeInclusive<u32> = 4..=6;

/// The number of move sequences of `depth` plies from `position`; draws do not end them. The last ply
/// is counted, not played.
pub fn perft<P: Position + Clone + Send + Sync>(position: &P, depth: u32) -> u64 {
    shakmaty::perft(position, depth)
}

/// [`perft`] on `threads` threads.
///
/// `keep_on` is asked several times a second by the calling thread; once it says no, the count is given
/// up and `None` returned.
pub fn perft_shared<P: Position + Clone + Send + Sync>(
    position: &P,
    depth: u32,
    threads: Option<usize>,
    mut keep_on: impl FnMut() -> bool,
) -> Result<Option<u64>> {
    let pool = threads::pool(threads)?;
    Ok(count(position, depth, &pool, &mut keep_on))
}

fn count<P: Position + Clone + Send + Sync>(
    position: &P,
    depth: u32,
    pool: &ThreadPool,
    keep_on: &mut impl FnMut() -> bool,
) -> Option<u64> {
    if depth < *SHARED.start() {
        return Some(perft(position, depth));
    }
    if depth > *SHARED.end() {
        return successors(position)
            .iter()
            .try_fold(0, |total, child| Some(total + count(child, depth - 1, pool, keep_on)?));
    }
    // Grandchildren: enough pieces of work for many threads, each short.
    let pieces: Vec<P> = successors(position).iter().flat_map(successors).collect();
    let mut total = 0;
    for batch in pieces.chunks(8 * pool.current_num_threads()) {
        if !keep_on() {
            return None;
        }
        total += pool.install(|| {
            batch.par_iter().with_max_len(1).map(|piece| perft(piece, depth - 2)).sum::<u64>()
        });
    }
    Some(total)
}

fn successors<P: Position + Clone + Send + Sync>(position: &P) -> Vec<P> {
    let play = |m| {
        let mut child = position.clone();
        child.play_unchecked(m);
        child
    };
    position.legal_moves().into_iter().map(play).collect()
}
