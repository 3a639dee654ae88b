//! What a draw is worth: value = W - L + `draw_score` * D for the one who searches.
//!
//! Leaves are shifted when they come back, and so are draws by rule and proven draws as they are counted.
//! A node's stored value stays exact, so that proofs are what they were.

use super::params::Params;
use super::tree::Tree;
use super::values::Values;
use crate::error::{Error, Result};
use crate::game::Player;
use crate::model::ValueRule;

/// Refuses a score of draws where each player has a value of their own.
pub(crate) fn check(params: &Params, rule: ValueRule) -> Result<()> {
    if params.draw_score != 0.0 && matches!(rule, ValueRule::PerPlayer(_)) {
        return Err(Error::InvalidConfig(
            "draw_score is set, and a game of more than two players has no draws of one kind: leave it \
             at 0"
                .into(),
        ));
    }
    Ok(())
}

/// What a draw is worth in a tree whose root is `searcher`'s to move, as the tree keeps values.
pub(crate) fn score(params: &Params, rule: ValueRule, searcher: Player) -> f32 {
    match rule {
        ValueRule::Negate if searcher != 0 => -params.draw_score,
        _ => params.draw_score,
    }
}

impl<S> Tree<S> {
    /// What exact `values` count as in sums: a draw as what it is worth.
    #[inline]
    pub(crate) fn counted(&self, mut values: Values) -> Values {
        if self.draw != 0.0 && values[0] == 0.0 {
            values[0] = self.draw;
        }
        values
    }

    /// A network's `values` with a chance of `draw` for a draw.
    pub(crate) fn with_draw(&self, mut values: Values, draw: f32) -> Values {
        if self.draw != 0.0 {
            values[0] = (values[0] + draw * self.draw).clamp(-1.0, 1.0);
        }
        values
    }
}
