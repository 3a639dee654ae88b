//! What a word of PGN means: a number, a result, a move in any of the ways in which people write it.

use std::borrow::Cow;

use shakmaty::{CastlingSide, File, Move, Position, Rank, Role, Square};

use super::tags::decoded;
use crate::games::boards::Rules;

/// A word of the text of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The number at its front.
    pub(super) number: Option<u32>,
    /// The dots behind the number.
    pub(super) dots: usize,
    /// What the rest of it means.
    pub(super) meaning: Meaning,
}

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A move number with its dots, or an annotation.
    Nothing,
    /// A number without dots, which must be that of the move.
    Number,
    /// The end of a game.
    Result(Ending),
    /// A move.
    Move(Written),
    /// A pass.
    NullMove,
    /// Nothing that could be a move.
    NoMove,
}

/// What stands after the moves of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// +1 White won, 0 drawn, -1 Black won.
    Known(i8),
    /// The asterisk.
    Open,
}

/// A move as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Castle(CastlingSide),
    /// A piece of the pocket on an empty square.
    Drop {
        role: Role,
        to: Square,
    },
    Normal {
        /// `None` where no piece is named: a pawn, or what stands on the square given.
        role: Option<Role>,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

/// Marks that may follow a move, the longest first: checks, judgements, en passant.
const MARKS: [&[u8]; 13] = [
    b"e.p.", b"e.p", b"ep", b"+/-", b"-/+", b"+/=", b"=/+", b"+-", b"-+", b"+=", b"=+", b"+", b"#",
];

/// Ways to write a pass.
const NULL_MOVES: [&[u8]; 6] = [b"--", b"Z0", b"0000", b"@@@@", b"null", b"pass"];

/// Reads a word.
pub(super) fn read(word: &[u8]) -> Word {
    let alone = |meaning| Word { number: None, dots: 0, meaning };
    // Nearly all words: a move without number or mark.
    if let [b'a'..=b'h' | b'B' | b'K' | b'N' | b'Q' | b'R', .., b'1'..=b'8'] = word {
        return alone(written(word).map_or(Meaning::NoMove, Meaning::Move));
    }
    let plain = if word.is_ascii() { Cow::Borrowed(word) } else { Cow::Owned(in_ascii(word)) };
    if let Some(ending) = ending(&plain) {
        return alone(Meaning::Result(ending));
    }
    // Before the numbers: a row of zeros is one.
    if is_null_move(&plain) {
        return alone(Meaning::NullMove);
    }
    let (number, dots, rest) = split_number(&plain);
    let body = without_marks(rest);
    let meaning = if rest.is_empty() && dots == 0 {
        Meaning::Number
    } else if body.is_empty() {
        Meaning::Nothing
    } else if is_null_move(rest) {
        Meaning::NullMove
    } else {
        written(body).map_or(Meaning::NoMove, Meaning::Move)
    };
    Word { number, dots, meaning }
}

/// The word with figurines, dashes and signs in the letters that stand for them.
fn in_ascii(word: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(word.len());
    for c in decoded(word).0.chars() {
        let ascii: &[u8] = match c {
            '♔' | '♚' => b"K",
            '♕' | '♛' => b"Q",
            '♖' | '♜' => b"R",
            '♗' | '♝' => b"B",
            '♘' | '♞' => b"N",
            '♙' | '♟' => b"P",
            '‐' | '‑' | '‒' | '–' | '—' | '−' => b"-",
            '½' => b"1/2",
            '…' => b"...",
            '†' => b"+",
            '‡' => b"#",
            // Judgements: equal, unclear, better, an only move and the like.
            '±' | '∓' | '⩲' | '⩱' | '∞' | '□' | '⇄' | '⇆' | '↑' | '→' | '⟳' | '⨀' => {
                b"="
            }
            // Selectors of how a figurine is drawn.
            '\u{fe0e}' | '\u{fe0f}' => b"",
            c if c.is_ascii() => {
                plain.push(c as u8);
                continue;
            }
            _ => b"\0",
        };
        plain.extend_from_slice(ascii);
    }
    plain
}

fn ending(word: &[u8]) -> Option<Ending> {
    match word {
        b"*" => Some(Ending::Open),
        b"1-0" => Some(Ending::Known(1)),
        b"0-1" => Some(Ending::Known(-1)),
        b"1/2-1/2" | b"1/2" => Some(Ending::Known(0)),
        _ => None,
    }
}

/// Whether a word is a pass, marks of check after it or not.
fn is_null_move(word: &[u8]) -> bool {
    if !matches!(word, [b'-' | b'Z' | b'0' | b'@' | b'n' | b'p', ..]) {
        return false;
    }
    let mut marks = NULL_MOVES.iter().filter_map(|null| word.strip_prefix(*null));
    marks.any(|marks| without_marks(marks).is_empty())
}

/// Takes a number and its dots off a word's front; a word of digits alone is a number too.
fn split_number(word: &[u8]) -> (Option<u32>, usize, &[u8]) {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|&&byte| byte == b'.').count();
    if dots == 0 && digits < word.len() {
        return (None, 0, word);
    }
    // Of a number that is too large nothing is asked but that it is no move's.
    let read = |n: &str| n.parse().unwrap_or(u32::MAX);
    let number = std::str::from_utf8(&word[..digits]).ok().filter(|n| !n.is_empty()).map(read);
    (number, dots, &word[digits + dots..])
}

