"""Other mixtures beside the one under study: other strategies, other gates."""

import dataclasses
import json
import re

import numpy as np
import pytest
from test_m2cts_games import TINY, few

from phasezoo.errors import InvalidConfig, InvalidGate
from phasezoo.experiments.catalogue import GAMES
from phasezoo.experiments.two_player.config import M2ctsConfig
from phasezoo.experiments.two_player.preparation import prepare
from phasezoo.experiments.two_player.tested import drawn
from phasezoo.experiments.two_player.variants import variants_of
from phasezoo.training.data import rows_digest

STUDY = GAMES["connect-four"]
ARMS = (
    "staged",
    "weighted:4",
    "plies:10",
    "staged@hash:2",
    "heads",
    "staged:value=shared",
    "staged:policy=shared",
    "separated:phases=over 14",
    "staged:freeze=body,learning_rate=0.02",
    "separated:by=game@hash:2",
    "separated:network='resnet-16x1:policy=flat'@none",
    "separated:positions=0.5@none",
)
LARGER, FEWER = (f"{arm} mixture" for arm in ARMS[-2:])
NAMES_OF_PARTS = (
    "staged:value=shared mixture",
    "staged:policy=shared mixture",
    "separated:phases=over 14 mixture",
)
PHASES = ("opening", "middlegame", "endgame")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arms")
    config = dataclasses.replace(
        STUDY.default,
        games=few("connect-four", folder),
        gate="plies:14",
        alone=True,
        **TINY | {"arms": ARMS},
    )
    return folder / "run", STUDY.reproduce(config, folder / "run"), config


def test_every_arm_sees_as_much_as_the_one_network_and_plays_it(whole):
    out, results, _ = whole
    assert [(arm.name, arm.strategy) for arm in results.variants] == [
        ("phase mixture", "separated"),
        ("placebo mixture", "separated"),
        ("staged mixture", "staged"),
        ("weighted:4 mixture", "weighted:4"),
        ("plies:10 mixture", "separated"),
        ("staged@hash:2 mixture", "staged"),
        ("heads mixture", "heads"),
        ("staged:freeze=body,learning_rate=0.02 mixture", "staged:learning_rate=0.02,freeze=body"),
        ("separated:by=game@hash:2 mixture", "separated:by=game"),
        (LARGER, "separated:network=resnet-16x1:policy=flat"),
        (FEWER, "separated:positions=0.5"),
        ("staged:value=shared mixture", "staged:value=shared"),
        ("staged:policy=shared mixture", "staged:policy=shared"),
        ("separated:phases=over 14 mixture", "separated:phases=over 14"),
    ]
    for arm in results.variants:
        assert (arm.matches is None) == (arm.name == "placebo mixture")
        assert arm.loss is not None
        if arm.name == NAMES_OF_PARTS[-1]:
            continue
        assert arm.positions == (500 if arm.name == FEWER else 1000)
        assert arm.experts == (1 if arm.name in (LARGER, FEWER) else 2)
    late = next(card for card in results.networks if card.name == "expert-over-14-1")
    assert results.variants[-1].experts == 1
    assert results.variants[-1].positions == late.positions < 1000
    assert results.variants[0].matches == results.matches
    assert (out / "matches/staged-hash-2-1-baseline-1.jsonl").is_file()
    page = (out / "report.html").read_text()
    assert "staged@hash:2 mixture" in page
    sizes = {size.name: size for size in results.cost.sizes}
    assert sizes["staged mixture"].active == sizes["one network"].active
    for pair in ("staged:value=shared mixture", "staged:policy=shared mixture"):
        assert sizes[pair].networks == 3
        assert sizes[pair].active == 2 * sizes["one network"].active
    # Gates learn only if they are asked to.
    assert results.learned is None
    assert not (out / "gates").exists()


def test_a_run_without_a_placebo_says_nothing_of_one(tmp_path):
    """Under one network that receives the phase, too; parts that mean nothing may be an arm."""
    config = dataclasses.replace(
        STUDY.default,
        games=few("connect-four", tmp_path),
        gate="plies:14",
        placebo=False,
        strategy="adapters",
        **TINY | {"arms": ("separated@hash:2",)},
    )
    results = STUDY.reproduce(config, tmp_path / "run")
    assert [row.name for row in results.variants] == ["phase mixture", "separated@hash:2 mixture"]
    roles = {card.role for card in results.networks}
    assert roles == {"baseline", "expert start", "expert", "separated@hash:2"}
    assert [one.name for one in results.losses.comparisons] == ["both"]
    rows, places = results.boundaries.rows, results.boundaries.places
    assert not any("placebo" in name for row in rows for name in row.numbers)
    assert {place.placebo for place in places} == {None}
    page = (tmp_path / "run/report.html").read_text()
    assert "a change of its weights for each phase" in page
    assert not re.search("placebo (mixture|experts)|[Tt]he placebo", page)


