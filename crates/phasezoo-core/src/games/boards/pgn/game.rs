//! One game's text to a record.

use shakmaty::{Color, EnPassantMode, Position, fen::Fen};

use super::tags::Tags;
use super::tokens::{Scanner, Token};
use super::words::{self, Ending, Meaning, Written};
use super::{Options, SkipReason};
use crate::games::{BoardState, PackedMove, Rules};

/// Spellings of standard chess in a variant tag, lower case.
const STANDARD: [&str; 6] = ["", "chess", "standard", "normal", "classical", "from position"];

/// How much of a bad word a message quotes.
const QUOTED: usize = 40;

/// A game as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Game {
    pub(super) start_fen: Option<String>,
    pub(super) moves: Vec<PackedMove>,
    /// +1 White won, 0 drawn, -1 Black won.
    pub(super) result: i8,
    pub(super) white_elo: Option<i16>,
    pub(super) black_elo: Option<i16>,
    pub(super) date: Option<[u8; 10]>,
    /// The moves end before a fault of the text.
    pub(super) salvaged: bool,
}

/// Why a game was skipped, and what it calls itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skip {
    pub(super) reason: SkipReason,
    pub(super) message: String,
    pub(super) title: String,
}

/// A reason and what it says in detail.
type Fault = (SkipReason, String);

/// How a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// The next game begins, or the file ends.
    Whole,
    /// Tags begin on the line after a line of moves: of this game or of another, nobody knows.
    Abrupt,
    /// The file is damaged here.
    Damaged,
}

/// Reads all games in `text`; nearly always one.
pub(super) fn read<R: Rules>(
    text: &[u8],
    close: Close,
    options: &Options,
) -> Vec<Result<Game, Skip>> {
    let mut scanner = Scanner::new(text);
    let mut games = Vec::with_capacity(1);
    while scanner.peek().is_some() {
        let mut collector = Collector::<R>::new(options);
        let close = collector.read(&mut scanner, close);
        if !collector.is_empty() {
            games.push(collector.finish(close));
        }
    }
    games
}

struct Collector<'a, R: Rules> {
    options: &'a Options,
    tags: Tags,
    tagged: bool,
    started: bool,
    start_fen: Option<String>,
    position: R::Position,
    moves: Vec<PackedMove>,
    /// What stands after the moves.
    marker: Option<Ending>,
    fault: Option<Fault>,
}

