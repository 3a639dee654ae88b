//! Limits that engines are given: depth, mate, clocks, and changes of a search that runs.

use std::time::Duration;

use crate::toys::drive::{EVEN, OPINIONS};
use crate::toys::{Driver, answer};
use phasezoo_core::Error;
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::search::{Ended, Limit, Params, Status, TimeControl};

const INFINITE: Limit = Limit {
    nodes: None,
    simulations: None,
    movetime: None,
    clock: None,
    depth: None,
    mate: None,
    infinite: true,
};

fn chess(batch_size: usize) -> Driver<ChessModel> {
    Driver::new(ChessModel::new(), Params { batch_size, ..Params::default() }, OPINIONS)
}

fn clock(left: u64, overhead: u64) -> Limit {
    let clock = TimeControl {
        left: Duration::from_millis(left),
        overhead: Duration::from_millis(overhead),
        ..TimeControl::default()
    };
    Limit { clock: Some(clock), ..Limit::default() }
}

#[test]
fn depth_is_the_mean_length_of_descents_and_seldepth_the_longest() {
    let root = ChessState::initial();
    for batch_size in [1, 16] {
        let limit = Limit { depth: Some(4), ..Limit::default() };
        let result = chess(batch_size).search(&root, limit);
        assert_eq!((result.depth, result.ended), (4, Ended::Depth));
        assert!(result.seldepth > result.depth, "{}", result.seldepth);
        // One batch less is not deep enough.
        let fewer = chess(batch_size).expand(&root, result.nodes - batch_size as u64);
        assert_eq!(fewer.depth, 3);
    }
    // The root alone, then its moves.
    assert_eq!((chess(1).expand(&root, 1).depth, chess(1).expand(&root, 1).seldepth), (0, 0));
    assert_eq!(chess(1).expand(&root, 2).seldepth, 1);
}

#[test]
fn mate_ends_at_a_win_in_as_many_moves_and_looks_behind_forced_ones() {
    // White has one move.
    let forced = ChessState::from_fen("8/8/8/8/8/1k6/7r/K7 w - - 0 1").unwrap();
    let ladder = ChessState::from_fen("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1").unwrap();
    for (moves, ended) in [(1, Ended::Solved), (2, Ended::Mate), (5, Ended::Mate)] {
        let limit = Limit { mate: Some(moves), ..Limit::default() };
        let result = chess(8).search(&ladder, limit);
        assert_eq!((result.proven, result.ended), (Some((1.0, 3)), ended), "{moves}");
    }
    let limit = Limit { mate: Some(1), nodes: Some(50), ..Limit::default() };
    assert_ne!(chess(1).search(&forced, limit).ended, Ended::Forced);
    let limit = Limit { nodes: Some(50), ..Limit::default() };
    assert_eq!(chess(1).search(&forced, limit).ended, Ended::Forced);

    let params = Params { solver: false, ..Params::default() };
    let mut unsolved = Driver::new(ChessModel::new(), params, EVEN);
    let limit = Limit { mate: Some(1), ..Limit::default() };
    let begun = unsolved.pool.begin(unsolved.tree, ladder, limit, -1);
    assert!(matches!(begun, Err(Error::InvalidConfig(_))));
}

#[test]
fn limits_of_nothing_are_refused() {
    let mut driver = chess(1);
    for limit in
        [Limit { depth: Some(0), ..Limit::default() }, Limit { mate: Some(0), ..Limit::default() }]
    {
        let begun = driver.pool.begin(driver.tree, ChessState::initial(), limit, -1);
        assert!(matches!(begun, Err(Error::InvalidConfig(_))), "{limit:?}");
        assert!(driver.pool.change_limit(driver.tree, limit).is_err());
    }
}

#[test]
fn a_clock_ends_a_search_and_without_time_only_the_root_is_looked_at() {
    let root = ChessState::initial();
    let result = chess(8).search(&root, clock(400, 0));
    assert_eq!(result.ended, Ended::Time);
    let result = chess(8).search(&root, clock(100, 100));
    assert_eq!((result.nodes, result.ended), (1, Ended::Time));
    // Less time than the evaluator is known to take: not even that, but there is a move.
    let mut driver = chess(1);
    driver.pool.begin(driver.tree, root.clone(), clock(10_000, 0), -1).unwrap();
    let leaves = driver.pool.collect(1).unwrap();
    std::thread::sleep(Duration::from_millis(30));
    answer(&mut driver.pool, &leaves, EVEN);
    let other = ChessState::from_fen("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1").unwrap();
    let result = driver.search(&other, clock(20, 0));
    assert_eq!((result.nodes, result.ended), (0, Ended::Time));
    assert!(result.actions.contains(&result.action));
}

