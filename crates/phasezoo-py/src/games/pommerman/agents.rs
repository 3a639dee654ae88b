//! Pommerman's own agents, and what a player can know of a game.

use phasezoo_core::game::Player;
use phasezoo_core::games::pommerman::planners::Mind;
use phasezoo_core::games::pommerman::simple::Draws;
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Planner, SimpleAgent, Tracker};
use phasezoo_core::rng::Stream;
use phasezoo_core::vector::{Purpose, stream};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use super::state::PommermanState;
use crate::arguments::Seed;
use crate::errors::to_py;

/// A player of a state, who lives and whose game goes on.
fn living(state: &PommermanState, player: i64) -> PyResult<Player> {
    let index = state.player(player)?;
    if state.state.agents()[usize::from(index)].alive {
        return Ok(index);
    }
    Err(to_py(Error::InvalidState(format!("player {player} is dead and cannot act"))))
}

fn corrupt(what: &str) -> PyErr {
    to_py(Error::CorruptRecord(format!("{what}: not the stored memory of an agent")))
}

/// One of the game's agents in one game: "stop", "random", "simple" or `"simple_unbiased"`.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct PommermanAgent {
    planner: Planner,
    mind: Mind,
    stream: Stream,
}

#[pymethods]
impl PommermanAgent {
    /// An agent that draws from `seed`; with `player`, from the stream of that opponent in the game
    /// with seed `seed`.
    #[new]
    #[pyo3(
        signature = (name, seed = Seed(0), player = None),
        text_signature = "(name, seed=0, player=None)"
    )]
    fn new(name: &str, seed: Seed, player: Option<u8>) -> PyResult<Self> {
        let stream = match player {
            Some(player) => stream(seed.0, Purpose::Opponent, player),
            None => Stream::new(seed.0),
        };
        Ok(Self { planner: Planner::parse(name).map_err(to_py)?, mind: Mind::default(), stream })
    }

    /// The action of `player`; the dead stop.
    fn act(&mut self, state: &PommermanState, player: i64) -> PyResult<u8> {
        let player = state.player(player)?;
        Ok(self.planner.act(&state.state, player, &mut self.mind, &mut self.stream))
    }

    #[staticmethod]
    fn _restored(name: &str, mind: Vec<u8>, words: [u64; 4]) -> PyResult<Self> {
        Ok(Self {
            planner: Planner::parse(name).map_err(to_py)?,
            mind: Mind::from_bytes(&mind).ok_or_else(|| corrupt("PommermanAgent"))?,
            stream: Stream::from_words(words),
        })
    }

    #[allow(clippy::type_complexity)] // a function and its arguments
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, Vec<u8>, [u64; 4]))> {
        let agent = slf.borrow();
        let restore = slf.get_type().getattr("_restored")?;
        let words = agent.stream.words();
        Ok((restore, (agent.planner.as_str(), agent.mind.to_bytes(), words)))
    }
}

/// Numbers from Python, in the order in which the agent asks for them.
struct Given {
    coins: Vec<bool>,
    next: usize,
    choice: Option<usize>,
    options: usize,
}

impl Draws for Given {
    fn coin(&mut self) -> bool {
        self.next += 1;
        self.coins.get(self.next - 1).copied().unwrap_or_default()
    }

    fn below(&mut self, bound: usize) -> usize {
        self.options = bound;
        self.choice.take().unwrap_or_default().min(bound - 1)
    }
}

/// The agent that the original comes with: the same decisions from the same random draws.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct PommermanSimple {
    agent: SimpleAgent,
    random: Twister,
}

#[pymethods]
impl PommermanSimple {
    /// An agent that draws as the original does after `random.seed(seed)`.
    #[new]
    #[pyo3(signature = (seed = Seed(0)), text_signature = "(seed=0)")]
    fn new(seed: Seed) -> Self {
        Self { agent: SimpleAgent::default(), random: Twister::new(seed.0) }
    }

    /// The action of `player`, who lives.
    fn act(&mut self, state: &PommermanState, player: i64) -> PyResult<u8> {
        let player = living(state, player)?;
        Ok(self.agent.act(&state.state, player, &mut self.random).0)
    }

    /// The action of `player` if their draws are known: `coins`, and the index of the last choice.
    /// Returns the action, the number of the rule that decided, the coins used and the number of
    /// options of the choice (0: none was made).
    #[pyo3(signature = (state, player, coins, choice = None))]
    fn replay(
        &mut self,
        state: &PommermanState,
        player: i64,
        coins: Vec<bool>,
        choice: Option<usize>,
    ) -> PyResult<(u8, u8, usize, usize)> {
        let player = living(state, player)?;
        let mut given = Given { coins, next: 0, choice, options: 0 };
        let (action, rule) = self.agent.act(&state.state, player, &mut given);
        Ok((action, rule as u8, given.next, given.options))
    }

    #[staticmethod]
    fn _restored(memory: Vec<u8>, words: Vec<u32>, next: usize) -> PyResult<Self> {
        let memory = memory.try_into().map_err(|_| corrupt("PommermanSimple"))?;
        let random = Twister::from_state(&words, next).ok_or_else(|| corrupt("PommermanSimple"))?;
        Ok(Self { agent: SimpleAgent::from_bytes(memory), random })
    }

    #[allow(clippy::type_complexity)] // a function and its arguments
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Vec<u8>, Vec<u32>, usize))> {
        let agent = slf.borrow();
        let (words, next) = agent.random.state();
        let restore = slf.get_type().getattr("_restored")?;
        Ok((restore, (agent.agent.to_bytes().to_vec(), words.to_vec(), next)))
    }
}

/// What one player can know of a game, from what they have seen of it.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct PommermanTracker {
    player: i64,
    tracker: Option<Tracker>,
}

#[pymethods]
impl PommermanTracker {
    /// The knowledge of `player`, who has seen nothing yet.
    #[new]
    fn new(player: i64) -> Self {
        Self { player, tracker: None }
    }

    /// Take in what the player sees of `state`. What does not continue the game begins a new one.
    fn observe(&mut self, state: &PommermanState) -> PyResult<()> {
        let seen = state.state.observe(state.player(self.player)?);
        match &mut self.tracker {
            Some(tracker) => tracker.observe(&seen),
            None => self.tracker = Some(Tracker::new(&seen)),
        }
        Ok(())
    }

    /// The full state that agrees with it.
    fn state(&self) -> PyResult<PommermanState> {
        let state: Result<_> = match &self.tracker {
            Some(tracker) => tracker.state(),
            None => Err(Error::InvalidState(
                "nothing has been seen of the game yet: call observe(state) first".into(),
            )),
        };
        state.map(PommermanState::from).map_err(to_py)
    }
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PommermanAgent>()?;
    m.add_class::<PommermanSimple>()?;
    m.add_class::<PommermanTracker>()
}
