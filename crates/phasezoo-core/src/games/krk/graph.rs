//! The whole endgame as a graph, for what a policy is worth everywhere at once.

use std::sync::OnceLock;

use shakmaty::Position;

use super::rules::KrkState;
use super::table::{self, Placement, after};
use crate::error::{Error, Result};
use crate::game::Action;
use crate::games::boards::actions;

/// Squares of the board.
const SQUARES: u8 = 64;

/// What an action of the rook side leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    /// The lone king is mated.
    Mate,
    /// The lone king is stalemated, or takes the rook.
    Draw,
    /// The lone king moves: a row of [`Graph::replies`].
    Moves(u32),
}

/// Every position in which the rook side, as White, is to move, and every action in it.
///
/// Positions are in the order of their codes: strong king, rook, lone king, each from a1 = 0, the lone
/// king fastest.
pub struct Graph {
    positions: Vec<Placement>,
    ends: Vec<u32>,
    actions: Vec<Action>,
    leads: Vec<Reply>,
    reply_ends: Vec<u32>,
    replies: Vec<u32>,
    dtm: Vec<Option<u8>>,
}

impl Graph {
    /// The graph, made on first use.
    pub fn get() -> &'static Self {
        static GRAPH: OnceLock<Graph> = OnceLock::new();
        GRAPH.get_or_init(Self::build)
    }

    /// Every position, as a state without a past.
    pub fn states(&self) -> impl Iterator<Item = KrkState> + '_ {
        self.positions
            .iter()
            .filter_map(|placement| placement.position())
            .map(KrkState::from_position)
    }

    /// Where the actions of each position end.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The legal actions of all positions one after the other, ascending in each.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The moves to mate after each action with best play of both; `None` where it draws.
    pub fn dtm(&self) -> &[Option<u8>] {
        &self.dtm
    }

    /// The chance of each position that the rook side mates within so many moves of its own, if it
    /// draws its actions by `probabilities`, one for each of [`Graph::actions`], and the lone king,
    /// who knows them, answers with what is worst for it.
    pub fn mate_chances(&self, probabilities: &[f64], moves: u32) -> Result<Vec<f64>> {
        self.check(probabilities)?;
        let mut chances = vec![0.0; self.positions.len()];
        let mut worst = vec![0.0_f64; self.reply_ends.len()];
        for _ in 0..moves {
            let mut start = 0;
            for (row, &end) in self.reply_ends.iter().enumerate() {
                let of = |&reply: &u32| chances[reply as usize];
                worst[row] = self.replies[start..end as usize].iter().map(of).fold(1.0, f64::min);
                start = end as usize;
            }
            let next = self.rows().map(|row| {
                row.map(|edge| {
                    let chance = match self.leads[edge] {
                        Reply::Mate => 1.0,
                        Reply::Draw => 0.0,
                        Reply::Moves(row) => worst[row as usize],
                    };
                    probabilities[edge] * chance
                })
                .sum::<f64>()
            });
            let next: Vec<f64> = next.collect();
            if next == chances {
                break;
            }
            chances = next;
        }
        Ok(chances)
    }

    fn rows(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize)
    }

    fn check(&self, probabilities: &[f64]) -> Result<()> {
        let expected = self.actions.len();
        if probabilities.len() != expected {
            return Err(Error::InvalidConfig(format!(
                "{} probabilities: expected {expected}, one for each action of each position",
                probabilities.len()
            )));
        }
        for (row, edges) in self.rows().enumerate() {
            let of = &probabilities[edges];
            let sum: f64 = of.iter().sum();
            if of.iter().any(|p| !(0.0..=1.0 + 1e-6).contains(p)) || (sum - 1.0).abs() > 1e-4 {
                return Err(Error::InvalidConfig(format!(
                    "the probabilities of position {row} add up to {sum}: expected numbers from 0 to 1 \
                     with the sum 1"
                )));
            }
        }
        Ok(())
    }

    fn build() -> Self {
        let mut graph = Self {
            positions: Vec::new(),
            ends: Vec::new(),
            actions: Vec::new(),
            leads: Vec::new(),
            reply_ends: Vec::new(),
            replies: Vec::new(),
            dtm: Vec::new(),
        };
        let mut numbers = vec![u32::MAX; code(placement(SQUARES, 0, 0, true))];
        for placement in all(true) {
            if placement.position().is_some() {
                numbers[code(placement)] = graph.positions.len() as u32;
                graph.positions.push(placement);
            }
        }
        let answers = graph.add_replies(&numbers);
        let mut legal = Vec::new();
        for index in 0..graph.positions.len() {
            let placement = graph.positions[index];
            let Some(position) = placement.position() else { continue };
            legal.clear();
            actions::legal_actions(&position, &mut legal);
            for &action in &legal {
                let next = actions::move_of(&position, action).and_then(|m| after(placement, m));
                let Some(next) = next else { continue };
                graph.actions.push(action);
                graph.leads.push(answers[code(next)]);
                graph.dtm.push(table::dtm(next));
            }
            graph.ends.push(graph.actions.len() as u32);
        }
        graph
    }

    /// Adds what the lone king can do in each of its positions, and says it by the position's code.
    fn add_replies(&mut self, numbers: &[u32]) -> Vec<Reply> {
        let mut answers = vec![Reply::Draw; numbers.len()];
        for placement in all(false) {
            let Some(position) = placement.position() else { continue };
            let legal = position.legal_moves();
            answers[code(placement)] = if legal.is_empty() {
                if position.is_check() { Reply::Mate } else { Reply::Draw }
            } else if legal.iter().any(|m| m.is_capture()) {
                Reply::Draw
            } else {
                let to = legal.iter().filter_map(|&m| after(placement, m));
                self.replies.extend(to.map(|next| numbers[code(next)]));
                self.reply_ends.push(self.replies.len() as u32);
                Reply::Moves(self.reply_ends.len() as u32 - 1)
            };
        }
        answers
    }
}

