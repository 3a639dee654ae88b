//! A search's life: limits, reuse, noise, forced moves, memory.

use std::time::{Duration, Instant};

use crate::toys::drive::{EVEN, OPINIONS};
use crate::toys::{Dice, Driver, TicTacToe, answer, nodes_of};
use phasezoo_core::Error;
use phasezoo_core::game::{Game, Kept, Replay, Store};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::model::Turns;
use phasezoo_core::search::{Ended, Limit, MemoryFull, Params, SearchResult, Selection, Status};

fn chess(params: Params) -> Driver<ChessModel> {
    Driver::new(ChessModel::new(), params, OPINIONS)
}

fn batch(batch_size: usize) -> Params {
    Params { batch_size, ..Params::default() }
}

fn after(moves: &[&str]) -> ChessState {
    let mut state = ChessState::initial();
    for uci in moves {
        let action = state.parse_uci(uci).unwrap();
        state.apply(&[action]).unwrap();
    }
    state
}

#[test]
fn limits_are_exact_and_count_new_work_only() {
    let root = ChessState::initial();
    for batch_size in [1, 7, 64] {
        for limit in [1, 2, 20, 333] {
            let result = chess(batch(batch_size)).expand(&root, limit);
            assert_eq!((result.nodes, result.ended), (limit, Ended::Nodes));
            assert_eq!(u64::from(result.visits.iter().sum::<u32>()), result.simulations - 1);
            let result = chess(batch(batch_size)).simulate(&root, limit);
            assert_eq!((result.simulations, result.ended), (limit, Ended::Simulations));
        }
    }
    // Near the end most simulations end in known positions, and both counts still hold.
    let late = TicTacToe::after(&[4, 0, 8]);
    let mut driver = Driver::new(Turns::of(&late).keeping::<Replay>(), batch(4), EVEN);
    let result = driver.simulate(&late, 500);
    assert!(result.ended == Ended::Solved || result.simulations == 500);
    assert!(result.nodes < result.simulations);
}

#[test]
fn a_limit_must_be_given_and_positive() {
    let mut driver = chess(Params::default());
    for limit in [
        Limit::default(),
        Limit { nodes: Some(0), ..Limit::default() },
        Limit { simulations: Some(0), ..Limit::default() },
        Limit { movetime: Some(Duration::ZERO), ..Limit::default() },
    ] {
        let begun = driver.pool.begin(driver.tree, ChessState::initial(), limit, -1);
        assert!(matches!(begun, Err(Error::InvalidConfig(_))), "{limit:?}");
    }
}

