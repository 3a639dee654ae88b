"""How torch gets loaded: with sleeping threads, or with one sentence that says it is missing."""

import mmap
import os
import platform
import subprocess
import sys

import pytest

from phasezoo import _torch
from phasezoo.errors import MissingDependency


@pytest.mark.parametrize("module", ["phasezoo.networks", "phasezoo.training.supervised"])
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "10000 None"),
        ({"GOMP_SPINCOUNT": "7"}, "7 None"),
        ({"OMP_WAIT_POLICY": "ACTIVE"}, "None ACTIVE"),
    ],
)
def test_idle_threads_sleep_unless_told_otherwise(
    module: str, given: dict[str, str], expected: str
) -> None:
    ours = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
    environment = {k: v for k, v in os.environ.items() if k not in ours} | given
    # A stand-in for torch that notes what it would read when it is loaded.
    program = f"""
import importlib.abc, importlib.machinery, os, sys
class Found(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "torch" else None
    def create_module(self, spec):
        print(*(os.environ.get(name) for name in {ours}))
        raise SystemExit
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Found())
import {module}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == expected


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the memory of glibc alone")
@pytest.mark.parametrize(("given", "is_kept"), [({}, True), ({"MALLOC_TOP_PAD_": "0"}, False)])
def test_memory_that_a_step_frees_is_kept_unless_told_otherwise(
    given: dict[str, str], is_kept: bool
) -> None:
    program = """
import phasezoo.networks
import resource, torch
def step():
    parts = [torch.ones(1 << 20) for _ in range(32)]
    parts = [part + 1 for part in parts]
step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
    ours = ("MALLOC_", "GLIBC_TUNABLES")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)} | given
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    pages = 10 * 64 * (4 << 20) // mmap.PAGESIZE  # of what the steps ask for
    assert (int(done.stdout) < pages / 20) == is_kept


def test_without_torch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_torch.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match=r"\[train\]"):
        _torch.require_torch()
