//! The tree: a block of memory per node, a row of candidates per evaluated node, further edges where a
//! node has been passed often.
//!
//! Nodes know no parents; whoever climbs carries the path of the descent. **Slot** `i` of a node is its
//! `i`-th candidate (action and prior, sorted by prior when the node is evaluated) and its `i`-th edge
//! (visits, waiting descents, Q, child). Children are opened in that order, so only `opened + 1` slots
//! have to be compared: a later one has a smaller prior and the same Q.
//!
//! Arrays are of structs where a descent reads all fields of one node, and structs are of arrays where
//! it compares edges. What a descent needs of a node with up to four opened slots lies in 128 aligned
//! bytes: one trip to memory per ply. See `values` for what values are.

use std::collections::HashMap;

use super::edges::{Edge, QUAD, Quad};
use super::slab::Slab;
use super::solver::Range;
use crate::error::{Error, Result};
use crate::game::{Action, Player};
use crate::model::{SearchModel, ValueRule};

/// Index of a node.
pub(crate) type NodeId = u32;

/// No node, no edges.
pub(crate) const NONE: u32 = u32::MAX;

/// Where the last row of candidates or quads may begin, so that places have 32 bits.
const MOST_ROWS: usize = (u32::MAX - (1 << 17)) as usize;

/// Children of a node up to which all are brought near before one is chosen.
const FEW: u16 = 2;

/// The root's index.
pub(crate) const ROOT: NodeId = 0;

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

/// A node: what descents and backups touch.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub(crate) struct Node {
    /// Sum over visits of the values backed up, entry 0 of [`super::values::Values`], in 2^-32.
    /// Written by backup.
    pub(crate) sum: i64,
    /// Simulations that ended here or below. Written by backup.
    pub(crate) visits: u32,
    /// Descents that passed on to a child and await an evaluation. Written by collect and complete.
    pub(crate) waiting: u32,
    /// Offset of the candidates. Written by expand.
    pub(super) candidates: u32,
    /// Offset of the quads after the first, or [`NONE`] while there are none.
    pub(super) more: u32,
    /// How many candidates there are.
    pub(crate) count: u16,
    /// How many slots, from the first on, may have been descended into. Written by expand.
    pub(crate) opened: u16,
    /// What the node is.
    pub(crate) kind: Kind,
    /// Whether nothing more can be learnt: the game is over here, or the solver says so. [`Rest::value`]
    /// is exact then, unless [`Tree::ranges`] leaves something open.
    pub(crate) proven: bool,
    /// The phase that the search's gate gives; -1 if nobody asked. Written by collect.
    pub(crate) phase: i8,
    /// Who chooses here; at an end of the game whoever chose last. Written by expand.
    pub(crate) actor: Player,
    /// The first four edges.
    first: Quad,
    /// Priors of the first four candidates, a copy. Written by complete.
    first_priors: [f32; QUAD],
    /// Actions of the first four candidates, a copy. Written by expand and complete.
    first_actions: [Action; QUAD],
}

/// A node: what is seldom touched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest {
    /// The network's value, entry 0 of [`super::values::Values`]; the exact value once proven. Written
    /// by complete and solver.
    pub(crate) value: f32,
    /// How many slots lead to no proven child. Written by the solver.
    pub(crate) unproven: u16,
    /// Plies to the end of the proof where proven; plies back to the first occurrence where a
    /// [`Kind::Repetition`].
    pub(crate) distance: u16,
}

