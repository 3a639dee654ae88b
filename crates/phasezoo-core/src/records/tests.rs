//! Labels and samples of random games of every game, beside the rules played one by one.

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

/// Some rows of a store with what is asked of them, and room for the answers.
struct Asked {
    games: Vec<i32>,
    plies: Vec<i32>,
    players: Vec<i8>,
    hidden: Vec<bool>,
    symmetries: Vec<u8>,
    planes: Vec<f32>,
    action: Vec<i64>,
    left: Vec<f32>,
    policy: (Vec<i64>, Vec<i32>),
}

impl Asked {
    fn of<G: Stored>(games: &Games<G>, rows: usize, planes: G::Planes) -> Self {
        let labels = games.table().label(&Gating::parse("none", false).unwrap(), None).unwrap();
        let mut stream = Stream::new(4);
        let chosen: Vec<usize> = (0..rows).map(|_| stream.below(labels.game.len())).collect();
        let some = games.starts.usual().num_actions();
        let mut policy = (vec![0], Vec::new());
        for _ in 0..rows {
            policy.1.extend((0..stream.below(9)).map(|_| stream.below(some) as i32));
            policy.0.push(policy.1.len() as i64);
        }
        Self {
            games: chosen.iter().map(|&row| labels.game[row]).collect(),
            plies: chosen.iter().map(|&row| labels.ply[row]).collect(),
            players: chosen.iter().map(|&row| labels.player[row]).collect(),
            hidden: chosen.iter().map(|_| stream.below(2) == 0).collect(),
            symmetries: chosen.iter().map(|_| stream.below(G::SYMMETRIES) as u8).collect(),
            planes: vec![f32::NAN; rows * G::plane_shape(planes).iter().product::<usize>()],
            action: vec![-1; rows],
            left: vec![-1.0; rows],
            policy,
        }
    }

    fn fill<G: Stored>(&mut self, games: &Games<G>, planes: G::Planes) -> Result<()> {
        let rows = Rows {
            games: &self.games,
            plies: &self.plies,
            players: &self.players,
            hidden: &self.hidden,
            symmetries: &self.symmetries,
        };
        let out = Samples {
            planes: &mut self.planes,
            action: &mut self.action,
            plies_left: &mut self.left,
            policy: Some(Policy { offsets: &self.policy.0, actions: &mut self.policy.1 }),
        };
        games.table().sample(rows, planes, out, Some(2))
    }
}

fn samples_are_by_the_rules<G: Stored>(games: &Games<G>, planes: G::Planes) {
    let rows = 250;
    let mut asked = Asked::of(games, rows, planes);
    let given = asked.policy.1.clone();
    asked.fill(games, planes).unwrap();
    let size = asked.planes.len() / rows;
    for row in 0..rows {
        let states = games.replay(asked.games[row] as usize);
        let (mut state, joint) = states[asked.plies[row] as usize].clone();
        if asked.hidden[row] {
            state.hide_history();
        }
        let player = asked.players[row] as Player;
        let symmetry = if state.is_symmetric() { asked.symmetries[row] } else { 0 };
        let turned = |action: Action| {
            if symmetry == 0 { action } else { G::turned_action(action, symmetry) }
        };
        let mut expected = vec![0.0; size];
        if symmetry == 0 {
            state.encode(planes, player, &mut expected);
        } else {
            state.encode_turned(planes, player, symmetry, &mut expected);
        }
        assert_eq!(asked.planes[row * size..(row + 1) * size], expected);
        let seat = if joint.len() == 1 { 0 } else { usize::from(player) };
        assert_eq!(asked.action[row], i64::from(turned(Action::from(joint[seat]))));
        assert_eq!(asked.left[row] as usize, states.len() - asked.plies[row] as usize);
        let own = asked.policy.0[row] as usize..asked.policy.0[row + 1] as usize;
        for (&before, &after) in given[own.clone()].iter().zip(&asked.policy.1[own]) {
            assert_eq!(after as Action, turned(before as Action));
        }
    }
}

#[test]
fn samples_are_those_of_the_rules_played_one_by_one() {
    let chess = boards::<Chess>(&["", "4k3/P7/8/8/8/8/p7/4K2R b K - 3 40"]);
    for planes in ["v1", "v2", "minimal", "v2:history=3"] {
        samples_are_by_the_rules(&chess, BoardPlanes::parse::<Chess>(planes).unwrap());
    }
    samples_are_by_the_rules(&boards::<Chess960>(&["seed"]), BoardPlanes::V2);
    samples_are_by_the_rules(&boards::<Atomic>(&[""]), BoardPlanes::LICHESS);
    samples_are_by_the_rules(&boards::<Crazyhouse>(&[""]), BoardPlanes::HOUSE_V2);
    samples_are_by_the_rules(
        &boards::<Krk>(&["", "8/8/8/4k3/8/8/8/K6R b - - 0 1"]),
        BoardPlanes::V1,
    );
    samples_are_by_the_rules(&connect_four(), ConnectFourPlanes::Default);
    for mode in Mode::ALL {
        samples_are_by_the_rules(&pommerman(mode), PommermanPlanes { size: mode.size() as u8 });
    }
}

