//! One search: begun at a root, fed leaf by leaf, moved along with the game.

use std::sync::Arc;

use super::ahead::Ahead;
use super::batch::Ticket;
use super::complete::InFlight;
use super::descents::Descents;
use super::drawn::Drawn;
use super::gumbel::{Gumbel, GumbelRoot};
use super::limit::{Clock, Ended, Limit, Status};
use super::params::{Params, Selection};
use super::result::SearchResult;
use super::root;
use super::select::{Selector, Step};
use super::solver::prove_root;
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};
use super::values::Values;
use crate::error::{Error, Result};
use crate::game::Action;
use crate::model::SearchModel;
use crate::rng::{Stream, mix};

/// What all searches of a pool share.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) params: Params,
    pub(crate) selector: Selector,
    pub(crate) gumbel: Gumbel,
}

impl Rules {
    pub(crate) fn new(params: Params) -> Result<Self> {
        params.check()?;
        let (selector, gumbel) = (Selector::new(&params), Gumbel::new(&params));
        Ok(Self { params, selector, gumbel })
    }
}

/// A leaf that has been handed out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outstanding {
    /// The serial of its ticket; 0 if the slot is free.
    pub(crate) serial: u64,
    pub(crate) node: NodeId,
    /// What later lines may find the node by, in a graph.
    pub(crate) key: Option<u64>,
    /// The way from the root. Kept with the slot, so that descents do not allocate.
    pub(crate) path: Vec<Step>,
    /// Plies to the end if the value that it will get is known to be exact.
    pub(crate) proof: Option<u16>,
    /// Steps at its beginning that the descent does not count for.
    pub(crate) skipped: usize,
    /// The number of its mini-batch.
    pub(crate) batch: u64,
    /// The values and the chance of a draw, from the answer to the backup.
    pub(crate) answer: Option<(Values, f32)>,
}

impl Outstanding {
    /// Plies to the end if the leaf's value proves something.
    pub(crate) fn exact(&self, rules: &Rules) -> Option<u16> {
        self.proof.filter(|_| rules.params.solver && self.node != ROOT)
    }
}

/// A search session: begin, collect, complete, status, stop, advance, finish
/// (`docs/definitions/limits.md`).
///
/// It draws no randomness but from its own seed, and reads nothing of other searches.
pub(crate) struct Search<M: SearchModel> {
    pub(crate) tree: Tree<M::Snapshot>,
    pub(crate) root: Option<Arc<M::State>>,
    /// The state that descents move forward; of no meaning between them.
    pub(crate) walker: Option<M::State>,
    /// The root's priors with noise, or nothing.
    pub(crate) noise: Vec<f32>,
    pub(crate) status: Status,
    pub(crate) limit: Limit,
    pub(crate) clock: Clock,
    /// Bytes that the tree may hold.
    pub(crate) memory: Option<usize>,
    /// The phase before the root, -1 if unknown.
    pub(crate) previous_phase: i8,
    /// Counters of this search; a reused subtree does not count.
    pub(crate) nodes: u64,
    pub(crate) simulations: u64,
    /// Descents that met a leaf that waits.
    pub(crate) collisions: u64,
    pub(crate) descents: Descents,
    /// Descents in a row that expanded nothing while no leaf was outstanding.
    pub(crate) idle: u32,
    /// Whether the mini-batch that is out is a part, because the caller had no room for all of it.
    pub(crate) is_cut: bool,
    pub(crate) in_flight: InFlight,
    pub(crate) outstanding: Vec<Outstanding>,
    pub(crate) free_slots: Vec<u32>,
    pub(crate) next_serial: u64,
    /// Tickets below this serial that are not outstanding may have been cancelled: no error.
    pub(crate) cancelled_below: u64,
    /// Scratch: the current path, its actions, legal actions, steps of collided descents, a sort.
    pub(crate) path: Vec<Step>,
    /// Steps at the path's beginning that the descent does not count for: it began below the root.
    pub(crate) skipped: usize,
    pub(crate) path_actions: Vec<Action>,
    pub(crate) legal: Vec<Action>,
    pub(crate) collided: Vec<Step>,
    /// The key of the leaf that is made, in a graph.
    pub(crate) key: Option<u64>,
    pub(crate) sorting: Vec<(f32, Action)>,
    /// Selection at the root by sequential halving, if that is asked for.
    pub(crate) gumbel: Option<GumbelRoot>,
    /// How many simulations through each of the root's slots were draws.
    pub(crate) drawn: Vec<Drawn>,
    /// Whether this search is one of the cheap ones.
    pub(crate) is_cheap: bool,
    /// The root's actions that the next search looks at, and this one does; none means all.
    pub(crate) wanted: Vec<Action>,
    pub(crate) searchmoves: Vec<Action>,
    /// What descents that explore draw from.
    pub(crate) exploring: Stream,
    /// What descents that go ahead work with.
    pub(crate) ahead: Ahead<M>,
    seed: u64,
    /// How often a search was begun.
    begun: u64,
    /// Whether the root was reached by advance, so that its subtree may be kept.
    advanced: bool,
    /// Moves followed since the tree was made or cleared: the ply of games that do not count.
    pub(crate) followed: u32,
}

