//! Stored games of the board games.

use phasezoo_core::games::BoardState as Core;
use phasezoo_core::games::boards::planes::BoardPlanes;
use phasezoo_core::gate::Gating;
use phasezoo_core::records::{Labels, Rows, Samples, Starts, Table};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;

use super::Hosted;
use crate::errors::to_py;
use crate::native::Native;
use crate::records::{Columns, DynTable};

/// The start positions of games that do not start as usual.
struct Games<R: Hosted>(Starts<Core<R>>);

/// The games of a kind, with the FENs that games of these numbers start from.
pub(super) fn boxed<R: Hosted>(starts: &[(usize, String)]) -> Result<Box<dyn DynTable>> {
    if !R::IS_STORED {
        return Err(Error::UnknownGame(format!(
            "{:?}: games of this kind cannot be stored; known is \"chess\"",
            R::NAME
        )));
    }
    let pairs = starts.iter().map(|(game, fen)| (*game, fen.as_str()));
    Ok(Box::new(Games::<R>(Starts::parse(pairs)?)))
}

impl<R: Hosted> Games<R> {
    fn table<'a>(&'a self, columns: Columns<'a>) -> Table<'a, Core<R>> {
        Table::new(columns.moves, columns.offsets, &self.0)
    }
}

impl<R: Hosted> DynTable for Games<R> {
    fn check(&self, columns: Columns<'_>) -> Result<()> {
        self.table(columns).check()
    }

    fn label(&self, columns: Columns<'_>, gate: &str, threads: Option<usize>) -> Result<Labels> {
        self.table(columns).label(&Gating::parse(gate, false)?, threads)
    }

    fn states(
        &self,
        py: Python<'_>,
        columns: Columns<'_>,
        game: usize,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let states: Vec<Core<R>> = self.table(columns).states(game).map_err(to_py)?;
        states.into_iter().map(|state| state.shown(py)).collect()
    }

    fn sample(
        &self,
        columns: Columns<'_>,
        rows: Rows<'_>,
        spec: &str,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()> {
        self.table(columns).sample(rows, BoardPlanes::parse::<R>(spec)?, out, threads)
    }

    fn hashes(&self, columns: Columns<'_>, seed: u64) -> Result<Vec<u64>> {
        self.table(columns).hashes(seed)
    }

    fn gather(&self, columns: Columns<'_>, games: &[i64]) -> Result<(Vec<u16>, Vec<i64>)> {
        self.table(columns).gather(games)
    }
}
