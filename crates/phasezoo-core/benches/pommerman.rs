//! Pommerman on one thread: steps per second.
//!
//! `cargo bench --bench pommerman [-- REPEATS small NAME]` prints a line per measurement (those alone that
//! begin with `NAME`): who plays, what is done besides, then steps per second of every repeat.

#![allow(clippy::print_stdout)]

mod arguments;

use std::time::Instant;

use arguments::{repeats, sized, words};
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{CHANNELS, Config, Mode, SimpleAgent, State};
use phasezoo_core::rng::Stream;

const CONFIG: Config = Config::new(Mode::Ffa, false, false);

fn report(name: &str, repeats: usize, mut work: impl FnMut(u64) -> (u64, f64)) {
    let mut wanted =
        words().filter(|word| word.starts_with(char::is_alphabetic) && word != "small");
    if wanted.next().is_some_and(|wanted| !name.starts_with(&wanted)) {
        return;
    }
    let rates: Vec<String> = (0..repeats as u64)
        .map(|seed| {
            let (steps, seconds) = work(seed);
            format!("{:.0}", steps as f64 / seconds)
        })
        .collect();
    println!("{name} {}", rates.join(" "));
}

fn joint(stream: &mut Stream) -> [u8; 4] {
    std::array::from_fn(|_| stream.below(6) as u8)
}

/// Random agents; the clock runs between resets alone unless `with_resets`.
fn random(seed: u64, with_resets: bool, planes: bool) -> (u64, f64) {
    let mut stream = Stream::new(seed);
    let mut buffer = vec![0.0; 4 * CHANNELS * CONFIG.cells()];
    let (mut steps, mut seconds) = (0, 0.0);
    let games = if planes { 2_000 } else { 20_000 };
    for game in 0..sized(games, 2) {
        let reset = Instant::now();
        let mut state = State::new(CONFIG, &mut Twister::new(seed << 32 | game));
        let started = if with_resets { reset } else { Instant::now() };
        while !state.is_over() {
            state.step(joint(&mut stream));
            steps += 1;
            if planes {
                let size = CHANNELS * CONFIG.cells();
                for (player, out) in buffer.chunks_exact_mut(size).enumerate() {
                    state.write_planes(player as u8, out);
                }
            }
        }
        seconds += started.elapsed().as_secs_f64();
    }
    (steps, seconds)
}

fn simple(seed: u64) -> (u64, f64) {
    let mut steps = 0;
    let started = Instant::now();
    for game in 0..sized(60, 1) {
        let mut random = Twister::new(seed << 32 | game);
        let mut state = State::new(CONFIG, &mut random);
        let mut agents: [SimpleAgent; 4] = Default::default();
        while !state.is_over() {
            let mut actions = [0; 4];
            for (player, action) in actions.iter_mut().enumerate() {
                if state.agents()[player].alive {
                    *action = agents[player].act(&state, player as u8, &mut random).0;
                }
            }
            state.step(actions);
            steps += 1;
        }
    }
    (steps, started.elapsed().as_secs_f64())
}

fn main() {
    let repeats = repeats();
    report("random between-resets", repeats, |seed| random(seed, false, false));
    report("random with-resets", repeats, |seed| random(seed, true, false));
    report("random with-planes", repeats, |seed| random(seed, true, true));
    report("simple with-resets", repeats, simple);
}
