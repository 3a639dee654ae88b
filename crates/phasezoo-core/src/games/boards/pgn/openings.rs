//! Games as openings: where they start, and the moves of their main lines.

use super::game::{Game, Skip};
use super::kinds::Kind;
use super::options::Options;
use super::parsed;
use super::report::Skipped;
use super::split::Splitter;
use super::tags::is_tag;
use super::tokens::{is_line_end, markup, without_space};

/// Where a game starts, and its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The line on which its text begins, from 1.
    pub line: u64,
    /// The start position; `None` for the usual one.
    pub start_fen: Option<String>,
    /// The moves in UCI.
    pub moves: Vec<String>,
}

/// Whether some line of a text begins with a tag, so that the text is PGN and no list of moves.
pub fn has_tags(text: &[u8]) -> bool {
    let mut next = 0;
    text.split(|&byte| is_line_end(byte)).any(|line| {
        next += line.len() + 1;
        let front = without_space(line);
        if !front.starts_with(b"[") {
            return false;
        }
        // The value may stand on a later line.
        let rest = &text[next - 1 - front.len()..];
        is_tag(&rest[markup(rest).unwrap_or(0)..])
    })
}

/// The openings in the text of games of one kind, and those that cannot be read.
///
/// A game needs no result, and no tag that says its variant. At most `plies` moves of each are read.
pub fn read_openings(
    text: &[u8],
    game: &str,
    plies: Option<usize>,
    kinds: &[Kind],
) -> (Vec<Opening>, Vec<Skipped>) {
    let options = Options { game: Some(game.into()), openings: true, plies, ..Options::default() };
    let (mut openings, mut skipped) = (Vec::new(), Vec::new());
    let mut splitter = Splitter::default();
    for batch in [splitter.push(text), splitter.finish()] {
        for raw in &batch.games {
            for game in parsed(&batch, raw, false, kinds, &options) {
                let line = raw.line;
                match game {
                    Ok(Game { start_fen, moves, .. }) => {
                        openings.push(Opening { line, start_fen, moves });
                    }
                    Err(Skip { reason, message, title, .. }) => {
                        skipped.push(Skipped { file: 0, line, reason, message, title });
                    }
                }
            }
        }
    }
    (openings, skipped)
}
