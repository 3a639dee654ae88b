//! PGN files to columns of games, those of every game apart.
//!
//! Moves, result, players, ratings, date and start position are kept; comments, glyphs and variations
//! are dropped. No move of a game that is kept is left out: a word that can be no move refuses its
//! game, unless the moves before it are asked for. A game that cannot be used is counted by its
//! variant and reason and named with the line it begins on; it never stops the others.

mod columns;
mod game;
mod kinds;
mod openings;
mod options;
mod report;
mod source;
mod split;
mod standings;
mod tags;
mod tokens;
mod words;

use std::collections::HashSet;
use std::path::Path;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::rng::mix;
use crate::threads;

pub use columns::Columns;
pub use kinds::Kind;
pub use openings::{Opening, has_tags, read_openings};
pub use options::{Month, Options};
pub use report::{Counts, Noted, Report, SkipReason, Skipped, nothing_kept};
pub use source::read_text;
pub use standings::Top;

use game::{Assumed, Close, Game, Skip};
use report::NAMED_ALWAYS;
use source::{Source, each_text};
use split::{Batch, RawGame, Splitter};
use standings::Standings;

/// The games of one text between two boundaries; nearly always one.
type Parsed = Vec<std::result::Result<Game, Skip>>;

/// Games that a task of the thread pool parses at least.
const GRAIN: usize = 32;

/// Reads PGN files one after the other into the same columns.
pub struct Importer {
    options: Options,
    kinds: Vec<Kind>,
    piles: Vec<Pile>,
    report: Report,
    seen: HashSet<u128>,
}

/// What was kept of one kind, and the ratings of its players if they are asked for.
#[derive(Default)]
struct Pile {
    columns: Columns,
    standings: Standings,
}

/// Games of one kind that were kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// The name of the game.
    pub game: &'static str,
    /// The games.
    pub columns: Columns,
    /// Where the best players begin, if only their games were asked for.
    pub top: Option<Top>,
}

impl Importer {
    /// An importer of games of these kinds that has read nothing.
    ///
    /// If a value of the tag `Variant` means several of them it is the first, unless another is the
    /// only one that the options want.
    pub fn new(options: Options, kinds: &[Kind]) -> Result<Self> {
        if let Some(game) = &options.game
            && !kinds.iter().any(|kind| kind.name() == game)
        {
            let known: Vec<&str> = kinds.iter().map(Kind::name).collect();
            let known = known.join(", ");
            let message = format!("{game:?}: PGN is read of {known}");
            return Err(Error::UnknownGame(message));
        }
        Ok(Self {
            options,
            kinds: kinds.to_vec(),
            piles: kinds.iter().map(|_| Pile::default()).collect(),
            report: Report::default(),
            seen: HashSet::new(),
        })
    }

    /// The report so far.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The games of every kind of which some were kept, in the order of the kinds, and the report.
    pub fn finish(mut self) -> (Vec<Kept>, Report) {
        let mut kept = Vec::new();
        for (kind, pile) in self.kinds.iter().zip(self.piles) {
            let top = self.options.top_players.and_then(|share| pile.standings.top(share));
            let found = pile.columns.len();
            let columns = match (top, self.options.top_players) {
                (Some(top), _) => {
                    let is_best: Vec<bool> = pile
                        .columns
                        .names
                        .iter()
                        .map(|name| pile.standings.is_among(top, name))
                        .collect();
                    pile.columns.retained(|players| {
                        players.iter().all(|&player| {
                            usize::try_from(player).is_ok_and(|player| is_best[player])
                        })
                    })
                }
                // Without ratings nobody is known to be among the best.
                (None, Some(_)) => Columns::default(),
                (None, None) => pile.columns,
            };
            for _ in columns.len()..found {
                self.report.skip(Some(kind.name()), SkipReason::NotTopPlayers);
            }
            if !columns.is_empty() {
                kept.push(Kept { game: kind.name(), columns, top });
            }
        }
        (kept, self.report)
    }

    /// Reads a file, plain or compressed by gzip, bzip2, xz or zstd, or the members of a zip or tar
    /// archive that are PGN. `progress` is called after every few megabytes of text; its error ends the
    /// reading.
    pub fn read(
        &mut self,
        path: &Path,
        mut progress: impl FnMut(&Report) -> Result<()>,
    ) -> Result<()> {
        each_text(path, |member, source| {
            let member = member.map(|name| format!(": {name}")).unwrap_or_default();
            self.report.files.push(format!("{}{member}", path.display()));
            self.read_source(source, &mut progress)
        })
    }

