//! States that are kept along stored games which are dear to replay.

use std::sync::OnceLock;

use super::Stored;
use crate::error::Result;

/// Bytes that the states kept of one store may take, about: of longer games fewer are kept.
const MEMORY: usize = 256 << 20;

/// What a state takes beside its own size, about: lists that it holds.
const LISTS: usize = 160;

/// Of every game the states after so many plies, made when the game is first needed. Games whose
/// [`Stored::KEPT_EVERY`] is 0 have none.
///
/// The distance doubles until the states of all plies together fit into 256 MiB.
#[derive(Debug)]
pub struct Waypoints<G> {
    pub(super) every: usize,
    pub(super) games: Box<[OnceLock<Box<[G]>>]>,
}

impl<G: Stored> Waypoints<G> {
    /// For a store of that many games and plies.
    pub fn new(games: usize, plies: usize) -> Self {
        if G::KEPT_EVERY == 0 {
            return Self { every: 0, games: Box::default() };
        }
        let mut every = G::KEPT_EVERY;
        while (plies / every).saturating_mul(size_of::<G>() + LISTS) > MEMORY {
            every *= 2;
        }
        Self { every, games: (0..games).map(|_| OnceLock::new()).collect() }
    }

    /// The state after `plies` plies of a game of those `actions`, `width` a ply.
    pub(super) fn state(
        &self,
        game: usize,
        start: &G,
        actions: &[u16],
        width: usize,
        plies: usize,
    ) -> Result<G> {
        let Some(place) = self.games.get(game).filter(|_| plies >= self.every) else {
            return G::replayed(start, &actions[..plies * width], width);
        };
        let kept = if let Some(kept) = place.get() {
            kept
        } else {
            let states = self.walk(start, actions, width)?;
            // Another thread may have been faster; its states are the same.
            place.get_or_init(|| states)
        };
        let from = plies / self.every;
        let first = from * self.every * width;
        G::replayed(&kept[from - 1], &actions[first..plies * width], width)
    }

    fn walk(&self, start: &G, actions: &[u16], width: usize) -> Result<Box<[G]>> {
        let mut states: Vec<G> = Vec::with_capacity(actions.len() / (width * self.every));
        for part in actions.chunks_exact(width * self.every) {
            let state = G::replayed(states.last().unwrap_or(start), part, width)?;
            states.push(state);
        }
        Ok(states.into())
    }
}
