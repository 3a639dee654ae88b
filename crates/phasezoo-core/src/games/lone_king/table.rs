//! Distance to mate of every position of an ending against a lone king, by retrograde analysis.
//!
//! The strong side plays White here; other positions are mirrored. The eight symmetries of the board map
//! the lone king into the triangle a1, d1, d4, so that an ending with `n` pieces has `2 · 10 · 64^(n + 1)`
//! positions, a byte each. A table is built on first use from shakmaty's moves, so that there is no second
//! rule set; where the lone king can take a piece, the table of what is left is built before.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use shakmaty::{Move, Position, Role};

use super::men::{Men, Mover, Step, reach};
use super::symmetry::{Symmetry, TRIANGLE, in_triangle};

/// What a table holds if there is no position.
const ILLEGAL: u8 = u8::MAX;
/// What a table holds of a draw, and while it is built of positions that nothing is known of.
const DRAW: u8 = u8::MAX - 1;
/// What the lone king gets by a move that draws.
const NEVER: u8 = u8::MAX;

/// A king's steps: N NE E SE S SW W NW.
const STEPS: [i8; 8] = [8, 9, 1, -7, -8, -9, -1, 7];

/// The distances to mate of one ending.
#[derive(Debug)]
pub struct Table {
    roles: Vec<Role>,
    entries: Box<[u8]>,
}

/// What the lone king can do in a position: a bit for each of its steps that takes nothing, and the
/// longest way to mate after those that do, [`NEVER`] if one of them draws.
#[derive(Clone, Copy, Debug, Default)]
struct Escapes {
    steps: u8,
    least: u8,
}

impl Table {
    /// The table of an ending with these pieces, the strongest first ([`Men::roles`]); made on first use,
    /// and kept: two pieces take seconds.
    pub fn of(roles: &[Role]) -> &'static Self {
        type Known = HashMap<Vec<Role>, &'static OnceLock<Table>>;
        static TABLES: OnceLock<Mutex<Known>> = OnceLock::new();
        let room: &OnceLock<Table> = {
            let tables = TABLES.get_or_init(Mutex::default);
            let mut known = tables.lock().unwrap_or_else(PoisonError::into_inner);
            known.entry(roles.to_vec()).or_insert_with(|| Box::leak(Box::default()))
        };
        room.get_or_init(|| Self::build(roles))
    }

    /// The strong side's moves to mate with best play of both, 0 if the lone king is mated; `None` of a
    /// draw and of what is no position. Repetitions and the fifty-move rule are not considered.
    ///
    /// `men` are of this ending.
    pub fn dtm(&self, men: Men) -> Option<u8> {
        let entry = self.entries[self.index(men)];
        (entry < DRAW).then_some(entry)
    }

    /// The longest win with the strong side to move, in its moves.
    pub fn longest(&self) -> u8 {
        self.entries[..self.half()]
            .iter()
            .copied()
            .filter(|&entry| entry < DRAW)
            .max()
            .unwrap_or_default()
    }

    /// Positions with the same side to move.
    fn half(&self) -> usize {
        TRIANGLE << (6 * (self.roles.len() + 1))
    }

    fn index(&self, men: Men) -> usize {
        let image = Symmetry::of(men.lone);
        let start = image.number(men.lone) << 6 | usize::from(image.map(men.king));
        let squares = men.squares().iter();
        let placed = squares.fold(start, |sum, &square| sum << 6 | usize::from(image.map(square)));
        placed + if men.strong_to_move { 0 } else { self.half() }
    }

    fn men(&self, index: usize) -> Men {
        let half = self.half();
        let mut rest = index % half;
        let mut square = || {
            let last = (rest & 63) as u8;
            rest >>= 6;
            last
        };
        let mut pieces: Vec<(Role, u8)> =
            self.roles.iter().rev().map(|&role| (role, square())).collect();
        pieces.reverse();
        let king = square();
        Men::new(king, in_triangle(rest), index < half, &pieces)
    }

    /// Solves all positions: won in `n` moves is what has a move to a position lost in `n - 1`; lost in `n`
    /// is what has only moves to positions won in at most `n`, one of them in `n`.
    fn build(roles: &[Role]) -> Self {
        let mut table = Self { roles: roles.to_vec(), entries: Box::default() };
        let half = table.half();
        table.entries = vec![DRAW; 2 * half].into_boxed_slice();
        let mut escapes = vec![Escapes::default(); half];
        // Positions lost in `distance - 1`, and those of the lone king of which nothing is known yet.
        let (mut lost, mut open) = (Vec::new(), Vec::new());
        for index in 0..2 * half {
            let men = table.men(index);
            let Some(position) = men.position() else {
                table.entries[index] = ILLEGAL;
                continue;
            };
            if men.strong_to_move {
                continue;
            }
            let legal = position.legal_moves();
            if legal.is_empty() {
                if position.is_check() {
                    table.entries[index] = 0;
                    lost.push(index);
                }
                continue;
            }
            let found = Escapes::of(men, &legal);
            if found.least != NEVER {
                escapes[index - half] = found;
                open.push(index);
            }
        }
        let most = escapes.iter().map(|escape| escape.least).max().unwrap_or_default();
        let mut distance = 1;
        while !lost.is_empty() || distance <= most {
            for &index in &lost {
                table.add_won(table.men(index), distance);
            }
            lost.clear();
            open.retain(|&index| {
                let is_lost = table.is_lost(index, escapes[index - half], distance);
                if is_lost {
                    lost.push(index);
                }
                !is_lost
            });
            for &index in &lost {
                table.entries[index] = distance;
            }
            distance += 1;
        }
        table
    }

    /// Notes what leads to a lost position of the lone king and is not known to be won sooner.
    fn add_won(&mut self, lost: Men, distance: u8) {
        let occupied = lost.occupied();
        let pieces =
            lost.pieces().enumerate().map(|(at, (role, square))| (Mover::Piece(at), role, square));
        let king = (Mover::King, Role::King, lost.king);
        for (mover, role, square) in pieces.chain([king]) {
            // A man came from where it could go back to: nothing was taken.
            for from in reach(role, square, occupied) & !occupied {
                let before = lost.before(mover, from as u8);
                let entry = &mut self.entries[self.index(before)];
                if *entry == DRAW {
                    *entry = distance;
                }
            }
        }
    }

    /// Whether all that the lone king can do is won in at most `distance` moves.
    fn is_lost(&self, index: usize, escapes: Escapes, distance: u8) -> bool {
        let men = self.men(index);
        let mut steps = (0..8).filter(|at| escapes.steps >> at & 1 != 0);
        escapes.least <= distance
            && steps.all(|at| {
                let to = men.lone.wrapping_add_signed(STEPS[at]);
                let next = men.after(Step { mover: Mover::King, to });
                self.entries[self.index(next)] <= distance
            })
    }
}

