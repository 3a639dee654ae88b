//! `GameVector`: many games stepped together.

use numpy::{
    IntoPyArray, PyArray1, PyArray4, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use phasezoo_core::game::Game;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::games::pommerman::{Planner, State as CorePommerman};
use phasezoo_core::games::{Atomic, BoardState as CoreState, Chess, Chess960, Crazyhouse, Krk};
use phasezoo_core::gating::Gate;
use phasezoo_core::vector::{Autoreset, Illegal, Opponent, Options, Seat, Vector};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::boards::{AnyBoard, Native, Starts, dispatch_over, from_games, typed, with_rules};
use crate::errors::to_py;
use crate::pommerman::{Arena, PommermanState};
use crate::state::BoardState;
use crate::vector_buffers::{BufferPool, Shape};

/// A vector of any game of the core.
enum AnyVector {
    Chess(Games<Chess>),
    Chess960(Games<Chess960>),
    Atomic(Games<Atomic>),
    Crazyhouse(Games<Crazyhouse>),
    Krk(Games<Krk>),
    Pommerman(Vector<CorePommerman>),
}

/// The vector of one board game.
type Games<R> = Vector<CoreState<R>>;

from_games!(AnyVector, Games);

/// Evaluates an expression on the vector inside an [`AnyVector`], whatever its game.
macro_rules! each_vector {
    ($any:expr, $vector:ident => $body:expr) => {
        dispatch_over!(AnyVector, $any, $vector => $body, AnyVector::Pommerman($vector) => $body)
    };
}

/// What games start from, by what the options of an environment say.
enum Begin {
    Board(Starts),
    Pommerman(Arena),
}

/// A state as Python sees it.
trait Shown {
    fn shown(&self, py: Python<'_>) -> PyResult<Py<PyAny>>;
}

impl<R: Native> Shown for CoreState<R>
where
    AnyBoard: From<Self>,
{
    fn shown(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, BoardState::from(AnyBoard::from(self.clone())))?.into_any())
    }
}

impl Shown for CorePommerman {
    fn shown(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(Py::new(py, PommermanState::from(self.clone()))?.into_any())
    }
}

/// A position to begin at.
enum Position {
    Board(AnyBoard),
    Pommerman(CorePommerman),
}

impl Position {
    fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(state) = given.cast::<PommermanState>() {
            return Ok(Self::Pommerman(state.get().state.clone()));
        }
        Ok(Self::Board(given.cast::<BoardState>()?.get().board.clone()))
    }
}

impl AnyVector {
    /// `rows` games and the shape of their planes. `planes` names them, the other options are for any
    /// game.
    fn new(
        game: &str,
        begin: Begin,
        rows: usize,
        planes: Option<&str>,
        options: Options<()>,
    ) -> Result<(Self, Option<[usize; 3]>)> {
        match begin {
            Begin::Pommerman(arena) => {
                let planes = planes.map(|spec| arena.planes(spec)).transpose()?;
                let vector = Vector::new(rows, options.with_planes(planes), move |seed| {
                    Ok(arena.state(seed))
                })?;
                Ok((Self::Pommerman(vector), planes.map(CorePommerman::plane_shape)))
            }
            Begin::Board(starts) => with_rules!(game, R => {
                let planes = planes.map(BoardPlanes::parse::<R>).transpose()?;
                let start = move |seed| starts.state::<R>(Some(seed));
                let vector = Vector::new(rows, options.with_planes(planes), start)?;
                Ok((Self::from(vector), planes.map(BoardPlanes::shape)))
            }),
        }
    }

    fn reset(
        &mut self,
        mask: Option<&[bool]>,
        seeds: &[u64],
        reseeded: &[bool],
        position: Option<&Position>,
    ) -> Result<()> {
        let board = match position {
            Some(Position::Board(board)) => Some(board),
            _ => None,
        };
        dispatch_over!(AnyVector, self,
            vector => vector.reset(mask, seeds, reseeded, board.map(typed).transpose()?),
            AnyVector::Pommerman(vector) => {
                let state = match position {
                    Some(Position::Pommerman(state)) => Some(state),
                    _ => None,
                };
                vector.reset(mask, seeds, reseeded, state)
            }
        )
    }
}

/// Finds a name in a table, or says which there are.
pub(crate) fn named<T: Copy>(option: &str, name: &str, table: &[(&str, T)]) -> PyResult<T> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<_> = table.iter().map(|(known, _)| format!("{known:?}")).collect();
        to_py(Error::InvalidConfig(format!("{option}={name:?}: expected {}", known.join(", "))))
    })
}

/// Players that Pommerman brings along.
const SIMPLE: &str = Planner::Simple.as_str();
const UNBIASED: &str = Planner::SimpleUnbiased.as_str();

/// A player's index, "alternate" or "random".
#[derive(FromPyObject)]
enum SeatName {
    #[pyo3(transparent)]
    Player(u8),
    #[pyo3(transparent)]
    Name(String),
}

/// N games of one kind, stepped together into recycled arrays.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct GameVector {
    vector: AnyVector,
    pool: BufferPool,
    planes: Option<[usize; 3]>,
}

