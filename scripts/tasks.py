"""The Makefile's targets, on any system: ``python scripts/tasks.py setup lint test``.

The Makefile calls it; where there is no make or no bash, call it yourself. It needs nothing but
Python 3.11 or newer, and makes the rest in ``.venv``.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
DEPENDENCIES, BUILT = VENV / ".dependencies", VENV / ".built"
"""Files that say by their times when the dependencies were installed and the core was built."""

MADE = ("target", "dist", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
        ".import_linter_cache", "docs/_build", "docs/environments", "docs/reference",
        "docs/reports")  # fmt: skip
QUICK = "not slow and not gpu and not ray and not web"
"""The tests of ``test``; ``test-all`` runs every one."""
SHARED_OUT = ("-n", "auto", "--dist", "worksteal")
"""Tests run in several processes; one that has none left takes some from another."""

NO_CARGO = (
    "phasezoo needs a Rust toolchain (cargo 1.95 or newer) to build its core, and none could be "
    "fetched: install rustup with your system's package manager, then try again."
)


def environment() -> dict[str, str]:
    """Return the variables of this process, with ``.venv`` first on the path."""
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "PATH": path, "VIRTUAL_ENV": str(VENV)}


def run(*words: object, extra: Mapping[str, str] | None = None) -> None:
    """Run a command of ``.venv`` or the system; one that fails ends this program."""
    variables = {**environment(), **(extra or {})}
    program = shutil.which(str(words[0]), path=variables["PATH"])
    if program is None:
        fail(f"{words[0]}: no such program")
    done = subprocess.run([program, *map(str, words[1:])], cwd=ROOT, env=variables, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def with_cargo(*words: object) -> None:
    """Run a command with cargo on its path.

    Where there is none, maturin's own bootstrap (puccinialin) fetches a toolchain into the user's
    cache folder.
    """
    found = shutil.which("cargo", path=environment()["PATH"])
    run(*words, extra={} if found else fetched_toolchain())


def fetched_toolchain() -> dict[str, str]:
    """Return the variables that a fetched Rust toolchain needs."""
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / "info.json"
        for words in (
            [shutil.which("uv", path=environment()["PATH"]) or "uv", "pip", "install", "--quiet",
             "--python", PYTHON, "puccinialin"],
            [PYTHON, "-m", "puccinialin", "--info-json", info],
        ):  # fmt: skip
            done = subprocess.run(words, env=environment(), capture_output=True, check=False)
            if done.returncode:
                fail(NO_CARGO)
        found: dict[str, str] = json.loads(info.read_text())["env"]
    return found


@contextmanager
def stage(title: str) -> Iterator[None]:
    """Print a stage of the set-up, and the time it takes every half minute and at its end."""
    began, ended = time.monotonic(), threading.Event()

    def report() -> None:
        while not ended.wait(30):
            print(f"  {time.monotonic() - began:.0f} s …", flush=True)

    print(title, flush=True)
    threading.Thread(target=report, daemon=True).start()
    try:
        yield
    finally:
        ended.set()
    print(f"  done in {time.monotonic() - began:.0f} s", flush=True)


def fail(message: str) -> NoReturn:
    """End with a line that says why."""
    sys.exit(message)


def is_newer(stamp: Path, files: Iterable[Path]) -> bool:
    """Return whether a stamp is there and none of the files changed after it."""
    if not stamp.exists():
        return False
    made = stamp.stat().st_mtime
    return all(file.stat().st_mtime <= made for file in files if file.exists())


def rust_files() -> list[Path]:
    """Return the files that the core is built from."""
    crates = [
        p for p in (ROOT / "crates").rglob("*") if p.suffix == ".rs" or p.name == "Cargo.toml"
    ]
    names = ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "pyproject.toml")
    return [*crates, *(ROOT / name for name in names)]


def dependencies() -> None:
    """Make ``.venv``, and install the pinned dependencies that are not there yet."""
    if not PYTHON.exists():
        run(sys.executable, "-m", "venv", VENV)
    if shutil.which("uv", path=environment()["PATH"]) is None:
        run(PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv")
    if is_newer(DEPENDENCIES, [ROOT / "pyproject.toml", ROOT / "constraints.txt"]):
        return
    with stage("set-up 1/2: install the pinned dependencies (1 to 5 minutes, 3 GB)"):
        run("uv", "pip", "install", "--quiet", "--python", PYTHON, "--constraint",
            "constraints.txt", "--requirement", "pyproject.toml", "--extra", "all",
            "--group", "dev")  # fmt: skip
    DEPENDENCIES.touch()


def setup() -> None:
    """Make .venv with the pinned dependencies and build the core."""
    # Dependencies come first by name, so that maturin finds everything there and asks no registry.
    dependencies()
    if is_newer(BUILT, [*rust_files(), DEPENDENCIES]):
        return
    with stage("set-up 2/2: compile the core (3 to 10 minutes on two cores)"):
        with_cargo("maturin", "develop", "--release", "--uv", "--quiet")
    BUILT.touch()


def test() -> None:
    """Run cargo test and pytest, without the slow ones."""
    setup()
    with_cargo("cargo", "test", "--workspace", "--locked", "--quiet")
    run(PYTHON, "-m", "pytest", "-q", *SHARED_OUT, "-m", QUICK)


def test_all() -> None:
    """Run every test."""
    setup()
    with_cargo("cargo", "test", "--workspace", "--locked", "--quiet")
    run(PYTHON, "-m", "pytest", "-q", *SHARED_OUT, "-m", "not ray")
    run(PYTHON, "-m", "pytest", "-q", "-m", "ray")  # a cluster takes the whole machine


def lint() -> None:
    """Check formatting, lints, types, layers and workflows."""
    dependencies()
    with_cargo("cargo", "--version")  # one that must be fetched is fetched once
    beside(lint_python, lint_core, lint_crates)
    run(PYTHON, "scripts/house.py")


def beside(*jobs: Callable[[], None]) -> None:
    """Do jobs at the same time; if one fails, fail when the others have ended."""
    with ThreadPoolExecutor(len(jobs)) as pool:
        for job in [pool.submit(job) for job in jobs]:
            job.result()


def lint_python() -> None:
    """Check what needs no core."""
    run("ruff", "format", "--check", ".")
    run("ruff", "check", ".")
    run(PYTHON, "scripts/check_docstrings.py", "src", "scripts", "benchmarks", "drills")
    # On a clean checkout the package is not installed yet.
    run("lint-imports", "--no-logo", extra={"PYTHONPATH": str(ROOT / "src")})
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows)
    run("mypy")


def lint_core() -> None:
    """Build the core, most of which takes one thread, and check its stub."""
    setup()
    run(PYTHON, "-m", "mypy.stubtest", "phasezoo._core",
        "--mypy-config-file", "scripts/stubtest.ini")  # fmt: skip


def lint_crates() -> None:
    """Check the crates, which cargo compiles beside the core in another folder."""
    with_cargo(PYTHON, "scripts/third_party.py", "--check")
    with_cargo("cargo", "fmt", "--all", "--check")
    with_cargo("cargo", "clippy", "--workspace", "--all-targets", "--locked", "--quiet", "--",
               "-D", "warnings")  # fmt: skip


def reformat() -> None:
    """Format the code."""
    setup()
    run("ruff", "format", ".")
    run("ruff", "check", "--fix", ".")
    with_cargo("cargo", "fmt", "--all")


def docs() -> None:
    """Build the site of the documentation into docs/_build/html, warnings being errors."""
    setup()
    run("uv", "pip", "install", "--quiet", "--python", PYTHON, "--constraint", "constraints.txt",
        "--group", "docs")  # fmt: skip
    run(PYTHON, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs",
        "docs/_build/html")  # fmt: skip
    run(PYTHON, "-m", "pytest", "-q", "tests/docs")


def notices() -> None:
    """Write THIRD_PARTY_NOTICES.txt anew."""
    dependencies()
    with_cargo(PYTHON, "scripts/third_party.py")


def wheel() -> None:
    """Build the abi3 wheel into dist/."""
    dependencies()
    with_cargo("maturin", "build", "--release", "--out", "dist")


def sdist() -> None:
    """Build the source distribution into dist/."""
    dependencies()
    with_cargo("maturin", "sdist", "--out", "dist")


def smoke() -> None:
    """Install what is in dist/ into empty environments and try it there."""
    dependencies()
    with_cargo(PYTHON, "scripts/smoke.py")


def clean() -> None:
    """Remove what was built, but not the environments."""
    for name in MADE:
        shutil.rmtree(ROOT / name, ignore_errors=True)
    BUILT.unlink(missing_ok=True)
    for library in (ROOT / "src" / "phasezoo").glob("_core*"):
        if library.suffix in (".so", ".pyd"):
            library.unlink()


TASKS: dict[str, Callable[[], None]] = {
    "dependencies": dependencies,
    "setup": setup,
    "develop": setup,
    "lint": lint,
    "lint-python": lint_python,
    "format": reformat,
    "test": test,
    "test-all": test_all,
    "docs": docs,
    "notices": notices,
    "wheel": wheel,
    "sdist": sdist,
    "smoke": smoke,
    "clean": clean,
}


def main() -> None:
    """Do what is named, in that order; ``with-cargo COMMAND`` runs a command with cargo."""
    if sys.argv[1:2] == ["with-cargo"]:
        with_cargo(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python scripts/tasks.py", description=__doc__)
    parser.add_argument("tasks", nargs="+", choices=TASKS, metavar="TASK", help=", ".join(TASKS))
    for name in parser.parse_args().tasks:
        TASKS[name]()


if __name__ == "__main__":
    main()
