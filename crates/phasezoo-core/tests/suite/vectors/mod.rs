//! Games that are not chess go through the vector: three players in turn, and two at once. Every
//! number expected here was worked out by hand.

mod support;

use crate::toys::games::{Pennies, Race};
use phasezoo_core::Error;
use phasezoo_core::gate::Gating;
use phasezoo_core::plane_buffers::PlaneBuffer;
use phasezoo_core::vector::{
    Autoreset, Illegal, Opponent, Options, Purpose, SIMULTANEOUS, Seat, Vector, stream,
};
use support::{Buffers, options, play, race};

#[test]
fn three_players_take_turns_in_self_play() {
    let mut vector = race(1, options(Opponent::None));
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[5], &[true], None).unwrap();
    vector.observe(seen.outputs()).unwrap();
    // Total 0 of 10, seen by player 0; adding 1, 2 or 3 is legal, adding 0 is not.
    assert_eq!((seen.planes[0], seen.to_play[0], seen.ply[0]), (0.0, 0, 0));
    assert_eq!(seen.masks, [0, 1, 1, 1]);
    let expected = [(3, 3.0, 1), (3, 6.0, 2), (3, 9.0, 0)];
    for (ply, (action, total, next)) in expected.into_iter().enumerate() {
        play(&mut vector, &mut seen, &[action]).unwrap();
        // The planes are the total and the viewer.
        assert_eq!(seen.planes, [total, next as f32]);
        assert_eq!((seen.to_play[0], seen.ply[0]), (next, ply as i64 + 1));
        assert!(!seen.terminated[0] && seen.rewards[0] == 0.0 && !seen.has_result[0]);
    }
    // Nine stand: only 1 is left, and player 0, who adds it, wins.
    assert_eq!(seen.masks, [0, 1, 0, 0]);
    play(&mut vector, &mut seen, &[1]).unwrap();
    assert!(seen.terminated[0] && !seen.truncated[0] && !seen.illegal[0]);
    assert_eq!((seen.rewards[0], seen.result[0], seen.has_result[0]), (1.0, 1, true));
    // The last observation is for the player who would move next.
    assert_eq!((seen.planes.clone(), seen.to_play[0]), (vec![10.0, 1.0], 1));
    assert_eq!(seen.masks, [1; 4]);
    // The next step ignores its action and begins a new game.
    play(&mut vector, &mut seen, &[77]).unwrap();
    assert!(!seen.terminated[0] && seen.rewards[0] == 0.0 && seen.ply[0] == 0);
    assert_eq!(vector.restarted(), [0]);
}

#[test]
fn random_opponents_draw_from_the_stream_of_their_seat() {
    let game = 11;
    let mut vector = race(1, Options { seat: Seat::Fixed(1), ..options(Opponent::Random) });
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[game], &[true], None).unwrap();
    vector.observe(seen.outputs()).unwrap();
    let mut streams = [0, 1, 2].map(|player| stream(game, Purpose::Opponent, player));
    let mut total = 1 + streams[0].below(3);
    assert_eq!((seen.planes[0], seen.planes[1]), (total as f32, 1.0));
    // The learner adds 1, then the players 2 and 0 draw.
    total += 1;
    play(&mut vector, &mut seen, &[1]).unwrap();
    for player in [2, 0] {
        total += 1 + streams[player].below(3.min(10 - total));
    }
    if total < 10 {
        assert_eq!((seen.planes[0], seen.to_play[0], seen.ply[0]), (total as f32, 1, 4));
    } else {
        assert_eq!((seen.rewards[0], seen.planes[0]), (-1.0, 10.0));
    }
}

