//! Forgetting parts of a tree, in place: what was not played, and what is hardly visited.

use super::edges::{Edge, QUAD};
use super::tree::{Kind, NONE, NodeId, ROOT, Tree};

impl<S> Tree<S> {
    /// Makes `id`, an evaluated node of which nothing is outstanding, the root and forgets all nodes
    /// that are not below it. Works in place: besides the tree it needs twenty bytes a node.
    ///
    /// A repetition whose first occurrence is not below the new root is no draw inside the tree any
    /// more.
    pub(crate) fn reroot(&mut self, id: NodeId) {
        self.keep(id, |tree, _, child, depth| {
            tree.node(child).kind != Kind::Repetition || tree.rest(child).distance <= depth
        });
    }

    /// Forgets what lies below proofs and the least visited nodes, until the tree holds at most `bytes`
    /// or nothing more can go. Nodes that `held` names, and all on the way to what is outstanding,
    /// stay. Returns where each node is now, [`NONE`] if it is gone.
    pub(crate) fn prune(&mut self, bytes: usize, held: &[NodeId]) -> Vec<NodeId> {
        let least = self.least_visits(bytes);
        let held: std::collections::HashSet<NodeId> = held.iter().copied().collect();
        self.keep(ROOT, |tree, parent, child, _| {
            let node = tree.node(child);
            let is_in_use = node.waiting > 0 || node.kind == Kind::Pending || held.contains(&child);
            let is_below_a_proof = tree.node(parent).proven && parent != ROOT;
            // A proof of a child is part of what its parent knows.
            let is_wanted = (node.visits, child) > least || node.proven;
            is_in_use || (is_wanted && !is_below_a_proof)
        })
    }

    /// The visits and number of the best node that has to go, so that about `bytes` are kept: of nodes
    /// with as many visits the older ones go.
    fn least_visits(&self, bytes: usize) -> (u32, NodeId) {
        let share = bytes as f64 / self.bytes().max(1) as f64;
        let wanted = (self.nodes.len() as f64 * share) as usize;
        let mut nodes: Vec<(u32, NodeId)> =
            (0..).zip(0..self.nodes.len()).map(|(id, at)| (self.nodes[at].visits, id)).collect();
        if wanted == 0 || wanted >= nodes.len() {
            return (0, 0);
        }
        let (_, &mut least, _) = nodes.select_nth_unstable_by(wanted, |a, b| b.cmp(a));
        least
    }

    /// Makes `root` the root and keeps what can be reached from it by way of children that `stays` is
    /// true of; it is told of the tree, a parent, its child and the child's depth. An edge to another
    /// child becomes an unvisited one; what it gave to its ancestors' means stays there. Returns where
    /// each node is now.
    fn keep(
        &mut self,
        root: NodeId,
        stays: impl Fn(&Self, NodeId, NodeId, u16) -> bool,
    ) -> Vec<NodeId> {
        let mut places = self.places(root, stays);
        let old_count = self.nodes.len();
        let (mut rows, mut quads) = (Vec::new(), Vec::new());
        let mut count = 0_usize;
        for (id, _) in places.iter().enumerate().filter(|&(_, &place)| place != NONE) {
            // Nodes stay in their order, so nothing is overwritten that is still to be moved.
            self.exchange(count, id);
            let node = &self.nodes[count];
            rows.push((node.candidates, count as NodeId));
            if node.more != NONE {
                quads.push((node.more, count as NodeId));
            }
            count += 1;
        }
        self.nodes.truncate(count);
        self.rest.truncate(count);
        self.snapshots.truncate(count);
        self.more_sums.truncate(count * (self.width - 1));
        self.more_values.truncate(count * (self.width - 1));
        self.squares.iter_mut().for_each(|squares| squares.truncate(count));
        self.move_candidates(rows);
        self.move_quads(quads);
        self.put_first(root, &mut places);
        self.link_anew(&places);
        self.give_back();
        // Snapshots are taken to be alike in size.
        self.heap_bytes =
            (self.heap_bytes as f64 * count as f64 / old_count.max(1) as f64) as usize;
        let ranges = std::mem::take(&mut self.ranges);
        let moved = ranges.into_iter().map(|(id, range)| (places[id as usize], range));
        self.ranges = moved.filter(|&(id, _)| id != NONE).collect();
        if let Some(nodes) = &mut self.transpositions {
            nodes.retain(|_, id| {
                *id = places[*id as usize];
                *id != NONE
            });
        }
        places
    }

