"""Checks of the arguments of agents and their sessions, besides settings."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phasezoo import games
from phasezoo.errors import InvalidArray, InvalidConfig
from phasezoo.games.options import at_least, between
from phasezoo.specs import check_value


def seed_of(seed: Any) -> int:
    """A seed as a whole number that the core takes."""
    return between("seed", seed, 0, 2**64 - 1)


def name_or(name: Any, default: str) -> str:
    """How reports call an agent, or the default."""
    return default if name is None else str(check_value("name", str, name))


def checked_player(player: Any, game: games.Game | None) -> int:
    """A player of ``game``; of any game if that is not known yet."""
    if game is None:
        return at_least("player", player, 0)
    return between("player", player, 0, game.num_players - 1)


def actions_of(option: str, given: Any) -> tuple[int, ...]:
    """Indices of actions as a tuple."""
    listed: list[Any] = list(given) if isinstance(given, Iterable) else [None]
    if not all(
        isinstance(each, int | np.integer) and not isinstance(each, bool) for each in listed
    ):
        message = f"{option}={given!r}: expected the indices of actions, such as [3, 5]"
        raise InvalidConfig(message)
    return tuple(map(int, listed))


def states_and_players(
    states: Any, players: Sequence[int] | None
) -> tuple[list[Any], list[int | None]]:
    """Return the questions of ``select_batch``; a player is None where the state says who moves."""
    if not isinstance(states, Sequence | np.ndarray) or isinstance(states, str):
        kind = type(states).__name__
        message = f"select_batch was given a {kind}, expected a list of states, such as [state]"
        raise InvalidArray(message)
    if players is None:
        return list(states), [None] * len(states)
    if not isinstance(players, Sequence | np.ndarray) or len(players) != len(states):
        message = f"players={players!r}: expected one for each of {len(states)} states, or None"
        raise InvalidArray(message)
    pairs = zip(states, players, strict=True)
    return list(states), [checked_player(player, games.game_of(state)) for state, player in pairs]
