//! One game of a vector: whose turn it is, what a step does to it, how it ends and starts again.

mod saved;

use std::borrow::Cow;

pub use saved::Saved;

use super::context::{Context, End, Final, SIMULTANEOUS, Shown, no_action, nobody_moves_for_all};
use super::options::{Autoreset, Illegal, Opponent, Purpose, Seat, stream};
use super::outputs::{Outputs, write_mask};
use crate::error::{Error, Result};
use crate::game::{Action, Game, MAX_PLAYERS, Player, PlayerSet, Reason, Scripted, Turn};
use crate::gate::Gating;
use crate::prefetch;
use crate::rng::Stream;

/// One game and the learner's place in it.
#[derive(Debug)]
pub(super) struct Board<G> {
    pub(super) state: G,
    /// The turn of `state`, asked for once.
    turn: Turn,
    /// The learner; in self-play the player who sees the observation.
    pub(super) seat: Player,
    /// The seed of this game, and the one prepared for the next.
    pub(super) seed: u64,
    next_seed: u64,
    /// Games begun since the last seeding, this one included.
    games: u64,
    opponents: Vec<Stream>,
    /// The game's own players in the opponents' seats, by player.
    scripted: Vec<Box<dyn Scripted<G>>>,
    replacements: Option<Stream>,
    pub(super) phase: u8,
    to_play: i64,
    /// The legal actions of the player to move, or of the learner where several move; ascending,
    /// empty when the game is over (but not when only the episode is).
    pub(super) legal: Vec<Action>,
    /// Whether the learner has had a turn in this game.
    begun: bool,
    /// The learner's steps in this game.
    steps: u32,
    /// The game, or the episode, has ended and no new one has begun.
    pub(super) over: bool,
    /// Opponents whose actions are awaited from outside.
    pub(super) waiting: PlayerSet,
    /// Actions of this turn, by player, that were given before all were known.
    joint: [Action; MAX_PLAYERS],
    /// What is told of the learner's last move ([`Game::MOVE_NUMBERS`]); nan before there is one, and
    /// where it is not worked out.
    pub(super) move_numbers: Vec<f64>,
    /// What the last step or reset did.
    pub(super) shown: Shown<G>,
}

const NOBODY: PlayerSet = PlayerSet(0);

/// Why a game that is over ended; `None` if its length limit did, or if it goes on for others.
pub(super) fn ended_by<G: Game>(state: &G, forfeited: bool) -> Option<Reason> {
    if forfeited {
        return Some(Reason::Other("illegal_action"));
    }
    state.outcome().map(|outcome| outcome.reason)
}

impl<G: Game> Board<G> {
    pub(super) fn new(state: G) -> Self {
        Self {
            turn: state.turn(),
            state,
            seat: 0,
            seed: 0,
            next_seed: 0,
            games: 0,
            opponents: Vec::new(),
            scripted: Vec::new(),
            replacements: None,
            phase: 0,
            to_play: 0,
            legal: Vec::new(),
            begun: false,
            steps: 0,
            over: true,
            waiting: NOBODY,
            joint: [0; MAX_PLAYERS],
            move_numbers: vec![f64::NAN; G::MOVE_NUMBERS.len()],
            shown: Shown::default(),
        }
    }

    /// Begins the game with seed `seed`, from `position` or the game's start, and lets the opponents
    /// move up to the learner's first turn. A `reseeded` board counts its games anew.
    pub(super) fn reset(
        &mut self,
        context: &Context<G>,
        seed: u64,
        position: Option<&G>,
        reseeded: bool,
    ) -> Result<()> {
        self.shown = Shown::default();
        if reseeded {
            self.games = 0;
        }
        self.begin(context, seed, position)
    }

    /// Asks the processor for what the next step looks at.
    pub(super) fn prefetch(&self) {
        prefetch::slice(&self.legal);
        self.state.prefetch();
    }

