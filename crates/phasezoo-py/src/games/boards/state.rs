//! `BoardState`: states of board games as immutable Python values.

use std::any::Any;
use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::PyArray1;
use phasezoo_core::game::{Action, Game, Player};
use phasezoo_core::games::boards::mixedness::MixednessTable;
use phasezoo_core::games::{BoardState as Core, Chess, Krk, KrkState, Rules};
use phasezoo_core::{Error, Result};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use super::Hosted;
use crate::arguments::{ActionIndex, Text};
use crate::catalogue;
use crate::errors::to_py;
use crate::options::GameOptions;
use crate::outcome::Outcome;
use crate::pictures::picture;
use crate::planes::WantedPlanes;
use crate::turn_state::{TurnState, int64, played};

/// A state of any board game.
pub(crate) trait DynBoard: TurnState + Any {
    /// The FEN of the position.
    fn fen(&self) -> String;
    /// The FEN that the game started from.
    fn start_fen(&self) -> Option<String>;
    /// The moves since the start.
    fn moves(&self) -> Vec<String>;
    /// How often the position stood earlier.
    fn occurrences(&self) -> u32;
    /// Whether the side to move is in check.
    fn is_check(&self) -> bool;
    /// The action of a UCI move.
    fn parse_uci(&self, uci: &str) -> Result<Action>;
    /// The action of a SAN move.
    fn parse_san(&self, san: &str) -> Result<Action>;
    /// A legal action in UCI notation.
    fn uci(&self, action: Action) -> Result<String>;
    /// A legal action in SAN notation.
    fn san(&self, action: Action) -> Result<String>;
    /// The state after one action.
    fn played(&self, action: Action) -> Result<Box<dyn DynBoard>>;
    /// The same state without the last moves that planes show.
    fn without_history(&self) -> Box<dyn DynBoard>;
    /// The state as bytes.
    fn to_bytes(&self) -> Vec<u8>;
    /// The mixedness of the position.
    fn mixedness(&self, table: MixednessTable) -> u32;
    /// Whether another state is equal: of the same game, with the same history.
    fn equals(&self, other: &dyn DynBoard) -> bool;
    /// A hash that agrees with it.
    fn hashed(&self) -> u64;
}

impl<R: Hosted> DynBoard for Core<R> {
    fn fen(&self) -> String {
        self.fen()
    }

    fn start_fen(&self) -> Option<String> {
        self.start_fen()
    }

    fn moves(&self) -> Vec<String> {
        self.history().moves().iter().map(ToString::to_string).collect()
    }

    fn occurrences(&self) -> u32 {
        self.occurrences()
    }

    fn is_check(&self) -> bool {
        self.is_check()
    }

    fn parse_uci(&self, uci: &str) -> Result<Action> {
        self.parse_uci(uci)
    }

    fn parse_san(&self, san: &str) -> Result<Action> {
        self.parse_san(san)
    }

    fn uci(&self, action: Action) -> Result<String> {
        self.uci(action)
    }

    fn san(&self, action: Action) -> Result<String> {
        self.san(action)
    }

    fn played(&self, action: Action) -> Result<Box<dyn DynBoard>> {
        Ok(Box::new(played(self, action)?))
    }

