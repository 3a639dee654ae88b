"""The common part of networks that a runtime answers from their ONNX model."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from phasezoo.errors import CheckpointError
from phasezoo.games import PlaneLayout
from phasezoo.inference.backends.onnx_export import own_tensors, packed_inputs
from phasezoo.inference.backends.tensors import (
    POLICY_FORMS,
    VALUE_FORMS,
    Floats,
    PolicyForm,
    ValueForm,
    columns_of,
    form_among,
)
from phasezoo.inference.network import NetworkEvaluator
from phasezoo.inference.storage.manifest import Manifest


class RuntimeModel(ABC):
    """A model in a runtime, whose inputs and outputs are known.

    Args:
        manifest: Manifest of the network. Its ``tensors`` name the policy and value by their forms
            (:data:`PolicyForm`, :data:`ValueForm`), the ``input``, which may be left out if there
            is one alone, and ``plies_left``, which a model need not have.

    Raises:
        CheckpointError: No policy or value is named, or several are.
    """

    fixed_rows: int | None
    """Number of rows that it takes; None for any."""
    _inputs: dict[str, tuple[int, ...]]
    """Shape of a row of each input."""

    def __init__(self, manifest: Manifest) -> None:
        self.tensors = manifest.tensors or own_tensors(manifest.value_kind)
        self.policy: PolicyForm = form_among(POLICY_FORMS, self.tensors)
        self.value: ValueForm = form_among(VALUE_FORMS, self.tensors)
        self.plies = False
        """Whether it says how many plies are left."""
        self._names = [self.tensors[self.policy], self.tensors[self.value]]
        self.widths = [manifest.num_actions, columns_of(self.value, manifest.num_players)]
        """Numbers in each row of its policy, its value and, if it has them, its plies left."""

    @abstractmethod
    def run(self, inputs: Sequence[Any], outputs: Sequence[Floats]) -> None:
        """Answer planes, or the arrays of packed ones, into arrays of :attr:`widths`.

        All are contiguous and have as many rows, at most :attr:`fixed_rows` if that is a number.
        """

    def _find_outputs(self, known: Collection[str]) -> None:
        """Look for the named outputs among those that the model has."""
        left = self.tensors.get("plies_left")
        if left is not None and left in known:
            self.plies = True
            self._names.append(left)
            self.widths.append(1)
        missing = [name for name in self._names if name not in known]
        if missing:
            message = f"no output {', '.join(map(repr, missing))}; the model has {list(known)}"
            raise CheckpointError(message)

    def _zeros(self, rows: int) -> dict[str, Any]:
        """Inputs of a call that shows what the model answers."""
        kinds = {name: np.uint8 if name == "bits" else np.float32 for name in self._inputs}
        return {n: np.zeros((rows, *shape), kinds[n]) for n, shape in self._inputs.items()}


class RuntimeEvaluator(NetworkEvaluator):
    """A network whose rows a runtime answers, shared out among threads.

    Args:
        manifest: What the network was made for.
        model: The model in its runtime.
        threads: Threads that answer a batch.
        allow_other_game: Whether it may be asked in a search of another game.

    Raises:
        CheckpointError: The model says no plies left, and the manifest says that it does.
    """

    def __init__(
        self, manifest: Manifest, model: RuntimeModel, threads: int, *, allow_other_game: bool
    ) -> None:
        if not model.plies and (manifest.plies_left or "plies_left" in manifest.tensors):
            name = model.tensors["plies_left"]
            message = f"no output {name!r}, which the manifest says gives plies"
            raise CheckpointError(message)
        manifest = dataclasses.replace(manifest, plies_left=model.plies)
        super().__init__(manifest, allow_other_game=allow_other_game)
        self.threads = threads
        self._fixed_rows = model.fixed_rows

    @property
    def parallel_calls(self) -> int:
        """How many calls it answers at once without their waiting for each other."""
        return min(2, self.threads)

    def _padded(self, rows: int) -> int:
        return 0 if self._fixed_rows is None else -rows % self._fixed_rows


def packed_shapes(layout: PlaneLayout) -> dict[str, tuple[int, ...]]:
    """Return the shape of a row of each input for packed planes."""
    return {name: (columns,) for name, columns in packed_inputs(layout).items()}


def padded(array: Any, rows: int) -> Any:
    """Return an array filled up with zeros to a number of rows."""
    filled = np.zeros((rows, *array.shape[1:]), array.dtype)
    filled[: len(array)] = array
    return filled
