//! A game of the rook endgame as one word per position, for searches that play millions of moves.

use shakmaty::Color;

use super::moves::{Code, Index, Moves};
use crate::error::{Error, Result};
use crate::game::{Action, Player, Returns};
use crate::games::KrkState;
use crate::games::boards::actions;
use crate::games::boards::board::{FIFTY_MOVES, THREEFOLD, player_of};
use crate::games::krk::table::Placement;
use crate::games::lone_king::Policy;
use crate::model::{Played, SearchModel, ValueRule};
use crate::rng::Stream;

/// Places of the filter that says which positions have not stood before.
const FILTER: usize = 512;

/// A position of the endgame with the positions before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KrkLine {
    /// The positions of the game, the present one last.
    line: Vec<u32>,
    /// How many of them fall on each place.
    filter: [u8; FILTER],
    /// Plies without capture.
    clock: u32,
    /// How often the present position stood before, as far as is looked back.
    occurrences: u32,
    /// Whether only the last positions count, the game's first never; otherwise all do.
    is_windowed: bool,
    /// Who has, or had, the rook.
    strong: Player,
    /// Whether the rook was taken.
    is_bare: bool,
}

impl KrkLine {
    /// The line that led to `state`, repetitions counted as in chess; an error if the rook is lost.
    pub fn of(state: &KrkState) -> Result<Self> {
        Self::counting(state, false)
    }

    fn counting(state: &KrkState, is_windowed: bool) -> Result<Self> {
        let seen = |position: &shakmaty::Chess| {
            Placement::of(position).ok_or_else(|| {
                Error::InvalidState("the game is over at the root: the rook is lost".into())
            })
        };
        let (_, strong): (_, Color) = seen(state.position())?;
        let mut line = Self {
            line: Vec::with_capacity(FIFTY_MOVES as usize + 1),
            filter: [0; FILTER],
            clock: 0,
            occurrences: 0,
            is_windowed,
            strong: player_of(strong),
            is_bare: false,
        };
        for position in state.positions()? {
            line.push(Index::of(seen(&position)?.0));
        }
        line.clock = shakmaty::Position::halfmoves(state.position());
        Ok(line)
    }

    /// Who has the rook.
    pub fn strong(&self) -> Player {
        self.strong
    }

    pub(super) fn index(&self) -> Index {
        // There is at least the position that the line was made with.
        Index(self.line.last().copied().unwrap_or_default())
    }

    /// The last `count` positions that repetitions are looked for among.
    fn last(&self, count: usize) -> &[u32] {
        let first = if self.is_windowed { self.line.len().saturating_sub(count).max(1) } else { 0 };
        self.line.get(first..).unwrap_or_default()
    }

    /// Whether a position of the line is `index`.
    #[inline]
    pub(super) fn has_seen(&self, index: Index) -> bool {
        self.filter[place(index)] != 0 && self.last(Policy::LAST).contains(&index.0)
    }

    fn push(&mut self, index: Index) {
        let place = place(index);
        // The new position is one of the window's.
        self.occurrences = match self.filter[place] {
            0 => 0,
            _ => {
                self.last(Policy::LAST - 1).iter().filter(|&&known| known == index.0).count() as u32
            }
        };
        self.line.push(index.0);
        self.filter[place] = self.filter[place].saturating_add(1);
    }

    /// Plays a move.
    #[inline]
    pub(super) fn play(&mut self, code: Code) {
        let index = self.index();
        if code.takes_rook(index) {
            self.is_bare = true;
            return;
        }
        self.push(index.after(code));
        self.clock += 1;
    }

    /// How the game ended before `moves`, those of the present position, were looked at.
    #[inline]
    pub(super) fn returns(&self, has_moves: bool, is_mate: bool) -> Option<Returns> {
        if is_mate && !self.is_bare {
            return Some(Returns::zero_sum(Some(self.strong)));
        }
        let over = self.is_bare
            || !has_moves
            || self.occurrences >= THREEFOLD
            || self.clock >= FIFTY_MOVES;
        over.then(|| Returns::zero_sum(None))
    }

