"""Attention bodies of lc0: what they answer, by NumPy; their files, whole and damaged; training."""

import contextlib
import gzip
import tracemalloc

import numpy as np
import pytest
import torch

from phasezoo import _core, agents, games, inference, networks
from phasezoo.errors import CheckpointError, InvalidConfig
from phasezoo.inference.formats import lc0
from phasezoo.inference.formats.protobuf import Message, encoded

CHESS = games.make("chess")
C, LAYERS, HEADS, WIDTH, FFN, READ, UNITS = 12, 2, 3, 6, 10, 7, 5
D, GENERATED, COMPRESSED, HIDDEN = 4, 3, 2, 6
OWN_LAYERS, OWN_HEADS, OWN_WIDTH, OWN_FFN = 2, 4, 8, 9


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Weights:
    """Random layers of a message, as the numbers that its 16 bits stand for."""

    def __init__(self, seed):
        self.rng, self.arrays = np.random.default_rng(seed), {}

    def layer(self, name, *shape):
        steps = self.rng.integers(0, 65536, int(np.prod(shape))).astype("<u2")
        bound = np.float32(0.5)
        self.arrays[name] = (steps / 65535 * 2 * bound - bound).reshape(shape).astype(np.float64)
        bits = [int(np.float32(value).view(np.uint32)) for value in (-bound, bound)]
        return encoded([(1, bits[0]), (2, bits[1]), (3, steps.tobytes())], fixed=(1, 2))

    def dense(self, name, outputs, inputs, first):
        weight, bias = self.layer(f"{name}.w", outputs, inputs), self.layer(f"{name}.b", outputs)
        return [(first, weight), (first + 1, bias)]

    def norm(self, name, size, first):
        return [(first, self.layer(f"{name}.g", size)), (first + 1, self.layer(f"{name}.o", size))]


def policy_encoders(w):
    """Encoder layers of a policy, to be numbered."""
    found = []
    for i in range(OWN_LAYERS):
        mha = [*w.dense(f"pq{i}", OWN_WIDTH, READ, 1), *w.dense(f"pk{i}", OWN_WIDTH, READ, 3)]
        mha += [*w.dense(f"pv{i}", OWN_WIDTH, READ, 5), *w.dense(f"pd{i}", READ, OWN_WIDTH, 7)]
        ffn = w.dense(f"pf1{i}", OWN_FFN, READ, 1) + w.dense(f"pf2{i}", READ, OWN_FFN, 3)
        layer = [(1, encoded(mha)), *w.norm(f"pln1{i}", READ, 2), (4, encoded(ffn))]
        found.append(encoded(layer + w.norm(f"pln2{i}", READ, 5)))
    return found