    fn without_history(&self) -> Box<dyn DynBoard> {
        Box::new(self.without_history())
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn mixedness(&self, table: MixednessTable) -> u32 {
        self.mixedness(table)
    }

    fn equals(&self, other: &dyn DynBoard) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| self == other)
    }

    fn hashed(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// A position of a board game with its history; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
pub(crate) struct BoardState {
    board: Box<dyn DynBoard>,
}

impl PartialEq for BoardState {
    fn eq(&self, other: &Self) -> bool {
        self.board.equals(&*other.board)
    }
}

impl BoardState {
    /// A state of one game.
    pub(crate) fn new<R: Hosted>(state: Core<R>) -> Self {
        Self { board: Box::new(state) }
    }

    /// The state, if it is one of that game.
    pub(crate) fn typed<R: Hosted>(&self) -> Option<&Core<R>> {
        let board: &dyn Any = &*self.board;
        board.downcast_ref()
    }
}

#[pymethods]
impl BoardState {
    /// How many players there are.
    #[classattr]
    #[pyo3(name = "num_players")]
    const NUM_PLAYERS: usize = 2;

    /// The name of the game.
    #[getter]
    fn game(&self) -> &'static str {
        self.board.name()
    }

    /// The FEN of the position; its en passant square only where a capture there is legal.
    #[getter]
    fn fen(&self) -> String {
        self.board.fen()
    }

    /// The FEN that the game started from; None for the usual start.
    #[getter]
    fn start_fen(&self) -> Option<String> {
        self.board.start_fen()
    }

    /// Moves since the start.
    #[getter]
    fn ply(&self) -> u32 {
        self.board.plies()
    }

    /// The player to move, 0 White or 1 Black, also when the game is over.
    #[getter]
    fn to_play(&self) -> Player {
        self.board.to_play()
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.board.end().is_some()
    }

    /// How the game ended; None while it goes on. The first of these that holds: checkmate, in atomic
    /// chess an exploded king, stalemate, insufficient material on both sides, the position for the
    /// third time, a hundred plies without capture or pawn move. Crazyhouse knows neither insufficient
    /// material nor the last.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.board.end()
    }

    /// float32[2]: +1 for the winner, -1 for the other, 0 each in a draw and before the end.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.board.paid(py)
    }

    /// int64[L]: the legal actions, ascending; none when the game is over.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        int64(py, &self.board.list_actions())
    }

    /// int8[A]: 1 where an action is legal; all zeros when the game is over.
    #[getter]
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.board.mask(py)
    }

    /// The moves since the start in UCI notation, oldest first.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.board.moves()
    }

    /// How often the position stood earlier in the game.
    #[getter]
    fn occurrences(&self) -> u32 {
        self.board.occurrences()
    }

    /// A 64-bit key of the position alone, the same on every machine.
    #[getter]
    fn key(&self) -> u64 {
        self.board.position_key()
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        self.board.is_check()
    }

    /// Of "krk", and in "chess" of a lone king against one or two pieces that are no pawns: the strong
    /// side's moves to mate with best play, whoever moves; 0 when mated, None when drawn. It is the
    /// table's: neither the fifty-move clock nor repetitions are looked at.
    #[getter]
    fn dtm(&self, py: Python<'_>) -> PyResult<Option<u8>> {
        let state = self.solved("dtm")?;
        // The first question of an ending makes its table, which may take seconds.
        Ok(py.detach(|| state.dtm()))
    }

    /// Where there is a `dtm`: float32[L], `dtm` after each of `legal_actions`, inf where it draws.
    #[getter]
    fn action_dtm<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let state = self.solved("action_dtm")?;
        let values = py.detach(|| state.action_dtm());
        let float = |value: Option<u8>| value.map_or(f32::INFINITY, f32::from);
        Ok(PyArray1::from_vec(py, values.into_iter().map(float).collect()))
    }

    /// Where there is a `dtm`: `dtm` after a legal action less that after the best one, in moves (negative or
    /// 0 for the lone king); None where either draws.
    fn dtm_difference(&self, py: Python<'_>, action: ActionIndex) -> PyResult<Option<i32>> {
        let state = self.solved("dtm_difference")?;
        py.detach(|| state.dtm_difference(action.0)).map_err(to_py)
    }

    /// In "krk" alone: int64[36], the action of each compact index, legal or not; -1 if the player to
    /// move has no such piece.
    #[getter]
    fn compact_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let state = self.krk("compact_actions")?;
        let action = |index| state.action_of_compact(index as u32).map_or(-1, i64::from);
        Ok(PyArray1::from_iter(py, (0..KrkState::NUM_COMPACT).map(action)))
    }

    /// Where there is a `dtm`: int64[K], the legal actions of perfect play: the shortest win, the longest
    /// resistance, a draw before a loss.
    #[getter]
    fn best_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let state = self.solved("best_actions")?;
        let mut actions = self.board.list_actions();
        py.detach(|| state.keep_best(&mut actions));
        Ok(int64(py, &actions))
    }

    /// The state after an action; this one stays as it is.
    fn play(&self, action: ActionIndex) -> PyResult<Self> {
        let board = self.board.played(action.0).map_err(to_py)?;
        Ok(Self { board })
    }

    /// The action of a UCI move, such as "e2e4" or "e7e8q".
    fn parse_uci(&self, uci: Text) -> PyResult<u32> {
        self.board.parse_uci(&uci).map_err(to_py)
    }

    /// The action of a SAN move, such as "Nf3" or "exd8=Q+".
    fn parse_san(&self, san: Text) -> PyResult<u32> {
        self.board.parse_san(&san).map_err(to_py)
    }

    /// The UCI notation of a legal action.
    fn uci(&self, action: ActionIndex) -> PyResult<String> {
        self.board.uci(action.0).map_err(to_py)
    }

    /// The SAN notation of a legal action.
    fn san(&self, action: ActionIndex) -> PyResult<String> {
        self.board.san(action.0).map_err(to_py)
    }

    /// float32[C, 8, 8]: input planes as `player` (default: the one to move) sees the state; packed
    /// if asked so.
    #[pyo3(
        signature = (spec = Text::from("v2"), player = None, packed = false),
        text_signature = "($self, spec='v2', player=None, packed=False)"
    )]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        spec: Text,
        player: Option<i64>,
        packed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.board.planes(py, WantedPlanes { spec: &spec, packed }, player)
    }

    /// The same state without the last moves that planes show; repetitions stay counted.
    fn without_history(&self) -> Self {
        Self { board: self.board.without_history() }
    }

    /// A `chess.Board` of python-chess with the moves played on it.
    fn board<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("phasezoo.zoo.boards.game")?.call_method1("to_board", (slf,))
    }

    fn __hash__(&self) -> u64 {
        self.board.hashed()
    }

    fn __repr__(&self) -> String {
        format!("<BoardState {} '{}' ply {}>", self.game(), self.fen(), self.ply())
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

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let board = &slf.get().board;
        let bytes = PyBytes::new(py, &board.to_bytes());
        let restore = slf.get_type().getattr("from_bytes")?;
        let arguments = (board.name(), bytes).into_pyobject(py)?;
        (restore, arguments).into_pyobject(py)
    }

    /// The state as bytes, which `from_bytes` reads back.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.board.to_bytes())
    }

    /// The state of `to_bytes`, every move of it checked.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, game: Text, data: &[u8]) -> PyResult<Py<PyAny>> {
        catalogue::game(&game).map_err(to_py)?.restored(py, data)
    }
}

