//! The planes of lc0, whose networks are published in its own format (`docs/definitions/lc0.md`):
//! eight positions of the game as the viewer sees them now, and what is known of the last.

use shakmaty::{
    Bitboard, Board, CastlingSide, Color, EnPassantMode, File, Piece, Position, Rank, Role, Square,
    attacks,
};

use super::sinks::Sink;
use super::writer::{View, Writer};
use crate::games::boards::board::BoardState;
use crate::games::boards::packed::PackedMove;
use crate::games::boards::rules::Rules;

/// Positions shown, the present one among them.
const POSITIONS: usize = 8;
/// Planes of squares of each: own P N B R Q K, then the opponent's. One of ones or zeros follows.
const PIECES: usize = 12;
/// Channels that a network of this kind reads.
const READ: usize = POSITIONS * (PIECES + 1) + 8;

/// How lc0 shows a position, by the number that its files give the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lc0Format {
    /// 1: rights to castle as whole planes.
    Classical,
    /// 2: the rooks that may castle.
    CastlingRooks,
    /// 3: no position that cannot recur, and the board turned so that the own king stands in one corner.
    Canonical,
    /// 4: the same, the clock in units of a hundred plies.
    CanonicalHectoplies,
    /// 5: of earlier positions only those that stood before.
    CanonicalV2,
}

impl Lc0Format {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Classical => "lc0",
            Self::CastlingRooks => "lc0-castling",
            Self::Canonical => "lc0-canonical",
            Self::CanonicalHectoplies => "lc0-canonical-hectoplies",
            Self::CanonicalV2 => "lc0-canonical-v2",
        }
    }

    /// The planes of the network; one more for those that turn the board, which says how they did.
    pub(super) const fn channels(self) -> usize {
        if self.is_canonical() { READ + 1 } else { READ }
    }

    const fn is_canonical(self) -> bool {
        matches!(self, Self::Canonical | Self::CanonicalHectoplies | Self::CanonicalV2)
    }

    const fn clock_scale(self) -> f32 {
        match self {
            Self::CanonicalHectoplies | Self::CanonicalV2 => 100.0,
            Self::Classical | Self::CastlingRooks | Self::Canonical => 1.0,
        }
    }
}

/// A position as the viewer sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Shown {
    /// Own P N B R Q K, then the opponent's.
    pieces: [Bitboard; PIECES],
    /// Whether it stood before.
    repeats: bool,
}

impl Shown {
    fn of(board: &Board, repeats: bool, view: View) -> Self {
        let mut pieces = [Bitboard::EMPTY; PIECES];
        let viewer = view.viewer;
        let kinds = [viewer, !viewer].into_iter().flat_map(|c| Role::ALL.map(|role| role.of(c)));
        for (plane, piece) in pieces.iter_mut().zip(kinds) {
            *plane = view.of(board.by_piece(piece));
        }
        Self { pieces, repeats }
    }

    /// The same with the pawn of a double step back where it began: an own one, or an opponent's.
    fn before_double_step(mut self, file: File, own: bool) -> Self {
        let (pawns, from, to) = if own {
            (0, Rank::Second, Rank::Fourth)
        } else {
            (PIECES / 2, Rank::Seventh, Rank::Fifth)
        };
        let pawns = &mut self.pieces[pawns];
        pawns.discard(Square::from_coords(file, to));
        pawns.add(Square::from_coords(file, from));
        self
    }
}