    /// Plays the learner's action, or begins the next game where the last step ended one. The action
    /// is in the action space; `next_seed` is the seed of the next game, should one begin.
    pub(super) fn step(
        &mut self,
        context: &Context<G>,
        action: Action,
        next_seed: u64,
    ) -> Result<()> {
        self.shown = Shown::default();
        self.next_seed = next_seed;
        if self.over {
            return self.begin(context, next_seed, None);
        }
        self.steps += 1;
        self.shown.is_last_step =
            context.options.max_steps.is_some_and(|limit| self.steps >= limit);
        if !context.self_play() && self.state.is_idle(self.seat) {
            return self.proceed(context, self.legal.first().copied());
        }
        if let Some(action) = context.own_action(&self.state, action)
            && self.legal.binary_search(&action).is_ok()
        {
            return self.proceed(context, Some(action));
        }
        self.shown.illegal = true;
        match context.options.illegal {
            Illegal::Raise => Err(Error::IllegalAction(format!("action {action} is not legal"))),
            Illegal::Terminate => {
                self.shown.reward = -1.0;
                self.shown.end = Some(End::Terminated);
                self.over = true;
                self.legal.clear();
                self.follow(context)
            }
            Illegal::RandomLegal => {
                let replacements =
                    self.replacements.get_or_insert_with(|| stream(self.seed, Purpose::Illegal, 0));
                let action = self.legal[replacements.below(self.legal.len())];
                self.proceed(context, Some(action))
            }
        }
    }

    /// Takes the awaited actions of opponents, one per player of `waiting`, ascending.
    pub(super) fn reply(&mut self, context: &Context<G>, actions: &[Action]) -> Result<()> {
        let waiting = std::mem::replace(&mut self.waiting, NOBODY);
        for (player, &action) in waiting.iter().zip(actions) {
            self.joint[usize::from(player)] = action;
        }
        let acting = match self.turn {
            Turn::Player(player) => PlayerSet(1 << player),
            Turn::Simultaneous(acting) => acting,
            Turn::Over => NOBODY,
        };
        self.play(context, acting)?;
        self.proceed(context, None)
    }

    fn begin(&mut self, context: &Context<G>, seed: u64, position: Option<&G>) -> Result<()> {
        if let Some(position) = position {
            self.state.clone_from(position);
        } else {
            let start = stream(seed, Purpose::Start, 0).next_u64() >> 1;
            self.state = (context.start)(start)?;
        }
        self.turn = self.state.turn_and_actions(&mut self.legal);
        self.seed = seed;
        let players = context.num_players;
        self.seat = match (context.options.seat, self.turn) {
            (_, Turn::Player(player)) if context.self_play() => player,
            (Seat::Fixed(player), _) => player,
            (Seat::Alternate, _) => (self.games % players as u64) as Player,
            (Seat::Random, _) => stream(seed, Purpose::Seat, 0).below(players) as Player,
        };
        self.games += 1;
        self.opponents.clear();
        if !matches!(context.options.opponent, Opponent::None | Opponent::Outside) {
            let opponent = |player| stream(seed, Purpose::Opponent, player);
            self.opponents.extend((0..players as Player).map(opponent));
        }
        self.scripted.clear();
        if let Opponent::Scripted(name) = context.options.opponent {
            self.scripted.extend((0..players).filter_map(|_| G::scripted(name)));
        }
        self.replacements = None;
        self.move_numbers.fill(f64::NAN);
        self.begun = false;
        self.steps = 0;
        self.over = false;
        self.waiting = NOBODY;
        self.shown.restarted = true;
        // The phases of a game do not look back at those of the game before.
        self.phase = self.phase_now(context, None)?;
        if context.options.max_plies.is_some_and(|limit| self.state.ply() >= limit) {
            return Err(Error::InvalidConfig(format!(
                "the moves given to reset are {} plies, and max_plies ends the game there; give \
                 fewer moves or raise max_plies",
                self.state.ply()
            )));
        }
        self.proceed(context, None)
    }

    /// Moves on until the learner is to move, an opponent's action is awaited, or the game is over.
    /// `action` is the learner's for this turn.
    fn proceed(&mut self, context: &Context<G>, mut action: Option<Action>) -> Result<()> {
        while !self.over {
            if let Some(value) = self.settled(context) {
                self.leave(context, value)?;
                break;
            }
            let (acting, to_play) = match self.turn {
                Turn::Over => {
                    self.finish(context)?;
                    break;
                }
                Turn::Player(player) => {
                    if context.self_play() {
                        self.seat = player;
                    }
                    (PlayerSet(1 << player), i64::from(player))
                }
                Turn::Simultaneous(_) if context.self_play() => return Err(nobody_moves_for_all()),
                Turn::Simultaneous(acting) => (acting, SIMULTANEOUS),
            };
            if acting.contains(self.seat) {
                match action.take() {
                    None => return self.ready(context, to_play),
                    Some(action) => {
                        self.joint[usize::from(self.seat)] = action;
                        if context.options.move_numbers {
                            self.state.move_numbers(action, &mut self.move_numbers);
                        }
                    }
                }
            }
            let others = self.asked_of(PlayerSet(acting.0 & !(1 << self.seat)))?;
            if others != NOBODY && context.options.opponent == Opponent::Outside {
                self.waiting = others;
                return Ok(());
            }
            for player in others.iter() {
                self.joint[usize::from(player)] = self.opponent_action(context, player)?;
            }
            self.play(context, acting)?;
        }
        self.follow(context)
    }

