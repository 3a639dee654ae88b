"""Where the games of an environment start, and whether they can."""

from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo import games
from phasezoo.errors import GameContract, InvalidConfig
from phasezoo.games.base import Game
from phasezoo.observation.view import View


def start(game: Game, options: Mapping[str, Any] | None, seed: int) -> Any:
    """The state a game starts from."""
    given = given_options(options)
    known = _known(game)
    unknown = sorted(map(str, given.keys() - known.keys()))
    if unknown:
        allowed = " and ".join(f"{name!r} ({what})" for name, what in known.items())
        listed = f"known {'are' if len(known) > 1 else 'is'} {allowed}"
        if not known:
            listed = f"{game.name!r} has none; set_game_state(state) goes on from a state"
        message = f"reset options {unknown}: {listed}"
        raise InvalidConfig(message)
    for name in {"fen", "columns"} & given.keys():
        if not isinstance(given[name], str | None):
            message = f"reset option {name}={given[name]!r}: expected a text"
            raise InvalidConfig(message)
    moves = given.get("moves")
    moves = () if moves is None else moves
    is_list = isinstance(moves, Sequence) and not isinstance(moves, str)
    if not is_list or not all(isinstance(move, str) for move in moves):
        message = f"reset option moves={moves!r}: expected a list of UCI moves, ['e2e4', 'e7e5']"
        raise InvalidConfig(message)
    if given.get("columns") is not None:
        state = game.from_columns(given["columns"])
    elif given.get("fen") is not None:
        state = game.from_fen(given["fen"], moves)
    else:
        state = game.initial_state(seed=seed)
        for move in moves:
            state = state.play(state.parse_uci(move))
    if state.is_terminal:
        reason = getattr(getattr(state, "outcome", None), "reason", None)
        message = (
            f"the position given to reset is over{f' ({reason})' if reason else ''}; "
            "give one in which the game goes on"
        )
        raise InvalidConfig(message)
    return state


def _known(game: Game) -> dict[str, str]:
    """The reset options of a game, and what each of them is."""
    if game.parse_columns is not None:
        return {"columns": "digits from 1, one a move, as a text"}
    known = {"fen": "text"} if game.parse_position is not None else {}
    if hasattr(game.state_type, "parse_uci"):
        known["moves"] = "a list of UCI"
    return known


def given_options(options: Any) -> dict[str, Any]:
    """A copy of reset options, none if there are none."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        message = f"reset options {options!r}: expected a dictionary of names and values, or None"
        raise InvalidConfig(message)
    return dict(options)


def check_planes(view: View, state: Any) -> None:
    """Refuse a game whose planes are not what it was registered with."""
    if not view.has_planes:
        return
    shape = games.planes_of(state, view.planes, None if state.to_play >= 0 else 0).shape
    if shape != view.plane_shape:
        message = (
            f"{view.game.name!r}: planes({view.planes!r}) gave shape {shape}, but the game was "
            f"registered with {view.plane_shape}"
        )
        raise GameContract(message)


def check_game(game: Game, state: Any) -> None:
    """Refuse a state of another game."""
    name = games.game_of(state).name
    if name != game.name:
        message = f"{state!r} is a state of {name!r}, not of {game.name!r}"
        raise InvalidConfig(message)
