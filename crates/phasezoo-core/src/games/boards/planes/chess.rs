//! Planes of standard chess: `v1` and `v2` of the published engine (`docs/definitions/planes.md`),
//! and the pieces alone.

use shakmaty::{Color, EnPassantMode, Position, Role};

use super::sinks::Sink;
use super::writer::{
    CHECKERBOARD, CLOCK_SCALE, COUNT_SCALE, COUNTED, MOVE_SCALE, Writer, has_opposite_bishops,
};
use crate::games::boards::board::BoardState;
use crate::games::boards::rules::Rules;

/// Channels of `v1`.
pub(super) const V1_CHANNELS: usize = 39;
/// Channels of `v2`.
pub(super) const V2_CHANNELS: usize = 52;
/// Channels of `minimal`.
pub(super) const MINIMAL_CHANNELS: usize = 12;

/// 39 planes: pieces 0–11, repetitions 12–13, en passant square after any double step 14, whether the
/// viewer is White 15, move number 16, castling 17–20, clock 21, chess960 22, last moves 23–38.
pub(super) fn v1<R: Rules>(state: &BoardState<R>, viewer: Color, planes: &mut Writer<impl Sink>) {
    let position = state.position();
    planes.pieces(position);
    planes.repetitions(state);
    planes.en_passant(position, EnPassantMode::Always);
    planes.flag(viewer.is_white());
    planes.fill(position.fullmoves().get() as f32 / MOVE_SCALE);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / CLOCK_SCALE);
    planes.flag(R::MODE.is_chess960());
    planes.last_moves(state);
}

/// 52 planes: pieces 0–11, repetitions 12–13, legal en passant square 14, castling 15–18, clock 19,
/// last moves 20–35, chess960 36, all own and all other pieces 37–38, checkerboard 39, difference of
/// counts P N B R Q 40–44, opposite-coloured bishops 45, pieces that give check 46, own counts 47–51.
pub(super) fn v2<R: Rules>(state: &BoardState<R>, viewer: Color, planes: &mut Writer<impl Sink>) {
    write_v2(state, viewer, CLOCK_SCALE, planes);
}

/// The planes of [`v2`], the clock in units of `clock_scale`.
pub(super) fn write_v2<R: Rules>(
    state: &BoardState<R>,
    viewer: Color,
    clock_scale: f32,
    planes: &mut Writer<impl Sink>,
) {
    let position = state.position();
    let board = position.board();
    planes.pieces(position);
    planes.repetitions(state);
    planes.en_passant(position, EnPassantMode::Legal);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / clock_scale);
    planes.last_moves(state);
    planes.flag(R::MODE.is_chess960());
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
