"""Every search keeps its time and hears of a stop, however slow the game and wide the batch."""

import copy
import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference
from phasezoo.agents import Limit
from phasezoo.errors import InvalidConfig

WIDTH = 30


@dataclass(frozen=True)
class Slow:
    """A game of thirty actions a ply whose ``play`` takes a while; plays are counted."""

    ply: int = 0
    trace: int = 0
    pause_s: ClassVar[float] = 0.0
    plays: ClassVar[int] = 0

    @property
    def to_play(self) -> int:
        return self.ply % 2

    @property
    def is_terminal(self) -> bool:
        return self.ply >= 12

    @property
    def legal_actions(self) -> Any:
        return np.arange(WIDTH)

    @property
    def returns(self) -> Any:
        value = float(self.trace % 3 - 1) if self.is_terminal else 0.0
        return np.array([value, -value], dtype=np.float32)

    def play(self, action: int) -> "Slow":
        if Slow.pause_s:  # a sleep of no time gives up the core
            time.sleep(Slow.pause_s)
        Slow.plays += 1
        return Slow(self.ply + 1, (31 * self.trace + int(action) + 1) % 1_000_003)

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.full((1, 1, 1), self.trace, dtype=np.float32)


games.register(
    "slow-branches",
    initial_state=Slow,
    num_players=2,
    num_actions=WIDTH,
    plane_specs={"default": (1, 1, 1)},
)

UNIFORM = inference.Uniform()
MANY = 4_096
WIDE = (WIDTH, WIDTH, WIDTH)
"""A beam of 27,931 positions."""

SEARCHES: dict[str, Any] = {
    "mcts": lambda limit: agents.MCTSAgent(UNIFORM, limit=limit, batch_size=MANY),
    "decoupled": lambda limit: agents.DecoupledMCTSAgent(UNIFORM, limit=limit, batch_size=MANY),
    "beam": lambda limit: agents.BeamAgent(UNIFORM, limit=limit, schedule=WIDE),
    "beam by value": lambda limit: agents.BeamAgent(
        UNIFORM, limit=limit, schedule=(9, 9, 9), keep="value", wins="all"
    ),
    "uct": lambda limit: agents.UCTAgent(limit=limit),
}


@pytest.fixture(autouse=True)
def counted() -> Any:
    Slow.plays, Slow.pause_s = 0, 0.0
    yield
    Slow.pause_s = 0.0


@pytest.mark.parametrize("name", SEARCHES)
def test_the_time_of_a_move_ends_what_is_on_its_way_down(name: str) -> None:
    Slow.pause_s = 0.004
    result = SEARCHES[name](Limit(movetime_ms=40)).search(Slow())
    assert result.ended == "movetime"
    # 40 ms are ten plays; what a batch or a layer takes as a whole is thousands.
    assert Slow.plays < 400


@pytest.mark.parametrize("name", SEARCHES)
def test_another_limit_is_for_one_search(name: str) -> None:
    session = SEARCHES[name](Limit(nodes=40)).session(3)
    first = session.search(Slow(), limit=Limit(nodes=10))
    second = session.search(Slow().play(first.action).play(0))
    assert first.nodes <= 10 < second.nodes <= 40
    twin = copy.deepcopy(session)
    state = Slow().play(1)
    assert twin.search(state).visits.tolist() == session.search(state).visits.tolist()
    assert session.move(state.play(4), limit=Limit(nodes=6)).nodes <= 6


@pytest.mark.parametrize("name", SEARCHES)
def test_a_watcher_stops_a_search_in_the_middle(name: str) -> None:
    session = SEARCHES[name](Limit(nodes=10**7)).session(3)
    Slow.pause_s = 0.0001

    def watch() -> None:
        if Slow.plays > 500:
            session.stop()

    result = session.search(Slow(), watch=watch)
    assert result.ended == "stopped"
    assert result.actions.tolist() == list(range(WIDTH))
    assert Slow.plays < 27_000


@pytest.mark.parametrize("name", ["mcts", "decoupled", "beam"])
def test_a_search_that_runs_can_be_looked_at_and_given_another_limit(name: str) -> None:
    session = SEARCHES[name](Limit(nodes=10**7)).session(3)
    seen = []

    def watch() -> None:
        report = session.report()
        seen.append((int(report.nodes), report.actions.tolist()))
        if report.nodes > 20:
            session.change_limit(Limit(nodes=40))

    result = session.search(Slow(), watch=watch)
    assert [nodes for nodes, _ in seen] == sorted(nodes for nodes, _ in seen)
    assert all(actions == list(range(WIDTH)) for _, actions in seen)
    assert result.ended == "nodes"
    assert session.report() is None


def test_a_wide_layer_is_the_same_however_it_is_made() -> None:
    session = SEARCHES["beam"](Limit(depth=3)).session(1)
    rounds = []
    found = session.search(Slow(), watch=lambda: rounds.append(int(session.report().nodes)))
    assert (found.nodes, found.depth, found.ended) == (1 + 30 + 900 + 27_000, 3, "schedule")
    assert len(rounds) > 27_000 // 1_024
    # Each position is made once; the root's moves are tried for a win too, and the game checked.
    assert Slow.plays <= found.nodes + WIDTH


def test_searches_of_every_kind_play_by_clocks() -> None:
    clock = Limit(clock=agents.TimeControl.read("2+0.01"))
    for name in ("decoupled", "beam"):
        game = "connect-four"
        searcher = {
            "decoupled": agents.DecoupledMCTSAgent(UNIFORM, limit=clock),
            "beam": agents.BeamAgent(UNIFORM, limit=clock, schedule=(3, 2)),
        }[name]
        match = arena.play_match(searcher, "random", game=game, games=2, seed=1)
        assert all(record.reason != "timeout" for record in match.games)


def test_what_a_beam_cannot_be_told_is_refused() -> None:
    session = SEARCHES["beam"](None).session(1)
    with pytest.raises(InvalidConfig, match="searchmoves= of a search is for MCTSAgent"):
        session.search(Slow(), searchmoves=[1, 2])
