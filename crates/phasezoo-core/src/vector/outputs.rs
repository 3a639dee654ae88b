//! The caller's buffers, one contiguous block per array, and how they are dealt out to threads.

use crate::error::{Error, Result};
use crate::game::Action;
use crate::plane_buffers::{PlaneBuffer, PlaneSize};
use crate::threads::take_rows;

/// Which entries of a mask buffer are set, so that the next write unsets those alone.
///
/// Clearing a whole row of 4,672 actions to set thirty of them would cost as much memory traffic as a
/// third of the planes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing is known of the row: it is cleared.
    #[default]
    Unknown,
    /// Exactly these entries are set.
    Set(Vec<Action>),
}

/// Where the observations of N games are written. Row `i` of each array is game `i`'s.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// `[N, C, H, W]`, what the learner sees, or the same packed; empty where there are no observations.
    pub planes: PlaneBuffer<'a>,
    /// `[N, A]`, 1 = legal; ones for a finished game.
    pub masks: &'a mut [i8],
    /// `[N]`, what is set in `masks`; or empty where that is not known, and whole rows are cleared.
    pub marks: &'a mut [Mark],
    /// `[N]`, the learner's reward.
    pub rewards: &'a mut [f64],
    /// `[N]`, whether the game ended by its rules, or by an illegal action.
    pub terminated: &'a mut [bool],
    /// `[N]`, whether the game was cut at its length limit.
    pub truncated: &'a mut [bool],
    /// `[N]`, whether the learner's action was illegal.
    pub illegal: &'a mut [bool],
    /// `[N]`, the player to move, or [`super::SIMULTANEOUS`].
    pub to_play: &'a mut [i64],
    /// `[N]`, plies since the game's start.
    pub ply: &'a mut [i64],
    /// `[N]`, the phase.
    pub phase: &'a mut [i64],
    /// `[N]`, 1 where the first player has won, -1 where the other one has, otherwise 0; of more than two
    /// players, 1 where the learner or their team has won (in self-play the first player), -1 where
    /// others have.
    pub result: &'a mut [i8],
    /// `[N]`, whether `result` is one.
    pub has_result: &'a mut [bool],
    /// `[N, P]`, who has won; nobody without a result.
    pub winners: &'a mut [bool],
}

/// How many numbers a row has in the arrays that hold several.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) planes: PlaneSize,
    pub(super) actions: usize,
    pub(super) players: usize,
}

impl<'a> Outputs<'a> {
    /// Checks that every array is that of `rows` games.
    pub(super) fn check(&self, rows: usize, sizes: Sizes) -> Result<()> {
        let Sizes { planes, actions, players } = sizes;
        if !self.planes.fits(rows, planes) {
            let (words, floats) = self.planes.len();
            return Err(Error::InvalidArray(format!(
                "the buffer for observations has {words} words and {floats} floats, {} and {} are \
                 needed for {rows} games",
                rows * planes.words,
                rows * planes.floats
            )));
        }
        let sizes = [
            ("action_mask", self.masks.len(), rows * actions),
            ("marks", self.marks.len(), if self.marks.is_empty() { 0 } else { rows }),
            ("rewards", self.rewards.len(), rows),
            ("terminations", self.terminated.len(), rows),
            ("truncations", self.truncated.len(), rows),
            ("illegal_action", self.illegal.len(), rows),
            ("to_play", self.to_play.len(), rows),
            ("ply", self.ply.len(), rows),
            ("phase", self.phase.len(), rows),
            ("result", self.result.len(), rows),
            ("_result", self.has_result.len(), rows),
            ("winners", self.winners.len(), rows * players),
        ];
        for (name, given, needed) in sizes {
            if given != needed {
                return Err(Error::InvalidArray(format!(
                    "the buffer for {name} has {given} elements, {needed} are needed for {rows} games"
                )));
            }
        }
        Ok(())
    }

    /// Takes the first `rows` rows off.
    pub(super) fn take(&mut self, rows: usize, sizes: Sizes) -> Outputs<'a> {
        let Sizes { planes, actions, players } = sizes;
        let marks = rows.min(self.marks.len());
        Outputs {
            planes: self.planes.take(rows, planes),
            masks: take_rows(&mut self.masks, rows * actions),
            marks: take_rows(&mut self.marks, marks),
            rewards: take_rows(&mut self.rewards, rows),
            terminated: take_rows(&mut self.terminated, rows),
            truncated: take_rows(&mut self.truncated, rows),
            illegal: take_rows(&mut self.illegal, rows),
            to_play: take_rows(&mut self.to_play, rows),
            ply: take_rows(&mut self.ply, rows),
            phase: take_rows(&mut self.phase, rows),
            result: take_rows(&mut self.result, rows),
            has_result: take_rows(&mut self.has_result, rows),
            winners: take_rows(&mut self.winners, rows * players),
        }
    }
}

/// Rows of a mask that are no longer than a cache line are cleared whole: a mark would cost more.
const SHORT: usize = 64;

/// Sets the entries `legal` of a mask row to 1 and the others to 0; all to 1 without `legal`.
pub(super) fn write_mask(row: &mut [i8], mark: Option<&mut Mark>, legal: Option<&[Action]>) {
    let mark = mark.filter(|_| row.len() > SHORT);
    let Some(legal) = legal else {
        row.fill(1);
        if let Some(mark) = mark {
            *mark = Mark::Unknown;
        }
        return;
    };
    match mark {
        Some(Mark::Set(set)) => {
            for &action in set.iter() {
                row[action as usize] = 0;
            }
            set.clear();
            set.extend_from_slice(legal);
        }
        Some(mark) => {
            row.fill(0);
            *mark = Mark::Set(legal.to_vec());
        }
        None => row.fill(0),
    }
    for &action in legal {
        row[action as usize] = 1;
    }
}