#[test]
fn a_running_search_takes_another_limit_and_keeps_what_it_counted() {
    let root = ChessState::initial();
    let mut driver = chess(8);
    driver.pool.begin(driver.tree, root.clone(), INFINITE, -1).unwrap();
    for _ in 0..20 {
        let leaves = driver.pool.collect(8).unwrap();
        answer(&mut driver.pool, &leaves, OPINIONS);
    }
    let limit = Limit { nodes: Some(400), ..Limit::default() };
    driver.pool.change_limit(driver.tree, limit).unwrap();
    while driver.pool.running() > 0 {
        let leaves = driver.pool.collect(8).unwrap();
        answer(&mut driver.pool, &leaves, OPINIONS);
    }
    let result = driver.pool.finish(driver.tree).unwrap();
    assert_eq!((result.nodes, result.ended), (400, Ended::Nodes));
    assert_eq!(result.visits, chess(8).expand(&root, 400).visits);

    // It ends at once if there is nothing left, and one that has ended stays so.
    driver.pool.begin(driver.tree, root, INFINITE, -1).unwrap();
    let leaves = driver.pool.collect(8).unwrap();
    answer(&mut driver.pool, &leaves, OPINIONS);
    let limit = Limit { nodes: Some(1), ..Limit::default() };
    driver.pool.change_limit(driver.tree, limit).unwrap();
    assert_eq!(driver.pool.status(driver.tree).unwrap(), Status::Ended(Ended::Nodes));
    driver.pool.change_limit(driver.tree, INFINITE).unwrap();
    assert_eq!(driver.pool.running(), 0);
}

#[test]
fn a_report_changes_nothing() {
    let root = ChessState::initial();
    let (mut watched, mut alone) = (chess(8), chess(8));
    assert!(watched.pool.report(watched.tree).is_err());
    let limit = Limit { nodes: Some(300), ..Limit::default() };
    watched.pool.begin(watched.tree, root.clone(), limit, -1).unwrap();
    while watched.pool.running() > 0 {
        let leaves = watched.pool.collect(8).unwrap();
        let report = watched.pool.report(watched.tree).unwrap();
        assert!(report.nodes < 300 && report.actions.len() == 20);
        answer(&mut watched.pool, &leaves, OPINIONS);
    }
    let (mut seen, mut expected) =
        (watched.pool.finish(watched.tree).unwrap(), alone.search(&root, limit));
    (seen.seconds, expected.seconds) = (0.0, 0.0);
    assert_eq!(seen, expected);
}

#[test]
fn draws_are_what_evaluators_and_ends_say() {
    use phasezoo_core::search::{Evaluation, Heads, Policy, Value};
    // Taking the rook leaves bare kings, a draw; of other moves a quarter are draws, if they go on.
    let root = ChessState::from_fen("8/8/8/8/8/8/3k4/3R3K b - - 0 1").unwrap();
    let mut driver = chess(1);
    driver.pool.begin(driver.tree, root.clone(), Limit { nodes: Some(9), ..INFINITE }, -1).unwrap();
    while driver.pool.running() > 0 {
        let leaves = driver.pool.collect(1).unwrap();
        let wdl = [0.5, 0.25, 0.25].repeat(leaves.len());
        let evaluation = Evaluation { policy: Policy::Uniform, value: Value::Wdl(&wdl) };
        driver.pool.complete_with(&leaves, &evaluation, Heads::default()).unwrap();
    }
    let result = driver.pool.finish(driver.tree).unwrap();
    let takes = root.parse_uci("d2d1").unwrap();
    for (&action, &draws) in result.actions.iter().zip(&result.draws) {
        let expected = if action == takes { 1.0 } else { 0.25 };
        assert!(draws.is_some_and(|draws| (draws - expected).abs() < 1e-6), "{action}: {draws:?}");
    }
    let short = Heads { wdl: Some(&[]), plies_left: None };
    driver.pool.begin(driver.tree, ChessState::initial(), INFINITE, -1).unwrap();
    let leaves = driver.pool.collect(1).unwrap();
    let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&[0.0]) };
    assert!(driver.pool.complete_with(&leaves, &evaluation, short).is_err());
}
