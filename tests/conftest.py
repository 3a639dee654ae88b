"""Fixtures and options that all tests share."""

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasezoo._torch import preload_for_processes

if "PYTEST_XDIST_WORKER" in os.environ:  # one of several processes, which share the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# Hundreds of tests start Python: each compiles PyTorch's sources again if no bytecode is kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Also for programs of pages. Nothing of the package is loaded, so their own imports are tested.
preload_for_processes()

ROOT = Path(__file__).resolve().parent.parent

gc.disable()  # while the tests are imported, which leaves no garbage: a quarter of that time


def pytest_collection_finish() -> None:
    """Collect garbage again, but never walk the modules and the thousands of tests for it."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """A process for each core, quotas of containers counted; few, as each takes two gigabytes."""
    from phasezoo import _core

    return min(4, _core.default_threads())


@pytest.fixture(autouse=True)
def one_torch_thread() -> Iterator[None]:
    """No test waits for another process's share of the cores."""
    torch = sys.modules.get("torch")
    before = None if torch is None else torch.get_num_threads()
    if torch is not None:
        torch.set_num_threads(1)
    yield
    if torch is not None:
        torch.set_num_threads(before)


@pytest.fixture
def own_games_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that the test registers are known as long as it lasts."""
    from phasezoo.games import registry

    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))
    monkeypatch.setattr(registry, "_BY_TYPE", dict(registry._BY_TYPE))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def full_disk():
    """A context in which no file may grow beyond so many bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource", reason="no such limits on this system")

    @contextlib.contextmanager
    def full(size: int):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of golden arrays, suites and games that a user does not have."""
    folder = Path(os.environ.get("PHASEZOO_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(
            "the shared test data is not on this machine (set PHASEZOO_SHARED to its folder)"
        )
    return folder
