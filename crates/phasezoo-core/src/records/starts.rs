//! What stored games start from, as text.

use std::collections::HashMap;

use super::Stored;
use super::stored::width;
use crate::error::{Error, Result};

/// What stands before the number of a start that a seed draws.
const SEED: &str = "seed:";

/// What stands before the moves that lead from a position to a start.
const MOVES: &str = "moves ";

/// The parts of a start as text: a position, `seed:N` or nothing for the usual start, and after
/// ` moves ` the moves that were played to come there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartText<'a> {
    /// Where the moves begin.
    pub from: From<'a>,
    /// The moves as the game writes them; they are no part of the record, but planes may show them.
    pub moves: Vec<&'a str>,
}

/// Where a start's moves begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From<'a> {
    /// At the usual start.
    Usual,
    /// At the start that this seed draws.
    Seed(u64),
    /// At a position, as the game writes it.
    Position(&'a str),
}

impl<'a> StartText<'a> {
    /// Takes a text apart.
    pub fn parse(text: &'a str) -> Result<Self> {
        let (from, moves) = match text.strip_prefix(MOVES) {
            Some(moves) => ("", moves),
            None => match text.split_once(const { " moves " }) {
                Some(parts) => parts,
                None => (text, ""),
            },
        };
        let from = match from.strip_prefix(SEED) {
            Some(seed) => From::Seed(seed.parse().map_err(|_| {
                Error::InvalidState(format!(
                    "{text:?}: expected a whole number from 0 to 2^64 - 1 after {SEED:?}"
                ))
            })?),
            None if from.trim().is_empty() => From::Usual,
            None => From::Position(from),
        };
        Ok(Self { from, moves: moves.split_ascii_whitespace().collect() })
    }
}

/// What the games of a store start from.
#[derive(Clone, Debug)]
pub struct Starts<G> {
    usual: G,
    width: usize,
    /// Every other start once.
    others: Vec<G>,
    /// The games that start from them.
    by_game: HashMap<usize, u32>,
}

impl<G: Stored> Starts<G> {
    /// All games start from `usual`.
    pub fn new(usual: G) -> Self {
        let width = width(&usual);
        Self { usual, width, others: Vec::new(), by_game: HashMap::new() }
    }

    /// From pairs of game and start, each a text that `read` understands. Errors name the game.
    pub fn read<'a>(
        usual: G,
        starts: impl IntoIterator<Item = (usize, &'a str)>,
        read: impl Fn(&str) -> Result<G>,
    ) -> Result<Self> {
        let mut made = Self::new(usual);
        // `None`: the text is another way to write the usual start.
        let mut known: HashMap<&str, Option<u32>> = HashMap::new();
        for (game, text) in starts {
            let place = if let Some(&place) = known.get(text) {
                place
            } else {
                let place = made.place(text, &read).map_err(|error| {
                    Error::CorruptRecord(format!("game {game}: start position: {error}"))
                })?;
                known.insert(text, place);
                place
            };
            if let Some(place) = place {
                made.by_game.insert(game, place);
            }
        }
        Ok(made)
    }

    fn place(&mut self, text: &str, read: impl Fn(&str) -> Result<G>) -> Result<Option<u32>> {
        let state = read(text)?;
        if state.is_same(&self.usual) {
            return Ok(None);
        }
        // A game that is over has nobody who moves, and no games can be played from it.
        if width(&state) != self.width && state.outcome().is_none() {
            return Err(Error::InvalidState(format!(
                "{} actions a ply are stored, and this start asks for {}",
                self.width,
                width(&state)
            )));
        }
        self.others.push(state);
        Ok(Some(self.others.len() as u32 - 1))
    }

    /// The usual start.
    pub fn usual(&self) -> &G {
        &self.usual
    }

    /// The start of a game.
    pub fn of(&self, game: usize) -> &G {
        self.other(game).unwrap_or(&self.usual)
    }

    /// The start of a game that does not start as usual.
    pub(super) fn other(&self, game: usize) -> Option<&G> {
        self.by_game.get(&game).map(|&place| &self.others[place as usize])
    }

    /// Actions of a ply.
    pub fn width(&self) -> usize {
        self.width
    }

    /// A game that is named and whose number is not below `count`.
    pub(super) fn beyond(&self, count: usize) -> Option<usize> {
        self.by_game.keys().copied().find(|&game| game >= count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_has_a_position_and_moves() {
        let parsed = |text| StartText::parse(text).unwrap();
        assert_eq!(parsed(""), StartText { from: From::Usual, moves: vec![] });
        assert_eq!(parsed("seed:7"), StartText { from: From::Seed(7), moves: vec![] });
        assert_eq!(
            parsed("moves e2e4 e7e5"),
            StartText { from: From::Usual, moves: vec!["e2e4", "e7e5"] }
        );
        assert_eq!(
            parsed("8/8 w - - 0 1 moves a1a2"),
            StartText { from: From::Position("8/8 w - - 0 1"), moves: vec!["a1a2"] }
        );
        for wrong in ["seed:", "seed:-1", "seed:1.5", "seed:18446744073709551616"] {
            assert!(matches!(StartText::parse(wrong), Err(Error::InvalidState(_))), "{wrong}");
        }
    }
}
