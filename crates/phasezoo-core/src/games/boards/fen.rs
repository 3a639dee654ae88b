//! Positions as text: FEN and four-field EPD, strict in form, lenient in what may stand on the board.

use std::borrow::Cow;

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{
    CastlingMode, Color, EnPassantMode, FromSetup, Piece, Position, PositionError,
    PositionErrorKinds, Setup,
};

use crate::error::{Error, Result};
use crate::games::boards::rules::Rules;

/// How much of a bad text an error quotes.
const QUOTED: usize = 120;

/// Pieces that pockets hold at most: as many as there are squares.
const MOST_IN_POCKETS: usize = 64;

/// The FEN of a position, its en passant square only where a capture there is legal.
pub fn text<P: Position>(position: &P) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// `text` in quotes, shortened if it is long, control characters escaped.
pub(crate) fn quote(text: &str) -> String {
    let shown: String = text
        .chars()
        .take(QUOTED)
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect();
    match text.chars().count() {
        0..=QUOTED => format!("'{shown}'"),
        length => format!("'{shown}…' ({length} characters)"),
    }
}

/// The position of a FEN, or of an EPD of four fields (its counters are then `0 1`).
///
/// Impossible checks and odd material are accepted; missing kings, a king that could be captured,
/// castling rights without king and rook, an en passant square that no pawn has just passed and
/// counters that are not whole numbers are errors.
pub fn parse<R: Rules>(fen: &str) -> Result<R::Position> {
    let invalid = |reason: String| Error::InvalidFen(format!("{}: {reason}", quote(fen)));
    // Lists of positions end each with a semicolon, and whoever copies one copies it too.
    let whole = fen.trim_ascii_end().trim_end_matches(';');
    let mut fields: Vec<&str> = whole.split_ascii_whitespace().collect();
    let house = R::Position::default().pockets().is_some();
    let written = fields.first().filter(|_| house).map(|field| with_plain_pockets(field));
    let written = written.transpose().map_err(invalid)?;
    if let (Some(field), Some(written)) = (fields.first_mut(), &written) {
        *field = written;
    }
    check_fields(&fields, house).map_err(invalid)?;
    let setup = Fen::from_ascii(fields.join(" ").as_bytes())
        .map_err(|error| invalid(describe_syntax(&error, &fields)))?
        .into_setup();
    let ep_square = setup.ep_square;
    let position =
        setup_position(setup, R::MODE).map_err(|error: PositionError<R::Position>| {
            let mut reason = describe_position(error.kinds());
            if let Some(square) = ep_square
                && error.kinds().contains(PositionErrorKinds::INVALID_EP_SQUARE)
            {
                reason = format!("{reason} (given: {square}; write '-' where there is none)");
            }
            invalid(reason)
        })?;
    R::check_start(&position).map_err(invalid)?;
    Ok(position)
}

/// The position of a setup, impossible checks and odd material included.
pub fn setup_position<P: FromSetup + Position>(
    setup: Setup,
    mode: CastlingMode,
) -> std::result::Result<P, PositionError<P>> {
    P::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
}

/// A placement whose pockets name each piece once for every time they hold it: `[-]` is empty and
/// `[N3Pb]` holds three pawns.
fn with_plain_pockets(field: &str) -> std::result::Result<Cow<'_, str>, String> {
    let ninth = || field.match_indices('/').nth(7).map(|(at, _)| at + 1);
    let Some(start) = field.find('[').map(|at| at + 1).or_else(ninth) else {
        return Ok(Cow::Borrowed(field));
    };
    let end = field.strip_suffix(']').map_or(field.len(), str::len).max(start);
    let pockets = &field[start..end];
    if !pockets.bytes().any(|byte| byte == b'-' || byte.is_ascii_digit()) {
        return Ok(Cow::Borrowed(field));
    }
    let mut plain = String::new();
    let mut count = None;
    for c in pockets.chars().filter(|_| pockets != "-") {
        match c.to_digit(10) {
            Some(digit) => count = Some(count.unwrap_or(0) * 10 + digit as usize),
            // The parser names what is no piece.
            None if Piece::from_char(c).is_none() => return Ok(Cow::Borrowed(field)),
            None => plain.extend(std::iter::repeat_n(c, count.take().unwrap_or(1))),
        }
        if count.is_some_and(|count| count > MOST_IN_POCKETS) || plain.len() > MOST_IN_POCKETS {
            return Err(format!("the pockets hold more than {MOST_IN_POCKETS} pieces"));
        }
    }
    match count {
        Some(_) => Err(format!("a number in {} stands before no piece", quote(pockets))),
        None => Ok(Cow::Owned(format!("{}{plain}{}", &field[..start], &field[end..]))),
    }
}

