//! Leaves that come back: their evaluations enter the tree.

use std::collections::VecDeque;

use super::backup::{backup, remove_waiting};
use super::batch::{LeafBatch, Ticket};
use super::drawn;
use super::evaluation::{Evaluation, Shape, sort_candidates};
use super::heads::Heads;
use super::limit::{Ended, Status};
use super::session::{Outstanding, Rules, Search};
use super::solver::prove_upwards;
use super::tree::{Kind, ROOT};
use crate::error::{Error, Result};
use crate::model::SearchModel;

/// The mini-batches of a tree that are not backed up, the oldest first.
///
/// They are backed up in the order of their collection, each after the collection of the next one, if one
/// may follow. So with two in flight everything happens in the order collect 1, collect 2, back up 1,
/// collect 3, back up 2, and so on, whenever the answers come: those that come early are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight {
    batches: VecDeque<Batch>,
    /// The number of the oldest.
    first: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    /// Leaves that are not backed up.
    left: usize,
    /// Those of them whose answers are there.
    answered: usize,
}

impl InFlight {
    pub(crate) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Leaves of the newest mini-batch that are not backed up.
    pub(crate) fn newest(&self) -> usize {
        self.batches.back().map_or(0, |batch| batch.left)
    }

    /// Begins a mini-batch.
    pub(crate) fn open(&mut self) {
        self.batches.push_back(Batch::default());
    }

    /// Counts another leaf of the newest mini-batch, and says the number of that.
    pub(crate) fn add(&mut self) -> u64 {
        self.batches.back_mut().expect("a mini-batch was begun").left += 1;
        self.first + self.batches.len() as u64 - 1
    }

    /// Counts an answer.
    fn answer(&mut self, batch: u64) {
        self.batches[(batch - self.first) as usize].answered += 1;
    }

    /// Counts a leaf that is given up or backed up.
    pub(crate) fn remove(&mut self, batch: u64, is_answered: bool) {
        let batch = &mut self.batches[(batch - self.first) as usize];
        batch.left -= 1;
        batch.answered -= usize::from(is_answered);
    }

    /// Forgets all, which hold no leaves.
    pub(crate) fn clear(&mut self) {
        self.first += self.batches.len() as u64;
        self.batches.clear();
    }

    fn pop(&mut self) {
        self.batches.pop_front();
        self.first += 1;
    }
}

impl<M: SearchModel> Search<M> {
    /// Whether the leaf of `ticket` is out; `false` where it was given up.
    pub(crate) fn is_out(&self, ticket: Ticket) -> Result<bool> {
        let kept = self.outstanding.get(ticket.slot as usize);
        if kept.is_some_and(|kept| kept.serial == ticket.serial && kept.answer.is_none()) {
            return Ok(true);
        }
        if ticket.serial < self.cancelled_below {
            return Ok(false);
        }
        Err(Error::InvalidState(format!(
            "leaf {} of tree {} has been completed before: complete each leaf once",
            ticket.serial, ticket.tree
        )))
    }

    /// Takes row `row` of a checked evaluation, and enters what is due. A leaf that was given up is ignored.
    pub(crate) fn complete(
        &mut self,
        rules: &Rules,
        batch: &LeafBatch<M>,
        evaluation: &Evaluation<'_>,
        heads: &Heads<'_>,
        row: usize,
        shape: Shape,
    ) {
        let ticket = batch.tickets[row];
        let slot = ticket.slot as usize;
        // A row that stands in the batch twice is answered once.
        let is_out = |kept: &Outstanding| kept.serial == ticket.serial && kept.answer.is_none();
        if !self.outstanding.get(slot).is_some_and(is_out) {
            return;
        }
        let (id, of) = (self.outstanding[slot].node, self.outstanding[slot].batch);
        let is_proven = self.outstanding[slot].exact(rules).is_some();
        let tree = &mut self.tree;
        let actor = tree.node(id).actor;
        let values = evaluation.values(row, actor, tree.rule());
        let is_draw = f32::from(tree.worth(&values, actor) == 0.0);
        let chance = if is_proven { is_draw } else { heads.draw(row) };
        let (priors, actions) = tree.candidates_mut(id);
        let temperature = rules.params.node_temperature;
        let legal = batch.legal(row);
        evaluation.priors(row, batch.offsets[row], shape, temperature, legal, priors);
        sort_candidates(priors, actions, &mut self.sorting);
        tree.copy_first(id);
        self.outstanding[slot].answer = Some((values, chance));
        self.in_flight.answer(of);
        self.clock.take_back();
        if self.is_due(rules, of) {
            self.back_up(rules, slot);
        }
        self.settle(rules);
    }

    /// Whether answers to a mini-batch may be backed up: it is the oldest, and the next one was collected
    /// or cannot be. After a stop all may.
    fn is_due(&self, rules: &Rules, batch: u64) -> bool {
        let InFlight { first, batches } = &self.in_flight;
        let is_oldest = batch == *first;
        (is_oldest && (batches.len() >= rules.params.in_flight || self.room(rules) == 0))
            || self.status == Status::Ended(Ended::Stopped)
    }

