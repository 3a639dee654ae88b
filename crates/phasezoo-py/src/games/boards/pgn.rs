//! `read_pgn`: PGN files to columns.

use std::path::PathBuf;

use numpy::{PyArray1, PyArrayMethods};
use phasezoo_core::games::boards::pgn;
use phasezoo_core::games::boards::pgn::{
    Columns, Counts, Importer, Kept, Kind, Month, Noted, Opening, Options, Report, SkipReason,
    Skipped, nothing_kept,
};
use phasezoo_core::games::{Atomic, Chess, Chess960, Crazyhouse, Krk};
use phasezoo_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::errors::to_py;

/// The games that PGN holds.
const KINDS: [Kind; 5] = [
    Kind::of::<Chess>(),
    Kind::of::<Chess960>(),
    Kind::of::<Atomic>(),
    Kind::of::<Crazyhouse>(),
    Kind::of::<Krk>(),
];

/// Bytes of text that are read at once.
const MOST_TEXT: usize = 256 << 20;

/// Reads PGN files, plain or compressed by gzip, bzip2, xz or zstd, and the members of zip and tar
/// archives that end in `.pgn`: (games, report).
///
/// games: columns by the name of the game, of those that some were kept of. Columns: actions uint16[T],
/// offsets int64[N + 1], result int8[N], `start_fens` (list of pairs), names
/// (list of players), players int32[N, 2] (indices of names, -1 for unknown), files int32[N] (indices of
/// paths), `white_elo` and `black_elo` int16[N] with 0 for unknown, dates uint8[10 * N] with zero bytes
/// for unknown, salvaged bool[N] (the game ends before a fault), top (rating, best, players of the best
/// players, or None), and with `evals` what comments say of the position after each ply, float32[T]
/// (pawns for White, infinite for a mate, nan for nothing). report: files (names of the texts read, of
/// which all indices are), games, bytes, skipped (counts by reason), variants (by name: games, skipped),
/// named (file, line, reason, message, title of the first `max_named` skipped games), decoded ((games,
/// file, line) with tags in Windows-1252, or None), assumed (the same of games whose variant was told by
/// their start, by name), damaged (file, message). `progress(bytes, games)` is called after every few megabytes of text.
#[pyfunction]
#[pyo3(signature = (paths, game = None, *, min_plies = 0, min_rating = None, top_players = None,
                    termination = None, from_month = None, to_month = None, deduplicate = false,
                    salvage = false, evals = false, max_named = 100, threads = None, progress = None))]
#[allow(clippy::too_many_arguments)] // each is an option of its own
fn read_pgn<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    game: Option<String>,
    min_plies: usize,
    min_rating: Option<i16>,
    top_players: Option<f64>,
    termination: Option<String>,
    from_month: Option<&str>,
    to_month: Option<&str>,
    deduplicate: bool,
    salvage: bool,
    evals: bool,
    max_named: usize,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let options = Options {
        game,
        min_plies,
        min_rating,
        top_players,
        termination,
        from: month("from_month", from_month).map_err(to_py)?,
        to: month("to_month", to_month).map_err(to_py)?,
        deduplicate,
        salvage,
        max_named,
        openings: false,
        plies: None,
        evals,
        threads,
    };
    let mut importer = Importer::new(options, &KINDS).map_err(to_py)?;
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
    py.detach(|| paths.iter().try_for_each(|path| importer.read(path, tell))).map_err(to_py)?;
    let (kept, report) = py.detach(|| importer.finish());
    if kept.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(to_py(nothing_kept(&names, &report)));
    }
    let games = PyDict::new(py);
    for Kept { game, columns, top } in kept {
        let columns = columns_dict(py, columns, evals)?;
        columns.set_item("top", top.map(|top| (top.rating, top.best, top.players)))?;
        games.set_item(game, columns)?;
    }
    Ok((games, report_dict(py, report, max_named)?))
}

/// Where a game starts, if not as usual, and its moves in UCI.
type StartAndMoves = (Option<String>, Vec<String>);

/// The line, reason and message of a game that cannot be read.
type Refused = (u64, &'static str, String);

/// Reads the games in a text as openings: (openings, refused games). No result and no tag `Variant` is
/// needed, and at most `plies` moves of each game are read.
#[pyfunction]
#[pyo3(signature = (text, game, plies = None))]
fn read_openings(
    py: Python<'_>,
    text: &str,
    game: &str,
    plies: Option<usize>,
) -> (Vec<StartAndMoves>, Vec<Refused>) {
    let (openings, skipped) =
        py.detach(|| pgn::read_openings(text.as_bytes(), game, plies, &KINDS));
    let openings = openings.into_iter().map(|Opening { start_fen, moves, .. }| (start_fen, moves));
    let refused = |Skipped { line, reason, message, .. }| (line, reason.as_str(), message);
    (openings.collect(), skipped.into_iter().map(refused).collect())
}

/// Whether a text has tags, so that it is PGN.
#[pyfunction]
fn has_pgn_tags(py: Python<'_>, text: &str) -> bool {
    py.detach(|| pgn::has_tags(text.as_bytes()))
}

/// The games of which PGN is read.
#[pyfunction]
fn pgn_games() -> Vec<&'static str> {
    KINDS.iter().map(Kind::name).collect()
}

