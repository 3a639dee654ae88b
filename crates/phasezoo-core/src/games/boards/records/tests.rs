use shakmaty::Position;

use super::*;
use crate::game::Game;
use crate::games::{Atomic, Chess, Chess960, ChessState, Crazyhouse, Krk};
use crate::gate::Gating;
use crate::plane_buffers::PlaneBuffer;
use crate::records::{Rows, Samples, Starts, Table, Waypoints};
use crate::rng::{Stream, mix};

/// Random games, their moves packed and as actions.
fn random_games<R: Rules>(fen: &str, count: usize, seed: u64) -> (Vec<u16>, Vec<u16>, Vec<i64>) {
    let mut stream = Stream::new(seed);
    let (mut moves, mut actions, mut offsets) = (Vec::new(), Vec::new(), vec![0]);
    for _ in 0..count {
        let mut state = BoardState::<R>::from_fen(fen).unwrap();
        for _ in 0..stream.below(120) {
            let legal = state.legal_moves();
            if state.outcome().is_some() {
                break;
            }
            let m = legal[stream.below(legal.len())];
            actions.push(state.action_of(m) as u16);
            state.play_move(m);
        }
        moves.extend(state.moves().iter().map(|packed| packed.0));
        offsets.push(moves.len() as i64);
    }
    (moves, actions, offsets)
}

/// A start with every move in it soon: castling, promotions, en passant, drops.
const LIVELY: &str = "r3k2r/1P2p2p/8/3P4/3p4/8/1p2P2P/R3K2R w KQkq - 0 1";

#[test]
fn games_hash_as_their_packed_moves_do() {
    fn check<R: Rules>(fen: &str) {
        let (moves, actions, offsets) = random_games::<R>(fen, 60, 1);
        let starts = Starts::new(BoardState::<R>::from_fen(fen).unwrap());
        let waypoints = Waypoints::new(60, actions.len());
        let hashes = Table::new(&actions, &offsets, &starts, &waypoints).hashes(5, None).unwrap();
        for (game, hash) in hashes.into_iter().enumerate() {
            let own = &moves[offsets[game] as usize..offsets[game + 1] as usize];
            let fold = |hash: u64, &packed: &u16| {
                mix(hash.wrapping_add(u64::from(packed)).wrapping_add(1))
            };
            assert_eq!(hash, own.iter().fold(mix(mix(5)), fold));
        }
    }
    check::<Chess>(LIVELY);
    check::<Chess960>(LIVELY);
    check::<Atomic>(LIVELY);
    check::<Crazyhouse>("r3k2r/1P2p2p/8/3P4/3p4/8/1p2P2P/R3K2R[QNPqnp] w KQkq - 0 1");
    check::<Krk>("8/8/8/4k3/8/8/8/K6R w - - 0 1");
}

/// The text of a placement or move with files mirrored.
fn mirrored_placement(field: &str) -> String {
    let (board, pockets) = field.split_once('[').map_or((field, None), |(b, p)| (b, Some(p)));
    let rows: Vec<String> = board
        .split('/')
        .map(|row| {
            let mut pieces: Vec<String> = Vec::new();
            for c in row.chars() {
                match (c, pieces.last_mut()) {
                    // The mark of a promoted piece stays behind it.
                    ('~', Some(piece)) => piece.push('~'),
                    _ => pieces.push(c.to_string()),
                }
            }
            pieces.into_iter().rev().collect()
        })
        .collect();
    let board = rows.join("/");
    pockets.map_or(board.clone(), |pockets| format!("{board}[{pockets}"))
}

fn mirrored_files(text: &str) -> String {
    let flip = |c: char| match c {
        'a'..='h' => char::from(b'a' + b'h' - c as u8),
        other => other,
    };
    text.chars().map(flip).collect()
}

/// A move with files mirrored: the piece that a promotion makes or a drop puts is no file.
fn mirrored_move(uci: &str) -> String {
    match uci.split_once('@') {
        Some((role, to)) => format!("{role}@{}", mirrored_files(to)),
        None => mirrored_files(&uci[..4]) + &uci[4..],
    }
}

