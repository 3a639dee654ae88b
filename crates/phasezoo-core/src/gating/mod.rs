//! Which phase of the game is this? The one gate implementation: it labels training data, routes
//! search and fills `info["phase"]` (SPEC §3).
//!
//! A gate looks at [`Features`], which a game makes of a state, and answers a phase below
//! [`Gate::num_phases`]. A monotone gate never goes back: it answers the larger of the phase one ply
//! before and the phase of the position alone.

mod parse;

use std::sync::Arc;

use crate::error::{Error, Result};

pub use crate::games::boards::mixedness::{MixednessTable, mixedness};
pub use parse::GRAMMAR;

/// Ranks 1 and 8 as bits, a1 = bit 0.
const RANK_1: u64 = 0xff;
const RANK_8: u64 = 0xff << 56;

/// The average length of a game in full moves, over which `moves:n` spreads its phases
/// (`facts/crazyara.md` §4.2).
const AVERAGE_MOVES: f64 = 42.85;

/// Thresholds and limits of the Lichess definition (`facts/crazyara.md` §4.1): pieces N B R Q of both
/// sides in an endgame and in a middlegame, pieces on a sparse back rank, mixedness.
const ENDGAME_OFFICERS: u32 = 6;
const MIDDLEGAME_OFFICERS: u32 = 10;
const SPARSE_BACK_RANK: u32 = 3;
const MIDDLEGAME_MIXEDNESS: u32 = 150;

/// Games that the chess gates understand.
const CHESS_FAMILY: [&str; 5] = ["chess", "chess960", "atomic", "crazyhouse", "krk"];

/// The game with a table and a lone king.
const KRK: [&str; 1] = ["krk"];

/// Pommerman in its modes.
const POMMERMAN: [&str; 4] =
    ["pommerman-ffa", "pommerman-team", "pommerman-team-radio", "pommerman-1v1"];

/// The distance to the nearest enemy where nobody is left: beyond every distance on a board.
const NOBODY_NEAR: u32 = 22;

/// What gates look at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features {
    /// The key of the position alone, the same on every machine; `None` where a state has none.
    pub key: Option<u64>,
    /// What the game's own gates need.
    pub view: View,
}

/// The part of [`Features`] that is particular to a family of games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// Chess and its variants.
    Chess(ChessView),
    /// Pommerman.
    Pommerman(PommermanView),
    /// A game without gates of its own.
    Plain,
}

/// What the chess gates look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChessView {
    /// Squares of White's pieces, a1 = bit 0.
    pub white: u64,
    /// Squares of Black's pieces.
    pub black: u64,
    /// Knights, bishops, rooks and queens of both sides on the board.
    pub officers: u32,
    /// Full moves that both sides have completed: the full-move number less one.
    pub completed_moves: u32,
    /// What gates of the king and rook endgame look at; `None` in other games.
    pub krk: Option<KrkView>,
}

/// What the gates of Pommerman look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PommermanView {
    /// Steps since the start.
    pub step: u32,
    /// Manhattan distance to the nearest living enemy; `None` where there is none.
    pub nearest: Option<u32>,
    /// How many players take part.
    pub players: u32,
    /// How many of them live.
    pub living: u32,
}

/// What the gates of the king and rook endgame look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KrkView {
    /// The rook side's moves to mate; `None` where drawn.
    pub dtm: Option<u8>,
    /// Squares that the lone king can reach without crossing the rook's rank or file, its own among
    /// them.
    pub room: u32,
}

/// The rule of a gate, without whether it may go back.
#[derive(Clone, Debug, PartialEq)]
enum Rule {
    None,
    Lichess(MixednessTable),
    /// Phases, and full moves in each.
    Moves(u8, u32),
    /// Falling thresholds on the number of officers.
    Material(Arc<[u32]>),
    /// Rising thresholds on the classic mixedness.
    Mixedness(Arc<[u32]>),
    /// Falling thresholds on the distance to mate.
    Dtm(Arc<[u32]>),
    /// Falling thresholds on the lone king's room.
    Box(Arc<[u32]>),
    /// Rising thresholds on the number of steps.
    Steps(Arc<[u32]>),
    /// Falling thresholds on the distance to the nearest living enemy.
    Proximity(Arc<[u32]>),
    Opponents,
    Hash(u8),
}

/// A gate: parsed, immutable and cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    rule: Rule,
    monotone: bool,
}

impl Gate {
    /// The gate of `spec`; see [`GRAMMAR`]. With `monotone`, or a spec that begins with `monotone:`,
    /// it never goes back to an earlier phase.
    pub fn parse(spec: &str, monotone: bool) -> Result<Self> {
        let (rule, prefixed) = match spec.strip_prefix(parse::MONOTONE) {
            Some(rest) => (rest, true),
            None => (spec, false),
        };
        Ok(Self { rule: parse::rule(rule, spec)?, monotone: monotone || prefixed })
    }

