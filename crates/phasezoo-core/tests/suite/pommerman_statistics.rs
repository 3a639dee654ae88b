//! How games go, beside the figures that many games of the original gave
//! (`docs/definitions/pommerman.md`, "Statistics").
//!
//! Recordings show that single steps and decisions are the same; these show that whole games are, with
//! random numbers of our own. Seeds are fixed, so that a difference is one of behaviour.

use phasezoo_core::game::{Game, Reason};
use phasezoo_core::games::pommerman::planners::Mind;
use phasezoo_core::games::pommerman::state::cell;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Config, Mode, Planner, State};
use phasezoo_core::rng::Stream;

/// Standard errors of a difference beyond which games count as different.
const MOST: f64 = 3.0;

#[derive(Default)]
struct Tally {
    games: f64,
    lengths: Vec<f64>,
    ties: f64,
    timed_out: f64,
    nobody: f64,
    wins: [f64; 4],
    alive: [f64; 4],
    actions: [f64; 6],
    first_death: Vec<f64>,
    wood: f64,
    blast: f64,
    kick: f64,
}

fn play(mode: Mode, planner: Planner, games: u64) -> Tally {
    let config = Config::new(mode, false, false);
    let mut tally = Tally::default();
    for seed in 0..games {
        let mut stream = Stream::new(seed);
        let mut state = State::new(config, &mut Twister::new(seed));
        let mut minds = [Mind::default(); 4];
        let mut first_death = None;
        while !state.is_over() {
            let mut actions = [0; 4];
            for (player, mind) in minds.iter_mut().enumerate().take(config.players()) {
                if state.agents()[player].alive {
                    let action = planner.act(&state, player as u8, mind, &mut stream);
                    tally.actions[usize::from(action)] += 1.0;
                    actions[player] = action;
                }
            }
            state.step(actions);
            if state.living().count_ones() < config.players() as u32 {
                first_death.get_or_insert(f64::from(state.step_count()));
            }
        }
        tally.note(&state, first_death);
    }
    tally
}

impl Tally {
    fn note(&mut self, state: &State, first_death: Option<f64>) {
        let outcome = state.outcome().unwrap();
        let returns = state.returns();
        self.games += 1.0;
        self.lengths.push(f64::from(state.step_count()));
        self.first_death.extend(first_death);
        let won: Vec<bool> = returns.as_slice().iter().map(|&value| value > 0.0).collect();
        self.ties += f64::from(u8::from(!won.contains(&true)));
        self.timed_out += f64::from(u8::from(outcome.reason == Reason::StepLimit));
        self.nobody += f64::from(u8::from(state.living() == 0));
        for (player, won) in won.into_iter().enumerate() {
            self.wins[player] += f64::from(u8::from(won));
            self.alive[player] += f64::from(u8::from(state.agents()[player].alive));
        }
        let wood = state.board().iter().map(|&code| u32::from(code == cell::WOOD));
        self.wood += f64::from(wood.sum::<u32>());
        let players = state.agents().len() as f64;
        let blasts: f64 = state.agents().iter().map(|agent| f64::from(agent.blast)).sum();
        self.blast += blasts / players;
        let kickers = state.agents().iter().filter(|agent| agent.can_kick).count();
        self.kick += kickers as f64 / players;
    }

    /// Compares a share of games with the original's in so many games.
    fn share(&self, what: &str, count: f64, published: f64, games: f64) {
        let (ours, n) = (count / self.games, self.games);
        let error = (published * (1.0 - published) * (1.0 / n + 1.0 / games)).sqrt();
        let away = (ours - published).abs() / error;
        assert!(away < MOST, "{what}: {ours:.4}, published {published}: {away:.1} errors apart");
    }
}

/// Compares a mean with the original's mean and standard deviation over so many games.
fn mean(what: &str, values: &[f64], published: f64, deviation: f64, games: f64) {
    let n = values.len() as f64;
    let ours = values.iter().sum::<f64>() / n;
    let error = deviation * (1.0 / n + 1.0 / games).sqrt();
    let away = (ours - published).abs() / error;
    assert!(away < MOST, "{what}: {ours:.2}, published {published}: {away:.1} errors apart");
}

