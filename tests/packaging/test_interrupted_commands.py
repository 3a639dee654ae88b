"""Ctrl-C and SIGTERM, above all while a command is still being imported."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SLOW = """
import os, signal
os.kill(os.getpid(), signal.SIGINT)  # Ctrl-C while this module is imported
for _ in range(1000):
    pass
"""


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *sys.path])
    return subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": path},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def by(name: str, text: str) -> str:
    """Return a program that sends itself another signal."""
    return text.replace("SIGINT", name)


SIGNALS = pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])


@pytest.mark.parametrize("module", ["gymnasium", "tomllib", "pyarrow"])
@pytest.mark.parametrize("script", [False, True])
@SIGNALS
def test_a_signal_while_modules_are_imported_has_its_code_and_is_silent(
    module: str, script: bool, name: str, code: int, tmp_path: Path
) -> None:
    """Whether it comes with the package, the command line or the work."""
    (tmp_path / f"{module}.py").write_text(by(name, SLOW))
    (tmp_path / "phasezoo").write_text(
        "from phasezoo.apps.cli import main\nraise SystemExit(main())\n"
    )
    program = [str(tmp_path / "phasezoo")] if script else ["-m", "phasezoo"]
    done = run([*program, "data", "stats", "sample:krk"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


def test_a_package_that_catches_ctrl_c_does_not_go_on(tmp_path: Path) -> None:
    caught = SLOW.replace("\n", "\n    ").strip()
    (tmp_path / "pyarrow.py").write_text(f"try:\n    {caught}\nexcept BaseException:\n    pass\n")
    done = run(["-m", "phasezoo", "data", "stats", "sample:krk"], tmp_path)
    assert (done.returncode, done.stderr) == (130, "")


def test_other_programs_and_workers_keep_their_signals(tmp_path: Path) -> None:
    code = (
        "import signal, sys\n"
        "sys.argv = sys.argv[1:]\n"
        "import phasezoo\n"
        "print([signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)])"
    )
    done = run(["-c", code, "other"], tmp_path)
    assert "default_int_handler" in done.stdout
    assert "SIG_DFL" in done.stdout
    assert "SIG_DFL" in run(["-c", code, "phasezoo", "--multiprocessing-fork"], tmp_path).stdout
    assert "SIG_DFL" not in run(["-c", code, "phasezoo"], tmp_path).stdout


@SIGNALS
def test_a_training_that_has_begun_says_how_it_goes_on(
    name: str, code: int, tmp_path: Path
) -> None:
    """Torch imports some of its modules only with the first update."""
    (tmp_path / "late.py").write_text(
        "import importlib, sys\n"
        "from phasezoo.training import trainer\n"
        "begun = trainer.Trainer.run\n"
        "def run(self, *arguments):\n"
        "    importlib.import_module('interrupting')\n"
        "    return begun(self, *arguments)\n"
        "trainer.Trainer.run = run\n"
    )
    (tmp_path / "interrupting.py").write_text(by(name, SLOW))
    words = "train sample:krk --positions 64 --network resnet-8x1 --threads 1 --no-tensorboard"
    out = tmp_path / "out"
    plugin = ["--plugin", str(tmp_path / "late.py"), "--out", str(out)]
    done = run(["-m", "phasezoo", *words.split(), *plugin], tmp_path)
    assert done.returncode == code
    said = done.stderr.strip().splitlines()[-1]
    assert said == f"Stopped. The same command continues what is in {out}."
    assert "Traceback" not in done.stderr


TWICE = """
import importlib, os, signal, sys
importlib.import_module("phasezoo")


def press():
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass


def work():
    try:
        press()
    finally:
        press()
        print("put away", flush=True)


import phasezoo.apps.cli as cli
cli._run = lambda given: work()
code = cli.main(["doctor"])
press()
sys.exit(code)
"""


@SIGNALS
def test_a_signal_twice_is_once_and_what_has_to_be_put_away_is(
    name: str, code: int, tmp_path: Path
) -> None:
    program = tmp_path / "phasezoo"
    program.write_text(by(name, TWICE))
    done = run([str(program), "doctor"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "put away\n", "")


def test_ctrl_c_at_the_end_interrupts_no_clean_up(tmp_path: Path) -> None:
    """As a package that was loaded later may do it while Python ends."""
    (tmp_path / "late.py").write_text(
        "import atexit, os, signal\n"
        "def clean():\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    for _ in range(1000):\n"
        "        pass\n"
        "    print('clean')\n"
        "atexit.register(clean)\n"
    )
    done = run(
        ["-m", "phasezoo", "perft", "krk", "--depth", "1", "--plugin", str(tmp_path / "late.py")],
        tmp_path,
    )
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (0, "clean", "")


@SIGNALS
def test_a_signal_later_on_ends_what_does_not_end(name: str, code: int, tmp_path: Path) -> None:
    program = tmp_path / "phasezoo"
    hanging = "from phasezoo import _interrupt\n_interrupt.PATIENCE = 0\npress()\nwhile True: pass"
    program.write_text(
        by(name, TWICE).replace(
            'print("put away", flush=True)', hanging.replace("\n", "\n        ")
        )
    )
    done = run([str(program), "doctor"], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")


@pytest.mark.parametrize("name", ["phasezoo", "phasezoo-uci", "phasezoo-uci.exe"])
def test_every_program_watches_before_anything_is_loaded(name: str, tmp_path: Path) -> None:
    program = tmp_path / name
    program.write_text(
        "import signal, sys\n"
        "known = set(sys.modules)\n"
        "seen = {}\n"
        "set_signal = signal.signal\n"
        "def watched(*given):\n"
        "    seen.update(dict.fromkeys(set(sys.modules) - known))\n"
        "    return set_signal(*given)\n"
        "signal.signal = watched\n"
        "import phasezoo\n"
        "print(sorted(name for name in seen if name.partition('.')[0] in\n"
        "             ('importlib', 'phasezoo', 'numpy', 'pathlib')))\n"
    )
    done = run([str(program), "doctor"], tmp_path)
    assert done.stdout == "['phasezoo', 'phasezoo._interrupt']\n"
