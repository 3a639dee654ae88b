"""ONNX models of torch networks, and where those of saved weights are kept."""

import io
import warnings
from pathlib import Path
from typing import Any

from phasezoo.errors import CheckpointError
from phasezoo.games import PlaneLayout
from phasezoo.inference.storage.files import write_file
from phasezoo.inference.storage.manifest import ValueKind
from phasezoo.runs.saved import digest

EXPORT_VERSION = 2
"""Raised when :func:`export_onnx` writes other bytes, so that cached files are made again."""

OPSET = 17


def own_tensors(kind: ValueKind) -> dict[str, str]:
    """Return the names that :func:`export_onnx` gives tensors; not all models have ``plies_left``.

    Its inputs of packed planes are always called ``bits`` and ``numbers``.
    """
    return {"input": "planes", "policy": "policy_logits", kind: kind, "plies_left": "plies_left"}


def export_onnx(
    answers: Any,
    input_shape: tuple[int, int, int],
    kind: ValueKind = "wdl",
    layout: PlaneLayout | None = None,
    device: Any = "cpu",
) -> bytes:
    """Return the ONNX model of a network, for any number of rows.

    Returns:
        A model with the input ``planes float32[B, C, H, W]``, or of packed planes those of ``bits
        uint8[B, 8 * words]`` and ``numbers float32[B, N]`` that have columns, and the outputs
        ``policy_logits float32[B, A]`` and ``wdl float32[B, 3]`` (probabilities), ``value
        float32[B]`` or ``values float32[B, P]``; and ``plies_left float32[B]`` if the network says
        how many plies are left.
    """
    import torch

    outputs = ["policy_logits", kind, *(["plies_left"] if answers.plies else [])]
    if layout is None:
        module, inputs = answers, {"planes": torch.zeros(2, *input_shape, device=device)}
    else:
        from phasezoo.inference.backends.modules import Unpacked

        module = Unpacked(answers, layout).eval().to(device)
        columns = packed_inputs(layout)
        kinds = {"bits": torch.uint8, "numbers": torch.float32}
        inputs = {
            name: torch.zeros(2, width, dtype=kinds[name], device=device)
            for name, width in columns.items()
        }
    file = io.BytesIO()
    with warnings.catch_warnings():
        # The exporter that replaces this one needs onnxscript and takes several times as long.
        warnings.simplefilter("ignore", DeprecationWarning)
        # What tracing may lose, it warns of; the model is compared with the network afterwards.
        lossy = torch.jit.TracerWarning  # type: ignore[attr-defined]  # public, says its page
        warnings.simplefilter("ignore", lossy)
        torch.onnx.export(
            module,
            tuple(inputs.values()),
            file,  # type: ignore[arg-type]  # a file object is what this exporter documents
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=outputs,
            dynamic_axes={name: {0: "rows"} for name in [*inputs, *outputs]},
        )
    return file.getvalue()


def packed_inputs(layout: PlaneLayout) -> dict[str, int]:
    """Return the inputs of a model of packed planes, and their columns."""
    every = {"bits": 8 * layout.words, "numbers": layout.numbers}
    return {name: columns for name, columns in every.items() if columns}


def cached_onnx(directory: Path, weights: str, *, packed: bool = False) -> Path | None:
    """Return the unchanged ONNX file in ``directory`` of the weights with this SHA-256, if any.

    There is one of float planes, and one of packed ones.

    Such a file is a cache: its name says of which weights it was made and which bytes it holds.
    """
    for path in directory.glob(_cache_name(weights, "*", packed)):
        if path.name == _cache_name(weights, digest(path.read_bytes()), packed):
            return path
    return None


def store_onnx(directory: Path, weights: str, model: bytes, *, packed: bool = False) -> None:
    """Keep ``model`` for the next time, if the directory can be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_file(directory / _cache_name(weights, digest(model), packed), model)
    except (CheckpointError, OSError):
        return  # a network on a read-only disk is used all the same


def _cache_name(weights: str, content: str, packed: bool) -> str:
    form = "-packed" if packed else ""
    return f"model-v{EXPORT_VERSION}{form}-{weights[:12]}-{content[:12]}.onnx"
