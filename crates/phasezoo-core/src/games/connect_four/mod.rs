//! Connect Four: seven columns of six cells, players drop stones in turn, four in a line win.
//!
//! | module | what it holds |
//! |---|---|
//! | [`stones`] | sets of cells as bits: drops, lines of four, threats |
//! | [`game`] | the rules over them |
//! | [`planes`] | what players see |
//! | [`notation`] | games as text and bytes |
//! | `records` | its mirror image in stored games |

pub mod game;
pub mod notation;
pub mod planes;
mod records;
pub mod stones;

pub use game::ConnectFour;
pub use planes::ConnectFourPlanes;
pub use stones::{COLUMNS, ROWS, Stones};