    /// Backs up the answers that are due, in the order in which their leaves were handed out. A search
    /// that has ended by them gives up what it collected later.
    pub(crate) fn settle(&mut self, rules: &Rules) {
        while !self.in_flight.batches.is_empty() && self.is_due(rules, self.in_flight.first) {
            if self.in_flight.batches.iter().any(|batch| batch.answered > 0) {
                let kept = self.outstanding.iter().enumerate();
                let is_due =
                    |kept: &Outstanding| kept.answer.is_some() && self.is_due(rules, kept.batch);
                let mut due: Vec<_> = kept
                    .filter(|(_, kept)| is_due(kept))
                    .map(|(slot, kept)| (kept.serial, slot))
                    .collect();
                due.sort_unstable();
                for (_, slot) in due {
                    self.back_up(rules, slot);
                }
            }
            if self.in_flight.batches[0].left > 0 {
                return;
            }
            self.in_flight.pop();
            if let Status::Ended(why) = self.status
                && !matches!(why, Ended::Stopped | Ended::Failed | Ended::Time | Ended::Memory)
                && self.waiting() > 0
            {
                self.cancel();
            }
        }
    }

    /// Enters an answer into the tree.
    fn back_up(&mut self, rules: &Rules, slot: usize) {
        let kept = &mut self.outstanding[slot];
        let Some((values, chance)) = kept.answer.take() else { return };
        kept.serial = 0;
        let (id, key, skipped) = (kept.node, kept.key, kept.skipped);
        let proof = kept.exact(rules);
        let path = std::mem::take(&mut kept.path);
        self.in_flight.remove(kept.batch, true);
        self.free_slots.push(slot as u32);

        let tree = &mut self.tree;
        tree.set_values(id, &values);
        tree.node_mut(id).kind = Kind::Evaluated;
        if let Some(key) = key {
            tree.remember(key, id);
        }
        remove_waiting(tree, &path[skipped..]);
        if let Some(plies) = proof {
            tree.set_proven(id, &values, plies);
            prove_upwards(tree, &path, id);
        }
        backup(tree, &path[skipped..], id, values);
        if skipped == 0
            && let Some(step) = path.first()
        {
            drawn::note(&mut self.drawn, step.slot, chance);
        }

        self.nodes += 1;
        self.simulations += 1;
        self.descents.note(path.len());
        self.outstanding[slot].path = path;
        if id == ROOT {
            self.restrict_root();
            self.mix_noise(rules);
        }
        self.check_end(rules);
    }
}

#[cfg(test)]
mod tests {
    use super::super::evaluation::{Policy, Value};
    use super::super::limit::Limit;
    use super::super::params::{Params, VirtualStyle};
    use super::super::result::SearchResult;
    use super::*;
    use crate::games::{ChessModel, ChessState};
    use crate::model::ValueRule;
    use crate::rng::{Stream, mix};

    /// A search of chess whose caller decides which answer comes when.
    struct Pipeline {
        model: ChessModel,
        rules: Rules,
        search: Search<ChessModel>,
        out: Vec<LeafBatch<ChessModel>>,
    }

    impl Pipeline {
        fn new(in_flight: usize, limit: Limit) -> Self {
            let style = VirtualStyle::Loss;
            let params =
                Params { batch_size: 16, in_flight, virtual_style: style, ..Params::default() };
            let (model, rules) = (ChessModel::new(), Rules::new(params).unwrap());
            let search = Search::new(&model, 5);
            let mut pipeline = Self { model, rules, search, out: Vec::new() };
            pipeline.begin(limit);
            pipeline
        }

        fn begin(&mut self, limit: Limit) {
            let root = ChessState::initial();
            self.search.begin(&self.model, &self.rules, root, limit, -1).unwrap();
        }

        /// Collects a mini-batch, if one may go out; says how many leaves it has.
        fn collect(&mut self) -> usize {
            let rows = self.search.room(&self.rules);
            if rows == 0 {
                return 0;
            }
            let mut batch = LeafBatch::default();
            self.search.collect(&self.model, &self.rules, None, 0, (rows, 1), &mut batch).unwrap();
            let count = batch.len();
            if count > 0 {
                self.out.push(batch);
            }
            count
        }

        /// Answers some rows of a mini-batch that is out.
        fn answer(&mut self, index: usize, rows: &[usize]) {
            let leaves = &self.out[index];
            let unit = |serial: u64| (mix(serial) >> 40) as f32 / (1_u64 << 24) as f32 - 0.5;
            let values: Vec<f32> =
                leaves.tickets.iter().map(|ticket| unit(ticket.serial)).collect();
            let evaluation = Evaluation { policy: Policy::Uniform, value: Value::ToPlay(&values) };
            let (actions, legal) = (self.model.num_actions(), leaves.actions.len());
            let shape = Shape { rows: values.len(), actions, legal, rule: ValueRule::Negate };
            let heads = Heads::default().checked(&evaluation, shape).unwrap();
            for &row in rows {
                self.search.complete(&self.rules, leaves, &evaluation, &heads, row, shape);
            }
        }

