//! Many decoupled searches whose leaves go out together.

use super::batch::JointBatch;
use super::complete::shape_of;
use super::model::JointModel;
use super::params::Params;
use super::search::Search;
use crate::error::{Error, Result};
use crate::game::Player;
use crate::gate::Gating;
use crate::memory::Share;
use crate::search::evaluation::Evaluation;
use crate::search::limit::{Ended, Limit, Status};
use crate::search::result::SearchResult;
use crate::search::trees::Trees;

/// Searches over one model with one set of parameters.
///
/// Each tree has its own seed, states and statistics; what it finds does not depend on the other
/// trees, nor on `max_rows` as long as that is at least `batch_size` times the number of players.
pub struct JointPool<M: JointModel> {
    model: M,
    params: Params,
    gate: Option<Gating<M::Game>>,
    searches: Trees<Search<M>>,
    /// The tree that the next collection begins with.
    cursor: usize,
    /// Bytes that all trees together may hold.
    memory: Share,
}

impl<M: JointModel> JointPool<M> {
    /// A pool without trees. `gate` gives every row its phase; without one the phase is 0, unless
    /// [`JointPool::set_phases`] says otherwise.
    pub fn new(model: M, params: Params, gate: Option<Gating<M::Game>>) -> Result<Self> {
        params.check()?;
        let memory = Share::of_what_is_left();
        Ok(Self { model, params, gate, searches: Trees::new(), cursor: 0, memory })
    }

    /// The model that the trees walk.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Adds a tree that draws its randomness from `seed`, and returns its number.
    pub fn add(&mut self, seed: u64) -> Result<u32> {
        self.searches.add(Search::new(seed))
    }

    /// Forgets a tree; its number is not used again.
    pub fn remove(&mut self, tree: u32) -> Result<()> {
        self.searches.remove(tree)
    }

    /// Forgets all trees, as [`JointPool::remove`] does.
    pub fn remove_all(&mut self) {
        self.searches.remove_all();
    }

    /// Begins a search by `player` with a new tree. `previous_phase` is that of the ply before, -1 if
    /// nobody knows.
    pub fn begin(
        &mut self,
        tree: u32,
        root: M::State,
        player: Player,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        let most = self.memory.of_a_tree(self.params.memory, self.searches.count());
        let search = self.searches.get_mut(tree)?;
        search.most_memory = most;
        search.begin(&self.model, &self.params, root, player, limit, previous_phase)
    }

    /// Hands out no more leaves of a tree. Those that are out may still come back.
    pub fn stop(&mut self, tree: u32) -> Result<()> {
        self.searches.get_mut(tree).map(|search| search.end(Ended::Stopped))
    }

    /// Forgets what a tree knows, and what is outstanding.
    pub fn clear(&mut self, tree: u32) -> Result<()> {
        self.searches.get_mut(tree).map(Search::clear)
    }

    /// What a tree's search has found so far; it goes on.
    pub fn report(&self, tree: u32) -> Result<SearchResult> {
        self.searches.get(tree)?.report(&self.params)
    }

    /// Replaces the limit of a tree's search if it runs, whose time counts from now.
    pub fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()> {
        self.searches.get_mut(tree)?.change_limit(limit)
    }

    /// Where a tree's search stands.
    pub fn status(&self, tree: u32) -> Result<Status> {
        self.searches.get(tree).map(|search| search.status)
    }

    /// Positions evaluated and simulations finished by the search of a tree so far.
    pub fn progress(&self, tree: u32) -> Result<(u64, u64)> {
        self.searches.get(tree).map(|search| (search.evaluated, search.simulations))
    }

    /// How many searches are running, waiting ones included.
    pub fn running(&self) -> usize {
        self.searches.iter().filter(|search| search.is_running()).count()
    }

    /// Hands out new leaves of all running trees, in turn, with `max_rows` rows at most; but whoever
    /// comes first gets one leaf out. A tree gives its whole mini-batch or waits for the next call; one
    /// that waits for evaluations is passed over.
    ///
    /// When the game's own code fails, that tree's search has failed; the new leaves of the others are
    /// given up, to be met again by the next call.
    pub fn collect(&mut self, max_rows: usize) -> Result<JointBatch<M::State>> {
        let (count, first) = (self.searches.len(), self.cursor);
        let players = self.model.num_players();
        let (mut batch, mut left) = (JointBatch::default(), max_rows);
        for turn in 0..count {
            let tree = (first + turn) % count;
            let Some(search) = self.searches.find_mut(tree) else { continue };
            let room = search.room(&self.params);
            if room == 0 {
                continue;
            }
            self.cursor = tree;
            if left == 0 || (room.saturating_mul(players) > left && left < max_rows) {
                break;
            }
            let leaves = room.min((left / players).max(1));
            let gate = self.gate.as_ref();
            let done =
                search.collect(&self.model, &self.params, gate, tree as u32, leaves, &mut batch);
            if let Err(error) = done {
                self.cancel(&batch);
                return Err(error);
            }
            left = max_rows.saturating_sub(batch.len());
            self.cursor = (tree + 1) % count;
        }
        Ok(batch)
    }

    /// Enters the evaluation of `leaves` into their trees, in any order and any division. Leaves that
    /// were given up since are ignored.
    ///
    /// On an error nothing has changed: all rows are outstanding still, and may be completed again.
    pub fn complete(
        &mut self,
        leaves: &JointBatch<M::State>,
        evaluation: &Evaluation<'_>,
    ) -> Result<()> {
        let shape = shape_of(&self.model, leaves, evaluation);
        evaluation.check_sizes(shape)?;
        for (row, &ticket) in leaves.tickets.iter().enumerate() {
            if let Some(search) = self.searches.find(ticket.tree as usize) {
                search.is_out(ticket)?;
            }
            evaluation.check_row(row, leaves.legal(row), leaves.offsets[row], shape)?;
        }
        for (row, ticket) in leaves.tickets.iter().enumerate() {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize) {
                search.complete(&self.params, leaves, evaluation, row, shape);
            }
        }
        Ok(())
    }

    /// Gives up the mini-batches that rows belong to: their trees are as if they had not been handed
    /// out.
    pub fn cancel(&mut self, leaves: &JointBatch<M::State>) {
        for &ticket in &leaves.tickets {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(ticket).unwrap_or(false)
            {
                search.cancel();
            }
        }
    }

    /// Sets the phases of outstanding rows: for gates that the core does not know. One phase per row;
    /// rows given up since are ignored.
    pub fn set_phases(&mut self, leaves: &mut JointBatch<M::State>, phases: &[i8]) -> Result<()> {
        if phases.len() != leaves.len() {
            return Err(Error::InvalidArray(format!(
                "{} phases for {} rows: give one per row",
                phases.len(),
                leaves.len()
            )));
        }
        leaves.phases.copy_from_slice(phases);
        for (&ticket, &phase) in leaves.tickets.iter().zip(phases) {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(ticket)?
            {
                search.set_phase(ticket, phase);
            }
        }
        Ok(())
    }

    /// Ends a search if it still runs, and says what it found.
    pub fn finish(&mut self, tree: u32) -> Result<SearchResult> {
        self.searches.get_mut(tree)?.finish(&self.params)
    }
}