/// Writes the planes: 13 of each position from 0, castling 104–107, who moves or the en passant file
/// 108, the clock 109, zeros 110, ones 111, and in canonical formats how the board was turned 112.
pub(super) fn lc0<R: Rules>(
    state: &BoardState<R>,
    format: Lc0Format,
    planes: &mut Writer<impl Sink>,
) {
    let view = planes.view();
    let viewer = view.viewer;
    let position = state.position();
    let mut shown = [Shown::default(); POSITIONS];
    shown[0] = Shown::of(position.board(), state.occurrences() > 0, view);
    if format.is_canonical() {
        recurring(state, format, view, &mut shown);
    } else {
        played(state, view, &mut shown);
    }
    let turn = if format.is_canonical() { Turn::of(position, &shown[0].pieces) } else { Turn(0) };
    for past in shown {
        for squares in past.pieces {
            planes.fixed(turn.apply(squares));
        }
        planes.flag(past.repeats);
    }
    let castles = position.castles();
    let sides = [CastlingSide::QueenSide, CastlingSide::KingSide];
    if format == Lc0Format::Classical {
        for (color, side) in [viewer, !viewer].into_iter().flat_map(|c| sides.map(|s| (c, s))) {
            planes.flag(castles.has(color, side));
        }
    } else {
        for side in sides {
            let rooks = Color::ALL.into_iter().filter_map(|color| castles.rook(color, side));
            // Without a turn: no side may castle where the board is turned.
            planes.fixed(view.of(rooks.collect()));
        }
        planes.zeros(2);
    }
    if format.is_canonical() {
        let mark = |step: DoubleStep| Square::from_coords(step.file, step.color.backrank());
        let mark = DoubleStep::to_earlier(state, 0, position.board()).map(mark);
        planes.fixed(turn.apply(view.of(mark.map_or(Bitboard::EMPTY, Bitboard::from))));
    } else {
        planes.flag(viewer.is_black());
    }
    planes.fill(position.halfmoves() as f32 / format.clock_scale());
    planes.zeros(1);
    planes.fill(1.0);
    if format.is_canonical() {
        planes.fill(f32::from(turn.0));
    }
}

/// A pawn's step over a square where another pawn could take it, whether or not its king forbids that;
/// or one that the FEN of a game's start names, as lc0 reads it.
#[derive(Clone, Copy, Debug)]
struct DoubleStep {
    color: Color,
    file: File,
}

impl DoubleStep {
    /// The move that led to `board`, if it is one.
    fn of(packed: PackedMove, board: &Board) -> Option<Self> {
        let (from, to) = (packed.from()?, packed.to());
        let Piece { color, role } = board.piece_at(to)?;
        let over = Square::from_coords(from.file(), color.fold_wb(Rank::Third, Rank::Sixth));
        let takers = board.by_piece(Role::Pawn.of(!color)) & attacks::pawn_attacks(color, over);
        let is_one = role == Role::Pawn && from.rank().distance(to.rank()) == 2 && takers.any();
        is_one.then_some(Self { color, file: from.file() })
    }

    /// The one that led to the position `back` plies ago, whose board is given.
    fn to_earlier<R: Rules>(state: &BoardState<R>, back: usize, board: &Board) -> Option<Self> {
        let moves = state.history().moves();
        if let Some(last) = moves.len().checked_sub(back + 1) {
            return Self::of(moves[last], board);
        }
        let start = state.start()?;
        let file = start.ep_square(EnPassantMode::Always)?.file();
        Some(Self { color: !start.turn(), file })
    }
}

/// Fills in the positions played before, and before the first of them what lc0 takes for it.
fn played<R: Rules>(state: &BoardState<R>, view: View, shown: &mut [Shown; POSITIONS]) {
    let mut oldest = state.position().board().clone();
    let mut known = 1;
    for (past, earlier) in shown[1..].iter_mut().zip(state.earlier()) {
        *past = Shown::of(&earlier.board, earlier.repeats, view);
        oldest = earlier.board;
        known += 1;
    }
    if is_set_up(state) {
        let mut first = shown[known - 1];
        if let Some(step) = DoubleStep::to_earlier(state, known - 1, &oldest) {
            let file = view.of(Bitboard::from(step.file)).first().map_or(step.file, Square::file);
            first = first.before_double_step(file, step.color == view.viewer);
        }
        shown[known..].fill(first);
    }
}