def message(kind, seed=1, *, own=False):
    """A file and its layers: structure 6 with the map embedding, or 7 with the dense one.

    ``own``: its policy has encoder layers.
    """
    w = Weights(seed)
    dense = kind == "dense"
    fields = w.dense("emb", C, 112 + (D if dense else 64), 25)
    if dense:
        fields += w.dense("pre", 64 * D, 64 * 12, 37) + w.norm("emb_ln", C, 39)
        ffn = w.dense("emb_ffn1", FFN, C, 1) + w.dense("emb_ffn2", C, FFN, 3)
        fields += [(41, encoded(ffn)), *w.norm("emb_ffn_ln", C, 42)]
        fields += [(33, w.layer("mult", C, 64)), (34, w.layer("add", C, 64))]
        fields += [(35, w.layer("smolgen", 4096, GENERATED))]
    for i in range(LAYERS):
        mha = w.dense(f"q{i}", WIDTH, C, 1) + w.dense(f"k{i}", WIDTH, C, 3)
        mha += w.dense(f"v{i}", WIDTH, C, 5) + w.dense(f"d{i}", C, WIDTH, 7)
        if dense:
            generator = [(1, w.layer(f"compress{i}", COMPRESSED, C))]
            generator += w.dense(f"s1{i}", HIDDEN, 64 * COMPRESSED, 2) + w.norm(
                f"sl1{i}", HIDDEN, 4
            )
            generator += w.dense(f"s2{i}", HEADS * GENERATED, HIDDEN, 6)
            generator += w.norm(f"sl2{i}", HEADS * GENERATED, 8)
            mha.append((9, encoded(generator)))
        ffn = w.dense(f"f1{i}", FFN, C, 1) + w.dense(f"f2{i}", C, FFN, 3)
        layer = [(1, encoded(mha)), *w.norm(f"ln1{i}", C, 2), (4, encoded(ffn))]
        fields.append((27, encoded(layer + w.norm(f"ln2{i}", C, 5))))
    fields.append((28, HEADS))
    wq = w.dense("wq", UNITS, READ, 3 if dense else 17)
    wk = w.dense("wk", UNITS, READ, 5 if dense else 19)
    ppo = [(7 if dense else 22, w.layer("ppo", 4, UNITS))]
    if own:
        ppo += [(8 if dense else 21, layer) for layer in policy_encoders(w)]
        ppo += [(9 if dense else 24, OWN_HEADS)]
    if dense:
        shared = w.dense("pol", READ, C, 1)
        fields.append((45, encoded([*shared, (3, encoded(wq + wk + ppo)), (4, b"")])))
        value = w.dense("val", 3, C, 1) + w.dense("val1", 8, 64 * 3, 3) + w.dense("val2", 3, 8, 5)
        fields.append((44, encoded([(1, encoded(value)), (2, b"")])))
    else:
        fields += w.dense("pol", READ, C, 4) + wq + wk + ppo
        fields += (
            w.dense("val", 3, C, 29) + w.dense("val1", 8, 64 * 3, 7) + w.dense("val2", 3, 8, 9)
        )
    fields += w.dense("mov", 2, C, 31) + w.dense("mov1", 6, 64 * 2, 13) + w.dense("mov2", 1, 6, 15)
    form = [(1, 1), (2, 2), (3, 7 if dense else 6), (4, 3), (5, 2), (6, 1), (7, 1)]
    form += [(8, 7), (9, 8), (10, 2)] if dense else []
    return w.arrays, form, fields


def packed(form, fields):
    described = encoded([(1, 1), (2, encoded(form))])
    return encoded([(1, lc0.MAGIC), (4, described), (10, encoded(fields))], fixed=(1,))


def policy_of(a, tokens):
    """The 1,858 logits of the policy's tokens, move by move."""
    q, k = (tokens @ a[f"{name}.w"].T + a[f"{name}.b"] for name in ("wq", "wk"))
    logits = []
    for move in _core.lc0_moves()[0]:
        start, end = (ord(move[j]) - 97 + 8 * (int(move[j + 1]) - 1) for j in (0, 2))
        logit = q[start] @ k[end] / np.sqrt(UNITS)
        if move[4:]:
            extra = a["ppo"] @ k[end]
            logit += extra["qrb".index(move[4:])] + extra[3]
        logits.append(logit)
    return np.array(logits)


def mish(x):
    return x * np.tanh(np.log1p(np.exp(x)))


def selu(x):
    scale, alpha = 1.0507009873554805, 1.6732632423543772
    return scale * np.where(x > 0, x, alpha * np.expm1(x))


def normed(a, name, x, eps):
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    return centred / spread * a[f"{name}.g"] + a[f"{name}.o"]


def policy_tokens(a, x, eps, activation):
    """The tokens of a policy after encoder layers of its own, query by query."""

    def fc(name, x):
        return x @ a[f"{name}.w"].T + a[f"{name}.b"]

    for i in range(OWN_LAYERS):
        q, k, v = (fc(f"p{name}{i}", x) for name in "qkv")
        size, gathered = OWN_WIDTH // OWN_HEADS, np.zeros((64, OWN_WIDTH))
        for h in range(OWN_HEADS):
            part = slice(h * size, (h + 1) * size)
            for square in range(64):
                odds = np.exp(k[:, part] @ q[square, part] / np.sqrt(size))
                gathered[square, part] = odds @ v[:, part] / odds.sum()
        x = normed(a, f"pln1{i}", x + fc(f"pd{i}", gathered), eps)
        x = normed(a, f"pln2{i}", x + fc(f"pf2{i}", activation(fc(f"pf1{i}", x))), eps)
    return x


