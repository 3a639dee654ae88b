//! A position of a beam.

use std::ops::Range;

use crate::game::{Action, Player};
use crate::search::values::Values;

/// Where a node stands: its layer, and its place in it.
pub(super) type Place = (usize, usize);

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has not been handed out.
    Unsent,
    /// Its evaluation is awaited, under a serial number.
    Out(u64),
    /// It was evaluated.
    Evaluated,
    /// The game is over.
    End,
}

/// A position, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Node<S> {
    pub(super) kind: Kind,
    /// Who moves; at an end of the game whoever moved last.
    pub(super) actor: Player,
    /// The phase; -1 at ends.
    pub(super) phase: i8,
    /// Its place in the layer above.
    pub(super) parent: u32,
    /// What was played there, and its prior.
    pub(super) action: Action,
    pub(super) prior: f32,
    /// What the evaluator says, or the exact values of an end.
    pub(super) values: Values,
    /// Legal actions, ascending, until they are evaluated; of the root always.
    pub(super) legal: Vec<Action>,
    /// How many there are.
    pub(super) moves: u32,
    /// Those that may be kept with their priors, likeliest first.
    pub(super) successors: Vec<(Action, f32)>,
    /// The places of those kept, in the layer below; in the order in which equals are preferred.
    pub(super) children: Range<u32>,
    /// What the model keeps of the state.
    pub(super) snapshot: S,
}

impl<S> Node<S> {
    /// Whether its value is known.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.kind, Kind::Evaluated | Kind::End)
    }

    /// The places of its children.
    pub(super) fn places(&self) -> Range<usize> {
        self.children.start as usize..self.children.end as usize
    }
}
