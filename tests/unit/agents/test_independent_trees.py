"""A tree's result depends on its own state, limit, seed and batch size, and on nothing else."""

import itertools
import threading
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from phasezoo import agents, games, gating, inference
from phasezoo.errors import InvalidEvaluation

GATES = {
    "chess": "hash:3",
    "atomic": "lichess",
    "connect-four": "hash:3",
    "pommerman-ffa": "hash:3",
}


class ByKey:
    """Answers a row by its planes alone, alike in any batch."""

    def __init__(self, game, salt, parallel_calls):
        self.parallel_calls = parallel_calls
        self.plane_spec = games.make(game).plane_spec()
        self.num_actions = games.make(game).num_actions
        self.salt = salt

    def evaluate(self, planes):
        sums = [float(np.dot(row, _weights(len(row)))) for row in planes.reshape(len(planes), -1)]
        moods = np.float32(self.salt) + np.array(sums, dtype=np.float32)
        actions = np.arange(self.num_actions, dtype=np.float32)
        return inference.Evaluation(
            policy_logits=6 * np.sin(moods[:, None] + actions), value=0.9 * np.sin(7 * moods)
        )


@cache
def _weights(size):
    return np.random.default_rng(1).integers(-8, 9, size).astype(np.float32) / 16


@cache
def roots(game):
    """States after some random plies."""
    rng, found = np.random.default_rng(5), []
    while len(found) < 8:
        state = games.make(game).initial_state(len(found))
        for _ in range(3 * len(found)):
            acting = games.acting_players(state)
            joint = [int(rng.choice(games.legal_actions_of(state, p))) for p in acting]
            state = state.play(joint[0] if len(joint) == 1 else joint)
            if state.is_terminal:
                break
        else:
            found.append(state)
    return found


def agent_of(game, routing, batch_size, limit, threads, parallel_calls=0, in_flight=1):
    names = gating.make(GATES[game], game=game).names
    return agents.M2CTSAgent(
        {name: ByKey(game, salt, parallel_calls) for salt, name in enumerate(names)},
        gate=GATES[game],
        routing=routing,
        batch_size=batch_size,
        in_flight=in_flight,
        limit=limit,
        threads=threads,
        game=game,
        others="random" if game.startswith("pommerman") else None,
        dirichlet_epsilon=0.25,
    )


def searched(agent, states, pool_rows=None, waves=None, first_seed=0):
    """The moves found for ``states``; tree i joins after ``waves[i]`` rounds of the pool."""
    pool = agent.session_pool(agent.game, pool_rows=pool_rows)
    late = dict(enumerate(waves or [0] * len(states)))
    tree_of, moves, rounds = {}, {}, 0
    while len(moves) < len(states):
        for tree in [tree for tree, wave in late.items() if wave <= rounds]:
            del late[tree]
            slot = pool.open(first_seed + tree)
            tree_of[slot] = tree
            acting = games.acting_players(states[tree])
            pool.ask(slot, states[tree], acting[0])
        rounds += 1
        moves |= {tree_of[slot]: move for slot, move in pool.poll()}
    return [moves[tree] for tree in range(len(states))]


@settings(deadline=None, max_examples=20)
@given(
    st.sampled_from(sorted(GATES)),
    st.sampled_from(["exact", "majority", "soft"]),
    st.integers(1, 96),
    st.integers(0, 60),
    st.integers(1, 3),
    st.lists(st.integers(0, 12), min_size=2, max_size=6),
    st.integers(20, 120),
    st.booleans(),
    st.integers(0, 2),
    st.integers(1, 2),
)
@example("connect-four", "exact", 64, 0, 1, [0] * 6, 120, True, 0, 1)
@example("connect-four", "exact", 32, 18, 1, [0, 1, 2, 3, 4, 5], 120, False, 2, 1)
@example("chess", "exact", 8, 18, 1, [0, 1, 2, 3, 4, 5], 120, False, 2, 2)
@example("chess", "majority", 16, 0, 1, [0], 120, True, 1, 2)
def test_a_tree_is_the_same_alone_and_in_any_pool(
    game, routing, batch_size, spare, threads, waves, nodes, patient, parallel_calls, in_flight
):
    # With a deadline, however late, queues do not wait for one another.
    limit = agents.Limit(nodes=nodes, movetime_ms=None if patient else 1e9)
    agent = agent_of(game, routing, batch_size, limit, threads, parallel_calls, in_flight)
    states = roots(game)[: len(waves)]
    together = searched(agent, states, batch_size + spare, waves)
    single = agent_of(game, routing, batch_size, limit, 1, 0, in_flight)
    for tree, (state, move) in enumerate(zip(states, together, strict=True)):
        (alone,) = searched(single, [state], first_seed=tree)
        assert move == alone, f"tree {tree}"
        assert_same_search(move.search, alone.search)


