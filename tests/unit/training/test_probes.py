"""Probes: moves judged by perfect play, mates in two, starts won, and probes of one's own."""

import math
from typing import Any

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.data.starts import evenly_by_ply
from phasezoo.errors import InvalidConfig, InvalidEvaluation
from phasezoo.training import GameStore, Probe, Probed, Score
from phasezoo.training.catalogue import probes_of
from phasezoo.training.probes.tactics import solutions
from phasezoo.training.solved import Starts


class Knows:
    """Its policy is a table's best action."""

    plane_spec = None

    def evaluate_batch(self, leaves: Any) -> inference.Evaluation:
        logits = []
        for state in leaves.states():
            best = games.game_of(state).best_actions(state)
            logits.append(np.isin(state.legal_actions, best) * 9.0)
        return inference.Evaluation(
            legal_logits=np.concatenate(logits).astype(np.float32),
            value=np.zeros(len(logits), np.float32),
        )


def probed(game: str, evaluator: Any, nodes: int = 0) -> Probed:
    def searching(count: int) -> Any:
        return agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=count))

    return Probed(games.make(game), evaluator, searching, nodes)


def told(game: str, evaluator: Any, positions: int = 40, nodes: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for probe in probes_of(games.make(game), positions):
        found |= probe(probed(game, evaluator, nodes))
    return found


@pytest.mark.parametrize("game", ["krk", "connect-four"])
def test_perfect_play_is_told_as_such(game: str) -> None:
    if game == "connect-four":
        pytest.importorskip("bitbully")
    found = told(game, Knows())
    assert found["perfect moves"] == {"network": 1.0}
    assert found["best moves"] == {"network": 1.0}
    assert found["regret"] == found["distance lost"] == {"network": 0.0}
    if game == "krk":
        assert found["starts won"] == {"network": 1.0}


def test_who_knows_nothing_loses_wins_and_time() -> None:
    found = told("krk", inference.Uniform(), nodes=8)
    assert set(found["perfect moves"]) == {"network", "8 nodes"}
    assert 0.2 < found["perfect moves"]["network"] < 0.9
    assert found["best moves"]["network"] < 0.5
    assert found["regret"]["network"] > 0.02
    assert found["distance lost"]["network"] > 0.5
    assert found["starts won"]["network"] < 0.3


def test_search_finds_mates_that_the_policy_does_not() -> None:
    found = told("chess", inference.Uniform(), positions=30, nodes=2000)["mate in 2"]
    assert found["network"] < 0.3
    assert found["2000 nodes"] > 0.8


@pytest.mark.parametrize("game", ["chess", "chess960", "atomic", "crazyhouse"])
def test_the_packaged_mates_are_mates(game: str) -> None:
    (probe,) = probes_of(games.make(game), 1000)
    puzzles = probe.function.puzzles()  # type: ignore[attr-defined]
    assert len(puzzles) >= 100
    assert len({puzzle.state.fen for puzzle in puzzles}) == len(puzzles)
    for puzzle in puzzles[::40]:
        assert solutions(puzzle.state, 1) == []
        assert frozenset(solutions(puzzle.state, 2)) == puzzle.actions


def test_positions_are_drawn_evenly_by_ply() -> None:
    store = GameStore.sample("connect-four")
    states = evenly_by_ply(store, 200, 1)
    plies = np.bincount([state.ply for state in states])
    assert len(states) == len({state.columns for state in states}) == 200
    assert plies[0] == 1
    assert plies[4:30].min() >= 4
    assert plies.max() <= 7
    assert states == evenly_by_ply(store, 200, 1)
    assert states != evenly_by_ply(store, 200, 2)


def test_a_probe_of_ones_own() -> None:
    version = probed("connect-four", inference.Uniform())

    def stones(given: Probed) -> float:
        assert given.game.name == "connect-four"
        return 3

    assert Probe(stones)(version) == {"stones": {"": 3.0}}
    by_whom = Probe(lambda given: {"a": 1, "b": 2}, Score("width"))
    assert by_whom(version) == {"width": {"a": 1.0, "b": 2.0}}
    two = Probe(lambda given: {"x": 1, "y": {"a": 2}}, Score("x"), Score("y"))
    assert two(version) == {"x": {"": 1.0}, "y": {"a": 2.0}}


@pytest.mark.parametrize("answer", [math.nan, "much", None, {"a": math.inf}])
def test_what_is_no_number_is_refused(answer: Any) -> None:
    with pytest.raises(InvalidEvaluation, match="the probe odd answered"):
        Probe(lambda given: answer, Score("odd"))(probed("krk", inference.Uniform()))


def test_wrong_probes_are_refused() -> None:
    with pytest.raises(InvalidConfig, match="no probe"):
        Probe(3)  # type: ignore[arg-type]
    with pytest.raises(InvalidConfig, match="different names"):
        Probe(print, Score("a"), Score("a"))
    with pytest.raises(InvalidEvaluation, match="a number for each of its scores"):
        Probe(lambda given: {"a": 1}, Score("a"), Score("b"))(probed("krk", inference.Uniform()))


def test_every_position_of_a_game_is_judged_alike_to_a_sample() -> None:
    (*_, probe) = probes_of(games.make("krk"), 4, everywhere=True)
    found = probe(probed("krk", inference.Uniform()))
    positions = probe.function.positions()  # type: ignore[attr-defined]
    rows = np.random.default_rng(1).permutation(len(positions))[:4000]
    starts = Starts(games.make("krk"), tuple(positions.states[row] for row in rows))
    first = [min(state.legal_actions) for state in starts.states]  # all moves are alike to it
    sample = starts.judge(first).lost
    error = sample.std() / len(sample) ** 0.5
    assert abs(found["regret, all positions"]["network"] - sample.mean()) < 5 * error
    assert 0 <= found["won, all positions"]["network"] < 0.01


def test_perfect_play_wins_from_every_position_that_is_won() -> None:
    (*_, probe) = probes_of(games.make("krk"), 4, everywhere=True)
    positions = probe.function.positions()  # type: ignore[attr-defined]
    best = np.maximum.reduceat(positions.worths, positions.offsets[:-1])
    is_best = positions.worths == np.repeat(best, np.diff(positions.offsets))

    class Table:
        """Knows the best moves; positions come in their order."""

        plane_spec = None
        asked = 0

        def evaluate_batch(self, leaves: Any) -> inference.Evaluation:
            count = len(leaves.states())
            begin, end = positions.offsets[[self.asked, self.asked + count]]
            self.asked += count
            value = np.zeros(count, np.float32)
            return inference.Evaluation(legal_logits=np.float32(is_best[begin:end]), value=value)

    found = probe(probed("krk", Table()))
    assert found["regret, all positions"] == {"network": 0.0}
    assert found["won, all positions"] == {"network": pytest.approx((best > 0).mean())}


def test_games_with_too_many_positions_are_probed_as_before() -> None:
    chess = games.make("chess")
    names = [[score.name for score in probe.scores] for probe in probes_of(chess, 4)]
    everywhere = probes_of(chess, 4, everywhere=True)
    assert [[score.name for score in probe.scores] for probe in everywhere] == names
