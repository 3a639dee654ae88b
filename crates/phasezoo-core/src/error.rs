//! The one error type of the core. Each variant is one Python exception class of the same name.

/// What went wrong. Messages say what was given, what is allowed and what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A FEN or EPD that is not a position of the variant.
    #[error("{0}")]
    InvalidFen(String),
    /// Text that is not a UCI move, or not one of this position.
    #[error("{0}")]
    InvalidUci(String),
    /// Text that is not a SAN move, or not one (or more than one) of this position.
    #[error("{0}")]
    InvalidSan(String),
    /// A PGN file that cannot be read at all (bad games inside a readable file are counted instead).
    #[error("{0}")]
    InvalidPgn(String),
    /// An action index outside the action space, or not legal in this state.
    #[error("{0}")]
    IllegalAction(String),
    /// A gate specification that does not follow the grammar or does not fit the game.
    #[error("{0}")]
    InvalidGate(String),
    /// A plane specification that the game does not have.
    #[error("{0}")]
    InvalidPlaneSpec(String),
    /// A game, variant or option name that does not exist.
    #[error("{0}")]
    UnknownGame(String),
    /// An array of the wrong shape, type or length.
    #[error("{0}")]
    InvalidArray(String),
    /// A search limit or parameter outside its range.
    #[error("{0}")]
    InvalidConfig(String),
    /// An evaluator that answered with NaN, infinities or the wrong shape.
    #[error("{0}")]
    InvalidEvaluation(String),
    /// A user's game that breaks the contract of a game (no legal action before the end, say).
    #[error("{0}")]
    GameContract(String),
    /// A stored game that cannot be replayed.
    #[error("{0}")]
    CorruptRecord(String),
    /// A call out of order, such as completing a ticket twice.
    #[error("{0}")]
    InvalidState(String),
    /// An error raised by the caller's own code (a Python game, say); handed back as it came.
    #[error("{0}")]
    External(Box<dyn std::error::Error + Send + Sync>),
}

/// The core's result type.
pub type Result<T> = std::result::Result<T, Error>;
