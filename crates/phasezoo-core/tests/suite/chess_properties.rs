//! Properties of chess states along random games, and of parsers on anything at all.

use std::collections::{HashMap, HashSet};

use phasezoo_core::Error;
use phasezoo_core::game::{Game, Reason, Replay, Turn};
use phasezoo_core::games::boards::actions::{action_of, move_of};
use phasezoo_core::games::boards::planes::{BoardPlanes, PLANE};
use phasezoo_core::games::boards::rules::{Rules, position_key};
use phasezoo_core::games::{BoardModel, Chess, ChessState, PackedMove};
use phasezoo_core::model::SearchModel;
use phasezoo_core::rng::Stream;
use proptest::prelude::*;
use shakmaty::fen::Fen;
use shakmaty::variant::Crazyhouse;
use shakmaty::zobrist::{Zobrist64, Zobrist128};
use shakmaty::{CastlingMode, EnPassantMode, Move, Position};

/// All states of a random game, the start and the end included.
fn random_game(seed: u64) -> Vec<ChessState> {
    let mut stream = Stream::new(seed);
    let mut states = vec![ChessState::initial()];
    let mut actions = Vec::new();
    loop {
        let state = &states[states.len() - 1];
        state.legal_actions(state.player_to_move(), &mut actions);
        if actions.is_empty() {
            return states;
        }
        let mut next = state.clone();
        next.apply(&[actions[stream.below(actions.len())]]).unwrap();
        states.push(next);
    }
}

/// Asserts that indices and moves of a position are in bijection, and packed moves too.
fn assert_bijection<P: Position>(position: &P) {
    let mode = position.castles().mode();
    let moves: HashSet<Move> = position.legal_moves().into_iter().collect();
    let mut seen = HashSet::new();
    for &m in &moves {
        let action = action_of(m, position.turn(), mode);
        assert!(seen.insert(action), "{m:?} shares action {action}");
        assert_eq!(move_of(position, action), Some(m), "action {action}");
        assert_eq!(PackedMove::pack(m, mode).unpack(position).unwrap(), m);
    }
    for action in 0..78 * 64 {
        let legal = move_of(position, action).filter(|&m| position.is_legal(m));
        assert_eq!(legal.is_some(), seen.contains(&action), "action {action}");
        assert!(legal.is_none_or(|m| moves.contains(&m)));
    }
}

#[test]
fn actions_and_moves_are_in_bijection_along_games() {
    for seed in 0..30 {
        for state in random_game(seed) {
            assert_bijection(state.position());
            let legal: HashSet<Move> = state.legal_moves().into_iter().collect();
            for action in 0..73 * 64 {
                let found = state.move_of(action).ok();
                assert_eq!(found, move_of(state.position(), action).filter(|m| legal.contains(m)));
            }
        }
    }
}

#[test]
fn actions_and_moves_are_in_bijection_with_drops_and_in_chess960() {
    let mut stream = Stream::new(3);
    let mut positions_960 = 0;
    for seed in 0..20 {
        let mut house = Crazyhouse::default();
        let fen = ["nrkbqrbn", "rkbbnnqr", "qnbrkrnb"][seed % 3];
        let upper = fen.to_uppercase();
        let fen = format!("{fen}/pppppppp/8/8/8/8/PPPPPPPP/{upper} w KQkq - 0 1");
        let fen: Fen = fen.parse().unwrap();
        let mut shuffled: shakmaty::Chess = fen.into_position(CastlingMode::Chess960).unwrap();
        for _ in 0..80 {
            let moves = house.legal_moves();
            if !moves.is_empty() {
                assert_bijection(&house);
                house.play_unchecked(moves[stream.below(moves.len())]);
            }
            let moves = shuffled.legal_moves();
            if !moves.is_empty() {
                assert_bijection(&shuffled);
                positions_960 += usize::from(moves.iter().any(|m| m.is_castle()));
                // Castle if possible, so that rights are used up in every way.
                let m = moves.iter().find(|m| m.is_castle() && stream.below(4) == 0);
                shuffled.play_unchecked(*m.unwrap_or(&moves[stream.below(moves.len())]));
            }
        }
    }
    assert!(positions_960 > 10);
}

