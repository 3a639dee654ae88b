//! The text of moves in words: comments, glyphs, variations and the markup around games in forums are
//! passed over.

use memchr::{memchr, memchr2};

/// The mark with which some programs begin a file, or what was a file before it was put behind another.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Characters that nobody sees, and that may stand before a word or a tag: the mark of bytes, a space
/// that does not break, a hyphen that is not shown, spaces without width, marks of direction.
const HIDDEN: [&[u8]; 9] = [
    BYTE_ORDER_MARK,
    b"\xc2\xa0",
    b"\xc2\xad",
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x80\x8e",
    b"\xe2\x80\x8f",
    b"\xe2\x81\xa0",
];

/// Bytes that are looked at for the end of markup.
const LONGEST_MARKUP: usize = 100;

/// What stands in the text of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Anything that may be a move, a number or a result.
    Word(&'a [u8]),
    /// A comment or a variation that never ends, or a bracket that closes nothing; says which.
    Fault(&'static str),
    /// A variation, passed over.
    Variation,
    /// A square bracket, which is not passed over: a tag begins here, or nothing that PGN knows.
    Bracket,
}

/// Walks through the text of one or more games.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    /// Whether comments are searched for evaluations.
    reads_evals: bool,
    eval: Option<f32>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, reads_evals: false, eval: None }
    }

    /// A scanner that finds the evaluations which comments of the main line give.
    pub(super) fn with_evals(text: &'a [u8]) -> Self {
        Self { reads_evals: true, ..Self::new(text) }
    }

    /// The last evaluation `[%eval …]` passed over since this was asked: pawns for White, infinite
    /// where a mate is announced.
    pub(super) fn take_eval(&mut self) -> Option<f32> {
        self.eval.take()
    }

    /// Passes over white space, escaped lines and markup; what comes then, `None` at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            if is_space(byte) {
                self.at += 1;
            } else if !matches!(byte, b'%' | b'[' | 0xc2 | 0xe2 | 0xef) || !self.skip_mark(byte) {
                return Some(byte);
            }
        }
        None
    }

    /// Passes over an escaped line, a hidden character or markup, if one begins here.
    #[cold]
    fn skip_mark(&mut self, byte: u8) -> bool {
        let rest = self.rest();
        let length = match byte {
            b'%' if self.begins_line() => line_length(rest),
            b'[' => markup(rest).unwrap_or(0),
            _ => hidden(rest),
        };
        self.at += length;
        length > 0
    }

    /// Whether a line begins here.
    fn begins_line(&self) -> bool {
        let before = &self.text[..self.at];
        let before = before.strip_suffix(BYTE_ORDER_MARK).unwrap_or(before);
        before.last().is_none_or(|&byte| is_line_end(byte))
    }

    /// All text that was not passed over yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Goes on by so many bytes.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Goes back to where a word of this text begins.
    pub(super) fn return_to(&mut self, word: &[u8]) {
        self.at -= word.len();
    }

    /// The next token; `None` at the end.
    pub(super) fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = self.peek()?;
            match byte {
                b'{' | b';' | b'$' | b'!' | b'?' => {
                    if let Err(fault) = self.skip_note(byte) {
                        return Some(Token::Fault(fault));
                    }
                }
                b'(' => {
                    let passed = self.skip_variation();
                    return Some(passed.map_or_else(Token::Fault, |()| Token::Variation));
                }
                b')' => {
                    self.at += 1;
                    return Some(Token::Fault("a ')' ends no variation"));
                }
                b'}' => {
                    self.at += 1;
                    return Some(Token::Fault("a '}' ends no comment"));
                }
                b'[' => return Some(Token::Bracket),
                _ => return Some(Token::Word(self.word())),
            }
        }
    }

    /// A bracket with what stands in it, up to the next white space.
    pub(super) fn bracket(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        // An asterisk is a word of its own: people write it behind the last move without a space.
        let length = match rest.iter().position(|&byte| ends_word(byte)) {
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        self.at += length;
        &rest[..length]
    }

    /// Passes over a comment or a glyph, which begins with `byte`.
    fn skip_note(&mut self, byte: u8) -> Result<(), &'static str> {
        match byte {
            b'{' => {
                let rest = self.rest();
                let length = memchr(b'}', rest);
                self.at += length.map_or(rest.len(), |length| length + 1);
                if self.reads_evals
                    && let Some(length) = length
                {
                    self.eval = eval(&rest[..length]).or(self.eval);
                }
                return length.map(drop).ok_or("a comment is never closed");
            }
            b';' => self.skip_line(),
            b'$' => {
                let digits = self.text[self.at + 1..].iter().take_while(|b| b.is_ascii_digit());
                let digits = digits.count();
                self.at += 1 + digits;
                if digits == 0 {
                    return Err("a '$' without a number");
                }
            }
            _ => self.at += 1,
        }
        Ok(())
    }

    /// Passes over a variation with all those inside it.
    fn skip_variation(&mut self) -> Result<(), &'static str> {
        let eval = self.eval;
        let passed = self.skip_brackets();
        self.eval = eval;
        passed
    }

    fn skip_brackets(&mut self) -> Result<(), &'static str> {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'{' | b';' => self.skip_note(byte)?,
                b'(' | b')' => {
                    self.at += 1;
                    depth = if byte == b'(' { depth + 1 } else { depth - 1 };
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => self.at += 1,
            }
        }
        Err("a variation is never closed")
    }

    fn skip_line(&mut self) {
        self.at += line_length(self.rest());
    }
}

