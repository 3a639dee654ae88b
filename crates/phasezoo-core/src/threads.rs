//! The only threads of the core: process-local pools, made when first used.
//!
//! Rayon's global pool is never touched, because its threads do not survive `fork`: a child that used
//! it would wait for ever. Pools here belong to a process id; a child finds a foreign id, leaves the
//! parent's handles alone (joining threads that do not exist would hang) and makes its own.
//!
//! ```
//! use phasezoo_core::threads;
//!
//! let mut squares = vec![0; 1000];
//! let mut rest = squares.as_mut_slice();
//! let tasks: Vec<_> = threads::ranges(1000, threads::parts(None, 1000, 64)?)
//!     .map(|rows| (rows.start, threads::take_rows(&mut rest, rows.len())))
//!     .collect();
//! threads::run(None, tasks, |(first, rows)| {
//!     for (i, square) in rows.iter_mut().enumerate() {
//!         *square = (first + i) * (first + i);
//!     }
//! })?;
//! assert_eq!(squares[31], 961);
//! # Ok::<(), phasezoo_core::Error>(())
//! ```

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{Error, Result};

/// The environment variable that overrides the number of threads.
pub const VARIABLE: &str = "PHASEZOO_THREADS";

/// The largest number of threads that may be asked for.
pub const MAX_THREADS: usize = 1024;

/// The pools of one process, by size.
struct Pools {
    process: u32,
    default_threads: OnceLock<usize>,
    by_size: Mutex<HashMap<usize, Arc<ThreadPool>>>,
}

/// The pools of the process that used them last; null before the first use.
///
/// A pointer, not a lock: a lock that another thread of the parent held during `fork` would stay
/// locked in the child.
static CURRENT: AtomicPtr<Pools> = AtomicPtr::new(std::ptr::null_mut());

#[allow(unsafe_code)]
fn pools() -> &'static Pools {
    let process = std::process::id();
    let mut current = CURRENT.load(Ordering::Acquire);
    loop {
        // SAFETY: the pointer is null or comes from `Box::into_raw` below, and what it points to is
        // never freed once it has been published.
        if let Some(pools) = unsafe { current.as_ref() }
            && pools.process == process
        {
            return pools;
        }
        let fresh = Box::into_raw(Box::new(Pools {
            process,
            default_threads: OnceLock::new(),
            by_size: Mutex::default(),
        }));
        match CURRENT.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => current = fresh,
            Err(theirs) => {
                // SAFETY: `fresh` was not published, so this is its only owner.
                drop(unsafe { Box::from_raw(fresh) });
                current = theirs;
            }
        }
    }
}

/// The number of threads used when none is asked for: `PHASEZOO_THREADS`, otherwise the CPUs this
/// process may use by its affinity mask and the quota of its control group (v1 or v2).
///
/// Read once per process. An invalid variable is an error that says what is allowed.
pub fn default_threads() -> Result<usize> {
    let pools = pools();
    if let Some(&threads) = pools.default_threads.get() {
        return Ok(threads);
    }
    let threads = match std::env::var(VARIABLE) {
        Ok(text) => parse(&text)?,
        // The standard library reads the affinity mask and both kinds of quota.
        Err(_) => std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS),
    };
    Ok(*pools.default_threads.get_or_init(|| threads))
}

fn parse(text: &str) -> Result<usize> {
    match text.trim().parse() {
        Ok(threads @ 1..=MAX_THREADS) => Ok(threads),
        _ => Err(Error::InvalidConfig(format!(
            "{VARIABLE}={text:?}: expected a whole number from 1 to {MAX_THREADS}; unset it to use \
             every CPU this process may use"
        ))),
    }
}

/// The number of threads meant by `threads`: the given number, or the default.
pub fn count(threads: Option<usize>) -> Result<usize> {
    match threads {
        None => default_threads(),
        Some(threads @ 1..=MAX_THREADS) => Ok(threads),
        Some(threads) => Err(Error::InvalidConfig(format!(
            "threads = {threads}: expected a whole number from 1 to {MAX_THREADS}, or none for the \
             default"
        ))),
    }
}

/// This process's pool of `threads` threads, made at the first call.
pub fn pool(threads: Option<usize>) -> Result<Arc<ThreadPool>> {
    let threads = count(threads)?;
    // A panic while the lock is held leaves a map that is still whole.
    let mut by_size = pools().by_size.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = by_size.get(&threads) {
        return Ok(Arc::clone(pool));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("phasezoo-{index}"))
        .build()
        .map_err(|error| {
            Error::InvalidConfig(format!(
                "{threads} threads could not be started ({error}); ask for fewer, or set {VARIABLE}"
            ))
        })?;
    let pool = Arc::new(pool);
    by_size.insert(threads, Arc::clone(&pool));
    Ok(pool)
}

/// Runs `work` inside the pool, so that rayon's parallel iterators in it use that pool.
pub fn install<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    Ok(pool(threads)?.install(work))
}

/// Into how many parts `rows` should be split so that each has at least `grain` rows and there are no
/// more parts than threads. 1 means that the work is too small to be shared.
pub fn parts(threads: Option<usize>, rows: usize, grain: usize) -> Result<usize> {
    Ok((rows / grain.max(1)).clamp(1, count(threads)?))
}

/// `parts` contiguous ranges that cover `0..rows`, their lengths differing by at most one.
pub fn ranges(rows: usize, parts: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    let parts = parts.max(1);
    (0..parts).map(move |part| rows * part / parts..rows * (part + 1) / parts)
}

