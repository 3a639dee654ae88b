//! Pommerman as a [`Game`].

use super::config::{MAX_PLAYERS, Mode};
use super::planes::{CHANNELS, KINDS};
use super::state::{NOWHERE, State, action, cell};
use super::symmetry::Symmetry;
use super::tracker::Tracker;
use super::{gates, planners};
use crate::error::{Error, Result};
use crate::game::{
    Action, Game, Outcome, Player, PlayerSet, Reason, Returns, Scripted, Store, Turn,
};
use crate::gate::{GateKind, Plies};
use crate::planes::{PackedRow, PlaneKind};
use crate::rng::mix;

/// Words of the radio's vocabulary.
const WORDS: usize = 8;
/// Actions with two words each.
const RADIO_ACTIONS: usize = action::COUNT * WORDS * WORDS;

/// What one's own death is worth to a search while a team mate lives.
const DEAD_WITH_MATE: f32 = -0.5;

/// The only choice of planes: 23.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PommermanPlanes {
    /// The side of the board.
    pub size: u8,
}

/// What an action index says: what to do, and two words in games with a radio. The index is
/// `action + 6 * (first word + 8 * second word)`.
pub fn decode(index: Action) -> (u8, [u8; 2]) {
    let (words, action) = (index as usize / action::COUNT, index as usize % action::COUNT);
    (action as u8, [(words % WORDS) as u8, (words / WORDS % WORDS) as u8])
}

impl State {
    /// Who acts in the next step: the living, in team games also the dead, who can only stop.
    pub fn acting(&self) -> PlayerSet {
        match self.config.mode {
            _ if self.is_over() => PlayerSet(0),
            Mode::Team | Mode::TeamRadio => PlayerSet::first(self.config.players()),
            Mode::Ffa | Mode::OneVsOne => PlayerSet(self.living()),
        }
    }

    fn actions_of(&self, joint: &[Action]) -> Result<[u8; MAX_PLAYERS]> {
        let (acting, players) = (self.acting(), self.config.players());
        let expected = acting.iter().count();
        let by_player = if joint.len() == players {
            PlayerSet::first(players)
        } else if joint.len() == expected {
            acting
        } else {
            return Err(Error::IllegalAction(format!(
                "{} actions were given; {expected} players act now, {players} take part: give one \
                 action for each",
                joint.len()
            )));
        };
        let most = self.num_actions();
        if let Some(index) = joint.iter().find(|&&index| index as usize >= most) {
            return Err(Error::IllegalAction(format!(
                "action {index}: expected a whole number from 0 to {}",
                most - 1
            )));
        }
        let mut actions = [action::STOP; MAX_PLAYERS];
        for (player, &index) in by_player.iter().zip(joint) {
            actions[usize::from(player)] = decode(index).0;
        }
        Ok(actions)
    }

    /// The words of a step; who was dead before it says nothing.
    fn hear(&mut self, joint: &[Action]) {
        if self.config.mode != Mode::TeamRadio {
            return;
        }
        let living = self.living();
        for (player, &index) in joint.iter().enumerate().take(MAX_PLAYERS) {
            let is_alive = living >> player & 1 == 1;
            self.words[player] = if is_alive { decode(index).1 } else { [0; 2] };
        }
    }
}

impl Game for State {
    type Planes = PommermanPlanes;

    type Kept = Store<Self>;

    const NAME: &'static str = "pommerman";
    const PLIES: Plies = Plies { name: "steps", default: Some("40") };

    fn num_players(&self) -> usize {
        self.config.players()
    }

    fn num_actions(&self) -> usize {
        if self.config.mode == Mode::TeamRadio { RADIO_ACTIONS } else { action::COUNT }
    }

    fn turn(&self) -> Turn {
        if self.is_over() { Turn::Over } else { Turn::Simultaneous(self.acting()) }
    }

