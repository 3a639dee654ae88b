//! The state of every board game here: a position with its history.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use shakmaty::fen::Fen;
use shakmaty::{Color, EnPassantMode, Move, MoveList, Position};

use crate::error::{Error, Result};
use crate::game::{Action, Game, Outcome, Played, Player, Reason, Replay, Returns, Turn};
use crate::games::boards::actions;
use crate::games::boards::chess::Chess;
use crate::games::boards::history::{Earlier, History, Undo};
use crate::games::boards::packed::PackedMove;
use crate::games::boards::planes::{self, BoardPlanes};
use crate::games::boards::rules::{Rules, position_key};
use crate::games::boards::{fen, gates};
use crate::gate::GateKind;
use crate::planes::{PackedRow, PlaneKind};
use crate::rng::{Stream, mix};

/// Plies without capture or pawn move after which the game is drawn.
pub(crate) const FIFTY_MOVES: u32 = 100;

/// Plies without progress within which a search may take positions for the same.
const CLOCK_BUCKET: u32 = 20;

/// Earlier occurrences of a position at which the game is drawn.
pub(crate) const THREEFOLD: u32 = 2;

/// A position with its history.
///
/// Two states are equal when nothing that rules, planes or clocks read differs: position, counters,
/// ply, positions that may recur and the last moves that planes show.
#[derive(Debug)]
pub struct BoardState<R: Rules> {
    position: R::Position,
    history: History,
    /// Where the game started; `None` for the usual start.
    start: Option<Arc<R::Position>>,
}

/// A state of standard chess.
pub type ChessState = BoardState<Chess>;

impl<R: Rules> BoardState<R> {
    /// The start of a game.
    pub fn initial() -> Self {
        Self::from_position(R::initial())
    }

    /// A game that starts at a FEN or a four-field EPD.
    pub fn from_fen(fen: &str) -> Result<Self> {
        Ok(Self::from_position(fen::parse::<R>(fen)?))
    }

    /// A game that starts at `position`.
    pub fn from_position(position: R::Position) -> Self {
        let usual = R::HAS_USUAL_START
            && position.to_setup(EnPassantMode::Always)
                == R::initial().to_setup(EnPassantMode::Always);
        let start = (!usual).then(|| Arc::new(position.clone()));
        let history = History::new(position_key(&position));
        Self { position, history, start }
    }

    /// A state at `position`, `recurring` plies after the last final move, that knows nothing of its game
    /// but the start and the last `moves`, for those who read planes and actions alone. Neither it nor
    /// the positions since that move stood before.
    pub(super) fn rootless(
        position: R::Position,
        moves: &[(PackedMove, Undo)],
        recurring: usize,
        start: &Self,
    ) -> Self {
        let history = History::of_last(moves, recurring, position_key(&position));
        Self { position, history, start: start.start.clone() }
    }

