"""Beam search against a plain beam over states, and what it must not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from reference_beam import (
    Beam,
    Branches,
    Lonely,
    Rules,
    Three,
    Wide,
    agrees,
    answer,
    line,
)

from phasezoo import _core, games, gating
from phasezoo.errors import InvalidConfig, InvalidEvaluation, InvalidState
from phasezoo.gating.callables import CallableGate

CHESS, FOUR = games.make("chess"), games.make("connect-four")
MIDDLE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
MATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
ROOK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
FIELDS = ("widths", "grain")


def text(widths):
    return ",".join(map(str, widths))


def pool_of(game, rules, gate=None, **more):
    own = {name: value for name, value in vars(rules).items() if name not in FIELDS}
    return _core.SearchPool.beam(
        game, _core.beam_settings(schedule=text(rules.widths), **own, **more), gate
    )


def searched(game, root, rules, **limit):
    """A pool with one finished search of ``root``, and its result."""
    pool = pool_of(game, rules)
    tree = pool.add(1)
    pool.begin(tree, root, **(limit or {"infinite": True}))
    while pool.running:
        answer(pool, pool.collect(10_000), rules.grain)
    return pool, pool.finish(tree)


def compare(game, root, rules):
    pool, result = searched(game, root, rules)
    beam = Beam(root, rules)
    mover = root.to_play
    assert result.value == pytest.approx(beam.root.value[mover], abs=1e-5)
    assert (result.proven is None) == (beam.root.exact is None)
    if result.ended == "solved":
        assert result.proven_plies == beam.root.exact
        assert result.policy[result.action] == 1
        return result
    assert result.ended in ("schedule", "exhausted")
    assert agrees(pool, 0, beam.root) == result.visits.sum() + 1
    assert result.nodes == sum(beam.rows)
    if (rules.grain > 100 or rules.backup == "minimax") and beam.root.best is not None:
        assert result.pv == line(beam.root)
        assert result.action == result.pv[0]
    check_policy(result, beam)
    return result


def check_policy(result, beam):
    """softmax(ln P + Q / 0.1), those that were not kept being worth what is said of the root."""
    root, mover = beam.root, beam.root.state.to_play
    actions = result.actions.tolist()
    kept = root.children
    q = [(kept[a].value if a in kept else root.own)[mover] for a in actions]
    np.testing.assert_allclose(result.q, q, atol=1e-5)
    np.testing.assert_allclose(result.prior, [root.priors[a] for a in actions], atol=1e-5)
    scores = np.log([root.priors[a] for a in actions]) + np.array(q) / 0.1
    shares = np.exp(scores - scores.max())
    np.testing.assert_allclose(result.policy[actions], shares / shares.sum(), atol=1e-4)
    assert result.policy.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("backup", ["minimax", "mean"])
@pytest.mark.parametrize("fen", [None, MIDDLE, ROOK])
def test_beams_of_chess_are_those_of_a_plain_one(fen, backup):
    root = CHESS.initial_state() if fen is None else CHESS.from_fen(fen)
    result = compare("chess", root, Rules((5, 3, 2, 2), backup=backup, wins="kept"))
    assert fen == ROOK or result.nodes == 1 + 5 + 15 + 30 + 60


def test_the_schedule_of_the_note_takes_1128_positions_besides_the_root():
    pool, result = searched("chess", CHESS.from_fen(MIDDLE), Rules((8, 5, 3, 2, 1, 1, 1)))
    assert (result.nodes, result.depth, result.ended) == (1129, 7, "schedule")
    assert result.visits.sum() == 1128
    assert len(result.pv) == 7
    assert pool.progress(0) == (1129, 1129)


@pytest.mark.parametrize("keep", ["policy", "value"])
@pytest.mark.parametrize("columns", ["", "4453", "44444411"])
def test_beams_of_connect_four_are_those_of_a_plain_one(columns, keep):
    root = FOUR.from_columns(columns)
    compare("connect-four", root, Rules((4, 3, 2, 1, 1), keep=keep, grain=3))


def test_keeping_by_value_evaluates_all_that_is_rated():
    root = CHESS.initial_state()
    kept = compare("chess", root, Rules((2, 2), keep="value", grain=1 << 20))
    assert kept.nodes == 1 + 20 + 2 * 20
    rated = compare("chess", root, Rules((2, 2), keep="value", rated=6, grain=1 << 20))
    assert rated.nodes == 1 + 6 + 2 * 6


rules_of_beams = st.builds(
    Rules,
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=5).map(tuple),
    keep=st.sampled_from(["policy", "value"]),
    rated=st.integers(0, 4),
    backup=st.sampled_from(["minimax", "mean"]),
    wins=st.sampled_from(["kept", "root", "all"]),
    grain=st.sampled_from([1, 4, 1 << 20]),
)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from([Branches, Lonely, Three]),
    seed=st.integers(0, 2**32),
    rules=rules_of_beams,
)
def test_beams_of_random_trees_are_those_of_a_plain_one(kind, seed, rules):
    compare(games.make(f"test-{kind.__name__.lower()}"), kind(seed), rules)


def told(result):
    return (
        result.action,
        result.value,
        result.pv,
        result.nodes,
        result.visits.tolist(),
        result.q.tolist(),
        result.policy.tolist(),
        result.ended,
    )


@settings(max_examples=25, deadline=None)
@given(data=st.data(), rules=rules_of_beams)
def test_no_answer_depends_on_neighbours_order_or_pieces(data, rules):
    """Rows go out a few at a time, come back in any order and division, some given up between."""
    seeds = data.draw(st.lists(st.integers(0, 2**32), min_size=1, max_size=5))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    most = data.draw(st.integers(1, 9))
    game = games.make("test-branches")
    pool = pool_of(game, rules, stagger=bool(rng.integers(2)))
    trees = [pool.add(seed) for seed in seeds]
    for tree, seed in zip(trees, seeds, strict=True):
        pool.begin(tree, Branches(seed), infinite=True)
    out = []
    while pool.running:
        out.append(pool.collect(most))
        place = int(rng.integers(len(out)))
        leaves = out.pop(place)
        if rng.random() < 0.1:
            pool.cancel(leaves)
        elif rng.random() < 0.3 and not pool.running > len(out):
            out.append(leaves)
        else:
            rows = rng.permutation(len(leaves))
            cut = int(rng.integers(len(rows) + 1))
            for part in (rows[:cut], rows[cut:]):
                answer(pool, leaves.select(part), rules.grain)
    for tree, seed in zip(trees, seeds, strict=True):
        assert told(pool.finish(tree)) == told(searched(game, Branches(seed), rules)[1])


def ticks(count, most=1_000_000, rounds=30, widths=(8, 5, 3, 2, 1, 1, 1), **more):
    """Rows of each collection while ``count`` games of a wide tree go on without an end."""
    rules = Rules(widths)
    game = games.make("test-wide")
    pool = pool_of(game, rules, **more)
    trees = {pool.add(seed): Wide(seed) for seed in range(count)}
    for tree, state in trees.items():
        pool.begin(tree, state, infinite=True)
    rows = []
    for _ in range(rounds):
        leaves = pool.collect(most)
        rows.append(len(leaves))
        pool.complete(leaves, value=np.zeros(len(leaves), dtype=np.float32))
        for tree, state in trees.items():
            if not pool.is_running(tree):
                result = pool.finish(tree)
                assert result.nodes == sum(np.cumprod([1, *widths]))
                trees[tree] = state.play(result.action)
                pool.advance(tree, result.action)
                pool.begin(tree, trees[tree], infinite=True)
    return rows


def test_eight_games_a_layer_apart_give_batches_of_1129_rows():
    rows = ticks(8)
    assert rows[:8] == [1, 9, 49, 169, 409, 649, 889, 1129]
    assert set(rows[7:]) == {1129}


def test_sixty_four_games_give_batches_of_9032_rows():
    assert set(ticks(64, rounds=12)[7:]) == {9032}


def test_games_that_are_not_a_multiple_of_the_layers_stay_a_layer_apart():
    rows = ticks(11, widths=(2, 1, 1))[12:]
    assert max(rows) - min(rows) <= 7  # between two and three games at each of four layers


def test_games_in_step_give_batches_that_differ():
    rows = ticks(8, rounds=8, stagger=False)
    assert rows == [8, 64, 320, 960, 1920, 1920, 1920, 1920]


def test_few_games_at_once_lose_no_time():
    rows = ticks(2, rounds=18, widths=(2, 1, 1))
    assert sum(rows[1:17]) == 4 * 2 * 7  # both begin anew every four ticks


def test_a_win_at_once_needs_the_root_alone():
    root = CHESS.from_fen(ROOK)
    _, result = searched("chess", root, Rules((1, 1), wins="root"))
    assert (root.san(result.action), result.value, result.proven) == ("Rd8#", 1, "win")
    assert (result.proven_plies, result.nodes, result.ended) == (1, 1, "solved")
    assert result.pv == [result.action]
    assert result.policy[result.action] == 1


def test_proofs_come_from_what_is_kept():
    # Mate in two: with every legal move kept for three plies, the beam proves it.
    root = CHESS.from_fen("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")
    _, result = searched("chess", root, Rules((40, 40, 40), wins="kept"))
    assert (result.proven, result.value) == ("win", 1)
    _, narrow = searched("chess", root, Rules((40, 1, 1), wins="kept"))
    assert narrow.proven in (None, "win")
    if narrow.proven is not None:
        assert narrow.proven_plies == 1


def won_apart(node):
    """Whether a position has moves that win after different numbers of plies, here or below."""
    kids, mover = node.children.values(), node.state.to_play
    won = {kid.exact for kid in kids if kid.exact is not None and kid.value[mover] == 1}
    return len(won) > 1 or any(map(won_apart, kids))


def test_of_proven_wins_the_nearest_is_taken():
    rules, met = Rules((4, 4, 4, 4), wins="kept"), 0
    for seed in range(100):
        root = Branches(seed)
        beam = Beam(root, rules).root
        if beam.exact is None and won_apart(beam):
            compare(games.make("test-branches"), root, rules)
            met += 1
    assert met > 3


def test_a_lost_move_is_played_only_if_all_are_lost():
    for seed in range(300):
        root = Branches(seed)
        if root.is_terminal:
            continue
        rules = Rules((2, 3, 3), wins="kept")
        _, result = searched(games.make("test-branches"), root, rules)
        kept = result.visits > 0
        beam = Beam(root, rules).root
        lost = {
            action
            for action, child in beam.children.items()
            if child.exact is not None and child.value[root.to_play] == -1
        }
        if lost == set(beam.children) and not kept.all():
            assert result.action not in lost
            assert result.proven is None
            assert result.value == pytest.approx(beam.own[root.to_play], abs=1e-6)
            return
    pytest.fail("no such position was met")


def test_roots_that_are_over_are_refused():
    pool = pool_of("chess", Rules((1,)))
    tree = pool.add(0)
    over = CHESS.from_fen("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1").play(
        CHESS.from_fen("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1").parse_san("Qg7#")
    )
    with pytest.raises(InvalidState, match="over at this root"):
        pool.begin(tree, over, infinite=True)
    with pytest.raises(InvalidState, match="no root"):
        pool.finish(tree)


@pytest.mark.parametrize(
    ("limit", "nodes", "ended"),
    [
        ({"nodes": 1}, 1, "nodes"),
        ({"nodes": 8}, 1, "nodes"),
        ({"nodes": 9}, 9, "nodes"),
        ({"nodes": 60}, 49, "nodes"),
        ({"simulations": 168}, 49, "simulations"),
        ({"depth": 2}, 49, "depth"),
        ({"movetime_ms": 1e-3}, 1, "movetime"),
        ({"movetime_ms": 1e7}, 1129, "schedule"),
    ],
)
def test_limits_end_beams_between_layers(limit, nodes, ended):
    rules = Rules((8, 5, 3, 2, 1, 1, 1))
    _, result = searched("chess", CHESS.from_fen(MIDDLE), rules, **limit)
    assert (result.nodes, result.ended) == (nodes, ended)


def test_the_clock_runs_on_while_layers_come_back_in_pieces():
    pool = pool_of("chess", Rules((8, 5, 3)))
    trees = [pool.add(seed) for seed in range(3)]
    for tree in trees:
        pool.begin(tree, CHESS.from_fen(MIDDLE), movetime_ms=1e7)
    out, rounds = [], 0
    while pool.running:
        rounds += 1
        out.append(pool.collect(5))
        if rounds % 7 == 0:
            pool.cancel(out.pop())
        elif len(out) > 2 or not len(out[-1]):
            answer(pool, out.pop(0), 1 << 20)
    assert {(pool.finish(tree).nodes, pool.status(tree)) for tree in trees} == {(169, "schedule")}


def test_a_single_legal_move_ends_a_limited_search():
    root = CHESS.from_fen("7k/8/8/8/8/8/r7/7K w - - 0 1")
    assert len(root.legal_actions) == 1
    _, result = searched("chess", root, Rules((8, 5, 3)), nodes=1000)
    assert (result.nodes, result.ended) == (2, "forced")
    _, whole = searched("chess", root, Rules((8, 5, 3)))
    assert whole.ended == "schedule"


def test_a_stopped_beam_says_what_it_knows():
    pool = pool_of("chess", Rules((8, 5, 3)))
    tree = pool.add(0)
    pool.begin(tree, CHESS.initial_state(), infinite=True)
    assert pool.finish(tree).nodes == 0  # not even the root
    pool.begin(tree, CHESS.initial_state(), infinite=True)
    answer(pool, pool.collect(99), 1 << 20)
    leaves = pool.collect(3).select([0, 1, 2])  # a layer goes out whole
    answer(pool, leaves, 1 << 20)
    result = pool.finish(tree)
    assert (result.nodes, result.ended, result.depth) == (4, "stopped", 0)
    assert result.policy.sum() == pytest.approx(1, abs=1e-5)
    answer(pool, leaves.select([]), 1)
    pool.begin(tree, CHESS.initial_state(), infinite=True)
    first = pool.collect(9)
    answer(pool, first, 1)
    with pytest.raises(InvalidState, match="completed before"):
        answer(pool, first, 1)


def test_a_small_memory_ends_a_beam_between_layers():
    rules = Rules((40, 40, 40))
    pool = pool_of("chess", rules, memory_mb=1)
    tree = pool.add(0)
    pool.begin(tree, CHESS.from_fen(MIDDLE), infinite=True)
    while pool.running:
        answer(pool, pool.collect(100_000), 1 << 20)
    result = pool.finish(tree)
    assert (result.ended, result.depth) == ("memory", 2)
    assert 0 < result.memory < 1 << 20


@pytest.mark.parametrize(
    "schedule", ["", "0", "8,5,0", "8,-1", "8,x", "2.5", "4096,4096", "9" * 30, "1," * 200 + "1"]
)
def test_illegal_schedules_are_refused_by_name(schedule):
    with pytest.raises(InvalidConfig, match="schedule"):
        _core.beam_settings(schedule=schedule)


def test_answers_that_are_none_change_nothing():
    pool = pool_of("chess", Rules((2, 1)))
    tree = pool.add(0)
    pool.begin(tree, CHESS.initial_state(), infinite=True)
    leaves = pool.collect(9)
    for value in (np.nan, 2.0):
        with pytest.raises(InvalidEvaluation, match="value"):
            pool.complete(leaves, value=np.full(1, value, dtype=np.float32))
    with pytest.raises(InvalidEvaluation, match="wdl"):
        pool.complete(leaves, wdl=np.full((1, 3), 0.5, dtype=np.float32))
    answer(pool, leaves, 1)
    assert pool.progress(tree) == (1, 1)


@pytest.mark.parametrize("own", [False, True])
def test_phases_go_from_layer_to_layer(own):
    """A monotone gate, of the core or of one's own, sees the phase of the ply before."""
    gate = gating.make("monotone:plies:1", game="connect-four")
    if own:  # only ply 1 itself is late, and nothing goes back
        gate = CallableGate(lambda s: int(s.ply == 2), ("early", "late"), "second", monotone=True)
    pool = pool_of("connect-four", Rules((3, 2, 2)), gate)
    tree = pool.add(0)
    pool.begin(tree, FOUR.initial_state(), infinite=True)
    phases = []
    while pool.running:
        leaves = pool.collect(99)
        phases.append(set(leaves.phases.tolist()))
        answer(pool, leaves, 7)
    assert phases == [{0}, {0}, {1}, {1}]
    assert pool.finish(tree).phase == 0
