//! One game's text to a record.

use super::kinds::{Kind, Line};
use super::options::Options;
use super::report::SkipReason;
use super::tags::Tags;
use super::tokens::{Scanner, Token};
use super::words::{self, Ending, Meaning, Written};

/// How much of a bad word, or of an unknown variant, a message quotes.
const QUOTED: usize = 40;

/// One of each for White and Black.
pub(super) type Seats<T> = [T; 2];

/// A game as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Game {
    /// Index of its kind.
    pub(super) kind: usize,
    pub(super) start_fen: Option<String>,
    pub(super) actions: Vec<u16>,
    /// +1 White won, 0 drawn, -1 Black won.
    pub(super) result: i8,
    pub(super) players: Seats<Option<String>>,
    pub(super) ratings: Seats<Option<i16>>,
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
    /// Its variant, if it was looked at.
    pub(super) variant: Option<String>,
    /// The game, if it can be read but is not wanted.
    pub(super) unwanted: Option<Box<Game>>,
}

impl Skip {
    /// Of a game that was not looked at any further.
    pub(super) fn unread(reason: SkipReason, message: String) -> Self {
        Self { reason, message, title: String::new(), variant: None, unwanted: None }
    }
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
pub(super) fn read(
    text: &[u8],
    close: Close,
    kinds: &[Kind],
    options: &Options,
) -> Vec<Result<Game, Skip>> {
    let mut scanner = Scanner::new(text);
    let mut games = Vec::with_capacity(1);
    while scanner.peek().is_some() {
        let mut collector = Collector::new(kinds, options);
        let close = collector.read(&mut scanner, close);
        if !collector.is_empty() {
            games.push(collector.finish(close));
        }
    }
    games
}

struct Collector<'a> {
    kinds: &'a [Kind],
    options: &'a Options,
    tags: Tags,
    tagged: bool,
    started: bool,
    /// Index of its kind, if it is one of them.
    kind: Option<usize>,
    start_fen: Option<String>,
    /// The position, unless the start has a fault.
    line: Option<Box<dyn Line>>,
    actions: Vec<u16>,
    /// What stands after the moves.
    marker: Option<Ending>,
    fault: Option<Fault>,
}

impl<'a> Collector<'a> {
    fn new(kinds: &'a [Kind], options: &'a Options) -> Self {
        Self {
            kinds,
            options,
            tags: Tags::default(),
            tagged: false,
            started: false,
            kind: None,
            start_fen: None,
            line: None,
            actions: Vec::with_capacity(128),
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
                Some(Token::Variation) if self.actions.is_empty() => {
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
        let is_begun = !self.actions.is_empty() || self.fault.is_some();
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

    /// Finds the kind of the game and sets up the start position, by the tags.
    fn start(&mut self) {
        self.started = true;
        let written = self.tags.variant.as_deref().unwrap_or_default().trim();
        let variant = written.to_lowercase();
        let wanted = self.options.game.as_deref();
        let meant = |kind: &&Kind| kind.is_meant_by(&variant);
        // What is asked for comes first: to it, a tag may mean something that it means to nobody else.
        let named = self.kinds.iter().position(|kind| wanted == Some(kind.name()) && meant(&kind));
        let found = named.or_else(|| self.kinds.iter().position(|kind| meant(&kind)));
        let Some(index) = found else {
            let message = format!("the variant is {}", shown(written.as_bytes()));
            return self.fail(SkipReason::UnknownVariant, || message);
        };
        self.kind = Some(index);
        let kind = &self.kinds[index];
        if let Some(wanted) = wanted.filter(|wanted| *wanted != kind.name()) {
            let name = kind.name();
            return self.fail(SkipReason::OtherVariant, || format!("{name}, not {wanted}"));
        }
        match kind.begin(self.tags.fen.as_deref()) {
            Ok((start_fen, line)) => (self.start_fen, self.line) = (start_fen, Some(line)),
            Err(error) => self.fail(SkipReason::InvalidFen, || error.to_string()),
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
                if self.actions.is_empty() && !self.tagged =>
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
        let Some(line) = &mut self.line else { return };
        if let Some(action) = line.play(written) {
            self.actions.push(action);
            return;
        }
        let (number, fen) = (line.number(), line.fen());
        let word = String::from_utf8_lossy(word);
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        self.fail(SkipReason::IllegalMove, || {
            format!("{number} {word} is not a legal move, or not one alone, in {fen}")
        });
    }

    /// The number of the next move with its dots.
    fn number(&self) -> String {
        self.line.as_ref().map(|line| line.number()).unwrap_or_default()
    }

    /// Ends a game with the result that stands after its moves, if one does.
    fn finish(mut self, close: Close) -> Result<Game, Skip> {
        if !self.started {
            self.start();
        }
        let (result, salvaged) = match self.checked(close) {
            Ok(found) => found,
            Err(fault) => return Err(self.skip(fault, None)),
        };
        let unwanted = self.options.refuse(self.actions.len(), &self.tags);
        let game = Game {
            kind: self.kind.unwrap_or_default(),
            start_fen: self.start_fen.take(),
            actions: std::mem::take(&mut self.actions),
            result,
            players: self.tags.players(),
            ratings: [self.tags.white_elo, self.tags.black_elo],
            date: self.tags.date,
            salvaged,
        };
        match unwanted {
            None => Ok(game),
            Some(fault) => Err(self.skip(fault, Some(Box::new(game)))),
        }
    }

    fn skip(&self, (reason, message): Fault, unwanted: Option<Box<Game>>) -> Skip {
        let written = self.tags.variant.as_deref().unwrap_or_default().trim();
        let variant = match self.kind {
            Some(kind) => self.kinds[kind].name().to_string(),
            None => shown(written.as_bytes()),
        };
        Skip { reason, message, title: self.tags.title(), variant: Some(variant), unwanted }
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

    /// The result, and whether the moves end before a fault, if the game can be read.
    fn checked(&mut self, close: Close) -> Result<(i8, bool), Fault> {
        let mut salvaged = false;
        if let Some(fault) = self.fault.take() {
            salvaged = self.options.salvage && fault.0.is_in_moves() && !self.actions.is_empty();
            if !salvaged {
                return Err(fault);
            }
        }
        let result = self.result(close)?;
        if self.actions.is_empty() {
            return Err((SkipReason::NoMoves, "there are no moves".into()));
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
