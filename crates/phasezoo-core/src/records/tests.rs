//! Random games of every game, labelled, played through and hashed, beside the rules played one by one.

use super::stored::learners;
use super::*;
use crate::error::Error;
use crate::game::{Action, Game, MAX_PLAYERS, Player, Turn};
use crate::games::boards::planes::BoardPlanes;
use crate::games::connect_four::ConnectFourPlanes;
use crate::games::pommerman::twister::Twister;
use crate::games::pommerman::{Config, Mode, PommermanPlanes, State};
use crate::games::{Atomic, BoardState, Chess, Chess960, ConnectFour, Crazyhouse, Krk, Rules};
use crate::gate::Gating;
use crate::rng::Stream;

mod samples;

/// Columns of games with what they start from.
struct Games<G> {
    actions: Vec<u16>,
    offsets: Vec<i64>,
    starts: Starts<G>,
    waypoints: Waypoints<G>,
}

impl<G: Stored> Games<G> {
    fn table(&self) -> Table<'_, G> {
        Table::new(&self.actions, &self.offsets, &self.starts, &self.waypoints)
    }

    /// Random games of at most `longest` plies.
    fn random(starts: Starts<G>, count: usize, longest: usize, seed: u64) -> Self {
        let mut stream = Stream::new(seed);
        let (mut actions, mut offsets) = (Vec::new(), vec![0]);
        let mut legal = Vec::new();
        for game in 0..count {
            let mut state = starts.of(game).clone();
            let plies = stream.below(longest + 1);
            for _ in 0..plies {
                let Some(joint) = random_joint(&state, &mut stream, &mut legal) else { break };
                actions.extend(&joint[..starts.width()]);
                play(&mut state, &joint);
            }
            offsets.push((actions.len() / starts.width()) as i64);
        }
        let waypoints = Waypoints::new(count, actions.len() / starts.width());
        Self { actions, offsets, starts, waypoints }
    }

    /// Every state before a ply, reached by the rules alone, and the stored actions there.
    fn replay(&self, game: usize) -> Vec<(G, Vec<u16>)> {
        let mut state = self.starts.of(game).clone();
        let mut states = Vec::new();
        let plies = self.offsets[game] as usize..self.offsets[game + 1] as usize;
        for ply in plies {
            let width = self.starts.width();
            let joint = &self.actions[ply * width..(ply + 1) * width];
            states.push((state.clone(), joint.to_vec()));
            play(&mut state, joint);
        }
        states
    }
}

/// An action of everybody who acts, 0 of the others; `None` when the game is over.
fn random_joint<G: Game>(
    state: &G,
    stream: &mut Stream,
    legal: &mut Vec<Action>,
) -> Option<[u16; MAX_PLAYERS]> {
    let mut joint = [0; MAX_PLAYERS];
    match state.turn() {
        Turn::Over => return None,
        Turn::Player(player) => {
            state.legal_actions(player, legal);
            joint[0] = legal[stream.below(legal.len())] as u16;
        }
        Turn::Simultaneous(acting) => {
            for player in acting.iter() {
                state.legal_actions(player, legal);
                joint[usize::from(player)] = legal[stream.below(legal.len())] as u16;
            }
        }
    }
    Some(joint)
}

/// Plays stored actions by the rules.
fn play<G: Game>(state: &mut G, joint: &[u16]) {
    let actions: Vec<Action> = match state.turn() {
        Turn::Simultaneous(acting) => {
            acting.iter().map(|player| Action::from(joint[usize::from(player)])).collect()
        }
        Turn::Player(_) | Turn::Over => vec![Action::from(joint[0])],
    };
    state.apply(&actions).unwrap();
}

/// Who sees a row at a state: found without [`learners`].
fn watchers<G: Game>(state: &G) -> Vec<Player> {
    match state.turn() {
        Turn::Player(player) => vec![player],
        Turn::Simultaneous(acting) => acting.iter().filter(|&p| !state.is_idle(p)).collect(),
        Turn::Over => vec![],
    }
}