def test_each_expert_plays_alone_beside_the_one_network(whole):
    out, results, _ = whole
    assert [row.name for row in results.alone] == ["up to 14", "over 14"]
    for row, slug in zip(results.alone, ("up-to-14", "over-14"), strict=True):
        log = out / f"matches/alone-{slug}-1-baseline-1.jsonl"
        assert len(log.read_text().splitlines()) == 1 + results.config.games_played
        assert row.matches.total.games == results.config.games_played
        first, second = row.matches.total.sides
        # It asks two networks, and no row goes to an expert of another phase.
        assert first.off_phase_rows == 0
        assert first.rows > 0 < second.rows
    assert "One expert at a time" in (out / "report.html").read_text()


def test_experts_learn_as_their_arm_says(whole):
    out, results, _ = whole

    def learnt(name):
        manifest = json.loads((out / "networks" / name / "manifest.json").read_text())
        return manifest["training"]["identity"]

    cards = {card.name: card for card in results.networks}
    start = cards["staged-start-1"]
    assert start.role == "staged start"
    assert start.phase is None
    assert start.positions == 500
    # Staged experts begin from the network of all phases, and weighted ones see all positions.
    begun = {name: learnt(name)["initial_weights_sha256"] for name in cards}
    assert begun["staged-start-1"] == begun["baseline-1"] == begun["expert-over-14-1"]
    assert begun["staged-up-to-14-1"] == begun["staged-over-14-1"] != begun["baseline-1"]
    weights = learnt("weighted-4-up-to-14-1")["phase_weights"]
    assert max(weights) / min(weights) == pytest.approx(4)
    # One network that is told the phase saw everything, and its parts nothing more.
    assert cards["heads-shared-1"].positions == 1000
    assert cards["heads-shared-1"].architecture.endswith(":phase_heads=2")
    assert [cards[f"heads-{name}-1"].positions for name in ("up-to-14", "over-14")] == [0, 0]
    everything = results.dataset.splits[0].positions
    assert cards["weighted-4-up-to-14-1"].unique_positions > 0
    assert sum(everything) > 0


def test_a_mixture_is_put_together_from_experts_and_the_one_network(whole):
    _, results, _ = whole
    cells = {entry.name: entry.cells for entry in results.losses.entries}
    one, shared, values, own = (cells[name] for name in ("one network", *NAMES_OF_PARTS))
    staged, separated = cells["staged mixture"], cells["phase mixture"]
    for column in ("up to 14", "over 14", "all"):
        assert shared[column].policy == staged[column].policy
        assert shared[column].value == one[column].value
        total = 0.99 * staged[column].policy + 0.01 * one[column].value
        assert shared[column].total == pytest.approx(total)
        assert values[column].policy == one[column].policy
        assert values[column].accuracy == one[column].accuracy
        assert values[column].value == staged[column].value
        total = 0.99 * one[column].policy + 0.01 * staged[column].value
        assert values[column].total == pytest.approx(total)
    assert own["up to 14"] == one["up to 14"]
    assert own["over 14"] == separated["over 14"]
    # Nothing is trained for them, and inference is shared.
    assert not [card for card in results.networks if "value" in card.role or "phases" in card.role]
    sizes = {size.name: size.networks for size in results.cost.sizes}
    assert [sizes[name] for name in NAMES_OF_PARTS] == [3, 3, 2]


def test_every_value_stands_beside_a_constant(whole):
    _, results, config = whole
    prepared = prepare(config)
    rows, train = drawn(prepared, "test"), prepared.tables["train"]
    played = prepared.splits.train.returns[train.game, train.player]
    mean = np.array([played[train.phase == phase].mean() for phase in range(2)])
    error = np.square(mean[rows.phase] - prepared.splits.test.returns[rows.game, rows.player])
    row = next(entry for entry in results.losses.entries if entry.name == "constant")
    brier = next(entry for entry in results.boundaries.brier if entry.name == "constant")
    assert row.differences["all"].keys() == {"value"}
    assert row.cells["all"].value == pytest.approx(error.mean())
    for phase, name in enumerate(("up to 14", "over 14")):
        assert row.cells[name].total is row.cells[name].policy is None
        assert row.cells[name].value == pytest.approx(error[rows.phase == phase].mean())
        assert brier.cells[name].score.value == pytest.approx(row.cells[name].value / 4)


def test_options_of_a_strategy_reach_its_trainings(whole):
    out, _, config = whole
    folder = out / "networks"
    frozen, plain = "staged-freeze-body-learning-rate-0-02", "staged"
    for name in (f"{frozen}-start-1", f"{frozen}-over-14-1", f"{plain}-over-14-1"):
        manifest = json.loads((folder / name / "manifest.json").read_text())
        settings = manifest["training"]["identity"]
        is_own = name.startswith(frozen)
        assert settings["max_lr"] == (0.02 if is_own else config.learning_rate)
        assert settings.get("freeze") == ("body" if is_own and "over" in name else None)