#[test]
fn outside_opponents_are_asked_in_the_order_of_turns() {
    let mut vector = race(2, Options { seat: Seat::Fixed(2), ..options(Opponent::Outside) });
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[1, 2], &[true, true], None).unwrap();
    assert_eq!(vector.waiting().collect::<Vec<_>>(), [(0, 0), (1, 0)]);
    assert!(matches!(vector.observe(seen.outputs()), Err(Error::InvalidState(_))));
    vector.reply(&[3, 1]).unwrap();
    assert_eq!(vector.waiting().collect::<Vec<_>>(), [(0, 1), (1, 1)]);
    assert!(matches!(vector.reply(&[3]), Err(Error::InvalidArray(_))));
    let error = vector.reply(&[3, 4]).unwrap_err();
    assert!(matches!(&error, Error::IllegalAction(text) if text.contains("seat 1 of game 1")));
    vector.reply(&[3, 2]).unwrap();
    assert_eq!(vector.waiting().count(), 0);
    vector.observe(seen.outputs()).unwrap();
    assert_eq!(seen.planes, [6.0, 2.0, 3.0, 2.0]);
    assert_eq!(seen.to_play, [2, 2]);
    vector.step(&[3, 3], &[0, 0], None).unwrap();
    // Nine stand in game 0: player 0 adds the last one and the learner has lost.
    vector.reply(&[1, 1]).unwrap();
    assert_eq!(vector.waiting().collect::<Vec<_>>(), [(1, 1)]);
    vector.reply(&[1]).unwrap();
    vector.observe(seen.outputs()).unwrap();
    assert_eq!(
        (seen.terminated.clone(), seen.rewards.clone()),
        (vec![true, false], vec![-1.0, 0.0])
    );
    // Player 0 won, so the learner has not; and the learner's last view.
    assert_eq!((seen.result[0], seen.planes[1], seen.planes[2]), (-1, 2.0, 8.0));
    assert_eq!(seen.winners, [true, false, false, false, false, false]);
}

#[test]
fn seats_alternate_from_player_0_after_a_seeding() {
    let mut vector = race(1, Options { seat: Seat::Alternate, ..options(Opponent::Outside) });
    for _ in 0..2 {
        let mut seats = Vec::new();
        for game in 0..4 {
            vector.reset(None, &[game], &[game == 0], None).unwrap();
            seats.push(vector.seat(0));
        }
        assert_eq!(seats, [0, 1, 2, 0]);
    }
    let mut vector = race(1, Options { seat: Seat::Random, ..options(Opponent::Outside) });
    for seed in 0..20 {
        vector.reset(None, &[seed], &[false], None).unwrap();
        assert_eq!(usize::from(vector.seat(0)), stream(seed, Purpose::Seat, 0).below(3));
    }
}

#[test]
fn of_more_than_two_players_the_result_is_the_learners() {
    let ends = |moves: &[[u32; 3]], last: Option<u32>| {
        let mut vector = race(1, Options { seat: Seat::Fixed(1), ..options(Opponent::Outside) });
        let mut seen = Buffers::of(&vector);
        vector.reset(None, &[1], &[true], None).unwrap();
        for &[first, learner, third] in moves {
            vector.reply(&[i64::from(first)]).unwrap();
            vector.step(&[i64::from(learner)], &[0], None).unwrap();
            vector.reply(&[i64::from(third)]).unwrap();
        }
        vector.reply(&[1]).unwrap();
        if let Some(last) = last {
            vector.step(&[i64::from(last)], &[0], None).unwrap();
        }
        vector.observe(seen.outputs()).unwrap();
        assert!(seen.has_result[0]);
        (seen.result[0], seen.winners)
    };
    assert_eq!(ends(&[[3, 3, 2]], Some(1)), (1, vec![false, true, false]));
    assert_eq!(ends(&[[3, 3, 3]], None), (-1, vec![true, false, false]));
}

