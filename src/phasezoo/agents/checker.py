"""Let an agent play beside random players and name each contract that it breaks."""

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.agents.base import SessionAgent, name_of_agent
from phasezoo.checking import Findings, Report, shown, type_name
from phasezoo.errors import IllegalAction
from phasezoo.games.random_play import random_action
from phasezoo.observation import GameRunner, make_view, observe, view_of
from phasezoo.specs import NonNegativeInt, PositiveInt, check_value
from phasezoo.types import SIMULTANEOUS

PLIES = 60
"""A game is left after so many: an agent that breaks something breaks it soon."""

LEGAL = "an agent answers with a legal action"


def check(
    agent: Any, game: "str | games.Game" = "chess", *, matches: int = 2, seed: int = 0
) -> Report:
    """Let an agent play as every player, the others at random.

    It is shown what an environment shows: the planes that its ``plane_spec`` names, the phase by
    its ``gate``, and no state in a game with hidden information.

    Args:
        agent: A callable ``(observation, info) -> action``, or an object with ``session(seed)``.
        game: What is played.
        matches: Number of games as each player.
        seed: Draws starts and the others' actions.

    Returns:
        A report that is true if no contract is broken, and otherwise names each: that answers are
        legal actions; that observation and info stay as they are; that sessions of the same seed
        play alike; that the agent survives pickling.

    Raises:
        InvalidConfig: ``matches`` or ``seed`` is no such number.
        InvalidGate: The agent's gate does not fit the game.
        InvalidPlaneSpec: The game has not the planes that the agent asks for.
        UnknownGame: No game has that name.
    """
    check_value("matches", PositiveInt, matches)
    check_value("seed", NonNegativeInt, seed)
    return _Checker(agent, games.make(game), seed).run(matches)


class _Checker:
    def __init__(self, agent: Any, game: games.Game, seed: int) -> None:
        self.agent = agent
        self.game = game
        self.seed = seed
        self.runner = GameRunner(game)
        self.view = view_of(agent, make_view(game))
        self.findings = Findings()
        self.asked = 0

    def run(self, matches: int) -> Report:
        subject = f"agent {name_of_agent(self.agent)}"
        ready = self.findings.expect(
            callable(self.agent) or isinstance(self.agent, SessionAgent),
            "an agent is a callable (observation, info) -> action, or has session(seed)",
            f"{type_name(self.agent)} is neither",
        )
        if ready:
            players = [each for each in range(self.game.num_players) for _ in range(matches)]
            for number, player in enumerate(players):
                if callable(self.agent):
                    self._play(player, self.seed + number, self._called)
                if isinstance(self.agent, SessionAgent):
                    self._sessions(player, self.seed + number)
            self._pickles()
        return self.findings.report(subject, f"{self.asked} decisions in {self.game.name!r}")

    def _sessions(self, player: int, seed: int) -> None:
        played = []
        for _ in range(2):
            session = self.agent.session(seed)
            asked = lambda turn, player, session=session: session.act(turn.state, player)  # noqa: E731
            played.append(self._play(player, seed, asked))
        self.findings.expect(
            played[0] == played[1],
            "sessions of the same seed play alike",
            f"as player {player}: {shown(played[0])}, then {shown(played[1])}",
        )

    def _play(self, player: int, seed: int, asked: Any) -> list[int]:
        """The agent's actions in one game; a game that it breaks ends there."""
        rng = np.random.default_rng(seed)
        turn = self.runner.begin(self.game.initial_state(seed=seed), self._views())
        actions: list[int] = []
        while turn.ending is None and turn.ply < PLIES:
            acting = self.runner.acting(turn)
            action: Any = random_action(turn.state, rng)
            if player in acting and not self.runner.is_idle(turn, player):
                own = self._decide(turn, player, asked)
                if own is None:
                    break
                actions.append(own)
                if turn.state.to_play == SIMULTANEOUS:
                    action[acting.index(player)] = own
                else:
                    action = own
            turn = self.runner.play(turn, action)
        return actions

    def _views(self) -> tuple[Any, ...]:
        return (self.view,) * self.game.num_players

    def _decide(self, turn: Any, player: int, asked: Any) -> int | None:
        self.asked += 1
        here = f"as player {player} at ply {turn.ply}"
        try:
            answer = asked(turn, player)
        except Exception as error:
            found = f"{here} it raised {type(error).__name__}: {' '.join(str(error).split())}"
            self.findings.expect(False, LEGAL, found)
            return None
        legal = self.runner.legal_actions(turn, player)
        try:
            index = self.runner.index(answer)
        except IllegalAction as error:
            self.findings.expect(False, LEGAL, f"{here}: {error}")
            return None
        known = self.findings.expect(
            index in legal, LEGAL, f"{here} it answered {shown(answer)}; legal are {shown(legal)}"
        )
        return index if known else None

    def _called(self, turn: Any, player: int) -> Any:
        observation, _, info = observe(turn, player, self.view)
        before = copy.deepcopy(observation), _arrays(info)
        answer = self.agent(observation, info)
        self.findings.expect(
            _same(before, (observation, _arrays(info))),
            "an agent leaves observation and info as they are",
            f"as player {player} at ply {turn.ply}",
        )
        return answer

    def _pickles(self) -> None:
        contract = "an agent can be pickled, for worker processes"
        with self.findings.calling(contract, "pickling"):
            pickle.loads(pickle.dumps(self.agent))


def _arrays(info: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of what an agent could spoil."""
    return {key: copy.deepcopy(value) for key, value in info.items()}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and one.keys() == other.keys() and all(
            _same(one[key], other[key]) for key in one
        )  # fmt: skip
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(np.array_equal(one, other))
