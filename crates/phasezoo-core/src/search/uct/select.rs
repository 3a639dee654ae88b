//! Which child a simulation takes.

use super::params::Selection;
use super::search::Search;
use crate::model::SearchModel;
use crate::search::edges::{Best, QUAD, Quad};
use crate::search::tree::{NodeId, Tree};

impl<M: SearchModel, P> Search<M, P> {
    /// The slot with the highest score among the children in the tree, of which there is at least one;
    /// the first of equal ones.
    pub(super) fn best_slot(&self, id: NodeId) -> u32 {
        let node = self.tree.node(id);
        let opened = usize::from(node.opened);
        let factor = self.factor(node.visits, opened);
        let sign = if self.params.follow && Some(node.actor) == self.favoured { -1.0 } else { 1.0 };
        let score = |quad: &Quad| match self.params.selection {
            Selection::Ucb1 => scores(quad, sign, |visits| factor / visits.sqrt()),
            Selection::Puct => scores(quad, sign, |visits| factor / (1.0 + visits)),
        };
        let mut best = Best::new();
        best.see(0, score(Tree::<M::Snapshot>::first_quad(node).1));
        if opened > QUAD {
            let quads = opened.div_ceil(QUAD) - 1;
            for (index, quad) in self.tree.more_quads(node, quads).1.iter().enumerate() {
                best.see(index as u32 + 1, score(quad));
            }
        }
        best.slot()
    }

    /// What of the exploration term is the same for all children of a node.
    fn factor(&self, visits: u32, children: usize) -> f32 {
        let visits = visits as f32;
        match self.params.selection {
            Selection::Ucb1 => self.params.c * visits.ln().max(0.0).sqrt(),
            Selection::Puct => self.params.c * visits.sqrt() / children as f32,
        }
    }
}

/// The scores of four edges; of those that are no child in the tree, minus infinity.
fn scores(quad: &Quad, sign: f32, explore: impl Fn(f32) -> f32) -> [f32; QUAD] {
    std::array::from_fn(|lane| {
        if quad.visits[lane] == 0 || quad.q[lane] == f32::NEG_INFINITY {
            return f32::NEG_INFINITY;
        }
        0.5 + 0.5 * sign * quad.q[lane] + explore(quad.visits[lane] as f32)
    })
}
