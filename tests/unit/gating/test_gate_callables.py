"""Functions as gates: wrapped, checked, registered, pickled."""

import pickle

import numpy as np
import pytest

from phasezoo import games, gating
from phasezoo.errors import InvalidArray, InvalidGate
from phasezoo.types import SIMULTANEOUS, Gate

CHESS = games.make("chess")
START = CHESS.initial_state()
QUEENLESS = CHESS.from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 60")


def queens(state):
    return 0 if "q" in state.fen.split()[0].lower() else 1


def by_ply(states):
    return np.array([min(state.ply, 2) for state in states])


def by_player(state, player):
    return player


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(gating.registry.REGISTRY, "own", {})


def test_a_registered_function_is_found_by_name_and_by_itself():
    assert gating.register("queens", names=("on", "off"))(queens) is queens
    gate = gating.make("queens")
    assert (gate.names, gate.num_phases, gate.spec) == (("on", "off"), 2, "queens")
    assert [gate(START), gate(QUEENLESS)] == [0, 1]
    assert gating.make(queens) == gate
    assert "queens" in gating.names()
    assert isinstance(gate, Gate)
    np.testing.assert_array_equal(gate.probabilities([QUEENLESS]), [[0, 1]])
    assert pickle.loads(pickle.dumps(gate)) == gate
    with pytest.raises(InvalidGate, match=r"first \(registered are 'queens'\)$"):
        gating.make("kings")


def test_registering_again_replaces_but_the_built_in_names_are_taken():
    gating.register("queens", names=("on", "off"))(queens)
    gating.register("queens", names=("a", "b", "c"))(queens)
    assert gating.make("queens").num_phases == 3
    for name in ("none", "lichess", "moves", "hash", "dtm", "proximity", "monotone"):
        with pytest.raises(InvalidGate, match="a gate of the package"):
            gating.register(name, names=("a", "b"))
    for name in ("", "Queens", "a:b", "a b", "9", "x" * 65, 3):
        with pytest.raises(InvalidGate, match="gate name"):
            gating.register(name, names=("a", "b"))
    for names in ((), "ab", ("a", "a"), ("a", 3), ("",), tuple(map(str, range(128)))):
        with pytest.raises(InvalidGate, match="names="):
            gating.register("mine", names=names)
    with pytest.raises(InvalidGate, match="names=None"):
        gating.register("mine", names=None)
    for name in ("all", "baseline", "mixture", "shared", "start", "from"):
        with pytest.raises(InvalidGate, match=f"a phase cannot be called '{name}'"):
            gating.register("mine", names=("rest", name))
    assert gating.make(lambda state: 0, names=("all",)).names == ("all",)  # of one phase
    with pytest.raises(InvalidGate, match="such as \\('early', 'late'\\)"):
        gating.register("mine")


def test_a_function_without_names_is_refused_and_with_names_wrapped():
    with pytest.raises(InvalidGate, match="names"):
        gating.make(queens)
    gate = gating.make(queens, names=("on", "off"))
    assert gate(QUEENLESS) == 1
    assert gate.spec.endswith("test_gate_callables.queens")
    assert pickle.loads(pickle.dumps(gate)) == gate


def test_batched_functions_get_lists():
    gating.register("ply", names=("0", "1", "2"), batched=True)(by_ply)
    gate = gating.make("ply")
    states = [START, CHESS.from_fen(START.fen, ["e2e4"])]
    assert gate.batch(states).tolist() == [0, 1]
    assert gate(states[1]) == 1
    assert gate.batch(iter(states)).tolist() == [0, 1]
    assert gate.batch([]).tolist() == []


@pytest.mark.parametrize("answer", [2, -1, 1.0, None, "1", 10**30, np.float32(1)])
def test_answers_that_are_no_phase_are_refused(answer):
    gate = gating.make(lambda state: answer, names=("a", "b"))
    with pytest.raises(InvalidGate, match="allowed are whole numbers from 0 to 1, for 'a', 'b'"):
        gate(START)


@pytest.mark.parametrize("answer", [True, np.int8(1), np.bool_(True), np.uint64(1)])
def test_answers_that_are_whole_numbers_are_taken(answer):
    assert gating.make(lambda state: answer, names=("a", "b"))(START) == 1


@pytest.mark.parametrize(
    "answer", [[0], [0, 1, 0], 3, None, [0, 2], np.zeros((2, 1), int), np.array([0.0, 1.0])]
)
def test_batched_answers_need_one_phase_a_state(answer):
    gate = gating.make(lambda states: answer, names=("a", "b"), batched=True)
    with pytest.raises(InvalidGate):
        gate.batch([START, START])


