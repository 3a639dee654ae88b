//! Atomic chess by the rules of Lichess: a capture explodes, and exploding the king wins.

use shakmaty::{Color, Position};

use crate::game::{Outcome, Reason};
use crate::games::boards::board::player_of;
use crate::games::boards::planes::BoardPlanes;
use crate::games::boards::rules::Rules;

/// Atomic chess.
#[derive(Clone, Copy, Debug, Default)]
pub struct Atomic;

impl Rules for Atomic {
    type Position = shakmaty::variant::Atomic;

    const NAME: &'static str = "atomic";
    const PLANES: &'static [BoardPlanes] =
        &[BoardPlanes::V1, BoardPlanes::V2, BoardPlanes::MINIMAL, BoardPlanes::LICHESS];

    fn variant_end(position: &Self::Position) -> Option<Outcome> {
        let gone =
            Color::ALL.into_iter().find(|&color| position.board().king_of(color).is_none())?;
        Some(Outcome { winner: Some(player_of(!gone)), reason: Reason::KingExploded })
    }
}