#[pymethods]
impl GameVector {
    #[new]
    #[pyo3(signature = (
        game, num_envs, *, planes, gate, seat, opponent, illegal, max_plies, autoreset, threads, copy,
        start = None, dtm = None, both_move = false, fog = None, collapse = false
    ))]
    // Keywords, each an option of the environment.
    #[allow(clippy::too_many_arguments, clippy::similar_names)]
    fn new(
        game: &str,
        num_envs: usize,
        planes: Option<&str>,
        gate: Option<&str>,
        seat: SeatName,
        opponent: &str,
        illegal: &str,
        max_plies: Option<u32>,
        autoreset: &str,
        threads: Option<usize>,
        copy: bool,
        start: Option<&str>,
        dtm: Option<(i64, i64)>,
        both_move: bool,
        fog: Option<bool>,
        collapse: bool,
    ) -> PyResult<Self> {
        let begin = match Arena::of(game, fog, collapse) {
            Some(arena) => Begin::Pommerman(arena),
            None => Begin::Board(Starts::parse(game, start, dtm, both_move).map_err(to_py)?),
        };
        let seat = match seat {
            SeatName::Player(player) => Seat::Fixed(player),
            SeatName::Name(name) => {
                named("seat", &name, &[("alternate", Seat::Alternate), ("random", Seat::Random)])?
            }
        };
        let opponents = [
            ("none", Opponent::None),
            ("random", Opponent::Random),
            ("best", Opponent::Best),
            ("outside", Opponent::Outside),
            (SIMPLE, Opponent::Expert(SIMPLE)),
            (UNBIASED, Opponent::Expert(UNBIASED)),
        ];
        let illegals = [
            ("terminate", Illegal::Terminate),
            ("raise", Illegal::Raise),
            ("random_legal", Illegal::RandomLegal),
        ];
        let autoresets = [
            ("NextStep", Autoreset::NextStep),
            ("SameStep", Autoreset::SameStep),
            ("Disabled", Autoreset::Disabled),
        ];
        let options = Options {
            planes: None,
            gate: gate.map(|spec| Gate::parse(spec, false)).transpose().map_err(to_py)?,
            seat,
            opponent: named("opponent", opponent, &opponents)?,
            illegal: named("illegal", illegal, &illegals)?,
            max_plies,
            autoreset: named("autoreset_mode", autoreset, &autoresets)?,
            threads,
        };
        if let Some(gate) = &options.gate {
            gate.check_game(game).map_err(to_py)?;
        }
        let (vector, planes) =
            AnyVector::new(game, begin, num_envs, planes, options).map_err(to_py)?;
        let actions = each_vector!(&vector, vector => vector.state(0).num_actions());
        let shape = Shape { rows: num_envs, planes, actions };
        Ok(Self { vector, pool: BufferPool::new(shape, !copy), planes })
    }

    fn __len__(&self) -> usize {
        each_vector!(&self.vector, vector => vector.len())
    }

    /// Begins games anew, all or those of `mask`, each with its seed, at `position` or the start.
    #[pyo3(signature = (mask, seeds, reseeded, position = None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
        seeds: PyReadonlyArray1<'_, u64>,
        reseeded: PyReadonlyArray1<'_, bool>,
        position: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mask = mask.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
        let (seeds, reseeded) = (seeds.as_slice()?, reseeded.as_slice()?);
        let position = position.map(Position::of).transpose()?;
        let vector = &mut self.vector;
        py.detach(|| vector.reset(mask, seeds, reseeded, position.as_ref())).map_err(to_py)
    }

    /// Plays one action per game and returns what the learners see.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        seeds: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (actions, seeds) = (actions.as_slice()?, seeds.as_slice()?);
        let vector = &mut self.vector;
        self.pool
            .fill(py, |out| each_vector!(vector, vector => vector.step(actions, seeds, Some(out))))?
            .map_err(to_py)
    }

    /// Plays one action per game up to where opponents are awaited.
    fn begin_step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        seeds: PyReadonlyArray1<'_, u64>,
    ) -> PyResult<()> {
        let (actions, seeds) = (actions.as_slice()?, seeds.as_slice()?);
        let vector = &mut self.vector;
        py.detach(|| each_vector!(vector, vector => vector.step(actions, seeds, None)))
            .map_err(to_py)
    }

    /// The games, and the players in them, whose actions are awaited.
    fn waiting(&self) -> (Vec<usize>, Vec<usize>) {
        each_vector!(&self.vector, vector => {
            vector.waiting().map(|(row, player)| (row, usize::from(player))).unzip()
        })
    }

    /// Takes the awaited actions, in the order of `waiting()`.
    fn reply(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        let vector = &mut self.vector;
        py.detach(|| each_vector!(vector, vector => vector.reply(actions))).map_err(to_py)
    }

    /// What the learners see.
    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let vector = &mut self.vector;
        self.pool
            .fill(py, |out| each_vector!(vector, vector => vector.observe(out)))?
            .map_err(to_py)
    }

    /// The games whose prepared seed was used in the last step or reset.
    fn restarted(&self) -> Vec<usize> {
        each_vector!(&self.vector, vector => vector.restarted().collect())
    }

    /// The games that ended in the last step and have been followed by others already.
    fn ended(&self) -> Vec<usize> {
        each_vector!(&self.vector, vector => {
            (0..vector.len()).filter(|&row| vector.ended(row).is_some()).collect()
        })
    }

    /// The last observations of such games, one of each: planes, `to_play`, ply, phase, illegal,
    /// result, whether there is a result.
    #[allow(clippy::type_complexity)]
    fn finals<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<usize>,
    ) -> PyResult<(
        Bound<'py, PyArray4<f32>>,
        Vec<i64>,
        Vec<i64>,
        Vec<i64>,
        Vec<bool>,
        Vec<i8>,
        Vec<bool>,
    )> {
        let [c, h, w] = self.planes.unwrap_or([0, 0, 0]);
        let planes = PyArray4::zeros(py, [rows.len(), c, h, w], false);
        let mut writable = planes.try_readwrite()?;
        let mut blocks = writable.as_slice_mut()?.chunks_exact_mut((c * h * w).max(1));
        let mut rest = (vec![], vec![], vec![], vec![], vec![], vec![]);
        for row in rows {
            self.check_row(row)?;
            each_vector!(&self.vector, vector => {
                let block = blocks.next().unwrap_or_default();
                vector.encode_ended(row, block).map_err(to_py)?;
                if let Some(last) = vector.ended(row) {
                    rest.0.push(last.to_play);
                    rest.1.push(i64::from(last.state.ply()));
                    rest.2.push(i64::from(last.phase));
                    rest.3.push(last.illegal);
                    rest.4.push(last.result.unwrap_or(0));
                    rest.5.push(last.result.is_some());
                }
            });
        }
        drop(writable);
        Ok((planes, rest.0, rest.1, rest.2, rest.3, rest.4, rest.5))
    }

    /// The state of a game.
    fn state(&self, py: Python<'_>, row: usize) -> PyResult<Py<PyAny>> {
        self.check_row(row)?;
        each_vector!(&self.vector, vector => vector.state(row).shown(py))
    }

    /// The last state of a game that has been followed by another already.
    fn ended_state(&self, py: Python<'_>, row: usize) -> PyResult<Option<Py<PyAny>>> {
        self.check_row(row)?;
        each_vector!(&self.vector, vector => {
            vector.ended(row).map(|last| last.state.shown(py)).transpose()
        })
    }

    /// Who saw that last state; of other games, who sees the present one.
    fn ended_seat(&self, row: usize) -> PyResult<u8> {
        self.check_row(row)?;
        Ok(each_vector!(&self.vector, vector => {
            vector.ended(row).map_or(vector.seat(row), |last| last.seat)
        }))
    }

    /// Who sees the observation of each game.
    fn seats(&self) -> Vec<usize> {
        each_vector!(&self.vector, vector => {
            (0..vector.len()).map(|row| usize::from(vector.seat(row))).collect()
        })
    }

    /// The phase of each game, one ply after another where the gate never goes back.
    fn phases(&self) -> Vec<usize> {
        each_vector!(&self.vector, vector => {
            (0..vector.len()).map(|row| usize::from(vector.phase(row))).collect()
        })
    }

    /// The seed of a game.
    fn seed(&self, row: usize) -> PyResult<u64> {
        self.check_row(row)?;
        Ok(each_vector!(&self.vector, vector => vector.seed(row)))
    }

    /// The FEN of every game, in games that have one.
    fn fens(&self) -> PyResult<Vec<String>> {
        dispatch_over!(AnyVector, &self.vector,
            vector => Ok((0..vector.len()).map(|row| vector.state(row).fen()).collect()),
            AnyVector::Pommerman(_) => Err(to_py(Error::UnknownGame(
                "Pommerman has no FEN: states[i].to_json() writes a state".into(),
            )))
        )
    }

    /// int64[N + 1] and int32[total]: the learners' legal actions, game `i`'s from `offsets[i]` to
    /// `offsets[i + 1]`.
    #[allow(clippy::type_complexity)]
    fn legal_actions<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i32>>) {
        let mut offsets = vec![0];
        let mut actions = Vec::new();
        each_vector!(&self.vector, vector => {
            for row in 0..vector.len() {
                actions.extend(vector.legal(row).iter().map(|&action| action as i32));
                offsets.push(actions.len() as i64);
            }
        });
        (offsets.into_pyarray(py), actions.into_pyarray(py))
    }

    /// int64[N]: a uniformly random legal action per game, from one random word each.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        words: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = vec![0; words.len()];
        let words = words.as_slice()?;
        each_vector!(&self.vector, vector => vector.sample(words, &mut actions)).map_err(to_py)?;
        Ok(actions.into_pyarray(py))
    }
}

impl GameVector {
    fn check_row(&self, row: usize) -> PyResult<()> {
        let rows = self.__len__();
        if row < rows {
            return Ok(());
        }
        let message = format!("game {row}: there are the games 0 to {}", rows - 1);
        Err(pyo3::exceptions::PyIndexError::new_err(message))
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<GameVector>()
}
