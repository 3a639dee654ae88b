//! Stored games: replaying, labelling and sampling columns of moves, in parallel.
//!
//! A [`Table`] looks at columns that somebody else owns. Labelling checks every move; sampling replays
//! moves that were checked before and is only safe, not strict, with others: it never panics, and a
//! move that no position explains is an error.

mod label;
mod sample;
mod shuffle;

use std::collections::HashMap;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::game::{Action, Game, Player};
use crate::rng::mix;

pub use label::Labels;
pub use sample::{Rows, Samples};
pub use shuffle::Permutation;

/// A game of turns whose games can be stored: a start, written as text, and sixteen bits for each move.
pub trait Stored: Game {
    /// The start of games that name no other.
    fn usual_start() -> Self;

    /// The start that a text describes.
    fn parse_start(text: &str) -> Result<Self>;

    /// The action of a stored move; an error if no legal move fits it.
    fn stored_action(&self, code: u16) -> Result<Action>;

    /// Plays a stored move, checked for legality.
    fn play_stored(&mut self, code: u16) -> Result<()> {
        let action = self.stored_action(code)?;
        self.apply(&[action])
    }

    /// A state that planes and actions cannot tell from the one after `codes` from `start`. The moves
    /// were legal when they were stored; others give an error or a wrong state, never a panic.
    fn replayed(start: &Self, codes: &[u16]) -> Result<Self> {
        let mut state = start.clone();
        codes.iter().try_for_each(|&code| state.play_stored(code))?;
        Ok(state)
    }

    /// Hides the moves so far from planes, in games whose planes show them.
    fn hide_history(&mut self) {}
}

/// The start positions of games that do not start as usual.
#[derive(Clone, Debug)]
pub struct Starts<G>(HashMap<usize, G>);

impl<G> Default for Starts<G> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<G: Stored> Starts<G> {
    /// From pairs of game and start, as text. An error names the game.
    pub fn parse<'a>(starts: impl IntoIterator<Item = (usize, &'a str)>) -> Result<Self> {
        let parse = |(game, text): (usize, &str)| match G::parse_start(text) {
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
pub struct Table<'a, G> {
    moves: &'a [u16],
    offsets: &'a [i64],
    starts: &'a Starts<G>,
}

impl<'a, G: Stored> Table<'a, G> {
    /// A view of columns whose shape [`Table::check`] has found right, or will.
    pub fn new(moves: &'a [u16], offsets: &'a [i64], starts: &'a Starts<G>) -> Self {
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
    pub(crate) fn rows(&self, game: usize) -> Result<Range<usize>> {
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
    pub(crate) fn game(&self, game: usize) -> Result<&'a [u16]> {
        Ok(&self.moves[self.rows(game)?])
    }

    /// Sets `state` to the start of a game.
    fn start(&self, game: usize, usual: &G, state: &mut G) {
        state.clone_from(self.starts.0.get(&game).unwrap_or(usual));
    }

    /// The states of a game before each of its moves, every move checked.
    pub fn states(&self, game: usize) -> Result<Vec<G>> {
        let moves = self.game(game)?;
        let usual = G::usual_start();
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
                let start = self.starts.0.get(&game).map_or(0, G::key);
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

/// Plays a stored move, checked for legality; an error says where it stands.
fn play_checked<G: Stored>(state: &mut G, code: u16, game: usize, ply: usize) -> Result<()> {
    state
        .play_stored(code)
        .map_err(|error| Error::CorruptRecord(format!("game {game}, ply {ply}: {error}")))
}

/// Who moves at a stored position.
fn mover<G: Stored>(state: &G, game: usize, ply: usize) -> Result<Player> {
    state.actor().ok_or_else(|| {
        Error::CorruptRecord(format!("game {game}, ply {ply}: no player has the move there"))
    })
}
