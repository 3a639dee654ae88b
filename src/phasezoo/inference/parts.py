"""A batch that is answered in parts, by several threads."""

from collections.abc import Sequence
from concurrent.futures import Executor, wait
from typing import Any

import numpy as np

from phasezoo.inference.tensors import Floats, as_logits, as_values

__all__ = ["answer_in_parts"]


def answer_in_parts(
    model: Any,
    arrays: Sequence[Any],
    outputs: Sequence[Floats],
    step: int,
    executor: Executor | None,
) -> tuple[Floats, Floats, Floats | None]:
    """Run a model on all rows, so many at a time.

    Args:
        model: Has ``run(arrays, outputs)``, which fills the outputs, and the forms of two of them,
            ``policy`` and ``value``.
        arrays: Its inputs, B rows each.
        outputs: ``float32[B, width]`` each, for the answers: policy, value and, of some models,
            plies left.
        step: Rows of a part.
        executor: Answers all parts but the first; None: this thread answers them all.

    Returns:
        Logits of all actions, values (or win, draw and loss), and plies left or None.
    """
    rows = len(arrays[0])
    parts = [slice(start, start + step) for start in range(0, rows, step)]

    def answer(part: slice) -> None:
        model.run([array[part] for array in arrays], [output[part] for output in outputs])

    asked = [] if executor is None else [executor.submit(answer, part) for part in parts[1:]]
    try:
        for part in parts[: len(parts) - len(asked)]:
            answer(part)
    finally:
        wait(asked)  # nobody writes into what is given back, or up
    for each in asked:
        each.result()  # raises what a part raised
    policy, values, *plies = outputs
    return (
        as_logits(model.policy, policy),
        as_values(model.value, values),
        np.maximum(plies[0][:, 0], 0) if plies else None,
    )
