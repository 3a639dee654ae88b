"""The script that carries a run to a machine with a GPU."""

import json

import gpu_run as script
import numpy as np
import pyarrow.parquet as pq
import pytest

from phasezoo import agents, games, inference
from phasezoo.training import GameStore

PLAN = {"gate": "lichess", "trainings": {"a": {"strategy": "one", "positions": 9, "seed": 1}}}


@pytest.fixture
def parts(tmp_path):
    """A plan, a store of games and a wheel."""
    plan, wheel = tmp_path / "own.json", tmp_path / "phasezoo-0.2.0-none.whl"
    plan.write_text(json.dumps(PLAN))
    wheel.write_bytes(b"wheel")
    store = GameStore.sample("chess").subset(np.arange(60))
    store.save(tmp_path / "own.parquet")
    return plan, tmp_path / "own.parquet", [wheel]


def test_a_packed_folder_holds_the_moves_and_no_names(parts, tmp_path):
    size = script.pack(tmp_path / "packed", *parts)
    names = ["games.parquet", "gpu_run.py", "phasezoo-0.2.0-none.whl", "plan.json"]
    files = [path for path in (tmp_path / "packed").rglob("*") if path.is_file()]
    assert sorted(path.name for path in files) == names
    assert size == sum(path.stat().st_size for path in files) / 2**20
    before = GameStore.open(parts[1])
    after = GameStore.open(tmp_path / "packed" / "games.parquet")
    np.testing.assert_array_equal(after.actions, before.actions)
    np.testing.assert_array_equal(after.returns, before.returns)
    assert pq.read_table(parts[1])["player_0"].null_count < len(before)
    assert pq.read_table(tmp_path / "packed" / "games.parquet")["player_0"].null_count == len(after)


def test_what_cannot_run_there_is_refused_before_it_is_packed(parts, tmp_path, monkeypatch):
    plan, store, wheels = parts
    folder = tmp_path / "packed"
    with pytest.raises(SystemExit, match=r"none\.parquet: no such file"):
        script.pack(folder, plan, tmp_path / "none.parquet", wheels)
    with pytest.raises(SystemExit, match="no wheel of phasezoo"):
        script.pack(folder, plan, store, [store])
    for text, message in (
        ("[]", "is no plan"),
        ('{"gate": "lichess"}', "is no plan"),
        (json.dumps({**PLAN, "matches": {"m": {"experts": "b", "one": "a"}}}), r"name \['b'\]"),
    ):
        plan.write_text(text)
        with pytest.raises(SystemExit, match=message):
            script.pack(folder, plan, store, wheels)
    plan.write_text(json.dumps(PLAN))
    monkeypatch.setattr(script, "MOST_MB", 0.001)
    with pytest.raises(SystemExit, match=r"MiB: expected 0\.001 at most"):
        script.pack(folder, plan, store, wheels)
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(SystemExit, match="is there already"):
        script.pack(folder, plan, store, wheels)


def test_settings_of_a_stage_stay_with_it(parts, tmp_path):
    wanted = {
        "strategy": "staged",
        "positions": 600,
        "seed": 1,
        "started_settings": {"max_lr": 0.002},
        "phase_settings": {"opening": {"max_lr": 0.001}},
    }
    training = {"batch_size": 16, "device": "cpu", "max_lr": 0.003, "tensorboard": False}
    plan = {"gate": "lichess", "network": "resnet-8x1:policy=pointwise", "split_seed": 0,
            "training": training, "trainings": {"a": wanted}}  # fmt: skip
    before = json.dumps(plan)
    (tmp_path / "games.parquet").write_bytes(parts[1].read_bytes())
    stages = script._train(plan, tmp_path, tmp_path, "a", 1)["stages"]
    assert json.dumps(plan) == before
    rates = {}
    for stage in stages:
        file = tmp_path / "networks" / "a" / stage["name"] / "config.json"
        rates[stage["phase"]] = json.loads(file.read_text())["config"]["max_lr"]
    started = {"opening": 0.001, "middlegame": 0.002, "endgame": 0.002}
    assert {phase: rates[phase] for phase in started} == started
    assert 0.003 in rates.values()


