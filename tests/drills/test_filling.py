"""Full disks under cheap writers, and what the drill finds; `python -m drills disk` does more."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("torch")

from drills.disk.catalogue import WRITERS
from drills.disk.loop import drill
from drills.disk.room import NoMount, Room, Space
from drills.kill.victim import Victim

from phasezoo.errors import RunDirectoryError


@pytest.fixture(autouse=True)
def _mounting(tmp_path_factory):
    try:
        with Room(tmp_path_factory.mktemp("room")):
            pass
    except NoMount as error:
        pytest.skip(str(error))


CHEAP = ("store-file", "store-folder", "pgn", "film-svg", "network", "games")


@pytest.mark.parametrize("name", CHEAP)
@pytest.mark.filterwarnings("ignore")
def test_what_does_not_fit_is_refused_and_goes_on_alike(name, tmp_path):
    made, at_once = WRITERS[name]
    tally = drill(made(), tmp_path, full=4, seed=4, at_once=at_once)
    assert tally.found == []
    assert tally.stops >= 4
    assert tally.ends >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in WRITERS if name not in CHEAP])
@pytest.mark.filterwarnings("ignore")
def test_dear_writers_too(name, tmp_path):
    made, at_once = WRITERS[name]
    assert drill(made(), tmp_path, full=4, seed=4, at_once=at_once).found == []


def refused(error: OSError, out: Path, advice: str = "free some space") -> RunDirectoryError:
    return RunDirectoryError(f"{out}: cannot be written ({error.strerror}); {advice}")


def counting(out: Path, told, *, raw=False, lost=False, half=False, silent=False) -> None:
    """Writes a file at a time, and goes on after the last."""
    out.mkdir(exist_ok=True)
    for number in range(len(list(out.iterdir())), 20):
        file = out / f"{number}.txt"
        try:
            file.write_bytes(b"%d" % number * 3_000)
        except OSError as error:
            if not half:
                file.unlink(missing_ok=True)
            if lost:
                next(out.iterdir()).unlink()
            if raw:
                raise
            raise refused(error, out, "" if silent else "free some space") from error
        told()


def left(out: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in out.iterdir()}


def files(out: Path) -> int:
    return len(list(out.iterdir()))


@pytest.mark.parametrize(
    ("faults", "at_once", "found"),
    [
        ({}, True, None),
        ({"raw": True}, False, "OSError: .*No space left"),
        ({"lost": True}, False, "finished parts"),
        ({"half": True}, False, "these differ"),
        ({"half": True}, True, "not whole"),
        ({"silent": True}, False, "does not say what to do"),
    ],
)
def test_faults_are_found(faults, at_once, found, tmp_path):
    victim = Victim(lambda out, told: counting(out, told, **faults), left, files)
    tally = drill(victim, tmp_path, full=20, seed=3, at_once=at_once)
    if found is None:
        assert tally.found == []
        assert tally.stops >= 20
    else:
        (told,) = tally.found[:1]
        assert re.search(found, told), tally.found


def test_what_is_left_over_is_found(tmp_path):
    def littering(out: Path, told) -> None:
        counting(out, told)
        (out / "games.partial").touch()

    # The litter is no part of what is compared.
    kept = Victim(littering, lambda out: {"20.txt": b""}, files)
    assert drill(kept, tmp_path, full=3, seed=1).found == ["left over: games.partial"]


def test_a_room_holds_what_it_was_given(tmp_path):
    with Room(tmp_path) as room:
        room.give(Space(8_192, 2**20))
        (tmp_path / "a").write_bytes(b"x" * 8_192)
        with pytest.raises(OSError, match="No space left"):
            (tmp_path / "b").write_bytes(b"x")
        room.give(Space(2**20, room.used().files + 1))
        (tmp_path / "c").touch()
        with pytest.raises(OSError, match="No space left"):
            (tmp_path / "d").touch()
        room.clear()
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