#[test]
fn states_survive_text_and_bytes() {
    for seed in 100..115 {
        for state in random_game(seed) {
            let bytes = ChessState::from_bytes(&state.to_bytes()).unwrap();
            assert_eq!(bytes, state);
            assert_eq!(bytes.moves(), state.moves());
            assert_eq!(bytes.without_history(), state.without_history());
            let parsed = ChessState::from_fen(&state.fen()).unwrap();
            assert_eq!(parsed.fen(), state.fen());
            assert_eq!(parsed.key(), state.key());
            assert_eq!(parsed == state, state.ply() == 0);
            for m in state.legal_moves() {
                let action = state.action_of(m);
                assert_eq!(state.parse_uci(&state.uci(action).unwrap()).unwrap(), action);
                assert_eq!(state.parse_san(&state.san(action).unwrap()).unwrap(), action);
                let packed = PackedMove::pack(m, CastlingMode::Standard);
                assert_eq!(packed.to_string(), state.uci(action).unwrap());
            }
        }
    }
}

#[test]
fn looking_for_one_move_agrees_with_listing_them() {
    for seed in 200..260 {
        for state in random_game(seed) {
            let position = state.position();
            assert_eq!(Chess::has_legal_move(position), !position.legal_moves().is_empty());
        }
    }
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"] {
        assert!(!Chess::has_legal_move(ChessState::from_fen(fen).unwrap().position()));
    }
}

#[test]
fn keys_tell_positions_apart_and_never_positions_that_are_equal() {
    let mut by_key: HashMap<u64, (Zobrist128, shakmaty::Chess)> = HashMap::new();
    for seed in 300..500 {
        for state in random_game(seed) {
            let position = state.position();
            assert_eq!(state.key(), position_key(position));
            let zobrist: Zobrist128 = position.zobrist_hash(EnPassantMode::Legal);
            let (known, first) =
                by_key.entry(state.key()).or_insert_with(|| (zobrist, position.clone()));
            assert_eq!((&zobrist, position), (&*known, &*first));
        }
    }
    assert!(by_key.len() > 20_000);
}

#[test]
fn keys_are_the_same_in_every_release() {
    for (fen, key) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0xbbaa_6107_e020_7ec1),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", 0xf2b3_d773_afa4_b59e),
        ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w Qk f6 0 3", 0xcfb8_2fc7_5422_f2c0),
    ] {
        let found = ChessState::from_fen(fen).unwrap().key();
        assert_eq!(found, key, "{fen}: {found:#018x}");
    }
}

#[test]
fn occurrences_and_repetition_ends_follow_the_definition() {
    for seed in 500..560 {
        let states = random_game(seed);
        for (i, state) in states.iter().enumerate() {
            let same = |j: &usize| states[*j].position() == state.position();
            let earlier: Vec<usize> = (0..i).filter(same).collect();
            assert_eq!(state.occurrences() as usize, earlier.len());
            for plies in 0..12 {
                let within = earlier.last().is_some_and(|&j| i - j <= plies);
                assert_eq!(state.history().repeats_within(plies), within, "{plies}");
            }
        }
    }
}

#[test]
fn the_search_model_agrees_with_the_game() {
    let model = BoardModel::<Chess>::new();
    for seed in 600..630 {
        let states = random_game(seed);
        let path: Vec<_> = (1..states.len())
            .map(|i| {
                let played = states[i].moves()[i - 1].unpack(states[i - 1].position()).unwrap();
                states[i - 1].action_of(played)
            })
            .collect();
        let mut walker = ChessState::initial();
        for (i, state) in states.iter().enumerate() {
            model.restore(&mut walker, &states[0], &path[..i], &Replay).unwrap();
            assert_eq!(&walker, state);
            assert!(model.same(&walker, state).unwrap());
            let (mut actions, mut expected) = (vec![7], vec![9]);
            let over = model.expand(state, &mut actions).unwrap();
            assert_eq!(over, model.terminal(state).unwrap());
            assert_eq!(over.is_some(), state.turn() == Turn::Over);
            state.legal_actions(state.player_to_move(), &mut expected);
            assert_eq!(actions, expected);
            assert!(actions.is_sorted());
            assert_eq!(actions.is_empty(), over.is_some());
        }
    }
}

