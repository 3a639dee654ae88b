//! Cuts text into games, with the line each begins on.
//!
//! A game ends where the next one's tags begin, or at an empty line after a result. Where a line inside
//! a comment looks like the front of another game, the comment was never closed: one bad game must not
//! swallow the next, and two must never be read as one.
//!
//! Text between two tags does not end a game: the tags on both sides of it are of one game, which is
//! refused. Read as two, the moves would be played by the rules of half of the tags.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};

use super::tags::{
    ValueEnd, broken_name, ends_open_value, is_broken_tag, is_front_of_tag, is_tag, name_and_value,
    value_end,
};
use super::tokens::{ends_word, markup, without_space};
use super::words::{self, Meaning};

/// Longest game that is looked at: far more than any real one, so that a file which is no PGN at all
/// cannot fill the memory.
const MAX_GAME_BYTES: usize = 4 << 20;

/// Tags that begin another game wherever one begins a line of a comment: those that every game has, and
/// those that say from where it is played.
const OF_EVERY_GAME: [&[u8]; 10] = [
    b"event", b"site", b"date", b"round", b"white", b"black", b"result", b"fen", b"setup",
    b"variant",
];

/// One game's text inside a [`Batch`].
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawGame {
    /// Line of its first character, from 1.
    pub(super) line: u64,
    pub(super) range: Range<usize>,
    /// The game was longer than is looked at; its range is empty.
    pub(super) oversize: bool,
    /// The text ended with this game.
    pub(super) last: bool,
    /// Tags followed on its last line of moves, without an empty line.
    pub(super) abrupt: bool,
    /// A comment that begins among its tags is never closed.
    pub(super) torn: bool,
    /// Something that is no tag stands among its tags.
    pub(super) mixed: bool,
}

/// Some text and the games in it.
pub(super) struct Batch {
    pub(super) text: Vec<u8>,
    pub(super) games: Vec<RawGame>,
}

/// The text that was seen behind the tags of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    None,
    /// Nothing that could be a move: if another tag follows, it stands among the tags of one game.
    Stray,
    /// Moves without a result in the lines after a tag: the same, unless an empty line follows.
    Glued,
    /// The moves of the game: a tag that follows is one of the next.
    Moves,
}

/// The game that is being read.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
struct Open {
    line: u64,
    start: usize,
    /// The name of its first tag: where it stands after an empty line, another game begins.
    first_tag: Vec<u8>,
    /// There was more than comments and markup.
    begun: bool,
    text: Text,
    /// An empty line came after the last tag.
    apart: bool,
    /// The front of a tag whose value stands on a later line.
    front: Vec<u8>,
    /// The bracket after a tag's value may stand on a later line.
    awaits_bracket: bool,
    /// Text stands among its tags.
    mixed: bool,
    in_comment: bool,
    /// The last line that was not empty lies inside a comment and ends with a result.
    comment_ended: bool,
    /// A comment that begins among its tags is never closed.
    torn: bool,
    /// A tag's value goes on on the next line.
    in_value: bool,
    /// The last word among the moves is a result.
    ended: bool,
    /// The markup around the game has ended.
    closed: bool,
    after_blank: bool,
    oversize: bool,
}

/// Cuts a stream of text blocks into games.
#[derive(Default)]
pub(super) struct Splitter {
    text: Vec<u8>,
    scanned: usize,
    lines: u64,
    open: Option<Open>,
    games: Vec<RawGame>,
}

impl Splitter {
    /// Takes a block of text and hands out the games that are complete.
    pub(super) fn push(&mut self, block: &[u8]) -> Batch {
        self.text.extend_from_slice(block);
        while let Some(length) = self.line_with_end() {
            self.line(self.scanned, self.scanned + length);
        }
        if self.text.len() - self.scanned > MAX_GAME_BYTES {
            self.line(self.scanned, self.text.len());
        }
        self.take()
    }

