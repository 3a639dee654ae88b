//! One game's text to a record.

use shakmaty::Color;

use super::kinds::{Kind, Line};
use super::options::Options;
use super::report::SkipReason;
use super::tags::{Tags, decoded};
use super::tokens::{Scanner, Token};
use super::words::{self, Ending, Meaning, Word, Written};

/// How much of a bad word, or of an unknown variant, a message quotes.
const QUOTED: usize = 40;

/// How much a name has to be like an unknown one to be asked for, from 0 to 1.
const ALIKE: f64 = 0.7;

/// Dots behind a number that say that Black moves.
const BLACKS_DOTS: usize = 3;

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
    /// The moves in UCI, if openings are read.
    pub(super) moves: Vec<String>,
    /// What comments say of the position after each move, nan where they do not, if that is asked for.
    pub(super) evals: Vec<f32>,
    /// What was taken for granted.
    pub(super) assumed: Assumed,
}

/// What was read in a way that the reader of a report should know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Assumed {
    /// A tag is no UTF-8 and was read as Windows-1252.
    pub(super) encoding: bool,
    /// The kind was told by the start position, because no tag said it.
    pub(super) kind: bool,
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
    pub(super) assumed: Assumed,
}

impl Skip {
    /// Of a game that was not looked at any further.
    pub(super) fn unread(reason: SkipReason, message: String) -> Self {
        let assumed = Assumed::default();
        Self { reason, message, title: String::new(), variant: None, unwanted: None, assumed }
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
    let mut scanner = if options.evals { Scanner::with_evals(text) } else { Scanner::new(text) };
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
    moves: Vec<String>,
    evals: Vec<f32>,
    /// The last number that stands before the first move.
    first_number: Option<u32>,
    /// The most dots behind a number before the first move.
    first_dots: usize,
    /// Whether the kind was told by the start position.
    is_kind_assumed: bool,
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
            moves: Vec::new(),
            evals: Vec::new(),
            first_number: None,
            first_dots: 0,
            is_kind_assumed: false,
            marker: None,
            fault: None,
        }
    }

    /// Reads one game, up to the text's end or to where another game begins; how it ends.
    fn read(&mut self, scanner: &mut Scanner<'_>, close: Close) -> Close {
        loop {
            let token = scanner.next_token();
            if self.options.evals {
                self.keep_eval(scanner.take_eval());
            }
            match token {
                None => return close,
                Some(Token::Fault(fault)) => self.fail(SkipReason::Unreadable, || fault.into()),
                Some(Token::Variation) if self.actions.is_empty() => {
                    self.fail(SkipReason::Unreadable, || {
                        "a variation stands before the first move".into()
                    });
                }
                Some(Token::Variation) => {}
                Some(Token::Bracket) if self.has_result_among_tags() => {
                    scanner.bracket();
                    self.fail(SkipReason::Unreadable, || "a result stands among its tags".into());
                }
                Some(Token::Bracket) if self.marker.is_some() => return Close::Whole,
                Some(Token::Bracket) if !self.started => match self.tags.read(scanner) {
                    Ok(true) => self.tagged = true,
                    Ok(false) => self.no_move(scanner.bracket()),
                    Err(message) => {
                        self.tagged = true;
                        self.fail(SkipReason::Unreadable, || message);
                    }
                },
                Some(Token::Bracket) => self.no_move(scanner.bracket()),
                Some(Token::Word(word)) => {
                    let read = words::read(word);
                    if read.number == Some(1) && self.is_complete() {
                        scanner.return_to(word);
                        return Close::Whole;
                    }
                    self.word(word, read);
                }
            }
        }
    }

    /// Keeps an evaluation of the position after the last move.
    fn keep_eval(&mut self, eval: Option<f32>) {
        if let (Some(eval), Some(last)) = (eval, self.actions.len().checked_sub(1)) {
            self.evals.resize(self.actions.len(), f32::NAN);
            self.evals[last] = eval;
        }
    }

    /// Whether a game without tags has come to its result, so that a move number 1 begins another.
    fn is_complete(&self) -> bool {
        let is_begun = !self.actions.is_empty() || self.fault.is_some();
        self.marker.is_some() && !self.tagged && is_begun
    }

    /// Whether a tag that comes now follows a result that follows tags, without any move.
    fn has_result_among_tags(&self) -> bool {
        self.marker.is_some() && self.tagged && self.actions.is_empty()
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

    /// Which game may be meant by an unknown variant, or which there are.
    fn nearest(&self, variant: &str) -> String {
        let likeness = |kind: &&Kind| kind.likeness(variant);
        let nearest = self.kinds.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        if let Some(kind) = nearest.filter(|kind| likeness(kind) >= ALIKE) {
            return format!("which is not known; did you mean {}?", kind.name());
        }
        let names: Vec<&str> = self.kinds.iter().map(Kind::name).collect();
        format!("which is not known; there are {}", names.join(", "))
    }

    /// Finds the kind of the game and sets up the start position, by the tags.
    fn start(&mut self) {
        self.started = true;
        let written = self.tags.variant.as_deref().unwrap_or_default().trim();
        let wanted = self.options.game.as_deref();
        let among = |found: String| match wanted {
            Some(wanted) if self.options.openings => {
                format!("a game of '{written}' among openings of '{wanted}'")
            }
            _ => found,
        };
        let Some(found) = self.kind_of(&written.to_lowercase()) else {
            let known = self.nearest(&written.to_lowercase());
            let message = among(format!("the variant is {}, {known}", shown(written.as_bytes())));
            return self.fail(SkipReason::UnknownVariant, || message);
        };
        let name = self.kinds[found].name();
        let is_untold = written.is_empty() && self.kinds[found].is_meant_by("");
        if is_untold && let Some(claimant) = self.claimant(found) {
            let name = self.kinds[claimant].name();
            self.kind = Some(claimant);
            if wanted.is_some_and(|wanted| wanted != name) {
                return self.fail(SkipReason::OtherVariant, || {
                    format!(
                        "the tag FEN gives a start of {name}, and no tag Variant says which game it \
                         is: it is read as {name} with --game {name} (in Python game={name:?})"
                    )
                });
            }
            self.is_kind_assumed = true;
            return self.begin(claimant);
        }
        if let Some(wanted) = wanted.filter(|wanted| *wanted != name) {
            let message = among(format!("{name}, not {wanted}"));
            self.kind = Some(found);
            return self.fail(SkipReason::OtherVariant, || message);
        }
        self.kind = Some(found);
        self.begin(found);
    }

    /// Another kind than `found` of which the start position says by itself that it is one.
    fn claimant(&self, found: usize) -> Option<usize> {
        let fen = self.tags.fen()?;
        self.kinds.iter().position(|kind| kind.claims(fen)).filter(|&other| other != found)
    }

    /// Which kind a value of the tag means, trimmed and in lower case.
    fn kind_of(&self, variant: &str) -> Option<usize> {
        let wanted = self.options.game.as_deref();
        let wanted = self.kinds.iter().position(|kind| Some(kind.name()) == wanted);
        // What is asked for comes first: to it, a tag may mean something that it means to nobody else,
        // and the game of openings is known without a tag.
        wanted
            .filter(|&wanted| {
                let is_untold = self.options.openings && variant.is_empty();
                is_untold || self.kinds[wanted].is_meant_by(variant)
            })
            .or_else(|| self.kinds.iter().position(|kind| kind.is_meant_by(variant)))
    }

    /// Sets up the start position of a kind.
    fn begin(&mut self, kind: usize) {
        match self.kinds[kind].begin(self.tags.fen()) {
            Ok((start_fen, line)) => (self.start_fen, self.line) = (start_fen, Some(line)),
            Err(error) => {
                let name = self.kinds[kind].name();
                let other = self.claimant(kind).map(|other| self.kinds[other].name());
                self.fail(SkipReason::InvalidFen, || match other {
                    Some(other) => {
                        format!(
                            "{error}; it is a start of {other}, from which {name} is not played"
                        )
                    }
                    None => error.to_string(),
                });
            }
        }
    }

    /// Takes a word that can be no move.
    fn no_move(&mut self, word: &[u8]) {
        self.word(word, Word { number: None, dots: 0, meaning: Meaning::NoMove });
    }

    fn word(&mut self, word: &[u8], Word { number, dots, meaning }: Word) {
        if !self.started {
            self.start();
        }
        if self.fault.is_some() {
            if let Meaning::Result(result) = meaning {
                self.marker = self.marker.or(Some(result));
            }
            return;
        }
        if self.actions.is_empty() {
            self.first_number = number.or(self.first_number);
            self.first_dots = self.first_dots.max(dots);
        }
        match meaning {
            Meaning::Nothing if number != Some(0) || self.actions.is_empty() => {}
            Meaning::Number if self.is_in_place(number) => {}
            Meaning::Result(result) => {
                let first = *self.marker.get_or_insert(result);
                if first != result && !self.options.openings {
                    self.fail(SkipReason::ResultsDiffer, || {
                        "two results stand after the moves".into()
                    });
                }
            }
            Meaning::Move(written) if self.marker.is_none() => self.play(word, written),
            Meaning::Move(_) => self.fail(SkipReason::Unreadable, || {
                format!("{} stands after the result", shown(word))
            }),
            Meaning::NullMove => {
                self.fail(SkipReason::NullMove, || format!("{} passes", shown(word)));
            }
            Meaning::NoMove | Meaning::Nothing | Meaning::Number => {
                let number = self.number();
                self.fail(SkipReason::NotAMove, || {
                    format!("{} at move {number} can be no move", shown(word))
                });
            }
        }
    }

    fn play(&mut self, word: &[u8], written: Written) {
        if self.actions.is_empty()
            && let Some(number @ 2..) = self.first_number
            && self.tags.fen().is_none()
        {
            return self.fail(SkipReason::Unreadable, || {
                format!("the moves begin with number {number}, and no tag FEN says from where")
            });
        }
        if self.has_enough() {
            return;
        }
        let Some(line) = &mut self.line else { return };
        let is_blacks = self.actions.is_empty() && self.first_dots >= BLACKS_DOTS;
        if is_blacks && line.next().1 == Color::White {
            return self.fail(SkipReason::Unreadable, || {
                "the dots before the first move say that it is Black's, and White is to move".into()
            });
        }
        let moves = self.options.openings.then_some(&mut self.moves);
        if let Some(action) = line.play(written, moves) {
            self.actions.push(action);
            return;
        }
        let (number, fen) = (numbered(line.next()), line.fen());
        let word = decoded(word).0;
        let bare = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        // Castling may be written with zeros, of which the first is no number.
        let before = word.len() - bare.len();
        let castles = bare.starts_with("-0") && word[..before].ends_with('0');
        let word = &word[before - usize::from(castles)..];
        self.fail(SkipReason::IllegalMove, || {
            format!("{number} {word} is not a legal move, or not one alone, in {fen}")
        });
    }

    /// The number of the next move with its dots.
    fn number(&self) -> String {
        self.line.as_ref().map(|line| numbered(line.next())).unwrap_or_default()
    }

    /// Whether all moves that are asked for were played.
    fn has_enough(&self) -> bool {
        self.options.plies.is_some_and(|plies| self.actions.len() >= plies)
    }

    /// Whether a number without dots is that of the next move, by the start position or counted from 1.
    fn is_in_place(&self, number: Option<u32>) -> bool {
        let Some(line) = &self.line else { return true };
        let (next, turn) = line.next();
        let begun_by_black = (turn == Color::Black) != (self.actions.len() % 2 == 1);
        let counted = 1 + usize::midpoint(self.actions.len(), begun_by_black.into());
        self.has_enough() || number == Some(next) || number == u32::try_from(counted).ok()
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
        if self.options.evals {
            self.evals.resize(self.actions.len(), f32::NAN);
        }
        let game = Game {
            kind: self.kind.unwrap_or_default(),
            start_fen: self.start_fen.take(),
            actions: std::mem::take(&mut self.actions),
            result,
            players: self.tags.players(),
            ratings: [self.tags.white_elo, self.tags.black_elo],
            date: self.tags.date,
            salvaged,
            moves: std::mem::take(&mut self.moves),
            evals: std::mem::take(&mut self.evals),
            assumed: self.assumed(),
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
        let (title, assumed) = (self.tags.title(), self.assumed());
        Skip { reason, message, title, variant: Some(variant), unwanted, assumed }
    }

    fn assumed(&self) -> Assumed {
        Assumed { encoding: self.tags.decoded, kind: self.is_kind_assumed }
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
        if self.options.openings {
            return Ok((0, salvaged));
        }
        let result = self.result(close)?;
        if self.actions.is_empty() {
            return Err((SkipReason::NoMoves, "there are no moves".into()));
        }
        let end = self.line.as_ref().and_then(|line| line.end());
        if let Some(end) = end.filter(|&end| end != result) {
            let (end, result) = (spelled(end), spelled(result));
            let message = format!("the last move ends the game {end}, and the result is {result}");
            return Err((SkipReason::ResultsDiffer, message));
        }
        Ok((result, salvaged))
    }
}

/// The number of a move with its dots.
fn numbered((number, turn): (u32, Color)) -> String {
    format!("{number}{}", if turn == Color::White { "." } else { "..." })
}

/// White's result as PGN writes it.
fn spelled(result: i8) -> &'static str {
    match result {
        1 => "1-0",
        0 => "1/2-1/2",
        _ => "0-1",
    }
}

/// A word in quotes, shortened if it is long.
pub(super) fn shown(word: &[u8]) -> String {
    // Not in the midst of a character of UTF-8, which has four bytes at the most.
    let most = word.len().min(QUOTED);
    let is_within = |back: &usize| word.get(most - back).is_some_and(|byte| byte & 0xc0 == 0x80);
    let back = (0..=most.min(3)).find(|back| !is_within(back)).unwrap_or(0);
    let short = &word[..most - back];
    let dots = if short.len() < word.len() { "…" } else { "" };
    format!("{:?}{dots}", decoded(short).0)
}
