//! Going through all games of a vector, threads taking a few rows at a time.

use std::sync::{Mutex, PoisonError};

use super::Vector;
use super::board::Board;
use super::context::Context;
use super::outputs::{Outputs, Sizes};
use crate::error::{Error, Result};
use crate::game::{Game, PlayerSet};
use crate::prefetch;
use crate::threads;

/// A thread takes at least so many games: fewer cost less than waking it.
const GRAIN: usize = 64;

/// Rows that a thread takes at a time, if several share the work.
const CHUNK: usize = 16;

/// What is left of the games and their buffers, cut into chunks of rows.
struct Rest<'a, 'b, G> {
    first: usize,
    boards: &'a mut [Board<G>],
    out: Option<Outputs<'b>>,
    sizes: Sizes,
    chunk: usize,
}

/// A few rows: the first one's number, their games and their share of the buffers.
type Chunk<'a, 'b, G> = (usize, &'a mut [Board<G>], Option<Outputs<'b>>);

impl<'a, 'b, G> Rest<'a, 'b, G> {
    fn next(&mut self) -> Option<Chunk<'a, 'b, G>> {
        let (first, rows) = (self.first, self.chunk.min(self.boards.len()));
        if rows == 0 {
            return None;
        }
        self.first += rows;
        let boards = threads::take_rows(&mut self.boards, rows);
        let out = self.out.as_mut().map(|out| out.take(rows, self.sizes));
        Some((first, boards, out))
    }
}

/// What a pass found.
#[derive(Default)]
struct Found {
    restarted: Vec<usize>,
    awaits: bool,
    /// The error of the lowest row.
    failure: Option<(usize, Error)>,
}

impl<G: Game> Vector<G> {
    /// Runs `work` on every board.
    pub(super) fn each<F>(&mut self, work: F) -> Result<()>
    where
        F: Fn(&Context<G>, &mut Board<G>, usize, Option<(&mut Outputs, usize)>) -> Result<()>
            + Sync,
    {
        self.each_into(None, work)
    }

    /// Runs `work` on every board, a board on one thread. It is given the row, and where there are
    /// buffers a share of them with the row inside that. The error of the lowest row is returned.
    pub(super) fn each_into<F>(&mut self, out: Option<Outputs>, work: F) -> Result<()>
    where
        F: Fn(&Context<G>, &mut Board<G>, usize, Option<(&mut Outputs, usize)>) -> Result<()>
            + Sync,
    {
        let rows = self.boards.len();
        let threads = self.options.threads;
        let parts = threads::parts(threads, rows, GRAIN)?;
        let sizes = self.sizes();
        let context = Context {
            options: &self.options,
            start: &*self.start,
            num_players: self.num_players,
            num_actions: self.num_actions,
            plane_size: self.plane_size,
        };
        let chunk = if parts == 1 { rows } else { CHUNK };
        let mut rest = Rest { first: 0, boards: &mut self.boards, out, sizes, chunk };
        let found = Mutex::new(Found::default());
        threads::share(
            threads,
            parts,
            || rest.next(),
            |(first, boards, mut share)| {
                let mut awaited = PlayerSet(0);
                for local in 0..boards.len() {
                    // What the next ones hold is on its way while this one is worked on.
                    boards.get(local + 2).map(prefetch::value);
                    boards.get(local + 1).map(Board::prefetch);
                    let (row, board) = (first + local, &mut boards[local]);
                    let done =
                        work(&context, board, row, share.as_mut().map(|share| (share, local)));
                    awaited.0 |= board.waiting.0;
                    if board.shown.restarted || done.is_err() {
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        if board.shown.restarted {
                            found.restarted.push(row);
                        }
                        if let Err(error) = done {
                            if found.failure.as_ref().is_none_or(|&(lowest, _)| row < lowest) {
                                found.failure = Some((row, error));
                            }
                            break;
                        }
                    }
                }
                if awaited != PlayerSet(0) {
                    found.lock().unwrap_or_else(PoisonError::into_inner).awaits = true;
                }
            },
        )?;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.restarted = found.restarted;
        self.restarted.sort_unstable();
        self.awaits = found.awaits;
        found.failure.map_or(Ok(()), |(_, error)| Err(error))
    }
}