    /// The name of the game.
    pub fn game(&self) -> &'static str {
        R::NAME
    }

    /// The position.
    pub fn position(&self) -> &R::Position {
        &self.position
    }

    /// What came before.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The FEN of the position, its en passant square only if a capture there is legal.
    pub fn fen(&self) -> String {
        fen::text(&self.position)
    }

    /// The FEN that the game started from, its en passant square as it was given; `None` for the
    /// usual start.
    pub fn start_fen(&self) -> Option<String> {
        let start = self.start.as_deref()?;
        Some(Fen::from_position(start, EnPassantMode::Always).to_string())
    }

    /// Moves since the start of the game.
    pub fn ply(&self) -> u32 {
        self.history.moves().len() as u32
    }

    /// How often the position stood earlier in the game.
    pub fn occurrences(&self) -> u32 {
        self.history.occurrences()
    }

    /// The moves since the start, oldest first.
    pub fn moves(&self) -> Vec<PackedMove> {
        self.history.moves().to_vec()
    }

    /// A key of the position alone, the same on every machine and in every release: placement,
    /// pockets, side to move, castling rights and legal en passant.
    pub fn key(&self) -> u64 {
        self.history.key()
    }

    /// The legal moves by the rules of movement, also where the game is drawn.
    pub fn legal_moves(&self) -> MoveList {
        self.position.legal_moves()
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.position.is_check()
    }

    /// Plays a legal move. Neither legality nor the end of the game is checked; an illegal move
    /// corrupts the state.
    pub fn play_move(&mut self, m: Move) {
        let packed = PackedMove::pack(m, R::MODE);
        let final_move = R::is_final(&self.position, m);
        self.position.play_unchecked(m);
        self.history.push(packed, Undo::of(m), position_key(&self.position), final_move);
    }

    /// The action of a legal move.
    pub fn action_of(&self, m: Move) -> Action {
        actions::action_of(m, self.position.turn(), R::MODE)
    }

    /// The move of an action, which must be legal.
    pub fn move_of(&self, action: Action) -> Result<Move> {
        actions::move_of(&self.position, action)
            .filter(|&m| R::is_legal(&self.position, m))
            .ok_or_else(|| self.illegal(action))
    }

    /// Plays an action that is known to be legal.
    pub(crate) fn play_trusted(&mut self, action: Action) -> Result<()> {
        let m = actions::move_of(&self.position, action)
            .filter(|_| (action as usize) < R::NUM_ACTIONS)
            .ok_or_else(|| self.illegal(action))?;
        self.play_move(m);
        Ok(())
    }

    /// Fills `actions` with the legal ones, or with none if the game is over, and says how it ended.
    pub(crate) fn outcome_and_actions(&self, actions: &mut Vec<Action>) -> Option<Outcome> {
        actions.clear();
        actions::legal_actions(&self.position, actions);
        let outcome = self.outcome_if(actions.is_empty());
        if outcome.is_some() {
            actions.clear();
        }
        outcome
    }

    fn illegal(&self, action: Action) -> Error {
        let reason = if action as usize >= R::NUM_ACTIONS {
            format!("{} has the actions 0 to {}", self.game(), R::NUM_ACTIONS - 1)
        } else {
            match actions::describe(action, self.position.turn()) {
                Some(squares) => format!("{squares} is not legal"),
                None => "it points off the board".into(),
            }
        };
        Error::IllegalAction(format!(
            "action {action}: {reason}; '{}' has {} legal actions, choose one of legal_actions",
            self.fen(),
            self.legal_moves().len()
        ))
    }

    /// The positions of the game from its start, the present one last.
    pub(crate) fn positions(&self) -> Result<Vec<R::Position>> {
        let mut position = self.start.as_deref().cloned().unwrap_or_else(R::initial);
        let mut positions = vec![position.clone()];
        for played in self.history.moves() {
            position.play_unchecked(played.unpack(&position)?);
            positions.push(position.clone());
        }
        Ok(positions)
    }

    /// The positions before this one, newest first, as many as planes may show.
    pub(crate) fn earlier(&self) -> impl Iterator<Item = Earlier> {
        self.history.earlier(self.position.board(), !self.position.turn(), R::MODE)
    }

    /// The positions before this one that may still recur, newest first, as far as planes may show them.
    pub(crate) fn recurring(&self) -> impl Iterator<Item = Earlier> {
        self.history.recurring(self.position.board(), !self.position.turn(), R::MODE)
    }

    /// The position that the game started from; `None` for the usual start.
    pub(crate) fn start(&self) -> Option<&R::Position> {
        self.start.as_deref()
    }

    /// The same state with the moves so far hidden from planes, as if it had been set up from a FEN;
    /// repetitions stay counted.
    #[must_use]
    pub fn without_history(&self) -> Self {
        let mut state = self.clone();
        state.history.hide_moves();
        state
    }

    pub(crate) fn history_mut(&mut self) -> &mut History {
        &mut self.history
    }

    /// Whose turn it is by the position, also when the game is over.
    pub fn player_to_move(&self) -> Player {
        player_of(self.position.turn())
    }

    /// How the game ended, if it is known whether the side to move is `stuck` without a legal move.
    ///
    /// The order of `docs/definitions/ends.md`: checkmate, end of the variant, stalemate, insufficient
    /// material, threefold repetition, fifty moves.
    pub(crate) fn outcome_if(&self, stuck: bool) -> Option<Outcome> {
        if let Some(end) = end_on_board::<R>(&self.position, stuck) {
            return Some(end);
        }
        let reason = if R::DRAWS_BY_EXHAUSTION && self.position.is_insufficient_material() {
            Reason::InsufficientMaterial
        } else {
            self.draw_by_history()?
        };
        Some(Outcome { winner: None, reason })
    }

    /// The rule that draws the game by what came before, if one does.
    pub(crate) fn draw_by_history(&self) -> Option<Reason> {
        if self.occurrences() >= THREEFOLD {
            Some(Reason::ThreefoldRepetition)
        } else if R::DRAWS_BY_EXHAUSTION && self.position.halfmoves() >= FIFTY_MOVES {
            Some(Reason::FiftyMoves)
        } else {
            None
        }
    }

    /// What equality compares beside the position.
    fn identity(&self) -> impl PartialEq + Hash + use<R> {
        (
            self.key(),
            self.position.halfmoves(),
            self.position.fullmoves(),
            self.position.ep_square(EnPassantMode::Always),
            self.ply(),
        )
    }
}

