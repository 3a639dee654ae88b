//! What the suite needs to know of one of shakmaty's position types.

use shakmaty::{Bitboard, CastlingMode, EnPassantMode, FromSetup, Move, Position};

use crate::encode::actions::NUM_BOARD_ACTIONS;
use crate::game::Outcome;
use crate::rng::mix;

/// A rule set over one of shakmaty's positions.
pub trait Rules:
    Position + FromSetup + Default + Clone + Eq + std::fmt::Debug + Send + Sync + 'static
{
    /// The name of the game when castling is standard.
    const NAME: &'static str;

    /// The size of the action space (SPEC §1).
    const NUM_ACTIONS: usize = NUM_BOARD_ACTIONS;

    /// Whether the side to move has a legal move. Faster than making the list.
    fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// Whether no position before the legal move `m` can stand again after it. False where in doubt.
    fn is_final(&self, m: Move) -> bool;

    /// How a rule of the variant alone ended the game, if one did.
    fn variant_end(&self) -> Option<Outcome> {
        None
    }
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

/// The name of the game that `position` belongs to.
pub fn game_name<R: Rules>(mode: CastlingMode) -> &'static str {
    match mode {
        CastlingMode::Standard => R::NAME,
        CastlingMode::Chess960 => "chess960",
    }
}
