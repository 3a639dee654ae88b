//! What an evaluator says besides moves and values: chances of a draw, plies to the end.

use super::evaluation::{Evaluation, Shape, Value, check_wdl};
use crate::error::{Error, Result};

/// Further answers to a batch of `B` rows, which must be right even if the search does not need them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heads<'a> {
    /// `[B, 3]`: probabilities of win, draw, loss for the player to move, beside a value. An evaluation
    /// by [`Value::Wdl`] need not say them again.
    pub wdl: Option<&'a [f32]>,
    /// `[B]`: plies that the game is expected to last, from 0.
    pub plies_left: Option<&'a [f32]>,
}

impl<'a> Heads<'a> {
    /// These answers, checked, with what `evaluation` says itself.
    pub(crate) fn checked(mut self, evaluation: &Evaluation<'a>, shape: Shape) -> Result<Self> {
        if let Some(wdl) = self.wdl {
            check_length("wdl", wdl, shape.rows * 3)?;
            let mut rows = wdl.as_chunks::<3>().0.iter().enumerate();
            rows.try_for_each(|(row, wdl)| check_wdl(wdl, row))?;
        } else if let Value::Wdl(wdl) = evaluation.value {
            self.wdl = Some(wdl);
        }
        if let Some(plies) = self.plies_left {
            check_length("plies_left", plies, shape.rows)?;
            if let Some(row) = plies.iter().position(|&plies| !(0.0..1e5).contains(&plies)) {
                return Err(Error::InvalidEvaluation(format!(
                    "plies_left[{row}] is {}, expected plies from 0 and below 100000",
                    plies[row]
                )));
            }
        }
        Ok(self)
    }

    /// The chance of a draw in a row; 0 if nobody says.
    pub(crate) fn draw(&self, row: usize) -> f32 {
        self.wdl.map_or(0.0, |wdl| wdl[row * 3 + 1].clamp(0.0, 1.0))
    }
}

fn check_length(name: &str, given: &[f32], expected: usize) -> Result<()> {
    if given.len() == expected {
        return Ok(());
    }
    Err(Error::InvalidEvaluation(format!(
        "{name} has {} numbers, expected {expected} for this batch",
        given.len()
    )))
}
