"""A network of another game is refused wherever games are played, unless that is meant."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_networks import made
from saved_networks import save_network

from phasezoo import agents, arena, games, gating, inference
from phasezoo.errors import GameMismatch, InvalidConfig, InvalidPlaneSpec
from phasezoo.inference import StateBatch, evaluate_leaves
from phasezoo.inference.counts import Counts

LIMIT = agents.Limit(nodes=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("networks")
    for name, variant in (("chess", "chess"), ("atomic", "atomic"), ("crazyhouse", "crazyhouse")):
        save_network(place / name, "rise-8x1", "minimal", variant=variant, gate="none", phase=None)
    return place


def loaded(folder: Path, name: str = "chess", **options: Any) -> Any:
    return inference.load(folder / name, threads=1, **options)


class Odd:
    """An evaluator of one's own that wants planes of its own."""

    plane_spec = "own"

    def evaluate(self, planes: Any) -> inference.Evaluation:
        return inference.Evaluation(value=np.zeros(len(planes), np.float32))


def search(evaluator: Any, **options: Any) -> Any:
    agent = agents.MCTSAgent(evaluator, limit=LIMIT, seed=1, **options)
    return agent.search(games.make("atomic").initial_state())


def batch(evaluator: Any) -> Any:
    return agents.MCTSAgent(evaluator, limit=LIMIT).select_batch(
        [games.make("atomic").initial_state()]
    )


def policy(evaluator: Any) -> Any:
    return agents.PolicyAgent(evaluator).select_batch([games.make("atomic").initial_state()])


def session(evaluator: Any) -> Any:
    return agents.PolicyAgent(evaluator).session(1).act(games.make("atomic").initial_state())


def match(evaluator: Any, agent: Any = agents.MCTSAgent) -> Any:
    options = {"limit": LIMIT} if agent is agents.MCTSAgent else {}
    return arena.play_match(
        agent(evaluator, **options), agents.RandomAgent(seed=1), game="atomic", games=2, max_plies=6
    )


def policy_match(evaluator: Any) -> Any:
    return match(evaluator, agents.PolicyAgent)


def mixture(evaluator: Any) -> Any:
    experts = {"opening": evaluator, "middlegame": evaluator, "endgame": inference.Uniform()}
    return inference.MixtureOfExperts(experts, "lichess", game="atomic")


def named(evaluator: Any) -> Any:
    return search(evaluator, game="atomic")


PLACES = [search, batch, policy, session, match, policy_match, mixture, named]


@pytest.mark.parametrize("place", PLACES)
def test_a_network_of_another_game_is_refused(folder: Path, place: Any) -> None:
    with pytest.raises(GameMismatch, match=r"rise-8x1.*chess.*atomic.*allow_other_game=True"):
        place(loaded(folder))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_unless_that_is_meant(folder: Path, place: Any, backend: str) -> None:
    assert place(loaded(folder, backend=backend, allow_other_game=True)) is not None


@pytest.mark.parametrize("place", PLACES)
def test_planes_that_the_game_does_not_have_are_refused(place: Any) -> None:
    with pytest.raises(InvalidPlaneSpec, match=r"Odd wants planes.*'own'"):
        place(Odd())


def test_a_mixture_hides_no_other_game(folder: Path) -> None:
    chess, atomic = loaded(folder), loaded(folder, "atomic")
    experts = {"opening": chess, "middlegame": chess, "endgame": inference.Uniform()}
    inside = inference.MixtureOfExperts(experts, "lichess")
    assert inside.game == "chess"
    with pytest.raises(GameMismatch, match="atomic"):
        search(inside)
    with pytest.raises(GameMismatch, match="different games"):
        inference.MixtureOfExperts({**experts, "endgame": atomic}, "lichess")
    with pytest.raises(GameMismatch, match=r"chess.*atomic"):
        agents.M2CTSAgent(experts, "lichess", game="atomic")
    meant = loaded(folder, allow_other_game=True)
    both = inference.MixtureOfExperts(
        {"opening": meant, "middlegame": meant, "endgame": atomic}, "lichess"
    )
    assert both.game == "atomic"
    assert search(both).action is not None


def test_a_mixture_may_have_other_planes_but_not_others_actions(folder: Path) -> None:
    meant = loaded(folder, allow_other_game=True)
    house = loaded(folder, "crazyhouse", allow_other_game=True)
    experts = {"opening": meant, "middlegame": meant, "endgame": house}
    with pytest.raises(GameMismatch, match=r"4672 actions.*4992 actions"):
        inference.MixtureOfExperts(experts, "lichess")
    with pytest.raises(GameMismatch, match=r"planes \[22, 8, 8\]"):
        inference.MixtureOfExperts(experts, "lichess", game="chess")
    with pytest.raises(InvalidPlaneSpec, match="Odd"):
        inference.MixtureOfExperts({**experts, "endgame": Odd()}, "lichess", game="chess")


