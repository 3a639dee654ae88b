"""``phasezoo train``, and what every command takes: a file of options, modules of one's own."""

import json
import os
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from phasezoo import inference
from phasezoo.apps import cli
from phasezoo.networks import registry
from phasezoo.training import Experts, GameStore

TINY = """
network = "resnet-8x1"
planes = "minimal"
positions = 64
batch-size = 16
validation_positions = 16
test_games = 2
threads = 1
device = "cpu"
tensorboard = false
"""

PLUGIN = """
import torch
from phasezoo import gating, networks

@networks.register("flat")
class Flat(torch.nn.Module):
    def __init__(self, input_shape, num_actions, width=4):
        super().__init__()
        inputs = input_shape[0] * input_shape[1] * input_shape[2]
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(inputs, width))
        self.policy, self.wdl = torch.nn.Linear(width, num_actions), torch.nn.Linear(width, 3)

    def forward(self, planes):
        x = self.body(planes)
        return networks.NetworkOutput(self.policy(x), self.wdl(x))

@gating.register("queens", names=("queens on", "queens off"))
def queens(state):
    return 0 if "q" in state.fen.split()[0].lower() else 1
"""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "games.parquet"
    GameStore.sample("chess").subset(range(100)).save(path)
    return path


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of options, beside which the commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path / "tiny.toml"


def run(*words: object) -> int:
    return cli.main([str(word) for word in words])


