"""The TensorRT backend, for NVIDIA's GPUs.

TensorRT is proprietary and on no registry whole; :func:`phasezoo.inference.backends.choice.require`
says how to get it. Its engines are a cache (:mod:`phasezoo.inference.backends.engine_cache`),
compared with the network when they are built.
"""

import copy
import dataclasses
import threading
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from phasezoo import networks
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.backends.choice import require
from phasezoo.inference.backends.engine_cache import EngineCache, EngineKey
from phasezoo.inference.backends.modules import Answers, Unpacked, answers_of
from phasezoo.inference.backends.onnx_export import (
    EXPORT_VERSION,
    export_onnx,
    own_tensors,
    packed_inputs,
)
from phasezoo.inference.backends.tensors import (
    POLICY_FORMS,
    VALUE_FORMS,
    Floats,
    as_logits,
    as_values,
    columns_of,
    form_among,
)
from phasezoo.inference.evaluator import Legal
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage.manifest import MODEL, ONNX_MODEL, Manifest
from phasezoo.types import InferenceDtype

PROFILE = (1, 256, 4096)
"""Fewest, usual and most rows of an engine; larger batches are answered in parts."""

TOLERANCES: dict[InferenceDtype, float] = {"float32": 1e-2, "bfloat16": 1e-1, "float16": 3e-2}
"""How far probabilities of actions, and values, may be from those of the network in float32. The
first leaves room for TF32, which engines use on their own."""

COMPARED = 64
"""Rows on which they are compared."""


class TensorRtEvaluator(NetworkEvaluator):
    """A network answered by TensorRT; calls of several threads are answered one after another.

    Args:
        manifest: What the network was made for.
        network: The network in eval mode, or the bytes of its ONNX model.
        directory: Where engines are kept.
        device: The CUDA device; None: the first.
        dtype: Number format of the arithmetic; an ONNX model keeps its own, float32.
        allow_other_game: Whether it may be asked in a search of another game.

    Raises:
        CheckpointError: TensorRT cannot build the model, or its engine answers something else.
        InvalidConfig: There is no CUDA device, or the model is not of ``dtype``.
        MissingDependency: TensorRT is not installed.
    """

    def __init__(
        self,
        manifest: Manifest,
        network: nn.Module | bytes,
        directory: Path,
        *,
        device: str | None = None,
        dtype: InferenceDtype = "float32",
        allow_other_game: bool = False,
    ) -> None:
        require("tensorrt")
        self.device = networks.resolve_device(device or "cuda")
        self.dtype = dtype
        if isinstance(network, bytes) and dtype != "float32":
            message = f"dtype {dtype!r}: a network that is kept as ONNX runs in float32"
            raise InvalidConfig(message)
        answers = None if isinstance(network, bytes) else answers_of(network, manifest)
        if answers is not None:
            manifest = dataclasses.replace(manifest, plies_left=answers.plies)
        super().__init__(manifest, allow_other_game=allow_other_game)
        tensors = manifest.tensors or own_tensors(manifest.value_kind)
        self._policy = form_among(POLICY_FORMS, tensors)
        self._value = form_among(VALUE_FORMS, tensors)
        outputs = [tensors[self._policy], tensors[self._value]]
        if manifest.plies_left:
            outputs.append(tensors["plies_left"])
        shape = manifest.input_shape
        self._inputs: dict[str, tuple[int, ...]] = {tensors.get("input", "planes"): tuple(shape)}
        if self.layout is not None:
            self._inputs = {n: (width,) for n, width in packed_inputs(self.layout).items()}
        self._lock = threading.Lock()

        from phasezoo.inference.backends import tensorrt_engine

        key = EngineKey(
            model=manifest.files[ONNX_MODEL if answers is None else MODEL],
            version=tensorrt_engine.version(),
            gpu=tensorrt_engine.gpu_name(self.device),
            precision=dtype,
            profile=PROFILE,
            packed=manifest.packed,
            export=EXPORT_VERSION,
        )

        def build() -> bytes:
            model = network if answers is None else self._exported(answers)
            assert isinstance(model, bytes)
            with torch.cuda.device(self.device):
                return tensorrt_engine.build_engine(model, self._inputs, PROFILE)

        def load(data: bytes) -> Any:
            return tensorrt_engine.Engine(data, outputs, self.device)

        def verify(engine: Any) -> None:
            if answers is not None:
                self._compare(engine, answers)

        self._engine = EngineCache(directory).get(key, build, load, verify)

    def _answer(
        self, arrays: list[Any], legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None]:
        rows = len(arrays[0])
        parts = []
        with self._lock:
            for start in range(0, rows, PROFILE[-1]):
                part = [np.ascontiguousarray(each[start : start + PROFILE[-1]]) for each in arrays]
                sent = [networks.to_device(each, self.device) for each in part]
                found = self._engine(dict(zip(self._inputs, sent, strict=True)))
                parts.append(networks.to_host(tuple(found)))
        policy, values, *plies = (
            torch.cat(each).numpy().reshape(rows, -1) for each in zip(*parts, strict=True)
        )
        value = values.reshape(rows, columns_of(self._value, self.manifest.num_players))
        return (
            as_logits(self._policy, policy),
            as_values(self._value, value),
            np.maximum(plies[0][:, 0], 0) if plies else None,
        )

    def _exported(self, answers: Answers) -> bytes:
        """Return the ONNX model in this evaluator's number format, traced on its device."""
        dtype = getattr(torch, self.dtype)
        narrow = copy.deepcopy(answers).to(self.device, dtype)
        shape, kind = self.manifest.input_shape, self.manifest.value_kind
        return export_onnx(Narrow(narrow, dtype), shape, kind, self.layout, self.device)

    def _compare(self, engine: Any, answers: Answers) -> None:
        """Refuse an engine that answers something else than its network."""
        generator = np.random.default_rng(0)
        shape = (COMPARED, *self.manifest.input_shape)
        planes = (generator.random(shape) < 0.15).astype(np.float32)
        arrays = self._arrays(planes)
        sent = {
            name: networks.to_device(each, self.device)
            for name, each in zip(self._inputs, arrays, strict=True)
        }
        found = [each.cpu() for each in engine(sent)]
        module = answers if self.layout is None else Unpacked(answers, self.layout).eval()
        with torch.inference_mode():
            exact = module(*(torch.from_numpy(each) for each in arrays))
        worst = max(
            float((torch.softmax(found[0].flatten(1), 1) - torch.softmax(exact[0], 1)).abs().max()),
            float((found[1].flatten() - exact[1].flatten()).abs().max()),
        )
        if not worst <= TOLERANCES[self.dtype]:
            message = (
                f"{self.name}: TensorRT's engine in {self.dtype} answers up to {worst:.2g} off, "
                f"more than {TOLERANCES[self.dtype]}; use another dtype, or backend='torch'"
            )
            raise CheckpointError(message)


class Narrow(nn.Module):
    """Answers in another number format, whose inputs and answers stay float32.

    Args:
        answers: Converted to the format already.
        dtype: The format.
    """

    def __init__(self, answers: Answers, dtype: torch.dtype) -> None:
        super().__init__()
        self.answers, self.dtype, self.plies = answers, dtype, answers.plies

    def forward(self, planes: Tensor) -> tuple[Tensor, ...]:
        """As :meth:`Answers.forward`."""
        return tuple(each.float() for each in self.answers(planes.to(self.dtype)))