#[test]
fn a_start_may_have_moves_before_it_that_planes_show() {
    let moves = ["e2e4", "e7e5", "g1f3", "g8f6", "f3g1", "f6g8"];
    let read = |_: &str| {
        let mut state = BoardState::<Chess>::initial();
        for uci in moves {
            let m = state.move_from_uci(uci)?;
            state.play_move(m);
        }
        Ok(state)
    };
    for count in [1, 12, 60] {
        let pairs = (0..10).map(|game| (game, "moves"));
        let starts = Starts::read(BoardState::initial(), pairs, read).unwrap();
        assert_eq!(starts.of(3).ply(), 6);
        samples_are_by_the_rules(&Games::random(starts, 10, count, 7), BoardPlanes::V2);
    }
}

#[test]
fn wrong_actions_are_typed_errors_and_no_panics() {
    fn check<G: Stored>(games: &Games<G>, planes: G::Planes, most: u64) {
        let gate = Gating::parse("none", false).unwrap();
        let mut stream = Stream::new(5);
        let (mut refused, mut unexplained) = (0, 0);
        for _ in 0..60 {
            let mut broken = Games {
                actions: games.actions.clone(),
                offsets: games.offsets.clone(),
                starts: games.starts.clone(),
                waypoints: Waypoints::new(games.offsets.len() - 1, games.actions.len()),
            };
            let mut asked = Asked::of(games, 60, planes);
            for _ in 0..200 {
                let place = stream.below(broken.actions.len());
                broken.actions[place] = (stream.next_u64() % most) as u16;
            }
            match broken.table().label(&gate, Some(1)) {
                Err(Error::CorruptRecord(message)) => {
                    assert!(message.contains("game ") && message.contains("ply "), "{message}");
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
                Ok(_) => {}
            }
            unexplained += usize::from(asked.fill(&broken, planes).is_err());
            let _ = broken.table().hashes(1, Some(1));
        }
        assert!(refused > 50 && unexplained > 0, "{refused} {unexplained}");
    }
    // Actions that exist, and any numbers.
    for most in [4672, 65536] {
        check(&boards::<Chess>(&[""]), BoardPlanes::V2, most);
        check(&boards::<Chess960>(&["seed"]), BoardPlanes::V1, most);
        check(&boards::<Atomic>(&[""]), BoardPlanes::V2, most);
        check(&boards::<Crazyhouse>(&[""]), BoardPlanes::HOUSE_V2, most + 320);
        check(&boards::<Krk>(&[""]), BoardPlanes::V2, most);
    }
    for most in [7, 65536] {
        check(&connect_four(), ConnectFourPlanes::Default, most);
        check(&pommerman(Mode::Ffa), PommermanPlanes { size: 11 }, most);
    }
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
fn rows_that_are_not_there_are_refused() {
    let games = pommerman(Mode::Ffa);
    let planes = PommermanPlanes { size: 11 };
    let longest = (0..40).max_by_key(|&game| games.replay(game).len()).unwrap();
    let refused = |change: &dyn Fn(&mut Asked)| {
        let mut asked = Asked::of(&games, 3, planes);
        (asked.games[1], asked.plies[1], asked.players[1]) = (longest as i32, 0, 0);
        change(&mut asked);
        asked.fill(&games, planes).unwrap_err()
    };
    for (game, ply) in [(-1, 0), (40, 0), (longest as i32, -1), (longest as i32, 900)] {
        let change = |asked: &mut Asked| (asked.games[1], asked.plies[1]) = (game, ply);
        assert!(matches!(refused(&change), Error::CorruptRecord(_)), "{game} {ply}");
    }
    for player in [-1, 4, 9, 127] {
        let change = |asked: &mut Asked| asked.players[1] = player;
        assert!(matches!(refused(&change), Error::CorruptRecord(_)), "{player}");
    }
    let lengths: [&dyn Fn(&mut Asked); 8] = [
        &|asked| asked.players.clear(),
        &|asked| asked.plies.truncate(1),
        &|asked| asked.hidden.truncate(1),
        &|asked| asked.symmetries.truncate(1),
        &|asked| asked.symmetries[0] = 8,
        &|asked| asked.policy.0.truncate(2),
        &|asked| asked.policy.0[1] = 900,
        &|asked| asked.planes.truncate(5),
    ];
    for change in lengths {
        assert!(matches!(refused(change), Error::InvalidArray(_)));
    }
    // The last player to die is no row after that.
    let states = games.replay(longest);
    let (ply, (state, _)) = states.iter().enumerate().next_back().unwrap();
    if let Some(dead) = (0..4).find(|&player| !learners(state).contains(player)) {
        let change = |asked: &mut Asked| {
            (asked.plies[1], asked.players[1]) = (ply as i32, dead as i8);
        };
        assert!(matches!(refused(&change), Error::CorruptRecord(_)));
    }
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

#[test]
fn far_states_are_kept_and_memory_is_bounded() {
    let games = pommerman(Mode::Ffa);
    let every = State::KEPT_EVERY;
    assert_eq!(Waypoints::<State>::new(3, 1000).every, every);
    let many = Waypoints::<State>::new(0, 100_000_000);
    assert!(many.every > every && many.every.is_power_of_two());
    assert_eq!(Waypoints::<ConnectFour>::new(3, 1000).games.len(), 0);
    let mut asked = Asked::of(&games, 40, PommermanPlanes { size: 11 });
    asked.fill(&games, PommermanPlanes { size: 11 }).unwrap();
    let made: Vec<usize> =
        (0..40).filter(|&game| games.waypoints.games[game].get().is_some()).collect();
    let far = (0..40).filter(|&row| asked.plies[row] as usize >= every);
    let far: std::collections::BTreeSet<usize> = far.map(|row| asked.games[row] as usize).collect();
    assert!(!far.is_empty() && far.iter().copied().eq(made));
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
