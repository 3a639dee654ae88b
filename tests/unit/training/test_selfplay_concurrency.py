"""Games of self-play do not depend on which others run beside them."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import selfplay_games
from hypothesis import given, settings, strategies as st
from selfplay_games import Rowwise

from phasezoo import agents, arena, training

selfplay_games.register()

ACTIONS = {"connect-four": 7, "own-crosses": 9}


def played(game: str, seed: int, concurrency: int, options: dict[str, Any]) -> tuple[Any, ...]:
    agent = agents.MCTSAgent(
        Rowwise(ACTIONS[game]),
        limit=agents.Limit(nodes=10),
        config=agents.SearchConfig.self_play(**options),
    )
    rules = None
    if seed % 2:
        rules = arena.Adjudication(resign_value=0.5, resign_moves=2, draw_value=None, check=0.5)
    with TemporaryDirectory() as folder:
        store = training.play_games(
            agent,
            game=game,
            games=7,
            seed=seed,
            out=Path(folder) / "games",
            starts={"initial": 0.5, "random:1-3": 0.5},
            adjudication=rules,
            concurrency=concurrency,
        )
    columns = store.columns
    return (
        columns.actions.tolist(),
        columns.offsets.tolist(),
        columns.returns.tolist(),
        dict(columns.starts),
        [part.tolist() for part in vars(columns.visits).values()],
        np.nan_to_num(columns.values, nan=9).tolist(),
        columns.sources.tolist(),
    )


@settings(max_examples=12, deadline=None)
@given(
    game=st.sampled_from(sorted(ACTIONS)),
    seed=st.integers(0, 10**6),
    concurrency=st.integers(2, 9),
    batch_size=st.sampled_from([1, 3]),
    reuse=st.booleans(),
    cheap=st.sampled_from([0.0, 0.5]),
)
def test_concurrency_changes_nothing(
    game: str, seed: int, concurrency: int, batch_size: int, reuse: bool, cheap: float
) -> None:
    options = {"batch_size": batch_size, "reuse_tree": reuse, "cheap_search_prob": cheap}
    options["cheap_search_nodes"] = 3
    assert played(game, seed, concurrency, options) == played(game, seed, 1, options)
