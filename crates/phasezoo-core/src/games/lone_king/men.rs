//! Who stands where in an ending against a lone king.

use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, Piece, Position, Role, Setup, Square, attacks,
};

use crate::games::boards::fen;

/// Pieces that the strong side has beside its king, at the most.
pub const MOST: usize = 2;

/// The men of a position without pawns in which one side has its king alone, the other side, the
/// *strong* one, seen as White. Squares count from a1 = 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Men {
    /// The strong king.
    pub king: u8,
    /// The lone king.
    pub lone: u8,
    /// Whether the strong side moves.
    pub strong_to_move: bool,
    count: u8,
    roles: [Role; MOST],
    squares: [u8; MOST],
}

/// Which man moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// The king of the side to move.
    King,
    /// A piece of the strong side, by its place in [`Men::pieces`].
    Piece(usize),
}

/// A move of an ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who moves.
    pub mover: Mover,
    /// Where to.
    pub to: u8,
}

impl Men {
    /// Men with these pieces, at most [`MOST`]; what is more is left out.
    pub fn new(king: u8, lone: u8, strong_to_move: bool, pieces: &[(Role, u8)]) -> Self {
        let count = pieces.len().min(MOST);
        let (mut roles, mut squares) = ([Role::Pawn; MOST], [0; MOST]);
        for (at, &(role, square)) in pieces.iter().take(MOST).enumerate() {
            (roles[at], squares[at]) = (role, square);
        }
        Self { king, lone, strong_to_move, count: count as u8, roles, squares }
    }

    /// The men of a position, and the colour of the strong side (White if both kings are alone); `None`
    /// of a position with a pawn, with pieces of both sides, with more than [`MOST`], or with a right to
    /// castle, which tables do not know.
    pub fn of(position: &Chess) -> Option<(Self, Color)> {
        let board = position.board();
        let pieces = board.occupied() & !board.kings();
        let strong = Color::from_white((pieces & board.black()).is_empty());
        let is_ending = (pieces & board.by_color(!strong)).is_empty()
            && board.pawns().is_empty()
            && !position.castles().any()
            && pieces.count() <= MOST;
        if !is_ending {
            return None;
        }
        let seen = |square: Square| strong.fold_wb(square, square.flip_vertical()) as u8;
        let mut men = Self::new(
            seen(board.king_of(strong)?),
            seen(board.king_of(!strong)?),
            position.turn() == strong,
            &[],
        );
        for square in pieces {
            men.add(board.role_at(square)?, seen(square));
        }
        Some((men, strong))
    }

    /// Puts a piece where it belongs: the strongest first, of equal ones the one on the lower square.
    fn add(&mut self, role: Role, square: u8) {
        let at = usize::from(self.count);
        (self.roles[at], self.squares[at]) = (role, square);
        self.count += 1;
        if at > 0 && (self.roles[0], square) < (role, self.squares[0]) {
            self.roles.swap(0, 1);
            self.squares.swap(0, 1);
        }
    }

    /// The strong side's pieces beside its king: roles and squares.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = (Role, u8)> + '_ {
        self.roles().iter().copied().zip(self.squares().iter().copied())
    }

    /// The pieces' roles, the strongest first.
    pub fn roles(&self) -> &[Role] {
        &self.roles[..usize::from(self.count)]
    }

    pub(super) fn squares(&self) -> &[u8] {
        &self.squares[..usize::from(self.count)]
    }

    /// The position; `None` if men share a square, the kings touch or a king can be captured.
    pub fn position(self) -> Option<Chess> {
        let mut setup = Setup::empty();
        let white = self.pieces().map(|(role, square)| (role.of(Color::White), square));
        let kings = [(Color::White, self.king), (Color::Black, self.lone)];
        let kings = kings.map(|(color, square)| (Role::King.of(color), square));
        for (piece, square) in white.chain(kings) {
            let square = Square::try_from(square).ok()?;
            if setup.board.occupied().contains(square) {
                return None;
            }
            setup.board.set_piece_at(square, piece);
        }
        setup.turn = Color::from_white(self.strong_to_move);
        fen::setup_position(setup, CastlingMode::Standard).ok()
    }

    /// The men after a move; a piece that the lone king takes is gone.
    #[must_use]
    pub fn after(self, step: Step) -> Self {
        let mut next = Self { strong_to_move: !self.strong_to_move, ..self };
        match step.mover {
            Mover::Piece(at) => next.squares[at] = step.to,
            Mover::King if self.strong_to_move => next.king = step.to,
            Mover::King => {
                next.lone = step.to;
                if let Some(taken) = self.squares().iter().position(|&square| square == step.to) {
                    next.remove(taken);
                }
            }
        }
        next
    }

    /// The men before a man of the strong side came from a square, having taken nothing.
    #[must_use]
    pub(super) fn before(self, mover: Mover, from: u8) -> Self {
        let mut men = Self { strong_to_move: true, ..self };
        match mover {
            Mover::Piece(at) => men.squares[at] = from,
            Mover::King => men.king = from,
        }
        men
    }

    fn remove(&mut self, at: usize) {
        for later in at + 1..usize::from(self.count) {
            (self.roles[later - 1], self.squares[later - 1]) =
                (self.roles[later], self.squares[later]);
        }
        self.count -= 1;
    }

    /// Whether the lone king stands beside a piece that nobody protects, so that it could take it.
    pub fn can_take(self) -> bool {
        (0..usize::from(self.count)).any(|at| {
            touch(self.lone, self.squares[at])
                && !touch(self.king, self.squares[at])
                && !self.is_guarded(at)
        })
    }

    /// Whether another piece protects a piece; the lone king, who would move, hides none.
    fn is_guarded(self, at: usize) -> bool {
        let guarded = Square::new(u32::from(self.squares[at]));
        let occupied = self.occupied().without(Square::new(u32::from(self.lone)));
        self.pieces().enumerate().any(|(other, (role, square))| {
            other != at && reach(role, square, occupied).contains(guarded)
        })
    }

    /// Squares that men stand on.
    pub(super) fn occupied(self) -> Bitboard {
        let kings = [self.king, self.lone];
        let all = self.squares().iter().chain(&kings);
        all.map(|&square| Square::new(u32::from(square))).collect()
    }
}

/// Squares that a piece attacks.
pub(super) fn reach(role: Role, square: u8, occupied: Bitboard) -> Bitboard {
    let piece = Piece { color: Color::White, role };
    attacks::attacks(Square::new(u32::from(square)), piece, occupied)
}

/// Files and ranks between two squares.
pub(super) fn steps(a: u8, b: u8) -> (u8, u8) {
    ((a & 7).abs_diff(b & 7), (a >> 3).abs_diff(b >> 3))
}

/// Files and ranks between two squares together.
pub(super) fn manhattan(a: u8, b: u8) -> u8 {
    let (files, ranks) = steps(a, b);
    files + ranks
}

/// Whether two squares are neighbours or the same.
pub(super) fn touch(a: u8, b: u8) -> bool {
    let (files, ranks) = steps(a, b);
    files <= 1 && ranks <= 1
}
