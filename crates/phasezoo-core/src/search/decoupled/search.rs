//! One decoupled search: begun at a root, fed answer by answer.
//!
//! A tree hands out its whole mini-batch at once, and backs it up in the order in which it was handed
//! out when all of it is back: what it finds does not depend on how an evaluator divides the rows.

use super::model::JointModel;
use super::node::{Kind, Node, NodeId, PerPlayer, ROOT, Step};
use super::params::{Params, Selection};
use super::select;
use crate::error::{Error, Result};
use crate::game::Player;
use crate::rng::{Stream, mix};
use crate::search::descents::Descents;
use crate::search::limit::{Clock, Ended, Limit, MAX_IDLE, Status};

/// A row that has been handed out.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) serial: u64,
    /// Which of the leaves that are out it belongs to, and which of its node's seats looks at it.
    pub(super) leaf: usize,
    pub(super) seat: usize,
    pub(super) answer: Option<Answer>,
}

/// What a row was said to be worth.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// To its own player.
    Own(f64),
    /// To every player.
    Each(PerPlayer),
}

/// A leaf that has been handed out.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) node: NodeId,
    pub(super) path: Vec<Step>,
}

/// A search session.
pub(super) struct Search<M: JointModel> {
    pub(super) nodes: Vec<Node<M::State>>,
    pub(super) status: Status,
    pub(super) clock: Clock,
    /// Who searches.
    pub(super) player: Player,
    /// Positions evaluated, and descents finished.
    pub(super) evaluated: u64,
    pub(super) simulations: u64,
    /// Descents that met a leaf that waits.
    pub(super) collisions: u64,
    pub(super) descents: Descents,
    pub(super) memory: usize,
    /// Bytes that the tree may hold.
    pub(super) most_memory: Option<usize>,
    pub(super) stream: Stream,
    pub(super) limit: Limit,
    pub(super) previous_phase: i8,
    pub(super) leaves: Vec<Leaf>,
    pub(super) rows: Vec<Row>,
    /// Rows that are not back.
    pub(super) missing: usize,
    pub(super) next_serial: u64,
    /// Tickets below this serial that are not outstanding were given up: no error.
    pub(super) given_up_below: u64,
    pub(super) path: Vec<Step>,
    seed: u64,
    /// How often a search was begun.
    begun: u64,
    /// Descents in a row that expanded nothing while no leaf was outstanding.
    pub(super) idle: u32,
}

