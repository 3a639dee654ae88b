//! Many searches at once: tickets in any order, trees that do not see each other, errors that change
//! nothing.

use crate::toys::drive::OPINIONS;
use crate::toys::games::Race;
use crate::toys::{answer, nodes_of, run};
use phasezoo_core::game::{Action, Game, Player, Replay, Returns};
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::model::{SearchModel, Turns, ValueRule};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::{
    Ended, Evaluation, LeafBatch, Limit, Params, Policy, SearchPool, SearchResult, Status, Value,
    VirtualStyle,
};
use phasezoo_core::{Error, Result};

type Chess = SearchPool<ChessModel>;

fn pool(batch_size: usize, threads: usize) -> Chess {
    let params = Params {
        batch_size,
        dirichlet_epsilon: 0.25,
        // So that trees go deep and do not end soon.
        fpu: None,
        virtual_style: VirtualStyle::Loss,
        ..Params::default()
    };
    SearchPool::new(ChessModel::new(), params, None, Some(threads)).unwrap()
}

fn limit(nodes: u64) -> Limit {
    Limit { nodes: Some(nodes), ..Limit::default() }
}

fn roots() -> Vec<ChessState> {
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ]
    .iter()
    .map(|fen| ChessState::from_fen(fen).unwrap())
    .collect()
}

/// Everything but the time that it took.
fn timeless(result: SearchResult) -> SearchResult {
    SearchResult { seconds: 0.0, ..result }
}

#[test]
fn a_pool_finds_what_single_searches_find_on_any_number_of_threads() {
    for batch_size in [1, 9, 40] {
        let alone: Vec<SearchResult> = roots()
            .into_iter()
            .zip(10..)
            .map(|(root, seed)| {
                let mut pool = pool(batch_size, 1);
                let tree = pool.add(seed).unwrap();
                pool.begin(tree, root, limit(700), -1).unwrap();
                run(&mut pool, batch_size, OPINIONS);
                timeless(pool.finish(tree).unwrap())
            })
            .collect();
        for (threads, rows) in [(1, 40), (1, 1_000), (2, 64), (4, 1_000)] {
            let mut pool = pool(batch_size, threads);
            for (root, seed) in roots().into_iter().zip(10..) {
                let tree = pool.add(seed).unwrap();
                pool.begin(tree, root, limit(700), -1).unwrap();
            }
            run(&mut pool, rows, OPINIONS);
            for (tree, alone) in (0..).zip(&alone) {
                let result = timeless(pool.finish(tree).unwrap());
                assert_eq!(&result, alone, "batch {batch_size}, {threads} threads, {rows} rows");
            }
        }
    }
}

#[test]
fn leaves_may_come_back_in_any_order_and_division() {
    let order = |shuffle: bool| {
        let (mut pool, mut stream) = (pool(24, 1), Stream::new(3));
        for (root, seed) in roots().into_iter().zip(0..) {
            let tree = pool.add(seed).unwrap();
            pool.begin(tree, root, limit(400), -1).unwrap();
        }
        while pool.running() > 0 {
            let leaves = pool.collect(1_000).unwrap();
            let mut rows: Vec<usize> = (0..leaves.len()).collect();
            if shuffle {
                for i in (1..rows.len()).rev() {
                    rows.swap(i, stream.below(i + 1));
                }
                for part in rows.chunks(7) {
                    answer(&mut pool, &leaves.select(part), OPINIONS);
                }
            } else {
                answer(&mut pool, &leaves, OPINIONS);
            }
        }
        (0..5).map(|tree| nodes_of(&pool, tree)).collect::<Vec<_>>()
    };
    // Bit for bit: value sums are whole numbers.
    assert_eq!(order(false), order(true));
}

#[test]
fn trees_take_turns_and_one_that_waits_holds_up_nobody() {
    let mut pool = pool(4, 1);
    for (root, seed) in roots().into_iter().zip(0..) {
        let tree = pool.add(seed).unwrap();
        pool.begin(tree, root, limit(100_000), -1).unwrap();
    }
    let mut handed = [0; 5];
    for _ in 0..50 {
        let leaves = pool.collect(8).unwrap(); // room for two trees of five
        for ticket in &leaves.tickets {
            handed[ticket.tree as usize] += 1;
        }
        answer(&mut pool, &leaves, OPINIONS);
    }
    let (least, most) = (handed.iter().min().unwrap(), handed.iter().max().unwrap());
    assert!(most - least <= 16, "{handed:?}");

    // Tree 0's leaves stay out.
    let mut held = LeafBatch::default();
    for _ in 0..20 {
        let leaves = pool.collect(100).unwrap();
        let of_0 = |keep: bool| -> Vec<usize> {
            (0..leaves.len()).filter(|&row| (leaves.tickets[row].tree == 0) == keep).collect()
        };
        if held.is_empty() {
            held = leaves.select(&of_0(true));
            assert_eq!(held.len(), 4);
        } else {
            assert!(of_0(true).is_empty());
        }
        assert_eq!(of_0(false).len(), 16);
        answer(&mut pool, &leaves.select(&of_0(false)), OPINIONS);
    }
    answer(&mut pool, &held, OPINIONS);
    assert!(pool.collect(100).unwrap().tickets.iter().any(|ticket| ticket.tree == 0));
}

