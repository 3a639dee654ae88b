//! Recorded games, replayed without a difference: of the original, where they are on this machine, and
//! our own, which a simulator made that replays all of those.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use phasezoo_core::games::pommerman::simple::{Draws, SimpleAgent};
use phasezoo_core::games::pommerman::state::Cell;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Agent, Bomb, Config, Flame, Mode, Parts, State};
use serde_json::Value;

/// The recordings of the original, which are no part of the project.
fn recordings() -> PathBuf {
    Path::new(env!("PHASEZOO_SHARED_DATA")).join("pommerman")
}

/// Our own, made by `scripts/record_pommerman.py`.
fn own_recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/pommerman_recordings")
}

fn lines(path: &Path) -> impl Iterator<Item = Value> + use<> {
    let file = File::open(path).unwrap();
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

fn rows(value: &Value) -> Vec<Vec<i64>> {
    let row = |row: &Value| row.as_array().unwrap().iter().map(number).collect();
    value.as_array().unwrap().iter().map(row).collect()
}

fn parts(state: &Value, size: i64, step_count: u32) -> Parts {
    let at = |row: i64, column: i64| (row * size + column) as Cell;
    Parts {
        board: state["b"].as_array().unwrap().iter().map(|code| number(code) as u8).collect(),
        agents: rows(&state["ag"])
            .iter()
            .map(|row| Agent {
                cell: at(row[0], row[1]),
                ammo: row[2] as u8,
                blast: row[3] as u8,
                can_kick: row[4] == 1,
                alive: row[5] == 1,
            })
            .collect(),
        bombs: rows(&state["bo"])
            .iter()
            .map(|row| Bomb {
                owner: row[0] as u8,
                cell: at(row[1], row[2]),
                life: row[3] as i16,
                blast: row[4] as u8,
                direction: row[5] as u8,
            })
            .collect(),
        flames: rows(&state["fl"])
            .iter()
            .map(|row| Flame { cell: at(row[0], row[1]), life: row[2] as u8 })
            .collect(),
        items: rows(&state["it"]).iter().map(|row| (at(row[0], row[1]), row[2] as u8)).collect(),
        step_count,
    }
}

/// The actions of a record, radio words left out.
fn actions(record: &Value) -> [u8; 4] {
    let mut actions = [0; 4];
    for (player, given) in record["a"].as_array().unwrap().iter().enumerate() {
        let action = given.as_array().map_or(given, |words| &words[0]);
        actions[player] = number(action) as u8;
    }
    actions
}

fn config(record: &Value) -> Config {
    let mode = match record["mode"].as_str() {
        Some("Team") => Mode::Team,
        Some("TeamRadio") => Mode::TeamRadio,
        Some("OneVsOne") => Mode::OneVsOne,
        None if record["pre"]["ag"].as_array().unwrap().len() == 2 => Mode::OneVsOne,
        _ => Mode::Ffa,
    };
    let collapse = record["collapses"].as_array().is_some_and(|steps| !steps.is_empty());
    Config {
        size: number(&record["n"]) as u8,
        max_blast: record["max_blast"].as_i64().unwrap_or(10) as u8,
        max_steps: record["max_steps"].as_i64().unwrap_or(800) as u32,
        ..Config::new(mode, false, collapse)
    }
}

fn replay(path: &Path) {
    let name = path.display();
    let mut game: Option<(State, i64)> = None;
    let mut steps = 0;
    for record in lines(path) {
        if record["t"] == "game" {
            let config = config(&record);
            let size = i64::from(config.size);
            let state = State::from_parts(config, &parts(&record["state"], size, 0)).unwrap();
            game = Some((state, size));
            continue;
        }
        let (state, size) = game.as_mut().unwrap();
        let (rewards, done) = state.step(actions(&record));
        let expected = parts(&record, *size, number(&record["i"]) as u32);
        assert_eq!(state.parts(), expected, "{name}: {record}");
        let paid: Vec<i64> = rewards.iter().map(|&reward| i64::from(reward)).collect();
        let given: Vec<i64> = record["r"].as_array().unwrap().iter().map(number).collect();
        assert_eq!((&paid[..given.len()], done), (&given[..], number(&record["done"]) == 1));
        // The state tells the same afterwards, also where the board has collapsed since.
        assert_eq!((state.rewards(), state.is_over()), (rewards, done), "{name}: {record}");
        steps += 1;
    }
    assert!(steps > 0);
}

fn replay_single_steps(path: &Path) {
    let name = path.display();
    for record in lines(path) {
        let config = config(&record);
        let size = i64::from(config.size);
        let mut state = State::from_parts(config, &parts(&record["pre"], size, 0)).unwrap();
        if record["t"] == "micro" {
            state.forward(actions(&record));
        } else {
            state.collapse(number(&record["ring"]) as u32);
        }
        assert_eq!(state.parts(), parts(&record["post"], size, 0), "{name}: {record}");
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn single_steps_of_crowded_boards() {
    for name in ["micro", "micro_rare", "micro_collapse"] {
        replay_single_steps(&recordings().join(format!("{name}.jsonl.gz")));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn games_of_random_agents() {
    for name in ["ffa_random", "ovo_random", "team_random", "radio_random_obs"] {
        replay(&recordings().join(format!("{name}.jsonl.gz")));
    }
    for name in ["ffa_stress", "ffa_stress_long", "ffa_stress_long_open", "ffa_stress_open"] {
        replay(&recordings().join(format!("{name}.jsonl.gz")));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn games_of_simple_agents() {
    for name in ["ffa_simple", "ovo_simple", "team_simple", "team_comp_simple_obs"] {
        replay(&recordings().join(format!("{name}.jsonl.gz")));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn games_on_boards_that_collapse() {
    for name in ["ffa_collapse", "team_collapse"] {
        replay(&recordings().join(format!("{name}.jsonl.gz")));
    }
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn boards_from_seeds() {
    for record in lines(&recordings().join("boards.jsonl.gz")) {
        let mode = if record["kind"] == "OneVsOne" { Mode::OneVsOne } else { Mode::Ffa };
        let config = Config::new(mode, false, false);
        let seed = number(&record["seed"]) as u64;
        let state = State::new(config, &mut Twister::new(seed));
        let size = i64::from(config.size);
        let board: Vec<i64> = state.board().iter().map(|&code| i64::from(code)).collect();
        let expected: Vec<i64> = record["b"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(board, expected, "seed {seed}");
        let mut items: Vec<(u8, u8)> = rows(&record["it"])
            .iter()
            .map(|row| ((row[0] * size + row[1]) as u8, row[2] as u8))
            .collect();
        items.sort_unstable();
        assert_eq!(state.parts().items, items, "seed {seed}");
    }
}

/// The draws that an agent of the original made, played back.
struct Recorded {
    coins: Vec<bool>,
    used: usize,
    choice: Option<(usize, usize)>,
}

impl Draws for Recorded {
    fn coin(&mut self) -> bool {
        self.used += 1;
        self.coins[self.used - 1]
    }

    fn below(&mut self, bound: usize) -> usize {
        let (options, chosen) = self.choice.take().unwrap();
        assert_eq!(options, bound);
        chosen
    }
}

fn replay_decisions(path: &Path) {
    let name = path.display();
    let mut game: Option<(State, [SimpleAgent; 4])> = None;
    let mut decisions = 0;
    for record in lines(path) {
        if record["t"] == "game" {
            let mut config = config(&record);
            config.view = Some(number(&record["view"]) as u8).filter(|&view| view > 0);
            let parts = parts(&record["state"], i64::from(config.size), 0);
            game = Some((State::from_parts(config, &parts).unwrap(), Default::default()));
            continue;
        }
        let (state, agents) = game.as_mut().unwrap();
        let given = actions(&record);
        for (player, drawn) in record["rng"].as_array().unwrap().iter().enumerate() {
            let Some(drawn) = drawn.as_array() else { continue };
            let mut recorded = Recorded {
                coins: drawn[0].as_str().unwrap().bytes().map(|coin| coin == b'1').collect(),
                used: 0,
                choice: drawn[1]
                    .as_array()
                    .map(|choice| (number(&choice[0]) as usize, number(&choice[1]) as usize)),
            };
            let (action, rule) = agents[player].act(state, player as u8, &mut recorded);
            let found = (action, i64::from(rule as u8), recorded.used, recorded.choice);
            let expected = (given[player], number(&drawn[2]), recorded.coins.len(), None);
            assert_eq!(found, expected, "{name}: player {player} in {record}");
            decisions += 1;
        }
        state.step(given);
    }
    assert!(decisions > 0);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn decisions_of_simple_agents() {
    for name in ["ffa_simple", "ovo_simple", "team_simple", "team_comp_simple_obs"] {
        replay_decisions(&recordings().join(format!("{name}.jsonl.gz")));
    }
}

/// Games of `SimpleAgent`s follow from their seeds: in the original one stream draws board and decisions,
/// in ours every agent has its own.
fn replay_from_seeds(path: &Path) {
    let mut game: Option<(State, [SimpleAgent; 4], Vec<Twister>)> = None;
    let mut games = 0;
    for record in lines(path) {
        if record["t"] == "game" {
            let mut random = Twister::new(number(&record["seed"]) as u64);
            let mut config = config(&record);
            config.view = Some(number(&record["view"]) as u8).filter(|&view| view > 0);
            let state = State::new(config, &mut random);
            assert_eq!(state.parts(), parts(&record["state"], number(&record["n"]), 0));
            let own = record["agent_seeds"]
                .as_array()
                .map(|seeds| seeds.iter().map(|seed| Twister::new(number(seed) as u64)).collect());
            game = Some((state, Default::default(), own.unwrap_or_else(|| vec![random])));
            games += 1;
            continue;
        }
        let (state, agents, streams) = game.as_mut().unwrap();
        let mut chosen = [0; 4];
        for player in 0..state.agents().len() {
            if state.agents()[player].alive {
                let stream = player % streams.len();
                chosen[player] = agents[player].act(state, player as u8, &mut streams[stream]).0;
            }
        }
        assert_eq!(chosen, actions(&record));
        state.step(chosen);
    }
    assert!(games > 0);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "the recordings are not on this machine (PHASEZOO_SHARED)")]
fn whole_games_from_seeds() {
    replay_from_seeds(&recordings().join("ffa_simple.jsonl.gz"));
}

#[test]
fn our_own_recordings() {
    for name in
        ["ffa_simple", "team_simple", "ovo_simple", "radio_random", "ffa_collapse", "team_collapse"]
    {
        replay(&own_recordings().join(format!("{name}.jsonl.gz")));
    }
    for name in ["ffa_simple", "team_simple", "ovo_simple"] {
        replay_from_seeds(&own_recordings().join(format!("{name}.jsonl.gz")));
    }
}
