//! Work on many states at once: planes, legal actions; and perft.

use std::ops::Range;

use numpy::{PyArray1, PyArray4, PyArrayMethods, PyReadwriteArray4, PyUntypedArrayMethods};
use phasezoo_core::game::{Action, Player};
use phasezoo_core::plane_buffers::{PlaneBuffer, PlaneRows};
use phasezoo_core::{Error, Result, threads};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{Count, Text};
use crate::catalogue;
use crate::errors::to_py;
use crate::native::{Native, NativeGame, viewer};
use crate::planes::{fill_in_parallel, of_states};

/// States that one thread handles at least: less is done before another thread has woken up.
const GRAIN: usize = 32;

/// float32[N, C, H, W].
type Planes<'py> = Bound<'py, PyArray4<f32>>;

/// How many legal actions each state has, and all of them, one state after the other.
pub(crate) type Lists = (Vec<i64>, Vec<i32>);

/// Which planes of states are made, and where they go.
pub(crate) struct Job<'a, 'py> {
    spec: &'a str,
    packed: bool,
    out: Option<&'a Bound<'py, PyAny>>,
    /// Who sees each state; the player to move where nobody is named.
    players: Option<Vec<i64>>,
    threads: Option<usize>,
}

/// States of one game, and that game; `None` where there are no states.
type Gathered<'py> = (Vec<Bound<'py, PyAny>>, Option<&'static dyn NativeGame>);

/// The states of any Python sequence.
fn gathered<'py>(states: &Bound<'py, PyAny>) -> PyResult<Gathered<'py>> {
    let states = states.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    let game = match states.first() {
        Some(first) => Some(catalogue::game_of(first).ok_or_else(|| no_state(first))?),
        None => None,
    };
    Ok((states, game))
}

/// What was given is no state of a game of the core.
pub(crate) fn no_state(object: &Bound<'_, PyAny>) -> PyErr {
    let message = format!("a {} is no state of a game of the core", object.get_type());
    PyTypeError::new_err(message)
}

/// float32[N, C, H, W]: the planes of each state, made on `threads` threads; packed if asked so.
#[pyfunction]
#[pyo3(signature = (states, spec, out = None, players = None, threads = None, packed = false))]
fn encode<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    spec: Text,
    out: Option<&Bound<'py, PyAny>>,
    players: Option<Vec<i64>>,
    threads: Option<Count>,
    packed: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (states, game) = gathered(states)?;
    let Some(game) = game else {
        return Err(to_py(Error::InvalidArray(
            "no states were given: at least one is needed".into(),
        )));
    };
    let threads = threads.map(|Count(count)| count);
    game.encode(py, &states, Job { spec: &spec, packed, out, players, threads })
}

/// The planes of states of one game.
pub(crate) fn planes_of<'py, G: Native>(
    py: Python<'py>,
    states: &[&G],
    job: Job<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let planes = G::named_planes(job.spec, states.first().copied()).map_err(to_py)?;
    if let Some(row) = states.iter().position(|state| !state.fits(planes)) {
        return Err(to_py(Error::InvalidArray(format!(
            "state {row} is of a board of another size than state 0; give states of one size"
        ))));
    }
    let viewers = viewers(states, job.players.as_deref()).map_err(to_py)?;
    let count = states.len();
    let fill = |room: PlaneRows<'_>| {
        fill_in_parallel(count, room, job.threads, GRAIN, |rows, room| {
            for (mut room, row) in room.zip(rows) {
                room.encode(states[row], planes, viewers[row]);
            }
            Ok(())
        })
    };
    let Some(out) = job.out else {
        return of_states::<G>(py, "encode", planes, count, job.packed, fill);
    };
    if job.packed {
        return Err(to_py(Error::InvalidConfig(
            "out= takes planes as floats: leave it out with packed=True".into(),
        )));
    }
    let [channels, height, width] = G::plane_shape(planes);
    let array = output(out, [count, channels, height, width])?;
    let mut writable = writable(&array)?;
    let buffer = writable.as_slice_mut().map_err(|error| unusable(&error))?;
    py.detach(|| fill(PlaneBuffer::Floats(buffer).rows::<G>(planes, count)?)).map_err(to_py)?;
    drop(writable);
    Ok(array.into_any())
}

/// Who sees each state: the players given, or the one to move.
fn viewers<G: Native>(states: &[&G], players: Option<&[i64]>) -> Result<Vec<Player>> {
    if let Some(players) = players
        && players.len() != states.len()
    {
        return Err(Error::InvalidArray(format!(
            "players has {} entries for {} states; give one a state, or None",
            players.len(),
            states.len()
        )));
    }
    let viewer = |(row, &state)| viewer(state, players.map(|players| players[row]));
    states.iter().enumerate().map(viewer).collect()
}

/// The caller's buffer, if it has the right type, shape and layout.
fn output<'py>(out: &Bound<'py, PyAny>, shape: [usize; 4]) -> PyResult<Planes<'py>> {
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
    let (states, game) = gathered(states)?;
    let (offsets, actions) = match game {
        Some(game) => game.legal_actions(py, &states, threads.map(|Count(count)| count))?,
        None => (vec![0], Vec::new()),
    };
    Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, actions)))
}

/// Where the legal actions of each state begin, and all of them.
pub(crate) fn lists_of<G: Native>(states: &[&G], threads: Option<usize>) -> Result<Lists> {
    let parts = threads::parts(threads, states.len(), GRAIN)?;
    let mut lists: Vec<(Vec<u32>, Vec<i32>)> = vec![Default::default(); parts];
    let tasks = threads::ranges(states.len(), parts).zip(&mut lists).collect();
    threads::run(threads, tasks, |(rows, (counts, all)): (Range<usize>, &mut _)| {
        let mut actions: Vec<Action> = Vec::with_capacity(64);
        for state in &states[rows] {
            match state.mover() {
                Some(player) => state.legal_actions(player, &mut actions),
                None => actions.clear(),
            }
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
    let native = catalogue::game(&game).map_err(to_py)?;
    let depth = u32::try_from(depth.0).unwrap_or(u32::MAX);
    let threads = threads.map(|Count(count)| count);
    let mut interrupt = Ok(());
    let count = py.detach(|| {
        native.perft(fen.as_deref(), depth, threads, &mut || {
            // A path to the method would fix one lifetime.
            #[allow(clippy::redundant_closure_for_method_calls)]
            let checked = Python::attach(|py| py.check_signals());
            interrupt = checked;
            interrupt.is_ok()
        })
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
