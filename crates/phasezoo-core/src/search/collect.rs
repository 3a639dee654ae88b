//! Descents: from the root to leaves that go out, or to ends that are backed up at once.

use super::ahead;
use super::backup::{add_waiting, backup, remove_waiting};
use super::batch::LeafBatch;
use super::drawn;
use super::expand::{Expanded, Place};
use super::limit::{Ended, MAX_IDLE};
use super::select::Arrival;
use super::session::{Rules, Search};
use super::tree::NodeId;
use super::values::Values;
use crate::error::{Error, Result};
use crate::gate::Gating;
use crate::model::SearchModel;

/// Visits of ends between two looks at the clock.
const CLOCK_EVERY: u32 = 8;

/// Descents in a row that ended at a proven node, with nothing outstanding, after which one passes such
/// nodes by. Without it a search whose best move is a proven draw would look at nothing else.
const PATIENCE: u32 = 8;

impl<M: SearchModel> Search<M> {
    /// How many leaves this search would hand out now.
    ///
    /// A mini-batch that went out is not filled up while some of it is out, or what the tree finds would
    /// depend on when the answers come. Only the rest of one that the caller's `max_rows` cut goes out.
    pub(crate) fn room(&self, rules: &Rules) -> usize {
        let is_full = !self.is_filling() && self.in_flight.len() >= rules.params.in_flight;
        if is_full || !self.is_running() { 0 } else { self.left(rules) }
    }

    /// Whether the next collection adds to the newest mini-batch.
    fn is_filling(&self) -> bool {
        self.is_cut && self.in_flight.newest() > 0
    }

    /// How many leaves the limits and the size of a batch leave to be handed out.
    fn left(&self, rules: &Rules) -> usize {
        let collected = if self.is_filling() { self.in_flight.newest() } else { 0 };
        self.left_beside(rules, collected)
    }

    /// [`Search::left`], of a mini-batch of which `collected` leaves are out.
    fn left_beside(&self, rules: &Rules, collected: usize) -> usize {
        let waiting = self.waiting() as u64;
        let left = |limit: Option<u64>, done: u64| {
            limit.map_or(u64::MAX, |limit| limit.saturating_sub(done + waiting))
        };
        let left = left(self.limit.nodes, self.nodes)
            .min(left(self.limit.simulations, self.simulations))
            .min((rules.params.batch_size as u64).saturating_sub(collected as u64));
        // Nothing else can be evaluated before the root is.
        let root_is_out = waiting > 0 && !self.tree.has_root();
        if root_is_out { 0 } else { left as usize }
    }

    /// Adds up to `rows` new leaves to `out`, on up to `threads` threads. Ends of games that are met on
    /// the way are backed up at once. After `2 * batch_size` of them descents pass proven nodes by, so
    /// that a batch is filled where the best line is a proven draw; after as many again it goes out as
    /// it is.
    ///
    /// On an error of the game's own code the search has failed, and its new leaves are given up.
    pub(crate) fn collect(
        &mut self,
        model: &M,
        rules: &Rules,
        gate: Option<&Gating<M::Game>>,
        tree: u32,
        (rows, threads): (usize, usize),
        out: &mut LeafBatch<M>,
    ) -> Result<()> {
        let before = out.len();
        let result = self.gather(model, rules, gate, tree, (rows, threads), out);
        let collided = std::mem::take(&mut self.collided);
        remove_waiting(&mut self.tree, &collided);
        self.collided = collided;
        self.collided.clear();
        if let Err(error) = result {
            self.end(Ended::Failed);
            for row in before..out.len() {
                self.cancel_slot(out.tickets[row].slot as usize);
            }
            self.cancelled_below = self.next_serial;
            self.settle(rules);
            return Err(error);
        }
        if out.len() > before {
            self.clock.hand_out(out.len() - before);
        }
        self.settle(rules);
        Ok(())
    }