    /// The action of a move, as its player sees it.
    #[inline]
    pub(super) fn action(index: Index, code: Code) -> Action {
        let (from, to) = index.squares(code);
        let flip = index.flip();
        actions::step_index(from ^ flip, to ^ flip)
    }
}

fn place(index: Index) -> usize {
    (index.0.wrapping_mul(0x9e37_79b1) >> 23) as usize
}

/// The endgame as a tree walks it, by table.
#[derive(Clone, Copy, Debug)]
pub struct KrkModel {
    pub(super) moves: &'static Moves,
    pub(super) policy: Policy,
}

impl KrkModel {
    /// The model for rollouts by a policy; its table is made on first use, in a fraction of a second.
    pub fn new(policy: Policy) -> Self {
        Self { moves: Moves::of(policy), policy }
    }

    /// The line that led to `state`; an error if the rook is lost.
    pub fn line(&self, state: &KrkState) -> Result<KrkLine> {
        KrkLine::counting(state, self.policy.has(Policy::WINDOW))
    }
}

impl Default for KrkModel {
    fn default() -> Self {
        Self::new(Policy::default())
    }
}

impl SearchModel for KrkModel {
    type State = KrkLine;
    type Snapshot = ();
    type Game = KrkLine;

    fn value_rule(&self) -> ValueRule {
        ValueRule::Negate
    }

    fn num_actions(&self) -> usize {
        actions::NUM_BOARD_ACTIONS
    }

    fn actor(&self, state: &KrkLine) -> Result<Player> {
        Ok(if state.index().is_strong_to_move() { state.strong } else { 1 - state.strong })
    }

    fn actions(&self, state: &KrkLine, actions: &mut Vec<Action>) -> Result<()> {
        actions.clear();
        let index = state.index();
        actions.extend(self.moves.row(index).all().map(|code| KrkLine::action(index, code)));
        actions.sort_unstable();
        Ok(())
    }

    fn advance(&self, state: &mut KrkLine, action: Action) -> Result<()> {
        let index = state.index();
        let flip = index.flip();
        let Some((from, to)) = actions::step_squares(action) else {
            return Err(Error::IllegalAction(format!("action {action} points off the board")));
        };
        state.play(index.code(from ^ flip, to ^ flip));
        Ok(())
    }

    fn terminal(&self, state: &KrkLine) -> Result<Option<Returns>> {
        let row = self.moves.row(state.index());
        Ok(state.returns(row.has_moves(), row.is_mate()))
    }

    fn play_random(
        &self,
        state: &mut KrkLine,
        stream: &mut Stream,
        _legal: &mut Vec<Action>,
    ) -> Result<Played> {
        let index = state.index();
        let row = self.moves.row(index);
        if let Some(returns) = state.returns(row.has_moves(), row.is_mate()) {
            return Ok(Played::Over(returns));
        }
        let code = row.any(stream.below(row.len()));
        state.play(code);
        Ok(Played::Action(KrkLine::action(index, code)))
    }

    fn snapshot(&self, _state: &KrkLine) {}

    fn restore(
        &self,
        state: &mut KrkLine,
        root: &KrkLine,
        path: &[Action],
        _snapshot: &(),
    ) -> Result<()> {
        state.line.clone_from(&root.line);
        state.filter = root.filter;
        (state.clock, state.occurrences) = (root.clock, root.occurrences);
        (state.strong, state.is_bare) = (root.strong, root.is_bare);
        state.is_windowed = root.is_windowed;
        path.iter().try_for_each(|&action| self.advance(state, action))
    }

    fn game<'a>(&self, state: &'a KrkLine) -> &'a KrkLine {
        state
    }

    fn same(&self, a: &KrkLine, b: &KrkLine) -> Result<bool> {
        Ok(a == b)
    }
}
