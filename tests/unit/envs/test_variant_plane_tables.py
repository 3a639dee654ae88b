"""The plane tables in the documentation of chess and its variants say what the planes are."""

import numpy as np
import pytest
from boards import BOARDS
from plane_meanings import expected_planes, table

from phasezoo import games
from phasezoo.envs import AtomicChessEnv, ChessEnv, CrazyhouseEnv


def house_table():
    """Crazyhouse's ``v2``: that of chess with another clock, and further planes."""
    clock = {"halfmove clock / 50": "halfmove clock / 40"}
    rows = [(*span, clock.get(meaning, meaning)) for *span, meaning in table(ChessEnv, "v2")]
    return rows + table(CrazyhouseEnv, "v2", "further plane")


CASES = {
    ("chess", "v1"): lambda: table(ChessEnv, "v1"),
    ("chess", "v2"): lambda: table(ChessEnv, "v2"),
    ("chess960", "v1"): lambda: table(ChessEnv, "v1"),
    ("chess960", "v2"): lambda: table(ChessEnv, "v2"),
    ("atomic", "v1"): lambda: table(ChessEnv, "v1"),
    ("atomic", "v2"): lambda: table(ChessEnv, "v2"),
    ("atomic", "lichess"): lambda: table(AtomicChessEnv, "lichess"),
    ("crazyhouse", "v1"): lambda: table(CrazyhouseEnv, "v1"),
    ("crazyhouse", "v2"): house_table,
    ("krk", "v2"): lambda: table(ChessEnv, "v2"),
}

# Promotions and castling come soon from here.
STARTS = {
    "chess960": "1rk2r2/8/8/8/8/8/8/1RK2R2 w BFbf - 0 1",
    "atomic": "r3k2r/1P4p1/8/8/8/8/1p4P1/R3K2R w KQkq - 0 1",
    "crazyhouse": "r3k2r/1P4p1/8/8/8/8/1p4P1/R3K2R[Pn] w KQkq - 0 1",
}


@pytest.mark.parametrize(("variant", "spec"), CASES)
def test_rows_cover_all_planes_without_gaps(variant, spec):
    covered = [
        plane for first, last, _ in CASES[variant, spec]() for plane in range(first, last + 1)
    ]
    assert covered == list(range(games.make(variant).plane_shape(spec)[0]))


@pytest.mark.parametrize(("variant", "spec"), CASES)
def test_every_plane_has_the_meaning_of_its_row(variant, spec):
    rng = np.random.default_rng(4)
    rows = CASES[variant, spec]()
    game = games.make(variant)
    seen = {meaning: False for _, _, meaning in rows}
    count, plies = (25, 60) if variant == "chess" else (7, 40)
    for number in range(count):
        start = STARTS.get(variant) if number % 2 else None
        state = game.initial_state(seed=number) if start is None else game.from_fen(start)
        board = BOARDS[variant](state.start_fen or game.initial_state().fen)
        for _ in range(plies):
            # Drops start the clock anew here; python-chess lets it run on
            # (docs/definitions/ends.md#chess).
            board.halfmove_clock = int(state.fen.split()[4])
            for player in (0, 1):
                planes = state.planes(spec, player)
                for first, last, meaning in rows:
                    expected = expected_planes(meaning, board, player == 0)
                    found = planes[first : last + 1]
                    np.testing.assert_allclose(
                        found,
                        np.broadcast_to(expected, found.shape),
                        atol=1e-6,
                        err_msg=f"{meaning} in {state.fen}",
                    )
                    seen[meaning] |= bool(expected.any())
            if state.is_terminal:
                break
            action = choose(state, rng, number)
            board.push_uci(state.uci(action))
            state = state.play(action)
    rare = {"chess960", "bishops of opposite colours"}
    if variant != "chess":
        rare.add("en passant square, if a capture is legal")
    if variant == "krk":
        return
    missing = {meaning for meaning, found in seen.items() if not found}
    assert {meaning for meaning in missing if not meaning.startswith("0, ")} <= rare


def choose(state, rng, number):
    """At random; in some games pieces go to and fro, so that positions recur."""
    moves = state.moves
    if number % 3 == 0 and len(moves) >= 2 and rng.random() < 0.8 and "@" not in moves[-2]:
        back = moves[-2][2:4] + moves[-2][:2]
        for action in state.legal_actions:
            if state.uci(action) == back:
                return int(action)
    return int(rng.choice(state.legal_actions))


def test_minimal_planes_are_pieces_and_pockets():
    house = games.make("crazyhouse").from_fen(STARTS["crazyhouse"])
    np.testing.assert_array_equal(house.planes("minimal")[:12], house.planes("v2")[:12])
    np.testing.assert_array_equal(house.planes("minimal")[12:], house.planes("v2")[52:62])
    for variant in ("chess", "chess960", "atomic", "krk"):
        state = games.make(variant).initial_state(seed=3)
        np.testing.assert_array_equal(state.planes("minimal"), state.planes("v2")[:12])
