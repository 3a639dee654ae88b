//! The endgame of king and rook against king: starts, and rollouts on tabulated moves.

use phasezoo_core::Result;
use phasezoo_core::game::Player;
use phasezoo_core::games::krk::{KrkLine, KrkModel, KrkRollout, Start as CoreStart};
use phasezoo_core::games::{BoardModel, BoardState as Core, Krk, Rules};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::uct::RandomRollout;
use pyo3::prelude::*;

use super::Hosted;
use super::lone_king::policy_of;
use crate::errors::{external, to_py};
use crate::native::{Start, typed};
use crate::options::GameOptions;
use crate::rollouts::{self, DynUct, RolloutName, UctSetup};
use crate::rows::Rooted;

impl Hosted for Krk {
    const ROLLOUTS: &'static [&'static str] = &["krk"];
    const IS_ONE_SIDED: bool = true;

    /// `start` names the starts that are drawn, `dtm` bounds their distance to mate, and `both_move`
    /// leaves out those that a first move ends.
    fn starts(options: GameOptions<'_, '_>) -> PyResult<Start<Core<Self>>> {
        options.check(&["start", "dtm", "both_move"])?;
        let start: Option<String> = options.get("start", "the name of a kind of starts")?;
        let dtm = options.get("dtm", "two whole numbers (low, high), or None")?;
        let both_move = options.get("both_move", "True or False")?.unwrap_or_default();
        let starts = CoreStart::parse(start.as_deref(), dtm, both_move).map_err(to_py)?;
        Ok(Box::new(move |seed: Option<u64>| {
            Ok(starts.draw(&mut Stream::new(seed.unwrap_or_default())))
        }))
    }

    fn favoured(state: &Core<Self>) -> Result<Option<Player>> {
        Ok(Some(1 - KrkLine::of(state)?.strong()))
    }

    fn uct(setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        let UctSetup { rollout, params, seed } = setup;
        match rollout {
            RolloutName::Name(name) if name == "random" => {
                rollouts::boxed(KrkModel::default(), RandomRollout::default(), params, seed)
            }
            RolloutName::Name(name) => {
                let model = KrkModel::new(policy_of(Self::NAME, Self::NAME, &name)?);
                rollouts::boxed(model, KrkRollout, params, seed)
            }
            policy @ RolloutName::Policy(_) => {
                rollouts::with_policy(Self::NAME, BoardModel::<Self>::new(), policy, params, seed)
            }
        }
    }
}

impl Rooted for KrkModel {
    fn root(&self, state: &Bound<'_, PyAny>, options: GameOptions<'_, '_>) -> Result<KrkLine> {
        options.check(&[]).map_err(external)?;
        self.line(typed(state, Krk::NAME)?)
    }

    fn favoured(&self, root: &KrkLine) -> Result<Option<Player>> {
        Ok(Some(1 - root.strong()))
    }
}
