//! Cuts text into games, with the line each begins on.
//!
//! A game ends where the next one's tags begin, or at an empty line after a result. Tags inside a
//! comment do not count, unless they follow an empty line: then the comment was never closed, and one
//! bad game must not swallow all that follow.

use std::ops::Range;

use super::tags::is_tag;
use super::tokens::find;

/// Longest game that is looked at: far more than any real one, so that a file which is no PGN at all
/// cannot fill the memory.
const MAX_GAME_BYTES: usize = 4 << 20;

const MARKERS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One game's text inside a [`Batch`].
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
}

/// Some text and the games in it.
pub(super) struct Batch {
    pub(super) text: Vec<u8>,
    pub(super) games: Vec<RawGame>,
}

/// The game that is being read.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
struct Open {
    line: u64,
    start: usize,
    event_seen: bool,
    moves_seen: bool,
    in_comment: bool,
    /// The last line of moves ended with a result.
    ended: bool,
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
        while let Some(length) = find(&self.text[self.scanned..], b'\n') {
            self.line(self.scanned, self.scanned + length + 1);
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

    /// Scans one line, its end included.
    fn line(&mut self, start: usize, end: usize) {
        self.scanned = end;
        let number = self.lines + 1;
        self.lines += u64::from(self.text[start..end].ends_with(b"\n"));
        let marked = number == 1 && self.text[start..end].starts_with(BYTE_ORDER_MARK);
        let start = if marked { start + BYTE_ORDER_MARK.len() } else { start };
        let line = self.text[start..end].trim_ascii_end();
        let bracket = line.trim_ascii_start().starts_with(b"[");
        let event = line.starts_with(b"[Event ");
        let blank = line.is_empty();
        let ends_before = match &self.open {
            None => false,
            Some(open) if open.in_comment => {
                open.after_blank && line.starts_with(b"[") && is_tag(line)
            }
            Some(open) => {
                (blank && open.ended)
                    || (event && (open.event_seen || open.after_blank))
                    || (open.moves_seen
                        && bracket
                        && (line.starts_with(b"[") || open.after_blank)
                        && is_tag(line))
            }
        };
        if ends_before && let Some(open) = self.open.take() {
            let abrupt = open.moves_seen && !open.after_blank && !blank;
            self.close(&open, start, abrupt);
        }
        if self.open.is_none() && blank {
            return;
        }
        let open = self.open.get_or_insert_with(|| Open::at(start, number));
        open.scan(self.text[start..end].trim_ascii_end(), bracket, event);
        open.oversize |= end - open.start > MAX_GAME_BYTES;
    }

    fn close(&mut self, open: &Open, end: usize, abrupt: bool) {
        let range = if open.oversize { end..end } else { open.start..end };
        let (line, oversize) = (open.line, open.oversize);
        self.games.push(RawGame { line, range, oversize, last: false, abrupt });
    }
}

impl Open {
    fn at(start: usize, line: u64) -> Self {
        Self {
            line,
            start,
            event_seen: false,
            moves_seen: false,
            in_comment: false,
            ended: false,
            after_blank: true,
            oversize: false,
        }
    }

    fn scan(&mut self, line: &[u8], tag: bool, event: bool) {
        self.after_blank = line.is_empty();
        let tag = tag && !self.moves_seen;
        if self.in_comment || !(tag || line.is_empty() || line.starts_with(b"%")) {
            self.moves_seen = true;
            self.scan_moves(line);
        }
        self.event_seen |= tag && event;
    }

    /// Follows comments through a line of moves and looks at its last word.
    fn scan_moves(&mut self, line: &[u8]) {
        let mut moves = line;
        for (at, &byte) in line.iter().enumerate() {
            match byte {
                b'}' => self.in_comment = false,
                b'{' => self.in_comment = true,
                b';' if !self.in_comment => {
                    moves = &line[..at];
                    break;
                }
                _ => {}
            }
        }
        let word =
            moves.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.ended = !self.in_comment && MARKERS.contains(&word);
    }
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
            "1. e4 { see\n[Event \"x\"]\n } e5 ; {\n1-0\n\n1. d4 *",
            &[(1, "1. e4 { see\n[Event \"x\"]\n } e5 ; {\n1-0"), (6, "1. d4 *")],
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
