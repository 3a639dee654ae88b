//! Tags of a game: `[Name "value"]`.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;
use memchr::{memchr, memchr3};

use super::game::shown;
use super::tokens::{Scanner, is_line_end, line_length, without_space};

/// Bytes of the longest name that is looked at.
const LONGEST_NAME: usize = 11;

/// What the tags of a game say.
#[derive(Default)]
pub(super) struct Tags {
    pub(super) event: Option<String>,
    pub(super) white: Option<String>,
    pub(super) black: Option<String>,
    pub(super) result: Option<String>,
    pub(super) white_elo: Option<i16>,
    pub(super) black_elo: Option<i16>,
    pub(super) date: Option<[u8; 10]>,
    pub(super) fen: Option<String>,
    pub(super) variant: Option<String>,
    pub(super) termination: Option<String>,
    /// Whether some value is no UTF-8 and was read as Windows-1252.
    pub(super) decoded: bool,
    /// Whether moves follow a tag that lacks its bracket, so that no tag can come.
    is_over: bool,
    /// Bytes of the text from the end of the line on that was looked at last, which holds for all tags
    /// of that line: looking for it anew for each would take the square of the line's length.
    behind_line: Option<usize>,
}

/// How a value that begins in a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueEnd {
    /// Its length, without the quotes, and how far its tag goes.
    Here { length: usize, whole: usize },
    /// Not in this line; if no later line ends it, it is what stands before this line's first quote.
    Later { first_quote: Option<usize> },
}

/// Text as it was meant: UTF-8, and the bytes that are none Windows-1252; whether there are such.
///
/// What a byte means depends on its neighbours alone, not on where its text begins or ends. The five
/// bytes that Windows-1252 leaves open are control characters.
pub(super) fn decoded(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), false);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    (Cow::Owned(text), true)
}

/// Whether a line begins with something like `[Name "`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    name_and_value(line).is_some()
}

/// The name of the tag that a text begins with, and what stands behind the quote before its value.
/// White space, line ends too, may stand before each of them.
pub(super) fn name_and_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = without_space(text).strip_prefix(b"[")?;
    let (name, rest) = split_name(rest);
    let value = rest.strip_prefix(b"\"")?;
    (!name.is_empty()).then_some((name, value))
}

/// Whether a line is the front of a tag whose value stands on a later line.
pub(super) fn is_front_of_tag(line: &[u8]) -> bool {
    without_space(line).strip_prefix(b"[").is_some_and(|inside| split_name(inside).1.is_empty())
}

/// Whether a line that begins with a bracket, and with no tag that can be read, was meant as a tag: no
/// moves stand behind it.
pub(super) fn is_broken_tag(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    match memchr(b']', line) {
        Some(at) => at + 1 == line.len(),
        None => line.strip_prefix(b"[").is_some_and(|inside| !split_name(inside).0.is_empty()),
    }
}

/// The name of a tag that begins a line and cannot be read, empty where moves may stand behind it.
pub(super) fn broken_name(line: &[u8]) -> &[u8] {
    let inside = line.strip_prefix(b"[").filter(|_| is_broken_tag(line));
    inside.map_or(&[], |inside| split_name(inside).0)
}

/// Whether a line of broken tags may be one without which the moves mean something else. What stands
/// between the letters of its name may be what cannot be seen.
fn is_decisive(line: &[u8]) -> bool {
    let kept = line.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte == b'[');
    let letters: String = kept.map(|&byte| char::from(byte).to_ascii_lowercase()).collect();
    letters.contains("[fen") || letters.contains("variant")
}

/// The name at the front, and what follows it.
fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let text = without_space(text);
    let length = text.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
    (&text[..length], without_space(&text[length..]))
}

