//! Moves as text, UCI and SAN, both ways.

use shakmaty::san::{San, SanError, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{Move, MoveList};

use crate::error::{Error, Result};
use crate::game::Action;
use crate::games::boards::board::BoardState;
use crate::games::boards::fen::quote;
use crate::games::boards::rules::Rules;

/// How many legal moves an error names.
const EXAMPLES: usize = 3;

impl<R: Rules> BoardState<R> {
    /// The action of a UCI move. Castling may be written as the king's move (`e1g1`) or as the king
    /// taking its rook (`e1h1`).
    pub fn parse_uci(&self, uci: &str) -> Result<Action> {
        self.move_from_uci(uci).map(|m| self.action_of(m))
    }

    /// The move of a UCI move; see [`Self::parse_uci`].
    pub fn move_from_uci(&self, uci: &str) -> Result<Move> {
        let error = |reason: &str| {
            Error::InvalidUci(format!(
                "{}: {reason}; {}",
                quote(uci),
                self.legal_summary(Self::uci_of)
            ))
        };
        // The parser reads capitals too, which UCI does not write, except for a piece to be dropped.
        let plain = uci.contains('@') || !uci.bytes().any(|c| c.is_ascii_uppercase());
        match UciMove::from_ascii(uci.as_bytes()) {
            Ok(UciMove::Null) => Err(error("a null move is never legal")),
            Ok(parsed) if plain => {
                parsed.to_move(self.position()).map_err(|_| error("not a legal move"))
            }
            _ => Err(error(
                "not a UCI move, which is two squares and, when promoting, one of n b r q",
            )),
        }
    }

    /// The action of a SAN move; marks of check and mate are not compared.
    pub fn parse_san(&self, san: &str) -> Result<Action> {
        self.move_from_san(san).map(|m| self.action_of(m))
    }

    /// The move of a SAN move; see [`Self::parse_san`].
    pub fn move_from_san(&self, san: &str) -> Result<Move> {
        let error = |reason: &str| {
            Error::InvalidSan(format!(
                "{}: {reason}; {}",
                quote(san),
                self.legal_summary(Self::san_of)
            ))
        };
        match SanPlus::from_ascii(san.as_bytes()).map(|parsed| parsed.san) {
            Err(_) => Err(error("not a SAN move")),
            Ok(San::Null) => Err(error("a null move is never legal")),
            Ok(parsed) => parsed.to_move(self.position()).map_err(|reason| match reason {
                SanError::IllegalSan => error("not a legal move"),
                SanError::AmbiguousSan => {
                    error("could be more than one move, so name its file or rank")
                }
            }),
        }
    }

    /// The UCI notation of a legal action.
    pub fn uci(&self, action: Action) -> Result<String> {
        self.move_of(action).map(|m| self.uci_of(m))
    }

    /// The SAN notation of a legal action, with marks of check and mate.
    pub fn san(&self, action: Action) -> Result<String> {
        self.move_of(action).map(|m| self.san_of(m))
    }

    /// The UCI notation of a legal move.
    pub fn uci_of(&self, m: Move) -> String {
        UciMove::from_move(m, R::MODE).to_string()
    }

    /// The SAN notation of a legal move.
    pub fn san_of(&self, m: Move) -> String {
        SanPlus::from_move(self.position().clone(), m).to_string()
    }

    /// What is legal if a move was refused.
    fn legal_summary(&self, notation: impl Fn(&Self, Move) -> String) -> String {
        let moves: MoveList = self.legal_moves();
        let examples: Vec<String> =
            moves.iter().take(EXAMPLES).map(|&m| notation(self, m)).collect();
        let fen = self.fen();
        match examples.as_slice() {
            [] => format!("'{fen}' has no legal moves"),
            [only] if moves.len() == 1 => format!("the only legal move of '{fen}' is {only}"),
            some => format!("'{fen}' has {} legal moves, such as {}", moves.len(), some.join(", ")),
        }
    }
}
