//! Small games, models that walk them, their exact values by plain recursion, and an evaluator that
//! makes its answers up.

#![allow(dead_code, unused_imports)] // each test file uses its part
#![allow(unreachable_pub)]

#[path = "../vector_toys/games.rs"]
pub mod games;
pub mod dice;
pub mod drive;
pub mod exact;
pub mod tictactoe;

pub use dice::{Dice, DiceModel};
pub use drive::{Driver, Synthetic, answer, run};
pub use exact::exact;
pub use tictactoe::{TicTacToe, Turns};
