//! Move generation against published counts.

use std::path::Path;

use phasezoo_core::games::ChessState;
use phasezoo_core::games::boards::perft::ByShakmaty;
use phasezoo_core::perft::{Countable, Moves, count};

/// The six standard positions of the chess programming community with their counts from depth 1.
const STANDARD: [(&str, [u64; 5]); 6] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        [20, 400, 8_902, 197_281, 4_865_609],
    ),
    (
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        [48, 2_039, 97_862, 4_085_603, 193_690_690],
    ),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", [14, 191, 2_812, 43_238, 674_624]),
    (
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        [6, 264, 9_467, 422_333, 15_833_292],
    ),
    (
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        [44, 1_486, 62_379, 2_103_487, 89_941_194],
    ),
    (
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        [46, 2_079, 89_890, 3_894_594, 164_075_551],
    ),
];

/// Nodes that a row of the suite may cost: it is counted to the last depth within.
const ROW_NODES: u64 = 100_000;

#[test]
fn the_standard_positions_have_the_published_counts() {
    for (fen, counts) in STANDARD {
        let state = ChessState::from_fen(fen).unwrap();
        let root = ByShakmaty(state.position().clone());
        for (depth, published) in (1..).zip(counts) {
            let found = count(&root, depth, None, || true).unwrap();
            assert_eq!(found, Some(published), "{fen} at depth {depth}");
        }
    }
}

#[test]
fn threads_and_depth_zero_change_nothing() {
    let state = ChessState::initial();
    let root = ByShakmaty(state.position().clone());
    for threads in [1, 3] {
        let shared = count(&root, 4, Some(threads), || true).unwrap();
        assert_eq!(shared, Some(root.leaves(4)));
        // What every game of turns can do gives the same counts.
        assert_eq!(count(&Moves(state.clone()), 4, Some(threads), || true).unwrap(), shared);
    }
    assert_eq!(root.leaves(0), 1);
    assert_eq!(count(&root, 5, Some(1), || false).unwrap(), None);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the suite is not on this machine (PHASEZOO_SHARED)")]
fn the_suite_has_the_recorded_counts() {
    let path = Path::new(env!("PHASEZOO_SHARED_DATA")).join("data/suites/perft_chess.epd");
    let suite = std::fs::read_to_string(&path).unwrap();
    let mut rows = 0;
    for line in suite.lines() {
        let mut parts = line.split(';');
        let state = ChessState::from_fen(parts.next().unwrap()).unwrap();
        let root = ByShakmaty(state.position().clone());
        for part in parts {
            let (depth, count) = part.trim_start_matches('D').trim().split_once(' ').unwrap();
            let count: u64 = count.trim().parse().unwrap();
            if count > ROW_NODES {
                break;
            }
            assert_eq!(root.leaves(depth.parse().unwrap()), count, "{line}");
        }
        rows += 1;
    }
    assert!(rows > 6_000, "only {rows} rows were read");
}