        fn answer_all(&mut self, index: usize) {
            let rows: Vec<usize> = (0..self.out[index].len()).collect();
            self.answer(index, &rows);
            self.out.remove(index);
        }

        /// Goes on to the end: the oldest mini-batch comes back when no other may follow.
        fn run(&mut self) {
            while self.search.is_running() {
                if self.collect() == 0 && !self.out.is_empty() {
                    self.answer_all(0);
                }
            }
        }

        fn finish(&mut self) -> SearchResult {
            let result = self.search.finish(&self.model, &self.rules).unwrap();
            assert_eq!(self.search.waiting(), 0);
            assert_eq!(self.search.in_flight.len(), 0);
            let nodes = &self.search.tree.nodes;
            assert!((0..nodes.len()).all(|id| nodes[id].waiting == 0), "a virtual loss is left");
            assert_eq!(
                result.visits.iter().map(|&n| u64::from(n)).sum::<u64>() + 1,
                result.simulations
            );
            SearchResult { seconds: 0.0, ..result }
        }
    }

    fn nodes(count: u64) -> Limit {
        Limit { nodes: Some(count), ..Limit::default() }
    }

    #[test]
    fn two_mini_batches_are_out_and_what_is_found_does_not_depend_on_when_they_come_back() {
        let mut plain = Pipeline::new(2, nodes(500));
        plain.run();
        let plain = plain.finish();
        assert_eq!(plain.nodes, 500);
        let mut stream = Stream::new(1);
        for _ in 0..10 {
            let mut shuffled = Pipeline::new(2, nodes(500));
            let mut most = 0;
            while shuffled.search.is_running() {
                if stream.unit() < 0.5 {
                    shuffled.collect();
                }
                most = most.max(shuffled.search.waiting());
                let count = shuffled.out.len();
                if count > 0 && stream.unit() < 0.7 {
                    let index = stream.below(count);
                    let mut rows: Vec<usize> = (0..shuffled.out[index].len()).collect();
                    let by = stream.below(rows.len());
                    rows.rotate_left(by);
                    let (early, late) = rows.split_at(rows.len() / 2);
                    shuffled.answer(index, early);
                    shuffled.collect();
                    shuffled.answer(index, late);
                    shuffled.out.remove(index);
                }
                assert!(shuffled.search.nodes + shuffled.search.waiting() as u64 <= 500);
            }
            assert!((17..=32).contains(&most), "{most}");
            assert_eq!(shuffled.finish(), plain);
        }
    }

    #[test]
    fn a_stop_counts_what_has_come_back_and_gives_up_the_rest() {
        let mut pipeline = Pipeline::new(2, Limit { infinite: true, ..Limit::default() });
        for _ in 0..40 {
            if pipeline.collect() == 0 {
                pipeline.answer_all(0);
            }
        }
        while pipeline.out.len() < 2 {
            pipeline.collect();
        }
        let (before, younger) = (pipeline.search.nodes, pipeline.out[1].len() as u64);
        pipeline.answer_all(1); // waits for its turn
        assert_eq!(pipeline.search.nodes, before);
        pipeline.search.stop(&pipeline.rules);
        let older = pipeline.out[0].len() as u64;
        pipeline.answer(0, &[0, 1]);
        let result = pipeline.finish();
        assert!(older > 2 && younger > 0);
        assert_eq!(result.nodes, before + 2 + younger);
        // The tree goes on as any other.
        pipeline.out.clear();
        pipeline.begin(nodes(100));
        pipeline.run();
        assert_eq!(pipeline.search.nodes, 100);
        pipeline.search.finish(&pipeline.model, &pipeline.rules).unwrap();
        assert_eq!(pipeline.search.waiting(), 0);
    }

    #[test]
    fn a_smaller_limit_and_leaves_given_up_let_kept_answers_in() {
        let mut pipeline = Pipeline::new(2, nodes(10_000));
        pipeline.collect();
        pipeline.answer_all(0);
        let first = pipeline.collect() as u64;
        pipeline.answer_all(0); // kept until the next collection
        assert_eq!(pipeline.search.nodes, 1);
        pipeline.search.change_limit(&pipeline.rules, nodes(1 + first)).unwrap();
        assert_eq!(pipeline.search.nodes, 1 + first);
        assert_eq!(pipeline.search.status, Status::Ended(Ended::Nodes));
        pipeline.finish();
    }

    #[test]
    fn time_and_memory_wait_for_what_is_out() {
        let mut pipeline = Pipeline::new(2, nodes(100_000));
        pipeline.search.memory = Some(200_000);
        pipeline.run();
        assert_eq!(pipeline.search.status, Status::Ended(Ended::Memory));
        assert_eq!(pipeline.search.waiting(), 0);
        pipeline.finish();
    }
}
