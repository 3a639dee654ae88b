//! Gates that hold one number of a state against thresholds.

use std::sync::Arc;

use super::{Gate, GateKind, Side, Thresholds};
use crate::error::Result;
use crate::types::Player;

/// The number that a gate reads of a state as a player sees it; `None` puts it into the last phase.
pub type Measure<G> = fn(&G, Player) -> Result<Option<u32>>;

struct Measured<G> {
    name: &'static str,
    thresholds: Thresholds,
    measure: Measure<G>,
}

impl<G: 'static> GateKind<G> {
    /// The kind called `name` that counts the thresholds which `measure` has passed. `default` are the
    /// thresholds if a spec names none; `None` if they must be given.
    pub fn measured(
        name: &'static str,
        side: Side,
        default: Option<&'static str>,
        measure: Measure<G>,
    ) -> Self {
        let order = if side.rises() { "rising" } else { "falling" };
        let grammar = match default {
            Some(default) => format!("{name}[:a,b,...] {order}, default {default}"),
            None => format!("{name}:a,b,... {order}"),
        };
        let usual = default.unwrap_or(if side.rises() { "14,28" } else { "28,14" });
        Self::new(name, grammar, move |arguments| {
            let thresholds = arguments.thresholds(side, default)?;
            Ok(Arc::new(Measured { name, thresholds, measure }))
        })
        .such_as(&[&format!("{name}:{usual}")])
    }
}

impl<G> Gate<G> for Measured<G> {
    fn spec(&self) -> String {
        format!("{}:{}", self.name, self.thresholds.text())
    }

    fn names(&self) -> Vec<String> {
        self.thresholds.names()
    }

    fn phase(&self, state: &G, player: Player) -> Result<u8> {
        let number = (self.measure)(state, player)?;
        Ok(number.map_or(self.thresholds.last(), |number| self.thresholds.passed(number)))
    }
}
