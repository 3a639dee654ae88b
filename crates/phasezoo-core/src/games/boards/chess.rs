//! Standard chess and chess960: the same moves, other starts and another way to castle.

use shakmaty::{
    Board, CastlingMode, Color, File, Move, Piece, Position, Rank, Role, Setup, Square,
};

use crate::games::boards::fen;
use crate::games::boards::planes::BoardPlanes;
use crate::games::boards::rules::{Rules, has_legal_chess_move, is_legal_chess_move};
use crate::rng::Stream;

/// Spellings of standard chess in the PGN tag `Variant`; without a tag it is chess.
pub(crate) const PGN_VARIANTS: &[&str] = &["", "standard", "normal", "classical", "from position"];

const PLANES: &[BoardPlanes] = &[
    BoardPlanes::V1,
    BoardPlanes::V2,
    BoardPlanes::MINIMAL,
    BoardPlanes::SHARED,
    BoardPlanes::LC0,
    BoardPlanes::LC0_CASTLING,
    BoardPlanes::LC0_CANONICAL,
    BoardPlanes::LC0_CANONICAL_HECTOPLIES,
    BoardPlanes::LC0_CANONICAL_V2,
];

/// Standard chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chess;

impl Rules for Chess {
    type Position = shakmaty::Chess;

    const NAME: &'static str = "chess";
    const PGN_VARIANTS: &'static [&'static str] = PGN_VARIANTS;
    const PLANES: &'static [BoardPlanes] = PLANES;

    fn has_legal_move(position: &shakmaty::Chess) -> bool {
        has_legal_chess_move(position)
    }

    fn is_legal(position: &shakmaty::Chess, m: Move) -> bool {
        is_legal_chess_move(position, m)
    }
}

/// Chess from one of 960 starts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chess960;

/// The number of starts.
const STARTS: usize = 960;

/// The number of the usual start.
const USUAL: usize = 518;

impl Rules for Chess960 {
    type Position = shakmaty::Chess;

    const NAME: &'static str = "chess960";
    const PGN_VARIANTS: &'static [&'static str] = &[
        "chess 960",
        "fischerandom",
        "fischerrandom",
        "fischer random",
        "fischer random chess",
        "freestyle",
        "freestyle chess",
    ];
    const PLANES: &'static [BoardPlanes] = PLANES;
    const MODE: CastlingMode = CastlingMode::Chess960;
    const HAS_USUAL_START: bool = false;

    fn initial() -> shakmaty::Chess {
        Self::start(USUAL)
    }

    /// By castling rights that standard chess does not have, or by the pieces of one of the starts but
    /// the usual one.
    fn claims_start(fen: &str) -> bool {
        fen::parse::<Self>(fen).is_ok_and(|position| {
            let board = position.board();
            let has_other_rights = position.castles().any()
                && fen::parse::<Chess>(fen)
                    .is_err_and(|_| fen::parse::<Chess>(&without_castling(fen)).is_ok());
            has_other_rights || is_other_start(board)
        })
    }

    fn has_legal_move(position: &shakmaty::Chess) -> bool {
        has_legal_chess_move(position)
    }

    fn is_legal(position: &shakmaty::Chess, m: Move) -> bool {
        is_legal_chess_move(position, m)
    }
}

/// Whether the pieces stand as in one of the starts, but not as usual.
fn is_other_start(board: &Board) -> bool {
    let usual = Board::default();
    let both = usual.occupied() == board.occupied() && usual.white() == board.white();
    if !both || usual.pawns() != board.pawns() {
        return false;
    }
    let rank = |rank| File::ALL.map(|file| board.role_at(Square::from_coords(file, rank)));
    let first = rank(Rank::First);
    first == rank(Rank::Eighth)
        && first != back_rank(USUAL).map(Some)
        && (0..STARTS).any(|number| back_rank(number).map(Some) == first)
}

/// A FEN without its castling rights.
fn without_castling(fen: &str) -> String {
    let mut fields: Vec<&str> = fen.split_ascii_whitespace().collect();
    if let Some(rights) = fields.get_mut(2) {
        *rights = "-";
    }
    fields.join(" ")
}

