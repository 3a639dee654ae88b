//! Many games stepped together into the caller's buffers.
//!
//! A [`Vector`] holds N games of one kind, each with a learner in one seat. [`Vector::step`] takes one
//! action per game and writes what the learners see; threads take a few rows at a time. Opponents move
//! inside the step, except [`Opponent::Outside`] ones: then [`Vector::step`] stops where their actions
//! are needed, [`Vector::waiting`] says for whom, [`Vector::reply`] goes on, and
//! [`Vector::observe`] writes once nobody is awaited.
//!
//! Games that end are followed by new ones as [`Autoreset`] says. A game is determined by its seed;
//! the caller prepares the next seed of every game, and [`Vector::restarted`] says which were used.

mod board;
mod context;
mod options;
mod outputs;
mod pass;

use std::borrow::Cow;

pub use board::Saved;
use board::{Board, ended_by};
pub use context::{Final, SIMULTANEOUS, Won};
use context::{Shown, Start, plane_size};
pub use options::{Autoreset, Illegal, Opponent, Options, OptionsOf, Purpose, Seat, stream};
use outputs::Sizes;
pub use outputs::{Mark, Outputs};

use crate::error::{Error, Result};
use crate::game::{Action, Game, Player, Reason};
use crate::memory;
use crate::plane_buffers::{PlaneBuffer, PlaneSize};
use crate::rng::mix;
use crate::threads;

/// N games of one kind, stepped together.
pub struct Vector<G: Game> {
    options: OptionsOf<G>,
    start: Box<Start<G>>,
    num_players: usize,
    num_actions: usize,
    plane_size: PlaneSize,
    boards: Vec<Board<G>>,
    /// An error left some games in the middle of a step; only a reset helps.
    broken: bool,
    /// The rows whose prepared seed was used in the last step or reset, ascending.
    restarted: Vec<usize>,
    /// Whether some opponent's action is awaited.
    awaits: bool,
}

/// About what a board holds besides itself: the moves of its game, its legal actions, and in Python the
/// generator of its seeds.
const LISTS: usize = 4 << 10;

impl<G: Game> Vector<G> {
    /// `num_envs` games, not begun yet. `start` makes the initial state of the game with a seed.
    pub fn new(
        num_envs: usize,
        options: OptionsOf<G>,
        start: impl Fn(u64) -> Result<G> + Send + Sync + 'static,
    ) -> Result<Self> {
        if num_envs == 0 {
            return Err(Error::InvalidConfig("num_envs = 0: at least 1 is needed".into()));
        }
        if options.max_plies == Some(0) {
            return Err(Error::InvalidConfig(
                "max_plies = 0: at least 1 is needed, or none for no limit".into(),
            ));
        }
        if options.max_steps == Some(0) {
            return Err(Error::InvalidConfig(
                "max_episode_steps = 0: at least 1 is needed, or none for no limit".into(),
            ));
        }
        threads::count(options.threads)?;
        if options.compact && G::NUM_COMPACT == 0 {
            return Err(Error::InvalidConfig(format!(
                "compact_actions=True: the actions of {:?} have no compact form; leave it out",
                G::NAME
            )));
        }
        let template = start(0)?;
        let num_actions = if options.compact { G::NUM_COMPACT } else { template.num_actions() };
        // With the arrays that show a game: they would be refused too, but only after the boards are made.
        let plane_size = plane_size(&options);
        // The masks of a reset are often held beside the sets that steps go round in.
        let shown = options.array_sets * (plane_size.bytes() + num_actions) + num_actions;
        memory::check("num_envs", num_envs, size_of::<Board<G>>() + LISTS + shown)?;
        let num_players = template.num_players();
        if let Opponent::Scripted(name) = options.opponent
            && G::scripted(name).is_none()
        {
            return Err(Error::InvalidConfig(format!(
                "opponent {name:?}: this game brings no such player along"
            )));
        }
        if let Seat::Fixed(player) = options.seat
            && usize::from(player) >= num_players
        {
            return Err(Error::InvalidConfig(format!(
                "seat {player}: this game has the players 0 to {}",
                num_players - 1
            )));
        }
        Ok(Self {
            num_players,
            num_actions,
            plane_size,
            boards: (0..num_envs).map(|_| Board::new(template.clone())).collect(),
            options,
            start: Box::new(start),
            broken: true,
            restarted: Vec::new(),
            awaits: false,
        })
    }

    /// How many players a game has.
    pub fn num_players(&self) -> usize {
        self.num_players
    }

