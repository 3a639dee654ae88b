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

/// Rows that a thread takes at a time.
const CHUNK: usize = 16;

/// What is left of the games and their buffers, cut into chunks of rows.
struct Rest<'a, 'b, G> {
    first: usize,
    boards: &'a mut [Board<G>],
    out: Option<Outputs<'b>>,
    sizes: Sizes,
}

/// A few rows: the first one's number, their games and their share of the buffers.
type Chunk<'a, 'b, G> = (usize, &'a mut [Board<G>], Option<Outputs<'b>>);

impl<'a, 'b, G> Rest<'a, 'b, G> {
    fn next(&mut self) -> Option<Chunk<'a, 'b, G>> {
        let (first, rows) = (self.first, CHUNK.min(self.boards.len()));
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
        F: Fn(&Context<G>, &mut Board<G>, usize) -> Result<()> + Sync,
    {
        self.each_into(None, work)
    }

    /// Runs `work` on every board and its row, a board on one thread, and writes what the learners see
    /// where there are buffers. The error of the lowest row is returned.
    pub(super) fn each_into<F>(&mut self, out: Option<Outputs>, work: F) -> Result<()>
    where
        F: Fn(&Context<G>, &mut Board<G>, usize) -> Result<()> + Sync,
    {
        let threads = self.options.threads;
        let parts = threads::parts(threads, self.boards.len(), GRAIN)?;
        let sizes = self.sizes();
        let context = Context {
            options: &self.options,
            start: &*self.start,
            num_players: self.num_players,
            num_actions: self.num_actions,
            plane_size: self.plane_size,
        };
        let mut rest = Rest { first: 0, boards: &mut self.boards, out, sizes };
        let found = Mutex::new(Found::default());
        let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
        threads::share(
            threads,
            parts,
            || rest.next(),
            |(first, boards, out)| {
                for local in 0..boards.len() {
                    // What the next ones hold is on its way while this one is worked on.
                    boards.get(local + 2).map(prefetch::value);
                    boards.get(local + 1).map(Board::prefetch);
                    let (row, board) = (first + local, &mut boards[local]);
                    let done = work(&context, board, row);
                    if board.shown.restarted {
                        lock().restarted.push(row);
                    }
                    if board.waiting != PlayerSet(0) {
                        lock().awaits = true;
                    }
                    if let Err(error) = done {
                        let mut found = lock();
                        if found.failure.as_ref().is_none_or(|&(lowest, _)| row < lowest) {
                            found.failure = Some((row, error));
                        }
                        return;
                    }
                }
                // Rules and planes are much code each: one after the other they would push each other out.
                if let Some(mut out) = out {
                    for (local, board) in boards.iter().enumerate() {
                        board.write(&context, &mut out, local);
                    }
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
