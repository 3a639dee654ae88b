"""Phases of leaves: gates of the core and of the user's."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from search_fakes import Pile, chess_state, drive, pile_pool, zeros

from phasezoo import _core, gating
from phasezoo.errors import InvalidGate


def phases_seen(gate: Any, **begin: Any) -> list[tuple[Any, int]]:
    """State and phase of every leaf of a search."""
    pool = _core.SearchPool("chess", _core.SearchParams(batch_size=4, fpu=0.0), gate)
    tree = pool.add(1)
    pool.begin(tree, chess_state(["e2e4"]), nodes=200, **begin)
    seen = []
    while pool.running:
        leaves = pool.collect(4)
        seen += zip(leaves.states(), leaves.phases.tolist(), strict=True)
        pool.complete(leaves, value=zeros(leaves))
    return seen


@pytest.mark.parametrize("spec", ["hash:5", "lichess", "moves:3", "none"])
def test_leaves_carry_the_phase_that_the_gate_gives(spec: str) -> None:
    gate = gating.make(spec, game="chess")
    for state, phase in phases_seen(gate):
        assert phase == gate(state)


class Recorder:
    """A gate of the user's that remembers what it was asked."""

    names = ("white", "black")

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.previous: list[Any] = []

    def batch(
        self,
        states: Sequence[Any],
        players: Sequence[int] | None = None,
        previous: Sequence[int] | None = None,
    ) -> Any:
        assert players == [state.to_play for state in states]
        self.asked += states
        self.previous.append(previous)
        return np.array([state.to_play for state in states])


def test_a_gate_of_ones_own_is_asked_once_per_leaf() -> None:
    gate = Recorder()
    seen = phases_seen(gate)
    assert [phase for _, phase in seen] == [state.to_play for state, _ in seen]
    assert gate.asked == [state for state, _ in seen]
    assert gate.previous[0] is None, "nothing stood before the root"
    assert all(before is not None for before in gate.previous[1:])
    # The phase one ply before is the other side's.
    flat = [phase for before in gate.previous[1:] for phase in before]
    assert flat == [1 - state.to_play for state in gate.asked[1:]]


def test_the_phase_before_the_root_may_be_given() -> None:
    gate = Recorder()
    phases_seen(gate, previous_phase=1)
    assert gate.previous[0] == [1]
    monotone = gating.make("hash:5", game="chess", monotone=True)
    assert all(phase >= 3 for _, phase in phases_seen(monotone, previous_phase=3))


@pytest.mark.parametrize("answer", [[2], [-1], [0, 0], ["x"], None])
def test_a_gate_that_answers_nonsense_is_named_and_leaves_nothing_behind(answer: Any) -> None:
    class Wrong(Recorder):
        def batch(self, states: Any, players: Any = None, previous: Any = None) -> Any:
            return answer

    pool, tree = pile_pool(gate=Wrong())
    pool.begin(tree, Pile(9), nodes=10)
    for _ in range(2):  # the leaf was given up, so it is met again
        with pytest.raises(InvalidGate, match="the gate "):
            pool.collect(1)
    assert pool.is_running(tree)


def test_exceptions_of_a_gate_come_back_as_they_were() -> None:
    error = KeyError("mine")

    class Raising(Recorder):
        def batch(self, states: Any, players: Any = None, previous: Any = None) -> Any:
            raise error

    pool, tree = pile_pool(gate=Raising())
    pool.begin(tree, Pile(9), nodes=10)
    with pytest.raises(KeyError) as raised:
        pool.collect(1)
    assert raised.value is error


def test_users_games_are_gated_by_key_or_by_the_users_gate() -> None:
    gate = gating.make("hash:3")
    pool, tree = pile_pool(gate=gate)
    pool.begin(tree, Pile(20), nodes=50)
    while pool.running:
        leaves = pool.collect(4)
        assert leaves.phases.tolist() == [state.key % 3 for state in leaves.states()]
        pool.complete(leaves, value=zeros(leaves))

    class Keyless(Pile):
        key = property()

        def play(self, action: int) -> Pile:
            return Keyless(self.stones - action, 1 - self.to_play)

    pool.begin(tree, Keyless(20), nodes=50)
    with pytest.raises(InvalidGate):
        drive(pool)
