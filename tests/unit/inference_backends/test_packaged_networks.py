"""The networks in the package: they are what their files say, and they play."""

import json

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference, training
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.storage import packaged
from phasezoo.training.catalogue import probes_of
from phasezoo.training.experts.tables import METRICS
from phasezoo.types import SIMULTANEOUS

NAMES = inference.packaged_networks()
EXPERTS = [name for name in NAMES if (packaged.resolved(name) / "experts.json").is_file()]
BY_PLAY = [name for name in NAMES if (packaged.resolved(name) / "probes.json").is_file()]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of the user's that is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_there_are_some():
    assert "phasezoo/chess-small" in EXPERTS
    by_play = {"phasezoo/krk-small", "phasezoo/connect-four-small", "phasezoo/atomic-small"}
    assert by_play <= set(BY_PLAY)
    assert set(NAMES) - set(EXPERTS) - set(BY_PLAY) == {"phasezoo/pommerman-small"}


@pytest.mark.parametrize("name", EXPERTS)
def test_they_tell_how_they_were_trained_and_how_strong_they_are(name):
    experts = training.Experts.open(packaged.resolved(name))
    assert experts.training["identity"]["game"] == experts.game
    assert all(network.positions > 0 for network in experts.networks)
    assert set(experts.losses.phases) == set(experts.phases)
    strength = json.loads((experts.directory / "strength.json").read_text())
    assert strength["nodes"] > 0
    for match in strength["matches"].values():
        assert match["wins"] + match["draws"] + match["losses"] == match["games"] > 0


@pytest.mark.parametrize("name", EXPERTS)
def test_their_losses_are_those_that_were_written_down(name, cache):
    """On some of the test games; means over so few differ by a few hundredths."""
    experts = training.Experts.open(packaged.resolved(name))
    test = training.GameStore.sample(experts.game).split(experts.training["identity"]["seed"]).test
    some = test.subset(np.arange(40))
    evaluator = experts.baseline(threads=1)
    found = training.evaluate_network(
        evaluator, some, some.positions(experts.gate), threads=1
    ).mean()
    told = {metric: experts.losses.cell("baseline", "all", metric).value for metric in METRICS}
    assert abs(found.accuracy - told["accuracy"]) < 0.05
    assert abs(found.total - told["total"]) < 0.25


@pytest.mark.parametrize("name", BY_PLAY)
def test_those_that_learnt_by_play_do_what_was_measured(name, cache):
    folder = packaged.resolved(name)
    run = json.loads((folder / "config.json").read_text())
    told = json.loads((folder / "probes.json").read_text())
    network = inference.load(name, threads=1)
    game = games.make(network.game)
    assert run["kind"] == "self-play"
    assert run["config"]["game"] == game.name

    def searching(nodes):
        return agents.MCTSAgent(network, limit=agents.Limit(nodes=nodes), threads=1)

    probed = training.Probed(game, network, searching, told["nodes"], seed=1)
    found = {}
    for probe in probes_of(game, 120):
        found |= probe(probed)
    for score in set(found) & {
        "starts won",
        "perfect moves",
        "best moves",
        "mate in 2",
    }:
        for who, number in found[score].items():
            assert abs(number - told["scores"][score][who]) < 0.2, (score, who, number)


@pytest.mark.parametrize("name", NAMES)
def test_they_play_better_than_at_random(name, cache):
    network = inference.load(name, threads=1)
    game = games.make(network.game)
    others = "random" if game.initial_state(seed=0).to_play == SIMULTANEOUS else None
    limit = agents.Limit(simulations=8)
    agent = agents.MCTSAgent(network, others=others, limit=limit, game=game, threads=1)
    count = 6 if game.num_players == 2 else 8
    match = arena.play_match(agent, "random", game, games=count, seed=1, max_plies=300)
    assert match.losses == 0 or game.num_players > 2  # four random players may blow each other up
    assert match.score > 0.6


def test_the_network_of_pommerman_foresees_what_it_learnt_to(cache):
    """Actions of games of its teachers that it has not seen."""
    network = inference.load("phasezoo/pommerman-small", threads=1)
    store = training.EpisodeStore(network.game, 2_000, seed=77, threads=1)
    found = training.evaluate_network(network, store, store.positions("none"), threads=1).mean()
    assert found.accuracy > 0.6  # 0.70 in its validation; the commonest action alone 0.2


def test_a_name_without_its_prefix_is_told_the_whole_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CheckpointError, match="is 'phasezoo/chess-small'"):
        inference.load("chess-small")
    (tmp_path / "chess-small").mkdir()
    with pytest.raises(CheckpointError, match=r"no manifest\.json there"):
        inference.load("chess-small")
    (tmp_path / "chess-small" / "experts.json").touch()
    with pytest.raises(CheckpointError, match="holds experts for phases, and one network is"):
        inference.load_network("chess-small")


@pytest.mark.parametrize("given", [3, None, b"phasezoo/chess-small", ["a"]])
def test_what_is_no_path_is_no_network(given):
    with pytest.raises(InvalidConfig, match="expected a network's folder or file"):
        inference.load(given)