#[test]
fn mirrored_planes_are_those_of_the_mirrored_game() {
    fn check<R: Rules>(fens: &[&str]) {
        let mut stream = Stream::new(8);
        let mut seen = std::collections::BTreeMap::<&str, usize>::new();
        for game in 0..60 {
            let fen = fens[game % fens.len()];
            let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
            assert_eq!(fields[2], "-");
            fields[0] = mirrored_placement(&fields[0]);
            fields[3] = mirrored_files(&fields[3]);
            let mut state = BoardState::<R>::from_fen(fen).unwrap();
            let mut mirror = BoardState::<R>::from_fen(&fields.join(" ")).unwrap();
            for _ in 0..80 {
                assert!(state.is_symmetric() && mirror.is_symmetric());
                for &planes in R::PLANES {
                    let (mut ours, mut theirs) =
                        (vec![0.0; planes.size()], vec![1.0; planes.size()]);
                    for player in [0, 1] {
                        state.encode_turned(planes, player, 1, &mut ours);
                        mirror.encode(planes, player, &mut theirs);
                        assert_eq!(ours, theirs, "{} {}", planes.name(), state.fen());
                    }
                }
                if state.outcome().is_some() {
                    break;
                }
                let legal = state.legal_moves();
                let m = legal[stream.below(legal.len())];
                let uci = state.uci_of(m);
                let there = mirror.move_from_uci(&mirrored_move(&uci)).unwrap();
                let turned = BoardState::<R>::turned_action(state.action_of(m), 1);
                assert_eq!(turned, mirror.action_of(there), "{uci}");
                assert_eq!(BoardState::<R>::turned_action(turned, 1), state.action_of(m));
                for (kind, is_it) in [
                    ("promotion", m.promotion().is_some()),
                    ("en passant", m.is_en_passant()),
                    ("drop", m.from().is_none()),
                    ("ep square", state.position().maybe_ep_square().is_some()),
                ] {
                    *seen.entry(kind).or_default() += usize::from(is_it);
                }
                state.play_move(m);
                mirror.play_move(there);
            }
        }
        if R::NAME != "krk" {
            assert!(seen["promotion"] > 0 && seen["ep square"] > 0, "{seen:?}");
        }
        assert_eq!(seen["drop"] > 0, R::NAME == "crazyhouse", "{seen:?}");
    }
    let usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1";
    let lively = "r3k2r/1P5p/8/3Pp3/3p4/8/1p2P2P/R3K2R w - e6 0 1";
    check::<Chess>(&[usual, lively]);
    check::<Chess960>(&[usual, lively]);
    check::<Atomic>(&[usual, lively]);
    check::<Krk>(&["8/8/8/4k3/8/8/8/K6R w - - 0 1"]);
    check::<Crazyhouse>(&[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w - - 0 1",
        "r3k2r/1P5p/8/3Pp3/3p4/8/1p2P2P/RQ~2K2R[QNPqnp] w - e6 0 1",
    ]);
}

#[test]
fn games_that_may_castle_are_not_turned() {
    let mut state = ChessState::initial();
    assert!(!state.is_symmetric());
    for uci in ["e2e4", "e7e5", "e1e2", "e8e7"] {
        assert!(!state.is_symmetric());
        let m = state.move_from_uci(uci).unwrap();
        state.play_move(m);
    }
    assert!(state.is_symmetric());
}

#[test]
fn people_may_play_on_where_a_rule_draws() {
    let mut state = ChessState::initial();
    let mut actions = Vec::new();
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(4) {
        let m = state.move_from_uci(uci).unwrap();
        actions.push(state.action_of(m) as u16);
        state.play_move(m);
    }
    assert!(state.outcome().is_some());
    let starts = Starts::new(ChessState::initial());
    let (offsets, waypoints) = ([0, 16], Waypoints::new(1, 16));
    let table = Table::new(&actions, &offsets, &starts, &waypoints);
    let gate = Gating::parse("lichess", false).unwrap();
    assert_eq!(table.label(&gate, None).unwrap().ply, (0..16).collect::<Vec<_>>());
}

#[test]
fn actions_that_were_not_checked_never_panic() {
    // Moves that own pieces could make by their squares, legal or not, kings being taken and all.
    fn check<R: Rules>() {
        let mut stream = Stream::new(7);
        let (mut actions, mut offsets) = (Vec::new(), vec![0]);
        let starts = Starts::new(BoardState::<R>::initial());
        for _ in 0..200 {
            let mut position = R::initial();
            for _ in 0..600 {
                let action = stream.below(R::NUM_ACTIONS) as u16;
                if actions::move_of(&position, Action::from(action)).is_some() {
                    actions.push(action);
                    let Ok(m) = trusted::<R>(&position, action) else {
                        // Another one, so that this one is played.
                        actions.push(action);
                        break;
                    };
                    position.play_unchecked(m);
                }
            }
            offsets.push(actions.len() as i64);
        }
        let waypoints = Waypoints::new(200, actions.len());
        let table = Table::new(&actions, &offsets, &starts, &waypoints);
        let mut failed = 0;
        let shown = R::PLANES[0];
        let (mut planes, mut action, mut left) = (vec![0.0; shown.size()], [0], [0.0]);
        for game in 0..200 {
            for ply in 0..table.game(game).unwrap().len() {
                let out = Samples {
                    planes: PlaneBuffer::Floats(&mut planes),
                    action: &mut action,
                    plies_left: &mut left,
                    policy: None,
                };
                let rows = Rows {
                    games: &[game as i32],
                    plies: &[ply as i32],
                    players: &[],
                    hidden: &[],
                    symmetries: &[],
                };
                failed += usize::from(table.sample(rows, shown, out, None).is_err());
            }
        }
        assert!(failed > 0);
    }
    check::<Chess>();
    check::<Chess960>();
    check::<Atomic>();
    check::<Crazyhouse>();
}
