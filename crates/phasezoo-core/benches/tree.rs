//! The tree alone, one thread: nodes per second of searches that know nothing, 16 leaves at a time.
//!
//! `cargo bench --bench tree [-- REPEATS]` prints a line per measurement: planes made for each leaf
//! (`v2` or `none`), what an unvisited child is worth, then nodes per second of every repeat. With
//! `-1`, the default, such a search goes over a hundred plies deep; with the parent's `mean` it looks
//! at all moves alike and stays shallow, as a search with a network does.

#![allow(clippy::print_stdout)]

use std::time::Instant;

use phasezoo_core::Result;
use phasezoo_core::games::boards::board::color_of;
use phasezoo_core::games::boards::planes::{self, BoardPlanes};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::search::{Evaluation, LeafBatch, Limit, Params, Policy, SearchPool, Value};

const MIDGAME: &str = "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1 b - - 0 9";
const NODES: u64 = 400_000;
const BATCH: usize = 16;
const REPEATS: usize = 5;

/// Planes of a batch, made one leaf after the other.
struct Encoder {
    planes: BoardPlanes,
    walker: ChessState,
    buffer: Vec<f32>,
}

impl Encoder {
    fn new(planes: BoardPlanes) -> Self {
        Self { planes, walker: ChessState::initial(), buffer: vec![0.0; BATCH * planes.size()] }
    }

    fn encode(&mut self, batch: &LeafBatch<ChessModel>) -> Result<()> {
        let model = ChessModel::default();
        for (row, out) in self.buffer.chunks_exact_mut(self.planes.size()).enumerate() {
            if row < batch.len() {
                batch.restore(&model, row, &mut self.walker)?;
                let viewer = color_of(batch.players[row]);
                planes::board(&self.walker, self.planes, viewer, out);
            }
        }
        std::hint::black_box(&self.buffer);
        Ok(())
    }
}

/// Searches once; returns nodes per second.
fn search(planes: Option<BoardPlanes>, fpu: Option<f32>) -> Result<f64> {
    let mut encoder = planes.map(Encoder::new);
    let params = Params { batch_size: BATCH, fpu, ..Params::default() };
    let mut pool = SearchPool::new(ChessModel::default(), params, None, Some(1))?;
    let tree = pool.add(1)?;
    let limit = Limit { nodes: Some(NODES), ..Limit::default() };
    pool.begin(tree, ChessState::from_fen(MIDGAME)?, limit, -1)?;
    let started = Instant::now();
    while pool.running() > 0 {
        let leaves = pool.collect(BATCH)?;
        if let Some(encoder) = &mut encoder {
            encoder.encode(&leaves)?;
        }
        let values = [0.0; BATCH];
        let value = Value::ToPlay(&values[..leaves.len()]);
        pool.complete(&leaves, &Evaluation { policy: Policy::Uniform, value })?;
    }
    Ok(NODES as f64 / started.elapsed().as_secs_f64())
}

fn main() -> Result<()> {
    let repeats = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(REPEATS);
    for (planes_name, planes) in [("v2", Some(BoardPlanes::V2)), ("none", None)] {
        for (worth, fpu) in [("mean", Some(0.0)), ("-1", None)] {
            print!("{planes_name} {worth}");
            for _ in 0..repeats {
                print!(" {:.0}", search(planes, fpu)?);
            }
            println!();
        }
    }
    Ok(())
}
