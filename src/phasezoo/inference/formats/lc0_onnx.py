"""ONNX models as lc0's converter writes them: 112 planes in, the logits of 1,858 moves out.

A model is kept as it is. Nodes before it leave out the plane that says how the board is turned;
nodes after it bring its logits into the order of actions (``docs/definitions/lc0.md#moves``).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import MissingDependency

OUTPUTS = ("policy", "wdl", "value", "mlh")
"""What lc0 calls the outputs, after ``/output/``."""

OLDEST_OPSET, OLDEST_TURNING = 9, 11
"""Opsets that have the operators which are added, and those for planes of a turned board."""

MOST_PLIES = 100.0
"""Plies left that a network of lc0's can say here (``Evaluation.plies_left``)."""

OWN = "phasezoo/"
"""Prefix of the names that are added to a model."""


def wrapped(
    data: bytes, shape: tuple[int, int, int], named: Mapping[str, str]
) -> tuple[bytes, dict[str, str]]:
    """Return a model that reads planes of ours and answers our actions, and its tensors' names.

    Args:
        data: The model.
        shape: Channels, height and width of the planes; 113 channels say how the board is turned.
        named: What the model calls its ``input`` and its :data:`OUTPUTS`; empty: as lc0 does.

    Raises:
        ValueError: It is no model of that kind.
        MissingDependency: The package ``onnx`` is not installed.
    """
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ImportError as error:
        raise MissingDependency.of_extra(
            need="ONNX models of lc0 need the package onnx", extra="onnx"
        ) from error
    try:
        model = onnx.load_from_string(data)
    except DecodeError as error:
        message = f"no ONNX model: {error}"
        raise ValueError(message) from error
    _refuse_other_files(onnx, model.graph)
    planes = _input(model.graph, named.get("input"))
    outputs = _outputs(model.graph, named)
    wrapping = _Wrapping(onnx, model, shape[0] > planes.type.tensor_type.shape.dim[1].dim_value)
    tensors = wrapping.wrap(planes, shape, outputs)
    return model.SerializeToString(), tensors


def _refuse_other_files(onnx: Any, graph: Any) -> None:
    """Refuse weights outside the model, whose places a model could choose on this machine."""
    if any(map(onnx.external_data_helper.uses_external_data, _tensors(graph))):
        message = "its weights lie in other files, which are not read; save it as one file"
        raise ValueError(message)


def _tensors(graph: Any) -> Iterator[Any]:
    """Yield the constants of a graph, and of those inside its nodes."""
    yield from graph.initializer
    for attribute in (each for node in graph.node for each in node.attribute):
        yield from (attribute.t, *attribute.tensors)
        for inner in (attribute.g, *attribute.graphs):
            yield from _tensors(inner)


def _input(graph: Any, name: str | None) -> Any:
    """Return the input for planes."""
    weights = {each.name for each in graph.initializer}  # old versions list them as inputs too
    inputs = [each for each in graph.input if each.name not in weights]
    if len(inputs) != 1 or name not in (None, inputs[0].name):
        wanted = "one, the planes" if name is None else f"{name!r} alone"
        message = f"the ONNX model has the inputs {[each.name for each in inputs]}, not {wanted}"
        raise ValueError(message)
    sizes = [size.dim_value for size in inputs[0].type.tensor_type.shape.dim]
    if sizes[1:] != [112, 8, 8]:
        message = f"input {inputs[0].name!r} has shape {['B', *sizes[1:]]}, not ['B', 112, 8, 8]"
        raise ValueError(message)
    return inputs[0]


