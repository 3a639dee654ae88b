"""Who moves the other players inside a search, in games whose players move at once.

*Others* is the word for these alone: what a search assumes of them is its own affair. Who really
plays the other players of an environment is an *opponent*.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.errors import GameContract, IllegalAction, InvalidArray, InvalidConfig
from phasezoo.games.contracts import checked_players, played
from phasezoo.games.queries import is_over, joint_action, where
from phasezoo.types import Actions, Gate, Planes

INFORMATION = ("observed", "full")
"""The knowledge of a search: what its player may know, or the whole state."""

ANY_GAME = ("random",)
"""Names that every game understands."""


def check_others(others: Any, game: games.Game | None) -> None:
    """Refuse what cannot move the others of ``game`` (None: of any game)."""
    if others is None:
        return
    if game is not None and game.native and not game.search_others:
        message = (
            f"others={others!r}: in {game.name!r} one player moves at a time, and the search tries "
            "everybody's actions; leave others= out"
        )
        raise InvalidConfig(message)
    if isinstance(others, str):
        known = [*ANY_GAME] if game is None else [*_names_in(game)]
        if game is None:
            for name in games.names():
                known += [other for other in _names_in(games.make(name)) if other not in known]
        if others in known:
            return
    elif callable(getattr(others, "select_batch", None)) and not isinstance(others, type):
        return
    message = f"others={others!r}: expected {_expected(game)}"
    raise InvalidConfig(message)


def needs_others(game: games.Game) -> InvalidConfig:
    """The error of a search in ``game``, whose players move at once, without others."""
    return InvalidConfig(
        f"the players of {game.name!r} move at once: say who moves the others, others= "
        f"{_expected(game)}"
    )


def _names_in(game: games.Game) -> tuple[str, ...]:
    return game.search_others if game.native else ANY_GAME


def _expected(game: games.Game | None) -> str:
    names = ANY_GAME if game is None else _names_in(game)
    return (
        f"a name, {' or '.join(map(repr, names))}, or an agent with select_batch(states, players), "
        "such as agents.RandomAgent() or agents.PolicyAgent(evaluator)"
    )


class OnePlayersState:
    """A state of one's own game as one player sees it; the others' actions are part of ``play``.

    It has the members of :class:`phasezoo.types.State` for a game of one player, who is number 0;
    everything else is the state's own.

    Args:
        state: A state in which ``player`` moves, alone or with others.
        player: Who searches.
        others: ``"random"``, or an agent with ``select_batch``.
        seed: Where the others' random numbers come from; the same seed gives the same actions,
            whatever ``player`` does.

    Raises:
        GameContract: The game of one's own breaks its contract.
        IllegalAction: The others answered with an action that is not legal.
        InvalidArray: They gave another number of actions.
    """

    to_play = 0

    def __init__(self, state: Any, player: int, others: Any, seed: int) -> None:
        self.state = state
        self.player = player
        self._others = others
        self._seed = seed
        self._num_players = games.game_of(state).num_players
        while not self.is_terminal and player not in self._acting():
            self._play_on({})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "state":  # not there yet while a copy is made
            raise AttributeError(name)
        return getattr(self.state, name)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over for the player."""
        return is_over(self.state) or self._settled() is not None

    @property
    def legal_actions(self) -> Actions:
        """``int64[L]``: the player's."""
        return games.legal_actions_of(self.state, self.player)

    @property
    def returns(self) -> list[float]:
        """The player's return."""
        settled = self._settled()
        if settled is not None:
            return [settled]
        given = self.state.returns
        try:
            return [float(given[self.player])]
        except (TypeError, ValueError, LookupError) as error:
            message = (
                f"{where(self.state)}: returns is {given!r}, expected one number for each of "
                f"{self._num_players} players"
            )
            raise GameContract(message) from error

    def play(self, action: int) -> "OnePlayersState":
        """The player's next turn."""
        after = OnePlayersState.__new__(OnePlayersState)
        after.__dict__.update(self.__dict__)
        after._play_on({self.player: int(action)})
        while not after.is_terminal and self.player not in after._acting():
            after._play_on({})
        return after

    def planes(self, spec: str, player: int | None = None) -> Planes:
        """``float32[C, H, W]`` as the player sees the state."""
        return games.planes_of(self.state, spec, self.player)

    def _settled(self) -> float | None:
        settled = getattr(self.state, "settled", None)
        return None if settled is None else settled(self.player)

    def _acting(self) -> tuple[int, ...]:
        return checked_players(self.state, self._num_players)

    def _play_on(self, own: dict[int, int]) -> None:
        acting = self._acting()
        asked = [player for player in acting if player not in own]
        rng = np.random.default_rng(self._seed)
        chosen = own | dict(zip(asked, self._chosen(asked, rng), strict=True))
        joint = joint_action(self.state, [chosen[player] for player in acting])
        self.state = played(self.state, joint)
        self._seed = int(rng.integers(2**63))

    def _chosen(self, asked: Sequence[int], rng: np.random.Generator) -> list[int]:
        legal = [games.legal_actions_of(self.state, player) for player in asked]
        if isinstance(self._others, str):
            return [int(rng.choice(actions)) for actions in legal]
        if not asked:
            return []
        given = np.asarray(self._others.select_batch([self.state] * len(asked), list(asked)))
        if given.shape != (len(asked),) or given.dtype.kind not in "iu":
            message = (
                f"the agent that moves the others gave {given.dtype}{list(given.shape)} for "
                f"{len(asked)} players; one whole number for each is needed"
            )
            raise InvalidArray(message)
        for player, action, actions in zip(asked, given, legal, strict=True):
            if action not in actions:
                message = (
                    f"the agent that moves the others answered action {action} for player "
                    f"{player}; legal are {actions.tolist()[:10]}"
                )
                raise IllegalAction(message)
        return [int(action) for action in given]


class OnePlayersGate:
    """A gate that is shown the states behind :class:`OnePlayersState`, as its player sees them."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.names = gate.names

    def batch(
        self, states: Sequence[Any], players: Sequence[int] | None, previous: Sequence[int] | None
    ) -> Any:
        """``int64[N]``: the phases of ``states``."""
        shown = [state.state for state in states]
        return self._gate.batch(shown, [state.player for state in states], previous)
