//! What records ask of a game beside its rules: every question has an answer that fits most games.

use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, Player, PlayerSet, Turn};
use crate::planes::PackedRow;

/// A game whose games can be stored: as a start and the indices of the actions played from it.
pub trait Stored: Game {
    /// Plies between the states of a game that samplers keep, in games that are dear to replay; 0:
    /// they keep none.
    const KEPT_EVERY: usize = 0;

    /// In how many ways a state can be turned into one of the same worth, leaving it as it is
    /// included. Symmetry 0 does that.
    const SYMMETRIES: usize = 1;

    /// Plays the stored actions of a ply, checked for legality. `joint` holds the action of the player
    /// to move, or where several move at once one of every player: 0 for those who do not act.
    ///
    /// Games that can be played on where a rule could have ended them allow that.
    fn play_stored(&mut self, joint: &[u16]) -> Result<()> {
        let mut actions: [Action; MAX_PLAYERS] = [0; MAX_PLAYERS];
        let Turn::Simultaneous(acting) = self.turn() else {
            for (action, &stored) in actions.iter_mut().zip(joint) {
                *action = Action::from(stored);
            }
            return self.apply(&actions[..joint.len().min(MAX_PLAYERS)]);
        };
        let mut count = 0;
        for (player, &stored) in joint.iter().enumerate() {
            if acting.contains(player as Player) {
                actions[count] = Action::from(stored);
                count += 1;
            } else if stored != 0 {
                return Err(Error::IllegalAction(format!(
                    "action {stored} of player {player}, who does not act: expected 0"
                )));
            }
        }
        self.apply(&actions[..count])
    }

    /// Whether the rules have ended the game, asked before an action is played that is checked itself:
    /// ends that leave no legal action may go unnoticed.
    fn has_ended(&self) -> bool {
        self.outcome().is_some()
    }

    /// A state that planes and actions cannot tell from the one after `actions`, `width` a ply, from
    /// `start`. The actions were legal when they were stored; others give an error or a wrong state,
    /// never a panic.
    fn replayed(start: &Self, actions: &[u16], width: usize) -> Result<Self> {
        let mut state = start.clone();
        actions.chunks(width).try_for_each(|joint| state.play_stored(joint))?;
        Ok(state)
    }

    /// Hides the moves so far from planes, in games whose planes show them.
    fn hide_history(&mut self) {}

    /// Whether planes have the state's size; they do in games whose boards are all alike.
    fn fits(&self, _planes: Self::Planes) -> bool {
        true
    }

    /// Whether the state keeps its worth when it is turned, in games with symmetries.
    fn is_symmetric(&self) -> bool {
        true
    }

    /// Writes the planes that `player` sees of the state turned by `symmetry`, which it has, like
    /// [`Game::encode`].
    fn encode_turned(&self, planes: Self::Planes, player: Player, _symmetry: u8, out: &mut [f32]) {
        self.encode(planes, player, out);
    }

    /// Writes the planes of [`Stored::encode_turned`] in their packed form, like
    /// [`Game::encode_packed`].
    fn encode_turned_packed(
        &self,
        planes: Self::Planes,
        player: Player,
        symmetry: u8,
        out: &mut PackedRow<'_>,
    ) {
        let mut floats = vec![0.0; Self::plane_shape(planes).iter().product()];
        self.encode_turned(planes, player, symmetry, &mut floats);
        Self::packed_layout(planes).pack(&floats, out);
    }

    /// What an action becomes if the state is turned by `symmetry`.
    #[must_use]
    fn turned_action(action: Action, _symmetry: u8) -> Action {
        action
    }

    /// What the hash of a game reads of its actions. Games that were stored in another form before
    /// give that form, so that a store read from an old file is split as it was.
    fn hashed(_start: &Self, actions: &[u16]) -> Result<Vec<u16>> {
        Ok(actions.to_vec())
    }
}

/// How many actions a stored ply of games like this one has: one of each player where several move at
/// once, otherwise one.
pub(super) fn width<G: Game>(start: &G) -> usize {
    match start.turn() {
        Turn::Simultaneous(_) => start.num_players(),
        Turn::Player(_) | Turn::Over => 1,
    }
}

/// The players whose actions in a state are something to learn from, in a state that is known to go
/// on.
pub(super) fn learners<G: Game>(state: &G) -> PlayerSet {
    if let Some(player) = state.actor() {
        return PlayerSet::of([player]);
    }
    match state.turn() {
        Turn::Simultaneous(acting) => {
            PlayerSet::of(acting.iter().filter(|&player| !state.is_idle(player)))
        }
        Turn::Player(_) | Turn::Over => PlayerSet(0),
    }
}
