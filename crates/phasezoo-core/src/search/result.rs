//! What a search found.

use super::limit::{Ended, Status};
use super::lines::{Line, Replies};
use super::root::{Candidate, candidates, choose, final_policy, normalised};
use super::session::{Rules, Search};
use super::tree::{ROOT, Tree};
use crate::error::Result;
use crate::game::Action;
use crate::model::{SearchModel, ValueRule};
use crate::rng::Stream;

/// What one player does at the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayersPolicy {
    /// Their actions, ascending; none if they do not move.
    pub actions: Vec<Action>,
    /// The share of each; they sum to 1.
    pub shares: Vec<f32>,
}

/// The outcome of a search. Everything is from the view of the root's player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The action to play.
    pub action: Action,
    /// The root's legal actions, or those searched alone, ascending; the next five have an entry
    /// for each.
    pub actions: Vec<Action>,
    /// Simulations through each, those of a reused subtree included.
    pub visits: Vec<u32>,
    /// Mean value of each, exact if proven; what the selection rule assumes if unvisited.
    pub q: Vec<f32>,
    /// Prior of each, at the node temperature, without noise.
    pub prior: Vec<f32>,
    /// Share of each after Q veto and Q weight, before the play temperature; sums to 1.
    pub policy: Vec<f32>,
    /// What it expects after each.
    pub replies: Replies,
    /// The root's mean value, exact if proven.
    pub value: f32,
    /// What the evaluator said of the root alone, exact if proven.
    pub network_value: f32,
    /// The same for every player, in games with [`ValueRule::PerPlayer`].
    pub values: Option<Vec<f32>>,
    /// The final policy of every player, if players may move at once ([`super::decoupled`]).
    pub policies: Option<Vec<PlayersPolicy>>,
    /// Positions newly evaluated.
    pub nodes: u64,
    /// Simulations of this search.
    pub simulations: u64,
    /// Descents of this search that met a leaf that awaited its evaluation.
    pub collisions: u64,
    /// The mean length of this search's descents, in whole plies.
    pub depth: u32,
    /// The longest descent of this search, in plies.
    pub seldepth: u32,
    /// How many of this search's simulations through each action were draws: what evaluators said of
    /// leaves, 0 of those who say nothing, and 0 or 1 at ends. `None` if there were none.
    pub draws: Vec<Option<f32>>,
    /// The root's exact value and the plies to the end behind it, if proven.
    pub proven: Option<(f32, u16)>,
    /// Wall-clock time from begin to the end of the search.
    pub seconds: f64,
    /// The root's phase; 0 without a gate, -1 if the root was never looked at.
    pub phase: i8,
    /// Why the search ended.
    pub ended: Ended,
    /// Whether this was a cheap search ([`super::Params::cheap_search_prob`]).
    pub cheap: bool,
    /// Bytes that the tree holds.
    pub memory: usize,
}

