//! Training samples made on the fly: planes, the action that was played, how long the game went on.

use rayon::prelude::*;

use super::stored::learners;
use super::{Stored, Table};
use crate::error::{Error, Result};
use crate::game::{Action, MAX_PLAYERS, Player};
use crate::plane_buffers::PlaneBuffer;
use crate::threads;

/// Rows that a task of the thread pool makes at least.
const GRAIN: usize = 16;

/// Which rows are asked for: one for each element.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Index of the game.
    pub games: &'a [i32],
    /// Plies before the state.
    pub plies: &'a [i32],
    /// Who sees the state and acts. Empty: the player to move, where one moves at a time.
    pub players: &'a [i8],
    /// Whether the planes of the last moves are left empty; repetitions stay counted. Empty: nowhere.
    pub hidden: &'a [bool],
    /// By which symmetry each state is turned that has symmetries. Empty: none is.
    pub symmetries: &'a [u8],
}

/// Where the samples are written: one row for each state, every element is written.
#[derive(Debug)]
pub struct Samples<'a> {
    /// As the row's player sees the state.
    pub planes: PlaneBuffer<'a>,
    /// The action that they played.
    pub action: &'a mut [i64],
    /// Plies from the state to the end of the game; 1 before the last.
    pub plies_left: &'a mut [f32],
    /// Actions that are turned with the states.
    pub policy: Option<Policy<'a>>,
}

/// Actions of each row, such as those that a search visited.
#[derive(Debug)]
pub struct Policy<'a> {
    /// `[B + 1]`: row `i` has the actions `offsets[i]` to `offsets[i + 1]`.
    pub offsets: &'a [i64],
    /// Turned in place.
    pub actions: &'a mut [i32],
}

/// One row's share of [`Samples`].
struct Row<'a> {
    planes: PlaneBuffer<'a>,
    action: &'a mut i64,
    plies_left: &'a mut f32,
    policy: &'a mut [i32],
}

impl<G: Stored> Table<'_, G> {
    /// Replays the games to the states asked for and fills `out`.
    ///
    /// Actions are trusted to be legal: [`Table::label`] must have gone through them without error.
    pub fn sample(
        &self,
        rows: Rows<'_>,
        planes: G::Planes,
        out: Samples<'_>,
        threads: Option<usize>,
    ) -> Result<()> {
        check_rows(rows, &out)?;
        let room = out.planes.rows::<G>(planes, rows.games.len())?;
        if let Some(symmetry) = rows.symmetries.iter().find(|&&s| usize::from(s) >= G::SYMMETRIES) {
            return Err(Error::InvalidArray(format!(
                "symmetry {symmetry}: there are the symmetries 0 to {}",
                G::SYMMETRIES - 1
            )));
        }
        let mut policies = out.policy.map(Policy::rows).transpose()?.into_iter().flatten();
        let outputs: Vec<Row<'_>> = room
            .zip(out.action)
            .zip(out.plies_left)
            .map(|((planes, action), plies_left)| Row {
                planes,
                action,
                plies_left,
                policy: policies.next().unwrap_or_default(),
            })
            .collect();
        let sample = |(index, row): (usize, Row<'_>)| self.row(rows, index, planes, row);
        if outputs.len() < 2 * GRAIN {
            return outputs.into_iter().enumerate().try_for_each(sample);
        }
        threads::install(threads, || {
            outputs.into_par_iter().enumerate().with_min_len(GRAIN).try_for_each(sample)
        })?
    }

    fn row(&self, rows: Rows<'_>, index: usize, planes: G::Planes, mut out: Row<'_>) -> Result<()> {
        let (game, ply) = (rows.games[index], rows.plies[index]);
        let place = usize::try_from(game).unwrap_or(usize::MAX);
        let actions = self.game(place)?;
        let plies = actions.len() / self.width;
        let (Ok(before), Ok(total)) = (usize::try_from(ply), i32::try_from(plies)) else {
            return Err(no_state(game, ply, plies));
        };
        if before >= plies {
            return Err(no_state(game, ply, plies));
        }
        let start = self.starts.of(place);
        let mut state = self.waypoints.state(place, start, actions, self.width, before)?;
        if !state.fits(planes) {
            return Err(Error::InvalidPlaneSpec(format!(
                "game {game}: its board has another size than the planes"
            )));
        }
        if rows.hidden.get(index).copied().unwrap_or_default() {
            state.hide_history();
        }
        let player = self.player(&state, rows.players.get(index).copied(), (game, ply))?;
        let at = before * self.width + if self.width == 1 { 0 } else { usize::from(player) };
        let action = Action::from(actions[at]);
        let symmetry = rows.symmetries.get(index).copied().unwrap_or_default();
        *out.plies_left = (total - ply) as f32;
        if symmetry == 0 || !state.is_symmetric() {
            out.planes.encode(&state, planes, player);
            *out.action = i64::from(action);
            return Ok(());
        }
        match &mut out.planes {
            PlaneBuffer::Floats(out) => state.encode_turned(planes, player, symmetry, out),
            PlaneBuffer::Packed(out) => state.encode_turned_packed(planes, player, symmetry, out),
        }
        *out.action = i64::from(G::turned_action(action, symmetry));
        let known = state.num_actions();
        for turned in out.policy {
            let action = Action::try_from(*turned).ok().filter(|&a| (a as usize) < known);
            let action = action.ok_or_else(|| {
                Error::InvalidArray(format!(
                    "game {game}, ply {ply}: action {turned} of the policy: expected 0 to {}",
                    known - 1
                ))
            })?;
            *turned = G::turned_action(action, symmetry) as i32;
        }
        Ok(())
    }

    /// Who sees a row: the player given, who must act there, or the one to move.
    fn player(&self, state: &G, given: Option<i8>, (game, ply): (i32, i32)) -> Result<Player> {
        let acting = learners(state);
        let player = match given {
            Some(player) => Player::try_from(player).ok(),
            None if self.width == 1 => acting.iter().next(),
            None => {
                return Err(Error::InvalidArray(
                    "several players move at once: say with players who sees each state".into(),
                ));
            }
        };
        player
            .filter(|&player| usize::from(player) < MAX_PLAYERS && acting.contains(player))
            .ok_or_else(|| {
                let given = given.map_or("nobody".into(), |player| format!("player {player}"));
                Error::CorruptRecord(format!(
                    "game {game}, ply {ply}: {given} was asked for, and {:?} act there",
                    acting.iter().collect::<Vec<_>>()
                ))
            })
    }
}

