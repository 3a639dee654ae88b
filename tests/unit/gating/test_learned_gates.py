"""Learned gates: they learn labels and experts, are kept whole, and route as they say."""

import json
import pickle
import shutil

import numpy as np
import pytest
from learned_gates import Halved, leftward_games, random_games

from phasezoo import agents, envs, games, gating, inference
from phasezoo.errors import CheckpointError, InvalidConfig, InvalidGate
from phasezoo.games.random_play import random_states

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def four():
    return random_games("connect-four", 150)


@pytest.fixture(scope="module")
def learned(four, tmp_path_factory):
    """A gate that learned `plies:10`."""
    out = tmp_path_factory.mktemp("learned") / "gate"
    return gating.train(four, labels="plies:10", out=out, positions=2000, epochs=8, seed=1)


@pytest.fixture(scope="module")
def routed(tmp_path_factory):
    """A gate that learned to route to two experts, each right on half of the positions."""
    out = tmp_path_factory.mktemp("routed") / "gate"
    experts = {"early": Halved(early=True), "late": Halved(early=False)}
    store = leftward_games(150)
    return gating.train(
        store, experts=experts, out=out, positions=2000, epochs=8, seed=1, compare=[few_stones()]
    )


def few_stones():
    """The gate that the experts should have."""
    return gating.make(_few_stones, names=("early", "late"))


def _few_stones(state):
    return int(state.ply >= 10)


def test_a_gate_learns_labels_of_held_out_games(learned):
    assert learned.metric == "accuracy"
    assert learned.held_out > 100
    assert learned.scores["learned"].mean > 0.9
    assert learned.gains["most frequent phase"].low > 0.1
    assert learned.gate.names == gating.make("plies:10", "connect-four").names
    assert sum(learned.shares.values()) == pytest.approx(1)
    assert "held-out positions" in str(learned)


@pytest.mark.parametrize("labels", ["lichess", "material"])
def test_a_gate_learns_phases_of_chess(chess_store, labels, tmp_path):
    """Of the sample games; a phase that counts pieces is learned from planes."""
    result = gating.train(
        chess_store, labels=labels, out=tmp_path / "gate", positions=5000, epochs=6, seed=1
    )
    assert result.scores["learned"].mean > 0.9
    assert result.gains["most frequent phase"].low > 0.1


@pytest.fixture(scope="module")
def chess_store():
    from phasezoo import training

    return training.GameStore.sample().subset(np.arange(600))


def test_a_router_finds_the_expert_that_is_right(routed):
    soft = routed.scores["soft"].mean
    right = routed.scores[few_stones().spec].mean
    assert soft < 0.75 * min(routed.scores["only early"].mean, routed.scores["only late"].mean)
    assert routed.gains["equal shares"].low > 0.2
    assert abs(soft - right) < 0.25
    assert abs(routed.scores["exact"].mean - right) < 0.25
    assert routed.gate.names == ("early", "late")


def test_an_even_load_can_be_asked_for(tmp_path):
    """One expert is always right; an even load gives the other one positions all the same."""
    experts = {"right": Halved(early=True), "wrong": Halved(early=True)}
    experts["wrong"].evaluate = lambda planes: inference.Evaluation(
        policy_logits=-experts["right"].evaluate(planes).policy_logits,
        value=np.zeros(len(planes), np.float32),
    )
    store, shares = leftward_games(60), {}
    for balance in (0.0, 20.0):
        result = gating.train(
            store, experts=experts, out=tmp_path / "gate", positions=800, epochs=3, seed=1,
            balance=balance,
        )  # fmt: skip
        probabilities = result.gate.probabilities(random_states(games.make("connect-four"), 100, 1))
        shares[balance] = probabilities.mean(axis=0).min()
    assert shares[20.0] > shares[0.0] + 0.02


