"""ONNX models of other programs, by the order of their moves and the planes that they read."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo.checking import type_name
from phasezoo.errors import CheckpointError, InvalidConfig, PhasezooError, first_line
from phasezoo.games import Game
from phasezoo.games.action_tables import ActionOrder, ActionTables, Indices, MoveNames
from phasezoo.inference.backends.tensors import (
    POLICY_FORMS,
    VALUE_FORMS,
    check_policy,
    form_among,
    looks_like_odds,
)
from phasezoo.inference.formats.onnx_wrapper import parsed, planes_input, wrapped
from phasezoo.runs.saved import digest, read_file

LARGEST_ORDER = 1 << 24
"""Bytes of a file with an order of moves."""

NO_MOVES = ("", "-")
"""Texts of places that no move has."""

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrqk]?|[PNBRQ]@[a-h][1-8]")

_DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
_KNIGHTS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
_CRAZYARA_SIZES = tuple(64 * planes for planes in (76, 81, 84))


def crazyara(move: str) -> int:
    """Return the place of a move in CrazyAra's planes of moves, ``plane * 64 + square``.

    Planes of 56 steps, eight jumps of a knight, promotions to knight, bishop, rook and queen in
    three directions each, and drops (`docs/definitions/published.md#search`).
    """
    file, rank = "abcdefgh".index(move[2]), int(move[3]) - 1
    if move[1] == "@":
        return 64 * (76 + "PNBRQ".index(move[0])) + 8 * rank + file
    start = "abcdefgh".index(move[0]), int(move[1]) - 1
    step = file - start[0], rank - start[1]
    if move[4:]:
        plane = 64 + 3 * "nbrq".index(move[4]) + step[0] + 1
    elif step in _KNIGHTS:
        plane = 56 + _KNIGHTS.index(step)
    else:
        distance = max(map(abs, step))
        plane = 7 * _DIRECTIONS.index((step[0] // distance, step[1] // distance)) + distance - 1
    return 64 * plane + 8 * start[1] + start[0]


ORDERS: Mapping[str, Callable[[str], int]] = {"crazyara": crazyara}
"""Orders of moves by name."""


def adapted(
    data: bytes,
    game: Game,
    planes: str,
    actions: ActionOrder | None,
    tensors: Mapping[str, str] | None = None,
) -> tuple[bytes, dict[str, str]]:
    """Return a model that answers our actions, and what it calls its tensors.

    Args:
        data: The model.
        game: The game that it plays.
        planes: The planes that it reads.
        actions: The order of its moves; None: our own, and the model stays as it is.
        tensors: What it calls its own tensors, as a manifest has them; None: policy and value are
            the outputs that alone can be meant.
    """
    order, shape = _read_order(actions), game.plane_shape(planes)
    with _refused():
        model = parsed(data)
        source = planes_input(model.graph, (tensors or {}).get("input"), shape)
        answers = _answers(data, source, shape)
        if tensors is None:
            outputs = _outputs(answers, order, game.policy_size(planes))
        else:
            outputs = {key: name for key, name in tensors.items() if key != "input"}
        missing = [name for name in outputs.values() if name not in answers]
        if missing:
            message = f"no output {', '.join(map(repr, missing))}; the model has {list(answers)}"
            raise ValueError(message)
        form = form_among(POLICY_FORMS, outputs)
        policy = answers[outputs[form]]
        check_policy(form, outputs[form], policy)
        if order is None:
            return data, outputs
        tables = tables_of(order, game, planes, policy.shape[1])
        return wrapped(model, source, shape, outputs, tables)


def key_of(actions: ActionOrder | None, game: Game, planes: str) -> str:
    """Return a text that is the same for the same order of moves alone."""
    order = _read_order(actions)
    if callable(order):
        texts = [] if game.move_names is None else _texts(game.move_names(planes))
        order = [*map(partial(_asked, order), texts)]
    return digest(repr(order.tolist() if isinstance(order, np.ndarray) else order).encode())


@contextmanager
def _refused() -> Iterator[None]:
    """Refuse a model for what is wrong with it."""
    try:
        yield
    except ValueError as error:
        if isinstance(error, PhasezooError):
            raise
        message = f"not an ONNX model that can be read here ({error})"
        raise CheckpointError(message) from error


def _answers(data: bytes, planes: Any, shape: tuple[int, int, int]) -> dict[str, Any]:
    """Return what a model answers two empty boards, as ``[B, N]`` by output."""
    from phasezoo.inference.backends.onnx_model import open_session

    session = open_session(data, "cpu")
    kind = session.get_inputs()[0].type
    if kind not in ("tensor(float)", "tensor(float16)"):
        message = f"input {planes.name!r} is {kind}, not float32 or float16"
        raise ValueError(message)
    rows = planes.type.tensor_type.shape.dim[0].dim_value or 2
    zeros = np.zeros((rows, *shape), np.float16 if "16" in kind else np.float32)
    try:
        found = session.run(None, {planes.name: zeros})
    except Exception as error:  # the runtime's exceptions share no other base class
        message = f"it fails on planes {list(zeros.shape)}: {first_line(error)}"
        raise ValueError(message) from error
    return {
        output.name: np.asarray(array, np.float32).reshape(rows, -1)
        for output, array in zip(session.get_outputs(), found, strict=True)
        if isinstance(array, np.ndarray) and array.shape[:1] == (rows,)
    }


def _outputs(answers: Mapping[str, Any], order: Any, size: int) -> dict[str, str]:
    """Return policy and value, if only one output can be meant by each."""
    sizes: Sequence[int] = ()  # any: a function or places may be of a policy of any size
    if order is None:
        sizes = (size,)
    elif order is crazyara:
        sizes = _CRAZYARA_SIZES
    elif isinstance(order, list):
        sizes = (len(order),)
    widths = {name: array.shape[1] for name, array in answers.items()}
    policies = [name for name, width in widths.items()
                if (width in sizes if sizes else width > 3)]  # fmt: skip
    single = [name for name, width in widths.items() if width == 1]
    values = [name for name in single if "value" in name.lower()]
    if not values and 3 not in widths.values():  # beside win, draw and loss it may be the plies
        values = single
    if len(policies) != 1 or len(values) != 1:
        wanted = f"{' or '.join(map(str, sizes))} numbers" if sizes else "more than 3 numbers"
        reason = " (as many as actions= has moves)" if isinstance(order, list) else ""
        message = (
            f"its outputs have {widths} numbers a row; one of {wanted}{reason}, the policy, and "
            "one of a single number, the value, are needed"
        )
        if policies or not sizes:
            message += ": name them by inference.OnnxEvaluator.from_file(file, policy=…, value=…)"
        raise ValueError(message)
    form = "policy_probabilities" if looks_like_odds(answers[policies[0]]) else "policy"
    return {form: policies[0], VALUE_FORMS[0]: values[0]}


def _read_order(actions: ActionOrder | None) -> Any:
    """Return an order as a function, a list of texts, or an array."""
    if actions is None or callable(actions):
        return actions
    if isinstance(actions, str | Path):
        return ORDERS.get(str(actions)) or _read_file(Path(actions))
    if isinstance(actions, Mapping | Set):
        message = (
            f"actions= is {type_name(actions)}, which has no order of its own: give a list "
            "of texts, or a function from a text to its place, such as places.__getitem__"
        )
        raise InvalidConfig(message)
    try:
        given = list(actions)
        is_text = bool(given) and all(isinstance(each, str) for each in given)
        return given if is_text else np.asarray(actions)
    except (TypeError, ValueError) as error:
        message = f"actions= is {actions!r}: neither a name, nor texts, places or a function"
        raise InvalidConfig(message) from error


def _read_file(path: Path) -> Any:
    """Return the texts or the places in a file."""
    try:
        data = read_file(path, LARGEST_ORDER)
        if path.suffix == ".npy":
            return np.asarray(np.load(io.BytesIO(data), allow_pickle=False))
        return [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except (CheckpointError, ValueError, EOFError, MemoryError) as error:
        message = (
            f"actions={str(path)[:80]!r} is no order of moves ({error}); known are "
            f"{', '.join(ORDERS)}, or a file with a move in each line, or .npy with places"
        )
        raise InvalidConfig(message) from error


def tables_of(order: Any, game: Game, planes: str, logits: int) -> ActionTables:
    """Return where the logits of a game's actions are among those of a model."""
    size = game.policy_size(planes)
    names = None if game.move_names is None else _padded(game.move_names(planes), size)
    if isinstance(order, np.ndarray):
        places = _checked_places(order, game, names, logits, size)
        return ActionTables.of(logits, places, places, places, np.empty(0, np.int64))
    if names is None:
        message = (
            f"{game.name} has no texts of moves: give actions= as {size} numbers, the place of "
            "each action in the model's policy"
        )
        raise InvalidConfig(message)
    place = _by_text(order, logits) if isinstance(order, list) else order
    if place is crazyara and logits not in _CRAZYARA_SIZES:
        sizes = ", ".join(map(str, _CRAZYARA_SIZES))
        message = f"actions='crazyara': its policies have {sizes} numbers, this model's {logits}"
        raise InvalidConfig(message)
    special = {action: name for action, (name, _) in names.special.items()}
    found = {name: _place(place, name, logits) for name in _texts(names)}
    lacking = [name for name, at in found.items() if at is None]
    if lacking:
        message = (
            f"actions= has no place for {len(lacking)} moves of {game.name}, such as "
            f"{', '.join(lacking[:4])}; moves are written as White's, a promotion as e7e8q, "
            "castling as the king's move"
        )
        raise InvalidConfig(message)
    _refuse_twice(list(found), list(found.values()))
    without = np.array([found.get(name, logits) for name in names.usual])
    with_piece, cells = without.copy(), np.zeros_like(without)
    for action, (name, cell) in names.special.items():
        with_piece[action], cells[action] = found[name], cell
    return ActionTables.of(logits, without, with_piece, cells, np.array(sorted(special), np.int64))


