//! Connect Four: its room in the bindings.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::PyArray1;
use phasezoo_core::Result;
use phasezoo_core::game::{Game, Player};
use phasezoo_core::games::ConnectFour as Core;
use phasezoo_core::games::connect_four::ConnectFourPlanes;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::arguments::{ActionIndex, Text};
use crate::errors::to_py;
use crate::native::{Native, Room, Start};
use crate::options::GameOptions;
use crate::outcome::Outcome;
use crate::pictures::picture;
use crate::planes::WantedPlanes;
use crate::turn_state::{TurnState, int64, played};

/// A state of Connect Four; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
#[derive(PartialEq)]
pub(crate) struct ConnectFourState {
    state: Core,
}

#[pymethods]
impl ConnectFourState {
    /// How many players there are.
    #[classattr]
    #[pyo3(name = "num_players")]
    const NUM_PLAYERS: usize = 2;

    /// The state after `columns`, digits from 1 to 7; the empty board without.
    #[new]
    #[pyo3(signature = (columns = Text::from("")), text_signature = "(columns='')")]
    fn new(columns: Text) -> PyResult<Self> {
        Ok(Self { state: Core::from_columns(&columns).map_err(to_py)? })
    }

    /// The name of the game.
    #[getter]
    fn game(&self) -> &'static str {
        self.state.game_name()
    }

    /// The columns played since the start, digits from 1 to 7 as one word.
    #[getter]
    fn columns(&self) -> String {
        self.state.columns()
    }

    /// Stones on the board.
    #[getter]
    fn ply(&self) -> u32 {
        self.state.ply()
    }

    /// The player to move, also when the game is over.
    #[getter]
    fn to_play(&self) -> Player {
        self.state.player_to_move()
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.state.outcome().is_some()
    }

    /// How the game ended, `connect_four` or `board_full`; None while it goes on.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.state.end()
    }

    /// float32[2]: +1 for the winner, -1 for the other, 0 each in a draw and before the end.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.state.paid(py)
    }

    /// int64[L]: the columns that are not full, ascending from 0; none when the game is over.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        int64(py, &self.state.list_actions())
    }

    /// int8[7]: 1 where an action is legal; all zeros when the game is over.
    #[getter]
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.state.mask(py)
    }

    /// A 64-bit key of the position alone, the same on every machine.
    #[getter]
    fn key(&self) -> u64 {
        self.state.key()
    }

    /// How many empty cells would make four for either player, whoever is to move and whether or not a
    /// stone can be dropped there now.
    #[getter]
    fn threats(&self) -> u32 {
        self.state.threats()
    }

    /// The game seen in a mirror: column 0 is the last.
    fn mirrored(&self) -> Self {
        Self { state: self.state.mirrored() }
    }

    /// The state after an action; this one stays as it is.
    fn play(&self, action: ActionIndex) -> PyResult<Self> {
        Ok(Self { state: played(&self.state, action.0).map_err(to_py)? })
    }

    /// float32[3, 6, 7]: own stones, theirs, ones if player 0 is to move, as `player` (default: the one
    /// to move) sees the state. Row 0 is the bottom row. Packed if asked so.
    #[pyo3(
        signature = (spec = Text::from("default"), player = None, packed = false),
        text_signature = "($self, spec='default', player=None, packed=False)"
    )]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        spec: Text,
        player: Option<i64>,
        packed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        TurnState::planes(&self.state, py, WantedPlanes { spec: &spec, packed }, player)
    }

    /// The state as bytes, which `from_bytes` reads back.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.state.to_bytes())
    }

    /// The state of `to_bytes`, every move of it checked.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Ok(Self { state: Core::from_bytes(data).map_err(to_py)? })
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<ConnectFourState '{}' ply {}>", self.state.columns(), self.state.ply())
    }

    /// The board as text.
    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        picture(slf, "ansi")
    }

    /// The board as an SVG document, which notebooks show.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        picture(slf, "svg")
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().state.columns(),))
    }
}

impl Native for Core {
    fn game_name(&self) -> &'static str {
        Self::NAME
    }

    fn inside<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Self> {
        Some(&object.cast::<ConnectFourState>().ok()?.get().state)
    }

    fn shown(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, ConnectFourState { state: self })?.into_any())
    }

    fn named_planes(spec: &str, _like: Option<&Self>) -> Result<ConnectFourPlanes> {
        ConnectFourPlanes::parse(spec)
    }

    fn mover(&self) -> Option<Player> {
        Some(self.player_to_move())
    }
}

/// The game.
pub(crate) struct ConnectFour;

impl Room for ConnectFour {
    type State = Core;

    fn name(&self) -> &'static str {
        Core::NAME
    }

    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()> {
        m.add_class::<ConnectFourState>()
    }

    fn starts(&self, options: GameOptions<'_, '_>) -> PyResult<Start<Core>> {
        options.check(&[])?;
        Ok(Box::new(|_| Ok(Core::default())))
    }

    /// A position is written as the columns that led to it.
    fn parse(&self, position: &str, moves: &[&str]) -> Result<Core> {
        Core::from_columns(&(position.to_owned() + &moves.concat()))
    }

    fn restore(&self, bytes: &[u8]) -> Result<Core> {
        Core::from_bytes(bytes)
    }
}
