import errno
import json
import multiprocessing
from pathlib import Path

import pytest

from phasezoo.errors import RunDirectoryError
from phasezoo.runs import RunDirectory

CONFIG = {"seed": 1, "gate": "lichess", "sizes": (1, 2)}


def contents(path):
    return {p.relative_to(path): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def test_a_new_directory_holds_its_configuration(tmp_path):
    with RunDirectory.create(tmp_path / "a" / "run", "m2cts", CONFIG) as run:
        assert run.has("config.json")
    record = json.loads((tmp_path / "a" / "run" / "config.json").read_text())
    assert record["config"] == {"seed": 1, "gate": "lichess", "sizes": [1, 2]}


def test_the_same_run_opens_again_and_another_is_refused_untouched(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        run.write_json("dataset.json", {"games": 1})
    before = contents(tmp_path)
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        assert run.has("dataset.json")
    with pytest.raises(RunDirectoryError, match=r"another run .*seed 1 there, 2 here"):
        RunDirectory.create(tmp_path, "m2cts", CONFIG | {"seed": 2})
    with pytest.raises(RunDirectoryError, match="holds a run of 'm2cts'"):
        RunDirectory.create(tmp_path, "krk", CONFIG)
    assert contents(tmp_path) == before


def test_a_run_of_another_version_is_told_apart_from_another_run(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG):
        pass
    before = contents(tmp_path)
    later = CONFIG | {"another": 5}
    told = r"another version of phasezoo.* \(another\); finish it with the version"
    with pytest.raises(RunDirectoryError, match=told):
        RunDirectory.create(tmp_path, "m2cts", later)
    with pytest.raises(RunDirectoryError, match=r"another run .*seed 1 there, 2 here"):
        RunDirectory.create(tmp_path, "m2cts", later | {"seed": 2})
    assert contents(tmp_path) == before


def test_a_foreign_directory_and_a_file_are_refused_untouched(tmp_path):
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(RunDirectoryError, match="not empty"):
        RunDirectory.create(tmp_path, "m2cts", CONFIG)
    with pytest.raises(RunDirectoryError, match="is a file"):
        RunDirectory.create(tmp_path / "thesis.txt", "m2cts", CONFIG)
    assert contents(tmp_path) == {Path("thesis.txt"): b"all of it"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, '{"config": 3}', '{"experiment": "m2cts"}']
)
def test_a_damaged_configuration_is_refused(tmp_path, text):
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(RunDirectoryError):
        RunDirectory.create(tmp_path, "m2cts", CONFIG)
    with pytest.raises(RunDirectoryError):
        RunDirectory.resume(tmp_path, "m2cts")
    assert (tmp_path / "config.json").read_text() == text


def test_resuming_needs_a_run(tmp_path):
    with pytest.raises(RunDirectoryError, match="no run of 'm2cts' to resume"):
        RunDirectory.resume(tmp_path / "nothing", "m2cts")
    assert not (tmp_path / "nothing").exists()


def test_a_run_without_its_configuration_is_told_from_a_foreign_directory(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run, run.stage("data"):
        run.write_json("dataset.json", {"games": 1})
    (tmp_path / "config.json").unlink()
    before = contents(tmp_path)
    for again in (
        lambda: RunDirectory.resume(tmp_path, "m2cts"),
        lambda: RunDirectory.create(tmp_path, "m2cts", CONFIG),
    ):
        with pytest.raises(RunDirectoryError, match=r"config\.json is missing.*put that file back"):
            again()
    assert contents(tmp_path) == before


@pytest.mark.parametrize("swapped", ["config.json", "journal.jsonl"])
def test_files_of_two_runs_do_not_go_together(swapped, tmp_path):
    for name in ("a", "b"):
        with RunDirectory.create(tmp_path / name, "m2cts", CONFIG) as run, run.stage("match"):
            pass
    right = (tmp_path / "a" / swapped).read_bytes()
    (tmp_path / "a" / swapped).write_bytes((tmp_path / "b" / swapped).read_bytes())
    for again in (
        lambda: RunDirectory.resume(tmp_path / "a", "m2cts"),
        lambda: RunDirectory.create(tmp_path / "a", "m2cts", CONFIG),
    ):
        with pytest.raises(RunDirectoryError, match=r"are of two runs; put the right one back"):
            again()
    (tmp_path / "a" / swapped).write_bytes(right)
    with RunDirectory.resume(tmp_path / "a", "m2cts") as run:
        assert run.is_done("match")


def test_a_run_of_an_earlier_version_has_no_name(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run, run.stage("match"):
        pass
    record = json.loads((tmp_path / "config.json").read_text())
    del record["id"]
    (tmp_path / "config.json").write_text(json.dumps(record))
    lines = (tmp_path / "journal.jsonl").read_text().splitlines()
    without = [{k: v for k, v in json.loads(line).items() if k != "run"} for line in lines]
    (tmp_path / "journal.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in without))
    with RunDirectory.resume(tmp_path, "m2cts") as run:
        assert run.is_done("match")


def test_what_a_kill_left_behind_is_no_foreign_directory(tmp_path):
    (tmp_path / "run.lock").write_text("")
    (tmp_path / ".config.json.999999999.partial").write_text('{"exp')
    with RunDirectory.create(tmp_path, "m2cts", CONFIG):
        assert not list(tmp_path.glob(".*.partial"))
    (tmp_path / "matches").mkdir()
    for name in (".results.json", "matches/.first.jsonl"):
        (tmp_path / f"{name}.999999999.partial").write_text("{")
    with RunDirectory.resume(tmp_path, "m2cts") as run:
        assert not list(tmp_path.rglob(".*.partial"))
        assert run.config["seed"] == 1


def test_stages_are_done_only_when_they_ended(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        with run.stage("data"):
            pass
        with pytest.raises(KeyboardInterrupt), run.stage("match"):
            raise KeyboardInterrupt
        with (tmp_path / "journal.jsonl").open("a") as file:
            file.write('{"stage": "match", "event": "do')  # killed while writing
        assert run.is_done("data")
        assert not run.is_done("match")
        assert list(run.seconds()) == ["data"]


def test_how_long_stages_took_that_ran_at_once(tmp_path, monkeypatch):
    """Two from 0 on; one ends at 10, then the run is killed; the other needs 5 from 50 on."""
    with RunDirectory.create(tmp_path / "run", "study", CONFIG) as directory:
        assert directory.busy("train/") == 0
        for now, stage, event in (
            (0, "train/a", "begin"), (1, "train/b", "begin"), (10, "train/a", "done"),
            (12, "other", "begin"), (50, "train/b", "begin"), (51, "other", "done"),
            (55, "train/b", "done"), (80, "train/c", "begin"), (81, "train/d", "begin"),
            (85, "train/d", "done"), (90, "train/c", "done"), (95, "other", "done"),
        ):  # fmt: skip
            monkeypatch.setattr("time.time", lambda now=now: float(now))
            directory.log(stage, event)
        assert directory.busy("train/") == 12 + 5 + 10
        assert directory.busy("train/b") == 11 + 5
        assert directory.busy("nothing") == 0


def test_another_attempt_may_have_other_incidental_settings(tmp_path):
    def begin(config):
        with RunDirectory.create(tmp_path / "run", "study", config, incidental=("speed",)) as run:
            return run.config

    assert begin(CONFIG | {"speed": 1})["speed"] == 1
    assert begin(CONFIG | {"speed": 2})["speed"] == 1, "what it was begun with"
    assert begin(CONFIG)["seed"] == 1, "one that does not know them yet"
    with pytest.raises(RunDirectoryError, match="seed 1 there, 2 here"):
        begin(CONFIG | {"speed": 1, "seed": 2})


def test_a_line_after_one_cut_short_is_still_read(tmp_path):
    RunDirectory.create(tmp_path, "m2cts", CONFIG).__exit__()
    (tmp_path / "journal.jsonl").write_text('{"stage": "match", "event": "do')
    with RunDirectory.resume(tmp_path, "m2cts") as run:
        with run.stage("match"):
            pass
        assert run.is_done("match")


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe", b"\x00", b"5", b"[]", b"{}", b'{"stage": "a", "event": "done"}',
        b'{"stage": "a", "event": "done", "time": 1.0, "seconds": "a"}',
        b'{"stage": 7, "event": "done", "time": 1.0, "seconds": 1.0}',
        b'{"stage": "a", "event": "done", "time": 1.0, "seconds": 1.0, "sha256": 7}',
    ],
)  # fmt: skip
def test_a_line_of_the_journal_that_is_no_event_is_passed_over(line, tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        with run.stage("match", "a.json"):
            run.write_json("a.json", {"x": 1})
        events = run.events()
        with (tmp_path / "journal.jsonl").open("ab") as file:
            file.write(line + b"\n")
        assert run.events() == events
        assert not run.is_done("a")
        assert list(run.seconds()) == ["match"]
        assert run.read_json("a.json", dict[str, int]) == {"x": 1}


def test_a_full_disk_is_a_typed_error_and_leaves_the_old_file(tmp_path, monkeypatch):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        run.write_json("a.json", {"x": 1})

        def full(self, target):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(RunDirectoryError, match=r"disk is full.*--resume"):
            run.write_json("a.json", {"x": 2})
        monkeypatch.undo()
        assert run.read_json("a.json", dict[str, int]) == {"x": 1}
        assert not list(tmp_path.glob("*.partial"))


def test_a_full_disk_inside_a_stage_is_a_typed_error(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        with pytest.raises(RunDirectoryError, match="disk is full"), run.stage("training"):
            raise OSError(errno.ENOSPC, "No space left on device")
        assert not run.is_done("training")


def test_a_changed_file_says_what_to_do(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        (tmp_path / "a.json").write_text("{")
        with pytest.raises(RunDirectoryError, match="delete this file"):
            run.read_json("a.json", dict[str, int])


def test_a_file_of_another_run_is_refused_and_made_again_once_deleted(tmp_path):
    for name, x in (("one", 1), ("other", 2)):
        with RunDirectory.create(tmp_path / name, "m2cts", CONFIG) as run:
            for value in (0, x):
                with run.stage("a", "a.json"):
                    run.write_json("a.json", {"x": value})
    (tmp_path / "one" / "a.json").write_bytes((tmp_path / "other" / "a.json").read_bytes())
    with RunDirectory.resume(tmp_path / "one", "m2cts") as run:
        with pytest.raises(RunDirectoryError, match=r"comes from another run.*delete this file"):
            run.read_json("a.json", dict[str, int])
        (tmp_path / "one" / "a.json").unlink()
        with run.stage("a", "a.json"):
            run.write_json("a.json", {"x": 3})
        assert run.read_json("a.json", dict[str, int]) == {"x": 3}


def test_a_file_of_a_run_without_checksums_is_read(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG) as run:
        with run.stage("a"):
            run.write_json("a.json", {"x": 1})
        assert run.read_json("a.json", dict[str, int]) == {"x": 1}


def _hold(path, ready, leave):
    with RunDirectory.resume(path, "m2cts"):
        ready.set()
        leave.wait(60)


def test_two_processes_do_not_share_a_directory(tmp_path):
    RunDirectory.create(tmp_path, "m2cts", CONFIG).__exit__()
    context = multiprocessing.get_context("spawn")
    ready, leave = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(tmp_path, ready, leave))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(RunDirectoryError, match="another process"):
            RunDirectory.resume(tmp_path, "m2cts")
    finally:
        leave.set()
        other.join(60)
    RunDirectory.resume(tmp_path, "m2cts").__exit__()


def test_a_run_of_an_older_version_is_refused_by_its_format(tmp_path):
    old = {"format_version": 1, "experiment": "m2cts", "config": {"seed": 1}}
    (tmp_path / "config.json").write_text(json.dumps(old))
    with pytest.raises(RunDirectoryError, match=r"'m2cts' in format 1; this command reads"):
        RunDirectory.resume(tmp_path, "m2cts")


@pytest.mark.parametrize("place", ["x" * 300, "/proc/phasezoo-run", "thesis.txt/run"])
def test_a_place_that_no_directory_can_have_is_a_typed_error(tmp_path, place):
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(RunDirectoryError, match="cannot be written") as caught:
        RunDirectory.create(tmp_path / place, "m2cts", CONFIG)
    assert str(tmp_path) in str(caught.value) or place.startswith("/")


def test_a_new_directory_says_what_it_was_begun_with(tmp_path):
    with RunDirectory.create(tmp_path, "m2cts", CONFIG, threads=3, devices=["a"]) as run:
        begun = run.record
    assert begun.seeds == {"run": 1}
    assert (begun.provenance.threads, begun.provenance.devices) == (3, ["a"])
    with RunDirectory.create(tmp_path, "m2cts", CONFIG, threads=9) as run:
        assert run.record == begun
