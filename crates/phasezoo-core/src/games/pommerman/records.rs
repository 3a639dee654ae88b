//! Stored games: kept states, the eight symmetries, and what an episode is worth.

use super::config::Mode;
use super::game::PommermanPlanes;
use super::state::{State, action};
use super::symmetry::{SYMMETRIES, Symmetry};
use crate::game::{Action, Player, Returns};
use crate::records::Stored;

impl Stored for State {
    /// Of the distances 2, 4, 8, 16 and 32 the longest with which a core makes 300,000 rows a second:
    /// 390,000, 340,000, 280,000, 210,000, 140,000 (`python -m benchmarks sampler`).
    const KEPT_EVERY: usize = 4;

    const SYMMETRIES: usize = SYMMETRIES;

    fn fits(&self, planes: PommermanPlanes) -> bool {
        planes.size == self.config.size
    }

    fn encode_turned(
        &self,
        _planes: PommermanPlanes,
        player: Player,
        symmetry: u8,
        out: &mut [f32],
    ) {
        self.write_turned(player, Symmetry::new(symmetry), out);
    }

    /// Words stay what they are.
    fn turned_action(index: Action, symmetry: u8) -> Action {
        let given = index % action::COUNT as Action;
        index - given + Action::from(Symmetry::new(symmetry).action(given as u8))
    }

    /// 1 won, -1 lost or dead, 0 nobody won and they were there to the end
    /// (`docs/definitions/data.md`).
    fn targets(last: &Self, end: &Self) -> Returns {
        let (paid, players) = (end.paid(), end.config.players());
        let is_won = paid.iter().any(|&paid| paid > 0);
        let is_ffa = end.config.mode == Mode::Ffa;
        let value = |player: usize| {
            if is_won {
                return f32::from(paid[player]);
            }
            let has_died = last.living() >> player & 1 == 0 && is_ffa;
            if has_died { -1.0 } else { 0.0 }
        };
        let values: Vec<f32> = (0..players).map(value).collect();
        Returns::new(&values)
    }
}
