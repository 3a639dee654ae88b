//! Leaves on their way to an evaluator.

use std::sync::Arc;

use crate::error::Result;
use crate::game::{Action, Player};
use crate::model::SearchModel;

/// What a leaf is given back by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The tree that waits.
    pub tree: u32,
    /// Where the tree keeps the leaf.
    pub slot: u32,
    /// Counts the leaves that a tree has handed out; never used twice.
    pub serial: u64,
}

/// Where in its tree a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The phase one ply before, -1 if nobody knows.
    pub parent_phase: i8,
    /// The phase of the tree's root; the row's own at depth 0.
    pub root_phase: i8,
    /// Plies from the tree's root.
    pub depth: u32,
    /// Visits of the node above when the row was collected; 0 at depth 0.
    pub parent_visits: u32,
}

/// Positions that await an evaluation, of one tree or many.
///
/// States are not stored: a row keeps its root, which it shares, and the way from there.
pub struct LeafBatch<M: SearchModel> {
    /// One per row; what [`super::SearchPool::complete`] goes by.
    pub tickets: Vec<Ticket>,
    /// The phase of each row; 0 without a gate.
    pub phases: Vec<i8>,
    /// Where in its tree each row is.
    pub origins: Vec<Origin>,
    /// The player to move in each row.
    pub players: Vec<Player>,
    /// Row `i`'s legal actions are `actions[offsets[i]..offsets[i + 1]]`.
    pub offsets: Vec<usize>,
    /// Legal actions, ascending within a row.
    pub actions: Vec<Action>,
    roots: Vec<Arc<M::State>>,
    /// Index into `roots` per row.
    root_of: Vec<u32>,
    /// Row `i`'s way is `path[path_offsets[i]..path_offsets[i + 1]]`.
    path_offsets: Vec<usize>,
    path: Vec<Action>,
    snapshots: Vec<M::Snapshot>,
}

/// A row as a search adds it.
pub(crate) struct Leaf<'a, M: SearchModel> {
    pub(crate) ticket: Ticket,
    pub(crate) phase: i8,
    pub(crate) origin: Origin,
    pub(crate) player: Player,
    pub(crate) actions: &'a [Action],
    pub(crate) path: &'a [Action],
    pub(crate) snapshot: M::Snapshot,
}

impl<M: SearchModel> Default for LeafBatch<M> {
    fn default() -> Self {
        Self {
            tickets: Vec::new(),
            phases: Vec::new(),
            origins: Vec::new(),
            players: Vec::new(),
            offsets: vec![0],
            actions: Vec::new(),
            roots: Vec::new(),
            root_of: Vec::new(),
            path_offsets: vec![0],
            path: Vec::new(),
            snapshots: Vec::new(),
        }
    }
}

impl<M: SearchModel> LeafBatch<M> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.tickets.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tickets.is_empty()
    }

    /// The legal actions of a row.
    pub fn legal(&self, row: usize) -> &[Action] {
        &self.actions[self.offsets[row]..self.offsets[row + 1]]
    }

    /// The root of the tree that a row belongs to.
    pub fn root(&self, row: usize) -> &M::State {
        &self.roots[self.root_of[row] as usize]
    }

    /// The actions from the root to a row.
    pub fn path(&self, row: usize) -> &[Action] {
        &self.path[self.path_offsets[row]..self.path_offsets[row + 1]]
    }

    /// What the tree keeps of a row's state.
    pub fn snapshot(&self, row: usize) -> &M::Snapshot {
        &self.snapshots[row]
    }

    /// Sets `state` to a row's.
    pub fn restore(&self, model: &M, row: usize, state: &mut M::State) -> Result<()> {
        model.restore(state, self.root(row), self.path(row), self.snapshot(row))
    }

    /// The batch of these rows, in this order. Rows that do not exist are left out.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let mut batch = Self { roots: self.roots.clone(), ..Self::default() };
        for &row in rows.iter().filter(|&&row| row < self.len()) {
            batch.push(
                self.root_of[row],
                Leaf {
                    ticket: self.tickets[row],
                    phase: self.phases[row],
                    origin: self.origins[row],
                    player: self.players[row],
                    actions: self.legal(row),
                    path: self.path(row),
                    snapshot: self.snapshot(row).clone(),
                },
            );
        }
        batch
    }

    /// Adds a root that following rows may belong to.
    pub(crate) fn push_root(&mut self, root: &Arc<M::State>) -> u32 {
        self.roots.push(Arc::clone(root));
        (self.roots.len() - 1) as u32
    }

    /// Adds a row of the root that [`LeafBatch::push_root`] gave.
    pub(crate) fn push(&mut self, root: u32, leaf: Leaf<'_, M>) {
        self.tickets.push(leaf.ticket);
        self.phases.push(leaf.phase);
        self.origins.push(leaf.origin);
        self.players.push(leaf.player);
        self.actions.extend_from_slice(leaf.actions);
        self.offsets.push(self.actions.len());
        self.root_of.push(root);
        self.path.extend_from_slice(leaf.path);
        self.path_offsets.push(self.path.len());
        self.snapshots.push(leaf.snapshot);
    }

    /// Adds the rows of `other`.
    pub(crate) fn append(&mut self, mut other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        let (actions, path) = (self.actions.len(), self.path.len());
        let roots = self.roots.len() as u32;
        self.tickets.append(&mut other.tickets);
        self.phases.append(&mut other.phases);
        self.origins.append(&mut other.origins);
        self.players.append(&mut other.players);
        self.offsets.extend(other.offsets[1..].iter().map(|at| at + actions));
        self.actions.append(&mut other.actions);
        self.roots.append(&mut other.roots);
        self.root_of.extend(other.root_of.iter().map(|root| root + roots));
        self.path_offsets.extend(other.path_offsets[1..].iter().map(|at| at + path));
        self.path.append(&mut other.path);
        self.snapshots.append(&mut other.snapshots);
    }

    /// Room for `rows` more rows, so that a batch is not grown step by step.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.tickets.reserve(rows);
        self.phases.reserve(rows);
        self.origins.reserve(rows);
        self.players.reserve(rows);
        self.offsets.reserve(rows);
        self.root_of.reserve(rows);
        self.path_offsets.reserve(rows);
        self.snapshots.reserve(rows);
        self.actions.reserve(rows * 40);
        self.path.reserve(rows * 8);
    }
}
