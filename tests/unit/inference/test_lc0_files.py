"""Files of lc0's: read, refused, written back; and what an action means to such a network."""

import contextlib
import gzip

import numpy as np
import pytest
import torch

from phasezoo import agents, games, inference, networks
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.formats import lc0, lc0_layers
from phasezoo.inference.formats.protobuf import Message, encoded

CHESS = games.make("chess")
TOWERS = {
    "lc0-8x1": "lc0",
    "lc0-8x2:squeeze=0,value=mse": "lc0-castling",
    "lc0-16x1:policy=classical,policy_channels=4,activation=mish": "lc0-canonical",
    "lc0-8x1:moves_left=4,value_units=16": "lc0-canonical-v2",
    "lc0-8x1:policy=attention,policy_units=16": "lc0",
    "lc0-8x1:policy=attention,policy_blocks=2,policy_heads=2,policy_ffn=9": "lc0-castling",
    "lc0-attention-16x2:heads=2,ffn=8,width=8,value=mse": "lc0",
    "lc0-attention-16x1:policy_blocks=1,policy_width=16,policy_heads=2": "lc0-canonical-v2",
    "lc0-attention-16x2:embedding=dense,embedding_units=4,gates=true,smolgen=4,smolgen_units=8,"
    "moves_left=2,activation=relu,ffn_activation=relu2": "lc0-canonical",
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def tower(spec, planes="lc0", seed=1):
    network = networks.make(spec, CHESS.plane_shape(planes), 4672, seed=seed)
    for module in network.modules():  # as if it had been trained
        if isinstance(module, torch.nn.BatchNorm2d):
            generator = torch.Generator().manual_seed(seed)
            for values, spread in ((module.running_mean, 0.3), (module.bias, 0.2)):
                values.data.copy_(spread * torch.randn(values.shape, generator=generator))
            module.running_var.uniform_(0.5, 2.0, generator=generator)
    return network.eval()


def states(count=60, seed=2):
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        state = CHESS.initial_state()
        while not state.is_terminal and len(found) < count:
            if rng.random() < 0.2:
                found.append(state)
            state = state.play(int(rng.choice(state.legal_actions)))
    return found


@pytest.mark.parametrize(("spec", "planes"), TOWERS.items())
def test_a_network_is_written_and_reads_to_the_same_answers(tmp_path, spec, planes):
    network = tower(spec, planes)
    path = tmp_path / "tuned.pb.gz"
    inference.save(network, path, game="chess", planes=planes)
    read = inference.load(path, backend="torch")
    assert read.plane_spec == planes
    assert read.manifest.network == spec.partition(":")[0]
    rows = games.encode(states(), planes)
    before = inference.TorchEvaluator(network, game="chess", planes=planes, device="cpu")
    own, other = before.evaluate(rows), read.evaluate(rows)
    # Weights were rounded to 16 bits each.
    np.testing.assert_allclose(other.policy_logits, own.policy_logits, atol=2e-3)
    np.testing.assert_allclose(other.values(), own.values(), atol=2e-3)
    if "moves_left" in spec:
        np.testing.assert_allclose(other.plies_left, own.plies_left, atol=0.05)
    inference.save(read, tmp_path / "again.pb", overwrite=True)
    again = inference.load(tmp_path / "again.pb", backend="torch").evaluate(rows)
    np.testing.assert_allclose(again.policy_logits, other.policy_logits, atol=2e-3)


def test_files_without_a_batch_norm_are_read_by_their_biases(tmp_path):
    channels, value = 8, 2
    rng = np.random.default_rng(3)

    def layer(*shape):
        return lc0_layers.written_layer(rng.normal(0, 0.2, shape).astype(np.float32))

    def block(outputs, inputs, kernel):
        return encoded([(1, layer(outputs, inputs, kernel, kernel)), (2, layer(outputs))])

    weights = encoded([
        (1, block(channels, 112, 3)),
        (2, encoded([(1, block(channels, channels, 3)), (2, block(channels, channels, 3))])),
        (11, block(channels, channels, 3)), (3, block(80, channels, 3)),
        (6, block(value, channels, 1)), (7, layer(8, 64 * value)), (8, layer(8)),
        (9, layer(3, 8)), (10, layer(3)),
    ])  # fmt: skip
    form = encoded([(1, 1), (2, 2), (3, 3), (4, 2), (5, 2)])
    net = encoded([(1, lc0.MAGIC), (4, encoded([(1, 1), (2, form)])), (10, weights)], fixed=(1,))
    path = tmp_path / "plain.pb"
    path.write_bytes(net)
    network = inference.load(path, backend="torch").network
    stem = network.body[0]
    bias = stem.norm.bias if isinstance(stem.norm, torch.nn.BatchNorm2d) else stem.conv.bias
    planes = torch.rand(2, 112, 8, 8)
    found = lc0.read(net, "plain").weights
    plain = torch.nn.functional.conv2d(
        planes, torch.from_numpy(found["body.0.conv.weight"]), padding=1
    )
    plain = torch.relu(plain + torch.from_numpy(found["body.0.norm.bias"])[:, None, None])
    assert bias is not None
    torch.testing.assert_close(network.body[0](planes), plain, atol=1e-5, rtol=1e-5)


def _file():
    """The bytes of a small network."""
    network = tower("lc0-8x1")
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    options = {**lc0.default_options()}
    return lc0.written(lc0.Lc0File("lc0", (8, 1), options, arrays))


@pytest.mark.parametrize("kept", [0, 1, 2, 20, 500, -8, -1])
def test_a_file_that_is_cut_off_is_refused(tmp_path, kept):
    path = tmp_path / "cut.pb.gz"
    path.write_bytes(_file()[:kept])
    with pytest.raises(CheckpointError, match=r"cut\.pb\.gz"):
        inference.load(path)


def test_unpacked_files_that_are_cut_or_changed_never_raise_anything_else():
    whole = gzip.decompress(_file())
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(150):
        data = bytearray(whole[: int(rng.integers(1, len(whole)))] if rng.random() < 0.5 else whole)
        for at in rng.integers(0, min(len(data), 400), 2):
            data[at] = int(rng.integers(256))
        with contextlib.suppress(CheckpointError):
            lc0.read(bytes(data), "changed")
            continue
        refused += 1
    assert refused > 75


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ([(1, 7)], "another kind of file"),
        ([(1, lc0.MAGIC), (11, encoded([(1, b"onnx")]))], "ONNX model"),
        ([(1, lc0.MAGIC), (11, encoded([(2, 1)]))], "ONNX model is missing"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(3, 8)]))]))], "structure 8"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(1, 132)]))]))], "input format 132"),
        ([(1, lc0.MAGIC), (4, encoded([(1, 9)]))], "encoded by way 9"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(7, 2)]))]))], "activation 2"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(4, 4)]))]))], "policy format 4"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(5, 3)]))]))], "value format 3"),
        ([(1, lc0.MAGIC), (4, encoded([(2, encoded([(6, 2)]))]))], "moves-left format 2"),
        ([(1, lc0.MAGIC), (4, 7)], "field 4 holds a number"),
        ([(1, lc0.MAGIC), (10, b"\x7a\x00" * 20_000)], "more than 10,000 fields"),
        ([(1, lc0.MAGIC)], "no weights"),
        ([(1, lc0.MAGIC), (10, encoded([(2, b"")]))], "input block is missing"),
    ],
)
def test_other_files_are_refused_by_what_they_are(tmp_path, fields, reason):
    path = tmp_path / "other.pb"
    path.write_bytes(encoded(fields, fixed=(1,)))
    with pytest.raises(CheckpointError, match=reason):
        inference.load(path)