#[test]
fn four_simple_agents_play_as_the_originals() {
    let tally = play(Mode::Ffa, Planner::Simple, 1000);
    mean("length", &tally.lengths, 378.7, 236.0, 1000.0);
    tally.share("ties", tally.ties, 0.222, 1000.0);
    tally.share("step limit", tally.timed_out, 0.125, 1000.0);
    tally.share("nobody left", tally.nobody, 0.097, 1000.0);
    for (player, wins) in [0.228, 0.149, 0.245, 0.156].into_iter().enumerate() {
        tally.share(&format!("wins of {player}"), tally.wins[player], wins, 1000.0);
    }
    for (player, percent) in [29.9, 20.4, 31.8, 21.0].into_iter().enumerate() {
        tally.share(&format!("alive {player}"), tally.alive[player], percent / 100.0, 1000.0);
    }
    for (step, share) in [(100.0, 0.068), (200.0, 0.298), (300.0, 0.487), (500.0, 0.713)] {
        let ended = tally.lengths.iter().filter(|&&length| length <= step).count() as f64;
        tally.share(&format!("ended by step {step}"), ended, share, 1000.0);
    }
    mean("first death", &tally.first_death, 83.0, 40.0, 1000.0);
    // Shares of actions are means over a hundred thousand decisions: printed with three digits.
    let all: f64 = tally.actions.iter().sum();
    let published = [0.146, 0.202, 0.200, 0.204, 0.207, 0.041];
    for (action, (count, published)) in tally.actions.iter().zip(published).enumerate() {
        let ours = count / all;
        assert!((ours - published).abs() < 0.01, "action {action}: {ours:.4}, {published}");
    }
    let (wood, blast, kick) =
        (tally.wood / tally.games, tally.blast / tally.games, tally.kick / tally.games);
    assert!((wood - 2.1).abs() < 0.5, "wood left {wood}");
    assert!((blast - 3.38).abs() < 0.1, "blast strength {blast}");
    assert!((kick - 0.70).abs() < 0.05, "kickers {kick}");
}

#[test]
fn teams_of_simple_agents_play_as_the_originals() {
    let tally = play(Mode::Team, Planner::Simple, 1000);
    mean("length", &tally.lengths, 303.0, 233.0, 400.0);
    tally.share("ties", tally.ties, 0.133, 400.0);
    tally.share("wins of 0 and 2", tally.wins[0], 0.485, 400.0);
    tally.share("wins of 1 and 3", tally.wins[1], 0.383, 400.0);
    assert_eq!((tally.wins[0], tally.wins[1]), (tally.wins[2], tally.wins[3]));
}

#[test]
fn random_agents_play_as_the_originals() {
    let tally = play(Mode::Ffa, Planner::Random, 10_000);
    mean("length", &tally.lengths, 24.1, 10.2, 5000.0);
    tally.share("ties", tally.ties, 0.034, 5000.0);
    for (player, wins) in [0.253, 0.227, 0.264, 0.223].into_iter().enumerate() {
        tally.share(&format!("wins of {player}"), tally.wins[player], wins, 5000.0);
    }
    mean("first death", &tally.first_death, 12.4, 4.0, 5000.0);
    assert!((tally.wood / tally.games - 32.65).abs() < 0.3);
    let tally = play(Mode::Team, Planner::Random, 4000);
    mean("team length", &tally.lengths, 22.0, 9.9, 1000.0);
    tally.share("team ties", tally.ties, 0.020, 1000.0);
    tally.share("wins of 0 and 2", tally.wins[0], 0.527, 1000.0);
    let tally = play(Mode::OneVsOne, Planner::Random, 4000);
    mean("1v1 length", &tally.lengths, 16.8, 7.8, 1000.0);
    tally.share("1v1 ties", tally.ties, 0.042, 1000.0);
    tally.share("1v1 wins of 0", tally.wins[0], 0.464, 1000.0);
}