def test_experts_of_different_planes_mix(tmp_path: Path) -> None:
    for planes in ("minimal", "v1"):
        save_network(tmp_path / planes, "rise-8x1", planes, gate="none", phase=None)
    one, other = (inference.load(tmp_path / planes, threads=1) for planes in ("minimal", "v1"))
    mixed = inference.MixtureOfExperts(
        {"opening": one, "middlegame": other, "endgame": one}, "lichess", "soft"
    )
    state = games.make("chess").initial_state()
    result = agents.MCTSAgent(mixed, limit=LIMIT, seed=1).search(state)
    assert result.nodes == 8


def test_too_few_actions_are_refused_even_if_meant(folder: Path) -> None:
    evaluator = loaded(folder, allow_other_game=True)
    with pytest.raises(GameMismatch, match=r"4672 actions.*4992 actions"):
        agents.MCTSAgent(evaluator, game="crazyhouse")
    with pytest.raises(InvalidPlaneSpec, match="minimal"):
        agents.MCTSAgent(evaluator, game="connect-four")


def test_actions_beyond_the_games_own_are_left_out() -> None:
    wide = games.register(
        "wide-four",
        initial_state=_WideFour,
        num_players=2,
        num_actions=9,
        plane_specs={"default": (3, 6, 7)},
    )
    try:
        network = made((3, 6, 7), 9)
        evaluator = inference.TorchEvaluator(network, game=wide, allow_other_game=True)
        state = games.make("connect-four").initial_state()
        found = agents.MCTSAgent(evaluator, limit=LIMIT, node_temperature=1.0).search(state)
        answer = evaluate_leaves(evaluator, StateBatch([state]), Counts())
        assert answer.legal_logits is not None
        priors = np.exp(answer.legal_logits) / np.exp(answer.legal_logits).sum()
        np.testing.assert_allclose(found.prior, priors, atol=1e-5)
    finally:
        games.registry.REGISTRY.own.pop("wide-four")
        games.registry._BY_TYPE.pop(_WideFour)


def test_planes_that_games_share_go_with_more_actions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    four = games.make("connect-four")
    assert (four.policy_size(), four.policy_size("default")) == (7, 7)
    wide = replace(
        four,
        plane_specs={**four.plane_specs, "shared": (3, 6, 7)},
        policy_sizes={"shared": 9},
        encode_states=lambda states, spec, *rest: games.encode(states),
    )
    assert (wide.policy_size(), wide.policy_size("shared")) == (7, 9)
    monkeypatch.setitem(games.registry._package(), "connect-four", wide)
    evaluator = inference.TorchEvaluator(made((3, 6, 7), 9), game=wide, planes="shared")
    inference.save(evaluator, tmp_path / "wide")
    loaded = inference.load(tmp_path / "wide")
    assert (loaded.manifest.num_actions, loaded.manifest.actions) == (9, "flat-9")
    with pytest.raises(InvalidConfig, match="7 actions, connect-four has 9"):
        inference.TorchEvaluator(made((3, 6, 7), 7), game=wide, planes="shared")


@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_one_network_of_shared_planes_plays_the_whole_family(tmp_path: Path, backend: Any) -> None:
    save_network(tmp_path / "one", "rise-8x1", "shared", gate="none", phase=None)
    with pytest.raises(GameMismatch, match=r"allow_other_game=True"):
        agents.MCTSAgent(inference.load(tmp_path / "one"), game="crazyhouse")
    one = inference.load(tmp_path / "one", backend, allow_other_game=True)
    for name in ("chess", "chess960", "atomic", "crazyhouse", "krk"):
        report = inference.check(one, name, rows=4)
        assert report.ok, str(report)
        state = games.make(name).initial_state(seed=1)
        assert agents.MCTSAgent(one, limit=LIMIT).search(state).nodes == 8
        wide = inference.MixtureOfExperts({"all": one}, "none", game=name)
        assert agents.MCTSAgent(wide, limit=LIMIT).search(state).nodes == 8


class _WideFour:
    """The start of a game whose planes are those of Connect Four."""

    to_play = ply = 0
    is_terminal = False


def test_values_for_each_player_and_for_one_do_not_mix() -> None:
    ffa = games.make("pommerman-ffa")
    each, one = (
        inference.TorchEvaluator(made(ffa.plane_shape(), 6, heads=heads, players=4), game=ffa)
        for heads in ("values", "scalar")
    )
    with pytest.raises(InvalidConfig, match="must agree"):
        inference.MixtureOfExperts({"up to 9": each, "over 9": one}, "steps:9", game=ffa.name)


def test_the_gate_of_a_mixture_is_that_of_its_networks_game() -> None:
    ffa = games.make("pommerman-ffa")
    one = inference.TorchEvaluator(made(ffa.plane_shape(), 6), game=ffa)
    mixed = inference.MixtureOfExperts(dict.fromkeys(("far", "near", "close"), one), "mixedness")
    assert mixed.game == "pommerman-ffa"
    assert mixed.names == gating.make("proximity", "pommerman-ffa").names