def test_a_whole_plan_runs_and_its_matches_wait_for_their_networks(parts, tmp_path):
    training = {"batch_size": 16, "device": "cpu", "max_lr": 0.003, "tensorboard": False}
    training |= {"validation_positions": 32}
    one, experts = ({"strategy": name, "positions": 300} for name in ("one", "separated"))
    match = {"experts": "e", "one": ["a", "b"], "value": [], "games": 2, "nodes": 2, "seed": 5,
             "max_plies": 8, "concurrency": 2, "batch_size": 1}  # fmt: skip
    plan = {
        "gate": "lichess", "network": "resnet-8x1:policy=pointwise", "split_seed": 0,
        "test_games": 3, "training": training, "measuring": {"device": "cpu"},
        "playing": {"device": "cpu"},
        "trainings": {"e": {**experts, "seed": 1}, "a": {**one, "seed": 1},
                      "b": {**one, "seed": 2, "round": 1}},
        "matches": {"policies": match, "itself": {**match, "experts": "a", "one": "a"}},
    }  # fmt: skip
    order = [(job.kind, job.name) for job in script.jobs_of(plan)]
    assert order[-2:] == [("trainings", "b"), ("measurements", "b")]
    file = tmp_path / "own.json"
    file.write_text(json.dumps(plan))
    folder, out = tmp_path / "packed", tmp_path / "out"
    script.pack(folder, file, *parts[1:])
    (folder / "wheels" / parts[2][0].name).unlink()  # phasezoo is here already
    assert script.run(folder, out, 0, 2) == script.UNFINISHED
    assert script.run(folder, out, 600, 2) == 0
    played = json.loads((out / "matches" / "policies.json").read_text())["opponents"]
    assert played.keys() == {"a", "b"}
    for found in played.values():
        assert len(found["group_scores"]) == 1
        assert found["sides"][0]["rows"] > 0
    itself = json.loads((out / "matches" / "itself.json").read_text())["opponents"]["a"]
    assert itself["group_scores"] == [0.5]  # one network in both chairs plays both games alike
    losses = np.load(out / "measurements" / "e.npz")
    assert losses["positions"].shape == (3, 3)
    assert losses["opening/policy"].sum() > 0


class Fixed:
    """Likes all actions but one alike, and says one value."""

    plane_spec = "v2"

    def __init__(self, action, value):
        self.action, self.value = action, value

    def evaluate(self, planes):
        logits = np.zeros((len(planes), 4672), np.float32)
        logits[:, self.action] = 9
        return inference.Evaluation(
            policy_logits=logits, value=np.full(len(planes), self.value, np.float32)
        )


def test_a_search_takes_policies_and_values_of_different_networks():
    state = games.make("chess").initial_state()
    action = state.parse_uci("a2a3")
    phases = ("opening", "middlegame", "endgame")
    experts, one = dict.fromkeys(phases, Fixed(action, 0.9)), Fixed(0, 0.0)
    mixture = script.mixture_of({"value": []}, experts, one, "lichess")
    agent = agents.MCTSAgent(mixture, limit=agents.Limit(nodes=4), game="chess")
    found = agent.search(state)
    assert found.action == action
    np.testing.assert_allclose(found.q, 0, atol=1e-6)


def test_phases_that_a_match_does_not_list_are_the_one_networks():
    own, one = {phase: Fixed(0, 0.1) for phase in ("opening", "middlegame", "endgame")}, Fixed(0, 0)
    listed = {"policy": ["endgame"], "value": ["opening", "endgame"]}
    mixture = script.mixture_of(listed, own, one, "lichess")
    opening, middlegame, endgame = mixture.experts
    assert opening.experts == (one, own["opening"])  # policy, value
    assert middlegame is one
    assert endgame is own["endgame"]
