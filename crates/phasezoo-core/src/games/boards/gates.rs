//! The gates of chess and its variants (`docs/definitions/gates.md`).

use std::sync::Arc;

use shakmaty::Position;

use super::board::BoardState;
use super::mixedness::{MixednessTable, mixedness};
use super::rules::Rules;
use crate::error::Result;
use crate::game::Player;
use crate::gate::{Gate, GateKind, Side, span};

/// Ranks 1 and 8 as bits, a1 = bit 0.
const RANK_1: u64 = 0xff;
const RANK_8: u64 = 0xff << 56;

/// The average length of a game in full moves, over which `moves:n` spreads its phases: that of the
/// published training data (`docs/definitions/gates.md`).
const AVERAGE_MOVES: f64 = 42.85;

/// Thresholds and limits of Lichess's game divider: pieces N B R Q of both sides in an endgame and in a
/// middlegame, pieces on a sparse back rank, mixedness.
const ENDGAME_OFFICERS: u32 = 6;
const MIDDLEGAME_OFFICERS: u32 = 10;
const SPARSE_BACK_RANK: u32 = 3;
const MIDDLEGAME_MIXEDNESS: u32 = 150;

/// The kinds of gates that these games share, and those of the rules alone.
pub(super) fn kinds<R: Rules>() -> Vec<GateKind<BoardState<R>>> {
    let mut kinds = vec![
        GateKind::new("lichess", "lichess[:classic|:current|:engine]", |arguments| {
            let table = MixednessTable::parse(arguments.text_or("classic"))
                .ok_or("lichess has no such table")?;
            Ok(Arc::new(Lichess(table)))
        })
        .such_as(&["lichess", "lichess:classic", "lichess:current", "lichess:engine"]),
        GateKind::new("moves", "moves:n with 2 <= n <= 20", |arguments| {
            let phases = u32::from(arguments.count()?);
            let length = (AVERAGE_MOVES / f64::from(phases)).round() as u32;
            Ok(Arc::new(Moves { phases, length }))
        })
        .also("move-count")
        .such_as(&["moves:3"]),
        GateKind::measured("material", Side::UpTo, Some("10,6"), |state, _| {
            Ok(Some(officers(state)))
        }),
        GateKind::measured("mixedness", Side::Over, Some("50,150"), |state, _| {
            Ok(Some(state.mixedness(MixednessTable::Classic)))
        }),
    ];
    kinds.extend(R::gates());
    kinds
}

/// Knights, bishops, rooks and queens of both sides on the board.
fn officers<R: Rules>(state: &BoardState<R>) -> u32 {
    let board = state.position().board();
    (board.occupied() & !(board.pawns() | board.kings())).count() as u32
}

impl<R: Rules> BoardState<R> {
    /// How far the two armies are mixed, by a published table.
    pub fn mixedness(&self, table: MixednessTable) -> u32 {
        let board = self.position().board();
        mixedness(table, board.white().0, board.black().0)
    }
}

/// The definition of Lichess's game divider with one of three tables.
struct Lichess(MixednessTable);

impl<R: Rules> Gate<BoardState<R>> for Lichess {
    fn spec(&self) -> String {
        format!("lichess:{}", self.0.as_str())
    }

    fn names(&self) -> Vec<String> {
        ["opening", "middlegame", "endgame"].map(String::from).into()
    }

    fn phase(&self, state: &BoardState<R>, _player: Player) -> Result<u8> {
        let officers = officers(state);
        if officers <= ENDGAME_OFFICERS {
            return Ok(2);
        }
        let board = state.position().board();
        let sparse = |own: u64, rank: u64| (own & rank).count_ones() <= SPARSE_BACK_RANK;
        Ok(u8::from(
            officers <= MIDDLEGAME_OFFICERS
                || sparse(board.white().0, RANK_1)
                || sparse(board.black().0, RANK_8)
                || state.mixedness(self.0) > MIDDLEGAME_MIXEDNESS,
        ))
    }
}

/// Phases of so many full moves each, the last one without end.
struct Moves {
    phases: u32,
    length: u32,
}

impl<R: Rules> Gate<BoardState<R>> for Moves {
    fn spec(&self) -> String {
        format!("moves:{}", self.phases)
    }

    fn names(&self) -> Vec<String> {
        let Self { phases, length } = *self;
        let inner = (0..phases - 1)
            .map(|phase| format!("moves {}", span(phase * length + 1, (phase + 1) * length)));
        inner.chain([format!("moves {}+", (phases - 1) * length + 1)]).collect()
    }

