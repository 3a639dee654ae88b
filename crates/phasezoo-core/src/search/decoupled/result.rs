//! What a decoupled search found.

use super::model::JointModel;
use super::node::{Key, Kind, Node, NodeId, ROOT, Seat};
use super::params::{Params, Play, Selection};
use super::search::Search;
use super::select;
use crate::error::Result;
use crate::game::{Action, Player};
use crate::search::limit::{Ended, Status};
use crate::search::lines::{MAX_PV, Replies};
use crate::search::result::{PlayersPolicy, SearchResult};

impl<M: JointModel> Search<M> {
    /// Ends the search and says what it found. May be called again.
    pub(super) fn finish(&mut self, params: &Params) -> Result<SearchResult> {
        self.root()?;
        self.cancel();
        self.end(Ended::Stopped);
        self.report(params)
    }

    /// What the search has found so far; it goes on.
    pub(super) fn report(&self, params: &Params) -> Result<SearchResult> {
        let root = self.root()?;
        let index = root.seat_of(self.player).unwrap_or_default();
        let seat = &root.seats[index];
        let policy = select::policy(seat);
        let place = self.place(params, seat, &policy);
        let phase =
            if root.kind == Kind::Open { root.phases[usize::from(self.player)] } else { -1 };
        let mut policies = vec![PlayersPolicy::default(); root.num_players];
        for seat in &root.seats {
            let policy =
                PlayersPolicy { actions: seat.actions.to_vec(), shares: select::policy(seat) };
            policies[usize::from(seat.player)] = policy;
        }
        let values: Vec<f32> =
            (0..root.num_players).map(|player| root.mean(player as Player) as f32).collect();
        let ended = match self.status {
            Status::Ended(why) => why,
            Status::Idle | Status::Running => Ended::Stopped,
        };
        let replies = Replies::collect(seat.actions.len(), |place, replies| {
            self.push_variation(index, place, replies);
        });
        let (action, q_of) = (seat.actions[place], |place: usize| q(root, seat, place, params));
        Ok(SearchResult {
            action,
            actions: seat.actions.to_vec(),
            visits: seat.visits.to_vec(),
            q: (0..seat.actions.len()).map(q_of).collect(),
            prior: seat.priors.to_vec(),
            policy,
            replies,
            value: values[usize::from(self.player)],
            network_value: root.values[usize::from(self.player)] as f32,
            values: Some(values),
            policies: Some(policies),
            nodes: self.evaluated,
            simulations: self.simulations,
            collisions: self.collisions,
            depth: self.depth(),
            seldepth: self.descents.longest,
            draws: vec![None; seat.actions.len()],
            proven: None,
            seconds: self.clock.seconds(),
            phase,
            ended,
            cheap: false,
            memory: self.memory,
        })
    }

    /// The place of the action to play.
    fn place(&self, params: &Params, seat: &Seat, policy: &[f32]) -> usize {
        let draws = match params.play {
            Play::Auto => params.selection == Selection::RegretMatching,
            Play::Best => false,
            Play::Sample => true,
        };
        if draws {
            let shares = policy.iter().map(|&share| f64::from(share));
            return select::draw(shares, &mut self.last_stream()) as usize;
        }
        let mean = |place: usize| seat.totals[place] / f64::from(seat.visits[place].max(1));
        let order = |&a: &usize, &b: &usize| {
            let by_share = policy[a].total_cmp(&policy[b]);
            by_share.then(mean(a).total_cmp(&mean(b))).then(b.cmp(&a))
        };
        (0..policy.len()).max_by(order).unwrap_or_default()
    }

    /// Appends what the player does along the joint actions that were visited most, after `place` of
    /// seat `index`.
    fn push_variation(&self, index: usize, place: usize, replies: &mut Vec<Action>) {
        let root = &self.nodes[ROOT as usize];
        let longest = replies.len() + MAX_PV - 1;
        let is_played = |&(key, _): &(Key, NodeId)| root.slots(key)[index] as usize == place;
        let mut next = self.busiest(root, is_played);
        while let Some((_, id)) = next.filter(|_| replies.len() < longest) {
            let node = &self.nodes[id as usize];
            next = self.busiest(node, |_| true);
            if let (Some((key, _)), Some(index)) = (next, node.seat_of(self.player)) {
                replies.push(node.seats[index].actions[node.slots(key)[index] as usize]);
            }
        }
    }

    /// The child with most visits among those wanted; of equal ones the first.
    fn busiest(
        &self,
        node: &Node<M::State>,
        is_wanted: impl Fn(&(Key, NodeId)) -> bool,
    ) -> Option<(Key, NodeId)> {
        let children = node.children.iter().map(|(&key, &child)| (key, child)).filter(is_wanted);
        children.rev().max_by_key(|&(_, child)| self.nodes[child as usize].visits)
    }
}

/// The mean value of an action; if it was not tried, what selection assumes.
fn q<S>(node: &Node<S>, seat: &Seat, place: usize, params: &Params) -> f32 {
    match seat.visits[place] {
        0 => (node.mean(seat.player) as f32 - params.fpu).max(-1.0),
        visits => (seat.totals[place] / f64::from(visits)) as f32,
    }
}