/// Takes the first `count` elements off a buffer: one row range's share of it.
#[allow(clippy::mut_mut)] // the slice itself is moved forward
pub fn take_rows<'a, T>(buffer: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (taken, rest) = std::mem::take(buffer).split_at_mut(count);
    *buffer = rest;
    taken
}

/// Runs `work` on every task, the first on the calling thread and the others on the pool. A single
/// task runs inline and starts no thread.
pub fn run<T: Send>(
    threads: Option<usize>,
    tasks: Vec<T>,
    work: impl Fn(T) + Send + Sync,
) -> Result<()> {
    let mut tasks = tasks.into_iter();
    let Some(first) = tasks.next() else {
        return Ok(());
    };
    if tasks.len() == 0 {
        work(first);
        return Ok(());
    }
    let work = &work;
    pool(threads)?.in_place_scope(|scope| {
        for task in tasks {
            scope.spawn(move |_| work(task));
        }
        work(first);
    });
    Ok(())
}

/// Runs `work` on everything that `next` hands out, on as many threads as `workers` says, the calling
/// one among them. Who is done asks for more, so that a thread that is held up holds up nobody else.
pub fn share<T: Send>(
    threads: Option<usize>,
    workers: usize,
    mut next: impl FnMut() -> Option<T> + Send,
    work: impl Fn(T) + Sync,
) -> Result<()> {
    if workers <= 1 {
        while let Some(task) = next() {
            work(task);
        }
        return Ok(());
    }
    let next = Mutex::new(next);
    let take = || {
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        (*next)()
    };
    let go_on = || {
        while let Some(task) = take() {
            work(task);
        }
    };
    pool(threads)?.in_place_scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|_| go_on());
        }
        go_on();
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use rayon::prelude::*;

    #[test]
    fn ranges_cover_the_rows_evenly() {
        for rows in 0..40 {
            for parts in 1..9 {
                let all: Vec<_> = ranges(rows, parts).collect();
                assert_eq!(
                    all.iter().cloned().flatten().collect::<Vec<_>>(),
                    (0..rows).collect::<Vec<_>>()
                );
                let lengths: Vec<_> = all.iter().map(Range::len).collect();
                assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 1);
            }
        }
    }

    #[test]
    fn small_work_stays_on_the_calling_thread() {
        assert_eq!(parts(Some(4), 10, 64).unwrap(), 1);
        assert_eq!(parts(Some(4), 64 * 9, 64).unwrap(), 4);
        let caller = std::thread::current().id();
        run(Some(4), vec![()], |()| assert_eq!(std::thread::current().id(), caller)).unwrap();
    }

    #[test]
    fn every_task_runs_once() {
        let mut rows = vec![0_u32; 1001];
        let mut rest = rows.as_mut_slice();
        let tasks: Vec<_> =
            ranges(1001, 7).map(|range| take_rows(&mut rest, range.len())).collect();
        run(Some(3), tasks, |rows| rows.iter_mut().for_each(|row| *row += 1)).unwrap();
        assert!(rows.iter().all(|&row| row == 1));
    }

    #[test]
    fn everything_handed_out_is_worked_on_once() {
        for workers in [1, 2, 5] {
            let mut rows = vec![0_u32; 1001];
            let mut rest = rows.as_mut_slice();
            let next =
                || Some(rest.len().min(7)).filter(|&n| n > 0).map(|n| take_rows(&mut rest, n));
            share(Some(3), workers, next, |rows| rows.iter_mut().for_each(|row| *row += 1))
                .unwrap();
            assert!(rows.iter().all(|&row| row == 1), "{workers}");
        }
    }

    #[test]
    fn a_thread_that_is_held_up_holds_up_nobody_else() {
        let mut tasks = 0..100;
        let (held, others) = (Mutex::new(()), AtomicUsize::new(0));
        let lock = held.lock().unwrap();
        let done = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let (held, others, send) = (&held, &others, done.0);
            scope.spawn(move || {
                share(
                    Some(2),
                    2,
                    || tasks.next(),
                    |task| {
                        if task == 0 {
                            drop(held.lock());
                        } else if others.fetch_add(1, Ordering::Relaxed) == 98 {
                            send.send(()).unwrap();
                        }
                    },
                )
                .unwrap();
            });
            // All others are done while the first waits.
            done.1.recv().unwrap();
            drop(lock);
        });
        assert_eq!(others.into_inner(), 99);
    }

    #[test]
    fn a_pool_has_the_size_asked_for_and_is_reused() {
        assert_eq!(install(Some(3), rayon::current_num_threads).unwrap(), 3);
        assert_eq!(
            install(Some(3), || (0..1000_u64).into_par_iter().sum::<u64>()).unwrap(),
            499_500
        );
        assert!(Arc::ptr_eq(&pool(Some(3)).unwrap(), &pool(Some(3)).unwrap()));
    }

    #[test]
    fn bad_numbers_are_named() {
        for text in ["0", "-1", "many", "", "1025", "1.5"] {
            assert!(matches!(parse(text), Err(Error::InvalidConfig(_))), "{text}");
        }
        assert_eq!(parse(" 8 ").unwrap(), 8);
        assert!(count(Some(0)).is_err() && count(Some(MAX_THREADS + 1)).is_err());
        assert_eq!(count(Some(2)).unwrap(), 2);
        assert!(default_threads().unwrap() >= 1);
    }
}
