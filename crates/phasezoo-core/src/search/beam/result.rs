//! What a beam found.

use super::backup::Worth;
use super::node::Node;
use super::params::Params;
use super::search::Search;
use crate::error::Result;
use crate::game::Action;
use crate::model::{SearchModel, ValueRule};
use crate::rng::Stream;
use crate::search::limit::{Ended, Status};
use crate::search::lines::{MAX_PV, Replies};
use crate::search::result::SearchResult;
use crate::search::root::normalised;
use crate::search::values::worth;

/// Below this temperature the best move is played: powers would overflow.
const COLD: f64 = 1e-2;

/// What is known of one of the root's moves.
struct Move {
    action: Action,
    prior: f32,
    q: f32,
    looked: u32,
    /// Its place in the first layer, if it was kept.
    place: Option<usize>,
}

impl<M: SearchModel> Search<M> {
    /// Ends the search and says what it found. May be called again.
    pub(super) fn finish(&mut self, params: &Params) -> Result<SearchResult> {
        self.root_node()?;
        self.cancel_all();
        self.end(Ended::Stopped);
        self.report(params)
    }

    /// What the search has found so far; it goes on.
    pub(super) fn report(&self, params: &Params) -> Result<SearchResult> {
        let (root, found) = (self.root_node()?, self.back_up(params.backup));
        let worth_of_root = found[0][0];
        let value = worth(self.rule, &worth_of_root.values, root.actor);
        let moves = self.moves(root, &found);
        let best = self.best(root, &moves, &found);
        let policy = match worth_of_root.exact {
            Some(_) => (0..moves.len()).map(|at| f32::from(u8::from(at == best))).collect(),
            None => improved(params, &moves),
        };
        let chosen = match worth_of_root.exact {
            None if self.ply < params.temperature_plies => {
                drawn(&policy, f64::from(params.temperature), &mut self.last_stream())
            }
            _ => None,
        };
        let values = match self.rule {
            ValueRule::PerPlayer(players) => Some(worth_of_root.values[..players].to_vec()),
            ValueRule::Negate | ValueRule::Same => None,
        };
        let replies = Replies::collect(moves.len(), |at, replies| {
            if let Some(place) = moves[at].place {
                self.push_variation(&found, place, replies);
            }
        });
        let known = |layer: &Vec<Worth>| layer.iter().any(|found| found.is_known);
        Ok(SearchResult {
            action: moves[chosen.unwrap_or(best)].action,
            actions: moves.iter().map(|found| found.action).collect(),
            visits: moves.iter().map(|found| found.looked).collect(),
            q: moves.iter().map(|found| found.q).collect(),
            prior: moves.iter().map(|found| found.prior).collect(),
            draws: vec![None; moves.len()],
            policy,
            replies,
            value,
            network_value: worth(self.rule, &root.values, root.actor),
            values,
            policies: None,
            nodes: self.evaluated,
            simulations: self.evaluated + self.ends,
            depth: self.depth() as u32,
            collisions: 0,
            seldepth: found.iter().skip(1).filter(|layer| known(layer)).count() as u32,
            proven: worth_of_root.exact.map(|plies| (value, plies)),
            seconds: self.clock.seconds(),
            phase: root.phase,
            ended: match self.status {
                Status::Ended(why) => why,
                Status::Idle | Status::Running => Ended::Stopped,
            },
            cheap: false,
            memory: self.bytes,
        })
    }

    /// The root's moves by action. Those that were not kept are taken to be worth what the evaluator
    /// says of the root.
    fn moves(&self, root: &Node<M::Snapshot>, found: &[Vec<Worth>]) -> Vec<Move> {
        let own = worth(self.rule, &root.values, root.actor);
        let alike = 1.0 / root.moves as f32;
        let new = |&action: &Action| Move { action, prior: alike, q: own, looked: 0, place: None };
        let mut moves: Vec<Move> = root.legal.iter().map(new).collect();
        let of = |moves: &[Move], action| moves.binary_search_by_key(&action, |it| it.action);
        for &(action, prior) in &root.successors {
            if let Ok(at) = of(&moves, action) {
                moves[at].prior = prior;
            }
        }
        for place in root.places() {
            let known = &found[1][place];
            if let Ok(at) = of(&moves, self.layers[1][place].action)
                && known.is_known
            {
                moves[at].q = worth(self.rule, &known.values, root.actor);
                (moves[at].looked, moves[at].place) = (known.looked, Some(place));
            }
        }
        moves
    }

    /// The move to play: the best of those kept; if all of them are proven lost and others are not, or
    /// nothing is known of them, the likeliest of the others.
    fn best(&self, root: &Node<M::Snapshot>, moves: &[Move], found: &[Vec<Worth>]) -> usize {
        let at_of = |action| moves.iter().position(|found| found.action == action);
        if let Some(place) = found[0][0].best {
            return at_of(self.layers[1][place].action).unwrap_or(0);
        }
        let is_open = |action| at_of(action).is_some_and(|at| moves[at].place.is_none());
        let likeliest = root.successors.iter().map(|&(action, _)| action).find(|&it| is_open(it));
        let any = root.successors.first().map(|&(action, _)| action);
        likeliest.or(any).and_then(at_of).unwrap_or(0)
    }

    /// Appends what follows in the principal variation after a node of the first layer.
    fn push_variation(&self, found: &[Vec<Worth>], place: usize, replies: &mut Vec<Action>) {
        let longest = replies.len() + MAX_PV - 1;
        let mut at = (1, place);
        while let Some(place) = found[at.0][at.1].best.filter(|_| replies.len() < longest) {
            at = (at.0 + 1, place);
            replies.push(self.layers[at.0][at.1].action);
        }
    }
}

/// `softmax(ln P + Q / temperature)` over the moves.
fn improved(params: &Params, moves: &[Move]) -> Vec<f32> {
    let temperature = f64::from(params.policy_temperature);
    let score = |it: &Move| f64::from(it.prior).ln() + f64::from(it.q) / temperature;
    let largest = moves.iter().map(score).fold(f64::NEG_INFINITY, f64::max);
    normalised(moves.iter().map(|it| (score(it) - largest).exp() as f32).collect())
}

/// A move drawn from `policy^(1 / temperature)`; `None` if it is too cold for that.
fn drawn(policy: &[f32], temperature: f64, stream: &mut Stream) -> Option<usize> {
    if temperature < COLD {
        return None;
    }
    let largest = policy.iter().copied().fold(0.0, f32::max);
    let weight = |share: &f32| f64::from(share / largest).powf(1.0 / temperature);
    let mut left = stream.unit() * policy.iter().map(weight).sum::<f64>();
    policy.iter().position(|share| {
        left -= weight(share);
        left < 0.0
    })
}
