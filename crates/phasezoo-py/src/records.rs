//! `Records`: stored games of every kind, in columns that `NumPy` owns.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray1};
use phasezoo_core::gate::Gating;
use phasezoo_core::records::starts::From;
use phasezoo_core::records::{
    Episodes, Labels, Permutation, Policy, Rows, Samples, StartText, Starts, Stored, Table,
    Waypoints,
};
use phasezoo_core::{Error, Result, memory};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments::{Count, Seed};
use crate::catalogue;
use crate::errors::to_py;
use crate::gating::Gate;
use crate::native::{Native, Room, all_typed};
use crate::options::GameOptions;
use crate::planes::GivenPlanes;

/// Games in columns that somebody else owns: the actions of all games, and where each game's plies
/// begin.
#[derive(Clone, Copy)]
pub(crate) struct Columns<'a> {
    pub(crate) actions: &'a [u16],
    pub(crate) offsets: &'a [i64],
}

/// Stored games of any kind: it knows what they start from, and reads their columns.
pub(crate) trait DynGames: Send + Sync {
    /// Checks the columns' shape.
    fn check(&self, columns: Columns<'_>) -> Result<()>;
    /// Phase and key of every row, all actions checked.
    fn label(&self, columns: Columns<'_>, gate: &str, threads: Option<usize>) -> Result<Labels>;
    /// The states of one game before each of its plies.
    fn states(&self, py: Python<'_>, columns: Columns<'_>, game: usize)
    -> PyResult<Vec<Py<PyAny>>>;
    /// The state after the last ply of one game.
    fn last(&self, py: Python<'_>, columns: Columns<'_>, game: usize) -> PyResult<Py<PyAny>>;
    /// Fills training rows.
    fn sample(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        spec: &str,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()>;
    /// A number per game.
    fn hashes(&self, columns: Columns<'_>, seed: u64, threads: Option<usize>) -> Result<Vec<u64>>;
    /// Some of the games.
    fn gather(&self, columns: Columns<'_>, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)>;
    /// In how many ways states can be turned.
    fn num_symmetries(&self) -> usize;
    /// In how many ways each of some states can be.
    fn symmetries(&self, states: &[Bound<'_, PyAny>]) -> PyResult<Vec<u8>>;
}

/// Stored games of one kind.
struct Games<G> {
    name: &'static str,
    starts: Starts<G>,
    waypoints: Waypoints<G>,
}

/// The games of a room with those columns, which start from what texts say.
pub(crate) fn boxed<T: Room + ?Sized>(
    room: &T,
    columns: Columns<'_>,
    starts: &[(usize, String)],
    options: GameOptions<'_, '_>,
) -> PyResult<Box<dyn DynGames>> {
    let starts = read_starts(room, starts, options)?;
    let plies = columns.actions.len() / starts.width();
    let waypoints = Waypoints::new(columns.offsets.len().saturating_sub(1), plies);
    Ok(Box::new(Games { name: room.name(), starts, waypoints }))
}

/// Which episodes are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    agent: &'a str,
    seed: u64,
    rows: usize,
    threads: Option<usize>,
}

/// Episodes of a room's game.
pub(crate) fn episodes<T: Room + ?Sized>(
    room: &T,
    py: Python<'_>,
    wanted: Wanted<'_>,
    options: GameOptions<'_, '_>,
) -> PyResult<Episodes> {
    let start = room.starts(options)?;
    let Wanted { agent, seed, rows, threads } = wanted;
    py.detach(|| Episodes::play(|seed| start(Some(seed)), agent, seed, rows, threads))
        .map_err(to_py)
}

/// What texts say that games of a room start from.
pub(crate) fn read_starts<T: Room + ?Sized>(
    room: &T,
    starts: &[(usize, String)],
    options: GameOptions<'_, '_>,
) -> PyResult<Starts<T::State>> {
    let start = room.starts(options)?;
    let position = room.positions(options)?;
    let read = |text: &str| {
        let StartText { from, moves } = StartText::parse(text)?;
        let seed = match from {
            From::Position(text) => return position(text, &moves),
            From::Usual => None,
            From::Seed(seed) => Some(seed),
        };
        let state = start(seed)?;
        if moves.is_empty() {
            return Ok(state);
        }
        let text = state.text().ok_or_else(|| {
            Error::InvalidState(format!("moves of {:?} are not written as text", room.name()))
        })?;
        position(&text, &moves)
    };
    let pairs = starts.iter().map(|(game, text)| (*game, text.as_str()));
    Starts::read(start(None).map_err(to_py)?, pairs, read).map_err(to_py)
}

impl<G: Stored> Games<G> {
    fn table<'a>(&'a self, columns: Columns<'a>) -> Table<'a, G> {
        Table::new(columns.actions, columns.offsets, &self.starts, &self.waypoints)
    }
}

impl<G: Native> DynGames for Games<G> {
    fn check(&self, columns: Columns<'_>) -> Result<()> {
        self.table(columns).check()
    }

    fn label(&self, columns: Columns<'_>, gate: &str, threads: Option<usize>) -> Result<Labels> {
        self.table(columns).label(&Gating::parse(gate, false)?, threads)
    }

    fn states(
        &self,
        py: Python<'_>,
        columns: Columns<'_>,
        game: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let states: Vec<G> = self.table(columns).states(game).map_err(to_py)?;
        states.into_iter().map(|state| state.shown(py)).collect()
    }

    fn last(&self, py: Python<'_>, columns: Columns<'_>, game: usize) -> PyResult<Py<PyAny>> {
        self.table(columns).last(game).map_err(to_py)?.shown(py)
    }

    fn sample(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        spec: &str,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()> {
        let planes = G::named_planes(spec, Some(self.starts.usual()))?;
        self.table(columns).sample(rows, planes, out, threads)
    }

    fn hashes(&self, columns: Columns<'_>, seed: u64, threads: Option<usize>) -> Result<Vec<u64>> {
        self.table(columns).hashes(seed, threads)
    }

    fn gather(&self, columns: Columns<'_>, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)> {
        self.table(columns).gather(games)
    }

    fn num_symmetries(&self) -> usize {
        G::SYMMETRIES
    }

    fn symmetries(&self, states: &[Bound<'_, PyAny>]) -> PyResult<Vec<u8>> {
        let states: Vec<&G> = all_typed(states, self.name)?;
        let count = |state: &&G| if state.is_symmetric() { G::SYMMETRIES as u8 } else { 1 };
        Ok(states.iter().map(count).collect())
    }
}

/// Stored games: `actions` uint16[T * width], one game after the other, and `offsets` int64[N + 1] in
/// plies. A ply has one action, or where all players move at once one of each player, 0 for those who
/// are out. The arrays must not be changed while this object lives.
#[pyclass(frozen, module = "phasezoo._core")]
pub(crate) struct Records {
    actions: Py<PyArray1<u16>>,
    offsets: Py<PyArray1<i64>>,
    games: Box<dyn DynGames>,
}

#[pymethods]
impl Records {
    /// Checks the columns' shape and the starts, pairs of a game's number and a text; the actions are
    /// checked by `label`. `options` are the game's options as JSON.
    #[new]
    #[pyo3(signature = (game, actions, offsets, starts, options = None))]
    fn new(
        py: Python<'_>,
        game: &str,
        actions: Bound<'_, PyArray1<u16>>,
        offsets: Bound<'_, PyArray1<i64>>,
        starts: Vec<(usize, String)>,
        options: Option<&str>,
    ) -> PyResult<Self> {
        let native = catalogue::game(game).map_err(to_py)?;
        let options = options.map(|text| parsed(py, text)).transpose()?;
        let games = {
            let (actions, offsets) = (actions.try_readonly()?, offsets.try_readonly()?);
            let columns =
                Columns { actions: contiguous(&actions)?, offsets: contiguous(&offsets)? };
            let games =
                native.records(columns, &starts, GameOptions::new(game, options.as_ref()))?;
            games.check(columns).map_err(to_py)?;
            games
        };
        Ok(Self { actions: actions.unbind(), offsets: offsets.unbind(), games })
    }

    /// (game int32[P], ply int32[P], player int8[P], phase int8[P], key uint64[P]): a row for every ply
    /// and player who acts there and is not out, ordered by game, ply and player; all actions checked.
    #[pyo3(signature = (gate, threads = None))]
    #[allow(clippy::type_complexity)] // five arrays
    fn label<'py>(
        &self,
        py: Python<'py>,
        gate: &Gate,
        threads: Option<usize>,
    ) -> PyResult<(
        Bound<'py, PyArray1<i32>>,
        Bound<'py, PyArray1<i32>>,
        Bound<'py, PyArray1<i8>>,
        Bound<'py, PyArray1<i8>>,
        Bound<'py, PyArray1<u64>>,
    )> {
        let gate = gate.spec();
        let labels = self.read(py, |columns| self.games.label(columns, &gate, threads))?;
        Ok((
            PyArray1::from_vec(py, labels.game),
            PyArray1::from_vec(py, labels.ply),
            PyArray1::from_vec(py, labels.player),
            PyArray1::from_vec(py, labels.phase),
            PyArray1::from_vec(py, labels.key),
        ))
    }

    /// The states of one game before each of its plies, every action checked.
    fn states(&self, py: Python<'_>, game: usize) -> PyResult<Vec<Py<PyAny>>> {
        let (actions, offsets) = self.columns(py)?;
        let columns = Columns { actions: contiguous(&actions)?, offsets: contiguous(&offsets)? };
        self.games.states(py, columns, game)
    }

    /// The state after the last ply of one game, every action checked.
    fn last(&self, py: Python<'_>, game: usize) -> PyResult<Py<PyAny>> {
        let (actions, offsets) = self.columns(py)?;
        let columns = Columns { actions: contiguous(&actions)?, offsets: contiguous(&offsets)? };
        self.games.last(py, columns, game)
    }

    /// Fills `planes`, float32[B, C, H, W] or a `PackedPlanes`, `action` int64[B] and `plies_left` float32[B] for the states
    /// after `plies` plies of `games`, as `players` int8[B] see them (None: the players to move, where
    /// one moves at a time). `hidden` bool[B] leaves the planes of the last moves empty; `symmetries`
    /// uint8[B] turns planes and actions of the states that have symmetries. `policy`, a pair of offsets
    /// int64[B + 1] and actions int32[P], comes back as an array of the actions turned. The actions of
    /// the games must have been checked by `label`.
    #[pyo3(signature = (games, plies, players, spec, planes, action, plies_left, hidden = None,
                        symmetries = None, policy = None, threads = None))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity)] // buffers of the caller's
    fn sample<'py>(
        &self,
        py: Python<'py>,
        games: PyReadonlyArray1<'py, i32>,
        plies: PyReadonlyArray1<'py, i32>,
        players: Option<PyReadonlyArray1<'py, i8>>,
        spec: &str,
        planes: GivenPlanes<'py>,
        action: Bound<'py, PyArray1<i64>>,
        plies_left: Bound<'py, PyArray1<f32>>,
        hidden: Option<PyReadonlyArray1<'py, bool>>,
        symmetries: Option<PyReadonlyArray1<'py, u8>>,
        policy: Option<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i32>)>,
        threads: Option<usize>,
    ) -> PyResult<Option<Bound<'py, PyArray1<i32>>>> {
        let rows = Rows {
            games: contiguous(&games)?,
            plies: contiguous(&plies)?,
            players: players.as_ref().map(contiguous).transpose()?.unwrap_or_default(),
            hidden: hidden.as_ref().map(contiguous).transpose()?.unwrap_or_default(),
            symmetries: symmetries.as_ref().map(contiguous).transpose()?.unwrap_or_default(),
        };
        let mut planes = planes.writable()?;
        let mut action: PyReadwriteArray1<'_, i64> = action.try_readwrite()?;
        let mut plies_left: PyReadwriteArray1<'_, f32> = plies_left.try_readwrite()?;
        let (offsets, mut turned) = match &policy {
            Some((offsets, actions)) => {
                (Some(contiguous(offsets)?), Some(contiguous(actions)?.to_vec()))
            }
            None => (None, None),
        };
        let out = Samples {
            planes: planes.buffer()?,
            action: action.as_slice_mut()?,
            plies_left: plies_left.as_slice_mut()?,
            policy: offsets
                .zip(turned.as_mut())
                .map(|(offsets, actions)| Policy { offsets, actions }),
        };
        self.read(py, |columns| self.games.sample(columns, rows, spec, out, threads))?;
        Ok(turned.map(|actions| PyArray1::from_vec(py, actions)))
    }

