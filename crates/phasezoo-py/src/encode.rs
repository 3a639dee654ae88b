//! Work on many states at once: planes, legal actions; and perft.

use numpy::{PyArray1, PyArray4, PyArrayMethods, PyReadwriteArray4, PyUntypedArrayMethods};
use phasezoo_core::game::{Action, Game, Player};
use phasezoo_core::games::BoardState as CoreState;
use phasezoo_core::games::boards::perft::perft_shared;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::{Error, threads};
use pyo3::prelude::*;

use crate::arguments::{Count, Text};
use crate::boards::{AnyBoard, dispatch, with_rules};
use crate::errors::to_py;
use crate::state::{BoardState, viewer};

/// States that one thread handles at least: less is done before another thread has woken up.
const GRAIN: usize = 32;

/// A batch of states, kept alive while the interpreter lock is released.
pub(crate) struct States(Vec<Py<BoardState>>);

impl States {
    /// The states of any Python sequence.
    pub(crate) fn from_sequence(states: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut batch = Vec::with_capacity(states.len().unwrap_or_default());
        for state in states.try_iter()? {
            batch.push(state?.cast_into::<BoardState>()?.unbind());
        }
        Ok(Self(batch))
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// One state.
    pub(crate) fn get(&self, row: usize) -> &AnyBoard {
        &self.0[row].get().board
    }
}

fn number(count: Option<Count>) -> Option<usize> {
    count.map(|Count(count)| count)
}

/// Who sees each state: the players given, or the one to move.
pub(crate) fn viewers(
    states: &States,
    players: Option<&[i64]>,
) -> phasezoo_core::Result<Vec<Player>> {
    if let Some(players) = players
        && players.len() != states.len()
    {
        return Err(Error::InvalidArray(format!(
            "players has {} entries for {} states; give one a state, or None",
            players.len(),
            states.len()
        )));
    }
    (0..states.len())
        .map(|row| viewer(states.get(row), players.map(|players| players[row])))
        .collect()
}

/// float32[N, C, 8, 8]: the planes of each state, made on `threads` threads.
#[pyfunction]
#[pyo3(signature = (states, spec, out = None, players = None, threads = None))]
fn encode<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    spec: Text,
    out: Option<&Bound<'py, PyAny>>,
    players: Option<Vec<i64>>,
    threads: Option<Count>,
) -> PyResult<Bound<'py, PyArray4<f32>>> {
    let states = States::from_sequence(states)?;
    let planes = shared_planes(&states, &spec).map_err(to_py)?;
    let viewers = viewers(&states, players.as_deref()).map_err(to_py)?;
    let [channels, height, width] = planes.shape();
    let shape = [states.len(), channels, height, width];
    let array = match out {
        None => PyArray4::zeros(py, shape, false),
        Some(out) => output(out, shape)?,
    };
    let mut writable = writable(&array)?;
    let buffer = writable.as_slice_mut().map_err(|error| unusable(&error))?;
    py.detach(|| fill(&states, planes, &viewers, buffer, number(threads))).map_err(to_py)?;
    drop(writable);
    Ok(array)
}

/// The planes of that name in the game that all states are of.
fn shared_planes(states: &States, spec: &str) -> phasezoo_core::Result<BoardPlanes> {
    let Some(first) = states.0.first().map(|state| &state.get().board) else {
        return Err(Error::InvalidArray("no states were given: at least one is needed".into()));
    };
    match (0..states.len()).find(|&row| states.get(row).game() != first.game()) {
        None => first.planes(spec),
        Some(row) => Err(Error::InvalidArray(format!(
            "state {row} is of {:?} and state 0 of {:?}; give states of one game",
            states.get(row).game(),
            first.game()
        ))),
    }
}

/// The caller's buffer, if it has the right type, shape and layout.
fn output<'py>(out: &Bound<'py, PyAny>, shape: [usize; 4]) -> PyResult<Bound<'py, PyArray4<f32>>> {
    let needed = || format!("needed is a writable, C-contiguous float32{shape:?}");
    let Ok(array) = out.cast::<PyArray4<f32>>() else {
        let given = describe(out);
        return Err(to_py(Error::InvalidArray(format!("out is {given}; {}", needed()))));
    };
    if array.shape() != shape || !array.is_c_contiguous() {
        let layout = if array.is_c_contiguous() { "C-contiguous" } else { "not C-contiguous" };
        return Err(to_py(Error::InvalidArray(format!(
            "out is {}, {layout}; {}",
            describe(out),
            needed()
        ))));
    }
    Ok(array.clone())
}

