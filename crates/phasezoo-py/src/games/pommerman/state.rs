//! `PommermanState`: Pommerman as immutable Python values.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use phasezoo_core::Error;
use phasezoo_core::game::{Action, Game, Player};
use phasezoo_core::games::pommerman::twister::Twister;
use phasezoo_core::games::pommerman::{Mode, State};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::config;
use crate::arguments::{Seed, Text};
use crate::errors::to_py;
use crate::native::{Native, viewer};
use crate::outcome::Outcome;
use crate::pictures::picture;
use crate::planes::WantedPlanes;
use crate::python_game::integers;
use crate::turn_state::TurnState;

/// `to_play` where several players move at once.
const SIMULTANEOUS: i64 = phasezoo_core::vector::SIMULTANEOUS;

/// A game of Pommerman at one point; an immutable value.
#[pyclass(frozen, eq, module = "phasezoo._core")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PommermanState {
    pub(crate) state: State,
}

impl From<State> for PommermanState {
    fn from(state: State) -> Self {
        Self { state }
    }
}

impl PommermanState {
    pub(crate) fn player(&self, player: i64) -> PyResult<Player> {
        viewer(&self.state, Some(player)).map_err(to_py)
    }

    fn place(&self, cell: u8) -> (u8, u8) {
        let size = self.state.config().size;
        (cell / size, cell % size)
    }

    /// One number per cell, as rows.
    fn grid<'py>(&self, py: Python<'py>, cells: &[u8]) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let size = usize::from(self.state.config().size);
        PyArray1::from_slice(py, cells).reshape([size, size])
    }
}

