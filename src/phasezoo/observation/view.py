"""Observation, mask and info of a player, everywhere by the same function."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from phasezoo import games, gating
from phasezoo.errors import InvalidConfig
from phasezoo.games.base import Game
from phasezoo.games.options import flag, one_of
from phasezoo.observation.action_parts import Mask, flat_mask, masks_of
from phasezoo.observation.compact import check_compact, compact_mask
from phasezoo.observation.plain import plain_info
from phasezoo.observation.turn import Turn
from phasezoo.types import Gate, Info

OBSERVATIONS = ("planes", "none", "masked", "packed")
"""Observations that every game has."""


@dataclass(frozen=True)
class View:
    """Choice of what one player observes of a game."""

    game: Game
    planes: str
    """Which planes."""
    observation: str = "planes"
    """``"planes"``; ``"masked"``: planes and mask; ``"none"``; ``"dict"`` if a game knows one."""
    packed: bool = False
    """Whether planes are shown in their packed form."""
    gate: Gate | None = None
    """Says the phase where the environment or match has no gate of its own; None for phase 0."""
    compact: bool = False
    """Whether masks are over the game's compact actions."""
    state_in_info: bool | None = None
    """None for infos of any values; else they are plain, and this is whether the state is there."""
    check_gate: Callable[[Gate | None], None] | None = None
    """May refuse the gate that says the player's phases; None of games without one."""

    @property
    def plane_shape(self) -> tuple[int, int, int]:
        """Channels, height and width of the planes."""
        return self.game.plane_shape(self.planes)

    @property
    def has_planes(self) -> bool:
        """Whether planes are part of what is observed."""
        return self.observation in ("planes", "masked")


class Observation(NamedTuple):
    """Observation, mask and info of a player at one turn."""

    observation: Any
    """``float32[C, H, W]``, or if planes are packed a dictionary of their ``bits`` and ``numbers``;
    with ``"masked"`` a dictionary of these as ``observation`` and the flat mask as ``action_mask``;
    ``float32[0]`` if nothing is observed; or the game's dictionary."""
    mask: Mask
    """``int8[A]``, 1 = may be played; a tuple with the mask of each part if actions have parts."""
    info: Info
    """Everything else, including the mask."""


def make_view(
    game: Game,
    planes: str | None = None,
    observation: str = "planes",
    history: int | None = None,
    *,
    compact: bool = False,
    state_in_info: bool | None = None,
) -> View:
    """The view that an environment's options ask for.

    Args:
        game: What is played.
        planes: Which planes; default the game's own.
        observation: ``"planes"``, ``"packed"``, ``"masked"``, ``"none"``, or ``"dict"`` in games
            that know one.
        history: How many of the last moves the planes show; default all that they have room for.
        compact: Whether actions are the game's compact ones.
        state_in_info: None for infos of any values, the state among them if it is not hidden; else
            infos are plain, and this is whether they have the state.

    Raises:
        InvalidConfig: The game has no such observation, no compact actions, or hides its state.
        InvalidPlaneSpec: The game has no such planes, or they do not show so many moves.
    """
    known = OBSERVATIONS if game.observation_dict is None else (*OBSERVATIONS, "dict")
    spec = game.plane_spec(planes, history)
    observation = one_of("observation", observation, known)
    packed = observation == "packed"
    shown = "planes" if packed else observation
    if state_in_info is not None and flag("state_in_info", state_in_info) and game.is_hidden:
        message = (
            f"state_in_info=True: players of {game.name!r} do not see the whole state, so that "
            "infos never have it; leave the option out and read env.unwrapped.game_state"
        )
        raise InvalidConfig(message)
    return View(
        game,
        spec,
        shown,
        compact=check_compact(game, compact),
        packed=packed,
        state_in_info=state_in_info,
    )


def view_of(agent: Any, default: View) -> View:
    """Return the view that an agent's attributes ask for, with ``default`` for the rest.

    Args:
        agent: Any object. ``plane_spec`` names planes, or is ``"dict"`` or ``"none"``; ``gate`` is
            a gate, or the specification of one; ``check_view(view)`` may refuse what it would be
            shown, before the first move, and ``check_gate(gate)`` the gate of the match or
            environment, or its own where these have none.
        default: View of agents that do not ask.

    Raises:
        InvalidGate: The gate does not fit the game.
        InvalidPlaneSpec: The game has no such planes.
        PhasezooError: The agent refuses the view.
    """
    game, spec, gate = (
        default.game,
        getattr(agent, "plane_spec", None),
        getattr(agent, "gate", None),
    )
    view = default
    if spec == "none" or (spec == "dict" and game.observation_dict is not None):
        view = replace(view, observation=spec, packed=False)
    elif spec is not None:
        game.plane_shape(spec)
        view = replace(view, planes=spec, observation="planes", packed=False)
    if gate is not None:
        view = replace(view, gate=gating.make(gate, game.name))
    view = replace(view, check_gate=getattr(agent, "check_gate", None))
    check = getattr(agent, "check_view", None)
    if check is not None:
        check(view)
    return view


