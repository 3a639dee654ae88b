"""Syzygy tables at leaves and roots, and oracles of one's own."""

import copy
import pickle

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.inference import Evaluation, StateBatch
from phasezoo.inference.oracle import ORACLE_PLIES, Known

CHESS = games.make("chess")
HANGING = "8/8/8/4k3/8/3q4/3RK3/8 w - - 5 1"
"""White takes the queen, and stands in K+R v K."""


@pytest.fixture(scope="module")
def tables(shared_dir):
    pytest.importorskip("chess", reason="python-chess is not installed")
    folder = shared_dir / "data" / "tablebases"
    if not list(folder.glob("*.rtbw")):
        pytest.skip("the Syzygy tables of K+{R,Q,P} v K are not on this machine")
    return agents.Syzygy(folder)


def at(fen):
    return CHESS.from_fen(fen)


def mcts(oracle, nodes=200, **options):
    limit = agents.Limit(nodes=nodes)
    return agents.MCTSAgent(inference.Uniform(), limit=limit, oracle=oracle, **options)


# --- leaves ---


@pytest.mark.parametrize(
    ("fen", "value"),
    [
        ("8/8/8/8/1k6/8/8/K6R w - - 0 1", 1.0),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 1.0),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", -1.0),
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", 0.0),
        ("8/8/8/8/8/k7/p7/K7 w - - 0 1", 0.0),
    ],
)
def test_leaves_with_a_clock_of_0_are_known(tables, fen, value):
    import chess
    import chess.syzygy

    state = at(fen)
    if state.is_terminal:
        assert value == 0.0
        return
    known = tables.look(StateBatch([state, CHESS.initial_state()]))
    assert known.rows.tolist() == [True, False]
    assert known.plies.tolist() == [ORACLE_PLIES, -1]
    with chess.syzygy.open_tablebase(tables.path) as own:
        wdl = own.probe_wdl(chess.Board(fen))
    assert known.values[0] == {2: 1, -2: -1}.get(wdl, 0)
    assert known.values[0] == value


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/4P3/4K3 w - - 1 1",  # the clock runs: the rule of fifty moves may save it
        "4k3/8/8/8/8/8/3PP3/4K3 w - - 0 1",  # no such table
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # may castle
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ],
)
def test_other_leaves_are_not(tables, fen):
    assert tables.look(StateBatch([at(fen)])) is None


@pytest.mark.parametrize("batch_size", [1, 16])
def test_a_search_proves_by_tables(tables, batch_size):
    state = at(HANGING)
    result = mcts(tables, nodes=600, batch_size=batch_size).search(state)
    assert state.san(result.action) in ("Rxd3", "Kxd3")
    assert (result.proven, result.ended) == ("win", "solved")
    assert result.proven_plies > ORACLE_PLIES
    assert mcts(None, nodes=600, batch_size=batch_size).search(state).proven is None


def counted(agent, state):
    pool = agent.session_pool(CHESS)
    pool.ask(pool.open(1), state, state.to_play)
    while not pool.poll():
        pass
    return pool.counts, pool.result


def test_leaves_that_tables_know_are_not_asked_about(tables):
    class Strict:
        plane_spec = None

        def evaluate_batch(self, leaves):
            for state in leaves.states():
                assert tables.look(StateBatch([state])) is None
            return Evaluation(value=np.zeros(len(leaves)))

    state = at("8/8/3k4/8/2p5/1P6/3K4/8 w - - 0 1")
    agent = agents.MCTSAgent(Strict(), limit=agents.Limit(nodes=500), batch_size=8, oracle=tables)
    counts, result = counted(agent, state)
    assert counts.oracle_rows > 5
    assert counts.rows + counts.oracle_rows == result.nodes
    plain, _ = counted(mcts(None, nodes=500), state)
    assert plain.oracle_rows == 0


@pytest.mark.parametrize("routing", ["exact", "majority"])
def test_mixtures_have_tables_too(tables, routing):
    experts = {f"part {i}": inference.Uniform() for i in range(2)}
    agent = agents.M2CTSAgent(
        experts, "hash:2", routing, limit=agents.Limit(nodes=600), batch_size=8, oracle=tables
    )
    counts, result = counted(agent, at(HANGING))
    assert result.proven == "win"
    assert counts.oracle_rows > 0


# --- roots ---