    /// Exchanges the root, which in a graph need not be the oldest node, with what came first.
    fn put_first(&mut self, root: NodeId, places: &mut [NodeId]) {
        let place = places[root as usize];
        if place == ROOT {
            return;
        }
        self.exchange(0, place as usize);
        for other in places.iter_mut() {
            *other = match *other {
                ROOT => place,
                same if same == place => ROOT,
                same => same,
            };
        }
    }

    /// Exchanges two nodes, the first of which comes first; their rows stay where they are.
    fn exchange(&mut self, first: usize, second: usize) {
        if first == second {
            return;
        }
        self.nodes.swap(first, second);
        self.rest.swap(first, second);
        self.snapshots.swap(first, second);
        self.squares.iter_mut().for_each(|squares| squares.swap(first, second));
        let width = self.width - 1;
        for entry in 0..width {
            self.more_sums.swap(first * width + entry, second * width + entry);
            self.more_values.swap(first * width + entry, second * width + entry);
        }
    }

    /// Closes the gaps between the candidates of these nodes, given with where their rows begin.
    fn move_candidates(&mut self, mut rows: Vec<(u32, NodeId)>) {
        rows.sort_unstable();
        let mut to = 0;
        for (from, id) in rows {
            let node = &mut self.nodes[id as usize];
            let padded = usize::from(node.count).next_multiple_of(QUAD);
            let place = self.priors.move_row(from as usize, to, padded);
            self.actions.move_row(from as usize, to, padded);
            node.candidates = place as u32;
            to = place + padded;
        }
        self.priors.truncate(to);
        self.actions.truncate(to);
    }

    /// Where each node will be: those that stay in their old order, the others at [`NONE`].
    fn places(
        &self,
        root: NodeId,
        stays: impl Fn(&Self, NodeId, NodeId, u16) -> bool,
    ) -> Vec<NodeId> {
        let mut places = vec![NONE; self.nodes.len()];
        let mut left = vec![(root, 0_u16)];
        while let Some((id, depth)) = left.pop() {
            if std::mem::replace(&mut places[id as usize], ROOT) != NONE {
                continue; // reached by another line
            }
            let deeper = depth.saturating_add(1);
            let children = self.edges(id).map(|edge| edge.child).filter(|&child| child != NONE);
            left.extend(
                children
                    .filter(|&child| stays(self, id, child, deeper))
                    .map(|child| (child, deeper)),
            );
        }
        for (next, place) in (0..).zip(places.iter_mut().filter(|place| **place != NONE)) {
            *place = next;
        }
        places
    }

    /// Gives memory back of which less than a quarter is in use.
    fn give_back(&mut self) {
        fn shrink<T>(list: &mut Vec<T>) {
            if list.capacity() > 4 * list.len().max(1_024) {
                list.shrink_to(2 * list.len());
            }
        }
        shrink(&mut self.rest);
        shrink(&mut self.snapshots);
        shrink(&mut self.more_sums);
        shrink(&mut self.more_values);
        self.squares.iter_mut().for_each(shrink);
        self.nodes.give_back();
        self.priors.give_back();
        self.actions.give_back();
        self.quads.give_back();
    }

    /// Closes the gaps between the quads of these nodes, given with where their quads are.
    fn move_quads(&mut self, mut quads: Vec<(u32, NodeId)>) {
        quads.sort_unstable();
        let mut to = 0;
        for (from, id) in quads {
            let node = &mut self.nodes[id as usize];
            let count = usize::from(node.count).div_ceil(QUAD) - 1;
            let place = self.quads.move_row(from as usize, to, count);
            node.more = place as u32;
            to = place + count;
        }
        self.quads.truncate(to);
    }

    /// Lets edges lead to where their children are now; those that lead nowhere become fresh ones.
    fn link_anew(&mut self, places: &[NodeId]) {
        for id in 0..self.nodes.len() as NodeId {
            for slot in 0..u32::from(self.node(id).opened) {
                let edge = self.edge(id, slot as usize);
                if edge.child == NONE {
                    continue;
                }
                let place = places[edge.child as usize];
                let (quad, lane) = self.quad_mut(id, slot);
                if place == NONE {
                    quad.set(lane, Edge::FRESH);
                } else {
                    quad.child[lane] = place;
                }
            }
        }
    }
}