#[test]
fn flipping_the_colours_leaves_planes_and_actions_as_they_are() {
    for seed in 700..712 {
        for state in random_game(seed) {
            let mirrored = state.position().to_setup(EnPassantMode::Always).into_mirrored();
            let mirrored =
                phasezoo_core::games::boards::fen::setup_position(mirrored, CastlingMode::Standard);
            let mirrored = ChessState::from_position(mirrored.unwrap());
            let plain = ChessState::from_position(state.position().clone());
            for planes in [BoardPlanes::V2, BoardPlanes::MINIMAL] {
                for (own, other) in [(0, 1), (1, 0)] {
                    assert_eq!(seen(&plain, planes, own), seen(&mirrored, planes, other));
                }
            }
            let (mut own, other) =
                (seen(&plain, BoardPlanes::V1, 0), seen(&mirrored, BoardPlanes::V1, 1));
            own[V1_COLOUR * PLANE..(V1_COLOUR + 1) * PLANE].fill(0.0);
            assert_eq!(own, other);
            let (mut actions, mut others) = (Vec::new(), Vec::new());
            plain.legal_actions(plain.player_to_move(), &mut actions);
            mirrored.legal_actions(mirrored.player_to_move(), &mut others);
            assert_eq!(actions, others);
        }
    }
}

/// The plane of `v1` that tells the colours apart.
const V1_COLOUR: usize = 15;

fn seen(state: &ChessState, planes: BoardPlanes, player: u8) -> Vec<f32> {
    // What was in the buffer before must not show.
    let mut out = vec![f32::NAN; planes.size()];
    state.encode(planes, player, &mut out);
    assert_eq!(out.len(), PLANE * ChessState::plane_shape(planes)[0]);
    out
}

#[test]
fn a_shorter_history_is_the_full_one_without_the_older_moves() {
    for (name, first) in [("v1", 23), ("v2", 20)] {
        let full = BoardPlanes::parse::<Chess>(name).unwrap();
        for history in 0..=8 {
            let spec = format!("{name}:history={history}");
            let planes = BoardPlanes::parse::<Chess>(&spec).unwrap();
            assert_eq!((planes.name(), planes.history()), (name, history));
            assert_eq!(planes == full, history == 8);
            for state in random_game(3).iter().step_by(7) {
                let mut expected = seen(state, full, 1);
                expected[PLANE * (first + 2 * history)..PLANE * (first + 16)].fill(0.0);
                assert_eq!(seen(state, planes, 1), expected, "{spec}");
            }
        }
    }
}

#[test]
fn histories_that_are_none_are_refused() {
    for spec in ["v2:history=9", "v2:history=", "v2:history=-1", "v2:history=04", "v2:history=+4"] {
        let error = BoardPlanes::parse::<Chess>(spec).unwrap_err().to_string();
        assert!(error.contains("0 to 8"), "{error}");
    }
    for spec in ["v2:4", "v3:history=4", "v2:history=4:history=4", ":history=4"] {
        assert!(BoardPlanes::parse::<Chess>(spec).is_err(), "{spec}");
    }
    let error = BoardPlanes::parse::<Chess>("minimal:history=0").unwrap_err().to_string();
    assert!(error.contains("shows no moves"), "{error}");
}

#[test]
fn an_error_leaves_the_state_as_it_was() {
    let mut state = ChessState::initial();
    let before = state.clone();
    for joint in [&[][..], &[1, 2], &[4671], &[u32::MAX], &[0]] {
        assert!(matches!(state.apply(joint), Err(Error::IllegalAction(_))));
        assert_eq!(state, before);
    }
    let mut mated = ChessState::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    assert_eq!(mated.outcome().unwrap().reason, Reason::Checkmate);
    let error = mated.apply(&[0]).unwrap_err().to_string();
    assert!(error.contains("checkmate"), "{error}");
}

