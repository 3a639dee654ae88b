"""The ONNX Runtime backend, the default on CPUs; on GPUs by its CUDA provider."""

import functools
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import _core, games
from phasezoo.errors import CheckpointError, InvalidConfig, about
from phasezoo.games.action_tables import ActionOrder
from phasezoo.games.options import threads_or
from phasezoo.inference.backends.onnx_model import OnnxModel
from phasezoo.inference.backends.runtime import RuntimeEvaluator
from phasezoo.inference.backends.tensors import (
    VALUE_FORMS,
    Floats,
    answer_in_parts,
    check_policy,
    form_among,
    kind_of,
)
from phasezoo.inference.calls import calls_at_once
from phasezoo.inference.evaluator import Legal
from phasezoo.inference.storage.expert_metadata import expert_metadata
from phasezoo.inference.storage.manifest import ONNX_MODEL, Manifest
from phasezoo.runs.saved import digest, read_file
from phasezoo.types import Gate

MAX_ROWS = 32
"""Rows of one call to the runtime. Measured on two cores: 256 rows in parts of 32 take a fifth less
time than at once, because the activations of few rows stay in the cache."""

MAX_ROWS_OF_GPU = 4096
"""The same on a GPU, which wants many at once; bounds its memory."""

MIN_ROWS = 8
"""Fewer rows than this are not worth a second thread."""

KEPT_BUFFERS = 4


class _Kept(threading.local):
    """Arrays that a thread has handed out.

    It may take only its own again: between looking and taking, another could take the same.
    """

    def __init__(self) -> None:
        self.arrays: list[list[Floats]] = []
        """For each output."""