#[pymethods]
impl PommermanState {
    /// The name of the game.
    #[getter]
    pub(crate) fn game(&self) -> &'static str {
        self.state.game_name()
    }

    /// How many players take part.
    #[getter]
    fn num_players(&self) -> usize {
        self.state.num_players()
    }

    /// Cells of a side of the board.
    #[getter]
    fn size(&self) -> u8 {
        self.state.config().size
    }

    /// How many cells far players see; None: everything.
    #[getter]
    fn view(&self) -> Option<u8> {
        self.state.config().view
    }

    /// Whether the board shrinks from step 500 on.
    #[getter]
    fn collapse(&self) -> bool {
        self.state.config().collapse
    }

    /// SIMULTANEOUS: all of `acting` move at once.
    #[getter]
    #[allow(clippy::unused_self)] // a property of states
    fn to_play(&self) -> i64 {
        SIMULTANEOUS
    }

    /// The players who move now, ascending: the living, in team games also the dead, who can only
    /// stop. Nobody when the game is over.
    #[getter]
    fn acting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.state.acting().iter().collect::<Vec<_>>())
    }

    /// Whether the game is over.
    #[getter]
    fn is_terminal(&self) -> bool {
        self.state.is_over()
    }

    /// How the game ended; None while it goes on.
    #[getter]
    fn outcome(&self) -> Option<Outcome> {
        self.state.outcome().map(Outcome::from)
    }

    /// float32[P]: what the game paid, 0 before its end.
    #[getter]
    fn returns<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.state.returns().as_slice().to_vec().into_pyarray(py)
    }

    /// The return of a player for whom the game is over although it goes on; None of all others.
    fn settled(&self, player: i64) -> PyResult<Option<f32>> {
        Ok(self.state.settled(self.player(player)?))
    }

    /// Whether it does not matter what a player, who is asked for an action, answers.
    fn is_idle(&self, player: i64) -> PyResult<bool> {
        Ok(self.state.is_idle(self.player(player)?))
    }

    /// A full state that agrees with what `player` sees of this one: what they do not see is as at the
    /// start of a game, and under wood there is nothing.
    fn observed(&self, player: i64) -> PyResult<Self> {
        Ok(self.state.observed_by(self.player(player)?).into())
    }

    /// The state that the original's rewards and observations tell of: this one, or, where the board
    /// collapsed in the last step, the one before that.
    #[getter]
    fn before_collapse(&self) -> Self {
        self.state.before_collapse().clone().into()
    }

    /// int64[P]: the rewards that the original gives after this step.
    #[getter]
    fn rewards<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let rewards = self.state.rewards();
        let rewards: Vec<i64> = rewards.iter().map(|&reward| i64::from(reward)).collect();
        rewards[..self.num_players()].to_vec().into_pyarray(py)
    }

    /// int64[L]: the actions of an acting player, ascending; none of the others.
    fn legal_actions_of<'py>(
        &self,
        py: Python<'py>,
        player: i64,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let mut actions = Vec::new();
        self.state.legal_actions(self.player(player)?, &mut actions);
        Ok(actions.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py))
    }

    /// Steps since the start.
    #[getter]
    fn ply(&self) -> u32 {
        self.state.step_count()
    }

    /// A 64-bit key of board, figures, bombs and flames, the same on every machine.
    #[getter]
    fn key(&self) -> u64 {
        self.state.key()
    }

    /// uint8[n, n]: what the cells show.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        self.grid(py, self.state.board())
    }

    /// uint8[n, n]: the power-ups under wood and flames, 0 where there is none.
    #[getter]
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        self.grid(py, self.state.items())
    }

    /// (row, column, ammo, blast strength, kick, alive) of each player.
    #[getter]
    fn agents(&self) -> Vec<(u8, u8, u8, u8, bool, bool)> {
        let agent = |agent: &phasezoo_core::games::pommerman::Agent| {
            let (row, column) = self.place(agent.cell);
            (row, column, agent.ammo, agent.blast, agent.can_kick, agent.alive)
        };
        self.state.agents().iter().map(agent).collect()
    }

    /// (player, row, column, life, blast strength, direction) of each bomb, by age.
    #[getter]
    fn bombs(&self) -> Vec<(u8, u8, u8, i16, u8, u8)> {
        let bomb = |bomb: &phasezoo_core::games::pommerman::Bomb| {
            let (row, column) = self.place(bomb.cell);
            (bomb.owner, row, column, bomb.life, bomb.blast, bomb.direction)
        };
        self.state.bombs().iter().map(bomb).collect()
    }

    /// (row, column, life) of each flame, by age.
    #[getter]
    fn flames(&self) -> Vec<(u8, u8, u8)> {
        let flame = |flame: &phasezoo_core::games::pommerman::Flame| {
            let (row, column) = self.place(flame.cell);
            (row, column, flame.life)
        };
        self.state.flames().iter().map(flame).collect()
    }

    /// The two words that each player said in the last step.
    #[getter]
    fn words(&self) -> Vec<(u8, u8)> {
        self.state.words().iter().map(|&[first, second]| (first, second)).collect()
    }

    /// The state after one action of each acting player, or of all players; those of the dead are
    /// ignored. With a radio an action is `action + 6 * (first word + 8 * second word)`.
    fn play(&self, actions: &Bound<'_, PyAny>) -> PyResult<Self> {
        let given = integers(actions)?;
        let joint: Vec<Action> = given
            .into_iter()
            .map(|action| {
                u32::try_from(action).map_err(|_| {
                    to_py(Error::IllegalAction(format!(
                        "action {action}: expected a whole number from 0 to {}",
                        self.state.num_actions() - 1
                    )))
                })
            })
            .collect::<PyResult<_>>()?;
        let mut state = self.state.clone();
        state.apply(&joint).map_err(to_py)?;
        Ok(Self { state })
    }

    /// float32[23, n, n]: input planes as `player` sees the state; packed if asked so.
    #[pyo3(
        signature = (spec = Text::from("standard"), player = Some(0), packed = false),
        text_signature = "($self, spec='standard', player=0, packed=False)"
    )]
    fn planes<'py>(
        &self,
        py: Python<'py>,
        spec: Text,
        player: Option<i64>,
        packed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = WantedPlanes { spec: &spec, packed };
        TurnState::planes(&self.state, py, wanted, player.or(Some(0)))
    }

    /// The state in the original's recording format.
    fn to_json(&self) -> String {
        self.state.to_json()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let living =
            (0..self.num_players()).filter(|player| self.state.living() >> player & 1 == 1);
        let living: Vec<String> = living.map(|player| player.to_string()).collect();
        let (game, step) = (self.game(), self.state.step_count());
        format!("<PommermanState {game} step {step}, alive: {}>", living.join(" "))
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

    #[allow(clippy::type_complexity)] // a function and its arguments
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (String, &'static str, bool, bool, u8))> {
        let this = slf.get();
        let restore = slf.py().import("phasezoo._core")?.getattr("pommerman_from_json")?;
        let config = this.state.config();
        let (mode, fog) = (config.mode.as_str(), config.view.is_some());
        Ok((restore, (this.to_json(), mode, fog, config.collapse, config.max_blast)))
    }
}

