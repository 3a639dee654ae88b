//! Descents that begin elsewhere, now and then: what the selection rule never looks at is looked at all
//! the same (`CrazyAra`'s epsilon-greedy and epsilon-checks; `docs/search_options.md`).

use super::expand::Place;
use super::select::{Arrival, Step};
use super::session::{Rules, Search};
use super::tree::{Kind, NONE, NodeId, ROOT};
use crate::error::Result;
use crate::model::SearchModel;

impl<M: SearchModel> Search<M> {
    /// Walks to where something is to be done, by the selection rule or, with the probabilities of
    /// [`super::Params::epsilon_greedy`] and [`super::Params::epsilon_checks`], by another way. Only
    /// the steps of the path after the first [`Search::skipped`] ones count.
    pub(crate) fn descend(
        &mut self,
        rules: &Rules,
        at: &Place<'_, M>,
        pass_proven: bool,
    ) -> Result<Arrival> {
        self.skipped = 0;
        let (greedy, checks) = (rules.params.epsilon_greedy, rules.params.epsilon_checks);
        if greedy > 0.0 && self.exploring.unit() < f64::from(greedy) {
            if let Some(arrival) = self.explore(rules, at, false, pass_proven)? {
                return Ok(arrival);
            }
        } else if checks > 0.0
            && self.exploring.unit() < f64::from(checks)
            && let Some(arrival) = self.explore(rules, at, true, pass_proven)?
        {
            return Ok(arrival);
        }
        let (tree, path) = (&mut self.tree, &mut self.path);
        if let Some(gumbel) = self.gumbel.as_mut().filter(|_| !pass_proven) {
            let root = tree.node(ROOT);
            if root.kind == Kind::Evaluated && !root.proven {
                path.clear();
                if !tree.open_all(ROOT) {
                    return Ok(Arrival::Full);
                }
                let slot = gumbel.next(&rules.gumbel, tree);
                path.push(Step { node: ROOT, slot });
                let child = tree.child(ROOT, slot);
                if child == NONE {
                    return Ok(Arrival::New);
                }
                return Ok(rules.selector.descend_from(child, tree, &[], false, path));
            }
        }
        Ok(rules.selector.descend(tree, &self.noise, pass_proven, path))
    }

    /// Goes to a node on the line of the most visited moves, half as often to each as to the one before
    /// it, and there to the first forcing child that is not expanded if `checks`, else or failing that
    /// to the first of all, or to a random one if all are. `None` at a root where nothing is to be done.
    fn explore(
        &mut self,
        rules: &Rules,
        at: &Place<'_, M>,
        checks: bool,
        pass_proven: bool,
    ) -> Result<Option<Arrival>> {
        let root = self.tree.node(ROOT);
        if root.kind != Kind::Evaluated || root.proven {
            return Ok(None);
        }
        // ceil(-log2(1 - r) - 1): 0 for half of the draws, 1 for a quarter, and so on.
        let plies = (-(1.0 - self.exploring.unit()).log2() - 1.0).ceil().max(0.0) as u32;
        let id = self.follow_most_visited(plies);
        self.skipped = self.path.len();
        let count = usize::from(self.tree.node(id).count);
        if !self.tree.open_all(id) {
            return Ok(Some(Arrival::Full));
        }
        let forcing = if checks { self.unexpanded_forcing(at, id)? } else { None };
        let unexpanded = || (0..count).find(|&slot| self.tree.edge(id, slot).child == NONE);
        if let Some(slot) = forcing.or_else(unexpanded) {
            self.path.push(Step { node: id, slot: slot as u32 });
            return Ok(Some(Arrival::New));
        }
        let slot = self.exploring.below(count) as u32;
        self.path.push(Step { node: id, slot });
        let child = self.tree.child(id, slot);
        let (tree, path) = (&mut self.tree, &mut self.path);
        Ok(Some(rules.selector.descend_from(child, tree, &[], pass_proven, path)))
    }

    /// Writes the line of the most visited moves into the path, as far as `plies` and its nodes are
    /// evaluated and open, and returns where it leads.
    fn follow_most_visited(&mut self, plies: u32) -> NodeId {
        self.path.clear();
        let mut id = ROOT;
        for _ in 0..plies {
            let opened = usize::from(self.tree.node(id).opened);
            let edges = self.tree.edges(id).take(opened).enumerate();
            let Some((slot, edge)) =
                edges.reduce(|a, b| if b.1.visits > a.1.visits { b } else { a })
            else {
                break;
            };
            if edge.visits == 0 || edge.child == NONE {
                break;
            }
            let child = self.tree.node(edge.child);
            if child.kind != Kind::Evaluated || child.proven {
                break;
            }
            self.path.push(Step { node: id, slot: slot as u32 });
            id = edge.child;
        }
        id
    }

    /// The first slot of `id`, to which the path leads, without a child whose action is forcing.
    fn unexpanded_forcing(&mut self, at: &Place<'_, M>, id: NodeId) -> Result<Option<usize>> {
        self.path_actions.clear();
        self.path_actions
            .extend(self.path.iter().map(|step| self.tree.action(step.node, step.slot)));
        let mut walker = self.walker.take().unwrap_or_else(|| M::State::clone(at.root));
        let snapshot = &self.tree.snapshots[id as usize];
        at.model.restore(&mut walker, at.root, &self.path_actions, snapshot)?;
        let mut found = None;
        for (slot, &action) in self.tree.actions(id).iter().enumerate() {
            if self.tree.edge(id, slot).child == NONE && at.model.is_forcing(&walker, action)? {
                found = Some(slot);
                break;
            }
        }
        self.walker = Some(walker);
        Ok(found)
    }
}
