//! UCT: the same tree as a plain second implementation, mates found, what a threshold means, collapses,
//! and the endgame's tabulated moves beside shakmaty's.

use std::collections::HashMap;

use crate::toys::TicTacToe;
use crate::toys::games::Race;
use phasezoo_core::game::{Action, Game, Player, Replay, Returns, Store};
use phasezoo_core::games::krk::{KrkLine, KrkModel, KrkRollout};
use phasezoo_core::games::lone_king::Policy;
use phasezoo_core::games::{ChessModel, ChessState, KrkState};
use phasezoo_core::model::{Played, SearchModel, Turns};
use phasezoo_core::rng::Stream;
use phasezoo_core::search::uct::{
    Choice, Ends, Expansion, Params, RandomRollout, Report, Rollout, Search, Selection, Ties,
};
use phasezoo_core::search::{Ended, Limit};

const PARAMS: Params = Params {
    // Not a round number: scores that are equal by chance could be rounded to different sides.
    c: 0.713_041_7,
    threshold: 5,
    expansion: Expansion::Rollouts,
    selection: Selection::Ucb1,
    follow: false,
    ties: Ties::First,
    choice: Choice::Careful,
    ends: Ends::Count,
    root_visits: 0,
    max_plies: Some(100),
    memory: usize::MAX,
};

/// All that the study's program does otherwise.
const PROGRAM: Params = Params {
    ties: Ties::Random,
    choice: Choice::MostVisited,
    ends: Ends::Restart,
    root_visits: 1,
    max_plies: None,
    ..PARAMS
};

/// Every action is tried before one is selected, from a node's first visit on.
const UCT: Params = Params { threshold: 0, expansion: Expansion::Untried, ..PARAMS };

/// Enough rollouts at every node to meet each of its moves.
const WIDE: Params = Params { threshold: 200, max_plies: None, ..PARAMS };

fn simulations(count: u64) -> Limit {
    Limit { simulations: Some(count), ..Limit::default() }
}

fn searched<M: SearchModel, P: Rollout<M>>(
    search: &mut Search<M, P>,
    root: &M::State,
    favoured: Option<Player>,
    count: u64,
) -> Report {
    search.search(root.clone(), favoured, &simulations(count), &mut || true).unwrap()
}

/// UCT as the definition reads, positions by the actions that lead to them.
struct Plain<'a, M: SearchModel> {
    model: &'a M,
    params: Params,
    favoured: Option<Player>,
    /// Visits, and the sum of scores of each player, by path.
    known: HashMap<Vec<Action>, (u32, [f64; 8])>,
    /// Children in the order in which they came.
    children: HashMap<Vec<Action>, Vec<Action>>,
    /// Legal actions that are no children, in the order of the tree's list: a child's place is taken by
    /// the first of them.
    untried: HashMap<Vec<Action>, Vec<Action>>,
}

