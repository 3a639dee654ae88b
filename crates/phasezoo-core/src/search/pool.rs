//! Many searches whose leaves go out together.

use super::ahead;
use super::batch::LeafBatch;
use super::evaluation::{Evaluation, Shape};
use super::heads::Heads;
use super::inspect::NodeView;
use super::limit::{Limit, Status};
use super::params::Params;
use super::result::SearchResult;
use super::session::{Rules, Search};
use super::trees::Trees;
use crate::error::{Error, Result};
use crate::game::Action;
use crate::gate::Gating;
use crate::memory::Share;
use crate::model::{SearchModel, ValueRule};
use crate::threads;

/// Rows that a thread should have at least: a row takes about a microsecond, waking a thread several.
const GRAIN: usize = 32;

/// Searches over one model with one set of parameters.
///
/// Each tree has its own seed, states and statistics; what it finds does not depend on the other
/// trees, nor on the number of threads, nor on when and in which order its leaves come back, nor on
/// `max_rows`, as long as that is at least `batch_size`. With several mini-batches in flight answers
/// that come early are kept until their turn.
pub struct SearchPool<M: SearchModel> {
    model: M,
    rules: Rules,
    gate: Option<Gating<M::Game>>,
    threads: Option<usize>,
    searches: Trees<Search<M>>,
    /// The tree that the next collection begins with.
    cursor: usize,
    /// Bytes that all trees together may hold.
    memory: Share,
}

impl<M: SearchModel> SearchPool<M> {
    /// A pool without trees.
    ///
    /// `gate` gives every node its phase; without one the phase is 0, unless
    /// [`SearchPool::set_phases`] says otherwise. `threads` is how many threads may work on different
    /// trees; `None` is as many as the process may use.
    pub fn new(
        model: M,
        params: Params,
        gate: Option<Gating<M::Game>>,
        threads: Option<usize>,
    ) -> Result<Self> {
        let rules = Rules::new(params)?;
        let memory = Share::of_what_is_left();
        Ok(Self { model, rules, gate, threads, searches: Trees::new(), cursor: 0, memory })
    }

    /// The model that the trees walk.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// The size of the action space.
    pub fn num_actions(&self) -> usize {
        self.model.num_actions()
    }

    /// The parameters of every search.
    pub fn params(&self) -> &Params {
        &self.rules.params
    }

    /// Adds a tree that draws its randomness from `seed`, and returns its number.
    pub fn add(&mut self, seed: u64) -> Result<u32> {
        self.searches.add(Search::new(&self.model, seed))
    }

    /// Forgets a tree. Its number is not given to another one; its outstanding leaves are ignored when
    /// they come back.
    pub fn remove(&mut self, tree: u32) -> Result<()> {
        self.searches.remove(tree)
    }

    /// Forgets all trees, as [`SearchPool::remove`] does.
    pub fn remove_all(&mut self) {
        self.searches.remove_all();
    }

    /// Begins a search (a running one of the same tree is stopped). What the tree knows of `root` is
    /// kept if that is where the search before began, or where [`SearchPool::advance`] has led since.
    ///
    /// `previous_phase` is the phase one ply before, for monotone gates; -1 if unknown.
    pub fn begin(
        &mut self,
        tree: u32,
        root: M::State,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        let memory = self.memory.of_a_tree(self.rules.params.memory, self.searches.count());
        let (search, model, rules) = self.parts(tree)?;
        search.memory = memory;
        search.begin(model, rules, root, limit, previous_phase)
    }

    /// Says which of the root's actions the next search of a tree looks at, with a new tree; none means
    /// all. Beginning it refuses what is not legal.
    pub fn restrict(&mut self, tree: u32, actions: &[Action]) -> Result<()> {
        self.parts(tree)?.0.restrict(actions);
        Ok(())
    }

    /// Follows a move of the game in a tree.
    pub fn advance(&mut self, tree: u32, action: Action) -> Result<()> {
        let (search, model, rules) = self.parts(tree)?;
        search.advance(model, rules, action)
    }

    /// Ends a search; leaves that are out may still be completed.
    pub fn stop(&mut self, tree: u32) -> Result<()> {
        let (search, _, rules) = self.parts(tree)?;
        search.stop(rules);
        Ok(())
    }

    /// Forgets what a tree knows.
    pub fn clear(&mut self, tree: u32) -> Result<()> {
        self.parts(tree)?.0.clear();
        Ok(())
    }

    /// Ends a search if it still runs, gives up its outstanding leaves and says what it found.
    pub fn finish(&mut self, tree: u32) -> Result<SearchResult> {
        let (search, model, rules) = self.parts(tree)?;
        search.finish(model, rules)
    }

    /// What a search has found so far; it goes on.
    pub fn report(&self, tree: u32) -> Result<SearchResult> {
        self.searches.get(tree)?.report(&self.model, &self.rules)
    }