/// The games of every kind, through `check`.
macro_rules! every_game {
    ($check:ident) => {
        $check(&boards::<Chess>(&["", "4k3/P7/8/8/8/8/p7/4K2R b K - 3 40"]), &["lichess"]);
        $check(&boards::<Chess960>(&["seed"]), &["lichess"]);
        $check(&boards::<Atomic>(&[""]), &["moves:5"]);
        $check(
            &boards::<Crazyhouse>(&["", "4k3/8/8/8/8/8/4P3/4K3[QNpp] w - - 0 1"]),
            &["material"],
        );
        $check(&boards::<Krk>(&["", "8/8/8/4k3/8/8/8/K6R b - - 0 1"]), &["hash:3"]);
        $check(&connect_four(), &["threats"]);
        for mode in Mode::ALL {
            $check(&pommerman(mode), &["proximity", "steps:9"]);
        }
    };
}

fn boards<R: Rules>(fens: &[&str]) -> Games<BoardState<R>> {
    let texts: Vec<(usize, String)> = (0..40)
        .map(|game| match fens[game % fens.len()] {
            "seed" => (
                game,
                BoardState::from_position(Chess960::drawn(&mut Stream::new(game as u64))).fen_of(),
            ),
            fen => (game, fen.to_owned()),
        })
        .collect();
    let pairs = texts.iter().map(|(game, text)| (*game, text.as_str()));
    let read = |text: &str| {
        if text.is_empty() { Ok(BoardState::initial()) } else { BoardState::from_fen(text) }
    };
    Games::random(Starts::read(BoardState::initial(), pairs, read).unwrap(), 40, 130, 1)
}

trait FenOf {
    fn fen_of(&self) -> String;
}

impl FenOf for BoardState<Chess960> {
    fn fen_of(&self) -> String {
        self.fen()
    }
}

fn connect_four() -> Games<ConnectFour> {
    let texts = (0..100).filter(|game| game % 3 == 0).map(|game| (game, "4453"));
    let starts = Starts::read(ConnectFour::default(), texts, ConnectFour::from_columns);
    Games::random(starts.unwrap(), 100, 42, 2)
}

fn pommerman(mode: Mode) -> Games<State> {
    let fresh = |seed| State::new(Config::new(mode, false, false), &mut Twister::new(seed));
    let seeds: Vec<String> = (0..40).map(|seed| seed.to_string()).collect();
    let pairs = seeds.iter().enumerate().map(|(game, seed)| (game, seed.as_str()));
    let starts = Starts::read(fresh(0), pairs, |seed| Ok(fresh(seed.parse().unwrap())));
    Games::random(starts.unwrap(), 40, 90, 3)
}

fn labels_are_by_the_rules<G: Stored>(games: &Games<G>, specs: &[&str]) {
    for spec in specs.iter().flat_map(|gate| [(*gate).to_owned(), format!("monotone:{gate}")]) {
        let gate = Gating::parse(&spec, false).unwrap();
        let mut expected = Labels::default();
        for game in 0..games.table().len() {
            let mut previous = [None; MAX_PLAYERS];
            for (ply, (state, _)) in games.replay(game).iter().enumerate() {
                for player in watchers(state) {
                    let at_once = matches!(state.turn(), Turn::Simultaneous(_));
                    let previous = &mut previous[if at_once { usize::from(player) } else { 0 }];
                    let phase = gate.phase(state, player, *previous).unwrap();
                    *previous = Some(phase);
                    expected.game.push(game as i32);
                    expected.ply.push(ply as i32);
                    expected.player.push(player as i8);
                    expected.phase.push(phase as i8);
                    let seat = if at_once { mix(u64::from(player) + 1) } else { 0 };
                    expected.key.push(state.key() ^ seat);
                }
            }
        }
        assert!(expected.game.len() > 300, "{}", expected.game.len());
        assert_eq!(games.table().label(&gate, Some(2)).unwrap(), expected, "{spec}");
        assert_eq!(games.table().label(&gate, Some(1)).unwrap(), expected);
    }
}

