"""A gate's answers as a text by which two processes know that they have the same gate.

A function of a user's own has no name that says what it does: all lambdas of a module share one,
and a registered name may be given to another function tomorrow. So a network keeps the fingerprint
of the gate that it was trained under, and whoever uses it compares.
"""

import hashlib
from typing import Any

import numpy as np

from phasezoo import _core
from phasezoo.errors import InvalidGate
from phasezoo.games.base import Game
from phasezoo.games.queries import acting_players
from phasezoo.games.random_play import random_action
from phasezoo.games.registry import make
from phasezoo.gating.callables import CallableGate
from phasezoo.gating.learned import LearnedGate
from phasezoo.gating.registry import spec_of
from phasezoo.types import Gate

ROWS = 1000
"""States in the sample, each as one player sees it; all of the last game's are taken."""

GAMES = 256
"""The most games that are played for it."""

PLIES = 400
"""The longest of them."""

EVERY = 5
"""A game's states that are asked about: the first, then every so many plies."""

SEED = 1
"""Draws starts and moves."""


def sample_states(game: Game) -> tuple[list[Any], list[int]]:
    """The states of the sample, and for each who sees it; the same in every process.

    They come from games of uniformly random moves from the game's own starts, each until it is over
    or 400 plies long, of which every fifth state is taken from the first on; if players move at
    once, all acting players see it. Games are played until there are 1000 rows.
    """
    states: list[Any] = []
    players: list[int] = []
    for index in range(GAMES):
        if len(states) >= ROWS:
            break
        rng = np.random.default_rng([SEED, index])
        state = game.initial_state(seed=index)
        for ply in range(PLIES):
            acting = acting_players(state)
            if not acting:
                break
            if ply % EVERY == 0:
                states += [state] * len(acting)
                players += acting
            state = state.play(random_action(state, rng))
    return states, players


def fingerprint(gate: Gate, game: str | Game) -> str:
    """SHA-256, in hexadecimal, of a gate's phases and of its answers on a fixed sample of states.

    Gates that answer the sample alike and call their phases alike have the same one. What a
    monotone gate answers depends on the phase before; here each state is asked about by itself,
    and whether the gate is monotone is part of the fingerprint. Of a learned gate its weights take
    the answers' place, since another machine may round what is close to a tie to the other side.

    Args:
        gate: A gate.
        game: The game that it is for; its options are left out.
    """
    name = game if isinstance(game, str) else game.name
    answers = _weights(gate, name) if isinstance(gate, LearnedGate) else _answers(gate, name)
    digest = hashlib.sha256()
    digest.update("\n".join((name, *gate.names)).encode())
    digest.update(b"\n monotone" if getattr(gate, "monotone", False) else b"\n")
    digest.update(answers)
    return digest.hexdigest()


def _weights(gate: LearnedGate, name: str) -> bytes:
    if gate.game != name:
        message = f"gate {gate.spec!r}: it learned {gate.game}, and was asked for {name}"
        raise InvalidGate(message)
    return gate.router.digest.encode()


def _answers(gate: Gate, name: str) -> bytes:
    """Return a gate's answers on the sample."""
    states, players = sample_states(make(name))
    try:
        phases = np.asarray(gate.batch(states, players), dtype=np.int64)
    except InvalidGate:
        raise
    except Exception as error:
        spec = getattr(gate, "spec", gate)
        message = (
            f"gate {spec!r} failed on a position of {name} after random moves "
            f"({type(error).__name__}: {error}); a gate answers on every position of its game"
        )
        raise InvalidGate(message) from error
    return phases.tobytes()


def same(first: Any, second: Any, game: str | Game | None = None) -> bool:
    """Whether two gates of this process are one.

    Built-in gates are compared by their specifications, learned ones by their weights, wherever
    their folders are, and functions as the objects they are. Two
    functions of one name, as the lambdas of a module are, or two objects of a user's own with one
    specification, are compared by their fingerprints if the game is known; without it, functions
    are taken as different and objects at their word.
    """
    if first is second:
        return True
    if isinstance(first, _core.Gate) != isinstance(second, _core.Gate):
        return False
    if isinstance(first, LearnedGate) and isinstance(second, LearnedGate):
        return (first.router, first.names, first.monotone) == (
            second.router, second.names, second.monotone
        )  # fmt: skip
    if spec_of(first) != spec_of(second):
        return False
    if isinstance(first, _core.Gate) or first == second:
        return True
    if game is None:
        return not isinstance(first, CallableGate)
    return fingerprint(first, game) == fingerprint(second, game)
