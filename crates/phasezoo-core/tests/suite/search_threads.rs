//! One tree on several threads: every number is the same as on one.

use crate::toys::dice::Dice;
use crate::toys::drive::{EVEN, OPINIONS, Synthetic};
use crate::toys::{answer, nodes_of};
use phasezoo_core::game::Game;
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::gate::{Gating, Subject};
use phasezoo_core::model::{SearchModel, Turns};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::{Limit, NodeView, Params, SearchPool, SearchResult, VirtualStyle};

const THREADS: [usize; 4] = [1, 2, 3, 8];
const STYLES: [VirtualStyle; 3] = [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix];

/// What a search found, all nodes of its tree, and the tickets and ways of all leaves in their order.
type Found = (SearchResult, Vec<NodeView>, Vec<(u64, i8, Vec<u32>)>);

fn found<M: SearchModel<Game: Subject>>(
    model: M,
    params: &Params,
    (gate, evaluator): (Option<&str>, Synthetic),
    root: &M::State,
    nodes: u64,
    threads: usize,
) -> Found {
    let gate = gate.map(|spec| Gating::parse(spec, false).unwrap());
    let mut pool = SearchPool::new(model, params.clone(), gate, Some(threads)).unwrap();
    let tree = pool.add(5).unwrap();
    let limit = Limit { nodes: Some(nodes), simulations: Some(20 * nodes), ..Limit::default() };
    pool.begin(tree, root.clone(), limit, -1).unwrap();
    let mut leaves = Vec::new();
    while pool.running() > 0 {
        let batch = pool.collect(params.batch_size).unwrap();
        let rows = 0..batch.len();
        leaves.extend(
            rows.map(|row| {
                (batch.tickets[row].serial, batch.phases[row], batch.path(row).to_vec())
            }),
        );
        answer(&mut pool, &batch, evaluator);
    }
    let nodes = nodes_of(&pool, tree).into_iter().map(|(_, node)| node).collect();
    (SearchResult { seconds: 0.0, ..pool.finish(tree).unwrap() }, nodes, leaves)
}

/// Searches with random settings; says how many leaves went out.
fn compare<M: SearchModel<Game: Subject> + Clone>(
    model: &M,
    gate: Option<&str>,
    root: &M::State,
    nodes: u64,
    seed: u64,
) -> usize {
    let mut stream = Stream::new(seed);
    let params = Params {
        batch_size: 24 + stream.below(73),
        virtual_style: STYLES[stream.below(STYLES.len())],
        virtual_mix_threshold: 20,
        fpu: [None, Some(0.0)][stream.below(2)],
        dirichlet_epsilon: [0.0, 0.25][stream.below(2)],
        draw_on_second_occurrence: stream.below(2) == 0,
        memory: [None, Some(60_000 + stream.below(200_000))][stream.below(2)],
        ..Params::default()
    };
    let evaluator = [EVEN, OPINIONS][stream.below(2)];
    let [one, others @ ..] = THREADS
        .map(|threads| found(model.clone(), &params, (gate, evaluator), root, nodes, threads));
    for other in others {
        assert!(other == one, "seed {seed}: {params:?}");
    }
    one.2.len()
}

#[test]
fn chess_is_searched_alike_on_any_number_of_threads() {
    let endings = ["8/8/8/8/8/5K2/4R3/7k w - - 0 1", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"];
    let mut leaves = 0;
    for seed in 0..24 {
        let mut stream = Stream::new(seed);
        let mut root = match endings.get(stream.below(4)) {
            Some(fen) => ChessState::from_fen(fen).unwrap(),
            None => ChessState::initial(),
        };
        for _ in 0..stream.below(60) {
            let mut legal = Vec::new();
            if root.outcome().is_some() {
                break;
            }
            root.legal_actions(root.player_to_move(), &mut legal);
            let before = root.clone();
            root.apply(&[legal[stream.below(legal.len())]]).unwrap();
            if root.outcome().is_some() {
                root = before;
                break;
            }
        }
        let gate = [None, Some("lichess")][stream.below(2)];
        leaves += compare(&ChessModel::default(), gate, &root, 900, seed);
    }
    assert!(leaves > 10_000, "{leaves} leaves tell little");
}

#[test]
fn games_full_of_ends_are_searched_alike_on_any_number_of_threads() {
    for seed in 0..60 {
        let game = Dice::new(seed, 1 + seed as usize % 4, seed % 2 == 0, 12);
        compare(&Turns::of(&game), None, &game, 600, seed);
    }
}