    /// uint64[N]: a number per game that depends on `seed`, its start and its actions alone.
    #[pyo3(signature = (seed, threads = None))]
    fn hashes<'py>(
        &self,
        py: Python<'py>,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let hashes = self.read(py, |columns| self.games.hashes(columns, seed, threads))?;
        Ok(PyArray1::from_vec(py, hashes))
    }

    /// (actions, offsets) of some of the games, in the order given.
    #[allow(clippy::type_complexity)] // a pair of arrays
    fn gather<'py>(
        &self,
        py: Python<'py>,
        games: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<u16>>, Bound<'py, PyArray1<i64>>)> {
        let games = contiguous(&games)?;
        let (actions, offsets) = self.read(py, |columns| self.games.gather(columns, games))?;
        Ok((PyArray1::from_vec(py, actions), PyArray1::from_vec(py, offsets)))
    }

    /// In how many ways a state of the game can be turned into one of the same worth, 1 if in none.
    #[getter]
    fn num_symmetries(&self) -> usize {
        self.games.num_symmetries()
    }

    /// uint8[B]: in how many ways each of some states can be turned; 1 where a right to castle tells
    /// left from right, say.
    fn symmetries<'py>(
        &self,
        py: Python<'py>,
        states: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        Ok(PyArray1::from_vec(py, self.games.symmetries(&states)?))
    }
}

