//! Games of a vector in the middle, as bytes beside their states, so that a copy goes on as the original
//! would.

use super::Board;
use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, PlayerSet};
use crate::rng::Stream;
use crate::vector::context::{End, Final, Won};
use crate::vector::options::{Opponent, OptionsOf};

/// The first number of every saved game.
const FORMAT: u64 = 3;

/// One game of a vector: its states, and the rest as bytes.
pub struct Saved<G> {
    /// The state.
    pub state: G,
    /// The last state of the game before, if this one began in the step that ended it.
    pub last: Option<G>,
    /// Seeds, streams, seats, what is awaited and what the last step showed.
    pub rest: Vec<u8>,
}

/// Numbers and strings of bytes, one after the other.
#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn stream(&mut self, stream: &Stream) {
        stream.words().into_iter().for_each(|word| self.number(word));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn actions(&mut self, actions: &[Action]) {
        self.number(actions.len() as u64);
        for &action in actions {
            self.number(u64::from(action));
        }
    }

    fn won(&mut self, won: Option<Won>) {
        self.number(won.map_or(0, |won| 1 | u64::from(won.winners.0) << 8));
        self.number(won.map_or(0, |won| i64::from(won.result) as u64));
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Result<u64> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(corrupt)?;
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    /// A number below `end`.
    fn below(&mut self, end: u64) -> Result<u64> {
        self.number().and_then(|number| (number < end).then_some(number).ok_or_else(corrupt))
    }

    fn flag(&mut self) -> Result<bool> {
        Ok(self.below(2)? == 1)
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.below(256)? as u8)
    }

    fn stream(&mut self) -> Result<Stream> {
        let mut words = [0; 4];
        for word in &mut words {
            *word = self.number()?;
        }
        Ok(Stream::from_words(words))
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.number()?;
        let length = usize::try_from(length).ok().filter(|&length| length <= self.0.len());
        let (bytes, rest) = self.0.split_at(length.ok_or_else(corrupt)?);
        self.0 = rest;
        Ok(bytes)
    }

    /// Actions below `end`.
    fn actions(&mut self, end: u64) -> Result<Vec<Action>> {
        (0..self.below(end + 1)?).map(|_| Ok(self.below(end)? as Action)).collect()
    }

    fn won(&mut self) -> Result<Option<Won>> {
        let (known, result) = (self.number()?, self.number()? as i64 as i8);
        let winners = PlayerSet((known >> 8) as u8);
        Ok((known & 1 == 1).then_some(Won { winners, result }))
    }
}

fn corrupt() -> Error {
    Error::CorruptRecord("not a saved game of a vector with these options".into())
}

impl<G: Game> Board<G> {
    /// The game as it stands.
    pub(in crate::vector) fn save(&self) -> Saved<G> {
        let mut out = Writer::default();
        out.number(FORMAT);
        for number in [self.seed, self.next_seed, self.games, self.to_play as u64] {
            out.number(number);
        }
        out.number(self.steps.into());
        let small = [self.seat, self.phase, self.begun.into(), self.over.into(), self.waiting.0];
        for number in small {
            out.number(u64::from(number));
        }
        self.joint.iter().for_each(|&action| out.number(u64::from(action)));
        out.actions(&self.legal);
        out.number(self.opponents.len() as u64);
        self.opponents.iter().for_each(|stream| out.stream(stream));
        out.number(self.scripted.len() as u64);
        self.scripted.iter().for_each(|player| out.bytes(&player.memory()));
        out.number(u64::from(self.replacements.is_some()));
        self.replacements.iter().for_each(|stream| out.stream(stream));
        self.move_numbers.iter().for_each(|number| out.number(number.to_bits()));
        self.save_shown(&mut out);
        let last = self.shown.last.as_ref().map(|last| last.state.clone());
        Saved { state: self.state.clone(), last, rest: out.0 }
    }

    fn save_shown(&self, out: &mut Writer) {
        let shown = &self.shown;
        out.number(shown.reward.to_bits());
        out.number(match shown.end {
            None => 0,
            Some(End::Terminated) => 1,
            Some(End::Truncated) => 2,
        });
        out.number(shown.is_last_step.into());
        out.number(shown.illegal.into());
        out.number(shown.restarted.into());
        out.won(shown.won);
        if let Some(last) = &shown.last {
            for number in [u64::from(last.seat), last.to_play as u64, u64::from(last.phase)] {
                out.number(number);
            }
            out.number(last.illegal.into());
            out.won(last.won);
            last.move_numbers.iter().for_each(|number| out.number(number.to_bits()));
            out.actions(&last.legal);
        }
    }

    /// The game that was saved, in a vector of the same options.
    pub(in crate::vector) fn restore(
        &mut self,
        options: &OptionsOf<G>,
        saved: Saved<G>,
    ) -> Result<()> {
        let mut given = Reader(&saved.rest);
        if given.number()? != FORMAT {
            return Err(corrupt());
        }
        let mut board = Self::new(saved.state);
        (board.seed, board.next_seed, board.games) =
            (given.number()?, given.number()?, given.number()?);
        board.to_play = given.number()? as i64;
        board.steps = u32::try_from(given.number()?).map_err(|_| corrupt())?;
        board.seat = given.below(board.state.num_players() as u64)? as u8;
        board.phase = given.byte()?;
        (board.begun, board.over) = (given.flag()?, given.flag()?);
        board.waiting = PlayerSet(given.below(1 << board.state.num_players())? as u8);
        let actions = board.state.num_actions() as u64;
        for action in &mut board.joint {
            *action = given.below(actions)? as Action;
        }
        board.legal = given.actions(actions)?;
        for _ in 0..given.below(MAX_PLAYERS as u64 + 1)? {
            board.opponents.push(given.stream()?);
        }
        for _ in 0..given.below(MAX_PLAYERS as u64 + 1)? {
            let Opponent::Scripted(name) = options.opponent else { return Err(corrupt()) };
            let mut player = G::scripted(name).ok_or_else(corrupt)?;
            if !player.recall(given.bytes()?) {
                return Err(corrupt());
            }
            board.scripted.push(player);
        }
        if given.flag()? {
            board.replacements = Some(given.stream()?);
        }
        for number in &mut board.move_numbers {
            *number = f64::from_bits(given.number()?);
        }
        board.restore_shown(&mut given, saved.last)?;
        if !given.0.is_empty() {
            return Err(corrupt());
        }
        *self = board;
        Ok(())
    }

    fn restore_shown(&mut self, given: &mut Reader<'_>, last: Option<G>) -> Result<()> {
        let shown = &mut self.shown;
        shown.reward = f64::from_bits(given.number()?);
        shown.end = match given.below(3)? {
            0 => None,
            1 => Some(End::Terminated),
            _ => Some(End::Truncated),
        };
        shown.is_last_step = given.flag()?;
        (shown.illegal, shown.restarted) = (given.flag()?, given.flag()?);
        shown.won = given.won()?;
        if let Some(state) = last {
            let actions = state.num_actions() as u64;
            shown.last = Some(Box::new(Final {
                seat: given.below(state.num_players() as u64)? as u8,
                state,
                to_play: given.number()? as i64,
                phase: given.byte()?,
                illegal: given.flag()?,
                won: given.won()?,
                move_numbers: (0..G::MOVE_NUMBERS.len())
                    .map(|_| given.number().map(f64::from_bits))
                    .collect::<Result<_>>()?,
                legal: given.actions(actions)?,
            }));
        }
        Ok(())
    }
}
