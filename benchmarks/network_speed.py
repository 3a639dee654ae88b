"""How fast networks answer and learn on one core: `python -m benchmarks.network_speed NAME …`.

Prints a row for each network: parameters, multiply-adds, positions a second of CPU time through
ONNX Runtime and torch in batches of 1, 16 and 64, and of training steps. The fastest of many runs
counts, in CPU time, so that other processes on the machine matter little.
"""

import argparse
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.common import sized
from phasezoo import games, networks
from phasezoo._onnxruntime import onnxruntime
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.modules import answers_of
from phasezoo.inference.backends.onnx_export import export_onnx
from phasezoo.inference.storage.manifest import Manifest
from phasezoo.networks.blocks import fold_batch_norms
from phasezoo.types import Dtype

BATCHES = (1, 16, 64)
SECONDS = sized(0.5, 0.01)
SHARE = 0.15
"""Share of the inputs that are 1; a position of chess has about as many."""


def fastest(run: Callable[[], object], clock: Callable[[], float]) -> float:
    """Seconds of the fastest of the runs that fit into :data:`SECONDS`."""
    run()
    run()
    best, end = float("inf"), time.monotonic() + SECONDS
    while time.monotonic() < end:
        start = clock()
        run()
        best = min(best, clock() - start)
    return best


def inference(name: str, planes: np.ndarray, game: games.Game) -> list[float]:
    """Positions a second through ONNX Runtime, then through torch, of each batch."""
    shape = planes.shape[1:]
    network = networks.make(name, shape, game.num_actions).eval()
    manifest = Manifest(
        game=game.name,
        planes="default",
        network=name,
        input_shape=shape,
        num_actions=game.num_actions,
        actions=action_spec(game.num_actions, shape),
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    fold_batch_norms(network)
    model = export_onnx(answers_of(network, manifest), shape)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    found = []
    for batch in BATCHES:
        rows = {"planes": planes[:batch]}
        found.append(batch / fastest(lambda r=rows: session.run(None, r), time.thread_time))
    with torch.inference_mode():
        for batch in BATCHES:
            tensor = torch.from_numpy(planes[:batch]).contiguous(memory_format=torch.channels_last)
            found.append(batch / fastest(lambda t=tensor: network(t), time.thread_time))
    return found


def training(name: str, planes: np.ndarray, game: games.Game, dtype: Dtype) -> float:
    """Positions a second of training steps."""
    network = networks.make(name, planes.shape[1:], game.num_actions)
    network = network.to(memory_format=torch.channels_last).train()
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, nesterov=True)
    tensor = torch.from_numpy(planes).contiguous(memory_format=torch.channels_last)
    actions = torch.zeros(len(planes), dtype=torch.long)

    def step() -> None:
        with networks.autocast(dtype, tensor.device):
            output = network(tensor)
        loss = torch.nn.functional.cross_entropy(output.policy_logits.float(), actions)
        loss = loss + output.value().float().square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    return len(planes) / fastest(step, time.process_time)  # gradients have a thread of their own


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.network_speed", description=__doc__)
    parser.add_argument("names", nargs="+", help="networks, such as rise-32x4")
    parser.add_argument("--game", default="chess", help="whose planes and actions")
    parser.add_argument("--batch", type=int, default=64, help="positions of a training step")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32")
    options = parser.parse_args()
    torch.set_num_threads(1)
    networks.supported_dtype(options.dtype, torch.device("cpu"))
    game = games.make(options.game)
    shape = game.plane_shape(game.plane_spec(None, None))
    rows = max(*BATCHES, options.batch)
    planes = (np.random.default_rng(0).random((rows, *shape)) < SHARE).astype(np.float32)
    heads = [f"{backend} {batch}" for backend in ("ONNX", "torch") for batch in BATCHES]
    heads = ["network", "parameters", "M multiply-adds", *heads, f"training {options.batch}"]
    sys.stdout.write(f"| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}\n")
    for name in options.names:
        size = networks.count(name, shape, game.num_actions)
        speeds = inference(name, planes, game)
        speeds.append(training(name, planes[: options.batch], game, options.dtype))
        figures = [f"{size.parameters:,}", f"{size.multiply_adds / 1e6:.2f}"]
        figures += [f"{speed:,.0f}" for speed in speeds]
        sys.stdout.write(f"| `{name}` | {' | '.join(figures)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
