"""The fingerprint of a gate: equal for equal answers, in every process, and different otherwise."""

import subprocess
import sys

import numpy as np
import pytest

from phasezoo import games, gating
from phasezoo.errors import InvalidGate
from phasezoo.gating.fingerprint import sample_states

GAMES = ("chess", "krk", "pommerman-ffa")
NAMES = ("early", "late")


def early(state):
    return int(state.ply >= 40)


def late(state):
    return int(state.ply < 40)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(gating.registry.REGISTRY, "own", {})


@pytest.mark.parametrize("game", GAMES)
def test_the_sample_is_the_same_each_time_and_of_many_positions(game):
    states, players = sample_states(games.make(game))
    again, _ = sample_states(games.make(game))
    assert states == again
    assert len(set(states)) > 100
    assert all(not state.is_terminal for state in states)
    assert all(0 <= player < games.make(game).num_players for player in players)


def test_chess_is_sampled_to_its_endgames():
    phases = gating.make("lichess").batch(sample_states(games.make("chess"))[0])
    assert (np.bincount(phases, minlength=3) > 20).all()


def test_equal_answers_have_equal_fingerprints_whatever_the_gate_is_called():
    one = gating.fingerprint(gating.make(early, names=NAMES), "chess")
    two = gating.make(lambda state: 0 if state.ply < 40 else 1, names=NAMES)
    assert one == gating.fingerprint(two, games.make("chess"))
    many = gating.make(lambda states: [early(s) for s in states], names=NAMES, batched=True)
    assert one == gating.fingerprint(many, "chess")
    assert len(one) == 64


def test_other_answers_names_games_or_memory_are_another_gate():
    gate = gating.make(early, names=NAMES)
    others = [
        gating.fingerprint(gating.make(late, names=NAMES), "chess"),
        gating.fingerprint(gating.make(early, names=("a", "b")), "chess"),
        gating.fingerprint(gate.as_monotone(), "chess"),
        gating.fingerprint(gate, "atomic"),
    ]
    assert len({gating.fingerprint(gate, "chess"), *others}) == 5


def test_another_process_has_the_same_fingerprint():
    code = (
        "from phasezoo import gating\n"
        "gate = gating.make(lambda state: int(state.ply >= 40), names=('early', 'late'))\n"
        "print(gating.fingerprint(gate, 'chess'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == gating.fingerprint(gating.make(early, names=NAMES), "chess")


def test_a_gate_that_fails_on_a_position_is_a_typed_error():
    with pytest.raises(InvalidGate, match=r"failed on a position of chess .*ZeroDivisionError"):
        gating.fingerprint(gating.make(lambda state: 1 // 0, names=NAMES), "chess")


def test_functions_are_compared_as_objects_and_lambdas_of_one_name_by_their_answers():
    def made(function):
        return gating.make(function, names=NAMES)

    first, second = made(lambda state: 0), made(lambda state: 1)
    assert first.spec == second.spec
    assert gating.same(made(early), made(early))
    assert not gating.same(first, second)
    assert not gating.same(first, second, "chess")
    assert gating.same(first, made(lambda state: 0), "chess")
    assert not gating.same(first, gating.make("lichess"))
    assert gating.same(gating.make("lichess"), gating.make("lichess:classic"))
    assert not gating.same(gating.make("lichess"), gating.make("moves:3"))
