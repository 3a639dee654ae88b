//! Action indices of board games (`docs/definitions/actions.md`): `plane * 64 + square`, squares seen
//! by the mover.

use shakmaty::{CastlingMode, Color, Move, Position, Rank, Role, Square};

use crate::game::Action;
use crate::games::boards::packed::{complete, squares};

/// Actions of games without drops: 56 queen-like, 8 knight and 9 under-promotion planes.
pub const NUM_BOARD_ACTIONS: usize = 73 * 64;

/// Actions of games with drops: five planes more.
pub const NUM_HOUSE_ACTIONS: usize = NUM_BOARD_ACTIONS + 5 * 64;

/// Steps (rank, file) of queen-like planes: N NE E SE S SW W NW, seven distances each.
const DIRECTIONS: [(i8, i8); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// Jumps (rank, file) of knight planes.
const JUMPS: [(i8, i8); 8] =
    [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)];

const UNDER_PROMOTIONS: u32 = 64;
const DROPS: u32 = 73;

/// Marks a square or plane that does not exist.
const NONE: u8 = u8::MAX;

/// The target square of each of the first 64 planes from each square.
const TARGETS: [[u8; 64]; 64] = {
    let mut targets = [[NONE; 64]; 64];
    let mut plane = 0;
    while plane < 64 {
        let (rank_step, file_step) = if plane < 56 {
            let (rank, file) = DIRECTIONS[plane / 7];
            let distance = (plane % 7 + 1) as i8;
            (rank * distance, file * distance)
        } else {
            JUMPS[plane - 56]
        };
        let mut from = 0;
        while from < 64 {
            let rank = (from / 8) as i8 + rank_step;
            let file = (from % 8) as i8 + file_step;
            if 0 <= rank && rank < 8 && 0 <= file && file < 8 {
                targets[plane][from] = (rank * 8 + file) as u8;
            }
            from += 1;
        }
        plane += 1;
    }
    targets
};

/// The plane that leads from one square to another, and the square: the whole action index.
const INDEX: [[u16; 64]; 64] = {
    let mut index = [[u16::MAX; 64]; 64];
    let mut plane = 0;
    while plane < 64 {
        let mut from = 0;
        while from < 64 {
            let to = TARGETS[plane][from];
            if to != NONE {
                index[from][to as usize] = (plane * 64 + from) as u16;
            }
            from += 1;
        }
        plane += 1;
    }
    index
};

/// Every index with files mirrored: the a-file becomes the h-file. What points off the board stays.
const MIRRORED: [u16; NUM_HOUSE_ACTIONS] = {
    let mut mirrored = [0; NUM_HOUSE_ACTIONS];
    let mut action = 0;
    while action < NUM_HOUSE_ACTIONS {
        let (plane, from) = (action / 64, action % 64);
        let (first, last) = (UNDER_PROMOTIONS as usize, DROPS as usize);
        mirrored[action] = if plane < first {
            match TARGETS[plane][from] {
                NONE => action as u16,
                to => INDEX[from ^ 7][to as usize ^ 7],
            }
        } else {
            let step = (plane - first) % 3;
            let plane = if plane < last { plane - step + (2 - step) } else { plane };
            (plane * 64 + (from ^ 7)) as u16
        };
        action += 1;
    }
    mirrored
};

/// What an index becomes if files are mirrored.
pub(crate) fn mirrored(action: Action) -> Action {
    MIRRORED.get(action as usize).copied().map_or(action, Action::from)
}

/// A square as its mover sees it, and back.
const fn seen(square: Square, mover: Color) -> Square {
    match mover {
        Color::White => square,
        Color::Black => square.flip_vertical(),
    }
}

/// The index of a legal move of `mover`.
#[inline]
pub fn action_of(m: Move, mover: Color, mode: CastlingMode) -> Action {
    if let Move::Normal { from, to, promotion: None, .. } = m {
        // Nearly every move, without the questions that the others need.
        return Action::from(INDEX[seen(from, mover).to_usize()][seen(to, mover).to_usize()]);
    }
    let (from, to) = squares(m, mode);
    let (from, to) = (seen(from, mover), seen(to, mover));
    match m {
        Move::Put { role, .. } => (DROPS + role as u32 - 1) * 64 + to.to_u32(),
        Move::Normal {
            promotion: Some(role @ (Role::Knight | Role::Bishop | Role::Rook)), ..
        } => {
            let step = to.file() as u32 + 1 - from.file() as u32;
            (UNDER_PROMOTIONS + 3 * (role as u32 - 2) + step) * 64 + from.to_u32()
        }
        _ => Action::from(INDEX[from.to_usize()][to.to_usize()]),
    }
}