impl Escapes {
    fn of(men: Men, legal: &[Move]) -> Self {
        let mut found = Self::default();
        for m in legal {
            let to = m.to() as u8;
            if m.is_capture() {
                let rest = men.after(Step { mover: Mover::King, to });
                found.least = found.least.max(dtm(rest).unwrap_or(NEVER));
            } else {
                let step = to.wrapping_sub(men.lone) as i8;
                let at = STEPS.iter().position(|&known| known == step);
                found.steps |= 1 << at.unwrap_or_default();
            }
        }
        found
    }
}

/// [`Table::dtm`] by the table of the men's ending; `None` if the strong king is alone too.
pub fn dtm(men: Men) -> Option<u8> {
    if men.roles().is_empty() { None } else { Table::of(men.roles()).dtm(men) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;
    use Role::{Bishop, Knight, Queen, Rook};

    fn drawn(roles: &[Role], stream: &mut Stream) -> Men {
        let mut square = || stream.below(64) as u8;
        let (king, lone) = (square(), square());
        let pieces: Vec<(Role, u8)> = roles.iter().map(|&role| (role, square())).collect();
        Men::new(king, lone, stream.below(2) == 0, &pieces)
    }

    /// What a position is worth by those one ply later, which other code plays.
    fn expected(men: Men) -> Option<u8> {
        let position = men.position()?;
        let legal = position.legal_moves();
        let next: Vec<Option<u8>> = legal
            .iter()
            .map(|&m| {
                let mut after = position.clone();
                after.play_unchecked(m);
                Men::of(&after).and_then(|(men, _)| dtm(men))
            })
            .collect();
        if men.strong_to_move {
            next.iter().flatten().min().map(|&least| least + 1)
        } else if legal.is_empty() {
            position.is_check().then_some(0)
        } else {
            next.iter().copied().collect::<Option<Vec<u8>>>()?.into_iter().max()
        }
    }

    #[test]
    fn the_longest_wins_are_those_that_are_known() {
        for (roles, longest) in
            [(vec![Queen], 10), (vec![Rook], 16), (vec![Rook, Rook], 7), (vec![Bishop; 2], 19)]
        {
            assert_eq!(Table::of(&roles).longest(), longest, "{roles:?}");
        }
        for roles in [[Bishop], [Knight]] {
            assert_eq!(Table::of(&roles).longest(), 0, "{roles:?}");
        }
    }

    #[test]
    fn values_follow_from_those_one_ply_later() {
        let mut stream = Stream::new(3);
        for roles in [vec![Queen], vec![Rook], vec![Rook; 2], vec![Bishop; 2]] {
            let mut known = 0;
            for _ in 0..20_000 {
                let men = drawn(&roles, &mut stream);
                let value = dtm(men);
                known += u32::from(value.is_some());
                assert_eq!(value, expected(men), "{men:?}");
            }
            assert!(known > 5_000, "{roles:?}: {known}");
        }
    }
}
