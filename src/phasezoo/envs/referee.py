"""One game as an environment conducts it: starts, moves, ends, and what a player is told."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from phasezoo import games, gating
from phasezoo._core import PommermanState, Stream
from phasezoo.envs.action_parts import Mask, MultiDiscrete, index_of, masks_of
from phasezoo.envs.moments import Ending, Moment
from phasezoo.errors import GameContract, IllegalAction, InvalidConfig
from phasezoo.games.options import one_of
from phasezoo.types import SIMULTANEOUS, Info, Planes

__all__ = ["ILLEGAL", "OBSERVATIONS", "REWARDS", "Referee"]

ILLEGAL = ("terminate", "raise", "random_legal")
"""What may happen after an illegal action."""

OBSERVATIONS = ("planes", "none")
"""What may be observed in every game."""

REWARDS = ("once", "original")
"""When rewards come: each once, or at every step as the game itself pays them."""


_DICTS: Mapping[type, Callable[[Any, int], dict[str, Any]]] = {
    PommermanState: games.pommerman_observation
}
"""Makes observations as the original of a game gives them, by the type of its states."""


class Referee:
    """Conducts one game after another by the same rules; holds nothing of the game it conducts.

    Args:
        game: The game or its name.
        planes: Which planes are observed; default the game's own.
        gate: What says the phase; None for phase 0 throughout.
        monotone: Whether phases never go back.
        illegal: One of :data:`ILLEGAL`.
        max_plies: Games are truncated after so many plies.
        observation: One of :data:`OBSERVATIONS`, or ``"dict"`` in Pommerman.
        rewards: One of :data:`REWARDS`; ``"original"`` in games whose states have ``rewards``.

    Raises:
        InvalidConfig: An option is outside its range.
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes.
        UnknownGame: No game has that name.
    """

    def __init__(
        self,
        game: "str | games.Game",
        *,
        planes: str | None = None,
        gate: Any = None,
        monotone: bool = False,
        illegal: str = "terminate",
        max_plies: int | None = None,
        observation: str = "planes",
        rewards: str = "once",
    ) -> None:
        self.game = games.make(game)
        self.plane_shape = self.game.plane_shape(planes)
        self.planes = self.game.default_planes if planes is None else planes
        self.gate = None if gate is None else gating.make(gate, self.game.name, monotone)
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self._dict_of = _DICTS.get(self.game.state_type)
        known = OBSERVATIONS if self._dict_of is None else (*OBSERVATIONS, "dict")
        self.observes = one_of("observation", observation, known)
        self.pays_every_step = one_of("rewards", rewards, REWARDS) == "original"
        if self.pays_every_step and not hasattr(self.game.state_type, "rewards"):
            message = f"rewards='original': {self.game.name!r} pays at the end alone; leave it out"
            raise InvalidConfig(message)
        if max_plies is not None and (not isinstance(max_plies, int) or max_plies < 1):
            message = (
                f"max_plies={max_plies!r}: expected a whole number from 1, or None for no limit"
            )
            raise InvalidConfig(message)
        self.max_plies = max_plies
        self._players = tuple(range(self.game.num_players))
        self._tells_winners = self.game.win_or_tie or len(self._players) != 2

    def observation_space(self) -> spaces.Box:
        """The space of one player's planes.

        Its bounds are those of the type: most planes are 0 or 1, but counters have no fixed limit.
        Dictionaries are as the original gives them and have no space of their own.
        """
        limit = float(np.finfo(np.float32).max)
        shape = (0,) if self.observes == "none" else self.plane_shape
        return spaces.Box(-limit, limit, shape, dtype=np.float32)

    def action_space(self) -> spaces.Space[Any]:
        """The space of one player's actions: ``MultiDiscrete`` where they have parts."""
        parts = self.game.action_parts
        return spaces.Discrete(self.game.num_actions) if parts is None else MultiDiscrete(parts)

    def start(self, options: Mapping[str, Any] | None, seed: int) -> Any:
        """The state a game starts from.

        Args:
            options: ``fen`` and ``moves`` (UCI) for a start of one's own.
            seed: Draws the start in games with random ones.

        Raises:
            InvalidConfig: An option is not known, or the game is over there.
            InvalidFen: The FEN is not a position of the game.
            InvalidUci: A move is not legal where it stands.
        """
        given = {} if options is None else dict(options)
        unknown = sorted(map(str, given.keys() - {"fen", "moves"}))
        if unknown:
            message = f"reset options {unknown}: known are 'fen' (text) and 'moves' (a list of UCI)"
            raise InvalidConfig(message)
        moves = given.get("moves")
        moves = () if moves is None else moves
        if isinstance(moves, str) or not isinstance(moves, Sequence):
            message = (
                f"reset option moves={moves!r}: expected a list of UCI moves, ['e2e4', 'e7e5']"
            )
            raise InvalidConfig(message)
        if given.get("fen") is not None:
            state = self.game.from_fen(given["fen"], moves)
        else:
            state = self.game.initial_state(seed=seed)
            if moves and not hasattr(state, "parse_uci"):
                message = (
                    f"reset option moves: {self.game.name!r} has no notation of moves; use "
                    "set_game_state(state) to go on from a state"
                )
                raise InvalidConfig(message)
            for move in moves:
                state = state.play(state.parse_uci(move))
        if state.is_terminal:
            reason = _reason(state)
            message = (
                f"the position given to reset is over{f' ({reason})' if reason else ''}; "
                "give one in which the game goes on"
            )
            raise InvalidConfig(message)
        return state

    def begin(self, state: Any) -> Moment:
        """The first moment of a game that starts with ``state``.

        Raises:
            GameContract: The game's planes have another shape than it was registered with.
            InvalidConfig: The game would be cut before its first move.
        """
        ply = int(getattr(state, "ply", 0))
        if self.max_plies is not None and ply >= self.max_plies:
            message = (
                f"the moves given to reset are {ply} plies, and max_plies={self.max_plies} ends "
                "the game there; give fewer moves or raise max_plies"
            )
            raise InvalidConfig(message)
        return self.moment(state)

    def moment(self, state: Any) -> Moment:
        """``state`` by itself, as if nothing had been played before."""
        ending = self._ending(state) if state.is_terminal else None
        ply = int(getattr(state, "ply", 0))
        return Moment(state, ply, self._phases(state, None), ending, None, self.no_moves())

    def play(self, moment: Moment, action: Any) -> Moment:
        """The moment after a legal action, or after those of all who move at once."""
        state = moment.state.play(action)
        ply = moment.ply + 1
        ending = None
        if state.is_terminal:
            ending = self._ending(state)
        elif self.max_plies is not None and ply >= self.max_plies:
            ending = Ending((0.0,) * len(self._players), terminated=False, result=None, reason=None)
        mover = int(moment.state.to_play)
        return Moment(
            state,
            ply,
            self._phases(state, moment.phases),
            ending,
            None if mover == SIMULTANEOUS else mover,
            self.told(moment, mover, action),
        )

    def forfeit(self, moment: Moment, players: Sequence[int]) -> Moment:
        """The end of a game by illegal actions of ``players``: -1 for them, 0 for the others."""
        rewards = tuple(-1.0 if player in players else 0.0 for player in self._players)
        ending = Ending(rewards, terminated=True, result=None, reason="illegal_action")
        return moment._replace(ending=ending)

    def settle(self, moment: Moment, player: int) -> Moment:
        """``moment`` as its end, where the game is over for ``player`` though not for all."""
        value = self.settled(moment, player)
        if value is None:
            return moment
        rewards = tuple(value if each == player else 0.0 for each in self._players)
        return moment._replace(ending=Ending(rewards, terminated=True, result=None, reason=None))

    def settled(self, moment: Moment, player: int) -> float | None:
        """What ``player`` gets where the game is over for him though not for all."""
        settled = getattr(moment.state, "settled", None)
        if settled is None or moment.ending is not None:
            return None
        value: float | None = settled(player)
        return value

    def rewards(self, moment: Moment) -> tuple[float, ...]:
        """What the step that led here pays each player."""
        if moment.ending is not None and not self.pays_every_step:
            return moment.ending.rewards
        if self.pays_every_step and (moment.ending is None or moment.ending.reason is None):
            return tuple(float(reward) for reward in moment.state.rewards)
        return (0.0,) * len(self._players) if moment.ending is None else moment.ending.rewards

    def index(self, action: Any) -> int:
        """An action as an int inside the action space.

        Raises:
            IllegalAction: It is none.
        """
        parts = self.game.action_parts
        index = index_of(action, self.game.num_actions, parts)
        if index is None:
            own = "" if parts is None else f", or {len(parts)} whole numbers below {parts}"
            message = (
                f"action {action!r}: expected a whole number from 0 to "
                f"{self.game.num_actions - 1}{own}"
            )
            raise IllegalAction(message)
        return index

    def is_idle(self, moment: Moment, player: int) -> bool:
        """Whether it does not matter what ``player``, who is asked for an action, answers."""
        is_idle = getattr(moment.state, "is_idle", None)
        return bool(is_idle is not None and moment.ending is None and is_idle(player))

    def is_legal(self, moment: Moment, player: int, action: int) -> bool:
        """Whether ``player`` may play ``action`` now."""
        return action in self.legal_actions(moment, player)

    def replacement(self, moment: Moment, player: int, action: int, stream: Stream) -> int:
        """A legal action, drawn from ``stream``, in place of an illegal one.

        Raises:
            IllegalAction: The environment was made with ``illegal="raise"``.
        """
        legal = self.legal_actions(moment, player)
        if self.illegal == "raise":
            message = (
                f"action {action} is not one of the {len(legal)} legal actions of player {player} "
                f"at ply {moment.ply}; the action mask shows them"
            )
            raise IllegalAction(message)
        return int(legal[stream.below(len(legal))])

    def check_game(self, state: Any) -> None:
        """Refuse a state of another game.

        Raises:
            InvalidConfig: It is one.
            UnknownGame: It is of no registered game.
        """
        name = games.game_of(state).name
        if name != self.game.name:
            message = f"{state!r} is a state of {name!r}, not of {self.game.name!r}"
            raise InvalidConfig(message)

    def legal_actions(self, moment: Moment, player: int) -> npt.NDArray[np.int64]:
        """``int64[L]``, ascending.

        Raises:
            GameContract: The player is to move but has none.
        """
        actions = games.legal_actions_of(moment.state, player)
        if len(actions) == 0 and player in games.acting_players(moment.state):
            message = (
                f"{self.game.name!r}: player {player} is to move but has no legal action; a game "
                "must say that it is over, or give at least one action"
            )
            raise GameContract(message)
        return actions

    def acting(self, moment: Moment) -> tuple[int, ...]:
        """The players who move now, ascending; nobody when the game is over."""
        return () if moment.ending is not None else games.acting_players(moment.state)

    def viewer(self, moment: Moment) -> int:
        """The player to move; in a finished game the one who would be next."""
        player = int(moment.state.to_play)
        if player == SIMULTANEOUS or player in self._players:
            return max(player, 0)
        return moment.ply % len(self._players)

    def observation(self, moment: Moment, player: int) -> Planes:
        """``float32[C, H, W]`` as ``player`` sees it; ``float32[0]`` if nothing is observed."""
        if self.observes == "none":
            return np.zeros(0, dtype=np.float32)
        if self.observes == "dict" and self._dict_of is not None:
            return self._dict_of(moment.state, player)  # type: ignore[return-value]
        return games.planes_of(moment.state, self.planes, player)

    def mask(self, moment: Moment, player: int, when_over: int) -> Mask:
        """``int8[A]``: 1 where ``player`` may act so; in a finished game all ``when_over``.

        Where actions have parts, a tuple with the mask of each.
        """
        if moment.ending is not None:
            return self.whole_mask(when_over)
        mask = games.action_mask(moment.state, player, self.game.num_actions)
        return masks_of(mask, self.game.action_parts)

    def whole_mask(self, value: int) -> Mask:
        """A mask with ``value`` everywhere."""
        mask = np.full(self.game.num_actions, value, dtype=np.int8)
        return masks_of(mask, self.game.action_parts)

    def info(
        self,
        moment: Moment,
        player: int,
        *,
        mask: Mask,
        illegal: bool = False,
        mover: int | None = None,
    ) -> Info:
        """What ``player`` is told besides the observation (SPEC §5).

        Args:
            moment: The game.
            player: Who is told.
            mask: His action mask.
            illegal: Whether his last action was illegal.
            mover: Whose last move is told of, in games that tell of moves; default his own.
        """
        state, ending = moment.state, moment.ending
        info: Info = {"action_mask": mask}
        if not self.game.is_hidden:
            info["state"] = state
        fen = getattr(state, "fen", None)
        if fen is not None:
            info["fen"] = fen
        info["to_play"] = int(state.to_play)
        info["ply"] = moment.ply
        info["phase"] = moment.phases[player]
        info["result"] = None if ending is None else ending.result
        info["reason"] = None if ending is None else ending.reason
        info["illegal_action"] = illegal
        if self._tells_winners:
            info["winners"] = None if ending is None else ending.winners
        if self.game.state_info is not None:
            info |= self.game.state_info(state)
        if moment.told:
            info |= moment.told[player if mover is None else mover]
        return info

    def no_moves(self) -> tuple[Info, ...]:
        """What is told of moves, by player, before there are any."""
        if self.game.move_info is None:
            return ()
        return tuple(self.game.move_info(None, None) for _ in self._players)

    def told(self, moment: Moment, mover: int, action: Any) -> tuple[Info, ...]:
        """What is told of moves, by player, after ``mover`` has played ``action``."""
        if self.game.move_info is None:
            return ()
        new = self.game.move_info(moment.state, action)
        return (*moment.told[:mover], new, *moment.told[mover + 1 :])

    def check_planes(self, state: Any) -> None:
        """Refuse a game whose planes are not what it was registered with.

        Raises:
            GameContract: They have another shape.
        """
        if self.observes != "planes":
            return
        shape = games.planes_of(state, self.planes, None if state.to_play >= 0 else 0).shape
        if shape != self.plane_shape:
            message = (
                f"{self.game.name!r}: planes({self.planes!r}) gave shape {shape}, but the game was "
                f"registered with {self.plane_shape}"
            )
            raise GameContract(message)

    def _phases(self, state: Any, previous: tuple[int, ...] | None) -> tuple[int, ...]:
        gate: Callable[..., int] | None = self.gate
        if gate is None:
            return (0,) * len(self._players)
        if previous is None:
            return tuple(gate(state, player) for player in self._players)
        return tuple(gate(state, player, previous[player]) for player in self._players)

    def _ending(self, state: Any) -> Ending:
        rewards = tuple(float(value) for value in state.returns)
        if len(rewards) != len(self._players):
            message = (
                f"{self.game.name!r}: returns has {len(rewards)} entries, but the game was "
                f"registered with {len(self._players)} players"
            )
            raise GameContract(message)
        reason = _reason(state)
        if not self._tells_winners:
            result = "1-0" if rewards[0] > 0 else "0-1" if rewards[0] < 0 else "1/2-1/2"
            return Ending(rewards, terminated=True, result=result, reason=reason)
        winners = tuple(player for player, reward in enumerate(rewards) if reward > 0)
        result = "win" if winners else "tie"
        return Ending(rewards, terminated=True, result=result, reason=reason, winners=winners)


def _reason(state: Any) -> str | None:
    outcome = getattr(state, "outcome", None)
    return None if outcome is None else str(outcome.reason)