#[test]
fn labels_are_those_of_the_rules_played_one_by_one() {
    every_game!(labels_are_by_the_rules);
}

#[test]
fn states_are_those_of_the_rules_played_one_by_one() {
    fn check<G: Stored>(games: &Games<G>, _: &[&str]) {
        for game in 0..games.table().len() {
            let states = games.table().states(game).unwrap();
            let expected = games.replay(game);
            assert_eq!(states.len(), expected.len());
            assert!(
                states.iter().zip(&expected).all(|(state, (by_rules, _))| state.is_same(by_rules))
            );
        }
    }
    every_game!(check);
}

#[test]
fn a_game_is_played_through_as_by_the_rules() {
    fn check<G: Stored>(games: &Games<G>, _: &[&str]) {
        for game in 0..games.table().len() {
            let (start, width) = (games.starts.of(game), games.starts.width());
            let told = Told { actions: games.table().game(game).unwrap(), width, visits: None };
            let Through::Whole { last, end } = Through::play(start, told, false).unwrap() else {
                panic!("game {game} goes on after its end");
            };
            let states = games.replay(game);
            let Some((expected, joint)) = states.last() else {
                assert!(last.is_same(start) && end.is_same(start));
                continue;
            };
            let mut after = expected.clone();
            play(&mut after, joint);
            assert!(last.is_same(expected) && end.is_same(&after), "game {game}");
        }
    }
    every_game!(check);
}

#[test]
fn columns_that_do_not_fit_are_refused() {
    let mut games = connect_four();
    let gate = Gating::parse("none", false).unwrap();
    let plies = games.actions.len() as i64;
    for offsets in [vec![], vec![0], vec![1, plies], vec![0, 9, 5, plies]] {
        games.offsets = offsets;
        assert!(matches!(games.table().check(), Err(Error::CorruptRecord(_))));
        assert!(matches!(games.table().label(&gate, None), Err(Error::CorruptRecord(_))));
    }
    let mut games = pommerman(Mode::Ffa);
    games.actions.pop();
    assert!(matches!(games.table().check(), Err(Error::CorruptRecord(_))));

    let read = |text: &str| ConnectFour::from_columns(text);
    let error = Starts::read(ConnectFour::default(), [(7, "8")], read).unwrap_err().to_string();
    assert!(error.contains("game 7"), "{error}");
    let starts = Starts::read(ConnectFour::default(), [(7, "4")], read).unwrap();
    let waypoints = Waypoints::new(1, 0);
    let table = Table::new(&[], &[0, 0], &starts, &waypoints);
    assert!(table.check().unwrap_err().to_string().contains("game 7"));
}

#[test]
fn games_are_gathered_and_hashed_by_what_they_hold() {
    fn check<G: Stored>(games: &Games<G>, _: &[&str]) {
        let table = games.table();
        let lengths: Vec<usize> = (0..40).map(|game| table.range(game).unwrap().len()).collect();
        let long = (1..40).max_by_key(|&game| lengths[game]).unwrap();
        let (actions, offsets) = table.gather(&[0, long as i64, 0]).unwrap();
        let texts = [(0, "0"), (1, "1"), (2, "0")];
        let starts = Starts::read(games.starts.usual().clone(), texts, |text| {
            Ok(games.starts.of(if text == "0" { 0 } else { long }).clone())
        });
        let waypoints = Waypoints::new(3, actions.len());
        let copy = Games { actions, offsets, starts: starts.unwrap(), waypoints };
        assert_eq!(copy.table().game(1).unwrap(), table.game(long).unwrap());
        let hashes = copy.table().hashes(9, None).unwrap();
        assert_eq!(hashes[0], hashes[2]);
        let of_all = table.hashes(9, Some(2)).unwrap();
        assert_eq!([hashes[0], hashes[1]], [of_all[0], of_all[long]]);
        assert_ne!(hashes[0], hashes[1]);
        assert_ne!(of_all, table.hashes(10, None).unwrap());
        assert!(table.gather(&[games.offsets.len() as i64 - 1]).is_err());
        assert!(table.gather(&[-1]).is_err());
        // One action more or less is another game.
        let shorter = Games {
            offsets: vec![0, lengths[long] as i64 - 1, lengths[long] as i64],
            actions: table.game(long).unwrap().to_vec(),
            starts: Starts::new(games.starts.of(long).clone()),
            waypoints: Waypoints::new(2, lengths[long]),
        };
        let whole = Games {
            offsets: vec![0, lengths[long] as i64],
            actions: table.game(long).unwrap().to_vec(),
            starts: Starts::new(games.starts.of(long).clone()),
            waypoints: Waypoints::new(1, lengths[long]),
        };
        let part = shorter.table().hashes(9, None);
        // What is left of the game as a game of its own may be none by the rules.
        if let Ok(part) = part {
            assert_ne!(part[0], whole.table().hashes(9, None).unwrap()[0]);
        }
    }
    every_game!(check);
}

