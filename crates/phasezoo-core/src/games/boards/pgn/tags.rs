//! Tags of a game: `[Name "value"]`.

use std::borrow::Cow;

use super::tokens::Scanner;

/// Tags without which the moves mean something else.
const DECISIVE: [&[u8]; 2] = [b"FEN", b"Variant"];

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
}

/// Whether a line begins with something like `[Name "`.
pub(super) fn is_tag(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"[") else { return false };
    let (name, rest) = split_name(rest);
    !name.is_empty() && rest.starts_with(b"\"")
}

/// The name at the front, and what follows it.
fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let length = text.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_').count();
    (&text[..length], text[length..].trim_ascii_start())
}

/// The value at the front without its quotes, and how many bytes it takes with them.
///
/// It ends at a quote before a bracket, so that quotes inside it do no harm, else at the first quote.
fn split_value(text: &[u8]) -> Option<(&[u8], usize)> {
    let inside = text.strip_prefix(b"\"")?;
    let (mut first, mut escaped) = (None, false);
    for (at, &byte) in inside.iter().enumerate() {
        if byte == b'"' && !escaped {
            if inside[at + 1..].trim_ascii_start().starts_with(b"]") {
                return Some((&inside[..at], at + 2));
            }
            first = first.or(Some(at));
        }
        escaped = byte == b'\\' && !escaped;
    }
    first.map(|at| (&inside[..at], at + 2))
}

impl Tags {
    /// Reads the tag that begins here. One that is no tag is passed over, unless the moves need it.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<(), String> {
        let line = scanner.line();
        let (name, rest) = split_name(&line[1..]);
        let Some((value, length)) = split_value(rest) else {
            scanner.advance(line.len());
            if DECISIVE.contains(&name) {
                let name = String::from_utf8_lossy(name);
                return Err(format!("the tag {name} cannot be read"));
            }
            return Ok(());
        };
        self.set(name, value);
        let after = rest[length..].trim_ascii_start();
        let left = after.strip_prefix(b"]").unwrap_or(after).len();
        scanner.advance(line.len() - left);
        Ok(())
    }

    fn set(&mut self, name: &[u8], value: &[u8]) {
        let text = || Some(String::from_utf8_lossy(&unescaped(value)).into_owned());
        match name {
            b"Event" => self.event = text(),
            b"White" => self.white = text(),
            b"Black" => self.black = text(),
            b"Result" => self.result = text(),
            b"FEN" => self.fen = text(),
            b"Variant" => self.variant = text(),
            b"Termination" => self.termination = text(),
            b"WhiteElo" => self.white_elo = rating(value),
            b"BlackElo" => self.black_elo = rating(value),
            b"Date" => self.date = date(value).or(self.date),
            b"UTCDate" => self.date = self.date.or_else(|| date(value)),
            _ => {}
        }
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

/// A value without the backslashes that stand before quotes and backslashes.
fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\\') {
        return Cow::Borrowed(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
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
        (tags, String::from_utf8_lossy(scanner.line()).into_owned())
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
