//! Counting the sequences of moves of a number of plies, the usual proof of a game's rules.

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::error::Result;
use crate::game::{Game, Turn};
use crate::threads;

/// Depths that are shared between threads piece by piece: below, sharing does not pay; above, the
/// caller would wait too long between two questions whether to go on.
const SHARED: std::ops::RangeInclusive<u32> = 4..=6;

/// A position whose sequences of moves can be counted.
pub trait Countable: Sized + Send + Sync {
    /// The positions after each legal move.
    fn successors(&self) -> Vec<Self>;

    /// The number of sequences of `depth` moves from here.
    fn leaves(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            1 => self.successors().len() as u64,
            _ => self.successors().iter().map(|child| child.leaves(depth - 1)).sum(),
        }
    }
}

/// A state of any game of turns. The end of a game ends a sequence.
#[derive(Clone, Debug)]
pub struct Moves<G>(pub G);

impl<G: Game> Countable for Moves<G> {
    fn successors(&self) -> Vec<Self> {
        let mut actions = Vec::new();
        match self.0.turn_and_actions(&mut actions) {
            Turn::Player(_) => {}
            Turn::Simultaneous(_) | Turn::Over => return Vec::new(),
        }
        let play = |&action| {
            let mut child = self.0.clone();
            // What a game lists as legal it plays.
            child.apply(&[action]).ok().map(|()| Self(child))
        };
        actions.iter().filter_map(play).collect()
    }
}

/// The number of sequences of `depth` moves from `root`, counted on `threads` threads.
///
/// `keep_on` is asked several times a second by the calling thread; once it says no, the count is given
/// up and `None` returned.
pub fn count<C: Countable>(
    root: &C,
    depth: u32,
    threads: Option<usize>,
    mut keep_on: impl FnMut() -> bool,
) -> Result<Option<u64>> {
    let pool = threads::pool(threads)?;
    Ok(below(root, depth, &pool, &mut keep_on))
}

fn below<C: Countable>(
    position: &C,
    depth: u32,
    pool: &ThreadPool,
    keep_on: &mut impl FnMut() -> bool,
) -> Option<u64> {
    if depth < *SHARED.start() {
        return Some(position.leaves(depth));
    }
    if depth > *SHARED.end() {
        return position
            .successors()
            .iter()
            .try_fold(0, |total, child| Some(total + below(child, depth - 1, pool, keep_on)?));
    }
    // Grandchildren: enough pieces of work for many threads, each short.
    let pieces: Vec<C> = position.successors().iter().flat_map(C::successors).collect();
    let mut total = 0;
    for batch in pieces.chunks(8 * pool.current_num_threads()) {
        if !keep_on() {
            return None;
        }
        total += pool.install(|| {
            batch.par_iter().with_max_len(1).map(|piece| piece.leaves(depth - 2)).sum::<u64>()
        });
    }
    Some(total)
}
