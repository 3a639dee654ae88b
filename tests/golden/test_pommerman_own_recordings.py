"""Recordings of our own: replayed, recorded anew, and what is told of a board that collapses."""

import gzip
import pickle

import numpy as np
import pytest
import record_pommerman
import replay_pommerman as replay

from phasezoo import _core
from phasezoo.zoo.pommerman.observation import pommerman_observation

NAMES = ("ffa_simple", "team_simple", "ovo_simple", "radio_random", "ffa_collapse", "team_collapse")


def path_of(repository, name):
    return repository / "tests" / "golden" / "pommerman_recordings" / f"{name}.jsonl.gz"


@pytest.mark.parametrize("name", NAMES)
def test_our_recordings_replay(repository, name):
    tally = replay.replay(path_of(repository, name))
    assert not tally.differences, tally.first
    assert tally.records >= 2
    assert tally.steps > 200


def test_the_same_seeds_give_the_same_games(repository, tmp_path):
    record_pommerman.main([str(tmp_path)])
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.jsonl.gz" for name in NAMES}
    for name in NAMES:
        anew, kept = (
            gzip.decompress(path.read_bytes())
            for path in (tmp_path / f"{name}.jsonl.gz", path_of(repository, name))
        )
        assert anew == kept, name


@pytest.mark.parametrize("name", ["ffa_collapse", "team_collapse"])
def test_the_step_of_a_collapse_is_told_of_as_before_it(repository, name):
    collapses = deaths = 0
    for record in replay.lines(path_of(repository, name)):
        if record["t"] == "game":
            playing = replay.replay_game(replay.Tally(), record)
            continue
        before = playing.state
        state = before.play(replay.joint(record["a"]))
        playing.state = state
        if record["i"] not in playing.record["collapses"]:
            assert state.before_collapse == state
            continue
        # The same step by the rules of movement and fire alone.
        moved = _core.pommerman_forward(before, record["a"])
        shown = pickle.loads(pickle.dumps(state))
        for player in range(4):
            ours, expected = (pommerman_observation(each, player) for each in (shown, moved))
            expected["step_count"] += 1
            np.testing.assert_equal(ours, expected)
        lived = [agent[5] for agent in before.agents]
        collapses += 1
        deaths += sum(lived) - sum(agent[5] for agent in state.agents)
        expected = [0 if each or name == "team_collapse" else -1 for each in lived]
        assert shown.rewards.tolist() == record["r"] == expected
    assert collapses >= 3
    assert deaths >= 2
