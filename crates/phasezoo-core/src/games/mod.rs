//! The games, a room each.
//!
//! | module | what it holds |
//! |---|---|
//! | [`boards`] | chess, chess960, atomic chess and crazyhouse |
//! | [`connect_four`] | Connect Four |
//! | [`krk`] | the endgame of king and rook against king |
//! | [`lone_king`] | endings of a side against a lone king: tables, and the policy of rollouts |
//! | [`pommerman`] | Pommerman |

pub mod boards;
pub mod connect_four;
pub mod krk;
pub mod lone_king;
pub mod pommerman;

pub use boards::{
    Atomic, BoardModel, BoardState, Chess, Chess960, ChessModel, ChessState, Crazyhouse, History,
    PackedMove, Rules,
};
pub use connect_four::ConnectFour;
pub use krk::{Krk, KrkState};
