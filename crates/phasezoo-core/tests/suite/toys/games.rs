//! Two games small enough to be worked out by hand.

use phasezoo_core::game::{
    Action, Game, Outcome, Player, PlayerSet, Reason, Replay, Returns, Turn,
};
use phasezoo_core::{Error, Result};

/// A total at which no action is legal although the game goes on: a broken game.
pub(crate) const STUCK: u32 = 1000;

/// Three players in turn add 1, 2 or 3 to a total; whoever brings it to exactly 10 wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Race {
    pub(crate) total: u32,
    pub(crate) ply: u32,
}

impl Game for Race {
    type Planes = ();
    type Kept = Replay;

    const NAME: &'static str = "race";

    fn num_players(&self) -> usize {
        3
    }

    fn num_actions(&self) -> usize {
        4
    }

    fn turn(&self) -> Turn {
        if self.total == 10 { Turn::Over } else { Turn::Player((self.ply % 3) as Player) }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if self.turn() == Turn::Player(player) {
            actions.extend((1..=3).filter(|action| self.total + action <= 10));
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        match joint {
            &[action @ 1..=3] if self.total + action <= 10 => {
                self.total += action;
                self.ply += 1;
                Ok(())
            }
            _ => Err(Error::IllegalAction(format!("{joint:?}"))),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = (self.total == 10).then(|| ((self.ply + 2) % 3) as Player);
        winner.map(|player| Outcome { winner: Some(player), reason: Reason::Other("reached") })
    }

    fn returns(&self) -> Returns {
        match self.outcome().and_then(|outcome| outcome.winner) {
            None => Returns::all(0.0, 3),
            Some(winner) => {
                let mut values = [-1.0; 3];
                values[usize::from(winner)] = 1.0;
                Returns::new(&values)
            }
        }
    }

    fn plane_shape((): ()) -> [usize; 3] {
        [2, 1, 1]
    }

    fn encode(&self, (): (), player: Player, out: &mut [f32]) {
        out.copy_from_slice(&[self.total as f32, f32::from(player)]);
    }

    fn key(&self) -> u64 {
        u64::from(self.total)
    }
}

/// Two players show a coin at once, three times; player 0 wins the rounds in which they are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pennies {
    pub(crate) equal: u32,
    pub(crate) ply: u32,
}

impl Game for Pennies {
    type Planes = ();
    type Kept = Replay;

    const NAME: &'static str = "pennies";

    fn num_players(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        2
    }

    fn turn(&self) -> Turn {
        if self.ply == 3 { Turn::Over } else { Turn::Simultaneous(PlayerSet::first(2)) }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn legal_actions(&self, _player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(0..if self.ply == 3 { 0 } else { 2 });
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        match joint {
            &[first @ 0..=1, second @ 0..=1] => {
                self.equal += u32::from(first == second);
                self.ply += 1;
                Ok(())
            }
            _ => Err(Error::IllegalAction(format!("{joint:?}"))),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Player::from(self.equal < 2);
        (self.ply == 3)
            .then_some(Outcome { winner: Some(winner), reason: Reason::Other("counted") })
    }

    fn returns(&self) -> Returns {
        match self.outcome() {
            None => Returns::all(0.0, 2),
            Some(outcome) => Returns::zero_sum(outcome.winner),
        }
    }

    fn plane_shape((): ()) -> [usize; 3] {
        [2, 1, 1]
    }

    fn encode(&self, (): (), player: Player, out: &mut [f32]) {
        out.copy_from_slice(&[self.equal as f32, f32::from(player)]);
    }

    fn key(&self) -> u64 {
        u64::from(self.ply)
    }
}