/// What an index says on its own, squares as the mover sees them.
enum Decoded {
    Step { from: Square, to: Square },
    UnderPromotion { from: Square, to: Square, role: Role },
    Drop { role: Role, to: Square },
}

fn decode(action: Action) -> Option<Decoded> {
    let (plane, square) = (action / 64, Square::new(action % 64));
    match plane {
        0..UNDER_PROMOTIONS => {
            let to = TARGETS[plane as usize][square.to_usize()];
            let to = Square::try_from(u32::from(to)).ok()?;
            Some(Decoded::Step { from: square, to })
        }
        UNDER_PROMOTIONS..DROPS => {
            let code = plane - UNDER_PROMOTIONS;
            let role = [Role::Knight, Role::Bishop, Role::Rook][code as usize / 3];
            let file = square.file().offset((code % 3) as i32 - 1)?;
            let to = Square::from_coords(file, Rank::Eighth);
            (square.rank() == Rank::Seventh).then_some(Decoded::UnderPromotion {
                from: square,
                to,
                role,
            })
        }
        _ => {
            let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
            let role = *roles.get((plane - DROPS) as usize)?;
            Some(Decoded::Drop { role, to: square })
        }
    }
}

/// The only move in `position` that an index could mean, legal or not.
pub fn move_of<P: Position>(position: &P, action: Action) -> Option<Move> {
    let mover = position.turn();
    match decode(action)? {
        Decoded::Step { from, to } => {
            let (origin, target) = (seen(from, mover), seen(to, mover));
            let queens = to.rank() == Rank::Eighth && position.board().pawns().contains(origin);
            complete(position, origin, target, queens.then_some(Role::Queen))
        }
        Decoded::UnderPromotion { from, to, role } => {
            complete(position, seen(from, mover), seen(to, mover), Some(role))
        }
        Decoded::Drop { role, to } => Some(Move::Put { role, to: seen(to, mover) }),
    }
}

/// The index of a queen-like or knight's step between squares (a1 = 0) as the mover sees them.
#[inline]
pub(crate) fn step_index(from: u8, to: u8) -> Action {
    Action::from(INDEX[usize::from(from)][usize::from(to)])
}

/// From and to square of such a step; `None` of any other index.
#[inline]
pub(crate) fn step_squares(action: Action) -> Option<(u8, u8)> {
    let targets = TARGETS.get(action as usize / 64)?;
    let from = (action % 64) as u8;
    Some((from, targets[usize::from(from)])).filter(|&(_, to)| to != NONE)
}

/// What an index means for `mover`, as text; `None` where it points off the board.
pub fn describe(action: Action, mover: Color) -> Option<String> {
    Some(match decode(action)? {
        Decoded::Step { from, to } => format!("{}{}", seen(from, mover), seen(to, mover)),
        Decoded::UnderPromotion { from, to, role } => {
            format!("{}{}{}", seen(from, mover), seen(to, mover), role.char())
        }
        Decoded::Drop { role, to } => format!("{}@{}", role.upper_char(), seen(to, mover)),
    })
}

/// Adds the indices of all legal moves to the empty list `actions`, ascending.
pub fn legal_actions<P: Position>(position: &P, actions: &mut Vec<Action>) {
    /// Words of a set of indices.
    const WORDS: usize = NUM_HOUSE_ACTIONS / 64;
    let (mover, mode) = (position.turn(), position.castles().mode());
    // By reference, because the list is large and would be moved.
    let legal = &position.legal_moves();
    // Gone through in order, a set of bits costs less than sorting.
    let mut planes = [0_u64; WORDS];
    let mut used = [0_u64; WORDS.div_ceil(64)];
    for &m in legal {
        let action = action_of(m, mover, mode) as usize;
        let plane = action / 64;
        planes[plane] |= 1 << (action % 64);
        used[plane / 64] |= 1 << (plane % 64);
    }
    actions.reserve(legal.len());
    for (half, mut used) in (0..).step_by(64).zip(used) {
        while used != 0 {
            let plane = half + used.trailing_zeros() as usize;
            used &= used - 1;
            let mut squares = planes[plane];
            while squares != 0 {
                actions.push((plane * 64) as Action + squares.trailing_zeros());
                squares &= squares - 1;
            }
        }
    }
}
