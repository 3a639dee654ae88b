//! Planes one after the other, and the blocks of planes that several choices share.

use shakmaty::{Bitboard, CastlingSide, Color, EnPassantMode, Position, Role};

use super::sinks::Sink;
use crate::games::boards::board::BoardState;
use crate::games::boards::history::SHOWN_MOVES;
use crate::games::boards::rules::Rules;

/// The clock of 50 moves is scaled by half its length, as published.
pub(super) const CLOCK_SCALE: f32 = 50.0;
/// Scale of the full-move number.
pub(super) const MOVE_SCALE: f32 = 500.0;
/// Scale of piece counts.
pub(super) const COUNT_SCALE: f32 = 8.0;

/// Squares with an odd sum of rank and file, a1 = (0, 0): the light ones.
pub(super) const CHECKERBOARD: Bitboard = Bitboard::LIGHT_SQUARES;

pub(super) const COUNTED: [Role; 5] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// How squares of the board are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) viewer: Color,
    /// Whether the a-file is shown as the h-file.
    mirrors: bool,
}

impl View {
    /// Squares as the viewer sees them.
    pub(super) fn of(self, squares: Bitboard) -> Bitboard {
        let squares = if self.mirrors { squares.flip_horizontal() } else { squares };
        match self.viewer {
            Color::White => squares,
            Color::Black => squares.flip_vertical(),
        }
    }
}

/// Writes one plane after the other.
pub(super) struct Writer<S> {
    sink: S,
    view: View,
    /// How many of the last moves are shown.
    history: usize,
}

impl<S: Sink> Writer<S> {
    pub(super) fn new(sink: S, viewer: Color, history: usize) -> Self {
        Self { sink, view: View { viewer, mirrors: false }, history }
    }

    /// The same, files mirrored.
    pub(super) fn mirroring(self) -> Self {
        Self { view: View { mirrors: true, ..self.view }, ..self }
    }

    /// Who sees the planes.
    pub(super) fn viewer(&self) -> Color {
        self.view.viewer
    }

    /// How it shows squares.
    pub(super) fn view(&self) -> View {
        self.view
    }

    /// What was written to.
    pub(super) fn into_sink(self) -> S {
        self.sink
    }

    /// A plane with one value everywhere.
    pub(super) fn fill(&mut self, value: f32) {
        self.sink.constant(value);
    }

    /// A plane of ones or zeros.
    pub(super) fn flag(&mut self, flag: bool) {
        self.fill(f32::from(u8::from(flag)));
    }

    /// A plane with ones on squares that the viewer sees as they stand.
    pub(super) fn fixed(&mut self, squares: Bitboard) {
        self.sink.squares(squares);
    }

    /// A plane with ones on squares of the board.
    pub(super) fn squares(&mut self, squares: Bitboard) {
        self.fixed(self.view.of(squares));
    }

    /// Own pieces, then the opponent's: P N B R Q K each.
    pub(super) fn pieces<P: Position>(&mut self, position: &P) {
        let board = position.board();
        for color in [self.viewer(), !self.viewer()] {
            for role in Role::ALL {
                self.squares(board.by_color(color) & board.by_role(role));
            }
        }
    }

    /// Whether the position stood before once, and twice.
    pub(super) fn repetitions<R: Rules>(&mut self, state: &BoardState<R>) {
        self.flag(state.occurrences() >= 1);
        self.flag(state.occurrences() >= 2);
    }

    pub(super) fn en_passant<P: Position>(&mut self, position: &P, mode: EnPassantMode) {
        self.squares(position.ep_square(mode).map_or(Bitboard::EMPTY, Bitboard::from_square));
    }

    /// Own rights to castle short and long, then the opponent's.
    pub(super) fn castling<P: Position>(&mut self, position: &P) {
        for color in [self.viewer(), !self.viewer()] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                self.flag(position.castles().has(color, side));
            }
        }
    }

    /// The counts in the pockets, own P N B R Q and then the opponent's, in units of `scale`.
    pub(super) fn pockets<P: Position>(&mut self, position: &P, scale: f32) {
        for color in [self.viewer(), !self.viewer()] {
            for role in COUNTED {
                let count = position.pockets().map_or(0, |pockets| pockets[color][role]);
                self.fill(f32::from(count) / scale);
            }
        }
    }

    /// Own promoted pieces, then the opponent's.
    pub(super) fn promoted<P: Position>(&mut self, position: &P) {
        for color in [self.viewer(), !self.viewer()] {
            self.squares(position.promoted() & position.board().by_color(color));
        }
    }

    /// Passes `count` planes of zeros.
    pub(super) fn zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.sink.constant(0.0);
        }
    }

    /// The last moves, newest first: from-square and to-square of each; zeros if none is known
    /// or it is not to be shown.
    pub(super) fn last_moves<R: Rules>(&mut self, state: &BoardState<R>) {
        let mut shown = state.history().shown().take(self.history);
        for _ in 0..SHOWN_MOVES {
            let (from, to) = shown.next().map_or((None, None), |m| (m.from(), Some(m.to())));
            for square in [from, to] {
                self.squares(square.map_or(Bitboard::EMPTY, Bitboard::from_square));
            }
        }
    }
}

/// Whether each side has exactly one bishop and they stand on squares of different colours.
pub(super) fn has_opposite_bishops<P: Position>(position: &P) -> bool {
    let board = position.board();
    let bishops = board.bishops();
    (bishops & board.white()).count() == 1
        && (bishops & board.black()).count() == 1
        && (bishops & Bitboard::LIGHT_SQUARES).count() == 1
}
