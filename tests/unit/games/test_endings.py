"""Endings solved backwards: against the rules, the core's tables and published counts."""

import io

import numpy as np
import pytest

from phasezoo import _core, games
from phasezoo.apps import cli
from phasezoo.errors import InvalidConfig
from phasezoo.zoo.boards.data import DRAW, ILLEGAL, ending_of, solve

chess = pytest.importorskip("chess", reason="rules are compared with python-chess")


def squares_of(board, pieces):
    """The squares of a table's axes."""
    found = []
    for letter in pieces:
        piece = chess.Piece.from_symbol(letter)
        found += [s for s in board.pieces(piece.piece_type, piece.color) if s not in found]
    return tuple(found)


def value_of(board):
    """What the tables say of a position, whatever is left on the board."""
    pieces = "".join(sorted(p.symbol() for p in board.piece_map().values()))
    white = "".join(p for p in pieces if p.isupper() and p != "K")
    black = "".join(p for p in pieces if p.islower() and p != "k")
    table = solve(ending_of(f"k{white.lower()}k{black}"))
    return int(table.plies[(0 if board.turn else 1, *squares_of(board, table.pieces))])


def expected(board):
    """What the values of all moves make of a position."""
    if board.is_checkmate():
        return 0
    after = []
    for move in board.legal_moves:
        board.push(move)
        after.append(value_of(board))
        board.pop()
    lost = [n for n in after if n >= 0 and n % 2 == 0]
    if lost:
        return min(lost) + 1
    if not after or DRAW in after:
        return DRAW
    return max(after) + 1


@pytest.mark.parametrize("name", ["kk", "krk", "kqk", "kpk", "kbk", "kkp", "kkr"])
def test_every_value_follows_from_those_after_the_legal_moves(name):
    table = solve(ending_of(name))
    rng = np.random.default_rng(1)
    kinds = set()
    for _ in range(1500):
        side = int(rng.integers(2))
        squares = tuple(map(int, rng.integers(0, 64, len(table.pieces))))
        value = int(table.plies[(side, *squares)])
        board = chess.Board(None)
        for square, letter in zip(squares, table.pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = side == 0
        if len(set(squares)) < len(squares) or not board.is_valid():
            assert value == ILLEGAL, board.fen()
            continue
        assert table.fen(side, squares) == board.fen()
        assert value == expected(board), board.fen()
        kinds.add(value % 2 if value >= 0 else value)
    assert kinds >= {DRAW} if name in ("kk", "kbk") else kinds >= {DRAW, 0, 1} - {DRAW}


def test_counts_and_longest_wins_are_those_that_are_known():
    """175,168 and 223,944 positions of KRK, 124,960 wins of KPK, mates in 16, 10 and 28."""
    rook, queen, pawn = (solve(ending_of(name)) for name in ("krk", "kqk", "kpk"))
    assert rook.count(0) == {"won": 175_168, "drawn": 0, "lost": 0}
    assert sum(rook.count(1).values()) == 223_944
    assert pawn.count(0)["won"] == 124_960
    assert pawn.count(1)["lost"] == 97_604
    assert [table.longest(0) for table in (rook, queen, pawn)] == [16, 10, 28]
    assert [table.longest(1) for table in (rook, queen, pawn)] == [0, 0, 0]


def test_king_and_rook_are_solved_as_by_the_core():
    table = solve(ending_of("krk"))
    states = _core.krk_graph()[0]
    for state in states[::37]:
        board = chess.Board(state.fen)
        plies = int(table.plies[(0, *squares_of(board, table.pieces))])
        assert (plies + 1) // 2 == state.dtm


def test_colours_may_be_exchanged():
    ours, theirs = solve(ending_of("kpk")), solve(ending_of("kkp"))
    assert (ours.pieces, theirs.pieces) == ("KkP", "Kkp")
    flipped = np.arange(64) ^ 56
    swapped = theirs.plies[::-1][:, flipped][:, :, flipped][:, :, :, flipped]
    np.testing.assert_array_equal(ours.plies, np.swapaxes(swapped, 1, 2))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("krrrk", "up to 4"), ("kr", "each with its king"), ("", "each with its king"),
        ("kxk", "such as krk"), ("kpkp", "en passant"),
    ],
)  # fmt: skip
def test_what_is_not_solved(name, words):
    with pytest.raises(InvalidConfig, match=words):
        ending_of(name)


@pytest.mark.slow
def test_bishop_and_knight_mate_in_33_moves_at_most():
    """As the core's table of the same ending, which is made from other rules' moves."""
    table = solve(ending_of("kbnk"))
    assert table.longest(0) == 33
    rng, checked = np.random.default_rng(2), 0
    while checked < 3000:
        squares = tuple(map(int, rng.integers(0, 64, 4)))
        plies = int(table.plies[(0, *squares)])
        if plies == ILLEGAL:
            continue
        state = games.make("chess").from_fen(table.fen(0, squares))
        assert state.dtm == ((plies + 1) // 2 if plies > 0 else None), state.fen
        checked += 1


def test_the_command_prints_counts_and_writes_the_table_and_starts(tmp_path, capsys):
    out, starts = tmp_path / "kpk.npz", tmp_path / "kpk.txt"
    words = ["data", "solve", "kpk", "--out", str(out), "--starts", str(starts), "--count", "50"]
    assert cli.main(words) == 0
    shown = capsys.readouterr().out
    assert "124,960" in shown
    assert "28" in shown
    with np.load(io.BytesIO(out.read_bytes())) as kept:
        assert str(kept["pieces"]) == "KkP"
        plies = kept["plies"]
    np.testing.assert_array_equal(plies, solve("KkP").plies)
    fens = starts.read_text().splitlines()
    assert len(set(fens)) == 50
    assert all(value_of(chess.Board(fen)) % 2 == 1 for fen in fens)
    assert games.make("chess").from_fen(fens[0]).to_play == 0
    assert cli.main(words) == 1
    assert "exists already" in capsys.readouterr().err
    assert cli.main([*words[:3], "--out", str(tmp_path / "no" / "x.npz")]) == 1
    assert "no such folder" in capsys.readouterr().err
    assert cli.main(["data", "solve", "krrrk"]) == 2


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--starts", "k.npz"), "two files cannot have one name"),
        (("--out", "."), "is a folder"),
        (("--starts", "s.txt", "--count", "999999999"), "White to move wins"),
        (("--count", "5"), "counts positions of --starts FILE"),
    ],
)
def test_what_the_command_refuses_writes_nothing(tmp_path, monkeypatch, capsys, words, says):
    monkeypatch.chdir(tmp_path)
    own = () if "--out" in words else ("--out", "./k.npz")
    assert cli.main(["data", "solve", "kk", *own, *words]) in (1, 2)
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_starts_of_an_ending_with_equal_pieces_come_once():
    table = solve(ending_of("krrk"))
    starts = table.random_wins(20_000, seed=1)
    assert len(set(starts)) == len(starts) == 20_000
    for fen in starts[:200]:
        board = chess.Board(fen)
        assert board.is_valid()
        assert table.plies[(0, *squares_of(board, table.pieces))] % 2 == 1
