//! A search's life over a game: begin, simulate, advance.

use std::time::{Duration, Instant};

use super::params::{Ends, Expansion, Params};
use super::report::Report;
use super::rollout::{Played, Rollout, drawn};
use crate::error::{Error, Result};
use crate::game::{Action, Player, Returns};
use crate::model::SearchModel;
use crate::rng::Stream;
use crate::search::backup::backup;
use crate::search::limit::{Ended, Limit, MAX_IDLE};
use crate::search::select::Step;
use crate::search::tree::{Kind, NodeId, ROOT, Tree};
use crate::search::values::Values;

/// Plies after which a rollout without a limit is taken for one of a game that never ends.
const MOST_PLIES: u32 = 100_000;

/// Time between two questions whether to go on, and that a rollout gets beyond its search's end.
const PATIENCE: Duration = Duration::from_millis(50);

/// Plies of a rollout between two looks at the clock.
const PLIES_UNWATCHED: u32 = 64;

/// When a search ends that is bounded by time, or stopped.
struct Clock<'a> {
    deadline: Option<Instant>,
    asked: Instant,
    keep_on: &'a mut dyn FnMut() -> bool,
    stopped: bool,
}

impl Clock<'_> {
    /// The reason to end at `now`, if there is one.
    fn ended(&mut self, now: Instant) -> Option<Ended> {
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Ended::Time);
        }
        if !self.stopped && now.duration_since(self.asked) >= PATIENCE {
            self.asked = now;
            self.stopped = !(self.keep_on)();
        }
        self.stopped.then_some(Ended::Stopped)
    }

    /// Whether a rollout of so many plies has to be given up. One that is nearly over is not.
    fn gives_up(&mut self, plies: u32) -> bool {
        if plies == 0 || !plies.is_multiple_of(PLIES_UNWATCHED) {
            return false;
        }
        Instant::now().checked_sub(PATIENCE).is_some_and(|now| self.ended(now).is_some())
    }
}

/// UCT over one game: its tree is kept from move to move.
///
/// It draws no randomness but from its own seed.
pub struct Search<M: SearchModel, P> {
    model: M,
    policy: P,
    pub(super) params: Params,
    pub(super) stream: Stream,
    pub(super) tree: Tree<M::Snapshot>,
    root: Option<M::State>,
    /// Visits that the root has beside those of simulations.
    first_visits: u32,
    /// The player for whom draws are won, if only the other's mates count.
    pub(super) favoured: Option<Player>,
    /// Actions played since the last search.
    played: Vec<Action>,
    collapses: u64,
    pub(super) collapsed: bool,
    pub(super) nodes: u64,
    pub(super) simulations: u64,
    pub(super) rollout_plies: u64,
    pub(super) depth: u32,
    /// Simulations in a row that added no node.
    idle: u32,
    /// The state that simulations move forward; of no meaning between them.
    walker: Option<M::State>,
    path: Vec<Step>,
    path_actions: Vec<Action>,
    legal: Vec<Action>,
}

impl<M: SearchModel, P: Rollout<M>> Search<M, P> {
    /// A search that has seen nothing.
    pub fn new(model: M, policy: P, params: Params, seed: u64) -> Result<Self> {
        params.check()?;
        let tree = Tree::new(model.value_rule());
        Ok(Self {
            model,
            policy,
            params,
            stream: Stream::new(seed),
            tree,
            root: None,
            first_visits: 0,
            favoured: None,
            played: Vec::new(),
            collapses: 0,
            collapsed: false,
            nodes: 0,
            simulations: 0,
            rollout_plies: 0,
            depth: 0,
            idle: 0,
            walker: None,
            path: Vec::new(),
            path_actions: Vec::new(),
            legal: Vec::new(),
        })
    }

    /// How often a reply was not in the tree.
    pub fn collapses(&self) -> u64 {
        self.collapses
    }

    /// An action of anybody was played.
    pub fn advance(&mut self, action: Action) {
        self.played.push(action);
    }