def _padded(names: MoveNames, size: int) -> MoveNames:
    return names._replace(usual=names.usual + ("",) * (size - len(names.usual)))


def _texts(names: MoveNames) -> list[str]:
    """Return the texts of a game's moves, each once."""
    return sorted({*names.usual, *(name for name, _ in names.special.values())} - {""})


def _asked(place: Callable[[str], Any], name: str) -> Any:
    """Return what a function answers a move; None if it knows of none."""
    try:
        return place(name)
    except (KeyError, ValueError, IndexError):
        return None
    except Exception as error:
        message = (
            f"actions={place!r} fails on {name!r} ({type(error).__name__}: {error}); it is given "
            "a move as White's and answers its place, or None if the model has none"
        )
        raise InvalidConfig(message) from error


def _place(place: Callable[[str], Any], name: str, logits: int) -> int | None:
    """Return the place of a move; None if it has none."""
    found = _asked(place, name)
    if found is None or found == -1:
        return None
    if isinstance(found, bool) or not isinstance(found, int | np.integer):
        message = f"actions= gives {name} the place {found!r}, which is no whole number"
        raise InvalidConfig(message)
    if not 0 <= found < logits:
        message = (
            f"actions= gives {name} the place {found}; the model's policy has {logits} numbers"
        )
        raise InvalidConfig(message)
    return int(found)


