//! Keeps what a player can know of a game, and makes a full state of it.
//!
//! Nobody is told who laid a bomb, what others can do, or what lies under wood. Who watches the game
//! from its start sees most of it all the same: who picks up a power-up, who stands on a new bomb and how
//! far it reaches, who kicks one. What remains unknown is taken as at the start of a game; under wood
//! there is nothing. In fog, walls are remembered, bombs tick on where they were, and figures stand where
//! they were seen last, or as near to it as fog allows (`docs/definitions/pommerman.md`,
//! "What a search may know").

use super::config::{CAP, MAX_CELLS, MAX_PLAYERS};
use super::observation::Observation;
use super::parts::Parts;
use super::state::{Agent, Bomb, Cell, Flame, State, action, cell};
use crate::error::Result;
use crate::game::Player;

/// What is known of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figure {
    /// Where it was seen last.
    cell: Cell,
    /// Bombs that it can have out at once.
    most: u8,
    blast: u8,
    can_kick: bool,
}

/// One player's knowledge of a game.
#[derive(Clone, Debug)]
pub struct Tracker {
    latest: Observation,
    figures: [Figure; MAX_PLAYERS],
    bombs: Vec<Bomb>,
    /// What the cells showed last, figures and bombs left out.
    ground: [u8; MAX_CELLS],
}

impl Tracker {
    /// The knowledge of somebody who sees a game for the first time.
    pub fn new(seen: &Observation) -> Self {
        let start = Agent::new(seen.own.cell);
        let figure = Figure { cell: start.cell, most: 1, blast: start.blast, can_kick: false };
        let mut tracker = Self {
            latest: seen.clone(),
            figures: [figure; MAX_PLAYERS],
            bombs: Vec::new(),
            ground: [cell::PASSAGE; MAX_CELLS],
        };
        tracker.see(seen);
        tracker
    }

    /// Takes in what the player sees next. What does not continue the game begins a new one; the same
    /// again changes nothing.
    pub fn observe(&mut self, seen: &Observation) {
        if *seen == self.latest {
            return;
        }
        let goes_on = seen.step_count == self.latest.step_count + 1
            && seen.config == self.latest.config
            && seen.player == self.latest.player
            && seen.living & !self.latest.living == 0;
        if goes_on {
            self.see(seen);
        } else {
            *self = Self::new(seen);
        }
    }

    fn see(&mut self, seen: &Observation) {
        self.notice_power_ups(seen);
        self.follow_figures(seen);
        self.follow_bombs(seen);
        for (at, &shown) in seen.sight.board[..seen.config.cells()].iter().enumerate() {
            self.ground[at] = match shown {
                cell::FOG => self.ground[at],
                cell::RIGID | cell::WOOD | cell::EXTRA_BOMB..=cell::KICK => shown,
                _ => cell::PASSAGE,
            };
        }
        self.know_oneself(seen);
        self.latest = seen.clone();
    }

    /// Who stands where a power-up lay has picked it up.
    fn notice_power_ups(&mut self, seen: &Observation) {
        for (player, at) in figures_in(seen) {
            let figure = &mut self.figures[usize::from(player)];
            match self.ground[usize::from(at)] {
                cell::EXTRA_BOMB => figure.most = (figure.most + 1).min(CAP),
                cell::RANGE => figure.blast = (figure.blast + 1).min(seen.config.max_blast),
                cell::KICK => figure.can_kick = true,
                _ => {}
            }
        }
    }

    fn follow_figures(&mut self, seen: &Observation) {
        for (player, at) in figures_in(seen) {
            self.figures[usize::from(player)].cell = at;
        }
    }

    fn follow_bombs(&mut self, seen: &Observation) {
        let size = seen.config.size;
        let mut known = std::mem::take(&mut self.bombs);
        let mut bombs = Vec::with_capacity(known.len() + 1);
        for at in 0..seen.config.cells() as Cell {
            let index = usize::from(at);
            let (blast, life) = (seen.sight.blast[index], seen.life[index]);
            if blast == 0 {
                continue;
            }
            let is_same = |bomb: &Bomb| {
                let rows = (bomb.cell / size).abs_diff(at / size);
                let columns = (bomb.cell % size).abs_diff(at % size);
                bomb.life == life + 1 && bomb.blast == blast && rows + columns <= 1
            };
            // Of several that it could be, the one that rolled here, else the one that lay here.
            let fit = |bomb: &Bomb| {
                let rolled = super::state::beside(size, bomb.cell, bomb.direction) == at;
                (rolled, bomb.cell == at)
            };
            let candidates = known.iter().enumerate().filter(|(_, bomb)| is_same(bomb));
            let found = candidates.max_by_key(|(_, bomb)| fit(bomb)).map(|(place, _)| place);
            let direction = seen.direction[index];
            let owner = match found.map(|place| known.swap_remove(place)) {
                Some(before) => {
                    self.notice_kick(seen, before, direction);
                    before.owner
                }
                None => self.owner_of_new(seen, at, blast),
            };
            bombs.push(Bomb { owner, cell: at, life, blast, direction });
        }
        // What lay in fog ticks on.
        let hidden = known.into_iter().filter(|bomb| !seen.sees(bomb.cell) && bomb.life > 1);
        bombs.extend(hidden.map(|bomb| Bomb { life: bomb.life - 1, direction: 0, ..bomb }));
        // As the game lists them: by age, and those of one age by player.
        bombs.sort_by_key(|bomb| (bomb.life, bomb.owner));
        self.bombs = bombs;
    }

