//! What the bindings ask of a game of the core: typed for its room, object-safe for everybody else.

use phasezoo_core::game::{Game, Player, Turn};
use phasezoo_core::gate::{self, Gating, Spelling};
use phasezoo_core::model::Turns;
use phasezoo_core::perft::{self, Moves};
use phasezoo_core::records::{Episodes, Stored, Told};
use phasezoo_core::search::Params;
use phasezoo_core::search::beam;
use phasezoo_core::search::decoupled::{self, Together};
use phasezoo_core::{Error, Result, vector};
use pyo3::prelude::*;

use crate::catalogue;
use crate::decoupled::boxed;
use crate::encode::{self, Lists};
use crate::errors::{external, to_py};
use crate::gating;
use crate::options::GameOptions;
use crate::planes;
use crate::pools::{self, DynPool};
use crate::records::{self, Columns, DynGames, Wanted};
use crate::rollouts::{self, DynUct, UctSetup};
use crate::through::{self, Led};
use crate::vectors::{self, DynVector};

/// A state of a game that has a class of states in Python.
pub(crate) trait Native: Stored {
    /// The name of the game.
    fn game_name(&self) -> &'static str;

    /// The state inside an object of the class.
    fn inside<'a>(object: &'a Bound<'_, PyAny>) -> Option<&'a Self>;

    /// An object of the class.
    fn shown(self, py: Python<'_>) -> PyResult<Py<PyAny>>;

    /// The planes of that name, for states `like` one.
    fn named_planes(spec: &str, like: Option<&Self>) -> Result<Self::Planes>;

    /// Who is to move, if one player is; games say so when they are over too.
    fn mover(&self) -> Option<Player> {
        match self.turn() {
            Turn::Player(player) => Some(player),
            Turn::Simultaneous(_) | Turn::Over => None,
        }
    }

    /// The player for whom a draw is won in a search with rollouts from here, in games in which one
    /// side alone can win.
    fn favoured(&self) -> Result<Option<Player>> {
        Ok(None)
    }

    /// The position as text, in games that have such a notation.
    fn text(&self) -> Option<String> {
        None
    }
}

/// The state of the game called `name` inside an object.
pub(crate) fn typed<'a, G: Native>(object: &'a Bound<'_, PyAny>, name: &str) -> Result<&'a G> {
    if let Some(state) = G::inside(object).filter(|state| state.game_name() == name) {
        return Ok(state);
    }
    Err(Error::InvalidState(match catalogue::game_of(object) {
        Some(other) => {
            format!("a state of {:?} was given where one of {name:?} is needed", other.name())
        }
        None => format!(
            "a {} was given where a state of {name:?} is needed: make it with games.make({name:?})",
            object.get_type()
        ),
    }))
}

/// The player who sees a state: the one given, who must exist, or the one to move.
pub(crate) fn viewer<G: Native>(state: &G, player: Option<i64>) -> Result<Player> {
    let Some(player) = player else {
        return state.mover().ok_or_else(|| {
            Error::InvalidConfig(
                "all players move at once: say with player= who sees the state".into(),
            )
        });
    };
    let players = state.num_players();
    match usize::try_from(player) {
        Ok(index) if index < players => Ok(index as Player),
        _ => Err(Error::InvalidConfig(format!(
            "player {player}: {} has the players 0 to {}",
            state.game_name(),
            players - 1
        ))),
    }
}

/// How a pool of searches is set up.
pub(crate) struct PoolSetup<'a, 'py> {
    pub(crate) params: Params,
    /// The specification of a gate.
    pub(crate) gate: Option<String>,
    pub(crate) threads: Option<usize>,
    /// Who moves all but the searching player, in games whose players move at once.
    pub(crate) others: Option<&'a Bound<'py, PyAny>>,
}

/// Makes the initial state of the game with a seed; without one the usual start, where there is one.
pub(crate) type Start<G> = Box<dyn Fn(Option<u64>) -> Result<G> + Send + Sync>;

/// Makes the state after moves from a position, all written as text.
pub(crate) type Positions<'a, G> = Box<dyn Fn(&str, &[&str]) -> Result<G> + 'a>;

/// A room: what is particular to one game. The rest of [`NativeGame`] follows from it.
pub(crate) trait Room: Sync + 'static {
    /// A state.
    type State: Native;