/// Both columns, borrowed.
type Borrowed<'py> = (PyReadonlyArray1<'py, u16>, PyReadonlyArray1<'py, i64>);

impl Records {
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Borrowed<'py>> {
        Ok((self.actions.bind(py).try_readonly()?, self.offsets.bind(py).try_readonly()?))
    }

    /// Works on the columns with the interpreter lock released.
    fn read<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Columns<'_>) -> Result<R> + Send,
    ) -> PyResult<R> {
        let (actions, offsets) = self.columns(py)?;
        let columns = Columns { actions: contiguous(&actions)?, offsets: contiguous(&offsets)? };
        py.detach(|| work(columns)).map_err(to_py)
    }
}

/// The options that a JSON object holds.
fn parsed<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyDict>> {
    let wrong = || {
        to_py(Error::InvalidConfig(format!("options={text:?}: expected a JSON object, or None")))
    };
    let value = py.import("json")?.call_method1("loads", (text,)).map_err(|_| wrong())?;
    let options = value.cast_into::<PyDict>().map_err(|_| wrong())?;
    // JSON has no tuples.
    for (name, value) in options.copy()?.iter() {
        if let Ok(list) = value.cast_into::<PyList>() {
            options.set_item(name, list.to_tuple())?;
        }
    }
    Ok(options)
}

