//! What is special about the root: noise in its priors, and the choice of the move to play.

use super::edges::QUAD;
use super::params::Params;
use super::select::Selector;
use super::solver::is_better;
use super::tree::{NONE, ROOT, Tree};
use crate::game::Action;
use crate::rng::Stream;

/// Below this temperature the best move is played: powers would overflow.
const COLD: f64 = 1e-2;

/// What a search knows of one move at the root. Q and worth are for the root's player to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) action: Action,
    pub(crate) visits: u32,
    pub(crate) q: f32,
    pub(crate) prior: f32,
    /// The exact worth and the plies to the end behind it, if the move is proven.
    pub(crate) proven: Option<(f32, u16)>,
}

impl Candidate {
    pub(crate) fn is_lost(&self) -> bool {
        self.proven.is_some_and(|(worth, _)| worth <= -1.0)
    }
}

/// The root's priors mixed with Dirichlet noise: `(1 - epsilon) P + epsilon Dir(alpha)`, filled up to
/// whole quads with zeros.
pub(crate) fn with_noise(priors: &[f32], params: &Params, stream: &mut Stream, out: &mut Vec<f32>) {
    out.clear();
    if params.dirichlet_epsilon <= 0.0 {
        return;
    }
    let drawn: Vec<f64> =
        priors.iter().map(|_| stream.gamma(f64::from(params.dirichlet_alpha))).collect();
    let total: f64 = drawn.iter().sum();
    let epsilon = params.dirichlet_epsilon;
    out.extend(priors.iter().zip(&drawn).map(|(&prior, &gamma)| {
        // With a tiny alpha all draws may round to zero: then there is nothing to mix in.
        let noise = if total > 0.0 { (gamma / total) as f32 } else { prior };
        (1.0 - epsilon) * prior + epsilon * noise
    }));
    out.resize(out.len().next_multiple_of(QUAD), 0.0);
}

/// The root's moves, by action.
pub(crate) fn candidates<S>(tree: &Tree<S>, selector: &Selector) -> Vec<Candidate> {
    let actor = tree.node(ROOT).actor;
    let unvisited = selector.unvisited(tree, ROOT);
    let mut moves: Vec<Candidate> = tree
        .actions(ROOT)
        .iter()
        .zip(tree.priors(ROOT))
        .enumerate()
        .map(|(slot, (&action, &prior))| {
            let mut found = Candidate { action, visits: 0, q: unvisited, prior, proven: None };
            let edge = tree.edge(ROOT, slot);
            found.visits = edge.visits;
            if edge.child == NONE || edge.visits == 0 {
                return found;
            }
            let known = tree.known(edge.child);
            found.q = tree.worth(&known, actor);
            let distance = tree.rest(edge.child).distance;
            found.proven = tree.exact_worth(edge.child, actor).map(|worth| (worth, distance));
            found
        })
        .collect();
    moves.sort_unstable_by_key(|found| found.action);
    moves
}

/// The share of each move in the final policy; sums to 1. `worth` is the root's exact value, where
/// proven; `factor` what PUCT multiplies `P / (1 + n)` by there.
///
/// * Proven: the shortest win, the longest loss, or the drawn moves by their visits.
/// * Otherwise by visits, moves that are proven losses left out, and visits that [`prune`] leaves out if
///   [`Params::prune_policy`] says so; then the Q veto, or else the Q weight
///   of [`Params`] (facts of the published engine: veto 0.4, weight 1).
/// * Nothing visited: the priors.
pub(crate) fn final_policy(
    params: &Params,
    moves: &[Candidate],
    worth: Option<f32>,
    factor: f32,
) -> Vec<f32> {
    if let Some(policy) = worth.and_then(|worth| proven_policy(moves, worth)) {
        return policy;
    }
    let mut mass: Vec<f32> =
        moves.iter().map(|found| if found.is_lost() { 0.0 } else { found.visits as f32 }).collect();
    if mass.iter().all(|&share| share == 0.0) {
        mass = moves.iter().map(|found| if found.is_lost() { 0.0 } else { found.prior }).collect();
        return normalised(mass);
    }
    if params.prune_policy {
        prune(moves, factor, &mut mass);
    }
    if params.q_value_weight > 0.0 {
        weigh_by_q(params, moves, &mut mass);
    }
    normalised(mass)
}