impl<'a> Policy<'a> {
    /// Each row's actions.
    fn rows(self) -> Result<Vec<&'a mut [i32]>> {
        let Self { offsets, actions } = self;
        let ends = (offsets.first(), offsets.last());
        if ends != (Some(&0), Some(&(actions.len() as i64))) || !offsets.is_sorted() {
            return Err(Error::InvalidArray(format!(
                "the policy's offsets must rise from 0 to the number of its actions, {}; they go from \
                 {:?} to {:?}",
                actions.len(),
                ends.0,
                ends.1
            )));
        }
        let mut rest = actions;
        let lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as usize);
        Ok(lengths.map(|length| threads::take_rows(&mut rest, length)).collect())
    }
}

/// Checks that all arrays have one entry for each row.
fn check_rows(rows: Rows<'_>, out: &Samples<'_>) -> Result<()> {
    let count = rows.games.len();
    let all = [
        ("plies", rows.plies.len()),
        ("action", out.action.len()),
        ("plies_left", out.plies_left.len()),
    ];
    let optional = [
        ("players", rows.players.len()),
        ("hidden", rows.hidden.len()),
        ("symmetries", rows.symmetries.len()),
        ("the policy's rows", out.policy.as_ref().map_or(0, Policy::rows_given)),
    ];
    let wrong = all.iter().find(|(_, length)| *length != count);
    let wrong = wrong.or_else(|| optional.iter().find(|(_, length)| ![0, count].contains(length)));
    if let Some((name, length)) = wrong {
        return Err(Error::InvalidArray(format!(
            "{count} rows are asked for, and {name} has {length} entries"
        )));
    }
    Ok(())
}

impl Policy<'_> {
    fn rows_given(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
}

fn no_state(game: i32, ply: i32, plies: usize) -> Error {
    Error::CorruptRecord(format!(
        "game {game} has {plies} plies, so rows at 0 to {} can be sampled; {ply} was asked for",
        plies.saturating_sub(1)
    ))
}