    /// The learner is to move.
    fn ready(&mut self, context: &Context<G>, to_play: i64) -> Result<()> {
        self.begun = true;
        self.to_play = to_play;
        self.list_actions(self.seat)?;
        self.look(context)?;
        // In a game that began in this very step, the last one of the episode before, none was made.
        if self.shown.is_last_step && self.steps > 0 {
            self.over = true;
            return self.follow(context);
        }
        Ok(())
    }

    /// Sees to it that `legal` holds the actions of `player`, who is to move.
    fn list_actions(&mut self, player: Player) -> Result<()> {
        // Where one player moves, they were listed when the turn came.
        if let Turn::Simultaneous(_) = self.turn {
            self.state.legal_actions(player, &mut self.legal);
        }
        if self.legal.is_empty() {
            return Err(no_action(player));
        }
        Ok(())
    }

    fn opponent_action(&mut self, context: &Context<G>, player: Player) -> Result<Action> {
        let stream = &mut self.opponents[usize::from(player)];
        if let Some(scripted) = self.scripted.get_mut(usize::from(player)) {
            return Ok(scripted.act(&self.state, player, stream));
        }
        self.list_actions(player)?;
        if context.options.opponent == Opponent::Best {
            // What is left out is listed anew after the action.
            self.state.keep_best(&mut self.legal);
        }
        let stream = &mut self.opponents[usize::from(player)];
        Ok(self.legal[stream.below(self.legal.len())])
    }

    /// The players of a set whose answers matter; the action of the others is any legal one.
    fn asked_of(&mut self, mut players: PlayerSet) -> Result<PlayerSet> {
        for player in players.iter() {
            if self.state.is_idle(player) {
                self.list_actions(player)?;
                self.joint[usize::from(player)] = self.legal[0];
                players.0 &= !(1 << player);
            }
        }
        Ok(players)
    }

    /// Plays the turn of the players `acting` and cuts the game at its length limit.
    fn play(&mut self, context: &Context<G>, acting: PlayerSet) -> Result<()> {
        let mut joint = [0; MAX_PLAYERS];
        let mut count = 0;
        for player in acting.iter() {
            joint[count] = self.joint[usize::from(player)];
            count += 1;
        }
        let mover = self.turn;
        self.state.apply_legal(&joint[..count])?;
        self.turn = self.state.turn_and_actions(&mut self.legal);
        self.to_play = match (self.turn, mover) {
            (Turn::Player(player), _) => i64::from(player),
            (Turn::Over, Turn::Player(mover)) => {
                (i64::from(mover) + 1) % context.num_players as i64
            }
            _ => SIMULTANEOUS,
        };
        if context.options.gate.as_ref().is_some_and(Gating::monotone) {
            self.phase = self.phase_now(context, Some(self.phase))?;
        }
        let cut = context.options.max_plies.is_some_and(|limit| self.state.ply() >= limit);
        if cut && self.turn != Turn::Over && self.settled(context).is_none() {
            self.shown.end = Some(End::Truncated);
            self.end(context)?;
        }
        Ok(())
    }

    /// What the learner gets if the game is over for the learner and not for all.
    fn settled(&self, context: &Context<G>) -> Option<f32> {
        let goes_on = !context.self_play() && self.turn != Turn::Over;
        if goes_on { self.state.settled(self.seat) } else { None }
    }

    /// The rules have ended the game.
    fn finish(&mut self, context: &Context<G>) -> Result<()> {
        let returns = self.state.returns();
        self.shown.reward = f64::from(returns.of(self.seat));
        self.shown.end = Some(End::Terminated);
        self.shown.won = Some(context.won(&returns, self.seat));
        self.end(context)
    }