/// Type and shape of what should have been an array.
fn describe(object: &Bound<'_, PyAny>) -> String {
    let attribute = |name| object.getattr(name).map(|value| value.to_string());
    match (attribute("dtype"), attribute("shape")) {
        (Ok(dtype), Ok(shape)) => format!("{dtype}{shape}"),
        _ => format!("a {}", object.get_type()),
    }
}

fn writable<'py>(array: &Bound<'py, PyArray4<f32>>) -> PyResult<PyReadwriteArray4<'py, f32>> {
    array.try_readwrite().map_err(|error| unusable(&error))
}

/// A buffer that is read-only, in use elsewhere or misaligned.
fn unusable(error: &dyn std::fmt::Display) -> PyErr {
    to_py(Error::InvalidArray(format!("out cannot be written ({error}); give another array")))
}

fn fill(
    states: &States,
    planes: BoardPlanes,
    viewers: &[Player],
    buffer: &mut [f32],
    threads: Option<usize>,
) -> phasezoo_core::Result<()> {
    let size = planes.size();
    let mut rest = buffer;
    let tasks = threads::ranges(states.len(), threads::parts(threads, states.len(), GRAIN)?)
        .map(|rows| (threads::take_rows(&mut rest, rows.len() * size), rows))
        .collect();
    threads::run(threads, tasks, |(out, rows)| {
        for (out, row) in out.chunks_exact_mut(size).zip(rows) {
            dispatch!(states.get(row), state => state.encode(planes, viewers[row], out));
        }
    })
}

/// The legal actions of each state, ascending: (offsets int64[N + 1], actions int32[total]). State i
/// has `actions[offsets[i]:offsets[i + 1]]`; none when its game is over.
#[pyfunction]
#[pyo3(signature = (states, threads = None))]
#[allow(clippy::type_complexity)] // a pair of arrays
fn legal_actions<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    threads: Option<Count>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>)> {
    let states = States::from_sequence(states)?;
    let (offsets, actions) =
        py.detach(|| collect_actions(&states, number(threads))).map_err(to_py)?;
    Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, actions)))
}

fn collect_actions(
    states: &States,
    threads: Option<usize>,
) -> phasezoo_core::Result<(Vec<i64>, Vec<i32>)> {
    let parts = threads::parts(threads, states.len(), GRAIN)?;
    let mut lists: Vec<(Vec<u32>, Vec<i32>)> = vec![Default::default(); parts];
    let tasks = threads::ranges(states.len(), parts).zip(&mut lists).collect();
    threads::run(threads, tasks, |(rows, (counts, all)): (std::ops::Range<usize>, &mut _)| {
        let mut actions: Vec<Action> = Vec::with_capacity(64);
        for row in rows {
            let board = states.get(row);
            dispatch!(board, state => state.legal_actions(board.to_play(), &mut actions));
            counts.push(actions.len() as u32);
            all.extend(actions.iter().map(|&action| action as i32));
        }
    })?;
    let mut offsets = Vec::with_capacity(states.len() + 1);
    offsets.push(0);
    let mut total = 0;
    for count in lists.iter().flat_map(|(counts, _)| counts) {
        total += i64::from(*count);
        offsets.push(total);
    }
    Ok((offsets, lists.into_iter().flat_map(|(_, all)| all).collect()))
}

/// The number of move sequences of `depth` plies, from `fen` or the usual start. Ctrl-C stops it.
#[pyfunction]
#[pyo3(signature = (game, fen = None, depth = Count(5), threads = None),
    text_signature = "(game, fen=None, depth=5, threads=None)"
)]
fn perft(
    py: Python<'_>,
    game: Text,
    fen: Option<Text>,
    depth: Count,
    threads: Option<Count>,
) -> PyResult<u64> {
    let board = if let Some(fen) = fen {
        AnyBoard::from_fen(&game, &fen)
    } else {
        with_rules!(&*game, R => Ok(CoreState::<R>::initial().into()))
    };
    let board: AnyBoard = board.map_err(to_py)?;
    let depth = u32::try_from(depth.0).unwrap_or(u32::MAX);
    let mut interrupt = Ok(());
    let count = py.detach(|| {
        dispatch!(&board, state => perft_shared(state.position(), depth, number(threads), || {
            // A path to the method would fix one lifetime.
            #[allow(clippy::redundant_closure_for_method_calls)]
            let checked = Python::attach(|py| py.check_signals());
            interrupt = checked;
            interrupt.is_ok()
        }))
    });
    interrupt?;
    // Without an interrupt nobody gave the count up.
    count.map(Option::unwrap_or_default).map_err(to_py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(encode, m)?)?;
    m.add_function(wrap_pyfunction!(legal_actions, m)?)?;
    m.add_function(wrap_pyfunction!(perft, m)?)
}
