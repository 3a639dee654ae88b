//! What the suite needs to know of a game over one of shakmaty's position types.

use std::fmt::Debug;

use shakmaty::{
    Bitboard, CastlingMode, EnPassantMode, FromSetup, Move, MoveList, Position, Role, Square,
    attacks,
};

use crate::game::{Action, Outcome};
use crate::games::boards::actions::NUM_BOARD_ACTIONS;
use crate::games::boards::board::BoardState;
use crate::games::boards::planes::BoardPlanes;
use crate::gate::GateKind;
use crate::rng::mix;

/// A board game: a rule set of shakmaty's with a name, a start, planes and what else is its own.
///
/// Implemented by empty types; games that share a position type share its moves.
pub trait Rules: Copy + Debug + Default + Send + Sync + 'static {
    /// The position type, whose moves are the game's.
    type Position: Position + FromSetup + Default + Clone + Eq + Debug + Send + Sync + 'static;

    /// The name of the game.
    const NAME: &'static str;

    /// Values of the PGN tag `Variant` that mean this game, beside its name; lower case. The empty one
    /// stands for no tag.
    const PGN_VARIANTS: &'static [&'static str] = &[];

    /// The size of the action space (`docs/definitions/actions.md`).
    const NUM_ACTIONS: usize = NUM_BOARD_ACTIONS;

    /// The choices of planes.
    const PLANES: &'static [BoardPlanes];

    /// How the king castles.
    const MODE: CastlingMode = CastlingMode::Standard;

    /// Whether every game starts from [`Rules::initial`] unless told otherwise, so that a start need
    /// not be written down.
    const HAS_USUAL_START: bool = true;

    /// Whether insufficient material and fifty moves draw (`docs/definitions/ends.md`).
    const DRAWS_BY_EXHAUSTION: bool = true;

    /// What [`crate::game::Game::NUM_COMPACT`] is.
    const NUM_COMPACT: usize = 0;

    /// What [`crate::game::Game::STATE_NUMBERS`] is.
    const STATE_NUMBERS: &'static [&'static str] = &[];

    /// What [`crate::game::Game::MOVE_NUMBERS`] is.
    const MOVE_NUMBERS: &'static [&'static str] = &[];

    /// The position that games start from where none is drawn or given.
    fn initial() -> Self::Position {
        Self::Position::default()
    }

    /// Whether a FEN says by itself that it is a start of this game, to which others are alike.
    fn claims_start(_fen: &str) -> bool {
        false
    }

    /// Refuses a position of the right type that is none of this game; the error is the reason.
    fn check_start(_position: &Self::Position) -> std::result::Result<(), String> {
        Ok(())
    }

    /// Whether the side to move has a legal move. May be faster than making the list.
    fn has_legal_move(position: &Self::Position) -> bool {
        !position.legal_moves().is_empty()
    }

    /// Whether a move of the side to move that its squares were completed to is legal. May be faster
    /// than choosing from lists.
    fn is_legal(position: &Self::Position, m: Move) -> bool {
        position.is_legal(m)
    }

    /// The legal moves of pieces of a kind to a square, castling left out. May be faster than choosing
    /// them from the list.
    fn san_candidates(position: &Self::Position, role: Role, to: Square) -> MoveList {
        position.san_candidates(role, to)
    }

    /// Whether no position before the legal move `m` can stand again after it. False if in doubt.
    fn is_final(position: &Self::Position, m: Move) -> bool {
        m.is_zeroing() || loses_castling(position, m)
    }

    /// How a rule of the variant alone ended the game, if one did.
    fn variant_end(_position: &Self::Position) -> Option<Outcome> {
        None
    }

    /// The kinds of gates that this game has beside those of all these games.
    fn gates() -> Vec<GateKind<BoardState<Self>>> {
        Vec::new()
    }

    /// Keeps of the legal `actions` those of perfect play, in games whose perfect play is known.
    fn keep_best(_state: &BoardState<Self>, _actions: &mut Vec<Action>) {}

    /// What [`crate::game::Game::compact_of`] does.
    fn compact_of(_state: &BoardState<Self>, action: Action) -> Action {
        action
    }

    /// What [`crate::game::Game::action_of_compact`] does.
    fn action_of_compact(_state: &BoardState<Self>, index: Action) -> Option<Action> {
        Some(index)
    }

    /// What [`crate::game::Game::state_numbers`] does.
    fn state_numbers(_state: &BoardState<Self>, _out: &mut [f64]) {}

    /// What [`crate::game::Game::move_numbers`] does.
    fn move_numbers(_state: &BoardState<Self>, _action: Action, _out: &mut [f64]) {}
}

