//! Chess through the search: mates found and avoided by both colours, signs, repetitions.

use crate::toys::Driver;
use crate::toys::drive::{EVEN, OPINIONS, Synthetic};
use phasezoo_core::game::Game;
use phasezoo_core::games::{ChessModel, ChessState};
use phasezoo_core::search::{
    Ended, Evaluation, Limit, Params, Policy, SearchResult, Value, VirtualStyle,
};
use shakmaty::{Color, Position};

const STYLES: [VirtualStyle; 3] = [VirtualStyle::Loss, VirtualStyle::Visit, VirtualStyle::Mix];

/// White mates in one.
const MATE_IN_ONE: [(&str, &str); 5] = [
    ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
    ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7 f7f8"),
    ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7"),
    ("6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1", "g5f7"),
    ("k7/8/1K6/8/8/8/8/7R w - - 0 1", "h1h8"),
];

/// Black threatens mate on the back rank.
const AVOID_MATE: &str = "3r2k1/5ppp/8/8/8/8/R4PPP/6K1 w - - 0 1";

/// The same position with colours, and so the board, exchanged.
fn mirrored(fen: &str) -> String {
    let fields: Vec<&str> = fen.split(' ').collect();
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
            .collect()
    };
    let ranks: Vec<String> = fields[0].split('/').rev().map(swap).collect();
    let side = if fields[1] == "w" { "b" } else { "w" };
    format!(
        "{} {side} {} {} {} {}",
        ranks.join("/"),
        swap(fields[2]),
        fields[3],
        fields[4],
        fields[5]
    )
}

fn mirrored_moves(moves: &str) -> String {
    let flip = |c: char| c.to_digit(10).map_or(c, |rank| char::from(b'0' + (9 - rank) as u8));
    moves.chars().map(flip).collect()
}

/// Position and moves, for White and for Black.
fn both_colours<'a>(
    suite: &'a [(&str, &str)],
) -> impl Iterator<Item = (ChessState, Vec<String>)> + 'a {
    let moves = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    suite.iter().flat_map(move |(fen, good)| {
        [
            (ChessState::from_fen(fen).unwrap(), moves(good)),
            (ChessState::from_fen(&mirrored(fen)).unwrap(), moves(&mirrored_moves(good))),
        ]
    })
}

fn every_setting() -> impl Iterator<Item = Params> {
    [1, 64].into_iter().flat_map(|batch_size| {
        STYLES.map(|virtual_style| Params { batch_size, virtual_style, ..Params::default() })
    })
}

fn searched(state: &ChessState, params: Params, evaluator: Synthetic, nodes: u64) -> SearchResult {
    Driver::new(ChessModel::new(), params, evaluator).expand(state, nodes)
}

#[test]
fn mates_in_one_are_played() {
    for params in every_setting() {
        for (state, mates) in both_colours(&MATE_IN_ONE) {
            // Made-up opinions are in the way: overcoming them takes more nodes.
            for (evaluator, nodes) in [(EVEN, 1_500), (OPINIONS, 20_000)] {
                let result = searched(&state, params.clone(), evaluator, nodes);
                let played = state.uci(result.action).unwrap();
                assert!(mates.contains(&played), "{played} in {} ({params:?})", state.fen());
                assert_eq!(result.proven, Some((1.0, 1)), "{}", state.fen());
                assert_eq!((result.value, result.ended), (1.0, Ended::Solved));
                assert_eq!(result.pv(), [result.action]);
                let slot = result.actions.binary_search(&result.action).unwrap();
                assert_eq!((result.q[slot], result.policy[slot]), (1.0, 1.0));
            }
        }
    }
}

/// Whether the side to move after `action` can mate at once.
fn allows_mate(state: &ChessState, action: u32) -> bool {
    let mut after = state.clone();
    after.apply(&[action]).unwrap();
    after.legal_moves().iter().any(|&m| {
        let mut last = after.clone();
        last.play_move(m);
        last.position().is_checkmate()
    })
}

#[test]
fn mates_in_one_are_avoided() {
    for params in every_setting() {
        for fen in [AVOID_MATE.to_owned(), mirrored(AVOID_MATE)] {
            let state = ChessState::from_fen(&fen).unwrap();
            let result = searched(&state, params.clone(), EVEN, 8_000);
            assert!(!allows_mate(&state, result.action), "{fen} {params:?}");
            let lost: Vec<usize> =
                (0..result.q.len()).filter(|&slot| result.q[slot] == -1.0).collect();
            assert!(lost.iter().any(|&slot| result.visits[slot] > 0), "some blunders are proven");
            for slot in lost {
                assert_eq!(result.policy[slot], 0.0, "a lost move has no share in the policy");
            }
        }
    }
}

#[test]
fn proofs_count_plies() {
    // The shortest way is not promised; a proof of some length is, and a line that ends in mate.
    let state = ChessState::from_fen("k7/8/2K5/8/8/8/8/6Q1 w - - 0 1").unwrap();
    let result = searched(&state, Params::default(), EVEN, 20_000);
    let (worth, plies) = result.proven.unwrap();
    assert_eq!((worth, plies % 2), (1.0, 1));
    assert_eq!(result.pv().len(), usize::from(plies));
    let mut end = state.clone();
    for &action in &result.pv() {
        end.apply(&[action]).unwrap();
    }
    assert!(end.position().is_checkmate());
}