    /// The name of the game.
    fn name(&self) -> &'static str;

    /// Adds the room's classes and functions to the module. Rooms of several games may add them again.
    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()>;

    /// What games start from, as the game's options say.
    fn starts(&self, options: GameOptions<'_, '_>) -> PyResult<Start<Self::State>>;

    /// The state after `moves` from a position, all written as text.
    fn parse(&self, _position: &str, _moves: &[&str]) -> Result<Self::State> {
        Err(Error::UnknownGame(format!(
            "{:?}: positions of this game are not written as text",
            self.name()
        )))
    }

    /// The state that was written as bytes.
    fn restore(&self, _bytes: &[u8]) -> Result<Self::State> {
        Err(Error::UnknownGame(format!(
            "{:?}: states of this game are not written as bytes",
            self.name()
        )))
    }

    /// Searches of the game; unless a room says otherwise, of a game in which players take turns.
    fn pool(&self, setup: PoolSetup<'_, '_>) -> PyResult<Box<dyn DynPool>> {
        pools::of_turns(self.name(), model_of(self)?, setup)
    }

    /// Beam searches of the game, in which players take turns.
    fn beam(&self, params: beam::Params, gate: Option<&str>) -> PyResult<Box<dyn DynPool>> {
        crate::beam::boxed(model_of(self)?, params, gate)
    }

    /// Decoupled searches of the game, whose players may move at once.
    fn decoupled(
        &self,
        params: decoupled::Params,
        gate: Option<&str>,
    ) -> PyResult<Box<dyn DynPool>> {
        let start = self.starts(GameOptions::new(self.name(), None))?(None).map_err(to_py)?;
        boxed(Together::of(&start), params, gate)
    }

    /// A search with rollouts, of the same games.
    fn uct(&self, setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        rollouts::of_turns(self.name(), model_of(self)?, setup)
    }

    /// The rollout policies of its own, beside those of every game.
    fn rollouts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether one side alone can win.
    fn is_one_sided(&self) -> bool {
        false
    }

    /// The names of the players that the game brings along.
    fn players(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads positions, with the moves after them, as texts of stored games have them.
    fn positions<'a>(
        &'a self,
        _options: GameOptions<'_, '_>,
    ) -> PyResult<Positions<'a, Self::State>> {
        Ok(Box::new(|position, moves| self.parse(position, moves)))
    }

    /// The number of move sequences of `depth` plies, from a position written as text or the start;
    /// `None` where `keep_on` said no.
    fn perft(
        &self,
        position: Option<&str>,
        depth: u32,
        threads: Option<usize>,
        keep_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Option<u64>> {
        let start = if let Some(position) = position {
            self.parse(position, &[])?
        } else {
            let options = GameOptions::new(self.name(), None);
            self.starts(options).map_err(external)?(None)?
        };
        if let Turn::Simultaneous(_) = start.turn() {
            let message = format!("{:?}: moves of this game are not counted", self.name());
            return Err(Error::UnknownGame(message));
        }
        perft::count(&Moves(start), depth, threads, keep_on)
    }
}

/// The search model of a game in which players take turns.
fn model_of<T: Room + ?Sized>(room: &T) -> PyResult<Turns<T::State>> {
    let start = room.starts(GameOptions::new(room.name(), None))?;
    Ok(Turns::of(&start(None).map_err(to_py)?))
}