/// How the pieces alone end a game, if they do and if it is known whether the side to move is `stuck`
/// without a legal move: by checkmate, by the end of the variant or by stalemate.
pub(crate) fn end_on_board<R: Rules>(position: &R::Position, stuck: bool) -> Option<Outcome> {
    if stuck && position.is_check() {
        let winner = player_of(!position.turn());
        return Some(Outcome { winner: Some(winner), reason: Reason::Checkmate });
    }
    R::variant_end(position)
        .or_else(|| stuck.then_some(Outcome { winner: None, reason: Reason::Stalemate }))
}

/// The player of a color: White is player 0.
pub fn player_of(color: Color) -> Player {
    Player::from(color.is_black())
}

/// The color of a player; any but player 0 is Black.
pub fn color_of(player: Player) -> Color {
    Color::from_white(player == 0)
}

impl<R: Rules> Clone for BoardState<R> {
    fn clone(&self) -> Self {
        Self {
            position: self.position.clone(),
            history: self.history.clone(),
            start: self.start.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.position.clone_from(&other.position);
        self.history.clone_from(&other.history);
        self.start.clone_from(&other.start);
    }
}

impl<R: Rules> PartialEq for BoardState<R> {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
            && self.position == other.position
            && self.history.keys() == other.history.keys()
            && self.history.shown().eq(other.history.shown())
    }
}

impl<R: Rules> Eq for BoardState<R> {}

impl<R: Rules> Hash for BoardState<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl<R: Rules> Game for BoardState<R> {
    type Planes = BoardPlanes;

    type Kept = Replay;