/// A search tree over states of which each node keeps an `S`.
#[derive(Debug)]
pub(crate) struct Tree<S> {
    pub(super) rule: ValueRule,
    /// Numbers per value: 1, or the number of players.
    pub(super) width: usize,
    pub(crate) nodes: Slab<Node>,
    pub(super) rest: Vec<Rest>,
    /// Entries 1 and on of each node's value sum, `width - 1` a node.
    pub(super) more_sums: Vec<i64>,
    /// Entries 1 and on of each node's value.
    pub(super) more_values: Vec<f32>,
    /// Sums of the squares of the values that were backed up, for each node's actor; `None` if nobody
    /// asks.
    pub(super) squares: Option<Vec<f64>>,
    pub(crate) snapshots: Vec<S>,
    /// Bytes that snapshots hold besides their own size.
    pub(super) heap_bytes: usize,
    /// Nodes that further lines may lead to, by key; `None` if every node has one parent.
    pub(super) transpositions: Option<HashMap<u64, NodeId>>,
    /// What proofs leave open, of proven nodes whose values are not exact for everybody.
    pub(super) ranges: HashMap<NodeId, Range>,
    /// Rows of candidates, each filled up to whole quads with zeros.
    pub(super) priors: Slab<f32>,
    pub(super) actions: Slab<Action>,
    /// Rows of the quads after the first.
    pub(super) quads: Slab<Quad>,
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
            nodes: Slab::in_large_pages(),
            rest: Vec::new(),
            more_sums: Vec::new(),
            more_values: Vec::new(),
            squares: None,
            snapshots: Vec::new(),
            heap_bytes: 0,
            transpositions: None,
            ranges: HashMap::new(),
            priors: Slab::new(),
            actions: Slab::new(),
            quads: Slab::new(),
        }
    }

    /// Forgets every node. As much memory as they took is kept for those to come.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.rest.clear();
        self.more_sums.clear();
        self.more_values.clear();
        self.squares.iter_mut().for_each(Vec::clear);
        self.snapshots.clear();
        self.heap_bytes = 0;
        self.transpositions.iter_mut().for_each(HashMap::clear);
        self.ranges.clear();
        self.priors.clear();
        self.actions.clear();
        self.quads.clear();
    }

    /// Whether there is a root with an evaluation.
    pub(crate) fn has_root(&self) -> bool {
        self.nodes.first().is_some_and(|root| root.kind == Kind::Evaluated)
    }

    /// Bytes in use, snapshots and what they hold included. Memory that is reserved but untouched is
    /// not counted.
    pub(crate) fn bytes(&self) -> usize {
        let squares = if self.squares.is_some() { size_of::<f64>() } else { 0 };
        let numbers = (self.width - 1) * 12 + squares;
        let node = size_of::<Node>() + size_of::<Rest>() + size_of::<S>() + numbers;
        self.nodes.len() * node
            + self.priors.len() * 8
            + self.quads.len() * size_of::<Quad>()
            + self.ranges.len() * size_of::<(NodeId, Range)>()
            + self.transpositions.as_ref().map_or(0, |nodes| nodes.len() * 2 * size_of::<u64>())
            + self.heap_bytes
    }

    /// Adds a node for `state`, without candidates. Nodes and rows are counted with 32 bits; `None` if
    /// those are used up.
    pub(crate) fn add<M: SearchModel<Snapshot = S>>(
        &mut self,
        model: &M,
        kind: Kind,
        actor: Player,
        state: &M::State,
    ) -> Option<NodeId> {
        let id = self.reserve(kind, actor)?;
        let snapshot = model.snapshot(state);
        self.heap_bytes += model.heap_bytes(&snapshot);
        self.snapshots.push(snapshot);
        Some(id)
    }

    /// Adds a node whose snapshot follows, after those of the nodes before it.
    pub(crate) fn reserve(&mut self, kind: Kind, actor: Player) -> Option<NodeId> {
        let id = u32::try_from(self.nodes.len()).ok().filter(|&id| id != NONE)?;
        if self.priors.len() > MOST_ROWS {
            return None;
        }
        self.nodes.push(Node {
            sum: 0,
            visits: 0,
            waiting: 0,
            candidates: 0,
            more: NONE,
            count: 0,
            opened: 0,
            kind,
            proven: false,
            phase: -1,
            actor,
            first: Quad::fresh(0),
            first_priors: [0.0; QUAD],
            first_actions: [0; QUAD],
        });
        self.rest.push(Rest::default());
        self.more_sums.resize(self.more_sums.len() + self.width - 1, 0);
        self.more_values.resize(self.more_values.len() + self.width - 1, 0.0);
        self.squares.iter_mut().for_each(|squares| squares.push(0.0));
        Some(id)
    }

    /// Forgets the newest node, which was reserved and has no snapshot yet.
    pub(crate) fn unreserve(&mut self) {
        let count = self.nodes.len() - 1;
        debug_assert!(self.snapshots.len() <= count, "a node with a snapshot stays");
        self.nodes.truncate(count);
        self.rest.truncate(count);
        self.more_sums.truncate(count * (self.width - 1));
        self.more_values.truncate(count * (self.width - 1));
        self.squares.iter_mut().for_each(|squares| squares.truncate(count));
    }

    /// How many rows of further edges there were so far; see [`Tree::close_after`].
    pub(crate) fn rows_of_edges(&self) -> usize {
        self.quads.len()
    }

    /// Takes back what [`Tree::open_all`] did for the nodes of these ids since [`Tree::rows_of_edges`]
    /// was `before`.
    pub(crate) fn close_after(&mut self, before: usize, ids: impl Iterator<Item = NodeId>) {
        for id in ids {
            let node = self.node_mut(id);
            if node.more != NONE && node.more as usize >= before {
                node.more = NONE;
            }
        }
        self.quads.truncate(before);
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
        let padded = actions.len().next_multiple_of(QUAD);
        self.actions.push_row(actions, padded, 0);
        let node = &mut self.nodes[id as usize];
        // Both lists get the same rows, so that their places are the same.
        node.candidates = self.priors.push_row(&[], padded, 0.0) as u32;
        node.count = count;
        node.first = Quad::fresh(actions.len());
        self.rest[id as usize].unproven = count;
        self.copy_first(id);
        Ok(())
    }

    /// Brings the node's copies of its first candidates up to date.
    pub(crate) fn copy_first(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        let at = node.candidates as usize;
        node.first_priors.copy_from_slice(self.priors.row(at, QUAD));
        node.first_actions.copy_from_slice(self.actions.row(at, QUAD));
    }

    /// Makes sure that the edges after the first four exist, if there are such; `false` if 32
    /// bits are used up.
    pub(crate) fn open_all(&mut self, id: NodeId) -> bool {
        let node = &mut self.nodes[id as usize];
        let count = usize::from(node.count);
        if node.more != NONE || count <= QUAD {
            return true;
        }
        if self.quads.len() > MOST_ROWS {
            return false;
        }
        let more = (count - 1) / QUAD;
        let at = self.quads.push_row(&[], more, Quad::fresh(QUAD));
        self.quads.row_mut(at, more)[more - 1] = Quad::fresh(count - more * QUAD);
        node.more = at as u32;
        true
    }

    /// The node `id`.
    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Has the children of a node brought near while its slots are compared, if there are few: waiting
    /// for memory is most of a deep descent.
    #[inline]
    pub(crate) fn expect_children(&self, node: &Node) {
        if node.opened <= FEW {
            for &child in &node.first.child[..usize::from(FEW)] {
                self.nodes.prefetch(child as usize);
            }
        }
    }

    /// The node `id`, to be changed.
    #[inline]
    pub(crate) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// What is seldom asked of node `id`.
    pub(crate) fn rest(&self, id: NodeId) -> &Rest {
        &self.rest[id as usize]
    }

    /// What is seldom asked of node `id`, to be changed.
    pub(crate) fn rest_mut(&mut self, id: NodeId) -> &mut Rest {
        &mut self.rest[id as usize]
    }

    /// The priors of a node, one per slot.
    pub(crate) fn priors(&self, id: NodeId) -> &[f32] {
        let node = self.node(id);
        self.priors.row(node.candidates as usize, usize::from(node.count))
    }

    /// The actions of a node, one per slot.
    pub(crate) fn actions(&self, id: NodeId) -> &[Action] {
        let node = self.node(id);
        self.actions.row(node.candidates as usize, usize::from(node.count))
    }

    /// Priors and actions of a node, to be sorted; [`Tree::copy_first`] has to follow.
    pub(crate) fn candidates_mut(&mut self, id: NodeId) -> (&mut [f32], &mut [Action]) {
        let node = &self.nodes[id as usize];
        let (at, count) = (node.candidates as usize, usize::from(node.count));
        (self.priors.row_mut(at, count), self.actions.row_mut(at, count))
    }

    /// The first quad of a node with its priors.
    #[inline]
    pub(crate) fn first_quad(node: &Node) -> (&[f32; QUAD], &Quad) {
        (&node.first_priors, &node.first)
    }

    /// The `count` quads after the first with their priors. They must exist.
    #[inline]
    pub(crate) fn more_quads(&self, node: &Node, count: usize) -> (&[[f32; QUAD]], &[Quad]) {
        let (at, row) = (node.more as usize, node.candidates as usize + QUAD);
        (self.priors.row(row, count * QUAD).as_chunks().0, self.quads.row(at, count))
    }

    #[inline]
    fn quad<'a>(&'a self, node: &'a Node, quad: usize) -> Option<&'a Quad> {
        match quad {
            0 => Some(&node.first),
            _ if node.more == NONE => None,
            _ => Some(&self.quads[node.more as usize + quad - 1]),
        }
    }

    /// The quad of an opened slot, to be changed.
    #[inline]
    pub(crate) fn quad_mut(&mut self, id: NodeId, slot: u32) -> (&mut Quad, usize) {
        let (quad, lane) = (slot as usize / QUAD, slot as usize % QUAD);
        let node = &mut self.nodes[id as usize];
        match quad {
            0 => (&mut node.first, lane),
            _ => (&mut self.quads[node.more as usize + quad - 1], lane),
        }
    }

    /// The child that an opened slot leads to, or [`NONE`].
    #[inline]
    pub(crate) fn child(&mut self, id: NodeId, slot: u32) -> NodeId {
        let (quad, lane) = self.quad_mut(id, slot);
        quad.child[lane]
    }

    /// Sets the child that an opened slot leads to.
    pub(crate) fn set_child(&mut self, id: NodeId, slot: u32, child: NodeId) {
        let (quad, lane) = self.quad_mut(id, slot);
        quad.child[lane] = child;
    }

    /// The edge of a slot.
    pub(crate) fn edge(&self, id: NodeId, slot: usize) -> Edge {
        match self.quad(self.node(id), slot / QUAD) {
            Some(quad) => quad.get(slot % QUAD),
            None => Edge::FRESH,
        }
    }

    /// Makes the candidate `action` of a node the next opened slot; `None` if it is not among those
    /// that have not been opened. For trees without priors, whose children come in the order in which
    /// they are met.
    pub(crate) fn open(&mut self, id: NodeId, action: Action) -> Option<u32> {
        let opened = usize::from(self.node(id).opened);
        let place = self.actions(id)[opened..].iter().position(|&known| known == action)?;
        if opened >= QUAD && !self.open_all(id) {
            return None;
        }
        self.candidates_mut(id).1.swap(opened, opened + place);
        self.copy_first(id);
        self.node_mut(id).opened += 1;
        Some(opened as u32)
    }

    /// The edges of a node, one per slot.
    pub(crate) fn edges(&self, id: NodeId) -> impl Iterator<Item = Edge> + '_ {
        (0..usize::from(self.node(id).count)).map(move |slot| self.edge(id, slot))
    }

    /// The action of a slot.
    #[inline]
    pub(crate) fn action(&self, id: NodeId, slot: u32) -> Action {
        let node = self.node(id);
        match node.first_actions.get(slot as usize) {
            Some(&action) => action,
            None => self.actions[(node.candidates + slot) as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_two_cache_lines() {
        assert_eq!((size_of::<Node>(), align_of::<Node>()), (128, 128));
        assert_eq!((size_of::<Quad>(), size_of::<Rest>()), (64, 8));
    }
}
