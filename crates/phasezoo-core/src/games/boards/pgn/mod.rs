//! PGN files to columns of games.
//!
//! Moves, result, ratings, date and start position are kept; comments, glyphs and variations are
//! dropped. No move of a game that is kept is left out: a word that can be no move refuses its game.
//! A game that cannot be used is counted by its reason and named with the line it begins on; it never
//! stops the others.

mod game;
mod source;
mod split;
mod tags;
mod tokens;
mod words;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::games::Rules;
use crate::rng::mix;
use crate::threads;

use game::{Close, Game, Skip};
use source::Source;
use split::{Batch, RawGame, Splitter};

/// The games of one text between two boundaries; nearly always one.
type Parsed = Vec<std::result::Result<Game, Skip>>;

/// Games that a task of the thread pool parses at least.
const GRAIN: usize = 32;

/// Which games are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Games with fewer plies are skipped; those without moves always are.
    pub min_plies: usize,
    /// Games in which a player has a lower rating, or none, are skipped.
    pub min_rating: Option<i16>,
    /// Whether only the first of all games with the same start and moves is kept.
    pub deduplicate: bool,
    /// Whether a game with a fault among its moves is kept up to there, and marked.
    pub salvage: bool,
    /// How many skipped games the report names; the others are counted only.
    pub max_named: usize,
    /// Threads; `None` for the default.
    pub threads: Option<usize>,
}

/// Why a game was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SkipReason {
    /// A move that is not legal, or could be one of several.
    IllegalMove,
    /// A start position that is none.
    InvalidFen,
    /// A game of another variant.
    Variant,
    /// A word among the moves that can be no move.
    NotAMove,
    /// A pass.
    NullMove,
    /// A bracket without its partner, a start that cannot be read, or moves after the result.
    Unreadable,
    /// A game longer than is looked at.
    TooLong,
    /// The file is damaged, or tags begin, before the game ends.
    Unfinished,
    /// The result is unknown or open.
    NoResult,
    /// The tag and the end of the moves give different results.
    ResultsDiffer,
    /// A result without moves.
    NoMoves,
    /// Fewer plies than asked for.
    TooShort,
    /// A rating lower than asked for, or none.
    LowRating,
    /// The same start and moves as a game before.
    Duplicate,
}

impl SkipReason {
    /// Whether the moves before the fault were read as they stand.
    fn is_in_moves(self) -> bool {
        matches!(self, Self::IllegalMove | Self::NotAMove | Self::NullMove | Self::Unreadable)
    }

    /// The reason in a few words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal move",
            Self::InvalidFen => "invalid start position",
            Self::Variant => "other variant",
            Self::NotAMove => "not a move",
            Self::NullMove => "null move",
            Self::Unreadable => "unreadable text",
            Self::TooLong => "longer than 4 MiB",
            Self::Unfinished => "cut off",
            Self::NoResult => "no result",
            Self::ResultsDiffer => "contradictory results",
            Self::NoMoves => "no moves",
            Self::TooShort => "too short",
            Self::LowRating => "rating too low",
            Self::Duplicate => "duplicate",
        }
    }
}

/// A game that was skipped.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// Index of its file, in the order in which they were read.
    pub file: usize,
    /// The line on which its text begins, from 1.
    pub line: u64,
    /// Why.
    pub reason: SkipReason,
    /// Why, in detail.
    pub message: String,
    /// Players, event and date, as far as known.
    pub title: String,
}

/// Games in columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// All moves, one game after the other ([`crate::games::PackedMove`]).
    pub moves: Vec<u16>,
    /// Where each game's moves begin, and the end of the last.
    pub offsets: Vec<i64>,
    /// +1 White won, 0 drawn, -1 Black won.
    pub result: Vec<i8>,
    /// Games that do not start from the initial position, ascending, with their FEN.
    pub start_fens: Vec<(usize, String)>,
    /// White's rating, 0 where unknown.
    pub white_elo: Vec<i16>,
    /// Black's rating, 0 where unknown.
    pub black_elo: Vec<i16>,
    /// `YYYY.MM.DD` with `?` for unknown digits; zero bytes where nothing is known.
    pub dates: Vec<[u8; 10]>,
    /// Games that end before a fault of their text, ascending; empty unless asked for.
    pub salvaged: Vec<usize>,
}

/// What was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Games found, kept or not.
    pub games: u64,
    /// Bytes of text, after decompression.
    pub bytes: u64,
    /// Skipped games by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// The first skipped games.
    pub named: Vec<Skipped>,
    /// Files whose end is damaged, and how; what came before it was read.
    pub damaged: Vec<(usize, String)>,
}

/// Reads PGN files one after the other into the same columns.
pub struct Importer {
    options: Options,
    columns: Columns,
    report: Report,
    seen: HashSet<u128>,
    files: usize,
}

impl Importer {
    /// An importer that has read nothing.
    pub fn new(options: Options) -> Self {
        let columns = Columns { offsets: vec![0], ..Columns::default() };
        Self { options, columns, report: Report::default(), seen: HashSet::new(), files: 0 }
    }

    /// The report so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The columns and the report.
    pub fn finish(self) -> (Columns, Report) {
        (self.columns, self.report)
    }

