"""Calls in flight: their order, their threads, and the time that they count."""

import threading
import time

import numpy as np
import pytest
from leaf_fakes import FakeGate, FakeLeaves

from phasezoo import agents, arena
from phasezoo.inference import Counts, Evaluation
from phasezoo.inference.calls import Call, CallsInFlight, calls_at_once, parallel_calls_of
from phasezoo.inference.evaluator import Uniform
from phasezoo.inference.mixture import MixtureOfExperts

ANSWER = Evaluation(value=np.zeros(1, np.float32))


def call(taken, name, seconds=0.0, before=lambda: None):
    def ask(leaves, spent):
        before()
        time.sleep(seconds)
        spent.add(Counts(rows=len(leaves), calls=1, seconds=seconds))
        return ANSWER

    return Call(FakeLeaves([0]), ask, lambda _: taken.append(name))


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_answers_are_taken_in_in_the_order_of_the_questions(workers):
    taken, counts = [], Counts()
    flight = CallsInFlight(workers, counts)
    assert flight.most == min(2, workers + 1)
    for name in range(6):
        if len(flight) == flight.most:
            flight.take_in()
        flight.begin(call(taken, name, seconds=0.02 if name == 0 else 0.0))
    while flight:
        flight.take_in()
    assert taken == list(range(6))
    assert (counts.rows, counts.calls) == (6, 6)


def test_seconds_in_which_two_calls_are_answered_count_once():
    taken, counts, meet = [], Counts(), threading.Barrier(2)
    flight = CallsInFlight(2, counts)
    for name in range(2):
        flight.begin(call(taken, name, 0.1, lambda: meet.wait(20)))
    start = time.perf_counter()
    flight.take_in()
    flight.take_in()
    assert 0.1 <= counts.seconds <= 0.1 + (time.perf_counter() - start)
    alone = Counts()
    flight = CallsInFlight(0, alone)
    for name in range(2):
        flight.begin(call(taken, name, 0.05))
        flight.take_in()
    assert alone.seconds == pytest.approx(0.1)


def test_a_backend_is_told_how_many_calls_share_the_machine():
    seen = []
    flight = CallsInFlight(2, Counts())
    flight.begin(call([], 0, before=lambda: seen.append(calls_at_once())))
    flight.take_in()
    flight.begin(call([], 0, before=lambda: seen.append(calls_at_once())), here=True)
    flight.take_in()
    assert seen == [2, 1]


def test_what_is_forgotten_is_not_taken_in():
    taken, go = [], threading.Event()
    flight = CallsInFlight(1, Counts())
    flight.begin(call(taken, "first", before=lambda: go.wait(20)))
    flight.begin(call(taken, "second"))
    flight.forget()
    go.set()
    assert not flight
    flight.begin(call(taken, "third"))
    flight.take_in()
    assert taken == ["third"]


def test_an_evaluator_is_asked_by_other_threads_if_it_says_that_it_may():
    class Quick(Uniform):
        parallel_calls = 2

    assert parallel_calls_of(Uniform()) == 0
    assert parallel_calls_of(Quick()) == 2
    both, gate = {"a": Quick(), "b": Quick()}, FakeGate(names=("a", "b"))
    assert parallel_calls_of(MixtureOfExperts(both, gate, "exact")) == 2
    assert parallel_calls_of(MixtureOfExperts(both | {"b": Uniform()}, gate, "exact")) == 0


@pytest.mark.parametrize(("threads", "is_here"), [(1, True), (2, False)])
def test_an_evaluator_of_one_thread_is_asked_by_the_thread_that_searches(threads, is_here):
    askers = set()

    class Noting(Uniform):
        parallel_calls = 1

        def __init__(self):
            self.threads = threads

        def evaluate_batch(self, leaves):
            askers.add(threading.current_thread())
            return super().evaluate_batch(leaves)

    searcher = agents.MCTSAgent(Noting(), limit=agents.Limit(nodes=24), batch_size=8)
    arena.play_match(searcher, agents.make("random"), game="connect-four", games=16)
    assert (askers == {threading.current_thread()}) == is_here