    /// The size of the action space that learners are shown.
    pub fn num_actions(&self) -> usize {
        self.num_actions
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// Never: a vector has at least one game.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The room that one observation takes; none where there are no observations.
    pub fn plane_size(&self) -> PlaneSize {
        self.plane_size
    }

    /// The set-up.
    pub fn options(&self) -> &OptionsOf<G> {
        &self.options
    }

    /// The state of game `row`.
    pub fn state(&self, row: usize) -> &G {
        &self.boards[row].state
    }

    /// The player who sees the observation of game `row`: the learner, or in self-play the one to
    /// move.
    pub fn seat(&self, row: usize) -> Player {
        self.boards[row].seat
    }

    /// The phase of game `row`: where its gate is monotone that of the present state, otherwise that
    /// of the learner's last view.
    pub fn phase(&self, row: usize) -> u8 {
        self.boards[row].phase
    }

    /// The seed of game `row`.
    pub fn seed(&self, row: usize) -> u64 {
        self.boards[row].seed
    }

    /// The legal actions in game `row`, as learners are told them, ascending; none when it is over.
    /// They are the learner's once nobody is awaited.
    pub fn legal(&self, row: usize) -> Cow<'_, [Action]> {
        self.boards[row].shown_legal(self.options.compact)
    }

    /// Why game `row` ended, if the rules or an illegal action have ended it and no other has begun.
    pub fn reason(&self, row: usize) -> Option<Reason> {
        self.boards[row].reason(self.options.illegal)
    }

    /// Why the game ended that [`Vector::ended`] holds.
    pub fn ended_reason(&self, row: usize) -> Option<Reason> {
        let last = self.ended(row)?;
        ended_by(&last.state, last.illegal && self.options.illegal == Illegal::Terminate)
    }

    /// What is told of the learner's last move in game `row` ([`Game::MOVE_NUMBERS`]).
    pub fn move_numbers(&self, row: usize) -> &[f64] {
        &self.boards[row].move_numbers
    }

    /// The game that ended in the last step of row `row` and has been followed by another already.
    pub fn ended(&self, row: usize) -> Option<&Final<G>> {
        self.boards[row].shown.last.as_deref()
    }

    /// The rows whose prepared seed was used in the last step or reset, ascending.
    pub fn restarted(&self) -> &[usize] {
        &self.restarted
    }

    /// The rows, and the players in them, whose actions are awaited, ascending.
    pub fn waiting(&self) -> impl Iterator<Item = (usize, Player)> {
        self.boards
            .iter()
            .enumerate()
            .flat_map(|(row, board)| board.waiting.iter().map(move |player| (row, player)))
    }

    /// Begins games anew: all, or the rows where `mask` is true, each with its seed, from `position`
    /// or the game's start. Where `reseeded`, alternating seats begin at player 0 again.
    pub fn reset(
        &mut self,
        mask: Option<&[bool]>,
        seeds: &[u64],
        reseeded: &[bool],
        position: Option<&G>,
    ) -> Result<()> {
        let rows = self.len();
        check_length("seeds", seeds.len(), rows)?;
        check_length("reseeded", reseeded.len(), rows)?;
        if let Some(mask) = mask {
            check_length("reset_mask", mask.len(), rows)?;
            if self.broken && !mask.iter().all(|&reset| reset) {
                return Err(out_of_order("before the first full reset, or after an error"));
            }
        }
        if let Some(position) = position
            && position.outcome().is_some()
        {
            return Err(Error::InvalidConfig(
                "the position given to reset is finished; give one in which the game goes on"
                    .into(),
            ));
        }
        self.broken = true;
        self.each(|context, board, row| {
            if mask.is_none_or(|mask| mask[row]) {
                board.reset(context, seeds[row], position, reseeded[row])
            } else {
                board.shown = Shown::default();
                Ok(())
            }
        })?;
        self.broken = false;
        Ok(())
    }

    /// Plays one action per game. Games whose last step ended them begin anew instead, under
    /// [`Autoreset::NextStep`]. `seeds` are those of the next games. With `out`, the observations are
    /// written in the same pass, which [`Opponent::Outside`] does not allow.
    pub fn step(&mut self, actions: &[i64], seeds: &[u64], out: Option<Outputs>) -> Result<()> {
        check_length("actions", actions.len(), self.len())?;
        check_length("seeds", seeds.len(), self.len())?;
        self.check_order()?;
        self.check_actions(actions)?;
        if let Some(out) = &out {
            out.check(self.len(), self.sizes())?;
        }
        self.broken = true;
        self.each_into(out, |context, board, row| {
            board.step(context, actions[row] as Action, seeds[row])
        })?;
        self.broken = false;
        Ok(())
    }

    /// Takes the awaited actions, in the order of [`Vector::waiting`]. More may be awaited after it.
    pub fn reply(&mut self, actions: &[i64]) -> Result<()> {
        let waiting: Vec<_> = self.waiting().collect();
        check_length("opponents' actions", actions.len(), waiting.len())?;
        let mut legal = Vec::new();
        for (&(row, player), &action) in waiting.iter().zip(actions) {
            self.boards[row].state.legal_actions(player, &mut legal);
            let known =
                Action::try_from(action).is_ok_and(|action| legal.binary_search(&action).is_ok());
            if !known {
                return Err(Error::IllegalAction(format!(
                    "the opponent in seat {player} of game {row} answered action {action}, which is \
                     not one of the {} legal ones; the step can be taken up again only by reset()",
                    legal.len()
                )));
            }
        }
        let mut given = vec![Vec::new(); self.len()];
        for (&(row, _), &action) in waiting.iter().zip(actions) {
            given[row].push(action as Action);
        }
        self.broken = true;
        self.each(|context, board, row| match given[row].as_slice() {
            [] => Ok(()),
            actions => board.reply(context, actions),
        })?;
        self.broken = false;
        Ok(())
    }