proptest! {
    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,80}") {
        let state = ChessState::initial();
        prop_assert!(matches!(ChessState::from_fen(&text), Err(Error::InvalidFen(_))));
        if let Err(error) = state.parse_uci(&text) {
            prop_assert!(matches!(error, Error::InvalidUci(_)));
        }
        if let Err(error) = state.parse_san(&text) {
            prop_assert!(matches!(error, Error::InvalidSan(_)));
        }
        prop_assert!(BoardPlanes::parse::<Chess>(&text).is_err());
    }

    /// Texts that come near a FEN reach far deeper into the parser than noise does.
    #[test]
    fn almost_fens_are_positions_or_errors(
        ranks in proptest::collection::vec("[pnbrqkPNBRQK1-8]{1,8}", 8),
        rest in "( [wb] (-|[KQkqAH]{1,4}) (-|[a-h][36])( [0-9]{1,12} [0-9]{1,12})?)?",
        replaced in 0_usize..8,
    ) {
        let mut ranks = ranks;
        ranks[replaced] = "4k3".into();
        ranks[7 - replaced] = "K7".into();
        let text = format!("{}{rest}", ranks.join("/"));
        play_on_if_valid(&text)?;
    }

    #[test]
    fn sparse_boards_are_positions_or_errors(
        pieces in proptest::collection::vec((0_usize..64, "[pnbrqPNBRQ]"), 0..40),
        kings in (0_usize..64, 0_usize..64),
        rest in "[wb] (-|[KQkq]{1,4}) (-|[a-h][36])",
    ) {
        let mut board = vec!['.'; 64];
        for (square, piece) in pieces {
            board[square] = piece.chars().next().unwrap();
        }
        board[kings.0] = 'K';
        board[kings.1] = 'k';
        let rows: Vec<String> = board
            .chunks(8)
            .map(|row| row.iter().map(|c| if *c == '.' { '1' } else { *c }).collect())
            .collect();
        play_on_if_valid(&format!("{} {rest}", rows.join("/")))?;
    }

    #[test]
    fn no_bytes_make_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let _ = ChessState::from_bytes(&bytes);
    }

    #[test]
    fn changed_bytes_are_a_state_or_an_error(at in 0_usize..200, value: u8, seed in 0_u64..20) {
        let game = random_game(seed);
        let mut bytes = game[game.len() / 2].to_bytes();
        let length = bytes.len();
        bytes[at % length] = value;
        if let Ok(state) = ChessState::from_bytes(&bytes) {
            let mut out = vec![0.0; BoardPlanes::V1.size()];
            state.encode(BoardPlanes::V1, 0, &mut out);
            prop_assert!(out.iter().all(|value| value.is_finite()));
        }
    }
}

/// Whatever is accepted can be played, encoded and written.
fn play_on_if_valid(text: &str) -> std::result::Result<(), TestCaseError> {
    let state = match ChessState::from_fen(text) {
        Ok(state) => state,
        Err(error) => {
            prop_assert!(matches!(error, Error::InvalidFen(_)));
            return Ok(());
        }
    };
    prop_assert_eq!(&ChessState::from_fen(&state.fen()).unwrap().fen(), &state.fen());
    let _outcome = state.outcome();
    assert_bijection(state.position());
    let mut out = vec![0.0; BoardPlanes::V2.size()];
    for m in state.legal_moves() {
        let mut next = state.clone();
        next.play_move(m);
        next.encode(BoardPlanes::V2, 0, &mut out);
        prop_assert_eq!(&ChessState::from_bytes(&next.to_bytes()).unwrap(), &next);
        let _zobrist: Zobrist64 = next.position().zobrist_hash(EnPassantMode::Legal);
    }
    Ok(())
}
