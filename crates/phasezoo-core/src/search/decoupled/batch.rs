//! Leaves of decoupled searches on their way to an evaluator: a row for each player who moves.

use crate::game::{Action, Player};
use crate::search::batch::{Origin, Ticket};

/// Positions that await an evaluation, as players see them who move there.
#[derive(Clone, Debug)]
pub struct JointBatch<S> {
    /// One per row; what [`super::JointPool::complete`] goes by.
    pub tickets: Vec<Ticket>,
    /// The phase of each row; 0 without a gate.
    pub phases: Vec<i8>,
    /// Where in its tree each row is, phases being those of the row's player.
    pub origins: Vec<Origin>,
    /// The player who sees each row.
    pub players: Vec<Player>,
    /// Row `i`'s actions are `actions[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<usize>,
    /// Actions of the row's player, ascending within a row.
    pub actions: Vec<Action>,
    /// The state of each row.
    pub states: Vec<S>,
}

impl<S> Default for JointBatch<S> {
    fn default() -> Self {
        Self {
            tickets: Vec::new(),
            phases: Vec::new(),
            origins: Vec::new(),
            players: Vec::new(),
            offsets: vec![0],
            actions: Vec::new(),
            states: Vec::new(),
        }
    }
}

/// A row as a search adds it.
pub(super) struct Row<'a, S> {
    pub(super) ticket: Ticket,
    pub(super) phase: i8,
    pub(super) origin: Origin,
    pub(super) player: Player,
    pub(super) actions: &'a [Action],
    pub(super) state: &'a S,
}

impl<S: Clone> JointBatch<S> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.tickets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// The actions of a row.
    pub fn legal(&self, row: usize) -> &[Action] {
        &self.actions[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The batch of these rows, in this order. Rows that do not exist are left out.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut batch = Self::default();
        for &row in rows.iter().filter(|&&row| row < self.len()) {
            batch.push(&Row {
                ticket: self.tickets[row],
                phase: self.phases[row],
                origin: self.origins[row],
                player: self.players[row],
                actions: self.legal(row),
                state: &self.states[row],
            });
        }
        batch
    }

    pub(super) fn push(&mut self, row: &Row<'_, S>) {
        self.tickets.push(row.ticket);
        self.phases.push(row.phase);
        self.origins.push(row.origin);
        self.players.push(row.player);
        self.actions.extend_from_slice(row.actions);
        self.offsets.push(self.actions.len());
        self.states.push(row.state.clone());
    }
}