def _rewritten(**layer_fields):
    """A tower's file whose layers all have other fields."""
    whole = lc0_layers.written_layer

    def changed(array):
        message = Message(memoryview(whole(array)))
        fields = {"low": (1, message.number(1)), "high": (2, message.number(2))}
        fields["steps"] = (3, bytes(message.bytes(3)))
        given = list({**fields, **layer_fields}.values())
        short = [number for number, value in given if isinstance(value, int) and value >> 32 == 0]
        return encoded(given, fixed=[number for number in short if number < 3])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lc0_layers, "written_layer", changed)
        return _file()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"encoding": (4, 2)}, "encoded by way 2"),
        ({"low": (1, 1 << 33)}, "32 bits"),
        ({"low": (1, b"\0\0\0\0")}, "field 1 holds bytes"),
        ({"low": (1, 0xFF7FFFFF), "high": (2, 0x7F7FFFFF)}, "lie between"),
    ],
)
def test_layers_in_another_encoding_are_refused(fields, reason):
    with pytest.raises(CheckpointError, match=reason):
        lc0.read(_rewritten(**fields), "layers")


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 3e38])
def test_weights_that_no_file_can_hold_are_refused(tmp_path, wrong):
    network = tower("lc0-8x1")
    with torch.no_grad():
        network.policy.moves.weight[0, 0, 0, 0] = wrong
        network.policy.moves.weight[1, 0, 0, 0] = -1e38
    with pytest.raises(InvalidConfig, match="lie between"):
        inference.save(network, tmp_path / "x.pb.gz", game="chess", planes="lc0")
    assert not (tmp_path / "x.pb.gz").exists()


