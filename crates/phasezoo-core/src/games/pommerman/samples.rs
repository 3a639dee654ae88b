//! Training positions from games that agents play against each other: states are kept, planes are made
//! when they are asked for.

use super::config::{Config, MAX_PLAYERS, Mode};
use super::planes::CHANNELS;
use super::planners::{Mind, Planner};
use super::state::State;
use super::symmetry::{SYMMETRIES, Symmetry};
use super::twister::Twister;
use crate::error::{Error, Result};
use crate::game::{Game, Player};
use crate::gate::Gating;
use crate::memory;
use crate::rng::Stream;
use crate::threads;

/// Episodes that a thread plays at a time, and rows that it writes at least.
const EPISODES: usize = 16;
const GRAIN: usize = 32;

/// What one player saw and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index of the state.
    pub state: u32,
    /// Index of the episode.
    pub episode: u32,
    /// Steps from here to the episode's end.
    pub left: u16,
    /// Who saw it.
    pub player: Player,
    /// What they did.
    pub action: u8,
    /// How the episode ended for them: 1 won, -1 lost or dead, 0 nobody won and they were there to the
    /// end (`docs/definitions/data.md`).
    pub value: i8,
}

/// Training positions; those of an episode follow one another, step by step.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    states: Vec<State>,
    rows: Vec<Row>,
    episodes: u32,
}

/// Where batches of rows are written.
#[derive(Debug)]
pub struct Batch<'a> {
    /// `[B, CHANNELS, n, n]`.
    pub planes: &'a mut [f32],
    /// `[B]`, what was done, turned with the board.
    pub actions: &'a mut [i64],
}

impl Samples {
    /// At least `rows` positions of the living players, in whole episodes, all players moved by
    /// `planner`. Episode `i` depends on `seed` and `i` alone.
    pub fn play(
        config: Config,
        planner: Planner,
        seed: u64,
        rows: usize,
        threads: Option<usize>,
    ) -> Result<Self> {
        // Of all players a state is stored once.
        memory::check("rows", rows, size_of::<Row>() + size_of::<State>() / MAX_PLAYERS)?;
        let mut samples = Self::default();
        let at_once = threads::count(threads)? * EPISODES;
        while samples.rows.len() < rows {
            let mut played: Vec<Self> = vec![Self::default(); at_once];
            let first = u64::from(samples.episodes);
            let tasks = played.iter_mut().enumerate().collect();
            threads::run(threads, tasks, |(index, episode): (usize, &mut Self)| {
                *episode = Self::episode(config, planner, seed, first + index as u64);
            })?;
            for episode in played {
                if samples.rows.len() < rows {
                    samples.append(episode)?;
                }
            }
        }
        Ok(samples)
    }

    fn episode(config: Config, planner: Planner, seed: u64, index: u64) -> Self {
        let mut stream = Stream::derive(seed, index);
        let mut state = State::new(config, &mut Twister::new(stream.next_u64()));
        let mut minds = [Mind::default(); MAX_PLAYERS];
        let mut samples = Self::default();
        let mut last_living = state.living();
        while !state.is_over() {
            last_living = state.living();
            let mut actions = [0; MAX_PLAYERS];
            let place = samples.states.len() as u32;
            for player in state.acting().iter() {
                let mind = &mut minds[usize::from(player)];
                let action = planner.act(&state, player, mind, &mut stream);
                actions[usize::from(player)] = action;
                if last_living >> player & 1 == 1 {
                    let row = Row { state: place, episode: 0, left: 0, player, action, value: 0 };
                    samples.rows.push(row);
                }
            }
            samples.states.push(state.clone());
            state.step(actions);
        }
        let steps = samples.states.len();
        let paid = state.paid();
        let is_won = paid.iter().any(|&paid| paid > 0);
        for row in &mut samples.rows {
            let player = usize::from(row.player);
            row.left = (steps - row.state as usize) as u16;
            row.value = if is_won {
                paid[player]
            } else {
                -i8::from(last_living >> player & 1 == 0 && config.mode == Mode::Ffa)
            };
        }
        samples
    }

