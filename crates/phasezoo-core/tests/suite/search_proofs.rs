//! What proofs say and what they change: exact whoever the others are, carried into every mean above,
//! and in nobody's way.

use std::collections::HashMap;

use crate::toys::drive::OPINIONS;
use crate::toys::{Dice, Driver, nodes_of};
use phasezoo_core::game::{Action, Replay};
use phasezoo_core::games::boards::board::color_of;
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::model::{SearchModel, Turns};
use phasezoo_core::search::{
    Ended, Evaluation, LeafBatch, Limit, NodeView, Params, Policy, SearchPool, SearchResult, Value,
    VirtualStyle,
};
use proptest::prelude::*;
use shakmaty::{Position, Role};

const STYLES: [VirtualStyle; 3] = [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix];

/// Counts material, for the player to move.
fn material(model: &ChessModel, leaves: &LeafBatch<ChessModel>, row: usize) -> f32 {
    let mut state = leaves.root(row).clone();
    leaves.restore(model, row, &mut state).unwrap();
    let worth =
        [(Role::Pawn, 1), (Role::Knight, 3), (Role::Bishop, 3), (Role::Rook, 5), (Role::Queen, 9)];
    let board = state.position().board();
    let own = color_of(leaves.players[row]);
    let count = |color| -> i32 {
        let pieces = |role| (board.by_role(role) & board.by_color(color)).count() as i32;
        worth.iter().map(|&(role, worth)| worth * pieces(role)).sum()
    };
    ((count(own) - count(own.other())) as f32 / 10.0).tanh()
}

/// Rows of each call, and the result.
fn search_by_material(fen: &str, batch_size: usize, nodes: u64) -> (Vec<usize>, SearchResult) {
    let params = Params { batch_size, ..Params::default() };
    let mut pool = SearchPool::new(ChessModel::default(), params, None, Some(1)).unwrap();
    let tree = pool.add(1).unwrap();
    let limit = Limit { nodes: Some(nodes), ..Limit::default() };
    pool.begin(tree, ChessState::from_fen(fen).unwrap(), limit, -1).unwrap();
    let mut calls = Vec::new();
    while pool.running() > 0 {
        let leaves = pool.collect(batch_size).unwrap();
        let values: Vec<f32> =
            (0..leaves.len()).map(|row| material(pool.model(), &leaves, row)).collect();
        let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&values) };
        pool.complete(&leaves, &evaluation).unwrap();
        calls.extend((!leaves.is_empty()).then_some(leaves.len()));
    }
    (calls, pool.finish(tree).unwrap())
}

#[test]
fn a_proven_draw_in_the_best_line_does_not_empty_the_batches() {
    // Taking the pawn draws by insufficient material; every other move leaves White a pawn down.
    for fen in ["6k1/8/8/8/8/3Kp3/8/8 w - - 0 1", "8/8/3kP3/8/8/8/8/6K1 b - - 0 1"] {
        let (calls, result) = search_by_material(fen, 64, 2_000);
        let mean = result.nodes as f64 / calls.len() as f64;
        assert!(mean > 40.0, "{mean} rows a call");
        assert!(result.simulations < 12_000, "{}", result.simulations);
        let chosen = ChessState::from_fen(fen).unwrap().uci(result.action).unwrap();
        assert!(["d3e3", "d6e6"].contains(&chosen.as_str()), "{chosen}");
        assert_eq!(result.value.abs().max(0.2), 0.2, "{result:?}");
    }
}

/// Every way a game may end if everybody plays best for themselves and nobody knows which of equal
/// moves the others choose.
fn outcomes(model: &Turns<Dice, Replay>, state: &Dice) -> Vec<Vec<f32>> {
    if let Some(returns) = model.terminal(state).unwrap() {
        return vec![returns.as_slice()[..state.players].to_vec()];
    }
    let own = usize::from(model.actor(state).unwrap());
    let mut actions = Vec::new();
    model.actions(state, &mut actions).unwrap();
    let behind: Vec<Vec<Vec<f32>>> = actions
        .into_iter()
        .map(|action| {
            let mut next = state.clone();
            model.advance(&mut next, action).unwrap();
            outcomes(model, &next)
        })
        .collect();
    let least = |ways: &Vec<Vec<f32>>| ways.iter().map(|way| way[own]).fold(1.0, f32::min);
    let floor = behind.iter().map(least).fold(-1.0, f32::max);
    let mut all: Vec<Vec<f32>> =
        behind.into_iter().flatten().filter(|way| way[own] >= floor).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all.dedup();
    all
}

fn after(model: &Turns<Dice, Replay>, start: &Dice, path: &[Action]) -> Dice {
    path.iter().fold(start.clone(), |mut state, &action| {
        model.advance(&mut state, action).unwrap();
        state
    })
}

