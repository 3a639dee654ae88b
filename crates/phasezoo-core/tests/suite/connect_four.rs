//! Connect Four beside a plain second implementation and published counts.

use std::collections::HashSet;

use phasezoo_core::game::{Action, Game, Player, Turn};
use phasezoo_core::games::ConnectFour;
use phasezoo_core::games::connect_four::ConnectFourPlanes;
use phasezoo_core::gate::Gating;
use phasezoo_core::perft::{Moves, count};
use phasezoo_core::rng::Stream;

/// The rules as one would write them down without thinking of speed: rows of cells.
#[derive(Clone)]
struct Plain {
    cells: [[Option<Player>; 7]; 6],
    ply: usize,
}

impl Plain {
    fn new() -> Self {
        Self { cells: [[None; 7]; 6], ply: 0 }
    }

    fn cell(&self, row: i32, column: i32) -> Option<Player> {
        let row = self.cells.get(usize::try_from(row).ok()?)?;
        *row.get(usize::try_from(column).ok()?)?
    }

    fn legal(&self) -> Vec<Action> {
        (0..7).filter(|&column| self.cells[5][column as usize].is_none()).collect()
    }

    fn play(&mut self, column: Action) {
        let column = column as usize;
        let row = (0..6).find(|&row| self.cells[row][column].is_none()).unwrap();
        self.cells[row][column] = Some((self.ply % 2) as Player);
        self.ply += 1;
    }

    fn winner(&self) -> Option<Player> {
        (0..2).find(|&player| {
            (0..6).any(|row| {
                (0..7).any(|column| {
                    [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|(up, right)| {
                        (0..4).all(|i| self.cell(row + i * up, column + i * right) == Some(player))
                    })
                })
            })
        })
    }

    /// Empty cells that would give either player a line, each tried.
    fn threats(&self) -> u32 {
        let mut count = 0;
        for row in 0..6 {
            for column in 0..7 {
                if self.cells[row][column].is_some() {
                    continue;
                }
                let wins = (0..2).any(|player| {
                    let mut after = Self { cells: [[None; 7]; 6], ply: 0 };
                    for (r, cells) in self.cells.iter().enumerate() {
                        for (c, &cell) in cells.iter().enumerate() {
                            after.cells[r][c] = cell.filter(|&owner| owner == player);
                        }
                    }
                    let before = after.winner().is_some();
                    after.cells[row][column] = Some(player);
                    after.winner().is_some() && !before
                });
                count += u32::from(wins);
            }
        }
        count
    }
}

fn check(state: &ConnectFour, plain: &Plain) {
    assert_eq!(state.ply() as usize, plain.ply);
    let over = plain.winner().is_some() || plain.legal().is_empty();
    let to_move = (plain.ply % 2) as Player;
    let mut legal = vec![99];
    assert_eq!(state.turn(), if over { Turn::Over } else { Turn::Player(to_move) });
    for player in 0..2 {
        state.legal_actions(player, &mut legal);
        let expected = if over || player != to_move { vec![] } else { plain.legal() };
        assert_eq!(legal, expected);
    }
    let outcome = state.outcome();
    assert_eq!(outcome.is_some(), over);
    assert_eq!(outcome.and_then(|outcome| outcome.winner), plain.winner());
    assert_eq!(
        outcome.map(|outcome| outcome.reason.as_str()),
        over.then_some(if plain.winner().is_some() { "connect_four" } else { "board_full" })
    );
    let value = |player| match plain.winner() {
        None => 0.0,
        Some(winner) if winner == player => 1.0,
        Some(_) => -1.0,
    };
    assert_eq!(state.returns().as_slice(), [value(0), value(1)]);
    if plain.winner().is_none() {
        assert_eq!(state.threats(), plain.threats(), "{}", state.columns());
    }
    for player in 0..2 {
        let mut planes = [7.0; 126];
        state.encode(ConnectFourPlanes::Default, player, &mut planes);
        for (at, &cell) in planes.iter().enumerate() {
            let owner = plain.cells[at % 42 / 7][at % 7];
            let expected = match at / 42 {
                0 => owner == Some(player),
                1 => owner == Some(1 - player),
                _ => plain.ply.is_multiple_of(2),
            };
            assert_eq!(cell, f32::from(u8::from(expected)));
        }
    }
}

#[test]
fn random_games_are_those_of_a_plain_implementation() {
    let mut stream = Stream::new(11);
    let (mut wins, mut draws) = ([0; 2], 0);
    for _ in 0..3_000 {
        let (mut state, mut plain) = (ConnectFour::default(), Plain::new());
        check(&state, &plain);
        while state.turn() != Turn::Over {
            let legal = plain.legal();
            let action = legal[stream.below(legal.len())];
            state.apply(&[action]).unwrap();
            plain.play(action);
            check(&state, &plain);
        }
        match plain.winner() {
            Some(winner) => wins[usize::from(winner)] += 1,
            None => draws += 1,
        }
        assert_eq!(ConnectFour::from_columns(&state.columns()).unwrap(), state);
        assert_eq!(ConnectFour::from_bytes(&state.to_bytes()).unwrap(), state);
    }
    assert!(wins[0] > wins[1] && wins[1] > 1_000 && draws > 0, "{wins:?} {draws}");
}