def test_variances_below_zero_are_refused():
    arrays = {n: v.numpy().copy() for n, v in tower("lc0-8x1").state_dict().items()}
    arrays["body.0.norm.running_var"][:] = -2.0
    data = lc0.written(lc0.Lc0File("lc0", (8, 1), lc0.default_options(), arrays))
    with pytest.raises(CheckpointError, match="variance of -2"):
        lc0.read(data, "x")


@pytest.mark.parametrize("damage", ["model.safetensors", "manifest.json"])
def test_a_damaged_cache_is_made_anew(tmp_path, damage):
    path = tmp_path / "own.PB.GZ"
    inference.save(tower("lc0-8x1"), path, game="chess", planes="lc0")
    kept = inference.load(path).source
    for change in (
        lambda file: file.write_bytes(file.read_bytes()[:100]),
        lambda file: file.unlink(),
    ):
        change(kept / damage)
        assert inference.load(path).source == kept


def test_without_a_cache_folder_files_load_all_the_same(tmp_path, monkeypatch):
    path = tmp_path / "own.pb.gz"
    inference.save(tower("lc0-8x1"), path, game="chess", planes="lc0")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert inference.load(path, backend="torch").plane_spec == "lc0"


@pytest.mark.parametrize(
    ("channels", "reason"), [(60_000, "no network lc0-60000x1"), (1000, "a layer has 10 numbers")]
)
def test_a_layer_of_another_size_is_refused_before_memory_is_taken(tmp_path, channels, reason):
    layer = encoded([(1, 0), (2, 0), (3, b"\0" * 20)], fixed=(1, 2))
    block = encoded([(1, layer), (2, encoded([(3, b"\0\0" * channels)]))])
    answers = encoded([(3, b"\0" * 6)])
    weights = encoded([(1, block), (2, b""), (6, block), (8, layer), (10, answers)])
    form = encoded([(2, encoded([(4, 2), (5, 2)]))])
    net = encoded([(1, lc0.MAGIC), (4, form), (10, weights)], fixed=(1,))
    path = tmp_path / "sizes.pb"
    path.write_bytes(net)
    with pytest.raises(CheckpointError, match=reason):
        inference.load(path)


def test_other_networks_are_not_written_as_files_of_lc0(tmp_path):
    with pytest.raises(InvalidConfig, match="not a network of lc0"):
        inference.save(networks.make("resnet-8x1", seed=1), tmp_path / "x.pb.gz", game="chess")
    path = tmp_path / "y.pb.gz"
    inference.save(tower("lc0-8x1"), path, game="chess", planes="lc0")
    with pytest.raises(CheckpointError, match="overwrite=True"):
        inference.save(tower("lc0-8x1"), path, game="chess", planes="lc0")


def test_a_file_can_be_named_wherever_a_network_can(tmp_path, monkeypatch):
    inference.save(tower("lc0-8x1"), tmp_path / "own.pb.gz", game="chess", planes="lc0")
    monkeypatch.chdir(tmp_path)
    state = CHESS.initial_state()
    for text in ("mcts:net=own.pb.gz,nodes=8", "policy:net=own.pb.gz"):
        assert agents.make(text, seed=1).session(1).act(state) in state.legal_actions
    assert inference.make("own.pb.gz").plane_spec == "lc0"


@pytest.mark.parametrize("shape", [(52, 8, 8), (112, 9, 9)])
def test_towers_are_for_the_planes_of_lc0(shape):
    with pytest.raises(InvalidConfig, match="planes lc0"):
        networks.make("lc0-8x1", shape, 4672)


class _Moves(torch.nn.Module):
    """Logits that are the places of lc0's moves themselves."""

    def forward(self, features):
        return torch.arange(1858.0).expand(len(features), -1)


