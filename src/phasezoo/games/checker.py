"""Play random games of a user's game and name each contract that it breaks."""

import copy
import operator
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from phasezoo.checking import Findings, Report, shown
from phasezoo.games import queries
from phasezoo.games.base import Game
from phasezoo.games.contracts import is_state
from phasezoo.games.random_play import MOST_PLIES, random_action
from phasezoo.games.registry import make
from phasezoo.games.symmetries import SymmetryChecker
from phasezoo.specs import NonNegativeInt, PositiveInt, check_value
from phasezoo.types import SIMULTANEOUS

KEYS = 1 << 64


def check(game: "str | Game", *, games: int = 20, seed: int = 0) -> Report:
    """Play random games and look at every state on the way.

    Args:
        game: A game or its registered name.
        games: How many games are played.
        seed: Draws starts and actions: the same seed gives the same report.

    Returns:
        A report that is true if no contract is broken, and otherwise names each: ranges, shapes and
        types of what states answer; that ``play`` leaves its state as it is and gives the same
        state every time; that returns are finite, and sum to 0 between two players; that games
        end; that states survive pickling and copying; that keys are numbers, and differ between
        positions; that symmetries, if any, are some; that states can be printed, and drawn and
        their actions named where they say so.

    Raises:
        InvalidConfig: ``games`` or ``seed`` is no such number.
        UnknownGame: No game has that name.
    """
    check_value("games", PositiveInt, games)
    return _Checker(make(game), check_value("seed", NonNegativeInt, seed)).run(games)


