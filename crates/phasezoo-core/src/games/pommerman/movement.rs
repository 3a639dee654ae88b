//! Who goes where: agents and bombs, their conflicts, kicks (`docs/definitions/pommerman.md`,
//! "Intents" to "Commit").

use super::config::{CAP, MAX_CELLS, MAX_PLAYERS};
use super::state::{BOMB_LIFE, Bomb, Cell, NOWHERE, State, action, cell};
use crate::game::Player;

/// Nobody, in tables of agents and bombs.
const NOBODY: u8 = u8::MAX;
/// Users of an edge from here on are bombs.
const FIRST_BOMB: u8 = MAX_PLAYERS as u8;

/// Where everybody wants to go, and how many want each cell.
///
/// The counts are raised when somebody is sent back and never lowered: a cell that was once wanted
/// stays occupied for the rest of the step, as in the original.
struct Moves {
    agents: [Cell; MAX_PLAYERS],
    bombs: Vec<Cell>,
    agents_on: [u8; MAX_CELLS],
    bombs_on: [u8; MAX_CELLS],
    /// The bomb that an agent kicks, and the agent that kicks a bomb.
    kicks: [u8; MAX_PLAYERS],
    kicked: Vec<u8>,
}

impl Moves {
    fn send_agent(&mut self, player: Player, to: Cell) {
        self.agents[usize::from(player)] = to;
        self.agents_on[usize::from(to)] += 1;
    }

    fn send_bomb(&mut self, bomb: usize, to: Cell) {
        self.bombs[bomb] = to;
        self.bombs_on[usize::from(to)] += 1;
    }

    fn forget_kick(&mut self, player: Player, bomb: usize) {
        self.kicks[usize::from(player)] = NOBODY;
        self.kicked[bomb] = NOBODY;
    }

    fn agents_on(&self, cell: Cell) -> u8 {
        self.agents_on[usize::from(cell)]
    }

    fn bombs_on(&self, cell: Cell) -> u8 {
        self.bombs_on[usize::from(cell)]
    }
}

impl State {
    /// Moves agents and bombs, lays bombs, picks power-ups up.
    pub(super) fn move_all(&mut self, actions: [u8; MAX_PLAYERS]) {
        let mut moves = self.intents(actions);
        self.cross(&mut moves);
        self.count(&mut moves);
        self.relax(&mut moves);
        if self.kick(&mut moves, actions) {
            self.relax_kicks(&mut moves);
        }
        self.commit(&moves);
    }

    fn living_players(&self) -> impl Iterator<Item = Player> + use<> {
        let living = self.living();
        (0..MAX_PLAYERS as Player).filter(move |&player| living >> player & 1 == 1)
    }

    fn at(&self, player: Player) -> Cell {
        self.agents[usize::from(player)].cell
    }

    /// Whether nothing can roll to a cell: it is off the board, a wall or a power-up.
    fn is_blocked(&self, to: Cell) -> bool {
        to == NOWHERE
            || matches!(
                self.shown(to),
                cell::RIGID | cell::WOOD | cell::EXTRA_BOMB | cell::RANGE | cell::KICK
            )
    }

    /// Lays bombs and asks everybody where they want to go.
    fn intents(&mut self, actions: [u8; MAX_PLAYERS]) -> Moves {
        let mut agents = [NOWHERE; MAX_PLAYERS];
        for player in self.living_players() {
            let at = self.at(player);
            self.show(at, cell::PASSAGE);
            agents[usize::from(player)] = at;
            match actions[usize::from(player)] {
                action::BOMB => self.lay(player),
                action::STOP => {}
                direction => {
                    let to = self.beside(at, direction);
                    if to != NOWHERE && !matches!(self.shown(to), cell::RIGID | cell::WOOD) {
                        agents[usize::from(player)] = to;
                    }
                }
            }
        }
        let mut bombs = Vec::with_capacity(self.bombs.len());
        for index in 0..self.bombs.len() {
            let bomb = self.bombs[index];
            self.show(bomb.cell, cell::PASSAGE);
            let to = self.beside(bomb.cell, bomb.direction);
            bombs.push(if self.is_blocked(to) { bomb.cell } else { to });
        }
        let kicked = vec![NOBODY; bombs.len()];
        Moves {
            agents,
            bombs,
            agents_on: [0; MAX_CELLS],
            bombs_on: [0; MAX_CELLS],
            kicks: [NOBODY; MAX_PLAYERS],
            kicked,
        }
    }

    fn lay(&mut self, player: Player) {
        let agent = &mut self.agents[usize::from(player)];
        if agent.ammo == 0 || self.bombs.iter().any(|bomb| bomb.cell == agent.cell) {
            return;
        }
        agent.ammo -= 1;
        self.bombs.push(Bomb {
            owner: player,
            cell: agent.cell,
            life: BOMB_LIFE,
            blast: agent.blast,
            direction: action::STOP,
        });
    }

    /// Sends back who would cross somebody on the edge between two cells (*Crossing*).
    fn cross(&self, moves: &mut Moves) {
        // Two edges belong to each cell: to the right and down.
        let mut users = [[NOBODY; 2]; MAX_CELLS];
        let edge = |a: Cell, b: Cell| {
            (usize::from(a.min(b)), usize::from(a.abs_diff(b) == self.config.size))
        };
        for player in self.living_players() {
            let (at, to) = (self.at(player), moves.agents[usize::from(player)]);
            if at == to {
                continue;
            }
            let (corner, side) = edge(at, to);
            match users[corner][side] {
                NOBODY => users[corner][side] = player,
                other => {
                    moves.agents[usize::from(player)] = at;
                    moves.agents[usize::from(other)] = self.at(other);
                }
            }
        }
        for (index, bomb) in self.bombs.iter().enumerate() {
            let to = moves.bombs[index];
            if bomb.cell == to {
                continue;
            }
            let (corner, side) = edge(bomb.cell, to);
            match users[corner][side] {
                NOBODY => users[corner][side] = FIRST_BOMB + index as u8,
                other => {
                    moves.bombs[index] = bomb.cell;
                    if other >= FIRST_BOMB {
                        let other = usize::from(other - FIRST_BOMB);
                        moves.bombs[other] = self.bombs[other].cell;
                    }
                }
            }
        }
    }

