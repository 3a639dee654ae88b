//! Connect Four on one thread: random steps per second of a vector, planes and masks written.
//!
//! `cargo bench --bench connect_four [-- REPEATS small]` prints a line per number of games: what is
//! measured, then steps per second of every repeat.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod arguments;

use std::time::Instant;

use arguments::{repeats, sized};
use phasezoo_core::games::ConnectFour;
use phasezoo_core::games::connect_four::ConnectFourPlanes;
use phasezoo_core::plane_buffers::PlaneBuffer;
use phasezoo_core::rng::Stream;
use phasezoo_core::vector::{Autoreset, Illegal, Mark, Opponent, Options, Outputs, Seat, Vector};

/// The buffers of a step.
struct Buffers {
    planes: Vec<f32>,
    masks: Vec<i8>,
    marks: Vec<Mark>,
    rewards: Vec<f64>,
    flags: [Vec<bool>; 4],
    numbers: [Vec<i64>; 3],
    result: Vec<i8>,
    winners: Vec<bool>,
}

impl Buffers {
    fn new(rows: usize) -> Self {
        Self {
            planes: vec![0.0; rows * 126],
            masks: vec![0; rows * 7],
            marks: vec![Mark::Unknown; rows],
            rewards: vec![0.0; rows],
            flags: std::array::from_fn(|_| vec![false; rows]),
            numbers: std::array::from_fn(|_| vec![0; rows]),
            result: vec![0; rows],
            winners: vec![false; 2 * rows],
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        let [terminated, truncated, illegal, has_result] = &mut self.flags;
        let [to_play, ply, phase] = &mut self.numbers;
        Outputs {
            planes: PlaneBuffer::Floats(&mut self.planes),
            masks: &mut self.masks,
            marks: &mut self.marks,
            rewards: &mut self.rewards,
            terminated,
            truncated,
            illegal,
            to_play,
            ply,
            phase,
            result: &mut self.result,
            has_result,
            winners: &mut self.winners,
        }
    }
}

fn vector(rows: usize) -> f64 {
    let steps = sized(2_000_000, 3 * rows);
    let options = Options {
        planes: Some(ConnectFourPlanes::Default),
        packed: false,
        gate: None,
        seat: Seat::Fixed(0),
        opponent: Opponent::None,
        illegal: Illegal::Raise,
        max_plies: None,
        max_steps: None,
        array_sets: 1,
        autoreset: Autoreset::NextStep,
        threads: Some(1),
        compact: false,
        move_numbers: false,
    };
    let mut vector = Vector::new(rows, options, |_| Ok(ConnectFour::default())).unwrap();
    let mut buffers = Buffers::new(rows);
    let mut stream = Stream::new(7);
    let seeds: Vec<u64> = (0..rows as u64).collect();
    vector.reset(None, &seeds, &vec![true; rows], None).unwrap();
    let (mut words, mut actions) = (vec![0; rows], vec![0; rows]);
    let started = Instant::now();
    for _ in 0..steps / rows {
        words.fill_with(|| stream.next_u64());
        vector.sample(&words, &mut actions).unwrap();
        vector.step(&actions, &seeds, Some(buffers.outputs())).unwrap();
    }
    (steps / rows * rows) as f64 / started.elapsed().as_secs_f64()
}

fn main() {
    let repeats = repeats();
    for rows in [256, 4_096] {
        let rates: Vec<_> = (0..repeats).map(|_| format!("{:.0}", vector(rows))).collect();
        println!("vector-{rows} {}", rates.join(" "));
    }
}