    /// Replaces the limit of a search that runs: time counts from now, everything else from its
    /// beginning. One that has ended stays as it is.
    pub fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()> {
        let (search, _, rules) = self.parts(tree)?;
        search.change_limit(rules, limit)
    }

    /// Where a search stands.
    pub fn status(&self, tree: u32) -> Result<Status> {
        Ok(self.searches.get(tree)?.status)
    }

    /// Positions evaluated and simulations finished by the search of a tree so far.
    pub fn progress(&self, tree: u32) -> Result<(u64, u64)> {
        self.searches.get(tree).map(|search| (search.nodes, search.simulations))
    }

    /// What a tree holds about the position that `path` leads to from its root, if anything.
    pub fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>> {
        self.searches.get(tree).map(|search| search.inspect(path))
    }

    /// How many searches are running: not ended, waiting ones included.
    pub fn running(&self) -> usize {
        self.searches.iter().filter(|search| search.is_running()).count()
    }

    /// Hands out up to `max_rows` new leaves of all running trees, in turn. A tree gives its whole
    /// mini-batch or waits for the next call; one that waits for evaluations is passed over. The batch
    /// may be empty: when everything is out, or when the trees met only ends of games.
    ///
    /// When the game's own code fails, that tree's search has failed; the new leaves of the others are
    /// given up, to be met again by the next call.
    pub fn collect(&mut self, max_rows: usize) -> Result<LeafBatch<M>> {
        let shares = self.shares(max_rows);
        let total = shares.iter().map(|&(_, rows)| rows).sum();
        let parts = threads::parts(self.threads, total, GRAIN)?.min(shares.len());
        let mut results: Vec<(LeafBatch<M>, Result<()>)> = Vec::new();
        results.resize_with(parts.max(1), || (LeafBatch::default(), Ok(())));
        let (model, rules, gate) = (&self.model, &self.rules, self.gate.as_ref());
        // A tree that is alone has all threads for itself.
        let own = if shares.len() == 1 && total >= ahead::LEAST {
            threads::count(self.threads)?
        } else {
            1
        };
        let mut searches = Slices { rest: self.searches.slots(), first: 0 };
        let tasks: Vec<_> = threads::ranges(shares.len(), parts)
            .zip(&mut results)
            .map(|(range, result)| {
                let shares = &shares[range];
                let end = shares.last().map_or(0, |share| share.0 + 1);
                (shares, searches.take_until(end), result)
            })
            .collect();
        threads::run(self.threads, tasks, |(shares, mut searches, (batch, done))| {
            batch.reserve(shares.iter().map(|share| share.1).sum());
            *done = shares.iter().try_for_each(|&(tree, rows)| match searches.get(tree) {
                Some(search) => search.collect(model, rules, gate, tree as u32, (rows, own), batch),
                None => Ok(()),
            });
        })?;
        let mut whole = LeafBatch::default();
        let mut done = Ok(());
        for (batch, result) in results {
            whole.append(batch);
            done = done.and(result);
        }
        if done.is_err() {
            self.cancel(&whole);
        }
        done.map(|()| whole)
    }

    /// Which trees hand out how many rows, by number.
    fn shares(&mut self, max_rows: usize) -> Vec<(usize, usize)> {
        let count = self.searches.len();
        let first = self.cursor;
        let mut shares = Vec::new();
        let mut left = max_rows;
        for turn in 0..count {
            let tree = (first + turn) % count;
            let room = self.searches.find(tree).map_or(0, |search| search.room(&self.rules));
            if room == 0 {
                continue;
            }
            // A mini-batch larger than `max_rows` is cut; otherwise it goes out whole.
            if room > left && left < max_rows {
                self.cursor = tree;
                left = 0;
            }
            if left == 0 {
                break;
            }
            let rows = room.min(left);
            shares.push((tree, rows));
            left -= rows;
            self.cursor = (tree + 1) % count;
        }
        shares.sort_unstable();
        shares
    }

    /// Enters the evaluation of `leaves` into their trees, in any order and any division. Leaves that
    /// were given up since are ignored.
    ///
    /// On an error nothing has changed: all rows are outstanding still, and may be completed again.
    pub fn complete(&mut self, leaves: &LeafBatch<M>, evaluation: &Evaluation<'_>) -> Result<()> {
        self.complete_with(leaves, evaluation, Heads::default())
    }