    fn ply(&self) -> u32 {
        self.step_count
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if !self.acting().contains(player) {
            return;
        }
        if self.agents[usize::from(player)].alive {
            actions.extend(0..self.num_actions() as Action);
        } else {
            actions.push(Action::from(action::STOP));
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        if self.is_over() {
            return Err(Error::IllegalAction(format!(
                "the game is over after {} steps; start a new one",
                self.step_count
            )));
        }
        let actions = self.actions_of(joint)?;
        self.hear(joint);
        self.step(actions);
        Ok(())
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let living = self.living();
        let reason = if living.is_power_of_two() && !self.config.mode.has_teams() {
            Reason::LastStanding
        } else if self.team_left().is_some() && self.config.mode.has_teams() {
            Reason::LastTeamStanding
        } else if living == 0 {
            Reason::AllDead
        } else {
            Reason::StepLimit
        };
        let paid = self.paid();
        let mut winners = (0..self.config.players()).filter(|&player| paid[player] > 0);
        let winner = winners.next().filter(|_| winners.next().is_none());
        Some(Outcome { winner: winner.map(|player| player as Player), reason })
    }

    fn returns(&self) -> Returns {
        let paid = self.paid().map(f32::from);
        let players = self.config.players();
        if self.is_over() { Returns::new(&paid[..players]) } else { Returns::all(0.0, players) }
    }

    fn settled(&self, player: Player) -> Option<f32> {
        let has_left = !self.config.mode.has_teams() && !self.agents[usize::from(player)].alive;
        (has_left && !self.is_over()).then_some(-1.0)
    }

    /// The dead of a team, who are asked until the game ends.
    fn is_idle(&self, player: Player) -> bool {
        !self.agents[usize::from(player)].alive
    }

    /// As the published search has it: 1 for a win, -1 for a loss and for one's own death, -0.5 for that
    /// if a team mate lives on, 0 if nobody has won.
    fn worth(&self, player: Player) -> Option<f32> {
        let is_alive = self.agents[usize::from(player)].alive;
        if self.is_over() {
            let paid = self.paid();
            let won = self.agents().iter().zip(paid).any(|(_, paid)| paid > 0);
            return Some(if won { f32::from(paid[usize::from(player)]) } else { 0.0 });
        }
        match (is_alive, self.config.mode.has_teams()) {
            (true, _) => None,
            (false, false) => Some(-1.0),
            (false, true) => Some(DEAD_WITH_MATE),
        }
    }

    /// Steps to where one can go, bombs where one can lay them, no words
    /// (`docs/definitions/pommerman.md`, "What a search tries").
    fn actions_worth_trying(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        let agent = self.agents[usize::from(player)];
        actions.push(Action::from(action::STOP));
        let is_ending = |at| {
            let mut here = self.flames.iter().filter(|flame| flame.cell == at);
            here.all(|flame| flame.life == 0)
        };
        for direction in action::UP..=action::RIGHT {
            let to = self.beside(agent.cell, direction);
            let is_open = to != NOWHERE
                && match self.shown(to) {
                    cell::PASSAGE | cell::EXTRA_BOMB..=cell::KICK => true,
                    cell::BOMB => agent.can_kick,
                    cell::FLAMES => is_ending(to),
                    _ => false,
                };
            if is_open {
                actions.push(Action::from(direction));
            }
        }
        if agent.ammo > 0 && self.bombs.iter().all(|bomb| bomb.cell != agent.cell) {
            actions.push(Action::from(action::BOMB));
        }
    }

    fn scripted(name: &str) -> Option<Box<dyn Scripted<Self>>> {
        planners::scripted(name)
    }

    fn observed_by(&self, player: Player) -> Self {
        // What is put together from what a player sees of a state is a state.
        Tracker::new(&self.observe(player)).state().unwrap_or_else(|_| self.clone())
    }

    fn plane_shape(planes: PommermanPlanes) -> [usize; 3] {
        [CHANNELS, usize::from(planes.size), usize::from(planes.size)]
    }

    fn encode(&self, _planes: PommermanPlanes, player: Player, out: &mut [f32]) {
        self.write_planes(player, out);
    }

    fn plane_kinds(_planes: PommermanPlanes) -> Vec<PlaneKind> {
        KINDS.to_vec()
    }

    fn encode_packed(&self, _planes: PommermanPlanes, player: Player, out: &mut PackedRow<'_>) {
        self.pack_turned(player, Symmetry::new(0), out);
    }

    fn gates() -> Vec<GateKind<Self>> {
        gates::kinds()
    }

    /// A key of board, figures, bombs and flames; of neither the step nor the words.
    fn heap_bytes(&self) -> usize {
        let own = size_of_val(&self.bombs[..]) + size_of_val(&self.flames[..]);
        own + self
            .uncollapsed
            .as_ref()
            .map_or(0, |state| size_of_val(&**state) + state.heap_bytes())
    }

    fn key(&self) -> u64 {
        let fold =
            |key: u64, word: u64| mix(key.wrapping_mul(31).wrapping_add(word).wrapping_add(1));
        let mut key = u64::from(self.config.mode.game_type());
        for code in self.board().iter().chain(self.items()) {
            key = key.wrapping_mul(31).wrapping_add(u64::from(*code));
        }
        key = mix(key);
        for agent in self.agents() {
            let flags = u64::from(agent.alive) | u64::from(agent.can_kick) << 1;
            let numbers = [agent.cell, agent.ammo, agent.blast].map(u64::from);
            key = fold(key, numbers[0] | numbers[1] << 8 | numbers[2] << 16 | flags << 24);
        }
        for bomb in &self.bombs {
            let small = [bomb.owner, bomb.cell, bomb.blast, bomb.direction].map(u64::from);
            let life = u64::from(bomb.life as u16);
            key =
                fold(key, small[0] | small[1] << 8 | small[2] << 16 | small[3] << 24 | life << 32);
        }
        for flame in &self.flames {
            key = fold(key, u64::from(flame.cell) | u64::from(flame.life) << 8);
        }
        key
    }
}
