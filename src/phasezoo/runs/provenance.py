"""Software and machine of a process: packages, environments, revision, cores, threads."""

import os
import platform
import subprocess
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path

import gymnasium

from phasezoo import _core

PACKAGES = (
    "phasezoo",
    "numpy",
    "gymnasium",
    "pettingzoo",
    "torch",
    "onnxruntime",
    "onnx",
    "safetensors",
    "pyarrow",
    "chess",
    "matplotlib",
    "tensorboard",
)
"""Packages whose version may change a number or a file of a run."""


@dataclass(frozen=True)
class Provenance:
    """Software and machine of a run; everything that may be missing is None."""

    packages: dict[str, str | None]
    """Version of each package whose version may matter; None if it is not installed."""
    python: str
    """Version of Python."""
    revision: str | None
    """Git commit of phasezoo's source tree."""
    system: str
    """Operating system, its release and architecture."""
    processor: str
    """Its name."""
    cores: int
    """Cores the process may run on."""
    memory_gib: float | None
    """Memory of the machine."""
    threads: int
    """Threads the run uses."""
    devices: list[str] = field(default_factory=list)
    """Accelerators the run uses."""
    environments: list[str] = field(default_factory=list)
    """Ids with versions of phasezoo's environments, such as ``Chess-v0``."""


def collect(threads: int | None = None, devices: list[str] | None = None) -> Provenance:
    """Describe this process's surroundings.

    Args:
        threads: The number the run uses; default the native core's.
        devices: Accelerators the run uses.
    """
    return Provenance(
        packages=versions(PACKAGES),
        python=platform.python_version(),
        revision=revision(),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=cpu_name(),
        cores=usable_cores(),
        memory_gib=_memory_gib(),
        threads=_core.default_threads() if threads is None else threads,
        devices=devices or [],
        environments=environments(),
    )


def environments() -> list[str]:
    """Return the ids of phasezoo's environments that Gymnasium knows, with their versions."""
    prefix = f"{__name__.partition('.')[0]}/"
    return sorted(i.removeprefix(prefix) for i in gymnasium.registry if i.startswith(prefix))


def versions(names: tuple[str, ...]) -> dict[str, str | None]:
    """Return the installed version of each package, None if it is not installed."""
    return {name: _version(name) for name in names}


@cache
def _version(name: str) -> str | None:
    # Read once: a study asks for every network that it trains.
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


@cache
def revision() -> str | None:
    """Return the Git commit of the source tree this package runs from; None without one.

    Ends in ``+changes`` if tracked files differ from the commit. It is that of the first call, as
    code that is loaded does not change with the tree.
    """
    root = Path(__file__).resolve().parents[3]
    # Only our own checkout counts: an installed package may lie inside a user's repository.
    if not (root / ".git").exists() or not (root / "crates" / "phasezoo-core").is_dir():
        return None
    commit = _git(root, "rev-parse", "HEAD")
    if not commit:
        return None
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return commit + ("+changes" if changes else "")


def usable_cores() -> int:
    """Return the number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_name() -> str:
    """Return the processor's name as the system reports it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):
        return None


def _git(root: Path, *arguments: str) -> str:
    try:
        answer = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
