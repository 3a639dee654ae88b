"""The audit: its figures by hand, constants, mixtures, and what the command refuses."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from phasezoo import errors, experiments, gating, inference
from phasezoo.apps import cli
from phasezoo.data.boundaries import near_boundaries
from phasezoo.data.store import GameStore
from phasezoo.experiments.auditing import measurements
from phasezoo.experiments.auditing.config import AUDIT
from phasezoo.experiments.auditing.measurements import ALL, CONSTANT
from phasezoo.experiments.auditing.positions import DISTANCES, NO_BOUNDARY, distance_groups
from phasezoo.games import legal_actions_of

GATE = "moves:2"
SMALL = {"max_games": 8, "searches": 0, "resamples": 100}


class Scripted:
    """An evaluator of fixed logits by action number, and one value."""

    plane_spec = None

    def __init__(self, name, value=0.0, slope=0.0, wdl=None):
        self.name, self.value, self.slope, self.wdl = name, value, slope, wdl

    def evaluate(self, planes):
        """Answer every row alike."""
        rows = len(planes)
        logits = np.tile(self.slope * np.sin(np.arange(4672, dtype=np.float32)), (rows, 1))
        wdl = None if self.wdl is None else np.tile(np.float32(self.wdl), (rows, 1))
        value = np.full(rows, self.value, np.float32)
        return inference.Evaluation(policy_logits=logits, value=value, wdl=wdl)


def results_of(networks, tmp_path, gate=GATE, games="sample:chess", **settings):
    """Audit, and return the results in the folder."""
    experiments.audit(networks, games, gate, out=tmp_path / "audit", **(SMALL | settings))
    return AUDIT.results_in(tmp_path / "audit")


def scores(results, network, group=ALL):
    """Return scores by phase."""
    found = results.measured.scores
    return {one.phase: one for one in found if (one.network, one.group) == (network, group)}


def test_figures_are_those_of_a_computation_by_hand(tmp_path):
    networks = {"a": Scripted("a", 0.25, 2.0, (0.5, 0.25, 0.25)), "b": Scripted("b", -0.5)}
    store = GameStore.sample("chess").subset(np.arange(3))
    results = results_of(networks, tmp_path, games=store)
    table = store.positions(GATE)
    logits = 2.0 * np.sin(np.arange(4672, dtype=np.float32)).astype(np.float64)
    policy, hits, value, wdl, played = [], [], [], [], []
    for game, ply, player in zip(table.game, table.ply, table.player, strict=True):
        legal = legal_actions_of(store.records.states(int(game))[ply], int(player))
        action = store.actions[store.offsets[game] + ply]
        policy.append(math.log(np.exp(logits[legal]).sum()) - logits[action])
        hits.append(float(legal[logits[legal].argmax()] == action))
        result = float(store.returns[game, player])
        value.append((0.25 - result) ** 2)
        happened = np.array([result > 0, result == 0, result < 0], float)
        wdl.append(((np.array([0.5, 0.25, 0.25]) - happened) ** 2).sum())
        played.append(result)
    found = scores(results, "a")
    for phase, name in enumerate([*table.names, ALL]):
        own = table.phase == phase if name != ALL else np.ones(len(table), bool)
        columns = {"policy": policy, "accuracy": hits, "value": value, "wdl": wdl}
        for metric, column in columns.items():
            expected = np.array(column)[own].mean()
            assert found[name].means[metric].value == pytest.approx(expected, rel=1e-6)
        spread = np.var(np.array(played)[own])
        assert scores(results, CONSTANT)[name].means["value"].value == pytest.approx(spread)
    everywhere = {one.phase: one.error for one in results.measured.calibration}
    mean = np.mean(played)
    assert everywhere[ALL] == pytest.approx(abs(-0.5 - mean) / 2)  # of b, which comes last
    (all_bins,) = [b for b in results.measured.bins if (b.network, b.phase) == ("b", ALL)]
    assert (all_bins.low, all_bins.positions) == (0.2, len(table))
    assert all_bins.happened.value == pytest.approx((1 + mean) / 2)
    apart = {one.phase: one for one in results.measured.agreement}[ALL]
    assert apart.apart.value == pytest.approx(0.75)
    jumps = {(one.network, one.name): one.size.value for one in results.measured.jumps}
    assert jumps["a", "all boundaries"] == pytest.approx(0.5)  # +0.25 for each in turn
    assert jumps["b", "inside phases"] == pytest.approx(1.0)


def test_calibration_errors_by_chance_are_as_large_as_they_are_said_to_be():
    """95 of 100 networks whose values are right on average stay below the number."""
    random, below, trials = np.random.default_rng(1), 0, 300
    for trial in range(trials):
        expected = random.uniform(size=150)
        won = np.where(random.uniform(size=150) < expected, 1.0, -1.0)
        places = one_position_a_game(expected, trial)
        answers = SimpleNamespace(value=2 * expected - 1)
        (found,) = measurements._errors("right", answers, won, places)
        below += found.error <= found.by_chance
    assert 0.9 <= below / trials <= 0.985
    few = one_position_a_game(expected[:3], 1)
    (found,) = measurements._errors("a", SimpleNamespace(value=np.zeros(3)), won[:3], few)
    assert found.by_chance is None


def one_position_a_game(expected, seed):
    games = len(expected)
    return SimpleNamespace(
        config=SimpleNamespace(bins=10, resamples=400),
        games=games,
        game=np.arange(games),
        sets=[(0, ALL)],
        own=lambda index: np.ones(games, bool),
        bin_of=lambda share: np.minimum((share * 10).astype(int), 9),
        rng=lambda: np.random.default_rng(seed),
    )


def test_squared_errors_end_where_they_can_be(tmp_path):
    store = GameStore.sample("chess").subset(np.arange(5))
    results = results_of({"a": Scripted("a", 0.9)}, tmp_path, "moves:3", games=store)
    table = experiments.open(tmp_path / "audit").tables["phases"]
    assert results.measured.games == 5
    for name, most in (("value loss", 4), ("Brier score", 1), ("Brier score of three", 2)):
        for row in table.records():
            ends = row.get(f"{name} low"), row.get(f"{name} high")
            assert ends == (None, None) or 0 <= ends[0] <= ends[1] <= most, (name, row)


def test_a_constant_answer_equals_the_constants_and_is_named(tmp_path):
    store = GameStore.sample("chess").subset(np.arange(6))
    table = store.positions("none")
    mean = float(store.returns[table.game, table.player].mean())
    results = results_of({"flat": Scripted("flat", mean)}, tmp_path, "none", games=store)
    own, constant = scores(results, "flat")[ALL], scores(results, CONSTANT)[ALL]
    for metric in ("policy", "accuracy", "value"):
        assert own.means[metric].value == pytest.approx(constant.means[metric].value, abs=1e-6)
    document = experiments.open(tmp_path / "audit")
    assert "The value of flat does not beat its constant in all phases" in document.to_markdown()
    assert json.loads((tmp_path / "audit" / "results.json").read_text())["game"] == "chess"
    assert (tmp_path / "audit" / "report.md").read_text() == document.to_markdown()


def test_it_goes_on_with_its_own_games_alone(tmp_path):
    first, other = (
        GameStore.sample("chess").subset(np.arange(start, start + 4)) for start in (0, 4)
    )
    results = results_of({"flat": Scripted("flat")}, tmp_path, games=first)
    again = results_of({"flat": Scripted("flat")}, tmp_path, games=first)
    assert again.measured == results.measured
    with pytest.raises(errors.RunDirectoryError, match="begun with other games"):
        results_of({"flat": Scripted("flat")}, tmp_path, games=other)


def test_a_mixture_is_its_parts_by_phase(tmp_path):
    parts = {"moves 1": Scripted("one", 0.5, 1.0), "moves 2": Scripted("two", -0.25, -1.0)}
    names = gating.make(GATE).names
    parts = dict(zip(names, parts.values(), strict=True))
    mixture = inference.MixtureOfExperts(parts, GATE)
    networks = {**parts, "mixture": mixture}
    mixed = results_of(networks, tmp_path)
    for phase in names:
        assert scores(mixed, "mixture")[phase].means == scores(mixed, phase)[phase].means


def test_distances_agree_with_the_positions_near_boundaries():
    table = GameStore.sample("chess").subset(np.arange(10)).positions("lichess")
    groups = distance_groups(table)
    near = near_boundaries(table, table)
    few = np.isin(groups, list(DISTANCES)[:2])
    assert np.flatnonzero(few).tolist() == np.sort(near.rows).tolist()
    for game in np.unique(table.game):
        own = table.game == game
        alone = len(np.unique(table.phase[own])) == 1
        assert (groups[own] == NO_BOUNDARY).all() == alone


def test_searches_bands_and_games_by_the_command(tmp_path, capsys):
    out = tmp_path / "run"
    words = ["audit", "phasezoo/chess-small", "uniform", "sample:chess", "--gate", "lichess"]
    sizes = ["--max-games", "6", "--searches", "1", "--nodes", "8", "16", "--resamples", "100"]
    more = ["--bands", "2000", "--play", "2", "--play-nodes", "2", "--play-max-plies", "12"]
    assert cli.main([*words, *sizes, *more, "--out", str(out)]) == 0
    results = AUDIT.results_in(out)
    assert {one.nodes for one in results.leaves} == {8, 16}
    assert all(0 <= one.share.value <= 1 for one in results.leaves)
    assert [(one.phase, one.part) for one in results.played[:2]] == [
        ("opening", "policy"),
        ("opening", "value"),
    ]
    document = experiments.open(out)
    assert {"phases", "bands", "distances", "leaves", "play"} <= document.tables.keys()
    assert "By phase" in capsys.readouterr().out
    assert cli.main(["audit", "--resume", str(out)]) == 0
    assert cli.main(["audit", "--resume", str(tmp_path / "none")]) != 0
    assert "to resume there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["sample:chess"], "name one network or more"),
        (["uniform", "nowhere.parquet", "--gate", "lichess"], "nowhere.parquet"),
        (["uniform", "sample:chess"], "--gate is missing"),
        (["uniform", "sample:chess", "--gate", "lychess"], "lychess"),
        (["uniform", "uniform", "sample:chess", "--gate", "lichess"], "given twice"),
        (["phasezoo/krk-small", "sample:chess", "--gate", "lichess"], "krk"),
        (["uniform", "sample:chess", "--gate", "lichess", "--play", "2"], "needs two networks"),
    ],
)
def test_the_command_refuses(words, complaint, tmp_path, capsys):
    assert cli.main(["audit", *words, "--out", str(tmp_path / "run")]) != 0
    assert complaint in capsys.readouterr().err


def test_one_network_twice_and_an_unknown_preset_are_refused():
    pair = [Scripted("same"), Scripted("same")]
    with pytest.raises(errors.InvalidConfig, match="given twice"):
        experiments.audit(pair, "sample:chess", GATE)
    with pytest.raises(errors.InvalidConfig, match="quick or standard"):
        experiments.audit(pair[:1], "sample:chess", GATE, preset="large")
