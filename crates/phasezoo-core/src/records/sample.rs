//! Training samples made on the fly: planes, the move that was played, and how the game ended.

use rayon::prelude::*;

use super::{Stored, Table, mover};
use crate::error::{Error, Result};
use crate::threads;

/// Rows that a task of the thread pool makes at least.
const GRAIN: usize = 16;

/// Which positions are asked for: one for each element.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Index of the game.
    pub games: &'a [i32],
    /// Moves played before the position.
    pub plies: &'a [i32],
    /// Whether the planes of the last moves are left empty; repetitions stay counted. Empty: nowhere.
    pub hidden: &'a [bool],
}

/// Where the samples are written: one row for each position, every element is written.
#[derive(Debug)]
pub struct Samples<'a> {
    /// `[B, C, H, W]`, as the player to move sees the position.
    pub planes: &'a mut [f32],
    /// The action that was played.
    pub action: &'a mut [i64],
    /// The player to move.
    pub to_play: &'a mut [i8],
    /// Plies from the position to the end of the game; 1 before the last move.
    pub plies_left: &'a mut [f32],
}

/// One row's share of [`Samples`].
type Row<'a> = (&'a mut [f32], &'a mut i64, &'a mut i8, &'a mut f32);

impl<G: Stored> Table<'_, G> {
    /// Replays the games to the positions asked for and fills `out`.
    ///
    /// Moves are trusted to be legal: [`Table::label`] must have gone through them without error.
    pub fn sample(
        &self,
        rows: Rows<'_>,
        planes: G::Planes,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()> {
        let count = rows.games.len();
        let size: usize = G::plane_shape(planes).iter().product();
        let lengths = [rows.plies.len(), out.action.len(), out.to_play.len(), out.plies_left.len()];
        let hidden = rows.hidden.len();
        if lengths != [count; 4]
            || out.planes.len() != count * size
            || ![0, count].contains(&hidden)
        {
            return Err(Error::InvalidArray(format!(
                "{count} rows of {size} plane values are asked for; the arrays given hold {lengths:?} \
                 rows, {hidden} marks and {} plane values",
                out.planes.len()
            )));
        }
        let outputs: Vec<Row<'_>> = out
            .planes
            .chunks_exact_mut(size)
            .zip(out.action)
            .zip(out.to_play)
            .zip(out.plies_left)
            .map(|(((planes, action), to_play), plies_left)| (planes, action, to_play, plies_left))
            .collect();
        let sample = |(index, row): (usize, Row<'_>)| {
            let hide = rows.hidden.get(index).copied().unwrap_or_default();
            self.row((rows.games[index], rows.plies[index]), hide, planes, row)
        };
        if count < 2 * GRAIN {
            return outputs.into_iter().enumerate().try_for_each(sample);
        }
        threads::install(threads, || {
            outputs.into_par_iter().enumerate().with_min_len(GRAIN).try_for_each(sample)
        })?
    }

    fn row(
        &self,
        (game, ply): (i32, i32),
        hide: bool,
        planes: G::Planes,
        (out, action, to_play, plies_left): Row<'_>,
    ) -> Result<()> {
        let index = usize::try_from(game).unwrap_or(usize::MAX - 1);
        let moves = self.game(index)?;
        let (Ok(before), Ok(total)) = (usize::try_from(ply), i32::try_from(moves.len())) else {
            return Err(no_position(game, ply, moves.len()));
        };
        let Some(&next) = moves.get(before) else {
            return Err(no_position(game, ply, moves.len()));
        };
        let mut state = match self.starts.0.get(&index) {
            Some(start) => G::replayed(start, &moves[..before])?,
            None => G::replayed(&G::usual_start(), &moves[..before])?,
        };
        if hide {
            state.hide_history();
        }
        let player = mover(&state, index, before)?;
        state.encode(planes, player, out);
        *action = i64::from(state.stored_action(next)?);
        *to_play = player as i8;
        *plies_left = (total - ply) as f32;
        Ok(())
    }
}

fn no_position(game: i32, ply: i32, moves: usize) -> Error {
    Error::CorruptRecord(format!(
        "game {game} has {moves} moves, so positions 0 to {} can be sampled; {ply} was asked for",
        moves.saturating_sub(1)
    ))
}
