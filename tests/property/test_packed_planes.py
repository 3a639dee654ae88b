"""Packed planes: unpacked they are the float planes bit for bit, wherever planes are made."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from phasezoo import _core, games
from phasezoo.errors import InvalidArray, InvalidConfig, InvalidPlaneSpec
from phasezoo.games import PackedPlanes, PlaneLayout

CHOICES = [
    (name, spec, history)
    for name in games.names()
    for spec in games.make(name).plane_specs
    for history in ([None, 0, 5] if spec in games.make(name).shown_moves else [None])
    if games.make(name).native
]


def after_random_steps(name: str, steps: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    state = games.make(name).initial_state(seed=seed)
    for _ in range(steps):
        if state.is_terminal:
            break
        acting = games.acting_players(state)
        joint = [int(rng.choice(games.legal_actions_of(state, player))) for player in acting]
        state = state.play(joint[0] if state.to_play >= 0 else joint)
    return state


def assert_same_bits(found: Any, expected: Any) -> None:
    assert found.dtype == expected.dtype == np.float32
    np.testing.assert_array_equal(found.view(np.uint32), expected.view(np.uint32))


@given(st.sampled_from(CHOICES), st.integers(0, 60), st.integers(0, 9999), st.data())
@settings(max_examples=150, deadline=None)
def test_unpacked_they_are_the_float_planes(
    choice: tuple[str, str, int | None], steps: int, seed: int, data: st.DataObject
) -> None:
    name, spec, history = choice
    game = games.make(name)
    text = game.plane_spec(spec, history)
    state = after_random_steps(name, steps, seed)
    player = data.draw(st.integers(0, game.num_players - 1))
    floats = state.planes(text, player)
    packed = state.planes(text, player, packed=True)
    assert packed.layout == game.plane_layout(text)
    assert_same_bits(packed.unpack(), floats)
    # What the reference packs is what the core packs.
    again = packed.layout.pack(floats)
    np.testing.assert_array_equal(again.bits, packed.bits)
    assert_same_bits(again.numbers, packed.numbers)
    # Many at once, on threads.
    many = games.encode([state] * 70, spec, players=[player] * 70, history=history, packed=True)
    assert many.shape == (70, *game.plane_shape(text))
    np.testing.assert_array_equal(many.bits, np.tile(packed.bits, (70, 1)))
    assert_same_bits(many.numbers, np.tile(packed.numbers, (70, 1)))


def test_a_layout_says_where_planes_are() -> None:
    layout = PlaneLayout("gbc", 7, 10)
    planes = np.zeros((3, 7, 10), dtype=np.float32)
    planes[0] = 0.25
    planes[1, 0, 3] = planes[1, 6, 9] = 1
    planes[2] = -2
    packed = layout.pack(planes)
    assert packed.bits.tolist() == [1 << 3, 1 << 5]
    assert packed.numbers.tolist() == [-2.0, *[0.25] * 70]
    assert packed.nbytes == layout.nbytes == 16 + 4 * 71
    assert_same_bits(packed.unpack(), planes)


def test_they_take_a_fortieth_of_a_chess_position() -> None:
    layout = games.make("chess").plane_layout()
    assert (layout.words, layout.numbers, layout.nbytes) == (33, 19, 340)
    assert games.make("chess").plane_layout("v2:history=3") == layout


def test_rows_are_taken_and_joined_like_those_of_an_array() -> None:
    states = [after_random_steps("chess", plies, 3) for plies in range(6)]
    packed, floats = games.encode(states, packed=True), games.encode(states)
    assert len(packed) == 6
    assert packed.nbytes == 6 * 340
    assert_same_bits(packed[2].unpack(), floats[2])
    assert_same_bits(packed[1:4].unpack(), floats[1:4])
    assert_same_bits(packed.take([4, 0, 4]).unpack(), floats[[4, 0, 4]])
    joined = PackedPlanes.joined([packed[3:], packed[:2]])
    assert_same_bits(joined.unpack(), floats[[3, 4, 5, 0, 1]])
    with pytest.raises(InvalidArray, match="2 layouts"):
        PackedPlanes.joined([packed, games.encode(states, "v1", packed=True)])


class _Own:
    """The least of a state of a game of one's own that planes need."""

    to_play = 0
    is_terminal = False

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.arange(12, dtype=np.float32).reshape(2, 2, 3) - 0.5


def test_planes_of_a_game_of_ones_own_stay_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    own = games.Game("own", 2, 3, {"only": (2, 2, 3)}, "only", _Own)
    monkeypatch.setattr("phasezoo.games.queries.game_of", lambda state: own)
    packed = games.encode([_Own(), _Own()], packed=True)
    assert own.plane_layout() == packed.layout == PlaneLayout("gg", 2, 3)
    assert packed.bits.shape == (2, 0)
    assert_same_bits(packed.unpack(), games.encode([_Own(), _Own()]))


def test_what_does_not_fit_is_refused() -> None:
    state = games.make("chess").initial_state()
    with pytest.raises(InvalidConfig, match="leave it out with packed=True"):
        games.encode([state], "v2", np.empty((1, 52, 8, 8), np.float32), packed=True)  # type: ignore[call-overload]
    with pytest.raises(InvalidConfig, match="leave it out with packed=True"):
        _core.encode([state], "v2", np.empty((1, 52, 8, 8), np.float32), packed=True)
    with pytest.raises(InvalidPlaneSpec, match="'v3'"):
        games.make("chess").plane_layout("v3")
    with pytest.raises(InvalidPlaneSpec, match="standard"):
        _core.plane_kinds("pommerman-ffa", "v2")
    layout = games.make("chess").plane_layout()
    with pytest.raises(InvalidArray, match=r"expected \[..., 52, 8, 8\]"):
        layout.pack(np.zeros((1, 39, 8, 8), np.float32))
    with pytest.raises(InvalidArray, match=r"expected uint64\[..., 33\]"):
        PackedPlanes(np.zeros((2, 33), np.int64), np.zeros((2, 19), np.float32), layout)  # type: ignore[arg-type]
    with pytest.raises(InvalidArray, match="same axes"):
        PackedPlanes(np.zeros((2, 33), np.uint64), np.zeros((3, 19), np.float32), layout)