impl<M: SearchModel> Search<M> {
    pub(crate) fn new(model: &M, seed: u64) -> Self {
        Self {
            tree: Tree::new(model.value_rule()),
            root: None,
            walker: None,
            noise: Vec::new(),
            status: Status::Idle,
            limit: Limit::default(),
            clock: Clock::new(),
            memory: None,
            previous_phase: -1,
            nodes: 0,
            simulations: 0,
            collisions: 0,
            descents: Descents::default(),
            idle: 0,
            is_cut: false,
            in_flight: InFlight::default(),
            outstanding: Vec::new(),
            free_slots: Vec::new(),
            next_serial: 1,
            cancelled_below: 0,
            path: Vec::new(),
            skipped: 0,
            path_actions: Vec::new(),
            legal: Vec::new(),
            collided: Vec::new(),
            key: None,
            sorting: Vec::new(),
            gumbel: None,
            drawn: Vec::new(),
            is_cheap: false,
            wanted: Vec::new(),
            searchmoves: Vec::new(),
            exploring: Stream::new(seed),
            ahead: Ahead::default(),
            seed,
            begun: 0,
            advanced: false,
            followed: 0,
        }
    }

    /// Begins a search at `root`. What is known of it is kept if it is the root of the search before, or
    /// was reached from there by [`Search::advance`]; otherwise the tree is new. A search that still runs
    /// is stopped.
    pub(crate) fn begin(
        &mut self,
        model: &M,
        rules: &Rules,
        root: M::State,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        Self::check_limit(rules, &limit)?;
        if model.terminal(&root)?.is_some() {
            return Err(Error::InvalidState(
                "the game is over at this root: there is nothing to search".into(),
            ));
        }
        model.actor(&root)?; // refuses a root that no single player moves from
        let was_whole = self.searchmoves.is_empty();
        self.begin_restricted(model, &root)?;
        let is_known = match &self.root {
            Some(known) if rules.params.reuse_tree || self.advanced => model.same(known, &root)?,
            _ => false,
        };
        let keep = rules.params.reuse_tree
            && was_whole
            && self.searchmoves.is_empty()
            && self.tree.has_root()
            && is_known;
        self.cancel();
        if !keep {
            self.tree.clear();
            self.tree.transpositions = rules.params.graph.then(Default::default);
            self.tree.squares = (rules.params.c_puct_stdev_scale > 0.0).then(Vec::new);
        }
        self.walker.get_or_insert_with(|| root.clone());
        self.root = Some(Arc::new(root));
        if !(keep || self.advanced && is_known) {
            self.followed = 0;
        }
        self.advanced = false;
        (self.nodes, self.simulations, self.collisions, self.idle) = (0, 0, 0, 0);
        self.descents = Descents::default();
        (self.limit, self.previous_phase) = (limit, previous_phase);
        self.begun += 1;
        self.exploring = Stream::derive(mix(!self.seed), self.begun);
        self.vary_nodes(rules);
        self.make_cheap(rules);
        self.forget_root();
        self.status = Status::Running;
        self.clock.start(&limit);
        if keep {
            if rules.params.solver {
                prove_root(&mut self.tree);
            }
            self.mix_noise(rules);
            self.check_end(rules);
        }
        Ok(())
    }

    /// Draws how many nodes the search that begins has, if searches are to differ.
    fn vary_nodes(&mut self, rules: &Rules) {
        let factor = f64::from(rules.params.node_random_factor);
        let Limit { nodes, simulations, .. } = &mut self.limit;
        let limit = if nodes.is_some() { nodes } else { simulations };
        let Some(count) = limit.as_mut().filter(|_| factor > 0.0) else { return };
        let most = (*count as f64 * factor) as u64;
        if most > 0 {
            let unit = Stream::derive(mix(self.seed.wrapping_add(3)), self.begun).unit();
            *count = *count - most / 2 + (unit * most as f64) as u64;
        }
    }

