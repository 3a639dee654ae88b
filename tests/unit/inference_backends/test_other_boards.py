"""A network whose heads are pooled over the board plays on boards of another size."""

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference, networks
from phasezoo.errors import GameMismatch, InvalidArray

pytest.importorskip("torch", reason="networks need the extra 'train'")

SMALL, LARGE = games.make("pommerman-1v1"), games.make("pommerman-1v1-11")


def saved(path, network):
    made = networks.make(network, (23, 8, 8), 6, seed=3)
    inference.save(inference.TorchEvaluator(made, game=SMALL, planes="standard"), path)
    return path


def loaded(path, network="resnet-8x1:pool=global", **options):
    return inference.load(saved(path, network), "torch", threads=1, **options)


@pytest.mark.parametrize("packed", [False, True])
def test_pooled_heads_answer_boards_of_both_sizes(tmp_path, packed):
    evaluator = loaded(tmp_path / "net", allow_other_game=True, packed=packed)
    assert evaluator.fits_boards
    for game in (SMALL, LARGE):
        states = [game.initial_state(seed=seed) for seed in range(3)]
        planes = games.encode(states, players=[0, 1, 0])
        whole = evaluator.evaluate(planes)
        assert whole.policy_logits.shape == (3, 6)
        answer = evaluator.evaluate(games.encode(states, players=[0, 1, 0], packed=True))
        np.testing.assert_allclose(answer.policy_logits, whole.policy_logits, atol=1e-5)
    with pytest.raises(InvalidArray, match="expected"):
        evaluator.evaluate(np.zeros((1, 22, 11, 11), np.float32))


def test_it_plays_a_match_there(tmp_path):
    evaluator = loaded(tmp_path / "net", allow_other_game=True)
    match = arena.play_match(
        agents.PolicyAgent(evaluator, seed=1), "random", game=LARGE, games=4, seed=1, max_plies=40
    )
    assert match.wins + match.draws + match.losses == 4


def test_others_are_refused(tmp_path):
    state = LARGE.initial_state(seed=1)
    one_size = loaded(tmp_path / "flat", "resnet-8x1", allow_other_game=True)
    assert not one_size.fits_boards
    with pytest.raises(GameMismatch, match=r"23, 8, 8.*23, 11, 11"):
        agents.PolicyAgent(one_size).select_batch([state], players=[0])
    with pytest.raises(InvalidArray, match="23, 11, 11"):
        one_size.evaluate(games.encode([state], players=[0]))
    unasked = loaded(tmp_path / "unasked")
    with pytest.raises(GameMismatch, match="allow_other_game=True"):
        agents.PolicyAgent(unasked).select_batch([state], players=[0])
    with pytest.raises(InvalidArray, match="23, 11, 11"):
        unasked.evaluate(games.encode([state], players=[0]))
