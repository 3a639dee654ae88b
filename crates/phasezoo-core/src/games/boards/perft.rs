//! Counting sequences of chess moves by shakmaty, which counts the last ply without playing it.

use shakmaty::Position;

use crate::perft::Countable;

/// A position of one of shakmaty's games; draws do not end sequences.
#[derive(Clone, Debug)]
pub struct ByShakmaty<P>(pub P);

impl<P: Position + Clone + Send + Sync> Countable for ByShakmaty<P> {
    fn successors(&self) -> Vec<Self> {
        let play = |m| {
            let mut child = self.0.clone();
            child.play_unchecked(m);
            Self(child)
        };
        self.0.legal_moves().into_iter().map(play).collect()
    }

    fn leaves(&self, depth: u32) -> u64 {
        shakmaty::perft(&self.0, depth)
    }
}