    /// Writes what the learners see.
    pub fn observe(&mut self, out: Outputs) -> Result<()> {
        self.check_order()?;
        out.check(self.len(), self.sizes())?;
        self.each_into(Some(out), |_, _, _| Ok(()))
    }

    /// Writes the last observation of the game that ended in row `row`.
    pub fn encode_ended(&self, row: usize, planes: &mut PlaneBuffer<'_>) -> Result<()> {
        if !planes.fits(1, self.plane_size) {
            return Err(Error::InvalidArray(format!(
                "the observation: {:?} words and floats, {:?} are needed",
                planes.len(),
                self.plane_size
            )));
        }
        if let (Some(spec), Some(last)) = (self.options.planes, self.ended(row)) {
            planes.encode(&last.state, spec, last.seat);
        }
        Ok(())
    }

    /// Whether the games can be stepped: they have begun, and no error left one in the middle of a step.
    pub fn is_ready(&self) -> bool {
        !self.broken
    }

    /// All games as they stand, opponents awaited and what the last step showed among it.
    pub fn save(&self) -> Vec<Saved<G>> {
        self.boards.iter().map(Board::save).collect()
    }

    /// Goes on with games that a vector of the same options has saved, which was ready or not.
    pub fn restore(&mut self, games: Vec<Saved<G>>, is_ready: bool) -> Result<()> {
        check_length("saved games", games.len(), self.len())?;
        self.broken = true;
        for (board, saved) in self.boards.iter_mut().zip(games) {
            board.restore(&self.options, saved)?;
        }
        self.broken = !is_ready;
        let rows = self.boards.iter().enumerate();
        let restarted = rows.filter(|(_, board)| board.shown.restarted);
        self.restarted = restarted.map(|(row, _)| row).collect();
        self.awaits = self.boards.iter().any(|board| board.waiting.0 != 0);
        Ok(())
    }

    /// One uniformly random legal action per game, from one random word each; in finished games any
    /// action.
    pub fn sample(&self, words: &[u64], actions: &mut [i64]) -> Result<()> {
        check_length("words", words.len(), self.len())?;
        check_length("actions", actions.len(), self.len())?;
        for ((board, &word), action) in self.boards.iter().zip(words).zip(actions) {
            let below = |bound: usize| ((u128::from(mix(word)) * bound as u128) >> 64) as usize;
            *action = match board.legal.len() {
                0 => below(self.num_actions) as i64,
                count => {
                    let action = board.legal[below(count)];
                    let compact = self.options.compact;
                    i64::from(if compact { board.state.compact_of(action) } else { action })
                }
            };
        }
        Ok(())
    }

    fn sizes(&self) -> Sizes {
        Sizes { planes: self.plane_size, actions: self.num_actions, players: self.num_players }
    }

    fn check_order(&self) -> Result<()> {
        if self.broken || self.awaits {
            return Err(out_of_order("before the first reset, or after an error"));
        }
        Ok(())
    }

    /// Refuses actions that cannot be played, before any game has moved.
    fn check_actions(&self, actions: &[i64]) -> Result<()> {
        let is_judged =
            self.options.illegal == Illegal::Raise || self.options.autoreset == Autoreset::Disabled;
        let actions_end = self.num_actions as i64;
        if !is_judged && actions.iter().all(|action| (0..actions_end).contains(action)) {
            return Ok(()); // without a look at the games
        }
        for (row, (board, &action)) in self.boards.iter().zip(actions).enumerate() {
            if board.over {
                if self.options.autoreset == Autoreset::Disabled {
                    return Err(Error::InvalidState(format!(
                        "game {row} is over and autoreset is disabled: call \
                         reset(options={{\"reset_mask\": …}}) before the next step"
                    )));
                }
                continue;
            }
            let index =
                Action::try_from(action).ok().filter(|&index| (index as usize) < self.num_actions);
            let Some(index) = index else {
                return Err(Error::IllegalAction(format!(
                    "action {action} of game {row}: expected a whole number from 0 to {}",
                    self.num_actions - 1
                )));
            };
            let is_judged =
                self.options.illegal == Illegal::Raise && !board.state.is_idle(board.seat);
            let compact = self.options.compact;
            let own = if compact { board.state.action_of_compact(index) } else { Some(index) };
            let is_legal = own.is_some_and(|own| board.legal.binary_search(&own).is_ok());
            if is_judged && !is_legal {
                return Err(Error::IllegalAction(format!(
                    "action {action} of game {row} is not one of its {} legal actions; \
                     infos[\"action_mask\"] shows them. No game has moved",
                    board.legal.len()
                )));
            }
        }
        Ok(())
    }
}

fn check_length(name: &str, given: usize, needed: usize) -> Result<()> {
    if given == needed {
        return Ok(());
    }
    Err(Error::InvalidArray(format!("{name}: {given} elements, {needed} are needed")))
}

fn out_of_order(when: &str) -> Error {
    Error::InvalidState(format!("the games cannot be stepped {when}: call reset() first"))
}
