//! `BoardState` and `Outcome`: states of board games as immutable Python values.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{PyArray1, PyArray3, PyArrayMethods, ToPyArray};
use phasezoo_core::game::{Game, Outcome as CoreOutcome, Player};
use phasezoo_core::games::{BoardState as CoreState, KrkState};
use phasezoo_core::{Error, Result};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

pub(crate) use crate::arguments::ActionIndex;
use crate::arguments::Text;
use crate::boards::{AnyBoard, Starts, dispatch, with_rules};
use crate::errors::to_py;

/// The player who sees a state: the one given, which must exist, or the one to move.
pub(crate) fn viewer(board: &AnyBoard, player: Option<i64>) -> Result<Player> {
    match player {
        None => Ok(board.to_play()),
        Some(0) => Ok(0),
        Some(1) => Ok(1),
        Some(other) => Err(Error::InvalidConfig(format!(
            "player {other}: {} has the players 0 and 1",
            board.game()
        ))),
    }
}

/// How a game ended.
#[pyclass(frozen, eq, hash, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Outcome {
    /// Index of the winner, or None.
    #[pyo3(get)]
    winner: Option<Player>,
    /// Why the game ended, such as "checkmate".
    #[pyo3(get)]
    reason: String,
}

#[pymethods]
impl Outcome {
    #[new]
    #[pyo3(signature = (winner, reason))]
    fn new(winner: Option<Player>, reason: String) -> Self {
        Self { winner, reason }
    }

    fn __repr__(&self) -> String {
        let winner = self.winner.map_or_else(|| "None".into(), |winner| winner.to_string());
        format!("Outcome(winner={winner}, reason='{}')", self.reason)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Option<Player>, String)) {
        let outcome = slf.get();
        (slf.get_type().into_any(), (outcome.winner, outcome.reason.clone()))
    }
}

impl From<CoreOutcome> for Outcome {
    fn from(outcome: CoreOutcome) -> Self {
        Self { winner: outcome.winner, reason: outcome.reason.as_str().into() }
    }
}

/// A position of a board game with its history; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoardState {
    pub(crate) board: AnyBoard,
}

impl From<AnyBoard> for BoardState {
    fn from(board: AnyBoard) -> Self {
        Self { board }
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
        self.board.game()
    }

    /// The FEN of the position; its en passant square only where a capture there is legal.
    #[getter]
    fn fen(&self) -> String {
        dispatch!(&self.board, state => state.fen())
    }

    /// The FEN that the game started from; None for the usual start.
    #[getter]
    fn start_fen(&self) -> Option<String> {
        dispatch!(&self.board, state => state.start_fen())
    }

    /// Moves since the start.
    #[getter]
    fn ply(&self) -> u32 {
        dispatch!(&self.board, state => state.ply())
    }

    /// The player to move, 0 White or 1 Black, also when the game is over.
    #[getter]
    fn to_play(&self) -> Player {
        self.board.to_play()
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        dispatch!(&self.board, state => state.outcome().is_some())
    }

