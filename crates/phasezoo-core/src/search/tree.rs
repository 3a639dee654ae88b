//! The tree: one record per node, one row of candidates per evaluated node, one row of edges per node
//! that a descent has passed.
//!
//! Nodes know no parents; whoever climbs carries the path of his descent. Rows are found by offset:
//!
//! * **candidates** (`priors`, `actions`) are written when a node is made, sorted by prior when it is
//!   evaluated;
//! * **edges** (visits, waiting descents, Q, child) are made when the first descent passes. Most nodes
//!   are leaves for ever and never get any.
//!
//! Slot `i` of a node is its `i`-th candidate and its `i`-th edge. Children are opened in that order, so
//! only `opened + 1` slots have to be compared: a later one has a smaller prior and the same Q.
//!
//! **Sums of values are whole numbers** in units of 2^-32: they do not depend on the order in which
//! leaves come back, and they do not stop growing after 2^24 visits.

use crate::error::{Error, Result};
use crate::game::{Action, MAX_PLAYERS, Player, Returns};
use crate::model::ValueRule;

/// Index of a node.
pub(crate) type NodeId = u32;

/// No node, no edges.
pub(crate) const NONE: u32 = u32::MAX;

/// The root's index.
pub(crate) const ROOT: NodeId = 0;

/// Units of a value sum per 1.0.
const UNIT: f64 = 4_294_967_296.0;

/// Values as a tree stores them. Scalar games use entry 0 alone: with [`ValueRule::Negate`] the value
/// for player 0, with [`ValueRule::Same`] the value for the one who searches. With
/// [`ValueRule::PerPlayer`] entry `p` is the value for player `p`.
pub(crate) type Values = [f32; MAX_PLAYERS];

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Handed out, awaiting its evaluation.
    Pending,
    /// Evaluated; descents pass through it.
    Evaluated,
    /// The game is over here.
    Terminal,
    /// Counted as a draw because the position stood before inside the tree. Not a proof.
    Repetition,
}

/// A node. Its fields are read together on every descent, so they lie together (48 bytes).
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Sum over visits of the values backed up, entry 0 of [`Values`], in 2^-32. Written by backup.
    pub(crate) sum: i64,
    /// The network's value, entry 0; the exact value once [`Node::proven`]. Written by complete, solver.
    pub(crate) value: f32,
    /// Simulations that ended here or below. Written by backup.
    pub(crate) visits: u32,
    /// Descents that passed on to a child and await an evaluation. Written by collect and complete.
    pub(crate) waiting: u32,
    /// Offset of the candidates. Written by expand.
    pub(crate) candidates: u32,
    /// Offset of the edges, or [`NONE`]. Written by the first descent that passes.
    pub(crate) edges: u32,
    /// How many candidates there are.
    pub(crate) count: u16,
    /// How many slots, from the first on, may have been descended into. Written by expand.
    pub(crate) opened: u16,
    /// How many slots lead to no proven child. Written by the solver.
    pub(crate) unproven: u16,
    /// Plies to the end of the proof where proven; plies back to the first occurrence where a
    /// [`Kind::Repetition`].
    pub(crate) distance: u16,
    /// What the node is.
    pub(crate) kind: Kind,
    /// Whether [`Node::value`] is exact: the game is over here, or the solver says so.
    pub(crate) proven: bool,
    /// The phase that the search's gate gives; -1 where nobody asked. Written by collect.
    pub(crate) phase: i8,
    /// Who chooses here; at an end of the game whoever chose last. Written by expand.
    pub(crate) actor: Player,
}

/// The statistics of one slot of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// Mean value of the child for the node's actor; -1 before the first visit; minus infinity where
    /// the child is a proven loss. Written by backup and solver.
    pub(crate) q: f32,
    /// Simulations through this edge. Written by backup.
    pub(crate) visits: u32,
    /// Descents through this edge that await an evaluation. Written by collect and complete.
    pub(crate) waiting: u32,
    /// The child, or [`NONE`]. Written by expand.
    pub(crate) child: NodeId,
}

/// An edge that nobody has passed.
const FRESH: Edge = Edge { q: -1.0, visits: 0, waiting: 0, child: NONE };

/// A search tree over states of which each node keeps an `S`.
#[derive(Clone, Debug)]
pub(crate) struct Tree<S> {
    rule: ValueRule,
    /// Numbers per value: 1, or the number of players.
    width: usize,
    pub(crate) nodes: Vec<Node>,
    /// Entries 1 and on of each node's value sum, `width - 1` a node.
    more_sums: Vec<i64>,
    /// Entries 1 and on of each node's value.
    more_values: Vec<f32>,
    pub(crate) snapshots: Vec<S>,
    priors: Vec<f32>,
    actions: Vec<Action>,
    edges: Vec<Edge>,
}

