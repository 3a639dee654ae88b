//! Stored games: replaying, labelling and sampling columns of actions, in parallel.
//!
//! A [`Table`] looks at columns that somebody else owns. Labelling checks every action; sampling
//! replays actions that were checked before and is only safe, not strict, with others: it never
//! panics, and an action that no state explains is an error.
//!
//! | module | what it holds |
//! |---|---|
//! | [`stored`] | what records ask of a game |
//! | [`starts`] | what games start from, as text |
//! | [`waypoints`] | states kept along games that are dear to replay |
//! | [`label`] | phase and key of every row |
//! | [`sample`] | planes and targets of some rows |
//! | [`shuffle`] | the order of rows |
//! | [`episodes`] | games that scripted players play, to store |
//! | [`through`] | a game played through before it is stored |

pub mod episodes;
pub mod label;
pub mod sample;
pub mod shuffle;
pub mod starts;
pub mod stored;
pub mod through;
pub mod waypoints;

use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::rng::mix;
use crate::threads;

pub use episodes::Episodes;
pub use label::Labels;
pub use sample::{Policy, Rows, Samples};
pub use shuffle::Permutation;
pub use starts::{StartText, Starts};
pub use stored::Stored;
pub use through::{Through, Told, Visits};
pub use waypoints::Waypoints;

/// Games in columns: the actions of all games one after the other, and where each game's plies begin.
/// A ply has one action, or where all players move at once one of each player.
#[derive(Debug)]
pub struct Table<'a, G> {
    actions: &'a [u16],
    offsets: &'a [i64],
    starts: &'a Starts<G>,
    waypoints: &'a Waypoints<G>,
    width: usize,
}

impl<'a, G: Stored> Table<'a, G> {
    /// A view of columns whose shape [`Table::check`] has found right, or will. `waypoints` belong to
    /// these columns alone.
    pub fn new(
        actions: &'a [u16],
        offsets: &'a [i64],
        starts: &'a Starts<G>,
        waypoints: &'a Waypoints<G>,
    ) -> Self {
        Self { actions, offsets, starts, waypoints, width: starts.width() }
    }

    /// Checks that the offsets cut the actions into games and that starts belong to games.
    pub fn check(&self) -> Result<()> {
        check_offsets(self.offsets, self.actions.len(), self.width)?;
        match self.starts.beyond(self.len()) {
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

    /// Plies of all games.
    pub fn plies(&self) -> usize {
        self.actions.len() / self.width
    }

    /// The plies of a game among those of all games.
    pub(crate) fn range(&self, game: usize) -> Result<Range<usize>> {
        let bound = |index: usize| self.offsets.get(index).map(|&offset| offset as usize);
        match (bound(game), bound(game.saturating_add(1))) {
            (Some(start), Some(end)) if start <= end && end <= self.plies() => Ok(start..end),
            _ => Err(Error::CorruptRecord(format!(
                "there is no game {game}: the table holds {} games",
                self.len()
            ))),
        }
    }

    /// The actions of a game.
    pub(crate) fn game(&self, game: usize) -> Result<&'a [u16]> {
        let plies = self.range(game)?;
        Ok(&self.actions[plies.start * self.width..plies.end * self.width])
    }

    /// The states of a game before each of its plies, every action checked.
    pub fn states(&self, game: usize) -> Result<Vec<G>> {
        let actions = self.game(game)?;
        let mut state = self.starts.of(game).clone();
        let mut states = Vec::with_capacity(actions.len() / self.width);
        for (ply, joint) in actions.chunks_exact(self.width).enumerate() {
            states.push(state.clone());
            play_checked(&mut state, joint, game, ply)?;
        }
        Ok(states)
    }

    /// The state after a game's last ply, every action checked: also where a rule had ended the game
    /// before, and nobody claimed it.
    pub fn last(&self, game: usize) -> Result<G> {
        let mut state = self.starts.of(game).clone();
        for (ply, joint) in self.game(game)?.chunks_exact(self.width).enumerate() {
            play_checked(&mut state, joint, game, ply)?;
        }
        Ok(state)
    }

    /// A number per game that depends on `seed`, its start and its actions alone: games that are the
    /// same get the same one, on every machine.
    pub fn hashes(&self, seed: u64, threads: Option<usize>) -> Result<Vec<u64>> {
        /// Games that a task hashes at least.
        const GAMES: usize = 64;
        let hash = |game: usize| {
            let start = self.starts.other(game).map_or(0, G::key);
            let words = G::hashed(self.starts.of(game), self.game(game)?)
                .map_err(|error| Error::CorruptRecord(format!("game {game}: {error}")))?;
            let fold =
                |hash: u64, &word: &u16| mix(hash.wrapping_add(u64::from(word)).wrapping_add(1));
            Ok(words.iter().fold(mix(mix(seed) ^ start), fold))
        };
        if self.len() < 2 * GAMES {
            return (0..self.len()).map(hash).collect();
        }
        threads::install(threads, || {
            (0..self.len()).into_par_iter().with_min_len(GAMES).map(hash).collect()
        })?
    }

    /// The actions and offsets of the games `games`, in that order.
    pub fn gather(&self, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)> {
        let mut offsets = vec![0];
        let mut actions = Vec::new();
        for &game in games {
            let index = usize::try_from(game).unwrap_or(usize::MAX);
            actions.extend_from_slice(self.game(index)?);
            offsets.push((actions.len() / self.width) as i64);
        }
        Ok((actions, offsets))
    }
}

/// Checks that offsets cut `actions`, `width` a ply, into games.
pub(crate) fn check_offsets(offsets: &[i64], actions: usize, width: usize) -> Result<()> {
    let ends = (offsets.first(), offsets.last());
    let plies = (actions / width) as i64;
    if ends != (Some(&0), Some(&plies)) || !actions.is_multiple_of(width) || !offsets.is_sorted() {
        return Err(Error::CorruptRecord(format!(
            "offsets must rise from 0 to the number of plies; there are {actions} actions, {width} a \
             ply, and {} offsets from {:?} to {:?}",
            offsets.len(),
            ends.0,
            ends.1
        )));
    }
    if i32::try_from(offsets.len()).is_err() {
        return Err(Error::CorruptRecord(format!(
            "{} games: a store holds fewer than 2^31",
            offsets.len() - 1
        )));
    }
    Ok(())
}

/// Plays the stored actions of a ply, checked for legality; an error says where they stand.
fn play_checked<G: Stored>(state: &mut G, joint: &[u16], game: usize, ply: usize) -> Result<()> {
    state
        .play_stored(joint)
        .map_err(|error| Error::CorruptRecord(format!("game {game}, ply {ply}: {error}")))
}

#[cfg(test)]
mod tests;