#[test]
fn a_mirrored_game_is_the_game_of_mirrored_columns() {
    let mut stream = Stream::new(12);
    for _ in 0..500 {
        let (mut state, mut mirrored) = (ConnectFour::default(), ConnectFour::default());
        let mut legal = Vec::new();
        while let Turn::Player(player) = state.turn() {
            state.legal_actions(player, &mut legal);
            let action = legal[stream.below(legal.len())];
            state.apply(&[action]).unwrap();
            mirrored.apply(&[6 - action]).unwrap();
            assert_eq!(state.mirrored(), mirrored);
            assert_eq!(state.mirrored().mirrored(), state);
        }
    }
}

#[test]
fn positions_after_each_ply_are_as_many_as_published() {
    // Distinct positions reached by play that stops at a win: OEIS A212693 (Tromp).
    let published = [1, 7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275];
    let mut positions = vec![ConnectFour::default()];
    for &count in &published {
        assert_eq!(positions.len(), count);
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        let mut legal = Vec::new();
        for state in &positions {
            state.legal_actions(state.player_to_move(), &mut legal);
            for &action in &legal {
                let mut after = *state;
                after.apply(&[action]).unwrap();
                if seen.insert(after.key()) {
                    next.push(after);
                }
            }
        }
        positions = next;
    }
}

#[test]
fn what_cannot_be_played_is_refused_and_changes_nothing() {
    let full = ConnectFour::from_columns("111111").unwrap();
    for joint in [&[0_u32][..], &[7], &[u32::MAX], &[], &[1, 2]] {
        let mut state = full;
        assert!(state.apply(joint).is_err());
        assert_eq!(state, full);
    }
    let mut over = ConnectFour::from_columns("1212121").unwrap();
    assert_eq!(over.outcome().unwrap().winner, Some(0));
    assert!(over.apply(&[3]).is_err());
    for (text, part) in [
        ("448", "the digits 1 to 7"),
        ("1111111", "full"),
        ("12121212", "over (connect_four)"),
        ("4 4", "the digits 1 to 7"),
    ] {
        let message = ConnectFour::from_columns(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(ConnectFour::from_bytes(&[]).is_err());
    assert!(ConnectFour::from_bytes(&[2, 0]).is_err());
    assert!(ConnectFour::from_bytes(&[1, 7]).is_err());
}

#[test]
fn gates_count_threats_and_plies() {
    let gate = |spec: &str| Gating::<ConnectFour>::parse(spec, false).unwrap();
    let (threats, plies) = (gate("threats"), gate("plies"));
    assert_eq!((threats.spec(), plies.spec()), ("threats:1,3".into(), "plies:14,28".into()));
    assert_eq!(threats.names(), ["under 1", "1–2", "3 and over"]);
    assert_eq!(plies.names(), ["up to 14", "15–28", "over 28"]);
    let mut stream = Stream::new(13);
    let mut seen = [0; 3];
    let mut legal = Vec::new();
    for _ in 0..300 {
        let mut state = ConnectFour::default();
        while let Turn::Player(player) = state.turn() {
            let phase = threats.phase(&state, player, None).unwrap();
            let count = state.threats();
            assert_eq!(phase, u8::from(count >= 1) + u8::from(count >= 3));
            seen[usize::from(phase)] += 1;
            let expected = u8::from(state.ply() > 14) + u8::from(state.ply() > 28);
            assert_eq!(plies.phase(&state, player, None).unwrap(), expected);
            state.legal_actions(player, &mut legal);
            state.apply(&[legal[stream.below(legal.len())]]).unwrap();
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    let message = Gating::<ConnectFour>::parse("lichess", false).unwrap_err().to_string();
    assert!(message.contains("such as threats:1,3, plies:14,28"), "{message}");
    assert!(!message.contains("material"), "{message}");
}

#[test]
fn sequences_of_moves_are_as_many_as_they_must_be() {
    fn plain(board: &Plain, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if board.winner().is_some() {
            return 0;
        }
        let play = |column| {
            let mut child = board.clone();
            child.play(column);
            plain(&child, depth - 1)
        };
        board.legal().into_iter().map(play).sum()
    }
    let root = Moves(ConnectFour::default());
    let counted = |depth| count(&root, depth, Some(2), || true).unwrap().unwrap();
    for depth in 0..=4 {
        assert_eq!(counted(depth), plain(&Plain::new(), depth));
    }
    // Nobody has won before the seventh stone: all sequences but those of seven stones in one column.
    assert_eq!(counted(7), 7_u64.pow(7) - 7);
    let mut late = ConnectFour::from_columns("112233").unwrap();
    assert_eq!(count(&Moves(late), 2, None, || true).unwrap(), Some(6 * 7));
    late.apply(&[3]).unwrap(); // four in a row: nothing follows
    assert_eq!(count(&Moves(late), 1, None, || true).unwrap(), Some(0));
}
