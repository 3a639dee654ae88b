"""What the drill says of work that leaks, and of work that does not."""

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from drills.leak.catalogue import WORKS
from drills.leak.command import main
from drills.leak.trend import FLAT, GROWS, UNCLEAR, trend_of
from drills.leak.watching import watch

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MIB = 2**20


def touched(mebibytes: float) -> bytearray:
    """Memory that is resident, because all of its pages were written."""
    return bytearray(b"x") * int(mebibytes * MIB)


def leaking(_: Path, told) -> None:
    kept = []
    while True:
        kept.append(touched(0.5))
        told()
        time.sleep(0.02)


def tidy(_: Path, told) -> None:
    while True:
        touched(0.5)
        told()
        time.sleep(0.02)


def grown_once(_: Path, told) -> None:
    kept = [touched(30)]
    told()
    while kept:
        time.sleep(0.02)
        told()


def failing(_: Path, told) -> None:
    told()
    raise ValueError("no such thing")


def ending(folder: Path, told) -> None:
    told()


@linux
def test_memory_that_is_kept_is_found(tmp_path, capsys):
    file = tmp_path / "figures.json"
    words = ["--minutes", "0.05", "--tolerance", "200", "--json", str(file)]
    assert main(words, {"leaking": leaking}) == 1
    assert " grows" in capsys.readouterr().out
    (row,) = json.loads(file.read_text())
    # As much as the work says that it kept, whatever the machine had to do besides.
    kept = 0.5 * row["pieces"] * 3600 / row["seconds"][-1]
    assert row["low"] < 1.3 * kept
    assert row["high"] > 0.7 * kept
    assert len(row["seconds"]) == len(row["mebibytes"]) > 30


@linux
@pytest.mark.parametrize("work", [tidy, grown_once])
def test_memory_that_is_given_back_or_grew_before_is_flat(work, capsys):
    # A page more or less in three seconds is some MiB in an hour.
    words = ["--minutes", "0.05", "--tolerance", "200"]
    assert main(words, {"work": work}) == 0
    assert capsys.readouterr().out.endswith(" flat\n")


@linux
@pytest.mark.parametrize(
    ("work", "told"), [(failing, "ValueError: no such thing"), (ending, "ended by itself")]
)
def test_work_that_ends_is_a_failure(work, told, tmp_path, capfd):
    assert main(["--minutes", "0.1"], {"work": work}) == 1
    assert f"failed: {told}" in capfd.readouterr().out


@linux
@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_the_work_goes_on(name, tmp_path):
    if name in ("training", "selfplay"):
        pytest.importorskip("torch")
    seen = watch(WORKS[name], tmp_path / name, 0.5)
    assert seen.ended == ""
    assert seen.pieces >= 1
    assert min(seen.mebibytes) > 30


def samples(slope: float, *, noise: float = 0.0, jump: float = 0.0, minutes: float = 10):
    """A process's memory in MiB, its first third rising steeply."""
    seconds = np.arange(0, 60 * minutes, 0.5)
    drawn = np.random.default_rng(3)
    memory = 200 + slope * seconds / 3600 + noise * drawn.random(len(seconds))
    memory -= np.maximum(60 - seconds, 0)
    return seconds, memory + jump * (seconds > 30 * minutes)


def test_a_line_is_found_behind_the_warming_up():
    trend = trend_of(*samples(50.0))
    assert trend.slope == pytest.approx(50, rel=0.01)
    assert trend.low == pytest.approx(50, rel=0.02)
    # Between the middles of the first and the last block, of twelve in 400 s.
    assert trend.last - trend.first == pytest.approx(50 / 3600 * 400 * 11 / 12, rel=0.01)


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ({"slope": 0}, FLAT),
        ({"slope": 10, "noise": 1}, FLAT),
        ({"slope": 30, "noise": 1}, GROWS),
        ({"slope": -100, "noise": 5}, FLAT),
        ({"slope": 0, "noise": 60}, UNCLEAR),
        ({"slope": 0, "jump": 50}, GROWS),
    ],
)
def test_the_interval_decides(options, verdict):
    assert trend_of(*samples(**options)).verdict(16.0) == verdict


def test_the_interval_covers_the_slope_it_was_drawn_with():
    drawn = np.random.default_rng(5)
    seconds = np.arange(0, 600, 0.5)
    covered = 0
    for _ in range(300):
        memory = 300 + 20 * seconds / 3600 + drawn.normal(0, 4, len(seconds))
        trend = trend_of(seconds, memory)
        covered += trend.low <= 20 <= trend.high
    assert 0.91 < covered / 300 < 0.985


def test_a_pause_of_the_machine_leaves_the_line_as_it_is():
    seconds, memory = samples(50.0)
    went_on = (seconds < 300) | (seconds > 400)
    trend = trend_of(seconds[went_on], memory[went_on])
    assert trend.slope == pytest.approx(50, rel=0.01)
    assert trend.verdict(16.0) == GROWS


def test_too_few_samples_are_refused():
    with pytest.raises(ValueError, match="blocks empty"):
        trend_of([0, 1, 2, 3], [5, 5, 5, 5])


@pytest.mark.parametrize(
    "words", [["--minutes", "0"], ["--minutes", "nan"], ["--tolerance", "0"], ["nothing"]]
)
def test_what_makes_no_sense_is_refused(words, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert words[-1] in capsys.readouterr().err