fn without_marks(mut word: &[u8]) -> &[u8] {
    loop {
        if matches!(word, [.., b'1'..=b'8' | b'O']) {
            return word;
        }
        // A sign of equality is a mark (an offered draw, an equal game) wherever it stands last.
        let shorter = word
            .strip_suffix(b"=")
            .or_else(|| MARKS.iter().find_map(|mark| word.strip_suffix(*mark)));
        match shorter {
            Some(shorter) => word = shorter,
            None => return word,
        }
    }
}

fn written(word: &[u8]) -> Option<Written> {
    match word {
        b"O-O" | b"0-0" => return Some(Written::Castle(CastlingSide::KingSide)),
        b"O-O-O" | b"0-0-0" => return Some(Written::Castle(CastlingSide::QueenSide)),
        _ => {}
    }
    if let Some(at) = word.iter().position(|&byte| byte == b'@') {
        return drop(&word[..at], &word[at + 1..]);
    }
    let (role, rest) = match word.split_first()? {
        (b'P', rest) => (Some(Role::Pawn), rest),
        (b'N', rest) => (Some(Role::Knight), rest),
        (b'B', rest) => (Some(Role::Bishop), rest),
        (b'R', rest) => (Some(Role::Rook), rest),
        (b'Q', rest) => (Some(Role::Queen), rest),
        (b'K', rest) => (Some(Role::King), rest),
        _ => (None, word),
    };
    let (promotion, rest) = split_promotion(rest);
    let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = Square::from_ascii(to).ok()?;
    let (takes, origin) = match origin.split_last() {
        Some((b'x', origin)) => (true, origin),
        Some((b'-', origin)) => (false, origin),
        _ => (false, origin),
    };
    let (file, rank) = match origin {
        [] => (None, None),
        [file @ b'a'..=b'h'] => (Some(File::new(u32::from(file - b'a'))), None),
        [rank @ b'1'..=b'8'] => (None, Some(Rank::new(u32::from(rank - b'1')))),
        [_, _] => {
            let from = Square::from_ascii(origin).ok()?;
            (Some(from.file()), Some(from.rank()))
        }
        _ => return None,
    };
    let of_pawn = matches!(role, None | Some(Role::Pawn));
    // Of a pawn's move the file is said if it takes, and never the rank alone.
    let is_complete = !of_pawn || file.is_some() || (rank.is_none() && !takes);
    let normal = Written::Normal { role, file, rank, to, promotion };
    is_complete.then_some(normal)
}

/// A drop by its piece, none for a pawn, and its square.
fn drop(piece: &[u8], to: &[u8]) -> Option<Written> {
    let role = match piece {
        [] | [b'P' | b'p'] => Role::Pawn,
        [b'N' | b'n'] => Role::Knight,
        [b'B' | b'b'] => Role::Bishop,
        [b'R' | b'r'] => Role::Rook,
        [b'Q' | b'q'] => Role::Queen,
        _ => return None,
    };
    Some(Written::Drop { role, to: Square::from_ascii(to).ok()? })
}