impl<M: SearchModel> Plain<'_, M> {
    fn simulate<P: Rollout<M>>(&mut self, root: &M::State, policy: &mut P, stream: &mut Stream) {
        let mut path: Vec<Action> = Vec::new();
        let mut state = root.clone();
        let returns = loop {
            if let Some(returns) = self.model.terminal(&state).unwrap() {
                break returns;
            }
            let visits = self.visits(&path);
            let is_inner = self.children.get(&path).is_some_and(|children| !children.is_empty());
            let others = match self.params.expansion {
                Expansion::Untried => self.untried(&path, &state),
                Expansion::Rollouts => Vec::new(),
            };
            if visits <= self.params.threshold || (others.is_empty() && !is_inner) {
                break self.roll_out(&mut path, &mut state, policy, stream);
            }
            if !others.is_empty() {
                let action = others[stream.below(others.len())];
                self.add(&path, &state, action);
                self.model.advance(&mut state, action).unwrap();
                path.push(action);
                break self.play_on(&mut path, &mut state, policy, stream, false);
            }
            let action = self.select(&path, visits, &state, stream);
            self.model.advance(&mut state, action).unwrap();
            path.push(action);
        };
        let scores = self.scores(&returns);
        for length in 0..=path.len() {
            let known = self.known.entry(path[..length].to_vec()).or_default();
            known.0 += 1;
            known.1.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
        }
    }

    fn visits(&self, path: &Vec<Action>) -> u32 {
        let first = if path.is_empty() { self.params.root_visits } else { 0 };
        first + self.known.get(path).map_or(0, |known| known.0)
    }

    fn untried(&mut self, path: &[Action], state: &M::State) -> Vec<Action> {
        let others = self.untried.entry(path.to_vec()).or_insert_with(|| {
            let mut legal = Vec::new();
            self.model.expand(state, &mut legal).unwrap();
            legal
        });
        others.clone()
    }

    fn add(&mut self, path: &[Action], state: &M::State, action: Action) {
        self.children.entry(path.to_vec()).or_default().push(action);
        let mut others = self.untried(path, state);
        let place = others.iter().position(|&other| other == action).unwrap();
        others.swap(0, place);
        others.remove(0);
        self.untried.insert(path.to_vec(), others);
    }

    fn roll_out<P: Rollout<M>>(
        &mut self,
        path: &mut Vec<Action>,
        state: &mut M::State,
        policy: &mut P,
        stream: &mut Stream,
    ) -> Returns {
        let (selected, leaf) = (path.len(), state.clone());
        let returns = self.play_on(path, state, policy, stream, true);
        // A way that stayed in the tree ended there; the same is played again without a tree.
        let stayed = self.known.contains_key(path);
        if self.params.ends == Ends::Restart && stayed && path.len() > selected {
            path.truncate(selected);
            *state = leaf;
            return self.play_on(path, state, policy, stream, false);
        }
        returns
    }

    fn play_on<P: Rollout<M>>(
        &mut self,
        path: &mut Vec<Action>,
        state: &mut M::State,
        policy: &mut P,
        stream: &mut Stream,
        mut inside: bool,
    ) -> Returns {
        for _ in 0..self.params.max_plies.unwrap_or(u32::MAX) {
            let before = state.clone();
            match policy.step(self.model, state, stream).unwrap() {
                Played::Over(returns) => return returns,
                Played::Action(action) if inside => {
                    inside = self.children.entry(path.clone()).or_default().contains(&action);
                    if !inside {
                        self.add(path, &before, action);
                    }
                    path.push(action);
                }
                Played::Action(_) => {}
            }
        }
        Returns::all(0.0, 8)
    }

    fn scores(&self, returns: &Returns) -> [f64; 8] {
        let is_draw = returns.as_slice().iter().all(|&value| value == 0.0);
        std::array::from_fn(|player| {
            if let Some(winner) = self.favoured.filter(|_| is_draw) {
                return f64::from(u8::from(usize::from(winner) == player));
            }
            let value = returns.as_slice().get(player).copied().unwrap_or_default();
            f64::midpoint(1.0, f64::from(value))
        })
    }

    fn select(
        &self,
        path: &[Action],
        visits: u32,
        state: &M::State,
        stream: &mut Stream,
    ) -> Action {
        let actor = self.model.actor(state).unwrap();
        let children = &self.children[path];
        let score = |action: Action| {
            let (n, sums) = self.known[&[path, &[action]].concat()];
            let (total, n) = (f64::from(visits), f64::from(n));
            let mut q = sums[usize::from(actor)] / n;
            if self.params.follow && Some(actor) == self.favoured {
                q = 1.0 - q;
            }
            let c = f64::from(self.params.c);
            q + match self.params.selection {
                Selection::Ucb1 => c * (total.ln() / n).sqrt(),
                Selection::Puct => c * total.sqrt() / children.len() as f64 / (1.0 + n),
            }
        };
        let (mut best, mut equal) = (children[0], 1);
        for &action in &children[1..] {
            let above = score(action) - score(best);
            // Equal counts give equal scores, other ones hardly ever.
            if self.params.ties == Ties::Random && above == 0.0 {
                equal += 1;
                best = if stream.below(equal) == 0 { action } else { best };
            } else if above > 0.0 {
                (best, equal) = (action, 1);
            }
        }
        best
    }
}

