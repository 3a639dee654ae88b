//! What an evaluator answers, checked, and turned into priors and values.

use super::values::Values;
use crate::error::{Error, Result};
use crate::game::{Action, Player};
use crate::model::ValueRule;

/// How far a value may leave [-1, 1], or the sum of a WDL row leave 1: half-precision networks round
/// that far. Values are clamped.
const SLACK: f32 = 1e-2;

/// What an evaluator says of the moves of `B` rows.
#[derive(Clone, Copy, Debug)]
pub enum Policy<'a> {
    /// `[B, A]`: a logit per action; those of illegal actions are not looked at.
    Logits(&'a [f32]),
    /// `[total]`: the logits of the legal actions, in the order of the batch's rows.
    LegalLogits(&'a [f32]),
    /// All legal actions alike.
    Uniform,
}

/// What an evaluator says of the outcome of `B` rows.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// `[B]`, in [-1, 1], for the row's player to move. In games of more than two players the others
    /// share the opposite equally.
    ToPlay(&'a [f32]),
    /// `[B, P]`, in [-1, 1]: column `p` for player `p`. For games with [`ValueRule::PerPlayer`].
    PerPlayer(&'a [f32]),
    /// `[B, 3]`: probabilities of win, draw, loss for the player to move; the value is win - loss. For
    /// games of up to two players.
    Wdl(&'a [f32]),
}

/// An evaluator's answer to a batch.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<'a> {
    /// The moves.
    pub policy: Policy<'a>,
    /// The outcome.
    pub value: Value<'a>,
}

/// Sizes that an answer must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) actions: usize,
    pub(crate) legal: usize,
    pub(crate) rule: ValueRule,
}

impl Evaluation<'_> {
    /// Refuses arrays whose length is not the one that `shape` asks for.
    pub(crate) fn check_sizes(&self, shape: Shape) -> Result<()> {
        let Shape { rows, actions, legal, rule } = shape;
        match self.policy {
            Policy::Logits(logits) => expect("policy_logits", logits.len(), &[rows, actions])?,
            Policy::LegalLogits(logits) => expect("legal_logits", logits.len(), &[legal])?,
            Policy::Uniform => {}
        }
        match (self.value, rule) {
            (Value::ToPlay(values), _) => expect("value", values.len(), &[rows]),
            (Value::PerPlayer(values), ValueRule::PerPlayer(players)) => {
                expect("value", values.len(), &[rows, players])
            }
            (Value::PerPlayer(_), _) => Err(Error::InvalidEvaluation(format!(
                "value has a column per player, expected float32[{rows}], for the player to move"
            ))),
            (Value::Wdl(wdl), ValueRule::Negate | ValueRule::Same) => {
                expect("wdl", wdl.len(), &[rows, 3])
            }
            (Value::Wdl(_), ValueRule::PerPlayer(players)) => {
                Err(Error::InvalidEvaluation(format!(
                    "wdl does not say how {players} players fare: give value as float32[{rows}, {players}]"
                )))
            }
        }
    }

    /// Refuses what row `row` says where it is not finite or not a value.
    ///
    /// `legal` are the row's actions, `at` the place of the first among all legal actions.
    pub(crate) fn check_row(
        &self,
        row: usize,
        legal: &[Action],
        at: usize,
        shape: Shape,
    ) -> Result<()> {
        match self.policy {
            Policy::Logits(logits) => {
                let logits = &logits[row * shape.actions..][..shape.actions];
                for &action in legal {
                    let logit = logits[action as usize];
                    if !logit.is_finite() {
                        return Err(not_finite("policy_logits", &[row, action as usize], logit));
                    }
                }
            }
            Policy::LegalLogits(logits) => {
                let bad = logits[at..][..legal.len()].iter().position(|logit| !logit.is_finite());
                if let Some(slot) = bad {
                    return Err(not_finite("legal_logits", &[at + slot], logits[at + slot]));
                }
            }
            Policy::Uniform => {}
        }
        match self.value {
            Value::ToPlay(values) => check_value(values[row], &[row]),
            Value::PerPlayer(values) => {
                let players = values.len() / shape.rows;
                (0..players).try_for_each(|p| check_value(values[row * players + p], &[row, p]))
            }
            Value::Wdl(wdl) => check_wdl(&wdl[row * 3..][..3], row),
        }
    }

    /// The values of a checked row, as a tree stores them.
    pub(crate) fn values(&self, row: usize, actor: Player, rule: ValueRule) -> Values {
        let mut values = Values::default();
        let for_actor = match self.value {
            Value::ToPlay(given) => given[row].clamp(-1.0, 1.0),
            Value::Wdl(wdl) => (wdl[row * 3] - wdl[row * 3 + 2]).clamp(-1.0, 1.0),
            Value::PerPlayer(given) => {
                if let ValueRule::PerPlayer(players) = rule {
                    let row = &given[row * players..][..players];
                    for (value, &given) in values.iter_mut().zip(row) {
                        *value = given.clamp(-1.0, 1.0);
                    }
                }
                return values;
            }
        };
        match rule {
            ValueRule::Negate if actor != 0 => values[0] = -for_actor,
            ValueRule::Negate | ValueRule::Same => values[0] = for_actor,
            ValueRule::PerPlayer(players) => {
                let others = -for_actor / (players.max(2) - 1) as f32;
                values[..players].fill(others);
                values[usize::from(actor)] = for_actor;
            }
        }
        values
    }

    /// Writes the priors of a checked row: `softmax(logits / temperature)` over its legal actions.
    pub(crate) fn priors(
        &self,
        row: usize,
        at: usize,
        shape: Shape,
        temperature: f32,
        legal: &[Action],
        priors: &mut [f32],
    ) {
        match self.policy {
            Policy::Uniform => {
                priors.fill(1.0 / legal.len() as f32);
                return;
            }
            Policy::LegalLogits(logits) => priors.copy_from_slice(&logits[at..][..legal.len()]),
            Policy::Logits(logits) => {
                let logits = &logits[row * shape.actions..][..shape.actions];
                for (prior, &action) in priors.iter_mut().zip(legal) {
                    *prior = logits[action as usize];
                }
            }
        }
        softmax(priors, temperature);
    }
}

