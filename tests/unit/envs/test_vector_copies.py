"""Copies of a native vector in mid-game go on as the original would."""

import copy
import pickle

import numpy as np
import pytest

from phasezoo import _core
from phasezoo.errors import CorruptRecord

COMMON = {"gate": None, "threads": 1, "copy": True}
SETUPS = {
    "chess": {"planes": "v1", "learner": "random", "opponent": "random", "max_plies": 30},
    "krk": {"planes": None, "learner": 1, "opponent": "best", "max_plies": 9},
    "chess960": {"planes": None, "learner": "alternate", "opponent": "none", "max_plies": 11},
    "pommerman-ffa": {"planes": "standard", "learner": 2, "opponent": "simple", "max_plies": 60},
    "pommerman-team": {
        "planes": None,
        "learner": 0,
        "opponent": "simple_unbiased",
        "max_plies": 40,
    },
}
OPTIONS = {"krk": {"start": "uniform", "both_move": True}, "pommerman-ffa": {"collapse": True}}


def made(game, autoreset="NextStep", illegal="random_legal", **changed):
    setup = {**COMMON, **SETUPS[game], **changed}
    return _core.GameVector(
        game, 6, autoreset=autoreset, illegal=illegal, game_options=OPTIONS.get(game), **setup
    )


def begun(vector):
    count = len(vector)
    vector.reset(None, np.arange(count, dtype=np.uint64), np.ones(count, dtype=np.bool_))
    return vector


def played(vector, first, steps):
    """What a vector shows over some steps; every third action may be illegal."""
    shown = []
    for step in range(first, first + steps):
        words = np.arange(6, dtype=np.uint64) * 1000 + step
        actions = vector.sample(words) if step % 3 else np.full(6, step % 4)
        arrays = vector.step(actions, words)
        finals = vector.finals(vector.ended())
        rest = vector.learners(), vector.phases(), vector.restarted(), vector.ended()
        shown.append((*(np.array(each) for each in (*arrays, *finals)), rest))
        shown.append([vector.state(row) for row in range(6)])
    return shown


def assert_same(ours, theirs):
    for mine, other in zip(ours, theirs, strict=True):
        for one, another in zip(mine, other, strict=True):
            if isinstance(one, np.ndarray):
                np.testing.assert_array_equal(one, another)
            else:
                assert one == another


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize("game", SETUPS)
def test_a_copy_goes_on_as_the_original_would(game, autoreset):
    vector = begun(made(game, autoreset))
    first = 0
    for steps in (0, 1, 7, 6):
        played(vector, first, steps)
        first += steps
        pickled, copied = pickle.loads(pickle.dumps(vector)), copy.deepcopy(vector)
        expected = played(vector, first, 25)
        assert_same(played(pickled, first, 25), expected)
        assert_same(played(copied, first, 25), expected)
        first += 25


def test_opponents_that_are_awaited_are_awaited_in_the_copy():
    vector = begun(made("chess", learner=1, opponent="outside"))
    copied = pickle.loads(pickle.dumps(vector))
    assert copied.waiting() == vector.waiting() == (list(range(6)), [0] * 6)
    actions = np.array([vector.state(row).legal_actions[0] for row in range(6)])
    for each in (vector, copied):
        each.reply(actions)
        assert each.waiting() == ([], [])
    for ours, theirs in zip(vector.observe(), copied.observe(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_has_not_begun_has_not_begun_in_the_copy():
    copied = copy.copy(made("chess"))
    assert len(copied) == 6
    begun(copied)
    assert copied.step(np.zeros(6, dtype=np.int64), np.zeros(6, dtype=np.uint64))


def test_what_is_no_saved_game_is_refused():
    restore, (game, count, options, games, is_ready) = begun(made("chess")).__reduce__()
    state, last, rest = games[0]
    for broken in (b"", rest[:-1], rest + b"0", b"\xff" * len(rest)):
        with pytest.raises(CorruptRecord):
            restore(game, count, options, [(state, last, broken), *games[1:]], is_ready)
