//! Move generation alone, on one thread: the legal moves of positions of random games.
//!
//! `cargo bench --bench moves [-- REPEATS small]` prints a line per game and figure: what is measured, then
//! the figure of every repeat. `lists` are positions per second whose moves were listed; `moves` the moves
//! per second in these lists, each of which is a position that can be reached; `reached` such positions
//! per second that were reached, by playing the move; `actions` positions per second whose actions were
//! listed, with the question whether the game is over.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod arguments;

use std::hint::black_box;
use std::time::Instant;

use arguments::{repeats, sized};
use phasezoo_core::game::Game;
use phasezoo_core::games::{Atomic, BoardState, Chess, Rules};
use phasezoo_core::rng::Stream;
use shakmaty::Position;

/// Positions, and how often each is looked at.
fn size() -> (usize, usize) {
    sized((10_000, 20), (100, 1))
}

/// Positions of random games, as they come; the last of a game, which has no moves, is left out.
fn positions<R: Rules>() -> Vec<BoardState<R>> {
    let (mut stream, mut legal) = (Stream::new(7), Vec::new());
    let (count, _) = size();
    let mut states = Vec::with_capacity(count);
    let mut state = BoardState::<R>::initial();
    while states.len() < count {
        states.push(state.clone());
        state.play_random(&mut stream, &mut legal).unwrap();
        if state.outcome().is_some() {
            state = BoardState::initial();
        }
    }
    states
}

/// What `work` counts on all positions, per second.
fn rate<R: Rules>(states: &[BoardState<R>], mut work: impl FnMut(&BoardState<R>) -> usize) -> f64 {
    let (_, rounds) = size();
    let started = Instant::now();
    let mut count = 0;
    for _ in 0..rounds {
        count += states.iter().map(&mut work).sum::<usize>();
    }
    count as f64 / started.elapsed().as_secs_f64()
}

fn measure<R: Rules>(repeats: usize) {
    let states = positions::<R>();
    let mut legal = Vec::new();
    let shown = |what: &str, work: &mut dyn FnMut(&BoardState<R>) -> usize| {
        let rates: Vec<_> =
            (0..repeats).map(|_| format!("{:.0}", rate(&states, &mut *work))).collect();
        println!("{} {what} {}", R::NAME, rates.join(" "));
    };
    shown("lists", &mut |state| {
        black_box(&state.position().legal_moves());
        1
    });
    shown("moves", &mut |state| black_box(&state.position().legal_moves()).len());
    shown("reached", &mut |state| {
        let moves = &state.position().legal_moves();
        for &m in moves {
            let mut next = state.position().clone();
            next.play_unchecked(m);
            black_box(&next);
        }
        moves.len()
    });
    shown("actions", &mut |state| {
        black_box(state.turn_and_actions(&mut legal));
        1
    });
}

fn main() {
    let repeats = repeats();
    measure::<Chess>(repeats);
    measure::<Atomic>(repeats);
}