/// Whole games with at least `rows` rows in all, whose players are all moved by `agent`, "random" or one
/// that the game brings along: (seeds uint64[N] that draw the starts, actions uint16[T * width], offsets
/// int64[N + 1] in plies, returns float32[N, players] as targets of training). Game `i` depends on `seed`
/// and `i` alone. `options` are the game's options as JSON.
#[pyfunction]
#[pyo3(
    signature = (game, rows, *, seed = Seed(0), agent = "random", options = None, threads = None),
    text_signature = "(game, rows, *, seed=0, agent='random', options=None, threads=None)"
)]
#[allow(clippy::type_complexity)] // four arrays
fn play_episodes<'py>(
    py: Python<'py>,
    game: &str,
    rows: Count,
    seed: Seed,
    agent: &str,
    options: Option<&str>,
    threads: Option<Count>,
) -> PyResult<(
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u16>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray2<f32>>,
)> {
    let native = catalogue::game(game).map_err(to_py)?;
    let options = options.map(|text| parsed(py, text)).transpose()?;
    let options = GameOptions::new(game, options.as_ref());
    let wanted =
        Wanted { agent, seed: seed.0, rows: rows.0, threads: threads.map(|count| count.0) };
    let played = native.episodes(py, wanted, options)?;
    let shape = [played.seeds.len(), played.players];
    Ok((
        PyArray1::from_vec(py, played.seeds),
        PyArray1::from_vec(py, played.actions),
        PyArray1::from_vec(py, played.offsets),
        PyArray1::from_vec(py, played.returns).reshape(shape)?,
    ))
}

/// The elements of an array, which must lie one after the other.
pub(crate) fn contiguous<'a, T: numpy::Element>(
    array: &'a PyReadonlyArray1<'_, T>,
) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| {
        to_py(Error::InvalidArray(
            "an array is not contiguous; copy it with numpy.ascontiguousarray".into(),
        ))
    })
}

/// int64[count]: what stands at the places `first`, `first + 1`, … of the permutation of
/// `range(len)` that belongs to `seed`.
#[pyfunction]
fn permuted(
    py: Python<'_>,
    len: u64,
    seed: u64,
    first: u64,
    count: u64,
) -> PyResult<Bound<'_, PyArray1<i64>>> {
    let end = first.checked_add(count).filter(|&end| end <= len);
    let places: Result<Vec<i64>> = match end {
        Some(end) => {
            memory::check("count", count as usize, 8).map_err(to_py)?;
            let permutation = Permutation::new(len, seed);
            Ok((first..end).map(|place| permutation.get(place) as i64).collect())
        }
        None => Err(Error::InvalidArray(format!(
            "places {first} to {first} + {count} of a permutation of {len} numbers"
        ))),
    };
    Ok(PyArray1::from_vec(py, places.map_err(to_py)?))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Records>()?;
    m.add_function(wrap_pyfunction!(play_episodes, m)?)?;
    m.add_function(wrap_pyfunction!(permuted, m)?)
}
