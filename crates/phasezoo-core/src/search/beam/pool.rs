//! Many beams whose layers go out together.

use super::layers::Making;
use super::params::Params;
use super::search::Search;
use crate::error::{Error, Result};
use crate::game::Action;
use crate::gate::Gating;
use crate::memory::Share;
use crate::model::SearchModel;
use crate::search::batch::LeafBatch;
use crate::search::evaluation::{Evaluation, Shape};
use crate::search::inspect::NodeView;
use crate::search::limit::{Ended, Limit, Status};
use crate::search::result::SearchResult;
use crate::search::trees::Trees;

/// Beams over one model with one set of parameters.
///
/// What a tree finds does not depend on the other trees, nor on when and in which order its rows come
/// back, nor on how many go out at once.
pub struct BeamPool<M: SearchModel> {
    model: M,
    params: Params,
    gate: Option<Gating<M::Game>>,
    searches: Trees<Search<M>>,
    /// The tree that the next collection begins with, if the last one had no room for all.
    cursor: usize,
    /// Searches begun so far.
    begun: u64,
    /// Bytes that all trees together may hold.
    memory: Share,
}

impl<M: SearchModel> BeamPool<M> {
    /// A pool without trees. `gate` gives every node its phase; without one the phase is 0, unless
    /// [`BeamPool::set_phases`] says otherwise.
    pub fn new(model: M, params: Params, gate: Option<Gating<M::Game>>) -> Result<Self> {
        params.check()?;
        let memory = Share::of_what_is_left();
        Ok(Self { model, params, gate, searches: Trees::new(), cursor: 0, begun: 0, memory })
    }

    /// The model that the trees walk.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// Adds a tree that draws its randomness from `seed`, and returns its number.
    pub fn add(&mut self, seed: u64) -> Result<u32> {
        self.searches.add(Search::new(self.model.value_rule(), seed))
    }

    /// Forgets a tree; its number is not used again.
    pub fn remove(&mut self, tree: u32) -> Result<()> {
        self.searches.remove(tree)
    }

    /// Forgets all trees, as [`BeamPool::remove`] does.
    pub fn remove_all(&mut self) {
        self.searches.remove_all();
    }

    /// Begins a search with a new tree. `previous_phase` is that of the ply before, -1 if nobody knows.
    pub fn begin(
        &mut self,
        tree: u32,
        root: M::State,
        limit: Limit,
        previous_phase: i8,
    ) -> Result<()> {
        let most = self.memory.of_a_tree(self.params.memory, self.searches.count());
        let search = self.searches.get_mut(tree)?;
        search.begin(&self.model, self.gate.as_ref(), root, limit, previous_phase)?;
        search.memory = most;
        self.begun += 1;
        search.order = self.begun;
        Ok(())
    }

    /// Follows a move of the game in a tree: its next search begins anew.
    pub fn advance(&mut self, tree: u32) -> Result<()> {
        self.searches.get_mut(tree).map(Search::advance)
    }

    /// Hands out no more rows of a tree. Those that are out may still come back.
    pub fn stop(&mut self, tree: u32) -> Result<()> {
        self.searches.get_mut(tree).map(|search| search.end(Ended::Stopped))
    }

    /// Forgets what a tree knows, and what is outstanding.
    pub fn clear(&mut self, tree: u32) -> Result<()> {
        self.searches.get_mut(tree).map(Search::clear)
    }

    /// Ends a search if it still runs, gives up its outstanding rows and says what it found.
    pub fn finish(&mut self, tree: u32) -> Result<SearchResult> {
        self.searches.get_mut(tree)?.finish(&self.params)
    }

    /// What a search has found so far; it goes on.
    pub fn report(&self, tree: u32) -> Result<SearchResult> {
        self.searches.get(tree)?.report(&self.params)
    }

    /// Replaces the limit of a search that runs, whose time counts from now.
    pub fn change_limit(&mut self, tree: u32, limit: Limit) -> Result<()> {
        limit.check()?;
        let search = self.searches.get_mut(tree)?;
        if search.is_running() {
            search.limit = limit;
            search.clock.change(&limit);
        }
        Ok(())
    }

    /// Where a search stands.
    pub fn status(&self, tree: u32) -> Result<Status> {
        self.searches.get(tree).map(|search| search.status)
    }

