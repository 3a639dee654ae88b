"""ONNX files of other programs: moves in another order, planes of another choice."""

import queue

import numpy as np
import pytest

from phasezoo import agents, games, inference
from phasezoo.apps.uci.engine import Engine
from phasezoo.apps.web.agents import Agents
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.formats.other_onnx import crazyara

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

CHESS = games.make("chess")
NAMES = CHESS.move_names("v2")
MOVES = [name for name in NAMES.usual if name] + [name for name, _ in NAMES.special.values()]


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def model(path, columns, *, game=CHESS, planes=None, softmax=False, half=False, shape=None,
          outputs=("policy_out", "value_out")):  # fmt: skip
    """A network of one layer whose output ``i`` is that of our action ``columns[i]``."""
    kinds, size = onnx.TensorProto, game.plane_shape(planes)
    rng = np.random.default_rng(3)
    weights = rng.normal(0, 0.5, (int(np.prod(size)), game.num_actions + 1)).astype(np.float32)
    kind = np.float16 if half else np.float32
    constants = {
        "w": weights[:, columns].astype(kind), "v": weights[:, -1:].astype(kind) / 10,
        "s": np.array([-1, *(shape or [len(columns)])]),
    }  # fmt: skip
    make = onnx.helper.make_node
    nodes = [
        make("Flatten", ["data"], ["flat"]),
        make("MatMul", ["flat", "w"], ["logits"]),
        make("Softmax", ["logits"], ["odds"], axis=1),
        make("Reshape", ["odds" if softmax else "logits", "s"], [outputs[0]]),
        make("MatMul", ["flat", "v"], ["sum"]),
        make("Tanh", ["sum"], [outputs[1]]),
    ]
    form = kinds.FLOAT16 if half else kinds.FLOAT
    info = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "theirs", [info("data", form, ["n", *size])],
        [info(name, form, None) for name in outputs],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )  # fmt: skip
    opset = onnx.helper.make_opsetid("", 17)
    path.write_bytes(
        onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()
    )
    return path


def own_actions(order):
    """Our action of each text; of those without a move, any."""
    known = {name: action for action, name in enumerate(NAMES.usual) if name}
    known |= {name: action for action, (name, _) in NAMES.special.items()}
    return [known.get(text, 7) for text in order]


def shuffled(seed=5, unused=9):
    """All moves in another order, with places that no move has."""
    order = [*MOVES, *["-"] * unused]
    np.random.default_rng(seed).shuffle(order)
    return order


def states(game=CHESS, count=40, seed=2):
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        state = game.initial_state()
        while not state.is_terminal and len(found) < count:
            if rng.random() < 0.2:
                found.append(state)
            state = state.play(int(rng.choice(state.legal_actions)))
    return found


def assert_alike(own, other, positions, planes, tolerance=1e-5):
    """Both answer the same of all legal actions, but for a number that is added to all."""
    rows = games.encode(positions, planes)
    first, second = own.evaluate(rows), other.evaluate(rows)
    np.testing.assert_allclose(second.values(), first.values(), atol=tolerance)
    for row, state in enumerate(positions):
        legal = state.legal_actions
        one, two = first.policy_logits[row][legal], second.policy_logits[row][legal]
        np.testing.assert_allclose(two - two.max(), one - one.max(), atol=tolerance)


def search_of(text):
    state = CHESS.from_fen("r3k2r/1P6/8/8/4p3/8/3P4/R3K2R w KQkq - 0 1")
    found = agents.make(text, seed=1).search(state)
    return found.action, found.network_value, found.visits.tolist()


def best_move_of(text):
    """The answer of a UCI engine."""
    heard = queue.Queue()
    engine = Engine(text, heard.put)
    for line in ("isready", "position startpos moves e2e4", "go nodes 30"):
        engine.handle(line)
    said = ""
    while "bestmove" not in said:
        said = heard.get(timeout=60)
    engine.close()
    return said[said.index("bestmove") :]


def test_moves_are_named_as_their_states_name_them():
    for name, options in (("chess", {}), ("atomic", {}), ("crazyhouse", {}), ("chess960", {})):
        game = games.make(name, **options)
        names = game.move_names("v2")
        for state in states(game, 60):
            planes = state.planes("v2").reshape(-1)
            for action in state.legal_actions.tolist():
                special = names.special.get(action)
                decided = special is not None and planes[special[1]] > 0
                uci = state.uci(action)
                if state.to_play == 1:
                    uci = "".join(str(9 - int(each)) if each.isdigit() else each for each in uci)
                assert (special[0] if decided else names.usual[action]) == uci