def _outputs(graph: Any, named: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs' names by what they are."""
    there = [each.name for each in graph.output]
    by_kind = {name.rpartition("/")[2]: name for name in there}
    source = named or by_kind
    outputs = {kind: source[kind] for kind in OUTPUTS if kind in source}
    missing = [name for name in outputs.values() if name not in there]
    if missing or "policy" not in outputs or not {"wdl", "value"} & outputs.keys():
        message = (
            f"the ONNX model has the outputs {there}; "
            + (f"{missing} are named" if missing else "a policy and a wdl or value are needed")
            + ", by lc0's names /output/policy, /output/wdl, /output/value, /output/mlh"
        )
        raise ValueError(message)
    if "wdl" in outputs:
        outputs.pop("value", None)
    return outputs


class _Wrapping:
    """Adds nodes and constants to a model.

    Args:
        onnx: The package.
        model: The model, which is changed.
        turns: Whether the last plane says how the board is turned.
    """

    def __init__(self, onnx: Any, model: Any, turns: bool) -> None:
        self._onnx, self._graph, self._turns = onnx, model.graph, turns
        self._nodes: list[Any] = []
        opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
        oldest = OLDEST_TURNING if turns else OLDEST_OPSET
        if opset < oldest:
            message = f"the ONNX model has opset {opset}; {oldest} is the oldest that is read"
            raise ValueError(message)

    def wrap(
        self, planes: Any, shape: tuple[int, int, int], outputs: Mapping[str, str]
    ) -> dict[str, str]:
        """Put the nodes before and after the model and return its tensors' names."""
        kinds, kept = self._onnx.TensorProto, list(self._graph.node)
        kind, rows = planes.type.tensor_type.elem_type, planes.type.tensor_type.shape.dim[0]
        count = rows.dim_value or "rows"
        if kind not in (kinds.FLOAT, kinds.FLOAT16, kinds.BFLOAT16):
            message = f"input {planes.name!r} is {kinds.DataType.Name(kind)}, not FLOAT or FLOAT16"
            raise ValueError(message)
        own, seen = f"{OWN}planes", f"{OWN}planes"
        if self._turns:
            seen = self._add("Gather", own, self._constant(np.arange(112)), axis=1)
        self._nodes.append(self._onnx.helper.make_node("Cast", [seen], [planes.name], to=kind))
        before, self._nodes = self._nodes, []
        found = {key: self._add("Cast", name, to=kinds.FLOAT) for key, name in outputs.items()}
        tensors = {"input": own, "policy": self._actions(found.pop("policy"), own)}
        if "mlh" in found:
            most = self._constant(np.array([MOST_PLIES], np.float32))
            tensors["plies_left"] = self._add("Min", found.pop("mlh"), most)
        tensors |= found
        info = self._onnx.helper.make_tensor_value_info
        for field, values in (
            ("node", [*before, *kept, *self._nodes]),
            ("output", [info(t, kinds.FLOAT, None) for k, t in tensors.items() if k != "input"]),
            ("input", [each for each in self._graph.input if each.name != planes.name]),
        ):
            values = list(values)
            del getattr(self._graph, field)[:]
            getattr(self._graph, field).extend(values)
        self._graph.input.append(info(own, kinds.FLOAT, [count, *shape]))
        return tensors

    def _actions(self, logits: str, planes: str) -> str:
        """Add what :class:`phasezoo.networks.architectures.lc0.MoveActions` computes."""
        from phasezoo.networks.architectures.lc0 import PLANES, SQUARES, MoveActions

        tables = MoveActions("classical", turns=self._turns)
        moves = tables.moves
        cells = self._add("Flatten", planes, axis=1)
        turn = None
        if self._turns:
            plane = self._add("Gather", cells, self._constant(np.int64(PLANES * SQUARES)), axis=1)
            turn = self._add("Cast", plane, to=self._onnx.TensorProto.INT64)
        usual, special = (
            self._moves(logits, each.numpy(), moves, turn)
            for each in (tables.usual, tables.special)
        )
        asked = self._picked(cells, tables.asked.numpy(), turn)
        is_there = self._add("Greater", asked, self._constant(np.array([0], np.float32)))
        decided = self._add("Where", is_there, special, usual)
        table = tables.table.numpy()
        every = self._add("Concat", logits, decided, axis=1)
        return self._moves(every, table - (table > moves), moves, turn, none=table == moves)

    def _moves(
        self, values: str, columns: Any, moves: int, turn: str | None, none: Any = None
    ) -> str:
        """Add the columns of some values, where the column after the moves' is that of no move."""
        from phasezoo.networks.architectures.lc0 import OFF

        missing = columns == moves if none is None else none
        picked = self._picked(values, np.where(missing, 0, columns), turn)
        is_none = self._constant(missing[0] if turn is None else missing)
        if turn is not None:
            is_none = self._add("Gather", is_none, turn, axis=0)
        return self._add("Where", is_none, self._constant(np.array([OFF], np.float32)), picked)

    def _picked(self, values: str, columns: npt.NDArray[np.int64], turn: str | None) -> str:
        """Add the columns of each row, which its turn chooses."""
        if turn is None:
            return self._add("Gather", values, self._constant(columns[0]), axis=1)
        chosen = self._add("Gather", self._constant(columns), turn, axis=0)
        return self._add("GatherElements", values, chosen, axis=1)

    def _add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node with one output and return its name."""
        name = f"{OWN}{kind}{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, [name], **attributes))
        return name

    def _constant(self, array: Any) -> str:
        name = f"{OWN}constant{len(self._graph.initializer)}"
        self._graph.initializer.append(self._onnx.numpy_helper.from_array(np.asarray(array), name))
        return name