/// Checks the form of each field, the placement first; the error is the reason.
fn check_fields(fields: &[&str], house: bool) -> std::result::Result<(), String> {
    let Some(placement) = fields.first() else {
        return Err("expected a FEN, found nothing".into());
    };
    check_placement(placement, house)?;
    if !matches!(fields.len(), 4 | 6) {
        return Err(format!(
            "expected 6 fields (FEN) or 4 (EPD), separated by spaces, found {}",
            fields.len()
        ));
    }
    if !matches!(fields[1], "w" | "b") {
        return Err(format!("expected the side to move, 'w' or 'b', found {}", quote(fields[1])));
    }
    if fields[2] != "-" && fields[2].bytes().any(|c| fields[2].matches(char::from(c)).count() > 1) {
        return Err(format!("a castling right stands twice in {}", quote(fields[2])));
    }
    let counters = [("halfmove clock", 0), ("move number", 0)];
    for ((name, least), field) in counters.iter().zip(fields.iter().skip(4)) {
        let digits = !field.is_empty() && field.bytes().all(|c| c.is_ascii_digit());
        if !(digits && field.parse::<u32>().is_ok_and(|value| value >= *least)) {
            return Err(format!(
                "expected a {name} from {least} to {}, found {}",
                u32::MAX,
                quote(field)
            ));
        }
    }
    Ok(())
}

/// Checks the form of the placement field; pockets, in brackets or as a ninth rank, and marks of
/// promoted pieces (`~`) belong to games with a `house` alone.
fn check_placement(field: &str, house: bool) -> std::result::Result<(), String> {
    let board = match field.split_once('[') {
        Some((board, _)) if house => board,
        Some(_) => return Err("this game has no pockets".into()),
        None => field,
    };
    let mut ranks: Vec<&str> = board.split('/').collect();
    if house && ranks.len() == 9 && board == field {
        ranks.pop();
    }
    if ranks.len() != 8 {
        return Err(format!("expected 8 ranks, found {}", ranks.len()));
    }
    for (rank, row) in (1..=8).rev().zip(&ranks) {
        let mut files = 0;
        for c in row.chars() {
            files += match c {
                '1'..='8' => c as u32 - '0' as u32,
                '~' if house => 0,
                _ if Piece::from_char(c).is_some() => 1,
                _ => return Err(format!("rank {rank}: expected pieces or digits, found {c:?}")),
            };
        }
        if files != 8 {
            return Err(format!("rank {rank} ({}): expected 8 squares, found {files}", quote(row)));
        }
    }
    for (color, king) in [(Color::White, 'K'), (Color::Black, 'k')] {
        let kings: usize = ranks.iter().map(|row| row.matches(king).count()).sum();
        if kings != 1 {
            return Err(format!("expected one {color} king, found {kings}"));
        }
    }
    Ok(())
}

fn describe_syntax(error: &ParseFenError, fields: &[&str]) -> String {
    match error {
        ParseFenError::InvalidCastling => format!(
            "expected castling rights, some of KQkq or '-', found {}",
            quote(fields.get(2).unwrap_or(&""))
        ),
        ParseFenError::InvalidEpSquare => format!(
            "expected an en passant square or '-', found {}",
            quote(fields.get(3).unwrap_or(&""))
        ),
        other => other.to_string(),
    }
}

fn describe_position(kinds: PositionErrorKinds) -> String {
    let reasons = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (
            PositionErrorKinds::INVALID_CASTLING_RIGHTS,
            "castling rights need king and rook on their first squares",
        ),
        (
            PositionErrorKinds::INVALID_EP_SQUARE,
            "the en passant square must be empty and just passed by a pawn of the side not to move",
        ),
        (PositionErrorKinds::OPPOSITE_CHECK, "the king of the side not to move can be captured"),
        (PositionErrorKinds::VARIANT, "a rule of the variant is broken"),
    ];
    let found: Vec<&str> =
        reasons.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, text)| *text).collect();
    found.join("; ")
}
