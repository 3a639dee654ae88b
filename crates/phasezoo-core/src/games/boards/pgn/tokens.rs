//! The text of moves in words: comments, glyphs and variations are passed over.

/// What stands in the text of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Anything that may be a move, a number or a result.
    Word(&'a [u8]),
    /// A comment or a variation that never ends, or a bracket that closes nothing; says which.
    Fault(&'static str),
    /// A variation, passed over.
    Variation,
}

/// Walks through the text of one or more games.
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    /// Passes over white space and escaped lines; what comes then, `None` at the end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            if is_space(byte) {
                self.at += 1;
            } else if byte == b'%' && (self.at == 0 || self.text[self.at - 1] == b'\n') {
                self.skip_line();
            } else {
                return Some(byte);
            }
        }
        None
    }

    /// The rest of the line that begins here, its end left out.
    pub(super) fn line(&self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        &rest[..find(rest, b'\n').unwrap_or(rest.len())]
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
                _ => return Some(Token::Word(self.word())),
            }
        }
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
                let rest = &self.text[self.at..];
                let length = find(rest, b'}');
                self.at += length.map_or(rest.len(), |length| length + 1);
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
        let mut depth = 0;
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
        let rest = &self.text[self.at..];
        self.at += find(rest, b'\n').unwrap_or(rest.len());
    }
}

/// White space, the end-of-file mark of old systems among it.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0b | 0x1a)
}

/// The bytes at which a word ends.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let bytes = b" \t\n\r\x0b\x0c\x1a{}();$*!?";
    let mut i = 0;
    while i < bytes.len() {
        ends[bytes[i] as usize] = true;
        i += 1;
    }
    ends
};

fn ends_word(byte: u8) -> bool {
    ENDS_WORD[usize::from(byte)]
}

/// Where `byte` first stands.
pub(super) fn find(text: &[u8], byte: u8) -> Option<usize> {
    text.iter().position(|&other| other == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut scanner = Scanner::new(text.as_bytes());
        std::iter::from_fn(|| scanner.next_token())
            .map(|token| match token {
                Token::Word(word) => String::from_utf8_lossy(word).into_owned(),
                Token::Fault(fault) => format!("<{fault}>"),
                Token::Variation => "()".into(),
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