/// A game of the core behind one type.
pub(crate) trait NativeGame: Sync {
    /// The name of the game.
    fn name(&self) -> &'static str;
    /// Adds the room's classes and functions to the module.
    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()>;
    /// The start of a game, drawn by a seed in games that draw it.
    fn initial(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        options: GameOptions<'_, '_>,
    ) -> PyResult<Py<PyAny>>;
    /// The state after `moves` from a position, all written as text.
    fn parsed(&self, py: Python<'_>, position: &str, moves: &[&str]) -> PyResult<Py<PyAny>>;
    /// The state that was written as bytes.
    fn restored(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>>;
    /// Whether an object is a state of the game.
    fn holds(&self, object: &Bound<'_, PyAny>) -> bool;
    /// The gate of a specification.
    fn gate(&self, spec: &str, monotone: bool) -> gating::Read;
    /// Whether the game has the kind of gate that a specification names.
    fn knows_gate(&self, spec: &str) -> bool;
    /// How specifications of its gates are written.
    fn gate_spellings(&self) -> Vec<Spelling>;
    /// Searches of the game.
    fn pool(&self, setup: PoolSetup<'_, '_>) -> PyResult<Box<dyn DynPool>>;
    /// Beam searches of the game.
    fn beam(&self, params: beam::Params, gate: Option<&str>) -> PyResult<Box<dyn DynPool>>;
    /// Decoupled searches of the game.
    fn decoupled(
        &self,
        params: decoupled::Params,
        gate: Option<&str>,
    ) -> PyResult<Box<dyn DynPool>>;
    /// A search with rollouts.
    fn uct(&self, setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>>;
    /// The rollout policies of its own, beside those of every game.
    fn rollouts(&self) -> &'static [&'static str];
    /// Whether one side alone can win.
    fn is_one_sided(&self) -> bool;
    /// The names of the players that the game brings along.
    fn players(&self) -> &'static [&'static str];
    /// Games stepped together; options name planes and gate.
    fn vector(
        &self,
        rows: usize,
        options: vector::Options<&str, &str>,
        game: GameOptions<'_, '_>,
    ) -> PyResult<Box<dyn DynVector>>;
    /// A letter for what each plane of a choice holds.
    fn plane_kinds(&self, spec: &str) -> Result<String>;
    /// The planes of states, made as `job` says.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        states: &[Bound<'py, PyAny>],
        job: encode::Job<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>>;
    /// The legal actions of the players to move in states.
    fn legal_actions(
        &self,
        py: Python<'_>,
        states: &[Bound<'_, PyAny>],
        threads: Option<usize>,
    ) -> PyResult<Lists>;
    /// Stored games with those columns, which start from what texts say.
    fn records(
        &self,
        columns: Columns<'_>,
        starts: &[(usize, String)],
        options: GameOptions<'_, '_>,
    ) -> PyResult<Box<dyn DynGames>>;
    /// One game played through from a state.
    fn through(&self, start: &Bound<'_, PyAny>, told: Told<'_>, beyond: bool) -> PyResult<Led>;
    /// Games that one of the game's players plays against itself.
    fn episodes(
        &self,
        py: Python<'_>,
        wanted: Wanted<'_>,
        options: GameOptions<'_, '_>,
    ) -> PyResult<Episodes>;
    /// The number of move sequences of `depth` plies.
    fn perft(
        &self,
        position: Option<&str>,
        depth: u32,
        threads: Option<usize>,
        keep_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Option<u64>>;
}

impl<T: Room> NativeGame for T {
    fn name(&self) -> &'static str {
        Room::name(self)
    }

    fn register(&self, m: &Bound<'_, PyModule>) -> PyResult<()> {
        Room::register(self, m)
    }

    fn initial(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        options: GameOptions<'_, '_>,
    ) -> PyResult<Py<PyAny>> {
        self.starts(options)?(seed).map_err(to_py)?.shown(py)
    }

    fn parsed(&self, py: Python<'_>, position: &str, moves: &[&str]) -> PyResult<Py<PyAny>> {
        self.parse(position, moves).map_err(to_py)?.shown(py)
    }

    fn restored(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<Py<PyAny>> {
        self.restore(bytes).map_err(to_py)?.shown(py)
    }

    fn holds(&self, object: &Bound<'_, PyAny>) -> bool {
        T::State::inside(object).is_some_and(|state| state.game_name() == Room::name(self))
    }

    fn gate(&self, spec: &str, monotone: bool) -> gating::Read {
        gating::read::<T::State>(Room::name(self), spec, monotone)
    }

    fn knows_gate(&self, spec: &str) -> bool {
        Gating::<T::State>::knows(spec)
    }

    fn gate_spellings(&self) -> Vec<Spelling> {
        gate::spellings::<T::State>()
    }

    fn pool(&self, setup: PoolSetup<'_, '_>) -> PyResult<Box<dyn DynPool>> {
        Room::pool(self, setup)
    }

    fn beam(&self, params: beam::Params, gate: Option<&str>) -> PyResult<Box<dyn DynPool>> {
        Room::beam(self, params, gate)
    }

    fn decoupled(
        &self,
        params: decoupled::Params,
        gate: Option<&str>,
    ) -> PyResult<Box<dyn DynPool>> {
        Room::decoupled(self, params, gate)
    }

    fn uct(&self, setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        Room::uct(self, setup)
    }

    fn rollouts(&self) -> &'static [&'static str] {
        Room::rollouts(self)
    }

    fn is_one_sided(&self) -> bool {
        Room::is_one_sided(self)
    }

    fn players(&self) -> &'static [&'static str] {
        Room::players(self)
    }

    fn vector(
        &self,
        rows: usize,
        options: vector::Options<&str, &str>,
        game: GameOptions<'_, '_>,
    ) -> PyResult<Box<dyn DynVector>> {
        let start = self.starts(game)?;
        vectors::boxed(Room::name(self), rows, options, start).map_err(to_py)
    }

    fn plane_kinds(&self, spec: &str) -> Result<String> {
        let planes = T::State::named_planes(spec, None)?;
        Ok(planes::kinds(&T::State::packed_layout(planes)))
    }

    fn encode<'py>(
        &self,
        py: Python<'py>,
        states: &[Bound<'py, PyAny>],
        job: encode::Job<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        encode::planes_of::<T::State>(py, &all_typed(states, Room::name(self))?, job)
    }

    fn legal_actions(
        &self,
        py: Python<'_>,
        states: &[Bound<'_, PyAny>],
        threads: Option<usize>,
    ) -> PyResult<Lists> {
        let states: Vec<&T::State> = all_typed(states, Room::name(self))?;
        py.detach(|| encode::lists_of(&states, threads)).map_err(to_py)
    }

    fn records(
        &self,
        columns: Columns<'_>,
        starts: &[(usize, String)],
        options: GameOptions<'_, '_>,
    ) -> PyResult<Box<dyn DynGames>> {
        records::boxed(self, columns, starts, options)
    }

    fn through(&self, start: &Bound<'_, PyAny>, told: Told<'_>, beyond: bool) -> PyResult<Led> {
        through::led::<T::State>(start, Room::name(self), told, beyond)
    }

    fn episodes(
        &self,
        py: Python<'_>,
        wanted: Wanted<'_>,
        options: GameOptions<'_, '_>,
    ) -> PyResult<Episodes> {
        records::episodes(self, py, wanted, options)
    }

    fn perft(
        &self,
        position: Option<&str>,
        depth: u32,
        threads: Option<usize>,
        keep_on: &mut (dyn FnMut() -> bool + Send),
    ) -> Result<Option<u64>> {
        Room::perft(self, position, depth, threads, keep_on)
    }
}

/// The states inside objects that must all be of one game.
pub(crate) fn all_typed<'a, G: Native>(
    states: &'a [Bound<'_, PyAny>],
    name: &str,
) -> PyResult<Vec<&'a G>> {
    let typed = |(row, object): (usize, &'a Bound<'_, PyAny>)| {
        if let Some(state) = G::inside(object).filter(|state| state.game_name() == name) {
            return Ok(state);
        }
        match catalogue::game_of(object) {
            Some(other) => Err(to_py(Error::InvalidArray(format!(
                "state {row} is of {:?} and state 0 of {name:?}; give states of one game",
                other.name()
            )))),
            None => Err(encode::no_state(object)),
        }
    };
    states.iter().enumerate().map(typed).collect()
}