    fn phase(&self, state: &BoardState<R>, _player: Player) -> Result<u8> {
        // Full moves that both sides have completed, by the position's own counter.
        let completed = state.position().fullmoves().get() - 1;
        Ok((completed / self.length).min(self.phases - 1) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::games::{ChessState, KrkState};
    use crate::gate::{Gating, spellings};

    /// A state of a FEN's placement field, so many full moves later.
    fn state(placement: &str, completed_moves: u32) -> ChessState {
        ChessState::from_fen(&format!("{placement} w - - 0 {}", completed_moves + 1)).unwrap()
    }

    fn gate(spec: &str) -> Gating<ChessState> {
        Gating::parse(spec, false).unwrap()
    }

    /// Placement and mixedness by the classic, engine and current tables.
    const WORKED: [(&str, [u32; 3]); 7] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", [0, 70, 0]),
        ("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR", [64, 126, 62]),
        ("r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R", [102, 157, 98]),
        ("rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R", [95, 149, 95]),
        ("rnbq1rk1/ppp1bppp/4pn2/3p2B1/2PP4/2N1PN2/PP3PPP/R2QKB1R", [125, 173, 122]),
        ("r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N1P/PP1P1PP1/RNBQR1K1", [125, 172, 123]),
        ("r1bq1rk1/pppnppbp/3p1np1/8/2PPP3/2N2N2/PP2BPPP/R1BQ1RK1", [107, 156, 107]),
    ];

    #[test]
    fn mixedness_gives_the_worked_values() {
        use MixednessTable::{Classic, Current, Engine};
        for (placement, expected) in WORKED {
            let state = state(placement, 0);
            let found = [Classic, Engine, Current].map(|table| state.mixedness(table));
            assert_eq!(found, expected, "{placement}");
        }
    }

    #[test]
    fn the_engines_table_disagrees_with_the_training_data() {
        let phase = |spec: &str| gate(spec).phase(&state(WORKED[2].0, 3), 0, None).unwrap();
        assert_eq!(["lichess", "lichess:classic", "lichess:current"].map(phase), [0; 3]);
        assert_eq!(phase("lichess:engine"), 1);
    }

    #[test]
    fn canonical_specs_are_accepted_and_fixed() {
        for (given, canonical) in [
            ("none", "none"),
            ("lichess", "lichess:classic"),
            ("lichess:engine", "lichess:engine"),
            ("moves:3", "moves:3"),
            ("material", "material:10,6"),
            ("material:7", "material:7"),
            ("mixedness", "mixedness:50,150"),
            ("hash:20", "hash:20"),
            ("plies:20", "plies:20"),
            ("monotone:lichess", "monotone:lichess:classic"),
        ] {
            let gate = gate(given);
            assert_eq!(gate.spec(), canonical);
            assert_eq!(Gating::parse(canonical, false).unwrap(), gate);
            assert_eq!(gate.names().len(), gate.num_phases());
        }
    }

    #[test]
    fn what_is_outside_the_grammar_is_refused_with_examples() {
        const MOVES: &str = "; write moves:3";
        const MATERIAL: &str = "; write material:10,6";
        const LICHESS: &str = "; write lichess, lichess:classic, lichess:current or lichess:engine";
        const ALL: &str = "; its gates are none, lichess, moves, material, mixedness, plies and hash; \
                           such as lichess, moves:3 or material:10,6";
        for (spec, allowed) in [
            ("lichess ", ALL),
            (" lichess", ALL),
            ("Lichess", ALL),
            ("lichess:", LICHESS),
            ("lichess:foo", LICHESS),
            ("moves", MOVES),
            ("moves:", MOVES),
            ("moves:1", MOVES),
            ("moves:21", MOVES),
            ("moves:3:4", MOVES),
            ("material:6,10", MATERIAL),
            ("material:6, 4", MATERIAL),
            ("mixedness:150,50", "; write mixedness:50,150"),
            ("mixedness:a", "; write mixedness:50,150"),
            ("dtm", ALL),
            ("box", ALL),
            ("steps", ALL),
            ("proximity", ALL),
            ("opponents", ALL),
        ] {
            let message = Gating::<ChessState>::parse(spec, false).unwrap_err().to_string();
            assert!(message.ends_with(allowed), "{message}");
        }
        let kinds = spellings::<KrkState>();
        assert!(kinds.iter().any(|kind| kind.grammar.starts_with("dtm[:a,b,...] falling")));
    }

    #[test]
    fn names_say_the_ranges() {
        let names = |spec: &str| gate(spec).names();
        assert_eq!(names("lichess"), ["opening", "middlegame", "endgame"]);
        assert_eq!(names("material"), ["over 10", "7–10", "up to 6"]);
        assert_eq!(names("mixedness"), ["up to 50", "51–150", "over 150"]);
        assert_eq!(names("moves:3"), ["moves 1–14", "moves 15–28", "moves 29+"]);
    }

    #[test]
    fn moves_spreads_the_average_game() {
        for (n, length) in [(2, 21), (3, 14), (4, 11), (5, 9), (20, 2)] {
            let gate = gate(&format!("moves:{n}"));
            for completed in 0..300 {
                let expected = (completed / length).min(n - 1) as u8;
                let state = state(WORKED[0].0, completed);
                assert_eq!(gate.phase(&state, 0, None).unwrap(), expected);
            }
        }
    }

    #[test]
    fn officers_and_mixedness_are_held_against_thresholds() {
        let phase =
            |spec: &str, placement| gate(spec).phase(&state(placement, 0), 0, None).unwrap();
        for (placement, expected) in [
            ("rnbqkbnr/8/8/8/8/8/8/RNBQKBNR", 0),     // 14
            ("r1b1kb1r/8/8/8/8/8/8/RNBQKBNR", 0),     // 11
            ("2b1kb1r/8/8/8/8/8/8/RNBQKBNR", 1),      // 10
            ("4k3/8/8/8/8/8/8/RNBQKBNR", 1),          // 7
            ("4k3/pppppppp/8/8/8/8/8/1NBQKBNR", 2),   // 6
            ("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3", 2), // 0
        ] {
            assert_eq!(phase("material", placement), expected, "{placement}");
        }
        let opened = WORKED[1].0; // 64
        assert_eq!(
            ["mixedness:64", "mixedness:63", "mixedness:10,20"].map(|spec| phase(spec, opened)),
            [0, 1, 2]
        );
    }

    #[test]
    fn generic_gates_read_key_and_plies() {
        let mut state = ChessState::initial();
        let expected = (state.key() % 5) as u8;
        assert_eq!(gate("hash:5").phase(&state, 0, None).unwrap(), expected);
        for ply in 0..6 {
            assert_eq!(gate("plies:2,4").phase(&state, 0, None).unwrap(), [0, 0, 0, 1, 1, 2][ply]);
            let mut actions = Vec::new();
            state.legal_actions(state.player_to_move(), &mut actions);
            state.apply(&actions[..1]).unwrap();
        }
    }
}
