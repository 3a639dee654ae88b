"""One game as it is conducted: moves, ends, rewards and legality."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from annotated_types import Interval

from phasezoo import games, gating
from phasezoo._core import Stream
from phasezoo.errors import GameContract, IllegalAction, InvalidConfig
from phasezoo.games.contracts import checked_players, checked_returns, played
from phasezoo.games.options import flag
from phasezoo.games.queries import check_actions, result_text
from phasezoo.observation.action_parts import index_of
from phasezoo.observation.turn import Ending, Turn
from phasezoo.observation.view import View
from phasezoo.specs import check_value
from phasezoo.types import SIMULTANEOUS, Gate, Info

Illegal: TypeAlias = Literal["terminate", "raise", "random_legal"]
"""Choices of what happens after an illegal action."""

Rewards: TypeAlias = Literal["once", "original"]
"""When rewards come: each once, or at every step as the game itself pays them."""

MaxPlies: TypeAlias = Annotated[int, Interval(ge=1, le=2**32 - 1)] | None
"""Plies after which games are truncated."""


class GameRunner:
    """Conducts one game after another by the same rules; holds nothing of the game it conducts.

    Environments, matches and studies alike lead a game from :class:`Turn` to turn with it, and
    show each player what :func:`~phasezoo.observation.view.observe` returns.

    Args:
        game: The game or its name.
        gate: What says the phase; None for the gate that each player's view brings, or phase 0.
        monotone: Whether phases of ``gate`` never go back.
        illegal: One of :data:`Illegal`.
        max_plies: Games are truncated after so many plies.
        rewards: One of :data:`Rewards`; ``"original"`` in games whose states have ``rewards``.

    Raises:
        InvalidConfig: An option is outside its range.
        InvalidGate: The gate does not fit the game.
        UnknownGame: No game has that name.
    """

    def __init__(
        self,
        game: "str | games.Game",
        *,
        gate: Any = None,
        monotone: bool = False,
        illegal: str = "terminate",
        max_plies: int | None = None,
        rewards: str = "once",
    ) -> None:
        self.game = games.make(game)
        monotone = flag("monotone", monotone)
        self.gate: Gate | None = (
            None if gate is None else gating.make(gate, self.game.name, monotone)
        )
        self.illegal = check_value("illegal", Illegal, illegal)
        self.pays_every_step = check_value("rewards", Rewards, rewards) == "original"
        if self.pays_every_step and not hasattr(self.game.state_type, "rewards"):
            message = f"rewards='original': {self.game.name!r} pays at the end alone; leave it out"
            raise InvalidConfig(message)
        self.max_plies: int | None = check_value("max_plies", MaxPlies, max_plies)
        self._players = tuple(range(self.game.num_players))
        self._no_phases = (0,) * self.game.num_players
        self._may_be_idle = hasattr(self.game.state_type, "is_idle")
        self._settles = hasattr(self.game.state_type, "settled")

    def begin(self, state: Any, views: Sequence[View] = ()) -> Turn:
        """The first turn of a game that starts with ``state``.

        Args:
            state: Where the game starts.
            views: What each player wants to see; their gates say phases if the game has none.

        Raises:
            InvalidConfig: The game would be cut before its first move.
        """
        ply = int(getattr(state, "ply", 0))
        if self.max_plies is not None and ply >= self.max_plies:
            message = (
                f"the moves given to reset are {ply} plies, and max_plies={self.max_plies} ends "
                "the game there; give fewer moves or raise max_plies"
            )
            raise InvalidConfig(message)
        return self.turn(state, views)

    def turn(self, state: Any, views: Sequence[View] = ()) -> Turn:
        """``state`` by itself, as if nothing had been played before; see :meth:`begin`.

        Raises:
            GameContract: A game of one's own names a player who does not exist.
            PhasezooError: An agent refuses the gate.
        """
        acting = self._acting(state)
        ending = self._ending(state) if state.is_terminal else None
        ply = int(getattr(state, "ply", 0))
        gates: tuple[Gate | None, ...] = (self.gate,) * len(self._players)
        if self.gate is None and views:
            gates = tuple(view.gate for view in views)
        for view, gate in zip(views, gates, strict=False):
            if view.check_gate is not None:
                view.check_gate(gate)
        phases = self.phases(state, gates, None)
        return Turn(state, ply, phases, gates, ending, None, self.no_moves(), acting)

    def play(self, turn: Turn, action: Any) -> Turn:
        """The turn after a legal action, or after those of all who move at once.

        Raises:
            GameContract: A game of one's own names a player who does not exist.
        """
        before = turn.state
        state = before.play(action) if self.game.native else played(before, action)
        acting = self._acting(state)
        ply = turn.ply + 1
        ending = None
        if state.is_terminal:
            ending = self._ending(state)
        elif self.max_plies is not None and ply >= self.max_plies:
            ending = Ending((0.0,) * len(self._players), terminated=False, result=None, reason=None)
        mover = int(before.to_play)
        gates = turn.gates
        return Turn(
            state,
            ply,
            self.phases(state, gates, turn.phases) if any(gates) else self._no_phases,
            gates,
            ending,
            None if mover == SIMULTANEOUS else mover,
            () if self.game.move_info is None else self.moves_after(turn, mover, action),
            acting,
        )

    def forfeit(self, turn: Turn, players: Sequence[int]) -> Turn:
        """The end of a game by illegal actions of ``players``: -1 for them, 0 for the others."""
        rewards = tuple(-1.0 if player in players else 0.0 for player in self._players)
        ending = Ending(rewards, terminated=True, result=None, reason="illegal_action")
        return replace(turn, ending=ending)

    def settle(self, turn: Turn, player: int) -> Turn:
        """``turn`` as its end, if the game is over for ``player`` though not for all."""
        value = self.settled(turn, player) if self._settles else None
        if value is None:
            return turn
        rewards = tuple(value if each == player else 0.0 for each in self._players)
        ending = Ending(rewards, terminated=True, result=None, reason=None)
        return replace(turn, ending=ending)

    def settled(self, turn: Turn, player: int) -> float | None:
        """Return the reward of ``player`` if the game is over for them though not for all.

        A game that is cut in that very step is over for them too, by the rules.
        """
        if not self._settles or (turn.ending is not None and turn.ending.terminated):
            return None
        value: float | None = turn.state.settled(player)
        return value

    def rewards(self, turn: Turn) -> tuple[float, ...]:
        """Return each player's reward of the step that led here."""
        if turn.ending is not None and not self.pays_every_step:
            return turn.ending.rewards
        if self.pays_every_step and (turn.ending is None or turn.ending.reason is None):
            return tuple(float(reward) for reward in turn.state.rewards)
        return (0.0,) * len(self._players) if turn.ending is None else turn.ending.rewards

    def index(self, action: Any) -> int:
        """An action as an int inside the action space.

        Raises:
            IllegalAction: ``action`` is outside the action space.
        """
        parts, count = self.game.action_parts, self.game.num_actions
        if parts is None and type(action) is int and 0 <= action < count:
            return action
        index = index_of(action, count, parts)
        if index is None:
            own = "" if parts is None else f", or {len(parts)} whole numbers below {parts}"
            message = (
                f"action {action!r}: expected a whole number from 0 to "
                f"{self.game.num_actions - 1}{own}"
            )
            raise IllegalAction(message)
        return index

    def is_idle(self, turn: Turn, player: int) -> bool:
        """True if any answer of ``player``, who is asked for an action, has the same effect."""
        if not self._may_be_idle or turn.ending is not None:
            return False
        return bool(turn.state.is_idle(player))

    def is_legal(self, turn: Turn, player: int, action: int) -> bool:
        """Whether ``player`` may play ``action`` now."""
        return action in self.legal_actions(turn, player).tolist()  # arrays take many times as long

    def replacement(self, turn: Turn, player: int, action: Any, stream: Stream) -> int:
        """A legal action, drawn from ``stream``, in place of an illegal one.

        Raises:
            IllegalAction: The environment was made with ``illegal="raise"``.
        """
        legal = self.legal_actions(turn, player)
        if self.illegal == "raise":
            message = (
                f"action {action} is not one of the {len(legal)} legal actions of player {player} "
                f"at ply {turn.ply}; the action mask shows them"
            )
            raise IllegalAction(message)
        return int(legal[stream.below(len(legal))])

    def legal_actions(self, turn: Turn, player: int) -> npt.NDArray[np.int64]:
        """``int64[L]``, ascending.

        Raises:
            GameContract: The player is to move but has none, or one is no action of the game.
        """
        actions = turn.legal.get(player)
        if actions is None:
            actions = turn.legal[player] = self._legal_actions(turn, player)
        return actions

    def acting(self, turn: Turn) -> tuple[int, ...]:
        """The players who move now, ascending; nobody when the game is over."""
        if turn.ending is not None:
            return ()
        if turn.acting is None:
            turn.acting = self._acting(turn.state)
        return turn.acting

    def _acting(self, state: Any) -> tuple[int, ...]:
        """The players who move in a state; those of a game of the user's own are checked."""
        if not self.game.native:
            return checked_players(state, len(self._players))
        if state.is_terminal:
            return ()
        player = state.to_play
        return tuple(state.acting) if player == SIMULTANEOUS else (player,)

    def _legal_actions(self, turn: Turn, player: int) -> npt.NDArray[np.int64]:
        state = turn.state
        if self.game.native and player == state.to_play:
            actions: npt.NDArray[np.int64] = state.legal_actions
            return actions
        actions = games.legal_actions_of(state, player)
        if len(actions) == 0 and player in games.acting_players(state):
            message = (
                f"{self.game.name!r}: player {player} is to move but has no legal action; a game "
                "must say that it is over, or give at least one action"
            )
            raise GameContract(message)
        if not self.game.native:
            check_actions(state, player, actions, self.game.num_actions)
        return actions

    def viewer(self, turn: Turn) -> int:
        """The player to move; in a finished game the one who would be next."""
        player = int(turn.state.to_play)
        if player in self._players:
            return player
        return 0 if player == SIMULTANEOUS else turn.ply % len(self._players)

    def no_moves(self) -> tuple[Info, ...]:
        """Infos about moves, by player, before the first move."""
        if self.game.move_info is None:
            return ()
        return tuple(self.game.move_info(None, None) for _ in self._players)

    def moves_after(self, turn: Turn, mover: int, action: Any) -> tuple[Info, ...]:
        """Infos about the move ``action`` of ``mover``, by player."""
        if self.game.move_info is None:
            return ()
        new = self.game.move_info(turn.state, action)
        return (*turn.moves[:mover], new, *turn.moves[mover + 1 :])

    def phases(
        self, state: Any, gates: Sequence[Gate | None], previous: Sequence[int] | None
    ) -> tuple[int, ...]:
        """The phase by each player's gate, after ``previous``, those one ply before."""
        return tuple(
            0
            if gate is None
            else gate(state, player)
            if previous is None
            else gate(state, player, previous[player])
            for player, gate in enumerate(gates)
        )

    def _ending(self, state: Any) -> Ending:
        rewards = checked_returns(state, len(self._players))
        reason = _reason(state)
        if not self.game.tells_winners:
            return Ending(rewards, terminated=True, result=result_text(*rewards), reason=reason)
        winners = tuple(player for player, reward in enumerate(rewards) if reward > 0)
        result = "win" if winners else "tie"
        return Ending(rewards, terminated=True, result=result, reason=reason, winners=winners)


def _reason(state: Any) -> str | None:
    outcome = getattr(state, "outcome", None)
    return None if outcome is None else str(outcome.reason)
