"""ONNX models as lc0's converter writes them: 112 planes in, the logits of 1,858 moves out."""

from collections.abc import Mapping
from typing import Any

from phasezoo.inference.formats.onnx_wrapper import parsed, planes_input, wrapped
from phasezoo.networks.architectures.lc0_moves import PLANES, lc0_tables

OUTPUTS = {"policy": "policy", "wdl": "wdl", "value": "value", "mlh": "plies_left"}
"""What the outputs are in a manifest, by what lc0 calls them after ``/output/``."""


def wrapped_lc0(
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
    model = parsed(data)
    planes = planes_input(model.graph, named.get("input"), (PLANES, *shape[1:]))
    outputs = _outputs(model.graph, named)
    tables = lc0_tables("classical", turns=shape[0] > PLANES)
    return wrapped(model, planes, shape, outputs, tables)


def _outputs(graph: Any, named: Mapping[str, str]) -> dict[str, str]:
    """Return the outputs' names by what they are."""
    there = [each.name for each in graph.output]
    by_kind = {name.rpartition("/")[2]: name for name in there}
    source = named or by_kind
    outputs = {OUTPUTS[kind]: source[kind] for kind in OUTPUTS if kind in source}
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
