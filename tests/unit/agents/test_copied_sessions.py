"""A copied or pickled session goes on as the original would."""

import copy
import pickle
import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
from material import Material
from own_games import Stones

from phasezoo import agents, games, inference
from phasezoo.errors import InvalidState

CHESS = games.make("chess")
FFA = games.make("pommerman-ffa")
NOISE = {"dirichlet_epsilon": 0.25, "temperature": 1.2, "temperature_plies": 50}

COPIES = [copy.copy, copy.deepcopy, lambda session: pickle.loads(pickle.dumps(session))]


def same(first, second):
    assert first.action == second.action
    for name in ("actions", "visits", "q", "prior", "policy"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert (first.nodes, first.simulations) == (second.nodes, second.simulations)


def after_moves(session, state, moves):
    """The state that the session is asked about after ``moves`` of its own and as many replies."""
    for number in range(moves):
        state = state.play(session.search(state).action)
        replies = state.legal_actions
        state = state.play(int(replies[number % len(replies)]))
    return state


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize(
    "options",
    [
        {"limit": agents.Limit(nodes=60), **NOISE},
        {"limit": agents.Limit(nodes=60), "batch_size": 8, **NOISE},
        {"limit": agents.Limit(simulations=90), "reuse_tree": False, **NOISE},
        {"limit": agents.Limit(nodes=80)},
    ],
)
def test_trees_noise_and_draws_go_on(options, copied):
    session = agents.MCTSAgent(Material(policy=False), **options).session(5)
    state = after_moves(session, CHESS.initial_state(), 3)
    twin = copied(session)
    for _ in range(3):
        ours, theirs = session.search(state), twin.search(state)
        same(ours, theirs)
        state = state.play(ours.action)
        state = state.play(int(state.legal_actions[-1]))
    other = agents.MCTSAgent(Material(policy=False), **options).session(5)
    assert other.search(state).visits.tolist() != ours.visits.tolist()  # there is a memory to keep


def test_a_copy_before_the_first_move_and_a_copy_of_a_copy():
    agent = agents.MCTSAgent(Material(policy=False), limit=agents.Limit(nodes=40), **NOISE)
    session = agent.session(9)
    early = copy.deepcopy(session)
    state = after_moves(session, CHESS.initial_state(), 2)
    assert after_moves(early, CHESS.initial_state(), 2) == state
    second = copy.deepcopy(copy.deepcopy(session))
    same(session.search(state), second.search(state))
    # Another game: both draw the same new seed.
    same(session.search(CHESS.initial_state()), second.search(CHESS.initial_state()))


def test_a_copy_searches_again_only_what_its_tree_holds():
    class Watched(Material):
        asked = 0  # of all copies together

        def evaluate(self, planes):
            Watched.asked += len(planes)
            return super().evaluate(planes)

    agent = agents.MCTSAgent(
        Watched(policy=False), limit=agents.Limit(nodes=50), reuse_tree=False, **NOISE
    )
    session = agent.session(1)
    state = after_moves(session, CHESS.initial_state(), 3)
    twin = copy.deepcopy(session)
    Watched.asked = 0
    twin.search(state)
    assert Watched.asked == 50
    assert twin._pool.counts.rows == session._pool.counts.rows + 50


@pytest.mark.parametrize("copied", COPIES)
def test_many_seats_go_on(copied):
    agent = agents.MCTSAgent(Material(policy=False), limit=agents.Limit(nodes=30), **NOISE)
    pool = agent.session_pool(CHESS)
    states, numbers = {}, [pool.open(seed) for seed in range(4)]
    pool.close(numbers.pop(1))

    def move(pool, state, number):
        pool.ask(number, state, state.to_play)
        while not (done := pool.poll()):
            pass
        assert [slot for slot, _ in done] == [number]
        return done[0][1]

    for number in numbers:
        state = CHESS.initial_state()
        for _ in range(number + 1):
            action = move(pool, state, number).action
            state = state.play(action)
            pool.tell(number, action, state)
            reply = int(state.legal_actions[0])
            state = state.play(reply)
            pool.tell(number, reply, state)
        states[number] = state
    pool.ask(3, states[3], 0)  # in the middle of a search
    twin = copied(pool)
    found = []
    for each in (pool, twin):
        while not (done := each.poll()):
            pass
        found.append(done + [move(each, states[number], number) for number in (0, 2)])
    assert found[0] == found[1]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("noise", [{}, NOISE])
def test_what_a_player_has_seen_goes_on(copied, noise):
    agent = agents.SinglePlayerMCTSAgent(
        inference.Uniform(), limit=agents.Limit(simulations=40), **noise
    )
    session = agent.session(1)
    others = [agents.SimpleUnbiasedAgent().session(player) for player in range(4)]
    state = FFA.initial_state(seed=4)
    for step in range(40):
        if step == 20:
            twin = copied(session)
        if step >= 20:
            same(session.search(state, 0), twin.search(state, 0))
        else:
            session.search(state, 0)
        state = state.play(np.array([o.act(state, p) for p, o in enumerate(others)]))


@dataclass(frozen=True)
class Race(Stones):
    most = 2


Race.register("copied-race")


def test_games_of_ones_own_go_on():
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(simulations=30), **NOISE)
    session = agent.session(2)
    state = after_moves(session, Race(10), 2)
    twin = pickle.loads(pickle.dumps(session))
    same(session.search(state), twin.search(state))


def test_a_session_that_is_searching_refuses_another_search():
    class Asking:
        plane_spec = None

        def evaluate_batch(self, leaves):
            session.search(CHESS.initial_state())

    agent = agents.MCTSAgent(Asking(), limit=agents.Limit(nodes=5))
    session = agent.session(1)
    with pytest.raises(InvalidState, match=r"session of its own \(agent.session"):
        session.search(CHESS.initial_state())
    # It goes on afterwards.
    agent.evaluator.evaluate_batch = lambda leaves: inference.Evaluation(
        value=np.zeros(len(leaves), dtype=np.float32)
    )
    assert session.search(CHESS.initial_state()).nodes == 5


def test_threads_on_one_session_are_told_and_none_hangs():
    class Slow:
        plane_spec = None

        def evaluate_batch(self, leaves):
            time.sleep(0.001)
            return inference.Evaluation(value=np.zeros(len(leaves), dtype=np.float32))

    session = agents.MCTSAgent(Slow(), limit=agents.Limit(nodes=60)).session(1)
    outcomes = []

    def search():
        try:
            outcomes.append(session.search(CHESS.initial_state()).action)
        except InvalidState as error:
            outcomes.append(str(error))

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(outcomes) == 3
    assert sum(isinstance(outcome, int) for outcome in outcomes) >= 1
