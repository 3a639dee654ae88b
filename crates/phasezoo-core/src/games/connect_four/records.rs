//! Stored games and their mirror images.

use crate::game::{Action, Game, Player};
use crate::games::connect_four::game::ConnectFour;
use crate::games::connect_four::planes::ConnectFourPlanes;
use crate::games::connect_four::stones::COLUMNS;
use crate::planes::PackedRow;
use crate::records::Stored;

impl Stored for ConnectFour {
    /// As they are, and left and right changed.
    const SYMMETRIES: usize = 2;

    fn encode_turned(
        &self,
        planes: ConnectFourPlanes,
        player: Player,
        _symmetry: u8,
        out: &mut [f32],
    ) {
        self.with_mirrored_stones().encode(planes, player, out);
    }

    fn encode_turned_packed(
        &self,
        planes: ConnectFourPlanes,
        player: Player,
        _symmetry: u8,
        out: &mut PackedRow<'_>,
    ) {
        self.with_mirrored_stones().encode_packed(planes, player, out);
    }

    fn turned_action(action: Action, _symmetry: u8) -> Action {
        (COLUMNS as Action - 1).saturating_sub(action)
    }
}
