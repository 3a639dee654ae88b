//! Which child a simulation takes.

use super::params::{Selection, Ties};
use super::rollout::Rollout;
use super::search::Search;
use crate::model::SearchModel;
use crate::rng::Stream;
use crate::search::edges::{Best, QUAD, Quad};
use crate::search::tree::{NodeId, Tree};

impl<M: SearchModel, P: Rollout<M>> Search<M, P> {
    /// The slot with the highest score among the children in the tree, of which there is at least one.
    pub(super) fn best_slot(&mut self, id: NodeId) -> u32 {
        let node = self.tree.node(id);
        let opened = usize::from(node.opened);
        let factor = self.factor(self.visits(id), opened);
        let sign = if self.params.follow && Some(node.actor) == self.favoured { -1.0 } else { 1.0 };
        let score = |quad: &Quad| match self.params.selection {
            Selection::Ucb1 => scores(quad, sign, |visits| factor / visits.sqrt()),
            Selection::Puct => scores(quad, sign, |visits| factor / (1.0 + visits)),
        };
        let first = score(Tree::<M::Snapshot>::first_quad(node).1);
        let more = match opened.div_ceil(QUAD) {
            0 | 1 => &[],
            quads => self.tree.more_quads(node, quads - 1).1,
        };
        let rest = more.iter().map(score);
        match self.params.ties {
            Ties::First => {
                let mut best = Best::new();
                best.see(0, first);
                rest.enumerate().for_each(|(at, scores)| best.see(at as u32 + 1, scores));
                best.slot()
            }
            Ties::Random => {
                let scores = first.into_iter().chain(rest.flatten());
                any_of_the_best(scores, &mut self.stream)
            }
        }
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

/// The place of the highest score, any of equal ones: the k-th of them replaces the one before with
/// probability 1 / k.
fn any_of_the_best(scores: impl Iterator<Item = f32>, stream: &mut Stream) -> u32 {
    let (mut best, mut highest, mut equal) = (0, f32::NEG_INFINITY, 1);
    for (at, score) in scores.enumerate() {
        if score > highest {
            (best, highest, equal) = (at, score, 1);
        } else if score == highest && score > f32::NEG_INFINITY {
            equal += 1;
            if stream.below(equal) == 0 {
                best = at;
            }
        }
    }
    best as u32
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
