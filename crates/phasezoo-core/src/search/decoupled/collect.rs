//! The way down: positions that are met for the first time are added, and go out for evaluation.

use std::collections::BTreeMap;

use super::batch::{self, JointBatch};
use super::model::JointModel;
use super::node::{Key, Kind, Node, NodeId, PerPlayer, ROOT, Seat, Slots, Step};
use super::params::{Params, Selection};
use super::search::{Leaf, Row, Search};
use super::select;
use crate::error::{Error, Result};
use crate::game::{MAX_PLAYERS, PlayerSet};
use crate::gate::Gating;
use crate::search::batch::{Origin, Ticket};
use crate::search::expand::phase_of;
use crate::search::limit::Ended;

/// Descents of one collection at most, so that a caller can stop a search that meets only known ends.
const MAX_DESCENTS: usize = 1_024;

/// What a descent found.
enum Found {
    /// A new position that needs an evaluation.
    Leaf(NodeId),
    /// A position in which nobody moves.
    End(NodeId),
    /// A position whose evaluation is awaited.
    Waiting,
    /// The next node would not fit.
    Full,
}

impl<M: JointModel> Search<M> {
    /// How many leaves the next mini-batch has at most; 0 while one is out.
    pub(super) fn room(&self, params: &Params) -> usize {
        if !self.is_running() || self.missing > 0 {
            return 0;
        }
        if self.is_new() {
            return 1;
        }
        let left =
            |limit: Option<u64>, done| limit.map_or(u64::MAX, |most| most.saturating_sub(done));
        let nodes = left(self.limit.nodes, self.evaluated);
        let left = nodes.min(left(self.limit.simulations, self.simulations));
        params.batch_size.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Whether the root has not been evaluated.
    fn is_new(&self) -> bool {
        self.nodes.first().is_none_or(|root| root.kind == Kind::Waiting)
    }

    /// Hands out a mini-batch of at most `room` leaves; it may be empty, if all descents met ends of
    /// games.
    pub(super) fn collect(
        &mut self,
        model: &M,
        params: &Params,
        gate: Option<&Gating<M::Game>>,
        tree: u32,
        room: usize,
        batch: &mut JointBatch<M::State>,
    ) -> Result<()> {
        let found = self.descend_all(model, params, room);
        let done = found.and_then(|()| self.hand_out(model, gate, tree, batch));
        if done.is_err() {
            self.forget_rows();
            self.end(Ended::Failed);
        }
        done
    }

    fn descend_all(&mut self, model: &M, params: &Params, room: usize) -> Result<()> {
        if self.is_new() {
            if self.clock.is_too_late() {
                self.end(Ended::Time);
                return Ok(());
            }
            self.leaves.push(Leaf { node: ROOT, path: Vec::new() });
            return Ok(());
        }
        let room = self.clock.fits(room);
        if room == 0 {
            self.end(Ended::Time);
        }
        let mut collided: Vec<Vec<Step>> = Vec::new();
        for _ in 0..MAX_DESCENTS {
            let begun = self.simulations + self.leaves.len() as u64;
            let is_full = self.leaves.len() >= room
                || collided.len() >= room
                || self.limit.simulations.is_some_and(|most| begun >= most);
            if is_full || !self.is_running() {
                break;
            }
            // The way down takes time too, much of it where the game is not the core's own.
            if self.clock.fits(self.leaves.len() + 1) <= self.leaves.len() {
                if self.leaves.is_empty() {
                    self.end(Ended::Time);
                }
                break;
            }
            match self.descend(model, params)? {
                Found::Leaf(node) => {
                    let path = self.path.clone();
                    self.mark(&path, true);
                    self.leaves.push(Leaf { node, path });
                }
                Found::End(node) => {
                    let values = self.nodes[node as usize].values;
                    let path = std::mem::take(&mut self.path);
                    self.back_up(params, &path, node, &values);
                    self.path = path;
                    self.note_idle();
                    self.check_end();
                }
                Found::Waiting => {
                    let path = self.path.clone();
                    self.mark(&path, true);
                    collided.push(path);
                    self.collisions += 1;
                }
                Found::Full => {
                    if self.leaves.is_empty() {
                        self.end(Ended::Memory);
                    }
                    break;
                }
            }
        }
        for path in &collided {
            self.mark(path, false);
        }
        if !self.leaves.is_empty() {
            self.idle = 0;
        }
        Ok(())
    }

    /// Goes down from the root, each player choosing by their own statistics.
    fn descend(&mut self, model: &M, params: &Params) -> Result<Found> {
        self.path.clear();
        let mut id = ROOT;
        loop {
            let node = &self.nodes[id as usize];
            match node.kind {
                Kind::Open => {}
                Kind::Over => return Ok(Found::End(id)),
                Kind::Waiting | Kind::Dropped => return Ok(Found::Waiting),
            }
            let mut slots = Slots::default();
            for (slot, seat) in slots.iter_mut().zip(&node.seats) {
                *slot = select::choose(node, seat, params, &mut self.stream);
            }
            let key = node.key(&slots);
            let known = node.children.get(&key).copied();
            self.path.push(Step { node: id, slots });
            match known {
                Some(child) => id = child,
                None => return self.expand(model, params, id, slots, key),
            }
        }
    }

    /// Adds the position after a joint action that nobody has looked at.
    fn expand(
        &mut self,
        model: &M,
        params: &Params,
        id: NodeId,
        slots: Slots,
        key: Key,
    ) -> Result<Found> {
        let node = &self.nodes[id as usize];
        let is_full = self.most_memory.is_some_and(|most| self.memory + node.bytes() > most);
        if is_full || self.nodes.len() >= NodeId::MAX as usize {
            return Ok(Found::Full);
        }
        let mut joint = [0; MAX_PLAYERS];
        for (action, (seat, &slot)) in joint.iter_mut().zip(node.seats.iter().zip(&slots)) {
            *action = seat.actions[slot as usize];
        }
        let (mut state, count) = (node.state.clone(), node.seats.len());
        model.play(&mut state, &joint[..count])?;
        let child = self.add(model, params, state, Some(id))?;
        self.nodes[id as usize].children.insert(key, child);
        let is_over = self.nodes[child as usize].kind == Kind::Over;
        Ok(if is_over { Found::End(child) } else { Found::Leaf(child) })
    }

    /// Adds a position.
    pub(super) fn add(
        &mut self,
        model: &M,
        params: &Params,
        state: M::State,
        parent: Option<NodeId>,
    ) -> Result<NodeId> {
        let acting = model.acting(&state)?;
        let players = PlayerSet::first(model.num_players());
        let (mut values, mut known, mut phases) = (PerPlayer::default(), 0, [-1; MAX_PLAYERS]);
        if let Some(parent) = parent {
            // Whoever has left the game keeps what it was worth to them then.
            let parent = &self.nodes[parent as usize];
            (values, known, phases) = (parent.values, parent.known, parent.phases);
        }
        let goes_on = PlayerSet(players.0 & !known);
        for player in goes_on.iter() {
            if let Some(worth) = model.settled(&state, player)? {
                values[usize::from(player)] = f64::from(worth);
                known |= 1 << player;
            }
        }
        let is_over = acting.0 == 0 || known == players.0;
        let seats = if is_over { Vec::new() } else { seats(model, params, &state, acting)? };
        let kind = if is_over { Kind::Over } else { Kind::Waiting };
        let node = Node {
            state,
            kind,
            num_players: model.num_players(),
            seats,
            children: BTreeMap::new(),
            visits: 0,
            waiting: 0,
            totals: PerPlayer::default(),
            values,
            known,
            phases,
        };
        self.memory += node.bytes() + model.heap_bytes(&node.state);
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as NodeId)
    }

