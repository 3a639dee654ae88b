"""Wins in one move are played and losses in one are avoided.

In every game of turns for two, by both players, one leaf at a time and many, in every style.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.types import SIMULTANEOUS

STYLES = {1: ("virtual_loss", "none"), 64: ("virtual_loss", "virtual_visit", "virtual_mix", "none")}
"""By the number of leaves that wait at once: styles differ in what waiting descents count for."""
POSITIONS = 2
"""Of each kind and player."""
WIDEST = 600
"""Moves times replies: a search has to look at them all."""
GAMES = 4_000


class Case(NamedTuple):
    """A position, and its moves that win at once or, if none does, do not lose at once."""

    state: Any
    good: frozenset[int]


def names() -> list[str]:
    """Games of the package in which two players move in turn, without those of other tests."""
    made = ((name, games.make(name)) for name in games.names())
    return [
        name
        for name, game in made
        if game.native and game.num_players == 2 and game.initial_state().to_play != SIMULTANEOUS
    ]


def wins(state: Any) -> frozenset[int]:
    """Actions of the player to move that end the game in their favour."""
    actions = state.legal_actions.tolist()
    after = ((action, state.play(action)) for action in actions)
    return frozenset(
        action for action, end in after if end.is_terminal and end.returns[state.to_play] > 0
    )


def random_game(game: Any, rng: np.random.Generator) -> list[Any]:
    """The states of a game of random moves that somebody won, or nothing."""
    states = [game.initial_state(seed=int(rng.integers(2**31)))]
    while not states[-1].is_terminal and len(states) < 300:
        states.append(states[-1].play(int(rng.choice(states[-1].legal_actions))))
    return states if states[-1].is_terminal and max(states[-1].returns) > 0 else []


@cache
def cases(name: str) -> dict[tuple[str, int], list[Case]]:
    """Positions from the ends of random games, by what is asked and who is to move."""
    game = games.make(name)
    rng = np.random.default_rng(5)
    found: dict[tuple[str, int], list[Case]] = {}
    for _ in range(GAMES):
        states = random_game(game, rng)
        if len(states) < 3:
            continue
        before, last = states[-3], states[-2]
        winning = found.setdefault(("win", last.to_play), [])
        if len(winning) < POSITIONS and len(last.legal_actions) < 60:
            winning.append(Case(last, wins(last)))
        safe = found.setdefault(("safe", before.to_play), [])
        if len(safe) < POSITIONS and (good := avoiding(before)):
            safe.append(Case(before, good))
        if len(found) >= 4 and all(len(some) == POSITIONS for some in found.values()):
            break
    return found


def avoiding(state: Any) -> frozenset[int]:
    """Moves after which the other cannot win at once; none if the case is not of interest."""
    if wins(state):
        return frozenset()
    after = [(action, state.play(action)) for action in state.legal_actions.tolist()]
    replies = sum(len(next_.legal_actions) for _, next_ in after)
    good = frozenset(a for a, next_ in after if next_.is_terminal or not wins(next_))
    return good if good and len(good) < len(after) and replies < WIDEST else frozenset()


@pytest.mark.parametrize("batch_size", STYLES)
@pytest.mark.parametrize("name", names())
def test_wins_are_played_and_losses_avoided(name: str, batch_size: int) -> None:
    kinds = cases(name)
    found = {kind for kind, some in kinds.items() if some}
    if name == "krk":  # the lone king cannot win, and its hunter cannot lose
        assert found == {("win", 0), ("safe", 1)}
    else:
        assert found == {(kind, player) for kind in ("win", "safe") for player in (0, 1)}
    for (kind, player), some in kinds.items():
        for state, good in some:
            for style in STYLES[batch_size]:
                agent = agents.MCTSAgent(
                    inference.Uniform(),
                    limit=agents.Limit(nodes=6_000),
                    batch_size=batch_size,
                    virtual_style=style,
                    fpu=0.0,
                    game=name,
                )
                result = agent.search(state)
                assert int(result.action) in good, (kind, player, style, state)
                if kind == "win":
                    assert (result.proven, result.proven_plies) == ("win", 1)
