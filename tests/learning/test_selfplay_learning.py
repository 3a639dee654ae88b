"""Networks learn by play: tic-tac-toe by a class of a user's own, to perfect play.

What other seeds came to is said at the test.
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selfplay_games import Crosses

from phasezoo import agents, games, training
from phasezoo.training.selfplay.config import self_play_search, self_play_settings
from phasezoo.training.selfplay.replay import ReplayRules


def turned(planes: Any, quarters: int, *, mirrored: bool) -> Any:
    """Planes, or a board, turned by quarters and then mirrored."""
    rotated = np.rot90(planes, quarters, axes=(-2, -1))
    return rotated[..., ::-1] if mirrored else rotated


def symmetry(quarters: int, *, mirrored: bool) -> Any:
    """How planes are turned, and where each action goes."""
    where = turned(np.arange(9).reshape(3, 3), quarters, mirrored=mirrored).ravel()
    goes = np.empty(9, dtype=np.int64)
    goes[where] = np.arange(9)
    return functools.partial(turned, quarters=quarters, mirrored=mirrored), goes


SYMMETRIES = tuple(symmetry(n % 4, mirrored=n >= 4) for n in range(1, 8))


class Board(Crosses):
    """Tic-tac-toe as a newcomer writes it, with its symmetries."""

    @property
    def symmetries(self) -> Any:
        return SYMMETRIES


games.register(
    "learnt-crosses",
    initial_state=Board,
    num_players=2,
    num_actions=9,
    plane_specs={"default": (2, 3, 3)},
)


@functools.cache
def worth(state: Board) -> int:
    """What the player to move gets by perfect play."""
    if state.is_terminal:
        return int(state.returns[state.to_play])
    return max(-worth(state.play(int(action))) for action in state.legal_actions)


def blunders(agent: Any, player: int) -> list[Board]:
    """Where an agent gives something away as ``player``, against everything that may be played."""
    found, seen, states = [], set(), [Board()]
    while states:
        asked = [s for s in states if not s.is_terminal and s.to_play == player]
        others = [s for s in states if not s.is_terminal and s.to_play != player]
        chosen = agent.select_batch(asked) if asked else []
        after = [state.play(int(action)) for state, action in zip(asked, chosen, strict=True)]
        pairs = zip(asked, after, strict=True)
        found += [state for state, next_ in pairs if -worth(next_) < worth(state)]
        after += [state.play(int(action)) for state in others for action in state.legal_actions]
        states = [state for state in dict.fromkeys(after) if state not in seen]
        seen.update(states)
    return found


@pytest.mark.slow
def test_perfect_play_is_learnt_from_nothing(tmp_path: Path) -> None:
    """Seeds 1 to 5: perfect after 12 rounds and ever after; 15 to 20 s of one core in all."""
    config = training.SelfPlayConfig(
        updates=12,
        games_per_update=48,
        nodes=50,
        samples_per_new=12.0,
        starts=("0.4*initial", "0.6*random:1-5"),
        search=self_play_search(dirichlet_alpha=1.0, temperature=1.0),
        replay=ReplayRules(capacity=6000),
        learning=self_play_settings(threads=1, batch_size=32, max_lr=3e-3),
        schedule="0:0.003,1000:0.001",
    )
    loop = training.SelfPlay(
        "learnt-crosses", network="mlp-128x1", config=config, out=tmp_path / "run", seed=1
    )
    outcome = loop.run()
    limit = agents.Limit(nodes=50)
    untaught, learnt = (
        agents.MCTSAgent(outcome.evaluator(update), limit=limit, seed=1) for update in (0, 12)
    )
    assert blunders(untaught, 0) + blunders(untaught, 1)
    assert not blunders(learnt, 0) + blunders(learnt, 1)
