"""A log knows the networks that its games were played by."""

import pytest

from phasezoo import agents, arena, games, gating, inference, networks
from phasezoo.errors import RunDirectoryError

GAME = "connect-four"


def network(folder, seed):
    shape = games.make(GAME).plane_shape()
    inference.save(networks.make("mlp-8x1", shape, 7, seed=seed), folder, game=GAME, overwrite=True)


def player(policy, value):
    loaded = [inference.load(each, backend="torch", device="cpu") for each in (policy, value)]
    gate = gating.make("plies:10", game=GAME)
    mixture = inference.MixtureOfExperts(policy=loaded[0], value=loaded[1], gate=gate)
    return agents.MCTSAgent(mixture, limit=agents.Limit(nodes=4), seed=1, name="mixed")


@pytest.mark.parametrize("changed", [0, 1])
def test_another_policy_or_value_is_another_match(tmp_path, changed):
    folders = [tmp_path / "a", tmp_path / "b"]
    for seed, folder in enumerate(folders):
        network(folder, seed)
    options = {"game": GAME, "games": 4, "seed": 1, "log": tmp_path / "log"}
    first = arena.play_match(player(*folders), "random:seed=2", **options)
    again = arena.play_match(player(*folders), "random:seed=2", **options)
    assert again.score == first.score
    network(folders[changed], 7)
    with pytest.raises(
        RunDirectoryError, match=r"another match \(side 1 has other networks there\)"
    ):
        arena.play_match(player(*folders), "random:seed=2", **options)
    network(folders[changed], changed)
    with pytest.raises(RunDirectoryError, match=r"\(.*side 2.name 'random:seed=2' there"):
        arena.play_match(player(*folders), "uct:simulations=2", **options)
