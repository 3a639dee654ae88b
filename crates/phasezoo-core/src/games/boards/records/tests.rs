use shakmaty::Position;

use super::*;
use crate::game::Game;
use crate::games::boards::planes::BoardPlanes;
use crate::games::{Chess, ChessState};
use crate::gate::Gating;
use crate::records::{Rows, Samples, Starts, Table};
use crate::rng::Stream;

/// Random games with their starts, and the columns that hold them.
struct Games {
    moves: Vec<u16>,
    offsets: Vec<i64>,
    starts: Starts<ChessState>,
}

const START: &str = "4k3/P7/8/8/8/8/p7/4K2R b K - 3 40";

fn games(count: usize, seed: u64) -> Games {
    let mut stream = Stream::new(seed);
    let (mut moves, mut offsets) = (Vec::new(), vec![0]);
    for game in 0..count {
        let mut state = if game % 3 == 2 {
            BoardState::<Chess>::from_fen(START).unwrap()
        } else {
            BoardState::initial()
        };
        for _ in 0..stream.below(90) {
            let legal = state.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[stream.below(legal.len())];
            state.play_move(m);
        }
        moves.extend(state.moves().iter().map(|packed| packed.0));
        offsets.push(moves.len() as i64);
    }
    let starts = Starts::parse((0..count).filter(|game| game % 3 == 2).map(|game| (game, START)));
    Games { moves, offsets, starts: starts.unwrap() }
}

impl Games {
    fn table(&self) -> Table<'_, ChessState> {
        Table::new(&self.moves, &self.offsets, &self.starts)
    }
}

#[test]
fn labels_are_those_of_the_states_played_one_by_one() {
    let games = games(200, 1);
    let table = games.table();
    for spec in ["lichess", "monotone:lichess:engine", "monotone:hash:4", "moves:5"] {
        let gate = Gating::parse(spec, false).unwrap();
        let labels = table.label(&gate, Some(2)).unwrap();
        assert_eq!(labels.phase.len(), games.moves.len());
        for game in 0..table.len() {
            let mut previous = None;
            let rows = table.rows(game).unwrap();
            for (row, state) in rows.zip(table.states(game).unwrap()) {
                let phase = gate.phase(&state, state.player_to_move(), previous).unwrap();
                assert_eq!((labels.phase[row], labels.key[row]), (phase as i8, state.key()));
                previous = Some(phase);
            }
        }
        assert_eq!(table.label(&gate, Some(1)).unwrap(), labels);
    }
}

#[test]
fn samples_are_those_of_the_states_played_one_by_one() {
    let games = games(60, 2);
    let table = games.table();
    let gate = Gating::parse("none", false).unwrap();
    table.label(&gate, None).unwrap();
    let mut stream = Stream::new(3);
    let positions: Vec<(i32, i32)> = (0..300)
        .map(|_| {
            loop {
                let chosen = stream.below(table.len());
                let length = table.rows(chosen).unwrap().len();
                if length > 0 {
                    break (chosen as i32, stream.below(length) as i32);
                }
            }
        })
        .collect();
    let (chosen, ply): (Vec<i32>, Vec<i32>) = positions.iter().copied().unzip();
    let hidden: Vec<bool> = (0..300).map(|_| stream.below(2) == 0).collect();
    for planes in [BoardPlanes::V1, BoardPlanes::V2, BoardPlanes::MINIMAL] {
        let size = BoardState::<Chess>::plane_shape(planes).iter().product::<usize>();
        let mut data = vec![f32::NAN; 300 * size];
        let (mut action, mut to_play, mut left) = (vec![-1; 300], vec![-1; 300], vec![-1.0; 300]);
        let out = Samples {
            planes: &mut data,
            action: &mut action,
            to_play: &mut to_play,
            plies_left: &mut left,
        };
        let rows = Rows { games: &chosen, plies: &ply, hidden: &hidden };
        table.sample(rows, planes, out, Some(3)).unwrap();
        for row in 0..300 {
            let states = table.states(chosen[row] as usize).unwrap();
            let state = &states[ply[row] as usize];
            let seen = if hidden[row] { state.without_history() } else { state.clone() };
            let mut expected = vec![0.0; size];
            seen.encode(planes, state.player_to_move(), &mut expected);
            assert_eq!(data[row * size..(row + 1) * size], expected);
            let packed = table.game(chosen[row] as usize).unwrap()[ply[row] as usize];
            let played = PackedMove(packed).unpack(state.position()).unwrap();
            assert_eq!(action[row], i64::from(state.action_of(played)));
            assert_eq!(to_play[row], state.player_to_move() as i8);
            assert_eq!(left[row] as usize, states.len() - ply[row] as usize);
        }
    }
}

