//! The agents that come with the game: as opponents, as those who move others inside a search, and as
//! makers of training games.

use super::config::MAX_PLAYERS;
use super::simple::{self, SimpleAgent};
use super::state::{State, action};
use super::unbiased::SimpleUnbiasedAgent;
use crate::error::{Error, Result};
use crate::game::{self, Action, Player, PlayerSet, Scripted};
use crate::model::Others;
use crate::rng::Stream;

/// Which agent moves a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Planner {
    /// One that stays where it is.
    Stop,
    /// One that plays any action.
    Random,
    /// The one that the original comes with.
    Simple,
    /// The one that the published search plans with.
    SimpleUnbiased,
}

/// What an agent remembers of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mind {
    simple: SimpleAgent,
    unbiased: SimpleUnbiasedAgent,
}

impl Mind {
    /// The memory as bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        let (simple, unbiased) = (self.simple.to_bytes(), self.unbiased.to_bytes());
        [&simple[..], &unbiased[..]].concat()
    }

    /// The memory of [`Mind::to_bytes`]; `None` where the bytes are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (simple, unbiased) = bytes.split_first_chunk::<{ simple::MEMORY_BYTES }>()?;
        Some(Self {
            simple: SimpleAgent::from_bytes(*simple),
            unbiased: SimpleUnbiasedAgent::from_bytes(unbiased.try_into().ok()?),
        })
    }
}

impl Planner {
    /// Every planner.
    pub const ALL: [Self; 4] = [Self::Stop, Self::Random, Self::Simple, Self::SimpleUnbiased];

    /// Its name, as options have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Random => "random",
            Self::Simple => "simple",
            Self::SimpleUnbiased => "simple_unbiased",
        }
    }

    /// The planner of that name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|planner| planner.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(|planner| format!("{:?}", planner.as_str())).join(", ");
            Error::InvalidConfig(format!("{name:?} moves nobody in Pommerman: expected {names}"))
        })
    }

    /// The action of `player`; the dead stop.
    pub fn act(self, state: &State, player: Player, mind: &mut Mind, stream: &mut Stream) -> u8 {
        if !state.agents[usize::from(player)].alive {
            return action::STOP;
        }
        match self {
            Self::Stop => action::STOP,
            Self::Random => stream.below(action::COUNT) as u8,
            Self::Simple => mind.simple.act(state, player, stream).0,
            Self::SimpleUnbiased => mind.unbiased.act(state, player, stream),
        }
    }
}

/// One agent in one game.
#[derive(Clone, Debug)]
pub struct Planned {
    planner: Planner,
    mind: Mind,
}

impl Planned {
    /// An agent that is new to the game.
    pub fn new(planner: Planner) -> Self {
        Self { planner, mind: Mind::default() }
    }
}

impl Scripted<State> for Planned {
    fn act(&mut self, state: &State, player: Player, stream: &mut Stream) -> Action {
        Action::from(self.planner.act(state, player, &mut self.mind, stream))
    }

    fn memory(&self) -> Vec<u8> {
        self.mind.to_bytes()
    }

    fn recall(&mut self, memory: &[u8]) -> bool {
        let mind = Mind::from_bytes(memory);
        self.mind = mind.unwrap_or_default();
        mind.is_some()
    }
}

/// What the others of a search remember.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minds {
    by_player: [Mind; MAX_PLAYERS],
    stream: Stream,
    /// Players who were not seen at the root: they stop.
    unseen: PlayerSet,
}

impl Minds {
    /// Agents that are new to the game and draw from `stream`.
    pub fn new(stream: Stream) -> Self {
        Self { by_player: Default::default(), stream, unseen: PlayerSet(0) }
    }

    /// The same, but those whom `player` does not see in `state` stay where they are thought to be.
    #[must_use]
    pub fn of_seen(self, state: &State, player: Player) -> Self {
        let is_hidden = |&other: &Player| {
            other != player && !state.sees(player, state.agents[usize::from(other)].cell)
        };
        let players = 0..state.config.players() as Player;
        let unseen = players.filter(is_hidden).fold(0, |set, other| set | 1 << other);
        Self { unseen: PlayerSet(unseen), ..self }
    }
}

impl Others<State> for Planner {
    type Memory = Minds;

    fn act(
        &self,
        state: &State,
        players: PlayerSet,
        memory: &mut Minds,
        actions: &mut [Action; game::MAX_PLAYERS],
    ) -> Result<()> {
        for player in players.iter() {
            let index = usize::from(player);
            let planner = if memory.unseen.contains(player) { Self::Stop } else { *self };
            let action =
                planner.act(state, player, &mut memory.by_player[index], &mut memory.stream);
            actions[index] = Action::from(action);
        }
        Ok(())
    }
}

/// The agent of that name, as an opponent in a game.
pub(super) fn scripted(name: &str) -> Option<Box<dyn Scripted<State>>> {
    Planner::parse(name)
        .ok()
        .map(|planner| Box::new(Planned::new(planner)) as Box<dyn Scripted<State>>)
}

const _: () = assert!(MAX_PLAYERS <= game::MAX_PLAYERS, "players fit the contract");
