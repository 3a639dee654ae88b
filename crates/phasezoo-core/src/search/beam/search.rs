//! A beam's life: begun at a root, a layer at a time, ended by its schedule or a limit.

use std::sync::Arc;

use super::layers::Layer;
use super::node::{Kind, Node, Place};
use super::params::{Keep, Params};
use crate::error::{Error, Result};
use crate::game::{Action, Player};
use crate::gate::Gating;
use crate::model::{SearchModel, ValueRule};
use crate::rng::{Stream, mix};
use crate::search::expand::{check_actions, phase_of};
use crate::search::limit::{Clock, Ended, Limit, Status};
use crate::search::values::{Values, worth};

/// A search session.
pub(super) struct Search<M: SearchModel> {
    /// Nodes by layer, the root's first. All but the last layer are back.
    pub(super) layers: Vec<Vec<Node<M::Snapshot>>>,
    /// The next layer, as far as it is made.
    pub(super) making: Option<Layer<M::Snapshot>>,
    pub(super) root: Option<Arc<M::State>>,
    pub(super) rule: ValueRule,
    pub(super) status: Status,
    pub(super) clock: Clock,
    pub(super) limit: Limit,
    /// Bytes that the tree may hold, and that it holds.
    pub(super) memory: Option<usize>,
    pub(super) bytes: usize,
    /// Positions evaluated, and ends of games met.
    pub(super) evaluated: u64,
    pub(super) ends: u64,
    /// Rows of the last layer that are not back, and those of them that are not out.
    pub(super) missing: usize,
    pub(super) unsent: usize,
    pub(super) next_serial: u64,
    /// Tickets below this serial that are not outstanding may have been given up: no error.
    pub(super) given_up_below: u64,
    /// Whether its root may be handed out, and its place among those that wait for that.
    pub(super) is_admitted: bool,
    pub(super) order: u64,
    /// The ply of the root: games that do not count them are counted from the tree's making.
    pub(super) ply: u32,
    followed: u32,
    /// The phase before the root, -1 if unknown.
    before: i8,
    seed: u64,
    /// How often a search was begun.
    begun: u64,
}

impl<M: SearchModel> Search<M> {
    pub(super) fn new(rule: ValueRule, seed: u64) -> Self {
        Self {
            layers: Vec::new(),
            making: None,
            root: None,
            rule,
            status: Status::Idle,
            clock: Clock::new(),
            limit: Limit::default(),
            memory: None,
            bytes: 0,
            evaluated: 0,
            ends: 0,
            missing: 0,
            unsent: 0,
            next_serial: 1,
            given_up_below: 0,
            is_admitted: false,
            order: 0,
            ply: 0,
            followed: 0,
            before: -1,
            seed,
            begun: 0,
        }
    }

    /// Begins a search at `root` with a new tree. A search that still runs is given up.
    pub(super) fn begin(
        &mut self,
        model: &M,
        gate: Option<&Gating<M::Game>>,
        root: M::State,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        limit.check()?;
        let mut legal = Vec::new();
        if model.expand(&root, &mut legal)?.is_some() {
            return Err(Error::InvalidState(
                "the game is over at this root: there is nothing to search".into(),
            ));
        }
        check_actions(&legal, model.num_actions())?;
        let actor = model.actor(&root)?;
        let phase = phase_of(gate, model.game(&root), actor, previous_phase)?;
        self.forget();
        self.before = previous_phase;
        self.ply = model.ply(&root).unwrap_or(self.followed);
        let node = Node {
            kind: Kind::Unsent,
            actor,
            phase,
            parent: 0,
            action: 0,
            prior: 1.0,
            values: Values::default(),
            moves: legal.len() as u32,
            legal,
            successors: Vec::new(),
            children: 0..0,
            snapshot: model.snapshot(&root),
        };
        self.bytes = bytes_of(model, &node);
        self.layers.push(vec![node]);
        self.root = Some(Arc::new(root));
        (self.missing, self.unsent) = (1, 1);
        self.limit = limit;
        self.begun += 1;
        self.status = Status::Running;
        self.clock.start(&limit);
        Ok(())
    }

    /// Whether leaves can be collected or completed.
    pub(super) fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Whether its root has been handed out and is not back.
    pub(super) fn is_at_root(&self) -> bool {
        self.is_running() && self.is_admitted && self.layers.len() == 1 && self.missing > 0
    }