    /// [`SearchPool::complete`] with what the options ask for besides moves and values.
    pub fn complete_with(
        &mut self,
        leaves: &LeafBatch<M>,
        evaluation: &Evaluation<'_>,
        heads: Heads<'_>,
    ) -> Result<()> {
        let shape = Shape {
            rows: leaves.len(),
            actions: self.model.num_actions(),
            legal: leaves.actions.len(),
            rule: self.model.value_rule(),
        };
        evaluation.check_sizes(shape)?;
        let heads = heads.checked(evaluation, shape)?;
        for (row, &ticket) in leaves.tickets.iter().enumerate() {
            if let Some(search) = self.searches.find(ticket.tree as usize) {
                search.is_out(ticket)?;
            }
            evaluation.check_row(row, leaves.legal(row), leaves.offsets[row], shape)?;
        }
        if leaves.is_empty() {
            return Ok(());
        }
        let tree_of = |row: usize| leaves.tickets[row].tree as usize;
        let mut rows: Vec<usize> = (0..leaves.len()).collect();
        if !rows.is_sorted_by_key(|&row| tree_of(row)) {
            rows.sort_by_key(|&row| tree_of(row));
        }
        let parts = threads::parts(self.threads, rows.len(), GRAIN)?;
        let rules = &self.rules;
        let mut searches = Slices { rest: self.searches.slots(), first: 0 };
        let mut tasks = Vec::with_capacity(parts);
        let mut left = rows.as_slice();
        while let Some(&last) = left.get(rows.len().div_ceil(parts) - 1).or(left.last()) {
            // A part ends where a tree's rows end.
            let length = left.partition_point(|&row| tree_of(row) <= tree_of(last));
            let (own, others) = left.split_at(length);
            tasks.push((own, searches.take_until(tree_of(last) + 1)));
            left = others;
        }
        threads::run(self.threads, tasks, |(rows, mut searches)| {
            for &row in rows {
                if let Some(search) = searches.get(tree_of(row)) {
                    search.complete(rules, leaves, evaluation, &heads, row, shape);
                }
            }
        })
    }

    /// Gives up leaves: their trees are as if they had not been handed out.
    pub fn cancel(&mut self, leaves: &LeafBatch<M>) {
        for ticket in &leaves.tickets {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(*ticket).unwrap_or(false)
            {
                search.cancel_slot(ticket.slot as usize);
                search.cancelled_below = search.cancelled_below.max(ticket.serial + 1);
                search.settle(&self.rules);
            }
        }
    }

    /// Sets the phases of outstanding leaves: for gates that the core does not know. One phase per
    /// row; rows given up since are ignored.
    pub fn set_phases(&mut self, leaves: &mut LeafBatch<M>, phases: &[i8]) -> Result<()> {
        if phases.len() != leaves.len() {
            return Err(Error::InvalidArray(format!(
                "{} phases for {} leaves: give one per leaf",
                phases.len(),
                leaves.len()
            )));
        }
        leaves.phases.copy_from_slice(phases);
        for (ticket, &phase) in leaves.tickets.iter().zip(phases) {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(*ticket)?
            {
                let id = search.outstanding[ticket.slot as usize].node;
                search.tree.node_mut(id).phase = phase;
            }
        }
        Ok(())
    }

    /// Says of outstanding leaves that the values with which they will be completed are exact, as those
    /// of a table are: whose number of plies to the end, or a guess of it, is not negative. A search
    /// with a solver proves by them, except at its root. For games of up to two players.
    pub fn set_proofs(&mut self, leaves: &LeafBatch<M>, plies: &[i32]) -> Result<()> {
        if plies.len() != leaves.len() {
            return Err(Error::InvalidArray(format!(
                "{} proofs for {} leaves: give one per leaf",
                plies.len(),
                leaves.len()
            )));
        }
        if let ValueRule::PerPlayer(players) = self.model.value_rule() {
            return Err(Error::InvalidState(format!(
                "proofs of leaves are for games of up to two players, not of {players}"
            )));
        }
        for (ticket, &plies) in leaves.tickets.iter().zip(plies) {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(*ticket)?
            {
                let proof = (plies >= 0).then(|| plies.min(i32::from(u16::MAX)) as u16);
                search.outstanding[ticket.slot as usize].proof = proof;
            }
        }
        Ok(())
    }

    fn parts(&mut self, tree: u32) -> Result<(&mut Search<M>, &M, &Rules)> {
        Ok((self.searches.get_mut(tree)?, &self.model, &self.rules))
    }
}

/// Searches `first` and on: what is left to be divided among threads, or one thread's share.
struct Slices<'a, M: SearchModel> {
    rest: &'a mut [Option<Search<M>>],
    first: usize,
}

impl<'a, M: SearchModel> Slices<'a, M> {
    /// Takes the searches up to, not including, number `end`.
    fn take_until(&mut self, end: usize) -> Slices<'a, M> {
        let first = self.first;
        let count = end.saturating_sub(first).min(self.rest.len());
        self.first += count;
        Slices { rest: threads::take_rows(&mut self.rest, count), first }
    }

    /// The search of a tree, if it is among these and was not removed.
    fn get(&mut self, tree: usize) -> Option<&mut Search<M>> {
        self.rest.get_mut(tree.checked_sub(self.first)?)?.as_mut()
    }
}
