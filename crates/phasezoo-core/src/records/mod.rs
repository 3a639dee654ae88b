//! Stored games: replaying, labelling and sampling columns of moves, in parallel.
//!
//! A [`Table`] looks at columns that somebody else owns. Labelling checks every move; sampling replays
//! moves that were checked before and is only safe, not strict, with others: it never panics, and a
//! move that no position explains is an error.

mod label;
mod replay;
mod sample;
mod shuffle;

use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::games::{BoardState, PackedMove, Rules};
use crate::rng::mix;

pub use label::Labels;
pub use sample::{Rows, Samples};
pub use shuffle::Permutation;

/// The start positions of games that do not start as usual.
#[derive(Clone, Debug, Default)]
pub struct Starts<R: Rules>(HashMap<usize, BoardState<R>>);

impl<R: Rules> Starts<R> {
    /// From pairs of game and FEN. An error names the game.
    pub fn parse<'a>(starts: impl IntoIterator<Item = (usize, &'a str)>) -> Result<Self> {
        let parse = |(game, fen): (usize, &str)| match BoardState::from_fen(fen) {
            Ok(state) => Ok((game, state)),
            Err(error) => {
                Err(Error::CorruptRecord(format!("game {game}: start position: {error}")))
            }
        };
        Ok(Self(starts.into_iter().map(parse).collect::<Result<_>>()?))
    }
}

/// Games in columns: the moves of all games one after the other, and where each game's begin.
#[derive(Debug)]
pub struct Table<'a, R: Rules> {
    moves: &'a [u16],
    offsets: &'a [i64],
    starts: &'a Starts<R>,
}

impl<'a, R: Rules> Table<'a, R> {
    /// A view of columns whose shape [`Table::check`] has found right, or will.
    pub fn new(moves: &'a [u16], offsets: &'a [i64], starts: &'a Starts<R>) -> Self {
        Self { moves, offsets, starts }
    }

    /// Checks that the offsets cut the moves into games and that start positions belong to games.
    pub fn check(&self) -> Result<()> {
        let ends = (self.offsets.first(), self.offsets.last());
        if ends != (Some(&0), Some(&(self.moves.len() as i64))) || !self.offsets.is_sorted() {
            return Err(Error::CorruptRecord(format!(
                "offsets must rise from 0 to the number of moves, {}; they are {} numbers from {:?} \
                 to {:?}",
                self.moves.len(),
                self.offsets.len(),
                ends.0,
                ends.1
            )));
        }
        match self.starts.0.keys().find(|&&game| game >= self.len()) {
            None => Ok(()),
            Some(game) => Err(Error::CorruptRecord(format!(
                "a start position is given for game {game}; there are {} games",
                self.len()
            ))),
        }
    }

    /// The number of games.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no games.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows of a game among all positions: one for each of its moves.
    fn rows(&self, game: usize) -> Result<Range<usize>> {
        let bound = |index: usize| self.offsets.get(index).map(|&offset| offset as usize);
        match (bound(game), bound(game + 1)) {
            (Some(start), Some(end)) if start <= end && end <= self.moves.len() => Ok(start..end),
            _ => Err(Error::CorruptRecord(format!(
                "there is no game {game}: the table holds {} games",
                self.len()
            ))),
        }
    }

    /// The moves of a game.
    fn game(&self, game: usize) -> Result<&'a [u16]> {
        Ok(&self.moves[self.rows(game)?])
    }

    /// Sets `state` to the start of a game.
    fn start(&self, game: usize, usual: &BoardState<R>, state: &mut BoardState<R>) {
        state.clone_from(self.starts.0.get(&game).unwrap_or(usual));
    }

    /// The states of a game before each of its moves, every move checked.
    pub fn states(&self, game: usize) -> Result<Vec<BoardState<R>>> {
        let moves = self.game(game)?;
        let usual = BoardState::initial();
        let mut state = self.starts.0.get(&game).unwrap_or(&usual).clone();
        let mut states = Vec::with_capacity(moves.len());
        for (ply, &packed) in moves.iter().enumerate() {
            states.push(state.clone());
            play_checked(&mut state, packed, game, ply)?;
        }
        Ok(states)
    }

    /// A number per game that depends on `seed`, its start and its moves alone: games that are the
    /// same get the same one, on every machine.
    pub fn hashes(&self, seed: u64) -> Result<Vec<u64>> {
        (0..self.len())
            .map(|game| {
                let start = self.starts.0.get(&game).map_or(0, BoardState::key);
                let moves = self.game(game)?;
                let fold = |hash: u64, &packed: &u16| {
                    mix(hash.wrapping_add(u64::from(packed)).wrapping_add(1))
                };
                Ok(moves.iter().fold(mix(mix(seed) ^ start), fold))
            })
            .collect()
    }

    /// The moves and offsets of the games `games`, in that order.
    pub fn gather(&self, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)> {
        let mut offsets = vec![0];
        let mut moves = Vec::new();
        for &game in games {
            let index = usize::try_from(game).unwrap_or(usize::MAX - 1);
            moves.extend_from_slice(self.game(index)?);
            offsets.push(moves.len() as i64);
        }
        Ok((moves, offsets))
    }
}

/// Plays a stored move, checked for legality.
fn play_checked<R: Rules>(
    state: &mut BoardState<R>,
    packed: u16,
    game: usize,
    ply: usize,
) -> Result<()> {
    let m = PackedMove(packed)
        .unpack(state.position())
        .map_err(|error| Error::CorruptRecord(format!("game {game}, ply {ply}: {error}")))?;
    state.play_move(m);
    Ok(())
}

#[cfg(test)]
mod tests;
