//! Games that are thrown together: every node of a random tree has a number of moves, a player and, at
//! the ends, returns, all derived from the path by a hash. Players may move twice in a row.

use phasezoo_core::game::{Action, Game, Outcome, Player, Reason, Replay, Returns, Turn};
use phasezoo_core::rng::mix;
use phasezoo_core::{Error, Result};

/// A position of a random game.
#[derive(Clone, Debug, PartialEq)]
pub struct Dice {
    /// Hash of the seed and the moves so far.
    pub hash: u64,
    pub players: usize,
    /// Whether returns are -1, 0 or 1 instead of any number between.
    pub whole: bool,
    pub ply: u32,
    pub max_plies: u32,
    /// Whether the same moves in another order lead to the same position.
    pub commutes: bool,
}

impl Dice {
    pub fn new(seed: u64, players: usize, whole: bool, max_plies: u32) -> Self {
        Self { hash: mix(seed ^ 0xd1ce), players, whole, ply: 0, max_plies, commutes: false }
    }

    fn draw(&self, what: u64, bound: u64) -> u64 {
        mix(self.hash ^ mix(what)) % bound
    }

    fn is_over(&self) -> bool {
        self.ply == self.max_plies || (self.ply > 1 && self.draw(1, 6) == 0)
    }
}

impl Game for Dice {
    type Planes = ();
    type Kept = Replay;

    const NAME: &'static str = "dice";

    fn num_players(&self) -> usize {
        self.players
    }

    fn num_actions(&self) -> usize {
        8
    }

    fn turn(&self) -> Turn {
        if self.is_over() {
            return Turn::Over;
        }
        Turn::Player(self.draw(2, self.players as u64) as Player)
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if self.turn() == Turn::Player(player) {
            let first = self.draw(3, 4) as Action;
            actions.extend(first..first + 1 + self.draw(4, 4) as Action);
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        match joint {
            &[action] if !self.is_over() => {
                self.hash = self.hash.wrapping_add(mix(u64::from(action) + 7));
                if !self.commutes {
                    self.hash = mix(self.hash);
                }
                self.ply += 1;
                Ok(())
            }
            _ => Err(Error::IllegalAction(format!("{joint:?}"))),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then_some(Outcome { winner: None, reason: Reason::Other("thrown") })
    }

    fn returns(&self) -> Returns {
        let value = |player: usize| {
            // Fine enough that no two returns are equal unless they are meant to be.
            let drawn = self.draw(10 + player as u64, 1 << 24) as f32 / (1 << 23) as f32 - 1.0;
            if self.whole { (drawn * 1.5).round().clamp(-1.0, 1.0) } else { drawn * 0.999 }
        };
        if !self.is_over() {
            return Returns::all(0.0, self.players);
        }
        match self.players {
            2 => Returns::new(&[value(0), -value(0)]),
            many => Returns::new(&(0..many).map(value).collect::<Vec<_>>()),
        }
    }

    fn plane_shape((): ()) -> [usize; 3] {
        [1, 1, 1]
    }

    fn encode(&self, (): (), player: Player, out: &mut [f32]) {
        out[0] = f32::from(player);
    }

    fn key(&self) -> u64 {
        self.hash
    }
}