/// Searches the same position twice and compares all children of the root.
fn compare<M: SearchModel + Clone, P: Rollout<M> + Clone>(
    model: &M,
    policy: &P,
    root: &M::State,
    favoured: Option<Player>,
    params: Params,
    count: u64,
) {
    let seed = 11;
    let mut search = Search::new(model.clone(), policy.clone(), params, seed).unwrap();
    let report = searched(&mut search, root, favoured, count);
    let (known, children, untried) = (HashMap::new(), HashMap::new(), HashMap::new());
    let mut plain = Plain { model, params, favoured, known, children, untried };
    let (mut policy, mut stream) = (policy.clone(), Stream::new(seed));
    for _ in 0..count {
        plain.simulate(root, &mut policy, &mut stream);
    }
    if params.choice == Choice::MostVisited {
        let most = report.visits.iter().max().unwrap();
        let is_most = |at: &usize| report.visits[*at] == *most;
        let equals: Vec<usize> = (0..report.visits.len()).filter(is_most).collect();
        let at = if equals.len() > 1 { stream.below(equals.len()) } else { 0 };
        assert_eq!(report.action, report.actions[equals[at]]);
    }
    let actor = usize::from(model.actor(root).unwrap());
    let mut expected: Vec<(Action, u32, f64)> = plain.children[&Vec::new()]
        .iter()
        .map(|&action| {
            let (visits, sums) = plain.known[&vec![action]];
            (action, visits, sums[actor])
        })
        .collect();
    expected.sort_by_key(|child| child.0);
    let found: Vec<(Action, u32, f64)> = (0..report.actions.len())
        .map(|at| (report.actions[at], report.visits[at], report.totals[at]))
        .collect();
    assert_eq!(found, expected, "{params:?}");
    assert_eq!(report.simulations, count);
    assert_eq!(report.tree_nodes, plain.known.len());
}

fn variants() -> impl Iterator<Item = Params> {
    [
        PARAMS,
        Params { c: 0.0, ..PARAMS },
        Params { threshold: 0, ..PARAMS },
        Params { threshold: 50, c: 1.3, max_plies: Some(7), ..PARAMS },
        Params { selection: Selection::Puct, ..PARAMS },
        Params { ties: Ties::Random, ..PARAMS },
        Params { ends: Ends::Restart, max_plies: None, ..PARAMS },
        Params { choice: Choice::MostVisited, root_visits: 1, ..PARAMS },
        PROGRAM,
    ]
    .into_iter()
    .flat_map(|params| [params, Params { expansion: Expansion::Untried, ..params }])
    .chain([UCT])
}

#[test]
fn the_tree_is_that_of_a_plain_implementation() {
    let state = TicTacToe::after(&[0, 4]);
    let race = Race::default();
    for params in variants() {
        let random = RandomRollout::default();
        compare(&Turns::of(&state).keeping::<Store<_>>(), &random, &state, None, params, 2_000);
        compare(&Turns::of(&state).keeping::<Replay>(), &random, &state, None, params, 2_000);
        compare(&Turns::of(&race).keeping::<Replay>(), &random, &race, None, params, 1_000);
        let chess = ChessState::from_fen("7k/R7/5K2/8/8/8/8/8 w - - 0 1").unwrap();
        compare(&ChessModel::new(), &random, &chess, None, params, 300);
        let line = KrkLine::of(&KrkState::initial()).unwrap();
        for params in [params, Params { follow: true, ..params }] {
            compare(&KrkModel::default(), &KrkRollout, &line, Some(1), params, 1_000);
            compare(&KrkModel::default(), &random, &line, Some(1), params, 300);
        }
        for changes in ["capture", "window,early,closer", "urgent,protect,leave,capture"] {
            let model = KrkModel::new(Policy::parse(changes).unwrap());
            for fen in ["8/8/8/3k4/8/8/1R6/2K5 w - - 0 1", "7k/8/5K2/8/8/8/8/R7 w - - 0 1"] {
                let line = model.line(&KrkState::from_fen(fen).unwrap()).unwrap();
                compare(&model, &KrkRollout, &line, Some(1), params, 1_000);
            }
        }
    }
}