    fn append(&mut self, episode: Self) -> Result<()> {
        let first = u32::try_from(self.states.len()).map_err(|_| {
            Error::InvalidConfig(
                "too many positions: ask for fewer than four billion states".into(),
            )
        })?;
        let number = self.episodes;
        self.states.extend(episode.states);
        self.rows.extend(episode.rows.into_iter().map(|row| Row {
            state: row.state + first,
            episode: number,
            ..row
        }));
        self.episodes += 1;
        Ok(())
    }

    /// The positions.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How many episodes they come from.
    pub fn episodes(&self) -> u32 {
        self.episodes
    }

    /// The state of a row.
    pub fn state(&self, row: &Row) -> &State {
        &self.states[row.state as usize]
    }

    /// Every row's phase, as its player saw it; a gate that never goes back follows each player through
    /// the episode.
    pub fn phases(&self, gate: &Gating<State>) -> Result<Vec<u8>> {
        let mut before: [(u32, Option<u8>); MAX_PLAYERS] = [(u32::MAX, None); MAX_PLAYERS];
        self.rows
            .iter()
            .map(|row| {
                let (episode, previous) = &mut before[usize::from(row.player)];
                if *episode != row.episode {
                    (*episode, *previous) = (row.episode, None);
                }
                let phase = gate.phase(self.state(row), row.player, *previous)?;
                *previous = Some(phase);
                Ok(phase)
            })
            .collect()
    }

    /// A key of each row: equal keys are equal positions seen by the same player, but for the step.
    pub fn keys(&self) -> Vec<u64> {
        let key = |row: &Row| self.state(row).key() ^ crate::rng::mix(u64::from(row.player) + 1);
        self.rows.iter().map(key).collect()
    }

    /// Writes rows, each turned by its symmetry; with no symmetries as they are.
    pub fn write(
        &self,
        chosen: &[i64],
        symmetries: &[u8],
        out: Batch<'_>,
        threads: Option<usize>,
    ) -> Result<()> {
        let known = self.rows.len();
        if let Some(row) =
            chosen.iter().find(|&&row| !usize::try_from(row).is_ok_and(|r| r < known))
        {
            return Err(Error::InvalidArray(format!(
                "row {row}: there are {known} rows, counted from 0"
            )));
        }
        if let Some(index) = symmetries.iter().find(|&&index| usize::from(index) >= SYMMETRIES) {
            return Err(Error::InvalidArray(format!(
                "symmetry {index}: there are the symmetries 0 to {}",
                SYMMETRIES - 1
            )));
        }
        let width = self.states.first().map_or(0, |state| usize::from(state.config.size));
        let size = CHANNELS * width * width;
        let sizes = [
            ("planes", out.planes.len(), chosen.len() * size),
            ("actions", out.actions.len(), chosen.len()),
            ("symmetries", symmetries.len(), if symmetries.is_empty() { 0 } else { chosen.len() }),
        ];
        for (name, given, needed) in sizes {
            if given != needed {
                return Err(Error::InvalidArray(format!(
                    "{name}: {given} elements, {needed} are needed for {} rows",
                    chosen.len()
                )));
            }
        }
        let Batch { mut planes, mut actions } = out;
        let parts = threads::parts(threads, chosen.len(), GRAIN)?;
        let tasks = threads::ranges(chosen.len(), parts)
            .map(|range| {
                let planes = threads::take_rows(&mut planes, range.len() * size);
                (planes, threads::take_rows(&mut actions, range.len()), range)
            })
            .collect();
        threads::run(
            threads,
            tasks,
            |(planes, actions, range): (&mut [f32], &mut [i64], std::ops::Range<usize>)| {
                let blocks = planes.chunks_exact_mut(size.max(1));
                for ((planes, action), place) in blocks.zip(actions).zip(range) {
                    let row = &self.rows[chosen[place] as usize];
                    let symmetry = Symmetry::new(symmetries.get(place).copied().unwrap_or(0));
                    self.state(row).write_turned(row.player, symmetry, planes);
                    *action = i64::from(symmetry.action(row.action));
                }
            },
        )
    }
}
