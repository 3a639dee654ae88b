//! A search among some of the root's moves alone.

use super::edges::Quad;
use super::session::Search;
use super::tree::{ROOT, Tree};
use crate::error::{Error, Result};
use crate::game::Action;
use crate::model::SearchModel;

impl<M: SearchModel> Search<M> {
    /// Says which of the root's actions the next search looks at; none means all.
    pub(crate) fn restrict(&mut self, actions: &[Action]) {
        self.wanted = actions.to_vec();
    }

    /// Refuses what is not legal at `root`, and takes up what [`Search::restrict`] said.
    pub(crate) fn begin_restricted(&mut self, model: &M, root: &M::State) -> Result<()> {
        let wanted = std::mem::take(&mut self.wanted);
        if !wanted.is_empty() {
            let mut legal = Vec::new();
            model.expand(root, &mut legal)?;
            if let Some(action) = wanted.iter().find(|action| !legal.contains(action)) {
                return Err(Error::IllegalAction(format!(
                    "searchmoves has action {action}, which is not legal at the root; legal are \
                     {legal:?}"
                )));
            }
        }
        self.searchmoves = wanted;
        Ok(())
    }

    /// Leaves the root, which has just been evaluated, the actions that are searched alone.
    pub(crate) fn restrict_root(&mut self) {
        if !self.searchmoves.is_empty() {
            self.tree.keep_root_candidates(&self.searchmoves);
        }
    }
}

impl<S> Tree<S> {
    /// Drops the root's candidates but `kept`; their priors sum to 1 again. No child may exist yet.
    fn keep_root_candidates(&mut self, kept: &[Action]) {
        let (priors, actions) = self.candidates_mut(ROOT);
        let mut count = 0;
        for slot in 0..actions.len() {
            if kept.contains(&actions[slot]) {
                (priors[count], actions[count]) = (priors[slot], actions[slot]);
                count += 1;
            }
        }
        let total: f32 = priors[..count].iter().sum();
        for prior in &mut priors[..count] {
            *prior = if total > 0.0 { *prior / total } else { 1.0 / count as f32 };
        }
        priors[count..].fill(0.0);
        self.node_mut(ROOT).count = count as u16;
        self.rest_mut(ROOT).unproven = count as u16;
        *self.quad_mut(ROOT, 0).0 = Quad::fresh(count);
        self.copy_first(ROOT);
    }
}