/// Leaves out the visits of each move but the best beyond the first at which its score, by its prior
/// without noise, falls to that of the best; and the last visit of a move that has one left. A move
/// whose value alone is above that keeps all.
fn prune(moves: &[Candidate], factor: f32, mass: &mut [f32]) {
    let best = best_index(mass, moves);
    let score = moves[best].q + factor * moves[best].prior / (1.0 + mass[best]);
    for (index, (found, visits)) in moves.iter().zip(mass).enumerate() {
        let gap = score - found.q;
        if index == best || gap <= 0.0 {
            continue; // its value alone is worth its visits
        }
        let wanted = (factor * found.prior / gap - 1.0).ceil().max(0.0);
        *visits = if wanted.min(*visits) > 1.0 { wanted.min(*visits) } else { 0.0 };
    }
}

fn proven_policy(moves: &[Candidate], worth: f32) -> Option<Vec<f32>> {
    let equal = |found: &Candidate| found.proven.filter(|&(value, _)| value == worth);
    let mut best: Option<(usize, (f32, u16))> = None;
    for (index, found) in moves.iter().enumerate() {
        if let Some(proof) = equal(found)
            && best.is_none_or(|(_, old)| is_better(proof, old))
        {
            best = Some((index, proof));
        }
    }
    let (best, _) = best?;
    let mut policy = vec![0.0; moves.len()];
    if worth == 0.0 {
        for (share, found) in policy.iter_mut().zip(moves) {
            *share = if equal(found).is_some() { found.visits as f32 } else { 0.0 };
        }
    } else {
        policy[best] = 1.0;
    }
    Some(normalised(policy))
}

fn weigh_by_q(params: &Params, moves: &[Candidate], mass: &mut [f32]) {
    let best = best_index(mass, moves);
    let by_q = (0..moves.len())
        .filter(|&i| moves[i].visits > 0 && !moves[i].is_lost())
        .fold(best, |top, i| if moves[i].q > moves[top].q { i } else { top });
    if by_q != best && moves[by_q].q > moves[best].q + params.q_veto_delta && moves[by_q].visits > 1
    {
        mass.swap(best, by_q);
        return;
    }
    let second = (0..mass.len())
        .filter(|&i| i != best)
        .reduce(|top, i| if mass[i] > mass[top] { i } else { top });
    if let Some(second) = second.filter(|&i| mass[i] > 0.0) {
        let gain = moves[second].q - moves[best].q;
        if gain > 0.0 {
            mass[second] += gain * params.q_value_weight * mass[best];
        }
    }
}

/// Shares that sum to 1; alike if there is nothing to share.
pub(crate) fn normalised(mut mass: Vec<f32>) -> Vec<f32> {
    let total: f32 = mass.iter().sum();
    let count = mass.len() as f32;
    for share in &mut mass {
        *share = if total > 0.0 { *share / total } else { 1.0 / count };
    }
    mass
}

/// The index with the most mass; among equals the better prior, then the smaller action.
pub(crate) fn best_index(mass: &[f32], moves: &[Candidate]) -> usize {
    (0..mass.len()).fold(0, |top, i| {
        let better = (mass[i], moves[i].prior) > (mass[top], moves[top].prior);
        if better { i } else { top }
    })
}

/// The index of the move to play: the best, or during the first `temperature_plies` plies one drawn
/// from `policy^(1 / T)`, `T = temperature * decay^ply`, with the least likely moves clipped.
pub(crate) fn choose(
    params: &Params,
    policy: &[f32],
    moves: &[Candidate],
    ply: u32,
    stream: &mut Stream,
) -> usize {
    let temperature =
        f64::from(params.temperature) * f64::from(params.temperature_decay).powf(f64::from(ply));
    if ply >= params.temperature_plies || temperature < COLD {
        return best_index(policy, moves);
    }
    let largest = policy.iter().copied().fold(0.0, f32::max);
    let mut weights: Vec<f64> =
        policy.iter().map(|&share| f64::from(share / largest).powf(1.0 / temperature)).collect();
    clip_quantile(&mut weights, f64::from(params.quantile_clipping));
    let mut left = stream.unit() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        left -= weight;
        if left < 0.0 {
            return index;
        }
    }
    best_index(policy, moves)
}

