"""Files that are whole, or as they were, when the disk refuses."""

import errno

import pytest

from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.runs.files import append_line, describe_disk_errors, save_files, write_whole


def test_a_refused_line_leaves_nothing_of_itself(tmp_path, full_disk):
    log = tmp_path / "log"
    append_line(log, b"a" * 70)
    # Part of the line fits, and what is cut off it would fit again.
    with full_disk(100), pytest.raises(OSError, match="too large"):
        append_line(log, b"b" * 100)
    assert log.read_bytes() == b"a" * 70 + b"\n"
    append_line(log, b"c")
    assert log.read_bytes().splitlines() == [b"a" * 70, b"c"]


def test_a_refused_file_leaves_what_was_there(tmp_path, full_disk):
    write_whole(tmp_path / "file", "old")
    with full_disk(5), pytest.raises(OSError, match="too large"):
        write_whole(tmp_path / "file", "new and longer")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]


def test_of_several_files_all_or_none_are_written(tmp_path, full_disk):
    files = {tmp_path / "short": "12345", tmp_path / "long": b"1234567890"}
    told = r"short, .*long cannot be written \(.*too large\); nothing was changed: free some space"
    with full_disk(7), pytest.raises(StoreError, match=told):
        save_files(files, StoreError)
    assert list(tmp_path.iterdir()) == []
    save_files(files)
    assert (tmp_path / "short").read_bytes() == b"12345"
    assert (tmp_path / "long").read_bytes() == b"1234567890"


def test_a_refused_file_that_is_elsewhere_is_not_the_runs_fault(tmp_path):
    own, other = tmp_path / "run" / "log", tmp_path / "table.bin"
    for named, kind in ((own, RunDirectoryError), (other, PermissionError)):
        with pytest.raises(kind), describe_disk_errors(tmp_path / "run"):
            raise PermissionError(errno.EACCES, "Permission denied", str(named))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RunDirectoryError, match=r"no/file cannot be written .*choose another"):
        save_files({tmp_path / "no" / "file": "text"})
