//! What came before a position.

use shakmaty::{Board, CastlingMode, CastlingSide, Color, File, Move, Role, Square};

use crate::games::boards::packed::PackedMove;
use crate::prefetch;

/// How many of the last moves planes show.
pub const SHOWN_MOVES: usize = 8;

/// How many of the last keys are asked for beforehand: few games have more since a capture or pawn move.
const SHOWN_KEYS: usize = 24;

/// Room that a cloned list gets for moves to come, so that playing on does not move it at once.
const HEADROOM: usize = 8;

/// What taking a move back needs beside its squares, and what is known of the position after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Undo {
    /// The piece that stood on the square of a capture.
    capture: Option<Role>,
    en_passant: bool,
    castles: bool,
    /// Whether the position after the move stood before.
    repeats: bool,
}

impl Undo {
    /// That of a move to a position that did not stand before.
    pub(super) fn of(m: Move) -> Self {
        Self {
            capture: m.capture(),
            en_passant: m.is_en_passant(),
            castles: m.is_castle(),
            repeats: false,
        }
    }

    fn to_bits(self) -> u8 {
        self.capture.map_or(0, |role| role as u8)
            | u8::from(self.en_passant) << 3
            | u8::from(self.castles) << 4
            | u8::from(self.repeats) << 5
    }

    fn from_bits(bits: u8) -> Self {
        let is = |bit: u32| bits >> bit & 1 == 1;
        Self {
            capture: Role::ALL.into_iter().find(|&role| role as u8 == bits & 7),
            en_passant: is(3),
            castles: is(4),
            repeats: is(5),
        }
    }
}

/// A position of the game before the present one, as far as planes show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Earlier {
    pub(crate) board: Board,
    /// Whether it stood before.
    pub(crate) repeats: bool,
}

/// Keys of the positions since the last final move and all moves since the start.
///
/// Two plain lists, because copying a few hundred bytes into lists that a walker already owns costs
/// less than following shared ones, and a walker then needs no allocation to play on.
#[derive(Debug, PartialEq, Eq)]
pub struct History {
    /// Keys of the positions that may still recur, the current one last.
    keys: Vec<u64>,
    /// Moves since the start of the game, oldest first.
    moves: Vec<PackedMove>,
    /// The first move that planes may show.
    shown_from: u32,
    /// How often the current position stood before.
    occurrences: u32,
    /// [`Undo`] of the last [`SHOWN_MOVES`] moves in a byte each, the newest in the lowest.
    undo: u64,
}

impl History {
    /// The history of a game that starts at the position with this key.
    pub fn new(key: u64) -> Self {
        Self { keys: vec![key], moves: Vec::new(), shown_from: 0, occurrences: 0, undo: 0 }
    }

    /// The history of a position with this key, `recurring` plies after the last final move, of which the
    /// last `moves` are known. Neither it nor the positions since that move stood before.
    pub(super) fn of_last(moves: &[(PackedMove, Undo)], recurring: usize, key: u64) -> Self {
        // Keys of the positions between, which nothing equals.
        let keys = (0..recurring as u64).chain([key]).collect();
        let mut history = Self { keys, ..Self::new(key) };
        for &(packed, undo) in moves {
            history.moves.push(packed);
            history.remember(undo);
        }
        history
    }

    /// Adds a move and the key of the position after it. After a `final_move` no earlier position
    /// can recur.
    pub(crate) fn push(&mut self, packed: PackedMove, undo: Undo, key: u64, final_move: bool) {
        self.moves.push(packed);
        if final_move {
            self.keys.clear();
            self.occurrences = 0;
        } else {
            self.occurrences =
                same_side(&self.keys).filter(|&&earlier| earlier == key).count() as u32;
        }
        self.keys.push(key);
        self.remember(Undo { repeats: self.occurrences > 0, ..undo });
    }

    fn remember(&mut self, undo: Undo) {
        self.undo = self.undo << u8::BITS | u64::from(undo.to_bits());
    }

    /// The positions before the present one with `board`, newest first, as many as planes may show and
    /// at most [`SHOWN_MOVES`]; `last_mover` made the last move.
    pub(crate) fn earlier(
        &self,
        board: &Board,
        last_mover: Color,
        mode: CastlingMode,
    ) -> impl Iterator<Item = Earlier> {
        let (mut board, mut mover, mut bytes) = (board.clone(), last_mover, self.undo);
        self.shown().map(move |packed| {
            take_back(&mut board, packed, Undo::from_bits(bytes as u8), mover, mode);
            bytes >>= u8::BITS;
            mover = !mover;
            Earlier { board: board.clone(), repeats: Undo::from_bits(bytes as u8).repeats }
        })
    }