def test_crazyaras_planes_are_ours_but_for_queens_and_drops():
    names = games.make("crazyhouse").move_names("v2")
    for action, name in enumerate(names.usual):
        if name:
            assert crazyara(name) == action + (3 * 64 if "@" in name else 0)
    for action, (name, _) in names.special.items():
        step = "abcdefgh".index(name[2]) - "abcdefgh".index(name[0])
        assert crazyara(name) == 64 * (73 + step + 1) + action % 64
    assert {crazyara(name) for name in MOVES} <= set(range(64 * 76))


def test_an_order_of_texts_gives_the_same_search_wherever_a_network_is_named(tmp_path):
    order = shuffled()
    model(tmp_path / "own.onnx", range(4672))
    model(tmp_path / "theirs.onnx", own_actions(order))
    (tmp_path / "moves.txt").write_text("\n".join(order))
    own = inference.load("own.onnx", planes="v2")
    given = {"planes": "v2", "actions": order}
    read = inference.load("theirs.onnx", **given)
    assert_alike(own, read, states(), "v2")
    place = {text: at for at, text in enumerate(order)}
    again = inference.load("theirs.onnx", planes="v2", actions=tmp_path / "moves.txt")
    assert again.source == read.source
    for _ in range(2):
        asked = inference.load("theirs.onnx", planes="v2", actions=place.__getitem__)
        assert_alike(own, asked, states(), "v2")
    inference.save(read, tmp_path / "folder")
    texts = [
        "net=own.onnx,planes=v2", "net=theirs.onnx,planes=v2,actions=moves.txt", "net=folder",
    ]  # fmt: skip
    expected, *others = (search_of(f"mcts:{text},nodes=60") for text in texts)
    assert others == [expected, expected]
    assert len({best_move_of(f"mcts:{text},nodes=30") for text in texts}) == 1
    named = inference.make("network:theirs.onnx,planes=v2,actions=moves.txt")
    assert_alike(own, named, states(), "v2")


def test_pages_name_orders_of_moves_in_their_own_folders_alone(tmp_path):
    inside = tmp_path / "runs"
    inside.mkdir()
    made = Agents(trusting=False, folders=(inside,))
    made.check(f"mcts:net={inside}/x.onnx,planes=v2,actions=crazyara")
    made.check(f"mcts:net={inside}/x.onnx,planes=v2,actions={inside}/moves.txt")
    with pytest.raises(InvalidConfig, match="lies outside"):
        made.check(f"mcts:net={inside}/x.onnx,planes=v2,actions=/etc/passwd")


@pytest.mark.parametrize("options", [{"softmax": True}, {"half": True}, {"shape": [76, 8, 8]}])
def test_crazyaras_order_by_name(tmp_path, options):
    own = [0] * (64 * 76)
    for action, name in enumerate(NAMES.usual):
        if name:
            own[crazyara(name)] = action
    for action, (name, _) in NAMES.special.items():
        own[crazyara(name)] = action
    model(tmp_path / "own.onnx", range(4672))
    model(tmp_path / "theirs.onnx", own, **options)
    read = inference.load(tmp_path / "theirs.onnx", planes="v2", actions="crazyara")
    tolerance = 0.05 if "half" in options else 1e-4
    assert_alike(inference.load("own.onnx", planes="v2"), read, states(), "v2", tolerance)


def test_a_promotion_is_told_from_the_step_of_another_piece(tmp_path):
    order = shuffled()
    columns = np.arange(len(order))
    model(tmp_path / "theirs.onnx", columns)
    read = inference.load(tmp_path / "theirs.onnx", planes="v2", actions=order)
    raw = inference.OnnxEvaluator.from_file(
        tmp_path / "theirs.onnx", game="chess", planes="v2", policy="policy_out",
        value="value_out", actions=order,
    )  # fmt: skip
    state = CHESS.from_fen("4k3/P1R5/8/8/8/8/8/4K2R w K - 0 1")
    rows = games.encode([state], "v2")
    rng = np.random.default_rng(3)
    weights = rng.normal(0, 0.5, (52 * 64, 4673)).astype(np.float32)
    theirs = rows.reshape(1, -1) @ weights[:, columns]
    for evaluator in (read, raw):
        logits = evaluator.evaluate(rows).policy_logits[0]
        for action in state.legal_actions.tolist():
            expected = theirs[0, order.index(state.uci(action))]
            assert abs(logits[action] - expected) < 1e-4
    assert {"a7a8q", "c7c8", "e1g1"} <= {state.uci(action) for action in state.legal_actions}


