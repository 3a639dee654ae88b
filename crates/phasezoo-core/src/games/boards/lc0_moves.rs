//! The 1,858 moves of lc0's policies, squares as the mover sees them, and how actions map to them
//! (`docs/definitions/lc0.md`).

use shakmaty::{Rank, Role, Square, attacks};

use crate::games::boards::actions::{NUM_BOARD_ACTIONS, step_index};

/// How many moves lc0's policy has.
pub const NUM_LC0_MOVES: usize = 1858;

/// Pieces that a move makes of a pawn. A promotion to a knight is written without.
const PROMOTIONS: [Role; 3] = [Role::Queen, Role::Rook, Role::Bishop];

/// Planes of lc0's convolutional policy before those of promotions: they are those of our actions.
const STEPS: usize = 64;

/// A move of the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lc0Move {
    /// The square that the piece leaves.
    pub from: Square,
    /// The square that it goes to; in castling its own rook's.
    pub to: Square,
    /// What a pawn becomes, unless it is a knight.
    pub promotion: Option<Role>,
}

impl Lc0Move {
    /// All moves in the order of lc0's policy: what a queen or a knight can do from square to square,
    /// then the promotions.
    pub fn all() -> impl Iterator<Item = Self> {
        let steps = Square::ALL.into_iter().flat_map(|from| {
            (attacks::queen_attacks(from, shakmaty::Bitboard::EMPTY)
                | attacks::knight_attacks(from))
            .into_iter()
            .map(move |to| Self { from, to, promotion: None })
        });
        let seventh = |square: &Square| square.rank() == Rank::Seventh;
        let promotions = Square::ALL.into_iter().filter(seventh).flat_map(|from| {
            (-1..=1).filter_map(move |step| from.file().offset(step)).flat_map(move |file| {
                PROMOTIONS.map(|role| Self {
                    from,
                    to: Square::from_coords(file, Rank::Eighth),
                    promotion: Some(role),
                })
            })
        });
        steps.chain(promotions)
    }

    /// Where the move is in the output of a convolutional policy, `plane * 64 + from`.
    pub fn in_convolution(self) -> usize {
        let from = self.from.to_usize();
        let Some(role) = self.promotion else {
            return step_index(self.from as u8, self.to as u8) as usize;
        };
        let step = (self.to.file() as usize + 1) - self.from.file() as usize;
        let role = [Role::Rook, Role::Bishop, Role::Queen].iter().position(|&kind| kind == role);
        (STEPS + 3 * step + role.unwrap_or_default()) * 64 + from
    }
}

/// The index of lc0's move for each action without drops.
///
/// Two of an action's meanings may have moves of their own there, which the position decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lc0Actions {
    /// The move of each action; `None` of those that point off the board.
    pub usual: Vec<Option<u16>>,
    /// The move if a pawn on the seventh rank becomes a queen, or the king on e1 castles.
    pub special: Vec<Option<u16>>,
}

impl Lc0Actions {
    /// The table. Castling is the king's two squares, as in standard chess.
    pub fn new() -> Self {
        let mut usual = vec![None; NUM_BOARD_ACTIONS];
        let mut special = vec![None; NUM_BOARD_ACTIONS];
        for (index, m) in (0..).zip(Lc0Move::all()) {
            let action = step_index(m.from as u8, m.to as u8) as usize;
            let step = (m.to.file() as usize + 1).wrapping_sub(m.from.file() as usize);
            // Under-promotions are planes of knights, bishops and rooks, three steps each.
            let under = |role: usize| (STEPS + 3 * role + step) * 64 + m.from.to_usize();
            match m.promotion {
                None => {
                    usual[action] = Some(index);
                    let pawns = m.from.rank() == Rank::Seventh && m.to.rank() == Rank::Eighth;
                    if pawns && step <= 2 {
                        usual[under(0)] = Some(index);
                    }
                }
                Some(Role::Bishop) => usual[under(1)] = Some(index),
                Some(Role::Rook) => usual[under(2)] = Some(index),
                Some(_) => special[action] = Some(index),
            }
        }
        for (to, rook) in [(Square::G1, Square::H1), (Square::C1, Square::A1)] {
            let [castling, taking] =
                [to, rook].map(|to| step_index(Square::E1 as u8, to as u8) as usize);
            special[castling] = usual[taking];
        }
        Self { usual, special }
    }
}

impl Default for Lc0Actions {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn moves_are_numbered_as_published() {
        let all: Vec<Lc0Move> = Lc0Move::all().collect();
        assert_eq!(all.len(), NUM_LC0_MOVES);
        assert_eq!(all.iter().filter(|m| m.promotion.is_none()).count(), 1792);
        let places: HashSet<usize> = all.iter().map(|m| m.in_convolution()).collect();
        assert_eq!(places.len(), NUM_LC0_MOVES);
        assert!(places.iter().all(|&place| place < 73 * 64));
        let first = all[0];
        assert_eq!((first.from, first.to), (Square::A1, Square::B1));
        let last = all[NUM_LC0_MOVES - 1];
        assert_eq!((last.from, last.to), (Square::H7, Square::H8));
        assert_eq!(last.promotion, Some(Role::Bishop));
    }

    #[test]
    fn every_move_is_one_action_or_a_special_meaning_of_one() {
        let Lc0Actions { usual, special } = Lc0Actions::new();
        let found: HashSet<u16> = usual.iter().chain(&special).flatten().copied().collect();
        assert_eq!(found.len(), NUM_LC0_MOVES);
        assert_eq!(special.iter().flatten().count(), 22 + 2);
        // A promotion to a knight is the step itself, so that those moves have two actions.
        assert_eq!(usual.iter().flatten().count(), 1792 + 3 * 22);
    }
}
