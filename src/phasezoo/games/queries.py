"""Questions that can be asked of any game's state, native or a user's own."""

import operator
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np

from phasezoo.checking import type_name
from phasezoo.errors import GameContract, InvalidArray, InvalidConfig, InvalidUci, UnknownGame
from phasezoo.games.options import flag
from phasezoo.games.packed import PackedPlanes, general_planes
from phasezoo.games.registry import game_of
from phasezoo.types import SIMULTANEOUS, ActionMask, Actions, Planes


def move_text(state: Any, action: Any) -> str:
    """An action as text: UCI notation, or its number in games that have none.

    Of players who move at once the numbers of all who act, such as ``"3,0,5"``.
    """
    if state.to_play == SIMULTANEOUS:
        return ",".join(str(int(each)) for each in action)
    return str(state.uci(action)) if hasattr(state, "uci") else str(action)


def action_of(state: Any, move: str) -> Any:
    """The action that :func:`move_text` would write as ``move``.

    Of players who move at once it is ``int64[k]``, otherwise an int.
    """
    if hasattr(state, "parse_uci"):
        return int(state.parse_uci(move))
    texts = move.split(",") if state.to_play == SIMULTANEOUS else [move]
    players = acting_players(state)
    if len(texts) != len(players):
        message = f"{move!r}: {len(players)} players act here, and it has {len(texts)} actions"
        raise InvalidUci(message)
    for text, player in zip(texts, players, strict=True):
        legal = legal_actions_of(state, player).tolist()
        if not text.isdecimal() or int(text) not in legal:
            message = f"{text!r} is not a legal action here; legal are {legal}"
            raise InvalidUci(message)
    return joint_action(state, [int(text) for text in texts])


def joint_action(state: Any, actions: Sequence[int]) -> Any:
    """Actions as ``play`` takes them: ``int64[k]`` of players who move at once, else one."""
    at_once = state.to_play == SIMULTANEOUS
    return np.array(actions, dtype=np.int64) if at_once else actions[0]


def result_text(first: float, second: float) -> str:
    """The result of two players by their returns: ``"1-0"``, ``"0-1"`` or ``"1/2-1/2"``."""
    return "1-0" if first > second else "0-1" if first < second else "1/2-1/2"


def action_spec(num_actions: int, input_shape: tuple[int, int, int]) -> str:
    """Name the layout of a policy.

    ``planes-73`` is ``plane * 64 + square`` on a board of 64; ``flat-6`` are six actions, which are
    not whole planes of the board.
    """
    planes, rest = divmod(num_actions, input_shape[1] * input_shape[2])
    return f"flat-{num_actions}" if rest else f"planes-{planes}"


def to_play_of(state: Any) -> int:
    """Whose turn it is, or ``SIMULTANEOUS``."""
    player = _member(state, "to_play")
    try:
        return operator.index(player)
    except TypeError as error:
        message = (
            f"{where(state)}: to_play is {player!r}, expected the index of the player to "
            f"move, or {SIMULTANEOUS} where several move at once"
        )
        raise GameContract(message) from error


def acting_players(state: Any) -> tuple[int, ...]:
    """The players who move now, ascending; none when the game is over.

    Raises:
        GameContract: ``to_play`` is no whole number, or players move at once, and the state does
            not say who.
    """
    if is_over(state):
        return ()
    player = to_play_of(state)
    if player != SIMULTANEOUS:
        return (player,)
    acting = _of_many(state, "acting", "acting, the players who move, ascending")
    return tuple(_whole_numbers(state, acting, "acting").tolist())


def is_over(state: Any) -> bool:
    """Whether the game is over."""
    over = _member(state, "is_terminal")
    if callable(over):  # a method, and so true
        message = f"{where(state)}: is_terminal is a method, expected a property (@property)"
        raise GameContract(message)
    try:
        return bool(over)
    except ValueError as error:  # of an array
        message = f"{where(state)}: is_terminal is {over!r}, expected True or False"
        raise GameContract(message) from error


def _member(state: Any, name: str) -> Any:
    try:
        return getattr(state, name)
    except AttributeError as error:
        if hasattr(type(state), name):  # it is there, and failed by itself
            raise
        message = (
            f"{game_of(state).name}: states have no {name}; phasezoo.types.State says what they "
            "have, and phasezoo check tests a game"
        )
        raise GameContract(message) from error


def _whole_numbers(state: Any, given: Any, name: str) -> Actions:
    """``int64[L]``, of players or actions that the member ``name`` gave."""
    try:
        numbers = np.asarray(given)
    except ValueError:  # lists of different lengths
        numbers = np.empty((), dtype=object)
    if numbers.ndim == 1 and (numbers.dtype.kind in "iu" or not numbers.size):
        return numbers.astype(np.int64, copy=False)
    message = f"{where(state)}: {name} is {given!r}, expected whole numbers, int64[L]"
    raise GameContract(message)


def where(state: Any) -> str:
    """How errors call a state's game: its name, otherwise the state's type."""
    try:
        return game_of(state).name
    except UnknownGame:
        return type(state).__name__


def legal_actions_of(state: Any, player: int) -> Actions:
    """``int64[L]``: the legal actions of ``player``; none when it is not their turn.

    Raises:
        GameContract: ``to_play`` or the actions are no whole numbers, or players move at once, and
            the state does not say who, or what they may do.
    """
    if player not in acting_players(state):
        return np.empty(0, dtype=np.int64)
    if state.to_play == SIMULTANEOUS:
        of_player = _of_many(state, "legal_actions_of", "legal_actions_of(player), their actions")
        return _whole_numbers(state, of_player(player), f"legal_actions_of({player})")
    return _whole_numbers(state, state.legal_actions, "legal_actions")


