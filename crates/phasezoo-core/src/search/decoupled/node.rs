//! A position of a decoupled tree.

use std::collections::BTreeMap;

use crate::game::{Action, MAX_PLAYERS, Player};

/// Index of a node.
pub(super) type NodeId = u32;

/// A joint action of a node ([`Node::key`]).
pub(super) type Key = u128;

/// The node at which a search begins.
pub(super) const ROOT: NodeId = 0;

/// One number for each player.
pub(super) type PerPlayer = [f64; MAX_PLAYERS];

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its evaluation is awaited.
    Waiting,
    /// It was evaluated: descents go through it.
    Open,
    /// Nobody moves any more.
    Over,
    /// It was given up: nothing leads to it.
    Dropped,
}

/// One player's statistics at a node at which they move.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) player: Player,
    /// Their actions, ascending; what follows has an entry for each.
    pub(super) actions: Box<[Action]>,
    pub(super) priors: Box<[f32]>,
    /// Finished visits, and descents that wait for an evaluation.
    pub(super) visits: Box<[u32]>,
    pub(super) waiting: Box<[u32]>,
    /// Sums of the player's values.
    pub(super) totals: Box<[f64]>,
    /// Sums of regrets and of strategies; empty unless regrets are matched.
    pub(super) regrets: Box<[f64]>,
    pub(super) strategies: Box<[f64]>,
}

impl Seat {
    /// A player who has tried nothing, all actions alike.
    pub(super) fn new(player: Player, actions: &[Action], has_regrets: bool) -> Self {
        let count = actions.len();
        let regrets = if has_regrets { count } else { 0 };
        Self {
            player,
            actions: actions.into(),
            priors: vec![1.0 / count as f32; count].into(),
            visits: vec![0; count].into(),
            waiting: vec![0; count].into(),
            totals: vec![0.0; count].into(),
            regrets: vec![0.0; regrets].into(),
            strategies: vec![0.0; regrets].into(),
        }
    }

    /// Bytes beside the seat itself.
    pub(super) fn heap(&self) -> usize {
        let each = 3 * size_of::<u32>() + size_of::<f32>() + size_of::<f64>();
        self.actions.len() * each + (self.regrets.len() + self.strategies.len()) * size_of::<f64>()
    }
}

/// A position.
#[derive(Clone, Debug)]
pub(super) struct Node<S> {
    pub(super) state: S,
    pub(super) kind: Kind,
    pub(super) num_players: usize,
    /// Those who move, ascending.
    pub(super) seats: Vec<Seat>,
    /// Positions that were reached, by joint action ([`Node::key`]).
    pub(super) children: BTreeMap<Key, NodeId>,
    /// Simulations that ended here or below, and those that wait.
    pub(super) visits: u32,
    pub(super) waiting: u32,
    /// Sums of the values of these, per player.
    pub(super) totals: PerPlayer,
    /// What the position is worth: as evaluated, or known.
    pub(super) values: PerPlayer,
    /// Players, as bits, whose value is known, because the game is over for them.
    pub(super) known: u8,
    /// The phase that each player saw last; -1 if they never looked.
    pub(super) phases: [i8; MAX_PLAYERS],
}

impl<S> Node<S> {
    /// The joint action in which each seat plays the slot given.
    pub(super) fn key(&self, slots: &Slots) -> Key {
        let seats = self.seats.iter().zip(slots);
        seats.fold(0, |key, (seat, &slot)| key * seat.actions.len() as Key + Key::from(slot))
    }

    /// The slots of a joint action.
    pub(super) fn slots(&self, mut key: Key) -> Slots {
        let mut slots = Slots::default();
        for (slot, seat) in slots.iter_mut().zip(&self.seats).rev() {
            *slot = (key % seat.actions.len() as Key) as u32;
            key /= seat.actions.len() as Key;
        }
        slots
    }

    /// The seat of a player who moves.
    pub(super) fn seat_of(&self, player: Player) -> Option<usize> {
        self.seats.iter().position(|seat| seat.player == player)
    }

    /// The mean of the values backed up for a player; the node's own value before there is one.
    pub(super) fn mean(&self, player: Player) -> f64 {
        let player = usize::from(player);
        if self.visits == 0 {
            return self.values[player];
        }
        self.totals[player] / f64::from(self.visits)
    }

    /// Whether the game is over for a player.
    pub(super) fn is_known(&self, player: Player) -> bool {
        self.known >> player & 1 == 1
    }

    /// Bytes that the node holds, what a state has elsewhere left out.
    pub(super) fn bytes(&self) -> usize {
        /// An entry of the parent's table of children, a third of which is empty.
        const LINK: usize = (size_of::<Key>() + size_of::<NodeId>()) * 3 / 2;
        let seats: usize = self.seats.iter().map(Seat::heap).sum();
        size_of::<Self>() + self.seats.capacity() * size_of::<Seat>() + seats + LINK
    }
}

/// The place of each seat's action, in the order of a node's seats.
pub(super) type Slots = [u32; MAX_PLAYERS];

/// A node that a descent passed, and what was played there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) node: NodeId,
    pub(super) slots: Slots,
}
