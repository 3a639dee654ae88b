//! Which games are kept.

use super::report::SkipReason;
use super::tags::Tags;

/// Which games are kept.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools)] // each is an option of its own
pub struct Options {
    /// The only game that is read; `None` for all.
    pub game: Option<String>,
    /// Games with fewer plies are skipped; those without moves always are.
    pub min_plies: usize,
    /// Games in which a player has a lower rating, or none, are skipped.
    pub min_rating: Option<i16>,
    /// Games in which a player is not among this share of the best are skipped.
    pub top_players: Option<f64>,
    /// Games whose tag `Termination` does not contain this, whatever the case, are skipped.
    pub termination: Option<String>,
    /// The first month of games that are kept.
    pub from: Option<Month>,
    /// The last month of games that are kept.
    pub to: Option<Month>,
    /// Whether only the first of all games with the same start and moves is kept.
    pub deduplicate: bool,
    /// Whether a game with a fault among its moves is kept up to there, and marked.
    pub salvage: bool,
    /// How many skipped games are to be named; the report has the first few of them in any case.
    pub max_named: usize,
    /// Whether games are read as openings: without a result, perhaps without moves, and of the game
    /// asked for where no tag says of which.
    pub openings: bool,
    /// The most plies that are read of a game.
    pub plies: Option<usize>,
    /// Whether the evaluations that comments give are kept.
    pub evals: bool,
    /// Threads; `None` for the default.
    pub threads: Option<usize>,
}

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    /// The year, from 0 to 9999.
    pub year: u16,
    /// The month, from 1 to 12.
    pub month: u8,
}

impl Month {
    /// Reads `YYYY-MM`.
    pub fn parse(text: &str) -> Option<Self> {
        let (year, month) = text.split_once('-')?;
        let digits = |text: &str, length| {
            (text.len() == length && text.bytes().all(|b| b.is_ascii_digit())).then_some(())
        };
        digits(year, 4).and(digits(month, 2))?;
        let (year, month) = (year.parse().ok()?, month.parse().ok()?);
        (1..=12).contains(&month).then_some(Self { year, month })
    }

    /// The first and the last month that a date of PGN, `2024.??.??`, can mean.
    fn span(date: &[u8; 10]) -> (Self, Self) {
        let number = |digits: &[u8], unknown: u8| {
            digits.iter().fold(0_u16, |number, &digit| {
                let digit = if digit == b'?' { unknown } else { digit };
                number * 10 + u16::from(digit - b'0')
            })
        };
        let month = |unknown| number(&date[5..7], unknown).clamp(1, 12) as u8;
        (
            Self { year: number(&date[..4], b'0'), month: month(b'0') },
            Self { year: number(&date[..4], b'9'), month: month(b'9') },
        )
    }
}

impl Options {
    /// Why a game that could be read is not wanted, if it is not: by its length, then its tags.
    pub(super) fn refuse(&self, plies: usize, tags: &Tags) -> Option<(SkipReason, String)> {
        let least = self.min_plies;
        if plies < least {
            return Some((SkipReason::TooShort, format!("{plies} plies, fewer than {least}")));
        }
        if let Some(least) = self.min_rating {
            let ratings = [tags.white_elo, tags.black_elo];
            if ratings.iter().any(|rating| rating.is_none_or(|rating| rating < least)) {
                let [white, black] = ratings.map(|r| r.map_or("none".into(), |r| r.to_string()));
                let message = format!("ratings {white} and {black}, not both at least {least}");
                return Some((SkipReason::LowRating, message));
            }
        }
        if let Some(wanted) = &self.termination {
            let given = tags.termination.as_deref().unwrap_or_default();
            if !given.to_lowercase().contains(&wanted.to_lowercase()) {
                let message = format!("the tag Termination is {given:?}");
                return Some((SkipReason::Termination, message));
            }
        }
        (self.from.is_some() || self.to.is_some()).then_some(())?;
        let inside = tags.date.is_some_and(|date| {
            let (earliest, latest) = Month::span(&date);
            self.from.is_none_or(|from| from <= earliest) && self.to.is_none_or(|to| latest <= to)
        });
        let date = tags.date.as_ref().map(|date| String::from_utf8_lossy(date));
        (!inside).then(|| {
            (SkipReason::Month, format!("the date is {}", date.as_deref().unwrap_or("unknown")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_strictly() {
        assert_eq!(Month::parse("2012-09"), Some(Month { year: 2012, month: 9 }));
        for text in ["2012", "2012-9", "2012-00", "2012-13", "2012-09-01", "12-09", "+012-09", ""] {
            assert_eq!(Month::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_with_unknown_digits_may_mean_any_month() {
        let span = |date: &[u8; 10]| {
            let (first, last) = Month::span(date);
            (first.year, first.month, last.year, last.month)
        };
        assert_eq!(span(b"2024.05.??"), (2024, 5, 2024, 5));
        assert_eq!(span(b"2024.??.??"), (2024, 1, 2024, 12));
        assert_eq!(span(b"202?.1?.??"), (2020, 10, 2029, 12));
    }
}
