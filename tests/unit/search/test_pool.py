"""The pool from Python: results, leaves, answers, calls out of order, threads."""

import threading
from typing import Any

import numpy as np
import pytest
from search_fakes import Pile, chess_pool, chess_state, drive, pile_pool, synthetic, zeros

from phasezoo import _core, errors, games
from phasezoo.errors import (
    IllegalAction,
    InvalidArray,
    InvalidConfig,
    InvalidEvaluation,
    InvalidState,
)

MATE = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"


@pytest.mark.parametrize("batch_size", [1, 16, 64])
def test_a_result_has_the_shapes_that_usage_promises(batch_size: int) -> None:
    state = chess_state(fen=MATE)
    pool, tree = chess_pool(batch_size=batch_size)
    pool.begin(tree, state, nodes=800)
    drive(pool)
    result = pool.finish(tree)
    assert state.san(result.action) == "Rd8#"
    assert result.pv == [result.action]
    assert isinstance(result.pv, list)
    assert result.actions.tolist() == state.legal_actions.tolist()
    for array, dtype in (
        (result.visits, np.int64),
        (result.q, np.float32),
        (result.prior, np.float32),
    ):
        assert array.shape == state.legal_actions.shape
        assert array.dtype == dtype
    assert result.policy.shape == (4672,)
    assert result.policy.dtype == np.float32
    assert abs(result.policy.sum() - 1) < 1e-5
    assert (result.proven, result.proven_plies, result.value) == ("win", 1, 1.0)
    assert result.ended == pool.status(tree) == "solved"
    assert result.values is None
    assert result.seconds >= 0
    assert result.phase == 0


def test_leaves_show_planes_states_and_legal_actions() -> None:
    pool, tree = chess_pool(batch_size=8)
    root = chess_state(["e2e4", "c7c5"])
    pool.begin(tree, root, nodes=60)
    seen = 0
    while pool.running:
        leaves = pool.collect(8)
        seen += len(leaves)
        states = leaves.states()
        assert leaves.trees.tolist() == [tree] * len(leaves)
        assert leaves.phases.tolist() == [0] * len(leaves)
        assert leaves.players.tolist() == [state.to_play for state in states]
        offsets, actions = leaves.legal
        assert (offsets.dtype, actions.dtype) == (np.int64, np.int32)
        for row, state in enumerate(states):
            assert actions[offsets[row] : offsets[row + 1]].tolist() == state.legal_actions.tolist()
            assert state.moves[:2] == ["e2e4", "c7c5"]
        for spec in ("v1", "v2", "minimal"):
            planes = leaves.planes(spec)
            assert planes is leaves.planes(spec)
            assert np.array_equal(planes, games.encode(states, spec)), "history planes included"
        odd = leaves.select(range(1, len(leaves), 2))
        assert np.array_equal(odd.planes("v2"), leaves.planes("v2")[1::2])
        assert odd.states() == states[1::2]
        fresh = leaves.select(np.arange(len(leaves))[::-1])
        assert fresh.tickets.tolist() == leaves.tickets.tolist()[::-1]
        pool.complete(leaves, value=zeros(leaves))
    assert seen == 60
    with pytest.raises(errors.InvalidPlaneSpec, match="v9"):
        leaves.planes("v9")


def test_every_way_to_answer_gives_the_same_tree() -> None:
    def search(**convert: Any) -> Any:
        pool, tree = chess_pool(batch_size=5)
        pool.begin(tree, chess_state(), nodes=200)
        while pool.running:
            leaves = pool.collect(64)
            logits, values = synthetic(leaves, 4672)
            offsets, actions = leaves.legal
            rows = np.repeat(np.arange(len(leaves)), np.diff(offsets))
            if convert.get("legal"):
                answers = {"legal_logits": logits[rows, actions]}
            else:
                answers = {
                    "policy_logits": logits.astype(convert.get("dtype", np.float32), order="F")
                }
            if convert.get("wdl"):
                wins, losses = np.maximum(values, 0), np.maximum(-values, 0)
                answers["wdl"] = np.stack([wins, 1 - wins - losses, losses], axis=1)
            else:
                answers["value"] = values
            for part in np.array_split(np.arange(len(leaves)), 2):
                chosen = {
                    name: array[np.isin(rows, part)] if name == "legal_logits" else array[part]
                    for name, array in answers.items()
                }
                pool.complete(leaves.select(part), **chosen)
        return pool.finish(tree)

    plain = search()
    for other in (search(dtype=np.float64), search(legal=True), search(wdl=True)):
        assert np.array_equal(other.visits, plain.visits)
        assert np.allclose(other.q, plain.q, atol=1e-6)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({}, "neither value"),
        ({"value": np.zeros(3)}, r"value is float32\[3\], expected float32\[4\]"),
        ({"value": np.zeros((4, 2))}, "column per player"),
        ({"value": np.array([0, 0, np.nan, 0])}, r"value\[2\] is NaN"),
        ({"value": np.array([0, np.inf, 0, 0])}, r"value\[1\] is inf"),
        ({"value": np.array(["a"] * 4)}, "value is <U1"),
        ({"value": [0.0, 3.0, 0.0, 0.0]}, r"value\[1\] is 3"),
        ({"wdl": np.zeros((4, 2))}, r"wdl is float32\[4, 2\], expected float32\[4, 3\]"),
        ({"wdl": np.zeros((4, 3))}, r"wdl\[0\] is \[0.0, 0.0, 0.0\]"),
        ({"value": np.zeros(4), "policy_logits": np.zeros((4, 9))}, "policy_logits has 36 numbers"),
        ({"value": np.zeros(4), "policy_logits": np.zeros(9)}, "policy_logits is float32"),
        (
            {"value": np.zeros(4), "policy_logits": np.full((4, 4672), np.nan)},
            r"policy_logits\[0, ",
        ),
        ({"value": np.zeros(4), "legal_logits": np.zeros(5)}, "legal_logits is float32"),
        (
            {
                "value": np.zeros(4),
                "legal_logits": np.zeros(5),
                "policy_logits": np.zeros((4, 4672)),
            },
            "both given",
        ),
    ],
)
def test_bad_answers_are_named_and_may_be_given_again(
    answers: dict[str, Any], message: str
) -> None:
    pool, tree = chess_pool(batch_size=4, fpu=0.0)
    pool.begin(tree, chess_state(), nodes=50)
    root = pool.collect(4)
    pool.complete(root, value=zeros(root))
    leaves = pool.collect(4)
    assert len(leaves) == 4
    with pytest.raises(InvalidEvaluation, match=message):
        pool.complete(leaves, **answers)
    pool.complete(leaves, value=zeros(leaves))
    drive(pool)
    assert pool.finish(tree).nodes == 50