@pytest.mark.parametrize("planes", ["lc0", "lc0-canonical"])
def test_actions_get_the_logits_of_the_moves_that_they_are(planes):
    """Castling, promotions and turned boards, by names of moves worked out another way."""
    from phasezoo import _core

    names = _core.lc0_moves()[0]
    network = tower("lc0-8x1:policy=classical,policy_channels=1", planes)
    network.policy = _Moves()
    seen = set()
    positions = states(150, seed=7) + [
        CHESS.from_fen(fen)
        for fen in (
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
            "8/PPPPPPPP/8/4k3/8/8/8/4K3 w - - 0 1", "n1n1k3/1P6/8/8/8/8/6p1/4K2N b - - 0 1",
            "8/8/8/2k5/8/8/8/K2Q1R2 w - - 0 1", "8/8/8/3k4/8/5r2/8/4KQ2 w - - 0 1",
            "8/6k1/8/8/8/8/1K6/3R4 b - - 5 9", "3k4/8/8/8/8/8/8/4KR1R w - - 0 1",
        )
    ]  # fmt: skip
    for state in positions:
        rows = torch.from_numpy(state.planes(planes))[None]
        with torch.no_grad():
            logits = network(rows).policy_logits[0].numpy()
        turn = int(rows[0, 112, 0, 0]) if planes != "lc0" else 0
        for action in state.legal_actions:
            uci = state.uci(int(action))
            castles = state.san(int(action)).startswith("O-O")
            seen.add("castling" if castles else uci[4:] or f"turn {turn}")
            assert names[int(logits[action])] == _lc0_name(uci, state.to_play, turn, castles)
    assert {"castling", "q", "r", "b", "n", "turn 0"} <= seen
    assert planes == "lc0" or len([each for each in seen if each.startswith("turn")]) >= 5


def _lc0_name(uci, player, turn, castles):
    squares = [("abcdefgh".index(s[0]), int(s[1]) - 1) for s in (uci[:2], uci[2:4])]
    if player == 1:
        squares = [(file, 7 - rank) for file, rank in squares]
    if castles:
        squares[1] = (7 if squares[1][0] > 4 else 0, squares[1][1])
    if turn & 1:
        squares = [(7 - file, rank) for file, rank in squares]
    if turn & 2:
        squares = [(file, 7 - rank) for file, rank in squares]
    if turn & 4:
        squares = [(7 - rank, 7 - file) for file, rank in squares]
    promotion = uci[4:] if uci[4:] != "n" else ""
    return "".join(f"{'abcdefgh'[file]}{rank + 1}" for file, rank in squares) + promotion


class _AsLc0(torch.nn.Module):
    """A tower with the outputs that lc0's converter gives it."""

    def __init__(self, network, *, softmax=True, half=False):
        super().__init__()
        self.network, self.softmax, self.half = network, softmax, half

    def forward(self, planes):
        planes = planes.float()
        features = self.network.body(planes)
        value = self.network.value(features)
        is_wdl = self.network.value.numbers.out_features == 3
        answers = [self.network.policy(features), torch.tanh(value) if not is_wdl else value]
        if is_wdl and self.softmax:
            answers[1] = torch.softmax(value, 1)
        if self.network.moves_left is not None:
            answers.append(torch.relu(self.network.moves_left(features)))
        return tuple(each.half() if self.half else each for each in answers)


def _exported(path, spec, planes="lc0", opset=17, kinds=("policy", "wdl"), **options):
    """Write a tower as an ONNX file of lc0's converter and return an evaluator of the tower."""
    pytest.importorskip("onnxruntime")
    network = tower(spec, planes)
    shown = torch.zeros(2, 112, 8, 8)
    names = [f"/output/{kind}" for kind in kinds]
    torch.onnx.export(
        _AsLc0(network, **options), (shown.half() if options.get("half") else shown,), path,
        dynamo=False, opset_version=opset, input_names=["/input/planes"], output_names=names,
        dynamic_axes={name: {0: "batch"} for name in ("/input/planes", *names)},
    )  # fmt: skip
    return inference.TorchEvaluator(network, game="chess", planes=planes, device="cpu")