    /// Writes a row for each player who moves at a leaf and for whom the game goes on; if it does for
    /// none of them, for all who move.
    fn hand_out(
        &mut self,
        model: &M,
        gate: Option<&Gating<M::Game>>,
        tree: u32,
        batch: &mut JointBatch<M::State>,
    ) -> Result<()> {
        for (leaf, Leaf { node, path }) in self.leaves.iter().enumerate() {
            let above = path.last().map(|step| &self.nodes[step.node as usize]);
            let before = above.map(|node| node.phases);
            let parent_visits = above.map_or(0, |node| node.visits);
            let root_phases = self.nodes[ROOT as usize].phases;
            let node = &mut self.nodes[*node as usize];
            let goes_on = |seat: &Seat| node.known >> seat.player & 1 == 0;
            let asks_all = !node.seats.iter().any(goes_on);
            for (index, seat) in node.seats.iter().enumerate() {
                if !(asks_all || goes_on(seat)) {
                    continue;
                }
                let player = usize::from(seat.player);
                let previous = before.map_or(self.previous_phase, |phases| phases[player]);
                let phase = phase_of(gate, model.game(&node.state), seat.player, previous)?;
                node.phases[player] = phase;
                let serial = self.next_serial;
                self.next_serial += 1;
                let slot = self.rows.len() as u32;
                self.rows.push(Row { serial, leaf, seat: index, answer: None });
                let root_phase = if path.is_empty() { phase } else { root_phases[player] };
                let depth = path.len() as u32;
                batch.push(&batch::Row {
                    ticket: Ticket { tree, slot, serial },
                    phase,
                    origin: Origin { parent_phase: previous, root_phase, depth, parent_visits },
                    player: seat.player,
                    actions: &seat.actions,
                    state: &node.state,
                });
            }
        }
        self.missing = self.rows.len();
        if self.missing > 0 {
            self.clock.hand_out(self.leaves.len());
        }
        Ok(())
    }
}

/// The statistics of those who move, who have tried nothing.
fn seats<M: JointModel>(
    model: &M,
    params: &Params,
    state: &M::State,
    acting: PlayerSet,
) -> Result<Vec<Seat>> {
    let (mut legal, mut seats, mut joint) = (Vec::new(), Vec::new(), Some(1 as Key));
    for player in acting.iter() {
        model.actions(state, player, &mut legal)?;
        if legal.is_empty() {
            return Err(Error::GameContract(format!(
                "player {player} is to move and has no action"
            )));
        }
        joint = joint.and_then(|joint| joint.checked_mul(legal.len() as Key));
        seats.push(Seat::new(player, &legal, params.selection == Selection::RegretMatching));
    }
    if joint.is_none() {
        return Err(Error::InvalidState("there are more than 2^128 joint actions here".into()));
    }
    Ok(seats)
}
