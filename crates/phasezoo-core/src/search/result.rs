//! What a search found.

use super::edges::Edge;
use super::forced;
use super::lcb;
use super::limit::{Ended, Status};
use super::root::{Candidate, candidates, choose, final_policy, normalised};
use super::session::{Rules, Search};
use super::solver::is_better;
use super::tree::{NONE, NodeId, ROOT, Tree};
use crate::error::Result;
use crate::game::Action;
use crate::model::{SearchModel, ValueRule};
use crate::rng::Stream;

/// The longest principal variation that is reported, in plies.
const MAX_PV: usize = 128;

/// What one player does at the root.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayersPolicy {
    /// Their actions, ascending; none if they do not move.
    pub actions: Vec<Action>,
    /// The share of each; they sum to 1.
    pub shares: Vec<f32>,
}

/// What a search expects after one of the root's moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The move.
    pub action: Action,
    /// Its mean value for the root's player, exact if proven.
    pub q: f32,
    /// Simulations through it.
    pub visits: u32,
    /// The line, [`Line::action`] first.
    pub pv: Vec<Action>,
}

/// The outcome of a search. Everything is from the view of the root's player to move.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The action to play.
    pub action: Action,
    /// The root's legal actions, ascending; the next four have an entry for each.
    pub actions: Vec<Action>,
    /// Simulations through each, those of a reused subtree included.
    pub visits: Vec<u32>,
    /// Mean value of each, exact if proven; what the selection rule assumes if unvisited.
    pub q: Vec<f32>,
    /// Prior of each, at the node temperature, without noise.
    pub prior: Vec<f32>,
    /// Share of each after Q veto and Q weight, before the play temperature; sums to 1.
    pub policy: Vec<f32>,
    /// The line that the search expects, [`SearchResult::action`] first.
    pub pv: Vec<Action>,
    /// The lines of the best moves, best first, as many as [`super::Params::multi_pv`] says.
    pub lines: Vec<Line>,
    /// The root's mean value, exact if proven.
    pub value: f32,
    /// The same for every player, in games with [`ValueRule::PerPlayer`].
    pub values: Option<Vec<f32>>,
    /// The final policy of every player, if players may move at once ([`super::decoupled`]).
    pub policies: Option<Vec<PlayersPolicy>>,
    /// Positions newly evaluated.
    pub nodes: u64,
    /// Simulations of this search.
    pub simulations: u64,
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
        let policy = match gumbel {
            Some(_) => improved_policy(tree, rules, &moves),
            None => policy_of(search, rules, &moves, proven.map(|(worth, _)| worth)),
        };
        let best = gumbel.and_then(|gumbel| gumbel.action(&rules.gumbel, tree));
        let chosen = best
            .and_then(|action| moves.iter().position(|found| found.action == action))
            .unwrap_or_else(|| choose(&rules.params, &policy, &moves, ply, stream));
        let action = moves[chosen].action;
        let draws = moves.iter().map(|found| search.drawn_by(found.action)).collect();
        let lines = best_lines(tree, &moves, &policy, chosen, rules.params.multi_pv);
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
            pv: lines.first().map_or_else(Vec::new, |line| line.pv.clone()),
            lines,
            policy,
            value: known.map_or(0.0, |node| tree.worth(&tree.known(ROOT), node.actor)),
            values,
            policies: None,
            nodes: search.nodes,
            simulations: search.simulations,
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
}

impl<M: SearchModel> Search<M> {
    /// The share of draws in the simulations through one of the root's moves.
    fn drawn_by(&self, action: Action) -> Option<f32> {
        let slot = self.tree.has_root().then(|| self.tree.actions(ROOT))?;
        let slot = slot.iter().position(|&known| known == action)?;
        self.drawn.get(slot)?.mean()
    }
}

