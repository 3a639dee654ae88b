//! A new layer below the last one, whole or not at all.

use std::ops::Range;

use super::backup::{Worth, rank};
use super::node::{Kind, Node};
use super::params::Params;
use super::search::{Search, bytes_of};
use crate::error::Result;
use crate::game::Action;
use crate::gate::Gating;
use crate::model::SearchModel;
use crate::search::expand::{check_actions, phase_of};
use crate::search::limit::Ended;
use crate::search::values::{Values, values_of, worth};

/// What a layer is made with.
pub(super) struct Making<'a, M: SearchModel> {
    pub(super) model: &'a M,
    pub(super) params: &'a Params,
    pub(super) gate: Option<&'a Gating<M::Game>>,
}

/// Positions that a collection looks at for a layer before it returns, so that a caller can stop a search
/// whose layers are wide.
const MOST_LOOKED_AT: usize = 1_024;

/// A layer that is being made: its nodes, and which of them are whose.
pub(super) struct Layer<S> {
    nodes: Vec<Node<S>>,
    children: Vec<Range<u32>>,
    /// Nodes that will be rows.
    rows: usize,
    bytes: usize,
}

impl<M: SearchModel> Search<M> {
    /// Makes layers until one has rows to hand out, or the search has ended, or as many positions
    /// were looked at as one call looks at.
    pub(super) fn prepare(&mut self, with: &Making<'_, M>) -> Result<()> {
        let is_late = match self.layers.len() {
            1 => self.clock.is_too_late(),
            _ => self.clock.is_over(),
        };
        if self.missing > 0 && is_late {
            self.end(Ended::Time);
        }
        let mut left = MOST_LOOKED_AT;
        while self.is_running() && self.missing == 0 && left > 0 {
            if let Err(error) = self.deepen(with, &mut left) {
                self.end(Ended::Failed);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Goes on with the next layer, looking at about `left` positions, and puts it below the last one when it
    /// is whole.
    fn deepen(&mut self, with: &Making<'_, M>, left: &mut usize) -> Result<()> {
        let new = self.making.take();
        let mut new = new.unwrap_or_else(|| Layer {
            nodes: Vec::new(),
            children: Vec::new(),
            rows: 0,
            bytes: self.bytes,
        });
        if let Some(why) = self.expand(with, &mut new, left)? {
            self.end(why);
            return Ok(());
        }
        let parents = self.layers.last().map_or(0, Vec::len);
        if new.children.len() < parents {
            self.making = Some(new);
            return Ok(());
        }
        if let Some(why) = self.refused(new.nodes.len(), new.rows) {
            self.end(why);
            return Ok(());
        }
        if let Some(parents) = self.layers.last_mut() {
            for (parent, children) in parents.iter_mut().zip(new.children) {
                parent.children = children;
            }
        }
        let ends = new.nodes.len() - new.rows;
        self.layers.push(new.nodes);
        self.bytes = new.bytes;
        self.ends += ends as u64;
        (self.missing, self.unsent) = (new.rows, new.rows);
        if new.rows == 0 {
            self.settle(with.params);
        } else if ends > 0 {
            self.end_if_proven(with.params);
        }
        Ok(())
    }

    /// Why a layer of so many nodes, some of them rows, is not looked at.
    fn refused(&self, nodes: usize, rows: usize) -> Option<Ended> {
        let exceeds = |limit: Option<u64>, count: u64| limit.is_some_and(|limit| count > limit);
        let (rows_then, all) = (self.evaluated + rows as u64, self.evaluated + self.ends);
        if nodes == 0 {
            Some(Ended::Exhausted)
        } else if exceeds(self.limit.nodes, rows_then) {
            Some(Ended::Nodes)
        } else if exceeds(self.limit.simulations, all + nodes as u64) {
            Some(Ended::Simulations)
        } else if self.clock.fits(rows) < rows || self.clock.is_over() {
            Some(Ended::Time)
        } else {
            None
        }
    }

    /// Goes on with the layer below the last one, parent by parent, until about `left` positions were
    /// looked at. Says why no more of it is made, if it would not be evaluated.
    fn expand(
        &self,
        with: &Making<'_, M>,
        layer: &mut Layer<M::Snapshot>,
        left: &mut usize,
    ) -> Result<Option<Ended>> {
        let depth = self.layers.len() - 1;
        let Some(root) = &self.root else { return Ok(Some(Ended::Exhausted)) };
        let (mut here, mut there) = (M::State::clone(root), M::State::clone(root));
        let (mut path, mut legal) = (Vec::new(), Vec::new());
        let first = layer.children.len();
        for (place, parent) in self.layers[depth].iter().enumerate().skip(first) {
            let start = layer.nodes.len();
            if parent.kind == Kind::Evaluated {
                self.path_to((depth, place), &mut path);
                with.model.restore(&mut here, root, &path, &parent.snapshot)?;
                let states = (&here, &mut there);
                let rated = match self.winning(with, (depth, parent), states)? {
                    Some(at) => at..at + 1,
                    None => 0..with.params.rated(depth, parent.successors.len()),
                };
                for &(action, prior) in &parent.successors[rated] {
                    there.clone_from(&here);
                    with.model.advance(&mut there, action)?;
                    let mut node = self.child(with, parent, &there, &mut legal)?;
                    (node.parent, node.action, node.prior) = (place as u32, action, prior);
                    layer.bytes += bytes_of(with.model, &node);
                    layer.rows += usize::from(node.kind == Kind::Unsent);
                    layer.nodes.push(node);
                }
                if self.memory.is_some_and(|most| layer.bytes > most) {
                    return Ok(Some(Ended::Memory));
                }
                let refused = self.refused(layer.nodes.len(), layer.rows);
                if let Some(why) = refused.filter(|_| !layer.nodes.is_empty()) {
                    return Ok(Some(why));
                }
            }
            layer.children.push(start as u32..layer.nodes.len() as u32);
            let tried = if with.params.tries_all(depth) { parent.successors.len() } else { 0 };
            *left = left.saturating_sub(tried.max(layer.nodes.len() - start));
            if *left == 0 {
                break;
            }
        }
        Ok(None)
    }

    /// The place among a node's successors of one that wins the game at once, where such are looked for.
    fn winning(
        &self,
        with: &Making<'_, M>,
        (depth, node): (usize, &Node<M::Snapshot>),
        (here, there): (&M::State, &mut M::State),
    ) -> Result<Option<usize>> {
        if !with.params.tries_all(depth) {
            return Ok(None);
        }
        for (place, &(action, _)) in node.successors.iter().enumerate() {
            there.clone_from(here);
            with.model.advance(there, action)?;
            if let Some(returns) = with.model.terminal(there)? {
                let values = values_of(self.rule, &returns, self.searcher());
                if worth(self.rule, &values, node.actor) >= 1.0 {
                    return Ok(Some(place));
                }
            }
        }
        Ok(None)
    }

    /// A node for `state`, which was reached from `parent`. `legal` is room to work in.
    fn child(
        &self,
        with: &Making<'_, M>,
        parent: &Node<M::Snapshot>,
        state: &M::State,
        legal: &mut Vec<Action>,
    ) -> Result<Node<M::Snapshot>> {
        let mut node = Node {
            kind: Kind::End,
            actor: parent.actor,
            phase: -1,
            parent: 0,
            action: 0,
            prior: 0.0,
            values: Values::default(),
            legal: Vec::new(),
            moves: 0,
            successors: Vec::new(),
            children: 0..0,
            snapshot: with.model.snapshot(state),
        };
        if let Some(returns) = with.model.expand(state, legal)? {
            node.values = values_of(self.rule, &returns, self.searcher());
            return Ok(node);
        }
        check_actions(legal, with.model.num_actions())?;
        node.kind = Kind::Unsent;
        node.actor = with.model.actor(state)?;
        node.phase = phase_of(with.gate, with.model.game(state), node.actor, parent.phase)?;
        node.moves = legal.len() as u32;
        node.legal.extend_from_slice(legal);
        Ok(node)
    }

    /// Of the last layer, all of which is back, keeps the best `width` children of every node, best
    /// first; of equal ones those that are likelier.
    pub(super) fn keep_best(&mut self, width: usize) {
        let Some((last, above)) = self.layers.split_last_mut() else { return };
        let Some(parents) = above.last_mut() else { return };
        let rule = self.rule;
        let mut kept = Vec::with_capacity(last.len());
        for parent in parents {
            let mut children = last[parent.places()].to_vec();
            let rank_of = |node: &Node<M::Snapshot>| {
                let exact = (node.kind == Kind::End).then_some(0);
                let own =
                    Worth { values: node.values, is_known: true, exact, best: None, looked: 1 };
                rank(rule, &own, parent.actor)
            };
            // Ranks are numbers: values were checked. The sort keeps the order of equal ones.
            children.sort_by(|a, b| {
                rank_of(b).partial_cmp(&rank_of(a)).unwrap_or(std::cmp::Ordering::Equal)
            });
            children.truncate(width);
            let start = kept.len() as u32;
            kept.append(&mut children);
            parent.children = start..kept.len() as u32;
        }
        *last = kept;
    }
}
