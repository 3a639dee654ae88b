"""ONNX models of torch networks, and where those of saved weights are kept."""

import io
import warnings
from pathlib import Path
from typing import Any

from phasezoo.errors import CheckpointError
from phasezoo.inference.manifest import ValueKind
from phasezoo.inference.storage import digest, write_file

__all__ = ["cached_onnx", "export_onnx", "own_tensors", "store_onnx"]

EXPORT_VERSION = 2
"""Raised when :func:`export_onnx` writes other bytes, so that cached files are made again."""

OPSET = 17


def own_tensors(kind: ValueKind) -> dict[str, str]:
    """What :func:`export_onnx` calls the tensors of a model; not all have ``plies_left``."""
    return {"input": "planes", "policy": "policy_logits", kind: kind, "plies_left": "plies_left"}


def export_onnx(answers: Any, input_shape: tuple[int, int, int], kind: ValueKind = "wdl") -> bytes:
    """The ONNX model of a network, for any number of rows.

    Args:
        answers: The network as :class:`phasezoo.inference.modules.Answers`, in eval mode, on the
            CPU and in float32.
        input_shape: Channels, height and width of the planes.
        kind: What it says of a game's end.

    Returns:
        A model with the input ``planes float32[B, C, H, W]`` and the outputs
        ``policy_logits float32[B, A]`` and ``wdl float32[B, 3]`` (probabilities), ``value
        float32[B]`` or ``values float32[B, P]``; and ``plies_left float32[B]`` if the network says
        how many plies are left.
    """
    import torch

    names = ["planes", "policy_logits", kind, *(["plies_left"] if answers.plies else [])]
    file = io.BytesIO()
    with warnings.catch_warnings():
        # The exporter that replaces this one needs onnxscript and takes several times as long.
        warnings.simplefilter("ignore", DeprecationWarning)
        # What tracing may lose, it warns of; the model is compared with the network afterwards.
        lossy = torch.jit.TracerWarning  # type: ignore[attr-defined]  # public, says its page
        warnings.simplefilter("ignore", lossy)
        torch.onnx.export(
            answers,
            (torch.zeros(2, *input_shape),),
            file,  # type: ignore[arg-type]  # a file object is what this exporter documents
            dynamo=False,
            opset_version=OPSET,
            input_names=names[:1],
            output_names=names[1:],
            dynamic_axes={name: {0: "rows"} for name in names},
        )
    return file.getvalue()


def cached_onnx(directory: Path, weights: str) -> Path | None:
    """The whole, unchanged ONNX file in ``directory`` of the weights with this SHA-256, if any.

    Such a file is a cache: its name says of which weights it was made and which bytes it holds.
    """
    for path in directory.glob(_cache_name(weights, "*")):
        if path.name == _cache_name(weights, digest(path.read_bytes())):
            return path
    return None


def store_onnx(directory: Path, weights: str, model: bytes) -> None:
    """Keep ``model`` for the next time, if the directory can be written."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_file(directory / _cache_name(weights, digest(model)), model)
    except (CheckpointError, OSError):
        return  # a network on a read-only disk is used all the same


def _cache_name(weights: str, content: str) -> str:
    return f"model-v{EXPORT_VERSION}-{weights[:12]}-{content[:12]}.onnx"