#[test]
fn illegal_actions_end_are_refused_or_replaced() {
    let with = |illegal| {
        let mut vector = race(2, Options { illegal, ..options(Opponent::None) });
        vector.reset(None, &[3, 4], &[true, true], None).unwrap();
        let seen = Buffers::of(&vector);
        (vector, seen)
    };
    let (mut vector, mut seen) = with(Illegal::Terminate);
    play(&mut vector, &mut seen, &[0, 2]).unwrap();
    assert_eq!((seen.rewards.clone(), seen.illegal.clone()), (vec![-1.0, 0.0], vec![true, false]));
    assert_eq!(
        (seen.terminated.clone(), seen.has_result.clone()),
        (vec![true, false], vec![false; 2])
    );
    assert_eq!((seen.ply[0], seen.to_play[0], seen.planes[0]), (0, 0, 0.0));

    let (mut vector, mut seen) = with(Illegal::Raise);
    let error = play(&mut vector, &mut seen, &[1, 0]).unwrap_err();
    assert!(matches!(&error, Error::IllegalAction(text) if text.contains("game 1")));
    // Nothing has moved, and the vector goes on.
    assert_eq!((vector.state(0).total, vector.state(1).total), (0, 0));
    play(&mut vector, &mut seen, &[1, 1]).unwrap();
    assert_eq!(seen.ply, [1, 1]);

    let (mut vector, mut seen) = with(Illegal::RandomLegal);
    play(&mut vector, &mut seen, &[0, 2]).unwrap();
    let replacement = 1 + stream(3, Purpose::Illegal, 0).below(3);
    assert_eq!((seen.planes[0], seen.planes[2]), (replacement as f32, 2.0));
    assert_eq!(
        (seen.illegal.clone(), seen.terminated.clone()),
        (vec![true, false], vec![false; 2])
    );

    for illegal in [Illegal::Terminate, Illegal::Raise, Illegal::RandomLegal] {
        let (mut vector, mut seen) = with(illegal);
        for outside in [-1, 4, i64::MAX] {
            let error = play(&mut vector, &mut seen, &[outside, 1]).unwrap_err();
            assert!(matches!(&error, Error::IllegalAction(text) if text.contains("0 to 3")));
        }
        assert_eq!((vector.state(0).total, vector.state(1).total), (0, 0));
    }
}

#[test]
fn length_limits_truncate() {
    let mut vector = race(1, Options { max_plies: Some(2), ..options(Opponent::None) });
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[0], &[true], None).unwrap();
    play(&mut vector, &mut seen, &[1]).unwrap();
    assert!(!seen.truncated[0]);
    play(&mut vector, &mut seen, &[1]).unwrap();
    assert!(seen.truncated[0] && !seen.terminated[0] && !seen.has_result[0]);
    assert_eq!((seen.rewards[0], seen.to_play[0], seen.planes[1]), (0.0, 2, 2.0));
    let late = Race { total: 4, ply: 2 };
    let error = vector.reset(None, &[0], &[true], Some(&late)).unwrap_err();
    assert!(matches!(&error, Error::InvalidConfig(text) if text.contains("max_plies")));
    assert!(
        Vector::new(1, Options { max_plies: Some(0), ..options(Opponent::None) }, |_| Ok(
            Race::default()
        ))
        .is_err()
    );
}

#[test]
fn same_step_shows_the_old_game_beside_the_new_one() {
    let mut vector = race(2, Options { autoreset: Autoreset::SameStep, ..options(Opponent::None) });
    let mut seen = Buffers::of(&vector);
    let position = Race { total: 8, ply: 4 };
    vector.reset(None, &[0, 1], &[true; 2], Some(&position)).unwrap();
    play(&mut vector, &mut seen, &[2, 1]).unwrap();
    assert_eq!(
        (seen.terminated.clone(), seen.rewards.clone()),
        (vec![true, false], vec![1.0, 0.0])
    );
    assert_eq!(seen.planes, [0.0, 0.0, 9.0, 2.0]);
    assert!(!seen.has_result[0], "the new game has no result yet");
    let last = vector.ended(0).unwrap();
    // Ply 4 of three players: player 1 moved, player 2 would be next. Player 0 did not win.
    assert_eq!(
        (last.state.total, last.seat, last.to_play, last.won.map(|won| won.result)),
        (10, 2, 2, Some(-1))
    );
    let mut planes = [0.0; 2];
    vector.encode_ended(0, &mut PlaneBuffer::Floats(&mut planes)).unwrap();
    assert_eq!(planes, [10.0, 2.0]);
    assert!(vector.ended(1).is_none());
    assert_eq!(vector.restarted(), [0]);
    // An illegal action belongs to the game it ended.
    play(&mut vector, &mut seen, &[0, 1]).unwrap();
    assert_eq!(
        (seen.terminated[0], seen.illegal[0], vector.ended(0).unwrap().illegal),
        (true, false, true)
    );
}