    /// Hands out the rest: the text has ended.
    pub(super) fn finish(mut self) -> Batch {
        if self.scanned < self.text.len() {
            self.line(self.scanned, self.text.len());
        }
        if let Some(open) = self.open.take() {
            self.close(&open, self.text.len(), false);
            if let Some(game) = self.games.last_mut() {
                game.last = true;
            }
        }
        Batch { text: self.text, games: self.games }
    }

    /// The closed games with the text up to the open one, which is kept.
    fn take(&mut self) -> Batch {
        let keep = match &mut self.open {
            Some(open) if open.oversize => {
                open.start = self.scanned;
                self.scanned
            }
            Some(open) => open.start,
            None => self.scanned,
        };
        let rest = self.text.split_off(keep);
        self.scanned -= keep;
        if let Some(open) = &mut self.open {
            open.start -= keep;
        }
        Batch {
            text: std::mem::replace(&mut self.text, rest),
            games: std::mem::take(&mut self.games),
        }
    }

    /// The length of the next line, its end included; `None` if the text does not have all of it.
    fn line_with_end(&self) -> Option<usize> {
        let rest = &self.text[self.scanned..];
        let length = memchr2(b'\n', b'\r', rest)?;
        match (rest[length], rest.get(length + 1)) {
            (b'\n', _) => Some(length + 1),
            (_, Some(b'\n')) => Some(length + 2),
            (_, Some(_)) => Some(length + 1),
            (_, None) => None,
        }
    }

    /// Scans one line, its end included.
    fn line(&mut self, start: usize, end: usize) {
        self.scanned = end;
        let number = self.lines + 1;
        self.lines += u64::from(
            self.text[start..end].ends_with(b"\n") || self.text[start..end].ends_with(b"\r"),
        );
        let whole = self.text[start..end].trim_ascii_end();
        let front = without_space(whole);
        let is_hidden = front.len() < whole.trim_ascii_start().len();
        let start = if is_hidden { start + whole.len() - front.len() } else { start };
        let line = self.text[start..end].trim_ascii_end();
        let blank = line.is_empty();
        if let Some(open) = self.open.as_mut().filter(|open| open.ends_before(line)) {
            if open.is_torn_before(line) {
                // The comment around these tags is never closed: both sides of it are of one game.
                (open.torn, open.in_comment, open.comment_ended) = (true, false, false);
            } else {
                let abrupt = open.text != Text::None && !open.after_blank && !blank && !open.closed;
                if let Some(open) = self.open.take() {
                    self.close(&open, start, abrupt);
                }
            }
        }
        if self.open.is_none() && blank {
            return;
        }
        let open = self.open.get_or_insert_with(|| Open::at(start, number));
        if !open.begun {
            open.line = number;
        }
        open.scan(self.text[start..end].trim_ascii_end());
        open.oversize |= end - open.start > MAX_GAME_BYTES;
    }

    fn close(&mut self, open: &Open, end: usize, abrupt: bool) {
        let range = if open.oversize { end..end } else { open.start..end };
        let Open { line, oversize, torn, mixed, .. } = *open;
        self.games.push(RawGame { line, range, oversize, last: false, abrupt, torn, mixed });
    }
}

impl Open {
    fn at(start: usize, line: u64) -> Self {
        Self {
            line,
            start,
            first_tag: Vec::new(),
            begun: false,
            text: Text::None,
            apart: false,
            front: Vec::new(),
            awaits_bracket: false,
            mixed: false,
            in_comment: false,
            comment_ended: false,
            torn: false,
            in_value: false,
            ended: false,
            closed: false,
            after_blank: true,
            oversize: false,
        }
    }

    /// Whether the game ends before a line.
    fn ends_before(&self, line: &[u8]) -> bool {
        if self.closed {
            return true;
        }
        let line = without_space(line);
        let Some(first) = line.first() else {
            return self.ended && self.text == Text::Moves && !self.in_comment;
        };
        if *first == b'1' && self.ends_before_first_move(line) {
            return true;
        }
        if self.in_comment {
            return self.is_swallowed(line);
        }
        if *first != b'[' {
            return false;
        }
        let (is_event, is_again) = (is_event(line), self.is_again(line));
        match self.text {
            Text::Moves => is_event || is_tag(line) || is_markup_of_next(line),
            Text::Stray | Text::Glued if is_again => true,
            Text::Stray | Text::Glued if self.after_blank && is_markup_of_next(line) => true,
            _ => (is_event && (self.after_blank || is_again)) || (self.after_blank && is_again),
        }
    }