impl<'a, R: Rules> Collector<'a, R> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            tags: Tags::default(),
            tagged: false,
            started: false,
            start_fen: None,
            position: R::initial(),
            moves: Vec::with_capacity(128),
            marker: None,
            fault: None,
        }
    }

    /// Reads one game, up to the text's end or to where another game begins; how it ends.
    fn read(&mut self, scanner: &mut Scanner<'_>, close: Close) -> Close {
        while scanner.peek() == Some(b'[') {
            self.tagged = true;
            if let Err(message) = self.tags.read(scanner) {
                self.fail(SkipReason::Unreadable, || message);
            }
        }
        loop {
            if self.marker.is_some() && scanner.peek() == Some(b'[') {
                return Close::Whole;
            }
            match scanner.next_token() {
                None => return close,
                Some(Token::Fault(fault)) => self.fail(SkipReason::Unreadable, || fault.into()),
                Some(Token::Variation) if self.moves.is_empty() => {
                    self.fail(SkipReason::Unreadable, || {
                        "a variation stands before the first move".into()
                    });
                }
                Some(Token::Variation) => {}
                Some(Token::Word(word)) => {
                    let (number, meaning) = words::read(word);
                    if number == Some(1) && self.is_complete() {
                        scanner.return_to(word);
                        return Close::Whole;
                    }
                    self.word(word, number, meaning);
                }
            }
        }
    }

    /// Whether a game without tags has come to its result, so that a move number 1 begins another.
    fn is_complete(&self) -> bool {
        let is_begun = !self.moves.is_empty() || self.fault.is_some();
        self.marker.is_some() && !self.tagged && is_begun
    }

    /// Whether there were comments at most.
    fn is_empty(&self) -> bool {
        !self.tagged && !self.started && self.fault.is_none()
    }

    /// Keeps the first fault of a game.
    fn fail(&mut self, reason: SkipReason, message: impl FnOnce() -> String) {
        if self.fault.is_none() {
            self.fault = Some((reason, message()));
        }
    }

    /// Sets up the start position from the tags.
    fn start(&mut self) {
        self.started = true;
        let variant = self.tags.variant.as_deref().unwrap_or_default().trim().to_lowercase();
        if !STANDARD.contains(&variant.as_str()) && variant != R::NAME {
            self.fail(SkipReason::Variant, || format!("variant {variant:?}, not {}", R::NAME));
        } else if let Some(fen) = self.tags.fen.take() {
            match BoardState::<R>::from_fen(fen.trim()) {
                Ok(state) => {
                    self.start_fen = state.start_fen();
                    self.position = state.position().clone();
                }
                Err(error) => self.fail(SkipReason::InvalidFen, || error.to_string()),
            }
        }
    }

    fn word(&mut self, word: &[u8], number: Option<u32>, meaning: Meaning) {
        if !self.started {
            self.start();
        }
        if self.fault.is_some() {
            if let Meaning::Result(result) = meaning {
                self.marker = self.marker.or(Some(result));
            }
            return;
        }
        match (meaning, number) {
            (Meaning::Nothing | Meaning::Move(_), Some(number @ 2..))
                if self.moves.is_empty() && !self.tagged =>
            {
                self.fail(SkipReason::Unreadable, || {
                    format!("the moves begin with number {number}, and no tag says from where")
                });
            }
            (Meaning::Nothing, _) => {}
            (Meaning::Result(result), _) => {
                let first = *self.marker.get_or_insert(result);
                if first != result {
                    self.fail(SkipReason::ResultsDiffer, || {
                        "two results stand after the moves".into()
                    });
                }
            }
            (Meaning::Move(written), _) if self.marker.is_none() => self.play(word, written),
            (Meaning::Move(_), _) => self.fail(SkipReason::Unreadable, || {
                format!("{} stands after the result", shown(word))
            }),
            (Meaning::NullMove, _) => {
                self.fail(SkipReason::NullMove, || format!("{} passes", shown(word)));
            }
            (Meaning::NoMove, _) => {
                let number = self.number();
                self.fail(SkipReason::NotAMove, || {
                    format!("{} at move {number} can be no move", shown(word))
                });
            }
        }
    }

    fn play(&mut self, word: &[u8], written: Written) {
        if let Some(m) = written.to_move(&self.position) {
            self.moves.push(PackedMove::pack(m, R::MODE));
            self.position.play_unchecked(m);
            return;
        }
        let number = self.number();
        let word = String::from_utf8_lossy(word);
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
        self.fail(SkipReason::IllegalMove, || {
            format!("{number} {word} is not a legal move, or not one alone, in {fen}")
        });
    }

    /// The number of the next move with its dots.
    fn number(&self) -> String {
        let dots = if self.position.turn() == Color::White { "." } else { "..." };
        format!("{}{dots}", self.position.fullmoves())
    }

    /// Ends a game with the result that stands after its moves, if one does.
    fn finish(mut self, close: Close) -> Result<Game, Skip> {
        if !self.started {
            self.start();
        }
        match self.checked(close) {
            Ok((result, salvaged)) => Ok(Game {
                start_fen: self.start_fen,
                moves: self.moves,
                result,
                white_elo: self.tags.white_elo,
                black_elo: self.tags.black_elo,
                date: self.tags.date,
                salvaged,
            }),
            Err((reason, message)) => Err(Skip { reason, message, title: self.tags.title() }),
        }
    }

    /// The result of a game by the text's end and the tag, which must not contradict each other.
    fn result(&self, close: Close) -> Result<i8, Fault> {
        let (tag, tagged) = (self.tags.result_text(), self.tags.result());
        match (self.marker, close) {
            (None, Close::Damaged) => {
                let message = "the file is damaged before the game ends";
                return Err((SkipReason::Unfinished, message.into()));
            }
            (None, Close::Abrupt) => {
                let message = "tags begin in the midst of the moves";
                return Err((SkipReason::Unfinished, message.into()));
            }
            _ => {}
        }
        match (self.marker, tagged) {
            (Some(Ending::Known(played)), Some(tagged)) if played != tagged => Err((
                SkipReason::ResultsDiffer,
                format!("tag {tag:?}, but the moves end otherwise"),
            )),
            (Some(Ending::Open), Some(_)) => Err((
                SkipReason::ResultsDiffer,
                format!("tag {tag:?}, but the moves end with \"*\""),
            )),
            (Some(Ending::Known(result)), _) | (None, Some(result)) => Ok(result),
            (None | Some(Ending::Open), None) => {
                Err((SkipReason::NoResult, format!("the result is {tag:?}")))
            }
        }
    }

    /// The result, and whether the moves end before a fault, if the game can be kept.
    fn checked(&mut self, close: Close) -> Result<(i8, bool), Fault> {
        let mut salvaged = false;
        if let Some(fault) = self.fault.take() {
            salvaged = self.options.salvage && fault.0.is_in_moves() && !self.moves.is_empty();
            if !salvaged {
                return Err(fault);
            }
        }
        let result = self.result(close)?;
        let (plies, least) = (self.moves.len(), self.options.min_plies);
        if plies == 0 {
            return Err((SkipReason::NoMoves, "there are no moves".into()));
        }
        if plies < least {
            return Err((SkipReason::TooShort, format!("{plies} plies, fewer than {least}")));
        }
        if let Some(least) = self.options.min_rating {
            let ratings = [self.tags.white_elo, self.tags.black_elo];
            if ratings.iter().any(|rating| rating.is_none_or(|rating| rating < least)) {
                let [white, black] = ratings.map(|r| r.map_or("none".into(), |r| r.to_string()));
                let message = format!("ratings {white} and {black}, not both at least {least}");
                return Err((SkipReason::LowRating, message));
            }
        }
        Ok((result, salvaged))
    }
}

/// A word in quotes, shortened if it is long.
fn shown(word: &[u8]) -> String {
    let short = &word[..word.len().min(QUOTED)];
    let dots = if short.len() < word.len() { "…" } else { "" };
    format!("{:?}{dots}", String::from_utf8_lossy(short))
}