/// Replaces finite logits by `softmax(logits / temperature)`.
fn softmax(logits: &mut [f32], temperature: f32) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0;
    for logit in logits.iter_mut() {
        *logit = ((*logit - largest) / temperature).exp();
        total += *logit;
    }
    for prior in logits {
        *prior /= total;
    }
}

/// Sorts candidates by prior, largest first, equal ones by action. `scratch` saves an allocation.
pub(crate) fn sort_candidates(
    priors: &mut [f32],
    actions: &mut [Action],
    scratch: &mut Vec<(f32, Action)>,
) {
    if priors.is_sorted_by(|a, b| a >= b) {
        return; // actions ascend already
    }
    scratch.clear();
    scratch.extend(priors.iter().copied().zip(actions.iter().copied()));
    scratch.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    for ((prior, action), sorted) in priors.iter_mut().zip(actions).zip(scratch) {
        (*prior, *action) = *sorted;
    }
}

fn check_value(value: f32, at: &[usize]) -> Result<()> {
    if !value.is_finite() {
        return Err(not_finite("value", at, value));
    }
    if value.abs() > 1.0 + SLACK {
        return Err(Error::InvalidEvaluation(format!(
            "value{at:?} is {value}, outside [-1, 1]: values are expected returns (tanh maps any score \
             into the range)"
        )));
    }
    Ok(())
}

pub(crate) fn check_wdl(wdl: &[f32], row: usize) -> Result<()> {
    if let Some(column) = wdl.iter().position(|p| !p.is_finite()) {
        return Err(not_finite("wdl", &[row, column], wdl[column]));
    }
    let total: f32 = wdl.iter().sum();
    if wdl.iter().any(|&p| p < -SLACK) || (total - 1.0).abs() > SLACK {
        return Err(Error::InvalidEvaluation(format!(
            "wdl[{row}] is {wdl:?}, expected probabilities of win, draw, loss that sum to 1 (a softmax \
             over logits makes them)"
        )));
    }
    Ok(())
}

fn expect(name: &str, given: usize, shape: &[usize]) -> Result<()> {
    if given == shape.iter().product::<usize>() {
        return Ok(());
    }
    Err(Error::InvalidEvaluation(format!(
        "{name} has {given} numbers, expected float32{shape:?} for this batch"
    )))
}

fn not_finite(name: &str, at: &[usize], value: f32) -> Error {
    Error::InvalidEvaluation(format!(
        "{name}{at:?} is {value}, expected finite numbers; the rows stay outstanding and may be \
         completed again"
    ))
}
