//! One game's text to a record, by pgn-reader's tokens.

use std::ops::ControlFlow;

use pgn_reader::{KnownOutcome, Outcome, RawTag, Reader, SanPlus, Visitor};
use shakmaty::san::San;
use shakmaty::{Color, EnPassantMode, Move, Position, fen::Fen};

use super::{Options, SkipReason};
use crate::games::{BoardState, PackedMove, Rules};

/// Spellings of standard chess in a variant tag, lower case.
const STANDARD: [&str; 6] = ["", "chess", "standard", "normal", "classical", "from position"];

/// pgn-reader needs to know the longest tag line in advance; this is its own default.
const TAG_LINE: usize = 255;

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
}

/// Why a game was skipped, and what it calls itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Skip {
    pub(super) reason: SkipReason,
    pub(super) message: String,
    pub(super) title: String,
}

/// Reads all games in `text`; nearly always one. `last`: the file ends with it, without a result.
pub(super) fn read<R: Rules>(
    text: &[u8],
    last: bool,
    options: &Options,
) -> Vec<Result<Game, Skip>> {
    let longest = text.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or_default();
    let mut reader =
        Reader::build(text).set_supported_tag_line_length(longest.max(TAG_LINE)).finish();
    let mut visitor = Collector::<R>::new(options);
    loop {
        // An empty line inside the moves ends a game for the reader, not for us: the collector goes on.
        match reader.read_game(&mut visitor) {
            Ok(Some(())) => {}
            Ok(None) => break,
            Err(error) => {
                visitor.fail(SkipReason::Unreadable, || error.to_string());
                visitor.finish(None, false);
                return visitor.games;
            }
        }
    }
    if visitor.pending() {
        visitor.finish(None, last);
    }
    visitor.games
}

#[derive(Default)]
struct Tags {
    event: Option<String>,
    white: Option<String>,
    black: Option<String>,
    result: Option<String>,
    white_elo: Option<i16>,
    black_elo: Option<i16>,
    date: Option<[u8; 10]>,
    fen: Option<String>,
    variant: Option<String>,
}

struct Collector<'a, R: Rules> {
    options: &'a Options,
    tags: Tags,
    tagged: bool,
    started: bool,
    start_fen: Option<String>,
    position: R::Position,
    moves: Vec<PackedMove>,
    failure: Option<(SkipReason, String)>,
    games: Vec<Result<Game, Skip>>,
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
            failure: None,
            games: Vec::with_capacity(1),
        }
    }

    /// Whether something was read that belongs to no finished game yet.
    fn pending(&self) -> bool {
        self.tagged || !self.moves.is_empty() || self.failure.is_some() || self.games.is_empty()
    }

    /// Keeps the first failure of a game.
    fn fail(&mut self, reason: SkipReason, message: impl FnOnce() -> String) {
        if self.failure.is_none() {
            self.failure = Some((reason, message()));
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

    fn play(&mut self, san: San) {
        if self.failure.is_some() {
            return;
        }
        if let Some(m) = legal_move(san, &self.position) {
            self.moves.push(PackedMove::pack(m, R::MODE));
            self.position.play_unchecked(m);
            return;
        }
        let number = self.position.fullmoves();
        let dots = if self.position.turn() == Color::White { "." } else { "..." };
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
        self.fail(SkipReason::IllegalMove, || {
            format!("{number}{dots} {san} is not a legal move, or not one alone, in {fen}")
        });
    }

    /// Ends a game with the result that stands after its moves, if one does.
    fn finish(&mut self, marker: Option<Outcome>, cut: bool) {
        if !self.started {
            self.start();
        }
        let result = self.result(marker, cut);
        let game = self.checked(result);
        let tags = std::mem::take(&mut self.tags);
        self.games.push(match game {
            Ok(result) => Ok(Game {
                start_fen: self.start_fen.take(),
                moves: std::mem::take(&mut self.moves),
                result,
                white_elo: tags.white_elo,
                black_elo: tags.black_elo,
                date: tags.date,
            }),
            Err((reason, message)) => Err(Skip { reason, message, title: tags.title() }),
        });
        (self.tagged, self.started, self.start_fen) = (false, false, None);
        self.position = R::initial();
        self.moves.clear();
    }

    /// The result of a game by the text's end and the tag, which must not contradict each other.
    fn result(&self, marker: Option<Outcome>, cut: bool) -> Result<i8, (SkipReason, String)> {
        let tag = self.tags.result.as_deref().unwrap_or("*").trim();
        let tagged = match tag {
            "1-0" => Some(1),
            "0-1" => Some(-1),
            "1/2-1/2" | "1/2" => Some(0),
            _ => None,
        };
        let played = match marker {
            Some(Outcome::Known(KnownOutcome::Draw)) => Some(0),
            Some(Outcome::Known(KnownOutcome::Decisive { winner })) => {
                Some(if winner == Color::White { 1 } else { -1 })
            }
            Some(Outcome::Unknown) | None => None,
        };
        match (played, tagged) {
            _ if marker.is_none() && cut => Err((
                SkipReason::Unfinished,
                "the text ends before the game does: no result stands after the moves".into(),
            )),
            (Some(played), Some(tagged)) if played != tagged => Err((
                SkipReason::ResultsDiffer,
                format!("tag {tag:?}, but the moves end otherwise"),
            )),
            (None, Some(_)) if marker.is_some() => Err((
                SkipReason::ResultsDiffer,
                format!("tag {tag:?}, but the moves end with \"*\""),
            )),
            (Some(result), _) | (None, Some(result)) => Ok(result),
            (None, None) => Err((SkipReason::NoResult, format!("the result is {tag:?}"))),
        }
    }

    /// The result, if the game can be kept.
    fn checked(
        &mut self,
        result: Result<i8, (SkipReason, String)>,
    ) -> Result<i8, (SkipReason, String)> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let result = result?;
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
        Ok(result)
    }
}