def test_other_games_give_places(tmp_path):
    game = games.make("connect-four")
    order = np.array([3, 0, 6, 2, 5, 1, 4])
    model(tmp_path / "own.onnx", range(7), game=game)
    model(tmp_path / "theirs.onnx", np.argsort(order), game=game)
    np.save(tmp_path / "places.npy", order)
    own = inference.load("own.onnx", game="connect-four")
    for actions in (order, order.tolist(), "places.npy"):
        read = inference.load("theirs.onnx", game="connect-four", actions=actions)
        assert_alike(own, read, states(game), "default")
    text = "mcts:net=theirs.onnx,net_game=connect-four,actions=places.npy,nodes=30"
    assert agents.make(text, seed=1).search(game.initial_state()).action in range(7)
    drops = games.make("crazyhouse")
    names = drops.move_names("v2")
    columns = [0] * (64 * 81)
    for action, name in enumerate(names.usual):
        if name:
            columns[crazyara(name)] = action
    for action, (name, _) in names.special.items():
        columns[crazyara(name)] = action
    model(tmp_path / "drops.onnx", columns, game=drops)
    model(tmp_path / "own.onnx", range(4992), game=drops)
    read = inference.load("drops.onnx", game="crazyhouse", actions="crazyara")
    assert_alike(inference.load("own.onnx", game="crazyhouse"), read, states(drops), "v2", 1e-4)


def _without(order, text):
    return ["-" if each == text else each for each in order]


ORDER = shuffled()


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (ORDER[:-1], f"names {len(ORDER) - 1} moves; .* {len(ORDER)} numbers"),
        ([*_without(ORDER, "e2e4")[:-1], "e2e9"], "'e2e9' at place"),
        (_without(ORDER, "b7a8n"), "no place for 1 moves of chess, such as b7a8n"),
        (["e2e4" if each == "-" else each for each in ORDER], "'e2e4' for both"),
        (np.arange(100), r"int64\[100\]; chess has 4672 actions"),
        (np.arange(4672.0), r"float64\[4672\]"),
        (np.arange(4672), r"gives action \d+ the place \d+; the model's policy has"),
        (np.minimum(np.arange(4672), 5), "has 5 for both 5 and 6"),
        (np.full(4672, -1), "no place for 1858 actions, such as"),
        (lambda move: 0, "has 0 for both"),
        (lambda move: 10**6, "the place 1000000"),
        (lambda move: "x", "no whole number"),
        (lambda move: {}[move], "no place for 1880 moves"),
        (lambda move: move + 1, r"fails on 'a1a2' \(TypeError: .*answers its place"),
        ("crazyara", "its policies have 4864, 5184, 5376 numbers"),
        ("nowhere.txt", "no order of moves .*crazyara"),
        ("x" * 5000, "no order of moves"),
        ("cut.npy", "no order of moves"),
        (7, "neither a name"),
        ([[1], [1, 2]], "neither a name"),
    ],
)
def test_orders_that_do_not_fit_are_refused_by_name(tmp_path, actions, reason):
    model(tmp_path / "theirs.onnx", range(len(ORDER)))
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01\x00v")
    with pytest.raises(InvalidConfig, match=reason):
        inference.OnnxEvaluator.from_file(
            "theirs.onnx", game="chess", policy="policy_out", value="value_out", actions=actions
        )


def test_files_of_moves_may_begin_with_a_mark_of_their_encoding(tmp_path):
    order = shuffled()
    model(tmp_path / "own.onnx", range(4672))
    model(tmp_path / "theirs.onnx", own_actions(order))
    (tmp_path / "moves.txt").write_text("\n".join(order), encoding="utf-8-sig")
    read = inference.load("theirs.onnx", planes="v2", actions=tmp_path / "moves.txt")
    assert_alike(inference.load("own.onnx", planes="v2"), read, states(), "v2")