def test_leaves_come_home_once_and_to_their_own_pool() -> None:
    pool, tree = chess_pool(batch_size=4)
    other, _ = chess_pool()
    pool.begin(tree, chess_state(), nodes=50)
    leaves = pool.collect(4)
    with pytest.raises(InvalidState, match="another pool"):
        other.complete(leaves, value=zeros(leaves))
    pool.complete(leaves, value=zeros(leaves))
    with pytest.raises(InvalidState, match="completed before"):
        pool.complete(leaves, value=zeros(leaves))
    late = pool.collect(4)
    pool.finish(tree)
    pool.complete(late, value=zeros(late))  # given up: ignored
    with pytest.raises(InvalidArray, match="row 7 of a batch"):
        late.select([7])


@pytest.mark.parametrize("in_flight", [1, 2])
def test_a_row_that_stands_twice_in_a_batch_counts_once(in_flight: int) -> None:
    def visits(*, twice: bool) -> Any:
        pool = _core.SearchPool("connect-four", _core.SearchParams(in_flight=in_flight))
        tree = pool.add(1)
        pool.begin(tree, games.make("connect-four").initial_state(), simulations=60)
        while pool.running:
            leaves = pool.collect(8)
            if twice and len(leaves):
                leaves = leaves.select([*range(len(leaves)), 0])
            logits, values = synthetic(leaves, 7)
            pool.complete(leaves, policy_logits=logits, value=values)
        priors = {
            (a, b): np.asarray(seen.priors).tolist()
            for a in range(7)
            for b in range(7)
            if (seen := pool.inspect(tree, [a, b])) is not None
        }
        return pool.finish(tree).visits.tolist(), priors

    assert visits(twice=True) == visits(twice=False)