impl SearchResult {
    /// What `search` found so far. Without an evaluated root the first legal action is all there is
    /// to say; with one but no visits the best prior decides.
    pub(crate) fn of<M: SearchModel>(
        search: &Search<M>,
        model: &M,
        rules: &Rules,
        root: &M::State,
        ply: u32,
        stream: &mut Stream,
    ) -> Result<Self> {
        let tree = &search.tree;
        let moves = if tree.has_root() {
            candidates(tree, &rules.selector)
        } else {
            unknown(search, model, root)?
        };
        let known = tree.has_root().then(|| tree.node(ROOT));
        let proven = known
            .and_then(|node| tree.exact_worth(ROOT, node.actor))
            .map(|worth| (worth, tree.rest(ROOT).distance));
        let gumbel = search.gumbel.as_ref().filter(|_| proven.is_none());
        let policy = if gumbel.is_some() {
            improved_policy(tree, rules, &moves)
        } else {
            let factor = if tree.has_root() { rules.selector.factor(tree, ROOT) } else { 0.0 };
            final_policy(&rules.params, &moves, proven.map(|(worth, _)| worth), factor)
        };
        let best = gumbel.and_then(|gumbel| gumbel.action(&rules.gumbel, tree));
        let chosen = best
            .and_then(|action| moves.iter().position(|found| found.action == action))
            .unwrap_or_else(|| choose(&rules.params, &policy, &moves, ply, stream));
        let action = moves[chosen].action;
        let draws = moves.iter().map(|found| search.drawn_by(found.action)).collect();
        let replies = Replies::of(tree, &moves);
        let values = match tree.rule() {
            ValueRule::PerPlayer(players) if tree.has_root() => {
                Some(tree.known(ROOT)[..players].to_vec())
            }
            _ => None,
        };
        Ok(Self {
            action,
            actions: moves.iter().map(|found| found.action).collect(),
            visits: moves.iter().map(|found| found.visits).collect(),
            q: moves.iter().map(|found| found.q).collect(),
            prior: moves.iter().map(|found| found.prior).collect(),
            replies,
            policy,
            value: known.map_or(0.0, |node| tree.worth(&tree.known(ROOT), node.actor)),
            network_value: known.map_or(0.0, |node| tree.worth(&tree.values(ROOT), node.actor)),
            values,
            policies: None,
            nodes: search.nodes,
            simulations: search.simulations,
            collisions: search.collisions,
            depth: search.depth(),
            seldepth: search.descents.longest,
            draws,
            proven,
            seconds: search.clock.seconds(),
            phase: tree.nodes.first().map_or(-1, |node| node.phase),
            ended: match search.status {
                Status::Ended(why) => why,
                Status::Idle | Status::Running => Ended::Stopped,
            },
            cheap: search.is_cheap,
            memory: tree.bytes(),
        })
    }

    /// The line that the search expects, [`SearchResult::action`] first.
    pub fn pv(&self) -> Vec<Action> {
        self.line(self.actions.iter().position(|&known| known == self.action).unwrap_or(0)).pv
    }

    /// The lines of the `count` best moves, or of all if there are fewer: the one to play, then by their
    /// share of the policy, visits and priors.
    pub fn lines(&self, count: usize) -> Vec<Line> {
        let mut order: Vec<usize> = (0..self.actions.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |i: usize| {
                (self.actions[i] == self.action, self.policy[i], self.visits[i], self.prior[i])
            };
            key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal)
        });
        order.into_iter().take(count).map(|index| self.line(index)).collect()
    }

    fn line(&self, index: usize) -> Line {
        let pv = self.replies.line(index, self.actions[index]);
        Line { action: self.actions[index], q: self.q[index], visits: self.visits[index], pv }
    }
}

impl<M: SearchModel> Search<M> {
    /// The share of draws in the simulations through one of the root's moves.
    fn drawn_by(&self, action: Action) -> Option<f32> {
        let slot = self.tree.has_root().then(|| self.tree.actions(ROOT))?;
        let slot = slot.iter().position(|&known| known == action)?;
        self.drawn.get(slot)?.mean()
    }
}

/// The improved policy of the root, by action; proven losses have no share.
fn improved_policy<S>(tree: &Tree<S>, rules: &Rules, moves: &[Candidate]) -> Vec<f32> {
    let shares = rules.gumbel.improved(tree, ROOT);
    let share = |found: &Candidate| {
        let slot = tree.actions(ROOT).iter().position(|&action| action == found.action);
        if found.is_lost() { 0.0 } else { slot.map_or(0.0, |slot| shares[slot]) }
    };
    normalised(moves.iter().map(share).collect())
}

/// The moves of a root that nobody has evaluated: all alike.
fn unknown<M: SearchModel>(
    search: &Search<M>,
    model: &M,
    root: &M::State,
) -> Result<Vec<Candidate>> {
    let mut legal = Vec::new();
    model.expand(root, &mut legal)?;
    let wanted = &search.searchmoves;
    legal.retain(|action| wanted.is_empty() || wanted.contains(action));
    let prior = 1.0 / legal.len() as f32;
    let candidate = |action| Candidate { action, visits: 0, q: -1.0, prior, proven: None };
    Ok(legal.into_iter().map(candidate).collect())
}