#[test]
fn bad_records_are_named_by_their_game() {
    let mut games = games(150, 4);
    let row = games.table().rows(100).unwrap().start + 3;
    games.moves[row] = 0;
    let gate = Gating::parse("none", false).unwrap();
    let message = games.table().label(&gate, Some(2)).unwrap_err().to_string();
    assert!(message.contains("game 100, ply 3"), "{message}");
    assert!(games.table().states(100).is_err());
    assert!(games.table().states(150).is_err());

    for offsets in [
        vec![],
        vec![0],
        vec![1, games.moves.len() as i64],
        vec![0, 9, 5, games.moves.len() as i64],
    ] {
        games.offsets = offsets;
        assert!(matches!(games.table().label(&gate, None), Err(Error::CorruptRecord(_))));
    }
    assert!(
        Starts::<ChessState>::parse([(7, "not a fen")]).unwrap_err().to_string().contains("game 7")
    );
}

#[test]
fn unchecked_columns_give_errors_and_no_panics() {
    let mut stream = Stream::new(5);
    let usual = Starts::default();
    for _ in 0..200 {
        let moves: Vec<u16> = (0..40).map(|_| stream.next_u64() as u16).collect();
        let offsets: Vec<i64> = (0..5).map(|_| stream.below(60) as i64 - 10).collect();
        let table = Table::<ChessState>::new(&moves, &offsets, &usual);
        let games: Vec<i32> = (0..8).map(|_| stream.below(8) as i32 - 2).collect();
        let plies: Vec<i32> = (0..8).map(|_| stream.below(50) as i32 - 5).collect();
        let mut planes = vec![0.0; 8 * 12 * 64];
        let (mut action, mut to_play, mut left) = ([0; 8], [0; 8], [0.0; 8]);
        let out = Samples {
            planes: &mut planes,
            action: &mut action,
            to_play: &mut to_play,
            plies_left: &mut left,
        };
        let rows = Rows { games: &games, plies: &plies, hidden: &[] };
        assert!(table.sample(rows, BoardPlanes::MINIMAL, out, None).is_err());
    }
}

#[test]
fn moves_that_were_not_checked_never_panic() {
    // Moves that own pieces could make by their squares, legal or not, kings being taken and all.
    let mut stream = Stream::new(7);
    let (mut moves, mut offsets) = (Vec::new(), vec![0]);
    let starts = Starts::default();
    for _ in 0..300 {
        let mut position = shakmaty::Chess::default();
        for _ in 0..60 {
            let packed = stream.next_u64() as u16;
            if PackedMove(packed).complete(&position).is_some() {
                moves.push(packed);
                match trusted(&position, packed) {
                    Ok(m) => position.play_unchecked(m),
                    Err(_) => break,
                }
            }
        }
        offsets.push(moves.len() as i64);
    }
    let table = Table::<ChessState>::new(&moves, &offsets, &starts);
    let mut failed = 0;
    for game in 0..300 {
        for ply in 0..table.game(game).unwrap().len() {
            let mut planes = vec![0.0; 52 * 64];
            let (mut action, mut to_play, mut left) = ([0], [0], [0.0]);
            let out = Samples {
                planes: &mut planes,
                action: &mut action,
                to_play: &mut to_play,
                plies_left: &mut left,
            };
            let rows = Rows { games: &[game as i32], plies: &[ply as i32], hidden: &[] };
            failed += usize::from(table.sample(rows, BoardPlanes::V2, out, None).is_err());
        }
    }
    assert!(failed > 0);
}

#[test]
fn games_are_gathered_and_hashed_by_what_they_hold() {
    let games = games(30, 6);
    let table = games.table();
    let (moves, offsets) = table.gather(&[4, 7, 4]).unwrap();
    let copy = Games { moves, offsets, starts: Starts::default() };
    assert_eq!(copy.table().game(1).unwrap(), table.game(7).unwrap());
    let hashes = copy.table().hashes(9).unwrap();
    assert_eq!(hashes[0], hashes[2]);
    assert_eq!([hashes[0], hashes[1]], [4, 7].map(|game: usize| table.hashes(9).unwrap()[game]));
    assert_ne!(hashes, copy.table().hashes(10).unwrap());
    assert!(table.gather(&[30]).is_err() && table.gather(&[-1]).is_err());
}