    /// Reads a file, plain or compressed by gzip, bzip2 or zstd. `progress` is called after every few
    /// megabytes of text; its error ends the reading.
    pub fn read<R: Rules>(
        &mut self,
        path: &Path,
        mut progress: impl FnMut(&Report) -> Result<()>,
    ) -> Result<()> {
        let mut source = Source::open(path)?;
        let mut splitter = Splitter::default();
        let mut block = source.next_block();
        while let Some(text) = block {
            self.report.bytes += text.len() as u64;
            let batch = splitter.push(&text);
            // The next block is decompressed while the games of this one are parsed.
            let (parsed, next) = self.parse::<R, _>(&batch, false, || source.next_block())?;
            block = next;
            self.add(&batch, parsed);
            progress(&self.report)?;
        }
        let batch = splitter.finish();
        let damaged = source.damage().is_some();
        let (parsed, ()) = self.parse::<R, _>(&batch, damaged, || ())?;
        self.add(&batch, parsed);
        if let Some(damage) = source.damage() {
            self.report.damaged.push((self.files, damage.to_string()));
        }
        self.files += 1;
        Ok(())
    }

    /// Reads text that is in memory.
    pub fn read_text<R: Rules>(&mut self, text: &[u8]) -> Result<()> {
        self.report.bytes += text.len() as u64;
        let mut splitter = Splitter::default();
        for batch in [splitter.push(text), splitter.finish()] {
            let (parsed, ()) = self.parse::<R, _>(&batch, false, || ())?;
            self.add(&batch, parsed);
        }
        self.files += 1;
        Ok(())
    }

    fn parse<R: Rules, T: Send>(
        &self,
        batch: &Batch,
        damaged: bool,
        meanwhile: impl FnOnce() -> T + Send,
    ) -> Result<(Vec<Parsed>, T)> {
        let options = &self.options;
        let parse = |raw: &RawGame| {
            if raw.oversize {
                return vec![Err(Skip {
                    reason: SkipReason::TooLong,
                    message: "no end of the game was found; is this PGN?".into(),
                    title: String::new(),
                })];
            }
            let close = match raw {
                _ if raw.last && damaged => Close::Damaged,
                _ if raw.abrupt => Close::Abrupt,
                _ => Close::Whole,
            };
            game::read::<R>(&batch.text[raw.range.clone()], close, options)
        };
        threads::install(options.threads, || {
            rayon::join(
                || batch.games.par_iter().with_min_len(GRAIN).map(parse).collect(),
                meanwhile,
            )
        })
    }

    fn add(&mut self, batch: &Batch, parsed: Vec<Parsed>) {
        for (raw, games) in batch.games.iter().zip(parsed) {
            for game in games {
                self.report.games += 1;
                match game {
                    Ok(game) if self.seen_before(&game) => self.skip(
                        raw.line,
                        Skip {
                            reason: SkipReason::Duplicate,
                            message: "the same start and moves as a game before".into(),
                            title: String::new(),
                        },
                    ),
                    Ok(game) => self.columns.push(game),
                    Err(skip) => self.skip(raw.line, skip),
                }
            }
        }
    }

    /// Whether duplicates are dropped and this game is one. Remembers it.
    fn seen_before(&mut self, game: &Game) -> bool {
        self.options.deduplicate && !self.seen.insert(fingerprint(game))
    }

    fn skip(&mut self, line: u64, skip: Skip) {
        *self.report.skipped.entry(skip.reason).or_default() += 1;
        if self.report.named.len() < self.options.max_named {
            let Skip { reason, message, title } = skip;
            self.report.named.push(Skipped { file: self.files, line, reason, message, title });
        }
    }
}

impl Columns {
    fn push(&mut self, game: Game) {
        if game.salvaged {
            self.salvaged.push(self.result.len());
        }
        if let Some(fen) = game.start_fen {
            self.start_fens.push((self.result.len(), fen));
        }
        self.moves.extend(game.moves.iter().map(|packed| packed.0));
        self.offsets.push(self.moves.len() as i64);
        self.result.push(game.result);
        self.white_elo.push(game.white_elo.unwrap_or_default());
        self.black_elo.push(game.black_elo.unwrap_or_default());
        self.dates.push(game.date.unwrap_or_default());
    }
}

/// 128 bits that two games share only if start and moves are the same, as good as surely.
fn fingerprint(game: &Game) -> u128 {
    let start = game.start_fen.as_deref().unwrap_or_default().bytes().map(u64::from);
    let moves = game.moves.iter().map(|packed| u64::from(packed.0) + 256);
    let (mut low, mut high) = (1_u64, 2_u64);
    for word in start.chain(moves) {
        low = mix(low ^ word);
        high = mix(high.rotate_left(23).wrapping_add(word));
    }
    u128::from(high) << 64 | u128::from(low)
}

/// The error of files that hold no game that can be used.
pub fn nothing_kept(names: &[String], report: &Report) -> Error {
    let mut found: Vec<String> = report
        .skipped
        .iter()
        .map(|(reason, count)| format!("{count} {}", reason.as_str()))
        .chain(report.damaged.iter().map(|(file, damage)| match names.get(*file) {
            Some(name) => format!("{name} is {damage}"),
            None => damage.clone(),
        }))
        .collect();
    if found.is_empty() {
        found.push("no game at all".into());
    }
    Error::InvalidPgn(format!(
        "{}: none of {} games can be used ({}); is this PGN with results?",
        names.join(", "),
        report.games,
        found.join(", ")
    ))
}

#[cfg(test)]
mod tests;