    /// Whether a line begins with the tag that the game begins with.
    fn is_again(&self, line: &[u8]) -> bool {
        name_and_value(line).is_some_and(|(name, _)| name.eq_ignore_ascii_case(&self.first_tag))
    }

    /// Whether a line begins the moves of another game: its first move follows a result, or in a comment
    /// of a game without tags an empty line.
    fn ends_before_first_move(&self, line: &[u8]) -> bool {
        if !is_first_move(line) {
            return false;
        }
        let is_tagless = self.first_tag.is_empty();
        if self.in_comment {
            return self.comment_ended || (self.after_blank && is_tagless);
        }
        self.ended && is_tagless
    }

    /// Whether a line inside a comment is the front of another game, so that the comment was never
    /// closed.
    fn is_swallowed(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii_start();
        if !line.starts_with(b"[") {
            let is_tagless = self.first_tag.is_empty() && !line.starts_with(b"}");
            return is_tagless && self.comment_ended && self.after_blank;
        }
        if is_markup_of_next(line) || is_event(line) {
            return true;
        }
        let Some((name, value)) = name_and_value(line) else { return false };
        if self.after_blank || name.eq_ignore_ascii_case(&self.first_tag) {
            return true;
        }
        let is_of_every_game = OF_EVERY_GAME.contains(&&*name.to_ascii_lowercase());
        match value_end(value) {
            ValueEnd::Here { whole, .. } => match value[whole..].trim_ascii_start().first() {
                Some(b'}') => false,
                None | Some(b'[') => true,
                _ => is_of_every_game,
            },
            ValueEnd::Later { .. } => is_of_every_game,
        }
    }

    /// Whether a line inside a comment goes on with the tags that stand before it.
    fn is_torn_before(&self, line: &[u8]) -> bool {
        let is_among_tags =
            self.in_comment && self.text == Text::None && !self.first_tag.is_empty();
        is_among_tags
            && !self.after_blank
            && !is_event(line.trim_ascii_start())
            && !self.is_again(line)
    }

    fn scan(&mut self, line: &[u8]) {
        // What another reader passes over may stand between an empty line and a tag.
        let is_note = self.in_comment && matches!(line.first(), Some(b';' | b'%'));
        self.after_blank = line.is_empty() || (self.after_blank && is_note);
        if line.is_empty() && !self.in_comment {
            self.apart = true;
            self.text = if self.text == Text::Glued { Text::Moves } else { self.text };
        }
        if self.in_value && !ends_open_value(line) {
            if let Some(rest) = self.behind_value(line) {
                self.scan_text(rest);
            }
            return;
        }
        self.in_value = false;
        if line.is_empty() || (!self.in_comment && line.starts_with(b"%")) {
            return;
        }
        if !self.front.is_empty() {
            let joined = [&std::mem::take(&mut self.front), &b" "[..], line].concat();
            if is_tag(&joined) || is_front_of_tag(&joined) {
                return self.scan_text(&joined);
            }
        }
        let is_closed = std::mem::take(&mut self.awaits_bracket);
        let rest = without_space(line).strip_prefix(b"]").filter(|_| is_closed);
        self.scan_text(rest.unwrap_or(line));
    }

