"""Whatever text, bytes or numbers come in: a state, an action or a typed error, never a panic."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from phasezoo import _core, errors, games

CHESS = games.make("chess")
POSITIONS = [
    CHESS.initial_state(),
    CHESS.from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    CHESS.from_fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    CHESS.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
]

boards = st.lists(st.text("pnbrqkPNBRQK12345678", min_size=1, max_size=8), min_size=7, max_size=9)
fields = st.tuples(
    boards.map("/".join),
    st.sampled_from(["w", "b", "-", ""]),
    st.text("KQkqAHah-", max_size=4),
    st.sampled_from(["-", "e3", "d6", "a9", "e4"]),
    st.integers(-3, 2**40).map(str),
    st.integers(-3, 2**40).map(str),
)


@given(st.one_of(st.text(max_size=100), fields.map(" ".join)))
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_position_or_an_invalid_fen(text):
    try:
        state = CHESS.from_fen(text)
    except errors.InvalidFen:
        return
    assert CHESS.from_fen(state.fen).fen == state.fen
    assert np.isfinite(state.planes("v2")).all()


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_a_fen_with_a_changed_character_is_a_position_or_an_invalid_fen(data):
    fen = data.draw(st.sampled_from(POSITIONS)).fen
    at = data.draw(st.integers(0, len(fen) - 1))
    text = fen[:at] + data.draw(st.characters()) + fen[at + 1 :]
    try:
        state = CHESS.from_fen(text)
    except errors.InvalidFen:
        return
    assert len(state.legal_actions) in range(219)


@given(
    st.sampled_from(POSITIONS),
    st.one_of(st.text(max_size=12), st.from_regex(r"[a-h][1-8][a-h][1-8][nbrqk]?")),
)
@settings(max_examples=400, deadline=None)
def test_any_uci_is_legal_or_invalid(state, text):
    try:
        action = state.parse_uci(text)
    except errors.InvalidUci:
        return
    assert action in state.legal_actions or state.is_terminal


@given(
    st.sampled_from(POSITIONS),
    st.one_of(
        st.text(max_size=12), st.from_regex(r"[NBRQK]?[a-h]?[1-8]?x?[a-h][1-8](=[NBRQ])?[+#]?")
    ),
)
@settings(max_examples=400, deadline=None)
def test_any_san_is_legal_or_invalid(state, text):
    try:
        action = state.parse_san(text)
    except errors.InvalidSan:
        return
    assert action in state.legal_actions or state.is_terminal


@given(st.sampled_from(POSITIONS), st.one_of(st.integers(), st.integers(0, 4671)))
@settings(max_examples=400, deadline=None)
def test_any_number_is_legal_or_an_illegal_action(state, action):
    if action in state.legal_actions:
        assert state.parse_uci(state.uci(action)) == state.parse_san(state.san(action)) == action
        assert state.play(action).ply == state.ply + 1
        return
    with pytest.raises(errors.IllegalAction, match=f"action {action}"):
        state.play(action)


@given(st.text(max_size=12))
def test_any_plane_spec_is_known_or_invalid(text):
    if text in CHESS.plane_specs:
        return
    with pytest.raises(errors.InvalidPlaneSpec):
        POSITIONS[0].planes(text)


@given(st.binary(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_state_or_an_error(data):
    with contextlib.suppress(errors.CorruptRecord, errors.InvalidFen):
        _core.BoardState.from_bytes("chess", data)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_changed_bytes_are_a_state_or_an_error(data):
    content = bytearray(data.draw(st.sampled_from(POSITIONS)).to_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        state = _core.BoardState.from_bytes("chess", bytes(content))
    except (errors.CorruptRecord, errors.InvalidFen):
        return
    assert state == _core.BoardState.from_bytes("chess", state.to_bytes())


@given(st.text(max_size=10))
def test_any_game_name_is_known_or_unknown(text):
    if text == "chess":
        return
    with pytest.raises(errors.UnknownGame, match="chess"):
        _core.board_initial(text)
