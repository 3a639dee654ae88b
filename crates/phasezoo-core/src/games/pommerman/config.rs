//! Modes, sizes, caps and what else a game's rules depend on.

use crate::error::{Error, Result};

/// The longest side of a board.
pub const MAX_SIZE: usize = 11;
/// The shortest side of a board that can be set up.
pub const MIN_SIZE: usize = 4;
/// Cells of the largest board.
pub const MAX_CELLS: usize = MAX_SIZE * MAX_SIZE;
/// Most players.
pub const MAX_PLAYERS: usize = 4;

/// Steps after which a game ends.
pub const MAX_STEPS: u32 = 800;
/// The step at which a board begins to collapse.
pub const FIRST_COLLAPSE: u32 = 500;
/// Largest blast strength and most ammo.
pub const CAP: u8 = 10;
/// How far players see in fog; the blast cap there.
pub const VIEW: u8 = 4;

/// Who plays against whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Everyone for themselves.
    Ffa,
    /// Players 0 and 2 against 1 and 3.
    Team,
    /// The same, with two words to the team mate every step.
    TeamRadio,
    /// Two players.
    OneVsOne,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::Ffa, Self::Team, Self::TeamRadio, Self::OneVsOne];

    /// The name of the mode, as options have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ffa => "ffa",
            Self::Team => "team",
            Self::TeamRadio => "radio",
            Self::OneVsOne => "1v1",
        }
    }

    /// The mode of that name.
    pub fn parse(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(|mode| format!("{:?}", mode.as_str())).join(", ");
            Error::InvalidConfig(format!("mode={name:?}: expected one of {names}"))
        })
    }

    /// The original's number of the mode.
    pub const fn game_type(self) -> u8 {
        match self {
            Self::Ffa => 1,
            Self::Team => 2,
            Self::TeamRadio => 3,
            Self::OneVsOne => 4,
        }
    }

    /// How many players there are.
    pub const fn players(self) -> usize {
        if matches!(self, Self::OneVsOne) { 2 } else { MAX_PLAYERS }
    }

    /// Whether players 0 and 2 belong together.
    pub const fn has_teams(self) -> bool {
        matches!(self, Self::Team | Self::TeamRadio)
    }

    /// The side of the mode's own board.
    pub const fn size(self) -> usize {
        if matches!(self, Self::OneVsOne) { 8 } else { MAX_SIZE }
    }
}

/// What a game's rules depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Who plays against whom.
    pub mode: Mode,
    /// The side of the board.
    pub size: u8,
    /// How far players see; `None`: everything.
    pub view: Option<u8>,
    /// The largest blast strength that a power-up gives.
    pub max_blast: u8,
    /// Whether the board shrinks from step 500 on.
    pub collapse: bool,
    /// Steps after which the game ends.
    pub max_steps: u32,
}

impl Config {
    /// The rules of a mode; with `fog` players see four cells far, and blasts reach no farther.
    pub const fn new(mode: Mode, fog: bool, collapse: bool) -> Self {
        Self {
            mode,
            size: mode.size() as u8,
            view: if fog { Some(VIEW) } else { None },
            max_blast: if fog { VIEW } else { CAP },
            collapse,
            max_steps: MAX_STEPS,
        }
    }

    /// How many players there are.
    pub const fn players(&self) -> usize {
        self.mode.players()
    }

    /// How many cells the board has.
    pub const fn cells(&self) -> usize {
        self.size as usize * self.size as usize
    }
}