CLASSICAL = "lc0-8x1:policy=classical,policy_channels=4"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("spec", "options", "tolerance"),
    [
        (CLASSICAL, {}, 1e-4),
        (CLASSICAL, {"opset": 9}, 1e-4),
        (CLASSICAL, {"softmax": False}, 1e-4),
        (CLASSICAL, {"half": True}, 1e-2),
        (f"{CLASSICAL},value=mse", {"kinds": ("policy", "value")}, 1e-4),
        (f"{CLASSICAL},moves_left=4", {"kinds": ("policy", "wdl", "mlh")}, 1e-4),
    ],
)
def test_onnx_files_of_lc0_answer_as_the_weights_do(tmp_path, spec, options, tolerance):
    path = tmp_path / "converted.onnx"
    expected = _exported(path, spec, **options)
    rows = games.encode([*states(), CHESS.from_fen("4k3/1P6/8/8/8/8/8/R3K2R w KQ - 0 1")], "lc0")
    read = inference.load(path)
    assert read.plane_spec == "lc0"
    own, other = expected.evaluate(rows), read.evaluate(rows)
    np.testing.assert_allclose(other.policy_logits, own.policy_logits, atol=tolerance)
    np.testing.assert_allclose(other.values(), own.values(), atol=tolerance)
    assert (other.wdl is None) == (own.wdl is None)
    assert (other.plies_left is None) == (own.plies_left is None)
    if own.plies_left is not None:
        np.testing.assert_allclose(other.plies_left, own.plies_left, atol=1e-3)
    session = agents.make(f"mcts:net={path},nodes=8", seed=1).session(1)
    assert session.act(CHESS.initial_state()) in CHESS.initial_state().legal_actions


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("planes", ["lc0-castling", "lc0-canonical"])
def test_onnx_models_inside_a_file_of_lc0_are_read(tmp_path, planes):
    inner = tmp_path / "inner.onnx"
    expected = _exported(inner, CLASSICAL, planes)
    inputs = next(number for number, each in lc0.PLANES.items() if each == planes)
    names = [(3, b"/input/planes"), (5, b"/output/wdl"), (6, b"/output/policy")]
    onnx = encoded([(1, inner.read_bytes()), (2, 1), *names])
    form = encoded([(1, inputs), (2, 2), (3, 5), (4, 1), (5, 2)])
    fields = [(1, lc0.MAGIC), (4, encoded([(2, form)])), (11, onnx)]
    path = tmp_path / "converted.pb.gz"
    path.write_bytes(gzip.compress(encoded(fields, fixed=(1,))))
    read = inference.load(path)
    assert read.plane_spec == planes
    positions = [*states(), *map(CHESS.from_fen, (
        "8/PPPPPPPP/8/4k3/8/8/8/4K3 w - - 0 1", "8/8/8/2k5/8/8/8/K2Q1R2 w - - 0 1",
        "8/8/8/3k4/8/5r2/8/4KQ2 w - - 0 1", "8/6k1/8/8/8/8/1K6/3R4 b - - 5 9",
    ))]  # fmt: skip
    rows = games.encode(positions, planes)
    own, other = expected.evaluate(rows), read.evaluate(rows)
    np.testing.assert_allclose(other.policy_logits, own.policy_logits, atol=1e-4)
    np.testing.assert_allclose(other.wdl, own.wdl, atol=1e-4)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_onnx_files_are_refused_by_what_they_are(tmp_path):
    onnx = pytest.importorskip("onnx")
    good = tmp_path / "good.onnx"
    _exported(good, CLASSICAL)
    data = good.read_bytes()

    def refused(changed, reason):
        path = tmp_path / "other.onnx"
        path.write_bytes(changed)
        with pytest.raises(CheckpointError, match=reason):
            inference.load(path)

    for kept in (0, 1, 100, len(data) // 2, len(data) - 3):
        refused(data[:kept], r"other\.onnx: not an ONNX model of lc0")

    def changed(change):
        model = onnx.load_from_string(data)
        change(model.graph)
        return model.SerializeToString()

    def plane_count(graph):
        graph.input[0].type.tensor_type.shape.dim[1].dim_value = 111

    def renamed(graph):
        for node in graph.node:
            for place, name in enumerate(node.output):
                node.output[place] = "logits" if name == "/output/policy" else name
        graph.output[0].name = "logits"

    def outside(graph):
        graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL

    def outside_within(graph):
        inner = onnx.helper.make_graph([], "inner", [], [])
        inner.initializer.add(name="x", data_location=onnx.TensorProto.EXTERNAL)
        graph.node[0].attribute.append(onnx.helper.make_attribute("then_branch", inner))

    def swapped(graph):
        graph.output[0].name, graph.output[1].name = "/output/wdl", "/output/policy"
        names = {"/output/wdl": "/output/policy", "/output/policy": "/output/wdl"}
        for node in graph.node:
            for place, name in enumerate(node.output):
                node.output[place] = names.get(name, name)

    refused(changed(plane_count), "111")
    refused(changed(renamed), "outputs .*logits")
    refused(changed(outside), "other files")
    refused(changed(outside_within), "other files")
    refused(changed(swapped), "not an ONNX model of lc0")
