//! The phase and the key of every row: of every ply, as each player who acts there sees it.

use std::ops::Range;

use rayon::prelude::*;

use super::stored::learners;
use super::{Stored, Table, play_checked};
use crate::error::{Error, Result};
use crate::game::MAX_PLAYERS;
use crate::gate::Gating;
use crate::rng::mix;
use crate::threads;

/// Games that a task of the thread pool labels at most: small enough to share the work evenly.
const GAMES: usize = 64;

/// One entry for every row, ordered by game, ply and player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The game.
    pub game: Vec<i32>,
    /// Plies before the row's state.
    pub ply: Vec<i32>,
    /// Who acts, and sees the state.
    pub player: Vec<i8>,
    /// The phase by the gate.
    pub phase: Vec<i8>,
    /// The key of the state alone; where several act at once, of the state as that player sees it.
    pub key: Vec<u64>,
}

/// Some games' share of [`Labels`], and how many rows of it were written.
struct Part<'a> {
    games: Range<usize>,
    game: &'a mut [i32],
    ply: &'a mut [i32],
    player: &'a mut [i8],
    phase: &'a mut [i8],
    key: &'a mut [u64],
    rows: usize,
}

impl Part<'_> {
    fn push(&mut self, game: usize, ply: usize, player: u8, phase: u8, key: u64) {
        let row = self.rows;
        self.game[row] = game as i32;
        self.ply[row] = ply as i32;
        self.player[row] = player as i8;
        self.phase[row] = phase as i8;
        self.key[row] = key;
        self.rows += 1;
    }
}

impl Labels {
    fn of(rows: usize) -> Self {
        Self {
            game: vec![0; rows],
            ply: vec![0; rows],
            player: vec![0; rows],
            phase: vec![0; rows],
            key: vec![0; rows],
        }
    }

    /// Closes the gaps behind parts of which not every row was written.
    fn close(&mut self, parts: impl Iterator<Item = (usize, usize)>) {
        let (mut rows, mut from) = (0, 0);
        for (room, written) in parts {
            let part = from..from + written;
            if rows < from {
                self.game.copy_within(part.clone(), rows);
                self.ply.copy_within(part.clone(), rows);
                self.player.copy_within(part.clone(), rows);
                self.phase.copy_within(part.clone(), rows);
                self.key.copy_within(part, rows);
            }
            (rows, from) = (rows + written, from + room);
        }
        self.game.truncate(rows);
        self.ply.truncate(rows);
        self.player.truncate(rows);
        self.phase.truncate(rows);
        self.key.truncate(rows);
    }
}

impl<G: Stored> Table<'_, G> {
    /// Replays every game, checking every action. A monotone gate is given the phase one ply before in
    /// the same game, where several act at once that of the same player. The error is that of the
    /// first game that cannot be replayed.
    pub fn label(&self, gate: &Gating<G>, threads: Option<usize>) -> Result<Labels> {
        self.check()?;
        // One row a ply and player, before those who are out are left away.
        let mut labels = Labels::of(self.actions.len());
        let Labels { game, ply, player, phase, key } = &mut labels;
        let (mut numbers, mut plies) = (game.as_mut_slice(), ply.as_mut_slice());
        let (mut players, mut phases) = (player.as_mut_slice(), phase.as_mut_slice());
        let mut keys = key.as_mut_slice();
        let mut parts = Vec::with_capacity(self.len() / GAMES + 1);
        for first in (0..self.len()).step_by(GAMES) {
            let games = first..self.len().min(first + GAMES);
            let span = self.range(first)?.start..self.range(games.end - 1)?.end;
            let room = span.len() * self.width;
            parts.push(Part {
                games,
                game: threads::take_rows(&mut numbers, room),
                ply: threads::take_rows(&mut plies, room),
                player: threads::take_rows(&mut players, room),
                phase: threads::take_rows(&mut phases, room),
                key: threads::take_rows(&mut keys, room),
                rows: 0,
            });
        }
        let work = |mut part: Part<'_>| {
            self.label_games(gate, &mut part)?;
            Ok((part.key.len(), part.rows))
        };
        let done: Vec<Result<(usize, usize)>> = if parts.len() < 2 {
            parts.into_iter().map(work).collect()
        } else {
            threads::install(threads, || parts.into_par_iter().map(work).collect())?
        };
        let done: Vec<(usize, usize)> = done.into_iter().collect::<Result<_>>()?;
        labels.close(done.into_iter());
        Ok(labels)
    }

    fn label_games(&self, gate: &Gating<G>, part: &mut Part<'_>) -> Result<()> {
        let mut state = self.starts.of(part.games.start).clone();
        for game in part.games.clone() {
            state.clone_from(self.starts.of(game));
            let mut previous = [None; MAX_PLAYERS];
            for (ply, joint) in self.game(game)?.chunks_exact(self.width).enumerate() {
                self.label_ply(gate, &state, (game, ply), &mut previous, part)?;
                play_checked(&mut state, joint, game, ply)?;
            }
        }
        Ok(())
    }

    fn label_ply(
        &self,
        gate: &Gating<G>,
        state: &G,
        (number, ply): (usize, usize),
        previous: &mut [Option<u8>; MAX_PLAYERS],
        part: &mut Part<'_>,
    ) -> Result<()> {
        if self.width == 1 {
            let Some(player) = state.actor() else { return Err(nobody(number, ply)) };
            let phase = gate.phase(state, player, previous[0])?;
            previous[0] = Some(phase);
            part.push(number, ply, player, phase, state.key());
            return Ok(());
        }
        let players = learners(state);
        if players.0 == 0 {
            return Err(nobody(number, ply));
        }
        let key = state.key();
        for player in players.iter() {
            let previous = &mut previous[usize::from(player)];
            let phase = gate.phase(state, player, *previous)?;
            *previous = Some(phase);
            part.push(number, ply, player, phase, key ^ mix(u64::from(player) + 1));
        }
        Ok(())
    }
}

fn nobody(game: usize, ply: usize) -> Error {
    Error::CorruptRecord(format!("game {game}, ply {ply}: nobody acts there"))
}
