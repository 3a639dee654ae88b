//! Which phase of a game is this? The one implementation: it labels training data, routes search and
//! fills `info["phase"]`.
//!
//! A [`Gate`] looks at a game's own state and answers a phase. Each game brings kinds of gates
//! ([`GateKind`]), read from a spec such as `material:10,6`; [`generic`] ones fit every game. A
//! [`Gating`] is a gate in use: a monotone one never goes back, it answers the larger of the phase one
//! ply before and the phase of the position alone. `docs/definitions/gates.md` lists them all.

mod arguments;
mod generic;
mod measured;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::types::Player;

pub use arguments::{Arguments, Side, Thresholds, span};
pub use measured::Measure;

/// The prefix of a gate that never goes back.
pub const MONOTONE: &str = "monotone:";

/// Longest part of a rejected spec that is quoted back.
const QUOTED: usize = 80;

/// What phase a position is in: immutable, shared between threads.
pub trait Gate<G>: Send + Sync {
    /// The canonical spec, with all defaults written out: equal specs are equal gates.
    fn spec(&self) -> String;

    /// One name per phase, in order of play if there is one.
    fn names(&self) -> Vec<String>;

    /// The phase of the position alone, as `player` sees it; below the number of names.
    fn phase(&self, state: &G, player: Player) -> Result<u8>;
}

/// A gate made of a spec, or the reason why there is none.
pub type Parsed<G> = std::result::Result<Arc<dyn Gate<G>>, String>;

/// How the specs of a kind of gates are written, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The name in canonical specs, then those that it answers to beside.
    pub names: Vec<&'static str>,
    /// One line of grammar.
    pub grammar: String,
    /// Specs of this kind, the most usual one first.
    pub examples: Vec<String>,
}

/// A kind of gate that a game brings along.
pub struct GateKind<G> {
    spelling: Spelling,
    parse: Box<Parse<G>>,
}

type Parse<G> = dyn Fn(Arguments<'_>) -> Parsed<G>;

impl<G> GateKind<G> {
    /// The kind called `name`: one line of `grammar` for messages, and what reads its arguments. The
    /// name alone is its example.
    pub fn new(
        name: &'static str,
        grammar: impl Into<String>,
        parse: impl Fn(Arguments<'_>) -> Parsed<G> + 'static,
    ) -> Self {
        let (grammar, examples) = (grammar.into(), vec![name.into()]);
        let spelling = Spelling { names: vec![name], grammar, examples };
        Self { spelling, parse: Box::new(parse) }
    }

    /// The same kind, with other examples.
    #[must_use]
    pub fn such_as(mut self, examples: &[&str]) -> Self {
        self.spelling.examples = examples.iter().map(|&each| each.into()).collect();
        self
    }

    /// The same kind, which answers to `name` too.
    #[must_use]
    pub fn also(mut self, name: &'static str) -> Self {
        self.spelling.names.push(name);
        self
    }

    fn answers_to(&self, name: &str) -> bool {
        self.spelling.names.contains(&name)
    }
}

/// The name that a game gives the gate by plies since the start, and its default thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plies {
    /// The name; a gate called `plies` there is in every game.
    pub name: &'static str,
    /// The thresholds, if a spec names none; `None` if they must be given.
    pub default: Option<&'static str>,
}

/// What gates are asked about: a state of any game, a user's own too.
pub trait Subject: Sized + 'static {
    /// The game's gate by plies.
    const PLIES: Plies = Plies { name: "plies", default: None };

    /// The name of the game, for messages.
    fn game_name() -> &'static str;

    /// The kinds of gates that this game alone has.
    fn gates() -> Vec<GateKind<Self>>;

    /// A key of the position alone, the same on every machine; `None` if the state has none.
    fn position_key(&self) -> Result<Option<u64>>;

    /// Plies since the start of the game; `None` if the state does not count them.
    fn plies(&self) -> Result<Option<u32>>;
}

/// Every kind of gate of a game: those that fit every game, and its own.
pub fn kinds<G: Subject>() -> Vec<GateKind<G>> {
    let mut kinds = vec![generic::none()];
    kinds.extend(G::gates());
    kinds.extend(generic::plies());
    kinds.push(generic::hash());
    kinds
}

/// How the specs of a game's gates are written.
pub fn spellings<G: Subject>() -> Vec<Spelling> {
    kinds::<G>().into_iter().map(|kind| kind.spelling).collect()
}

/// The part of every game's grammar that is the same.
pub const LIMITS: &str = "at most 19 thresholds, whole numbers from 0 to 9999; monotone: before any of \
                          them forbids going back";

/// A gate in use: perhaps one that never goes back.
pub struct Gating<G> {
    rule: Arc<dyn Gate<G>>,
    monotone: bool,
    num_phases: usize,
}

impl<G> Gating<G> {
    /// A gate that never goes back to an earlier phase if `monotone`.
    pub fn new(rule: Arc<dyn Gate<G>>, monotone: bool) -> Self {
        let num_phases = rule.names().len();
        Self { rule, monotone, num_phases }
    }