@pytest.mark.parametrize("softmax", [True, False])
@pytest.mark.parametrize("actions", [None, shuffled()])
def test_policies_named_in_the_wrong_form_are_refused(tmp_path, softmax, actions):
    order = range(4672) if actions is None else own_actions(actions)
    model(tmp_path / "theirs.onnx", order, softmax=softmax)
    wrong, right = ("policy", "policy_probabilities")[:: 1 if softmax else -1]
    given = {"game": "chess", "planes": "v2", "value": "value_out", "actions": actions}
    with pytest.raises(CheckpointError, match=rf"theirs.onnx: 'policy_out' gives .*by {right}="):
        inference.OnnxEvaluator.from_file("theirs.onnx", **given, **{wrong: "policy_out"})
    named = inference.OnnxEvaluator.from_file("theirs.onnx", **given, **{right: "policy_out"})
    found = inference.OnnxEvaluator.from_file("theirs.onnx", **{**given, "value": None})
    assert named.manifest.tensors == found.manifest.tensors
    assert_alike(named, found, states(), "v2")


def test_files_that_do_not_fit_are_refused_by_name(tmp_path):
    model(tmp_path / "theirs.onnx", range(len(ORDER)))
    load = inference.load

    def refused(reason, *given, error=CheckpointError, **options):
        with pytest.raises(error, match=reason):
            load(*given, **options)

    refused("outputs have .*policy, and", "theirs.onnx", planes="v2")
    refused(r"1890 numbers \(as many as actions= has moves\).*needed\)$", "theirs.onnx",
            planes="v2", actions=[*ORDER, "-"])  # fmt: skip
    (tmp_path / "empty.onnx").write_bytes(b"")
    refused("empty.onnx: not an ONNX .*the file is empty", "empty.onnx", planes="v2")
    refused("52, 8, 8.*39, 8, 8", "theirs.onnx", planes="v1", actions=ORDER)
    refused("is none", "phasezoo/chess-small", planes="v2", error=InvalidConfig)
    refused("is none", "mcts.pb.gz", actions="crazyara", error=InvalidConfig)
    refused("no such file", "nowhere.onnx", actions="crazyara")
    model(tmp_path / "turned.onnx", range(len(ORDER)), planes="lc0-canonical")
    told = {"planes": "lc0-canonical", "actions": ORDER}
    refused("turn the board", "turned.onnx", error=InvalidConfig, **told)
    data = (tmp_path / "theirs.onnx").read_bytes()
    for kept in (0, 1, 100, len(data) // 2, len(data) - 3):
        (tmp_path / "cut.onnx").write_bytes(data[:kept])
        refused(r"cut\.onnx: not an ONNX", "cut.onnx", planes="v2", actions=ORDER)
    model(tmp_path / "four.onnx", range(7), game=games.make("connect-four"))
    told = {"game": "connect-four", "actions": list("abcdefg")}
    refused("no texts of moves", "four.onnx", error=InvalidConfig, **told)
    told["actions"] = "abcdefg".index
    refused("no texts of moves", "four.onnx", error=InvalidConfig, **told)


@pytest.mark.parametrize("kind", [set, lambda texts: {text: n for n, text in enumerate(texts)}])
def test_orders_without_an_order_are_refused(tmp_path, kind):
    order = shuffled(unused=0)  # as many as the policy has, so that nothing else is wrong
    file = model(tmp_path / "net.onnx", own_actions(order))
    with pytest.raises(InvalidConfig, match=r"(set|dict).*has no order of its own"):
        inference.load(file, planes="v2", actions=kind(order))


@pytest.mark.parametrize("name", ["plies_out", "value_out"])
def test_plies_are_not_taken_for_the_value(tmp_path, name):
    """Beside win, draw and loss a single number is a value only if it is called so."""
    file = model(tmp_path / "net.onnx", own_actions(shuffled()), outputs=("policy_out", name))
    net = onnx.load(file)
    odds = onnx.numpy_helper.from_array(np.zeros((4672, 3), np.float32)[: len(shuffled())], "k")
    net.graph.initializer.append(odds)
    net.graph.node.append(onnx.helper.make_node("MatMul", ["logits", "k"], ["wdl_out"]))
    kind = onnx.TensorProto.FLOAT
    net.graph.output.append(onnx.helper.make_tensor_value_info("wdl_out", kind, None))
    onnx.save(net, file)
    if name == "value_out":
        assert inference.load(file, planes="v2", actions=shuffled()).manifest.tensors
        return
    with pytest.raises(CheckpointError, match="name them by"):
        inference.load(file, planes="v2", actions=shuffled())
