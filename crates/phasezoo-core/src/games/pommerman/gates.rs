//! The gates of Pommerman (`docs/definitions/gates.md`).

use std::sync::Arc;

use super::state::State;
use crate::error::Result;
use crate::game::Player;
use crate::gate::{Gate, GateKind, Side, Thresholds};

/// The distance to the nearest enemy if nobody is left: beyond every distance on a board.
const NOBODY_NEAR: u32 = 22;

/// The kinds of gates that the game has.
pub(super) fn kinds() -> Vec<GateKind<State>> {
    // `mixedness` is what the published study calls its gate by distance.
    let proximity =
        GateKind::new("proximity", "proximity[:a,b,...] falling, default 6,3", |arguments| {
            Ok(Arc::new(Proximity(arguments.thresholds(Side::Under, Some("6,3"))?)))
        })
        .such_as(&["proximity:6,3"]);
    let opponents = GateKind::new("opponents", "opponents", |arguments| {
        arguments.none()?;
        Ok(Arc::new(Opponents))
    });
    vec![proximity.also("mixedness"), opponents.also("opponents_alive")]
}

/// By the Manhattan distance to the nearest living enemy.
struct Proximity(Thresholds);

impl Gate<State> for Proximity {
    fn spec(&self) -> String {
        format!("proximity:{}", self.0.text())
    }

    fn names(&self) -> Vec<String> {
        match self.0.last() {
            2 => ["far", "near", "close"].map(String::from).into(),
            _ => self.0.names(),
        }
    }

    fn phase(&self, state: &State, player: Player) -> Result<u8> {
        Ok(self.0.passed(nearest(state, player).unwrap_or(NOBODY_NEAR)))
    }
}

/// The Manhattan distance to the nearest living enemy.
fn nearest(state: &State, player: Player) -> Option<u32> {
    let size = state.config.size;
    let place = |at: u8| (at / size, at % size);
    let (row, column) = place(state.agents[usize::from(player)].cell);
    state
        .enemies(player)
        .map(|enemy| state.agents[usize::from(enemy)])
        .filter(|enemy| enemy.alive)
        .map(|enemy| {
            let (r, c) = place(enemy.cell);
            u32::from(row.abs_diff(r) + column.abs_diff(c))
        })
        .min()
}

/// By how many have died, up to all but two.
struct Opponents;

impl Gate<State> for Opponents {
    fn spec(&self) -> String {
        "opponents".into()
    }

    fn names(&self) -> Vec<String> {
        ["all alive", "one dead", "two dead"].map(String::from).into()
    }

    fn phase(&self, state: &State, _player: Player) -> Result<u8> {
        let players = state.config.players() as u32;
        let most = players.saturating_sub(2);
        Ok(players.saturating_sub(state.living().count_ones()).min(most) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::config::{Config, Mode};
    use super::super::planners::{Mind, Planner};
    use super::super::twister::Twister;
    use super::*;
    use crate::game::Game;
    use crate::gate::Gating;
    use crate::rng::Stream;

    fn gate(spec: &str) -> Gating<State> {
        Gating::parse(spec, false).unwrap()
    }

    #[test]
    fn specs_and_names() {
        for (spec, canonical) in [
            ("steps", "steps:40"),
            ("plies:7", "plies:7"),
            ("proximity", "proximity:6,3"),
            ("mixedness", "proximity:6,3"),
            ("monotone:mixedness:30", "monotone:proximity:30"),
            ("opponents", "opponents"),
            ("opponents_alive", "opponents"),
            ("hash:3", "hash:3"),
        ] {
            assert_eq!(gate(spec).spec(), canonical);
        }
        assert_eq!(gate("steps:40,100").names(), ["up to 40", "41–100", "over 100"]);
        assert_eq!(gate("proximity").names(), ["far", "near", "close"]);
        assert_eq!(gate("proximity:9,6,3").names(), ["from 9", "6–8", "3–5", "under 3"]);
        assert_eq!(gate("opponents").names(), ["all alive", "one dead", "two dead"]);
        for spec in ["lichess", "dtm", "moves:3", "opponents:1", "proximity:3,6", "steps:40,40"] {
            assert!(Gating::<State>::parse(spec, false).is_err(), "{spec}");
        }
    }

    #[test]
    fn gates_count_thresholds_passed() {
        let (steps, proximity, opponents) = (gate("steps"), gate("proximity"), gate("opponents"));
        let mut seen = [[0; 3]; 3];
        for (seed, mode) in
            [Mode::Ffa, Mode::Team, Mode::OneVsOne].into_iter().cycle().take(12).enumerate()
        {
            let config = Config::new(mode, false, false);
            let mut stream = Stream::new(seed as u64);
            let mut state = State::new(config, &mut Twister::new(seed as u64));
            let mut minds = [Mind::default(); 4];
            while !state.is_over() {
                check(&state, [&steps, &proximity, &opponents], &mut seen);
                let mut actions = [0; 4];
                for player in 0..config.players() {
                    let mind = &mut minds[player];
                    actions[player] =
                        Planner::SimpleUnbiased.act(&state, player as u8, mind, &mut stream);
                }
                state.step(actions);
            }
            check(&state, [&steps, &proximity, &opponents], &mut seen);
        }
        let [steps, proximity, opponents] = seen;
        assert!(steps[..2].iter().chain(&proximity).chain(&opponents).all(|&n| n > 0), "{seen:?}");
    }

    /// Holds the phases of a state against the rules, worked out from the figures alone.
    fn check(state: &State, gates: [&Gating<State>; 3], seen: &mut [[u32; 3]; 3]) {
        let size = state.config.size;
        let players = state.config.players();
        for (player, own) in state.agents().iter().enumerate() {
            let is_enemy = |other: usize| match state.config.mode {
                Mode::Team | Mode::TeamRadio => other % 2 != player % 2,
                Mode::Ffa | Mode::OneVsOne => other != player,
            };
            let distance = |other: u8| {
                (own.cell / size).abs_diff(other / size) + (own.cell % size).abs_diff(other % size)
            };
            let nearest = (state.agents().iter().enumerate())
                .filter(|(other, agent)| is_enemy(*other) && agent.alive)
                .map(|(_, agent)| distance(agent.cell))
                .min()
                .unwrap_or(22);
            let living = state.agents().iter().filter(|agent| agent.alive).count();
            let expected = [
                u8::from(state.ply() > 40),
                u8::from(nearest < 6) + u8::from(nearest < 3),
                (players - living).min(players - 2) as u8,
            ];
            let phases = gates.map(|gate| gate.phase(state, player as u8, None).unwrap());
            assert_eq!(phases, expected, "player {player} after {} steps", state.ply());
            for (seen, phase) in seen.iter_mut().zip(phases) {
                seen[usize::from(phase)] += 1;
            }
        }
    }
}
