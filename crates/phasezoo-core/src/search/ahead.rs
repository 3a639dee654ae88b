//! One tree on several threads: descents go ahead, and what they found is made meanwhile.
//!
//! A descent does not read what its predecessors of the same batch will find, only that they wait. So one
//! thread descends and reserves a node for each leaf; the others walk to the leaves' states, list legal
//! actions and ask the gate. Then leaves are entered in the order of the descents. As soon as one is no
//! leaf (the game is over there, or its code failed), all that went ahead of it is taken back, and the
//! search goes on from there as on one thread. So every number is the same on any number of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::backup::{add_waiting, remove_waiting};
use super::expand::{Filling, Place, check_actions, phase_of};
use super::params::Selection;
use super::select::{Arrival, Step};
use super::session::{Rules, Search};
use super::tree::{Kind, NONE, NodeId};
use crate::error::Result;
use crate::game::{Action, Player};
use crate::gate::Gating;
use crate::model::SearchModel;
use crate::threads;

/// Leaves that a batch must have at least: fewer are made before another thread has woken up.
pub(crate) const LEAST: usize = 24;

/// Leaves per thread and batch at which another thread pays.
const GRAIN: usize = 12;

/// A leaf whose descent is done: where it is, and what was found there.
pub(crate) struct Errand<M: SearchModel> {
    /// The actions from the root.
    actions: Vec<Action>,
    plies: usize,
    /// What the leaf's parent keeps of its state.
    parent: Option<M::Snapshot>,
    previous: i8,
    /// What is there: `None` if nobody has been there, or if it is no plain leaf.
    found: Option<(Player, i8, M::Snapshot)>,
    legal: Vec<Action>,
}

/// What a descent that went ahead has changed.
#[derive(Default)]
pub(crate) struct Trace {
    path: Vec<Step>,
    node: NodeId,
    /// How many slots of the node's parent were opened before.
    opened: u16,
    /// Rows of further edges before.
    rows: usize,
}

/// Room for errands and traces, kept from batch to batch.
pub(crate) struct Ahead<M: SearchModel> {
    errands: Vec<Mutex<Errand<M>>>,
    traces: Vec<Trace>,
}

impl<M: SearchModel> Default for Ahead<M> {
    fn default() -> Self {
        Self { errands: Vec::new(), traces: Vec::new() }
    }
}

impl<M: SearchModel> Ahead<M> {
    fn reserve(&mut self, count: usize) {
        let fresh = || {
            let (actions, legal) = (Vec::new(), Vec::new());
            Mutex::new(Errand { actions, plies: 0, parent: None, previous: -1, found: None, legal })
        };
        self.errands.resize_with(self.errands.len().max(count), fresh);
        self.traces.resize_with(self.traces.len().max(count), Trace::default);
    }
}

/// What threads share while they run errands.
struct Desk<'a, M: SearchModel> {
    model: &'a M,
    gate: Option<&'a Gating<M::Game>>,
    root: &'a M::State,
    draws_repetitions: bool,
    errands: &'a [Mutex<Errand<M>>],
    /// How many errands may be run, from the first on, and how many of them somebody has taken.
    ready: AtomicUsize,
    taken: AtomicUsize,
    /// Whether no more will come.
    closed: AtomicBool,
}

impl<M: SearchModel> Desk<'_, M> {
    /// Runs errands until no more come.
    fn work(&self) {
        let mut walker = None;
        loop {
            let closed = self.closed.load(Ordering::Acquire);
            let next = self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, |taken| {
                (taken < self.ready.load(Ordering::Acquire)).then_some(taken + 1)
            });
            match next {
                Ok(index) => {
                    let mut errand = locked(&self.errands[index]);
                    let walker = walker.get_or_insert_with(|| M::State::clone(self.root));
                    let found = self.run(walker, &mut errand).ok().flatten();
                    errand.found = found;
                }
                Err(_) if closed => return,
                Err(_) => std::thread::yield_now(),
            }
        }
    }

    /// What is at the end of an errand, if it is a plain leaf.
    fn run(
        &self,
        state: &mut M::State,
        errand: &mut Errand<M>,
    ) -> Result<Option<(Player, i8, M::Snapshot)>> {
        let (Some((&last, before)), Some(parent)) = (errand.actions.split_last(), &errand.parent)
        else {
            return Ok(None);
        };
        self.model.restore(state, self.root, before, parent)?;
        self.model.advance(state, last)?;
        if self.model.expand(state, &mut errand.legal)?.is_some()
            || errand.legal.len() > usize::from(u16::MAX)
            || (self.draws_repetitions && self.model.repeats_within(state, errand.plies))
        {
            return Ok(None);
        }
        check_actions(&errand.legal, self.model.num_actions())?;
        let actor = self.model.actor(state)?;
        let phase = phase_of(self.gate, self.model.game(state), actor, errand.previous)?;
        Ok(Some((actor, phase, self.model.snapshot(state))))
    }
}

