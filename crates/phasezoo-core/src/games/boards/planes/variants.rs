//! Planes of crazyhouse and of the variants of Lichess
//! (`docs/definitions/planes.md`).

use shakmaty::{Color, EnPassantMode, Position, Role};

use super::chess::{V2_CHANNELS, write_v2};
use super::sinks::Sink;
use super::writer::{
    CHECKERBOARD, CLOCK_SCALE, COUNT_SCALE, MOVE_SCALE, Writer, has_opposite_bishops,
};
use crate::games::boards::board::BoardState;
use crate::games::boards::rules::Rules;

/// Channels of crazyhouse's `v1`.
pub(super) const HOUSE_V1_CHANNELS: usize = 34;
/// Channels of crazyhouse's `v2`.
pub(super) const HOUSE_V2_CHANNELS: usize = V2_CHANNELS + 12;
/// Channels of crazyhouse's `minimal`, which are those of `shared` in every game.
pub(super) const HOUSE_MINIMAL_CHANNELS: usize = 22;
/// Channels of `lichess`.
pub(super) const LICHESS_CHANNELS: usize = 80;

/// Scale of the clock in crazyhouse, where it draws nothing.
const HOUSE_CLOCK_SCALE: f32 = 40.0;
/// Scale of pockets.
const POCKET_SCALE: f32 = 32.0;

/// The variants of Lichess in the order of their planes, by the names that games have here.
const LICHESS_VARIANTS: [&str; 8] = [
    "chess",
    "crazyhouse",
    "king_of_the_hill",
    "three_check",
    "antichess",
    "atomic",
    "horde",
    "racing_kings",
];

/// 34 planes: pieces 0–11, repetitions 12–13, own and other pocket 14–23, own and other promoted
/// pieces 24–25, en passant square after any double step 26, whether the viewer is White 27, move
/// number 28, castling 29–32, clock 33.
pub(super) fn house_v1<R: Rules>(
    state: &BoardState<R>,
    viewer: Color,
    planes: &mut Writer<impl Sink>,
) {
    let position = state.position();
    planes.pieces(position);
    planes.repetitions(state);
    planes.pockets(position, POCKET_SCALE);
    planes.promoted(position);
    planes.en_passant(position, EnPassantMode::Always);
    planes.flag(viewer.is_white());
    planes.fill(position.fullmoves().get() as f32 / MOVE_SCALE);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / HOUSE_CLOCK_SCALE);
}

/// 64 planes: those of chess `v2` 0–51, own and other pocket 52–61, own and other promoted pieces
/// 62–63.
pub(super) fn house_v2<R: Rules>(
    state: &BoardState<R>,
    viewer: Color,
    planes: &mut Writer<impl Sink>,
) {
    write_v2(state, viewer, HOUSE_CLOCK_SCALE, planes);
    planes.pockets(state.position(), POCKET_SCALE);
    planes.promoted(state.position());
}

/// 22 planes: pieces 0–11, own and other pocket 12–21, which are zero in games without pockets.
pub(super) fn house_minimal<R: Rules>(state: &BoardState<R>, planes: &mut Writer<impl Sink>) {
    planes.pieces(state.position());
    planes.pockets(state.position(), POCKET_SCALE);
}

/// 80 planes: pieces 0–11, repetitions 12–13, pockets 14–23, promoted pieces 24–25, legal en passant
/// square 26, nothing (once colour and move number) 27–28, castling 29–32, clock 33, remaining checks
/// 34–37, chess960 38, which variant 39–46, last moves 47–62, all own and all other pieces 63–64,
/// checkerboard 65, difference of counts P N B R Q K 66–71, opposite-coloured bishops 72, pieces that
/// give check 73, own counts 74–79.
pub(super) fn lichess<R: Rules>(
    state: &BoardState<R>,
    viewer: Color,
    planes: &mut Writer<impl Sink>,
) {
    let position = state.position();
    let board = position.board();
    planes.pieces(position);
    planes.repetitions(state);
    // No game with pockets or a count of checks has this choice.
    planes.zeros(12);
    planes.en_passant(position, EnPassantMode::Legal);
    planes.zeros(2);
    planes.castling(position);
    planes.fill(position.halfmoves() as f32 / CLOCK_SCALE);
    planes.zeros(4);
    planes.flag(R::MODE.is_chess960());
    for variant in LICHESS_VARIANTS {
        planes.flag(variant == R::NAME);
    }
    planes.last_moves(state);
    planes.squares(board.by_color(viewer));
    planes.squares(board.by_color(!viewer));
    planes.fixed(CHECKERBOARD);
    let count = |color: Color, role: Role| board.by_piece(role.of(color)).count() as f32;
    for role in Role::ALL {
        planes.fill((count(viewer, role) - count(!viewer, role)) / COUNT_SCALE);
    }
    planes.flag(has_opposite_bishops(position));
    planes.squares(position.checkers());
    for role in Role::ALL {
        planes.fill(count(viewer, role) / COUNT_SCALE);
    }
}
