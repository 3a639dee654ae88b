//! Input planes: `float32[C, 8, 8]` from the view of the player who sees them: row 0 is that player's
//! first rank, column 0 the a-file (files are mirrored only where symmetries are asked for). No encoder allocates.

mod chess;
mod lc0;
mod sinks;
mod variants;
mod writer;

use shakmaty::Color;

use self::lc0::Lc0Format;
use self::sinks::{Floats, Kinds, Packed, Sink};
use self::writer::Writer;
use crate::error::{Error, Result};
use crate::games::boards::board::BoardState;
use crate::games::boards::fen::quote;
use crate::games::boards::history::SHOWN_MOVES;
use crate::games::boards::rules::Rules;
use crate::planes::{PackedRow, PlaneKind};

/// Squares of a board, the size of a plane.
pub const PLANE: usize = 64;

/// Between the name of planes and how many of the last moves they show: `v2:history=4`.
const HISTORY: &str = ":history=";

/// A choice of planes of a board game, and how many of the last moves they show
/// (`docs/definitions/planes.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardPlanes {
    layout: Layout,
    /// Last moves shown, at most as many as the layout has planes for.
    history: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Layout {
    V1,
    V2,
    Minimal,
    Lichess,
    HouseV1,
    HouseV2,
    HouseMinimal,
    Shared,
    Lc0(Lc0Format),
}

impl BoardPlanes {
    /// 39 planes, with colour and move number.
    pub const V1: Self = Self::full(Layout::V1);
    /// 52 planes, with material and checkers.
    pub const V2: Self = Self::full(Layout::V2);
    /// 12 planes: the pieces alone.
    pub const MINIMAL: Self = Self::full(Layout::Minimal);
    /// 80 planes shared by the variants of Lichess.
    pub const LICHESS: Self = Self::full(Layout::Lichess);
    /// 34 planes of crazyhouse, with colour and move number.
    pub const HOUSE_V1: Self = Self::full(Layout::HouseV1);
    /// 64 planes of crazyhouse: those of [`BoardPlanes::V2`], pockets and promoted pieces.
    pub const HOUSE_V2: Self = Self::full(Layout::HouseV2);
    /// 22 planes of crazyhouse: the pieces and the pockets.
    pub const HOUSE_MINIMAL: Self = Self::full(Layout::HouseMinimal);

    /// The same 22 planes in every game, pockets zero where there are none: for networks that play
    /// several games.
    pub const SHARED: Self = Self::full(Layout::Shared);

    /// 112 planes of lc0's networks, with the last eight positions: rights to castle as planes.
    pub const LC0: Self = Self::full(Layout::Lc0(Lc0Format::Classical));
    /// The same with the rooks that may castle.
    pub const LC0_CASTLING: Self = Self::full(Layout::Lc0(Lc0Format::CastlingRooks));
    /// 113 planes of lc0's networks that see the board turned.
    pub const LC0_CANONICAL: Self = Self::full(Layout::Lc0(Lc0Format::Canonical));
    /// The same with the clock in units of a hundred plies.
    pub const LC0_CANONICAL_HECTOPLIES: Self =
        Self::full(Layout::Lc0(Lc0Format::CanonicalHectoplies));
    /// The same with only those earlier positions that stood before.
    pub const LC0_CANONICAL_V2: Self = Self::full(Layout::Lc0(Lc0Format::CanonicalV2));

    /// The choice of that name in the game with rules `R`: `v2`, or `v2:history=4` for the same
    /// planes with the moves before the last four left out.
    pub fn parse<R: Rules>(spec: &str) -> Result<Self> {
        let (name, history) = match spec.split_once(HISTORY) {
            Some((name, history)) => (name, Some(history)),
            None => (spec, None),
        };
        let named = R::PLANES.iter().copied().find(|planes| planes.name() == name);
        let Some(planes) = named else {
            let known: Vec<&str> = R::PLANES.iter().map(|planes| planes.name()).collect();
            return Err(Error::InvalidPlaneSpec(format!(
                "{} is not a plane spec of {}; expected one of {}",
                quote(spec),
                R::NAME,
                known.join(", ")
            )));
        };
        match history {
            None => Ok(planes),
            Some(text) => planes.showing(text).ok_or_else(|| planes.wrong_history::<R>(spec)),
        }
    }