    /// [`Gate::parse`] for one game, which it must fit. Pommerman's own word for its distance gate is
    /// `mixedness` too.
    pub fn parse_for(game: &str, spec: &str, monotone: bool) -> Result<Self> {
        let (prefix, rule) = match spec.strip_prefix(parse::MONOTONE) {
            Some(rule) => (parse::MONOTONE, rule),
            None => ("", spec),
        };
        let parsed = match rule.strip_prefix("mixedness") {
            Some(thresholds) if POMMERMAN.contains(&game) => {
                Self::parse(&format!("{prefix}proximity{thresholds}"), monotone)?
            }
            _ => Self::parse(spec, monotone)?,
        };
        parsed.check_game(game)?;
        Ok(parsed)
    }

    /// The phase of a position, `previous` being the phase one ply before (read by monotone gates
    /// alone).
    pub fn phase(&self, features: &Features, previous: Option<u8>) -> Result<u8> {
        let phase = self.markov(features)?;
        match previous.filter(|_| self.monotone) {
            None => Ok(phase),
            Some(previous) if usize::from(previous) < self.num_phases() => Ok(phase.max(previous)),
            Some(previous) => Err(Error::InvalidGate(format!(
                "previous phase {previous}: the gate {:?} has the phases 0 to {}",
                self.spec(),
                self.num_phases() - 1
            ))),
        }
    }

    /// How many phases there are.
    pub fn num_phases(&self) -> usize {
        match &self.rule {
            Rule::None => 1,
            Rule::Lichess(_) | Rule::Opponents => 3,
            Rule::Moves(phases, _) | Rule::Hash(phases) => usize::from(*phases),
            Rule::Material(thresholds)
            | Rule::Mixedness(thresholds)
            | Rule::Dtm(thresholds)
            | Rule::Box(thresholds)
            | Rule::Steps(thresholds)
            | Rule::Proximity(thresholds) => thresholds.len() + 1,
        }
    }

    /// The canonical spec, with all defaults written out: equal specs are equal gates.
    pub fn spec(&self) -> String {
        let list = |thresholds: &[u32]| {
            thresholds.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
        };
        let rule = match &self.rule {
            Rule::None => "none".to_string(),
            Rule::Lichess(table) => format!("lichess:{}", table.as_str()),
            Rule::Moves(phases, _) => format!("moves:{phases}"),
            Rule::Material(thresholds) => format!("material:{}", list(thresholds)),
            Rule::Mixedness(thresholds) => format!("mixedness:{}", list(thresholds)),
            Rule::Dtm(thresholds) => format!("dtm:{}", list(thresholds)),
            Rule::Box(thresholds) => format!("box:{}", list(thresholds)),
            Rule::Steps(thresholds) => format!("steps:{}", list(thresholds)),
            Rule::Proximity(thresholds) => format!("proximity:{}", list(thresholds)),
            Rule::Opponents => "opponents".to_string(),
            Rule::Hash(parts) => format!("hash:{parts}"),
        };
        if self.monotone { format!("{}{rule}", parse::MONOTONE) } else { rule }
    }

    /// One name per phase, in order of play where there is one.
    pub fn names(&self) -> Vec<String> {
        match &self.rule {
            Rule::None => vec!["all".into()],
            Rule::Lichess(_) => ["opening", "middlegame", "endgame"].map(String::from).into(),
            Rule::Moves(phases, length) => {
                let inner = (0..u32::from(phases - 1)).map(|phase| {
                    format!("moves {}", span(phase * length + 1, (phase + 1) * length))
                });
                inner.chain([format!("moves {}+", u32::from(phases - 1) * length + 1)]).collect()
            }
            Rule::Material(thresholds) | Rule::Dtm(thresholds) | Rule::Box(thresholds) => {
                let mut names = ranges(&thresholds.iter().rev().copied().collect::<Vec<_>>());
                names.reverse();
                names
            }
            Rule::Mixedness(thresholds) | Rule::Steps(thresholds) => ranges(thresholds),
            Rule::Proximity(thresholds) => distances(thresholds),
            Rule::Opponents => ["all alive", "one dead", "two dead"].map(String::from).into(),
            Rule::Hash(parts) => (0..*parts).map(|part| format!("part {part}")).collect(),
        }
    }

    /// Whether the gate never goes back to an earlier phase.
    pub fn monotone(&self) -> bool {
        self.monotone
    }

    /// Whether the gate reads [`Features::key`].
    pub fn needs_key(&self) -> bool {
        matches!(self.rule, Rule::Hash(_))
    }

    /// Whether this gate fits the game named `game`.
    pub fn check_game(&self, game: &str) -> Result<()> {
        let games: &[&str] = match self.rule {
            Rule::None | Rule::Hash(_) => return Ok(()),
            Rule::Dtm(_) | Rule::Box(_) => &KRK,
            Rule::Steps(_) | Rule::Proximity(_) | Rule::Opponents => &POMMERMAN,
            _ => &CHESS_FAMILY,
        };
        if games.contains(&game) {
            return Ok(());
        }
        Err(Error::InvalidGate(format!(
            "gate {:?} does not fit the game {game:?}: it is for {}; the gates \"none\" and \
             \"hash:n\", and callables of your own, fit every game",
            self.spec(),
            games.join(", ")
        )))
    }