def test_calls_that_make_no_sense_are_typed_errors() -> None:
    pool, tree = chess_pool()
    with pytest.raises(InvalidState, match="tree 5"):
        pool.finish(5)
    with pytest.raises(InvalidState, match="tree -1"):
        pool.is_running(-1)
    with pytest.raises(InvalidState, match="begin"):
        pool.finish(tree)
    with pytest.raises(InvalidState, match='state of "chess" is needed'):
        pool.begin(tree, "a string", nodes=1)
    with pytest.raises(InvalidState, match="over"):
        pool.begin(tree, chess_state(fen="7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), nodes=1)
    for limit in (
        {},
        {"nodes": 0},
        {"simulations": -3},
        {"movetime_ms": 0.0},
        {"movetime_ms": np.nan},
    ):
        with pytest.raises(InvalidConfig):
            pool.begin(tree, chess_state(), **limit)
    for rows in (0, -1):
        with pytest.raises(InvalidConfig):
            pool.collect(rows)
    pool.begin(tree, chess_state(), nodes=3)
    drive(pool)
    with pytest.raises(IllegalAction, match="action 4671"):
        pool.advance(tree, 4671)
    with pytest.raises(errors.UnknownGame, match="checkers"):
        _core.SearchPool("checkers", _core.SearchParams())


@pytest.mark.parametrize(
    "given",
    [
        {"batch_size": 0},
        {"batch_size": -1},
        {"c_puct_init": float("nan")},
        {"c_puct_base": 0.0},
        {"fpu": -1.0},
        {"virtual_style": "virtual_offset"},
        {"virtual_mix_threshold": -1},
        {"node_temperature": 0.0},
        {"dirichlet_alpha": 0.0},
        {"dirichlet_epsilon": 1.5},
        {"quantile_clipping": 1.0},
        {"temperature_plies": -1},
        {"memory_mb": -1},
    ],
)
def test_params_outside_their_range_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidConfig, match=next(iter(given))):
        _core.SearchParams(**given)


def test_params_can_be_read_and_compared() -> None:
    params = _core.SearchParams(batch_size=3, fpu=0.25)
    assert (params.batch_size, params.fpu, params.c_puct_base) == (3, 0.25, 19652.0)
    assert params == _core.SearchParams(fpu=0.25, batch_size=3)
    assert params != _core.SearchParams()
    assert params.asdict() == _core.SearchParams().asdict() | {"batch_size": 3, "fpu": 0.25}
    assert repr(params) == "SearchParams(batch_size=3, fpu=0.25)"
    with pytest.raises(AttributeError, match="no attribute 'cpuct'"):
        _ = params.cpuct


def test_params_of_other_names_and_types_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'cpuct'"):
        _core.SearchParams(cpuct=2.0)
    for name, wrong in [("batch_size", "8"), ("solver", 1), ("fpu", "no"), ("virtual_style", 3)]:
        with pytest.raises(TypeError, match=f"argument '{name}'"):
            _core.SearchParams(**{name: wrong})
    with pytest.raises(OverflowError):
        _core.SearchParams(batch_size=2**70)


def test_a_tree_follows_the_game() -> None:
    pool, tree = chess_pool(batch_size=8)
    state = chess_state()
    pool.begin(tree, state, nodes=600)
    drive(pool, num_actions=4672)
    first = pool.finish(tree)
    for action in first.pv[:2]:
        pool.advance(tree, action)
        state = state.play(action)
    known = pool.inspect(tree)
    assert known.visits > 10
    pool.begin(tree, state, nodes=50)
    drive(pool, num_actions=4672)
    second = pool.finish(tree)
    assert second.nodes == 50
    assert second.visits.sum() == known.visits - 1 + second.simulations


def test_trees_can_be_looked_into() -> None:
    pool, tree = chess_pool()
    assert pool.inspect(tree) is None
    pool.begin(tree, chess_state(fen=MATE), nodes=300)
    drive(pool)
    result = pool.finish(tree)
    root = pool.inspect(tree)
    assert (root.player, root.waiting, root.proven) == (0, False, "win")
    assert root.action_visits.sum() == result.visits.sum()
    assert np.all(np.diff(root.priors) <= 0)
    end = pool.inspect(tree, [result.action])
    assert (end.proven, end.proven_plies, len(end.actions)) == ("win", 0, 0)
    unvisited = root.actions[np.isnan(root.q)]
    assert all(pool.inspect(tree, [int(action)]) is None for action in unvisited)


def test_an_infinite_search_is_stopped_from_another_thread() -> None:
    pool, tree = chess_pool(batch_size=4)
    pool.begin(tree, chess_state(), infinite=True)
    started = threading.Event()

    def stop() -> None:
        started.wait()
        pool.stop(tree)

    thread = threading.Thread(target=stop)
    thread.start()
    while pool.is_running(tree):
        leaves = pool.collect(4)
        pool.complete(leaves, value=zeros(leaves))
        if pool.progress(tree)[0] > 500:
            started.set()
    thread.join()
    result = pool.finish(tree)
    assert result.ended == "stopped"
    assert result.nodes > 500


def test_four_threads_share_a_pool() -> None:
    pool = _core.SearchPool("chess", _core.SearchParams(), None, 2)
    trees = [pool.add(seed) for seed in range(40)]
    for tree in trees:
        pool.begin(tree, chess_state(), nodes=100)

    def work() -> None:
        while pool.running:
            leaves = pool.collect(10)
            pool.complete(leaves, value=zeros(leaves))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {pool.finish(tree).nodes for tree in trees} == {100}


def test_removed_trees_are_gone() -> None:
    pool, tree = pile_pool()
    pool.remove(tree)
    with pytest.raises(InvalidState, match="tree 0"):
        pool.remove(tree)
    assert pool.add(1) == 1


def test_heads_that_a_search_does_not_need_are_checked_too() -> None:
    pool, tree = pile_pool(batch_size=3)
    pool.begin(tree, Pile(12), nodes=20)
    leaves = pool.collect(1)
    with pytest.raises(InvalidEvaluation, match=r"plies_left\[0\] is -5"):
        pool.complete(leaves, value=[0.0], plies_left=[-5.0])
    with pytest.raises(InvalidEvaluation, match="sum to 1"):
        pool.complete(leaves, value=[0.0], wdl=[[1.0, 1.0, 1.0]])
    pool.complete(leaves, value=[0.0], plies_left=[5.0], wdl=[[0.0, 1.0, 0.0]])
    drive(pool, num_actions=4)
    assert pool.finish(tree).simulations > 0