    /// The name of the choice within its game, without the moves shown.
    pub const fn name(self) -> &'static str {
        match self.layout {
            Layout::V1 | Layout::HouseV1 => "v1",
            Layout::V2 | Layout::HouseV2 => "v2",
            Layout::Minimal | Layout::HouseMinimal => "minimal",
            Layout::Lichess => "lichess",
            Layout::Shared => "shared",
            Layout::Lc0(format) => format.name(),
        }
    }

    /// How many of the last moves are shown.
    pub const fn history(self) -> usize {
        self.history
    }

    /// Channels, height and width.
    pub const fn shape(self) -> [usize; 3] {
        let channels = match self.layout {
            Layout::V1 => chess::V1_CHANNELS,
            Layout::V2 => chess::V2_CHANNELS,
            Layout::Minimal => chess::MINIMAL_CHANNELS,
            Layout::Lichess => variants::LICHESS_CHANNELS,
            Layout::HouseV1 => variants::HOUSE_V1_CHANNELS,
            Layout::HouseV2 => variants::HOUSE_V2_CHANNELS,
            Layout::HouseMinimal | Layout::Shared => variants::HOUSE_MINIMAL_CHANNELS,
            Layout::Lc0(format) => format.channels(),
        };
        [channels, 8, 8]
    }

    /// How many floats one state takes.
    pub const fn size(self) -> usize {
        self.shape()[0] * PLANE
    }

    /// What the planes are written to as floats.
    fn floats(self, out: &mut [f32]) -> Floats<'_> {
        Floats::new(out, self.shape()[0])
    }

    /// The layout with every move that it has planes for.
    const fn full(layout: Layout) -> Self {
        let history = match layout {
            Layout::V1 | Layout::V2 | Layout::Lichess | Layout::HouseV2 => SHOWN_MOVES,
            Layout::Minimal
            | Layout::HouseV1
            | Layout::HouseMinimal
            | Layout::Shared
            | Layout::Lc0(_) => 0,
        };
        Self { layout, history }
    }

    /// These planes with as many moves as the text says; None if there are no planes for so many.
    fn showing(self, text: &str) -> Option<Self> {
        let history = text.parse().ok()?;
        let canonical = usize::to_string(&history) == text;
        (canonical && 0 < self.history && history <= self.history)
            .then_some(Self { history, ..self })
    }

    fn wrong_history<R: Rules>(self, spec: &str) -> Error {
        let allowed = match self.history {
            0 => format!("{} of {} shows no moves, so leave the history out", self.name(), R::NAME),
            most => format!("history is how many of the last moves are shown, 0 to {most}"),
        };
        Error::InvalidPlaneSpec(format!("{}: {allowed}", quote(spec)))
    }
}

/// Writes the planes that the player of `viewer` sees into `out`, which has exactly
/// [`BoardPlanes::size`] elements; every element is written.
pub fn board<R: Rules>(state: &BoardState<R>, planes: BoardPlanes, viewer: Color, out: &mut [f32]) {
    write(state, planes, Writer::new(planes.floats(out), viewer, planes.history));
}

/// Writes the planes of the state with its files mirrored, which may have no right to castle, like
/// [`board`].
pub fn mirrored<R: Rules>(
    state: &BoardState<R>,
    planes: BoardPlanes,
    viewer: Color,
    out: &mut [f32],
) {
    write(state, planes, Writer::new(planes.floats(out), viewer, planes.history).mirroring());
}

/// Writes the planes of [`board`] packed, or those of [`mirrored`].
pub fn packed<R: Rules>(
    state: &BoardState<R>,
    planes: BoardPlanes,
    viewer: Color,
    mirrors: bool,
    out: &mut PackedRow<'_>,
) {
    let writer = Writer::new(Packed::new(out), viewer, planes.history);
    let writer = if mirrors { writer.mirroring() } else { writer };
    let sink = write(state, planes, writer);
    assert!(sink.is_full(), "the buffers have the sizes of the packed planes");
}

/// What each plane holds.
pub fn kinds<R: Rules>(planes: BoardPlanes) -> Vec<PlaneKind> {
    let writer = Writer::new(Kinds::default(), Color::White, planes.history);
    write(&BoardState::<R>::initial(), planes, writer).0
}

fn write<R: Rules, S: Sink>(
    state: &BoardState<R>,
    planes: BoardPlanes,
    mut writer: Writer<S>,
) -> S {
    let viewer = writer.viewer();
    let to = &mut writer;
    match planes.layout {
        Layout::V1 => chess::v1(state, viewer, to),
        Layout::V2 => chess::v2(state, viewer, to),
        Layout::Minimal => to.pieces(state.position()),
        Layout::Lichess => variants::lichess(state, viewer, to),
        Layout::HouseV1 => variants::house_v1(state, viewer, to),
        Layout::HouseV2 => variants::house_v2(state, viewer, to),
        Layout::HouseMinimal | Layout::Shared => variants::house_minimal(state, to),
        Layout::Lc0(format) => lc0::lc0(state, format, to),
    }
    writer.into_sink()
}
