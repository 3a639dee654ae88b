//! The phase and the key of every position of every game.

use rayon::prelude::*;

use super::{Stored, Table, mover, play_checked};
use crate::error::Result;
use crate::gate::Gating;
use crate::threads;

/// Games that a task of the thread pool labels at most: small enough to share the work evenly.
const GAMES: usize = 64;

/// One row for every position before a move, game after game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The phase by the gate.
    pub phase: Vec<i8>,
    /// The key of the position alone.
    pub key: Vec<u64>,
}

impl<G: Stored> Table<'_, G> {
    /// Replays every game, checking every move. A monotone gate is given the phase one ply before in
    /// the same game. The error is that of the first game that cannot be replayed.
    pub fn label(&self, gate: &Gating<G>, threads: Option<usize>) -> Result<Labels> {
        self.check()?;
        let mut labels =
            Labels { phase: vec![0; self.moves.len()], key: vec![0; self.moves.len()] };
        let (mut phases, mut keys) = (labels.phase.as_mut_slice(), labels.key.as_mut_slice());
        let mut tasks = Vec::with_capacity(self.len() / GAMES + 1);
        for first in (0..self.len()).step_by(GAMES) {
            let games = first..self.len().min(first + GAMES);
            let rows = self.rows(first)?.start..self.rows(games.end - 1)?.end;
            let phase = threads::take_rows(&mut phases, rows.len());
            let key = threads::take_rows(&mut keys, rows.len());
            tasks.push((games, phase, key));
        }
        let work = |(games, phase, key)| self.label_games(gate, games, phase, key);
        let done: Vec<Result<()>> = if tasks.len() < 2 {
            tasks.into_iter().map(work).collect()
        } else {
            threads::install(threads, || tasks.into_par_iter().map(work).collect())?
        };
        done.into_iter().collect::<Result<()>>()?;
        Ok(labels)
    }

    fn label_games(
        &self,
        gate: &Gating<G>,
        games: std::ops::Range<usize>,
        phases: &mut [i8],
        keys: &mut [u64],
    ) -> Result<()> {
        let usual = G::usual_start();
        let mut state = usual.clone();
        let mut rows = phases.iter_mut().zip(keys);
        for game in games {
            self.start(game, &usual, &mut state);
            let mut previous = None;
            for (ply, (&packed, (phase, key))) in self.game(game)?.iter().zip(&mut rows).enumerate()
            {
                let answer = gate.phase(&state, mover(&state, game, ply)?, previous)?;
                *phase = answer as i8;
                *key = state.key();
                previous = Some(answer);
                play_checked(&mut state, packed, game, ply)?;
            }
        }
        Ok(())
    }
}