/// Reads the text of a file, plain, compressed or in an archive as `read_pgn` reads it. Lines that are
/// no UTF-8 are read as Windows-1252.
#[pyfunction]
fn read_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| pgn::read_text(&path, MOST_TEXT)).map_err(to_py)
}

/// The month of an option, if it is given.
fn month(name: &str, text: Option<&str>) -> Result<Option<Month>> {
    let wrong = |text: &str| {
        Error::InvalidConfig(format!(
            "{name}={text:?}: a month is written YYYY-MM, such as 2024-05"
        ))
    };
    text.map(|text| Month::parse(text).ok_or_else(|| wrong(text))).transpose()
}

/// A list that is made in parts, so that other threads of Python run in between.
fn list_in_parts<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: Vec<T>,
) -> PyResult<Bound<'py, PyList>> {
    /// Items of a part: made in about a millisecond.
    const PART: usize = 1 << 12;
    let list = PyList::empty(py);
    for (index, item) in items.into_iter().enumerate() {
        if index % PART == PART - 1 {
            py.detach(std::thread::yield_now);
        }
        list.append(item)?;
    }
    Ok(list)
}

fn columns_dict(py: Python<'_>, columns: Columns, evals: bool) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("actions", PyArray1::from_vec(py, columns.actions))?;
    dict.set_item("offsets", PyArray1::from_vec(py, columns.offsets))?;
    dict.set_item("result", PyArray1::from_vec(py, columns.result))?;
    dict.set_item("start_fens", list_in_parts(py, columns.start_fens)?)?;
    dict.set_item("names", list_in_parts(py, columns.names)?)?;
    let (games, players) = (columns.players.len(), columns.players.into_flattened());
    dict.set_item("players", PyArray1::from_vec(py, players).reshape([games, 2])?)?;
    dict.set_item("files", PyArray1::from_vec(py, columns.files))?;
    dict.set_item("white_elo", PyArray1::from_vec(py, columns.white_elo))?;
    dict.set_item("black_elo", PyArray1::from_vec(py, columns.black_elo))?;
    dict.set_item("dates", PyArray1::from_vec(py, columns.dates.into_iter().flatten().collect()))?;
    dict.set_item("salvaged", PyArray1::from_vec(py, columns.salvaged))?;
    if evals {
        dict.set_item("evals", PyArray1::from_vec(py, columns.evals))?;
    }
    Ok(dict)
}

/// Counts of skipped games by reason.
fn reasons(
    py: Python<'_>,
    counts: impl IntoIterator<Item = (SkipReason, u64)>,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (reason, count) in counts {
        dict.set_item(reason.as_str(), count)?;
    }
    Ok(dict)
}

fn report_dict(py: Python<'_>, report: Report, max_named: usize) -> PyResult<Bound<'_, PyDict>> {
    let variants = PyDict::new(py);
    for (name, Counts { games, skipped }) in report.variants {
        variants.set_item(name, (games, reasons(py, skipped)?))?;
    }
    let named: Vec<_> = report
        .named
        .into_iter()
        .take(max_named)
        .map(|skip| (skip.file, skip.line, skip.reason.as_str(), skip.message, skip.title))
        .collect();
    let noted = |noted: Noted| (noted.games, noted.file, noted.line);
    let assumed = PyDict::new(py);
    for (name, of) in report.assumed {
        assumed.set_item(name, noted(of))?;
    }
    let dict = PyDict::new(py);
    dict.set_item("files", report.files)?;
    dict.set_item("decoded", report.decoded.map(noted))?;
    dict.set_item("assumed", assumed)?;
    dict.set_item("games", report.games)?;
    dict.set_item("bytes", report.bytes)?;
    dict.set_item("skipped", reasons(py, report.skipped)?)?;
    dict.set_item("variants", variants)?;
    dict.set_item("named", named)?;
    dict.set_item("damaged", report.damaged)?;
    Ok(dict)
}

pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(has_pgn_tags, m)?)?;
    m.add_function(wrap_pyfunction!(pgn_games, m)?)?;
    m.add_function(wrap_pyfunction!(read_openings, m)?)?;
    m.add_function(wrap_pyfunction!(read_pgn, m)?)?;
    m.add_function(wrap_pyfunction!(read_text, m)?)?;
    m.add(
        "PGN_REASONS_OF_CHOICE",
        PyTuple::new(m.py(), SkipReason::OF_CHOICE.map(SkipReason::as_str))?,
    )
}
