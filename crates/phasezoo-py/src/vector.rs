//! `GameVector`: many games stepped together.

use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use phasezoo_core::Error;
use phasezoo_core::game::Reason;
use phasezoo_core::vector::{Autoreset, Illegal, Opponent, Options, Seat};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::catalogue;
use crate::errors::to_py;
use crate::options::GameOptions;
use crate::vector_buffers::{BufferPool, KEPT, RowPlanes, Shape};
use crate::vectors::{DynVector, SavedGame};

/// Finds a name in a table, or says which there are.
pub(crate) fn named<T: Copy>(option: &str, name: &str, table: &[(&str, T)]) -> PyResult<T> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<_> = table.iter().map(|(known, _)| format!("{known:?}")).collect();
        to_py(Error::InvalidConfig(format!("{option}={name:?}: expected {}", known.join(", "))))
    })
}

/// A player's index, "alternate" or "random".
#[derive(FromPyObject, IntoPyObjectRef)]
enum LearnerName {
    #[pyo3(transparent)]
    Player(u8),
    #[pyo3(transparent)]
    Name(String),
}

/// N games of one kind, stepped together into recycled arrays.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct GameVector {
    game: &'static str,
    vector: Box<dyn DynVector>,
    pool: BufferPool,
    /// What it was made with, by keyword.
    options: Py<PyDict>,
    planes: RowPlanes,
}