impl<S> Tree<S> {
    /// An empty tree.
    pub(crate) fn new(rule: ValueRule) -> Self {
        let width = match rule {
            ValueRule::Negate | ValueRule::Same => 1,
            ValueRule::PerPlayer(players) => players,
        };
        Self {
            rule,
            width,
            nodes: Vec::new(),
            more_sums: Vec::new(),
            more_values: Vec::new(),
            snapshots: Vec::new(),
            priors: Vec::new(),
            actions: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Forgets every node and gives their memory back.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.rule);
    }

    /// How values pass upwards.
    pub(crate) fn rule(&self) -> ValueRule {
        self.rule
    }

    /// Whether there is a root with an evaluation.
    pub(crate) fn has_root(&self) -> bool {
        self.nodes.first().is_some_and(|root| root.kind == Kind::Evaluated)
    }

    /// Bytes in use. Memory that is reserved but untouched is not counted.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + size_of::<S>() + (self.width - 1) * 12)
            + self.priors.len() * 8
            + self.edges.len() * size_of::<Edge>()
    }

    /// Adds a node without candidates. Nodes and rows are counted with 32 bits; `None` where those
    /// are used up.
    pub(crate) fn add(&mut self, kind: Kind, actor: Player, snapshot: S) -> Option<NodeId> {
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id != NONE)?;
        let candidates = u32::try_from(self.priors.len()).ok()?;
        self.nodes.push(Node {
            sum: 0,
            value: 0.0,
            visits: 0,
            waiting: 0,
            candidates,
            edges: NONE,
            count: 0,
            opened: 0,
            unproven: 0,
            distance: 0,
            kind,
            proven: false,
            phase: -1,
            actor,
        });
        self.more_sums.resize(self.more_sums.len() + self.width - 1, 0);
        self.more_values.resize(self.more_values.len() + self.width - 1, 0.0);
        self.snapshots.push(snapshot);
        Some(id)
    }

    /// Gives the newest node its candidates; priors follow with the evaluation.
    pub(crate) fn add_candidates(&mut self, id: NodeId, actions: &[Action]) -> Result<()> {
        let count = u16::try_from(actions.len()).map_err(|_| {
            Error::InvalidState(format!(
                "a state has {} legal actions; a search tree takes up to {}",
                actions.len(),
                u16::MAX
            ))
        })?;
        self.actions.extend_from_slice(actions);
        self.priors.resize(self.actions.len(), 0.0);
        let node = &mut self.nodes[id as usize];
        (node.count, node.unproven) = (count, count);
        Ok(())
    }

    /// Makes the edges of `id` if it has none; `false` where 32 bits are used up.
    pub(crate) fn open(&mut self, id: NodeId) -> bool {
        if self.nodes[id as usize].edges != NONE {
            return true;
        }
        let Some(offset) = u32::try_from(self.edges.len()).ok().filter(|&at| at != NONE) else {
            return false;
        };
        let node = &mut self.nodes[id as usize];
        node.edges = offset;
        self.edges.resize(self.edges.len() + usize::from(node.count), FRESH);
        true
    }

    /// The node `id`.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// The node `id`, to be changed.
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    fn row(node: &Node) -> std::ops::Range<usize> {
        let start = node.candidates as usize;
        start..start + usize::from(node.count)
    }

    /// The priors of a node, one per slot.
    pub(crate) fn priors(&self, id: NodeId) -> &[f32] {
        &self.priors[Self::row(self.node(id))]
    }

    /// The actions of a node, one per slot.
    pub(crate) fn actions(&self, id: NodeId) -> &[Action] {
        &self.actions[Self::row(self.node(id))]
    }

    /// Priors and actions of a node, to be sorted.
    pub(crate) fn candidates_mut(&mut self, id: NodeId) -> (&mut [f32], &mut [Action]) {
        let row = Self::row(self.node(id));
        (&mut self.priors[row.clone()], &mut self.actions[row])
    }

    /// The edges of a node, one per slot; none before the first descent has passed.
    pub(crate) fn edges(&self, id: NodeId) -> &[Edge] {
        let node = self.node(id);
        if node.edges == NONE {
            return &[];
        }
        let start = node.edges as usize;
        &self.edges[start..start + usize::from(node.count)]
    }

    /// The edges of a node, to be changed.
    pub(crate) fn edges_mut(&mut self, id: NodeId) -> &mut [Edge] {
        let node = &self.nodes[id as usize];
        if node.edges == NONE {
            return &mut [];
        }
        let start = node.edges as usize;
        &mut self.edges[start..start + usize::from(node.count)]
    }

    /// The edge of a slot that has been opened.
    pub(crate) fn edge_mut(&mut self, id: NodeId, slot: u32) -> &mut Edge {
        &mut self.edges[(self.nodes[id as usize].edges + slot) as usize]
    }

    /// The action of a slot.
    pub(crate) fn action(&self, id: NodeId, slot: u32) -> Action {
        self.actions[(self.nodes[id as usize].candidates + slot) as usize]
    }

    /// What `values` is worth to `actor`.
    pub(crate) fn worth(&self, values: &Values, actor: Player) -> f32 {
        match self.rule {
            ValueRule::Negate if actor == 0 => values[0],
            ValueRule::Negate => -values[0],
            ValueRule::Same => values[0],
            ValueRule::PerPlayer(_) => values[usize::from(actor)],
        }
    }

    /// The value of an ended game, where `searcher` is the one who searches.
    pub(crate) fn values_of(&self, returns: &Returns, searcher: Player) -> Values {
        let mut values = Values::default();
        match self.rule {
            ValueRule::Negate => values[0] = returns.of(0),
            ValueRule::Same => values[0] = returns.of(searcher),
            ValueRule::PerPlayer(players) => {
                values[..players].copy_from_slice(&returns.as_slice()[..players]);
            }
        }
        values
    }

    /// The network's value of a node, or the exact one where proven.
    pub(crate) fn values(&self, id: NodeId) -> Values {
        let mut values = Values::default();
        values[0] = self.node(id).value;
        let more = self.width - 1;
        values[1..self.width].copy_from_slice(&self.more_values[id as usize * more..][..more]);
        values
    }

    /// Sets what [`Tree::values`] gives.
    pub(crate) fn set_values(&mut self, id: NodeId, values: &Values) {
        self.nodes[id as usize].value = values[0];
        let more = self.width - 1;
        self.more_values[id as usize * more..][..more].copy_from_slice(&values[1..self.width]);
    }

    /// The mean of the values backed up through a node; its own value before the first.
    pub(crate) fn mean(&self, id: NodeId) -> Values {
        let visits = self.node(id).visits;
        if visits == 0 {
            return self.values(id);
        }
        std::array::from_fn(|entry| {
            let sum = match entry {
                0 => self.node(id).sum,
                _ if entry < self.width => self.more_sums[self.more_at(id, entry)],
                _ => 0,
            };
            mean(sum, visits)
        })
    }

    /// The mean value of a visited node for `actor`.
    pub(crate) fn mean_for(&self, id: NodeId, actor: Player) -> f32 {
        let node = self.node(id);
        match self.rule {
            ValueRule::Negate if actor != 0 => -mean(node.sum, node.visits),
            ValueRule::PerPlayer(_) if actor != 0 => {
                mean(self.more_sums[self.more_at(id, usize::from(actor))], node.visits)
            }
            _ => mean(node.sum, node.visits),
        }
    }

    /// The best that is known of a visited node, for every player: exact where proven, else the mean.
    pub(crate) fn known(&self, id: NodeId) -> Values {
        if self.node(id).proven { self.values(id) } else { self.mean(id) }
    }

    /// Counts a visit of a node and adds `values` to its sum.
    pub(crate) fn visit(&mut self, id: NodeId, values: &Values) {
        let node = &mut self.nodes[id as usize];
        node.visits += 1;
        node.sum += units(values[0]);
        for (entry, &value) in values.iter().enumerate().take(self.width).skip(1) {
            let at = self.more_at(id, entry);
            self.more_sums[at] += units(value);
        }
    }

    /// Makes a node proven: its value is exact, and so is its mean from now on.
    pub(crate) fn set_proven(&mut self, id: NodeId, values: &Values, distance: u16) {
        self.set_values(id, values);
        let node = &mut self.nodes[id as usize];
        (node.proven, node.distance) = (true, distance);
        let visits = i64::from(node.visits);
        node.sum = units(values[0]) * visits;
        for (entry, &value) in values.iter().enumerate().take(self.width).skip(1) {
            let at = self.more_at(id, entry);
            self.more_sums[at] = units(value) * visits;
        }
    }

    /// Adds a copy of node `id` of another tree, with its candidates and edges.
    pub(crate) fn copy_node(&mut self, other: &Self, id: NodeId, snapshot: S) {
        let node = other.node(id);
        let (candidates, edges) = (self.priors.len() as u32, self.edges.len() as u32);
        self.priors.extend_from_slice(other.priors(id));
        self.actions.extend_from_slice(other.actions(id));
        self.edges.extend_from_slice(other.edges(id));
        let edges = if node.edges == NONE { NONE } else { edges };
        self.nodes.push(Node { candidates, edges, ..node.clone() });
        let more = self.width - 1;
        self.more_sums.extend_from_slice(&other.more_sums[id as usize * more..][..more]);
        self.more_values.extend_from_slice(&other.more_values[id as usize * more..][..more]);
        self.snapshots.push(snapshot);
    }

    fn more_at(&self, id: NodeId, entry: usize) -> usize {
        id as usize * (self.width - 1) + entry - 1
    }
}

fn units(value: f32) -> i64 {
    (f64::from(value) * UNIT) as i64
}

fn mean(sum: i64, visits: u32) -> f32 {
    (sum as f64 / (f64::from(visits) * UNIT)) as f32
}
