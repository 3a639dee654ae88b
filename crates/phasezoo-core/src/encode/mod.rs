//! Input planes and action indices.
//!
//! Planes are `float32[C, 8, 8]` from the view of the player who sees them: row 0 is that player's
//! first rank, column 0 the a-file (files are never mirrored). No encoder allocates.

pub mod actions;
mod chess;

use shakmaty::Color;

use crate::error::{Error, Result};
use crate::games::board::BoardState;
use crate::games::rules::Rules;

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
}

impl BoardPlanes {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::V1, Self::V2, Self::Minimal];

    /// The choice of that name.
    pub fn parse(spec: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|planes| planes.as_str() == spec).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            Error::InvalidPlaneSpec(format!(
                "{} is not a plane spec of chess; expected one of {names}",
                crate::games::fen::quote(spec)
            ))
        })
    }

    /// The name of the choice.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::Minimal => "minimal",
        }
    }

    /// Channels, height and width.
    pub const fn shape(self) -> [usize; 3] {
        let channels = match self {
            Self::V1 => chess::V1_CHANNELS,
            Self::V2 => chess::V2_CHANNELS,
            Self::Minimal => chess::MINIMAL_CHANNELS,
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
    }
}