impl BoardState {
    /// The state as one of the endgame that has a table. Asked of another game, an attribute is missing.
    fn krk(&self, attribute: &str) -> PyResult<&KrkState> {
        self.typed().ok_or_else(|| {
            PyAttributeError::new_err(format!(
                "states of {:?} have no {attribute}: it is known in \"krk\" alone, make the state \
                 with games.make(\"krk\").from_fen(…)",
                self.board.name()
            ))
        })
    }

    /// The state as one of an ending that has a table. Asked of another, an attribute is missing.
    fn solved(&self, attribute: &str) -> PyResult<&dyn Solved> {
        if let Some(state) = self.typed::<Krk>() {
            return Ok(state);
        }
        match self.typed::<Chess>() {
            Some(state) if state.is_lone_king_ending() => Ok(state),
            _ => Err(PyAttributeError::new_err(format!(
                "'{}' in {:?} has no {attribute}: it is known in \"krk\", and in \"chess\" of a lone king \
                 against one or two pieces that are no pawns, without a right to castle",
                self.board.fen(),
                self.board.name()
            ))),
        }
    }
}

/// What the table of an ending says of a state.
trait Solved: Sync {
    fn dtm(&self) -> Option<u8>;
    fn action_dtm(&self) -> Vec<Option<u8>>;
    fn dtm_difference(&self, action: Action) -> Result<Option<i32>>;
    fn keep_best(&self, actions: &mut Vec<Action>);
}

impl<R: Rules<Position = <Chess as Rules>::Position>> Solved for Core<R> {
    fn dtm(&self) -> Option<u8> {
        self.dtm()
    }

    fn action_dtm(&self) -> Vec<Option<u8>> {
        self.action_dtm()
    }

    fn dtm_difference(&self, action: Action) -> Result<Option<i32>> {
        self.dtm_difference(action)
    }

    fn keep_best(&self, actions: &mut Vec<Action>) {
        self.keep_best_by_dtm(actions);
    }
}

/// The start of a board game, drawn by `seed` in games that draw it. `game_options` say from which
/// starts, in games that have a choice.
#[pyfunction]
#[pyo3(signature = (game, seed = None, **game_options))]
fn board_initial(
    py: Python<'_>,
    game: Text,
    seed: Option<u64>,
    game_options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let options = GameOptions::new(&game, game_options);
    catalogue::game(&game).map_err(to_py)?.initial(py, seed, options)
}

/// A board game that starts at a FEN or a four-field EPD, after `moves` in UCI notation. Each must be
/// legal where it stands; draws do not end the list, because recorded games go on after them.
#[pyfunction]
#[pyo3(signature = (game, fen, moves = Vec::new()))]
fn board_from_fen(py: Python<'_>, game: Text, fen: Text, moves: Vec<Text>) -> PyResult<Py<PyAny>> {
    let moves: Vec<&str> = moves.iter().map(|uci| &**uci).collect();
    catalogue::game(&game).map_err(to_py)?.parsed(py, &fen, &moves)
}

/// The mixedness of a chess position by the table "classic", "current" or "engine".
#[pyfunction]
#[pyo3(signature = (state, table = "classic"))]
fn chess_mixedness(state: &BoardState, table: &str) -> PyResult<u32> {
    let Some(table) = MixednessTable::parse(table) else {
        return Err(to_py(Error::InvalidGate(format!(
            "mixedness table {table:?}: choose \"classic\", \"current\" or \"engine\""
        ))));
    };
    Ok(state.board.mixedness(table))
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<BoardState>()?;
    m.add_function(wrap_pyfunction!(board_initial, m)?)?;
    m.add_function(wrap_pyfunction!(board_from_fen, m)?)?;
    m.add_function(wrap_pyfunction!(chess_mixedness, m)?)
}