/// A store of episodes, each started as its seed says.
fn stored<G: Stored>(episodes: &Episodes, start: impl Fn(u64) -> G) -> Games<G> {
    let texts: Vec<String> = episodes.seeds.iter().map(u64::to_string).collect();
    let pairs = texts.iter().enumerate().map(|(game, seed)| (game, seed.as_str()));
    let starts = Starts::read(start(0), pairs, |seed| Ok(start(seed.parse().unwrap()))).unwrap();
    let plies = episodes.actions.len() / starts.width();
    Games {
        actions: episodes.actions.clone(),
        offsets: episodes.offsets.clone(),
        starts,
        waypoints: Waypoints::new(episodes.seeds.len(), plies),
    }
}

#[test]
fn episodes_are_whole_games_that_depend_on_their_seeds_alone() {
    fn check<G: Stored>(start: impl Fn(u64) -> G + Copy + Send + Sync, agent: &str) {
        let make = |seed, rows, threads| {
            Episodes::play(|seed| Ok(start(seed)), agent, seed, rows, Some(threads)).unwrap()
        };
        let episodes = make(4, 2000, 1);
        assert!(episodes.rows >= 2000);
        assert_eq!(episodes, make(4, 2000, 2));
        assert_ne!(episodes.actions, make(5, 2000, 1).actions);
        let fewer = make(4, 700, 2);
        assert!(episodes.actions.starts_with(&fewer.actions));
        assert!(episodes.returns.starts_with(&fewer.returns));

        let games = stored(&episodes, start);
        let labels = games.table().label(&Gating::parse("none", false).unwrap(), None).unwrap();
        assert_eq!(labels.game.len(), episodes.rows);
        for (game, returns) in episodes.returns.chunks(episodes.players).enumerate() {
            let (last, joint) = games.replay(game).pop().unwrap();
            let mut end = last.clone();
            play(&mut end, &joint);
            assert_eq!(end.turn(), Turn::Over);
            if end.returns().as_slice().iter().any(|&value| value > 0.0) {
                assert_eq!(returns, end.returns().as_slice());
                continue;
            }
            // Nobody won: who was there before the last ply got nothing.
            for (player, &value) in returns.iter().enumerate() {
                let was_out = last.settled(player as Player).is_some();
                assert_eq!(value, if was_out { -1.0 } else { 0.0 });
            }
        }
    }
    for mode in Mode::ALL {
        let start =
            move |seed| State::new(Config::new(mode, false, false), &mut Twister::new(seed));
        check(start, "simple_unbiased");
        check(start, "random");
    }
    check(|_| ConnectFour::default(), "random");
    check(
        |seed| BoardState::<Chess960>::from_position(Chess960::drawn(&mut Stream::new(seed))),
        "random",
    );
    let unknown = Episodes::play(|_| Ok(ConnectFour::default()), "genius", 1, 10, None);
    assert!(matches!(unknown, Err(Error::InvalidConfig(_))));
}
