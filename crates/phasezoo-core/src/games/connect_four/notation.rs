//! Games as text, the columns played from 1 to 7 as one word, and as bytes.

use crate::error::{Error, Result};
use crate::game::Game;
use crate::games::connect_four::game::ConnectFour;
use crate::games::connect_four::stones::{COLUMNS, ROWS};

/// The first byte of a state as bytes, raised when the layout changes.
const VERSION: u8 = 1;

impl ConnectFour {
    /// The columns played since the start, 1 for the leftmost: `"4453"`.
    pub fn columns(&self) -> String {
        self.played().map(|column| char::from(b'1' + column)).collect()
    }

    /// The state after `columns`, each a digit from 1 to 7.
    pub fn from_columns(columns: &str) -> Result<Self> {
        let mut state = Self::default();
        for (at, digit) in columns.chars().enumerate() {
            let refused = |reason: String| {
                let shown: String = columns.chars().take(ROWS * COLUMNS + 1).collect();
                Error::InvalidState(format!(
                    "columns {shown:?}: number {} is {digit:?}, {reason}",
                    at + 1
                ))
            };
            let Some(column) = digit.to_digit(10).filter(|column| (1..=7).contains(column)) else {
                return Err(refused("expected the digits 1 to 7, one a stone".into()));
            };
            if let Some(outcome) = state.outcome() {
                return Err(refused(format!("but the game is over ({})", outcome.reason.as_str())));
            }
            state.apply(&[column - 1]).map_err(|_| refused("and that column is full".into()))?;
        }
        Ok(state)
    }

    /// The state as bytes: the version, then one byte a column played.
    pub fn to_bytes(&self) -> Vec<u8> {
        std::iter::once(VERSION).chain(self.played()).collect()
    }

    /// The state of [`Self::to_bytes`], every move of it checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let corrupt = |reason: String| {
            Error::CorruptRecord(format!("a state of {} bytes: {reason}", bytes.len()))
        };
        let (&version, columns) =
            bytes.split_first().ok_or_else(|| corrupt("it is empty".into()))?;
        if version != VERSION {
            return Err(corrupt(format!("version {version}; expected version {VERSION}")));
        }
        let mut state = Self::default();
        for &column in columns {
            state.apply(&[u32::from(column)]).map_err(|error| corrupt(error.to_string()))?;
        }
        Ok(state)
    }
}