class OnnxEvaluator(RuntimeEvaluator):
    """A network answered by ONNX Runtime, in float32.

    Any number of threads may ask it at once.

    The rows of a batch are shared out among threads, each of which runs its part alone. Threads
    that work on one row together would have to wait for each other after every layer, which costs
    several times as much if other processes use the same cores.

    Args:
        manifest: What the network was made for; its ``tensors`` name input and outputs, by default
            as :func:`~phasezoo.inference.backends.onnx_export.export_onnx` does.
        model: The ONNX model: its bytes, or the path of its file.
        threads: Threads that answer a batch; None: every usable core, and one for a GPU.
        device: ``"cpu"``, or ``"cuda"`` with the build ``onnxruntime-gpu``; None: the CPU.
        allow_other_game: Whether it may be asked in a search of another game.

    Raises:
        CheckpointError: ``model`` is not an ONNX model, or has other inputs and outputs.
        InvalidConfig: ``threads`` is less than 1, or this ONNX Runtime does not know the device.
    """

    def __init__(
        self,
        manifest: Manifest,
        model: bytes | Path,
        threads: int | None = None,
        *,
        device: str | None = None,
        allow_other_game: bool = False,
    ) -> None:
        self.device = device or "cpu"
        self._max_rows = MAX_ROWS if self.device == "cpu" else MAX_ROWS_OF_GPU
        usual = _core.default_threads() if self.device == "cpu" else 1
        threads = threads_or(threads, usual)
        self.model = model
        self._model = OnnxModel(model, manifest, self.device)
        super().__init__(manifest, self._model, threads, allow_other_game=allow_other_game)
        self._kept = _Kept()
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        game: "str | games.Game",
        planes: str | None = None,
        actions: ActionOrder | None = None,
        input: str | None = None,
        policy: str | None = None,
        policy_probabilities: str | None = None,
        value: str | None = None,
        wdl: str | None = None,
        wdl_logits: str | None = None,
        values: str | None = None,
        plies_left: str | None = None,
        gate: str | Gate | None = None,
        phase: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        allow_other_game: bool = False,
    ) -> "OnnxEvaluator":
        """Load an ONNX file that was made elsewhere, by the names of its input and outputs.

        If neither policy nor value is named, they are the outputs that alone can be meant: one with
        as many numbers as the order of moves has, and one with a single number.

        Args:
            path: The file.
            game: The game that it plays.
            planes: The planes that it wants; default the game's own.
            actions: The order of its moves (``docs/definitions/network_files.md``); None: our own.
            input: What its input is called; may be left out if there is one alone.
            policy: The output with the policy's logits, ``[B, A]`` or, of planes of moves,
                ``[B, A / (H * W), H, W]``.
            policy_probabilities: In place of ``policy``: the output is a softmax already.
            value: The output with a value for the player to move, in [-1, 1].
            wdl: In place of ``value``: probabilities of win, draw and loss.
            wdl_logits: In place of ``value``: their logits.
            values: In place of ``value``: one for each player, the player to move first.
            plies_left: The output with the plies that the game will last, if it has one.
            gate: The gate that names its phase, or its specification, if it is an expert.
            phase: The phase whose expert it is; None: of all phases.
            name: How errors and reports call it; default the file's name.
            threads: Threads that answer a batch; None: every usable core.
            allow_other_game: Whether it may be asked in a search of another game.

        Raises:
            CheckpointError: The file is missing, is no ONNX model, has other tensors, or several
                that can be meant; or its policy has another form than the one named.
            InvalidConfig: A policy is named and no value, or the other way round, or several are;
                the order of moves does not fit; or the gate has no such phase.
            InvalidGate: There is no such gate.
        """
        policies = {"policy": policy, "policy_probabilities": policy_probabilities}
        ends = {"value": value, "wdl": wdl, "wdl_logits": wdl_logits, "values": values}
        others = {"input": input, "plies_left": plies_left}
        tensors = {key: called for key, called in others.items() if called is not None}
        is_named = any(called is not None for called in (*policies.values(), *ends.values()))
        if is_named or tensors:
            tensors |= (_one_of("policy", policies), _one_of("value", ends))
        played = games.make(game)
        spec = played.plane_spec(planes)
        shape = played.plane_shape(spec)
        place = Path(path)
        model = read_file(place)
        is_checked = actions is not None or not tensors
        if is_checked:
            from phasezoo.inference.formats.other_onnx import adapted

            with about(place, CheckpointError):
                model, tensors = adapted(model, played, spec, actions, tensors or None)
        form: Any = form_among(VALUE_FORMS, tensors)
        manifest = Manifest.of(
            played,
            spec,
            network=place.stem if name is None else name,
            **expert_metadata(gate, phase, played.name),
            files={ONNX_MODEL: digest(model)},
            value_kind=kind_of(form),
            backend="onnx",
            tensors=tensors,
        )
        with about(place, CheckpointError):
            evaluator = cls(manifest, model, threads, allow_other_game=allow_other_game)
            if not is_checked:
                policy = evaluator._model.policy
                zeros = np.zeros((evaluator._fixed_rows or 2, *shape), np.float32)
                logits = evaluator._answer([zeros])[0]
                answered = logits if policy == "policy" else np.exp(logits)
                check_policy(policy, tensors[policy], answered)
        again: Callable[..., OnnxEvaluator] = functools.partial(
            cls.from_file, game=played, planes=spec, actions=actions, input=input,
            plies_left=plies_left, gate=gate, phase=phase, name=name, threads=threads,
            allow_other_game=allow_other_game, **policies, **ends,  # type: ignore[arg-type]
        )  # fmt: skip
        evaluator.reload = again, (place.absolute(),)
        return evaluator

    def _answer(
        self, arrays: list[Any], legal: Legal | None = None
    ) -> tuple[Floats, Floats, Floats | None]:
        rows = len(arrays[0])
        outputs = self._buffers(rows)
        threads = max(1, self.threads // calls_at_once())
        even = min(self._max_rows, max(MIN_ROWS, -(-rows // threads)))
        step = even if self._model.fixed_rows is None else self._model.fixed_rows
        executor = None if threads == 1 else self._executor()
        return answer_in_parts(self._model, arrays, outputs, step, executor)

    def _buffers(self, rows: int) -> list[Floats]:
        """Return an array for each output, of this thread's own."""
        widths = self._model.widths
        while len(self._kept.arrays) < len(widths):
            self._kept.arrays.append([])
        return [
            _unused(kept, rows, width)
            for kept, width in zip(self._kept.arrays, widths, strict=True)
        ]

    def _executor(self) -> ThreadPoolExecutor:
        """Return the threads of this process; a fork does not inherit its parent's."""
        if self._pool is None or self._pool_process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="phasezoo-onnx")
            self._pool_process = os.getpid()
        return self._pool


def _unused(kept: list[Floats], rows: int, width: int) -> Floats:
    """Return an array for an answer: a used one that nothing holds any more, or a new one.

    4672 logits a row are memory that the system would otherwise clear for every call.
    """
    for index in range(len(kept)):
        if len(kept[index]) >= rows and _references(kept, index) == _ALONE:
            return kept[index][:rows]
    kept[: max(0, len(kept) + 1 - KEPT_BUFFERS)] = []
    kept.append(np.empty((rows, width), dtype=np.float32))
    return kept[-1][:rows]


def _one_of(what: str, given: Mapping[str, str | None]) -> tuple[str, str]:
    """Return the only entry that is named."""
    named = [(form, name) for form, name in given.items() if name is not None]
    if len(named) != 1:
        message = (
            f"{len(named)} outputs are named for the {what}: name one, by "
            f"{', '.join(f'{form}=' for form in given)}"
        )
        raise InvalidConfig(message)
    return named[0]


def _references(arrays: list[Floats], index: int) -> int:
    """Return the number of references to ``arrays[index]``, views included."""
    return sys.getrefcount(arrays[index])


_ALONE = _references([np.empty(0, dtype=np.float32)], 0)
"""The count of an array that only its list holds; interpreters differ in what they count."""
