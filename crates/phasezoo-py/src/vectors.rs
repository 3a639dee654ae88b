//! Games stepped together behind one type, whatever the game.

use phasezoo_core::Result;
use std::borrow::Cow;

use phasezoo_core::game::{Action, Player, Reason};
use phasezoo_core::gate::Gating;
use phasezoo_core::plane_buffers::{PlaneBuffer, PlaneSize};
use phasezoo_core::vector::{Options, Outputs, Saved, Vector, Won};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::native::{Native, Start, typed};

/// A vector of any game. One call of it does the work of all games.
pub(crate) trait DynVector: Send + Sync {
    /// How many games there are.
    fn len(&self) -> usize;
    /// The size of the action space.
    fn num_actions(&self) -> usize;
    /// How many players a game has.
    fn num_players(&self) -> usize;
    /// `[C, H, W]` of what is observed; `None` for no observations.
    fn plane_shape(&self) -> Option<[usize; 3]>;
    /// The room that one observation takes.
    fn plane_size(&self) -> PlaneSize;
    /// Begins games anew, at a state of Python's or the game's start.
    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<&[bool]>,
        seeds: &[u64],
        reseeded: &[bool],
        position: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()>;
    /// Plays one action per game.
    fn step(&mut self, actions: &[i64], seeds: &[u64], out: Option<Outputs<'_>>) -> Result<()>;
    /// Takes the awaited actions of opponents.
    fn reply(&mut self, actions: &[i64]) -> Result<()>;
    /// Writes what the learners see.
    fn observe(&mut self, out: Outputs<'_>) -> Result<()>;
    /// The games, and the players in them, whose actions are awaited.
    fn waiting(&self) -> Vec<(usize, Player)>;
    /// The games whose prepared seed was used.
    fn restarted(&self) -> Vec<usize>;
    /// What a game showed last that has been followed by another already.
    fn last(&self, row: usize) -> Option<Last>;
    /// Writes the last observation of such a game.
    fn encode_last(&self, row: usize, planes: &mut PlaneBuffer<'_>) -> Result<()>;
    /// The last state of such a game.
    fn last_state(&self, py: Python<'_>, row: usize) -> PyResult<Option<Py<PyAny>>>;
    /// The state of a game.
    fn state(&self, py: Python<'_>, row: usize) -> PyResult<Py<PyAny>>;
    /// The position of a game as text, where games have such a notation.
    fn text(&self, row: usize) -> Option<String>;
    /// Who sees the observation of a game.
    fn seat(&self, row: usize) -> Player;
    /// The phase of a game.
    fn phase(&self, row: usize) -> u8;
    /// The seed of a game.
    fn seed(&self, row: usize) -> u64;
    /// The learner's legal actions in a game.
    fn legal(&self, row: usize) -> Cow<'_, [Action]>;
    /// Why a game has ended; of games followed by others already if `last`.
    fn reason(&self, row: usize, last: bool) -> Option<Reason>;
    /// The names of the numbers told of a state, and of a move.
    fn number_names(&self) -> (&'static [&'static str], &'static [&'static str]);
    /// The numbers told of a game's state, then those of the learner's last move; of games followed by
    /// others already if `last`. Nothing if `last` and there is no such game.
    fn numbers(&self, row: usize, last: bool) -> Option<Vec<f64>>;
    /// A uniformly random legal action per game.
    fn sample(&self, words: &[u64], actions: &mut [i64]) -> Result<()>;
    /// Whether the games can be stepped.
    fn is_ready(&self) -> bool;
    /// All games as they stand.
    fn save(&self, py: Python<'_>) -> PyResult<Vec<SavedGame>>;
    /// Goes on with games that were saved.
    fn restore(&mut self, py: Python<'_>, games: Vec<SavedGame>, is_ready: bool) -> PyResult<()>;
}

/// A game as it stands: its state, the last state of the game before where that ended in the last step,
/// and the rest.
pub(crate) type SavedGame = (Py<PyAny>, Option<Py<PyAny>>, Vec<u8>);

/// What a finished game showed last.
pub(crate) struct Last {
    pub(crate) seat: Player,
    pub(crate) to_play: i64,
    pub(crate) ply: u32,
    pub(crate) phase: u8,
    pub(crate) illegal: bool,
    pub(crate) won: Option<Won>,
    pub(crate) legal: Vec<Action>,
}

/// The vector of one game.
struct Games<G: Native> {
    game: &'static str,
    vector: Vector<G>,
}

/// `rows` games that begin where `start` says.
pub(crate) fn boxed<G: Native>(
    game: &'static str,
    rows: usize,
    options: Options<&str, &str>,
    start: Start<G>,
) -> Result<Box<dyn DynVector>> {
    let planes = match options.planes {
        Some(spec) => Some(G::named_planes(spec, Some(&start(Some(0))?))?),
        None => None,
    };
    let rule = options.gate.map(|spec| Gating::parse(spec, false)).transpose()?;
    let vector = Vector::new(rows, options.of(planes, rule), move |seed| start(Some(seed)))?;
    Ok(Box::new(Games { game, vector }))
}

impl<G: Native> DynVector for Games<G> {
    fn len(&self) -> usize {
        self.vector.len()
    }

    fn num_actions(&self) -> usize {
        self.vector.num_actions()
    }

    fn num_players(&self) -> usize {
        self.vector.num_players()
    }

    fn plane_shape(&self) -> Option<[usize; 3]> {
        self.vector.options().planes.map(G::plane_shape)
    }

    fn plane_size(&self) -> PlaneSize {
        self.vector.plane_size()
    }

    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<&[bool]>,
        seeds: &[u64],
        reseeded: &[bool],
        position: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let position = position.map(|state| typed::<G>(state, self.game)).transpose();
        let position = position.map_err(to_py)?;
        let vector = &mut self.vector;
        py.detach(|| vector.reset(mask, seeds, reseeded, position)).map_err(to_py)
    }

    fn step(&mut self, actions: &[i64], seeds: &[u64], out: Option<Outputs<'_>>) -> Result<()> {
        self.vector.step(actions, seeds, out)
    }

    fn reply(&mut self, actions: &[i64]) -> Result<()> {
        self.vector.reply(actions)
    }

    fn observe(&mut self, out: Outputs<'_>) -> Result<()> {
        self.vector.observe(out)
    }

    fn waiting(&self) -> Vec<(usize, Player)> {
        self.vector.waiting().collect()
    }

    fn restarted(&self) -> Vec<usize> {
        self.vector.restarted().to_vec()
    }

    fn last(&self, row: usize) -> Option<Last> {
        self.vector.ended(row).map(|last| Last {
            seat: last.seat,
            to_play: last.to_play,
            ply: last.state.ply(),
            phase: last.phase,
            illegal: last.illegal,
            won: last.won,
            legal: last.legal.clone(),
        })
    }

    fn encode_last(&self, row: usize, planes: &mut PlaneBuffer<'_>) -> Result<()> {
        self.vector.encode_ended(row, planes)
    }

    fn last_state(&self, py: Python<'_>, row: usize) -> PyResult<Option<Py<PyAny>>> {
        self.vector.ended(row).map(|last| last.state.clone().shown(py)).transpose()
    }

    fn state(&self, py: Python<'_>, row: usize) -> PyResult<Py<PyAny>> {
        self.vector.state(row).clone().shown(py)
    }

    fn text(&self, row: usize) -> Option<String> {
        self.vector.state(row).text()
    }

    fn seat(&self, row: usize) -> Player {
        self.vector.seat(row)
    }

    fn phase(&self, row: usize) -> u8 {
        self.vector.phase(row)
    }

    fn seed(&self, row: usize) -> u64 {
        self.vector.seed(row)
    }

    fn legal(&self, row: usize) -> Cow<'_, [Action]> {
        self.vector.legal(row)
    }

    fn reason(&self, row: usize, last: bool) -> Option<Reason> {
        if last { self.vector.ended_reason(row) } else { self.vector.reason(row) }
    }

    fn number_names(&self) -> (&'static [&'static str], &'static [&'static str]) {
        (G::STATE_NUMBERS, G::MOVE_NUMBERS)
    }

    fn numbers(&self, row: usize, last: bool) -> Option<Vec<f64>> {
        let ended = if last { Some(self.vector.ended(row)?) } else { None };
        let state = ended.map_or_else(|| self.vector.state(row), |ended| &ended.state);
        let of_move =
            ended.map_or_else(|| self.vector.move_numbers(row), |ended| &ended.move_numbers[..]);
        let mut numbers = vec![f64::NAN; G::STATE_NUMBERS.len()];
        state.state_numbers(&mut numbers);
        numbers.extend_from_slice(of_move);
        Some(numbers)
    }

    fn sample(&self, words: &[u64], actions: &mut [i64]) -> Result<()> {
        self.vector.sample(words, actions)
    }

    fn is_ready(&self) -> bool {
        self.vector.is_ready()
    }

    fn save(&self, py: Python<'_>) -> PyResult<Vec<SavedGame>> {
        let shown = |saved: Saved<G>| {
            let last = saved.last.map(|state| state.shown(py)).transpose()?;
            Ok((saved.state.shown(py)?, last, saved.rest))
        };
        self.vector.save().into_iter().map(shown).collect()
    }

    fn restore(&mut self, py: Python<'_>, games: Vec<SavedGame>, is_ready: bool) -> PyResult<()> {
        let state = |object: &Py<PyAny>| typed::<G>(object.bind(py), self.game).cloned();
        let read = |(now, last, rest): SavedGame| {
            let last = last.as_ref().map(state).transpose()?;
            Ok(Saved { state: state(&now)?, last, rest })
        };
        let games: Result<Vec<_>> = games.into_iter().map(read).collect();
        games.and_then(|games| self.vector.restore(games, is_ready)).map_err(to_py)
    }
}
