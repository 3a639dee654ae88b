//! The gates that fit every game.

use std::sync::Arc;

use super::{Gate, GateKind, Plies, Side, Subject};
use crate::error::{Error, Result};
use crate::types::Player;

/// `none`: one phase.
pub(super) fn none<G>() -> GateKind<G> {
    GateKind::new("none", "none", |arguments| {
        arguments.none()?;
        Ok(Arc::new(Nothing))
    })
}

struct Nothing;

impl<G> Gate<G> for Nothing {
    fn spec(&self) -> String {
        "none".into()
    }

    fn names(&self) -> Vec<String> {
        vec!["all".into()]
    }

    fn phase(&self, _state: &G, _player: Player) -> Result<u8> {
        Ok(0)
    }
}

/// `hash:n`, the placebo: phases that mean nothing.
pub(super) fn hash<G: Subject>() -> GateKind<G> {
    GateKind::new("hash", "hash:n with 2 <= n <= 20", |arguments| {
        Ok(Arc::new(Hash { parts: arguments.count()? }))
    })
    .such_as(&["hash:3"])
}

struct Hash {
    parts: u8,
}

impl<G: Subject> Gate<G> for Hash {
    fn spec(&self) -> String {
        format!("hash:{}", self.parts)
    }

    fn names(&self) -> Vec<String> {
        (0..self.parts).map(|part| format!("part {part}")).collect()
    }

    fn phase(&self, state: &G, _player: Player) -> Result<u8> {
        match state.position_key()? {
            Some(key) => Ok((key % u64::from(self.parts)) as u8),
            None => Err(Error::InvalidGate(format!(
                "gate \"hash:{}\" needs a key: give your state an attribute `key`, a whole number \
                 from 0 to 2**64 - 1 that depends on the position alone",
                self.parts
            ))),
        }
    }
}

/// `plies:a,b,…`: how many thresholds the plies since the start have passed; under the game's own name
/// too.
pub(super) fn plies<G: Subject>() -> Vec<GateKind<G>> {
    let Plies { name, default } = G::PLIES;
    let mut kinds = vec![GateKind::measured(name, Side::Over, default, plies_of)];
    if name != PLIES {
        kinds.push(GateKind::measured(PLIES, Side::Over, None, plies_of));
    }
    kinds
}

/// The name by which every game has its gate by plies.
const PLIES: &str = "plies";

fn plies_of<G: Subject>(state: &G, _player: Player) -> Result<Option<u32>> {
    match state.plies()? {
        Some(plies) => Ok(Some(plies)),
        None => Err(Error::InvalidGate(format!(
            "the gate {:?} counts plies: give your state an attribute `ply`, the whole number of \
             moves since the start of the game",
            G::PLIES.name
        ))),
    }
}
