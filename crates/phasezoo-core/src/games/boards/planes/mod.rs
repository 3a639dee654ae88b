//! Input planes: `float32[C, 8, 8]` from the view of the player who sees them: row 0 is that player's
//! first rank, column 0 the a-file (files are never mirrored). No encoder allocates.

mod chess;
mod variants;
mod writer;

use shakmaty::Color;

use crate::error::{Error, Result};
use crate::games::boards::board::BoardState;
use crate::games::boards::rules::Rules;

/// Squares of a board, the size of a plane.
pub const PLANE: usize = 64;

/// A choice of planes of a board game (SPEC §2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardPlanes {
    /// 39 planes, with colour and move number.
    V1,
    /// 52 planes, with material and checkers.
    V2,
    /// 12 planes: the pieces alone.
    Minimal,
    /// 80 planes shared by the variants of Lichess.
    Lichess,
    /// 34 planes of crazyhouse, with colour and move number.
    HouseV1,
    /// 64 planes of crazyhouse: those of [`BoardPlanes::V2`], pockets and promoted pieces.
    HouseV2,
    /// 22 planes of crazyhouse: the pieces and the pockets.
    HouseMinimal,
}

impl BoardPlanes {
    /// The choice of that name in the game with rules `R`.
    pub fn parse<R: Rules>(spec: &str) -> Result<Self> {
        R::PLANES.iter().copied().find(|planes| planes.as_str() == spec).ok_or_else(|| {
            let names: Vec<&str> = R::PLANES.iter().map(|planes| planes.as_str()).collect();
            Error::InvalidPlaneSpec(format!(
                "{} is not a plane spec of {}; expected one of {}",
                crate::games::boards::fen::quote(spec),
                R::NAME,
                names.join(", ")
            ))
        })
    }

    /// The name of the choice within its game.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1 | Self::HouseV1 => "v1",
            Self::V2 | Self::HouseV2 => "v2",
            Self::Minimal | Self::HouseMinimal => "minimal",
            Self::Lichess => "lichess",
        }
    }

    /// Channels, height and width.
    pub const fn shape(self) -> [usize; 3] {
        let channels = match self {
            Self::V1 => chess::V1_CHANNELS,
            Self::V2 => chess::V2_CHANNELS,
            Self::Minimal => chess::MINIMAL_CHANNELS,
            Self::Lichess => variants::LICHESS_CHANNELS,
            Self::HouseV1 => variants::HOUSE_V1_CHANNELS,
            Self::HouseV2 => variants::HOUSE_V2_CHANNELS,
            Self::HouseMinimal => variants::HOUSE_MINIMAL_CHANNELS,
        };
        [channels, 8, 8]
    }

    /// How many floats one state takes.
    pub const fn size(self) -> usize {
        self.shape()[0] * PLANE
    }
}

/// Writes the planes that the player of `viewer` sees into `out`, which has exactly
/// [`BoardPlanes::size`] elements; every element is written.
pub fn board<R: Rules>(state: &BoardState<R>, planes: BoardPlanes, viewer: Color, out: &mut [f32]) {
    assert_eq!(out.len(), planes.size(), "the buffer has the size of the planes");
    match planes {
        BoardPlanes::V1 => chess::v1(state, viewer, out),
        BoardPlanes::V2 => chess::v2(state, viewer, out),
        BoardPlanes::Minimal => chess::minimal(state, viewer, out),
        BoardPlanes::Lichess => variants::lichess(state, viewer, out),
        BoardPlanes::HouseV1 => variants::house_v1(state, viewer, out),
        BoardPlanes::HouseV2 => variants::house_v2(state, viewer, out),
        BoardPlanes::HouseMinimal => variants::house_minimal(state, viewer, out),
    }
}