#[test]
fn a_mini_batch_is_not_filled_up_while_some_of_it_is_out() {
    let mut pool = pool(16, 1);
    let tree = pool.add(0).unwrap();
    pool.begin(tree, ChessState::initial(), limit(400), -1).unwrap();
    let root = pool.collect(16).unwrap();
    answer(&mut pool, &root, OPINIONS);
    while pool.running() > 0 {
        let leaves = pool.collect(16).unwrap();
        assert!(pool.collect(16).unwrap().is_empty());
        let (first, rest): (Vec<_>, Vec<_>) = (0..leaves.len()).partition(|&row| row < 3);
        answer(&mut pool, &leaves.select(&first), OPINIONS);
        assert!(rest.is_empty() || pool.collect(16).unwrap().is_empty());
        answer(&mut pool, &leaves.select(&rest), OPINIONS);
    }
}

#[test]
fn what_max_rows_cut_off_goes_out_later() {
    let mut pool = pool(16, 1);
    let tree = pool.add(0).unwrap();
    pool.begin(tree, ChessState::initial(), limit(400), -1).unwrap();
    let root = pool.collect(8).unwrap();
    answer(&mut pool, &root, OPINIONS);
    let mut waiting = pool.collect(8).unwrap();
    let mut together = 0;
    while pool.running() > 0 {
        let next = pool.collect(8).unwrap(); // while eight are out
        together += usize::from(!next.is_empty());
        answer(&mut pool, &waiting, OPINIONS);
        waiting = next;
    }
    assert!(together > 20, "{together}");
}

#[test]
fn the_root_is_alone_in_its_mini_batch() {
    let mut pool = pool(16, 1);
    let tree = pool.add(0).unwrap();
    pool.begin(tree, ChessState::initial(), limit(100), -1).unwrap();
    let root = pool.collect(16).unwrap();
    assert_eq!((root.len(), root.path(0)), (1, &[][..]));
    assert!(pool.collect(16).unwrap().is_empty());
    answer(&mut pool, &root, OPINIONS);
    let leaves = pool.collect(16).unwrap();
    assert!((8..=16).contains(&leaves.len()), "descents that collide leave a batch short");
}

#[test]
fn bad_evaluations_name_what_is_wrong_and_change_nothing() {
    let mut pool = pool(4, 1);
    let tree = pool.add(0).unwrap();
    pool.begin(tree, ChessState::initial(), limit(100), -1).unwrap();
    let root = pool.collect(4).unwrap();
    answer(&mut pool, &root, OPINIONS);
    let leaves = pool.collect(4).unwrap();
    let before = nodes_of(&pool, tree);
    let (rows, legal) = (leaves.len(), leaves.actions.len());
    let (fine, mut nan) = (vec![0.0; rows], vec![0.0; rows]);
    nan[2] = f32::NAN;
    let big = vec![1.5; rows];
    let mut logits = vec![0.0; legal];
    logits[legal - 1] = f32::INFINITY;
    let mut full = vec![0.0; rows * 4672];
    full[4672 + leaves.legal(1)[3] as usize] = f32::NAN;
    let thirds = vec![0.5; 3 * rows];
    let short = vec![0.0; rows - 1];
    let cases: [(Policy<'_>, Value<'_>, &str); 8] = [
        (Policy::Uniform, Value::ToPlay(&nan), "value[2] is NaN"),
        (Policy::Uniform, Value::ToPlay(&big), "value[0] is 1.5"),
        (Policy::Uniform, Value::ToPlay(&short), "value has 3 numbers"),
        (Policy::LegalLogits(&logits), Value::ToPlay(&fine), "legal_logits["),
        (Policy::LegalLogits(&fine), Value::ToPlay(&fine), "legal_logits has 4 numbers"),
        (Policy::Logits(&full), Value::ToPlay(&fine), "policy_logits[1, "),
        (Policy::Uniform, Value::Wdl(&thirds), "wdl[0] is [0.5, 0.5, 0.5]"),
        (Policy::Uniform, Value::PerPlayer(&full[..2 * rows]), "column per player"),
    ];
    for (policy, value, message) in cases {
        let error = pool.complete(&leaves, &Evaluation { policy, value }).unwrap_err();
        assert!(
            matches!(&error, Error::InvalidEvaluation(text) if text.contains(message)),
            "{error}"
        );
        assert_eq!(nodes_of(&pool, tree), before);
    }
    // Illegal actions may be masked with anything, and the rows can still be completed, once.
    let mut masked = vec![f32::NEG_INFINITY; rows * 4672];
    for row in 0..rows {
        for &action in leaves.legal(row) {
            masked[row * 4672 + action as usize] = action as f32 / 5000.0;
        }
    }
    let wdl: Vec<f32> = (0..rows).flat_map(|_| [0.5, 0.25, 0.25]).collect();
    let evaluation = Evaluation { policy: Policy::Logits(&masked), value: Value::Wdl(&wdl) };
    pool.complete(&leaves, &evaluation).unwrap();
    let node = pool.inspect(tree, leaves.path(0)).unwrap().unwrap();
    assert_eq!((node.value, node.visits), (0.25, 1));
    assert!(node.priors.is_sorted_by(|a, b| a >= b));
    let error = pool.complete(&leaves, &evaluation).unwrap_err();
    assert!(matches!(error, Error::InvalidState(text) if text.contains("before")));
}

