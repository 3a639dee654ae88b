//! Searches with rollouts behind one type, whatever their model and policy.

use phasezoo_core::game::{Action, Player};
use phasezoo_core::model::{Played, SearchModel};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::Limit;
use phasezoo_core::search::uct::{Params, RandomRollout, Report, Rollout, Search};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::arguments::ActionIndex;
use crate::catalogue::GAMES;
use crate::errors::{external, to_py};
use crate::native::NativeGame;
use crate::options::GameOptions;
use crate::rows::{Rooted, Walked};

/// A search of any game with any rollout policy.
pub(crate) trait DynUct: Send + Sync {
    /// Searches from a state of Python's. Ctrl-C stops it, and so does `keep_on`, asked some times a
    /// second, by an answer that is false.
    fn search(
        &mut self,
        root: &Bound<'_, PyAny>,
        game: GameOptions<'_, '_>,
        limit: &Limit,
        keep_on: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Report>;
    /// Follows an action of anybody.
    fn advance(&mut self, action: Action);
    /// Forgets the tree.
    fn clear(&mut self);
    /// How often a reply was not in the tree.
    fn collapses(&self) -> u64;
}

/// Which policy plays rollouts.
#[derive(FromPyObject)]
pub(crate) enum RolloutName<'py> {
    Name(String),
    Policy(Bound<'py, PyAny>),
}

/// How a search with rollouts is set up.
pub(crate) struct UctSetup<'py> {
    pub(crate) rollout: RolloutName<'py>,
    pub(crate) params: Params,
    pub(crate) seed: u64,
}

/// A search of one model.
struct Searcher<M: SearchModel, P> {
    model: M,
    search: Search<M, P>,
    /// What the policy says of roots; otherwise the model is asked.
    favoured: Option<Favoured<M>>,
}

/// Says for whom a draw is won in a search from a root, because one side alone can win.
type Favoured<M> = fn(&<M as SearchModel>::State) -> Result<Player>;

impl<M: Rooted, P: Rollout<M>> DynUct for Searcher<M, P> {
    fn search(
        &mut self,
        root: &Bound<'_, PyAny>,
        game: GameOptions<'_, '_>,
        limit: &Limit,
        keep_on: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Report> {
        let py = root.py();
        let state = self.model.root(root, game).map_err(to_py)?;
        let favoured = match self.favoured {
            Some(favoured) => favoured(&state).map(Some),
            None => self.model.favoured(&state),
        };
        let favoured = favoured.map_err(to_py)?;
        let mut interrupt = Ok(());
        let asked = keep_on.map(|keep_on| keep_on.clone().unbind());
        let mut keep_on = || {
            let answer = Python::attach(|py| {
                py.check_signals()?;
                asked.as_ref().map_or(Ok(true), |asked| asked.bind(py).call0()?.is_truthy())
            });
            answer.unwrap_or_else(|error| {
                interrupt = Err(error);
                false
            })
        };
        let search = &mut self.search;
        let report = if self.model.calls_python() {
            search.search(state, favoured, limit, &mut keep_on)
        } else {
            py.detach(|| search.search(state, favoured, limit, &mut keep_on))
        };
        interrupt?;
        report.map_err(to_py)
    }

    fn advance(&mut self, action: Action) {
        self.search.advance(action);
    }

    fn clear(&mut self) {
        self.search.clear();
    }

    fn collapses(&self) -> u64 {
        self.search.collapses()
    }
}

/// A search of a model with a policy.
pub(crate) fn boxed<M: Rooted + Clone, P: Rollout<M> + 'static>(
    model: M,
    policy: P,
    params: Params,
    seed: u64,
) -> PyResult<Box<dyn DynUct>> {
    let search = Search::new(model.clone(), policy, params, seed).map_err(to_py)?;
    Ok(Box::new(Searcher { model, search, favoured: None }))
}

/// [`boxed`], with a policy for positions in which one side alone can win; `favoured` refuses others.
pub(crate) fn one_sided<M: Rooted + Clone, P: Rollout<M> + 'static>(
    model: M,
    policy: P,
    favoured: Favoured<M>,
    params: Params,
    seed: u64,
) -> PyResult<Box<dyn DynUct>> {
    let search = Search::new(model.clone(), policy, params, seed).map_err(to_py)?;
    Ok(Box::new(Searcher { model, search, favoured: Some(favoured) }))
}

