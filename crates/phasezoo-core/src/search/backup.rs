//! What comes back up a path: values, and the marks of descents that wait.

use super::graph::backup_graph;
use super::select::Step;
use super::tree::{NodeId, Tree};
use super::values::Values;
use crate::game::Player;

/// Counts one simulation that ended at `leaf` with `values`, up to the root.
///
/// The first visit of an edge replaces its initial Q, it is not averaged with it. If a node on the
/// way has been proven meanwhile, its exact value takes the place of `values` from there on.
pub(crate) fn backup<S>(tree: &mut Tree<S>, path: &[Step], leaf: NodeId, values: Values) {
    if tree.is_graph() {
        return backup_graph(tree, path, Some(values));
    }
    let mut values = values;
    let mut child = leaf;
    tree.visit(child, &values);
    for step in path.iter().rev() {
        let node = tree.node(step.node);
        let actor = node.actor;
        if node.proven {
            values = tree.values(step.node);
        }
        let q = edge_q(tree, child, actor);
        let (quad, lane) = tree.quad_mut(step.node, step.slot);
        quad.visits[lane] += 1;
        quad.q[lane] = q;
        child = step.node;
        tree.visit(child, &values);
    }
}

/// Q of the edge to a visited `child`, for `actor`, who chooses it: the mean, or minus infinity for a
/// proven loss, which is then never chosen again.
pub(crate) fn edge_q<S>(tree: &Tree<S>, child: NodeId, actor: Player) -> f32 {
    if tree.node(child).proven && tree.exact_worth(child, actor).is_some_and(|worth| worth <= -1.0)
    {
        return f32::NEG_INFINITY;
    }
    tree.mean_for(child, actor)
}

/// Marks a descent that waits.
pub(crate) fn add_waiting<S>(tree: &mut Tree<S>, path: &[Step]) {
    for step in path {
        tree.node_mut(step.node).waiting += 1;
        let (quad, lane) = tree.quad_mut(step.node, step.slot);
        quad.waiting[lane] += 1;
    }
}

/// Takes the marks of [`add_waiting`] back.
pub(crate) fn remove_waiting<S>(tree: &mut Tree<S>, path: &[Step]) {
    for step in path {
        tree.node_mut(step.node).waiting -= 1;
        let (quad, lane) = tree.quad_mut(step.node, step.slot);
        quad.waiting[lane] -= 1;
    }
}
