//! Stored games: kept states and the eight symmetries.

use super::game::PommermanPlanes;
use super::state::{State, action};
use super::symmetry::{SYMMETRIES, Symmetry};
use crate::game::{Action, Player};
use crate::planes::PackedRow;
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

    fn encode_turned_packed(
        &self,
        _planes: PommermanPlanes,
        player: Player,
        symmetry: u8,
        out: &mut PackedRow<'_>,
    ) {
        self.pack_turned(player, Symmetry::new(symmetry), out);
    }

    /// Words stay what they are.
    fn turned_action(index: Action, symmetry: u8) -> Action {
        let given = index % action::COUNT as Action;
        index - given + Action::from(Symmetry::new(symmetry).action(given as u8))
    }
}
