//! Lines that share nodes: the tree itself where no two lines meet, less work where they do, and the same
//! exact values.

use crate::toys::drive::{EVEN, OPINIONS};
use crate::toys::exact::moves;
use crate::toys::{Dice, Driver, TicTacToe, exact, nodes_of};
use phasezoo_core::game::{Game, Replay, Store};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::model::{SearchModel, Turns};
use phasezoo_core::search::{Ended, Limit, MemoryFull, Params, SearchResult, VirtualStyle};
use proptest::prelude::*;

const STYLES: [VirtualStyle; 3] = [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix];

fn params(graph: bool) -> Params {
    Params { graph, ..Params::default() }
}

fn infinite(nodes: u64) -> Limit {
    Limit { nodes: Some(nodes), infinite: true, ..Limit::default() }
}

fn timeless(result: SearchResult) -> SearchResult {
    SearchResult { seconds: 0.0, memory: 0, ..result }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn where_no_lines_meet_a_graph_is_the_tree(
        seed: u64, players in 1_usize..=4, whole: bool, plies in 2_u32..8, batch_size in 1_usize..20,
        style in 0_usize..3, nodes in 1_u64..600, noise: bool,
    ) {
        let start = Dice::new(seed, players, whole, plies);
        let dirichlet_epsilon = if noise { 0.25 } else { 0.0 };
        let found = [false, true].map(|graph| {
            let params = Params {
                batch_size, virtual_style: STYLES[style], dirichlet_epsilon, ..params(graph)
            };
            let mut driver = Driver::new(Turns::of(&start).keeping::<Replay>(), params, OPINIONS);
            let result = driver.search(&start, infinite(nodes));
            (timeless(result), nodes_of(&driver.pool, driver.tree))
        });
        prop_assert_eq!(&found[0], &found[1]);
    }

    #[test]
    fn games_are_solved_exactly_and_stay_so_along_a_game(
        seed: u64, players in 1_usize..=2, plies in 2_u32..8, batch_size in 1_usize..20,
        style in 0_usize..3, prunes: bool,
    ) {
        let mut state = Dice { commutes: true, ..Dice::new(seed, players, true, plies) };
        let model = Turns::of(&state).keeping::<Replay>();
        let memory_full = MemoryFull::Prune;
        let params = Params {
            batch_size,
            virtual_style: STYLES[style],
            memory: Some(if prunes { 30_000 } else { 1 << 30 }),
            memory_full,
            ..params(true)
        };
        let mut driver = Driver::new(model, params, OPINIONS);
        while model.terminal(&state).unwrap().is_none() {
            let actor = model.actor(&state).unwrap();
            let best = exact(&model, &state).of(actor);
            let result = driver.search(&state, infinite(1_000_000));
            if prunes && result.ended == Ended::Memory {
                break;
            }
            prop_assert_eq!(result.ended, Ended::Solved);
            prop_assert_eq!((result.proven.unwrap().0, result.value), (best, best));
            let choices = moves(&model, &state);
            let (_, returns) = choices.into_iter().find(|(a, _)| *a == result.action).unwrap();
            prop_assert_eq!(returns.of(actor), best);
            // Half a search, a move, and the other half.
            driver.pool.begin(driver.tree, state.clone(), infinite(10), -1).unwrap();
            driver.pool.advance(driver.tree, result.action).unwrap();
            state.apply(&[result.action]).unwrap();
        }
    }

    #[test]
    fn what_is_followed_is_what_was_found(seed: u64, plies in 4_u32..8, nodes in 20_u64..400) {
        let state = Dice { commutes: true, ..Dice::new(seed, 2, false, plies) };
        let model = Turns::of(&state).keeping::<Replay>();
        let mut driver = Driver::new(model, params(true), OPINIONS);
        let result = driver.search(&state, infinite(nodes));
        let below: Vec<_> = nodes_of(&driver.pool, driver.tree)
            .into_iter()
            .filter(|(path, _)| path.first() == Some(&result.action))
            .map(|(path, view)| (path[1..].to_vec(), view))
            .collect();
        driver.pool.advance(driver.tree, result.action).unwrap();
        if !below[0].1.actions.is_empty() {
            prop_assert_eq!(nodes_of(&driver.pool, driver.tree), below);
        }
    }
}

#[test]
fn fewer_nodes_solve_tic_tac_toe() {
    let start = TicTacToe::default();
    let nodes = [false, true].map(|graph| {
        let model = Turns::of(&start).keeping::<Store<_>>();
        let result = Driver::new(model, params(graph), EVEN).search(&start, infinite(500_000));
        assert_eq!((result.ended, result.proven.map(|p| p.0)), (Ended::Solved, Some(0.0)));
        result.nodes
    });
    // There are 5,478 positions in all.
    assert!(nodes[1] < 5_478 && nodes[1] * 3 < nodes[0], "{nodes:?}");
}

#[test]
fn chess_positions_by_another_order_are_evaluated_once() {
    let root = ChessState::initial();
    let searched = |graph, batch_size| {
        let params = Params { batch_size, fpu: Some(0.0), ..params(graph) };
        let mut driver = Driver::new(ChessModel::new(), params, EVEN);
        let limit = Limit { simulations: Some(20_000), ..Limit::default() };
        let result = driver.search(&root, limit);
        let views = nodes_of(&driver.pool, driver.tree).len();
        (result, views)
    };
    for batch_size in [1, 64] {
        let (tree, _) = searched(false, batch_size);
        let (graph, views) = searched(true, batch_size);
        assert_eq!(graph.simulations, 20_000);
        assert!(graph.nodes * 10 < tree.nodes * 9, "{} {}", graph.nodes, tree.nodes);
        assert!(views as u64 > graph.nodes, "several lines lead to some nodes");
        let sum: u32 = graph.visits.iter().sum();
        assert!(u64::from(sum) + 1 == graph.simulations, "{sum}");
    }
}