    /// Ends a running search; one that has ended keeps its reason.
    pub(super) fn end(&mut self, why: Ended) {
        if self.is_running() {
            self.status = Status::Ended(why);
            self.making = None;
            self.clock.end();
        }
    }

    /// Forgets the tree, what is outstanding, and that moves were followed.
    pub(super) fn clear(&mut self) {
        self.forget();
        self.followed = 0;
    }

    /// Follows a move of the game: the next search begins anew.
    pub(super) fn advance(&mut self) {
        self.forget();
        self.followed += 1;
    }

    fn forget(&mut self) {
        self.layers.clear();
        self.making = None;
        self.root = None;
        (self.missing, self.unsent, self.bytes) = (0, 0, 0);
        (self.evaluated, self.ends) = (0, 0);
        self.given_up_below = self.next_serial;
        self.is_admitted = false;
        self.status = Status::Idle;
        self.clock.give_up();
    }

    /// Plies below the root that are looked at wholly.
    pub(super) fn depth(&self) -> usize {
        let layers = self.layers.len() - usize::from(self.missing > 0);
        layers.saturating_sub(1)
    }

    /// The actions from the root to a node.
    pub(super) fn path_to(&self, (depth, place): Place, path: &mut Vec<Action>) {
        path.clear();
        let mut place = place;
        for depth in (1..=depth).rev() {
            let node = &self.layers[depth][place];
            path.push(node.action);
            place = node.parent as usize;
        }
        path.reverse();
    }

    /// The phase of the ply before a node, -1 if nobody knows.
    pub(super) fn previous_phase(&self, (depth, place): Place) -> i8 {
        let parent = self.layers[depth][place].parent as usize;
        depth.checked_sub(1).map_or(self.before, |above| self.layers[above][parent].phase)
    }

    /// Takes in that the last layer is back: keeps what is to be kept of it, and ends the search if
    /// nothing more is to be done.
    pub(super) fn settle(&mut self, params: &Params) {
        let depth = self.layers.len() - 1;
        if params.keep == Keep::Value && depth > 0 {
            self.keep_best(params.schedule.width(depth - 1));
        }
        let is_forced = self.limit.ends_when_forced() && self.layers[0][0].moves == 1 && depth > 0;
        if self.ends > 0 {
            self.end_if_proven(params);
        }
        if depth == params.schedule.layers() {
            self.end(Ended::Schedule);
        } else if self.limit.depth.is_some_and(|limit| depth as u64 >= u64::from(limit)) {
            self.end(Ended::Depth);
        } else if is_forced {
            self.end(Ended::Forced);
        }
    }

    /// Ends the search if its root's value is exact.
    pub(super) fn end_if_proven(&mut self, params: &Params) {
        let found = self.back_up(params.backup)[0][0];
        let Some(plies) = found.exact else { return };
        let is_won = worth(self.rule, &found.values, self.layers[0][0].actor) >= 1.0;
        let mates = |moves: u32| is_won && u32::from(plies) < moves.saturating_mul(2);
        self.end(if self.limit.mate.is_some_and(mates) { Ended::Mate } else { Ended::Solved });
    }

    /// The root.
    pub(super) fn root_node(&self) -> Result<&Node<M::Snapshot>> {
        self.layers.first().and_then(|layer| layer.first()).ok_or_else(|| {
            Error::InvalidState("this tree has no root: call begin() before finish()".into())
        })
    }

    /// Where everything random at the end of the search comes from, so that asking twice gives the
    /// same action.
    pub(super) fn last_stream(&self) -> Stream {
        Stream::derive(mix(self.seed), self.begun)
    }

    /// Who searches: whoever moves at the root.
    pub(super) fn searcher(&self) -> Player {
        self.layers.first().map_or(0, |layer| layer[0].actor)
    }
}

/// Bytes that a node takes, about.
pub(super) fn bytes_of<M: SearchModel>(model: &M, node: &Node<M::Snapshot>) -> usize {
    let pair = size_of::<(Action, f32)>();
    size_of::<Node<M::Snapshot>>()
        + model.heap_bytes(&node.snapshot)
        + node.moves as usize * (size_of::<Action>() + pair)
}
