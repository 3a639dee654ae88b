"""Learners and agents of generalisation by short texts."""

import dataclasses
import json
from pathlib import Path

import pytest

from phasezoo import errors, experiments, games, inference
from phasezoo.agents import MCTSAgent, PolicyAgent
from phasezoo.apps import cli
from phasezoo.experiments.generalisation.catalogue import (
    AXES,
    Player,
    axes_named,
    axes_of,
    with_agent,
    with_learner,
)
from phasezoo.experiments.generalisation.config import GENERALISE, GeneraliseConfig
from phasezoo.experiments.generalisation.learners import ExpertsLearner
from phasezoo.experiments.generalisation.measures import Regret
from phasezoo.training.solved import Starts

pytest.importorskip("torch", reason="networks need the extra 'train'")
pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

TINY = GeneraliseConfig(
    network="resnet-8x1", positions=1_000, games=40, test_games=10, resamples=100, threads=1
)
WORDS = ["--network", "resnet-8x1", "--positions", "1000", "--games", "40", "--test-games", "10"]
WORDS += ["--threads", "1", "--resamples", "100"]
OWN = """
from phasezoo import agents
class Learner:
    def __init__(self, answer: str = "random"):
        self.answer = answer
    def __call__(self, data, seed, out):
        return self.answer
def learn(data, seed, out):
    return "tablebase"
def play(model, seed):
    return agents.make(model)
NUMBER = 3
"""


def chosen(name, **texts):
    return AXES[name](TINY), axes_named([name], dataclasses.replace(TINY, **texts))[name]


def test_experts_take_what_the_axis_gives_its_network():
    own, axis = chosen("chess/variants", learner="experts:lichess,strategy=staged")
    assert isinstance(axis.learner, ExpertsLearner)
    assert (axis.learner.gate, axis.learner.strategy) == ("lichess", "staged")
    assert axis.learner.planes == own.learner.planes == "shared"
    assert axis.learner.positions == 1_000
    _, axis = chosen("krk/regions", learner="network:resnet-16x1,positions=2000")
    assert (axis.learner.network, axis.learner.positions) == ("resnet-16x1", 2_000)


def test_an_agent_plays_with_what_was_learnt():
    evaluator = inference.Uniform()
    assert isinstance(Player("policy")(evaluator, 3), PolicyAgent)
    agent = Player("mcts:nodes=7")(evaluator, 3)
    assert isinstance(agent, MCTSAgent)
    assert (agent.limit.nodes, agent.seed) == (7, 3)
    assert Player("mcts:nodes=7,seed=5")(evaluator, 3).seed == 5
    _, axis = chosen("pommerman/sizes", agent="mcts:nodes=3,others=stop")
    assert axis.measure.second.agent == Player("mcts:nodes=3,others=stop")
    with pytest.raises(errors.InvalidConfig, match="needs an evaluator, but the model is a str"):
        Player("mcts:nodes=7")("tablebase", 1)


def test_a_search_finds_more_than_the_policy_it_knows():
    game = games.make("krk", start="dtm", dtm=(1, 1))
    starts = Starts(games.make("krk"), tuple(game.initial_state(seed=seed) for seed in range(8)))
    plain = Regret()(inference.Uniform(), starts, 1)
    searched = Regret(agent=Player("mcts:nodes=400"))(inference.Uniform(), starts, 1)
    assert sum(searched["best moves"].sums) == 8 > sum(plain["best moves"].sums)


def test_experts_learn_and_search(tmp_path):
    own = AXES["krk/regions"](TINY)
    axis = dataclasses.replace(own, splits=(own.splits[0],))
    options = {"learner": "experts:box,positions=200", "agent": "mcts:nodes=4", "threads": 1}
    matrix = experiments.generalise(axis, out=tmp_path / "run", **options).matrix()
    assert matrix.cell("train", "train").groups == 50
    assert (tmp_path / "run" / "krk-regions" / "1-train-1" / "model" / "experts.json").exists()
    told = json.loads((tmp_path / "run" / "axes.json").read_text())[0]
    assert told["learner"]["gate"] == "box"
    assert told["measure"]["agent"] == {"of": "Player", "text": "mcts:nodes=4"}
    with pytest.raises(errors.RunDirectoryError, match="another run"):
        experiments.generalise(axis, out=tmp_path / "run", **(options | {"agent": "mcts:nodes=5"}))


def test_the_command_is_written_with_what_was_chosen(tmp_path):
    config = GeneraliseConfig(axes=("krk",), learner="experts:box", agent="mcts:nodes=4")
    words = GENERALISE.command_line(config, tmp_path)
    assert "generalise krk --preset quick" in words
    assert "--learner experts:box --agent mcts:nodes=4" in words