def check_actions(state: Any, player: int, actions: Actions, num_actions: int) -> None:
    """Refuse actions that the game does not have."""
    if len(actions) and not 0 <= actions.min() <= actions.max() < num_actions:
        message = (
            f"{where(state)}: player {player} may play {actions.tolist()}, but the game has the "
            f"actions 0 to {num_actions - 1}"
        )
        raise GameContract(message)


def _of_many(state: Any, name: str, meaning: str) -> Any:
    """Return an attribute that a state has to have if players move at once."""
    try:
        return getattr(state, name)
    except AttributeError as error:
        if hasattr(type(state), name):  # it is there, and failed by itself
            raise
        message = (
            f"{where(state)}: to_play is {SIMULTANEOUS}, so players move at once, but "
            f"{name!r} is missing: states must then have {meaning}; if one player moves, to_play "
            "is their index"
        )
        raise GameContract(message) from error


def action_mask(state: Any, player: int, num_actions: int) -> ActionMask:
    """``int8[A]``: 1 where ``player`` may play the action; zeros when it is not their turn.

    Raises:
        GameContract: As for :func:`legal_actions_of`, or the game has no such action.
    """
    if player == state.to_play:
        own = getattr(state, "action_mask", None)  # made faster than from a list of actions
        if isinstance(own, np.ndarray) and (own.shape, own.dtype) == ((num_actions,), np.int8):
            return own
    mask = np.zeros(num_actions, dtype=np.int8)
    actions = legal_actions_of(state, player)
    check_actions(state, player, actions, num_actions)
    mask[actions] = 1
    return mask


def planes_of(state: Any, spec: str, player: int | None = None) -> Planes:
    """``float32[C, H, W]`` as ``player`` (default: to_play) sees ``state``."""
    return np.asarray(state.planes(spec, player), dtype=np.float32)


@overload
def encode(
    states: Sequence[Any],
    spec: str | None = None,
    out: Planes | None = None,
    *,
    players: Sequence[int] | None = None,
    threads: int | None = None,
    history: int | None = None,
    packed: Literal[False] = False,
) -> Planes: ...


@overload
def encode(
    states: Sequence[Any],
    spec: str | None = None,
    out: None = None,
    *,
    players: Sequence[int] | None = None,
    threads: int | None = None,
    history: int | None = None,
    packed: Literal[True],
) -> PackedPlanes: ...


@overload
def encode(
    states: Sequence[Any],
    spec: str | None = None,
    out: None = None,
    *,
    players: Sequence[int] | None = None,
    threads: int | None = None,
    history: int | None = None,
    packed: bool,
) -> Planes | PackedPlanes: ...


def encode(
    states: Sequence[Any],
    spec: str | None = None,
    out: Planes | None = None,
    *,
    players: Sequence[int] | None = None,
    threads: int | None = None,
    history: int | None = None,
    packed: bool = False,
) -> Planes | PackedPlanes:
    """The planes of many states at once.

    Args:
        states: States of one game.
        spec: Which planes; default the game's own.
        out: ``float32[N, C, H, W]``, C-contiguous, to be filled and returned.
        players: Who sees each state; default its player to move.
        threads: Threads to use; default all that this process may.
        history: How many of the last moves the planes show; default all that they have room for.
        packed: Whether they come packed, a bit a cell if a plane is binary
            (``docs/definitions/planes.md#packed-planes``); there is no ``out`` then.

    Returns:
        ``float32[N, C, H, W]``, or :class:`PackedPlanes`.

    Raises:
        InvalidArray: ``states`` is empty or no list, or ``out`` has the wrong shape or type.
        InvalidConfig: ``out`` is given and ``packed`` too, or that is neither True nor False.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
    """
    flag("packed", packed)
    if not hasattr(type(states), "__len__"):
        message = f"encode() takes a list of states, not {type_name(states)}; write encode([state])"
        raise InvalidArray(message)
    if len(states) == 0:
        message = "encode() was given no states: at least one is needed to know the game"
        raise InvalidArray(message)
    if packed and out is not None:
        message = "out= takes planes as floats: leave it out with packed=True"
        raise InvalidConfig(message)
    game = game_of(states[0])
    name = game.plane_spec(spec, history)
    shape = game.plane_shape(name)
    if game.encode_states is not None:
        made: Planes | PackedPlanes = game.encode_states(
            states, name, out, players, threads, packed
        )
        return made
    planes = _encode_one_by_one(states, name, (len(states), *shape), out, players)
    return general_planes(planes) if packed else planes


def _encode_one_by_one(
    states: Sequence[Any],
    spec: str,
    shape: tuple[int, ...],
    out: Planes | None,
    players: Sequence[int] | None,
) -> Planes:
    planes = np.empty(shape, dtype=np.float32) if out is None else out
    if planes.shape != shape or planes.dtype != np.float32:
        message = f"out is {planes.dtype}{list(planes.shape)}, needed is float32{list(shape)}"
        raise InvalidArray(message)
    for row, state in enumerate(states):
        seen = planes_of(state, spec, None if players is None else players[row])
        if seen.shape != shape[1:]:
            message = (
                f"{type(state).__name__}.planes({spec!r}) gave shape {seen.shape}, "
                f"but the game was registered with {shape[1:]}"
            )
            raise InvalidArray(message)
        planes[row] = seen
    return planes