    /// Decides whether the search that begins is a cheap one, and bounds it if so.
    fn make_cheap(&mut self, rules: &Rules) {
        let share = f64::from(rules.params.cheap_search_prob);
        self.is_cheap = share > 0.0
            && !self.limit.infinite
            && Stream::derive(mix(self.seed.wrapping_add(2)), self.begun).unit() < share;
        if self.is_cheap {
            let most = rules.params.cheap_search_nodes as u64;
            self.limit.nodes = Some(self.limit.nodes.unwrap_or(u64::MAX).min(most));
        }
    }

    /// Follows a move of the game: its subtree becomes the tree. Without a root there is nothing to
    /// follow, and nothing happens.
    pub(crate) fn advance(&mut self, model: &M, rules: &Rules, action: Action) -> Result<()> {
        let Some(root) = &self.root else { return Ok(()) };
        let mut state = M::State::clone(root);
        let mut legal = Vec::new();
        if model.expand(&state, &mut legal)?.is_some() || !legal.contains(&action) {
            return Err(Error::IllegalAction(format!(
                "action {action} is not legal at the search's root; legal are {legal:?}"
            )));
        }
        model.advance(&mut state, action)?;
        self.cancel();
        self.end(Ended::Stopped);
        match self.child_of_root(action) {
            Some(child) if rules.params.reuse_tree => self.tree.reroot(child),
            _ => self.tree.clear(),
        }
        self.forget_root();
        self.root = Some(Arc::new(state));
        self.advanced = true;
        self.searchmoves.clear();
        self.followed += 1;
        Ok(())
    }

    fn child_of_root(&self, action: Action) -> Option<NodeId> {
        if !self.tree.has_root() {
            return None;
        }
        let slot = self.tree.actions(ROOT).iter().position(|&known| known == action)?;
        let child = self.tree.edge(ROOT, slot).child;
        let is_evaluated = child != NONE && self.tree.node(child).kind == Kind::Evaluated;
        // One of its moves has to be chosen once it is the root.
        let is_usable =
            is_evaluated && (!self.tree.node(child).proven || self.tree.shows_proof(child));
        is_usable.then_some(child)
    }

    /// Hands out no more leaves. Those that are out may still come back.
    pub(crate) fn stop(&mut self, rules: &Rules) {
        self.end(Ended::Stopped);
        self.settle(rules);
    }

    /// Forgets the tree and everything that is outstanding.
    pub(crate) fn clear(&mut self) {
        self.cancel();
        self.tree.clear();
        self.forget_root();
        (self.root, self.walker) = (None, None);
        self.searchmoves.clear();
        (self.status, self.advanced, self.followed) = (Status::Idle, false, 0);
    }

    /// Ends the search and says what it found. Leaves that are out are given up. May be called again.
    pub(crate) fn finish(&mut self, model: &M, rules: &Rules) -> Result<SearchResult> {
        if self.root.is_some() {
            self.cancel();
            self.end(Ended::Stopped);
        }
        self.report(model, rules)
    }

    /// What the search has found so far; it goes on.
    pub(crate) fn report(&self, model: &M, rules: &Rules) -> Result<SearchResult> {
        let Some(root) = self.root.clone() else {
            return Err(Error::InvalidState("this tree has no root: call begin() first".into()));
        };
        let ply = model.ply(&root).unwrap_or(self.followed);
        // A stream of its own for each search, so that asking twice gives the same move.
        let mut stream = Stream::derive(mix(self.seed), self.begun);
        SearchResult::of(self, model, rules, &root, ply, &mut stream)
    }

    /// Leaves that are out.
    pub(crate) fn waiting(&self) -> usize {
        self.outstanding.len() - self.free_slots.len()
    }

    /// Whether leaves can be collected or completed.
    pub(crate) fn is_running(&self) -> bool {
        self.status == Status::Running
    }

    /// Ends a running search; one that has ended keeps its reason.
    pub(crate) fn end(&mut self, why: Ended) {
        if self.is_running() {
            self.status = Status::Ended(why);
            self.clock.end();
        }
    }

    /// Ends the search if its root is solved or forced, or a count is reached.
    pub(crate) fn check_end(&mut self, rules: &Rules) {
        let Some(root) = self.tree.nodes.first().filter(|root| root.kind == Kind::Evaluated) else {
            return;
        };
        let why = if root.proven && rules.params.solver {
            if self.has_mate() { Ended::Mate } else { Ended::Solved }
        } else if self.limit.nodes.is_some_and(|limit| self.nodes >= limit) {
            Ended::Nodes
        } else if self.limit.simulations.is_some_and(|limit| self.simulations >= limit) {
            Ended::Simulations
        } else if self.limit.depth.is_some_and(|limit| self.depth() >= limit) {
            Ended::Depth
        } else if root.count == 1
            && root.visits > 1
            && self.limit.ends_when_forced()
            && self.searchmoves.is_empty()
        {
            Ended::Forced
        } else {
            return;
        };
        self.end(why);
    }

