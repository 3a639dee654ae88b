"""One network for every variant: planes `shared`, and the actions of all of them."""

import numpy as np
import pytest

from phasezoo import agents, games, inference, training


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("shared") / "chess"
    training.train_supervised(
        training.GameStore.sample("chess").subset(np.arange(60)),
        network="rise-8x1",
        planes="shared",
        positions=256,
        validation_positions=64,
        seed=1,
        out=out,
        batch_size=64,
        device="cpu",
    )
    return out


def test_a_chess_network_of_shared_planes_has_the_actions_of_all_variants(folder):
    evaluator = inference.load(folder, threads=1)
    manifest = evaluator.manifest
    assert (manifest.planes, manifest.num_actions, manifest.actions) == (
        "shared",
        4992,
        "planes-78",
    )
    agent = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=20), seed=1)
    state = games.make("chess").initial_state()
    assert agent.search(state).action in state.legal_actions


@pytest.mark.parametrize("name", ["chess960", "atomic", "crazyhouse", "krk"])
def test_it_plays_every_variant_if_that_is_meant(folder, name):
    evaluator = inference.load(folder, threads=1, allow_other_game=True)
    agent = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=20), seed=1)
    state = games.make(name).initial_state()
    assert agent.search(state).action in state.legal_actions