/// How the value at the front of a line ends, the quote before it left out.
///
/// It ends at a quote before a bracket, so that quotes inside it do no harm. Where the bracket is
/// missing it ends at a quote that ends the line; otherwise it goes on on the next line.
pub(super) fn value_end(line: &[u8]) -> ValueEnd {
    // Nearly all values: the first quote ends them.
    if let Some(length) = memchr(b'"', line)
        && line.get(length + 1) == Some(&b']')
        && !line[..length].ends_with(b"\\")
    {
        return ValueEnd::Here { length, whole: length + 2 };
    }
    let (mut first, mut last, mut escaped) = (None, 0, false);
    for (at, &byte) in line.iter().enumerate() {
        if byte == b'"' && !escaped {
            let after = &line[at + 1..];
            let bracket = after.trim_ascii_start();
            if bracket.starts_with(b"]") {
                return ValueEnd::Here { length: at, whole: line.len() - bracket.len() + 1 };
            }
            first = first.or(Some(at));
            last = at;
        }
        escaped = byte == b'\\' && !escaped;
    }
    match first {
        Some(first) if line[last + 1..].trim_ascii().is_empty() => {
            ValueEnd::Here { length: first, whole: last + 1 }
        }
        first_quote => ValueEnd::Later { first_quote },
    }
}

/// Whether a value that is not closed cannot go on in this line: it is empty, or begins a tag.
pub(super) fn ends_open_value(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || is_tag(line) || is_front_of_tag(line)
}

/// The length of the value at the front, how far its tag goes, and whether it ends as it should; both
/// may go on over lines, of which the first has `line` bytes.
fn split_value(text: &[u8], line: usize) -> Option<(usize, usize, bool)> {
    let (length, whole, is_ended) = split_lines(text, line)?;
    let after = without_space(&text[whole..]);
    let is_closed_later = is_ended && !text[..whole].ends_with(b"]") && after.starts_with(b"]");
    let whole = if is_closed_later { text.len() - after.len() + 1 } else { whole };
    Some((length, whole, is_ended))
}

/// The same by the lines of the value alone.
fn split_lines(text: &[u8], line: usize) -> Option<(usize, usize, bool)> {
    let mut at = line;
    let first_quote = match value_end(&text[..at]) {
        ValueEnd::Here { length, whole } => return Some((length, whole, true)),
        ValueEnd::Later { first_quote } => first_quote,
    };
    while at < text.len() {
        let start = at + if text[at..].starts_with(b"\r\n") { 2 } else { 1 };
        at = start + line_length(&text[start..]);
        let line = &text[start..at];
        if ends_open_value(line) {
            break;
        }
        if let ValueEnd::Here { length, whole } = value_end(line) {
            return Some((start + length, start + whole, true));
        }
    }
    first_quote.map(|quote| (quote, quote + 1, false))
}