#[test]
fn values_of_more_players_come_whole_or_for_the_player_to_move() {
    let root = Race { total: 0, ply: 1 }; // player 1 moves
    let mut pool =
        SearchPool::new(Turns::of(&root).keeping::<Replay>(), Params::default(), None, None)
            .unwrap();
    let tree = pool.add(0).unwrap();
    let mut root_values = |value: Value<'_>| {
        pool.clear(tree).unwrap();
        pool.begin(tree, root.clone(), limit(1), -1).unwrap();
        let leaves = pool.collect(1).unwrap();
        pool.complete(&leaves, &Evaluation { policy: Policy::Uniform, value }).unwrap();
        let result = pool.finish(tree).unwrap();
        (result.value, result.values.unwrap())
    };
    assert_eq!(root_values(Value::PerPlayer(&[0.5, -0.25, 0.75])), (-0.25, vec![0.5, -0.25, 0.75]));
    assert_eq!(root_values(Value::ToPlay(&[0.5])), (0.5, vec![-0.25, 0.5, -0.25]));
    pool.clear(tree).unwrap();
    pool.begin(tree, root.clone(), limit(1), -1).unwrap();
    let leaves = pool.collect(1).unwrap();
    let wdl = Evaluation { policy: Policy::Uniform, value: Value::Wdl(&[1.0, 0.0, 0.0]) };
    assert!(matches!(pool.complete(&leaves, &wdl), Err(Error::InvalidEvaluation(_))));
}

#[test]
fn unknown_and_removed_trees_are_errors_and_their_leaves_are_ignored() {
    let mut pool = pool(2, 1);
    assert!(matches!(pool.finish(0), Err(Error::InvalidState(_))));
    let (a, b) = (pool.add(0).unwrap(), pool.add(1).unwrap());
    assert!(matches!(pool.finish(a), Err(Error::InvalidState(text)) if text.contains("begin")));
    for tree in [a, b] {
        pool.begin(tree, ChessState::initial(), limit(9), -1).unwrap();
    }
    let leaves = pool.collect(100).unwrap();
    assert_eq!(leaves.len(), 2);
    pool.remove(a).unwrap();
    pool.clear(b).unwrap();
    assert_eq!((pool.running(), pool.status(b).unwrap()), (0, Status::Idle));
    answer(&mut pool, &leaves, OPINIONS);
    assert!(pool.status(a).is_err());
    assert_eq!(pool.progress(b).unwrap(), (0, 0));
    assert_eq!(pool.add(2).unwrap(), 2, "numbers are not used twice");
}

