"""Pommerman in its four modes, step for step as the original plays it."""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Any

from phasezoo import _core
from phasezoo.games.base import Game
from phasezoo.games.options import flag
from phasezoo.types import Planes
from phasezoo.zoo.pommerman.observation import pommerman_observation
from phasezoo.zoo.pommerman.observation_space import PommermanDictSpace

PLANES = 23
"""``standard``: walls, wood, three power-ups, bombs (timer, reach, movement across and up), flames,
figures by relative index, own reach, laid bombs, all bombs, kick, who lives, step."""

NAMES = (
    "rigid walls", "wood", "extra bombs", "longer ranges", "kicks", "bombs: 1 - life / 9",
    "bombs: reach / 11", "bombs that move right, less left", "bombs that move up, less down",
    "flames: (life + 1) / 3", *(f"player {number} places on" for number in range(4)),
    "own reach / 11", "own bombs on the board / 5", "own bombs, laid and in hand / 5", "can kick",
    *(f"player {number} places on lives" for number in range(4)), "step / 799",
)  # fmt: skip
"""Of these planes; players are counted from the viewer, who is 0 places on."""

BOUNDS = {7: (-1.0, 1.0), 8: (-1.0, 1.0), 15: (0.0, 25.0), 16: (0.0, 76.0), 22: (0.0, 1.01)}
"""Of planes with numbers below 0 or above 1: movement; own bombs, of which one lies on each of 121
cells and 255 are in hand at most, by fives; 800 of 799 steps."""

RADIO_ACTION = (6, 8, 8)
"""An action with two words; its index is ``action + 6 * (first word + 8 * second word)``."""


SCRIPTED = ("simple", "simple_unbiased")
"""Players that the core brings along: the original's, and the one that published searches plan
with."""

SEARCH_OTHERS = (*SCRIPTED, "random", "stop")
"""Who may move the others inside a search."""


def _initial(
    mode: str, size: int, seed: int | None = None, fog: bool | None = None, collapse: bool = False
) -> _core.PommermanState:
    drawn = 0 if seed is None else seed
    return _core.pommerman_initial(mode, drawn, *_rules(fog, collapse), size)


def _from_json(
    mode: str, text: str, fog: Any = None, collapse: Any = False
) -> _core.PommermanState:
    return _core.pommerman_from_json(text, mode, *_rules(fog, collapse))


def _encode(
    states: Sequence[_core.PommermanState],
    spec: str,
    out: Planes | None,
    players: Sequence[int] | None,
    threads: int | None,
    packed: bool,
) -> Any:
    """Planes as player 0 sees them, unless others are named: nobody alone is to move."""
    seen_by = [0] * len(states) if players is None else players
    return _core.encode(states, spec, out, seen_by, threads, packed)


def _rules(fog: Any, collapse: Any) -> tuple[bool | None, bool]:
    return None if fog is None else flag("fog", fog), flag("collapse", collapse)


def _game(
    name: str, mode: str, size: int, players: int, parts: tuple[int, ...] | None = None
) -> Game:
    return Game(
        name=name,
        num_players=players,
        num_actions=6 if parts is None else prod(parts),
        plane_specs={"standard": (PLANES, size, size)},
        plane_names={"standard": NAMES},
        plane_bounds={"standard": BOUNDS},
        default_planes="standard",
        state_type=_core.PommermanState,
        native=True,
        scripted={each: partial(_core.PommermanAgent, each) for each in SCRIPTED},
        search_others=SEARCH_OTHERS,
        tracker=_core.PommermanTracker,
        action_parts=parts,
        is_hidden=True,
        win_or_tie=True,
        observation_dict=pommerman_observation,
        dict_space=PommermanDictSpace,
        option_names=("fog", "collapse"),
        new_state=partial(_initial, mode, size),
        parse_json=partial(_from_json, mode),
        draws_start=lambda options: True,
        encode_states=_encode,
    )


POMMERMAN = (
    _game("pommerman-ffa", "ffa", 11, 4),
    _game("pommerman-team", "team", 11, 4),
    _game("pommerman-team-radio", "radio", 11, 4, RADIO_ACTION),
    _game("pommerman-1v1", "1v1", 8, 2),
    _game("pommerman-1v1-11", "1v1", 11, 2),
)
"""Everybody alone, two teams, two teams with a radio, and two players: these on a board of 8 cells
a side as in the original, and on the large one of the others.

``initial_state(seed=n)`` is the board that the original draws after ``random.seed(n)``. All players
move at once: ``state.play`` takes an action for each who acts, or for each of all players.

| option | meaning |
|---|---|
| ``fog=True`` | players see four cells far, and blasts reach no farther (the competitions' rules) |
| ``collapse=True`` | the board shrinks from step 500 on (the original's ``v1``) |

With the radio there is fog unless ``fog=False``, as in the original.
"""