    /// Positions evaluated by the search of a tree so far, and those with the ends of games met.
    pub fn progress(&self, tree: u32) -> Result<(u64, u64)> {
        let search = self.searches.get(tree)?;
        Ok((search.evaluated, search.evaluated + search.ends))
    }

    /// What a tree holds about the position that `path` leads to from its root, if it was kept.
    pub fn inspect(&self, tree: u32, path: &[Action]) -> Result<Option<NodeView>> {
        self.searches.get(tree).map(|search| search.inspect(&self.params, path))
    }

    /// How many searches are running, waiting ones included.
    pub fn running(&self) -> usize {
        self.searches.iter().filter(|search| search.is_running()).count()
    }

    /// Hands out the next layer of every running tree whose last one is back, as long as there is
    /// room for it among `max_rows`; others go out next time. A layer is never cut, so that whoever
    /// answers it sees all of it: one that has more rows goes out alone.
    ///
    /// Searches begin a layer apart if [`Params::stagger`] says so: of n that run, at most n divided
    /// by the layers of a beam, its root's among them, are at their roots at a time. Those by the
    /// clock wait for nobody.
    ///
    /// When the game's own code fails, that tree's search has failed; the new rows of the others are
    /// given up, to be handed out again by the next call.
    pub fn collect(&mut self, max_rows: usize) -> Result<LeafBatch<M>> {
        self.admit();
        let (count, first) = (self.searches.len(), self.cursor);
        let (mut batch, mut waiting) = (LeafBatch::default(), None);
        for turn in 0..count {
            let tree = (first + turn) % count;
            let with =
                Making { model: &self.model, params: &self.params, gate: self.gate.as_ref() };
            let Some(search) = self.searches.find_mut(tree) else { continue };
            if !search.is_running() || !search.is_admitted {
                continue;
            }
            if batch.len() >= max_rows {
                waiting.get_or_insert(tree);
                break;
            }
            if let Err(error) = search.prepare(&with) {
                self.cancel(&batch);
                return Err(error);
            }
            if !search.is_running() {
                continue;
            }
            if batch.is_empty() || batch.len() + search.unsent <= max_rows {
                search.hand_out(tree as u32, &mut batch);
            } else {
                waiting.get_or_insert(tree);
            }
        }
        self.cursor = waiting.unwrap_or(0);
        Ok(batch)
    }

    /// Lets searches begin, those first that have waited longest.
    fn admit(&mut self) {
        let layers = self.params.schedule.layers() + 1;
        let most = self.running().div_ceil(layers);
        let mut at_root = self.searches.iter().filter(|search| search.is_at_root()).count();
        let is_free = !self.params.stagger;
        let mut waiting: Vec<&mut Search<M>> = self
            .searches
            .slots()
            .iter_mut()
            .flatten()
            .filter(|search| search.is_running() && !search.is_admitted)
            .collect();
        waiting.sort_unstable_by_key(|search| search.order);
        for search in waiting {
            let is_timed = search.limit.movetime.is_some() || search.limit.clock.is_some();
            if is_free || is_timed || at_root < most {
                search.is_admitted = true;
                at_root += 1;
            }
        }
    }

    /// Enters the evaluation of `leaves` into their trees, in any order and any division. Leaves that
    /// were given up since are ignored.
    ///
    /// On an error nothing has changed: all rows are outstanding still, and may be completed again.
    pub fn complete(&mut self, leaves: &LeafBatch<M>, evaluation: &Evaluation<'_>) -> Result<()> {
        let shape = Shape {
            rows: leaves.len(),
            actions: self.model.num_actions(),
            legal: leaves.actions.len(),
            rule: self.model.value_rule(),
        };
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

    /// Gives rows up: they go out again.
    pub fn cancel(&mut self, leaves: &LeafBatch<M>) {
        for &ticket in &leaves.tickets {
            if let Some(search) = self.searches.find_mut(ticket.tree as usize)
                && search.is_out(ticket).unwrap_or(false)
            {
                search.cancel(ticket);
            }
        }
    }

    /// Sets the phases of outstanding rows: for gates that the core does not know. One phase per row;
    /// rows given up since are ignored.
    pub fn set_phases(&mut self, leaves: &mut LeafBatch<M>, phases: &[i8]) -> Result<()> {
        if phases.len() != leaves.len() {
            return Err(Error::InvalidArray(format!(
                "{} phases for {} leaves: give one per leaf",
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
}
