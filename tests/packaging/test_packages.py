"""What the packages hold, and that versions, workflows and targets name each other rightly."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import tomllib
import zipfile
from datetime import date
from pathlib import Path

import pytest
import smoke
import tasks
import third_party
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


in_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout")
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="there is no cargo")


def steps():
    """Every command of every job of every workflow."""
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            yield from (step["run"] for step in job.get("steps", ()) if "run" in step)


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = 0
    for command in steps():
        words = command.split("#")[0].split()
        if words[0] == "make":
            assert set(words[1:]) <= targets, command
        else:
            assert words[:2] == ["python", "scripts/tasks.py"], command
            assert set(words[2:]) <= set(tasks.TASKS), command
        called += 1
    assert called >= 5


def test_workflows_name_the_actions_of_others_by_commit_and_say_the_version():
    """A tag can be moved to other code; a commit cannot."""
    named = [
        line.partition("uses:")[2].strip()
        for file in WORKFLOWS
        for line in file.read_text().splitlines()
        if re.match(r"\s*(- )?uses:", line)
    ]
    loaded = [str(yaml.safe_load(file.read_text())).count("'uses':") for file in WORKFLOWS]
    assert len(named) == sum(loaded) > 10, "a line was overlooked"
    foreign = [each for each in named if not each.startswith("./")]
    loose = [e for e in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+.*", e)]
    assert loose == []
    commits: dict[str, set[str]] = {}
    for each in foreign:
        commits.setdefault(each.partition("@")[0], set()).add(each)
    assert {name: each for name, each in commits.items() if len({*map(pin, each)}) > 1} == {}


def pin(text):
    """The commit and the version."""
    return re.search(r"@(\S+)  # (v[\d.]+)", text).groups()


@pytest.mark.skipif(os.name == "nt", reason="there is no make")
def test_targets_of_both_are_one_implementation():
    """The Makefile leaves to the script what the script can do."""
    text = (ROOT / "Makefile").read_text()
    for name in sorted({*tasks.TASKS} - {"develop"}):
        assert re.search(rf"^\t@\$\(TASK\) {name}$", text, re.MULTILINE), name


def test_the_version_is_the_same_everywhere():
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == version
    released = re.findall(
        r"^## (\d\S*) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert released[0] == (version, str(citation["date-released"]))
    assert date.fromisoformat(released[0][1])
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    assert {p["version"] for p in lock if p["name"].startswith("phasezoo-")} == {version}


def test_users_may_take_other_versions_than_those_that_are_tested():
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().split()}
    assert "torch" in pinned
    optional = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *(each for group in optional.values() for each in group)]
    assert not [each for each in wanted if "==" in each.partition(";")[0]]


def test_every_extra_of_all_exists():
    optional = PROJECT["optional-dependencies"]
    (everything,) = optional["all"]
    named = everything.partition("[")[2].rstrip("]").split(",")
    assert set(named) <= set(optional)
    assert not {"solve", "tensorrt"} & set(named), "their licences are to be asked for"


@in_git
@needs_cargo
def test_the_source_distribution_holds_the_repository_and_nothing_else(tmp_path):
    words = [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    (file,) = tmp_path.glob("*.tar.gz")
    assert smoke.wrong_in_sdist(file) == []
    with tarfile.open(file) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"rust-toolchain.toml", "THIRD_PARTY_NOTICES.txt", "tests/conftest.py"} <= held


def test_a_source_distribution_without_the_tests_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(
        smoke, "tracked", lambda: {"src/a.py", "tests/test_a.py", "rust-toolchain.toml", ".ci/run"}
    )
    file = tmp_path / "phasezoo-1.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name in ("src/a.py", "PKG-INFO", "src/__pycache__/a.pyc"):
            archive.addfile(tarfile.TarInfo(f"phasezoo-1/{name}"))
    assert smoke.wrong_in_sdist(file) == [
        "lacks rust-toolchain.toml, tests/test_a.py",
        "should not hold src/__pycache__/a.pyc",
    ]


@in_git
def test_a_wheel_that_is_not_whole_is_refused(tmp_path):
    file = tmp_path / "phasezoo-1-py3-none-any.whl"
    names = [n.removeprefix("src/") for n in smoke.tracked() if n.startswith("src/phasezoo/")]
    left = [name for name in names if name != "phasezoo/py.typed"]
    with zipfile.ZipFile(file, "w") as archive:
        for name in (*left, "phasezoo/_core.abi3.so", "target/debris"):
            archive.writestr(name, "")
    assert smoke.wrong_in_wheel(file) == [
        "lacks phasezoo/py.typed",
        "should not hold target/debris",
        "lacks LICENSE, THIRD_PARTY_NOTICES.txt",
    ]


def test_both_packages_carry_the_licences():
    assert PROJECT["license-files"] == list(smoke.LICENCES)
    assert all((ROOT / name).is_file() for name in smoke.LICENCES)


@needs_cargo
def test_the_notices_are_those_of_what_the_lock_file_links():
    """`make notices` after a change of Cargo.lock."""
    crates = third_party.linked()
    text = third_party.NOTICES.read_text(encoding="utf-8")
    assert third_party.named(text) == {(crate.name, crate.version) for crate in crates}
    assert text == third_party.notices(crates)
    without = {crate.name for crate in crates if not crate.texts}
    assert without == {c.name for c in crates if c.licence == third_party.OWN_LICENCE}
    names = {crate.name for crate in crates}
    assert {"shakmaty", "pyo3", "zstd-sys"} <= names
    assert not {"pyo3-macros", "proptest", "phasezoo-core"} & names, "these are not linked"


def test_the_notices_name_versions_of_the_lock_file():
    """The same without cargo."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    named = third_party.named(third_party.NOTICES.read_text(encoding="utf-8"))
    assert len(named) > 20
    assert named <= {(package["name"], package["version"]) for package in lock}


