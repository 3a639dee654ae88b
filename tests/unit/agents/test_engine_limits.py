"""Limits that engines are given, and searches that are watched, changed and stopped meanwhile."""

import copy
import pickle
import threading

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.agents import Limit, TimeControl
from phasezoo.errors import InvalidConfig

START = games.make("chess").initial_state()
LADDER = games.make("chess").from_fen("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1")


class Wdl:
    """Says that half of all games are drawn."""

    plane_spec = None

    def evaluate_batch(self, leaves):
        wdl = np.tile(np.array([0.3, 0.5, 0.2], dtype=np.float32), (len(leaves), 1))
        return inference.Evaluation(wdl=wdl)


def agent(**options):
    return agents.MCTSAgent(inference.Uniform(), **{"batch_size": 8, "seed": 1} | options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"left_ms": -1}, "left_ms=-1: expected milliseconds, a number from 0 to 1e"),
        ({"left_ms": "5"}, "left_ms='5'"),
        ({"left_ms": 1e300}, r"left_ms=1e\+300"),
        ({"left_ms": True}, "left_ms=True"),
        ({"left_ms": 5, "increment_ms": float("nan")}, "increment_ms=nan"),
        ({"left_ms": 5, "moves_to_go": 0}, "moves_to_go=0: expected a whole number from 1"),
        ({"left_ms": 5, "overhead_ms": float("inf")}, "overhead_ms=inf"),
    ],
)
def test_clocks_out_of_range(options, words):
    with pytest.raises(InvalidConfig, match=words):
        TimeControl(**options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"depth": 0}, "depth=0: expected a whole number from 1"),
        ({"mate": 1.5}, "mate=1.5: expected a whole number from 1"),
        ({"clock": 60}, "clock=60: expected a TimeControl"),
        ({"infinite": False}, "a limit without a limit"),
        ({"infinite": 1}, "infinite"),
    ],
)
def test_limits_of_engines_out_of_range(options, words):
    with pytest.raises(InvalidConfig, match=words):
        Limit(**options)


def test_limits_of_engines_in_words():
    clock = TimeControl(left_ms=60_000, increment_ms=500, moves_to_go=40)
    assert str(Limit(clock=clock, depth=3)) == "40 moves in 60+0.5 s, depth 3"
    assert str(Limit(mate=2, infinite=True)) == "mate in 2, until it is stopped"
    assert (TimeControl(10_300, overhead_ms=100).target_ms, clock.most_ms) == (500, 60_000)


def test_a_search_ends_by_depth_mate_or_clock():
    result = agent(limit=Limit(depth=3)).search(START)
    assert (result.depth, result.ended) == (3, "depth")
    assert result.seldepth > 3
    result = agent(limit=Limit(mate=2)).search(LADDER)
    assert (result.proven, result.proven_plies, result.ended) == ("win", 3, "mate")
    result = agent(limit=Limit(clock=TimeControl(100, overhead_ms=100))).search(START)
    assert (result.nodes, result.ended) == (1, "movetime")
    assert agents.UCTAgent(limit=Limit(clock=TimeControl(20))).search(LADDER).simulations > 0


def test_times_and_counts_of_numpy_are_allowed_and_the_longest_are_searched():
    assert TimeControl(np.float32(5), moves_to_go=np.int64(3)) == TimeControl(5.0, moves_to_go=3)
    assert Limit(depth=np.int32(3)) == Limit(depth=3)
    longest = TimeControl(1e12, 1e12, 2**32 - 1)
    for limit in (Limit(clock=longest, nodes=9), Limit(depth=2**63 - 1, mate=2**63 - 1, nodes=9)):
        assert agent(limit=limit).search(START).nodes == 9


def test_what_a_session_is_given_for_one_search_is_checked():
    session = agent().session(1)
    with pytest.raises(InvalidConfig, match="limit=5: expected a Limit"):
        session.search(START, limit=5)
    with pytest.raises(InvalidConfig, match="limit=None: expected a Limit"):
        session.change_limit(None)
    with pytest.raises(InvalidConfig, match=r"watch=5: expected a function"):
        session.search(START, watch=5)
    assert session.search(START, limit=Limit(nodes=9)).nodes == 9


def test_limits_that_a_search_does_not_have_are_refused():
    with pytest.raises(InvalidConfig, match="mate= ends a search by its proof"):
        agent(limit=Limit(mate=1), solver=False).search(START)
    with pytest.raises(InvalidConfig, match="depth 3: a search with rollouts ends by"):
        agents.UCTAgent(limit=Limit(depth=3))


def test_draws_are_told_per_move():
    result = agents.MCTSAgent(Wdl(), limit=Limit(nodes=10)).search(START)
    seen = result.visits > 0
    assert np.allclose(result.draws[seen], 0.5)
    assert np.isnan(result.draws[~seen]).all()


def test_a_search_is_watched_and_stopped_from_another_thread():
    session = agent().session(1)
    assert session.report() is None
    session.stop()  # nothing runs
    seen, enough = [], threading.Event()

    def watch():
        seen.append(session.report().nodes)
        if len(seen) == 3:
            enough.set()

    stopper = threading.Thread(target=lambda: (enough.wait(), session.stop()))
    stopper.start()
    result = session.search(START, limit=Limit(infinite=True), watch=watch)
    stopper.join()
    assert seen[:3] == [1, 9, 17]
    assert result.ended == "stopped"
    assert result.nodes >= seen[-1]
    # The tree is kept, and the agent's own limit holds again.
    again = session.search(START)
    assert (again.nodes, again.ended) == (800, "nodes")
    assert again.visits.sum() >= 800 + result.nodes - 1


def test_a_pondered_search_goes_on_with_another_limit():
    session = agent().session(1)

    def hit():
        if session.report().nodes > 100:
            session.change_limit(Limit(nodes=200))

    result = session.search(START, limit=Limit(infinite=True), watch=hit)
    assert (result.nodes, result.ended) == (200, "nodes")


def test_looking_on_changes_nothing():
    watched = agent().session(1)
    result = watched.search(START, watch=watched.report)
    assert np.array_equal(result.visits, agent().session(1).search(START).visits)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_of_a_game_with_stopped_searches_has_their_trees(copied):
    session = agent(limit=Limit(nodes=100)).session(1)
    result = session.search(START, limit=Limit(infinite=True), watch=session.stop)
    assert result.ended == "stopped"
    session.search(START, limit=Limit(nodes=65))
    expected = copied(session).search(START)
    assert np.array_equal(session.search(START).visits, expected.visits)
