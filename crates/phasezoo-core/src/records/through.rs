//! One game played through before it is stored: every action checked, and every search's.

use super::Stored;
use crate::error::{Error, Result};
use crate::game::{Action, MAX_PLAYERS, Player, PlayerSet, Turn};

/// A game that somebody tells of.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// What was played: one action a ply, or where several move at once one of every player.
    pub actions: &'a [u16],
    /// Actions of a ply.
    pub width: usize,
    /// What searches visited, if that is told.
    pub visits: Option<Visits<'a>>,
}

/// Actions that searches visited, those of each action played after the other's.
#[derive(Clone, Copy, Debug)]
pub struct Visits<'a> {
    /// Where each search's begin: one more than there are actions played.
    pub offsets: &'a [i64],
    /// The actions visited.
    pub actions: &'a [i32],
}

impl<'a> Visits<'a> {
    fn of(self, decision: usize) -> &'a [i32] {
        let bound = |place: usize| self.offsets.get(place).map(|&offset| offset as usize);
        let part = bound(decision).zip(bound(decision + 1));
        part.and_then(|(low, high)| self.actions.get(low..high)).unwrap_or_default()
    }
}

/// What is found of a game that can be played as it is told.
#[derive(Clone, Debug)]
pub enum Through<G> {
    /// The states before and after its last ply; both the start if it has none.
    Whole {
        /// Before.
        last: G,
        /// After.
        end: G,
    },
    /// It goes on after its end by the rules, as chess players do who claim no draw, from this ply on.
    Beyond(usize),
}

impl<G: Stored> Through<G> {
    /// Plays a game from `start`. One that goes on after its end is played on if `beyond` says so,
    /// without a look at its searches; otherwise it is left there. Errors name the ply.
    pub fn play(start: &G, told: Told<'_>, beyond: bool) -> Result<Self> {
        let Told { actions, width, visits } = told;
        if !(1..=MAX_PLAYERS).contains(&width) || !actions.len().is_multiple_of(width) {
            return Err(Error::CorruptRecord(format!("{} actions, {width} a ply", actions.len())));
        }
        let plies = actions.len() / width;
        let (mut end, mut last, mut over) = (start.clone(), None, None);
        let mut legal = Vec::new();
        for (ply, joint) in actions.chunks_exact(width).enumerate() {
            if over.is_none() {
                if end.has_ended() {
                    over = Some(ply);
                } else if let Some(visits) = visits {
                    check_visits(&end, visits, (ply, width), &mut legal)?;
                }
            }
            if let Some(ply) = over.filter(|_| !beyond) {
                return Ok(Self::Beyond(ply));
            }
            if ply + 1 == plies {
                last = Some(end.clone());
            }
            let played = check_joint(&end, joint, &mut legal).and_then(|()| end.play_stored(joint));
            if let Err(error) = played {
                if !beyond && end.outcome().is_some() {
                    return Ok(Self::Beyond(ply)); // an end that leaves no action
                }
                return Err(Error::CorruptRecord(format!("ply {ply}: {error}")));
            }
        }
        Ok(match over {
            Some(ply) => Self::Beyond(ply),
            None => Self::Whole { last: last.unwrap_or_else(|| start.clone()), end },
        })
    }
}

/// Refuses actions that are not legal where several players move at once: games read them leniently.
fn check_joint<G: Stored>(state: &G, joint: &[u16], legal: &mut Vec<Action>) -> Result<()> {
    if joint.len() == 1 {
        return Ok(());
    }
    let Turn::Simultaneous(acting) = state.turn() else { return Ok(()) };
    for (player, &stored) in joint.iter().enumerate() {
        let player = player as Player;
        if !acting.contains(player) {
            continue;
        }
        state.legal_actions(player, legal);
        if legal.binary_search(&Action::from(stored)).is_err() {
            let known: Vec<String> = legal.iter().take(10).map(Action::to_string).collect();
            let more = if legal.len() > 10 { ", …" } else { "" };
            return Err(Error::IllegalAction(format!(
                "action {stored} of player {player} is not legal; legal are {}{more}",
                known.join(", ")
            )));
        }
    }
    Ok(())
}

fn check_visits<G: Stored>(
    state: &G,
    visits: Visits<'_>,
    (ply, width): (usize, usize),
    legal: &mut Vec<Action>,
) -> Result<()> {
    let acting = match state.turn() {
        Turn::Player(player) => PlayerSet::of([player]),
        Turn::Simultaneous(acting) => acting,
        Turn::Over => return Ok(()),
    };
    for player in acting.iter() {
        let seat = if width == 1 { 0 } else { usize::from(player) };
        let visited = visits.of(ply * width + seat);
        if visited.is_empty() {
            continue;
        }
        state.legal_actions(player, legal);
        let is_wrong = |&&action: &&i32| legal.binary_search(&(action as Action)).is_err();
        if let Some(action) = visited.iter().filter(is_wrong).min() {
            return Err(Error::CorruptRecord(format!(
                "ply {ply}: visits of action {action}, which is not legal there"
            )));
        }
    }
    Ok(())
}