impl Chess960 {
    /// One of the starts, all alike.
    pub fn drawn(stream: &mut Stream) -> shakmaty::Chess {
        Self::start(stream.below(STARTS))
    }

    /// The start with a number below 960 in the numbering of Scharnagl.
    fn start(number: usize) -> shakmaty::Chess {
        let mut setup = Setup::empty();
        for (file, role) in back_rank(number).into_iter().enumerate() {
            for (color, rank, pawns) in [
                (Color::White, Rank::First, Rank::Second),
                (Color::Black, Rank::Eighth, Rank::Seventh),
            ] {
                let file = File::new(file as u32);
                setup.board.set_piece_at(Square::from_coords(file, rank), role.of(color));
                let pawn = Piece { color, role: Role::Pawn };
                setup.board.set_piece_at(Square::from_coords(file, pawns), pawn);
            }
        }
        setup.castling_rights = setup.board.rooks();
        // A number below 960 gives a legal start, which a test goes through; the usual one stands in.
        fen::setup_position(setup, CastlingMode::Chess960).unwrap_or_default()
    }
}

/// The pieces of the first rank: bishops by the number's remainders modulo 4, then the queen, the
/// knights, and rook, king, rook on what is left.
fn back_rank(number: usize) -> [Role; 8] {
    /// Places of the two knights among five free files.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let mut rank = [None; 8];
    let (rest, light) = (number / 4, number % 4);
    let (rest, dark) = (rest / 4, rest % 4);
    let (knights, queen) = (rest / 6, rest % 6);
    rank[2 * light + 1] = Some(Role::Bishop);
    rank[2 * dark] = Some(Role::Bishop);
    let free = |rank: &[Option<Role>; 8], place: usize| {
        (0..8).filter(|&file| rank[file].is_none()).nth(place).unwrap_or(0)
    };
    let file = free(&rank, queen);
    rank[file] = Some(Role::Queen);
    let (first, second) = KNIGHTS[knights % KNIGHTS.len()];
    let files = [free(&rank, first), free(&rank, second)];
    for file in files {
        rank[file] = Some(Role::Knight);
    }
    let mut last = [Role::Rook, Role::King, Role::Rook].into_iter();
    rank.map(|role| role.or_else(|| last.next()).unwrap_or(Role::Rook))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::EnPassantMode;
    use shakmaty::fen::Fen;

    use super::*;

    #[test]
    fn every_number_gives_another_legal_start() {
        let starts: HashSet<String> = (0..STARTS)
            .map(|number| {
                let start = Chess960::start(number);
                assert_eq!(start.castles().castling_rights().count(), 4);
                assert_eq!(start.castles().mode(), CastlingMode::Chess960);
                Fen::from_position(&start, EnPassantMode::Legal).to_string()
            })
            .collect();
        assert_eq!(starts.len(), STARTS);
        let usual = Chess960::start(USUAL);
        assert_eq!(usual.board(), shakmaty::Chess::default().board());
    }

    #[test]
    fn starts_are_claimed_by_their_rights_or_their_pieces() {
        for (fen, expected) in [
            ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
            ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", true),
            // King and rooks stand as usual, and the other pieces do not.
            ("rbbqknnr/pppppppp/8/8/8/8/PPPPPPPP/RBBQKNNR w KQkq - 0 1", true),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", false),
            ("4k3/8/8/8/8/8/8/R2K3R w HA - 0 1", true),
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", false),
            ("4k3/8/8/8/8/8/8/1R2K3 w - - 0 1", false),
            ("nonsense", false),
        ] {
            assert_eq!(Chess960::claims_start(fen), expected, "{fen}");
        }
    }

    #[test]
    fn the_numbering_is_the_published_one() {
        use Role::{Bishop, King, Knight, Queen, Rook};
        assert_eq!(back_rank(0), [Bishop, Bishop, Queen, Knight, Knight, Rook, King, Rook]);
        assert_eq!(back_rank(959), [Rook, King, Rook, Knight, Knight, Queen, Bishop, Bishop]);
    }
}