#[test]
fn values_are_for_the_player_to_move() {
    // An evaluator that likes White: White's q and value are positive, Black's negative.
    let likes_white =
        |state: &ChessState| if state.position().turn() == Color::White { 0.5 } else { -0.5 };
    for (fen, sign) in [
        ("r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 6", 1.0),
        ("r1bqk2r/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 6", -1.0),
    ] {
        let root = ChessState::from_fen(fen).unwrap();
        let mut driver =
            Driver::new(ChessModel::new(), Params { batch_size: 8, ..Params::default() }, EVEN);
        let limit = Limit { nodes: Some(400), ..Limit::default() };
        driver.pool.begin(driver.tree, root.clone(), limit, -1).unwrap();
        let mut state = root.clone();
        while driver.pool.running() > 0 {
            let leaves = driver.pool.collect(8).unwrap();
            let values: Vec<f32> = (0..leaves.len())
                .map(|row| {
                    leaves.restore(driver.pool.model(), row, &mut state).unwrap();
                    likes_white(&state)
                })
                .collect();
            let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&values) };
            driver.pool.complete(&leaves, &evaluation).unwrap();
        }
        let result = driver.pool.finish(driver.tree).unwrap();
        assert!((result.value - 0.5 * sign).abs() < 1e-6, "{fen}: {}", result.value);
        for (q, visits) in result.q.iter().zip(&result.visits) {
            assert!(*visits == 0 || (q - 0.5 * sign).abs() < 1e-6);
        }
    }
}

/// A queen up, but the last moves have been a dance: Qa2-a1 repeats the position a third time.
fn third_time_next() -> ChessState {
    let mut state = ChessState::from_fen("6k1/8/8/8/8/8/8/Q5K1 w - - 0 1").unwrap();
    for uci in ["a1a2", "g8h8", "a2a1", "h8g8", "a1a2", "g8h8"] {
        let action = state.parse_uci(uci).unwrap();
        state.apply(&[action]).unwrap();
    }
    state
}

#[test]
fn repetitions_are_counted_across_the_root() {
    let mut state = third_time_next();
    // One more pair of moves brings the first position back for the third time.
    let back = state.parse_uci("a2a1").unwrap();
    state.apply(&[back]).unwrap();
    let dance = state.parse_uci("h8g8").unwrap();
    let result = searched(&state, Params::default(), EVEN, 300);
    let slot = result.actions.binary_search(&dance).unwrap();
    assert!(result.visits[slot] > 0);
    assert_eq!(result.q[slot], 0.0, "the game's own history ends it as a draw");
    // The same position without its history: nothing has been repeated.
    let fresh = ChessState::from_fen(&state.fen()).unwrap();
    let mut driver = Driver::new(ChessModel::new(), Params::default(), OPINIONS);
    driver.expand(&fresh, 300);
    let node = driver.pool.inspect(driver.tree, &[dance]).unwrap().unwrap();
    assert!(node.proven.is_none());
}

#[test]
fn second_occurrences_inside_the_tree_can_be_draws() {
    // Locked pawns and kings that can only step to and fro: every line repeats within a few plies.
    let root = ChessState::from_fen("k7/8/p1p1p1p1/P1P1P1P1/8/8/8/K7 w - - 0 1").unwrap();
    let inside = Params { draw_on_second_occurrence: true, ..Params::default() };
    let mut driver = Driver::new(ChessModel::new(), inside, OPINIONS);
    driver.expand(&root, 20_000);
    let moves = ["a1b1", "a8b8", "b1a1", "b8a8"];
    let mut state = root.clone();
    let path: Vec<u32> = moves
        .iter()
        .map(|uci| {
            let action = state.parse_uci(uci).unwrap();
            state.apply(&[action]).unwrap();
            action
        })
        .collect();
    let Some(node) = driver.pool.inspect(driver.tree, &path).unwrap() else {
        panic!("20,000 nodes reach four plies of two moves each")
    };
    assert_eq!((node.mean, node.actions.len(), node.proven), (0.0, 0, None));

    // After two plies the first occurrence lies before the root: no draw inside the tree any more.
    let mut state = root.clone();
    for &action in &path[..2] {
        driver.pool.advance(driver.tree, action).unwrap();
        state.apply(&[action]).unwrap();
    }
    assert!(driver.pool.inspect(driver.tree, &path[2..]).unwrap().is_none());
    let result = driver.expand(&state, 2_000);
    assert_eq!(result.nodes, 2_000);
    let again = driver.pool.inspect(driver.tree, &path[2..]).unwrap().unwrap();
    assert!(!again.actions.is_empty(), "it is evaluated like any other position now");
}

#[test]
fn a_root_without_a_game_is_refused() {
    let mated = ChessState::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    let mut driver = Driver::new(ChessModel::new(), Params::default(), EVEN);
    let limit = Limit { nodes: Some(1), ..Limit::default() };
    let error = driver.pool.begin(driver.tree, mated, limit, -1).unwrap_err();
    assert!(matches!(error, phasezoo_core::Error::InvalidState(text) if text.contains("over")));
}
