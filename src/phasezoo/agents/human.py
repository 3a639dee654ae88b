"""A person at the terminal as an agent."""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from phasezoo import games
from phasezoo.agents.base import DeprecatedSeats, SequentialPool, Session, state_in
from phasezoo.errors import GameForfeited, PhasezooError

MOST_SHOWN = 40
"""Moves that are listed."""


class HumanAgent(DeprecatedSeats):
    """Asks a person for every move.

    They are shown the state and asked for a move: by its name (in Connect Four the number of the
    column), in UCI notation or SAN in games that have it, or by the number of the action where
    names are no numbers. What cannot be read, or is not legal, is asked for again; ``?`` lists the
    legal moves. Whoever types ``resign`` gives the game up: they lose a match's game, and an
    environment raises. The end of the input ends a match, and its unfinished game does not count.

    Args:
        ask: Called with a question, it returns a line, and raises ``EOFError`` at the end of the
            input; default the terminal's.
        tell: Called with every text that is shown; default written to the terminal.
        name: How reports call them.
    """

    def __init__(
        self,
        ask: Callable[[str], str] | None = None,
        tell: Callable[[str], None] | None = None,
        *,
        name: str = "human",
    ) -> None:
        self.name = name
        self._ask: Callable[[str], str] = _read_line if ask is None else ask
        self._tell: Callable[[str], None] = _write if tell is None else tell

    def __call__(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The action for ``info["state"]``; see :meth:`choose`.

        Raises:
            GameForfeited: They gave up.
            InvalidState: ``info`` has no state, because the game hides it.
        """
        return self.choose(state_in(info, self.name))

    def session(self, seed: int) -> Session:
        """One game; a person takes no seed."""
        return _Session(self, self._tell)

    def session_pool(self, game: games.Game, **options: Any) -> "HumanPool":
        """Open a pool of games, of which one at a time is played unless more are asked for."""
        return HumanPool(self)

    def choose(self, state: Any, player: int | None = None) -> int:
        """Ask the person for the action of ``player``; default the player to move.

        Raises:
            GameForfeited: They gave up.
            PhasezooError: Their input has ended.
        """
        acting = int(state.to_play) if player is None else player
        # Painters are not needed by other agents.
        from phasezoo.envs.rendering import render
        from phasezoo.envs.rendering.choice import name_of, pointing_of, sides_of

        game = games.game_of(state)
        legal = {
            name_of(state, action): action
            for action in games.legal_actions_of(state, acting).tolist()
        }
        pointing, who = pointing_of(game), sides_of(game)[acting]
        if pointing is not None and pointing.letters:
            who += f" ({pointing.letters[acting]})"
        self._tell(str(render(game, state, "ansi", player=acting)))
        while True:
            try:
                text = self._ask(f"{who}, your move (? lists them): ").strip()
            except EOFError as error:
                message = f"{self.name}: the input has ended; the unfinished game does not count"
                raise PhasezooError(message) from error
            if text == "resign":
                message = f"{self.name} gave up as player {acting}"
                raise GameForfeited(message, "resignation")
            if text == "?":
                self._tell(_listed(legal))
            elif text:
                action = legal[text] if text in legal else _read_move(state, text, legal)
                if action is not None and action in legal.values():
                    return action
                self._tell(f"{text!r} is no legal move here; {_listed(legal)}")


class HumanPool(SequentialPool):
    """A pool of games of a :class:`HumanAgent`; see :class:`~phasezoo.agents.base.SessionPool`."""

    concurrency = 1
    """Games at once that suit a person."""


class _Session:
    def __init__(self, agent: HumanAgent, tell: Callable[[str], None]) -> None:
        self._agent, self._tell = agent, tell
        self._has_begun = False

    def act(self, state: Any, player: int | None = None) -> int:
        plies, players = getattr(state, "ply", 0), games.game_of(state).num_players
        if not self._has_begun and plies >= players:
            self._tell(
                f"This game begins with an opening of {plies - plies % players} plies or more; "
                "--openings random:0 begins at the start."
            )
        self._has_begun = True
        return self._agent.choose(state, player)


def _read_move(state: Any, text: str, names: Iterable[str]) -> int | None:
    """The action that a text means, besides by name; None if it means none."""
    for notation in ("parse_uci", "parse_san"):
        if hasattr(state, notation):
            try:
                return int(getattr(state, notation)(text))
            except PhasezooError:
                continue
    is_number = text.isascii() and text.isdecimal()
    return int(text) if is_number and not any(map(str.isdecimal, names)) else None


def _listed(legal: Mapping[str, int]) -> str:
    more = f", and {len(legal) - MOST_SHOWN} more" if len(legal) > MOST_SHOWN else ""
    return f"legal are {', '.join([*legal][:MOST_SHOWN])}{more}"


def _read_line(question: str) -> str:
    _write(question, end="")
    # None is what Python makes of a standard input that was closed before it began.
    line = "" if sys.stdin is None or sys.stdin.closed else sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _write(text: str, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()
