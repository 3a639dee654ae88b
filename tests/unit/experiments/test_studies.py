"""Settings of every study: presets, the command of a run, help, and those that are refused."""

import dataclasses
import shlex
from pathlib import Path

import krk_fakes
import pytest
import test_atomic_run
import test_beam_run
import test_pommerman_run
import test_scratch_run

from phasezoo.apps import cli
from phasezoo.errors import InvalidConfig, InvalidFen, InvalidGate, InvalidPlaneSpec, UnknownGame
from phasezoo.experiments import catalogue
from phasezoo.experiments.auditing.config import AUDIT
from phasezoo.experiments.beam.config import BEAM
from phasezoo.experiments.generalisation.config import GENERALISE
from phasezoo.experiments.representation.config import REPRESENTATION
from phasezoo.experiments.study import Study

CURVE = catalogue.CURVES["connect-four"]
NAMED = (AUDIT, GENERALISE)  # begin with what the user names, so their presets are not whole
STUDIES = {study.name: study for study in catalogue._all() if study not in NAMED}
SMALL = {
    "atomic": test_atomic_run.SMALL,
    "beam": test_beam_run.SMALL,
    "krk": krk_fakes.SMALL,
    "m2cts-pommerman": test_pommerman_run.SMALL,
    "m2cts-from-scratch": test_scratch_run.SMALL,
}
REFUSED = {
    "atomic": [
        ({"arms": ("last-step",)}, "must have thesis among them"),
        ({"arms": ("thesis", "thesis")}, "each once"),
        ({"arms": ("thesis", "no")}, "expected are thesis"),
        ({"inputs": ("colours",)}, "expected are repetitions"),
        ({"match_games": 5}, "expected an even whole number"),
        ({"simulations": (100, 50)}, "rising values of 1 or more"),
        ({"workers": ()}, "rising values"),
        ({"batches": (0,)}, "--batches 0: expected a list, each a whole number, 1 or more"),
        ({"network": "resnet-3x1"}, "expected a whole number from 8"),
        ({"nodes": 0}, "--nodes 0: expected a whole number, 1 or more"),
        ({"search_batch": 70_000}, "--search-batch 70000"),
        ({"learning_rate": float("nan")}, "expected a finite number above 0"),
    ],
    BEAM.name: [
        ({"games": 3}, "--games 3"),
        ({"match_games": 5}, "even"),
        ({"schedule": "8,0"}, "schedule"),
        ({"play_schedule": "4,2"}, "--play-schedule 4,2"),
        ({"steps": ()}, "--steps"),
        ({"rated": 70_000}, "--rated 70000"),
        ({"threads": 0}, "--threads 0"),
    ],
    "krk": [
        ({"constants": (-1.0,)}, "--constants -1.0"),
        ({"constants": (5.0, 1.0)}, "rising"),
        ({"constants": (float("inf"),)}, "--constants inf"),
        ({"thresholds": (-1, 5)}, "--thresholds -1 5"),
        ({"thresholds": ()}, "--thresholds"),
        ({"budgets": (0,)}, "--budgets 0"),
        ({"other_budgets": (7,)}, "must be among --budgets 3000 6000"),
        ({"variants": ("puct",)}, "uct"),
        ({"games": 3}, "--games 3: expected a whole number, 4 or more"),
        ({"threads": 0}, "--threads 0"),
        ({"reading_games": 9}, "--reading-games 9: is for --readings; give both, or neither"),
        ({"ending_games": 9}, "--ending-games 9: is for --endings"),
        ({"position_budgets": (3,)}, "--position-budgets 3: is for --positions"),
    ],
    "m2cts": [
        ({"value_share": 0.5}, "--value-share 0.5: is for --value-games"),
        ({"gate_positions": 5}, "--gate-positions 5: is for --learned-gate"),
        ({"search_batch": 70_000}, "--search-batch 70000"),
        ({"planes": ""}, "--planes '': ", InvalidPlaneSpec),
    ],
    "m2cts-pommerman": [
        ({"boards": 1}, "--boards 1"),
        ({"samples": 10}, "10,000 or more"),
        ({"epochs": 0.0}, "above 0"),
        ({"large_simulations": (5, 5)}, "rising"),
        ({"gates": ("steps:40", "steps")}, "each once"),
        ({"gates": ()}, "at least one gate"),
        ({"gates": ("lichess",)}, "lichess", InvalidGate),
        ({"network": "no-such-network"}, "no-such-network"),
        ({"large_network": "no-such-network"}, "no-such-network"),
    ],
    "m2cts-from-scratch": [
        ({"game": "pommerman-ffa"}, "two players"),
        ({"game": "ches"}, "ches", UnknownGame),
        ({"gate": "none"}, "one phase"),
        ({"gate": "lichess"}, "lichess", InvalidGate),
        ({"strategies": ()}, "give one or more"),
        ({"strategies": ("staged", "staged")}, "once"),
        ({"strategies": ("stage",)}, "stage"),
        ({"strategies": ("heads",)}, "heads: is for training on stored"),
        ({"network": "mpl-16x1"}, "mpl-16x1"),
        ({"planes": "v9"}, "--planes v9", InvalidPlaneSpec),
        ({"match_games": 3}, "expected an even whole number"),
        ({"trainings": 0}, "--trainings 0"),
        ({"from_scratch": False}, "stored games"),
    ],
    CURVE.name: [
        ({"sizes": (2000, 1000)}, "--sizes 2000 1000"),
        ({"sizes": (2000,)}, "two or more"),
        ({"sizes": (10, 2000)}, "1000 or more"),
        ({"epochs": 2.0}, "--epochs 2"),
        ({"curve": False}, "leave the option out"),
        ({"trainings": 0}, "--trainings 0"),
    ],
    REPRESENTATION.name: [
        ({"game": "krk"}, "expected chess, atomic, crazyhouse"),
        ({"network": "resnet-3x1"}, "expected a whole number from 8"),
        ({"blocks": ("tower-8x1", "tower-8x1")}, "each must be there once"),
        ({"transformers": ("tower-8x1:transformers=1",)}, "multiple of 32"),
        ({"batches": (4, 2)}, "rising values"),
        ({"match_games": 3}, "expected an even whole number"),
        ({"rounds": 5}, "--rounds 5: expected a whole number, 6 or more"),
        (
            {"search_batch": 70_000},
            "--search-batch 70000: expected a whole number from 1 to 65,535",
        ),
        ({"match_nodes": (2**63,)}, "--match-nodes"),
        ({"threads": 10**20}, "--threads 1"),
        ({"seed": 2**64}, "--seed 1"),
        ({"learning_rate": 0.0}, "expected a finite number above 0"),
        ({"positions_shown": ("8/8/8 w - - 0 1",)}, "8/8/8", InvalidFen),
    ],
}