    /// The game is over for the learner, though not for all.
    fn leave(&mut self, context: &Context<G>, value: f32) -> Result<()> {
        self.shown.reward = f64::from(value);
        self.shown.end = Some(End::Terminated);
        self.end(context)
    }

    fn end(&mut self, context: &Context<G>) -> Result<()> {
        if !self.begun {
            let message = if self.shown.end == Some(End::Truncated) {
                "max_plies ends the game before the learner's first move; raise it"
            } else {
                "the game is over before the learner's first move: the position is finished, or the \
                 opponents' first moves end it; start from another one"
            };
            return Err(Error::InvalidConfig(message.into()));
        }
        self.over = true;
        self.legal.clear();
        self.seat = self.viewer(context);
        self.look(context)
    }

    /// Begins the next game where it belongs to the step that ended this one.
    fn follow(&mut self, context: &Context<G>) -> Result<()> {
        if !self.over || context.options.autoreset != Autoreset::SameStep {
            return Ok(());
        }
        self.shown.last = Some(Box::new(Final {
            state: self.state.clone(),
            seat: self.seat,
            to_play: self.to_play,
            phase: self.phase,
            illegal: std::mem::take(&mut self.shown.illegal),
            won: self.shown.won.take(),
            move_numbers: self.move_numbers.clone(),
            legal: self.shown_legal(context.options.compact).into_owned(),
        }));
        self.begin(context, self.next_seed, None)
    }

    /// Who sees the state: the learner, or in self-play the player to move.
    fn viewer(&self, context: &Context<G>) -> Player {
        if context.self_play() {
            Player::try_from(self.to_play).unwrap_or(self.seat)
        } else {
            self.seat
        }
    }

    /// Notes the phase that the learner sees; a monotone gate has noted it ply by ply.
    fn look(&mut self, context: &Context<G>) -> Result<()> {
        if context.options.gate.as_ref().is_some_and(|gate| !gate.monotone()) {
            self.phase = self.phase_now(context, None)?;
        }
        Ok(())
    }

    fn phase_now(&self, context: &Context<G>, previous: Option<u8>) -> Result<u8> {
        match &context.options.gate {
            None => Ok(0),
            Some(gate) => gate.phase(&self.state, self.viewer(context), previous),
        }
    }

    /// The legal actions as the learner is told them, ascending.
    pub(super) fn shown_legal(&self, compact: bool) -> Cow<'_, [Action]> {
        if !compact {
            return Cow::Borrowed(&self.legal);
        }
        let mut indices: Vec<_> =
            self.legal.iter().map(|&action| self.state.compact_of(action)).collect();
        indices.sort_unstable();
        Cow::Owned(indices)
    }

    /// Why the game ended, once it has.
    pub(super) fn reason(&self, illegal: Illegal) -> Option<Reason> {
        let forfeited = self.shown.illegal && illegal == Illegal::Terminate;
        self.over.then(|| ended_by(&self.state, forfeited)).flatten()
    }

    /// Writes what the learner sees into row `row` of `out`.
    pub(super) fn write(&self, context: &Context<G>, out: &mut Outputs, row: usize) {
        if let Some(planes) = context.options.planes {
            out.planes.row(row, context.plane_size).encode(&self.state, planes, self.seat);
        }
        let actions = context.num_actions;
        let legal = self.shown_legal(context.options.compact);
        write_mask(
            &mut out.masks[row * actions..(row + 1) * actions],
            out.marks.get_mut(row),
            (!legal.is_empty()).then_some(&legal),
        );
        out.rewards[row] = self.shown.reward;
        out.terminated[row] = self.shown.end == Some(End::Terminated);
        out.truncated[row] = self.shown.end == Some(End::Truncated) || self.shown.is_last_step;
        out.illegal[row] = self.shown.illegal;
        out.to_play[row] = self.to_play;
        out.ply[row] = i64::from(self.state.ply());
        out.phase[row] = i64::from(self.phase);
        let won = self.shown.won;
        out.result[row] = won.map_or(0, |won| won.result);
        out.has_result[row] = won.is_some();
        let players = context.num_players;
        let told = &mut out.winners[row * players..(row + 1) * players];
        for (player, told) in (0..).zip(told) {
            *told = won.is_some_and(|won| won.winners.contains(player));
        }
    }
}
