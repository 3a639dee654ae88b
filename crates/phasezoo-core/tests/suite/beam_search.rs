//! Beams in the core: one that keeps everything finds exact values, and errors change nothing.

use crate::toys::drive::OPINIONS;
use crate::toys::{Dice, TicTacToe, exact};
use phasezoo_core::game::{Game, Turn};
use phasezoo_core::model::{SearchModel, Turns};
use phasezoo_core::search::beam::{Backup, BeamPool, Keep, Params, Schedule, Wins};
use phasezoo_core::search::{Ended, Evaluation, Limit, Policy, SearchResult, Value};

const WHOLE: Limit = Limit {
    nodes: None,
    simulations: None,
    movetime: None,
    clock: None,
    depth: None,
    mate: None,
    infinite: true,
};

fn params(widths: &[i64]) -> Params {
    Params { schedule: Schedule::new(widths).unwrap(), wins: Wins::Kept, ..Params::default() }
}

/// Runs all searches of a pool to their ends, `rows` at a time.
fn run<M: SearchModel>(pool: &mut BeamPool<M>, rows: usize) {
    while pool.running() > 0 {
        let leaves = pool.collect(rows).unwrap();
        let (logits, values) = OPINIONS.evaluate(pool.model(), &leaves);
        let evaluation =
            Evaluation { policy: Policy::LegalLogits(&logits), value: Value::ToPlay(&values) };
        pool.complete(&leaves, &evaluation).unwrap();
    }
}

fn search<G: Game>(root: &G, params: Params) -> SearchResult {
    let mut pool = BeamPool::new(Turns::of(root), params, None).unwrap();
    let tree = pool.add(1).unwrap();
    pool.begin(tree, root.clone(), WHOLE, -1).unwrap();
    run(&mut pool, 50_000);
    pool.finish(tree).unwrap()
}

#[test]
fn a_beam_that_keeps_everything_finds_exact_values() {
    let mut proven = 0;
    for players in [1, 2, 3] {
        for seed in 0..60 {
            let root = Dice::new(seed, players, false, 5);
            if root.turn() == Turn::Over {
                continue;
            }
            let Turn::Player(actor) = root.turn() else { unreachable!() };
            let found = search(&root, params(&[4, 4, 4, 4, 4]));
            let known = exact(&Turns::of(&root), &root);
            assert!((found.value - known.of(actor)).abs() < 1e-6, "{seed}: {found:?}");
            if let Some(values) = &found.values {
                assert_eq!(&values[..], known.as_slice());
            }
            proven += usize::from(found.proven.is_some());
        }
    }
    assert!(proven > 150, "{proven}");
}

#[test]
fn tic_tac_toe_is_a_draw() {
    // With two stones each: all that is left is kept.
    let root = TicTacToe::after(&[4, 0, 8, 2]);
    let found = search(&root, Params { backup: Backup::Mean, ..params(&[5, 4, 3, 2, 1]) });
    assert_eq!((found.value, found.ended), (0.0, Ended::Solved));
    assert_eq!(found.action, 1, "any other loses to the second row of corners");
    assert_eq!(found.proven.map(|(worth, _)| worth), Some(0.0));
    assert_eq!(found.policy.iter().filter(|&&share| share > 0.0).count(), 1);
}

#[test]
fn pieces_of_batches_and_neighbours_change_nothing() {
    for keep in [Keep::Policy, Keep::Value] {
        let settings = Params { keep, ..params(&[3, 2, 2, 1]) };
        let roots: Vec<Dice> = (0..9).map(|seed| Dice::new(seed, 2, true, 7)).collect();
        let alone: Vec<SearchResult> =
            roots.iter().map(|root| search(root, settings.clone())).collect();
        for rows in [1, 2, 7, 1_000] {
            let mut pool = BeamPool::new(Turns::of(&roots[0]), settings.clone(), None).unwrap();
            for root in &roots {
                let tree = pool.add(1).unwrap();
                pool.begin(tree, root.clone(), WHOLE, -1).unwrap();
            }
            run(&mut pool, rows);
            for (tree, alone) in (0..).zip(&alone) {
                let found = SearchResult { seconds: alone.seconds, ..pool.finish(tree).unwrap() };
                assert_eq!(&found, alone, "{rows} rows");
            }
        }
    }
}