def test_ones_own_by_module(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    words = ["generalise", "krk/regions", *WORDS, "--learner", "mine.py:learn"]
    assert cli.main([*words, "--agent", "mine.py:play", "--out", "perfect"]) == 0
    found = json.loads((tmp_path / "perfect" / "results.json").read_text())["matrices"][0]
    assert all(cell["score"]["value"] == 1 for cell in found["cells"])
    axis = AXES["krk/regions"](TINY)
    for path in ["mine.py", "./mine.py", tmp_path / "mine.py"]:
        chosen = with_learner(axis, f"{path}:Learner,answer=tablebase")
        assert chosen.learner(0, 0, 0) == "tablebase"
    with pytest.raises(errors.InvalidConfig, match="only a class takes options"):
        with_learner(axis, "mine.py:learn,answer=3")
    with pytest.raises(errors.InvalidConfig, match="expected a callable"):
        with_learner(axis, "mine.py:NUMBER")
    with pytest.raises(errors.InvalidConfig, match="has no 'nothing'"):
        with_agent(axis, "mine.py:nothing")


def test_texts_in_the_api(tmp_path):
    options = {"sizes": TINY, "threads": 1, "resamples": 100}
    matrix = experiments.generalise(
        "krk/regions",
        out=tmp_path / "run",
        learner="network:positions=1100",
        agent=lambda model, seed: "tablebase",
        **options,
    ).matrix()
    assert all(cell.score.value == 1 for cell in matrix.cells)
    with pytest.raises(errors.InvalidConfig, match=r"no such learner; did you mean 'network'"):
        experiments.generalise("krk", out=tmp_path / "no", learner="netwrk", **options)


def test_models_of_stable_baselines_learn_in_the_environments_of_an_axis(tmp_path):
    pytest.importorskip("stable_baselines3", reason="needs the extra 'sb3'")
    pytest.importorskip("sb3_contrib", reason="needs the extra 'sb3'")
    text = "sb3:MaskablePPO,timesteps=16,n_envs=2,n_steps=8,batch_size=8,n_epochs=1"
    text += ",policy_kwargs='{\"net_arch\": [4]}'"
    _, axis = chosen("krk/distance", learner=text)
    assert axis.rows[0].train == ("KRK-v0", {"start": "train", "dtm": (1, 4)})
    agent = axis.learner(axis.rows[0].train, 1, tmp_path / "model")
    assert agent.model.num_timesteps == 16
    assert agent.model.n_steps == 8
    wrong = {
        "sb3:MaskablPPO": "no such algorithm; did you mean 'MaskablePPO'",
        "sb3:MaskablePPO,n_step=8": "MaskablePPO has no such option; did you mean n_steps=",
        "sb3:PPO,timestep=8": "did you mean timesteps=",
    }
    for text, says in wrong.items():
        with pytest.raises(errors.InvalidConfig, match=says):
            with_learner(axis, text)
    with pytest.raises(errors.InvalidConfig, match="no environment to learn"):
        chosen("chess/phases", learner="sb3")
    with pytest.raises(errors.InvalidConfig, match="is an agent itself"):
        chosen("krk/regions", learner="sb3", agent="mcts:nodes=4")


@pytest.mark.parametrize(
    ("axis", "texts", "says"),
    [
        ("krk/regions", {"learner": "expert:box"}, "no such learner; did you mean 'experts'"),
        ("krk/regions", {"learner": "experts"}, "needs gate=, such as experts:GATE"),
        ("krk/regions", {"learner": "experts:box,stratgy=staged"}, "did you mean strategy="),
        ("krk/regions", {"learner": "experts:bx"}, "there is no such gate"),
        ("krk/regions", {"learner": "no_such_module:Learner"}, "no such learner"),
        ("krk/regions", {"learner": "os:system"}, r"expected learner\(data, seed, out\)"),
        ("chess/phases", {"learner": "experts:lichess"}, "sees one phase alone"),
        ("krk/regions", {"agent": "mct:nodes=5"}, "no such agent; did you mean 'mcts'"),
        ("krk/regions", {"agent": "mcts:node=5"}, "did you mean nodes="),
        ("krk/regions", {"agent": "mcts:net=runs/x"}, "net= is the model of each row"),
        ("krk/regions", {"agent": "uct"}, "uct cannot play with a model"),
        ("chess/phases", {"agent": "mcts:nodes=5"}, "nothing is played, but policy loss"),
    ],
)
def test_what_does_not_exist_or_fit_is_said_before_anything_is_learnt(axis, texts, says):
    with pytest.raises(errors.PhasezooError, match=says):
        chosen(axis, **texts)


def test_axes_that_do_not_fit_are_left_out_if_they_were_not_named():
    found = axes_of(dataclasses.replace(TINY, agent="mcts:nodes=4,others=stop"))
    assert "nothing is played" in str(found["chess/phases"])
    assert found["krk/regions"].measure.agent.text == "mcts:nodes=4,others=stop"
    with pytest.raises(errors.InvalidConfig, match="no such agent"):
        axes_of(dataclasses.replace(TINY, agent="nobody"))


@pytest.mark.parametrize("changes", [{"store": Path("nowhere")}, {"bands": (1500,)}])
def test_settings_of_rated_games_need_their_axis(changes):
    config = dataclasses.replace(TINY, axes=("krk/regions", "chess/phases"), **changes)
    with pytest.raises(errors.InvalidConfig, match="is for the axis chess/ratings, which is not"):
        axes_of(config)
    with pytest.raises(errors.PhasezooError, match=r"nowhere|give --store"):
        axes_of(dataclasses.replace(config, axes=("chess/ratings",)))


def test_a_network_that_does_not_exist_leaves_no_run(tmp_path, capsys):
    out = tmp_path / "run"
    assert cli.main(["generalise", "krk/regions", "--network", "nope", "--out", str(out)]) == 2
    assert "no such network" in capsys.readouterr().err
    assert not out.exists()