impl Tags {
    /// Reads the tag that begins here; false if there is none. One that is broken is passed over with
    /// its line, unless the moves need it.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<bool, String> {
        if self.is_over {
            return Ok(false);
        }
        let text = scanner.rest();
        let found = name_and_value(text).and_then(|(name, value)| {
            let behind = self.behind_line.filter(|&behind| behind <= value.len());
            let behind = behind.unwrap_or_else(|| value.len() - line_length(value));
            self.behind_line = Some(behind);
            let (length, whole, is_ended) = split_value(value, value.len() - behind)?;
            // What stands behind it in its line is text of moves.
            self.is_over = !is_ended;
            Some((name, &value[..length], text.len() - value.len() + whole))
        });
        if let Some((name, value, length)) = found {
            scanner.advance(length);
            return self.set(name, &plain(value)).map(|()| true);
        }
        let line = &text[..line_length(text)];
        if is_decisive(line) {
            scanner.advance(line.len());
            return Err(format!("the tag {} cannot be read", shown(line.trim_ascii())));
        }
        let is_broken = is_broken_tag(line);
        if is_broken {
            scanner.advance(line.len());
        }
        Ok(is_broken)
    }

    /// Keeps a value, whatever the case of its name.
    fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), String> {
        let mut lower = [0; LONGEST_NAME];
        let Some(lower) = lower.get_mut(..name.len()) else { return Ok(()) };
        lower.copy_from_slice(name);
        lower.make_ascii_lowercase();
        let kept = match &*lower {
            b"event" => &mut self.event,
            b"white" => &mut self.white,
            b"black" => &mut self.black,
            b"result" => &mut self.result,
            b"termination" => &mut self.termination,
            b"fen" => &mut self.fen,
            b"variant" => &mut self.variant,
            other => {
                match other {
                    b"whiteelo" => self.white_elo = rating(value),
                    b"blackelo" => self.black_elo = rating(value),
                    b"date" => self.date = date(value).or(self.date),
                    b"utcdate" => self.date = self.date.or_else(|| date(value)),
                    _ => {}
                }
                return Ok(());
            }
        };
        let (text, is_other) = decoded(value);
        self.decoded |= is_other;
        let before = kept.replace(text.into_owned());
        // Compared as they are read: a variant has any case, and space around a value says nothing.
        let is_same = before.as_deref().zip(kept.as_deref()).is_none_or(|(before, kept)| {
            let (before, kept) = (before.trim(), kept.trim());
            before == kept
                || (&*lower == b"variant" && before.to_lowercase() == kept.to_lowercase())
        });
        if matches!(&*lower, b"fen" | b"variant") && !is_same {
            let name = decoded(name).0;
            return Err(format!("the tag {name} stands twice, with different values"));
        }
        Ok(())
    }

    /// The start position; an empty one is the usual one.
    pub(super) fn fen(&self) -> Option<&str> {
        self.fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty())
    }

    /// +1, 0 or -1 by the tag; `None` where it is unknown or not given.
    pub(super) fn result(&self) -> Option<i8> {
        match self.result_text() {
            "1-0" => Some(1),
            "0-1" => Some(-1),
            "1/2-1/2" | "1/2" => Some(0),
            _ => None,
        }
    }

    /// What the tag of the result says.
    pub(super) fn result_text(&self) -> &str {
        self.result.as_deref().unwrap_or("*").trim()
    }

    /// The names of White and Black; those that say nothing (`?`) are none.
    pub(super) fn players(&self) -> [Option<String>; 2] {
        [&self.white, &self.black].map(|name| {
            let name = name.as_deref().unwrap_or_default().trim();
            (!matches!(name, "" | "?" | "-")).then(|| name.to_string())
        })
    }

    /// `White – Black, event, date`, as far as known.
    pub(super) fn title(&self) -> String {
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

/// A value without the backslashes that stand before quotes and backslashes, and on one line.
fn plain(value: &[u8]) -> Cow<'_, [u8]> {
    if memchr3(b'\\', b'\n', b'\r', value).is_none() {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if is_line_end(byte) {
            plain.truncate(plain.trim_ascii_end().len());
            while bytes.next_if(u8::is_ascii_whitespace).is_some() {}
            plain.push(b' ');
            continue;
        }
        let next = bytes.next_if(|next| byte == b'\\' && matches!(next, b'"' | b'\\'));
        plain.push(next.unwrap_or(byte));
    }
    Cow::Owned(plain)
}

/// A rating; anything that is not a plain number from 1 to 9999 counts as unknown.
fn rating(text: &[u8]) -> Option<i16> {
    let number = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    (1..=9_999).contains(&number).then_some(number)
}