def _by_text(labels: list[str], logits: int) -> Callable[[str], int]:
    """Return the function of a list of texts."""
    if len(labels) != logits:
        message = f"actions= names {len(labels)} moves; the model's policy has {logits} numbers"
        raise InvalidConfig(message)
    wrong = [(at, text) for at, text in enumerate(labels)
             if text not in NO_MOVES and not _MOVE.fullmatch(text)]  # fmt: skip
    if wrong:
        message = (
            f"actions= has {wrong[0][1]!r} at place {wrong[0][0]}, which is no move; moves are "
            "written as White's, such as e2e4, e7e8q, N@f3, and - where there is none"
        )
        raise InvalidConfig(message)
    _refuse_twice(range(len(labels)), labels)
    return {text: at for at, text in enumerate(labels)}.__getitem__


def _refuse_twice(keys: Sequence[Any], values: Sequence[Any]) -> None:
    """Refuse the same value for two keys."""
    first: dict[Any, Any] = {}
    for key, value in zip(keys, values, strict=True):
        if value in NO_MOVES:
            continue
        if value in first:
            message = f"actions= has {value!r} for both {first[value]} and {key}; once is right"
            raise InvalidConfig(message)
        first[value] = key


def _checked_places(
    order: Any, game: Game, names: MoveNames | None, logits: int, size: int
) -> Indices:
    """Return an array of places, the column of no move in place of -1."""
    if order.shape != (size,) or order.dtype.kind not in "iu":
        message = (
            f"actions= is {order.dtype}{list(order.shape)}; {game.name} has {size} actions: give "
            f"int64[{size}], the place of each in the model's policy"
        )
        raise InvalidConfig(message)
    places: Indices = order.astype(np.int64)
    wrong = np.flatnonzero((places < -1) | (places >= logits))
    if wrong.size:
        action = int(wrong[0])
        message = (
            f"actions= gives action {action} the place {order[action]}; the model's policy has "
            f"{logits} numbers"
        )
        raise InvalidConfig(message)
    none = places == -1
    lacking = [a for a in np.flatnonzero(none).tolist() if names is None or names.usual[a]]
    if lacking:
        message = f"actions= has no place for {len(lacking)} actions, such as {lacking[:4]}"
        raise InvalidConfig(message)
    used = np.flatnonzero(~none)
    _refuse_twice(used.tolist(), places[used].tolist())
    return np.where(none, logits, places)
