//! The actions of this endgame by a numbering as small as can be
//! (`docs/definitions/actions.md#compact-actions`): the king's eight steps, then the rook's moves by
//! direction and distance. Which square a piece stands on is not part of the index.

use shakmaty::{Board, Position, Role, Square};

use super::rules::KrkState;
use crate::game::Action;

/// Distances of one direction in the indices of board games.
const DISTANCES: u32 = 7;

/// The king's steps: N NE E SE S SW W NW.
const KING: u32 = 8;

/// Indices there are: the king's, and four directions of the rook.
pub(super) const COUNT: usize = (KING + 4 * DISTANCES) as usize;

/// The compact index of a legal action of the player to move.
pub(super) fn of_action(state: &KrkState, action: Action) -> Action {
    let (plane, square) = (action / 64, action % 64);
    let (direction, distance) = (plane / DISTANCES, plane % DISTANCES);
    if standing(state, Role::King) == Some(square) {
        direction
    } else {
        // The rook's directions are every other one of the eight.
        KING + direction / 2 * DISTANCES + distance
    }
}

/// The action of a compact index, legal or not; `None` if the player to move has no such piece.
pub(super) fn action_of(state: &KrkState, index: Action) -> Option<Action> {
    let (plane, role) = match index.checked_sub(KING) {
        None => (index * DISTANCES, Role::King),
        Some(rook) => (rook / DISTANCES * 2 * DISTANCES + rook % DISTANCES, Role::Rook),
    };
    let square = standing(state, role)?;
    ((index as usize) < COUNT).then_some(plane * 64 + square)
}

/// The square of the mover's only piece of that kind, as they see it.
fn standing(state: &KrkState, role: Role) -> Option<u32> {
    let mover = state.position().turn();
    let board: &Board = state.position().board();
    let square: Square = (board.by_color(mover) & board.by_role(role)).first()?;
    Some(mover.fold_wb(square, square.flip_vertical()).to_u32())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::krk::Start;
    use crate::rng::Stream;

    #[test]
    fn every_legal_action_has_an_index_of_its_own() {
        let mut stream = Stream::new(3);
        let start = Start::parse(Some("uniform"), None, false).unwrap();
        let mut seen = [0_u32; COUNT];
        for _ in 0..500 {
            let mut state = start.draw(&mut stream);
            for _ in 0..6 {
                let (mut legal, mut random) = (Vec::new(), Vec::new());
                if state.expand(&mut legal).is_some() {
                    break;
                }
                let mut indices: Vec<_> = legal.iter().map(|&a| of_action(&state, a)).collect();
                let back: Vec<_> =
                    indices.iter().map(|&index| action_of(&state, index).unwrap()).collect();
                assert_eq!(back, legal);
                for &index in &indices {
                    seen[index as usize] += 1;
                }
                indices.sort_unstable();
                indices.dedup();
                assert_eq!(indices.len(), legal.len());
                state.play_random(&mut stream, &mut random).unwrap();
            }
        }
        assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
    }

    #[test]
    fn the_lone_king_has_no_rook() {
        let state = KrkState::from_fen("8/8/8/4k3/8/8/8/K6R b - - 0 1").unwrap();
        let actions: Vec<_> = (0..COUNT as u32).map(|index| action_of(&state, index)).collect();
        assert!(actions[..8].iter().all(Option::is_some));
        assert!(actions[8..].iter().all(Option::is_none));
        // Black sees e5 as e4; a step to the north is one towards the first rank.
        assert_eq!(actions[0], Some(28));
        assert_eq!(action_of(&state, COUNT as u32), None);
    }
}
