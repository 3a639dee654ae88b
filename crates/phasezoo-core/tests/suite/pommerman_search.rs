//! What a player can know of Pommerman, and searches by one player among others.

use phasezoo_core::game::{Game, MAX_PLAYERS, PlayerSet};
use phasezoo_core::games::pommerman::planners::Mind;
use phasezoo_core::games::pommerman::state::cell;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Config, Minds, Mode, Observation, Planner, State, Tracker};
use phasezoo_core::model::{Others, SearchModel, SinglePlayer};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::{Evaluation, Limit, Params, Policy, SearchPool, Value};

fn start(config: Config, seed: u64) -> State {
    State::new(config, &mut Twister::new(seed))
}

/// Plays a game by planners, showing every state.
fn play(config: Config, planners: [Planner; 4], seed: u64, mut show: impl FnMut(&State)) -> State {
    let mut stream = Stream::new(seed);
    let mut state = start(config, seed);
    let mut minds = [Mind::default(); 4];
    while !state.is_over() {
        show(&state);
        let mut actions = [0; 4];
        for player in 0..config.players() {
            let mind = &mut minds[player];
            actions[player] = planners[player].act(&state, player as u8, mind, &mut stream);
        }
        state.step(actions);
    }
    state
}

/// What is seen of a state must be seen of the one that a tracker makes; out of sight it may differ.
fn check_same_sight(made: &State, seen: &Observation) {
    let player = seen.player;
    let again = made.observe(player);
    let expected_living = seen.living;
    assert_eq!((again.own, again.living), (seen.own, expected_living));
    assert_eq!((again.step_count, again.heard), (seen.step_count, seen.heard));
    assert_eq!(again.sight, seen.sight);
    assert_eq!(again.life, seen.life);
    assert_eq!(again.direction, seen.direction);
    assert_eq!(again.flame, seen.flame);
}

#[test]
fn a_tracker_makes_states_that_look_the_same_to_its_player() {
    use Planner::{Random, Simple, SimpleUnbiased};
    let mixes = [[Simple; 4], [SimpleUnbiased; 4], [Random, Simple, SimpleUnbiased, Random]];
    for mode in Mode::ALL {
        for (fog, collapse) in [(false, false), (true, false), (true, true)] {
            for (seed, mix) in mixes.into_iter().enumerate() {
                let config = Config::new(mode, fog, collapse);
                let mut trackers: Vec<Option<Tracker>> = vec![None; config.players()];
                play(config, mix, seed as u64, |state| {
                    for (player, tracker) in trackers.iter_mut().enumerate() {
                        let seen = state.observe(player as u8);
                        let tracker = tracker.get_or_insert_with(|| Tracker::new(&seen));
                        tracker.observe(&seen);
                        let made = tracker.state().unwrap();
                        check_same_sight(&made, &seen);
                        let once = state.observed_by(player as u8);
                        check_same_sight(&once, &seen);
                        let mut planes = vec![0.0; 23 * config.cells()];
                        let mut expected = planes.clone();
                        made.write_planes(player as u8, &mut planes);
                        state.write_planes(player as u8, &mut expected);
                        // Nobody is told who laid what: planes 15 and 16 count one's own bombs.
                        if !fog {
                            assert_eq!(planes, expected, "{mode:?} step {}", state.step_count());
                        }
                    }
                });
            }
        }
    }
}

#[test]
fn a_tracker_that_sees_everything_knows_bombs_and_powers() {
    let config = Config::new(Mode::Ffa, false, false);
    let (mut figures, mut exact) = (0, 0);
    for seed in 0..40 {
        let mut tracker: Option<Tracker> = None;
        play(config, [Planner::SimpleUnbiased; 4], seed, |state| {
            let seen = state.observe(0);
            let tracker = tracker.get_or_insert_with(|| Tracker::new(&seen));
            tracker.observe(&seen);
            let made = tracker.state().unwrap();
            // Flames may stand several on a cell, and power-ups under them be picked up unseen; all
            // else of living figures is known nearly always.
            for (known, real) in made.agents().iter().zip(state.agents()).filter(|(_, a)| a.alive) {
                figures += 1;
                exact += u32::from(known == real);
            }
            assert_eq!(made.bombs().len(), state.bombs().len());
            assert!(made.items().iter().all(|&item| item == cell::PASSAGE));
        });
    }
    assert!(f64::from(exact) > 0.99 * f64::from(figures), "{exact} of {figures}");
}