    /// How the game ended; None while it goes on. The first of these that holds: checkmate, in atomic
    /// chess an exploded king, stalemate, insufficient material on both sides, the position for the
    /// third time, a hundred plies without capture or pawn move. Crazyhouse knows neither insufficient
    /// material nor the last.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        dispatch!(&self.board, state => state.outcome()).map(Outcome::from)
    }

    /// float32[2]: +1 for the winner, -1 for the other, 0 each in a draw and before the end.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        dispatch!(&self.board, state => state.returns()).as_slice().to_pyarray(py)
    }

    /// int64[L]: the legal actions, ascending; none when the game is over.
    #[getter]
    fn legal_actions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let actions: Vec<i64> = self.actions().into_iter().map(i64::from).collect();
        PyArray1::from_vec(py, actions)
    }

    /// int8[A]: 1 where an action is legal; all zeros when the game is over.
    #[getter]
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let size = dispatch!(&self.board, state => state.num_actions());
        let mask = PyArray1::zeros(py, size, false);
        let mut writable = mask.try_readwrite()?;
        let slots = writable.as_slice_mut()?;
        for action in self.actions() {
            slots[action as usize] = 1;
        }
        drop(writable);
        Ok(mask)
    }

    /// The moves since the start in UCI notation, oldest first.
    #[getter]
    fn moves(&self) -> Vec<String> {
        dispatch!(&self.board, state => state.history().moves().iter().map(ToString::to_string).collect())
    }

    /// How often the position stood earlier in the game.
    #[getter]
    fn occurrences(&self) -> u32 {
        dispatch!(&self.board, state => state.occurrences())
    }

    /// A 64-bit key of the position alone, the same on every machine.
    #[getter]
    fn key(&self) -> u64 {
        dispatch!(&self.board, state => state.key())
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        dispatch!(&self.board, state => state.is_check())
    }

    /// In "krk" alone: the rook side's moves to mate with best play, whoever moves; 0 when mated, None
    /// when drawn. The fifty-move clock is not looked at before it has run out.
    #[getter]
    fn dtm(&self) -> PyResult<Option<u8>> {
        self.krk("dtm").map(KrkState::dtm)
    }

    /// In "krk" alone: float32[L], `dtm` after each of `legal_actions`, inf where it draws.
    #[getter]
    fn action_dtm<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let values = self.krk("action_dtm")?.action_dtm();
        let float = |value: Option<u8>| value.map_or(f32::INFINITY, f32::from);
        Ok(PyArray1::from_vec(py, values.into_iter().map(float).collect()))
    }

    /// In "krk" alone: `dtm` after a legal action less that after the best one, in moves (negative or
    /// 0 for the lone king); None where either draws.
    fn dtm_difference(&self, action: ActionIndex) -> PyResult<Option<i32>> {
        self.krk("dtm_difference")?.dtm_difference(action.0).map_err(to_py)
    }

    /// In "krk" alone: int64[K], the legal actions of perfect play: the shortest win, the longest
    /// resistance, a draw before a loss.
    #[getter]
    fn best_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let state = self.krk("best_actions")?;
        let mut actions = self.actions();
        state.keep_best(&mut actions);
        Ok(PyArray1::from_vec(py, actions.into_iter().map(i64::from).collect()))
    }

    /// The state after an action; this one stays as it is.
    fn play(&self, action: ActionIndex) -> PyResult<Self> {
        self.board.play(action.0).map(Self::from).map_err(to_py)
    }

    /// The action of a UCI move, such as "e2e4" or "e7e8q".
    fn parse_uci(&self, uci: Text) -> PyResult<u32> {
        dispatch!(&self.board, state => state.parse_uci(&uci)).map_err(to_py)
    }

    /// The action of a SAN move, such as "Nf3" or "exd8=Q+".
    fn parse_san(&self, san: Text) -> PyResult<u32> {
        dispatch!(&self.board, state => state.parse_san(&san)).map_err(to_py)
    }

    /// The UCI notation of a legal action.
    fn uci(&self, action: ActionIndex) -> PyResult<String> {
        dispatch!(&self.board, state => state.uci(action.0)).map_err(to_py)
    }

    /// The SAN notation of a legal action.
    fn san(&self, action: ActionIndex) -> PyResult<String> {
        dispatch!(&self.board, state => state.san(action.0)).map_err(to_py)
    }

    /// float32[C, 8, 8]: input planes as `player` (default: the one to move) sees the state.
    #[pyo3(
        signature = (spec = Text::from("v2"), player = None),
        text_signature = "($self, spec='v2', player=None)"
    )]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        spec: Text,
        player: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let planes = self.board.planes(&spec).map_err(to_py)?;
        let player = viewer(&self.board, player).map_err(to_py)?;
        let array = PyArray3::zeros(py, planes.shape(), false);
        let mut writable = array.try_readwrite()?;
        let out = writable.as_slice_mut()?;
        dispatch!(&self.board, state => state.encode(planes, player, out));
        drop(writable);
        Ok(array)
    }

    /// The same state without the last moves that planes show; repetitions stay counted.
    fn without_history(&self) -> Self {
        dispatch!(&self.board, state => AnyBoard::from(state.without_history()).into())
    }

    /// A `chess.Board` of python-chess with the moves played on it.
    fn board<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("phasezoo.zoo.boards.game")?.call_method1("to_board", (slf,))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.board.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<BoardState {} '{}' ply {}>", self.game(), self.fen(), self.ply())
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
        let bytes = PyBytes::new(py, &dispatch!(board, state => state.to_bytes()));
        let restore = slf.get_type().getattr("from_bytes")?;
        let arguments = (board.game(), bytes).into_pyobject(py)?;
        (restore, arguments).into_pyobject(py)
    }

    /// The state as bytes, which `from_bytes` reads back.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &dispatch!(&self.board, state => state.to_bytes()))
    }

    /// The state of `to_bytes`, every move of it checked.
    #[staticmethod]
    fn from_bytes(game: Text, data: &[u8]) -> PyResult<Self> {
        AnyBoard::from_bytes(&game, data).map(Self::from).map_err(to_py)
    }
}

impl BoardState {
    /// The state as one of the endgame that has a table. Asked of another game, an attribute is missing.
    fn krk(&self, attribute: &str) -> PyResult<&KrkState> {
        match &self.board {
            AnyBoard::Krk(state) => Ok(state),
            other => Err(PyAttributeError::new_err(format!(
                "states of {:?} have no {attribute}: it is known in \"krk\" alone, make the state \
                 with games.make(\"krk\").from_fen(…)",
                other.game()
            ))),
        }
    }

    fn actions(&self) -> Vec<u32> {
        let mut actions = Vec::with_capacity(64);
        let player = self.board.to_play();
        dispatch!(&self.board, state => state.legal_actions(player, &mut actions));
        actions
    }
}

/// The start of a board game, drawn by `seed` in games that draw it. `start` and `dtm` say which starts
/// of "krk" are drawn, `both_move` that no first move ends them.
#[pyfunction]
#[pyo3(signature = (game, seed = None, start = None, dtm = None, both_move = false))]
fn board_initial(
    game: Text,
    seed: Option<u64>,
    start: Option<Text>,
    dtm: Option<(i64, i64)>,
    both_move: bool,
) -> PyResult<BoardState> {
    let starts = Starts::parse(&game, start.as_deref(), dtm, both_move).map_err(to_py)?;
    let board: Result<AnyBoard> =
        with_rules!(&*game, R => starts.state::<R>(seed).map(|state: CoreState<R>| state.into()));
    board.map(BoardState::from).map_err(to_py)
}

/// A board game that starts at a FEN or a four-field EPD, after `moves` in UCI notation. Each must be
/// legal where it stands; draws do not end the list, because recorded games go on after them.
#[pyfunction]
#[pyo3(signature = (game, fen, moves = Vec::new()))]
fn board_from_fen(game: Text, fen: Text, moves: Vec<Text>) -> PyResult<BoardState> {
    let mut board = AnyBoard::from_fen(&game, &fen).map_err(to_py)?;
    dispatch!(&mut board, state => {
        for uci in &moves {
            let played = state.move_from_uci(uci).map_err(to_py)?;
            state.play_move(played);
        }
    });
    Ok(board.into())
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<BoardState>()?;
    m.add_class::<Outcome>()?;
    m.add_function(wrap_pyfunction!(board_initial, m)?)?;
    m.add_function(wrap_pyfunction!(board_from_fen, m)?)
}