/// The length of the hidden character at the front of a text, 0 if there is none.
fn hidden(text: &[u8]) -> usize {
    HIDDEN.iter().find(|mark| text.starts_with(mark)).map_or(0, |mark| mark.len())
}

/// A text without the white space and the hidden characters at its front.
pub(super) fn without_space(mut text: &[u8]) -> &[u8] {
    while let Some(&byte) = text.first() {
        let length = if is_space(byte) { 1 } else { hidden(text) };
        if length == 0 {
            break;
        }
        text = &text[length..];
    }
    text
}

/// The length of a line without its end.
pub(super) fn line_length(text: &[u8]) -> usize {
    memchr2(b'\n', b'\r', text).unwrap_or(text.len())
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The length of `[pgn]`, `[pgn height=300]` or `[/pgn]` at the front, with which forums mark games.
pub(super) fn markup(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"[")?;
    let name = inside.strip_prefix(b"/").unwrap_or(inside);
    let after =
        name.get(..3).filter(|name| name.eq_ignore_ascii_case(b"pgn")).map(|_| &name[3..])?;
    let is_plain = matches!(after.first()?, b']' | b'=') || is_space(after[0]);
    // A tag of that name, or a bracket that another line closes, is no markup.
    let near = &after[..after.len().min(LONGEST_MARKUP)];
    let end = memchr(b']', &near[..line_length(near)]).filter(|_| is_plain)?;
    let is_tag = after[..end].trim_ascii_start().starts_with(b"\"");
    (!is_tag).then_some(text.len() - after.len() + end + 1)
}

/// What a comment says of the position before it: pawns for White, infinite where a mate is announced.
fn eval(comment: &[u8]) -> Option<f32> {
    const COMMAND: &[u8] = b"[%eval";
    let after = memchr::memmem::find_iter(comment, COMMAND)
        .map(|at| &comment[at + COMMAND.len()..])
        .find(|after| after.first().is_some_and(u8::is_ascii_whitespace))?;
    let given = after.trim_ascii_start();
    let is_end = |byte: &u8| matches!(byte, b',' | b']') || byte.is_ascii_whitespace();
    let length = given.iter().position(is_end).unwrap_or(given.len());
    let given = std::str::from_utf8(&given[..length]).ok()?;
    if let Some(moves) = given.strip_prefix('#') {
        let moves: i32 = moves.parse().ok()?;
        let is_blacks = moves < 0 || given.starts_with("#-");
        return Some(if is_blacks { f32::NEG_INFINITY } else { f32::INFINITY });
    }
    given.parse().ok().filter(|pawns: &f32| pawns.is_finite())
}

