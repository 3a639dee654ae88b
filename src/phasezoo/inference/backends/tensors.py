"""Names of a network's outputs, and their conversion into an evaluator's."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, wait
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from phasezoo.errors import CheckpointError
from phasezoo.inference.storage.manifest import ValueKind
from phasezoo.types import Planes

Floats: TypeAlias = npt.NDArray[np.float32]

ValueForm: TypeAlias = Literal["value", "wdl", "wdl_logits", "values"]
"""How a network writes what it says of a game's end: one number in [-1, 1] for the player to move;
probabilities of win, draw and loss, or their logits; or a number for each player, the one to move
first, then the other players by index."""

PolicyForm: TypeAlias = Literal["policy", "policy_probabilities"]
"""How a network writes its policy: as logits, or as probabilities, whose logarithms are logits."""

VALUE_FORMS: tuple[ValueForm, ...] = get_args(ValueForm)
POLICY_FORMS: tuple[PolicyForm, ...] = get_args(PolicyForm)

ODDS_SLACK = 1e-3
"""How far the sum of a row of probabilities may be from 1."""


def kind_of(form: ValueForm) -> ValueKind:
    """Return the kind of value that an evaluator answers if its network writes ``form``."""
    return "wdl" if form == "wdl_logits" else form


def columns_of(form: ValueForm, num_players: int) -> int:
    """Return the number of columns of ``form``."""
    return {"value": 1, "wdl": 3, "wdl_logits": 3, "values": num_players}[form]


def form_among(forms: Sequence[Any], tensors: Mapping[str, str]) -> Any:
    """Return the one of ``forms`` that ``tensors`` names."""
    named = [form for form in forms if form in tensors]
    if len(named) != 1:
        message = f"tensors {dict(tensors)}: expected one of {', '.join(forms)}"
        raise CheckpointError(message)
    return named[0]


def looks_like_odds(rows: Floats) -> bool:
    """Return whether every row of ``float32[B, n]`` is a distribution, as a softmax leaves it."""
    sums = np.abs(rows.sum(axis=1) - 1)
    return bool((rows >= 0).all() and (sums <= ODDS_SLACK).all())


def check_policy(form: PolicyForm, name: str, rows: Floats) -> None:
    """Refuse a policy that is named in the wrong form: searches would like wrong actions.

    Args:
        form: The form that it is said to have.
        name: What the model calls it.
        rows: ``float32[B, n]``, as the model answers.
    """
    is_softmax = looks_like_odds(rows)
    if form == "policy" and rows.shape[1] > 1 and is_softmax:
        message = (
            f"{name!r} gives probabilities, and policy= names logits; name it by "
            "policy_probabilities= in its place"
        )
    elif form == "policy_probabilities" and not is_softmax and np.isfinite(rows).all():
        message = (
            f"{name!r} gives numbers that do not sum to 1, and policy_probabilities= names "
            "probabilities; name it by policy= if they are logits"
        )
    else:
        return
    raise CheckpointError(message)


def as_logits(form: PolicyForm, policy: Floats) -> Floats:
    """Convert a policy as a network writes it to logits."""
    if form == "policy":
        return policy
    return np.log(np.maximum(policy, np.finfo(np.float32).tiny))


def as_values(form: ValueForm, raw: Floats) -> Floats:
    """Convert a network's output, ``float32[B, n]``, to the numbers of its :data:`ValueKind`.

    Returns:
        ``float32[B]`` of a ``value``, else ``float32[B, n]``: probabilities of win, draw and loss,
        or a number for each player.
    """
    if form == "value":
        return raw[:, 0]
    if form != "wdl_logits":
        return raw
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    odds: Floats = powers / powers.sum(axis=1, keepdims=True)
    return odds


def by_player(values: Floats, players: npt.NDArray[np.int64]) -> Planes:
    """Return values with column p for player p.

    Args:
        values: ``float32[B, P]``, each row for the player to move first, then for the others by
            index.
        players: ``int64[B]``: who is to move in each row.
    """
    rows, count = values.shape
    all_players = np.arange(count)
    own = players[:, None]
    column = np.where(all_players == own, 0, all_players + (all_players < own))
    return np.ascontiguousarray(values[np.arange(rows)[:, None], column])


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
        if asked:  # to wait for none takes a tenth of the time of a small network
            wait(asked)  # nobody writes into what is given back, or up
    for each in asked:
        each.result()  # raises what a part raised
    policy, values, *plies = outputs
    return (
        as_logits(model.policy, policy),
        as_values(model.value, values),
        np.maximum(plies[0][:, 0], 0) if plies else None,
    )