fn searched(state: &Dice, params: Params, nodes: u64) -> Driver<Turns<Dice, Replay>> {
    let mut driver = Driver::new(Turns::of(state).keeping::<Replay>(), params, OPINIONS);
    driver.search(state, Limit { nodes: Some(nodes), infinite: true, ..Limit::default() });
    driver
}

/// What a node's own value and its moves add up to, and what it says they do.
fn sums(view: &NodeView) -> (f64, f64) {
    let moves = view.action_visits.iter().zip(&view.q);
    let parts = moves.map(|(&visits, q)| f64::from(visits) * f64::from(q.unwrap_or(0.0)));
    let whole = f64::from(view.visits) * f64::from(view.mean);
    (f64::from(view.value) + parts.sum::<f64>(), whole)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_called_proven_holds_for_every_choice_among_equals(
        seed: u64, players in 2_usize..=4, plies in 2_u32..6, batch in 1_usize..20,
        style in 0_usize..3, nodes in 1_u64..400, commutes: bool, graph: bool,
    ) {
        let start = Dice { commutes, ..Dice::new(seed, players, true, plies) };
        let virtual_style = STYLES[style];
        let params = Params { batch_size: batch, virtual_style, graph, ..Params::default() };
        let driver = searched(&start, params, nodes);
        let model = driver.pool.model();
        for (path, view) in nodes_of(&driver.pool, driver.tree) {
            let Some((worth, _)) = view.proven else { continue };
            let state = after(model, &start, &path);
            for way in outcomes(model, &state) {
                prop_assert_eq!(way[usize::from(view.player)], worth, "{:?}", path);
            }
        }
        let result = driver.pool.inspect(driver.tree, &[]).unwrap().unwrap();
        prop_assert!(result.visits > 0);
    }

    #[test]
    fn enough_simulations_settle_every_game(
        seed: u64, players in 1_usize..=4, plies in 2_u32..5, batch_size in 1_usize..20,
        commutes: bool, graph: bool,
    ) {
        let start = Dice { commutes, ..Dice::new(seed, players, true, plies) };
        let model = Turns::of(&start).keeping::<Replay>();
        let own = usize::from(model.actor(&start).unwrap());
        let ways = outcomes(&model, &start);
        let params = Params { batch_size, graph, ..Params::default() };
        let mut driver = Driver::new(model, params, OPINIONS);
        let limit = Limit { nodes: Some(1_000_000), infinite: true, ..Limit::default() };
        let result = driver.search(&start, limit);
        prop_assert_eq!(result.ended, Ended::Solved);
        if let Some((worth, _)) = result.proven {
            prop_assert!(ways.iter().all(|way| way[own] == worth), "{} of {:?}", worth, ways);
        }
    }

    #[test]
    fn means_are_those_of_what_is_known_below(
        seed: u64, players in 1_usize..=4, whole: bool, plies in 2_u32..8, batch in 1_usize..20,
        style in 0_usize..3, nodes in 1_u64..600,
    ) {
        let start = Dice::new(seed, players, whole, plies);
        let params = Params { batch_size: batch, virtual_style: STYLES[style], ..Params::default() };
        let driver = searched(&start, params, nodes);
        for (path, view) in nodes_of(&driver.pool, driver.tree) {
            // A node of which nothing more can be learnt has its value as its mean.
            let is_settled = view.proven.is_some() || (view.mean - view.value).abs() < 1e-6;
            if is_settled || view.actions.is_empty() { continue }
            prop_assert_eq!(view.visits, 1 + view.action_visits.iter().sum::<u32>());
            let (parts, whole) = sums(&view);
            prop_assert!((parts - whole).abs() < 1e-4 * f64::from(view.visits), "{:?}: {} {}", path, parts, whole);
        }
    }

    #[test]
    fn the_line_shown_has_no_refuted_move_but_where_all_are(
        seed: u64, players in 1_usize..=2, plies in 3_u32..8, nodes in 10_u64..600,
    ) {
        let start = Dice::new(seed, players, true, plies);
        let mut driver = searched(&start, Params::default(), nodes);
        let line = driver.pool.finish(driver.tree).unwrap().pv();
        let views: HashMap<_, _> = nodes_of(&driver.pool, driver.tree).into_iter().collect();
        for at in 1..line.len() {
            let Some(view) = views.get(&line[..at]) else { break };
            let is_lost = |action: Action| {
                let path = [&line[..at], &[action]].concat();
                let Some(below) = views.get(&path) else { return false };
                let sign = if below.player == view.player { 1.0 } else { -1.0 };
                below.proven.is_some_and(|(worth, _)| sign * worth == -1.0)
            };
            let mut visited =
                view.actions.iter().zip(&view.action_visits).filter(|&(_, &visits)| visits > 0);
            if visited.any(|(&action, _)| !is_lost(action)) {
                prop_assert!(!is_lost(line[at]), "{:?} after {:?}", line[at], &line[..at]);
            }
        }
    }
}
