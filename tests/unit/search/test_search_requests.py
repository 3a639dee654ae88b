"""What users of engines ask of one search: searchmoves, MultiPV, an early end."""

import pytest
from branches import WIDTH, Branches, answer, core
from reference_puct import puct, run_core, search
from search_fakes import Handle, chess_pool, chess_state, drive

from phasezoo import _core, agents, inference
from phasezoo.errors import IllegalAction, InvalidConfig


@pytest.mark.parametrize("first", [0, 1])
def test_searchmoves_are_searched_as_if_there_were_no_others(first: int) -> None:
    # The moves of a root by falling prior, two of which are kept.
    root = Branches(first=first)
    kept = [int(a) for a in root.legal_actions][::2]

    def restricted(state: Branches) -> tuple[dict[int, float], float]:
        logits, value = answer(state)
        return {a: logit for a, logit in logits.items() if state.path or a in kept}, value

    expected = search(root, 120, restricted, puct())
    found = core(root, 120, begin={"searchmoves": kept})
    assert found.actions.tolist() == kept
    assert found.visits.tolist() == [expected.visits[a] for a in kept]
    assert found.prior.tolist() == pytest.approx([expected.priors[a] for a in kept], abs=1e-6)


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
def test_a_search_among_moves_forgets_and_is_forgotten(player: int, batch_size: int) -> None:
    state = chess_state(["e2e4"][:player])
    legal = state.legal_actions.tolist()
    pool, tree = chess_pool(batch_size=batch_size)
    for _ in range(2):  # nothing is kept, neither way
        pool.begin(tree, state, nodes=200)
        drive(pool, num_actions=4672)
        whole = pool.finish(tree)
        assert (whole.actions.tolist(), whole.nodes) == (legal, 200)
        pool.begin(tree, state, nodes=200, searchmoves=legal[3:5])
        drive(pool, num_actions=4672)
        result = pool.finish(tree)
        assert result.actions.tolist() == legal[3:5]
        assert result.policy.nonzero()[0].tolist() == legal[3:5]
        assert (result.nodes, int(result.visits.sum())) == (200, 199)
    pool.advance(tree, result.action)
    kept = pool.inspect(tree)
    assert kept.visits > 10
    assert len(kept.actions) > 2


def test_one_move_is_searched_as_long_as_asked() -> None:
    pool, tree = chess_pool()
    move = chess_state().parse_uci("a2a4")
    pool.begin(tree, chess_state(), nodes=50, searchmoves=[move])
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    assert (result.nodes, result.ended, result.action) == (50, "nodes", move)
    # Proofs hold among the moves that were asked for.
    state = chess_state(fen="6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
    pool.begin(tree, state, nodes=300, searchmoves=[state.parse_uci("a1b1")])
    drive(pool, num_actions=4672)
    assert pool.finish(tree).proven is None


def test_wrong_searchmoves_are_refused() -> None:
    pool, tree = chess_pool()
    with pytest.raises(IllegalAction, match="searchmoves has action 4671"):
        pool.begin(tree, chess_state(), nodes=50, searchmoves=[4671])
    with pytest.raises(InvalidConfig, match="searchmoves is empty"):
        pool.begin(tree, chess_state(), nodes=50, searchmoves=[])
    pool.begin(tree, chess_state(), nodes=1)  # nothing is left of them
    drive(pool)
    assert len(pool.finish(tree).actions) == 20


def test_agents_search_among_moves_and_tell_lines() -> None:
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=100))
    moves = [chess_state().parse_uci(move) for move in ("e2e4", "d2d4")]
    result = agent.search(chess_state(), searchmoves=moves)
    assert sorted(moves) == result.actions.tolist()
    assert [line.action for line in result.lines(3)] == [
        result.action,
        (set(moves) - {result.action}).pop(),
    ]


@pytest.mark.parametrize("batch_size", [1, 64])
@pytest.mark.parametrize("player", [0, 1])
def test_lines_are_the_best_moves_in_order(player: int, batch_size: int) -> None:
    state = chess_state(["e2e4"][:player])
    pool, tree = chess_pool(batch_size=batch_size)
    pool.begin(tree, state, nodes=400)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    lines = result.lines()
    assert result.lines(5) == lines[:5]
    assert sorted(line.action for line in lines) == result.actions.tolist()
    assert lines[0].action == result.action
    assert lines[0].pv == result.pv
    shares = [result.policy[line.action] for line in lines]
    assert shares == sorted(shares, reverse=True)
    for line in lines:
        at = result.actions.tolist().index(line.action)
        assert (line.q, line.visits) == (result.q[at], result.visits[at])
        assert line.pv[0] == line.action
        assert len(line.pv) > 1 or line.visits < 2
        after = state
        for move in line.pv:
            assert move in after.legal_actions
            after = after.play(move)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("rows", [1, 16])
def test_lines_pass_by_lost_moves_where_others_are_left(rows: int, first: int) -> None:
    looked, ended = 0, 0
    for root in [(), *((move,) for move in range(3)), *((2, move) for move in range(3))]:
        for simulations in range(6, 40, 3):
            params = _core.SearchParams(batch_size=rows, fpu=None)
            pool = _core.SearchPool(Handle("branches", 2, WIDTH), params)
            tree = pool.add(3)
            state = Branches(root, first)
            result = run_core(pool, tree, state, simulations, answer, WIDTH, rows)
            for line in result.lines():
                for ply in range(1, len(line.pv)):
                    node, child = (pool.inspect(tree, line.pv[: ply + end]) for end in (0, 1))
                    is_end = child.phase == -1  # of ends the player is who moved last
                    lost = child.proven == ("loss" if is_end else "win")
                    assert node.proven is not None or not lost
                    looked += 1
                last = pool.inspect(tree, line.pv)
                if last is not None and last.proven is None:
                    ended += bool((last.action_visits > 0).any())
    assert looked > 300
    assert ended > 0, "some lines end where lost moves alone were visited"


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_lines_is_at_least_one(count: int) -> None:
    result = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=10)).search(
        chess_state()
    )
    with pytest.raises(InvalidConfig, match=rf"lines\({count}\): give a whole number"):
        result.lines(count)