def assert_same_search(found, other):
    assert (found.nodes, found.ended) == (other.nodes, other.ended)
    np.testing.assert_array_equal(found.visits, other.visits)
    np.testing.assert_array_equal(found.q, other.q)


@pytest.mark.parametrize("in_flight", [1, 2])
@pytest.mark.parametrize(("routing", "parallel_calls"), [("exact", 0), ("exact", 2), ("soft", 2)])
@pytest.mark.parametrize("batch_size", [4, 8])
def test_a_tree_whose_proof_comes_while_leaves_are_out_is_the_same_too(
    batch_size, routing, parallel_calls, in_flight
):
    rng, states = np.random.default_rng(3), []
    while len(states) < 12:
        state = games.make("connect-four").initial_state()
        for _ in range(int(rng.integers(20, 36))):
            if not state.is_terminal:
                state = state.play(int(rng.choice(state.legal_actions)))
        if not state.is_terminal:
            states.append(state)
    limit = agents.Limit(nodes=60)
    agent = agent_of("connect-four", routing, batch_size, limit, 1, parallel_calls, in_flight)
    single = agent_of("connect-four", routing, batch_size, limit, 1, 0, in_flight)
    solved = 0
    for tree, (state, move) in enumerate(zip(states, searched(agent, states), strict=True)):
        (alone,) = searched(single, [state], first_seed=tree)
        assert_same_search(move.search, alone.search)
        solved += move.search.ended == "solved"
    assert solved >= 4


@pytest.mark.parametrize(
    "options", [{"graph": True}, {"epsilon_greedy": 0.5}, {"epsilon_checks": 0.2}], ids=str
)
@pytest.mark.parametrize("spare", [0, 2])
def test_rules_that_depend_on_the_order_of_answers_are_the_same_too(options, spare):
    agent = agents.MCTSAgent(
        ByKey("connect-four", 0, 0),
        limit=agents.Limit(nodes=150),
        batch_size=3,
        in_flight=2,
        game="connect-four",
        **options,
    )
    states = roots("connect-four") * 2
    for tree, (state, move) in enumerate(
        zip(states, searched(agent, states, pool_rows=3 + spare), strict=True)
    ):
        (alone,) = searched(agent, [state], first_seed=tree)
        assert_same_search(move.search, alone.search)


@pytest.mark.parametrize("routing", ["exact", "majority"])
def test_two_calls_are_out_while_the_search_goes_on(routing):
    numbers, meet, askers = itertools.count(), threading.Barrier(2, timeout=20), []

    class Meets(ByKey):
        """The first two calls wait for each other."""

        def evaluate(self, planes):
            askers.append(threading.current_thread())
            if next(numbers) < 2:
                meet.wait()
            return super().evaluate(planes)

    agent = agent_of("connect-four", routing, 1, agents.Limit(nodes=12), 1)
    experts = {name: Meets("connect-four", 0, 2) for name in agent.evaluator.names}
    agent.evaluator = inference.MixtureOfExperts(experts, GATES["connect-four"], routing)
    searched(agent, roots("connect-four") * 12)
    assert threading.main_thread() not in askers[:2]


def two_in_flight(evaluator, **limit):
    """An agent whose tree has a mini-batch collected while another is with the evaluator."""
    return agents.MCTSAgent(
        evaluator, limit=agents.Limit(**limit), game="chess", batch_size=8, in_flight=2, seed=3
    )