def observe(
    turn: Turn,
    player: int,
    view: View,
    *,
    illegal: bool = False,
    when_over: int = 1,
    when_waiting: int = 0,
    mover: int | None = None,
) -> Observation:
    """Return the observation, mask and info of ``player``.

    Args:
        turn: The game.
        player: The player.
        view: What they want to see.
        illegal: Whether their last action was illegal.
        when_over: What a mask is filled with in a finished game.
        when_waiting: What the mask of a player who is not to move is filled with.
        mover: Whose last move infos describe, in games that do so; default the player's own.
    """
    mask = mask_of(turn, player, view, when_over=when_over, when_waiting=when_waiting)
    info = info_of(turn, player, view, mask=mask, illegal=illegal, mover=mover)
    return Observation(observation_of(turn, player, view, mask), mask, info)


def observation_of(turn: Turn, player: int, view: View, mask: Mask) -> Any:
    """Return the observation of ``player`` by ``view``.

    Args:
        turn: The game.
        player: Who sees it.
        view: What they want to see.
        mask: Their mask, which is part of a masked observation.
    """
    if view.observation == "none":
        return np.zeros(0, dtype=np.float32)
    if view.observation == "dict" and view.game.observation_dict is not None:
        return view.game.observation_dict(turn.state, player)
    planes: Any
    if view.packed:
        packed = games.encode([turn.state], view.planes, players=[player], packed=True)[0]
        planes = {"bits": packed.bits, "numbers": packed.numbers}
    elif view.game.native:
        planes = turn.state.planes(view.planes, player)
    else:
        planes = games.planes_of(turn.state, view.planes, player)
    if view.observation == "masked":
        return {"observation": planes, "action_mask": flat_mask(mask)}
    return planes


def mask_of(
    turn: Turn, player: int, view: View, *, when_over: int = 1, when_waiting: int = 0
) -> Mask:
    """``int8[A]``: 1 if ``player`` may act so; if actions have parts, a tuple of their masks.

    Args:
        turn: The game.
        player: Who is asked.
        view: Knows the game.
        when_over: Fills the mask of a finished game.
        when_waiting: Fills the mask of a player who is not to move.
    """
    game, parts = view.game, view.game.action_parts
    count = game.num_compact if view.compact else game.num_actions
    if turn.ending is not None:
        return masks_of(np.full(count, when_over, dtype=np.int8), parts)
    if when_waiting and player not in games.acting_players(turn.state):
        return masks_of(np.full(count, when_waiting, dtype=np.int8), parts)
    if game.native and player == turn.state.to_play:  # needs no check
        mask = turn.state.action_mask
    else:
        mask = games.action_mask(turn.state, player, game.num_actions)
    if view.compact:
        return compact_mask(game, turn.state, mask)
    return mask if parts is None else masks_of(mask, parts)


def info_of(
    turn: Turn,
    player: int,
    view: View,
    *,
    mask: Mask,
    illegal: bool = False,
    mover: int | None = None,
) -> Info:
    """Return the info of ``player``; the arguments are those of :func:`observe`."""
    game, state, ending = view.game, turn.state, turn.ending
    info: Info = {"action_mask": mask}
    if not game.is_hidden:
        info["state"] = state
    if game.state_info is not None:
        info |= game.state_info(state)
    info["to_play"] = int(state.to_play)
    info["ply"] = turn.ply
    info["phase"] = turn.phases[player]
    info["result"] = None if ending is None else ending.result
    info["reason"] = None if ending is None else ending.reason
    info["illegal_action"] = illegal
    if game.tells_winners:
        info["winners"] = None if ending is None else ending.winners
    if turn.moves:
        info |= turn.moves[player if mover is None else mover]
    if view.state_in_info is None:
        return info
    observed = view.observation == "masked"
    return plain_info(info, game, state_in_info=view.state_in_info, mask_observed=observed)