#[pymethods]
impl GameVector {
    #[new]
    #[pyo3(signature = (
        game, num_envs, *, planes, gate, learner, opponent, illegal, max_plies, autoreset, threads, copy,
        compact = false, move_numbers = false, packed = false, game_options = None, max_steps = None
    ))]
    // Keywords, each an option of the environment.
    #[allow(clippy::too_many_arguments, clippy::similar_names, clippy::fn_params_excessive_bools)]
    fn new(
        py: Python<'_>,
        game: &str,
        num_envs: usize,
        planes: Option<&str>,
        gate: Option<&str>,
        learner: LearnerName,
        opponent: &str,
        illegal: &str,
        max_plies: Option<u32>,
        autoreset: &str,
        threads: Option<usize>,
        copy: bool,
        compact: bool,
        move_numbers: bool,
        packed: bool,
        game_options: Option<&Bound<'_, PyDict>>,
        max_steps: Option<u32>,
    ) -> PyResult<Self> {
        let native = catalogue::game(game).map_err(to_py)?;
        let given = PyDict::new(py);
        given.set_item("planes", planes)?;
        given.set_item("gate", gate)?;
        given.set_item("learner", &learner)?;
        given.set_item("opponent", opponent)?;
        given.set_item("illegal", illegal)?;
        given.set_item("max_plies", max_plies)?;
        given.set_item("max_steps", max_steps)?;
        given.set_item("autoreset", autoreset)?;
        given.set_item("threads", threads)?;
        given.set_item("copy", copy)?;
        given.set_item("compact", compact)?;
        given.set_item("move_numbers", move_numbers)?;
        given.set_item("packed", packed)?;
        given.set_item("game_options", game_options)?;
        let seat = match learner {
            LearnerName::Player(player) => Seat::Fixed(player),
            LearnerName::Name(name) => named(
                "learner",
                &name,
                &[("alternate", Seat::Alternate), ("random", Seat::Random)],
            )?,
        };
        let mut opponents = vec![
            ("none", Opponent::None),
            ("random", Opponent::Random),
            ("best", Opponent::Best),
            ("outside", Opponent::Outside),
        ];
        opponents.extend(native.players().iter().map(|&name| (name, Opponent::Scripted(name))));
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
            planes,
            packed,
            gate,
            seat,
            opponent: named("opponent", opponent, &opponents)?,
            illegal: named("illegal", illegal, &illegals)?,
            max_plies,
            max_steps,
            array_sets: if copy { KEPT } else { 1 },
            autoreset: named("autoreset_mode", autoreset, &autoresets)?,
            threads,
            compact,
            move_numbers,
        };
        let options_of_game = GameOptions::new(game, game_options);
        let vector = native.vector(num_envs, options, options_of_game)?;
        let (planes, actions) = (RowPlanes::of(&*vector, packed), vector.num_actions());
        let shape = Shape { rows: num_envs, planes, actions, players: vector.num_players() };
        let pool = BufferPool::new(shape, !copy)?;
        Ok(Self { game: native.name(), vector, pool, options: given.unbind(), planes })
    }

    fn __len__(&self) -> usize {
        self.vector.len()
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
        self.vector.reset(py, mask, seeds, reseeded, position)
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
        self.pool.fill(py, |out| vector.step(actions, seeds, Some(out)))?.map_err(to_py)
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
        py.detach(|| vector.step(actions, seeds, None)).map_err(to_py)
    }

    /// The games, and the players in them, whose actions are awaited.
    fn waiting(&self) -> (Vec<usize>, Vec<usize>) {
        let waiting = self.vector.waiting().into_iter();
        waiting.map(|(row, player)| (row, usize::from(player))).unzip()
    }

    /// Takes the awaited actions, in the order of `waiting()`.
    fn reply(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        let vector = &mut self.vector;
        py.detach(|| vector.reply(actions)).map_err(to_py)
    }

    /// What the learners see.
    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let vector = &mut self.vector;
        self.pool.fill(py, |out| vector.observe(out))?.map_err(to_py)
    }

    /// The games whose prepared seed was used in the last step or reset.
    fn restarted(&self) -> Vec<usize> {
        self.vector.restarted()
    }

    /// The games that ended in the last step and have been followed by others already.
    fn ended(&self) -> Vec<usize> {
        (0..self.vector.len()).filter(|&row| self.vector.last(row).is_some()).collect()
    }

    /// The last observations of such games, one of each: planes (packed a pair), `to_play`, ply, phase, illegal,
    /// result, whether there is a result, winners.
    #[allow(clippy::type_complexity)]
    fn finals<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<usize>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Vec<i64>,
        Vec<i64>,
        Vec<i64>,
        Vec<bool>,
        Vec<i8>,
        Vec<bool>,
        Bound<'py, PyArray2<bool>>,
        Bound<'py, PyArray2<i8>>,
    )> {
        let observations = self.planes.arrays(py, rows.len());
        let given = observations.given(py);
        let mut writable = given.writable()?;
        let (mut room, size) = (writable.buffer()?, self.vector.plane_size());
        let players = self.vector.num_players();
        let winners = PyArray2::zeros(py, [rows.len(), players], false);
        let mut told = winners.try_readwrite()?;
        let actions = self.vector.num_actions();
        let masks = PyArray2::zeros(py, [rows.len(), actions], false);
        let mut allowed = masks.try_readwrite()?;
        let mut mask_rows = allowed.as_slice_mut()?.chunks_exact_mut(actions);
        let mut rest = (vec![], vec![], vec![], vec![], vec![], vec![]);
        for (row, told) in rows.into_iter().zip(told.as_slice_mut()?.chunks_exact_mut(players)) {
            self.check_row(row)?;
            self.vector.encode_last(row, &mut room.take(1, size)).map_err(to_py)?;
            if let Some(last) = self.vector.last(row) {
                rest.0.push(last.to_play);
                rest.1.push(i64::from(last.ply));
                rest.2.push(i64::from(last.phase));
                rest.3.push(last.illegal);
                rest.4.push(last.won.map_or(0, |won| won.result));
                rest.5.push(last.won.is_some());
                for (player, told) in (0..).zip(told) {
                    *told = last.won.is_some_and(|won| won.winners.contains(player));
                }
                let mask = mask_rows.next().unwrap_or_default();
                mask.fill(last.legal.is_empty().into());
                for &action in &last.legal {
                    mask[action as usize] = 1;
                }
            }
        }
        drop((told, allowed));
        let (to_play, ply, phase, illegal, result, has_result) = rest;
        let shown = observations.shown(py)?;
        Ok((shown, to_play, ply, phase, illegal, result, has_result, winners, masks))
    }

    /// The state of a game.
    fn state(&self, py: Python<'_>, row: usize) -> PyResult<Py<PyAny>> {
        self.check_row(row)?;
        self.vector.state(py, row)
    }

    /// The last state of a game that has been followed by another already.
    fn ended_state(&self, py: Python<'_>, row: usize) -> PyResult<Option<Py<PyAny>>> {
        self.check_row(row)?;
        self.vector.last_state(py, row)
    }

    /// Who saw that last state; of other games, who sees the present one.
    fn ended_learner(&self, row: usize) -> PyResult<u8> {
        self.check_row(row)?;
        Ok(self.vector.last(row).map_or_else(|| self.vector.seat(row), |last| last.seat))
    }

    /// Who sees the observation of each game.
    fn learners(&self) -> Vec<usize> {
        (0..self.vector.len()).map(|row| usize::from(self.vector.seat(row))).collect()
    }

    /// The phase of each game, one ply after another where the gate never goes back.
    fn phases(&self) -> Vec<usize> {
        (0..self.vector.len()).map(|row| usize::from(self.vector.phase(row))).collect()
    }

    /// The seed of a game.
    fn seed(&self, row: usize) -> PyResult<u64> {
        self.check_row(row)?;
        Ok(self.vector.seed(row))
    }

    /// The FEN of every game, in games that have one.
    fn fens(&self) -> PyResult<Vec<String>> {
        let texts = (0..self.vector.len()).map(|row| {
            self.vector.text(row).ok_or_else(|| {
                to_py(Error::UnknownGame(format!("{:?} has no FEN: look at states[i]", self.game)))
            })
        });
        texts.collect()
    }

    /// Why each game has ended, None while it goes on; with `last` why the games did that ended in the
    /// last step and have been followed by others already, None of others.
    #[pyo3(signature = (last = false))]
    fn reasons(&self, last: bool) -> Vec<Option<&'static str>> {
        let reason = |row| self.vector.reason(row, last).map(Reason::as_str);
        (0..self.vector.len()).map(reason).collect()
    }

    /// The names of the numbers that are told of a state, and of a move, in this game.
    fn number_names(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let (of_state, of_move) = self.vector.number_names();
        (of_state.to_vec(), of_move.to_vec())
    }

    /// float64[N, K]: these numbers of each game, those of the learner's last move after those of the
    /// state; with `last` of the games that ended in the last step and have been followed by others
    /// already. Nan if there is none.
    #[pyo3(signature = (last = false))]
    fn numbers<'py>(&self, py: Python<'py>, last: bool) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (of_state, of_move) = self.vector.number_names();
        let count = of_state.len() + of_move.len();
        let rows = (0..self.vector.len())
            .map(|row| self.vector.numbers(row, last).unwrap_or_else(|| vec![f64::NAN; count]));
        let rows: Vec<_> = rows.collect();
        Ok(PyArray2::from_vec2(py, &rows)?)
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
        for row in 0..self.vector.len() {
            actions.extend(self.vector.legal(row).iter().map(|&action| action as i32));
            offsets.push(actions.len() as i64);
        }
        (offsets.into_pyarray(py), actions.into_pyarray(py))
    }

    /// The vector of a set-up, its games going on where they were saved.
    #[staticmethod]
    fn _restored(
        py: Python<'_>,
        game: &str,
        num_envs: usize,
        options: &Bound<'_, PyDict>,
        games: Vec<SavedGame>,
        is_ready: bool,
    ) -> PyResult<Py<Self>> {
        let class = py.get_type::<Self>();
        let made = class.call((game, num_envs), Some(options))?.cast_into::<Self>()?;
        made.borrow_mut().vector.restore(py, games, is_ready)?;
        Ok(made.unbind())
    }

    /// Every game in mid-game: a copy goes on as this vector would.
    #[allow(clippy::type_complexity)] // a function and its arguments
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (&'static str, usize, Bound<'py, PyDict>, Vec<SavedGame>, bool),
    )> {
        let (py, vector) = (slf.py(), slf.borrow());
        let options = vector.options.bind(py).copy()?;
        let games = vector.vector.save(py)?;
        let restore = slf.get_type().getattr("_restored")?;
        let arguments =
            (vector.game, vector.vector.len(), options, games, vector.vector.is_ready());
        Ok((restore, arguments))
    }

    /// int64[N]: a uniformly random legal action per game, from one random word each.
    fn sample<'py>(
        &self,
        py: Python<'py>,
        words: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = vec![0; words.len()];
        let words = words.as_slice()?;
        self.vector.sample(words, &mut actions).map_err(to_py)?;
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
