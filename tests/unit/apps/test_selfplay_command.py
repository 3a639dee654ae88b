"""``phasezoo selfplay``: presets, what it prints and leaves, and what it refuses."""

import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest

from phasezoo import inference
from phasezoo.apps import cli
from phasezoo.training import GameStore
from phasezoo.training.metrics import read_metrics

SMALL = [
    "--network", "mlp-16x1", "--updates", "2", "--games-per-update", "4", "--nodes", "6",
    "--samples-per-update", "64", "--learning.threads", "1", "--learning.batch-size", "32",
    "--backend", "torch", "--seed", "3", "--watching.probe-every", "0",
    "--watching.ladder-games", "0",
]  # fmt: skip
UNREPORTED = [*SMALL, "--watching.no-report"]
"""The page takes longer than such a run."""


def selfplay(*arguments: str) -> int:
    return cli.main(["selfplay", "connect-four", *UNREPORTED, *arguments])


def test_a_run_and_what_it_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    words = ["--out", str(out), "--starts", "0.5*initial", "0.5*random:1-4"]
    assert cli.main(["selfplay", "connect-four", *SMALL, *words]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("update 1: 4 games")
    assert told[-4].startswith("connect-four: 2 updates, 8 games, 128 samples")
    assert told[-3] == f"in {out}; report.html shows it"
    # The commands named next work as they are printed.
    line = shlex.split(told[-2].removeprefix("next: phasezoo "))
    assert line[:2] == ["match", f"mcts:net={out},nodes=100"]
    assert told[-1] == f"      phasezoo web --agents {line[1]}"
    assert cli.main([*line, "--games", "2"]) == 0
    capsys.readouterr()
    assert "After all 2 rounds" in (out / "report.html").read_text()
    assert len(read_metrics(out)) == 2
    assert len(GameStore.open(out / "games")) == 8
    assert inference.load(out / "versions" / "00002", backend="torch").manifest.phase is None
    assert selfplay(*words, "--updates", "3") == 0
    told = capsys.readouterr().out.splitlines()
    assert "3 updates" in told[-4]
    assert told[-3] == f"in {out}"


def test_experts_and_settings_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text('gate = "plies:10"\nstrategy = "separated"\nupdates = 1\n')
    out = tmp_path / "run"
    typed = [word for word in UNREPORTED if word not in ("--updates", "2")]
    words = [*typed, "--config", str(tmp_path / "run.toml"), "--out", str(out)]
    assert cli.main(["selfplay", "connect-four", *words]) == 0
    experts = inference.load_experts(out / "versions" / "00001")
    assert experts.phases == ("up to 10", "over 10")
    assert experts.strategy == "separated"


def test_a_game_may_bring_settings_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for name, words in {
        "krk": ["--out", "x", "krk"],
        "chess": ["--out", "krk", "chess"],
        "from": ["krk", "--out", "x", "--initial", "y"],
    }.items():
        with pytest.raises(SystemExit):
            cli.main(["selfplay", *words, "--help-all"])
        told[name] = " ".join(capsys.readouterr().out.split())
    assert "(default: minimal)" in told["krk"]
    assert "(default: minimal)" not in told["chess"]
    assert "(default: minimal)" not in told["from"]


def test_help_says_which_settings_are_the_games_own(capsys: pytest.CaptureFixture[str]) -> None:
    told = {}
    for name, words in {
        "krk": ["krk"],
        "standard": ["connect-four", "--preset", "standard"],
        "paper": ["krk", "--preset", "paper"],
        "chess": ["chess"],
    }.items():
        with pytest.raises(SystemExit):
            cli.main(["selfplay", *words, "--help"])
        told[name] = " ".join(capsys.readouterr().out.split())
    own = re.search(r"krk has settings of its own for --preset quick: (.*?)\. ", told["krk"])
    assert own is not None
    assert {"--planes", "--nodes", "--max-plies"} <= set(re.findall(r"--[\w-]+", own[1]))
    assert "connect-four has settings of its own for --preset standard" in told["standard"]
    assert "--search.root" in told["standard"].partition("options")[0]
    assert "settings of its own" not in told["paper"] + told["chess"]


def test_the_shown_command_for_games_in_which_all_move_at_once(tmp_path: Path) -> None:
    usage = Path(__file__).parents[3] / "docs" / "usage.md"
    shown = re.search(r"^phasezoo (selfplay .*--others.*?) *#", usage.read_text(), re.MULTILINE)
    assert shown is not None
    words = shlex.split(shown[1].replace("runs/", f"{tmp_path}/"))
    small = [*UNREPORTED, "--updates", "1", "--games-per-update", "2", "--max-plies", "12"]
    assert cli.main([*words, *small]) == 0
    assert len(GameStore.open(tmp_path / "bombs" / "games")) == 2


def test_presets_are_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    shown = {}
    for preset in ("quick", "paper"):
        with pytest.raises(SystemExit):
            cli.main(["selfplay", "krk", "--preset", preset, "--out", "x", "--help"])
        shown[preset] = " ".join(capsys.readouterr().out.split())
    assert "default: 800)" in shown["paper"]
    assert "default: 800)" not in shown["quick"]


THESIS = (
    "--games-per-update 24 --search.temperature 1 --search.temperature-plies 500 "
    "--search.quantile-clipping 0 "
    "--search.virtual-style virtual_loss --search.batch-size 4 --schedule constant "
    "--learning.optimizer sgd --learning.max-lr 0.01 --learning.max-momentum 0.9 "
    "--learning.weight-decay 1e-4 --learning.value-weight 1 --learning.policy-weight 1"
)
CAPS = (
    "--search.reuse-tree --search.cheap-search-prob 0.5 --search.cheap-search-nodes 3 "
    "--search.node-random-factor 0.5 --schedule 0:0.02,3:0.002"
)


@pytest.mark.parametrize("words", [THESIS, CAPS], ids=["thesis", "caps"])
def test_options_of_the_studies(tmp_path: Path, words: str) -> None:
    options = ["--nodes", "12", "--updates", "1"]
    assert selfplay("--out", str(tmp_path / "run"), *words.split(), *options) == 0
    row = read_metrics(tmp_path / "run")[0]
    drawn = GameStore.open(tmp_path / "run" / "games").columns.visits
    assert drawn is not None
    if words == CAPS:
        assert 0 < float(str(row["games/cheap_searches"])) < len(drawn.offsets) - 1
    else:  # proportional to the end: what was played was not always the most visited
        store = GameStore.open(tmp_path / "run" / "games")
        most = [
            drawn.actions[low:high][drawn.counts[low:high].argmax()]
            for low, high in zip(drawn.offsets, drawn.offsets[1:], strict=False)
        ]
        late = store.positions().ply > 15
        assert (store.actions[late] != np.array(most)[late]).any()


def test_chess_is_learned_by_beams_as_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beams = [word for word in UNREPORTED if word not in ("--nodes", "6")]
    words = ["--search", "beam:schedule='3,2,1',plies=3,temperature=0", "--max-plies", "12", *beams]
    starts = ["0.5*random:1-1", "0.5*random:2-2"]
    out = tmp_path / "first"
    assert cli.main(["selfplay", "chess", *words, "--starts", *starts, "--out", str(out)]) == 0
    store = GameStore.open(out / "games")
    assert store.columns.visits is not None
    searched = np.diff(store.columns.visits.offsets) > 0
    assert 0.3 < searched.mean() < 0.6  # a third, and more where games end
    starts = [f"games:{out / 'games'}:2-6"]
    out = tmp_path / "second"
    assert cli.main(["selfplay", "chess", *words, "--starts", *starts, "--out", str(out)]) == 0
    assert set(GameStore.open(out / "games").starts) == set(range(8))
    assert "second" in capsys.readouterr().out


WRONG = [
    (["--games-per-update", "0"], 2, "--games-per-update 0"),
    (["--schedule", "0:0.1,10:0"], 2, "rates above 0"),
    (["--starts", "opening"], 2, "random:LOW-HIGH"),
    (["--preset", "huge"], 2, "one of quick, standard, paper"),
    (["--strategy", "alone"], 2, "separated, staged"),
    (["--gate", "lichess"], 2, "lichess"),
    (["--initial", "missing"], 1, "missing"),
    (["--search.dirichlet-epsilon", "3"], 2, "--search.dirichlet-epsilon 3: ex"),
    (["--search.draw-score", "0.1"], 2, "draw_score= was removed after version 0.2.0"),
    (["--learning.max-lr", "0"], 2, "--learning.max-lr 0: expected"),
    (["--replay.capacity", "0"], 2, "--replay.capacity 0: expected"),
    (["--promote-games", "3"], 2, "even"),
    (["--search", "beam:plies=3"], 2, "--nodes is an option of mcts, and --search beam:plies=3"),
]


@pytest.mark.parametrize(("words", "code", "told"), WRONG, ids=[w[0][0] for w in WRONG])
def test_what_is_refused(
    tmp_path: Path, words: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert selfplay("--out", str(tmp_path / "run"), *words) == code
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_what_is_refused_of_a_directory_is_told_in_words_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "run")]
    assert selfplay(*out, "--updates", "1") == 0
    assert selfplay(*out, "--seed", "4") == 1
    told = capsys.readouterr().err
    assert "seed 4 (there 3)" in told
    assert "choose another directory" in told.lower()
    assert "out=" not in told
    shutil.rmtree(tmp_path / "run" / "learners")
    assert selfplay(*out) == 1
    told = capsys.readouterr().err
    assert "or begin anew in another directory" in told
    assert "out=" not in told


def test_the_path_of_a_run_may_stand_anywhere(tmp_path: Path) -> None:
    words = ["selfplay", "--search.temperature", "0.5", *UNREPORTED, "--updates", "1"]
    assert cli.main([*words, "--out", str(tmp_path / "run"), "connect-four"]) == 0
