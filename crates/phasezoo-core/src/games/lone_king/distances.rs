//! What the table of an ending says of a state and its actions.

use shakmaty::{Chess, Color};

use super::men::Men;
use super::table;
use crate::error::Result;
use crate::game::{Action, Game};
use crate::games::boards::board::{BoardState, player_of};
use crate::games::boards::rules::Rules;

impl<R: Rules<Position = Chess>> BoardState<R> {
    /// Whether it is a position of an ending that has a table, or of two kings alone.
    pub fn is_lone_king_ending(&self) -> bool {
        Men::of(self.position()).is_some()
    }

    /// The strong side's moves to mate with best play of both, whoever moves; 0 where the lone king is
    /// mated, `None` where it is drawn, and of positions that are no such ending.
    ///
    /// The table's number: neither the fifty-move clock nor repetitions are looked at.
    pub fn dtm(&self) -> Option<u8> {
        let (men, _) = Men::of(self.position())?;
        table::dtm(men)
    }

    /// [`BoardState::dtm`] after a legal action.
    pub fn dtm_after(&self, action: Action) -> Option<u8> {
        let mut next = self.clone();
        next.play_trusted(action).ok()?;
        next.dtm()
    }

    /// [`BoardState::dtm`] after each legal action, ascending by action.
    pub fn action_dtm(&self) -> Vec<Option<u8>> {
        let mut actions = Vec::new();
        self.legal_actions(self.player_to_move(), &mut actions);
        actions.into_iter().map(|action| self.dtm_after(action)).collect()
    }

    /// How much longer the win takes after a legal `action` than after the best one, negative where the
    /// lone king plays it; `None` where either draws.
    pub fn dtm_difference(&self, action: Action) -> Result<Option<i32>> {
        self.move_of(action)?;
        let best = self.best_of(&self.action_dtm());
        let difference = |(after, best)| i32::from(after) - i32::from(best);
        Ok(self.dtm_after(action).zip(best).map(difference))
    }

    /// Keeps of the legal `actions` those of perfect play: the shortest win, or for the lone king a draw
    /// before the longest loss.
    pub fn keep_best_by_dtm(&self, actions: &mut Vec<Action>) {
        let values: Vec<Option<u8>> =
            actions.iter().map(|&action| self.dtm_after(action)).collect();
        let best = self.best_of(&values);
        let mut keep = values.into_iter().map(|value| value == best);
        actions.retain(|_| keep.next().unwrap_or_default());
    }

    /// Whether the strong side is to move; where both kings are alone, whether White is.
    pub(in crate::games) fn is_strong_to_move(&self) -> bool {
        let strong = Men::of(self.position()).map_or(Color::White, |(_, strong)| strong);
        self.player_to_move() == player_of(strong)
    }

    fn best_of(&self, values: &[Option<u8>]) -> Option<u8> {
        if self.is_strong_to_move() {
            values.iter().copied().flatten().min()
        } else if values.contains(&None) {
            None
        } else {
            values.iter().copied().flatten().max()
        }
    }
}