#[test]
fn cancelled_leaves_leave_no_trace() {
    let search = |disturb: bool| {
        let mut pool = pool(8, 1);
        let tree = pool.add(4).unwrap();
        pool.begin(tree, ChessState::initial(), limit(300), -1).unwrap();
        while pool.running() > 0 {
            if disturb {
                let leaves = pool.collect(8).unwrap();
                pool.cancel(&leaves);
                answer(&mut pool, &leaves, OPINIONS); // ignored
            }
            let leaves = pool.collect(8).unwrap();
            answer(&mut pool, &leaves, OPINIONS);
        }
        timeless(pool.finish(tree).unwrap())
    };
    let (plain, disturbed) = (search(false), search(true));
    // What was made for cancelled leaves stays in memory, and their descents were made.
    assert!(disturbed.collisions >= plain.collisions);
    let (memory, collisions) = (plain.memory, plain.collisions);
    assert_eq!(SearchResult { memory, collisions, ..disturbed }, plain);
}

/// Chess whose rules fail at one action, as a user's code might.
struct Faulty(Action);

impl SearchModel for Faulty {
    type State = ChessState;
    type Snapshot = Replay;
    type Game = ChessState;

    fn value_rule(&self) -> ValueRule {
        ValueRule::Negate
    }
    fn num_actions(&self) -> usize {
        4672
    }
    fn actor(&self, state: &ChessState) -> Result<Player> {
        ChessModel::new().actor(state)
    }
    fn actions(&self, state: &ChessState, actions: &mut Vec<Action>) -> Result<()> {
        ChessModel::new().actions(state, actions)
    }
    fn advance(&self, state: &mut ChessState, action: Action) -> Result<()> {
        if action == self.0 {
            return Err(Error::External("the user's own error".into()));
        }
        ChessModel::new().advance(state, action)
    }
    fn terminal(&self, state: &ChessState) -> Result<Option<Returns>> {
        ChessModel::new().terminal(state)
    }
    fn snapshot(&self, _state: &ChessState) -> Replay {
        Replay
    }
    fn restore(
        &self,
        state: &mut ChessState,
        root: &ChessState,
        path: &[Action],
        _snapshot: &Replay,
    ) -> Result<()> {
        ChessModel::new().restore(state, root, path, &Replay)
    }
    fn game<'a>(&self, state: &'a ChessState) -> &'a ChessState {
        state
    }

    fn key(&self, state: &ChessState) -> Result<Option<u64>> {
        ChessModel::new().key(state)
    }
}

#[test]
fn an_error_of_the_game_ends_its_search_alone() {
    let e4 = ChessState::initial().parse_uci("e2e4").unwrap();
    let params = Params { batch_size: 8, ..Params::default() };
    let mut pool = SearchPool::new(Faulty(e4), params, None, Some(1)).unwrap();
    let (bad, good) = (pool.add(0).unwrap(), pool.add(1).unwrap());
    pool.begin(bad, ChessState::initial(), limit(2_000), -1).unwrap();
    pool.begin(good, roots()[3].clone(), limit(200), -1).unwrap();
    let mut errors = 0;
    while pool.running() > 0 {
        match pool.collect(16) {
            Ok(leaves) => answer(&mut pool, &leaves, OPINIONS),
            Err(error) => {
                assert_eq!(error.to_string(), "the user's own error");
                errors += 1;
            }
        }
    }
    assert_eq!((errors, pool.status(bad).unwrap()), (1, Status::Ended(Ended::Failed)));
    let mut alone = pool_of_one(1, roots()[3].clone());
    run(&mut alone, 16, OPINIONS);
    let (other, result) = (pool.finish(good).unwrap(), alone.finish(0).unwrap());
    assert_eq!((other.visits, other.q, other.proven), (result.visits, result.q, result.proven));
    assert!(pool.finish(bad).unwrap().nodes > 0, "what was found before can still be asked for");
}

fn pool_of_one(seed: u64, root: ChessState) -> Chess {
    let params = Params { batch_size: 8, ..Params::default() };
    let mut pool = SearchPool::new(ChessModel::new(), params, None, Some(1)).unwrap();
    let tree = pool.add(seed).unwrap();
    pool.begin(tree, root, limit(200), -1).unwrap();
    pool
}

#[test]
fn rows_lead_to_the_states_whose_actions_they_list() {
    let mut pool = pool(16, 1);
    let tree = pool.add(0).unwrap();
    pool.begin(tree, ChessState::initial(), limit(200), -1).unwrap();
    let mut state = ChessState::initial();
    while pool.running() > 0 {
        let leaves = pool.collect(16).unwrap();
        for row in 0..leaves.len() {
            leaves.restore(pool.model(), row, &mut state).unwrap();
            let mut legal = Vec::new();
            state.legal_actions(leaves.players[row], &mut legal);
            assert_eq!(legal, leaves.legal(row));
            assert_eq!(state.ply() as usize, leaves.path(row).len());
        }
        answer(&mut pool, &leaves, OPINIONS);
    }
}