    fn read_source(
        &mut self,
        source: &mut Source<'_>,
        progress: &mut impl FnMut(&Report) -> Result<()>,
    ) -> Result<()> {
        let mut splitter = Splitter::default();
        let mut block = source.next_block();
        while let Some(text) = block {
            self.report.bytes += text.len() as u64;
            let batch = splitter.push(&text);
            // The next block is decompressed while the games of this one are parsed.
            let (parsed, next) = self.parse(&batch, false, || source.next_block())?;
            block = next;
            self.add(&batch, parsed);
            progress(&self.report)?;
        }
        let batch = splitter.finish();
        let damaged = source.damage().is_some();
        let (parsed, ()) = self.parse(&batch, damaged, || ())?;
        self.add(&batch, parsed);
        if let Some(damage) = source.damage() {
            self.report.damaged.push((self.file(), damage.to_string()));
        }
        Ok(())
    }

    /// Reads text that is in memory.
    pub fn read_text(&mut self, text: &[u8]) -> Result<()> {
        self.report.files.push("text".into());
        self.report.bytes += text.len() as u64;
        let mut splitter = Splitter::default();
        for batch in [splitter.push(text), splitter.finish()] {
            let (parsed, ()) = self.parse(&batch, false, || ())?;
            self.add(&batch, parsed);
        }
        Ok(())
    }

    /// The index of the text that is being read.
    fn file(&self) -> usize {
        self.report.files.len().saturating_sub(1)
    }

    fn parse<T: Send>(
        &self,
        batch: &Batch,
        damaged: bool,
        meanwhile: impl FnOnce() -> T + Send,
    ) -> Result<(Vec<Parsed>, T)> {
        let options = &self.options;
        let parse = |raw: &RawGame| parsed(batch, raw, damaged, &self.kinds, options);
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
                match game {
                    Ok(game) => self.keep(raw.line, game),
                    Err(skip) => self.skip(raw.line, skip),
                }
            }
        }
    }

    /// Keeps a game, unless it is a duplicate and these are dropped.
    fn keep(&mut self, line: u64, game: Game) {
        let name = self.kinds[game.kind].name();
        if self.options.deduplicate && !self.seen.insert(fingerprint(&game)) {
            let message = "the same start and moves as a game before".into();
            let skip = Skip::unread(SkipReason::Duplicate, message);
            return self.skip(line, Skip { variant: Some(name.into()), ..skip });
        }
        let file = self.file();
        self.report.found(Some(name));
        self.report.note(game.assumed, name, file, line);
        self.rank(&game);
        self.piles[game.kind].columns.push(game, file);
    }

    fn skip(&mut self, line: u64, skip: Skip) {
        let Skip { reason, message, title, variant, unwanted, assumed } = skip;
        let file = self.file();
        self.report.note(Assumed { kind: false, ..assumed }, "", file, line);
        if let Some(game) = unwanted {
            self.rank(&game);
        }
        self.report.found(variant.as_deref());
        self.report.skip(variant.as_deref(), reason);
        if self.report.named.len() < self.options.max_named.max(NAMED_ALWAYS) {
            self.report.named.push(Skipped { file, line, reason, message, title });
        }
    }

    /// Counts a game's players among those of whom the best are asked for.
    fn rank(&mut self, game: &Game) {
        if self.options.top_players.is_some() {
            self.piles[game.kind].standings.add(&game.players, game.ratings);
        }
    }
}

/// Reads one game's text; `damaged` is whether what comes after the last one is lost.
fn parsed(
    batch: &Batch,
    raw: &RawGame,
    damaged: bool,
    kinds: &[Kind],
    options: &Options,
) -> Parsed {
    if raw.oversize {
        let message = "no end of the game was found; is this PGN?".into();
        return vec![Err(Skip::unread(SkipReason::TooLong, message))];
    }
    if raw.torn {
        let message = "a comment among its tags is never closed".into();
        return vec![Err(Skip::unread(SkipReason::Unreadable, message))];
    }
    if raw.mixed {
        let message = "text that is no tag stands among its tags".into();
        return vec![Err(Skip::unread(SkipReason::Unreadable, message))];
    }
    let close = match raw {
        _ if raw.last && damaged => Close::Damaged,
        _ if raw.abrupt => Close::Abrupt,
        _ => Close::Whole,
    };
    game::read(&batch.text[raw.range.clone()], close, kinds, options)
}

/// 128 bits that two games share only if kind, start and moves are the same, as good as surely.
fn fingerprint(game: &Game) -> u128 {
    let start = game.start_fen.as_deref().unwrap_or_default().bytes().map(u64::from);
    let moves = game.actions.iter().map(|&action| u64::from(action) + 256);
    let (mut low, mut high) = (1_u64, 2 + game.kind as u64);
    for word in start.chain(moves) {
        low = mix(low ^ word);
        high = mix(high.rotate_left(23).wrapping_add(word));
    }
    u128::from(high) << 64 | u128::from(low)
}

#[cfg(test)]
mod tests;
