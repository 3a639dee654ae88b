//! Chess' own rollouts: endings of a side against a lone king.

use phasezoo_core::Error;
use phasezoo_core::games::lone_king::{LoneKingRollout, Policy};
use phasezoo_core::games::{Chess, ChessModel, Rules};
use pyo3::prelude::*;

use super::Hosted;
use crate::errors::to_py;
use crate::rollouts::{self, DynUct, RolloutName, UctSetup};

/// The name of the policy.
const NAME: &str = "lone-king";

impl Hosted for Chess {
    const ROLLOUTS: &'static [&'static str] = &[NAME];

    fn uct(setup: UctSetup<'_>) -> PyResult<Box<dyn DynUct>> {
        match &setup.rollout {
            RolloutName::Name(name) if name != "random" => {
                let policy = LoneKingRollout::new(policy_of(Self::NAME, NAME, name)?);
                let (model, favoured) = (ChessModel::new(), LoneKingRollout::favoured);
                rollouts::one_sided(model, policy, favoured, setup.params, setup.seed)
            }
            _ => rollouts::of_turns(Self::NAME, ChessModel::new(), setup),
        }
    }
}

/// The policy that is called `own`, or `own:` and the names of changes, in `game`.
pub(super) fn policy_of(game: &str, own: &'static str, name: &str) -> PyResult<Policy> {
    if name == own {
        return Ok(Policy::default());
    }
    let Some(changes) = name.strip_prefix(own).and_then(|rest| rest.strip_prefix(':')) else {
        return Err(rollouts::unknown_rollout(game, name, &[own]));
    };
    Policy::parse(changes).ok_or_else(|| {
        let known: Vec<_> = Policy::NAMES.iter().map(|(name, _)| *name).collect();
        to_py(Error::InvalidConfig(format!(
            "rollout={name:?}: after \"{own}:\" expected changes to the policy, each once, by commas; \
             known are {}",
            known.join(", ")
        )))
    })
}