#[test]
fn without_autoreset_finished_games_wait_for_their_reset() {
    let mut vector = race(2, Options { autoreset: Autoreset::Disabled, ..options(Opponent::None) });
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[0, 1], &[true; 2], None).unwrap();
    play(&mut vector, &mut seen, &[0, 2]).unwrap();
    let error = play(&mut vector, &mut seen, &[1, 1]).unwrap_err();
    assert!(matches!(&error, Error::InvalidState(text) if text.contains("game 0")));
    vector.reset(Some(&[true, false]), &[9, 9], &[false; 2], None).unwrap();
    assert_eq!(vector.restarted(), [0]);
    play(&mut vector, &mut seen, &[1, 1]).unwrap();
    assert_eq!(seen.planes, [1.0, 1.0, 3.0, 2.0]);
}

#[test]
fn calls_out_of_order_and_finished_positions_are_errors() {
    let mut vector = race(1, options(Opponent::None));
    let mut seen = Buffers::of(&vector);
    assert!(matches!(play(&mut vector, &mut seen, &[1]), Err(Error::InvalidState(_))));
    assert!(matches!(vector.observe(seen.outputs()), Err(Error::InvalidState(_))));
    let over = Race { total: 10, ply: 6 };
    assert!(matches!(vector.reset(None, &[0], &[true], Some(&over)), Err(Error::InvalidConfig(_))));
    assert!(matches!(vector.reset(None, &[0, 1], &[true], None), Err(Error::InvalidArray(_))));
    // The opponents end the game before the learner's first move.
    let mut vector = race(1, Options { seat: Seat::Fixed(2), ..options(Opponent::Outside) });
    vector.reset(None, &[0], &[true], Some(&Race { total: 9, ply: 3 })).unwrap();
    assert!(matches!(vector.reply(&[1]), Err(Error::InvalidConfig(_))));
    assert!(matches!(vector.step(&[1], &[0], None), Err(Error::InvalidState(_))));
    let seat = Options { seat: Seat::Fixed(3), ..options(Opponent::Random) };
    assert!(Vector::new(1, seat, |_| Ok(Race::default())).is_err());
    assert!(Vector::new(0, options(Opponent::None), |_| Ok(Race::default())).is_err());
}

#[test]
fn a_game_without_actions_is_named_not_hung() {
    let mut vector = race(1, options(Opponent::Random));
    let stuck = Race { total: crate::toys::games::STUCK, ply: 0 };
    assert!(matches!(vector.reset(None, &[0], &[true], Some(&stuck)), Err(Error::GameContract(_))));
}

#[test]
fn players_who_move_at_once_are_played_together() {
    let options = Options { seat: Seat::Fixed(1), ..options(Opponent::Outside) };
    let mut vector = Vector::new(1, options, |_| Ok(Pennies::default())).unwrap();
    let mut seen = Buffers::of(&vector);
    vector.reset(None, &[0], &[true], None).unwrap();
    // Nobody is awaited before the learner has chosen: the rivals choose on the same state.
    assert_eq!(vector.waiting().count(), 0);
    vector.observe(seen.outputs()).unwrap();
    assert_eq!((seen.to_play[0], seen.masks.clone()), (SIMULTANEOUS, vec![1, 1]));
    // Player 0 wants equal coins. Rounds: equal, different, different: player 1 wins by 2 to 1.
    for (round, (own, other)) in [(1, 1), (0, 1), (1, 0)].into_iter().enumerate() {
        vector.step(&[own], &[0], None).unwrap();
        assert_eq!(vector.waiting().collect::<Vec<_>>(), [(0, 0)]);
        assert_eq!(vector.state(0).ply as usize, round, "the turn waits for everybody");
        vector.reply(&[other]).unwrap();
        vector.observe(seen.outputs()).unwrap();
        assert_eq!(seen.ply[0] as usize, round + 1);
    }
    assert!(seen.terminated[0]);
    assert_eq!((seen.rewards[0], seen.result[0], seen.to_play[0]), (1.0, -1, SIMULTANEOUS));
    // Equal coins as player 1 sees them.
    assert_eq!(seen.planes, [1.0, 1.0]);
}