    fn markov(&self, features: &Features) -> Result<u8> {
        Ok(match &self.rule {
            Rule::None => 0,
            Rule::Hash(parts) => match features.key {
                Some(key) => (key % u64::from(*parts)) as u8,
                None => {
                    return Err(Error::InvalidGate(format!(
                        "gate {:?} needs a key: give your state an attribute `key`, a whole number \
                         from 0 to 2**64 - 1 that depends on the position alone",
                        self.spec()
                    )));
                }
            },
            Rule::Lichess(table) => lichess(*table, &self.chess(features)?),
            Rule::Moves(phases, length) => {
                let full = self.chess(features)?.completed_moves / length;
                full.min(u32::from(phases - 1)) as u8
            }
            Rule::Material(thresholds) => passed(thresholds, self.chess(features)?.officers),
            Rule::Mixedness(thresholds) => {
                let view = self.chess(features)?;
                let score = mixedness(MixednessTable::Classic, view.white, view.black);
                thresholds.iter().filter(|&&threshold| score > threshold).count() as u8
            }
            Rule::Dtm(thresholds) => match self.krk(features)?.dtm {
                Some(dtm) => passed(thresholds, u32::from(dtm)),
                None => thresholds.len() as u8,
            },
            Rule::Box(thresholds) => passed(thresholds, self.krk(features)?.room),
            Rule::Steps(thresholds) => {
                let step = self.pommerman(features)?.step;
                thresholds.iter().filter(|&&threshold| step > threshold).count() as u8
            }
            Rule::Proximity(thresholds) => {
                let distance = self.pommerman(features)?.nearest.unwrap_or(NOBODY_NEAR);
                thresholds.iter().filter(|&&threshold| distance < threshold).count() as u8
            }
            Rule::Opponents => {
                let view = self.pommerman(features)?;
                let most = view.players.saturating_sub(2);
                view.players.saturating_sub(view.living).min(most) as u8
            }
        })
    }

    fn pommerman(&self, features: &Features) -> Result<PommermanView> {
        match features.view {
            View::Pommerman(view) => Ok(view),
            View::Chess(_) | View::Plain => Err(Error::InvalidGate(format!(
                "gate {:?} reads a state of Pommerman, and this one is of another game; the gates \
                 \"none\" and \"hash:n\", and callables of your own, fit every game",
                self.spec()
            ))),
        }
    }

    fn krk(&self, features: &Features) -> Result<KrkView> {
        self.chess(features)?.krk.ok_or_else(|| {
            Error::InvalidGate(format!(
                "gate {:?} reads a position of king and rook against king, and this state is of \
                 another game; make it with games.make(\"krk\").from_fen(…)",
                self.spec()
            ))
        })
    }

    fn chess(&self, features: &Features) -> Result<ChessView> {
        match features.view {
            View::Chess(view) => Ok(view),
            View::Pommerman(_) | View::Plain => Err(Error::InvalidGate(format!(
                "gate {:?} reads a chess position, and this state is of another game; the gates \
                 \"none\" and \"hash:n\", and callables of your own, fit every game",
                self.spec()
            ))),
        }
    }
}

/// How many of falling thresholds `number` has reached.
fn passed(falling: &[u32], number: u32) -> u8 {
    falling.iter().filter(|&&threshold| number <= threshold).count() as u8
}

/// The Lichess definition with one of three tables (`facts/crazyara.md` §4.1).
fn lichess(table: MixednessTable, view: &ChessView) -> u8 {
    let sparse = |own: u64, rank: u64| (own & rank).count_ones() <= SPARSE_BACK_RANK;
    if view.officers <= ENDGAME_OFFICERS {
        return 2;
    }
    u8::from(
        view.officers <= MIDDLEGAME_OFFICERS
            || sparse(view.white, RANK_1)
            || sparse(view.black, RANK_8)
            || mixedness(table, view.white, view.black) > MIDDLEGAME_MIXEDNESS,
    )
}

/// Names of distances between falling thresholds; of three ranges the published ones.
fn distances(falling: &[u32]) -> Vec<String> {
    if falling.len() == 2 {
        return ["far", "near", "close"].map(String::from).into();
    }
    let inner = falling.windows(2).map(|pair| span(pair[1], pair[0].saturating_sub(1)));
    std::iter::once(format!("from {}", falling[0]))
        .chain(inner)
        .chain([format!("under {}", falling[falling.len() - 1])])
        .collect()
}

/// `low–high`, or one number where they are the same.
fn span(low: u32, high: u32) -> String {
    if low == high { low.to_string() } else { format!("{low}–{high}") }
}

/// Names of the ranges between rising thresholds: `up to a`, `a+1–b`, …, `over z`.
fn ranges(rising: &[u32]) -> Vec<String> {
    let first = if rising[0] == 0 { "0".into() } else { format!("up to {}", rising[0]) };
    let inner = rising.windows(2).map(|pair| span(pair[0] + 1, pair[1]));
    std::iter::once(first)
        .chain(inner)
        .chain([format!("over {}", rising[rising.len() - 1])])
        .collect()
}

#[cfg(test)]
mod tests;