/// Takes `=Q`, `Q` or a small letter off a word's end.
fn split_promotion(word: &[u8]) -> (Option<Role>, &[u8]) {
    let (promotion, rest) = match word.split_last() {
        Some((b'N' | b'n', rest)) => (Role::Knight, rest),
        Some((b'B' | b'b', rest)) => (Role::Bishop, rest),
        Some((b'R' | b'r', rest)) => (Role::Rook, rest),
        Some((b'Q' | b'q', rest)) => (Role::Queen, rest),
        _ => return (None, word),
    };
    (Some(promotion), rest.strip_suffix(b"=").unwrap_or(rest))
}

impl Written {
    /// The one legal move that is meant. A missing or needless `x` is no error, and neither is an
    /// origin that need not have been given.
    pub(super) fn to_move<R: Rules>(self, position: &R::Position) -> Option<Move> {
        let (role, file, rank, to, promotion) = match self {
            Self::Castle(side) => return position.castling_moves(side).first().copied(),
            Self::Drop { role, to } => {
                let put = Move::Put { role, to };
                return position.is_legal(put).then_some(put);
            }
            Self::Normal { role, file, rank, to, promotion } => (role, file, rank, to, promotion),
        };
        let from = file.zip(rank).map(|(file, rank)| Square::from_coords(file, rank));
        let role = match (role, from) {
            (Some(role), _) => role,
            (None, Some(from)) => position.board().role_at(from)?,
            (None, None) => Role::Pawn,
        };
        // Without a file a pawn goes straight on.
        let file = if role == Role::Pawn { file.or(Some(to.file())) } else { file };
        let candidates = R::san_candidates(position, role, to);
        let mut meant = candidates.iter().copied().filter(|m| {
            m.from().is_some_and(|from| {
                file.is_none_or(|file| from.file() == file)
                    && rank.is_none_or(|rank| from.rank() == rank)
            }) && m.promotion() == promotion
        });
        match (meant.next(), meant.next()) {
            (Some(only), None) => Some(only),
            (None, _) if role == Role::King && promotion.is_none() => castling(position, from?, to),
            _ => None,
        }
    }
}