    /// The phase of a position as `player` sees it, `previous` being the phase one ply before (read by
    /// monotone gates alone).
    #[inline]
    pub fn phase(&self, state: &G, player: Player, previous: Option<u8>) -> Result<u8> {
        let phase = self.rule.phase(state, player)?;
        match previous.filter(|_| self.monotone) {
            None => Ok(phase),
            Some(previous) if usize::from(previous) < self.num_phases => Ok(phase.max(previous)),
            Some(previous) => Err(Error::InvalidGate(format!(
                "previous phase {previous}: the gate {:?} has the phases 0 to {}",
                self.spec(),
                self.num_phases - 1
            ))),
        }
    }

    /// How many phases there are.
    pub fn num_phases(&self) -> usize {
        self.num_phases
    }

    /// One name per phase, in order of play if there is one.
    pub fn names(&self) -> Vec<String> {
        self.rule.names()
    }

    /// The canonical spec, with all defaults written out: equal specs are equal gates.
    pub fn spec(&self) -> String {
        let rule = self.rule.spec();
        if self.monotone { format!("{MONOTONE}{rule}") } else { rule }
    }

    /// Whether the gate never goes back to an earlier phase.
    pub fn monotone(&self) -> bool {
        self.monotone
    }
}

impl<G: Subject> Gating<G> {
    /// The gate of a spec; an error says what the game's gates are. With `monotone`, or a spec that
    /// begins with `monotone:`, it never goes back to an earlier phase.
    pub fn parse(spec: &str, monotone: bool) -> Result<Self> {
        Self::read(spec, monotone).map_err(|reason| refused(spec, &reason, &spellings::<G>()))
    }

    /// [`Gating::parse`], the error being the reason alone.
    pub fn read(spec: &str, monotone: bool) -> std::result::Result<Self, String> {
        let (rule, prefixed) = split(spec);
        Ok(Self::new(Self::parse_rule(rule)?, monotone || prefixed))
    }

    /// Whether the game has the kind of gate that `spec` names, whatever its arguments.
    pub fn knows(spec: &str) -> bool {
        kinds::<G>().iter().any(|kind| kind.answers_to(name_in(spec)))
    }

    fn parse_rule(rule: &str) -> Parsed<G> {
        let (name, given) = match rule.split_once(':') {
            Some((name, given)) => (name, Some(given)),
            None => (rule, None),
        };
        match kinds::<G>().iter().find(|kind| kind.answers_to(name)) {
            Some(kind) => (kind.parse)(Arguments::new(kind.spelling.names[0], given)),
            None if rule.is_empty() => Err("it is empty".into()),
            None => Err(format!("{} has no such gate", G::game_name())),
        }
    }
}

/// A spec without its prefix, and whether it had it.
fn split(spec: &str) -> (&str, bool) {
    match spec.strip_prefix(MONOTONE) {
        Some(rule) => (rule, true),
        None => (spec, false),
    }
}

fn name_in(spec: &str) -> &str {
    split(spec).0.split(':').next().unwrap_or_default()
}

/// The error of a spec that is refused for a `reason`; it says what may be written: examples of the
/// kind that was named, or else which kinds there are.
pub fn refused(spec: &str, reason: &str, kinds: &[Spelling]) -> Error {
    let mut quoted: String = spec.chars().take(QUOTED).collect();
    if quoted.len() < spec.len() {
        quoted.push('…');
    }
    let given = kinds.iter().find(|kind| kind.names.contains(&name_in(spec)));
    let allowed = if let Some(kind) = given {
        format!("write {}", listed(&kind.examples, "or"))
    } else {
        let mut names: Vec<&str> = kinds.iter().map(|kind| kind.names[0]).collect();
        let mut known = HashSet::new();
        names.retain(|name| known.insert(*name));
        let firsts: Vec<&String> = kinds.iter().skip(1).map(|kind| &kind.examples[0]).collect();
        let firsts = &firsts[..firsts.len().min(3)];
        format!("its gates are {}; such as {}", listed(&names, "and"), listed(firsts, "or"))
    };
    Error::InvalidGate(format!("gate {quoted:?}: {reason}; {allowed}"))
}

/// Texts as a sentence lists them.
fn listed(texts: &[impl AsRef<str>], last: &str) -> String {
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    match texts.split_last() {
        Some((end, [])) => (*end).into(),
        Some((end, before)) => format!("{} {last} {end}", before.join(", ")),
        None => String::new(),
    }
}

impl<G> Clone for Gating<G> {
    fn clone(&self) -> Self {
        Self { rule: Arc::clone(&self.rule), ..*self }
    }
}

impl<G> PartialEq for Gating<G> {
    fn eq(&self, other: &Self) -> bool {
        self.spec() == other.spec()
    }
}

impl<G> fmt::Debug for Gating<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gating({:?})", self.spec())
    }
}

#[cfg(test)]
mod tests;