    /// Who has stepped to where a resting bomb lay, which rolls now, has kicked it.
    fn notice_kick(&mut self, seen: &Observation, before: Bomb, direction: u8) {
        if direction == action::STOP || direction == before.direction {
            return;
        }
        for (player, at) in figures_in(seen) {
            self.figures[usize::from(player)].can_kick |= at == before.cell;
        }
    }

    /// Who laid a bomb that was not there before: who stands on it, otherwise who is nearest to it.
    fn owner_of_new(&mut self, seen: &Observation, at: Cell, blast: u8) -> Player {
        let size = seen.config.size;
        let distance = |figure: &Figure| {
            (figure.cell / size).abs_diff(at / size) + (figure.cell % size).abs_diff(at % size)
        };
        let living = (0..seen.config.players() as Player).filter(|&player| seen.lives(player));
        let nearest = living.min_by_key(|&player| distance(&self.figures[usize::from(player)]));
        let owner = nearest.unwrap_or(seen.player);
        let figure = &mut self.figures[usize::from(owner)];
        if figure.cell == at {
            figure.blast = figure.blast.max(blast);
        }
        owner
    }

    fn know_oneself(&mut self, seen: &Observation) {
        let laid = self.laid(seen.player);
        self.figures[usize::from(seen.player)] = Figure {
            cell: seen.own.cell,
            most: seen.own.ammo.saturating_add(laid),
            blast: seen.own.blast,
            can_kick: seen.own.can_kick,
        };
    }

    fn laid(&self, player: Player) -> u8 {
        self.bombs.iter().filter(|bomb| bomb.owner == player).count() as u8
    }

    /// The full state that agrees with what the player knows.
    pub fn state(&self) -> Result<State> {
        let seen = &self.latest;
        let config = seen.config;
        let mut board = self.ground[..config.cells()].to_vec();
        for (at, shown) in board.iter_mut().enumerate() {
            if seen.sight.board[at] != cell::FOG {
                *shown = seen.sight.board[at];
            }
        }
        let mut bombs = self.bombs.clone();
        bombs.retain(|bomb| {
            let shown = &mut board[usize::from(bomb.cell)];
            if !seen.sees(bomb.cell) && *shown == cell::PASSAGE {
                *shown = cell::BOMB;
            }
            *shown == cell::BOMB || *shown >= cell::AGENT
        });
        let mut agents = Vec::with_capacity(config.players());
        for player in 0..config.players() as Player {
            let figure = self.figures[usize::from(player)];
            let code = cell::AGENT + player;
            let alive = seen.lives(player);
            let mut at = figure.cell;
            if alive && board[usize::from(at)] != code {
                at = self.hiding_place(&board, figure.cell);
                board[usize::from(at)] = code;
            }
            let ammo = figure.most.saturating_sub(self.laid(player));
            agents.push(Agent {
                cell: at,
                ammo: if player == seen.player { seen.own.ammo } else { ammo },
                blast: figure.blast,
                can_kick: figure.can_kick,
                alive,
            });
        }
        let flames = seen.flame[..config.cells()].iter().enumerate();
        let mut flames: Vec<Flame> = flames
            .filter(|&(_, &life)| life > 0)
            .map(|(at, &life)| Flame { cell: at as Cell, life: life - 1 })
            .collect();
        flames.sort_by_key(|flame| flame.life);
        let parts =
            Parts { board, agents, bombs, flames, items: Vec::new(), step_count: seen.step_count };
        let mut state = State::from_parts(config, &parts)?;
        let mate = (usize::from(seen.player) + 2) % state.words.len();
        state.words[mate] = seen.heard;
        Ok(state)
    }

    /// The cell nearest to `from` in which somebody may be whom the player does not see.
    fn hiding_place(&self, board: &[u8], from: Cell) -> Cell {
        let size = self.latest.config.size;
        let distance =
            |at: Cell| (from / size).abs_diff(at / size) + (from % size).abs_diff(at % size);
        let rank = |&at: &Cell| {
            let can_stand = match board[usize::from(at)] {
                cell::PASSAGE => 0,
                cell::EXTRA_BOMB..=cell::KICK => 1,
                cell::WOOD => 2,
                _ => 3,
            };
            (self.latest.sees(at), can_stand, distance(at))
        };
        (0..board.len() as Cell).min_by_key(rank).unwrap_or(from)
    }
}

/// The living figures that are seen.
fn figures_in(seen: &Observation) -> impl Iterator<Item = (Player, Cell)> + '_ {
    let players = seen.config.players() as u8;
    let cells = seen.sight.board[..seen.config.cells()].iter().enumerate();
    cells.filter_map(move |(at, &shown)| {
        let player = shown.checked_sub(cell::AGENT).filter(|&player| player < players)?;
        Some((player, at as Cell))
    })
}