    /// What stands behind the value of a tag in its line; `None` if the value goes on on the next.
    fn behind_value<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let ValueEnd::Here { whole, .. } = value_end(text) else {
            self.in_value = true;
            return None;
        };
        self.in_value = false;
        self.awaits_bracket = !text[..whole].ends_with(b"]");
        Some(&text[whole..])
    }

    /// Takes note of text that is neither tag nor comment.
    fn see(&mut self, text: &[u8]) {
        let Some(last) = last_word(without_space(text)) else { return };
        self.begun = true;
        self.ended = is_result(last);
        if self.text == Text::Moves {
            return;
        }
        let is_tagless = self.first_tag.is_empty();
        let is_played =
            self.text == Text::Glued || text.split(|&byte| ends_word(byte)).any(is_move);
        self.text = match (is_played, self.ended) {
            _ if is_tagless => Text::Moves,
            (true, false) if !self.apart => Text::Glued,
            (true, _) => Text::Moves,
            (false, true) if self.apart => Text::Moves,
            (false, _) => Text::Stray,
        };
    }

    /// Follows tags, comments and moves through a line, and looks at its last word.
    fn scan_text(&mut self, mut rest: &[u8]) {
        loop {
            if self.in_comment {
                let Some(end) = memchr(b'}', rest) else {
                    if let Some(word) = last_word(rest) {
                        self.comment_ended = is_result(word);
                    }
                    return;
                };
                (self.in_comment, self.comment_ended) = (false, false);
                rest = &rest[end + 1..];
            }
            let front = without_space(rest);
            if matches!(self.text, Text::Stray | Text::Glued)
                && (is_tag(front) || is_front_of_tag(front))
            {
                (self.mixed, self.text) = (true, Text::None);
            }
            if self.text == Text::None && front.starts_with(b"[") {
                rest = front;
                if let Some(length) = markup(rest) {
                    rest = &rest[length..];
                    continue;
                }
                self.begun = true;
                let Some((name, value)) = name_and_value(rest) else {
                    if self.first_tag.is_empty() {
                        self.first_tag = broken_name(rest).to_vec();
                    }
                    if is_front_of_tag(rest) {
                        self.front = rest.to_vec();
                    } else if !is_broken_tag(rest) {
                        self.see(rest);
                    }
                    return;
                };
                self.apart = false;
                if self.first_tag.is_empty() {
                    self.first_tag = name.to_vec();
                }
                let Some(behind) = self.behind_value(value) else { return };
                rest = behind;
                continue;
            }
            let at = memchr3(b'{', b';', b'[', rest).unwrap_or(rest.len());
            self.see(&rest[..at]);
            rest = &rest[at..];
            match rest.first() {
                Some(b'{') => {
                    self.in_comment = true;
                    rest = &rest[1..];
                }
                Some(b'[') if self.text == Text::None => {}
                Some(b'[') if self.text != Text::Moves && is_tag(rest) => {}
                Some(b'[') => {
                    let length = markup(rest);
                    let is_end = length.is_some() && rest.starts_with(b"[/");
                    self.closed |= is_end && self.text == Text::Moves;
                    rest = &rest[length.unwrap_or(1)..];
                }
                _ => return,
            }
        }
    }
}

/// The last word of a text.
fn last_word(text: &[u8]) -> Option<&[u8]> {
    let words = text.trim_ascii_end();
    words.rsplit(u8::is_ascii_whitespace).next().filter(|word| !word.is_empty())
}

/// Whether a word can be a move, or a pass.
fn is_move(word: &[u8]) -> bool {
    matches!(words::read(word).meaning, Meaning::Move(_) | Meaning::NullMove)
}

/// Whether a word ends a game.
fn is_result(word: &[u8]) -> bool {
    matches!(words::read(word).meaning, Meaning::Result(_))
}

/// Whether a line begins with the number of a game's first move.
fn is_first_move(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"1.");
    rest.is_some_and(|rest| !rest.starts_with(b"."))
}

/// Whether a line begins with the tag that most games begin with.
fn is_event(line: &[u8]) -> bool {
    let (front, rest) = line.split_at(line.len().min(6));
    let is_apart = rest.first().is_none_or(u8::is_ascii_whitespace);
    front.eq_ignore_ascii_case(b"[Event") && is_apart
}

