//! Looking into a beam.

use super::node::Kind;
use super::params::Params;
use super::search::Search;
use crate::game::Action;
use crate::model::SearchModel;
use crate::search::inspect::NodeView;
use crate::search::values::worth;

impl<M: SearchModel> Search<M> {
    /// The node that `path` leads to, if it was kept. Its actions are those kept of it, in the order in
    /// which equals are preferred, or those that would be.
    pub(super) fn inspect(&self, params: &Params, path: &[Action]) -> Option<NodeView> {
        let (mut depth, mut place) = (0, 0);
        self.layers.first()?;
        for &action in path {
            let places = self.layers[depth][place].places();
            depth += 1;
            place = places.clone().find(|&place| self.layers[depth][place].action == action)?;
        }
        let found = self.back_up(params.backup);
        let node = &self.layers[depth][place];
        let value = |values| worth(self.rule, values, node.actor);
        let own = &found[depth][place];
        let exact = own.exact.map(|plies| (value(&own.values), plies));
        let mut view = NodeView {
            player: node.actor,
            phase: node.phase,
            visits: own.looked,
            value: value(if exact.is_some() { &own.values } else { &node.values }),
            mean: value(&own.values),
            proven: exact,
            waiting: matches!(node.kind, Kind::Out(_) | Kind::Unsent),
            actions: Vec::new(),
            priors: Vec::new(),
            action_visits: Vec::new(),
            q: Vec::new(),
        };
        for place in node.places() {
            let (child, known) = (&self.layers[depth + 1][place], &found[depth + 1][place]);
            view.actions.push(child.action);
            view.priors.push(child.prior);
            view.action_visits.push(known.looked);
            view.q.push(known.is_known.then(|| value(&known.values)));
        }
        if node.places().is_empty() {
            let kept = params.schedule.width(depth);
            for &(action, prior) in node.successors.iter().take(kept) {
                view.actions.push(action);
                view.priors.push(prior);
                view.action_visits.push(0);
                view.q.push(None);
            }
        }
        Some(view)
    }
}
