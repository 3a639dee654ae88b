"""Kohne's study of UCT (2012) in this endgame: its figures, readings, and other endings.

Figures are the study's as printed; nothing is computed from them. The study is read by its text, by
its author's program, or in between. Each difference between the two is defined in
``docs/definitions/krk.md`` and can be taken alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from phasezoo.errors import InvalidConfig

CITATION = "M. Kohne: “Monte-Carlo Tree Search in chess endgames”, Ljubljana 2012"

CONSTANTS = (0.0, 0.12, 0.25, 0.75, 1.0, 1.75, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 500.0)
"""Values of the exploration constant C."""

THRESHOLDS = (5, 10, 30, 50, 75, 100, 150, 300, 500, 1000)
"""Values of T: a node visited more often than T selects, others start a rollout."""

BUDGETS = (3000, 6000)
"""Simulations before each of White's moves."""

FIRST_SIMULATIONS = 10_000
"""Simulations before the first move."""

GAMES = 100
"""Games a cell."""

MATE_IN = 15
"""Distance to mate of the position that every game of the study starts from, in White's moves."""

LENGTHS = (28.0, 36.0)
"""Average lengths of games, in White's moves (figure 4.2)."""

BEST_CONSTANT = {3000: (5.0,), 6000: (10.0,)}
"""Best C by budget (figure 4.7)."""

LOW_CONSTANT = 2.5
"""Up to this C the DTM difference is said to fall with T (figure 4.8)."""

HIGH_CONSTANT = 5.0
"""From this C on the DTM difference is said to be lowest at or near T = 30 (figure 4.8)."""

BEST_THRESHOLD = 30
"""Best T from C = 5 on (figure 4.8)."""

MOST_MOVES = 22
"""The largest number of legal moves White has: the reason given for T = 30."""

NEAR_BEST_THRESHOLD = (10, 30, 50)
"""Values that we count as at or near T = 30: it and its neighbours among the study's values."""

Ties: TypeAlias = Literal["first", "random", "last"]
"""Which of its best moves the perfect defender plays, by target square from a1, b1, … to h8."""

EndingName: TypeAlias = Literal["kqk", "krrk", "kbbk", "kbnk"]

DIFFERENCES: dict[str, str] = {
    "start": "games start from Kc1, Rb2 against Kd5",
    "first": "the first search has the 10,000 simulations besides those of every move",
    "reached": "a node selects from T visits on",
    "ties": "equal children are selected at random",
    "choice": "the most visited move is played, equal ones at random",
    "root": "a new root begins with one visit",
    "restart": "a rollout that meets an end in the tree starts again where selection ended",
    "capture": "a simulation ends where Black could take the rook",
    "leave": "Black takes, or leaves the opposition, before it looks to the centre",
    "urgent": "White looks first to a rook that is attacked",
    "protect": "only what gives up a rook, or puts it beside Black’s king alone, is unsafe",
    "early": "repetitions are avoided before the king comes nearer",
    "window": "repetitions are looked for among the last 20 positions",
    "closer": "White’s king comes strictly closer",
    "defender": "the perfect defender plays the first of its best moves",
}
"""Behaviour of the author's program where our reading of the text differs."""

_STARTS = ("8/8/8/4k3/8/8/8/K6R w - - 0 1", "8/8/8/3k4/8/8/1R6/2K5 w - - 0 1")
"""Positions with mate in 15: ours, and the program's."""

_POLICY = ("urgent", "protect", "early", "window", "closer", "leave", "capture")
"""Differences of the rollout policy, by the names that the core knows."""

_LAST = "+last"
"""Suffix of a reading in which the defender plays the last of its best moves."""

ONE_BY_ONE = "one-by-one"
"""Stands for every reading that differs from the text, or from the program, in one thing."""


