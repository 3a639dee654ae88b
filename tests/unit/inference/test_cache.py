"""The evaluation cache: the same answers, fewer rows asked about, within its bound."""

import copy
import pickle
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from own_games import Stones

from phasezoo import _core, agents, games, gating, inference
from phasezoo.agents.search.driver import Driver
from phasezoo.errors import InvalidConfig
from phasezoo.inference import Cached, Counts, Evaluation, StateBatch, evaluate_leaves, with_cache

CHESS = games.make("chess")


class ByPlanes:
    """Answers a row by its planes alone, alike in any batch."""

    def __init__(self, game="chess", spec=None, salt=0.0, form="value", logits=True):
        self.plane_spec = games.make(game).plane_spec(spec)
        self.actions = games.make(game).num_actions
        self.salt, self.form, self.logits = salt, form, logits
        self.rows = 0

    def evaluate(self, planes):
        self.rows += len(planes)
        flat = planes.reshape(len(planes), -1)
        weights = np.random.default_rng(1).integers(-8, 9, flat.shape[1]).astype(np.float32) / 16
        moods = np.array([row @ weights for row in flat], np.float32) + np.float32(self.salt)
        value = 0.9 * np.sin(moods)
        wdl = np.stack([0.5 + value / 2, 0 * value, 0.5 - value / 2], axis=1)
        logits = np.sin(moods[:, None] + np.arange(self.actions, dtype=np.float32))
        return Evaluation(
            policy_logits=logits if self.logits else None,
            value=None if self.form == "wdl" else value,
            wdl=wdl if self.form == "wdl" else None,
            plies_left=20 + 10 * value if self.form == "plies" else None,
        )


def played(count, game=CHESS, seed=2):
    rng, state = np.random.default_rng(seed), game.initial_state()
    states = [state]
    while len(states) < count:
        state = state.play(int(rng.choice(state.legal_actions)))
        if state.is_terminal:
            state = game.initial_state()
        states.append(state)
    return states


def same(first, second):
    for name in ("value", "wdl", "plies_left", "legal_logits"):
        one, other = getattr(first, name), getattr(second, name)
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_array_equal(one, other)


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.lists(st.integers(0, 39), min_size=1, max_size=30), min_size=1, max_size=5),
    st.sampled_from(["value", "wdl", "plies"]),
    st.booleans(),
    st.sampled_from([1, 8]),
)
def test_answers_are_those_of_the_evaluator(batches, form, logits, cache_mb):
    plain, states = ByPlanes(form=form, logits=logits), played(40)
    cached, counts = Cached(ByPlanes(form=form, logits=logits), cache_mb), Counts()
    seen = set()
    for rows in batches:
        batch = StateBatch([states[row] for row in rows])
        before = counts.rows
        same(
            evaluate_leaves(cached, batch, counts),
            evaluate_leaves(plain, batch, Counts()),
        )
        assert counts.rows - before == len(set(rows) - seen)
        seen |= set(rows)
    assert counts.rows == cached.evaluator.rows
    assert counts.rows + counts.cached_rows == sum(map(len, batches))
    assert counts.hit_rate == counts.cached_rows / sum(map(len, batches))
    assert 0 < cached.used_mb <= cache_mb


@pytest.mark.parametrize("game", ["chess", "atomic", "connect-four", "krk"])
@pytest.mark.parametrize("batch_size", [1, 16])
def test_a_search_finds_the_same_with_it(game, batch_size):
    state = games.make(game).initial_state(3)
    options = {"limit": agents.Limit(nodes=400), "batch_size": batch_size}
    plain = agents.MCTSAgent(ByPlanes(game), **options).search(state)
    agent = agents.MCTSAgent(ByPlanes(game), cache_mb=16, **options)
    for _ in range(2):
        found = agent.search(state)
        np.testing.assert_array_equal(found.visits, plain.visits)
        np.testing.assert_array_equal(found.q, plain.q)
    assert agent.evaluator.evaluator.rows <= 400, "the second search asks about nothing"


@pytest.mark.parametrize("routing", ["exact", "majority", "soft"])
def test_a_mixture_is_cached_expert_by_expert(routing):
    names = gating.make("hash:3").names

    def searched(**options):
        experts = {name: ByPlanes(salt=salt) for salt, name in enumerate(names)}
        agent = agents.M2CTSAgent(
            experts, "hash:3", routing, limit=agents.Limit(nodes=200), batch_size=8, **options
        )
        return [agent.search(state) for state in [*played(3), *played(3)]], experts

    plain, asked = searched()
    cached, asked_less = searched(cache_mb=8)
    for one, other in zip(plain, cached, strict=True):
        np.testing.assert_array_equal(one.visits, other.visits)
        np.testing.assert_array_equal(one.q, other.q)
    rows = [sum(expert.rows for expert in each.values()) for each in (asked, asked_less)]
    assert rows[1] <= rows[0] / 2


def test_positions_that_differ_in_what_planes_do_not_show_are_told_apart():
    """Planes without castling rights: the legal actions tell."""

    class Blind(ByPlanes):
        def evaluate(self, planes):
            return super().evaluate(planes * 0)

    with_rights = CHESS.from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    without = CHESS.from_fen("r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1")
    cached, counts = Cached(Blind(spec="minimal")), Counts()
    answer = evaluate_leaves(cached, StateBatch([with_rights, without]), counts)
    assert len(answer.legal_logits) == len(with_rights.legal_actions) + len(without.legal_actions)
    evaluate_leaves(cached, StateBatch([without, with_rights]), counts)
    assert (counts.rows, counts.cached_rows) == (2, 2)


