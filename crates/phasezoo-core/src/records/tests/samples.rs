//! Samples of stored games, beside games played one by one, and rows and actions that are wrong.

use super::*;
use crate::plane_buffers::PlaneBuffer;

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
            planes: PlaneBuffer::Floats(&mut self.planes),
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
