//! Tic-tac-toe.

use phasezoo_core::game::{Action, Game, Outcome, Player, Reason, Returns, Store, Turn};
use phasezoo_core::{Error, Result};

const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Cells taken by each player, as bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TicTacToe {
    pub cells: [u16; 2],
    pub ply: u32,
}

impl TicTacToe {
    pub fn after(moves: &[Action]) -> Self {
        let mut state = Self::default();
        for &action in moves {
            state.apply(&[action]).unwrap();
        }
        state
    }

    fn winner(&self) -> Option<Player> {
        (0..2).find(|&p| LINES.iter().any(|line| self.cells[usize::from(p)] & line == *line))
    }
}

impl Game for TicTacToe {
    type Planes = ();
    type Kept = Store<Self>;

    const NAME: &'static str = "tic-tac-toe";

    fn num_players(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        9
    }

    fn turn(&self) -> Turn {
        if self.outcome().is_some() { Turn::Over } else { Turn::Player((self.ply % 2) as Player) }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if self.turn() == Turn::Player(player) {
            let taken = self.cells[0] | self.cells[1];
            actions.extend((0..9).filter(|cell| taken >> cell & 1 == 0));
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        let &[cell @ 0..=8] = joint else {
            return Err(Error::IllegalAction(format!("{joint:?}")));
        };
        self.cells[(self.ply % 2) as usize] |= 1 << cell;
        self.ply += 1;
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = self.winner();
        (winner.is_some() || self.ply == 9)
            .then_some(Outcome { winner, reason: Reason::Other("line or full") })
    }

    fn returns(&self) -> Returns {
        Returns::zero_sum(self.winner())
    }

    fn plane_shape((): ()) -> [usize; 3] {
        [2, 3, 3]
    }

    fn encode(&self, (): (), player: Player, out: &mut [f32]) {
        for (i, value) in out.iter_mut().enumerate() {
            let owner = (i / 9) ^ usize::from(player);
            *value = f32::from(self.cells[owner] >> (i % 9) & 1);
        }
    }

    fn key(&self) -> u64 {
        u64::from(self.cells[0]) | u64::from(self.cells[1]) << 16
    }
}