    const NAME: &'static str = R::NAME;
    const NUM_COMPACT: usize = R::NUM_COMPACT;
    const STATE_NUMBERS: &'static [&'static str] = R::STATE_NUMBERS;
    const MOVE_NUMBERS: &'static [&'static str] = R::MOVE_NUMBERS;

    fn num_players(&self) -> usize {
        2
    }

    fn num_actions(&self) -> usize {
        R::NUM_ACTIONS
    }

    fn turn(&self) -> Turn {
        if self.outcome().is_some() { Turn::Over } else { Turn::Player(self.player_to_move()) }
    }

    fn ply(&self) -> u32 {
        self.ply()
    }

    fn legal_actions(&self, player: Player, actions: &mut Vec<Action>) {
        actions.clear();
        if player == self.player_to_move() && self.outcome().is_none() {
            actions::legal_actions(&self.position, actions);
        }
    }

    fn apply(&mut self, joint: &[Action]) -> Result<()> {
        let &[action] = joint else {
            return Err(Error::IllegalAction(format!(
                "{} actions were given, but in {} one player moves at a time",
                joint.len(),
                self.game()
            )));
        };
        if let Some(outcome) = self.outcome() {
            return Err(Error::IllegalAction(format!(
                "action {action}: the game is over ({}) in '{}'; start a new one",
                outcome.reason.as_str(),
                self.fen()
            )));
        }
        let m = self.move_of(action)?;
        self.play_move(m);
        Ok(())
    }

    fn apply_legal(&mut self, joint: &[Action]) -> Result<()> {
        let &[action] = joint else {
            return self.apply(joint);
        };
        self.play_trusted(action)
    }

    fn turn_and_actions(&self, actions: &mut Vec<Action>) -> Turn {
        match self.outcome_and_actions(actions) {
            None => Turn::Player(self.player_to_move()),
            Some(_) => Turn::Over,
        }
    }

    fn actor(&self) -> Option<Player> {
        Some(self.player_to_move())
    }

    fn expand(&self, actions: &mut Vec<Action>) -> Option<Returns> {
        let outcome = self.outcome_and_actions(actions);
        outcome.map(|outcome| Returns::zero_sum(outcome.winner))
    }

    fn play_random(&mut self, stream: &mut Stream, _legal: &mut Vec<Action>) -> Result<Played> {
        // By reference, because the list is large and would be moved.
        let moves = &self.legal_moves();
        if let Some(outcome) = self.outcome_if(moves.is_empty()) {
            return Ok(Played::Over(Returns::zero_sum(outcome.winner)));
        }
        let m = moves[stream.below(moves.len())];
        let action = self.action_of(m);
        self.play_move(m);
        Ok(Played::Action(action))
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome_if(!R::has_legal_move(&self.position))
    }

    fn returns(&self) -> Returns {
        Returns::zero_sum(self.outcome().and_then(|outcome| outcome.winner))
    }

    fn plane_shape(planes: BoardPlanes) -> [usize; 3] {
        planes.shape()
    }

    fn encode(&self, planes: BoardPlanes, player: Player, out: &mut [f32]) {
        planes::board(self, planes, color_of(player), out);
    }

    fn plane_kinds(planes: BoardPlanes) -> Vec<PlaneKind> {
        planes::kinds::<R>(planes)
    }

    fn encode_packed(&self, planes: BoardPlanes, player: Player, out: &mut PackedRow<'_>) {
        planes::packed(self, planes, color_of(player), false, out);
    }

    fn gates() -> Vec<GateKind<Self>> {
        gates::kinds()
    }

    fn key(&self) -> u64 {
        self.key()
    }

    /// Positions that stood before share no node, nor do positions whose counts of moves without
    /// progress are far apart.
    fn graph_key(&self) -> Option<u64> {
        let bucket = self.position.halfmoves() / CLOCK_BUCKET;
        (self.occurrences() == 0).then(|| mix(self.key() ^ mix(u64::from(bucket))))
    }

    fn ends_by_history(&self) -> bool {
        self.draw_by_history().is_some()
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }

    fn repeats_within(&self, plies: usize) -> bool {
        self.history.repeats_within(plies)
    }

    fn prefetch(&self) {
        self.history.prefetch();
    }

    fn is_forcing(&self, action: Action) -> bool {
        let mut position = self.position.clone();
        actions::move_of(&self.position, action).is_some_and(|m| {
            position.play_unchecked(m);
            position.is_check()
        })
    }

    fn keep_best(&self, actions: &mut Vec<Action>) {
        R::keep_best(self, actions);
    }

    fn compact_of(&self, action: Action) -> Action {
        R::compact_of(self, action)
    }

    fn action_of_compact(&self, index: Action) -> Option<Action> {
        R::action_of_compact(self, index)
    }

    fn state_numbers(&self, out: &mut [f64]) {
        R::state_numbers(self, out);
    }

    fn move_numbers(&self, action: Action, out: &mut [f64]) {
        R::move_numbers(self, action, out);
    }
}