def test_errors_of_a_users_function_come_through_and_say_what_it_was_asked():
    def late(state):
        return 1 // (12 - state.ply)

    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"]
    states = [CHESS.from_fen(START.fen, moves[:n]) for n in range(11)]
    twelfth = CHESS.from_fen(START.fen, [*moves, "f1e1", "b7b5"])
    gate = gating.make(late, names=("a", "b"))
    assert gate.batch(states).shape == (11,)
    with pytest.raises(ZeroDivisionError) as raised:
        gate.batch([*states, twelfth, START])
    (note,) = raised.value.__notes__
    assert "late'" in note
    assert twelfth.fen in note
    together = gating.make(lambda states: 1 // 0, names=("a", "b"), batched=True)
    with pytest.raises(ZeroDivisionError) as raised:
        together.batch(states)
    assert raised.value.__notes__[0].endswith("asked about 11 states")


def test_monotone_callables():
    gating.register("queens", names=("on", "off"))(queens)
    gate = gating.make("queens", monotone=True)
    assert gate == gating.make("monotone:queens") == gating.make(queens, monotone=True)
    assert gate != gating.make("queens")
    assert gate.spec == "monotone:queens"
    assert gate.batch([START, START, QUEENLESS], previous=[0, 1, 0]).tolist() == [0, 1, 1]
    assert gating.make("queens").batch([START], previous=[1]).tolist() == [0]
    with pytest.raises(InvalidArray, match="previous"):
        gate.batch([START], previous=[0, 1])
    with pytest.raises(InvalidGate, match="the previous phase is 2"):
        gate(START, previous=2)


def test_functions_may_ask_who_sees_the_state():
    gate = gating.make(by_player, names=("first", "second"))
    after = CHESS.from_fen(START.fen, ["e2e4"])
    assert [gate(START), gate(after), gate(START, player=1)] == [0, 1, 1]

    class Together:
        to_play = SIMULTANEOUS

    assert gate(Together(), player=1) == 1
    with pytest.raises(InvalidGate, match="player="):
        gate(Together())


def test_gate_objects_of_a_users_own():
    class Full:
        names = ("a", "b")
        num_phases = 2
        spec = "full"

        def __call__(self, state, player=None, previous=None):
            return 1

        def batch(self, states, players=None, previous=None):
            return np.ones(len(states), dtype=np.int64)

        def probabilities(self, states, players=None, previous=None):
            return np.full((len(states), 2), 0.5, dtype=np.float32)

    class Small:
        names = ("a", "b")

        def __call__(self, state, player=None, previous=None):
            return 1

        def batch(self, states, players=None, previous=None):
            return [1] * len(states)

    full = Full()
    assert gating.make(full) == gating.make(full)
    np.testing.assert_array_equal(gating.make(full).probabilities([START]), [[0.5, 0.5]])
    assert gating.spec_of(full) == "full"
    wrapped = gating.make(Small())
    assert wrapped(START) == 1
    assert wrapped.probabilities([START]).tolist() == [[0.0, 1.0]]
    assert gating.make(full, monotone=True).spec == "monotone:full"


@pytest.mark.parametrize("answer", [2, -1, np.float64(1), None])
def test_answers_of_gate_objects_are_checked_too(answer):
    class Wrong:
        names = ("a", "b")
        num_phases = 2
        spec = "wrong"

        def __call__(self, state, player=None, previous=None):
            return answer

        def batch(self, states, players=None, previous=None):
            return [answer] * len(states)

        def probabilities(self, states, players=None, previous=None):
            return [[0.5, 0.6]] * len(states)

    gate = gating.make(Wrong())
    with pytest.raises(InvalidGate, match="allowed are whole numbers from 0 to 1"):
        gate(START)
    with pytest.raises(InvalidGate, match="each row from 0 up with sum 1"):
        gate.probabilities([START])


def test_names_that_do_not_suffice_are_named():
    gate = gating.make(lambda state: 1, names=("a",))
    with pytest.raises(InvalidGate, match="names= has one name for each phase"):
        gate(START)


def test_a_name_that_no_gate_has_here_says_what_to_do():
    with pytest.raises(
        InvalidGate, match=r"if it is a gate of your own, import the module .* first$"
    ):
        gating.make("mine")
    lambda_spec = gating.make(lambda state: 0, names=("a",)).spec
    with pytest.raises(InvalidGate, match="was never registered, so no name finds it"):
        gating.make(lambda_spec)


def test_names_given_for_a_registered_function_count():
    def three(state):
        return state.ply % 3

    gating.register("three", names=("x", "y", "z"))(three)
    own = gating.make(three)
    assert gating.make(three, names=("x", "y", "z")) is own
    other = gating.make(three, names=("u", "v", "w"))
    assert (own.names, other.names) == (("x", "y", "z"), ("u", "v", "w"))
    assert gating.make(three, names=("x", "y", "z"), batched=True).batched
    for gate in ("lichess", own, gating.make("plies:9")):
        for given in ({"names": ("u", "v")}, {"batched": True}):
            with pytest.raises(InvalidGate, match="they are for a function"):
                gating.make(gate, **given)
    with pytest.raises(InvalidGate, match="different names"):
        gating.make(three, names=("\ud800", "x", "y"))
