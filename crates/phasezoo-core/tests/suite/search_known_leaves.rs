//! Proofs that come with an answer, such as those of tables.

use crate::toys::Dice;
use phasezoo_core::Error;
use phasezoo_core::game::{Game, Replay};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::model::Turns;
use phasezoo_core::search::{
    Ended, Evaluation, Limit, Params, Policy, SearchPool, SearchResult, Status, Value,
};

const LIMIT: Limit = Limit {
    nodes: Some(400),
    simulations: None,
    movetime: None,
    clock: None,
    depth: None,
    mate: None,
    infinite: false,
};

/// A search in which the answers to leaves after `action` are exact: `value` for who is to move there.
fn search(
    pool: &mut SearchPool<ChessModel>,
    tree: u32,
    root: &ChessState,
    exact: impl Fn(u32) -> Option<f32>,
) -> SearchResult {
    pool.begin(tree, root.clone(), LIMIT, -1).unwrap();
    while pool.status(tree).unwrap() == Status::Running {
        let leaves = pool.collect(16).unwrap();
        let known: Vec<Option<f32>> = (0..leaves.len())
            .map(|row| leaves.path(row).first().filter(|_| leaves.path(row).len() == 1))
            .map(|action| action.and_then(|&action| exact(action)))
            .collect();
        let plies: Vec<i32> = known.iter().map(|known| known.map_or(-1, |_| 30)).collect();
        let values: Vec<f32> = known.iter().map(|known| known.unwrap_or(0.1)).collect();
        pool.set_proofs(&leaves, &plies).unwrap();
        let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&values) };
        pool.complete(&leaves, &evaluation).unwrap();
    }
    pool.finish(tree).unwrap()
}

fn pool(params: Params) -> (SearchPool<ChessModel>, u32) {
    let mut pool = SearchPool::new(ChessModel::new(), params, None, None).unwrap();
    let tree = pool.add(1).unwrap();
    (pool, tree)
}

#[test]
fn a_lost_reply_wins_and_ends_the_search() {
    let root = ChessState::initial();
    let winning = root.parse_uci("g1h3").unwrap();
    for batch_size in [1, 8] {
        let (mut pool, tree) = pool(Params { batch_size, ..Params::default() });
        let result = search(&mut pool, tree, &root, |action| (action == winning).then_some(-1.0));
        assert_eq!((result.action, result.value, result.ended), (winning, 1.0, Ended::Solved));
        assert_eq!(result.proven, Some((1.0, 31)));
    }
    let (mut pool, tree) = pool(Params { solver: false, ..Params::default() });
    let result = search(&mut pool, tree, &root, |action| (action == winning).then_some(-1.0));
    assert_eq!((result.ended, result.nodes), (Ended::Nodes, 400));
}

#[test]
fn all_replies_known_settle_the_root() {
    let root = ChessState::initial();
    let drawing = root.parse_uci("b1a3").unwrap();
    let (mut pool, tree) = pool(Params { batch_size: 4, ..Params::default() });
    let result =
        search(&mut pool, tree, &root, |action| Some(if action == drawing { 0.0 } else { 1.0 }));
    assert_eq!((result.action, result.value, result.ended), (drawing, 0.0, Ended::Solved));
}

#[test]
fn a_leaf_proven_from_outside_is_searched_when_it_becomes_the_root() {
    let root = ChessState::initial();
    let winning = root.parse_uci("g1h3").unwrap();
    let (mut pool, tree) = pool(Params::default());
    search(&mut pool, tree, &root, |action| (action == winning).then_some(-1.0));
    pool.advance(tree, winning).unwrap();
    let mut next = root.clone();
    next.apply(&[winning]).unwrap();
    let result = search(&mut pool, tree, &next, |_| None);
    assert_eq!((result.ended, result.nodes), (Ended::Nodes, 400));
    assert!(result.visits.iter().sum::<u32>() >= 399);
}

#[test]
fn proofs_are_one_for_each_leaf_of_a_game_for_two() {
    let (mut pool, tree) = pool(Params::default());
    pool.begin(tree, ChessState::initial(), LIMIT, -1).unwrap();
    let leaves = pool.collect(1).unwrap();
    let error = pool.set_proofs(&leaves, &[]).unwrap_err();
    assert!(matches!(error, Error::InvalidArray(text) if text.contains("0 proofs for 1 leaves")));
    let dice = Dice::new(3, 3, true, 9);
    let model = Turns::of(&dice).keeping::<Replay>();
    let mut pool = SearchPool::new(model, Params::default(), None, None).unwrap();
    let tree = pool.add(1).unwrap();
    pool.begin(tree, dice, LIMIT, -1).unwrap();
    let leaves = pool.collect(1).unwrap();
    let error = pool.set_proofs(&leaves, &[3]).unwrap_err();
    assert!(matches!(error, Error::InvalidState(text) if text.contains("not of 3")));
}
