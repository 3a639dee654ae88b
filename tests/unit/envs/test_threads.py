"""How many threads the core uses is decided by the environment variable and the machine."""

import os
import subprocess
import sys

import pytest

CODE = "from phasezoo import _core; print(_core.default_threads())"


def threads_with(setting=None, affinity=None):
    environment = {key: value for key, value in os.environ.items() if key != "PHASEZOO_THREADS"}
    if setting is not None:
        environment["PHASEZOO_THREADS"] = setting
    code = CODE if affinity is None else f"import os; os.sched_setaffinity(0, {affinity}); {CODE}"
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_the_variable_decides():
    assert threads_with("3").stdout.strip() == "3"


@pytest.mark.parametrize("setting", ["0", "-2", "all", "", "100000"])
def test_a_bad_variable_is_named(setting):
    done = threads_with(setting)
    assert done.returncode != 0
    assert "InvalidConfig" in done.stderr
    assert "PHASEZOO_THREADS" in done.stderr


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_without_it_the_affinity_mask_decides():
    cpus = os.sched_getaffinity(0)
    assert int(threads_with().stdout) <= len(cpus)
    assert threads_with(affinity={min(cpus)}).stdout.strip() == "1"
