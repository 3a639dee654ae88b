"""What a position costs each network, measured here."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from phasezoo import arena, games, inference, networks
from phasezoo.experiments.representation.config import RepresentationConfig
from phasezoo.experiments.representation.results import Latency
from phasezoo.experiments.timing import between_rounds, fastest, stopwatch
from phasezoo.training.trainer import torch_threads

__all__ = ["measured"]


def measured(paths: Mapping[str, Path], config: RepresentationConfig) -> list[Latency]:
    """Microseconds of a position of each network, by backend and by positions a call.

    On a CPU it is the CPU time of one thread, so that other programs on the machine matter little;
    on another device it is the time that passes, transfers among it. Every round measures all
    networks in turn; of a measurement the fastest call counts.

    Args:
        paths: A trained network of each arm.
        config: The settings.
    """
    with torch_threads(1):
        return _measured(paths, config)


def _measured(paths: Mapping[str, Path], config: RepresentationConfig) -> list[Latency]:
    is_cpu = networks.resolve_device(config.device).type == "cpu"
    backends: tuple[Literal["onnx", "torch"], ...] = ("onnx", "torch") if is_cpu else ("torch",)
    clock = time.process_time if is_cpu else time.perf_counter
    calls: dict[tuple[str, str, int], Callable[[], float]] = {}
    for name, path in paths.items():
        for backend in backends:
            evaluator = inference.load(path, backend=backend, device=config.device, threads=1)
            planes = _planes(evaluator.plane_spec, max(config.batches), config)
            for batch in config.batches:
                calls[name, backend, batch] = stopwatch(_call(evaluator, planes[:batch]), clock)
    found: dict[tuple[str, str, int], list[float]] = {key: [] for key in calls}
    for _ in range(config.rounds):
        for key, call in calls.items():
            found[key].append(1e6 * fastest(call, config.milliseconds / 1e3) / key[2])
    return [
        Latency(name, backend, batch, between_rounds(times))
        for (name, backend, batch), times in found.items()
    ]


def _call(evaluator: Any, planes: Any) -> Callable[[], object]:
    return lambda: evaluator.evaluate(planes)


def _planes(spec: str, rows: int, config: RepresentationConfig) -> Any:
    """Positions after the package's openings."""
    suite = arena.OpeningSuite.load(config.game)
    states = [suite.state(index % len(suite)) for index in range(rows)]
    return games.encode(states, spec)
