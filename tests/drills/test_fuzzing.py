"""A slice of every parser's fuzzing, always the same; `python -m drills fuzz` does the rest."""

import warnings

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("starlette")
pytest.importorskip("torch")

from drills.fuzz.catalogue import TARGETS
from drills.fuzz.loop import Tally, input_of, read_range, shown_input
from drills.fuzz.target import Target

INPUTS = {
    "fen": 4_000,
    "moves": 4_000,
    "pgn": 400,
    "json": 1_500,
    "records": 200,
    "manifest": 1_000,
    "parquet": 150,
    "safetensors": 100,
    "uci": 60,
    "web": 25,
}


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_is_read_or_refused_as_promised(name, tmp_path):
    target = TARGETS[name](tmp_path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tally = read_range(target, name, 7, range(INPUTS[name]), Tally())
    finally:
        target.close()
    assert tally.found == []
    assert tally.inputs == INPUTS[name]
    assert tally.accepted > INPUTS[name] // 30, "the inputs are too bad to test more than refusals"


def test_what_no_one_promised_is_found_once_a_kind():
    class Panic(BaseException):
        pass

    def read(number):
        if number % 3 == 0:
            raise Panic
        if number % 3 == 1:
            raise ValueError(number)

    target = Target(lambda draw: draw.randrange(99), read, (ValueError,))
    tally = read_range(target, "panic", 1, range(60), Tally())
    assert [found.what.split()[0] for found in tally.found] == ["Panic"]
    (found,) = tally.found
    assert int(found.shown) == input_of(target, "panic", 1, found.number)
    assert tally.inputs == 60
    assert 0 < tally.accepted < 60


@pytest.mark.parametrize("name", ["web", "parquet"])
def test_an_input_that_ended_the_process_is_shown_however_often(name):
    assert shown_input(name, 7, 3) == shown_input(name, 7, 3) != shown_input(name, 7, 4)
