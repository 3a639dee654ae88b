//! The games that PGN may hold, told apart by the tag `Variant`.

use shakmaty::{Color, Position};

use super::words::Written;
use crate::error::Result;
use crate::games::boards::board::end_on_board;
use crate::games::boards::{BoardState, PackedMove, Rules, actions, fen};

/// A game that PGN may hold.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    name: &'static str,
    variants: &'static [&'static str],
    begin: fn(Option<&str>) -> Result<Begun>,
    claims: fn(&str) -> bool,
}

/// A game that has begun: the FEN of its start, `None` for the usual one, and its position.
pub(super) type Begun = (Option<String>, Box<dyn Line>);

impl Kind {
    /// The kind of games with the rules `R`.
    pub const fn of<R: Rules>() -> Self {
        Self {
            name: R::NAME,
            variants: R::PGN_VARIANTS,
            begin: begin::<R>,
            claims: R::claims_start,
        }
    }

    /// The name of the game.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a value of the tag, trimmed and in lower case, means this game.
    pub(super) fn is_meant_by(&self, variant: &str) -> bool {
        self.name == variant || self.variants.contains(&variant)
    }

    /// How much a value of the tag, in lower case, is like a name of this game, from 0 to 1.
    pub(super) fn likeness(&self, variant: &str) -> f64 {
        let names = self.variants.iter().chain([&self.name]);
        names.map(|name| strsim::normalized_damerau_levenshtein(name, variant)).fold(0.0, f64::max)
    }

    /// Whether a start position says by itself that it is one of this game.
    pub(super) fn claims(&self, fen: &str) -> bool {
        (self.claims)(fen)
    }

    /// The start of a game, at a FEN if one is given.
    pub(super) fn begin(&self, fen: Option<&str>) -> Result<Begun> {
        (self.begin)(fen)
    }
}

fn begin<R: Rules>(fen: Option<&str>) -> Result<Begun> {
    let state = match fen {
        Some(fen) => BoardState::<R>::from_fen(fen)?,
        None => BoardState::initial(),
    };
    Ok((state.start_fen(), Box::new(LineOf::<R>(state.position().clone()))))
}

/// A position that moves are played in.
pub(super) trait Line {
    /// Plays the one legal move that is meant, if there is one; its action. Its UCI notation is added
    /// to `moves`, if they are given.
    fn play(&mut self, written: Written, moves: Option<&mut Vec<String>>) -> Option<u16>;

    /// The number of the next move, and who plays it.
    fn next(&self) -> (u32, Color);

    /// The result for White, if the game is over by mate, by the end of the variant or by stalemate.
    fn end(&self) -> Option<i8>;

    /// The FEN of the position.
    fn fen(&self) -> String;
}

struct LineOf<R: Rules>(R::Position);

impl<R: Rules> Line for LineOf<R> {
    fn play(&mut self, written: Written, moves: Option<&mut Vec<String>>) -> Option<u16> {
        const { assert!(R::NUM_ACTIONS <= 1 << u16::BITS, "an action fits into sixteen bits") }
        let m = written.to_move::<R>(&self.0)?;
        let action = actions::action_of(m, self.0.turn(), R::MODE);
        if let Some(moves) = moves {
            moves.push(PackedMove::pack(m, R::MODE).to_string());
        }
        self.0.play_unchecked(m);
        Some(action as u16)
    }

    fn next(&self) -> (u32, Color) {
        (self.0.fullmoves().get(), self.0.turn())
    }

    fn end(&self) -> Option<i8> {
        let end = end_on_board::<R>(&self.0, !R::has_legal_move(&self.0))?;
        Some(end.winner.map_or(0, |winner| if winner == 0 { 1 } else { -1 }))
    }

    fn fen(&self) -> String {
        fen::text(&self.0)
    }
}