impl<M: JointModel> Search<M> {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            nodes: Vec::new(),
            status: Status::Idle,
            clock: Clock::new(),
            player: 0,
            evaluated: 0,
            simulations: 0,
            collisions: 0,
            descents: Descents::default(),
            memory: 0,
            most_memory: None,
            stream: Stream::new(seed),
            limit: Limit::default(),
            previous_phase: -1,
            leaves: Vec::new(),
            rows: Vec::new(),
            missing: 0,
            next_serial: 1,
            given_up_below: 0,
            path: Vec::new(),
            seed,
            begun: 0,
            idle: 0,
        }
    }

    /// Begins a search by `player` at `root` with a new tree: what all did at once is seen only
    /// afterwards. A search that still runs is given up.
    pub(super) fn begin(
        &mut self,
        model: &M,
        params: &Params,
        root: M::State,
        player: Player,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        check(&limit)?;
        let acting = model.acting(&root)?;
        if acting.0 == 0 {
            return Err(Error::InvalidState(
                "the game is over at this root: there is nothing to search".into(),
            ));
        }
        if !acting.contains(player) || model.settled(&root, player)?.is_some() {
            return Err(Error::InvalidState(format!(
                "player {player} has nothing to search for: it is the turn of {:?}, and a search is by \
                 one of them whose game goes on",
                acting.iter().collect::<Vec<_>>()
            )));
        }
        self.clear();
        self.player = player;
        (self.evaluated, self.simulations, self.collisions, self.idle) = (0, 0, 0, 0);
        self.descents = Descents::default();
        (self.limit, self.previous_phase) = (limit, previous_phase);
        self.begun += 1;
        self.stream = Stream::derive(self.seed, self.begun);
        self.add(model, params, root, None)?;
        self.status = Status::Running;
        self.clock.start(&limit);
        Ok(())
    }

    /// Whether leaves can be collected or completed.
    pub(super) fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Ends a running search; one that has ended keeps its reason.
    pub(super) fn end(&mut self, why: Ended) {
        if self.is_running() {
            self.status = Status::Ended(why);
            self.clock.end();
        }
    }

    /// Forgets the tree and everything that is outstanding.
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.forget_rows();
        self.memory = 0;
        self.status = Status::Idle;
    }

    /// Gives up everything that is outstanding: the tree is as if it had not been handed out.
    pub(super) fn cancel(&mut self) {
        for leaf in std::mem::take(&mut self.leaves) {
            self.mark(&leaf.path, false);
            if let Some(step) = leaf.path.last() {
                let parent = &mut self.nodes[step.node as usize];
                let key = parent.key(&step.slots);
                parent.children.remove(&key);
                self.nodes[leaf.node as usize].kind = Kind::Dropped;
            }
        }
        self.forget_rows();
    }

    pub(super) fn forget_rows(&mut self) {
        self.leaves.clear();
        self.rows.clear();
        self.missing = 0;
        self.clock.give_up();
        self.given_up_below = self.next_serial;
    }

    /// Where everything random at the end of the search comes from, so that asking twice gives the
    /// same action.
    pub(super) fn last_stream(&self) -> Stream {
        Stream::derive(mix(self.seed), self.begun)
    }

    /// Enters a finished descent: the node that it ended at is worth `values`.
    pub(super) fn back_up(
        &mut self,
        params: &Params,
        path: &[Step],
        end: NodeId,
        values: &PerPlayer,
    ) {
        self.simulations += 1;
        self.descents.note(path.len());
        count(&mut self.nodes[end as usize], values);
        let mut regrets = Vec::new();
        for step in path.iter().rev() {
            for index in 0..self.nodes[step.node as usize].seats.len() {
                let player = self.nodes[step.node as usize].seats[index].player;
                let value = values[usize::from(player)];
                if params.selection == Selection::RegretMatching {
                    select::regret(&self.nodes, step, index, value, &mut regrets);
                }
                let seat = &mut self.nodes[step.node as usize].seats[index];
                if params.selection == Selection::RegretMatching {
                    select::learn(seat, &regrets);
                }
                let slot = step.slots[index] as usize;
                seat.visits[slot] += 1;
                seat.totals[slot] += value;
            }
            count(&mut self.nodes[step.node as usize], values);
        }
    }

    /// Marks a path as waiting, or takes such a mark back.
    pub(super) fn mark(&mut self, path: &[Step], waits: bool) {
        let change = |count: &mut u32| *count = if waits { *count + 1 } else { *count - 1 };
        for step in path {
            let node = &mut self.nodes[step.node as usize];
            change(&mut node.waiting);
            for (seat, &slot) in node.seats.iter_mut().zip(&step.slots) {
                change(&mut seat.waiting[slot as usize]);
            }
        }
    }

    /// Ends the search if a count is reached, or if there is nothing to choose.
    pub(super) fn check_end(&mut self) {
        let Some(root) = self.nodes.first().filter(|root| root.kind == Kind::Open) else { return };
        let choices = root.seat_of(self.player).map_or(0, |seat| root.seats[seat].actions.len());
        let (nodes, simulations) = (self.limit.nodes, self.limit.simulations);
        if nodes.is_some_and(|limit| self.evaluated >= limit) {
            self.end(Ended::Nodes);
        } else if simulations.is_some_and(|limit| self.simulations >= limit) {
            self.end(Ended::Simulations);
        } else if self.limit.depth.is_some_and(|limit| self.depth() >= limit) {
            self.end(Ended::Depth);
        } else if choices == 1 && root.visits > 1 && !self.limit.infinite {
            self.end(Ended::Forced);
        }
    }

    /// The mean length of this search's descents in whole plies.
    pub(super) fn depth(&self) -> u32 {
        self.descents.mean(self.simulations)
    }

    /// Replaces the limit of a search that runs, whose time counts from now.
    pub(super) fn change_limit(&mut self, limit: Limit) -> Result<()> {
        check(&limit)?;
        if self.is_running() {
            self.limit = limit;
            self.clock.change(&limit);
            self.check_end();
        }
        Ok(())
    }

    /// Gives up if nothing is left to be expanded and neither a count of simulations nor time ends the
    /// search.
    pub(super) fn note_idle(&mut self) {
        self.idle += 1;
        let Limit { simulations, movetime, clock, infinite, .. } = self.limit;
        let goes_on = simulations.is_some() || movetime.is_some() || clock.is_some() || infinite;
        if self.idle >= MAX_IDLE && self.leaves.is_empty() && !goes_on {
            self.end(Ended::Exhausted);
        }
    }

    /// What is found at the root, for the node that the search began at.
    pub(super) fn root(&self) -> Result<&Node<M::State>> {
        self.nodes.get(ROOT as usize).ok_or_else(|| {
            Error::InvalidState("this tree has no root: call begin() before finish()".into())
        })
    }
}

/// Refuses a limit that searches without proofs do not have.
fn check(limit: &Limit) -> Result<()> {
    if limit.mate.is_some() {
        return Err(Error::InvalidConfig(
            "mate= ends a search by its proof, and decoupled searches prove nothing: give another \
             limit"
                .into(),
        ));
    }
    limit.check()
}

fn count<S>(node: &mut Node<S>, values: &PerPlayer) {
    node.visits += 1;
    for (total, value) in node.totals.iter_mut().zip(values) {
        *total += value;
    }
}
