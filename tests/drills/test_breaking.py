"""Which faults of a toy project its tests catch; `python -m drills break` breaks the real one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from drills.breaking.command import main
from drills.breaking.faults import CATALOGUE, Unplantable, read_faults

ROOT = Path(__file__).resolve().parents[2]

SOURCE = '''"""Arithmetic."""


def larger(a, b):
    return a if a > b else b


def half(a):
    return a / 2 if a > 0 else -(-a / 2)
'''

TESTS = """
from toy import half, larger


def test_of_two():
    assert larger(1, 2) == 2


def test_half():
    assert half(4) == 2


def test_that_fails_anyway():
    assert larger(1, 1) == 2
"""

FAST_START = """
[pytest]
addopts = -p no:hypothesispytest -p no:xdist -p no:anyio -p no:typeguard
"""

FAULT = """
[[fault]]
slug = "{slug}"
right = "It is {slug}."
file = "src/toy/__init__.py"
text = "{text}"
broken = "{broken}"
tests = ["{tests}"]
"""

FAULTS = [
    ("seen", "if a > b", "if a < b", "tests/test_toy.py"),
    ("unseen", "if a > 0", "if a > 1", "tests/test_toy.py::test_half"),
    ("twice", "a / 2", "a", "tests/test_toy.py"),
    ("wrong-test", "if a > 0", "if a > 2", "tests/test_toy.py::test_that_fails_anyway"),
]


@pytest.fixture
def toy(tmp_path):
    """A project and its catalogue."""
    project, catalogue = tmp_path / "project", tmp_path / "faults"
    for folder in (project / "src" / "toy", project / "tests", catalogue):
        folder.mkdir(parents=True)
    (project / "src" / "toy" / "__init__.py").write_text(SOURCE)
    (project / "tests" / "test_toy.py").write_text(TESTS)
    (project / "pytest.ini").write_text(FAST_START)
    (project / ".gitignore").write_text("/target/\n__pycache__/\n")
    subprocess.run(["git", "init", "--quiet"], cwd=project, check=True)
    write(catalogue, FAULTS)
    return project, catalogue


def write(catalogue, faults):
    fields = ("slug", "text", "broken", "tests")
    entries = [FAULT.format(**dict(zip(fields, fault, strict=True))) for fault in faults]
    (catalogue / "sums.toml").write_text("".join(entries))


def files(project):
    """What a checkout holds, without what git ignores."""
    words = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=project, check=True, capture_output=True, text=True).stdout
    return {name: (project / name).read_text() for name in listed.split("\0") if name}


def test_what_is_caught_and_what_is_not(toy, tmp_path, capsys):
    project, catalogue = toy
    before, kept = files(project), tmp_path / "results.json"
    assert main(["--json", str(kept)], catalogue, project) == 1
    assert files(project) == before
    results = json.loads(kept.read_text())
    found = {slug: (result["verdict"], result["by"]) for slug, result in results.items()}
    assert found == {
        "seen": ("caught", "tests/test_toy.py::test_of_two"),
        "unseen": ("survived", None),
        "twice": ("plant anew", "its text occurs 2 times in src/toy/__init__.py, once is needed"),
        "wrong-test": (
            "plant anew",
            "tests/test_toy.py::test_that_fails_anyway fails without the fault",
        ),
    }
    assert "4 faults: 1 caught, 1 survived, 2 plant anew" in capsys.readouterr().out


def test_results_are_kept_until_the_fault_is_another_or_they_are_to_be_repeated(toy, tmp_path):
    project, catalogue = toy
    kept = tmp_path / "results.json"
    words = ["seen", "--json", str(kept)]
    write(catalogue, FAULTS[:1])
    assert main(words, catalogue, project) == 0
    first = kept.read_text()
    (project / "tests" / "test_toy.py").write_text("def test_nothing():\n    pass\n")
    assert main(words, catalogue, project) == 0
    assert kept.read_text() == first
    assert main([*words, "--again"], catalogue, project) == 1
    assert json.loads(kept.read_text())["seen"]["verdict"] == "survived"
    kept.write_text(first)
    write(catalogue, [("seen", "if a > b", "if a >= b", "tests/test_toy.py")])
    assert main(words, catalogue, project) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (9, -9)])
def test_a_drill_that_is_stopped_leaves_no_trace(toy, sent, code):
    project, catalogue = toy
    copy = project / "target" / "drills" / "break" / "tree" / "src" / "toy" / "__init__.py"
    waiting = project / "target" / "waiting"
    slow = f"import pathlib, time\ndef test_slow():\n    pathlib.Path({str(waiting)!r}).touch()\n"
    (project / "tests" / "test_toy.py").write_text(f"{slow}    time.sleep(20)\n")
    write(catalogue, FAULTS[:1])
    before = files(project)
    script = (
        # Where the tests run in the background of a shell, SIGINT is ignored from the start.
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from pathlib import Path; from drills.breaking.command import main; "
        f"sys.exit(main([], Path({str(catalogue)!r}), Path({str(project)!r})))"
    )
    drill = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, start_new_session=True)
    try:
        while not waiting.exists():
            assert drill.poll() is None
            time.sleep(0.02)
        assert "if a < b" in copy.read_text()
        os.kill(drill.pid, sent)
        assert drill.wait() == code
    finally:
        drill.kill()
    assert files(project) == before
    if code > 0:
        assert copy.read_text() == SOURCE
        return
    (project / "tests" / "test_toy.py").write_text(TESTS)
    assert main([], catalogue, project) == 0
    assert copy.read_text() == SOURCE


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (FAULTS[:1] * 2, "two faults 'seen'"),
        ([("seen", "if a > b", "if a > b", "tests/test_toy.py")], "changes nothing"),
    ],
)
def test_catalogues_that_make_no_sense_are_refused(toy, changed, told):
    _, catalogue = toy
    write(catalogue, changed)
    with pytest.raises(ValueError, match=told):
        read_faults(catalogue)


def test_the_projects_faults_can_be_listed(capsys):
    faults = read_faults(CATALOGUE)
    assert main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(faults) >= 60


def test_a_fault_that_does_not_fit_the_code_says_so(toy):
    project, catalogue = toy
    fault = read_faults(catalogue)["seen"]
    (project / "tests" / "test_toy.py").unlink()
    with pytest.raises(Unplantable, match=r"no such file: tests/test_toy\.py"):
        fault.planted(project)
