"""The phase mixture's experts by gates that learnt to choose among them."""

import dataclasses
import hashlib
import json
import shlex
import shutil

import numpy as np
import pytest
from safetensors.numpy import save
from test_m2cts_games import TINY, few

from phasezoo import agents, arena, gating, inference
from phasezoo.apps import cli
from phasezoo.errors import InvalidConfig, RunDirectoryError, StoreError
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.two_player.curve import mixtures_of
from phasezoo.experiments.two_player.losses import measure_division
from phasezoo.experiments.two_player.preparation import prepare
from phasezoo.experiments.two_player.tested import TestedNetworks, drawn
from phasezoo.gating.learned import MANIFEST, WEIGHTS, GateManifest
from phasezoo.report.console import silent
from phasezoo.training.evaluation import evaluate_network

STUDY = GAMES["connect-four"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("learned")
    config = dataclasses.replace(
        STUDY.default,
        games=few("connect-four", folder),
        gate="plies:14",
        trainings=2,
        learned_gate=True,
        gate_positions=200,
        **TINY,
    )
    return folder / "run", STUDY.reproduce(config, folder / "run"), config


def networks(out, config, training):
    phases = gating.make(config.gate, config.game).names
    return {
        "baseline": [out / f"networks/baseline-{training + 1}"],
        "expert": [
            out / f"networks/expert-{name.replace(' ', '-')}-{training + 1}" for name in phases
        ],
    }


def test_each_training_has_a_gate_that_learnt_from_validation_games(whole):
    out, results, config = whole
    assert [(card.name, card.training) for card in results.learned.gates] == [
        ("gate-1", 0),
        ("gate-2", 1),
    ]
    validation = len(prepare(config).tables["validation"])
    for card in results.learned.gates:
        assert 0 < card.positions <= min(200, validation)
        manifest = json.loads((out / "gates" / card.name / "manifest.json").read_text())
        assert manifest["names"] == results.dataset.phases
        assert manifest["training"]["experts"] == results.dataset.phases
    first, second = ((out / f"gates/gate-{k}/model.safetensors").read_bytes() for k in (1, 2))
    assert first != second


def test_losses_by_learned_gates_are_those_of_the_experts_that_they_choose(whole):
    """Against gates asked about states one by one, and experts measured one by one."""
    out, results, config = whole
    prepared = prepare(config)
    rows, store = drawn(prepared, "test"), prepared.splits.test
    # Gates learn from validation games, so that what occurs there is no test of them.
    seen = set(prepared.splits.validation.positions("none").key.tolist())
    rows = rows.select(np.array([key not in seen for key in rows.key.tolist()]))
    assert results.learned.division.positions == len(rows) > 0
    states = []
    for game, ply in zip(rows.game, rows.ply, strict=True):
        state = store.game.initial_state()
        for action in store.actions[store.offsets[game] : store.offsets[game] + ply]:
            state = state.play(int(action))
        states.append(state)
    shares, beside_one, beside_mixture = [], [], []
    for training in range(2):
        paths = networks(out, config, training)
        gate = gating.make(f"learned:{out}/gates/gate-{training + 1}")
        own = np.array([gate(state) for state in states])
        shares.append([(own == k).mean() for k in (0, 1)])
        one, *experts = (
            evaluate_network(inference.load(path, threads=1), store, rows).total
            for path in (*paths["baseline"], *paths["expert"])
        )
        lost = np.where(own == 1, experts[1], experts[0])
        fixed = np.where(rows.phase == 1, experts[1], experts[0])
        beside_one.append((lost - one).mean())
        beside_mixture.append((lost - fixed).mean())
    found = results.learned.division
    assert found.shares["all"] == pytest.approx(np.mean(shares, axis=0))
    assert found.beside_one["all"].value == pytest.approx(np.mean(beside_one), abs=1e-5)
    assert found.beside_mixture["all"].value == pytest.approx(np.mean(beside_mixture), abs=1e-5)
    assert found.beside_one["all"].low < found.beside_one["all"].high


def test_the_networks_of_a_training_are_asked_once(whole):
    """What is kept is of one training each; no other table sees another training's answers."""
    out, _, config = whole
    prepared = prepare(config)
    answers = TestedNetworks(prepared, [], silent())
    assert len(answers.rows) == len(drawn(prepared, "test")) > 0
    one, experts = answers.of(networks(out, config, 0))
    again, _ = answers.of(networks(out, config, 0))
    other, _ = answers.of(networks(out, config, 1))
    assert again is one
    for path, losses in zip(
        [*networks(out, config, 0)["expert"], *networks(out, config, 1)["baseline"]],
        [*experts, other],
        strict=True,
    ):
        alone = evaluate_network(
            inference.load(path, threads=1), prepared.splits.test, answers.rows
        )
        np.testing.assert_allclose(losses.total, alone.total, atol=1e-5)
    assert not np.allclose(one.total, other.total)


def test_a_gate_that_answers_as_the_fixed_one_changes_nothing(whole, tmp_path):
    out, results, config = whole
    prepared = prepare(config)
    # Stones on the board less 14 and a half: the plies after which the fixed gate changes.
    weight = np.zeros((3 * 6 * 7, 2), dtype=np.float32)
    weight[: 2 * 6 * 7, 1] = 1
    data = save({"0.weight": weight, "0.bias": np.array([0, -14.5], dtype=np.float32)})
    files = {WEIGHTS: hashlib.sha256(data).hexdigest()}
    manifest = GateManifest("connect-four", "default", (3, 6, 7), prepared.phases, "mlp-1x0", files)
    (tmp_path / "same").mkdir()
    (tmp_path / "same" / WEIGHTS).write_bytes(data)
    (tmp_path / "same" / MANIFEST).write_bytes(manifest.to_json())
    trainings = [networks(out, config, 0)]
    tested = TestedNetworks(prepared, trainings, silent())
    found = measure_division(tested, [tmp_path / "same"])
    assert found.shares == {
        "up to 14": [1.0, 0.0],
        "over 14": [0.0, 1.0],
        "all": found.shares["all"],
    }
    assert {name: one.value for name, one in found.beside_mixture.items()} == {
        "up to 14": 0.0,
        "over 14": 0.0,
        "all": 0.0,
    }
    mixture = next(e for e in results.losses.entries if e.name == "phase mixture")
    assert found.beside_one["all"].value == pytest.approx(
        mixture.differences["all"]["total"].value, abs=0.2
    )


def test_searches_with_learned_gates_play_one_network(whole):
    out, results, config = whole
    played = results.learned.matches
    assert played.total.games == 4 * config.games_played
    assert (out / "matches/learned-2-baseline-1.jsonl").is_file()
    # Gates of different trainings play, and each asks the experts of its own.
    assert played.total.sides[0].rows > 0


def test_moves_by_learned_gates_are_judged_by_perfect_play(whole):
    _, results, _ = whole
    names = [row.name for row in results.exact.rows]
    assert names == ["phase mixture", "placebo mixture", "learned gate", "one network"]
    learned = results.exact.rows[2]
    assert 0 <= learned.numbers["regret"]["all"] <= 1


def test_the_report_tells_what_gates_chose(whole):
    out, results, _ = whole
    table = STUDY.report(results).tables["learned gates"]
    assert "expert of over 14" in table.head
    assert "What came out: learned gates" in (out / "report.html").read_text()


def test_what_gates_cost_stands_beside_the_networks(whole):
    _, results, config = whole
    assert [one.batch for one in results.cost.gate] == list(config.timed_batches)
    for one in results.cost.gate:
        assert 0 < one.milliseconds.low <= one.milliseconds.value <= one.milliseconds.high
        assert one.ratio.value > 0


def test_the_command_of_a_run_is_one_that_is_understood(whole):
    out, results, _ = whole
    assert " --learned-gate " in results.command
    assert " True" not in results.command
    spelled = STUDY.command_line(dataclasses.replace(STUDY.default, alone=True), out)
    assert " --alone " in spelled
    assert cli.main(shlex.split(results.command)[1:]) == 0
    # Nor has the game of a run that goes on to be named again.
    assert cli.main(["reproduce", "m2cts", "--resume", str(out)]) == 0
    assert results.seeds["gate 1"] != results.seeds["gate 2"]


def test_the_same_command_goes_on_with_what_is_there(whole):
    out, results, config = whole
    assert STUDY.reproduce(config, out) == results
    # A gate whose card a kill has kept out is learnt again, to the same weights.
    weights = (out / "gates/gate-1/model.safetensors").read_bytes()
    (out / "gates/gate-1.json").unlink()
    again = STUDY.reproduce(config, out)
    assert (out / "gates/gate-1/model.safetensors").read_bytes() == weights
    assert again.learned.division == results.learned.division


def test_a_curve_over_sizes_has_a_curve_of_learned_gates(whole):
    _, results, _ = whole
    *arms, learned = mixtures_of(results)
    assert arms == results.variants
    assert (learned.name, learned.experts) == ("learned gate", results.variants[0].experts)
    assert learned.loss == results.learned.division.beside_one["all"]
    assert learned.matches == results.learned.matches
    # Its moves are found by that name among those judged by perfect play.
    assert learned.name in [row.name for row in results.exact.rows]


def test_what_leaves_a_gate_nothing_to_learn_from_is_refused(whole, tmp_path):
    _, _, config = whole
    none = dataclasses.replace(config, gate_positions=0)
    with pytest.raises(InvalidConfig, match="--gate-positions 0"):
        STUDY.reproduce(none, tmp_path / "none")
    few_games = dataclasses.replace(
        config, gate="plies:4", games=few("connect-four", tmp_path, games=12)
    )
    with pytest.raises(StoreError, match=r"--learned-gate: .* there are only 1"):
        STUDY.reproduce(few_games, tmp_path / "few")
    assert not (tmp_path / "few").exists()


def test_a_match_knows_learned_gates_by_their_weights_wherever_they_lie(whole, tmp_path):
    out, _, config = whole
    experts = {
        name: inference.load(path, threads=1)
        for name, path in zip(
            gating.make("plies:14").names, networks(out, config, 0)["expert"], strict=True
        )
    }

    def play(gate, log):
        agent = agents.M2CTSAgent(
            experts, "plies:14", search_gate=f"learned:{gate}", limit=agents.Limit(nodes=2)
        )
        return arena.play_match(
            agent, agents.RandomAgent(seed=1), game="connect-four", games=2, seed=1, log=log
        )

    moved = tmp_path / "elsewhere"
    shutil.copytree(out / "gates/gate-1", moved)
    log = tmp_path / "games.jsonl"
    played = play(out / "gates/gate-1", log)
    assert play(moved, log).games == played.games
    with pytest.raises(RunDirectoryError, match="another match"):
        play(out / "gates/gate-2", log)
