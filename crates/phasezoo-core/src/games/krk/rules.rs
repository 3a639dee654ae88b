//! The endgame of king and rook against king: chess from other starts, with a table beside it.

use shakmaty::{Chess, Move, Position};

use super::{compact, gates};
use crate::error::{Error, Result};
use crate::game::{Action, Game};
use crate::games::boards::board::BoardState;
use crate::games::boards::planes::BoardPlanes;
use crate::games::boards::rules::{Rules, has_legal_chess_move, is_legal_chess_move};
use crate::games::boards::{chess, fen};
use crate::games::krk::table::{self, LONGEST, Placement};
use crate::gate::GateKind;
use crate::rng::Stream;

/// King and rook against king.
#[derive(Clone, Copy, Debug, Default)]
pub struct Krk;

/// A state of the endgame.
pub type KrkState = BoardState<Krk>;

/// A position with mate in 15, the start of every game in a study of UCT.
const FIXED: &str = "8/8/8/4k3/8/8/8/K6R w - - 0 1";

/// One class of positions in this many is held out.
const HELD_OUT_EVERY: u64 = 5;

/// The distances to mate of the region that is held out.
const REGION: std::ops::RangeInclusive<u8> = 8..=11;

impl Rules for Krk {
    type Position = Chess;

    const NAME: &'static str = "krk";
    // To others it is chess from a position.
    const PGN_VARIANTS: &'static [&'static str] = chess::PGN_VARIANTS;
    const PLANES: &'static [BoardPlanes] =
        &[BoardPlanes::V1, BoardPlanes::V2, BoardPlanes::MINIMAL, BoardPlanes::SHARED];
    const HAS_USUAL_START: bool = false;
    const NUM_COMPACT: usize = compact::COUNT;
    const STATE_NUMBERS: &'static [&'static str] = &["dtm"];
    const MOVE_NUMBERS: &'static [&'static str] = &["dtm_difference"];

    fn initial() -> Chess {
        // A test reads the text; where it were wrong, usual chess would stand in.
        fen::parse::<Self>(FIXED).unwrap_or_default()
    }

    fn check_start(position: &Chess) -> std::result::Result<(), String> {
        if Placement::of(position).is_none() {
            return Err("expected two kings and one rook, nothing else".into());
        }
        if position.castles().any() {
            return Err("this endgame has no castling: write '-' for its rights".into());
        }
        Ok(())
    }

    fn has_legal_move(position: &Chess) -> bool {
        has_legal_chess_move(position)
    }

    fn is_legal(position: &Chess, m: Move) -> bool {
        is_legal_chess_move(position, m)
    }

    fn gates() -> Vec<GateKind<KrkState>> {
        gates::kinds()
    }

    fn keep_best(state: &KrkState, actions: &mut Vec<Action>) {
        state.keep_best_by_dtm(actions);
    }

    fn compact_of(state: &KrkState, action: Action) -> Action {
        compact::of_action(state, action)
    }

    fn action_of_compact(state: &KrkState, index: Action) -> Option<Action> {
        compact::action_of(state, index)
    }

    fn state_numbers(state: &KrkState, out: &mut [f64]) {
        // A game drawn by the clock or by repetition has no mate to come, whatever the table says.
        let drawn = state.outcome().is_some_and(|outcome| outcome.winner.is_none());
        out[0] = state.dtm().filter(|_| !drawn).map_or(f64::NAN, f64::from);
    }

    fn move_numbers(state: &KrkState, action: Action, out: &mut [f64]) {
        out[0] = state.dtm_difference(action).ok().flatten().map_or(f64::NAN, f64::from);
    }
}

/// Which starts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fixed,
    Uniform,
    Train,
    Heldout,
    HeldoutRegion,
}

/// What games of the endgame start from, White having the rook and the move.
///
/// All drawn starts are alike within their kind. `train`, `heldout` and `heldout-region` are disjoint
/// and make up all starts, and the eight images of a position are in the same part: the region is what
/// has the lone king on the rim and mate in 8 to 11, the rest is divided by a hash, one class in five
/// held out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    kind: Kind,
    /// The least and the largest distance to mate.
    range: (u8, u8),
    /// Whether starts are left out that some first move ends, by mate or stalemate.
    both_move: bool,
}

