"""ONNX models of other programs: nodes around a model bring its logits into the order of actions.

The model is kept as it is. Nodes before it leave out the plane that says how the board is turned,
if there is one; nodes after it pick the logit of each action
(:class:`phasezoo.games.action_tables.ActionTables`).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import needs
from phasezoo.games.action_tables import OFF, ActionTables

OLDEST_OPSET, OLDEST_SYMMETRIC = 9, 11
"""Opsets that have the operators which are added, and those for planes of a turned board."""

MOST_PLIES = 100.0
"""Plies left that a network can say here (``Evaluation.plies_left``)."""

OWN = "phasezoo/"
"""Prefix of the names that are added to a model."""


def parsed(data: bytes) -> Any:
    """Return a model that keeps its weights itself.

    Args:
        data: The model's bytes.
    """
    with needs("ONNX models of other programs need the package onnx", "onnx"):
        import onnx
        from google.protobuf.message import DecodeError
    if not data:
        message = "the file is empty"
        raise ValueError(message)
    try:
        model = onnx.load_from_string(data)
    except DecodeError as error:
        message = f"no ONNX model: {error}"
        raise ValueError(message) from error
    # A model could choose the places of such files on this machine.
    if any(map(onnx.external_data_helper.uses_external_data, _tensors(model.graph))):
        message = "its weights lie in other files, which are not read; save it as one file"
        raise ValueError(message)
    return model


def _tensors(graph: Any) -> Iterator[Any]:
    """Yield the constants of a graph, and of those inside its nodes."""
    yield from graph.initializer
    for attribute in (each for node in graph.node for each in node.attribute):
        yield from (attribute.t, *attribute.tensors)
        for inner in (attribute.g, *attribute.graphs):
            yield from _tensors(inner)


def planes_input(graph: Any, name: str | None, shape: tuple[int, int, int]) -> Any:
    """Return the input for planes.

    Args:
        graph: The model's graph.
        name: What it is called; None: it is the only one.
        shape: Channels, height and width.
    """
    weights = {each.name for each in graph.initializer}  # old versions list them as inputs too
    inputs = [each for each in graph.input if each.name not in weights]
    if len(inputs) != 1 or name not in (None, inputs[0].name):
        wanted = "one, the planes" if name is None else f"{name!r} alone"
        message = f"the ONNX model has the inputs {[each.name for each in inputs]}, not {wanted}"
        raise ValueError(message)
    sizes = [size.dim_value for size in inputs[0].type.tensor_type.shape.dim]
    if len(sizes) != 4 or any(
        size not in (0, own) for size, own in zip(sizes[1:], shape, strict=True)
    ):
        found = ["B", *sizes[1:]]
        message = f"input {inputs[0].name!r} has shape {found}, not {['B', *shape]}"
        raise ValueError(message)
    return inputs[0]


def wrapped(
    model: Any,
    planes: Any,
    shape: tuple[int, int, int],
    outputs: Mapping[str, str],
    tables: ActionTables,
) -> tuple[bytes, dict[str, str]]:
    """Return a model that reads planes of ours and answers our actions, and its tensors' names.

    Args:
        model: The model, which is changed.
        planes: Its input.
        shape: Channels, height and width of our planes; the model reads the first channels.
        outputs: Its outputs by what they are in a manifest.
        tables: Where the logits of actions are among its own.
    """
    tensors = _Wrapping(model, tables).wrap(planes, shape, outputs)
    return model.SerializeToString(), tensors


class _Wrapping:
    """Adds nodes and constants to a model.

    Args:
        model: The model, which is changed.
        tables: Where the logits of actions are among its own.
    """

    def __init__(self, model: Any, tables: ActionTables) -> None:
        import onnx

        self._onnx, self._graph, self._tables = onnx, model.graph, tables
        self._nodes: list[Any] = []
        self._none = OFF
        turns = self._turns = len(tables.table) > 1
        opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
        oldest = OLDEST_SYMMETRIC if turns else OLDEST_OPSET
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
        channels = planes.type.tensor_type.shape.dim[1].dim_value or shape[0]
        if channels < shape[0]:
            seen = self._add("Gather", own, self._constant(np.arange(channels)), axis=1)
        self._nodes.append(self._onnx.helper.make_node("Cast", [seen], [planes.name], to=kind))
        before, self._nodes = self._nodes, []
        found = {key: self._add("Cast", name, to=kinds.FLOAT) for key, name in outputs.items()}
        policy = next(key for key in found if key.startswith("policy"))
        self._none = OFF if policy == "policy" else 0.0
        tensors = {"input": own} | found
        tensors[policy] = self._actions(self._add("Flatten", found[policy], axis=1), own, shape)
        if "plies_left" in found:
            most = self._constant(np.array([MOST_PLIES], np.float32))
            tensors["plies_left"] = self._add("Min", found["plies_left"], most)
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

    def _actions(self, logits: str, planes: str, shape: tuple[int, int, int]) -> str:
        """Add the nodes that pick the logit of each action."""
        tables, moves = self._tables, self._tables.logits
        table, every, turn = tables.table, logits, None
        cells = self._add("Flatten", planes, axis=1)
        if self._turns:
            last = np.int64((shape[0] - 1) * shape[1] * shape[2])
            plane = self._add("Gather", cells, self._constant(last), axis=1)
            turn = self._add("Cast", plane, to=self._onnx.TensorProto.INT64)
        if tables.asked.size:
            usual, special = (
                self._moves(logits, each, moves, turn) for each in (tables.usual, tables.special)
            )
            asked = self._picked(cells, tables.asked, turn)
            is_there = self._add("Greater", asked, self._constant(np.array([0], np.float32)))
            decided = self._add("Where", is_there, special, usual)
            every = self._add("Concat", logits, decided, axis=1)
        return self._moves(every, table - (table > moves), moves, turn, none=table == moves)

    def _moves(
        self, values: str, columns: Any, moves: int, turn: str | None, none: Any = None
    ) -> str:
        """Add the columns of some values, where the column after the moves' is that of no move."""
        missing = columns == moves if none is None else none
        picked = self._picked(values, np.where(missing, 0, columns), turn)
        is_none = self._constant(missing[0] if turn is None else missing)
        if turn is not None:
            is_none = self._add("Gather", is_none, turn, axis=0)
        return self._add(
            "Where", is_none, self._constant(np.array([self._none], np.float32)), picked
        )

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
