"""Every registered game, and one's own, is trained, loaded, mixed and played by the same calls."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_games import Stones

from phasezoo import agents, arena, games, gating, training
from phasezoo.games.queries import acting_players
from phasezoo.games.random_play import random_action

PLIES, GAMES = 24, 16
OPTIONS: dict[str, Any] = {
    "network": "resnet-8x1",
    "positions": 64,
    "batch_size": 16,
    "validation_positions": 32,
    "evaluate_every": 100,
    "seed": 1,
    "threads": 1,
    "device": "cpu",
    "tensorboard": False,
}
SHARED = sorted(name for name in games.names() if games.make(name).native)  # not other tests' own
OWN = "race"


@dataclass(frozen=True)
class Race(Stones):
    """A game of one's own."""

    stones: int = 9

    def planes(self, spec: str, player: int | None = None) -> np.ndarray:
        return (np.arange(9) < self.stones).reshape(1, 3, 3).astype(np.float32)


@pytest.fixture(params=[*SHARED, OWN])
def game(request: pytest.FixtureRequest, own_games_forgotten: None) -> Any:
    if request.param == OWN:
        Race.register(OWN, planes=(1, 3, 3))
    return games.make(request.param)


def played(game: Any) -> training.GameStore:
    """Random games of a few plies, as a store."""
    actions: list[Any] = []
    offsets, returns = [0], []
    for number in range(GAMES):
        rng = np.random.default_rng([7, number])
        state = game.initial_state(seed=number)
        for _ in range(PLIES):
            if not acting_players(state):
                break
            acting, action = acting_players(state), random_action(state, rng)
            joint = np.zeros(game.num_players if state.to_play == games.SIMULTANEOUS else 1)
            joint[list(acting) if len(joint) > 1 else 0] = action
            actions.append(joint.astype(np.int64))
            state = state.play(action)
        offsets.append(len(actions))
        over = not acting_players(state)
        returns.append(np.asarray(state.returns) if over else np.zeros(game.num_players))
    starts = {
        n: f"seed:{n}" for n in range(GAMES) if game.initial_state(seed=n) != game.initial_state()
    }
    return training.GameStore(
        game, np.concatenate(actions), offsets, np.array(returns), starts=starts
    )


def test_it_is_trained_loaded_mixed_and_played(game: Any, tmp_path: Path) -> None:
    store = played(game)
    store.save(tmp_path / "games.parquet")
    store = training.GameStore.open(tmp_path / "games.parquet")
    assert len(store) == GAMES
    names = {"names": ("early", "late")}
    gate = (
        "plies:6"
        if game.name != OWN
        else gating.CallableGate(lambda state: int(state.stones < 5), **names, spec="late")
    )
    experts = training.train_experts(
        store, gate, "weighted:4", planes=_smallest(game), out=tmp_path / "run", **OPTIONS
    )
    assert experts.work == {"baseline": 64, "mixture": 64}
    for phase in experts.phases:
        assert experts.expert(phase, backend="torch").phase == phase
    record = json.loads((tmp_path / "run" / "losses.json").read_text())
    assert {cell["network"] for cell in record["cells"]} >= {"baseline", "mixture"}
    again = training.Experts.open(tmp_path / "run", None if isinstance(gate, str) else gate)
    limit = agents.Limit(simulations=4)
    sides = [
        _searching(game, evaluator, limit)
        for evaluator in (again.mixture(backend="torch"), again.baseline(backend="torch"))
    ]
    number = game.num_players  # side 0 sits in each seat once
    match = arena.play_match(*sides, game=game.name, games=number, seed=1, max_plies=6)
    assert match.wins + match.draws + match.losses == number


def _smallest(game: Any) -> str:
    """The choice of planes with the fewest numbers."""
    return min(game.plane_specs, key=lambda spec: int(np.prod(game.plane_specs[spec])))


def _searching(game: Any, evaluator: Any, limit: agents.Limit) -> Any:
    """A search with an evaluator: of one's own plan where all move at once, else of both sides'."""
    at_once = game.initial_state(seed=1).to_play == games.SIMULTANEOUS
    kind = agents.SinglePlayerMCTSAgent if at_once else agents.MCTSAgent
    return kind(evaluator, limit=limit, seed=1)