    /// The mean length of this search's descents in whole plies.
    pub(crate) fn depth(&self) -> u32 {
        self.descents.mean(self.simulations)
    }

    /// Whether the root is proven to be won in as few moves as the limit asks for.
    fn has_mate(&self) -> bool {
        let worth = self.tree.exact_worth(ROOT, self.tree.node(ROOT).actor);
        let is_won = worth.is_some_and(|worth| worth >= 1.0);
        let moves = u32::from(self.tree.rest(ROOT).distance).div_ceil(2);
        is_won && self.limit.mate.is_some_and(|limit| moves <= limit)
    }

    /// Goes on with another limit, whose time counts from now; what was counted stays counted.
    pub(crate) fn change_limit(&mut self, rules: &Rules, limit: Limit) -> Result<()> {
        Self::check_limit(rules, &limit)?;
        if self.is_running() {
            self.limit = limit;
            self.clock.change(&limit);
            self.check_end(rules);
            self.settle(rules);
        }
        Ok(())
    }

    fn check_limit(rules: &Rules, limit: &Limit) -> Result<()> {
        limit.check()?;
        let is_counted = limit.nodes.is_some() || limit.simulations.is_some();
        if rules.params.root == Selection::Gumbel && !is_counted {
            return Err(Error::InvalidConfig(
                "root=\"gumbel\" shares a number of simulations out: give nodes= or \
                 simulations="
                    .into(),
            ));
        }
        if limit.mate.is_some() && !rules.params.solver {
            return Err(Error::InvalidConfig(
                "mate= ends a search by its proof: give it solver=True, or another limit".into(),
            ));
        }
        Ok(())
    }

    /// Forgets what holds for a root alone.
    fn forget_root(&mut self) {
        self.noise.clear();
        self.gumbel = None;
        self.drawn.clear();
    }

    /// Mixes new noise into the root's priors, or draws that of sequential halving. Stored priors stay
    /// clean, so a reused root gets fresh noise and a former root keeps none.
    pub(crate) fn mix_noise(&mut self, rules: &Rules) {
        let mut stream = Stream::derive(self.seed, self.begun);
        if !self.is_cheap {
            root::with_noise(self.tree.priors(ROOT), &rules.params, &mut stream, &mut self.noise);
        }
        self.drawn.resize(self.tree.priors(ROOT).len(), Drawn::default());
        if rules.params.root == Selection::Gumbel {
            let limit = self.limit.nodes.unwrap_or(u64::MAX);
            let limit = limit.min(self.limit.simulations.unwrap_or(u64::MAX));
            let budget = limit.saturating_sub(self.simulations);
            let mut stream = Stream::derive(mix(self.seed.wrapping_add(1)), self.begun);
            let root = GumbelRoot::new(&rules.gumbel, &self.tree, budget, &mut stream);
            self.gumbel = Some(root);
        }
    }

    /// Reserves a slot for a leaf that goes out, with the current path.
    pub(crate) fn hand_out(&mut self, tree: u32, node: NodeId) -> Ticket {
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.outstanding.push(Outstanding::default());
            (self.outstanding.len() - 1) as u32
        });
        let serial = self.next_serial;
        self.next_serial += 1;
        let kept = &mut self.outstanding[slot as usize];
        (kept.serial, kept.node, kept.key) = (serial, node, self.key.take());
        kept.proof = None;
        kept.path.clone_from(&self.path);
        kept.skipped = self.skipped;
        kept.batch = self.in_flight.add();
        Ticket { tree, slot, serial }
    }

    /// Gives up everything that is outstanding: its marks go, its nodes are unlinked, its tickets will
    /// be ignored.
    pub(crate) fn cancel(&mut self) {
        for slot in 0..self.outstanding.len() {
            self.cancel_slot(slot);
        }
        self.in_flight.clear();
        self.cancelled_below = self.next_serial;
    }

    /// Gives up one leaf, if it is still out.
    pub(crate) fn cancel_slot(&mut self, slot: usize) {
        let kept = &mut self.outstanding[slot];
        if kept.serial == 0 {
            return;
        }
        kept.serial = 0;
        self.in_flight.remove(kept.batch, kept.answer.take().is_some());
        let (path, skipped) = (std::mem::take(&mut kept.path), kept.skipped);
        super::backup::remove_waiting(&mut self.tree, &path[skipped..]);
        match path.last() {
            Some(step) => self.tree.set_child(step.node, step.slot, NONE),
            None => self.tree.clear(),
        }
        self.outstanding[slot].path = path;
        self.free_slots.push(slot as u32);
        if self.waiting() == 0 {
            self.clock.give_up();
        }
    }
}