def test_a_mini_batch_is_collected_while_another_thread_has_the_one_before_it():
    collected, askers = threading.Semaphore(0), []

    class Waits(ByKey):
        def evaluate(self, planes):
            askers.append(threading.current_thread())
            if len(askers) == 2:  # the batch after the root's
                assert collected.acquire(timeout=20)
            return super().evaluate(planes)

    state = roots("chess")[0]
    session = two_in_flight(Waits("chess", 1, 0), nodes=100).session(3)
    found = session.search(state, watch=collected.release)
    calm = two_in_flight(ByKey("chess", 1, 0), nodes=100).session(3).search(state)
    assert threading.main_thread() not in askers
    assert found.nodes == found.simulations == 100
    assert found.visits.sum() == 99
    assert found.visits.tolist() == calm.visits.tolist()


def test_a_search_is_stopped_or_timed_with_a_mini_batch_outstanding():
    state = roots("chess")[0]
    session = two_in_flight(ByKey("chess", 1, 1), nodes=10**7).session(3)
    rounds = itertools.count()
    found = session.search(state, watch=lambda: next(rounds) == 9 and session.stop())
    assert found.ended == "stopped"
    assert found.visits.sum() == found.nodes - 1
    timed = session.search(state, limit=agents.Limit(movetime_ms=30))
    assert timed.ended == "movetime"
    following = state.play(int(timed.action))
    kept = session.search(following, limit=agents.Limit(nodes=50))
    assert (kept.nodes, kept.ended) == (50, "nodes")
    assert kept.visits.sum() > 50  # the tree goes on


def test_no_call_outlives_its_search_if_the_evaluator_wants_one_at_a_time():
    calls = []

    class Slow(ByKey):
        def evaluate(self, planes):
            calls.append("begun")
            answer = super().evaluate(planes)
            time.sleep(0.02)
            calls.append("ended")
            return answer

    session = two_in_flight(Slow("chess", 1, 0), nodes=10**7).session(3)
    for stop in (4, 5):
        rounds = itertools.count()
        watch = lambda last=stop, rounds=rounds: next(rounds) == last and session.stop()  # noqa: E731
        session.search(roots("chess")[0], watch=watch)
        assert calls.count("begun") == calls.count("ended")


def test_an_interrupt_with_a_mini_batch_outstanding_leaves_a_session_that_plays():
    class Interrupted(ByKey):
        calls = itertools.count(1)

        def evaluate(self, planes):
            if next(self.calls) == 4:
                raise KeyboardInterrupt
            return super().evaluate(planes)

    state = roots("chess")[0]
    session = two_in_flight(Interrupted("chess", 1, 1), nodes=100).session(3)
    with pytest.raises(KeyboardInterrupt):
        session.search(state)
    assert session.search(state).nodes == 100


@pytest.mark.parametrize("in_flight", [1, 2])
def test_a_failure_in_another_thread_reaches_the_caller_and_what_follows_is_right(in_flight):
    class Moody(ByKey):
        calls = itertools.count(1)  # two threads may ask at once

        def evaluate(self, planes):
            call = next(self.calls)
            answer = super().evaluate(planes)
            if call == 3:
                return inference.Evaluation(value=np.full(len(planes), np.nan))
            if call == 8:
                raise RuntimeError("no answer today")
            return answer

    states = roots("connect-four") * 4
    agent = agents.MCTSAgent(
        Moody("connect-four", 1, 2),
        limit=agents.Limit(nodes=20),
        game="connect-four",
        in_flight=in_flight,
    )
    pool = agent.session_pool(agent.game)
    numbers = [pool.open(tree) for tree in range(len(states))]

    def searched_again():
        for slot, state in zip(numbers, states, strict=True):
            pool.ask(slot, state, state.to_play)
        moves = {}
        while len(moves) < len(states):
            moves |= dict(pool.poll())
        return [moves[slot] for slot in numbers]

    with pytest.raises(InvalidEvaluation, match="Moody: value"):
        searched_again()
    with pytest.raises(RuntimeError, match="no answer today"):
        searched_again()
    moves = searched_again()
    calm = agents.MCTSAgent(
        ByKey("connect-four", 1, 0),
        limit=agents.Limit(nodes=20),
        game="connect-four",
        in_flight=in_flight,
    )
    assert moves == searched(calm, states)
    assert pool.counts.rows > 20 * len(states)