    fn count(&self, moves: &mut Moves) {
        for player in self.living_players() {
            moves.agents_on[usize::from(moves.agents[usize::from(player)])] += 1;
        }
        for &to in &moves.bombs {
            moves.bombs_on[usize::from(to)] += 1;
        }
    }

    /// Sends back, until nothing changes, who wants a cell that others of their kind want.
    fn relax(&self, moves: &mut Moves) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let is_crowded =
                |moves: &Moves, to: Cell| moves.agents_on(to) > 1 || moves.bombs_on(to) > 1;
            for player in self.living_players() {
                let (at, to) = (self.at(player), moves.agents[usize::from(player)]);
                if to != at && is_crowded(moves, to) {
                    moves.send_agent(player, at);
                    changed = true;
                }
            }
            for (index, bomb) in self.bombs.iter().enumerate() {
                let to = moves.bombs[index];
                if to != bomb.cell && is_crowded(moves, to) {
                    moves.send_bomb(index, bomb.cell);
                    changed = true;
                }
            }
        }
    }

    /// Bombs that agents run into roll on, or both stay (*Kicks*); whether anything was changed.
    fn kick(&mut self, moves: &mut Moves, actions: [u8; MAX_PLAYERS]) -> bool {
        let mut bombs: Vec<(usize, Cell)> = Vec::new();
        let mut agents: Vec<(Player, Cell)> = Vec::new();
        for index in 0..self.bombs.len() {
            let to = moves.bombs[index];
            if moves.agents_on(to) == 0 {
                continue;
            }
            let comes = |player: &Player| moves.agents[usize::from(*player)] == to;
            let Some(player) = self.living_players().find(comes) else { continue };
            let at = self.bombs[index].cell;
            if self.at(player) == to {
                // The bomb ran into a standing agent.
                if to != at {
                    bombs.push((index, at));
                }
                continue;
            }
            let direction = actions[usize::from(player)];
            let target = self.beside(to, direction);
            let is_free = |cell: Cell| moves.agents_on(cell) == 0 && moves.bombs_on(cell) == 0;
            let can_kick = self.agents[usize::from(player)].can_kick;
            if can_kick && !self.is_blocked(target) && is_free(target) {
                moves.bombs_on[usize::from(to)] = 0;
                bombs.push((index, target));
                moves.kicks[usize::from(player)] = index as u8;
                moves.kicked[index] = player;
                self.bombs[index].direction = direction;
            } else {
                bombs.push((index, at));
                agents.push((player, self.at(player)));
            }
        }
        let changed = !(bombs.is_empty() && agents.is_empty());
        for (index, to) in bombs {
            moves.send_bomb(index, to);
        }
        for (player, to) in agents {
            moves.send_agent(player, to);
        }
        changed
    }

    /// After kicks: sends back again, stricter, and takes kicks back that lead nowhere
    /// (*Second relaxation*).
    fn relax_kicks(&self, moves: &mut Moves) {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for player in self.living_players() {
                let (at, to) = (self.at(player), moves.agents[usize::from(player)]);
                if to == at || (moves.agents_on(to) <= 1 && moves.bombs_on(to) == 0) {
                    continue;
                }
                let kicked = moves.kicks[usize::from(player)];
                if kicked != NOBODY {
                    let bomb = usize::from(kicked);
                    moves.send_bomb(bomb, self.bombs[bomb].cell);
                    moves.forget_kick(player, bomb);
                }
                moves.send_agent(player, at);
                changed = true;
            }
            for (index, bomb) in self.bombs.iter().enumerate() {
                let (to, kicker) = (moves.bombs[index], moves.kicked[index]);
                let is_idle = to == bomb.cell && kicker == NOBODY;
                if is_idle || (moves.bombs_on(to) <= 1 && moves.agents_on(to) == 0) {
                    continue;
                }
                moves.send_bomb(index, bomb.cell);
                if kicker != NOBODY {
                    moves.send_agent(kicker, self.at(kicker));
                    moves.forget_kick(kicker, index);
                }
                changed = true;
            }
        }
    }

    /// Carries the moves out; agents pick power-ups up (*Commit*).
    fn commit(&mut self, moves: &Moves) {
        for (bomb, (&to, &kicker)) in
            self.bombs.iter_mut().zip(moves.bombs.iter().zip(&moves.kicked))
        {
            if to == bomb.cell && kicker == NOBODY {
                bomb.direction = action::STOP;
            }
            bomb.cell = to;
        }
        for player in self.living_players() {
            let to = moves.agents[usize::from(player)];
            if to == self.at(player) {
                continue;
            }
            let (shown, most) = (self.shown(to), self.config.max_blast);
            let agent = &mut self.agents[usize::from(player)];
            agent.cell = to;
            match shown {
                cell::EXTRA_BOMB => agent.ammo = (agent.ammo + 1).min(CAP),
                cell::RANGE => agent.blast = (agent.blast + 1).min(most),
                cell::KICK => agent.can_kick = true,
                _ => {}
            }
        }
    }
}