#[test]
fn a_tracker_looks_at_nothing_that_its_player_does_not_see() {
    // Two states that differ in what is hidden alone, power-ups under wood and others' powers.
    let config = Config::new(Mode::Team, true, false);
    for seed in 0..20 {
        play(config, [Planner::Simple; 4], seed, |state| {
            let mut parts = state.parts();
            parts.items.clear();
            for agent in &mut parts.agents[1..] {
                (agent.ammo, agent.can_kick) = (7, !agent.can_kick);
            }
            let other = State::from_parts(config, &parts).unwrap();
            if other.words() == state.words() {
                assert_eq!(state.observed_by(0), other.observed_by(0));
            }
        });
    }
}

#[test]
fn others_answer_alike_whenever_they_are_asked_alike() {
    let config = Config::new(Mode::Ffa, false, false);
    play(config, [Planner::Simple; 4], 5, |state| {
        for planner in Planner::ALL {
            let memory = Minds::new(Stream::new(9));
            let ask = || {
                let mut memory = memory.clone();
                let mut actions = [0; MAX_PLAYERS];
                Others::act(&planner, state, PlayerSet(0b1110), &mut memory, &mut actions).unwrap();
                (actions, memory)
            };
            assert_eq!(ask(), ask());
        }
    });
}

#[test]
fn actions_worth_trying_are_those_that_do_something() {
    // A direction is left out only if going there changes nothing but, at most, one's life.
    for seed in 0..30 {
        play(Config::new(Mode::Ffa, false, false), [Planner::SimpleUnbiased; 4], seed, |state| {
            for player in state.acting().iter() {
                let index = usize::from(player);
                let mut tried = Vec::new();
                state.actions_worth_trying(player, &mut tried);
                assert!(tried.is_sorted() && tried.first() == Some(&0));
                for action in 1..=5_u8 {
                    let mut actions = [0; 4];
                    actions[index] = action;
                    let mut after = state.clone();
                    after.step(actions);
                    let mut stopped = state.clone();
                    stopped.step([0; 4]);
                    let has_moved = after.agents()[index].cell != stopped.agents()[index].cell;
                    let has_bombed = after.agents()[index].ammo < stopped.agents()[index].ammo;
                    let lives = after.agents()[index].alive;
                    if lives && (has_moved || has_bombed) {
                        assert!(tried.contains(&u32::from(action)), "{action} in {tried:?}");
                    }
                }
            }
        });
    }
}

fn search(state: &State, player: u8, simulations: u64, planner: Planner) -> (u32, f32) {
    let model = SinglePlayer::new(planner, 6);
    let root = model.root(state.clone(), player, Minds::new(Stream::new(1))).unwrap();
    let params = Params { solver: false, ..Params::default() };
    let mut pool = SearchPool::new(model, params, None, Some(1)).unwrap();
    let tree = pool.add(3).unwrap();
    let limit = Limit { simulations: Some(simulations), ..Limit::default() };
    pool.begin(tree, root, limit, -1).unwrap();
    while pool.running() > 0 {
        let leaves = pool.collect(8).unwrap();
        let values = vec![0.0; leaves.len()];
        pool.complete(
            &leaves,
            &Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&values) },
        )
        .unwrap();
    }
    let result = pool.finish(tree).unwrap();
    (result.action, result.value)
}

#[test]
fn searches_flee_from_bombs() {
    // One lays a bomb in a corner and is then moved by the search alone: it must live through it.
    for seed in 0..10 {
        let mut state = start(Config::new(Mode::Ffa, false, false), seed);
        state.step([5, 0, 0, 0]);
        while state.step_count() < 14 {
            let (action, value) = search(&state, 0, 400, Planner::Stop);
            assert!(value > -0.9, "seed {seed}, step {}: {value}", state.step_count());
            state.step([action as u8, 0, 0, 0]);
            assert!(state.agents()[0].alive, "seed {seed}, step {}", state.step_count());
        }
    }
}

#[test]
fn a_search_ends_at_ones_own_death() {
    let mut state = start(Config::new(Mode::Team, false, false), 1);
    let model = SinglePlayer::new(Planner::Stop, 6);
    let value = |state: &State, player| {
        let scene = model.root(state.clone(), player, Minds::new(Stream::new(0))).unwrap();
        model.terminal(&scene).unwrap().map(|returns| returns.of(player))
    };
    let mut parts = state.parts();
    let first = parts.agents[0];
    parts.agents[0].alive = false;
    parts.board[usize::from(first.cell)] = cell::PASSAGE;
    state = State::from_parts(*state.config(), &parts).unwrap();
    assert_eq!((value(&state, 0), value(&state, 1), value(&state, 2)), (Some(-0.5), None, None));
    let config = Config::new(Mode::Ffa, false, false);
    let state = State::from_parts(config, &parts).unwrap();
    assert_eq!((value(&state, 0), value(&state, 1)), (Some(-1.0), None));
    assert_eq!((state.settled(0), state.settled(1)), (Some(-1.0), None));
}