#[test]
fn one_node_is_enough_for_a_move() {
    // The evaluated root alone: the best prior. Not even that: the first legal action.
    let root = ChessState::initial();
    let result = chess(Params::default()).expand(&root, 1);
    let best = result.prior.iter().copied().fold(0.0, f32::max);
    assert_eq!(result.prior[result.actions.binary_search(&result.action).unwrap()], best);
    assert_eq!(result.policy, result.prior);
    assert_eq!(result.pv(), [result.action]);

    let mut driver = chess(Params::default());
    let limit = Limit { nodes: Some(9), ..Limit::default() };
    driver.pool.begin(driver.tree, root.clone(), limit, -1).unwrap();
    let leaves = driver.pool.collect(1).unwrap();
    let result = driver.pool.finish(driver.tree).unwrap();
    assert_eq!((result.action, result.nodes), (result.actions[0], 0));
    assert_eq!((result.ended, result.value), (Ended::Stopped, 0.0));
    assert!((result.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    // The leaf that is still out is ignored when it comes back.
    answer(&mut driver.pool, &leaves, EVEN);
    assert_eq!(driver.pool.progress(driver.tree).unwrap(), (0, 0));
}

#[test]
fn a_single_legal_move_is_looked_at_once() {
    let root = ChessState::from_fen("8/8/8/8/8/1k6/7r/K7 w - - 0 1").unwrap();
    let result = chess(Params::default()).expand(&root, 100);
    assert_eq!(
        (result.ended, result.nodes, result.visits.as_slice()),
        (Ended::Forced, 2, &[1][..])
    );
    let infinite = Limit { nodes: Some(100), infinite: true, ..Limit::default() };
    // Looking at the likely replies first leaves the mate unseen.
    let result = chess(Params { fpu: None, ..Params::default() }).search(&root, infinite);
    assert!(result.nodes == 100 && result.visits[0] >= 99);
}

#[test]
fn time_ends_a_search_and_the_root_is_evaluated_anyway() {
    let root = ChessState::initial();
    let short = Limit { movetime: Some(Duration::from_nanos(1)), ..Limit::default() };
    let result = chess(Params::default()).search(&root, short);
    assert_eq!((result.nodes, result.ended), (1, Ended::Time));

    // Each batch takes 20 ms: the search must know that the last one would come too late.
    let mut driver = chess(batch(4));
    let limit = Limit { movetime: Some(Duration::from_millis(90)), ..Limit::default() };
    let start = Instant::now();
    driver.pool.begin(driver.tree, root, limit, -1).unwrap();
    let mut batches = 0;
    while driver.pool.running() > 0 {
        let leaves = driver.pool.collect(4).unwrap();
        if !leaves.is_empty() {
            std::thread::sleep(Duration::from_millis(20));
            batches += 1;
        }
        answer(&mut driver.pool, &leaves, EVEN);
    }
    // Without the latency a fifth or sixth batch would begin before the deadline and end after it. How
    // long sleeping takes is the machine's affair, so only that it ended in time is known.
    assert!(batches <= 5, "{batches} batches in {:?}", start.elapsed());
}

#[test]
fn following_the_game_keeps_what_is_known() {
    let root = ChessState::initial();
    let mut driver = chess(batch(8));
    let first = driver.expand(&root, 4_000);
    let kept = driver.pool.inspect(driver.tree, &first.pv()[..2]).unwrap().unwrap();
    assert!(kept.visits > 20);
    let before: Vec<_> = kept
        .actions
        .iter()
        .map(|&action| {
            let path = [first.pv()[0], first.pv()[1], action];
            driver.pool.inspect(driver.tree, &path).unwrap()
        })
        .collect();
    let mut state = root.clone();
    for &action in &first.pv()[..2] {
        driver.pool.advance(driver.tree, action).unwrap();
        state.apply(&[action]).unwrap();
    }
    let limit = Limit { nodes: Some(100), ..Limit::default() };
    driver.pool.begin(driver.tree, state.clone(), limit, -1).unwrap();
    assert_eq!(driver.pool.inspect(driver.tree, &[]).unwrap().unwrap(), kept);
    for (&action, before) in kept.actions.iter().zip(&before) {
        assert_eq!(&driver.pool.inspect(driver.tree, &[action]).unwrap(), before);
    }
    crate::toys::run(&mut driver.pool, 8, OPINIONS);
    let second = driver.pool.finish(driver.tree).unwrap();
    assert_eq!(second.nodes, 100, "only new nodes count");
    assert_eq!(second.visits.iter().sum::<u32>(), kept.visits - 1 + 100);
    assert!(second.memory < first.memory + second.memory / 2);
}

#[test]
fn another_state_than_the_one_followed_starts_anew() {
    let mut driver = chess(Params::default());
    driver.expand(&ChessState::initial(), 200);
    let e4 = ChessState::initial().parse_uci("e2e4").unwrap();
    driver.pool.advance(driver.tree, e4).unwrap();
    let other = driver.expand(&after(&["d2d4"]), 10);
    assert_eq!(other.visits.iter().sum::<u32>(), 9);
    // So does a pool that is told not to reuse trees.
    let mut driver = chess(Params { reuse_tree: false, ..Params::default() });
    driver.expand(&ChessState::initial(), 200);
    driver.pool.advance(driver.tree, e4).unwrap();
    assert_eq!(driver.expand(&after(&["e2e4"]), 10).visits.iter().sum::<u32>(), 9);
    let again = driver.expand(&after(&["e2e4"]), 10);
    assert_eq!((again.nodes, again.visits.iter().sum::<u32>()), (10, 9));
    assert_eq!(other.nodes, 10);
}

#[test]
fn the_same_root_goes_on() {
    // In parts or at once, the same nodes are made: as after ponderhit, or stop and go.
    let root = after(&["e2e4", "e7e5"]);
    let mut whole = chess(batch(8));
    let mut parts = chess(batch(8));
    let expected = whole.expand(&root, 1 + 8 * 100);
    parts.expand(&root, 1 + 8 * 30);
    let second = parts.expand(&root, 8 * 70);
    assert_eq!((second.nodes, second.visits), (8 * 70, expected.visits));
    assert_eq!(nodes_of(&parts.pool, parts.tree), nodes_of(&whole.pool, whole.tree));
    // Leaves that were out when the first search was stopped are met again.
    let infinite = Limit { infinite: true, ..Limit::default() };
    parts.pool.begin(parts.tree, root.clone(), infinite, -1).unwrap();
    let out = parts.pool.collect(8).unwrap();
    parts.pool.stop(parts.tree).unwrap();
    let third = parts.expand(&root, 8);
    answer(&mut parts.pool, &out, OPINIONS);
    assert_eq!(third.visits.iter().sum::<u32>(), 8 * 101);
    assert_eq!(nodes_of(&parts.pool, parts.tree), {
        whole.expand(&root, 8);
        nodes_of(&whole.pool, whole.tree)
    });
    // The same position by another way has another history: repetitions differ.
    let other = after(&["e2e4", "e7e5", "g1f3", "g8f6", "f3g1", "f6g8"]);
    assert_eq!(parts.expand(&other, 10).visits.iter().sum::<u32>(), 9);
}

#[test]
fn advancing_checks_the_action_and_an_unknown_child_is_fine() {
    let mut driver = chess(Params::default());
    driver.pool.advance(driver.tree, 0).unwrap(); // nothing to follow yet
    driver.expand(&ChessState::initial(), 3);
    assert!(matches!(driver.pool.advance(driver.tree, 4671), Err(Error::IllegalAction(_))));
    let a3 = ChessState::initial().parse_uci("a2a3").unwrap();
    driver.pool.advance(driver.tree, a3).unwrap();
    assert_eq!(driver.expand(&after(&["a2a3"]), 10).visits.iter().sum::<u32>(), 9);
}

#[test]
fn a_running_search_can_be_followed_and_begun_anew() {
    // Pondering: an infinite search, a move, and on.
    let mut driver = chess(batch(8));
    let infinite = Limit { infinite: true, ..Limit::default() };
    driver.pool.begin(driver.tree, ChessState::initial(), infinite, -1).unwrap();
    for _ in 0..100 {
        let leaves = driver.pool.collect(8).unwrap();
        answer(&mut driver.pool, &leaves, OPINIONS);
    }
    let out = driver.pool.collect(8).unwrap();
    assert!(!out.is_empty());
    let e4 = ChessState::initial().parse_uci("e2e4").unwrap();
    driver.pool.advance(driver.tree, e4).unwrap();
    assert_eq!(driver.pool.status(driver.tree).unwrap(), Status::Ended(Ended::Stopped));
    answer(&mut driver.pool, &out, OPINIONS); // given up: ignored
    let result = driver.expand(&after(&["e2e4"]), 50);
    assert_eq!(result.nodes, 50);
    assert_eq!(waiting(&driver), 0);
}

/// Marks of descents that wait for nothing.
fn waiting(driver: &Driver<ChessModel>) -> usize {
    let root = driver.pool.inspect(driver.tree, &[]).unwrap().unwrap();
    root.actions
        .iter()
        .filter_map(|&action| driver.pool.inspect(driver.tree, &[action]).unwrap())
        .filter(|node| node.waiting)
        .count()
}

#[test]
fn noise_is_mixed_at_the_root_alone_and_never_kept() {
    let quiet = batch(4);
    let noisy = Params { dirichlet_epsilon: 0.5, dirichlet_alpha: 0.3, ..quiet.clone() };
    let root = ChessState::initial();
    let (plain, mut driver) = (chess(quiet.clone()).expand(&root, 400), chess(noisy.clone()));
    let first = driver.expand(&root, 400);
    assert_eq!(first.prior, plain.prior, "reported priors are clean");
    assert_ne!(first.visits, plain.visits, "but the search was led by noise");
    assert_eq!(driver.expand(&root, 400).prior, plain.prior);

    // After reuse the new root gets noise of its own, on clean priors.
    let action = first.action;
    let mut state = root.clone();
    state.apply(&[action]).unwrap();
    let follow = |params: Params| {
        let mut driver = chess(params);
        driver.expand(&root, 400);
        driver.pool.advance(driver.tree, action).unwrap();
        driver.expand(&state, 400)
    };
    let (with, without) = (follow(noisy.clone()), follow(quiet.clone()));
    assert_eq!(with.prior, without.prior);
    assert_ne!(with.visits, without.visits);
    assert_eq!(
        with,
        phasezoo_core::search::SearchResult { seconds: with.seconds, ..follow(noisy) }
    );
    // A tree that begins anew has the same noise only if it has the same seed and history.
    let second = driver.expand(&root, 400);
    assert_ne!(second.visits, first.visits, "each search draws new noise");
}

#[test]
fn memory_ends_a_search() {
    let params = Params { memory: Some(200_000), ..batch(16) };
    let mut driver = chess(params);
    let result = driver.expand(&ChessState::initial(), 100_000);
    assert_eq!(result.ended, Ended::Memory);
    assert!(result.nodes > 100 && result.memory < 202_000, "{result:?}");
    // The root is evaluated however little room there is.
    let mut driver = chess(Params { memory: Some(1), ..batch(16) });
    let result = driver.expand(&ChessState::initial(), 10);
    assert_eq!((result.nodes, result.ended), (1, Ended::Memory));
}

#[test]
fn pruning_keeps_a_search_within_its_memory() {
    let root = ChessState::initial();
    for batch_size in [1, 16] {
        let free = chess(batch(batch_size)).expand(&root, 20_000);
        let params =
            Params { memory: Some(1_000_000), memory_full: MemoryFull::Prune, ..batch(batch_size) };
        let mut driver = chess(params);
        let limit = Limit { nodes: Some(20_000), ..Limit::default() };
        driver.pool.begin(driver.tree, root.clone(), limit, -1).unwrap();
        crate::toys::run(&mut driver.pool, batch_size, OPINIONS);
        for (path, view) in nodes_of(&driver.pool, driver.tree) {
            assert!(!view.waiting, "{path:?}");
            assert!(view.visits > view.action_visits.iter().sum(), "{path:?} {view:?}");
        }
        let result = driver.pool.finish(driver.tree).unwrap();
        assert_eq!((result.nodes, result.ended), (20_000, Ended::Nodes));
        assert!(result.memory < 1_010_000 && free.memory > 5_000_000, "{}", result.memory);
        let share = |result: &SearchResult| {
            result.visits[result.actions.binary_search(&result.action).unwrap()]
        };
        assert!(share(&result) > 500, "the visits of the best moves stay: {result:?}");
        assert_eq!(waiting(&driver), 0);
        // What is left can be followed.
        driver.pool.advance(driver.tree, result.pv()[0]).unwrap();
        assert!(driver.pool.inspect(driver.tree, &[]).unwrap().unwrap().visits > 400);
    }
}

#[test]
fn sequential_halving_keeps_its_schedule_in_batches() {
    // 8 moves, 199 simulations below the root: 8 visits of each, 16 of four, 35 of two.
    for batch_size in [1, 4, 16] {
        let params =
            Params { root: Selection::Gumbel, max_num_considered_actions: 8, ..batch(batch_size) };
        let mut result = chess(params).simulate(&ChessState::initial(), 200);
        result.visits.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(result.visits[..8], [60, 59, 24, 24, 8, 8, 8, 8], "{batch_size}");
    }
}

#[test]
fn pruning_gives_up_where_all_is_in_use() {
    let params = Params { memory: Some(1), memory_full: MemoryFull::Prune, ..batch(16) };
    let result = chess(params).expand(&ChessState::initial(), 10);
    assert_eq!((result.nodes, result.ended), (1, Ended::Memory));
}

#[test]
fn proofs_outlive_pruning() {
    // Solved with less memory than the tree wants: what lies below proofs may go.
    let mut pruned = 0;
    for seed in 0..30 {
        let state = Dice::new(seed, 2, false, 8);
        let model = Turns::of(&state).keeping::<Replay>();
        let limit = Limit { nodes: Some(1_000_000), infinite: true, ..Limit::default() };
        let free = Driver::new(model, Params::default(), EVEN).search(&state, limit);
        assert_eq!(free.ended, Ended::Solved);
        let params = Params {
            memory: Some(free.memory / 5 * 4),
            memory_full: MemoryFull::Prune,
            ..Params::default()
        };
        let small = Driver::new(model, params, EVEN).search(&state, limit);
        if small.ended == Ended::Solved {
            assert_eq!(small.proven.map(|p| p.0), free.proven.map(|p| p.0), "seed {seed}");
            pruned += u32::from(small.memory < free.memory);
        } else {
            assert_eq!(small.ended, Ended::Memory, "seed {seed}");
        }
    }
    assert!(pruned >= 10, "{pruned}");
}

#[test]
fn states_that_a_tree_keeps_are_counted() {
    let late = TicTacToe::after(&[4]);
    let few = Limit { nodes: Some(50), ..Limit::default() };
    let replayed = Driver::new(Turns::of(&late).keeping::<Replay>(), Params::default(), EVEN)
        .search(&late, few);
    let kept = Driver::new(Turns::of(&late).keeping::<Heavy>(), Params::default(), EVEN)
        .search(&late, few);
    assert_eq!(kept.nodes, replayed.nodes);
    assert!(kept.memory >= replayed.memory + 50 * 1_000, "{} {}", kept.memory, replayed.memory);
}

/// Keeps a state and a kilobyte beside it.
#[derive(Clone)]
struct Heavy(Store<TicTacToe>);

impl Kept<TicTacToe> for Heavy {
    fn of(state: &TicTacToe) -> Self {
        Self(Store::of(state))
    }

    fn restore(
        &self,
        state: &mut TicTacToe,
        root: &TicTacToe,
        path: &[u32],
    ) -> phasezoo_core::Result<()> {
        self.0.restore(state, root, path)
    }

    fn heap_bytes(&self) -> usize {
        1_000
    }
}

#[test]
fn a_search_that_finds_nothing_new_gives_up() {
    // Without the solver a small tree is searched through again and again.
    let params = Params { solver: false, ..Params::default() };
    let late = TicTacToe::after(&[4, 0, 8, 2, 1]);
    let mut driver = Driver::new(Turns::of(&late).keeping::<Store<_>>(), params, EVEN);
    let result = driver.expand(&late, 1_000_000);
    assert_eq!((result.ended, result.proven), (Ended::Exhausted, None));
    assert!(result.simulations > 1_000);
}

#[test]
fn temperatures_follow_the_ply_and_a_search_repeats_its_draw() {
    let params = Params { temperature: 1.0, temperature_plies: 4, ..Params::default() };
    let root = ChessState::initial();
    let mut drawn = std::collections::HashSet::new();
    let mut driver = chess(params.clone());
    for _ in 0..40 {
        let result = driver.expand(&root, 60);
        assert_eq!(driver.pool.finish(driver.tree).unwrap().action, result.action);
        drawn.insert(result.action);
        driver.pool.clear(driver.tree).unwrap();
    }
    assert!(drawn.len() > 2, "a stream of its own for every search: {drawn:?}");
    let late = after(&["e2e4", "e7e5", "g1f3", "b8c6"]);
    let mut driver = chess(params);
    let mut choose = || {
        driver.pool.clear(driver.tree).unwrap();
        driver.expand(&late, 60).action
    };
    let actions: Vec<u32> = (0..10).map(|_| choose()).collect();
    assert!(actions.iter().all(|&action| action == actions[0]), "ply 4 is past the drawing");
}

#[test]
fn proofs_survive_a_move() {
    let state = Dice::new(5, 2, true, 6);
    let mut driver = Driver::new(Turns::of(&state).keeping::<Replay>(), Params::default(), EVEN);
    let limit = Limit { nodes: Some(100_000), infinite: true, ..Limit::default() };
    let solved = driver.search(&state, limit);
    assert_eq!(solved.ended, Ended::Solved);
    let below = driver.pool.inspect(driver.tree, &solved.pv()[..1]).unwrap().unwrap();
    let mut next = state;
    next.apply(&[solved.action]).unwrap();
    if below.actions.is_empty() {
        return; // the game is over
    }
    driver.pool.advance(driver.tree, solved.action).unwrap();
    let result = driver.search(&next, limit);
    assert_eq!((result.proven, result.nodes, result.ended), (below.proven, 0, Ended::Solved));
}
