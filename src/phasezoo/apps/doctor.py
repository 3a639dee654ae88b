"""``phasezoo doctor``: what this installation can do, and what to install for the rest."""

import importlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata, resources
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from phasezoo.errors import install_hint
from phasezoo.inference.backends.choice import TENSORRT_HINT
from phasezoo.runs import provenance

Status = Literal["ok", "absent", "broken"]

_COLOURS = {"ok": "green", "absent": "yellow", "broken": "bold red"}


@dataclass(frozen=True)
class Finding:
    """A row of the examination."""

    name: str
    """Subject."""
    status: Status
    """``absent`` is a part that can be installed; ``broken`` is one that is there and fails."""
    detail: str
    """Result, or advice."""
    needed: bool = False
    """Whether phasezoo is of no use without it."""


@dataclass(frozen=True)
class DoctorOptions:
    """Show versions, the core, backends, devices and threads; fails if the core is broken."""

    def run(self) -> int:
        """Show every finding; the exit code is 1 if anything that is needed is not in order."""
        findings = examine()
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for name in ("part", "state", "detail"):
            table.add_column(name, overflow="fold")
        for finding in findings:
            state = Text(finding.status, style=_COLOURS[finding.status])
            table.add_row(Text(finding.name), state, Text(finding.detail))
        width = None if sys.stdout.isatty() else 80
        Console(highlight=False, width=width).print(table)
        broken = [f.name for f in findings if f.needed and f.status != "ok"]
        if broken:
            sys.stderr.write(f"phasezoo: not usable, because of: {', '.join(broken)}\n")
        return 1 if broken else 0


def examine() -> list[Finding]:
    """Look at every part; one that fails is reported, not raised."""
    looks: tuple[tuple[str, Callable[[], str], str, bool], ...] = (
        ("phasezoo", _package, "", True),
        ("native core", _core, "", True),
        ("sample games", _sample, "", False),
        ("threads", _threads, "", False),
        ("games stores (pyarrow)", _version("pyarrow"), "data", False),
        ("chess boards (chess)", _version("chess"), "chess", False),
        ("PyTorch", _torch, "train", False),
        ("GPU", _gpu, "train", False),
        ("networks on disk (safetensors)", _version("safetensors"), "train", False),
        ("TensorBoard logs", _version("tensorboard"), "train", False),
        ("ONNX Runtime", _onnxruntime, "onnx", False),
        ("ONNX export", _version("onnx"), "onnx", False),
        ("OpenVINO", _openvino, "openvino", False),
        ("TensorRT", _tensorrt, TENSORRT_HINT, False),
        ("networks in the package", _models, "", False),
        ("plots (matplotlib)", _version("matplotlib"), "plot", False),
        ("Stable-Baselines3", _version("stable_baselines3", "stable-baselines3"), "sb3", False),
        ("clusters (Ray)", _installed("ray"), "ray", False),
        ("attributions (Captum)", _installed("captum"), "captum", False),
        ("pages (Starlette)", _version("starlette"), "web", False),
        ("Hugging Face data sets", _installed("datasets"), "datasets", False),
        ("Weights & Biases", _installed("wandb"), "wandb", False),
        ("solver of Connect Four (AGPL)", _version("bitbully"), "solve", False),
    )
    return [_look(name, look, extra, needed) for name, look, extra, needed in looks]


def _look(name: str, look: Callable[[], str], extra: str, needed: bool) -> Finding:
    try:
        return Finding(name, "ok", look(), needed)
    except ModuleNotFoundError as error:
        if not extra:
            return Finding(name, "broken", _one_line(error), needed)
        hint = extra if " " in extra else install_hint(extra)
        return Finding(name, "absent", hint, needed)
    except Exception as error:
        return Finding(name, "broken", _one_line(error), needed)


def _package() -> str:
    revision = provenance.revision()
    version = metadata.version("phasezoo")
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{version}, Python {python}" + (f", commit {revision[:10]}" if revision else "")


def _core() -> str:
    from phasezoo import _core

    nodes = _core.perft("chess", None, 3, 1)
    # Position 1 of the perft tables has 8,902 leaves at depth 3.
    if nodes != 8902:
        message = f"counts {nodes} positions at depth 3 of chess, there are 8902"
        raise RuntimeError(message)
    return "rules of chess agree with the known count"


def _sample() -> str:
    file = resources.files("phasezoo") / "data" / "samples" / "chess_games.parquet"
    size = len(file.read_bytes())
    return f"chess, {size / 2**20:.1f} MiB"


def _models() -> str:
    from phasezoo import inference

    return ", ".join(inference.packaged_networks()) or "none in this version"


def _threads() -> str:
    from phasezoo import _core

    asked = os.environ.get("PHASEZOO_THREADS")
    note = f", PHASEZOO_THREADS={asked}" if asked else ""
    used, cores = _core.default_threads(), provenance.usable_cores()
    return f"{used} used, {cores} cores usable{note}; {provenance.cpu_name()}"


def _torch() -> str:
    import torch

    return f"{torch.__version__}, {torch.get_num_threads()} threads"


def _gpu() -> str:
    import torch

    if not torch.cuda.is_available():
        return "none; networks run on the CPU"
    names = (torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))
    return ", ".join(names)


def _onnxruntime() -> str:
    from phasezoo._onnxruntime import onnxruntime

    names = (p.removesuffix("ExecutionProvider") for p in onnxruntime.get_available_providers())
    return f"{onnxruntime.__version__}: {', '.join(names)}"


def _openvino() -> str:
    from phasezoo._openvino import openvino

    found = openvino.Core()
    formats = found.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    known = [name for name in ("FP32", "BF16", "FP16") if name in formats]
    version = str(openvino.__version__).partition("-")[0]
    return f"{version}: {', '.join(found.available_devices)} ({', '.join(known)})"


def _tensorrt() -> str:
    import tensorrt

    return str(tensorrt.__version__)


def _installed(distribution: str) -> Callable[[], str]:
    """The version of a package that takes long to import, or is wanted for its files alone."""

    def look() -> str:
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError as error:
            raise ModuleNotFoundError(str(error)) from error

    return look


def _version(module: str, distribution: str | None = None) -> Callable[[], str]:
    def look() -> str:
        importlib.import_module(module)
        return metadata.version(distribution or module)

    return look


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
