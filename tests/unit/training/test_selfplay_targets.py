"""The policies that games of self-play are kept with, against definitions in NumPy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
import selfplay_games
from selfplay_games import Rowwise

from phasezoo import agents, arena, games, training
from phasezoo.agents import SearchConfig

Array = npt.NDArray[np.float64]

selfplay_games.register()


def completed_q_target(priors: Array, visits: Array, q: Array, raw: float) -> Array:
    """softmax(logits + sigma(completed q)) with mctx's constants (Danihelka et al. 2022).

    Eq. 10 and 11, v_mix of appendix D, sigma of eq. 8 with c_visit = 50 and c_scale = 0.1, and
    values spread over [0, 1] first, as mctx' ``qtransform_completed_by_mix_value`` does.
    """
    seen = visits > 0
    weighted = np.sum(priors[seen] * q[seen]) / np.sum(priors[seen]) if seen.any() else 0.0
    v_mix = (raw + visits.sum() * weighted) / (1 + visits.sum())
    completed = np.where(seen, q, v_mix)
    spread = (completed - completed.min()) / max(completed.max() - completed.min(), 1e-8)
    logits = np.log(priors) + (50 + visits.max()) * 0.1 * spread
    shares = np.exp(logits - logits.max())
    return np.asarray(shares / shares.sum())


def kept(
    tmp_path: Path, config: SearchConfig, nodes: int
) -> Iterator[tuple[Any, Any, Array, float]]:
    """For every decision: the state, its search once more, the stored target, the raw value."""
    network = Rowwise(7)
    agent = agents.MCTSAgent(network, limit=agents.Limit(nodes=nodes), config=config)
    out, game = tmp_path / "games", games.make("connect-four")
    store = training.play_games(
        agent, game=game, games=3, seed=4, out=out, explore=False, starts="random:2-8"
    )
    surprises = store.columns.surprises
    assert surprises is not None
    columns = store.columns.visits
    assert columns is not None
    for number in range(3):
        session = agent.session(arena.streams.stream(4, "selfplay", number, 0))
        state = game.from_columns(str(store.starts[number]))
        for place in range(store.offsets[number], store.offsets[number + 1]):
            found = session.search(state)
            low, high = columns.offsets[place : place + 2]
            target = np.zeros(7)
            target[columns.actions[low:high]] = columns.counts[low:high]
            raw = float(network.evaluate(games.encode([state])).value[0])
            shares = (target / target.sum())[found.actions]
            surprise = scipy.stats.entropy(shares, found.prior)  # their Kullback-Leibler divergence
            assert surprises[place] == pytest.approx(surprise, abs=1e-4)
            yield state, found, shares, raw
            state = state.play(int(store.actions[place]))


@pytest.mark.parametrize("nodes", [3, 16, 60])
def test_completed_q_targets_are_the_papers(tmp_path: Path, nodes: int) -> None:
    config = SearchConfig(root="gumbel", node_temperature=1.0, solver=False, reuse_tree=False)
    checked = 0
    for state, found, target, raw in kept(tmp_path, config, nodes):
        if len(found.actions) == 1:
            assert target.tolist() == [1.0]
            continue
        priors, visits = found.prior.astype(np.float64), found.visits.astype(np.float64)
        expected = completed_q_target(priors, visits, found.q.astype(np.float64), raw)
        assert target == pytest.approx(expected, abs=2e-5), state
        checked += not np.allclose(expected, visits / visits.sum(), atol=0.02)
    assert checked > 10  # targets that visits alone would not give
