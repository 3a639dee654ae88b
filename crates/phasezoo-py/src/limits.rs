//! When a search ends, as Python says it.

use std::time::Duration;

use phasezoo_core::search::{Limit, TimeControl};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use crate::errors::to_py;

/// A clock: milliseconds left, added after the move, moves until more time is added, and milliseconds
/// lost on the way.
pub(crate) type TimeWords = (f64, f64, Option<u32>, f64);

/// The keywords of a limit.
#[derive(Default)]
pub(crate) struct LimitWords {
    pub(crate) nodes: Option<i64>,
    pub(crate) simulations: Option<i64>,
    pub(crate) movetime_ms: Option<f64>,
    pub(crate) clock: Option<TimeWords>,
    pub(crate) depth: Option<i64>,
    pub(crate) mate: Option<i64>,
    pub(crate) infinite: bool,
}

impl LimitWords {
    /// The core's limit.
    pub(crate) fn limit(&self) -> Result<Limit> {
        let movetime = self.movetime_ms.map(|ms| match Duration::try_from_secs_f64(ms / 1e3) {
            Ok(time) if !time.is_zero() => Ok(time),
            _ => Err(Error::InvalidConfig(format!(
                "movetime_ms is {ms}, expected a positive number of milliseconds"
            ))),
        });
        let short = |name: &str, given: Option<i64>| {
            let count = counted(name, given)?;
            Ok::<_, Error>(count.map(|count| count.min(u64::from(u32::MAX)) as u32))
        };
        Ok(Limit {
            nodes: counted("nodes", self.nodes)?,
            simulations: counted("simulations", self.simulations)?,
            movetime: movetime.transpose()?,
            clock: self.clock.map(control).transpose()?,
            depth: short("depth", self.depth)?,
            mate: short("mate", self.mate)?,
            infinite: self.infinite,
        })
    }
}

fn counted(name: &str, given: Option<i64>) -> Result<Option<u64>> {
    match given {
        None => Ok(None),
        Some(count @ 1..) => Ok(Some(count as u64)),
        Some(other) => {
            Err(Error::InvalidConfig(format!("{name} is {other}, at least 1 is needed")))
        }
    }
}

/// The core's clock.
fn control((left, increment, moves_to_go, overhead): TimeWords) -> Result<TimeControl> {
    let time = |name: &str, ms: f64| {
        Duration::try_from_secs_f64(ms / 1e3).map_err(|_| {
            Error::InvalidConfig(format!("{name} is {ms}, expected milliseconds from 0"))
        })
    };
    Ok(TimeControl {
        left: time("left_ms", left)?,
        increment: time("increment_ms", increment)?,
        moves_to_go,
        overhead: time("overhead_ms", overhead)?,
    })
}

/// (target, most): milliseconds that a move is meant to take on a clock, and that it may.
#[pyfunction]
fn allot(
    left_ms: f64,
    increment_ms: f64,
    moves_to_go: Option<u32>,
    overhead_ms: f64,
) -> PyResult<(f64, f64)> {
    let control = control((left_ms, increment_ms, moves_to_go, overhead_ms)).map_err(to_py)?;
    let allotted = control.allot();
    Ok((allotted.target.as_secs_f64() * 1e3, allotted.most.as_secs_f64() * 1e3))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(allot, m)?)
}
