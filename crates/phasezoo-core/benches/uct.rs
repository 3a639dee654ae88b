//! UCT on one thread: rollouts and plies of rollouts per second.
//!
//! `cargo bench --bench uct [-- REPEATS small]` prints a line per measurement: the game, the rollout policy,
//! then what was counted per second in every repeat.

#![allow(clippy::print_stdout)]

mod arguments;

use std::time::Instant;

use arguments::{repeats, sized};
use phasezoo_core::Result;
use phasezoo_core::games::krk::{KrkLine, KrkModel, KrkRollout};
use phasezoo_core::games::{ChessModel, ChessState, KrkState};
use phasezoo_core::model::SearchModel;
use phasezoo_core::search::Limit;
use phasezoo_core::search::uct::{
    Choice, Ends, Expansion, Params, RandomRollout, Rollout, Search, Selection, Ties,
};

const PARAMS: Params = Params {
    c: 1.0,
    threshold: 30,
    expansion: Expansion::Rollouts,
    selection: Selection::Ucb1,
    follow: false,
    ties: Ties::First,
    choice: Choice::Careful,
    ends: Ends::Count,
    root_visits: 0,
    max_plies: None,
    memory: usize::MAX,
};

/// Prints rollouts and plies per second of searches with new trees.
fn measure<M: SearchModel + Clone, P: Rollout<M> + Clone>(
    name: &str,
    (model, policy, root): (&M, &P, &M::State),
    rollouts: u64,
    repeats: usize,
) -> Result<()> {
    let limit = Limit { simulations: Some(rollouts), ..Limit::default() };
    let mut figures = [Vec::new(), Vec::new()];
    for seed in 0..repeats as u64 {
        let mut search = Search::new(model.clone(), policy.clone(), PARAMS, seed)?;
        let started = Instant::now();
        let report = search.search(root.clone(), None, &limit, &mut || true)?;
        let seconds = started.elapsed().as_secs_f64();
        figures[0].push(report.simulations as f64 / seconds);
        figures[1].push(report.rollout_plies as f64 / seconds);
    }
    for (unit, figures) in ["rollouts", "plies"].into_iter().zip(figures) {
        let figures: Vec<String> = figures.iter().map(|figure| format!("{figure:.0}")).collect();
        println!("{name} {unit} {}", figures.join(" "));
    }
    Ok(())
}

fn main() -> Result<()> {
    let repeats = repeats();
    let chess = (&ChessModel::new(), &RandomRollout::default(), &ChessState::initial());
    measure("chess random", chess, sized(5_000, 10), repeats)?;
    let rollouts = sized(100_000, 100);
    let model = KrkModel::default();
    let root = KrkLine::of(&KrkState::initial())?;
    measure("krk krk", (&model, &KrkRollout, &root), rollouts, repeats)?;
    measure("krk random", (&model, &RandomRollout::default(), &root), rollouts, repeats)
}