/// The one legal move meant by `san`. As in other readers a missing or needless `x` is no error.
fn legal_move<P: Position>(san: San, position: &P) -> Option<Move> {
    san.to_move(position).ok().or_else(|| match san {
        San::Normal { role, file, rank, capture, to, promotion } => {
            let capture = !capture;
            San::Normal { role, file, rank, capture, to, promotion }.to_move(position).ok()
        }
        _ => None,
    })
}

impl Tags {
    fn set(&mut self, name: &[u8], value: RawTag<'_>) {
        let text = || Some(value.decode_utf8_lossy().into_owned());
        match name {
            b"Event" => self.event = text(),
            b"White" => self.white = text(),
            b"Black" => self.black = text(),
            b"Result" => self.result = text(),
            b"FEN" => self.fen = text(),
            b"Variant" => self.variant = text(),
            b"WhiteElo" => self.white_elo = rating(value.as_bytes()),
            b"BlackElo" => self.black_elo = rating(value.as_bytes()),
            b"Date" => self.date = date(value.as_bytes()).or(self.date),
            b"UTCDate" => self.date = self.date.or_else(|| date(value.as_bytes())),
            _ => {}
        }
    }

    /// `White – Black, event, date`, as far as known.
    fn title(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".into());
        let mut title = format!("{} – {}", name(&self.white), name(&self.black));
        if let Some(event) = &self.event {
            title.push_str(", ");
            title.push_str(event);
        }
        if let Some(date) = &self.date {
            title.push_str(", ");
            title.push_str(&String::from_utf8_lossy(date));
        }
        title
    }
}

/// A rating; anything that is not a plain number from 1 to 9999 counts as unknown.
fn rating(text: &[u8]) -> Option<i16> {
    let number = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    (1..=9_999).contains(&number).then_some(number)
}

/// A date as PGN writes it, `2024.05.??`, if any part of it is known.
fn date(text: &[u8]) -> Option<[u8; 10]> {
    let date: [u8; 10] = text.trim_ascii().try_into().ok()?;
    let fits = date.iter().enumerate().all(|(i, byte)| match i {
        4 | 7 => *byte == b'.',
        _ => byte.is_ascii_digit() || *byte == b'?',
    });
    (fits && date[0] != b'?').then_some(date)
}

impl<R: Rules> Visitor for Collector<'_, R> {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tag(&mut self, (): &mut (), name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        self.tagged = true;
        self.tags.set(name, value);
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), san: SanPlus) -> ControlFlow<()> {
        if !self.started {
            self.start();
        }
        self.play(san.san);
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, (): &mut (), outcome: Outcome) -> ControlFlow<()> {
        // A second result after the first belongs to no game.
        if self.pending() {
            self.finish(Some(outcome), false);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}