    fn gather(
        &mut self,
        model: &M,
        rules: &Rules,
        gate: Option<&Gating<M::Game>>,
        tree: u32,
        (rows, threads): (usize, usize),
        out: &mut LeafBatch<M>,
    ) -> Result<()> {
        let Some(root) = self.root.clone().filter(|_| rows > 0 && self.is_running()) else {
            return Ok(());
        };
        if !self.is_filling() {
            self.is_cut = rows < self.left(rules);
            self.in_flight.open();
        }
        let rows = self.in_time(rows);
        if rows == 0 {
            self.end_when_back(rules, Ended::Time);
            return Ok(());
        }
        let shared = out.push_root(&root);
        let mut at = Place { model, gate, tree, root: &root, shared, out };
        if self.tree.nodes.is_empty() {
            return self.hand_out_root(&mut at);
        }
        let (mut new, mut ends, mut collisions) = (0, 0, 0);
        // Descents to go one by one before others go ahead again.
        let mut one_by_one = 0;
        let many = 2 * rules.params.batch_size as u32;
        let too_many = if rules.params.solver { 2 * many } else { many };
        while new < rows.min(self.more(rules) + new) && self.is_running() && self.has_time(new) {
            let alone = self.waiting() == 0;
            let pass_proven = rules.params.solver && (self.idle >= PATIENCE || ends >= many);
            let wanted = (rows - new).min(self.more(rules));
            let may_share = threads > 1 && self.idle < PATIENCE && self.may_go_ahead(rules);
            if may_share && wanted >= ahead::LEAST {
                if one_by_one == 0 {
                    let added = self.gather_ahead(rules, &mut at, threads, pass_proven, wanted)?;
                    new += added;
                    if added > 0 {
                        self.idle = 0;
                    }
                    one_by_one = if added < ahead::LEAST { 2 * ahead::LEAST } else { 1 };
                    continue;
                }
                one_by_one -= 1;
            }
            match self.descend(rules, &at, pass_proven)? {
                Arrival::New => match self.expand(rules, &mut at)? {
                    Expanded::Leaf => {
                        new += 1;
                        self.idle = 0;
                        continue;
                    }
                    Expanded::End => self.idle = 0,
                    Expanded::Joined => {
                        self.count_shared(rules.params.solver);
                        self.idle = 0;
                    }
                    Expanded::Full => {
                        self.end_when_back(rules, Ended::Memory);
                        break;
                    }
                },
                Arrival::Lagging => self.count_shared(rules.params.solver),
                Arrival::Known(id) => {
                    if self.tree.is_graph() && self.tree.node(id).proven {
                        self.count_shared(rules.params.solver);
                    } else {
                        self.count_end(id, self.tree.values(id));
                    }
                    self.idle = if alone { self.idle + 1 } else { 0 };
                }
                Arrival::Waiting => {
                    let counted = &self.path[self.skipped..];
                    add_waiting(&mut self.tree, counted);
                    self.collided.extend_from_slice(counted);
                    collisions += 1;
                    self.collisions += 1;
                    if collisions >= rules.params.batch_size {
                        break;
                    }
                    continue;
                }
                Arrival::Full => {
                    self.end_when_back(rules, Ended::Memory);
                    break;
                }
            }
            ends += 1;
            if rules.params.solver {
                self.prefer_win_at_once(rules, &at)?;
            }
            self.check_end(rules);
            if self.idle >= MAX_IDLE {
                self.end(Ended::Exhausted);
            }
            if self.waiting() > 0 && ends >= too_many {
                break;
            }
            if ends % CLOCK_EVERY == 0 && self.clock.fits(1) == 0 {
                self.end_when_back(rules, Ended::Time);
                break;
            }
        }
        Ok(())
    }

    /// How many leaves may still join the mini-batch that is collected.
    fn more(&self, rules: &Rules) -> usize {
        self.left_beside(rules, self.in_flight.newest())
    }

    /// Ends the search for want of time or memory. With several mini-batches in flight, what is out is
    /// waited for: a later collection ends the search.
    fn end_when_back(&mut self, rules: &Rules, why: Ended) {
        if rules.params.in_flight == 1 || self.waiting() == 0 {
            self.end(why);
        }
    }

    /// How many of `rows` leaves would be back in time. The root is evaluated however late it is, unless
    /// the clock would run out.
    fn in_time(&self, rows: usize) -> usize {
        match self.tree.has_root() {
            true => self.clock.fits(rows),
            false if self.clock.is_too_late() => 0,
            false => rows,
        }
    }

    /// Whether one more leaf than `new` would be back in time. The way down takes time too, much of it
    /// where the game is not the core's own.
    fn has_time(&self, new: usize) -> bool {
        new == 0 || self.clock.fits(new + 1) > new
    }

    /// Backs up a visit of a node whose value is known.
    pub(crate) fn count_end(&mut self, id: NodeId, values: Values) {
        let is_draw = self.tree.worth(&values, self.tree.node(id).actor) == 0.0;
        backup(&mut self.tree, &self.path[self.skipped..], id, values);
        self.note_at_root(f32::from(is_draw));
        self.simulations += 1;
        self.descents.note(self.path.len());
    }

    /// Counts the chance of a draw of a simulation that began at the root, for the root's move that it went
    /// through.
    pub(crate) fn note_at_root(&mut self, chance: f32) {
        if let Some(step) = self.path.first().filter(|_| self.skipped == 0) {
            drawn::note(&mut self.drawn, step.slot, chance);
        }
    }

    /// The tree's first leaf is its root.
    fn hand_out_root(&mut self, at: &mut Place<'_, M>) -> Result<()> {
        self.path.clear();
        self.skipped = 0;
        self.path_actions.clear();
        if at.model.expand(at.root, &mut self.legal)?.is_some() {
            return Err(Error::InvalidState("the game is over at this root".into()));
        }
        let added = self.add_leaf(at, at.root, self.previous_phase)?;
        debug_assert!(added, "an empty tree has room for its root");
        Ok(())
    }
}
