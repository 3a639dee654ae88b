"""Whatever bytes are given as PGN: games or a typed error, and good games around are kept."""

import bz2
import gzip

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings, strategies as st

from phasezoo.data.importer import read_pgn
from phasezoo.errors import InvalidPgn

GOOD = '[Event "good"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 {x} Nc6 (2... d6) 3. Bb5 a6 1-0\n\n'

PIECES = (
    *('[Event "x"]\n', '[FEN "', '[Result "1-0"]', '"]\n', "\n", "\n\n", "1. e4 ", "e5 ", "{", "}"),
    *("(", ")", ";", "%", "$", "1-0 ", "1/2-1/2\n", "*", "O-O ", "e8=Q ", "\\", "\r\n\r\n", "["),
    *(
        "½-½",
        "--",
        "Z0",
        "P@e4",
        "exd5 e.p. ",
        "0-0-0",
        "\x00",
        "\x1a",
        "\ufeff",
        "1...",
        "N@",
        "]",
    ),
)
pieces = st.sampled_from(PIECES)
garbage = st.one_of(
    st.binary(max_size=3000),
    st.lists(pieces, max_size=80).map("".join).map(str.encode),
    st.text(max_size=1000).map(lambda text: text.encode("utf-8", "surrogatepass")),
)
relaxed = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(store, report):
    assert report.games == report.kept + sum(report.skipped.values())
    assert report.kept == len(store)
    assert (store.offsets[1:] > store.offsets[:-1]).all()
    store.positions("lichess")


@relaxed
@given(garbage, st.sampled_from([bytes, gzip.compress, bz2.compress, zstandard.compress]))
def test_any_bytes_are_games_or_a_typed_error(tmp_path, content, compress):
    path = tmp_path / "garbage"
    path.write_bytes(compress(content))
    try:
        store, report = read_pgn(path)
    except InvalidPgn:
        return
    check(store, report)


@relaxed
@given(st.lists(pieces, max_size=60).map("".join))
def test_garbage_between_games_spares_them(tmp_path, middle):
    path = tmp_path / "games.pgn"
    path.write_text(f"{GOOD}{middle}\n\n{GOOD}", newline="")
    store, report = read_pgn(path)
    check(store, report)
    assert store.actions[:6].tolist() == store.actions[-6:].tolist()
    assert len(store) >= 2


@relaxed
@given(st.data())
def test_damaged_compressed_files_are_read_up_to_the_damage(tmp_path, data):
    compress = data.draw(st.sampled_from([gzip.compress, bz2.compress, zstandard.compress]))
    whole = bytearray(compress((GOOD * 40).encode()))
    for _ in range(data.draw(st.integers(0, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "damaged"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    try:
        store, report = read_pgn(path)
    except InvalidPgn:
        return
    check(store, report)


@given(st.integers(1, 200), st.integers(0, 5))
@relaxed
def test_lines_are_those_on_which_games_begin(tmp_path, count, blank):
    path = tmp_path / "games.pgn"
    bad = '[Event "bad"]\n\n1. e5 1-0\n'
    text = GOOD + "\n" * blank + bad + "\n" + GOOD * (count % 3) + bad
    path.write_text(text)
    _, report = read_pgn(path)
    lines = text.splitlines()
    assert [lines[skipped.line - 1] for skipped in report.named] == ['[Event "bad"]'] * 2
    assert report.named[0].line == GOOD.count("\n") + blank + 1


def test_a_game_longer_than_is_looked_at_is_skipped(tmp_path):
    path = tmp_path / "long.pgn"
    path.write_text("1. e4 " + "{comment} " * 600_000 + "\n\n" + GOOD)
    store, report = read_pgn(path)
    assert len(store) == 1
    assert report.named[0].reason == "longer than 4 MiB"


def test_a_file_without_an_end_of_line_is_refused(tmp_path):
    path = tmp_path / "zeros"
    path.write_bytes(b"\0" * 20_000_000)
    with pytest.raises(InvalidPgn, match="is this PGN"):
        read_pgn(path)