@dataclass(frozen=True)
class Reading:
    """The parts of the author's program that are taken."""

    taken: frozenset[str]
    """Names of :data:`DIFFERENCES`."""
    last: bool = False
    """True if the defender plays the last of its best moves."""

    @classmethod
    def parse(cls, text: str, ties: Ties | None = None) -> "Reading":
        """Read ``thesis`` or ``author``, and what is added or left out.

        Args:
            text: ``thesis``, ``author``, ``thesis+closer+ties`` (the text's with two things as the
                program does them) or ``author-closer`` (the program's with one as the text says);
                with ``+last`` at the end the defender plays the last of its best moves.
            ties: Which of its best moves the defender plays; default as the reading says.
        """
        without = text.removesuffix(_LAST)
        base = "thesis" if without.startswith("thesis") else "author"
        sign = {"thesis": "+", "author": "-"}[base]
        name, *changes = without.split(sign)
        if name != base or len(set(changes) & set(DIFFERENCES)) < len(changes):
            raise _refusal(text)
        taken = set(changes) if base == "thesis" else set(DIFFERENCES) - set(changes)
        if ties is None and without != text:
            ties = "last"
        if ties is not None:
            taken = taken - {"defender"} if ties == "random" else taken | {"defender"}
        return cls(frozenset(taken), last=ties == "last")

    @property
    def ties(self) -> Ties:
        """Choice of the defender among its best moves."""
        if "defender" not in self.taken:
            return "random"
        return "last" if self.last else "first"

    @property
    def start(self) -> str:
        """The FEN that games start from."""
        return _STARTS["start" in self.taken]

    def rollout(self, policy: str = "krk") -> str:
        """Return a rollout policy with the changes of the reading."""
        changes = ",".join(name for name in _POLICY if name in self.taken)
        return f"{policy}:{changes}" if changes else policy

    def threshold(self, threshold: int) -> int:
        """Return the visits that a node must have more than, to select."""
        return max(0, threshold - 1) if "reached" in self.taken else threshold

    def first_simulations(self, before: int, every: int) -> int:
        """Return the simulations of the first search."""
        return before + every if "first" in self.taken else before

    def search_options(self) -> dict[str, Any]:
        """Return the options of :class:`~phasezoo.agents.UCTAgent` by which the search differs."""
        return {
            "expansion": "rollouts",
            "ties": "random" if "ties" in self.taken else "first",
            "choice": "most_visited" if "choice" in self.taken else "careful",
            "ends": "restart" if "restart" in self.taken else "count",
            "root_visits": int("root" in self.taken),
        }


def one_by_one() -> Iterator[str]:
    """Return both readings, each followed by those that differ from it in one thing."""
    for base, sign in (("thesis", "+"), ("author", "-")):
        yield base
        yield from (f"{base}{sign}{name}" for name in DIFFERENCES)
        yield base + _LAST


def _refusal(text: str) -> InvalidConfig:
    return InvalidConfig(
        f"reading {text!r}: expected thesis, author, thesis+NAME or author-NAME with one or more "
        f"of {', '.join(DIFFERENCES)}, each once; {_LAST} may follow"
    )


def reply(state: Any, ties: Ties, rng: np.random.Generator) -> int:
    """Return one of Black's longest defences."""
    if ties == "random":
        return int(rng.choice(state.best_actions))
    moves = sorted(map(int, state.best_actions), key=lambda action: _target(state.uci(action)))
    return moves[0 if ties == "first" else -1]


def _target(uci: str) -> tuple[str, str]:
    return uci[3], uci[2]


@dataclass(frozen=True)
class Ending:
    """An ending against a lone king, played by the same search."""

    title: str
    """Pieces of the side that wins."""
    game: str
    """Game whose position it is."""
    policy: str
    """Name of its rollout policy."""
    start: str | None
    """FEN that games start from; None: as the reading says."""
    mate_in: int
    """White's moves to mate from there."""


ENDINGS: dict[str, Ending] = {
    "": Ending("king and rook", "krk", "krk", None, 15),
    "kqk": Ending("king and queen", "chess", "lone-king", "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", 8),
    "krrk": Ending(
        "king and two rooks", "chess", "lone-king", "8/8/8/3k4/8/8/8/R3K2R w - - 0 1", 5
    ),
    "kbbk": Ending(
        "king and two bishops", "chess", "lone-king", "8/8/8/3k4/8/8/8/2B1KB2 w - - 0 1", 17
    ),
    "kbnk": Ending(
        "king, bishop and knight", "chess", "lone-king", "8/8/8/3k4/8/8/8/2B1K1N1 w - - 0 1", 30
    ),
}
"""The study's own under the empty name, and others by :data:`EndingName`, whose starts are those of
the program of the study's author, but for that of bishop and knight, which has none there."""