impl Start {
    /// The names of kinds.
    pub const NAMES: [&'static str; 6] =
        ["fixed", "uniform", "dtm", "train", "heldout", "heldout-region"];

    /// The starts of a kind (`None`: the fixed one) with distances to mate in `range` (`None`: all);
    /// where `both_move`, only those that no first move ends.
    pub fn parse(kind: Option<&str>, range: Option<(i64, i64)>, both_move: bool) -> Result<Self> {
        let kind = match (kind.unwrap_or("fixed"), range) {
            ("fixed", None) => Kind::Fixed,
            ("fixed", Some(_)) => {
                return Err(Error::InvalidConfig(
                    "start=\"fixed\" is one position, with mate in 15: leave dtm= out, or draw \
                     starts with start=\"dtm\""
                        .into(),
                ));
            }
            ("dtm", None) => {
                return Err(Error::InvalidConfig(
                    "start=\"dtm\" needs dtm=(low, high), moves to mate from 1 to 16".into(),
                ));
            }
            ("uniform" | "dtm", _) => Kind::Uniform,
            ("train", _) => Kind::Train,
            ("heldout", _) => Kind::Heldout,
            ("heldout-region", _) => Kind::HeldoutRegion,
            (other, _) => {
                let names = Self::NAMES.map(|name| format!("{name:?}")).join(", ");
                return Err(Error::InvalidConfig(format!(
                    "start={other:?}: expected one of {names}"
                )));
            }
        };
        let range = checked(range.unwrap_or((1, i64::from(LONGEST))), kind)?;
        if both_move && range.1 == 1 {
            return Err(Error::InvalidConfig(
                "dtm=(1, 1): White mates at once in all of these starts, so that both_move=True \
                 leaves none"
                    .into(),
            ));
        }
        Ok(Self { kind, range, both_move })
    }

    /// A start, drawn from `stream` unless fixed.
    pub fn draw(self, stream: &mut Stream) -> KrkState {
        if self.kind == Kind::Fixed {
            return KrkState::initial();
        }
        loop {
            let mut square = || stream.below(64) as u8;
            let placement =
                Placement { king: square(), rook: square(), lone: square(), strong_to_move: true };
            if self.contains(placement)
                && let Some(position) = placement.position()
            {
                let state = KrkState::from_position(position);
                if !self.both_move || !can_end_at_once(&state) {
                    return state;
                }
            }
        }
    }

    /// Whether a position of the table is one of these starts.
    fn contains(self, placement: Placement) -> bool {
        let Some(dtm) = table::dtm(placement) else { return false };
        let (low, high) = self.range;
        let in_region = || placement.is_lone_on_rim() && REGION.contains(&dtm);
        let held_out = || placement.class_hash().is_multiple_of(HELD_OUT_EVERY);
        (low..=high).contains(&dtm)
            && match self.kind {
                Kind::Fixed | Kind::Uniform => true,
                Kind::HeldoutRegion => in_region(),
                Kind::Heldout => !in_region() && held_out(),
                Kind::Train => !in_region() && !held_out(),
            }
    }
}

/// Whether some first move ends the game.
fn can_end_at_once(state: &KrkState) -> bool {
    let mut actions = Vec::new();
    state.legal_actions(state.player_to_move(), &mut actions);
    actions.into_iter().any(|action| {
        let mut next = state.clone();
        next.play_trusted(action).is_err() || next.outcome().is_some()
    })
}

/// A range in which there are starts.
fn checked((low, high): (i64, i64), kind: Kind) -> Result<(u8, u8)> {
    let longest = i64::from(LONGEST);
    if !(1..=longest).contains(&low) || !(low..=longest).contains(&high) {
        return Err(Error::InvalidConfig(format!(
            "dtm=({low}, {high}): expected (low, high) with 1 <= low <= high <= {LONGEST}, moves to \
             mate"
        )));
    }
    let (first, last) = (i64::from(*REGION.start()), i64::from(*REGION.end()));
    if kind == Kind::HeldoutRegion && (high < first || low > last) {
        return Err(Error::InvalidConfig(format!(
            "dtm=({low}, {high}): start=\"heldout-region\" has mates in {first} to {last} alone"
        )));
    }
    Ok((low as u8, high as u8))
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use shakmaty::Color;

    use super::*;
    use crate::game::{Outcome, Reason};

    #[test]
    fn the_fixed_start_is_mate_in_fifteen() {
        let state = KrkState::initial();
        assert_eq!((state.dtm(), state.fen().as_str()), (Some(15), FIXED));
    }

    #[test]
    fn every_start_has_its_kind_and_distance() {
        let mut stream = Stream::new(5);
        let mut parts: HashMap<u64, HashSet<&str>> = HashMap::new();
        for name in ["uniform", "train", "heldout", "heldout-region"] {
            let start = Start::parse(Some(name), None, false).unwrap();
            for _ in 0..2_000 {
                let state = start.draw(&mut stream);
                let (placement, strong) = Placement::of(state.position()).unwrap();
                assert_eq!((strong, placement.strong_to_move), (Color::White, true));
                assert!(state.outcome().is_none() && state.dtm().is_some());
                let region = placement.is_lone_on_rim() && REGION.contains(&state.dtm().unwrap());
                if name != "uniform" {
                    assert_eq!(region, name == "heldout-region");
                    parts.entry(placement.class_hash()).or_default().insert(name);
                }
            }
        }
        assert!(parts.values().all(|names| names.len() == 1));
        for kind in ["dtm", "uniform", "train", "heldout"] {
            for moves in 1..=i64::from(LONGEST) {
                let start = Start::parse(Some(kind), Some((moves, moves)), false).unwrap();
                assert_eq!(start.draw(&mut stream).dtm().map(i64::from), Some(moves));
            }
        }
    }

    #[test]
    fn starts_in_which_both_move_do_not_end_at_once() {
        let mut stream = Stream::new(6);
        let start = Start::parse(Some("uniform"), None, true).unwrap();
        for _ in 0..2_000 {
            let state = start.draw(&mut stream);
            assert!(state.dtm() >= Some(2) && !can_end_at_once(&state));
        }
        assert!(Start::parse(Some("dtm"), Some((1, 1)), true).is_err());
    }

    #[test]
    fn distances_are_the_tables_whatever_came_before() {
        let mut state = KrkState::from_fen("8/8/8/4k3/8/8/8/4K2R w - - 0 1").unwrap();
        let (dtm, action_dtm) = (state.dtm(), state.action_dtm());
        for uci in ["h1h2", "e5e4", "h2h1", "e4e5"].repeat(2) {
            assert!(state.dtm().is_some() && state.outcome().is_none());
            let m = state.move_from_uci(uci).unwrap();
            state.play_move(m);
        }
        assert_eq!(state.outcome().map(|end| end.reason), Some(Reason::ThreefoldRepetition));
        assert_eq!(state.dtm(), dtm);
        for clock in [99, 100] {
            let fen = format!("8/8/8/4k3/8/8/8/4K2R w - - {clock} 80");
            let late = KrkState::from_fen(&fen).unwrap();
            assert_eq!(late.dtm(), dtm);
            // A game that is over has no actions.
            let expected = if clock < 100 { action_dtm.clone() } else { Vec::new() };
            assert_eq!(late.action_dtm(), expected);
        }
        // A stalemate and a lost rook have none.
        for fen in ["k7/1R6/2K5/8/8/8/8/8 b - - 0 1", "8/8/8/8/8/8/1kR5/7K b - - 0 1"] {
            assert_eq!(KrkState::from_fen(fen).unwrap().dtm(), None, "{fen}");
        }
        // Mate on the hundredth ply is mate.
        let mate = KrkState::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80").unwrap();
        let action = mate.parse_uci("a1a8").unwrap();
        assert_eq!(
            (mate.dtm_after(action), mate.dtm_difference(action).unwrap()),
            (Some(0), Some(0))
        );
    }

    #[test]
    fn best_actions_win_shortest_and_resist_longest() {
        let mut stream = Stream::new(8);
        let start = Start::parse(Some("uniform"), None, false).unwrap();
        for _ in 0..200 {
            let mut state = start.draw(&mut stream);
            let mut left = state.dtm().unwrap();
            loop {
                let mut actions = Vec::new();
                if state.turn_and_actions(&mut actions) == crate::game::Turn::Over {
                    break;
                }
                Krk::keep_best(&state, &mut actions);
                let action = actions[stream.below(actions.len())];
                assert_eq!(state.dtm_difference(action).unwrap(), Some(0));
                left -= u8::from(state.is_strong_to_move());
                state.apply(&[action]).unwrap();
                assert_eq!(state.dtm(), Some(left));
            }
            let end = Outcome { winner: Some(0), reason: Reason::Checkmate };
            assert_eq!((state.outcome(), left), (Some(end), 0));
        }
    }
}