def test_answers_are_the_same_alone_and_together(learned):
    states = random_states(games.make("connect-four"), 70, 3)
    gate = learned.gate
    together = gate.probabilities(states)
    assert together.dtype == np.float32
    assert together.shape == (70, 2)
    np.testing.assert_allclose(together.sum(axis=1), 1, atol=1e-6)
    alone = np.concatenate([gate.probabilities([state]) for state in states])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(gate.batch(states), together.argmax(axis=1))
    assert [gate(state) for state in states] == gate.batch(states).tolist()
    assert gate.probabilities([]).shape == (0, 2)
    assert gate.batch([]).shape == (0,)
    assert gating.check(gate, "connect-four", states=40)


def test_a_gate_is_kept_and_found_by_its_folder(learned, tmp_path):
    loaded = gating.make(f"learned:{learned.directory}", game="connect-four")
    states = random_states(games.make("connect-four"), 40, 5)
    np.testing.assert_array_equal(loaded.probabilities(states), learned.gate.probabilities(states))
    assert loaded.spec == f"learned:{learned.directory}"
    assert loaded.names == learned.gate.names
    moved = tmp_path / "elsewhere"
    shutil.copytree(learned.directory, moved)
    other = gating.make(f"learned:{moved}")
    assert gating.same(loaded, other, "connect-four")
    assert gating.fingerprint(loaded, "connect-four") == gating.fingerprint(other, "connect-four")
    copied = pickle.loads(pickle.dumps(loaded))
    assert copied == loaded
    assert gating.same(copied, loaded)
    backwards = gating.make(f"monotone:learned:{moved}", game="connect-four")
    assert backwards.monotone
    assert not gating.same(backwards, other)
    assert backwards.batch(states, previous=[1] * 40).tolist() == [1] * 40


def test_the_same_training_gives_the_same_gate(four, learned, tmp_path):
    again = gating.train(
        four, labels="plies:10", out=tmp_path / "gate", positions=2000, epochs=8, seed=1
    )
    assert gating.same(again.gate, learned.gate, "connect-four")


def test_environments_and_labels_read_it(four, learned):
    spec = f"learned:{learned.directory}"
    env = envs.ConnectFourEnv(opponent=None, gate=spec)
    _, info = env.reset(seed=1)
    assert info["phase"] == 0
    rows = four.positions(spec)
    agreed = (rows.phase == four.positions("plies:10").phase).mean()
    assert rows.gate == spec
    assert agreed > 0.9


@pytest.mark.parametrize("routing", ["soft", "exact"])
def test_a_mixture_routes_by_its_probabilities(routed, routing):
    experts = {"early": Halved(early=True), "late": Halved(early=False)}
    spec = f"learned:{routed.directory}"
    mixture = inference.MixtureOfExperts(experts, spec, routing, game="connect-four")
    states = [s for s in random_states(games.make("connect-four"), 60, 7) if not s.is_terminal]
    gate = gating.make(spec)
    leaves = inference.StateBatch(states, gate.batch(states))
    answer = mixture.evaluate_batch(leaves)
    weights = gate.probabilities(states)
    if routing == "exact":
        weights = np.eye(2)[weights.argmax(axis=1)]
    expected = []
    for row, state in enumerate(states):
        policy = np.zeros(len(state.legal_actions))
        for weight, expert in zip(weights[row], experts.values(), strict=True):
            logits = expert.evaluate(state.planes("default")[None]).policy_logits[0]
            own = np.exp(logits[state.legal_actions])
            policy += weight * own / own.sum()
        expected.append(policy)
    offsets, _ = leaves.legal
    given = np.exp(answer.legal_logits.astype(np.float64))
    given /= np.repeat(np.add.reduceat(given, offsets[:-1]), np.diff(offsets))
    np.testing.assert_allclose(given, np.concatenate(expected), rtol=1e-4)