#[test]
fn mates_are_found_by_both_colours() {
    for (fen, mate) in
        [("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8"), ("r7/8/8/8/8/6k1/8/7K b - - 0 1", "a8a1")]
    {
        let state = KrkState::from_fen(fen).unwrap();
        let mate = state.parse_uci(mate).unwrap();
        let line = KrkLine::of(&state).unwrap();
        let mut search = Search::new(KrkModel::default(), KrkRollout, PARAMS, 1).unwrap();
        let report = searched(&mut search, &line, Some(1 - line.strong()), 2_000);
        assert_eq!(report.action, mate, "{fen} {report:?}");
        let at = report.actions.iter().position(|&action| action == mate).unwrap();
        assert_eq!(report.totals[at], f64::from(report.visits[at]), "every visit is a mate");
        let chess = ChessState::from_fen(fen).unwrap();
        let mut search = Search::new(ChessModel::new(), RandomRollout::default(), WIDE, 1).unwrap();
        assert_eq!(searched(&mut search, &chess, None, 3_000).action, mate);
    }
}

#[test]
fn up_to_the_threshold_nothing_is_selected() {
    // The policy plays three moves at the root, each with the same probability.
    let line = KrkLine::of(&KrkState::initial()).unwrap();
    let params = Params { threshold: u32::MAX, ..PARAMS };
    let mut search = Search::new(KrkModel::default(), KrkRollout, params, 4).unwrap();
    let report = searched(&mut search, &line, Some(1), 9_000);
    assert_eq!(report.actions.len(), 3);
    // Four standard deviations of a binomial count.
    let spread = 4.0 * (9_000.0_f64 * 2.0 / 9.0).sqrt();
    assert!(report.visits.iter().all(|&visits| (f64::from(visits) - 3_000.0).abs() < spread));
    assert_eq!(report.visits.iter().sum::<u32>(), 9_000);
    assert!(report.nodes <= 9_000 && report.tree_nodes as u64 == report.nodes + 1);
}

#[test]
fn the_tree_is_kept_or_collapses() {
    let state = KrkState::initial();
    let line = KrkLine::of(&state).unwrap();
    let mut search = Search::new(KrkModel::default(), KrkRollout, PARAMS, 2).unwrap();
    let first = searched(&mut search, &line, Some(1), 5_000);
    let mut next = state.clone();
    next.apply(&[first.action]).unwrap();
    search.advance(first.action);
    let mut replies = Vec::new();
    next.legal_actions(1, &mut replies);
    // The lone king stays near the centre in rollouts: a reply away from it is not in the tree.
    let away = next.parse_uci("e5f6").unwrap();
    let mut after = next.clone();
    after.apply(&[away]).unwrap();
    search.advance(away);
    let second = searched(&mut search, &KrkLine::of(&after).unwrap(), Some(1), 1_000);
    assert!(second.collapsed && search.collapses() == 1);
    assert_eq!(second.visits.iter().sum::<u32>(), 1_000);
    // A reply that was looked at keeps what is known of it.
    let mut search = Search::new(KrkModel::default(), KrkRollout, PARAMS, 2).unwrap();
    let first = searched(&mut search, &line, Some(1), 5_000);
    let kept: Action = next.parse_uci("e5d4").unwrap();
    let mut after = next.clone();
    after.apply(&[kept]).unwrap();
    search.advance(first.action);
    search.advance(kept);
    let second = searched(&mut search, &KrkLine::of(&after).unwrap(), Some(1), 1_000);
    assert!(!second.collapsed && search.collapses() == 0);
    assert!(second.visits.iter().sum::<u32>() > 1_000);
    // Another game is no collapse.
    searched(&mut search, &line, Some(1), 10);
    assert_eq!(search.collapses(), 0);
}