/// White space, the end-of-file mark of old systems among it.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0b | 0x1a)
}

/// The bytes at which a word ends.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let bytes = b" \t\n\r\x0b\x0c\x1a{}();$*!?[";
    let mut i = 0;
    while i < bytes.len() {
        ends[bytes[i] as usize] = true;
        i += 1;
    }
    ends
};

pub(super) fn ends_word(byte: u8) -> bool {
    ENDS_WORD[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut scanner = Scanner::new(text.as_bytes());
        let next = || {
            let token = scanner.next_token();
            (token == Some(Token::Bracket)).then(|| scanner.bracket());
            token
        };
        std::iter::from_fn(next)
            .map(|token| match token {
                Token::Word(word) => String::from_utf8_lossy(word).into_owned(),
                Token::Fault(fault) => format!("<{fault}>"),
                Token::Variation => "()".into(),
                Token::Bracket => "[".into(),
            })
            .collect()
    }

    #[test]
    fn notes_are_passed_over() {
        let text = "% no\n1.e4!{x (}e5?!$14 (a {)} (b) ; )\n% )\n) Nf3 ; { \n%\nNc6*";
        assert_eq!(words(text), ["1.e4", "e5", "()", "Nf3", "Nc6", "*"]);
        assert_eq!(words(" %e4\r\n\x1a"), ["%e4"]);
    }

    #[test]
    fn marks_of_bytes_and_of_forums_are_passed_over() {
        let text = "\u{feff}% no\n[PGN height=200]e4\r\u{feff}% no\re5[/pgn]\n\u{feff}{x}*";
        assert_eq!(words(text), ["e4", "e5", "*"]);
        assert_eq!(words("[pgn \"x\"] [pgna] [pgn\n]"), ["[", "\"x\"]", "[", "[", "]"]);
    }

    #[test]
    fn the_last_evaluation_of_the_main_line_is_given() {
        let evals = |text: &str| {
            let mut scanner = Scanner::with_evals(text.as_bytes());
            while scanner.next_token().is_some() {}
            scanner.take_eval()
        };
        assert_eq!(evals("e4 {a [%eval 0.25,12] b} ({[%eval 3]} d4)"), Some(0.25));
        assert_eq!(evals("e4 {[%eval -1.5] [%clk 1]} {no}"), Some(-1.5));
        assert_eq!(evals("e4 {[%eval #-3]}"), Some(f32::NEG_INFINITY));
        assert_eq!(evals("e4 {[%eval #3]}"), Some(f32::INFINITY));
        assert_eq!(evals("e4 {[%eval\n3.00\t]}"), Some(3.0));
        assert_eq!(evals("e4 {[%evals 1] [%eval\r\n2,7]}"), Some(2.0));
        for text in ["e4", "e4 {[%eval ]}", "e4 {[%eval x]}", "e4 {[%eval inf]}", "{[%eval 1"] {
            assert_eq!(evals(text), None, "{text}");
        }
    }

    #[test]
    fn brackets_without_a_partner_are_faults() {
        assert_eq!(words("e4 {x e5"), ["e4", "<a comment is never closed>"]);
        assert_eq!(words("e4 (d4 (c4) e5"), ["e4", "<a variation is never closed>"]);
        assert_eq!(words("e4 (d4 {x) e5"), ["e4", "<a comment is never closed>"]);
        assert_eq!(
            words("e4 ) e5}"),
            ["e4", "<a ')' ends no variation>", "e5", "<a '}' ends no comment>"]
        );
        assert_eq!(words("e4 $ e5"), ["e4", "<a '$' without a number>", "e5"]);
    }
}