@pytest.mark.parametrize("name", ["chess", "connect-four", "pommerman-ffa"])
def test_leaves_of_a_search_have_them(name: str) -> None:
    game = games.make(name)
    others = "random" if name == "pommerman-ffa" else None
    pool = _core.SearchPool(name, _core.SearchParams(batch_size=8), others=others)
    tree = pool.add(1)
    pool.begin(tree, game.initial_state(seed=1), nodes=60)
    seen = 0
    while pool.is_running(tree):
        leaves = pool.collect(40)
        packed = leaves.planes(game.default_planes, packed=True)
        assert leaves.planes(game.default_planes, packed=True) is packed
        floats = leaves.planes(game.default_planes)
        assert packed.layout == game.plane_layout()
        assert_same_bits(packed.unpack(), floats)
        part = leaves.select([len(leaves) - 1, 0])
        assert_same_bits(part.planes(game.default_planes, packed=True).unpack(), floats[[-1, 0]])
        pool.complete(leaves, value=np.zeros(len(leaves), np.float32))
        seen += len(leaves)
    assert seen >= 40


def test_leaves_of_a_game_of_ones_own_have_them() -> None:
    four = games.make("connect-four")

    class Own:
        name, num_players, num_actions = "own-four", 2, 7

        def plane_shape(self, spec: str) -> tuple[int, int, int]:
            return (3, 6, 7)

    class State:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def play(self, action: int) -> "State":
            return State(self.inner.play(action))

    pool = _core.SearchPool(Own(), _core.SearchParams(batch_size=4))
    tree = pool.add(1)
    pool.begin(tree, State(four.initial_state()), nodes=10)
    leaves = pool.collect(8)
    packed = leaves.planes("default", packed=True)
    assert packed.layout == PlaneLayout("ggg", 6, 7)
    assert_same_bits(packed.unpack(), leaves.planes("default"))
    pool.cancel(leaves)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"layout": None}, "layout=None: expected a PlaneLayout"),
        ({"layout": "v2"}, "layout='v2'"),
        ({"bits": [[0] * 33]}, "bits is a list"),
        ({"numbers": None}, "numbers is a NoneType"),
        ({"bits": np.zeros((1, 33), np.int64)}, r"bits int64\[1, 33\]"),
        ({"bits": np.zeros((1, 33), ">u8")}, r"bits >u8"),
        ({"bits": np.uint64(3)}, "bits is a uint64"),
        ({"numbers": np.zeros((1, 19))}, r"numbers float64\[1, 19\]"),
        ({"numbers": np.zeros((2, 19), np.float32)}, r"float32\[2, 19\]"),
    ],
)
def test_what_packed_planes_cannot_be_made_of_is_named(changed: dict[str, Any], text: str) -> None:
    planes = games.encode([games.make("chess").initial_state()], "v2", packed=True)
    given = {"bits": planes.bits, "numbers": planes.numbers, "layout": planes.layout}
    with pytest.raises(InvalidArray, match=text):
        PackedPlanes(**(given | changed))


@pytest.mark.parametrize(
    ("sizes", "text"),
    [
        (("bxg", 8, 8), "kinds='bxg'"),
        (("", 8, 8), "kinds=''"),
        ((5, 8, 8), "kinds=5"),
        ((["b"], 8, 8), "a letter for each plane"),
        (("b", 0, 8), "height=0"),
        (("b", 8, -1), "width=-1"),
        (("b", "8", 8), "height='8'"),
        (("b", 8, 1.5), "width=1.5"),
        (("b", True, 8), "height=True"),
    ],
)
def test_layouts_that_cannot_be_are_named(sizes: Any, text: str) -> None:
    with pytest.raises(InvalidConfig, match=text):
        PlaneLayout(*sizes)


@pytest.mark.parametrize("given", [None, "x", [[1], [1, 2]], np.full((3, 2, 2), "a"), 1j])
def test_what_cannot_be_packed_is_named(given: Any) -> None:
    with pytest.raises(InvalidArray, match=r"no array of numbers, expected float32"):
        PlaneLayout("bcg", 2, 2).pack(given)


def test_lists_of_numbers_are_packed_as_arrays_are() -> None:
    layout, planes = PlaneLayout("bcg", 1, 2), np.array([[[0, 1]], [[3, 3]], [[4, 5]]], np.float32)
    assert_same_bits(layout.pack(planes.tolist()).unpack(), planes)
    assert_same_bits(layout.pack(planes.astype(np.int8)).unpack(), planes)


def test_only_packed_planes_of_many_states_are_joined() -> None:
    state = games.make("chess").initial_state()
    many, one = games.encode([state] * 2, packed=True), state.planes("v2", packed=True)
    assert (len(many), len(one)) == (2, 52)
    for parts in ([many, one], [many, many.unpack()], [many, None]):
        with pytest.raises(InvalidArray, match="cannot join"):
            PackedPlanes.joined(parts)
    with pytest.raises(InvalidArray, match="0 layouts"):
        PackedPlanes.joined([])