impl<M: SearchModel> Search<M> {
    /// Whether descents depend on nothing but what waits: not on random numbers, on a schedule, or on
    /// which leaves have been met.
    pub(crate) fn may_go_ahead(&self, rules: &Rules) -> bool {
        let params = &rules.params;
        let explores = params.epsilon_greedy > 0.0 || params.epsilon_checks > 0.0;
        let is_steered = params.root == Selection::Gumbel || params.interior == Selection::Gumbel;
        !(explores || is_steered || self.tree.is_graph())
    }

    /// Adds up to `rows` new leaves, those that the next descents would add one after the other, with the
    /// help of other threads; stops early before whatever is no plain leaf. Says how many it added.
    pub(crate) fn gather_ahead(
        &mut self,
        rules: &Rules,
        at: &mut Place<'_, M>,
        threads: usize,
        pass_proven: bool,
        rows: usize,
    ) -> Result<usize> {
        self.skipped = 0;
        let mut ahead = std::mem::take(&mut self.ahead);
        ahead.reserve(rows);
        let Ahead { errands, traces } = &mut ahead;
        let desk = &Desk {
            model: at.model,
            gate: at.gate,
            root: at.root,
            draws_repetitions: rules.params.draw_on_second_occurrence,
            errands,
            ready: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        };
        let helpers = (threads.min(rows / GRAIN)).saturating_sub(1);
        let mut count = 0;
        threads::pool(Some(threads))?.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(move |_| desk.work());
            }
            while count < rows && self.go_ahead(rules, pass_proven, desk, count, traces) {
                count += 1;
            }
            desk.closed.store(true, Ordering::Release);
            desk.work();
        });
        let added = self.enter(at, &mut ahead, count);
        self.ahead = ahead;
        added
    }

    /// Descends once more; `false` if the way does not lead to a new node.
    fn go_ahead(
        &mut self,
        rules: &Rules,
        pass_proven: bool,
        desk: &Desk<'_, M>,
        index: usize,
        traces: &mut [Trace],
    ) -> bool {
        let rows = self.tree.rows_of_edges();
        let arrival =
            rules.selector.descend(&mut self.tree, &self.noise, pass_proven, &mut self.path);
        let last = self.path.last().copied();
        let node = (arrival == Arrival::New).then(|| self.tree.reserve(Kind::Pending, 0)).flatten();
        let (Some(node), Some(last)) = (node, last) else {
            self.tree.close_after(rows, self.path.iter().map(|step| step.node));
            return false;
        };
        let parent = self.tree.node(last.node);
        let trace = &mut traces[index];
        (trace.node, trace.opened, trace.rows) = (node, parent.opened, rows);
        trace.path.clone_from(&self.path);
        let mut errand = locked(&desk.errands[index]);
        errand.actions.clear();
        let tree = &self.tree;
        errand.actions.extend(self.path.iter().map(|step| tree.action(step.node, step.slot)));
        (errand.plies, errand.previous) = (self.path.len(), parent.phase);
        (errand.parent, errand.found) = (Some(tree.snapshots[last.node as usize].clone()), None);
        drop(errand);
        desk.ready.store(index + 1, Ordering::Release);
        self.link(node);
        add_waiting(&mut self.tree, &self.path);
        true
    }

    /// Enters what `count` errands found, in their order, up to the first that is no plain leaf; takes the
    /// others back.
    fn enter(
        &mut self,
        at: &mut Place<'_, M>,
        ahead: &mut Ahead<M>,
        count: usize,
    ) -> Result<usize> {
        let mut added = 0;
        while added < count {
            let errand = &mut *locked(&ahead.errands[added]);
            let trace = &mut ahead.traces[added];
            // With the nodes that went ahead the tree holds more than it would without.
            let Some((actor, phase, snapshot)) = errand.found.take().filter(|_| !self.is_full())
            else {
                break;
            };
            self.path.clone_from(&trace.path);
            self.path_actions.clone_from(&errand.actions);
            let (legal, previous) = (&errand.legal, errand.previous);
            self.fill_leaf(at, trace.node, Filling { actor, phase, previous, legal, snapshot })?;
            added += 1;
        }
        for trace in ahead.traces[added..count].iter().rev() {
            remove_waiting(&mut self.tree, &trace.path);
            if let Some(&Step { node, slot }) = trace.path.last() {
                self.tree.set_child(node, slot, NONE);
                self.tree.node_mut(node).opened = trace.opened;
            }
            self.tree.unreserve();
            self.tree.close_after(trace.rows, trace.path.iter().map(|step| step.node));
        }
        Ok(added)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