/// Whether a line begins with the markup before a game.
fn is_markup_of_next(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    !line.starts_with(b"[/") && markup(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (first line, text) of every game, the text being pushed in blocks of `size` bytes.
    fn split(text: &str, size: usize) -> Vec<(u64, String)> {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        let mut add = |batch: Batch| {
            for game in batch.games {
                let text = String::from_utf8(batch.text[game.range].to_vec()).unwrap();
                found.push((game.line, text.trim().to_string()));
            }
        };
        for block in text.as_bytes().chunks(size) {
            add(splitter.push(block));
        }
        add(splitter.finish());
        found
    }

    fn check(text: &str, expected: &[(u64, &str)]) {
        for size in [1, 2, 7, 1000] {
            let found = split(text, size);
            let found: Vec<_> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
            assert_eq!(found, expected, "blocks of {size} bytes");
        }
    }

    #[test]
    fn games_begin_at_tags_and_after_results() {
        check("", &[]);
        check("\n \r\n\n", &[]);
        check("\u{feff}[Event \"a\"]\n\n1. e4 *", &[(1, "[Event \"a\"]\n\n1. e4 *")]);
        check(
            "\n[Event \"a\"]\r\n\r\n1. e4\r\ne5 1-0\r\n\r\n[Event \"b\"]\n1. d4 0-1\n[Event \"c\"]\n*\n",
            &[
                (2, "[Event \"a\"]\r\n\r\n1. e4\r\ne5 1-0"),
                (7, "[Event \"b\"]\n1. d4 0-1"),
                (9, "[Event \"c\"]\n*"),
            ],
        );
        check("1. e4 ; 1-0\n\ne5 0-1 ; {\n\n*", &[(1, "1. e4 ; 1-0\n\ne5 0-1 ; {"), (5, "*")]);
        check("1. e4 1-0\n\n1. d4\n\nd5 0-1\n\n\n", &[(1, "1. e4 1-0"), (3, "1. d4\n\nd5 0-1")]);
        check(
            "[Event \"a\"]\n[Round \"1\"]\n\n[Event \"b\"]\n\n1. e4 *\n",
            &[(1, "[Event \"a\"]\n[Round \"1\"]"), (4, "[Event \"b\"]\n\n1. e4 *")],
        );
    }

    #[test]
    fn comments_hide_tags_unless_they_are_never_closed() {
        check(
            "1. e4 { see\n[note \"x\"] for more\nand [Event \"x\"]\n[White \"x\"] } e5 ; {\n1-0\n\n1. d4 *",
            &[
                (
                    1,
                    "1. e4 { see\n[note \"x\"] for more\nand [Event \"x\"]\n[White \"x\"] } e5 ; {\n1-0",
                ),
                (7, "1. d4 *"),
            ],
        );
        check(
            "[White \"a\"]\n\n1. e4 { open\n[event \"b\"]\n\n1. d4 *",
            &[(1, "[White \"a\"]\n\n1. e4 { open"), (4, "[event \"b\"]\n\n1. d4 *")],
        );
        check(
            "[Event \"a\"]\n\n1. e4 { open\n\n[Event \"b\"]\n\n1. d4 *",
            &[(1, "[Event \"a\"]\n\n1. e4 { open"), (5, "[Event \"b\"]\n\n1. d4 *")],
        );
        check(
            "[White \"a\"]\n\n1. e4 { open 1-0\n\n[White \"b\"]\n\n1. d4 d5 1-0\n",
            &[(1, "[White \"a\"]\n\n1. e4 { open 1-0"), (5, "[White \"b\"]\n\n1. d4 d5 1-0")],
        );
        check(
            "1. e4 { a clock\n\n[%clk 0:01:00] } e5 *\n",
            &[(1, "1. e4 { a clock\n\n[%clk 0:01:00] } e5 *")],
        );
    }

    #[test]
    fn a_comment_ends_before_what_can_only_be_another_game() {
        let first = "[Event \"a\"]\n\n1. e4 {open e5 1-0";
        for next in [
            "\n  [Event \"b\"]",
            "\n\t[Event \"b\"]",
            "\n[pgn][Event \"b\"]",
            "\n; x\n[Site \"b\"]",
            "\n% x\n  [Elo \"b\"]",
            "[White \"b\"]",
            "[Event\"b\"]",
            "  [Event \"b\"]",
            "[FEN \"b",
            " [Elo \"1\"] [X \"y\"]",
            "[pgn]",
            "1. c4 c5",
            "\n1. c4 c5",
        ] {
            let text = format!("{first}\n{next}\n\n1. d4 {{x}} e5 0-1\n");
            assert!(split(&text, 1000).len() >= 2, "{next:?}");
            assert_eq!(split(&text, 1), split(&text, 1000), "{next:?}");
            assert!(split(&text, 1000)[0].1.starts_with(first), "{next:?}");
        }
        for tagless in
            ["1. e4 {open e5 1-0\n\n", "1. e4 {open\n\n", "1. e4 {1-0\n", "1. e4 (d4 1-0\n"]
        {
            let text = format!("{tagless}1. d4 {{x}} d5) 0-1\n");
            assert_eq!(split(&text, 1000).len(), 2, "{text:?}");
        }
        assert_eq!(split("e4 {open e5 1-0\n\nd4 {x} e5 0-1\n", 1000).len(), 2);
        for legal in
            ["{a\n\nb\n\n}", "{a\n1. c4 b}", "{lost 0-1\n\nso}", "{a\n\n1...c5}", "{1-0\n}"]
        {
            let text = format!("[Event \"a\"]\n\n1. e4 {legal} e5\n\n2. d4 *\n");
            assert_eq!(split(&text, 1000).len(), 1, "{legal:?}");
        }
    }

    #[test]
    fn comments_stand_between_tags_and_behind_them() {
        let text = "{ by\n[White \"no\"] }\n% x\n[White \"a\"] ; c\n{ note } [Black \"b\"] { more\n }\n\n; c\n\n\
                    [Result \"*\"]\n\n1. e4 *";
        check(text, &[(4, text)]);
        check(
            "[White \"a\"]\n\n[White \"b\"]\n{c}\n\n[white \"c\"]\n[Site \"d\n\n1. e4 *",
            &[
                (1, "[White \"a\"]"),
                (3, "[White \"b\"]\n{c}"),
                (6, "[white \"c\"]\n[Site \"d\n\n1. e4 *"),
            ],
        );
    }

    #[test]
    fn values_go_on_over_lines() {
        let text = "[White \"a\n1-0\n b\"] [Site \"x\n{ y\"]\n[Event \"z\"]\n\n1. e4\n[x]\n*";
        check(&format!("{text}\n\n{text}"), &[(1, text), (11, text)]);
    }

    #[test]
    fn lines_end_as_on_any_system_and_may_begin_with_a_mark_of_bytes() {
        let lines =
            ["[Event \"a\"]", "", "1. e4 *", "", "\u{feff}[White \"b\"]", "", "{x", "}", "1. d4 *"];
        for end in ["\n", "\r", "\r\n"] {
            let (first, second) = (lines[..3].join(end), lines[4..].join(end));
            let second = second.trim_start_matches('\u{feff}');
            check(&lines.join(end), &[(1, &first), (5, second)]);
        }
    }

    #[test]
    fn markup_of_forums_begins_and_ends_games() {
        check(
            "[pgn][Event \"a\"]\n1. e4 *[/pgn]\nhello\n[PGN x=1]\n1. d4 *\n[/pgn]\n[pgn]1. c4 *",
            &[
                (1, "[pgn][Event \"a\"]\n1. e4 *[/pgn]"),
                (3, "hello"),
                (5, "[PGN x=1]\n1. d4 *\n[/pgn]"),
                (7, "[pgn]1. c4 *"),
            ],
        );
    }

    #[test]
    fn a_game_without_end_is_dropped_and_the_next_one_found() {
        let mut splitter = Splitter::default();
        let mut games = Vec::new();
        let mut largest = 0;
        let block = vec![b'x'; 60_000];
        for _ in 0..3 * MAX_GAME_BYTES / 60_000 {
            games.extend(splitter.push(&block).games);
            largest = largest.max(splitter.text.len());
        }
        games.extend(splitter.push(b"\n[Event \"b\"]\n\n1. e4 *\n\n").games);
        assert_eq!(games.len(), 2);
        assert!(games[0].oversize && games[0].line == 1 && !games[1].oversize);
        assert!(largest <= 2 * MAX_GAME_BYTES);
    }
}
