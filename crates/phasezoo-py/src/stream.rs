//! `Stream`: the random streams of one game.

use phasezoo_core::vector::{Purpose, stream};
use phasezoo_core::{Error, rng};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::vector::named;

/// One random stream of the game with a seed.
#[pyclass(module = "phasezoo._core")]
pub(crate) struct Stream {
    seed: u64,
    purpose: String,
    player: u8,
    drawn: u64,
    words: rng::Stream,
}

#[pymethods]
impl Stream {
    /// The stream of the game with seed `seed` for "start", "seat", "opponent", "illegal" or
    /// "session", after `drawn` draws.
    #[new]
    #[pyo3(signature = (seed, purpose, player = 0, drawn = 0))]
    fn new(seed: u64, purpose: String, player: u8, drawn: u64) -> PyResult<Self> {
        let purposes = [
            ("start", Purpose::Start),
            ("seat", Purpose::Seat),
            ("opponent", Purpose::Opponent),
            ("illegal", Purpose::Illegal),
            ("session", Purpose::Session),
        ];
        let mut words = stream(seed, named("purpose", &purpose, &purposes)?, player);
        for _ in 0..drawn {
            words.next_u64();
        }
        Ok(Self { seed, purpose, player, drawn, words })
    }

    /// The next 63 bits, a seed for something else.
    fn seed(&mut self) -> u64 {
        self.drawn += 1;
        self.words.next_u64() >> 1
    }

    /// A whole number from 0 to `bound` - 1.
    fn below(&mut self, bound: usize) -> PyResult<usize> {
        if bound == 0 {
            return Err(to_py(Error::InvalidConfig("below(0): expected at least 1".into())));
        }
        self.drawn += 1;
        Ok(self.words.below(bound))
    }

    fn __repr__(&self) -> String {
        format!("Stream({}, '{}', {}, {})", self.seed, self.purpose, self.player, self.drawn)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (u64, String, u8, u64)) {
        let stream = slf.borrow();
        let arguments = (stream.seed, stream.purpose.clone(), stream.player, stream.drawn);
        (slf.get_type().into_any(), arguments)
    }
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Stream>()
}