def test_one_network_of_another_size_or_of_fewer_positions_is_a_control(whole):
    out, results, config = whole
    cards = {card.role: card for card in results.networks}
    larger, fewer, one = (cards[role] for role in (*ARMS[-2:], "baseline"))
    assert larger.architecture == "resnet-16x1:policy=flat"
    assert fewer.architecture == one.architecture == config.network
    assert larger.parameters > 1.5 * one.parameters
    assert [card.positions for card in (larger, fewer, one)] == [1000, 500, 1000]
    learned = [
        json.loads((out / "networks" / card.name / "manifest.json").read_text())["training"]
        for card in (larger, fewer)
    ]
    # They learn from all positions, as the one network does.
    assert [each["identity"]["gate"] for each in learned] == ["none", "none"]
    prepared = prepare(config)
    everything = prepared.labelled["none"]["train"].of_phase(0)
    assert len(everything) == len(prepared.tables["train"])
    assert [e["identity"]["train_sha256"] for e in learned] == [rows_digest(everything)] * 2


def test_a_placebo_by_game_learns_from_whole_games(whole):
    """In play and in tests its parts go by position, as no gate sees a game."""
    out, results, config = whole
    tables = prepare(config).labelled["hash:2"]
    train, validation = (tables[name].divided_by_game() for name in ("train", "validation"))
    for part in (0, 1):
        for arm, rows in (("placebo", tables["train"]), ("separated-by-game-hash-2", train)):
            manifest = json.loads((out / f"networks/{arm}-part-{part}-1/manifest.json").read_text())
            learned = manifest["training"]["identity"]
            assert (learned["gate"], learned["phase"]) == ("hash:2", f"part {part}")
            assert learned["train_sha256"] == rows_digest(rows.of_phase(part))
        assert learned["validation_positions"] == min(64, np.sum(validation.phase == part))
    rows = {entry.name: entry for entry in results.losses.entries}
    assert rows["separated:by=game@hash:2 mixture"].cells["all"].total > 0


def test_a_mixture_of_parts_brings_the_one_that_it_is_of():
    found = variants_of(M2ctsConfig(arms=("staged:value=shared,phases=endgame",)), PHASES)
    assert [(one.role, one.plays, one.networks) for one in found[2:]] == [
        ("staged", False, ""),
        ("staged:value=shared,phases=endgame", True, "staged"),
    ]


@pytest.mark.parametrize(
    ("arm", "told"),
    [
        ("staged:valeu=shared", "did you mean value="),
        ("staged:value=mine", "value='mine'"),
        ("staged:phases=endgame+opning", "opening, middlegame, endgame"),
        ("staged:phases=opening+middlegame+endgame", "but not all"),
        ("staged:phases=endgame@moves:3", "no other gate"),
        ("separated:freeze=body", "begin with new weights"),
        ("staged:learning_rate=0", "learning_rate"),
        ("staged:value=shared,policy=shared", "give one of them"),
        ("staged:4", "strategy 'staged:4'"),
        ("separated:by=game", "separated:by=game@hash:3"),
        ("separated:by=moves@hash:3", "by='moves'"),
        ("separated:positions=0@none", "positions"),
        ("separated:positions=1.5@none", "positions"),
    ],
)
def test_options_that_do_not_fit_are_refused_by_the_name_of_the_arm(arm, told):
    with pytest.raises(InvalidConfig, match=told) as refused:
        variants_of(M2ctsConfig(arms=(arm,)), PHASES)
    assert f"--arms {arm}" in str(refused.value)


def test_a_mixture_with_another_gate_answers_each_position_by_that_gate(whole):
    _, results, _ = whole
    rows = {entry.name: entry for entry in results.losses.entries}
    positions = rows["one network"].cells["all"].positions
    for name in ("plies:10 mixture", "staged@hash:2 mixture"):
        assert rows[name].role == "arm"
        assert rows[name].cells["all"].positions == positions
        assert rows[name].cells["all"].total > 0


@pytest.mark.parametrize(
    ("arms", "error", "told"),
    [
        (("staged", "staged"), InvalidConfig, "there already"),
        (("separated",), InvalidConfig, "there already"),
        (("weighted:0",), InvalidConfig, "weighted:FACTOR"),
        (("nonsense@plies:3",), InvalidConfig, "nonsense"),
        (("no-such-gate",), InvalidGate, "no-such-gate"),
        (("staged@none",), InvalidConfig, "write separated@none"),
        (("separated:network=resnet-8x@none",), InvalidConfig, "resnet-8x"),
        (
            ("weighted:4", "weighted:.4"),
            InvalidConfig,
            "named as those of 'weighted:4'",
        ),
    ],
)
def test_arms_that_there_are_not_are_refused(whole, tmp_path, arms, error, told):
    _, _, config = whole
    with pytest.raises(error, match=told):
        STUDY.reproduce(dataclasses.replace(config, arms=arms), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "gate", ["mixture", "baseline", "learned", "Expert", "from-opening", "search-x"]
)
def test_an_arm_whose_files_would_be_those_of_others_is_refused(gate):
    with pytest.raises(InvalidConfig, match="spell it otherwise"):
        variants_of(M2ctsConfig(arms=(gate,)), PHASES)


def test_the_placebo_can_be_made_to_play():
    config = M2ctsConfig(arms=("hash:3",))
    assert [arm.role for arm in variants_of(config, PHASES) if arm.plays] == ["expert", "placebo"]
    assert [arm.role for arm in variants_of(M2ctsConfig(arms=()), PHASES) if arm.plays] == [
        "expert"
    ]