@pytest.mark.parametrize(
    ("study", "changes", "words", "error"),
    [
        pytest.param(STUDIES[name], changes, words, *(error or [InvalidConfig]), id=f"{name} {n}")
        for name, rows in REFUSED.items()
        for n, (changes, words, *error) in enumerate(rows)
    ],
)
def test_wrong_settings_are_refused_before_anything_is_written(
    study, changes, words, error, tmp_path
):
    config = SMALL.get(study.name, study.default)
    with pytest.raises(error, match=words):
        study.reproduce(dataclasses.replace(config, **changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("study", STUDIES.values(), ids=list(STUDIES))
def test_the_command_of_a_run_starts_the_same_run(study, monkeypatch):
    for config in study.presets.values():
        config.validate()
    seen = []
    monkeypatch.setattr(Study, "reproduce", lambda _, config, out, __: seen.append((config, out)))
    config = dataclasses.replace(SMALL.get(study.name, config), seed=7)
    command = study.command_line(config, Path("runs/a b"))
    assert command.startswith(f"{study.program} ")
    assert cli.main(shlex.split(command)[1:]) == 0
    assert seen == [(config, Path("runs/a b"))]


@pytest.mark.parametrize("study", [*STUDIES.values(), *NAMED], ids=lambda study: study.name)
def test_the_usual_options_of_a_study_are_settings_of_it(study):
    assert set(study.default.common) <= {field.name for field in dataclasses.fields(study.default)}


@pytest.mark.parametrize(
    ("command", "options", "others"),
    [
        ("atomic", ("--match-games", "--inputs"), ()),
        ("representation", ("--gradient-steps", "--engine-nodes"), ()),
        ("m2cts", ("--from-scratch", "--curve"), ("--compare-every",)),
        ("m2cts --from-scratch", ("--compare-every",), ()),
        ("m2cts --game pommerman", ("--large-network",), ()),
    ],
)
def test_help_has_the_options_of_the_study(command, options, others, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["reproduce", *shlex.split(command), "--help-all"])
    assert stop.value.code == 0
    words = capsys.readouterr().out
    assert all(option in words for option in options)
    assert not any(option in words for option in others)
