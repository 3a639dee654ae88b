//! States put together by a caller, checked.

use super::config::{Config, MAX_CELLS, MAX_PLAYERS, MAX_SIZE, MIN_SIZE};
use super::state::{Agent, Bomb, Flame, State, action, cell};
use crate::error::{Error, Result};

/// What a state is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// What the cells show, row by row.
    pub board: Vec<u8>,
    /// The players' figures.
    pub agents: Vec<Agent>,
    /// The bombs by age.
    pub bombs: Vec<Bomb>,
    /// The flames by age.
    pub flames: Vec<Flame>,
    /// Hidden power-ups: cell and kind.
    pub items: Vec<(u8, u8)>,
    /// Steps since the start.
    pub step_count: u32,
}

fn invalid(reason: impl std::fmt::Display) -> Error {
    Error::InvalidState(format!("impossible state: {reason}"))
}

/// Refuses the second of two things on one cell.
fn apart(what: &str, cells: impl Iterator<Item = u8>) -> Result<()> {
    let mut seen = 0_u128;
    for cell in cells {
        if seen & 1 << cell != 0 {
            return Err(invalid(format_args!("two {what} on cell {cell}")));
        }
        seen |= 1 << cell;
    }
    Ok(())
}

impl State {
    /// The state of these parts; an error where one could not come up in a game or would not fit the
    /// rules' tables.
    pub fn from_parts(config: Config, parts: &Parts) -> Result<Self> {
        let size = usize::from(config.size);
        if !(MIN_SIZE..=MAX_SIZE).contains(&size) {
            return Err(invalid(format_args!(
                "a board of {size} by {size} cells; sides are {MIN_SIZE} to {MAX_SIZE}"
            )));
        }
        let players = config.players();
        if parts.agents.len() != players {
            return Err(invalid(format_args!(
                "{} agents for {players} players",
                parts.agents.len()
            )));
        }
        check_board(&config, parts)?;
        check_agents(&config, parts)?;
        check_fire(&config, parts)?;
        let mut board = [cell::PASSAGE; MAX_CELLS];
        board[..parts.board.len()].copy_from_slice(&parts.board);
        let mut items = [cell::PASSAGE; MAX_CELLS];
        for &(at, kind) in &parts.items {
            items[usize::from(at)] = kind;
        }
        let mut agents = [Agent { alive: false, ..Agent::new(0) }; MAX_PLAYERS];
        agents[..parts.agents.len()].copy_from_slice(&parts.agents);
        let mut state = Self {
            config,
            board,
            items,
            agents,
            bombs: parts.bombs.clone(),
            flames: parts.flames.clone(),
            step_count: parts.step_count,
            words: [[0; 2]; MAX_PLAYERS],
            paid: None,
            uncollapsed: None,
        };
        state.paid = state.is_done().then(|| state.rewards());
        Ok(state)
    }

    /// What the state is made of.
    pub fn parts(&self) -> Parts {
        let items = self.items().iter().enumerate().filter(|&(_, &kind)| kind != 0);
        Parts {
            board: self.board().to_vec(),
            agents: self.agents().to_vec(),
            bombs: self.bombs.clone(),
            flames: self.flames.clone(),
            items: items.map(|(at, &kind)| (at as u8, kind)).collect(),
            step_count: self.step_count,
        }
    }
}

fn check_board(config: &Config, parts: &Parts) -> Result<()> {
    let cells = config.cells();
    if parts.board.len() != cells {
        return Err(invalid(format_args!("{} cells on a board of {cells}", parts.board.len())));
    }
    let highest = cell::AGENT + config.players() as u8 - 1;
    let is_known = |code: u8| {
        matches!(code, cell::PASSAGE..=cell::FLAMES | cell::EXTRA_BOMB..=cell::KICK)
            || (cell::AGENT..=highest).contains(&code)
    };
    if let Some(code) = parts.board.iter().find(|&&code| !is_known(code)) {
        return Err(invalid(format_args!(
            "the board shows {code}; codes are 0 to 4, 6 to 8 and 10 to {highest}"
        )));
    }
    apart("hidden power-ups", parts.items.iter().map(|&(at, _)| at % MAX_CELLS as u8))?;
    for &(at, kind) in &parts.items {
        if usize::from(at) >= cells || !(cell::EXTRA_BOMB..=cell::KICK).contains(&kind) {
            return Err(invalid(format_args!(
                "power-up {kind} on cell {at}; kinds are 6 to 8, cells 0 to {}",
                cells - 1
            )));
        }
    }
    Ok(())
}

fn check_agents(config: &Config, parts: &Parts) -> Result<()> {
    if let Some(agent) = parts.agents.iter().find(|agent| usize::from(agent.cell) >= config.cells())
    {
        return Err(invalid(format_args!("an agent on cell {}, off the board", agent.cell)));
    }
    apart("agents", parts.agents.iter().filter(|agent| agent.alive).map(|agent| agent.cell))?;
    for (player, agent) in parts.agents.iter().enumerate() {
        let code = cell::AGENT + player as u8;
        let shown = (0..config.cells()).filter(|&at| parts.board[at] == code).count();
        let is_there = parts.board[usize::from(agent.cell)] == code;
        if shown != usize::from(agent.alive) || (agent.alive && !is_there) {
            return Err(invalid(format_args!(
                "agent {player} is {}, and the board shows it {shown} times",
                if agent.alive { "alive" } else { "dead" }
            )));
        }
    }
    Ok(())
}

fn check_fire(config: &Config, parts: &Parts) -> Result<()> {
    let is_on = |at: u8| usize::from(at) < config.cells();
    if !parts.bombs.iter().all(|bomb| is_on(bomb.cell))
        || !parts.flames.iter().all(|flame| is_on(flame.cell))
    {
        return Err(invalid("a bomb or a flame off the board"));
    }
    apart("bombs", parts.bombs.iter().map(|bomb| bomb.cell))?;
    for bomb in &parts.bombs {
        if usize::from(bomb.owner) >= config.players() || bomb.direction >= action::BOMB {
            return Err(invalid(format_args!(
                "a bomb of player {} that rolls by action {}; players are 0 to {}, directions 1 to 4",
                bomb.owner,
                bomb.direction,
                config.players() - 1
            )));
        }
        let shown = parts.board[usize::from(bomb.cell)];
        if !(shown == cell::BOMB || shown >= cell::AGENT) {
            return Err(invalid(format_args!("a bomb on cell {}, which shows {shown}", bomb.cell)));
        }
    }
    let unseen =
        parts.flames.iter().find(|flame| parts.board[usize::from(flame.cell)] != cell::FLAMES);
    match unseen {
        None => Ok(()),
        Some(flame) => Err(invalid(format_args!("flames on cell {}, not shown", flame.cell))),
    }
}