#[test]
fn random_rivals_choose_without_seeing_the_learners_action() {
    let mut outcomes = Vec::new();
    for own in [0, 1] {
        let mut vector =
            Vector::new(1, options(Opponent::Random), |_| Ok(Pennies::default())).unwrap();
        let mut seen = Buffers::of(&vector);
        vector.reset(None, &[21], &[true], None).unwrap();
        let mut coins = stream(21, Purpose::Opponent, 1);
        for _ in 0..3 {
            play(&mut vector, &mut seen, &[own]).unwrap();
        }
        let equal = (0..3).filter(|_| coins.below(2) as i64 == own).count();
        outcomes.push(equal);
        assert_eq!(seen.rewards[0], if equal >= 2 { 1.0 } else { -1.0 });
    }
    assert_eq!(outcomes[0] + outcomes[1], 3);
    let mut vector = Vector::new(1, options(Opponent::None), |_| Ok(Pennies::default())).unwrap();
    assert!(matches!(vector.reset(None, &[0], &[true], None), Err(Error::InvalidConfig(_))));
}

#[test]
fn phases_are_those_of_the_gate_and_a_monotone_one_never_goes_back() {
    let phases = |monotone| {
        let gate = Gating::parse("hash:4", monotone).unwrap();
        let mut vector = race(1, Options { gate: Some(gate), ..options(Opponent::None) });
        let mut seen = Buffers::of(&vector);
        vector.reset(None, &[0], &[true], None).unwrap();
        vector.observe(seen.outputs()).unwrap();
        let mut phases = vec![seen.phase[0]];
        for action in [3, 1, 1, 3, 1] {
            play(&mut vector, &mut seen, &[action]).unwrap();
            phases.push(seen.phase[0]);
        }
        phases
    };
    // The key of the toy is its total: 0 3 4 5 8 9, modulo 4.
    assert_eq!(phases(false), [0, 3, 0, 1, 0, 1]);
    assert_eq!(phases(true), [0, 3, 3, 3, 3, 3]);
}

#[test]
fn threads_buffers_and_marks_do_not_change_a_bit() {
    let run = |threads, marked: bool| {
        let rows = 300;
        let options = Options { threads: Some(threads), ..options(Opponent::Random) };
        let mut vector = race(rows, options);
        let seeds: Vec<u64> = (0..rows as u64).collect();
        vector.reset(None, &seeds, &vec![true; rows], None).unwrap();
        let mut buffers = [Buffers::of(&vector), Buffers::of(&vector)];
        if !marked {
            for set in &mut buffers {
                set.marks.clear();
            }
        }
        vector.observe(buffers[1].outputs()).unwrap();
        let mut actions = vec![0; rows];
        let mut shown = Vec::new();
        for step in 0..30_u64 {
            let words: Vec<u64> = seeds.iter().map(|seed| seed * 1000 + step).collect();
            vector.sample(&words, &mut actions).unwrap();
            let next: Vec<u64> = seeds.iter().map(|seed| seed * 77 + step).collect();
            let seen = &mut buffers[step as usize % 2];
            if !marked {
                seen.masks[step as usize] ^= 1; // the caller may write where nothing is marked
            }
            vector.step(&actions, &next, Some(seen.outputs())).unwrap();
            for row in 0..rows {
                let mask = &seen.masks[row * 4..row * 4 + 4];
                let set: Vec<u32> = (0..4).filter(|&i| mask[i as usize] == 1).collect();
                let legal = vector.legal(row);
                assert_eq!(set, if legal.is_empty() { &[0, 1, 2, 3][..] } else { &legal });
            }
            shown.push((seen.planes.clone(), seen.rewards.clone(), seen.terminated.clone()));
        }
        shown
    };
    assert_eq!(run(1, true), run(4, true));
    assert_eq!(run(1, true), run(2, false));
}