@pytest.mark.parametrize("routing", ["soft", "exact"])
def test_a_search_routes_by_it(routed, routing):
    experts = {"early": Halved(early=True), "late": Halved(early=False)}
    spec = f"learned:{routed.directory}"
    state = games.make("connect-four").initial_state()
    found = []
    for gate in (spec, gating.make(spec)):
        mixture = inference.MixtureOfExperts(experts, gate, routing, game="connect-four")
        agent = agents.MCTSAgent(mixture, limit=agents.Limit(nodes=48), batch_size=8, seed=1)
        found.append(agent.search(state))
    assert found[0].visits.sum() > 40
    np.testing.assert_array_equal(found[0].visits, found[1].visits)


def test_a_gate_for_a_game_in_which_all_move_at_once(tmp_path):
    """Each player's own view is routed; without a player it is an error."""
    from phasezoo import training

    game = games.make("pommerman-1v1")
    with training.StoreWriter(tmp_path / "games", "pommerman-1v1") as writer:
        rng = np.random.default_rng(1)
        for seed in range(24):
            state, actions = game.initial_state(seed=seed), []
            while not state.is_terminal and len(actions) < 20:
                actions.append(rng.integers(0, 6, size=2))
                state = state.play(actions[-1])
            writer.add(start=f"seed:{seed}", actions=actions, returns=state.returns)
    store = training.GameStore.open(tmp_path / "games")
    result = gating.train(
        store, labels="proximity:5", out=tmp_path / "gate", positions=200, epochs=2, batch_size=32
    )
    state = game.initial_state(seed=3)
    assert result.gate(state, player=1) in (0, 1)
    with pytest.raises(InvalidGate, match="player="):
        result.gate(state)


def test_it_is_for_its_own_game(learned):
    spec = f"learned:{learned.directory}"
    with pytest.raises(InvalidGate, match="learned connect-four"):
        gating.make(spec, game="chess")
    with pytest.raises(InvalidGate, match="learned connect-four"):
        gating.make(learned.gate, game="chess")
    with pytest.raises(InvalidGate, match="learned connect-four"):
        gating.make(spec)(games.make("chess").initial_state())
    with pytest.raises(InvalidGate, match="learned connect-four"):
        gating.fingerprint(learned.gate, "chess")


def test_missing_and_changed_files_are_named(learned, tmp_path):
    for spec in ("learned:", "learned: ", "monotone:learned:"):
        with pytest.raises(InvalidGate, match=r"'learned: ?': it names no folder"):
            gating.make(spec)
    with pytest.raises(InvalidGate, match=r"no manifest.json in 'nowhere'.*gating.train"):
        gating.make("learned:nowhere")
    folder = tmp_path / "gate"

    def changed(name, data):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(learned.directory, folder)
        (folder / name).write_bytes(data)
        return f"learned:{folder}"

    whole = (learned.directory / "model.safetensors").read_bytes()
    manifest = json.loads((learned.directory / "manifest.json").read_bytes())
    with pytest.raises(InvalidGate, match="checksum"):
        gating.make(changed("model.safetensors", whole[:-5]))
    with pytest.raises(InvalidGate, match="cut off"):
        gating.make(changed("manifest.json", b'{"kind": "ga'))
    for wrong, message in (
        ({"kind": "network"}, "not the record of a gate"),
        ({"format_version": 9}, "format version"),
        ({"names": 3}, "wrong type"),
        ({"names": ["a", "b", "c"]}, "not the layers"),
        ({"network": manifest["network"] + "9"}, "not the layers"),
        ({"network": "resnet-8x1"}, "not the layers"),
        ({"game": "my-chess"}, "registers it first"),
        ({"planes": "v2"}, "planes"),
        ({"input_shape": [3, 6, 8]}, "planes"),
        ({"size": 1}, "unknown"),
    ):
        text = json.dumps(manifest | wrong).encode()
        with pytest.raises(InvalidGate, match=message):
            gating.make(changed("manifest.json", text))


