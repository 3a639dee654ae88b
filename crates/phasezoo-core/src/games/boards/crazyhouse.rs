//! Crazyhouse: captured pieces change sides and may be dropped.

use shakmaty::Move;

use crate::games::boards::actions::NUM_HOUSE_ACTIONS;
use crate::games::boards::planes::BoardPlanes;
use crate::games::boards::rules::{Rules, loses_castling};

/// Crazyhouse.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crazyhouse;

impl Rules for Crazyhouse {
    type Position = shakmaty::variant::Crazyhouse;

    const NAME: &'static str = "crazyhouse";
    const PGN_VARIANTS: &'static [&'static str] = &["crazy house", "house", "zh"];
    const NUM_ACTIONS: usize = NUM_HOUSE_ACTIONS;
    const PLANES: &'static [BoardPlanes] = &[
        BoardPlanes::HOUSE_V1,
        BoardPlanes::HOUSE_V2,
        BoardPlanes::HOUSE_MINIMAL,
        BoardPlanes::SHARED,
    ];
    const DRAWS_BY_EXHAUSTION: bool = false;

    /// What was captured comes back, and so may positions; only castling rights do not.
    fn is_final(position: &Self::Position, m: Move) -> bool {
        loses_castling(position, m)
    }
}