/// A search of a model with the uniform policy or one in Python; `game` is for messages.
pub(crate) fn of_turns<M: Walked>(
    game: &str,
    model: M,
    setup: UctSetup<'_>,
) -> PyResult<Box<dyn DynUct>> {
    let UctSetup { rollout, params, seed } = setup;
    if params.follow {
        let known = for_games(|game| game.is_one_sided());
        return Err(to_py(Error::InvalidConfig(format!(
            "defender=\"follow\" is for {known}, where one side alone can win; in {game:?} use \
             \"oppose\""
        ))));
    }
    with_policy(game, model, rollout, params, seed)
}

/// [`of_turns`], without a look at the defender.
pub(crate) fn with_policy<M: Walked>(
    game: &str,
    model: M,
    rollout: RolloutName<'_>,
    params: Params,
    seed: u64,
) -> PyResult<Box<dyn DynUct>> {
    match rollout {
        RolloutName::Name(name) if name == "random" => {
            boxed(model, RandomRollout::default(), params, seed)
        }
        RolloutName::Name(name) => Err(unknown_rollout(game, &name, &[])),
        RolloutName::Policy(policy) => {
            let policy = PythonRollout {
                rng: generator(policy.py(), seed)?,
                policy: policy.unbind(),
                legal: Vec::new(),
            };
            boxed(model, policy, params, seed)
        }
    }
}

/// No policy of `game`, which has `own` ones, is called `name`.
pub(crate) fn unknown_rollout(game: &str, name: &str, own: &[&str]) -> PyErr {
    // What follows a colon is for the policy to read.
    let policy = name.split(':').next().unwrap_or_default();
    let elsewhere = |game: &dyn NativeGame| game.rollouts().contains(&policy);
    let hint = if GAMES.iter().any(|&game| elsewhere(game)) {
        format!(" is for {}; in {game:?}", for_games(elsewhere))
    } else {
        ":".into()
    };
    let known: Vec<_> = ["random"].iter().chain(own).map(|name| format!("{name:?}")).collect();
    to_py(Error::InvalidConfig(format!(
        "rollout={name:?}{hint} expected {}, or a callable (state, rng) -> action",
        known.join(", ")
    )))
}

/// "the game x" or "the games x, y": those of the catalogue that `are` so.
fn for_games(are: impl Fn(&dyn NativeGame) -> bool) -> String {
    let names: Vec<_> =
        GAMES.iter().filter(|&&game| are(game)).map(|game| format!("{:?}", game.name())).collect();
    format!("the game{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// A policy in Python: `policy(state, rng) -> action`.
struct PythonRollout {
    policy: Py<PyAny>,
    rng: Py<PyAny>,
    legal: Vec<Action>,
}

impl<M: Walked> Rollout<M> for PythonRollout {
    fn step(&mut self, model: &M, state: &mut M::State, _stream: &mut Stream) -> Result<Played> {
        if let Some(returns) = model.expand(state, &mut self.legal)? {
            return Ok(Played::Over(returns));
        }
        let action = Python::attach(|py| {
            let shown = model.show(py, state)?;
            let answer = self.policy.bind(py).call1((shown, self.rng.bind(py)))?;
            answer.extract::<ActionIndex>().map(|action| action.0)
        });
        let action = action.map_err(external)?;
        if self.legal.binary_search(&action).is_err() {
            return Err(Error::IllegalAction(format!(
                "the rollout policy answered action {action}, which is not legal there; legal are {} \
                 actions, from {:?} to {:?}",
                self.legal.len(),
                self.legal.first(),
                self.legal.last()
            )));
        }
        model.advance(state, action)?;
        Ok(Played::Action(action))
    }
}

/// The generator that a policy in Python draws from.
fn generator(py: Python<'_>, seed: u64) -> PyResult<Py<PyAny>> {
    let random = py.import("numpy")?.getattr("random")?;
    Ok(random.call_method1("default_rng", (seed,))?.unbind())
}
