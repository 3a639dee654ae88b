"""Agents behind the board: what is watched is what would have been played unwatched."""

import threading
import time

import numpy as np
import pytest

from phasezoo import agents, games
from phasezoo.apps.web.search import Searcher, Stop

SEED = 5


class Endless:
    """A game of one's own that nobody ends, and that takes its time."""

    is_terminal = False
    to_play = 0
    returns = np.zeros(2)

    @property
    def legal_actions(self):
        time.sleep(0.001)
        return np.arange(2)

    def play(self, action):
        return Endless()

    def planes(self, spec, player=None):
        return np.zeros((1, 1, 1), dtype=np.float32)


games.register(
    "test-endless", initial_state=Endless, num_players=2, num_actions=2,
    plane_specs={"default": (1, 1, 1)},
)  # fmt: skip


def analyses_and_answer(text, game, state, **options):
    analyses = []
    searcher = Searcher(agents.make(text), text, game, 0, SEED)
    return analyses, searcher.search(state, Stop(60), analyses.append, **options)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("connect-four", "uct:simulations=3000"),
        ("connect-four", "uct:nodes=500"),
        ("krk", "uct:simulations=2000,rollout=krk,c=5,threshold=300,expansion=rollouts"),
    ],
)
def test_a_search_with_rollouts_finds_in_parts_what_it_finds_at_once(name, text):
    game = games.make(name)
    state = game.initial_state()
    analyses, answer = analyses_and_answer(text, game, state)
    whole = agents.make(text).session(SEED).search(state)
    assert len(analyses) >= 10
    assert answer.action == whole.action
    found = {move["action"]: move["visits"] for move in answer.analysis["moves"]}
    assert found == dict(zip(whole.actions.tolist(), whole.visits.tolist(), strict=True))
    assert answer.analysis["simulations"] == whole.simulations
    assert answer.analysis["value"] == pytest.approx(2 * whole.value - 1, abs=1e-4)


def test_a_search_in_batches_is_the_agents_own():
    game = games.make("connect-four")
    state = game.initial_state()
    text = "mcts:nodes=300,batch_size=4"
    _, answer = analyses_and_answer(text, game, state)
    whole = agents.make(text).session(SEED).search(state)
    assert answer.action == whole.action
    assert sum(move["visits"] for move in answer.analysis["moves"]) == whole.visits.sum()


@pytest.mark.parametrize("text", ["mcts:nodes=10", "uct:simulations=10"])
def test_an_analysis_goes_on_until_it_is_stopped_or_its_time_is_over(text):
    game = games.make("connect-four")
    searcher = Searcher(agents.make(text), text, game, 0, SEED)
    stop = Stop(60)
    heard = threading.Event()
    thread = threading.Thread(
        target=lambda: searcher.search(
            game.initial_state(), stop, lambda _: heard.set(), for_ever=True
        )
    )
    thread.start()
    assert heard.wait(30)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    answer = searcher.search(game.initial_state(), Stop(0.05), lambda _: None, for_ever=True)
    assert answer.action is not None


@pytest.mark.parametrize("text", ["uct:simulations=10", "uct:movetime_ms=20"])
def test_rollouts_of_a_game_that_never_ends_end_with_the_search(text):
    """Left to itself such a rollout takes 100,000 plies, and then it is an error."""
    game = games.make("test-endless")
    searcher = Searcher(agents.make(text), text, game, 0, SEED)
    for for_ever in (False, True):
        answer = searcher.search(game.initial_state(), Stop(0.1), lambda _: None, for_ever=for_ever)
        assert answer.action in (0, 1)
        assert answer.analysis["simulations"] >= 1
