//! One step of a game.

use super::config::MAX_PLAYERS;
use super::state::State;

impl State {
    /// Plays one step by the rules of movement and fire alone: no counter, no collapse, no check of
    /// actions, which are below 6. Actions of dead players are ignored.
    pub fn forward(&mut self, actions: [u8; MAX_PLAYERS]) {
        self.burn();
        self.move_all(actions);
        let burning = self.explode();
        self.redraw(burning);
    }

    /// Plays one step and says what it pays, and whether it ends the game: both as the game stands
    /// before the board collapses, which counts in the next step.
    pub fn step(&mut self, actions: [u8; MAX_PLAYERS]) -> ([i8; MAX_PLAYERS], bool) {
        self.uncollapsed = None;
        self.forward(actions);
        self.step_count += 1;
        let (rewards, is_done) = (self.rewards(), self.is_done());
        self.paid = is_done.then_some(rewards);
        if let Some(ring) = self.ring_due() {
            self.uncollapsed = Some(Box::new(self.clone()));
            self.collapse(ring);
        }
        (rewards, is_done)
    }
}