/// Castling written as the king's move from square to square, or as the king taking its rook.
fn castling<P: Position>(position: &P, from: Square, to: Square) -> Option<Move> {
    CastlingSide::ALL.into_iter().find_map(|side| {
        let moves = position.castling_moves(side);
        moves.first().copied().filter(|m| {
            let Move::Castle { king, rook } = *m else { return false };
            king == from
                && (rook == to || Square::from_coords(side.king_to_file(), king.rank()) == to)
        })
    })
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;
    use shakmaty::fen::Fen;
    use shakmaty::uci::UciMove;

    use super::*;
    use crate::games::Chess;

    /// The move that `word` means in a position, in UCI.
    fn uci(fen: &str, word: &str) -> Option<String> {
        let fen: Fen = fen.parse().unwrap();
        let position: shakmaty::Chess = fen.into_position(CastlingMode::Standard).unwrap();
        match read(word.as_bytes()).meaning {
            Meaning::Move(written) => {
                let m = written.to_move::<Chess>(&position)?;
                Some(UciMove::from_move(m, CastlingMode::Standard).to_string())
            }
            other => panic!("{word}: {other:?}"),
        }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const ENDING: &str = "r3k3/1P5p/8/8/2pP4/8/8/R3K2R w KQq - 0 1";

    #[test]
    fn moves_are_read_as_people_write_them() {
        for (fen, expected, words) in [
            (
                START,
                "e2e4",
                &["e4", "e2e4", "e2-e4", "Pe4", "1.e4", "1. e4", "1...e4", "♙e4", "e4+-", "e4="][..],
            ),
            (
                START,
                "g1f3",
                &[
                    "Nf3", "Ng1-f3", "Ng1f3", "g1f3", "N1f3", "Ngf3", "Nf3++", "Nf3+#", "♘f3",
                    "♞︎f3", "Nxf3", "N-f3",
                ],
            ),
            (
                ENDING,
                "b7a8q",
                &["bxa8=Q", "bxa8Q", "bxa8q", "ba8Q", "b7a8q", "b7xa8=Q+", "bxa8Q#", "bxa8=♕"],
            ),
            (ENDING, "b7b8n", &["b8N", "b8=N", "b7-b8n", "b8=n+"]),
            (ENDING, "b7a8b", &["bxa8b", "bxa8=B"]),
            (ENDING, "e1g1", &["O-O", "0-0", "0–0", "e1g1", "e1-g1", "Ke1g1", "e1h1", "O-O+"]),
            (ENDING, "e1c1", &["O-O-O", "0-0-0", "O‑O‑O#", "e1c1"]),
        ] {
            for word in words {
                let word = word.replace("1. ", "1.");
                assert_eq!(uci(fen, &word).as_deref(), Some(expected), "{word}");
            }
        }
    }

    #[test]
    fn what_is_not_legal_or_could_be_two_moves_is_none() {
        for word in ["e5", "Ke2", "e7e5", "e3e4", "Nd4", "O-O", "e4Q", "Nb1f3"] {
            assert_eq!(uci(START, word), None, "{word}");
        }
        for word in ["b8", "bxa8", "b8=", "Rh2", "Ra1h1", "a1a8q", "d4c4"] {
            let expected = if word == "Rh2" { Some("h1h2".into()) } else { None };
            assert_eq!(uci(ENDING, word), expected, "{word}");
        }
        let two_rooks = "4k3/8/8/8/8/8/8/R3K2R w - - 0 1";
        assert_eq!(uci(two_rooks, "Rf1").as_deref(), Some("h1f1"));
        assert_eq!(uci("1k6/8/8/8/8/4K3/8/R6R w - - 0 1", "Rd1"), None);
        // A pawn that takes says from where.
        assert_eq!(uci("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", "d6"), None);
        assert_eq!(uci("4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", "ed6").as_deref(), Some("e5d6"));
    }

    #[test]
    fn other_words_are_numbers_results_passes_or_no_moves() {
        let meaning = |word: &str| read(word.as_bytes());
        for word in ["12.", "1...", "...", "3…", "+", "++", "e.p.", "+/-", "=", "±", "□"] {
            assert_eq!(meaning(word).meaning, Meaning::Nothing, "{word}");
        }
        for word in ["12", "0", "00", "000", "2024", "99999999999999999999"] {
            assert_eq!(meaning(word).meaning, Meaning::Number, "{word}");
        }
        assert_eq!(meaning("4294967298.").number, Some(u32::MAX));
        assert_eq!((meaning("12.").number, meaning("12.").dots), (Some(12), 1));
        assert_eq!((meaning("7...e5").number, meaning("7…e5").dots), (Some(7), 3));
        for (word, result) in [
            ("1-0", Ending::Known(1)),
            ("0–1", Ending::Known(-1)),
            ("½-½", Ending::Known(0)),
            ("1/2-1/2", Ending::Known(0)),
            ("*", Ending::Open),
        ] {
            let expected = Word { number: None, dots: 0, meaning: Meaning::Result(result) };
            assert_eq!(meaning(word), expected, "{word}");
        }
        for word in ["--", "Z0", "0000", "2.0000", "12.--", "2...Z0", "@@@@", "--+"] {
            assert_eq!(meaning(word).meaning, Meaning::NullMove, "{word}");
        }
        for word in [
            "N", "Nf", "e", "e9", "i4", "Nf3-", "nf3", "4e5", "xd5", "3a4", "e4e5e6", "O-O-O-O",
            "OO", "o-o", "O-0", "N×f3", "e:d5", "NXf3", "e8/Q", "hello", "K@e4", "N@", "N@f9",
            "NN@f3", "e8K", "1-2", "0-0-1", "-", "[", "<e4>", "e4,", "é", "\0", "Sf3", "e4/",
            "1/2-1", "Pxe4", "P4e5", "0.0", "4.00", "1.1.e4",
        ] {
            assert_eq!(meaning(word).meaning, Meaning::NoMove, "{word}");
        }
    }
}
