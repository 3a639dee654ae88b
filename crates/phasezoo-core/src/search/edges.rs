//! Edges by fours: the statistics that one comparison of a descent reads lie in one cache line.

use super::tree::{NONE, NodeId};

/// Edges in a [`Quad`].
pub(crate) const QUAD: usize = 4;

/// The statistics of one slot of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Edge {
    /// Mean value of the child for the node's actor; of no meaning before the first visit; minus
    /// infinity if the child is a proven loss. Written by backup and solver.
    pub(crate) q: f32,
    /// Simulations through this edge. Written by backup.
    pub(crate) visits: u32,
    /// Descents through this edge that await an evaluation. Written by collect and complete.
    pub(crate) waiting: u32,
    /// The child, or [`NONE`]. Written by expand.
    pub(crate) child: NodeId,
}

impl Edge {
    /// An edge that nobody has passed.
    pub(crate) const FRESH: Self = Self { q: -1.0, visits: 0, waiting: 0, child: NONE };

    /// No edge at all: never the best one.
    const ABSENT: Self = Self { q: f32::NEG_INFINITY, visits: 1, waiting: 0, child: NONE };
}

/// Four edges, field by field, so that they are scored side by side.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Quad {
    pub(crate) q: [f32; QUAD],
    pub(crate) visits: [u32; QUAD],
    pub(crate) waiting: [u32; QUAD],
    pub(crate) child: [NodeId; QUAD],
}

impl Quad {
    /// Fresh edges for the first `count` lanes; the others can never be chosen.
    pub(crate) fn fresh(count: usize) -> Self {
        let mut quad = Self {
            q: [Edge::ABSENT.q; QUAD],
            visits: [Edge::ABSENT.visits; QUAD],
            waiting: [0; QUAD],
            child: [NONE; QUAD],
        };
        for lane in 0..count.min(QUAD) {
            quad.set(lane, Edge::FRESH);
        }
        quad
    }

    /// The edge in a lane.
    pub(crate) fn get(&self, lane: usize) -> Edge {
        Edge {
            q: self.q[lane],
            visits: self.visits[lane],
            waiting: self.waiting[lane],
            child: self.child[lane],
        }
    }

    /// Replaces the edge in a lane.
    pub(crate) fn set(&mut self, lane: usize, edge: Edge) {
        self.q[lane] = edge.q;
        self.visits[lane] = edge.visits;
        self.waiting[lane] = edge.waiting;
        self.child[lane] = edge.child;
    }
}

/// The best slot so far, lane by lane; equal scores keep the earlier slot.
pub(crate) struct Best {
    scores: [f32; QUAD],
    quads: [u32; QUAD],
}

impl Best {
    pub(crate) fn new() -> Self {
        Self { scores: [f32::NEG_INFINITY; QUAD], quads: [0; QUAD] }
    }

    /// Takes the scores of quad number `quad` into account.
    #[inline]
    pub(crate) fn see(&mut self, quad: u32, scores: [f32; QUAD]) {
        for (lane, score) in scores.into_iter().enumerate() {
            let better = score > self.scores[lane];
            self.scores[lane] = if better { score } else { self.scores[lane] };
            self.quads[lane] = if better { quad } else { self.quads[lane] };
        }
    }

    /// The slot with the highest score, the first of equal ones.
    pub(crate) fn slot(&self) -> u32 {
        let slot = |lane: usize| self.quads[lane] * QUAD as u32 + lane as u32;
        let mut winner = 0;
        for lane in 1..QUAD {
            let earlier = self.scores[lane] == self.scores[winner] && slot(lane) < slot(winner);
            if self.scores[lane] > self.scores[winner] || earlier {
                winner = lane;
            }
        }
        slot(winner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn lanes_find_what_a_plain_loop_finds() {
        let mut stream = Stream::new(5);
        for quads in 1..20 {
            // Few distinct scores, so that ties are common.
            let scores: Vec<f32> = (0..quads * QUAD).map(|_| stream.below(4) as f32).collect();
            let mut best = Best::new();
            for (quad, scores) in scores.as_chunks::<QUAD>().0.iter().enumerate() {
                best.see(quad as u32, *scores);
            }
            let plain =
                (0..scores.len()).fold(0, |top, i| if scores[i] > scores[top] { i } else { top });
            assert_eq!(best.slot(), plain as u32);
        }
    }

    #[test]
    fn lanes_without_an_edge_never_win() {
        for count in 1..=QUAD {
            let quad = Quad::fresh(count);
            assert_eq!(quad.get(count - 1), Edge::FRESH);
            assert!(quad.q[count..].iter().all(|&q| q == f32::NEG_INFINITY));
        }
    }
}