/// The start of a game on the board that the original draws after `random.seed(seed)`. `mode` is "ffa",
/// "team", "radio" or "1v1"; boards have 8 or 11 cells a side, by default as many as the mode's own.
#[pyfunction]
#[pyo3(
    signature = (mode, seed = Seed(0), fog = None, collapse = false, size = None),
    text_signature = "(mode, seed=0, fog=None, collapse=False, size=None)"
)]
fn pommerman_initial(
    mode: Text,
    seed: Seed,
    fog: Option<bool>,
    collapse: bool,
    size: Option<u8>,
) -> PyResult<PommermanState> {
    let config = config(Mode::parse(&mode).map_err(to_py)?, fog, collapse, size);
    if config.players() > 2 && config.size != 11 || ![8, 11].contains(&config.size) {
        return Err(to_py(Error::InvalidConfig(format!(
            "size={}: boards of 11 cells a side are drawn, and of 8 for two players",
            config.size
        ))));
    }
    Ok(PommermanState { state: State::new(config, &mut Twister::new(seed.0)) })
}

/// The state of `to_json`, or of a recording of the original, on any square board of 4 to 11 cells a
/// side.
#[pyfunction]
#[pyo3(signature = (text, mode, fog = None, collapse = false, max_blast = None))]
fn pommerman_from_json(
    text: Text,
    mode: Text,
    fog: Option<bool>,
    collapse: bool,
    max_blast: Option<u8>,
) -> PyResult<PommermanState> {
    let mut config = config(Mode::parse(&mode).map_err(to_py)?, fog, collapse, None);
    config.max_blast = max_blast.unwrap_or(config.max_blast);
    Ok(PommermanState { state: State::from_json(config, &text).map_err(to_py)? })
}

/// The state after one action of each player by the rules of movement and fire alone: no counter, no
/// end, no collapse. For comparing single steps with recordings.
#[pyfunction]
fn pommerman_forward(state: &PommermanState, actions: Vec<u8>) -> PyResult<PommermanState> {
    let players = state.num_players();
    if actions.len() != players || actions.iter().any(|&action| action > 5) {
        return Err(to_py(Error::IllegalAction(format!(
            "actions {actions:?}: expected {players} whole numbers from 0 to 5"
        ))));
    }
    let mut joint = [0; 4];
    joint[..players].copy_from_slice(&actions);
    let mut state = state.state.clone();
    state.forward(joint);
    Ok(PommermanState { state })
}

/// The state after ring number `ring`, counted from the border, has become wall.
#[pyfunction]
fn pommerman_collapse(state: &PommermanState, ring: u32) -> PommermanState {
    let mut state = state.state.clone();
    state.collapse(ring);
    PommermanState { state }
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<PommermanState>()?;
    m.add_function(wrap_pyfunction!(pommerman_initial, m)?)?;
    m.add_function(wrap_pyfunction!(pommerman_forward, m)?)?;
    m.add_function(wrap_pyfunction!(pommerman_collapse, m)?)?;
    m.add_function(wrap_pyfunction!(pommerman_from_json, m)?)
}