fn all(strong_to_move: bool) -> impl Iterator<Item = Placement> {
    (0..SQUARES).flat_map(move |king| {
        (0..SQUARES).flat_map(move |rook| {
            (0..SQUARES).map(move |lone| placement(king, rook, lone, strong_to_move))
        })
    })
}

fn placement(king: u8, rook: u8, lone: u8, strong_to_move: bool) -> Placement {
    Placement { king, rook, lone, strong_to_move }
}

fn code(placement: Placement) -> usize {
    let Placement { king, rook, lone, .. } = placement;
    (usize::from(king) * usize::from(SQUARES) + usize::from(rook)) * usize::from(SQUARES)
        + usize::from(lone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    /// Each position's first best action with probability 1.
    fn perfect(graph: &Graph) -> Vec<f64> {
        let mut probabilities = vec![0.0; graph.actions.len()];
        for row in graph.rows() {
            let best = row.clone().min_by_key(|&edge| graph.dtm[edge].unwrap_or(u8::MAX));
            probabilities[best.unwrap()] = 1.0;
        }
        probabilities
    }

    #[test]
    fn perfect_play_mates_in_exactly_the_moves_of_the_table() {
        let graph = Graph::get();
        let best = perfect(graph);
        for moves in [1, 5, 15, 16, 50] {
            let chances = graph.mate_chances(&best, moves).unwrap();
            for (placement, chance) in graph.positions.iter().zip(chances) {
                let within = u32::from(table::dtm(*placement).unwrap()) <= moves;
                assert_eq!(chance, f64::from(u8::from(within)), "{placement:?} in {moves}");
            }
        }
    }

    #[test]
    fn actions_and_distances_are_those_of_the_states() {
        let graph = Graph::get();
        assert_eq!(graph.states().count(), graph.ends.len());
        for (state, row) in graph.states().zip(graph.rows()).step_by(997) {
            let mut legal = Vec::new();
            state.legal_actions(state.player_to_move(), &mut legal);
            assert_eq!(legal, graph.actions[row.clone()]);
            assert_eq!(state.action_dtm(), graph.dtm[row]);
        }
    }

    #[test]
    fn chances_are_what_playing_by_the_policy_comes_to() {
        let graph = Graph::get();
        let even: Vec<f64> =
            graph.rows().flat_map(|row| vec![1.0 / row.len() as f64; row.len()]).collect();
        let (before, now) = (graph.mate_chances(&even, 3).unwrap(), graph.mate_chances(&even, 4));
        let numbers: std::collections::HashMap<String, usize> =
            graph.states().enumerate().map(|(index, state)| (key(&state), index)).collect();
        for (index, state) in graph.states().enumerate().step_by(1999) {
            let mut legal = Vec::new();
            state.legal_actions(0, &mut legal);
            let worth = |action: &Action| {
                let mut next = state.clone();
                next.play_trusted(*action).unwrap();
                if let Some(outcome) = next.outcome() {
                    return f64::from(u8::from(outcome.winner == Some(0)));
                }
                let mut replies = Vec::new();
                next.legal_actions(1, &mut replies);
                let after = replies.iter().map(|&reply| {
                    let mut last = next.clone();
                    last.play_trusted(reply).unwrap();
                    numbers.get(&key(&last)).map_or(0.0, |&number| before[number])
                });
                after.fold(1.0, f64::min)
            };
            let expected = legal.iter().map(worth).sum::<f64>() / legal.len() as f64;
            assert!((now.as_ref().unwrap()[index] - expected).abs() < 1e-12);
        }
    }

    fn key(state: &KrkState) -> String {
        state.fen().split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_no_policy_is_refused() {
        let graph = Graph::get();
        assert!(graph.mate_chances(&[1.0], 5).is_err());
        assert!(graph.mate_chances(&vec![1.0; graph.actions.len()], 5).is_err());
        assert!(graph.mate_chances(&vec![f64::NAN; graph.actions.len()], 5).is_err());
    }
}