def test_one_network_is_trained(
    games: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("train", games, "--config", tiny, "--out", "one", "--gate", "lichess")
    assert run(*words, "--phase", "endgame", "--seed", 2) == 0
    assert "resnet-8x1 for 'endgame'" in capsys.readouterr().out
    evaluator = inference.load("one", backend="torch")
    assert (evaluator.gate, evaluator.phase) == ("lichess:classic", "endgame")
    settings = json.loads(Path("one/config.json").read_text())["config"]
    assert (settings["positions"], settings["seed"], settings["batch_size"]) == (64, 2, 16)


def test_experts_are_trained_and_the_command_goes_on(
    games: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("train", games, "--config", tiny, "--gate", "lichess", "--strategy", "weighted:4")
    assert run(*words, "--out", "many") == 0
    shown = capsys.readouterr().out
    for text in ("weighted:4 experts of chess", "Budget equal", "Top-5 accuracy", "mixture"):
        assert text in shown
    assert Experts.open("many").strategy == "weighted:4"
    before = Path("many/experts.json").stat().st_mtime_ns
    assert run(*words, "--out", "many") == 0
    assert Path("many/experts.json").stat().st_mtime_ns == before
    assert run(*words, "--out", "many", "--budget", "study") == 1


def test_what_is_typed_wins_over_the_file(games: Path, tiny: Path) -> None:
    typed = ("--positions", 32, "--batch_size", 8, "--tensorboard")
    assert run("--config", tiny, "train", games, *typed, "--out=one") == 0
    settings = json.loads(Path("one/config.json").read_text())["config"]
    assert (settings["positions"], settings["batch_size"]) == (32, 8)
    assert settings["tensorboard"] is True


@pytest.mark.parametrize("named_in", ["words", '["plugin_of_mine.py"]'])
def test_a_plugin_brings_networks_and_gates(
    games: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch, named_in: str
) -> None:
    from phasezoo.gating import registry as gates

    monkeypatch.setattr(registry.REGISTRY, "own", dict(registry.REGISTRY.own))
    monkeypatch.setattr(gates.REGISTRY, "own", dict(gates.REGISTRY.own))
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("plugin_of_mine.py").write_text(PLUGIN)
    words = ("train", games, "--config", tiny, "--network", "flat:width=3", "--gate", "queens")
    more = ()
    if named_in == "words":
        more = ("--plugin", "plugin_of_mine")
    else:
        tiny.write_text(f"{TINY}\nplugin = {named_in}\n")
    try:
        assert run(*words, *more, "--strategy=separated", "--out=own") == 0
    finally:
        sys.modules.pop("plugin_of_mine", None)
    experts = Experts.open("own")
    assert experts.phases == ("queens on", "queens off")
    assert experts.mixture(backend="torch").num_phases == 2
    manifest = experts.baseline(backend="torch").manifest
    assert (manifest.network, manifest.network_options) == ("flat", {"width": 3})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("positons = 3", ["tiny.toml", "'positons'", "positions"]),
        ('store = "x"', ["tiny.toml", "store is not read from a file"]),
        ("[train]\npositions = 3", ["tiny.toml", "'train'"]),
        ("positions = = 3", ["tiny.toml", "not a TOML file"]),
        ('positions = "many"', ["positions", "many", "tiny.toml"]),
        ('plugin = "no_module"', ["tiny.toml: plugin 'no_module' cannot be imported"]),
        ('plugin = ["no_file.py"]', ["tiny.toml: plugin 'no_file.py' cannot be imported"]),
        ("plugin = 3", ["tiny.toml: plugin = 3", 'plugin = "my_module"']),
        ('plugin = ["", "x"]', ["tiny.toml: plugin = ['', 'x']"]),
    ],
)
def test_a_wrong_file_is_one_sentence(
    tiny: Path, capsys: pytest.CaptureFixture[str], text: str, words: list[str]
) -> None:
    tiny.write_text(text)
    assert run("train", "games", "--config", tiny, "--out", "x") == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    for word in words:
        assert word in error
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "sample:chess", "--positions", "9"], "--out"),
        (["train", "--config"], "--config needs a value"),
        (
            ["train", "sample:krk", "--out", "--positions", "9"],
            "--out needs a value",
        ),
        (["train", "sample:krk", "--order", "--positions=9", "--out=x"], "--order needs a value"),
        (["doctor", "--config", "a.toml", "--config=b.toml"], "one file"),
        (["doctor", "--config", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["doctor", "--config", "."], ".: a folder, a device or a named pipe"),
        (["doctor", "--config", os.devnull], "a folder, a device or a named pipe"),
        (["doctor", "--plugin", "no_such_module"], "'no_such_module' cannot be imported"),
        (["train", "sample:chess", "--positions=9", "--out=x", "--budget=study"], "--strategy"),
        (
            ["train", "sample:chess", "--positions=9", "--out=x", "--strategy=staged", "--phase=a"],
            "--phase",
        ),
        (["train", "sample:chess", "--positions=9", "--out=x", "--strategy=odd"], "separated"),
        (
            ["train", "sample:chess", "--positions=0", "--out=x"],
            "--positions 0: expected a whole number, 1 or more",
        ),
        (["train", "sample:chess", "--positions=9", "--out=x", "--network=ris-8x1"], "rise"),
    ],
)
def test_wrong_words_are_one_sentence(
    tiny: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert run(*words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert said in error
    assert not Path("x").exists()


@pytest.mark.parametrize(
    "words",
    [
        ["data", "phases", "--gate", "mine"],
        ["data", "show", "sample:chess", "--game=0", "--gate", "mine"],
        ["train", "sample:chess", "--positions=9", "--out=x", "--network", "mine"],
        ["train", "sample:chess", "--positions=9", "--out=x", "--network", "no_module:make"],
        [
            "train",
            "sample:chess",
            "--positions=9",
            "--out=x",
            "--network=mine",
            "--gate=lichess",
            "--strategy=staged",
        ],
        ["check", "tiny.py", "--game", "mine"],
        ["data", "stats", "foreign.parquet"],
    ],
)
def test_a_name_of_ones_own_asks_for_its_module(
    tiny: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
) -> None:
    Path("tiny.py").write_text("class Random:\n    def __call__(self, observation, info): ...\n")
    GameStore.sample("krk").subset([0]).save("foreign.parquet")
    table = pq.read_table("foreign.parquet")
    about = table.schema.metadata[b"phasezoo"].replace(b'"krk"', b'"zoo"')
    pq.write_table(table.replace_schema_metadata({b"phasezoo": about}), "foreign.parquet")
    assert run(*words) in (1, 2)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert error.count("--plugin MODULE") == 1


def test_python_is_not_told_of_the_shell() -> None:
    from phasezoo import gating, networks
    from phasezoo.errors import NotRegistered

    for make in (
        lambda: gating.make("mine", "chess"),
        lambda: networks.make("mine", (12, 8, 8), 4672),
    ):
        with pytest.raises(NotRegistered, match="register") as told:
            make()
        assert "--plugin" not in str(told.value)


@pytest.mark.parametrize(
    "command",
    [
        ["train"],
        ["data", "import"],
        ["data", "phases"],
        ["reproduce", "m2cts"],
        ["reproduce", "krk"],
        ["check"],
        ["perft"],
        ["doctor"],
    ],
)
def test_every_command_takes_a_file_and_modules(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(*command, "--help")
    shown = capsys.readouterr().out
    assert "--config FILE" in shown
    assert "--plugin MODULE" in shown


def test_options_of_a_preset_come_from_a_file_too(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny.write_text('preset = "standard"\ngate = "moves:0"')
    assert run("reproduce", "m2cts", "--config", tiny) == 2
    assert "moves:0" in capsys.readouterr().err
    tiny.write_text("fen = 'x'\ndepth = 1")
    assert run("perft", "chess", "--config", tiny) == 2
    assert "'x'" in capsys.readouterr().err


def test_the_last_line_names_the_next_command(
    games: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--config", str(tiny), "--positions", "64", "--out", "run"]
    assert cli.main(["train", str(games), *words]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "next: phasezoo match mcts:net=run,nodes=100 random --game chess"


def test_one_network_under_a_gate_is_said_to_be_one(
    games: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", str(games), "--config", str(tiny), "--positions", "64", "--gate", "plies:9"]
    said = "one network of all phases; --strategy separated"
    for more, is_said in ((["--out", "one"], True), (["--phase", "over 9", "--out", "its"], False)):
        assert cli.main([*words, *more]) == 0
        assert (said in capsys.readouterr().out) == is_said


def test_a_store_too_small_for_a_test_split_says_so(
    tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    GameStore.sample("chess").subset(range(4)).save("small.parquet")
    words = ["train", "small.parquet", "--config", str(tiny), "--gate", "plies:30", "--out", "run"]
    assert cli.main([*words, "--strategy", "separated"]) == 0
    *_, missing, last = capsys.readouterr().out.splitlines()
    assert missing.startswith("no loss was measured: the test split")
    assert last == (
        "next: phasezoo match m2cts:experts=run,nodes=100 mcts:net=run/networks/baseline,nodes=100 "
        "--game chess"
    )
