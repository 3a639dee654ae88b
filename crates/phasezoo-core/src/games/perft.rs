//! Counting the positions a number of plies away, the usual proof of a move generator.

use rayon::prelude::*;

use crate::error::Result;
use crate::games::rules::Rules;
use crate::threads;

/// Depth from which counting is worth sharing between threads.
const SHARED_DEPTH: u32 = 4;

/// The number of move sequences of `depth` plies from `position`; draws do not end them. The last ply
/// is counted, not played.
pub fn perft<R: Rules>(position: &R, depth: u32) -> u64 {
    shakmaty::perft(position, depth)
}

/// [`perft`] on `threads` threads.
///
/// `keep_on` is asked now and then by the calling thread; once it says no, the count is given up and
/// `None` returned.
pub fn perft_shared<R: Rules>(
    position: &R,
    depth: u32,
    threads: Option<usize>,
    mut keep_on: impl FnMut() -> bool,
) -> Result<Option<u64>> {
    let pool = threads::pool(threads)?;
    if depth < SHARED_DEPTH {
        return Ok(Some(perft(position, depth)));
    }
    // The root's grandchildren: enough pieces of work for many threads, each short.
    let pieces: Vec<R> =
        successors(position).flat_map(|child| successors(&child).collect::<Vec<R>>()).collect();
    let mut total = 0;
    for batch in pieces.chunks(4 * pool.current_num_threads()) {
        if !keep_on() {
            return Ok(None);
        }
        total += pool.install(|| {
            batch.par_iter().with_max_len(1).map(|piece| perft(piece, depth - 2)).sum::<u64>()
        });
    }
    Ok(Some(total))
}

fn successors<R: Rules>(position: &R) -> impl Iterator<Item = R> {
    position.legal_moves().into_iter().map(move |m| {
        let mut child = position.clone();
        child.play_unchecked(m);
        child
    })
}