    /// Forgets the tree; the next search begins another game.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.root = None;
        self.played.clear();
    }

    /// Searches `root` until `limit`, or until `keep_on`, asked some times a second, says no. What the
    /// tree holds of `root` is kept if the actions played since the last search lead there.
    ///
    /// For the `favoured` player a draw counts as won, and for the other as lost.
    pub fn search(
        &mut self,
        root: M::State,
        favoured: Option<Player>,
        limit: &Limit,
        keep_on: &mut dyn FnMut() -> bool,
    ) -> Result<Report> {
        limit.check()?;
        let started = Instant::now();
        self.begin(root, favoured)?;
        let ended = match self.simulate_until(limit, started, keep_on) {
            Ok(ended) => ended,
            Err(error) => {
                self.clear();
                return Err(error);
            }
        };
        Ok(self.report(ended, started.elapsed().as_secs_f64()))
    }

    fn begin(&mut self, root: M::State, favoured: Option<Player>) -> Result<()> {
        let kept = self.follow(&root, favoured)?;
        match kept {
            Some(ROOT) => {}
            Some(id) => self.tree.reroot(id),
            None => self.tree.clear(),
        }
        self.first_visits = match kept {
            Some(ROOT) => self.first_visits,
            Some(_) => 0,
            None => self.params.root_visits,
        };
        self.collapsed = kept.is_none() && self.root.is_some() && !self.played.is_empty();
        self.collapses += u64::from(self.collapsed);
        self.played.clear();
        (self.nodes, self.simulations, self.rollout_plies, self.depth) = (0, 0, 0, 0);
        self.idle = 0;
        self.favoured = favoured;
        if kept.is_none() {
            // A root that cannot be searched leaves nothing to go on from.
            self.root = None;
            if self.model.expand(&root, &mut self.legal)?.is_some() {
                return Err(Error::InvalidState(
                    "the game is over at the root: there is no action to search for".into(),
                ));
            }
            let actor = self.model.actor(&root)?;
            self.add(Kind::Evaluated, actor, &root)?;
        }
        self.root = Some(root);
        Ok(())
    }

    /// The node that the actions played since the last search lead to, if that is `root`.
    fn follow(&self, root: &M::State, favoured: Option<Player>) -> Result<Option<NodeId>> {
        let Some(old) = &self.root else { return Ok(None) };
        if favoured != self.favoured || !self.tree.has_root() {
            return Ok(None);
        }
        let mut state = old.clone();
        let mut id = ROOT;
        for &action in &self.played {
            let Some(child) = self.slot_of(id, action).map(|slot| self.tree.edge(id, slot).child)
            else {
                return Ok(None);
            };
            if self.tree.node(child).kind != Kind::Evaluated {
                return Ok(None);
            }
            self.model.advance(&mut state, action)?;
            id = child;
        }
        Ok(self.model.same(&state, root)?.then_some(id))
    }

    /// The slot of a child in the tree.
    fn slot_of(&self, id: NodeId, action: Action) -> Option<usize> {
        let opened = usize::from(self.tree.node(id).opened);
        self.tree.actions(id)[..opened].iter().position(|&known| known == action)
    }

    fn simulate_until(
        &mut self,
        limit: &Limit,
        started: Instant,
        keep_on: &mut dyn FnMut() -> bool,
    ) -> Result<Ended> {
        let deadline = limit.movetime.and_then(|time| started.checked_add(time));
        let mut clock = Clock { deadline, asked: started, keep_on, stopped: false };
        loop {
            if !self.simulate(&mut clock)? {
                return Ok(Ended::Memory);
            }
            if limit.simulations.is_some_and(|limit| self.simulations >= limit) {
                return Ok(Ended::Simulations);
            }
            if limit.nodes.is_some_and(|limit| self.nodes >= limit) {
                return Ok(Ended::Nodes);
            }
            // Simulations that add nothing still count if simulations are the limit.
            if limit.simulations.is_none() && self.idle >= MAX_IDLE {
                return Ok(Ended::Exhausted);
            }
            if let Some(ended) = clock.ended(Instant::now()) {
                return Ok(ended);
            }
        }
    }

    /// One simulation; `false` if there is no room for another node.
    fn simulate(&mut self, clock: &mut Clock<'_>) -> Result<bool> {
        let mut id = ROOT;
        self.path.clear();
        self.path_actions.clear();
        loop {
            let node = self.tree.node(id);
            if node.kind == Kind::Terminal {
                let values = self.tree.values(id);
                self.count(id, values);
                return Ok(true);
            }
            let has_untried =
                self.params.expansion == Expansion::Untried && node.opened < node.count;
            // A node without children has to play a rollout, however often it was visited.
            let has_choice = has_untried || node.opened > 0;
            if self.visits(id) <= self.params.threshold || !has_choice {
                return self
                    .with_walker(id, |search, state| search.roll_out(id, true, state, clock));
            }
            if has_untried {
                return self.with_walker(id, |search, state| search.try_another(id, state, clock));
            }
            let slot = self.best_slot(id);
            self.path.push(Step { node: id, slot });
            self.path_actions.push(self.tree.action(id, slot));
            id = self.tree.child(id, slot);
        }
    }

    /// What `act` does with a state that stands at node `id`, where selection ended.
    fn with_walker(
        &mut self,
        id: NodeId,
        act: impl FnOnce(&mut Self, &mut M::State) -> Result<bool>,
    ) -> Result<bool> {
        let Some(root) = &self.root else { return Ok(false) };
        let mut walker = self.walker.take().unwrap_or_else(|| root.clone());
        self.restore(id, &mut walker)?;
        let done = act(self, &mut walker);
        self.walker = Some(walker);
        done
    }

    /// Adds a child of `id` by an action that the tree does not hold, any with the same probability,
    /// and plays on from there.
    fn try_another(
        &mut self,
        id: NodeId,
        state: &mut M::State,
        clock: &mut Clock<'_>,
    ) -> Result<bool> {
        let opened = usize::from(self.tree.node(id).opened);
        let untried = &self.tree.actions(id)[opened..];
        let action = untried[self.stream.below(untried.len())];
        self.model.advance(state, action)?;
        match self.enter(id, action, state)? {
            Some(child) => self.roll_out(child, false, state, clock),
            None => Ok(false),
        }
    }

    /// Visits of a node.
    pub(super) fn visits(&self, id: NodeId) -> u32 {
        self.tree.node(id).visits + if id == ROOT { self.first_visits } else { 0 }
    }

    /// Moves `state` to node `id`, where selection ended.
    fn restore(&self, id: NodeId, state: &mut M::State) -> Result<()> {
        let Some(root) = &self.root else { return Ok(()) };
        let snapshot = &self.tree.snapshots[id as usize];
        self.model.restore(state, root, &self.path_actions, snapshot)
    }

    /// Plays from node `leaf` on and counts. If that is `inside` of the tree, the first position that the
    /// tree does not hold is added. A rollout that goes on long after the search should have ended is
    /// given up as a draw: a game need not end.
    fn roll_out(
        &mut self,
        leaf: NodeId,
        mut inside: bool,
        state: &mut M::State,
        clock: &mut Clock<'_>,
    ) -> Result<bool> {
        let selected = self.path.len();
        let mut id = leaf;
        let mut plies = 0;
        let returns = loop {
            // A game that is over in the tree has a result, which no cap makes a draw.
            let is_over = self.tree.node(id).kind == Kind::Terminal;
            let is_capped = self.params.max_plies.is_some_and(|most| plies >= most);
            if !is_over && (is_capped || clock.gives_up(plies)) {
                break drawn();
            }
            if plies >= MOST_PLIES {
                return Err(Error::GameContract(format!(
                    "a rollout was not over after {MOST_PLIES} plies: a game must end, or give \
                     max_rollout_plies="
                )));
            }
            match self.policy.step(&self.model, state, &mut self.stream)? {
                Played::Over(_) if inside && id != leaf && self.params.ends == Ends::Restart => {
                    self.path.truncate(selected);
                    self.restore(leaf, state)?;
                    self.rollout_plies += u64::from(plies);
                    (id, inside, plies) = (leaf, false, 0);
                    continue;
                }
                Played::Over(returns) => break returns,
                Played::Action(action) if inside => match self.slot_of(id, action) {
                    Some(slot) => {
                        self.path.push(Step { node: id, slot: slot as u32 });
                        id = self.tree.edge(id, slot).child;
                    }
                    None => match self.enter(id, action, state)? {
                        None => return Ok(false),
                        Some(child) => (id, inside) = (child, false),
                    },
                },
                Played::Action(_) => {}
            }
            plies += 1;
        };
        self.rollout_plies += u64::from(plies);
        let values = self.values_of(&returns);
        if self.tree.node(id).kind == Kind::Terminal {
            self.tree.set_values(id, &values);
        }
        self.count(id, values);
        Ok(true)
    }

    /// Adds the child of `id` by `action`, where `state` stands; `None` where there is no room.
    fn enter(&mut self, id: NodeId, action: Action, state: &M::State) -> Result<Option<NodeId>> {
        let over = self.model.expand(state, &mut self.legal)?.is_some();
        let kind = if over { Kind::Terminal } else { Kind::Evaluated };
        let actor = if over { self.tree.node(id).actor } else { self.model.actor(state)? };
        // A root needs a child, or there would be no action to play.
        let is_first = id == ROOT && self.tree.node(id).opened == 0;
        if !is_first && self.tree.bytes() >= self.params.memory {
            return Ok(None);
        }
        let Some(child) = self.add(kind, actor, state)? else { return Ok(None) };
        let Some(slot) = self.tree.open(id, action) else {
            return Err(Error::IllegalAction(format!(
                "the rollout policy played action {action}, which is not legal there"
            )));
        };
        self.tree.set_child(id, slot, child);
        self.path.push(Step { node: id, slot });
        self.nodes += 1;
        self.idle = 0;
        Ok(Some(child))
    }

    /// Adds a node for `state`, whose actions are listed; `None` if 32 bits are used up.
    fn add(&mut self, kind: Kind, actor: Player, state: &M::State) -> Result<Option<NodeId>> {
        let Some(id) = self.tree.add(&self.model, kind, actor, state) else { return Ok(None) };
        if kind == Kind::Evaluated {
            self.tree.add_candidates(id, &self.legal)?;
        }
        Ok(Some(id))
    }

    fn count(&mut self, id: NodeId, values: Values) {
        backup(&mut self.tree, &self.path, id, values);
        self.simulations += 1;
        self.idle += 1;
        self.depth = self.depth.max(self.path.len() as u32);
    }

    fn values_of(&self, returns: &Returns) -> Values {
        let is_draw = returns.as_slice().iter().all(|&value| value == 0.0);
        match self.favoured.filter(|_| is_draw) {
            Some(winner) => {
                self.tree.values_of(&Returns::zero_sum(Some(winner)), self.tree.node(ROOT).actor)
            }
            None => self.tree.values_of(returns, self.tree.node(ROOT).actor),
        }
    }
}