    /// The positions before the present one with `board` that may still recur, newest first, as far as
    /// planes may show them.
    pub(crate) fn recurring(
        &self,
        board: &Board,
        last_mover: Color,
        mode: CastlingMode,
    ) -> impl Iterator<Item = Earlier> {
        let (mut board, mut mover) = (board.clone(), last_mover);
        let earlier = &self.keys[..self.keys.len() - 1];
        let played = self.moves[self.shown_from as usize..].iter().rev();
        earlier.iter().enumerate().rev().zip(played).map(move |((ply, key), &packed)| {
            // Such a move takes nothing and does not castle.
            take_back(&mut board, packed, Undo::default(), mover, mode);
            mover = !mover;
            let repeats = same_side(&earlier[..ply]).any(|before| before == key);
            Earlier { board: board.clone(), repeats }
        })
    }

    /// The key of the current position.
    pub fn key(&self) -> u64 {
        // The list starts with one key and `push` leaves at least one.
        self.keys.last().copied().unwrap_or_default()
    }

    /// How often the current position stood before in this game.
    pub fn occurrences(&self) -> u32 {
        self.occurrences
    }

    /// Keys of the positions since the last final move, the current one last.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Whether the current position stood before within the last `plies` plies.
    pub fn repeats_within(&self, plies: usize) -> bool {
        self.occurrences > 0 && {
            let key = self.key();
            let earlier = &self.keys[..self.keys.len() - 1];
            let within = &earlier[earlier.len().saturating_sub(plies)..];
            same_side(within).any(|&earlier| earlier == key)
        }
    }

    /// The moves since the start of the game, oldest first.
    pub fn moves(&self) -> &[PackedMove] {
        &self.moves
    }

    /// The last moves that planes show, newest first, at most [`SHOWN_MOVES`].
    pub fn shown(&self) -> impl Iterator<Item = PackedMove> + '_ {
        self.moves[self.shown_from as usize..].iter().rev().take(SHOWN_MOVES).copied()
    }

    /// Asks the processor for what the next move and planes look at.
    pub(crate) fn prefetch(&self) {
        prefetch::tail(&self.keys, SHOWN_KEYS);
        prefetch::tail(&self.moves, SHOWN_MOVES);
    }

    /// Hides all moves so far from planes; repetitions stay counted.
    pub fn hide_moves(&mut self) {
        self.hide_moves_before(self.moves.len() as u32);
    }

    /// Hides the first `count` moves from planes.
    pub(crate) fn hide_moves_before(&mut self, count: u32) {
        self.shown_from = count.min(self.moves.len() as u32);
    }

    /// How many of the first moves are hidden from planes.
    pub(crate) fn hidden(&self) -> u32 {
        self.shown_from
    }
}

/// Takes back a move of `mover` that was not a drop.
fn take_back(board: &mut Board, packed: PackedMove, undo: Undo, mover: Color, mode: CastlingMode) {
    let (Some(from), to) = (packed.from(), packed.to()) else { return };
    if undo.castles {
        let side = CastlingSide::from_king_side(from < to);
        let rook = match mode {
            CastlingMode::Standard => {
                let file = if side.is_king_side() { File::H } else { File::A };
                Square::from_coords(file, from.rank())
            }
            CastlingMode::Chess960 => to,
        };
        board.discard_piece_at(Square::from_coords(side.king_to_file(), from.rank()));
        board.discard_piece_at(Square::from_coords(side.rook_to_file(), from.rank()));
        board.set_piece_at(from, Role::King.of(mover));
        board.set_piece_at(rook, Role::Rook.of(mover));
        return;
    }
    if let Some(piece) = board.remove_piece_at(to) {
        let role = if packed.promotes() { Role::Pawn } else { piece.role };
        board.set_piece_at(from, role.of(mover));
    }
    if let Some(role) = undo.capture {
        let square = if undo.en_passant { Square::from_coords(to.file(), from.rank()) } else { to };
        board.set_piece_at(square, role.of(!mover));
    }
}

/// Of the keys before a position those in which the same side moved and that could be the same:
/// newest first, from four plies back, every second.
fn same_side(earlier: &[u64]) -> impl Iterator<Item = &u64> {
    earlier.iter().rev().skip(3).step_by(2)
}

impl Clone for History {
    fn clone(&self) -> Self {
        let mut keys = Vec::with_capacity(self.keys.len() + HEADROOM);
        keys.extend_from_slice(&self.keys);
        let mut moves = Vec::with_capacity(self.moves.len() + HEADROOM);
        moves.extend_from_slice(&self.moves);
        Self { keys, moves, ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
        self.moves.clone_from(&other.moves);
        self.shown_from = other.shown_from;
        self.occurrences = other.occurrences;
        self.undo = other.undo;
    }
}
