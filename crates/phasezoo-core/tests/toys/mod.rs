//! Small games, models that walk them, their exact values by plain recursion, and an evaluator that
//! makes its answers up.

#![allow(dead_code, unused_imports)] // each test file uses its part
#![allow(unreachable_pub)]

pub mod dice;
pub mod drive;
pub mod exact;
#[path = "../vector_toys/games.rs"]
pub mod games;
pub mod tictactoe;

pub use dice::Dice;
pub use drive::{Driver, Synthetic, answer, nodes_of, run};
pub use exact::exact;
pub use tictactoe::TicTacToe;
