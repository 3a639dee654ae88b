//! The gates of the rook endgame (`docs/definitions/gates.md`).

use shakmaty::{Chess, Position, Square};

use super::rules::KrkState;
use crate::gate::{GateKind, Side};

/// The kinds of gates that the endgame has beside those of chess. `dtm` reads the table of perfect play:
/// an oracle, to be named so in every report.
pub(super) fn kinds() -> Vec<GateKind<KrkState>> {
    vec![
        // Drawn positions are the last phase.
        GateKind::measured("dtm", Side::UpTo, Some("10,5"), |state, _| {
            Ok(state.dtm().map(u32::from))
        }),
        GateKind::measured("box", Side::UpTo, Some("20,9"), |state, _| {
            Ok(Some(room(state.position())))
        }),
    ]
}

/// How many squares the lone king can reach without crossing the rook's rank or file, its own among
/// them; these are walls even if a king stands on them. All 64 if there is no rook.
fn room(position: &Chess) -> u32 {
    let board = position.board();
    let Some(rook) = board.rooks().single_square() else { return 64 };
    let lone = board.color_at(rook).and_then(|strong| board.king_of(!strong));
    lone.map_or(64, |lone| room_beside(rook, lone))
}

fn room_beside(rook: Square, lone: Square) -> u32 {
    let beside = |wall: u32, king: u32| match king.cmp(&wall) {
        std::cmp::Ordering::Less => wall,
        std::cmp::Ordering::Greater => 7 - wall,
        // On the wall itself the king may leave to both sides.
        std::cmp::Ordering::Equal => 7,
    };
    let (rook_file, rook_rank) = (u32::from(rook.file()), u32::from(rook.rank()));
    let (file, rank) = (u32::from(lone.file()), u32::from(lone.rank()));
    let on_wall = u32::from(file == rook_file || rank == rook_rank);
    beside(rook_file, file) * beside(rook_rank, rank) + on_wall
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::games::ChessState;
    use crate::games::krk::Start;
    use crate::gate::Gating;
    use crate::rng::Stream;

    #[test]
    fn gates_count_the_thresholds_reached() {
        let gate = |spec: &str| Gating::<KrkState>::parse(spec, false).unwrap();
        let (mate, walls) = (gate("dtm"), gate("box"));
        assert_eq!((mate.spec(), walls.spec()), ("dtm:10,5".into(), "box:20,9".into()));
        assert_eq!(mate.names(), ["over 10", "6–10", "up to 5"]);
        assert_eq!(walls.names(), ["over 20", "10–20", "up to 9"]);
        let starts = Start::parse(Some("uniform"), None, false).unwrap();
        let mut stream = Stream::new(4);
        let mut seen = [[0; 3]; 2];
        for _ in 0..2_000 {
            let state = starts.draw(&mut stream);
            let (distance, size) = (state.dtm().unwrap(), room(state.position()));
            let phases = [&mate, &walls].map(|gate| gate.phase(&state, 0, None).unwrap());
            let reached = [
                u8::from(distance <= 10) + u8::from(distance <= 5),
                u8::from(size <= 20) + u8::from(size <= 9),
            ];
            assert_eq!(phases, reached, "{}", state.fen());
            for (seen, phase) in seen.iter_mut().zip(phases) {
                seen[usize::from(phase)] += 1;
            }
        }
        assert!(seen.as_flattened().iter().all(|&count| count > 20), "{seen:?}");
        // A drawn position is the last phase: here the lone king takes the rook.
        let drawn = KrkState::from_fen("8/8/8/8/8/8/1kR5/7K b - - 0 1").unwrap();
        assert_eq!(drawn.dtm(), None);
        assert_eq!(
            ["dtm", "dtm:12,8,4"].map(|spec| gate(spec).phase(&drawn, 0, None).unwrap()),
            [2, 3]
        );
        assert!(["dtm", "box"].iter().all(|spec| !Gating::<ChessState>::knows(spec)));
        assert!(Gating::<KrkState>::parse("dtm:5,10", false).is_err());
    }

    #[test]
    fn the_room_is_what_a_flood_fill_finds() {
        for rook in Square::ALL {
            for lone in Square::ALL.into_iter().filter(|&lone| lone != rook) {
                assert_eq!(room_beside(rook, lone), flooded(rook, lone), "{rook} {lone}");
            }
        }
    }

    fn flooded(rook: Square, lone: Square) -> u32 {
        let mut seen = HashSet::from([lone]);
        let mut open = vec![lone];
        while let Some(square) = open.pop() {
            for next in shakmaty::attacks::king_attacks(square) {
                let wall = next.file() == rook.file() || next.rank() == rook.rank();
                if !wall && seen.insert(next) {
                    open.push(next);
                }
            }
        }
        seen.len() as u32
    }
}