/// A date as PGN writes it, `2024.05.??`, if any part of it is known.
///
/// Months and days that no calendar has, such as the zeros that some programs write, are unknown.
fn date(text: &[u8]) -> Option<[u8; 10]> {
    let mut date: [u8; 10] = text.trim_ascii().try_into().ok()?;
    let fits = date.iter().enumerate().all(|(i, byte)| match i {
        4 | 7 => *byte == b'.',
        _ => byte.is_ascii_digit() || *byte == b'?',
    });
    if !fits || date[0] == b'?' || date.starts_with(b"0000") {
        return None;
    }
    let impossible =
        |part: &[u8], most: &[u8]| !part.contains(&b'?') && (part == b"00" || part > most);
    if impossible(&date[5..7], b"12") {
        date[5..].copy_from_slice(b"??.??");
    } else if impossible(&date[8..], b"31") {
        date[8..].copy_from_slice(b"??");
    }
    Some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Tags, String) {
        let (mut scanner, mut tags) = (Scanner::new(text.as_bytes()), Tags::default());
        while scanner.peek() == Some(b'[') {
            tags.read(&mut scanner).unwrap();
        }
        (tags, String::from_utf8_lossy(scanner.rest()).into_owned())
    }

    #[test]
    fn tags_are_read_as_people_write_them() {
        let text = "[Event \"a]b\"][ White  \"A \"B\" C\" ]\n[Black \"x\\\"y\\\\\"]\r\n[junk]\n[Result \"1-0\"\n\
                    [WhiteElo \"2400\"] 1. e4";
        let (tags, rest) = read(text);
        assert_eq!(tags.event.as_deref(), Some("a]b"));
        assert_eq!(tags.white.as_deref(), Some("A \"B\" C"));
        assert_eq!(tags.black.as_deref(), Some("x\"y\\"));
        assert_eq!((tags.result(), tags.white_elo), (Some(1), Some(2400)));
        assert_eq!(rest, "1. e4");
    }

    #[test]
    fn names_are_read_in_any_case_and_values_over_lines() {
        let (tags, rest) = read(
            "[EVENT \"a\r\n  b\"]\n[white \"says \"hi\" to\rthe \"c\" \" ]\n\
                                 [fEn \"8/8 w\n- - 0 1\"]\n[variant \"x\"]\n[Site \"open\n[Black \"d\"\n\
                                 [BLACKELO \"2100\"]\n[Round \"1\n\ne4 \"]",
        );
        assert_eq!(tags.event.as_deref(), Some("a b"));
        assert_eq!(tags.white.as_deref(), Some("says \"hi\" to the \"c\" "));
        assert_eq!(tags.fen.as_deref(), Some("8/8 w - - 0 1"));
        assert_eq!((tags.variant.as_deref(), tags.black_elo), (Some("x"), Some(2100)));
        assert_eq!(tags.black.as_deref(), Some("d"), "the bracket is missing");
        assert_eq!(rest, "e4 \"]", "an empty line ends a value that is not closed");
    }

    #[test]
    fn what_is_no_utf8_is_windows_1252() {
        let mut tags = Tags::default();
        for (name, value) in
            [(&b"White"[..], &b"M\xfcller \x96 \x81"[..]), (b"Black", b"M\xf8ller")]
        {
            tags.set(name, value).unwrap();
        }
        assert_eq!(tags.white.as_deref(), Some("M\u{fc}ller \u{2013} \u{81}"));
        assert_eq!(tags.black.as_deref(), Some("M\u{f8}ller"));
        assert!(tags.decoded);
        let mut tags = Tags::default();
        tags.set(b"White", "Jiří".as_bytes()).unwrap();
        assert!(tags.white.as_deref() == Some("Jiří") && !tags.decoded);
    }

    #[test]
    fn tags_that_change_the_moves_must_not_contradict_each_other() {
        let mut tags = Tags::default();
        tags.set(b"FEN", b"a").unwrap();
        tags.set(b"Fen", b"a").unwrap();
        tags.set(b"fen", b" a ").unwrap();
        assert!(tags.set(b"fen", b"A").unwrap_err().contains("twice"), "the case says who moves");
        tags.set(b"Variant", b"Atomic").unwrap();
        tags.set(b"VARIANT", b"atomic ").unwrap();
        assert!(tags.set(b"variant", b"chess").unwrap_err().contains("twice"));
        tags.set(b"White", b"a").unwrap();
        tags.set(b"White", b"b").unwrap();
    }

    #[test]
    fn a_start_position_that_cannot_be_read_is_an_error() {
        let mut scanner = Scanner::new(b"[FEN 8/8/8]\n1. e4");
        assert!(Tags::default().read(&mut scanner).unwrap_err().contains("FEN"));
    }

    #[test]
    fn what_no_calendar_has_is_unknown_in_a_date() {
        for (text, expected) in [
            ("2015.03.07", Some("2015.03.07")),
            ("2015.00.00", Some("2015.??.??")),
            ("2015.13.01", Some("2015.??.??")),
            ("2015.02.00", Some("2015.02.??")),
            ("2015.02.32", Some("2015.02.??")),
            ("2015.1?.01", Some("2015.1?.01")),
            ("0000.00.00", None),
            ("????.05.01", None),
        ] {
            let read = date(text.as_bytes());
            assert_eq!(read.as_ref().map(|date| &date[..]), expected.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn moves_behind_a_bracket_that_is_no_tag_are_not_passed_over() {
        for (line, expected) in [
            ("[junk]", true),
            ("[White Fred ] ", true),
            ("[White Fred", true),
            ("[x] e4 e5", false),
            ("[%clk e4 e5", false),
            ("[x] e4 [y]", false),
        ] {
            assert_eq!(is_broken_tag(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn a_tag_is_told_from_other_brackets() {
        for (line, expected) in [
            ("[Event \"x\"]", true),
            ("  [White \"", true),
            ("[%clk 0:01]", false),
            ("[junk", false),
            ("[", false),
            ("[\"x\"]", false),
        ] {
            assert_eq!(is_tag(line.as_bytes()), expected, "{line}");
        }
    }
}
