//! The tree alone: nodes per second of searches that know nothing.
//!
//! `cargo bench --bench tree [-- REPEATS small NAME …]` prints a line per measurement: its name, then nodes
//! per second of every repeat. With names only those are measured. A name says whether planes are made for
//! each leaf (`v2` or `none`), what an unvisited child is worth (with `-1` such a search goes over a
//! hundred plies deep; with the parent's `mean` it looks at all moves alike and stays shallow, as a search
//! with a network does), how many leaves go out at a time, and what else differs: `noise` at the root, a
//! number of `threads`.

#![allow(clippy::print_stdout)]

mod arguments;

use std::ops::Range;
use std::time::Instant;

use arguments::{repeats, sized, words};
use phasezoo_core::games::boards::board::color_of;
use phasezoo_core::games::boards::planes::{self, BoardPlanes};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::search::{Evaluation, LeafBatch, Limit, Params, Policy, SearchPool, Value};
use phasezoo_core::{Result, threads};

const MIDGAME: &str = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9";

/// Rows that a thread encodes at least, as from Python.
const GRAIN: usize = 16;

/// A measurement.
#[derive(Clone, Copy)]
struct Case {
    planes: Option<BoardPlanes>,
    fpu: Option<f32>,
    batch: usize,
    noise: f32,
    threads: usize,
}

impl Case {
    const fn new(planes: Option<BoardPlanes>, fpu: Option<f32>, batch: usize) -> Self {
        Self { planes, fpu, batch, noise: 0.0, threads: 1 }
    }

    fn name(self) -> String {
        let planes = if self.planes.is_some() { "v2" } else { "none" };
        let worth = if self.fpu.is_some() { "mean" } else { "-1" };
        let noise = if self.noise > 0.0 { ",noise" } else { "" };
        let threads =
            if self.threads > 1 { format!(",threads{}", self.threads) } else { String::new() };
        format!("{planes},{worth},{}{noise}{threads}", self.batch)
    }
}

const MEAN: Option<f32> = Some(0.0);
const V2: Option<BoardPlanes> = Some(BoardPlanes::V2);

const CASES: [Case; 14] = [
    Case::new(V2, MEAN, 16),
    Case::new(V2, None, 16),
    Case::new(None, MEAN, 16),
    Case::new(None, None, 16),
    Case { noise: 0.25, ..Case::new(None, MEAN, 16) },
    Case { noise: 0.25, ..Case::new(None, None, 16) },
    Case::new(None, MEAN, 1),
    Case::new(None, None, 1),
    Case::new(None, MEAN, 64),
    Case::new(None, None, 64),
    Case::new(V2, MEAN, 64),
    Case::new(V2, None, 64),
    Case { threads: 2, ..Case::new(V2, MEAN, 64) },
    Case { threads: 2, ..Case::new(V2, None, 64) },
];

/// Planes of a batch.
struct Encoder {
    planes: BoardPlanes,
    threads: usize,
    buffer: Vec<f32>,
}

impl Encoder {
    fn encode(&mut self, batch: &LeafBatch<ChessModel>) -> Result<()> {
        let (planes, threads) = (self.planes, Some(self.threads));
        let mut rest = self.buffer.as_mut_slice();
        let tasks = threads::ranges(batch.len(), threads::parts(threads, batch.len(), GRAIN)?)
            .map(|rows| (threads::take_rows(&mut rest, rows.len() * planes.size()), rows))
            .collect();
        threads::run(threads, tasks, |(out, rows): (&mut [f32], Range<usize>)| {
            encode_rows(planes, batch, rows, out).expect("rows of this game are made again");
        })?;
        std::hint::black_box(&self.buffer);
        Ok(())
    }
}

fn encode_rows(
    planes: BoardPlanes,
    batch: &LeafBatch<ChessModel>,
    rows: Range<usize>,
    out: &mut [f32],
) -> Result<()> {
    let model = ChessModel::default();
    let mut walker = ChessState::initial();
    for (row, out) in rows.zip(out.chunks_exact_mut(planes.size())) {
        batch.restore(&model, row, &mut walker)?;
        planes::board(&walker, planes, color_of(batch.players[row]), out);
    }
    Ok(())
}

/// Searches that begin with an empty tree, one after the other in the same pool, as those of a game do;
/// returns nodes per second of each. The first, in which memory comes from the system, is left out.
fn search(case: Case, repeats: usize) -> Result<Vec<f64>> {
    let mut encoder = case.planes.map(|planes| Encoder {
        planes,
        threads: case.threads,
        buffer: vec![0.0; case.batch * planes.size()],
    });
    let params = Params {
        batch_size: case.batch,
        fpu: case.fpu,
        dirichlet_epsilon: case.noise,
        ..Params::default()
    };
    let mut pool = SearchPool::new(ChessModel::default(), params, None, Some(case.threads))?;
    let tree = pool.add(1)?;
    let values = vec![0.0; case.batch];
    let mut rates = Vec::new();
    let nodes = sized(400_000, 500);
    for _ in 0..=repeats {
        pool.clear(tree)?;
        let limit = Limit { nodes: Some(nodes), ..Limit::default() };
        pool.begin(tree, ChessState::from_fen(MIDGAME)?, limit, -1)?;
        let started = Instant::now();
        while pool.running() > 0 {
            let leaves = pool.collect(case.batch)?;
            if let Some(encoder) = &mut encoder {
                encoder.encode(&leaves)?;
            }
            let value = Value::ToPlay(&values[..leaves.len()]);
            pool.complete(&leaves, &Evaluation { policy: Policy::Uniform, value })?;
        }
        rates.push(nodes as f64 / started.elapsed().as_secs_f64());
    }
    rates.remove(0);
    Ok(rates)
}

fn main() -> Result<()> {
    let names: Vec<String> =
        words().filter(|word| word.starts_with(char::is_alphabetic) && word != "small").collect();
    for case in CASES {
        let name = case.name();
        if !names.is_empty() && !names.contains(&name) {
            continue;
        }
        print!("{name}");
        for rate in search(case, repeats())? {
            print!(" {rate:.0}");
        }
        println!();
    }
    Ok(())
}