class _Checker:
    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.rng = np.random.default_rng(seed)
        self.findings = Findings()
        self.symmetries = SymmetryChecker(game, self.findings)
        self.plies = 0
        self.endless = False
        self.positions: dict[tuple[int, int], dict[str, Any]] = {}
        """Answers of the first state of a key and a ply."""

    def run(self, games: int) -> Report:
        played = 0
        while played < games and not self.endless:
            start = int(self.rng.integers(2**31))
            with self.findings.calling("games can be played", f"game {played}"):
                first = self.game.initial_state(seed=start)
                if not self._has_members(first):
                    break
                self._starts_alike(start)
                self._play(first)
            played += 1
        self.symmetries.compare()
        looked_at = f"{played} random games, {self.plies} plies"
        return self.findings.report(f"game {self.game.name!r}", looked_at)

    def _has_members(self, state: Any) -> bool:
        """Whether there is something to look at; every member that is missing is named."""
        moves = "legal_actions_of" if hasattr(state, "acting") else "legal_actions"
        members = ("to_play", "is_terminal", moves, "play", "returns", "planes")
        missing = [name for name in members if not hasattr(state, name)]
        return self.findings.expect(
            not missing,
            "states have the members of phasezoo.types.State",
            f"{type(state).__name__} has no {', '.join(missing)}",
        )

    def _starts_alike(self, seed: int) -> None:
        first, second = (self.game.initial_state(seed=seed) for _ in range(2))
        self.findings.expect(
            self._face(first) == self._face(second),
            "initial_state gives the same state for the same seed",
            f"two states made with seed {seed} differ",
        )

    def _play(self, state: Any) -> None:
        before = None
        for ply in range(MOST_PLIES):
            if not self._looks_right(state, ply):
                return
            if before is not None and hasattr(state, "ply"):
                self.findings.expect(
                    state.ply == before + 1,
                    "ply grows by one with every move",
                    f"it was {before}, then {state.ply}",
                )
            if state.is_terminal:
                return
            before = getattr(state, "ply", None)
            state = self._step(state, ply)
            if state is None:
                return
            self.plies += 1
        self.endless = True
        self.findings.expect(
            False, "games end", f"a random game was not over after {MOST_PLIES} plies"
        )

    def _step(self, state: Any, ply: int) -> Any:
        """Return the next state; None if the game cannot go on."""
        action = random_action(state, self.rng)
        face = self._face(state)
        after = state.play(action)
        here = f"at ply {ply}, action {shown(action)}"
        if not self.findings.expect(
            is_state(after), "play returns a state", f"it returned {shown(after)} {here}"
        ):
            return None
        self.findings.expect(
            after is not state, "play returns a new state", f"it returned the same object {here}"
        )
        self.findings.expect(
            self._face(state) == face,
            "play leaves the state as it is",
            f"what the state answers has changed {here}; return a changed copy instead",
        )
        self.findings.expect(
            self._face(state.play(action)) == self._face(after),
            "play gives the same state every time",
            f"two calls gave different states {here}; what is random must be part of the state",
        )
        self._copies(after, here)
        return after

    def _copies(self, state: Any, here: str) -> None:
        copiers: dict[str, Callable[[Any], Any]] = {
            "pickled": lambda given: pickle.loads(pickle.dumps(given)),
            "deep-copied": copy.deepcopy,
        }
        for name, copied in copiers.items():
            contract = f"states can be {name}"
            with self.findings.calling(contract, f"a state {here}"):
                self.findings.expect(
                    self._face(copied(state)) == self._face(state),
                    contract,
                    f"the copy of a state {here} answers differently",
                )

    def _looks_right(self, state: Any, ply: int) -> bool:
        """Whether a state can be played on; every contract that it breaks is noted."""
        expect, here = self.findings.expect, f"at ply {ply}"
        over = state.is_terminal
        expect(
            isinstance(over, bool | np.bool_),
            "is_terminal is True or False",
            lambda: f"it is {shown(over)} {here}",
        )
        self._returns(state, bool(over), here)
        self._planes(state, here)
        self._shows(state, bool(over), here)
        keyed = self._key(state, "key", here) and self._key(state, "graph_key", here)
        sound = self._turn(state, bool(over), here)
        if keyed and not self.game.native and (sound or over):
            self._compare(state, ply)
        if sound:
            self.symmetries.look(state, here)
        return sound

    def _turn(self, state: Any, over: bool, here: str) -> bool:
        players = range(self.game.num_players)
        to_play = state.to_play
        several = to_play == SIMULTANEOUS
        known = several or (_is_whole(to_play) and int(to_play) in players)
        self.findings.expect(
            known or over,
            "to_play is a player, or SIMULTANEOUS",
            lambda: f"it is {shown(to_play)} {here}; players are 0 to {players[-1]}",
        )
        if over:
            left = [] if several else list(state.legal_actions)
            self.findings.expect(
                not left,
                "there are no legal_actions when the game is over",
                lambda: f"they are {shown(left)} {here}",
            )
            return False
        if several:
            acting = queries.acting_players(state)
            listed = self.findings.expect(
                len(acting) > 0
                and list(acting) == sorted(set(acting))
                and set(acting) <= {*players},
                "acting lists the players who move, ascending",
                lambda: f"it is {shown(acting)} {here}",
            )
            playable = [self._actions(state.legal_actions_of(player), here) for player in acting]
            return listed and all(playable)
        return known and self._actions(state.legal_actions, here)

    def _actions(self, given: Any, here: str) -> bool:
        actions = np.asarray(given)
        whole = self.findings.expect(
            actions.ndim == 1 and actions.size > 0 and actions.dtype.kind in "iu",
            "legal_actions are whole numbers, and there is one while the game goes on",
            lambda: f"they are {shown(given)} {here}",
        )
        if not whole:
            return False
        self.findings.expect(
            bool((np.diff(actions) > 0).all()),
            "legal_actions are ascending, each once",
            lambda: f"they are {shown(given)} {here}",
        )
        return self.findings.expect(
            int(actions.min()) >= 0 and int(actions.max()) < self.game.num_actions,
            "legal_actions are below num_actions",
            lambda: f"they are {shown(given)} {here}; num_actions is {self.game.num_actions}",
        )

    def _returns(self, state: Any, over: bool, here: str) -> None:
        returns = np.asarray(state.returns)
        if not self.findings.expect(
            returns.shape == (self.game.num_players,) and returns.dtype.kind in "fiu",
            "returns hold one number a player",
            lambda: f"they are {shown(state.returns)} {here}",
        ):
            return
        self.findings.expect(
            bool(np.isfinite(returns).all() and np.abs(returns).max() <= 1),
            "returns lie in [-1, 1]",
            lambda: f"they are {shown(state.returns)} {here}",
        )
        if over and self.game.num_players == 2 and state.to_play != SIMULTANEOUS:
            self.findings.expect(
                abs(float(returns.sum())) < 1e-6,
                "returns of two players sum to 0",
                lambda: f"they are {shown(state.returns)} {here}; search takes one for the other's",
            )

    def _planes(self, state: Any, here: str) -> None:
        for spec, shape in self.game.plane_specs.items():
            for player in (None, *range(self.game.num_players)):
                if player is None and state.to_play == SIMULTANEOUS:
                    continue
                contract = f"planes({spec!r}) are finite numbers of the registered shape"
                with self.findings.calling(contract, f"planes({spec!r}, {player}) {here}"):
                    planes = np.asarray(state.planes(spec, player))
                    self.findings.expect(
                        planes.shape == tuple(shape)
                        and planes.dtype.kind in "fiub"
                        and bool(np.isfinite(planes).all()),
                        contract,
                        f"for player {player} they are {planes.dtype}{list(planes.shape)} {here}, "
                        f"expected {list(shape)}",
                    )

    def _shows(self, state: Any, over: bool, here: str) -> None:
        """Look at what the web board, notebooks and lists of moves show of a state."""
        with self.findings.calling("states can be printed", f"str() of a state {here}"):
            str(state)
        if hasattr(state, "svg"):
            with self.findings.calling("svg() draws a state", f"svg() {here}"):
                svg = state.svg()
                self.findings.expect(
                    isinstance(svg, str) and "<svg" in svg,
                    "svg() gives an SVG document",
                    lambda: f"it gave {shown(svg)} {here}",
                )
        if hasattr(state, "action_name") and not over and state.to_play != SIMULTANEOUS:
            with self.findings.calling("action_name names actions", f"action_name() {here}"):
                names = [state.action_name(int(action)) for action in state.legal_actions]
                self.findings.expect(
                    all(isinstance(name, str) for name in names) and len(set(names)) == len(names),
                    "action_name gives each legal action a text of its own",
                    lambda: f"it gave {shown(names)} {here}",
                )

    def _key(self, state: Any, name: str, here: str) -> bool:
        key = getattr(state, name, None)
        return key is None or self.findings.expect(
            _is_whole(key) and 0 <= int(key) < KEYS,
            f"{name} is a whole number from 0 to 2**64 - 1",
            lambda: f"it is {shown(key)} {here}",
        )

    def _compare(self, state: Any, ply: int) -> None:
        """Compare with another state of the same key: searches with ``graph`` hold them for one.

        They may have been reached by other moves, which planes may show, and another ``key``.
        """
        name = "graph_key" if hasattr(state, "graph_key") else "key"
        key = getattr(state, name, None)
        if key is None:
            return
        over = bool(state.is_terminal)
        acting = () if over else queries.acting_players(state)
        answers = {
            "is_terminal": over,
            "to_play": acting,
            "legal_actions": [queries.legal_actions_of(state, each).tolist() for each in acting],
            "returns": np.asarray(state.returns).tolist() if over else None,
        }
        if name == "graph_key" and acting:
            planes = partial(state.planes, self.game.default_planes, acting[0])
            answers["planes"] = _answer(planes)
        known = self.positions.setdefault((ply, int(key)), answers)
        differing = [each for each in answers if known.get(each) != answers[each]]
        self.findings.expect(
            not differing,
            f"states of one ply with the same {name} are the same position",
            f"two at ply {ply} have the {name} {key}, and differ in {', '.join(differing)}",
        )

    def _face(self, state: Any) -> tuple[Any, ...]:
        """All that a state answers, to be compared with what it answered before."""
        players = range(self.game.num_players)
        over = bool(state.is_terminal)
        asked: list[Callable[[], Any]] = [lambda: state.returns]
        for player in players:
            asked += [partial(state.planes, spec, player) for spec in self.game.plane_specs]
            if not over:
                asked.append(partial(queries.legal_actions_of, state, player))
        known = (getattr(state, "ply", None), getattr(state, "key", None))
        return over, None if over else state.to_play, known, *map(_answer, asked)


def _answer(question: Callable[[], Any]) -> Any:
    """An answer, or what was raised instead, so that one broken method does not hide others."""
    try:
        return np.asarray(question()).tobytes()
    except Exception as error:
        return type(error).__name__


def _is_whole(value: Any) -> bool:
    try:
        operator.index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)
