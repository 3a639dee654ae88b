//! States as bytes, for pickles and for sending between processes: where the game started and its
//! moves, from which everything else follows.

use crate::error::{Error, Result};
use crate::games::boards::board::BoardState;
use crate::games::boards::packed::PackedMove;
use crate::games::boards::rules::Rules;

/// The first byte, raised when the layout changes.
const VERSION: u8 = 3;

impl<R: Rules> BoardState<R> {
    /// The state as bytes: version, length of the game's name, the name, length of the start FEN as u16
    /// (0 for the usual start), the start FEN, the number of moves hidden from planes as u32, then the
    /// moves as u16 each. Numbers are little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let start = self.start_fen().unwrap_or_default();
        let moves = self.history().moves();
        let mut bytes = Vec::with_capacity(16 + start.len() + 2 * moves.len());
        bytes.extend([VERSION, R::NAME.len() as u8]);
        bytes.extend(R::NAME.as_bytes());
        bytes.extend((start.len() as u16).to_le_bytes());
        bytes.extend(start.as_bytes());
        bytes.extend(self.history().hidden().to_le_bytes());
        bytes.extend(moves.iter().flat_map(|played| played.0.to_le_bytes()));
        bytes
    }

    /// The state of [`Self::to_bytes`]; every move is checked, the end of the
    /// game by a draw is not, so that a replayed record comes back whatever it holds.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let corrupt = |reason: &str| {
            Error::CorruptRecord(format!("a state of {} bytes: {reason}", bytes.len()))
        };
        let (&[version, length], rest) =
            bytes.split_first_chunk().ok_or_else(|| corrupt("too short"))?;
        if version != VERSION {
            return Err(corrupt(&format!("version {version}; expected version {VERSION}")));
        }
        let (name, rest) = rest
            .split_at_checked(usize::from(length))
            .ok_or_else(|| corrupt("the name of the game is cut off"))?;
        if name != R::NAME.as_bytes() {
            let name = String::from_utf8_lossy(name);
            return Err(corrupt(&format!("a state of {name:?}, not of {:?}", R::NAME)));
        }
        let (&[low, high], rest) = rest
            .split_first_chunk()
            .ok_or_else(|| corrupt("the length of the start FEN is cut off"))?;
        let length = usize::from(u16::from_le_bytes([low, high]));
        let (start, rest) =
            rest.split_at_checked(length).ok_or_else(|| corrupt("the start FEN is cut off"))?;
        let (hidden, moves) =
            rest.split_first_chunk().ok_or_else(|| corrupt("the history is cut off"))?;
        let (moves, []) = moves.as_chunks::<2>() else {
            return Err(corrupt("the last move is cut off"));
        };
        let mut state = if start.is_empty() {
            if !R::HAS_USUAL_START {
                return Err(corrupt("no start FEN, which this game needs"));
            }
            Self::initial()
        } else {
            let start =
                std::str::from_utf8(start).map_err(|_| corrupt("the start FEN is not text"))?;
            Self::from_fen(start)?
        };
        for &played in moves {
            let m = PackedMove(u16::from_le_bytes(played)).unpack(state.position())?;
            state.play_move(m);
        }
        state.history_mut().hide_moves_before(u32::from_le_bytes(*hidden));
        Ok(state)
    }
}