def test_texts_that_differ_in_line_breaks_alone_stand_in_the_notices_once():
    crates = [
        third_party.Crate("one", "1.0.0", "MIT", ("Copyright\nOne", "A  B")),
        third_party.Crate("two", "2.0.0-rc.1+b", "Zlib OR MIT", ("A\nB",)),
        third_party.Crate("three", "3.0.0", third_party.OWN_LICENCE, ()),
    ]
    text = third_party.notices(crates)
    assert third_party.named(text) == {
        ("one", "1.0.0"),
        ("two", "2.0.0-rc.1+b"),
        ("three", "3.0.0"),
    }
    assert "two 2.0.0-rc.1+b (Zlib OR MIT): text 2\nthree" in text
    assert text.count("Text 2\n") == 1


def test_a_crate_without_its_licence_is_refused(tmp_path):
    package = {"name": "bare", "version": "1.0.0", "manifest_path": str(tmp_path / "Cargo.toml")}
    with pytest.raises(SystemExit, match=r"bare 1\.0\.0 \(MIT\) comes without its licence"):
        third_party.crate_of(package | {"license": "MIT"})
    (tmp_path / "c").mkdir()
    for name in ("LICENSE-MIT", "c/COPYING", "c/licence_check.sh", "README"):
        (tmp_path / name).write_text(name)
    assert third_party.crate_of(package | {"license": "MIT"}).texts == ("LICENSE-MIT", "c/COPYING")


def test_a_stamp_is_older_than_what_changed_after_it(tmp_path):
    stamp, file = tmp_path / "stamp", tmp_path / "file"
    assert not tasks.is_newer(stamp, [])
    stamp.touch()
    file.touch()
    os.utime(stamp, (2, 2))
    os.utime(file, (1, 1))
    assert tasks.is_newer(stamp, [file, tmp_path / "absent"])
    os.utime(file, (3, 3))
    assert not tasks.is_newer(stamp, [file])


def test_jobs_beside_each_other_all_end_before_one_that_fails_ends_the_program():
    both, ended = threading.Barrier(2, timeout=60), []

    def fails():
        both.wait()
        sys.exit(3)

    def works():
        both.wait()
        ended.append("works")

    with pytest.raises(SystemExit) as end:
        tasks.beside(fails, works)
    assert (end.value.code, ended) == (3, ["works"])