def answers(a, planes, kind):
    """The 1,858 logits, win, draw, loss and plies of ``[112, 8, 8]``, square by square."""
    dense, eps = kind == "dense", 1e-3 if kind == "dense" else 1e-6

    def fc(name, x):
        return x @ a[f"{name}.w"].T + a[f"{name}.b"]

    def norm(name, x):
        return normed(a, name, x, eps)

    def swish(x):
        return x / (1 + np.exp(-x))

    def between(hidden):
        return np.maximum(hidden, 0) ** 2 if dense else mish(hidden)

    def ffn(first, second, x):
        return fc(second, between(fc(first, x)))

    alpha = (2 * LAYERS) ** -0.25
    squares = np.array([planes[:, s // 8, s % 8] for s in range(64)], np.float64)
    if dense:
        more = fc("pre", squares[:, :12].reshape(-1)).reshape(64, D)
    else:
        more = np.zeros((64, 64))
        for x in range(64):
            for y in range(64):
                df, dr = abs(x % 8 - y % 8), abs(x // 8 - y // 8)
                more[x, y] = float(df == dr or df * dr == 0 or sorted((df, dr)) == [1, 2])
            more[x, x] = -1
    x = mish(fc("emb", np.concatenate([squares, more], 1)))
    if dense:
        x = norm("emb_ln", x) * a["mult"].T + a["add"].T
        x = norm("emb_ffn_ln", x + alpha * ffn("emb_ffn1", "emb_ffn2", x))
    for i in range(LAYERS):
        q, k, v = (fc(f"{name}{i}", x) for name in "qkv")
        if dense:
            flat = (x @ a[f"compress{i}"].T).reshape(-1)
            flat = norm(f"sl1{i}", swish(fc(f"s1{i}", flat)))
            flat = norm(f"sl2{i}", swish(fc(f"s2{i}", flat)))
        size, heads = WIDTH // HEADS, []
        for h in range(HEADS):
            part = slice(h * size, (h + 1) * size)
            scores = q[:, part] @ k[:, part].T / np.sqrt(size)
            if dense:
                own = flat[h * GENERATED : (h + 1) * GENERATED]
                scores = scores + (a["smolgen"] @ own).reshape(64, 64)
            odds = np.exp(scores - scores.max(1, keepdims=True))
            heads.append(odds / odds.sum(1, keepdims=True) @ v[:, part])
        x = norm(f"ln1{i}", x + alpha * fc(f"d{i}", np.concatenate(heads, 1)))
        x = norm(f"ln2{i}", x + alpha * ffn(f"f1{i}", f"f2{i}", x))
    tokens = mish(fc("pol", x))
    logits = policy_of(a, policy_tokens(a, tokens, eps, between) if "pq0.w" in a else tokens)
    value = fc("val2", mish(fc("val1", mish(fc("val", x)).reshape(-1))))
    plies = max(0, fc("mov2", mish(fc("mov1", mish(fc("mov", x)).reshape(-1))))[0])
    return logits, value, plies


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("kind", ["map", "dense"])
def test_a_message_answers_what_numpy_does_and_is_written_back(tmp_path, kind, own):
    arrays, form, fields = message(kind, own=own)
    (tmp_path / "own.pb").write_bytes(packed(form, fields))
    read = inference.load(tmp_path / "own.pb", backend="torch")
    assert read.manifest.network == f"lc0-attention-{C}x{LAYERS}"
    network = read.network
    planes = CHESS.from_fen("r3k2r/1P6/8/8/4P3/8/8/R3K2R w KQkq - 0 1").planes("lc0")
    with torch.no_grad():
        features = network.body(torch.from_numpy(planes)[None])
        logits = network.policy(features)[0].numpy()
        output = network(torch.from_numpy(planes)[None])
    expected, value, plies = answers(arrays, planes, kind)
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    np.testing.assert_allclose(output.wdl_logits[0].numpy(), value, atol=1e-4)
    np.testing.assert_allclose(output.plies[0], min(plies / 100, 1), atol=1e-4)
    inference.save(read, tmp_path / "again.pb.gz")
    again = inference.load(tmp_path / "again.pb.gz", backend="torch")
    rows = planes[None]
    before, after = read.evaluate(rows), again.evaluate(rows)
    np.testing.assert_allclose(after.policy_logits, before.policy_logits, atol=1e-3)
    np.testing.assert_allclose(after.values(), before.values(), atol=1e-3)
    session = agents.make(f"mcts:net={tmp_path / 'again.pb.gz'},nodes=8", seed=1).session(1)
    assert session.act(CHESS.initial_state()) in CHESS.initial_state().legal_actions


@pytest.mark.parametrize("layers", [False, True])
def test_a_tower_may_have_the_attention_policy(tmp_path, layers):
    w = Weights(4)
    kept = gzip.decompress(_tower_file(tmp_path))
    own = Message(memoryview(kept)).message(10)
    fields = [(number, bytes(own.bytes(number))) for number in (1, 6, 7, 8, 9, 10)]
    policy = w.dense("pol", READ, 8, 4) + w.dense("wq", UNITS, READ, 17)
    policy += [*w.dense("wk", UNITS, READ, 19), (22, w.layer("ppo", 4, UNITS))]
    if layers:
        policy += [*((21, layer) for layer in policy_encoders(w)), (24, OWN_HEADS)]
    fields += [(2, bytes(own.bytes(2))), *policy]
    (tmp_path / "own.pb").write_bytes(packed([(3, 4), (4, 3), (5, 2)], fields))
    evaluator = inference.load(tmp_path / "own.pb", backend="torch")
    read = evaluator.network
    features = torch.randn(1, 8, 8, 8)
    with torch.no_grad():
        found = read.policy(features)[0].numpy()
    tokens = features[0].numpy().reshape(8, 64).T @ w.arrays["pol.w"].T + w.arrays["pol.b"]
    tokens = selu(tokens)
    if layers:
        tokens = policy_tokens(w.arrays, tokens, 1e-6, selu)
    np.testing.assert_allclose(found, policy_of(w.arrays, tokens), atol=1e-4)
    inference.save(evaluator, tmp_path / "again.pb.gz")
    again = inference.load(tmp_path / "again.pb.gz", backend="torch").network
    with torch.no_grad():
        np.testing.assert_allclose(again.policy(features)[0].numpy(), found, atol=1e-3)


def _tower_file(folder):
    network = networks.make("lc0-8x1:policy=attention", (112, 8, 8), 4672, seed=2)
    inference.save(network, folder / "tower.pb.gz", game="chess", planes="lc0")
    return (folder / "tower.pb.gz").read_bytes()


NUMBERS = encoded([(3, b"\0\0" * 8)])
"""A layer of eight numbers."""


def _changed(fields, number, value):
    """Fields with another value for one of them, or without it."""
    others = [each for each in fields if each[0] != number]
    return others if value is None else [*others, (number, value)]


@pytest.mark.parametrize(
    ("form", "fields", "reason"),
    [
        ((4, 2), None, "policy format 2 of an attention body"),
        ((9, 5), None, r"activation 5 \(field 9\)"),
        ((10, 3), None, "input embedding 3"),
        ((3, 8), None, "structure 8"),
        ((3, 3), None, "structure 3 is a tower, and it has encoder layers"),
        (None, (2, b""), "residual blocks before"),
        (None, (21, b""), "the policy's attention is missing"),
        (None, (21, encoded([(1, encoded([(2, NUMBERS)])), (4, b"")])), "0 attention heads"),
        (None, (36, b""), "a bias of the generated"),
        (None, (28, 0), "0 attention heads"),
        (None, (28, 5), "5 attention heads"),
        (None, (27, None), "encoder layers are missing"),
        (None, (27, encoded([(1, encoded([(10, b"")]))])), "field 10 of a layer's attention"),
        (None, (22, None), "missing"),
        (None, (26, encoded([(3, b"\0\0" * 60_000)])), "no network lc0-attention-60000x2"),
        (None, (34, b""), "shifts its embedding"),
    ],
)
def test_parts_that_are_not_read_are_refused_by_name(form, fields, reason):
    _, own_form, own_fields = message("map")
    own_form = own_form if form is None else _changed(own_form, *form)
    own_fields = own_fields if fields is None else _changed(own_fields, *fields)
    with pytest.raises(CheckpointError, match=reason):
        lc0.read(packed(own_form, own_fields), "other")


def test_old_files_are_understood_as_lc0_does():
    _, form, fields = message("map")
    usual = lc0.read(packed(form, fields), "usual")
    old = lc0.read(packed(_changed(form, 3, 4), fields), "old")
    assert (old.network, old.options) == (usual.network, usual.options)
    _, form, fields = message("dense")
    usual = lc0.read(packed(form, fields), "usual")
    assert usual.options["embedding"] == "dense"
    for number in (134, 6):
        changed = lc0.read(packed(_changed(form, 3, number), fields), "old")
        assert changed.options == usual.options


@pytest.mark.parametrize("kind", ["map", "dense"])
def test_cut_and_changed_files_raise_nothing_else_and_take_little_memory(kind):
    _, form, fields = message(kind, own=True)
    whole = packed(form, fields)
    rng = np.random.default_rng(3)
    refused = 0
    tracemalloc.start()
    for turn in range(120):
        data = bytearray(whole[: int(rng.integers(1, len(whole)))] if turn % 2 else whole)
        for at in rng.integers(0, len(data), 6):
            data[at] = int(rng.integers(256))
        data[int(rng.integers(min(60, len(data))))] ^= 1 << int(rng.integers(8))
        try:
            lc0.read(bytes(data), "changed")
        except CheckpointError:
            refused += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused > 60
    assert peak < 20 * len(whole)
    with contextlib.suppress(CheckpointError):
        lc0.read(gzip.compress(whole)[:-9], "cut")


@pytest.mark.parametrize(
    "name",
    [
        "lc0-attention-16x1:heads=5",
        "lc0-attention-16x1:policy_blocks=1,policy_heads=5,policy_width=16",
        "lc0-16x1:policy=attention,policy_blocks=1,policy_heads=5,policy_width=16",
    ],
)
def test_heads_divide_the_width(name):
    with pytest.raises(InvalidConfig, match="do not divide the width 16"):
        networks.make(name, (112, 8, 8), 4672)


def test_the_map_embedding_says_where_a_queen_or_a_knight_goes():
    """By the squares that python-chess finds attacked on an empty board."""
    chess = pytest.importorskip("chess")
    found = networks.make("lc0-attention-16x1:heads=2", (112, 8, 8), 4672).body.embed.positions
    for square in range(64):
        board = chess.Board.empty()
        expected = [0.0] * 64
        for piece in (chess.QUEEN, chess.KNIGHT):
            board.set_piece_at(square, chess.Piece(piece, chess.WHITE))
            for reached in board.attacks(square):
                expected[reached] = 1.0
        expected[square] = -1.0
        assert found[square].tolist() == expected


@pytest.mark.parametrize("kind", ["map", "dense"])
def test_it_learns(kind):
    """Any of ten seeds brings both losses of a few positions below half of what they were."""
    positions, state = [], CHESS.initial_state()
    for action in range(8):
        positions.append(state)
        state = state.play(int(state.legal_actions[action]))
    planes = torch.from_numpy(games.encode(positions, "lc0"))
    targets = torch.tensor([int(each.legal_actions[-1]) for each in positions])
    results = torch.arange(8) % 3
    name = f"lc0-attention-16x1:heads=2,embedding={kind},embedding_units=4,smolgen=4"
    name += ",policy_blocks=1" if kind == "map" else ""
    network = networks.make(name, (112, 8, 8), 4672, seed=1)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    losses = []
    for _ in range(60):
        output = network(planes)
        policy = torch.nn.functional.cross_entropy(output.policy_logits, targets)
        value = torch.nn.functional.cross_entropy(output.wdl_logits, results)
        optimizer.zero_grad()
        (policy + value).backward()
        optimizer.step()
        losses.append((policy.item(), value.item()))
    assert losses[-1][0] < losses[0][0] / 2
    assert losses[-1][1] < losses[0][1] / 2