/// Whether the legal move `m` takes a right to castle away from its own side.
pub(super) fn loses_castling<P: Position>(position: &P, m: Move) -> bool {
    let castles = position.castles();
    castles.any()
        && match m {
            Move::Castle { .. } => true,
            Move::Normal { role: Role::King, .. } => castles.has_color(position.turn()),
            Move::Normal { from, .. } => castles.castling_rights().contains(from),
            _ => false,
        }
}

/// Whether the side to move has a legal move by the rules of chess, by a quick look first.
pub(crate) fn has_legal_chess_move(position: &shakmaty::Chess) -> bool {
    let board = position.board();
    if let Some(king) = board.king_of(position.turn())
        && position.checkers().is_empty()
    {
        // A piece on no line through its king cannot be pinned, so that any step of it is legal.
        let free = position.us() & !attacks::queen_attacks(king, Bitboard::EMPTY);
        let forward = position.turn().fold_wb(8, -8);
        if ((free & board.pawns()).shift(forward) & !board.occupied()).any()
            || (free & board.knights())
                .into_iter()
                .any(|from| (attacks::knight_attacks(from) & !position.us()).any())
        {
            return true;
        }
    }
    !position.legal_moves().is_empty()
}

/// What [`Rules::is_legal`] does by the rules of chess, by a quick look first.
pub(crate) fn is_legal_chess_move(position: &shakmaty::Chess, m: Move) -> bool {
    is_plainly_legal(position, m) || position.is_legal(m)
}

/// Whether a piece steps to where it can go, and either is the king and is not attacked there, or leaves
/// a king alone that nobody attacks with or without it. False if in doubt.
fn is_plainly_legal(position: &shakmaty::Chess, m: Move) -> bool {
    let Move::Normal { role, from, to, capture, promotion: None } = m else { return false };
    let (board, mover) = (position.board(), position.turn());
    let Some(king) = board.king_of(mover) else { return false };
    let occupied = board.occupied();
    let rest = occupied ^ from;
    let reached = match role {
        Role::Pawn if capture.is_some() => attacks::pawn_attacks(mover, from),
        Role::Pawn => Bitboard::from_square(from).shift(mover.fold_wb(8, -8)),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
    };
    let endangered = if role == Role::King { to } else { king };
    reached.contains(to) && position.king_attackers(endangered, !mover, rest).is_empty()
}

/// Odd constants without pattern: the first outputs of `splitmix64` seeded with 0.
const KEYS: [u64; 12] = {
    let mut keys = [0; 12];
    let mut state = 0_u64;
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        keys[i] = mix(state);
        i += 1;
    }
    keys
};

/// Both halves of the 128-bit product, folded into one.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A key of the position alone: placement, pockets, side to move, castling rights and legal en
/// passant, as FIDE compares positions. The same on every machine and in every release.
///
/// A sum of products of the position's words (the NH family of Black et al., UMAC, 1999) and a mixing
/// step: a few multiplications, less than updating a Zobrist key by the move costs.
pub fn position_key<P: Position>(position: &P) -> u64 {
    let board = position.board();
    // Castling rooks stand on the first and last rank; the ranks between hold the other two.
    let ep = position.ep_square(EnPassantMode::Legal).map_or(0, |square| square.to_u32() + 1);
    let rest = position.castles().castling_rights().0
        | u64::from(ep) << 8
        | u64::from(position.turn().is_black()) << 16;
    let word = |bits: Bitboard, key: usize| bits.0 ^ KEYS[key];
    let mut sum = fold(word(board.white(), 0), word(board.pawns(), 1))
        ^ fold(word(board.black(), 2), word(board.knights(), 3))
        ^ fold(word(board.bishops(), 4), word(board.rooks(), 5))
        ^ fold(word(board.queens(), 6), word(board.kings(), 7))
        ^ fold(rest ^ KEYS[8], word(position.promoted(), 9));
    if let Some(pockets) = position.pockets() {
        let [black, white] = [&pockets.black, &pockets.white].map(|pocket| {
            pocket.iter().fold(0_u64, |packed, &count| packed << 8 | u64::from(count))
        });
        sum ^= fold(black ^ KEYS[10], white ^ KEYS[11]);
    }
    mix(sum)
}
