//! What was read of PGN, and what was not.

use std::collections::BTreeMap;

use super::game::Assumed;
use crate::error::Error;

/// Variants that the report keeps apart; games of others beyond are counted together.
const MOST_VARIANTS: usize = 64;

/// Skipped games, and unknown variants, that are named in any case.
pub(super) const NAMED_ALWAYS: usize = 3;

/// Why a game was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SkipReason {
    /// A move that is not legal, or could be one of several.
    IllegalMove,
    /// A start position that is none.
    InvalidFen,
    /// A game of another variant than the one asked for.
    OtherVariant,
    /// A game of a variant that nobody here knows.
    UnknownVariant,
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
    /// A player who is not among the best.
    NotTopPlayers,
    /// Another way of ending than asked for.
    Termination,
    /// A date that is not surely in the months asked for.
    Month,
    /// The same start and moves as a game before.
    Duplicate,
}

impl SkipReason {
    /// Whether the moves before the fault were read as they stand.
    pub(super) fn is_in_moves(self) -> bool {
        matches!(self, Self::IllegalMove | Self::NotAMove | Self::NullMove | Self::Unreadable)
    }

    /// The reasons of games that can be read, and were not asked for.
    pub const OF_CHOICE: [Self; 6] = [
        Self::TooShort,
        Self::LowRating,
        Self::NotTopPlayers,
        Self::Termination,
        Self::Month,
        Self::Duplicate,
    ];

    /// The reason in a few words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal move",
            Self::InvalidFen => "invalid start position",
            Self::OtherVariant => "another variant",
            Self::UnknownVariant => "unknown variant",
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
            Self::NotTopPlayers => "not both top players",
            Self::Termination => "another termination",
            Self::Month => "outside the months",
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

/// Games found, and those of them that were skipped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Games found, kept or not.
    pub games: u64,
    /// Skipped games by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
}

/// How many games something was true of, and which is the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Games.
    pub games: u64,
    /// Index of the text of the first.
    pub file: usize,
    /// The line on which the first begins, from 1.
    pub line: u64,
}

/// What was read, and what was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The texts in the order in which they were read: files, and members of archives.
    pub files: Vec<String>,
    /// Games found, kept or not.
    pub games: u64,
    /// Bytes of text, after decompression.
    pub bytes: u64,
    /// Skipped games by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// The same by variant: the name of the game, or what an unknown variant calls itself.
    pub variants: BTreeMap<String, Counts>,
    /// The first skipped games: as many as were to be named, and a few in any case.
    pub named: Vec<Skipped>,
    /// Games with tags that are no UTF-8 and were read as Windows-1252.
    pub decoded: Option<Noted>,
    /// Games whose kind was told by their start position, because no tag said it; by that kind.
    pub assumed: BTreeMap<&'static str, Noted>,
    /// Files whose end is damaged, and how; what came before it was read.
    pub damaged: Vec<(usize, String)>,
}

impl Report {
    /// Counts a game that was found; its variant is not known if nobody looked.
    pub(super) fn found(&mut self, variant: Option<&str>) {
        self.games += 1;
        if let Some(variant) = variant {
            self.counts(variant).games += 1;
        }
    }

    /// Counts a game that was found among the skipped.
    pub(super) fn skip(&mut self, variant: Option<&str>, reason: SkipReason) {
        *self.skipped.entry(reason).or_default() += 1;
        if let Some(variant) = variant {
            *self.counts(variant).skipped.entry(reason).or_default() += 1;
        }
    }

    /// Counts what was taken for granted of a game.
    pub(super) fn note(&mut self, assumed: Assumed, kind: &'static str, file: usize, line: u64) {
        let first = Noted { games: 0, file, line };
        if assumed.encoding {
            self.decoded.get_or_insert(first).games += 1;
        }
        if assumed.kind {
            self.assumed.entry(kind).or_insert(first).games += 1;
        }
    }

    fn counts(&mut self, variant: &str) -> &mut Counts {
        let is_known = self.variants.contains_key(variant);
        let is_apart = is_known || self.variants.len() < MOST_VARIANTS;
        self.variants.entry(if is_apart { variant } else { "…" }.into()).or_default()
    }
}

/// The error of files that hold no game that can be used: where they are, and why they cannot.
pub fn nothing_kept(names: &[String], report: &Report) -> Error {
    let damaged = report.damaged.iter().map(|(file, damage)| match report.files.get(*file) {
        Some(name) => format!("{name} is {damage}"),
        None => damage.clone(),
    });
    let counted =
        report.skipped.iter().map(|(reason, count)| format!("{count} {}", reason.as_str()));
    let mut found: Vec<String> = counted.chain(damaged).collect();
    if found.is_empty() {
        found.push("no game at all".into());
    }
    let first: Vec<String> = report
        .named
        .iter()
        .take(NAMED_ALWAYS)
        .map(|skipped| {
            let Skipped { file, line, reason, message, .. } = skipped;
            let name = report.files.get(*file).filter(|_| report.files.len() > 1);
            let name = name.map(|name| format!("{name}, ")).unwrap_or_default();
            format!("; {name}line {line}: {}: {message}", reason.as_str())
        })
        .collect();
    Error::InvalidPgn(format!(
        "{}: none of {} games can be used ({}); {}{}",
        names.join(", "),
        report.games,
        found.join(", "),
        advice(report),
        first.concat()
    ))
}

/// What to do if nothing was kept.
fn advice(report: &Report) -> String {
    let others: Vec<(&str, u64)> = report
        .variants
        .iter()
        .filter_map(|(name, of)| Some((name.as_str(), *of.skipped.get(&SkipReason::OtherVariant)?)))
        .collect();
    if let Some((most, _)) = others.iter().max_by_key(|(_, games)| games) {
        let held: Vec<String> =
            others.iter().map(|(name, games)| format!("{games} of {name}")).collect();
        let rest = if others.len() > 1 {
            "; without --game, and with a folder as the store, all of them are imported"
        } else {
            ""
        };
        return format!(
            "there are {}: --game {most} imports them (in Python game=\"{most}\"){rest}",
            held.join(", ")
        );
    }
    let mut unknown: Vec<(u64, &str)> = report
        .variants
        .iter()
        .filter_map(|(name, of)| {
            Some((*of.skipped.get(&SkipReason::UnknownVariant)?, name.as_str()))
        })
        .collect();
    if !unknown.is_empty() {
        unknown.sort_by_key(|&(games, name)| (std::cmp::Reverse(games), name));
        let named: Vec<String> = unknown
            .iter()
            .take(NAMED_ALWAYS)
            .map(|(games, name)| format!("{games} of {name}"))
            .collect();
        let more = match unknown.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return format!("there are variants that are not known here: {}{more}", named.join(", "));
    }
    if report.skipped.keys().all(|reason| SkipReason::OF_CHOICE.contains(reason))
        && !report.skipped.is_empty()
    {
        return "all that can be read is left out by the options: ask for less".into();
    }
    "is this PGN with results?".into()
}
