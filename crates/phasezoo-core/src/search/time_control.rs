//! Time for a move, from what is left on the clock (`docs/definitions/limits.md`).

use std::time::Duration;

/// Moves among which the time left is divided if nobody says how many are to come: a twentieth is spent
/// on each (Silver et al., `AlphaZero` 2018, evaluation).
const MOVES: u32 = 20;

/// The largest share of the usable time that is planned for one move. The rest is for evaluators that
/// take longer than they used to.
const LARGEST_SHARE: f64 = 0.8;

/// Overheads that are not planned with: that of the move, and two for moves that take longer than they
/// were meant to, as they do where other programs use the same cores.
const RESERVE: u32 = 3;

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// Time left.
    pub left: Duration,
    /// Time that is added after the move.
    pub increment: Duration,
    /// Moves until more time is added, this one among them; `None` if there is none to come.
    pub moves_to_go: Option<u32>,
    /// Time that a move loses on its way to the clock.
    pub overhead: Duration,
}

/// What a move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// Time meant for it: no leaf goes out that would come back later.
    pub target: Duration,
    /// When it has to be played, whatever has been found.
    pub most: Duration,
}

impl TimeControl {
    /// The time for the next move.
    ///
    /// Of what is usable, the time left less three overheads, `target` is the share of one move with the
    /// increment, and no more than four fifths of it. `most` is the time left less one overhead, or
    /// half the time left if that is more.
    pub fn allot(&self) -> Allotment {
        let usable = self.left.saturating_sub(self.overhead.saturating_mul(RESERVE));
        let moves = self.moves_to_go.unwrap_or(MOVES).max(1);
        let share = usable / moves;
        let target = share.saturating_add(self.increment).min(usable.mul_f64(LARGEST_SHARE));
        let most = self.left.saturating_sub(self.overhead).max(self.left / 2);
        Allotment { target, most }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn control(left: u64, increment: u64, moves_to_go: Option<u32>) -> Allotment {
        let (left, increment, overhead) = (ms(left), ms(increment), ms(100));
        TimeControl { left, increment, moves_to_go, overhead }.allot()
    }

    #[test]
    fn a_twentieth_and_the_increment_are_spent() {
        assert_eq!(control(10_300, 50, None), Allotment { target: ms(550), most: ms(10_200) });
        assert_eq!(control(10_300, 0, Some(40)).target, ms(250));
        assert_eq!(control(10_300, 0, Some(1)).target, ms(8_000));
        assert_eq!(control(10_300, 60_000, None).target, ms(8_000));
    }

    #[test]
    fn who_has_nothing_left_moves_at_once() {
        assert_eq!(control(100, 10, None), Allotment { target: ms(0), most: ms(50) });
        assert_eq!(control(0, 0, Some(0)), Allotment { target: ms(0), most: ms(0) });
        // A whole game at 1 s and 10 ms a move: each move takes what is planned and half as much again.
        let (mut left, mut moves) = (1_000.0, 0);
        while moves < 500 {
            let allotted = control(left as u64, 10, None);
            left -= allotted.target.as_secs_f64() * 1_500.0;
            assert!(left > 250.0, "{left} ms after {moves} moves");
            left += 10.0;
            moves += 1;
        }
    }
}
