//! Planes of standard chess: `v1` and `v2` of the published engine (`facts/crazyara.md` §2.1 and
//! §2.3), and the pieces alone.

use shakmaty::{Bitboard, CastlingSide, Color, EnPassantMode, Position, Role};

use super::PLANE;
use crate::games::board::BoardState;
use crate::games::history::SHOWN_MOVES;
use crate::games::rules::Rules;

/// Channels of `v1`.
pub(super) const V1_CHANNELS: usize = 39;
/// Channels of `v2`.
pub(super) const V2_CHANNELS: usize = 52;
/// Channels of `minimal`.
pub(super) const MINIMAL_CHANNELS: usize = 12;

/// The clock of 50 moves is scaled by half its length, as published.
const CLOCK_SCALE: f32 = 50.0;
/// Scale of the full-move number.
const MOVE_SCALE: f32 = 500.0;
/// Scale of piece counts.
const COUNT_SCALE: f32 = 8.0;

/// Squares with an odd sum of rank and file, a1 = (0, 0): the light ones.
const CHECKERBOARD: Bitboard = Bitboard::LIGHT_SQUARES;

const COUNTED: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Writes one plane after the other into a buffer that it clears first.
///
/// One long clearing and a few single writes beat writing each plane once: processors clear without
/// reading what was there (on buffers larger than the cache a third of the time).
struct Writer<'a> {
    planes: std::slice::IterMut<'a, [f32; PLANE]>,
    viewer: Color,
}

impl<'a> Writer<'a> {
    fn new(out: &'a mut [f32], viewer: Color) -> Self {
        out.fill(0.0);
        Self { planes: out.as_chunks_mut().0.iter_mut(), viewer }
    }

    /// A plane with one value everywhere.
    fn fill(&mut self, value: f32) {
        if let Some(plane) = self.planes.next()
            && value != 0.0
        {
            plane.fill(value);
        }
    }

    /// A plane of ones or zeros.
    fn flag(&mut self, flag: bool) {
        self.fill(f32::from(u8::from(flag)));
    }

    /// A plane with ones on squares that the viewer sees as they stand.
    fn fixed(&mut self, squares: Bitboard) {
        if let Some(plane) = self.planes.next() {
            for square in squares {
                plane[square.to_usize()] = 1.0;
            }
        }
    }

    /// A plane with ones on squares of the board.
    fn squares(&mut self, squares: Bitboard) {
        self.fixed(match self.viewer {
            Color::White => squares,
            Color::Black => squares.flip_vertical(),
        });
    }

    /// Own pieces, then the opponent's: P N B R Q K each.
    fn pieces<P: Position>(&mut self, position: &P) {
        let board = position.board();
        for color in [self.viewer, !self.viewer] {
            for role in Role::ALL {
                self.squares(board.by_color(color) & board.by_role(role));
            }
        }
    }

    /// Whether the position stood before once, and twice.
    fn repetitions<R: Rules>(&mut self, state: &BoardState<R>) {
        self.flag(state.occurrences() >= 1);
        self.flag(state.occurrences() >= 2);
    }

    fn en_passant<P: Position>(&mut self, position: &P, mode: EnPassantMode) {
        self.squares(position.ep_square(mode).map_or(Bitboard::EMPTY, Bitboard::from_square));
    }

    /// Own rights to castle short and long, then the opponent's.
    fn castling<P: Position>(&mut self, position: &P) {
        for color in [self.viewer, !self.viewer] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                self.flag(position.castles().has(color, side));
            }
        }
    }

    /// The last moves, newest first: from-square and to-square of each; zeros where none is known.
    fn last_moves<R: Rules>(&mut self, state: &BoardState<R>) {
        let mut shown = state.history().shown();
        for _ in 0..SHOWN_MOVES {
            let (from, to) = shown.next().map_or((None, None), |m| (m.from(), Some(m.to())));
            for square in [from, to] {
                self.squares(square.map_or(Bitboard::EMPTY, Bitboard::from_square));
            }
        }
    }
}

/// 39 planes: pieces 0–11, repetitions 12–13, en passant square after any double step 14, whether the
/// viewer is White 15, move number 16, castling 17–20, clock 21, chess960 22, last moves 23–38.
pub(super) fn v1<R: Rules>(state: &BoardState<R>, viewer: Color, out: &mut [f32]) {
    let position = state.position();
    let mut planes = Writer::new(out, viewer);
    planes.pieces(position);
    planes.repetitions(state);
    planes.en_passant(position, EnPassantMode::Always);
    planes.flag(viewer.is_white());
    planes.fill(position.fullmoves().get() as f32 / MOVE_SCALE);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / CLOCK_SCALE);
    planes.flag(state.mode().is_chess960());
    planes.last_moves(state);
}

/// 52 planes: pieces 0–11, repetitions 12–13, legal en passant square 14, castling 15–18, clock 19,
/// last moves 20–35, chess960 36, all own and all other pieces 37–38, checkerboard 39, difference of
/// counts P N B R Q 40–44, opposite-coloured bishops 45, pieces that give check 46, own counts 47–51.
pub(super) fn v2<R: Rules>(state: &BoardState<R>, viewer: Color, out: &mut [f32]) {
    let position = state.position();
    let board = position.board();
    let mut planes = Writer::new(out, viewer);
    planes.pieces(position);
    planes.repetitions(state);
    planes.en_passant(position, EnPassantMode::Legal);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / CLOCK_SCALE);
    planes.last_moves(state);
    planes.flag(state.mode().is_chess960());
    planes.squares(board.by_color(viewer));
    planes.squares(board.by_color(!viewer));
    planes.fixed(CHECKERBOARD);
    let count = |color: Color, role: Role| board.by_piece(role.of(color)).count() as f32;
    for role in COUNTED {
        planes.fill((count(viewer, role) - count(!viewer, role)) / COUNT_SCALE);
    }
    planes.flag(has_opposite_bishops(position));
    planes.squares(position.checkers());
    for role in COUNTED {
        planes.fill(count(viewer, role) / COUNT_SCALE);
    }
}

/// 12 planes: own P N B R Q K, then the opponent's.
pub(super) fn minimal<R: Rules>(state: &BoardState<R>, viewer: Color, out: &mut [f32]) {
    Writer::new(out, viewer).pieces(state.position());
}

/// Whether each side has exactly one bishop and they stand on squares of different colours.
fn has_opposite_bishops<P: Position>(position: &P) -> bool {
    let board = position.board();
    let bishops = board.bishops();
    (bishops & board.white()).count() == 1
        && (bishops & board.black()).count() == 1
        && (bishops & Bitboard::LIGHT_SQUARES).count() == 1
}
