//! Keeping a played move's subtree.

use super::edges::Edge;
use super::tree::{Kind, NONE, NodeId, Tree};

impl<S> Tree<S> {
    /// Makes `id`, an evaluated node of which nothing is outstanding, the root and forgets all nodes
    /// that are not below it. Needs room for the part that stays, beside the whole, while it works.
    ///
    /// A repetition whose first occurrence is not below the new root is no draw inside the tree any
    /// more: its edge becomes an unvisited one. What it gave to its ancestors' means stays there.
    pub(crate) fn reroot(&mut self, id: NodeId) {
        let mut old = std::mem::replace(self, Self::new(self.rule()));
        let mut snapshots: Vec<Option<S>> = old.snapshots.drain(..).map(Some).collect();
        // Breadth first, so that what descents meet early lies together. Old ids with their depths, in
        // the order of the new ids.
        let mut order = vec![(id, 0_u16)];
        let mut next = 0;
        while let Some(&(id, depth)) = order.get(next) {
            next += 1;
            let Some(snapshot) = snapshots[id as usize].take() else { continue };
            self.add_copy(&old, id, snapshot);
            let new = (next - 1) as NodeId;
            if let Some(range) = old.ranges.remove(&id) {
                self.ranges.insert(new, range);
            }
            for slot in 0..u32::from(self.node(new).count) {
                let edge = self.edge(new, slot as usize);
                if edge.child == NONE {
                    continue;
                }
                let child = old.node(edge.child);
                let deeper = depth.saturating_add(1);
                if child.kind == Kind::Repetition && old.rest(edge.child).distance > deeper {
                    let (quad, lane) = self.quad_mut(new, slot);
                    quad.set(lane, Edge::FRESH);
                    continue;
                }
                order.push((edge.child, deeper));
                self.set_child(new, slot, (order.len() - 1) as NodeId);
            }
        }
    }
}
