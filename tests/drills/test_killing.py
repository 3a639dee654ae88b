"""A few kills of cheap work, and what the drill finds; `python -m drills kill` does the rest."""

import os
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("torch")

from drills.kill.catalogue import VICTIMS
from drills.kill.loop import drill
from drills.kill.victim import Victim


@pytest.mark.slow
@pytest.mark.parametrize("name", VICTIMS)
def test_what_is_killed_goes_on_alike(name, tmp_path):
    tally = drill(VICTIMS[name](), tmp_path, kills=2, seed=4)
    assert tally.found == []
    assert tally.stops == 2
    assert tally.ends >= 1


def counting(out: Path, told, *, lost: bool = False, differs: bool = False) -> None:
    """Writes a line at a time, and goes on after the last; it takes a while."""
    import time

    out.mkdir(exist_ok=True)
    log = out / "log"
    done = 0 if lost or not log.exists() else log.read_bytes().count(b"\n")
    mark = os.getpid() if differs else 0
    for number in range(done, 40):
        with log.open("wb" if lost and number == 0 else "ab") as file:
            file.write(b"%d %d\n" % (number, mark))
        told()
        time.sleep(0.01)


def lines(out: Path) -> int:
    return (out / "log").read_bytes().count(b"\n") if (out / "log").exists() else 0


def left(out: Path) -> dict[str, bytes]:
    return {"log": (out / "log").read_bytes()}


def test_work_that_goes_on_is_not_found_fault_with(tmp_path):
    tally = drill(Victim(counting, left, lines), tmp_path, kills=6, seed=1)
    assert (tally.stops, tally.found) == (6, [])


def test_lost_parts_are_found(tmp_path):
    victim = Victim(lambda out, told: counting(out, told, lost=True), left, lines)
    tally = drill(victim, tmp_path, kills=30, seed=1)
    assert "finished parts" in tally.found[0]


def test_another_end_is_found(tmp_path):
    victim = Victim(lambda out, told: counting(out, told, differs=True), left, lines)
    tally = drill(victim, tmp_path, kills=30, seed=1)
    assert tally.found[0].endswith("these differ: log")


def test_a_run_that_fails_is_found(tmp_path, capfd):
    def refused(out: Path, told) -> None:
        if out.exists():
            raise ValueError(out)
        counting(out, told)

    tally = drill(Victim(refused, left, lines), tmp_path, kills=30, seed=1)
    assert tally.found[0].endswith("a run ends with 1")
    assert "ValueError" in capfd.readouterr().err