/// The share of each move in the policy of a search that is not planned with Gumbel noise.
fn policy_of<M: SearchModel>(
    search: &Search<M>,
    rules: &Rules,
    moves: &[Candidate],
    worth: Option<f32>,
) -> Vec<f32> {
    let (tree, params) = (&search.tree, &rules.params);
    if worth.is_some() || !tree.has_root() {
        return final_policy(params, moves, worth);
    }
    let k = if search.is_cheap { 0.0 } else { params.forced_playouts_k };
    let pruned = (k > 0.0).then(|| forced::pruned(tree, &rules.selector, &search.noise, k, moves));
    let moves = pruned.as_deref().unwrap_or(moves);
    let by_bounds = params.use_lcb_for_selection;
    let by_bounds = by_bounds.then(|| lcb::policy(params, tree, &search.spreads, moves)).flatten();
    by_bounds.unwrap_or_else(|| final_policy(params, moves, None))
}

/// The lines of the `count` best moves: the chosen one, then by their share of the policy, visits and
/// priors.
fn best_lines<S>(
    tree: &Tree<S>,
    moves: &[Candidate],
    policy: &[f32],
    chosen: usize,
    count: usize,
) -> Vec<Line> {
    let mut order: Vec<usize> = (0..moves.len()).collect();
    order.sort_by(|&a, &b| {
        let key = |i: usize| (i == chosen, policy[i], moves[i].visits, moves[i].prior);
        key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let line = |index: usize| {
        let Candidate { action, q, visits, .. } = moves[index];
        let pv = if tree.has_root() { principal_variation(tree, action) } else { vec![action] };
        Line { action, q, visits, pv }
    };
    order.into_iter().take(count).map(line).collect()
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

/// `first`, then what each node's player would choose.
fn principal_variation<S>(tree: &Tree<S>, first: Action) -> Vec<Action> {
    let mut line = vec![first];
    let slot = tree.actions(ROOT).iter().position(|&action| action == first);
    let mut next = slot.and_then(|slot| child(tree, ROOT, slot));
    while let Some(id) = next.filter(|_| line.len() < MAX_PV) {
        let Some(slot) = best_slot(tree, id) else { break };
        line.push(tree.action(id, slot as u32));
        next = child(tree, id, slot);
    }
    line
}

fn child<S>(tree: &Tree<S>, id: NodeId, slot: usize) -> Option<NodeId> {
    Some(tree.edge(id, slot).child).filter(|&child| child != NONE)
}

/// The slot that a node's player would choose: by proofs if the node is proven or the move wins;
/// otherwise the most visited move that is not proven lost. `None` if the tree does not hold it.
fn best_slot<S>(tree: &Tree<S>, id: NodeId) -> Option<usize> {
    let node = tree.node(id);
    if node.proven && !tree.shows_proof(id) {
        return None;
    }
    let found = |(slot, edge): (usize, Edge)| {
        if edge.child == NONE || edge.visits == 0 {
            return None;
        }
        let below = tree.node(edge.child);
        let (worth, rank) = match tree.exact_worth(edge.child, node.actor) {
            _ if node.proven && below.proven => {
                (tree.worth(&tree.values(edge.child), node.actor), Rank::Proven)
            }
            Some(worth) if worth >= 1.0 => (worth, Rank::Proven),
            Some(worth) if worth <= -1.0 => (worth, Rank::Lost),
            _ => (0.0, Rank::Open),
        };
        let proof = (worth, tree.rest(edge.child).distance);
        Some(Child { slot, visits: edge.visits, rank, proof })
    };
    tree.edges(id)
        .enumerate()
        .filter_map(found)
        .reduce(|best, new| if new.is_better(&best) { new } else { best })
        .map(|best| best.slot)
}

/// What is chosen first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Proven lost while something else is not.
    Lost,
    /// To be compared by visits.
    Open,
    /// To be compared by proofs.
    Proven,
}

/// What decides between a node's children.
struct Child {
    slot: usize,
    visits: u32,
    rank: Rank,
    /// Worth and distance, unless [`Rank::Open`].
    proof: (f32, u16),
}

impl Child {
    fn is_better(&self, other: &Self) -> bool {
        if self.rank != other.rank {
            return self.rank > other.rank;
        }
        match self.rank {
            Rank::Open => self.visits > other.visits,
            Rank::Lost | Rank::Proven => is_better(self.proof, other.proof),
        }
    }
}