/// Whether the first position that planes may show was set up: a game from the usual start had none
/// before it.
fn is_set_up<R: Rules>(state: &BoardState<R>) -> bool {
    state.history().hidden() > 0
        || state.start().is_some_and(|start| {
            start.board() != &Board::new()
                || start.castles().castling_rights() != Bitboard::CORNERS
                || start.turn().is_black()
        })
}

/// Fills in the positions that may stand again; in the second canonical form only those that stood
/// before.
fn recurring<R: Rules>(
    state: &BoardState<R>,
    format: Lc0Format,
    view: View,
    shown: &mut [Shown; POSITIONS],
) {
    let repeats_only = format == Lc0Format::CanonicalV2;
    let (mut known, mut back) = (1, 0);
    for earlier in state.recurring() {
        back += 1;
        if known == POSITIONS || DoubleStep::to_earlier(state, back, &earlier.board).is_some() {
            return;
        }
        if !repeats_only || earlier.repeats {
            shown[known] = Shown::of(&earlier.board, earlier.repeats, view);
            known += 1;
        }
    }
    // The first position stands for those before it, unless they could not recur.
    let is_first = back == state.history().moves().len() - state.history().hidden() as usize;
    let is_quiet = state.position().halfmoves() as usize > back
        && (back > 0 || DoubleStep::to_earlier(state, 0, state.position().board()).is_none());
    if is_first && is_quiet && is_set_up(state) && !repeats_only {
        let first = shown[known - 1];
        shown[known..].fill(first);
    }
}

/// How the board is turned: 1 files, 2 ranks, 4 at the diagonal from h1 to a8, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn(u8);

impl Turn {
    const FILES: u8 = 1;
    const RANKS: u8 = 2;
    const DIAGONAL: u8 = 4;

    /// The turn that brings the own king to files e to h; without pawns to ranks 1 to 4 and to or below
    /// the diagonal from h1 too. On the diagonal the smaller number of two sets of squares decides.
    fn of<P: Position>(position: &P, pieces: &[Bitboard; PIECES]) -> Self {
        const LEFT: Bitboard = Bitboard(0x0f0f_0f0f_0f0f_0f0f);
        const UPPER: Bitboard = Bitboard(0xffff_ffff_0000_0000);
        const ABOVE: Bitboard = Bitboard(0xe0c0_8000);
        const ON: Bitboard = Bitboard(0x1020_4080);
        if position.castles().any() {
            return Self(0);
        }
        let king = pieces[5];
        let mut turn = Self(0);
        if (king & LEFT).any() {
            turn.0 |= Self::FILES;
        }
        let both = |role: usize| pieces[role] | pieces[PIECES / 2 + role];
        if both(0).any() {
            return turn;
        }
        if (king & UPPER).any() {
            turn.0 |= Self::RANKS;
        }
        let king = turn.apply(king);
        let own = pieces[..PIECES / 2].iter().fold(Bitboard::EMPTY, |all, &piece| all | piece);
        let all = pieces.iter().fold(Bitboard::EMPTY, |all, &piece| all | piece);
        let turns = if (king & ABOVE).any() {
            true
        } else {
            // King, queen, rook, knight, bishop.
            (king & ON).any()
                && [all, own, both(5), both(4), both(3), both(1), both(2)]
                    .map(|squares| turn.apply(squares))
                    .into_iter()
                    .find_map(|squares| {
                        let other = squares.flip_anti_diagonal();
                        (squares != other).then_some(other.0 < squares.0)
                    })
                    .unwrap_or(false)
        };
        if turns {
            turn.0 |= Self::DIAGONAL;
        }
        turn
    }

    fn apply(self, squares: Bitboard) -> Bitboard {
        let mut squares = squares;
        if self.0 & Self::FILES != 0 {
            squares = squares.flip_horizontal();
        }
        if self.0 & Self::RANKS != 0 {
            squares = squares.flip_vertical();
        }
        if self.0 & Self::DIAGONAL != 0 {
            squares = squares.flip_anti_diagonal();
        }
        squares
    }
}
