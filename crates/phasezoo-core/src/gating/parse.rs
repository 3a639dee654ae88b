//! The grammar of gate specifications.

use std::sync::Arc;

use super::{AVERAGE_MOVES, MixednessTable, Rule};
use crate::error::{Error, Result};

/// The prefix of a gate that never goes back.
pub(super) const MONOTONE: &str = "monotone:";

/// What a gate specification may be, as error messages show it.
pub const GRAMMAR: &str = "none | lichess[:classic|:current|:engine] | moves:n with 2 <= n <= 20 | \
material[:a,b,...] falling, default 10,6 | mixedness[:a,b,...] rising, default 50,150 | in krk also \
dtm[:a,b,...] falling, default 10,5 | box[:a,b,...] falling, default 20,9 | in pommerman \
steps[:a,b,...] rising, default 40 | proximity[:a,b,...] falling, default 6,3 | opponents | hash:n \
with 2 <= n <= 20; at most 19 thresholds, whole numbers from 0 to 9999; monotone: before any of them \
forbids going back";

/// Most phases a gate has: 19 thresholds make 20.
const MAX_PHASES: u32 = 20;
const MAX_THRESHOLD: u32 = 9_999;
/// Longest part of a rejected spec that is quoted back.
const QUOTED: usize = 80;

/// Parses `rule`; `spec` is the whole text, for messages.
pub(super) fn rule(rule: &str, spec: &str) -> Result<Rule> {
    let (name, argument) = match rule.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (rule, None),
    };
    match (name, argument) {
        ("none", None) => Ok(Rule::None),
        ("none", Some(_)) => Err(invalid(spec, "none takes no argument")),
        ("lichess", argument) => {
            let table = MixednessTable::parse(argument.unwrap_or("classic"));
            table.map(Rule::Lichess).ok_or_else(|| invalid(spec, "lichess has no such table"))
        }
        ("moves", argument) => {
            let phases = count(argument, spec)?;
            let length = (AVERAGE_MOVES / f64::from(phases)).round() as u32;
            Ok(Rule::Moves(phases, length))
        }
        ("hash", argument) => Ok(Rule::Hash(count(argument, spec)?)),
        ("material", argument) => falling(argument.unwrap_or("10,6"), spec).map(Rule::Material),
        ("dtm", argument) => falling(argument.unwrap_or("10,5"), spec).map(Rule::Dtm),
        ("box", argument) => falling(argument.unwrap_or("20,9"), spec).map(Rule::Box),
        ("mixedness", argument) => rising(argument.unwrap_or("50,150"), spec).map(Rule::Mixedness),
        ("steps", argument) => rising(argument.unwrap_or("40"), spec).map(Rule::Steps),
        ("proximity", argument) => falling(argument.unwrap_or("6,3"), spec).map(Rule::Proximity),
        ("opponents", None) => Ok(Rule::Opponents),
        ("opponents", Some(_)) => Err(invalid(spec, "opponents takes no argument")),
        ("", None) => Err(invalid(spec, "it is empty")),
        _ => Err(invalid(spec, "there is no such gate")),
    }
}

/// The `n` of `moves:n` and `hash:n`.
fn count(argument: Option<&str>, spec: &str) -> Result<u8> {
    let number = argument.ok_or_else(|| invalid(spec, "n is missing"))?;
    match whole(number, MAX_PHASES) {
        Some(n) if n >= 2 => Ok(n as u8),
        _ => Err(invalid(spec, "n must be a whole number from 2 to 20")),
    }
}

/// Thresholds that fall strictly.
fn falling(argument: &str, spec: &str) -> Result<Arc<[u32]>> {
    let list = thresholds(argument, spec)?;
    let ordered = list.is_sorted_by(|a, b| a > b);
    if ordered { Ok(list.into()) } else { Err(disordered(spec, "fall")) }
}

/// Thresholds that rise strictly.
fn rising(argument: &str, spec: &str) -> Result<Arc<[u32]>> {
    let list = thresholds(argument, spec)?;
    let ordered = list.is_sorted_by(|a, b| a < b);
    if ordered { Ok(list.into()) } else { Err(disordered(spec, "rise")) }
}

fn disordered(spec: &str, must: &str) -> Error {
    let name = spec.trim_start_matches(MONOTONE).split(':').next().unwrap_or_default();
    invalid(spec, &format!("{name}'s thresholds must {must} strictly"))
}

fn thresholds(argument: &str, spec: &str) -> Result<Vec<u32>> {
    let list: Option<Vec<u32>> =
        argument.split(',').map(|number| whole(number, MAX_THRESHOLD)).collect();
    let list = list.ok_or_else(|| {
        invalid(spec, "thresholds must be whole numbers from 0 to 9999 with commas between")
    })?;
    if list.len() >= MAX_PHASES as usize {
        return Err(invalid(spec, &format!("{} thresholds are too many", list.len())));
    }
    Ok(list)
}

/// A whole number up to `max`, written in plain digits without sign, space or leading zero.
fn whole(text: &str, max: u32) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = plain && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|&number: &u32| canonical && number <= max)
}

fn invalid(spec: &str, reason: &str) -> Error {
    let mut quoted: String = spec.chars().take(QUOTED).collect();
    if quoted.len() < spec.len() {
        quoted.push('…');
    }
    Error::InvalidGate(format!("gate {quoted:?}: {reason}; allowed are {GRAMMAR}"))
}