/// Sets the smallest weights to zero that together hold at most `quantile` of all.
fn clip_quantile(weights: &mut [f64], quantile: f64) {
    let total: f64 = weights.iter().sum();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let mut held = 0.0;
    for index in order {
        held += weights[index] / total;
        if held > quantile {
            return;
        }
        weights[index] = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(visits: u32, q: f32) -> Candidate {
        Candidate { action: 0, visits, q, prior: 0.1, proven: None }
    }

    fn policy(params: &Params, moves: &[Candidate]) -> Vec<f32> {
        final_policy(params, moves, None, 1.0)
    }

    #[test]
    fn a_much_better_q_takes_the_visits_of_the_best() {
        let params = Params::default();
        let veto = policy(&params, &[candidate(90, 0.0), candidate(10, 0.5)]);
        assert_eq!(veto, [0.1, 0.9]);
        let one_visit = policy(&params, &[candidate(99, 0.0), candidate(1, 0.5)]);
        assert!(one_visit[0] > 0.6, "one visit is no evidence for a veto");
    }

    #[test]
    fn a_better_q_adds_weight_to_the_second() {
        let moves = [candidate(60, 0.0), candidate(40, 0.3)];
        let weighed = policy(&Params::default(), &moves);
        assert!((weighed[1] - 58.0 / 118.0).abs() < 1e-6);
        let off = Params { q_value_weight: 0.0, ..Params::default() };
        assert_eq!(policy(&off, &moves), [0.6, 0.4]);
    }

    #[test]
    fn lost_moves_get_nothing_and_nothing_visited_means_the_priors() {
        let lost = Candidate { proven: Some((-1.0, 2)), ..candidate(50, -1.0) };
        assert_eq!(policy(&Params::default(), &[lost, candidate(3, -0.9)]), [0.0, 1.0]);
        let fresh = [
            Candidate { prior: 0.75, ..candidate(0, -1.0) },
            Candidate { prior: 0.25, ..candidate(0, -1.0) },
        ];
        assert_eq!(policy(&Params::default(), &fresh), [0.75, 0.25]);
    }

    #[test]
    fn proofs_decide_alone() {
        let params = Params::default();
        let win = |plies| Candidate { proven: Some((1.0, plies)), ..candidate(1, 1.0) };
        assert_eq!(
            final_policy(&params, &[win(5), win(3), candidate(99, 0.9)], Some(1.0), 1.0),
            [0.0, 1.0, 0.0]
        );
        let loss = |plies| Candidate { proven: Some((-1.0, plies)), ..candidate(9, -1.0) };
        assert_eq!(final_policy(&params, &[loss(2), loss(4)], Some(-1.0), 1.0), [0.0, 1.0]);
    }

    #[test]
    fn clipping_drops_the_least_likely_and_temperature_follows_the_ply() {
        let mut weights = [0.5, 0.3, 0.15, 0.05];
        clip_quantile(&mut weights, 0.25);
        assert_eq!(weights, [0.5, 0.3, 0.0, 0.0]);
        let params = Params {
            temperature: 1.0,
            temperature_plies: 10,
            quantile_clipping: 0.0,
            ..Params::default()
        };
        let moves = [candidate(50, 0.0), candidate(50, 0.0)];
        let mut stream = Stream::new(3);
        let drawn: usize =
            (0..1000).map(|_| choose(&params, &[0.5, 0.5], &moves, 0, &mut stream)).sum();
        assert!((400..600).contains(&drawn));
        assert!((0..100).all(|_| choose(&params, &[0.6, 0.4], &moves, 10, &mut stream) == 0));
    }
}
