"""A copy of the project in which faults are planted, so that the checkout never has one."""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from drills.breaking.faults import Fault, Unplantable

QUICK_BUILD = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "2",
    "CARGO_INCREMENTAL": "1",
}
"""Settings of cargo under which a small change is built in seconds."""

FAST = "not slow and not gpu and not ray and not web and not libraries"
"""The tests that ``make test`` runs."""

BUILT = {".pyc", ".so", ".pyd"}
"""Suffixes of files in the copy that belong to no file of the checkout."""

CACHES = {".pytest_cache", ".hypothesis", "target"}
"""Folders in which tests keep something for the next run."""

TEST_SECONDS = 120
"""After which a single test has failed."""

MOST_SECONDS = 900
"""After which a run of tests, or a build, is ended."""


class Run:
    """A finished command.

    Args:
        code: Its exit status; None if it had to be ended.
        output: What it printed.
    """

    def __init__(self, code: int | None, output: str) -> None:
        self.code = code
        self.output = output

    @property
    def tail(self) -> str:
        """The last line that says anything."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return lines[-1][:200] if lines else "no output"


class Copy:
    """A copy of a project that shares the environment of this interpreter.

    Args:
        root: The project, a checkout of git.
        room: A folder for the copy and its build; what an earlier drill left there is used again.
    """

    def __init__(self, root: Path, room: Path) -> None:
        self.root = root
        self.tree = room / "tree"
        self._target = room / "cargo"
        # The drill may itself be part of a test.
        own = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
        self._environment = {
            **own,
            **QUICK_BUILD,
            "CARGO_TARGET_DIR": str(self._target),
            "PYO3_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(self.tree / "src"), str(self.tree)]),
        }

    def refresh(self) -> None:
        """Make the copy what the checkout is; files that are alike keep their times.

        Raises:
            RuntimeError: Python would not import the copy.
        """
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(words, cwd=self.root, check=True, capture_output=True).stdout
        names = {name for name in os.fsdecode(listed).split("\0") if (self.root / name).is_file()}
        for name in names:
            self._write(name, (self.root / name).read_bytes())
        for file in [file for file in self.tree.rglob("*") if file.is_file()]:
            place = file.relative_to(self.tree)
            is_kept = file.suffix in BUILT or not CACHES.isdisjoint(place.parts)
            if place.as_posix() not in names and not is_kept:
                file.unlink()
        self.restore_core()
        for package in sorted((self.tree / "src").glob("*/__init__.py")):
            self._check_import(package)

    def _check_import(self, package: Path) -> None:
        name = package.parent.name
        found = self._run([sys.executable, "-c", f"import {name}; print({name}.__file__)"])
        if found.code != 0 or Path(found.tail) != package:
            message = f"Python imports {name} not from {package}: {found.tail}"
            raise RuntimeError(message)

    def restore_core(self) -> None:
        """Put the checkout's own core into the copy."""
        for file in self.root.glob("src/*/_core.*"):
            if file.suffix in BUILT:
                self._write(file.relative_to(self.root).as_posix(), file.read_bytes())

    @contextlib.contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """Plant a fault, build the core if it needs that, and remove both at the end.

        Args:
            fault: The fault.

        Raises:
            Unplantable: It does not fit the code, or the core cannot be built with it.
        """
        broken = fault.planted(self.tree)
        before = (self.tree / fault.file).read_bytes()
        try:
            self._write(fault.file, broken.encode("utf-8"))
            if fault.needs_build:
                self._build()
            yield
        finally:
            self._write(fault.file, before)
            if fault.needs_build:
                self.restore_core()

    def _build(self) -> None:
        """Build the core and put it in the place of the checkout's."""
        words = "cargo build --release --locked --jobs 1 --package phasezoo-py"
        built = self._run([*words.split(), "--features", "pyo3/extension-module"])
        if built.code != 0:
            errors = [line for line in built.output.splitlines() if line.startswith("error")]
            message = f"the core cannot be built with it: {(errors or [built.tail])[0]}"
            raise Unplantable(message)
        (library,) = (
            file
            for file in (self._target / "release").iterdir()
            if file.name in ("lib_core.so", "lib_core.dylib", "_core.dll")
        )
        suffix = "pyd" if library.suffix == ".dll" else "abi3.so"
        shutil.copyfile(library, self.tree / "src" / "phasezoo" / f"_core.{suffix}")

    def first_failure(self, tests: Sequence[str]) -> str | None:
        """Run tests up to the first that fails; its name, or None if all pass.

        Args:
            tests: Paths of pytest, and Rust files.

        Raises:
            Unplantable: There is no such test.
        """
        python = [test for test in tests if not test.endswith(".rs")]
        failure = self._pytest(python) if python else None
        for test in tests:
            if failure is None and test.endswith(".rs"):
                failure = self._cargo_test(test)
        return failure

    def _pytest(self, tests: Sequence[str]) -> str | None:
        failed = self.tree / ".pytest_cache" / "v" / "cache" / "lastfailed"
        failed.unlink(missing_ok=True)
        options = ["-x", "-q", "-m", FAST, f"--timeout={TEST_SECONDS}"]
        run = self._run([sys.executable, "-m", "pytest", *options, *tests])
        if run.code == 0:
            return None
        if run.code in (4, 5):
            message = f"its tests cannot be run: {run.tail}"
            raise Unplantable(message)
        names = json.loads(failed.read_text(encoding="utf-8")) if failed.exists() else {}
        return next(iter(names), _how(run))

    def _cargo_test(self, file: str) -> str | None:
        """Run the tests of a Rust file: an integration test, or a module with tests in it."""
        crate, _, inside = file.removeprefix("crates/").partition("/")
        where = inside.removesuffix(".rs").removesuffix("/mod").split("/")
        binary = ["--test", where.pop(1)] if where[0] == "tests" else ["--lib"]
        chosen = [*binary, "::".join(where[1:])]
        words = ["cargo", "test", "--release", "--locked", "--jobs", "1", "--package", crate]
        run = self._run([*words, *chosen])
        if run.code == 0:
            return None
        failed = [line.split()[1] for line in run.output.splitlines() if "... FAILED" in line]
        return f"{file}::{failed[0]}" if failed else f"{file} ({_how(run)})"

    def _run(self, words: Sequence[str]) -> Run:
        """Run a command in the copy, in a group of its own that ends with it."""
        child = subprocess.Popen(
            words,
            cwd=self.tree,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        code: int | None = None
        output = b""
        try:
            output, _ = child.communicate(timeout=MOST_SECONDS)
            code = child.returncode
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        return Run(code, output.decode("utf-8", errors="replace"))

    def _write(self, name: str, content: bytes) -> None:
        """Write a file of the copy unless it is so already, and forget what was compiled of it."""
        file = self.tree / name
        if file.exists() and file.read_bytes() == content:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        if file.suffix == ".py":
            Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def _how(run: Run) -> str:
    """Return the end of a run in which no test failed by name."""
    return f"no end within {MOST_SECONDS} s" if run.code is None else f"ended with {run.code}"
