//! `read_pgn`: PGN files to columns.

use std::path::PathBuf;

use numpy::PyArray1;
use phasezoo_core::Error;
use phasezoo_core::games::Chess;
use phasezoo_core::games::boards::pgn::{Columns, Importer, Options, Report, nothing_kept};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;

/// Reads PGN files, plain or compressed by gzip, bzip2 or zstd: (columns, report), both dictionaries.
///
/// columns: moves uint16[T], offsets int64[N + 1], result int8[N], `start_fens` (list of pairs),
/// `white_elo` and `black_elo` int16[N] with 0 for unknown, dates uint8[10 * N] with zero bytes for
/// unknown. report: games, bytes, skipped (counts by reason), named (file, line, reason, message,
/// title of the first `max_named` skipped games), damaged (file, message). `progress(bytes, games)` is
/// called after every few megabytes of text.
#[pyfunction]
#[pyo3(signature = (paths, game = "chess", *, min_plies = 0, min_rating = None, deduplicate = false,
                    max_named = 100, threads = None, progress = None))]
#[allow(clippy::too_many_arguments)] // each is an option of its own
fn read_pgn<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    game: &str,
    min_plies: usize,
    min_rating: Option<i16>,
    deduplicate: bool,
    max_named: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    if game != "chess" {
        let message = format!("{game:?}: PGN is read for \"chess\" only");
        return Err(to_py(Error::UnknownGame(message)));
    }
    let mut importer = Importer::new(Options {
        min_plies,
        min_rating,
        deduplicate,
        max_named,
        threads,
        ..Options::default()
    });
    let tell = |report: &Report| {
        Python::attach(|py| {
            py.check_signals()?;
            match &progress {
                Some(callback) => callback.call1(py, (report.bytes, report.games)).map(drop),
                None => Ok(()),
            }
        })
        .map_err(|error: PyErr| Error::External(Box::new(error)))
    };
    py.detach(|| paths.iter().try_for_each(|path| importer.read::<Chess>(path, tell)))
        .map_err(to_py)?;
    let (columns, report) = importer.finish();
    if columns.result.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(to_py(nothing_kept(&names, &report)));
    }
    Ok((columns_dict(py, columns)?, report_dict(py, report)?))
}

fn columns_dict(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("moves", PyArray1::from_vec(py, columns.moves))?;
    dict.set_item("offsets", PyArray1::from_vec(py, columns.offsets))?;
    dict.set_item("result", PyArray1::from_vec(py, columns.result))?;
    dict.set_item("start_fens", columns.start_fens)?;
    dict.set_item("white_elo", PyArray1::from_vec(py, columns.white_elo))?;
    dict.set_item("black_elo", PyArray1::from_vec(py, columns.black_elo))?;
    dict.set_item("dates", PyArray1::from_vec(py, columns.dates.into_iter().flatten().collect()))?;
    Ok(dict)
}

fn report_dict(py: Python<'_>, report: Report) -> PyResult<Bound<'_, PyDict>> {
    let skipped = PyDict::new(py);
    for (reason, count) in report.skipped {
        skipped.set_item(reason.as_str(), count)?;
    }
    let named: Vec<_> = report
        .named
        .into_iter()
        .map(|skip| (skip.file, skip.line, skip.reason.as_str(), skip.message, skip.title))
        .collect();
    let dict = PyDict::new(py);
    dict.set_item("games", report.games)?;
    dict.set_item("bytes", report.bytes)?;
    dict.set_item("skipped", skipped)?;
    dict.set_item("named", named)?;
    dict.set_item("damaged", report.damaged)?;
    Ok(dict)
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(read_pgn, m)?)
}
