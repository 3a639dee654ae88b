"""What a notebook shows of states, results, matches and standings."""

import html
import math
from xml.etree import ElementTree

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference

NAMES = [name for name in games.names() if games.make(name).native]  # not other tests' own


@pytest.mark.parametrize("name", NAMES)
def test_a_state_shows_its_board(name):
    game = games.make(name)
    state = game.initial_state(seed=1)
    for _ in range(6):
        text, picture = str(state), state._repr_svg_()
        assert len(text.splitlines()) >= 3
        assert ElementTree.fromstring(picture).tag.endswith("svg")
        assert "\n" not in repr(state)
        if game.num_players > 2 or not hasattr(state, "legal_actions"):
            return
        state = state.play(state.legal_actions[0])
        assert (str(state), state._repr_svg_()) != (text, picture)


def test_a_board_as_text_has_its_pieces_where_the_position_has_them():
    chess = pytest.importorskip("chess")
    state = games.make("chess").initial_state()
    for move in ("e2e4", "c7c5", "g1f3"):
        state = state.play(state.parse_uci(move))
    rows = [line for line in str(state).splitlines() if sum(c in "pnbrqkPNBRQK." for c in line) > 7]
    shown = ["".join(c for c in row.replace(" ", "") if c in "pnbrqkPNBRQK.")[:8] for row in rows]
    assert shown[:8] == str(chess.Board(state.fen)).replace(" ", "").splitlines()


def search(game="connect-four", nodes=200):
    state = games.make(game).initial_state()
    limit = agents.Limit(nodes=nodes)
    return agents.MCTSAgent(inference.Uniform(), limit=limit, seed=1).search(state)


def test_a_result_is_a_table_of_its_actions():
    pytest.importorskip("pandas")
    result = search()
    found = result.to_frame()
    assert list(found.columns) == ["move", "action", "visits", "q", "prior", "policy", "draws"]
    assert list(found.move) == [str(action + 1) for action in found.action]  # columns from 1
    assert list(found.visits) == sorted(result.visits, reverse=True)
    by_action = found.set_index("action").sort_index()
    assert list(by_action.index) == list(result.actions)
    for column in ("visits", "q", "prior", "draws"):
        assert np.allclose(by_action[column], getattr(result, column), equal_nan=True)
    assert math.isclose(found.policy.sum(), 1, rel_tol=1e-6)
    first, head, *rows = str(result).splitlines()
    assert first == repr(result)
    assert head.split() == list(found.columns)
    assert [int(row.split()[1]) for row in rows] == list(found.action)


def test_moves_of_a_result_are_named_as_on_the_board_if_its_position_is_known():
    chess = pytest.importorskip("chess")
    state = games.make("chess").from_fen(
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"
    )
    agent = agents.MCTSAgent(inference.Uniform(), limit=agents.Limit(nodes=300), seed=1)
    result, board = agent.search(state), chess.Board(state.fen)
    assert result.state == state
    lines = str(result).splitlines()[2:]
    assert sorted(line.split()[0] for line in lines) == sorted(map(board.san, board.legal_moves))
    named = {line.split()[0]: int(line.split()[1]) for line in lines}
    assert named["O-O"] == state.parse_uci("e1g1")
    assert result._repr_html_() == f"<pre>{html.escape(str(result))}</pre>"
    pool = agent.session_pool(games.make("chess"))
    slot = pool.open(1)
    pool.ask(slot, state, 0)
    while not pool.poll():
        pass
    assert pool.result.state is None
    head = str(pool.result).splitlines()[1]
    assert head.split() == ["action", "visits", "q", "prior", "policy", "draws"]


def test_a_result_shows_actions_that_nothing_is_known_of():
    rows = str(search(nodes=2)).splitlines()[2:]
    assert len(rows) == 7
    assert all(row.split()[-1] == "–" for row in rows[2:])


def test_matches_and_standings_show_their_summaries():
    match = arena.play_match(
        agents.make("random:seed=1"), agents.make("random:seed=2"), game="connect-four", games=4
    )
    assert "4 games of connect-four" in match._repr_html_()
    assert match._repr_html_().startswith("<pre>")
    players = [agents.make(f"random:seed={seed}") for seed in (1, 2, 3)]
    names = ["<b>", "b", "c"]
    standings = arena.tournament(players, game="connect-four", games=2, names=names)
    shown = standings._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;" in shown