def test_the_same_board_after_other_moves_is_another_position():
    start = CHESS.initial_state()
    there_and_back = start
    for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
        there_and_back = there_and_back.play(there_and_back.parse_uci(move))
    counts = Counts()
    evaluate_leaves(Cached(ByPlanes(spec="v2")), StateBatch([start, there_and_back]), counts)
    assert (counts.rows, counts.cached_rows) == (2, 0)


def test_it_stays_within_its_bound_and_keeps_what_was_used_last():
    cached, counts = Cached(ByPlanes(), 1), Counts()
    states = [state for seed in range(40) for state in played(200, seed=seed)]
    for start in range(0, len(states), 200):
        evaluate_leaves(cached, StateBatch(states[start : start + 200]), counts)
        assert cached.used_mb <= 1
    assert cached.used_mb > 0.5
    assert 500 < len(cached) < len(states)
    before = counts.rows
    evaluate_leaves(cached, StateBatch(states[-200:]), counts)
    assert counts.rows == before
    evaluate_leaves(cached, StateBatch(states[100:200]), counts)
    assert counts.rows > before + 50
    cached.clear()
    assert (len(cached), cached.used_mb) == (0, 0)


def test_an_evaluator_may_change_the_form_of_its_answers():
    evaluator, states = ByPlanes(), played(6)
    cached = Cached(evaluator)
    for form in ("value", "wdl", "plies", "value"):
        evaluator.form = form
        for rows in (slice(0, 4), slice(2, 6)):
            batch = StateBatch(states[rows])
            answer = evaluate_leaves(cached, batch, Counts())
            np.testing.assert_allclose(
                answer.values(), evaluate_leaves(evaluator, batch, Counts()).values(), atol=1e-6
            )


def test_threads_share_it():
    cached, plain, states = Cached(ByPlanes(), 1), ByPlanes(), played(60)
    expected = evaluate_leaves(plain, StateBatch(states), Counts())
    wrong = []

    def ask(seed):
        rng = np.random.default_rng(seed)
        for _ in range(20):
            rows = rng.integers(0, 60, 17)
            answer = evaluate_leaves(cached, StateBatch([states[r] for r in rows]), Counts())
            if not np.array_equal(answer.value, expected.value[rows]):
                wrong.append(seed)

    threads = [threading.Thread(target=ask, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_copies_begin_empty_and_share_what_the_original_shared():
    mixture = with_cache(
        inference.MixtureOfExperts(
            {"part 0": ByPlanes(), "part 1": ByPlanes(salt=1)}, "hash:2", game="chess"
        ),
        4,
    )
    evaluate_leaves(mixture, StateBatch(played(4), [0, 1, 0, 1]), Counts())
    assert len(mixture.experts[0]) == 4
    for made in (copy.deepcopy(mixture), pickle.loads(pickle.dumps(mixture))):
        assert len(made.experts[0]) == 0
        evaluate_leaves(made, StateBatch(played(4), [0, 1, 0, 1]), Counts())
        assert len(made.experts[0]) == len(made.experts[1]) == 4


def test_what_cannot_be_cached_is_refused():
    class ByLeaves:
        plane_spec = "v2"

        def evaluate_batch(self, leaves):
            return Evaluation(value=np.zeros(len(leaves)))

    with pytest.raises(InvalidConfig, match="Uniform has no plane_spec"):
        Cached(inference.Uniform())
    with pytest.raises(InvalidConfig, match="evaluate_batch"):
        Cached(ByLeaves())
    with pytest.raises(InvalidConfig, match="with_cache"):
        Cached(inference.MixtureOfExperts({"part 0": ByPlanes()}, "hash:2", fallback="part 0"))
    with pytest.raises(InvalidConfig, match="already"):
        Cached(Cached(ByPlanes()))
    for size in (0, -1, 1.5, True):
        with pytest.raises(InvalidConfig, match="cache_mb"):
            Cached(ByPlanes(), size)
    with pytest.raises(InvalidConfig, match="cache_mb=-3"):
        agents.MCTSAgent(ByPlanes(), cache_mb=-3)


@dataclass(frozen=True)
class Nim(Stones):
    """An action is the number of stones to take. The last take shows."""

    taken: int = 0

    @property
    def legal_actions(self):
        return 1 + np.arange(min(3, self.stones))

    def play(self, action):
        return Nim(self.stones - action, 1 - self.turn, action)

    def planes(self, spec, player=None):
        return np.array([[[self.stones, self.taken]]], dtype=np.float32)


class NimHandle:
    name, num_players, num_actions = "nim", 2, 4

    def plane_shape(self, spec):
        return (1, 1, 2)


def test_a_game_of_ones_own_is_known_by_its_planes():
    class Counts4(ByPlanes):
        def __init__(self):
            super().__init__()
            self.plane_spec, self.actions = "all", 4

    found = []
    for evaluator in (Counts4(), Cached(Counts4())):
        pool = _core.SearchPool(NimHandle(), _core.SearchParams(solver=False))
        driver = Driver(pool, evaluator, 64, 1)
        trees = [pool.add(seed) for seed in range(4)]
        for tree in trees:
            pool.begin(tree, Nim(21 + tree), nodes=150)
        while pool.running:
            driver.round()
        found.append([pool.finish(tree).visits.tolist() for tree in trees])
        counts = driver.counts
    assert found[0] == found[1]
    assert counts.rows + counts.cached_rows == 600
    assert counts.rows <= 25 * 4 * 2


def test_packed_planes_are_keys_too():
    class Packed(ByPlanes):
        packed = True

        def evaluate(self, planes):
            return super().evaluate(planes.unpack())

    states, counts = played(30), Counts()
    cached = Cached(Packed())
    for _ in range(2):
        same(
            evaluate_leaves(cached, StateBatch(states), counts),
            evaluate_leaves(ByPlanes(), StateBatch(states), Counts()),
        )
    assert (counts.rows, counts.cached_rows) == (30, 30)
