//! The rules.

use crate::error::{Error, Result};
use crate::game::{Action, Game, Outcome, Player, Reason, Replay, Returns, Turn};
use crate::games::connect_four::planes::ConnectFourPlanes;
use crate::games::connect_four::stones::{COLUMNS, ROWS, Stones};
use crate::gate::{GateKind, Plies, Side};
use crate::planes::{PackedRow, PlaneKind};
use crate::rng::mix;

/// Bits that one column takes in the list of columns played.
const DIGIT: u32 = 3;

/// A game of Connect Four: the stones and the order in which they fell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ConnectFour {
    stones: [Stones; 2],
    /// The columns played, three bits each, the first in the lowest bits.
    columns: u128,
    ply: u8,
    /// Whether the player who moved last has four in a line.
    won: bool,
}

impl ConnectFour {
    /// The stones of `player`.
    pub const fn stones(&self, player: Player) -> Stones {
        self.stones[player as usize]
    }

    /// All stones.
    pub const fn all(&self) -> Stones {
        self.stones[0].union(self.stones[1])
    }

    /// Whose turn it is; after the end the player who would be next.
    pub const fn player_to_move(&self) -> Player {
        self.ply & 1
    }

    /// The columns played, 0 for the leftmost, oldest first.
    pub fn played(&self) -> impl Iterator<Item = u8> {
        (0..u32::from(self.ply)).map(|at| (self.columns >> (DIGIT * at)) as u8 & 7)
    }

    /// How many empty cells would make four in a line for either player, whoever is to move and
    /// whether or not a stone can be dropped there now.
    pub fn threats(&self) -> u32 {
        let [first, second] = self.stones.map(Stones::completions);
        first.union(second).without(self.all()).count()
    }

    /// The game seen in a mirror: column 0 is the last, and so on.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let last = COLUMNS as u8 - 1;
        let mirror = |columns, (at, column): (usize, u8)| {
            columns | u128::from(last - column) << (DIGIT as usize * at)
        };
        Self { columns: self.played().enumerate().fold(0, mirror), ..self.with_mirrored_stones() }
    }

    /// The board seen in a mirror, for those who do not ask how the game went.
    pub(super) fn with_mirrored_stones(&self) -> Self {
        Self { stones: self.stones.map(Stones::mirrored), ..*self }
    }

    const fn is_over(&self) -> bool {
        self.won || self.ply as usize == ROWS * COLUMNS
    }

    /// Drops a stone of the player to move into an open column.
    fn drop_stone(&mut self, column: usize) {
        let player = usize::from(self.player_to_move());
        let own = self.stones[player].union(self.all().landing(column));
        self.stones[player] = own;
        self.columns |= (column as u128) << (DIGIT * u32::from(self.ply));
        self.ply += 1;
        self.won = own.has_line();
    }
}

impl Game for ConnectFour {
    type Planes = ConnectFourPlanes;

    /// Twenty drops cost less than a node's memory.
    type Kept = Replay;

    const NAME: &'static str = "connect-four";

    const PLIES: Plies = Plies { name: "plies", default: Some("14,28") };

    fn num_players(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        COLUMNS
    }

    fn turn(&self) -> Turn {
        if self.is_over() { Turn::Over } else { Turn::Player(self.player_to_move()) }
    }

    fn ply(&self) -> u32 {
        u32::from(self.ply)
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if self.turn() != Turn::Player(player) {
            return;
        }
        let mut open = self.all().open_columns();
        actions.reserve(COLUMNS);
        while open != 0 {
            actions.push(open.trailing_zeros());
            open &= open - 1;
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        let &[column] = joint else {
            return Err(Error::IllegalAction(format!(
                "{} actions: one player moves at a time",
                joint.len()
            )));
        };
        if self.is_over() {
            return Err(Error::IllegalAction(format!(
                "action {column}: the game is over, no action can be played"
            )));
        }
        if column as usize >= COLUMNS {
            return Err(Error::IllegalAction(format!(
                "action {column}: expected a column from 0 to {}",
                COLUMNS - 1
            )));
        }
        if self.all().open_columns() >> column & 1 == 0 {
            return Err(Error::IllegalAction(format!(
                "action {column}: that column is full; action_mask shows the open ones"
            )));
        }
        self.drop_stone(column as usize);
        Ok(())
    }

    fn apply_legal(&mut self, joint: &[Action]) -> Result<()> {
        let &[column] = joint else {
            return self.apply(joint);
        };
        self.drop_stone(column as usize);
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.won {
            let winner = Some(1 - self.player_to_move());
            return Some(Outcome { winner, reason: Reason::Other("connect_four") });
        }
        self.is_over().then_some(Outcome { winner: None, reason: Reason::Other("board_full") })
    }

    fn returns(&self) -> Returns {
        Returns::zero_sum(self.won.then(|| 1 - self.player_to_move()))
    }

    fn plane_shape(planes: Self::Planes) -> [usize; 3] {
        planes.shape()
    }

    fn encode(&self, planes: Self::Planes, player: Player, out: &mut [f32]) {
        planes.write(self, player, out);
    }

    fn plane_kinds(planes: Self::Planes) -> Vec<PlaneKind> {
        planes.kinds()
    }

    fn encode_packed(&self, planes: Self::Planes, player: Player, out: &mut PackedRow<'_>) {
        planes.pack(self, player, out);
    }

    fn gates() -> Vec<GateKind<Self>> {
        vec![GateKind::measured("threats", Side::From, Some("1,3"), |state, _| {
            Ok(Some(state.threats()))
        })]
    }

    fn key(&self) -> u64 {
        // The stones of one player and all stones say everything, whose turn it is included.
        mix(self.stones[0].0 ^ mix(self.all().0))
    }
}