def test_bad_input_is_refused_before_anything_is_trained(four, tmp_path):
    out = tmp_path / "gate"
    for given, error, message in (
        ({}, InvalidConfig, "either labels="),
        ({"labels": "plies:10", "experts": {}}, InvalidConfig, "either labels="),
        ({"labels": "none"}, InvalidConfig, "two or more"),
        ({"labels": "lichess"}, InvalidGate, "lichess"),
        ({"labels": "plies:10", "names": ("one",)}, InvalidConfig, "one for each"),
        ({"labels": "plies:10", "network": "rise-2x8"}, InvalidConfig, "mlp-64x1"),
        ({"labels": "plies:10", "positions": 0}, InvalidConfig, "positions"),
        ({"labels": "plies:10", "epoch": 3}, InvalidConfig, "epochs"),
        ({"labels": "plies:10", "epochs": 0}, InvalidConfig, "epochs"),
        ({"labels": "plies:10", "learning_rate": -1.0}, InvalidConfig, "learning_rate"),
        ({"labels": "plies:10", "compare": ["plies:9"]}, InvalidConfig, "experts="),
        ({"experts": {"one": Halved(True)}}, InvalidConfig, "two experts"),
        ({"experts": "nowhere"}, CheckpointError, "experts.json"),
        ({"experts": {"a": inference.Uniform(), "b": Halved(True)}}, InvalidConfig, "no planes"),
        (
            {"experts": {"a": Halved(True), "b": Halved(True)}, "compare": ["plies:10"]},
            InvalidConfig,
            "has the phases",
        ),
    ):
        with pytest.raises(error, match=message):
            gating.train(four, out=out, **given)
    assert not out.exists()
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(CheckpointError, match="new or empty directory"):
        gating.train(four, labels="plies:10", out=out)
    assert (out / "notes.txt").read_text() == "mine"


def test_one_expert_alone_loses_what_evaluation_says(tmp_path):
    """With visit counts as targets: the mixture's loss is the reported total."""
    from phasezoo import training
    from phasezoo.training.gates.experts import FrozenExperts, answers_of

    game, rng = games.make("connect-four"), np.random.default_rng(0)
    with training.StoreWriter(tmp_path / "games", game) as writer:
        for _ in range(5):
            state, actions, visits = game.initial_state(), [], []
            while not state.is_terminal:
                visits.append({int(a): int(rng.integers(1, 20)) for a in state.legal_actions})
                actions.append(int(rng.choice(state.legal_actions)))
                state = state.play(actions[-1])
            writer.add(actions=actions, visits=visits, returns=state.returns)
    store = training.GameStore.open(tmp_path / "games")
    rows = store.positions()
    experts = {"early": Halved(early=True), "late": Halved(early=False)}
    answers = answers_of(FrozenExperts.of(experts, None), store, rows)
    told = training.evaluate_networks(experts, store, rows)
    for number, name in enumerate(experts):
        alone = torch.eye(2)[[number]].repeat(len(rows), 1)
        losses = answers.losses(alone)
        np.testing.assert_allclose(losses.numpy(), told[name].total, rtol=1e-4)
        some = np.array([3, 0, 7])
        np.testing.assert_allclose(answers.losses(alone[:3], some), losses[some], rtol=1e-6)


def test_few_games_say_nothing_of_a_gates_gain(tmp_path):
    store = random_games("connect-four", 10)
    found = gating.train(
        store, labels="plies:14", out=tmp_path / "gate", positions=200, seed=1, epochs=1
    )
    assert len(store.split(1).test) < 4
    for each in (*found.scores.values(), *found.gains.values()):
        assert (each.low, each.high) == (-np.inf, np.inf)
    assert "(no interval)" in str(found)


def test_gates_whose_results_would_have_one_name_are_refused(four, tmp_path):
    experts = {"early": Halved(early=True), "late": Halved(early=False)}
    with pytest.raises(InvalidConfig, match="two results would have this name"):
        gating.train(
            four, experts=experts, out=tmp_path / "gate", positions=50,
            compare=[few_stones(), few_stones()],
        )  # fmt: skip
    assert not (tmp_path / "gate").exists()


def test_names_have_an_order():
    with pytest.raises(InvalidGate, match="names="):
        gating.make(_few_stones, names={"early", "late"})