def test_at_a_root_the_result_is_kept(tables):
    import chess
    import chess.syzygy

    own = chess.syzygy.open_tablebase(tables.path)
    rng, seen = np.random.default_rng(4), 0
    while seen < 25:
        squares = rng.choice(64, 3, replace=False)
        board = chess.Board(None)
        for square, piece in zip(squares, ["K", "k", str(rng.choice(list("RQP")))], strict=True):
            board.set_piece_at(int(square), chess.Piece.from_symbol(piece))
        board.turn = bool(rng.integers(2))
        if not board.is_valid() or board.is_game_over():
            continue
        seen += 1
        state, result = at(board.fen()), own.probe_wdl(board)
        kept = tables.root_actions(state)
        assert len(kept) > 0
        after = []
        for action in state.legal_actions:
            board.push_uci(state.uci(int(action)))
            over = board.is_checkmate()
            wdl = 2 if over else 0 if board.is_game_over() else -own.probe_wdl(board)
            board.pop()
            after.append(wdl)
        assert max(after) == result
        told = dict(zip(state.legal_actions.tolist(), after, strict=True))
        assert all(told[int(action)] == result for action in kept)


def test_an_agent_wins_by_tables_alone(tables):
    """A search without knowledge, whose tree is tiny, mates by the distances of the tables."""
    state = at("8/8/8/3k4/8/8/8/K5Q1 w - - 0 1")
    white, rng = mcts(tables, nodes=4).session(1), np.random.default_rng(3)
    plies = 0
    while not state.is_terminal:
        white_moves = state.to_play == 0
        action = white.act(state) if white_moves else int(rng.choice(state.legal_actions))
        state = state.play(action)
        plies += 1
    assert state.returns.tolist() == [1, -1]
    assert plies < 40


def test_a_search_that_found_mate_is_left_alone(tables):
    state = at("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")
    result = mcts(tables, nodes=2000).search(state)
    assert result.proven == "win"
    assert result.proven_plies < ORACLE_PLIES


# --- oracles of one's own ---


class Prophet:
    """Says that who answers the first disc has lost."""

    def __init__(self):
        self.asked = 0

    def look(self, leaves):
        states = leaves.states()
        self.asked += len(states)
        rows = np.array([state.ply == 1 for state in states])
        return Known(
            rows, np.full(len(states), -1, np.float32), np.where(rows, 7, -1).astype(np.int32)
        )

    def root_actions(self, state):
        return np.array([6])


def test_an_oracle_of_ones_own():
    agent = agents.MCTSAgent(
        inference.Uniform(), limit=agents.Limit(nodes=50), oracle=Prophet(), game="connect-four"
    )
    result = agent.search(games.make("connect-four").initial_state())
    assert (result.proven, result.proven_plies) == ("win", 8)
    assert result.action in range(7)
    calm = Prophet()
    calm.look = lambda leaves: None
    agent = agents.MCTSAgent(
        inference.Uniform(), limit=agents.Limit(nodes=50), oracle=calm, game="connect-four"
    )
    result = agent.search(games.make("connect-four").initial_state())
    assert (result.action, result.pv[0]) == (6, 6)
    assert result.nodes == 50


def test_tables_are_opened_again_by_copies(tables):
    state = at("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    for made in (copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))):
        assert made.look(StateBatch([state])).values.tolist() == [1.0]


def test_what_is_wrong_is_named(tmp_path):
    pytest.importorskip("chess", reason="python-chess is not installed")
    with pytest.raises(InvalidConfig, match=r"no \.rtbw file"):
        agents.Syzygy(tmp_path)
    with pytest.raises(InvalidConfig, match="no such folder"):
        agents.Syzygy(tmp_path / "missing")
    with pytest.raises(InvalidConfig, match=r"agents\.Syzygy"):
        mcts("/some/folder")
    with pytest.raises(InvalidConfig, match="others="):
        agents.MCTSAgent(
            inference.Uniform(), others="random", oracle=Prophet(), game="pommerman-ffa"
        )


# --- what an oracle answers ---


def test_what_an_oracle_does_not_know_proves_nothing():
    class Ignorant:
        def look(self, leaves):
            count = len(leaves)
            return Known(np.zeros(count, bool), np.ones(count), np.zeros(count, int))

        def root_actions(self, state):
            return None

    state = CHESS.initial_state()
    result, plain = (mcts(oracle, nodes=60).search(state) for oracle in (Ignorant(), None))
    assert result.proven is None
    np.testing.assert_array_equal(result.visits, plain.visits)


@pytest.mark.parametrize(
    "answer",
    [
        ([True], [0.0, 1.0], [0]),
        ([[True]], [[0.0]], [[0]]),
        ([True], ["x"], [0]),
        ([True], [0.0], [0.5]),
    ],
)
def test_an_answer_of_another_shape_or_type_is_named(answer):
    with pytest.raises(InvalidEvaluation, match="what an oracle knows"):
        Known(*answer)