#[test]
fn searches_end_as_they_are_told() {
    let line = KrkLine::of(&KrkState::initial()).unwrap();
    let mut search = Search::new(KrkModel::default(), KrkRollout, PARAMS, 2).unwrap();
    let mut run =
        |limit: Limit| search.search(line.clone(), Some(1), &limit, &mut || true).unwrap();
    let report = run(Limit { nodes: Some(100), ..Limit::default() });
    assert_eq!((report.nodes, report.ended), (100, Ended::Nodes));
    let time = std::time::Duration::from_micros(1);
    let report = run(Limit { movetime: Some(time), ..Limit::default() });
    assert_eq!((report.simulations, report.ended), (1, Ended::Time));
    // A tree that cannot grow still gives an action, and a game with few positions ends by itself.
    let small = Params { memory: 1, ..PARAMS };
    let mut search = Search::new(KrkModel::default(), KrkRollout, small, 2).unwrap();
    let report = searched(&mut search, &line, Some(1), 1_000);
    assert_eq!((report.ended, report.actions.len()), (Ended::Memory, 1));
    let state = TicTacToe::after(&[0, 1, 2, 3, 4, 5, 7]);
    let model = Turns::of(&state).keeping::<Store<_>>();
    let mut search = Search::new(model, RandomRollout::default(), PARAMS, 2).unwrap();
    let limit = Limit { nodes: Some(1_000_000), ..Limit::default() };
    let report = search.search(state, None, &limit, &mut || true).unwrap();
    assert_eq!(report.ended, Ended::Exhausted);
    // A finished game is refused, and so is a position in which the rook is lost.
    let over = ChessState::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    let mut search = Search::new(ChessModel::new(), RandomRollout::default(), PARAMS, 2).unwrap();
    assert!(search.search(over, None, &simulations(1), &mut || true).is_err());
    let mut lost = KrkState::from_fen("8/8/8/8/8/8/4k3/K3R3 b - - 0 1").unwrap();
    let take = lost.parse_uci("e2e1").unwrap();
    lost.apply(&[take]).unwrap();
    assert!(KrkLine::of(&lost).is_err());
}

/// Plays one move, and then none for ever.
struct Endless;

impl Rollout<Turns<TicTacToe>> for Endless {
    fn step(
        &mut self,
        model: &Turns<TicTacToe>,
        state: &mut TicTacToe,
        stream: &mut Stream,
    ) -> phasezoo_core::Result<Played> {
        std::thread::sleep(std::time::Duration::from_micros(100));
        if state.ply() > 0 {
            return Ok(Played::Action(0));
        }
        RandomRollout::default().step(model, state, stream)
    }
}

#[test]
fn a_rollout_that_does_not_end_is_given_up_with_its_search() {
    let root = TicTacToe::after(&[]);
    let params = Params { max_plies: None, ..PARAMS };
    let mut search = Search::new(Turns::of(&root), Endless, params, 2).unwrap();
    let soon = Limit { movetime: Some(std::time::Duration::from_millis(1)), ..Limit::default() };
    let report = search.search(root.clone(), None, &soon, &mut || true).unwrap();
    assert_eq!((report.simulations, report.ended), (1, Ended::Time));
    search.clear();
    let report = search.search(root, None, &simulations(9), &mut || false).unwrap();
    assert_eq!((report.simulations, report.ended), (1, Ended::Stopped));
}

#[test]
fn lines_follow_games_as_states_do() {
    let mut stream = Stream::new(9);
    let model = KrkModel::default();
    let starts = phasezoo_core::games::krk::Start::parse(Some("uniform"), None, false).unwrap();
    for _ in 0..300 {
        let mut state = starts.draw(&mut stream);
        let mut line = KrkLine::of(&state).unwrap();
        loop {
            let (mut of_state, mut of_line) = (Vec::new(), Vec::new());
            let turn = state.turn_and_actions(&mut of_state);
            let returns = model.expand(&line, &mut of_line).unwrap();
            assert_eq!(returns.is_some(), turn == phasezoo_core::game::Turn::Over);
            if let Some(returns) = returns {
                assert_eq!(returns, state.returns());
                break;
            }
            assert_eq!(of_line, of_state);
            assert_eq!(model.actor(&line).unwrap(), state.player_to_move());
            assert_eq!(line, KrkLine::of(&state).unwrap());
            let action = of_state[stream.below(of_state.len())];
            state.apply(&[action]).unwrap();
            model.advance(&mut line, action).unwrap();
        }
    }
}
