"""The core's stored games of every native game: starts, labels, samples, episodes."""

import json
from typing import Any

import numpy as np
import pytest

from phasezoo import _core, games
from phasezoo.errors import (
    CorruptRecord,
    InvalidArray,
    InvalidConfig,
    InvalidPlaneSpec,
    PhasezooError,
    UnknownGame,
)

NATIVE = [name for name in games.names() if games.make(name).native]


def records(name: str, rows: int = 400, seed: int = 1, **options: Any) -> tuple[Any, Any]:
    """Random games, and what replays them."""
    text = json.dumps(options) if options else None
    drawn, actions, offsets, returns = _core.play_episodes(name, rows, seed=seed, options=text)
    starts = [(game, f"seed:{number}") for game, number in enumerate(drawn.tolist())]
    assert len(drawn) == len(offsets) - 1 == len(returns)
    return _core.Records(name, actions, offsets, starts, text), (actions, offsets, starts)


def sample(made: Any, label: Any, rows: Any, spec: str, **given: Any) -> Any:
    game, ply, player = (column[rows] for column in label[:3])
    shape = made.states(int(game[0]))[0].planes(spec, int(player[0])).shape
    planes = np.empty((len(rows), *shape), np.float32)
    action, left = np.empty(len(rows), np.int64), np.empty(len(rows), np.float32)
    policy = made.sample(game, ply, player, spec, planes, action, left, **given)
    return planes, action, left, policy


@pytest.mark.parametrize("name", NATIVE)
def test_rows_are_what_states_say(name: str) -> None:
    handle = games.make(name)
    made, (actions, offsets, starts) = records(name)
    label = made.label(_core.Gate("none"))
    rows = np.random.default_rng(0).permutation(len(label[0]))[:40]
    for spec in handle.plane_specs:
        planes, action, left, policy = sample(made, label, rows, spec)
        assert policy is None
        for index, row in enumerate(rows.tolist()):
            game, ply, player, _, key = (column[row] for column in label)
            state = handle.initial_state(seed=int(starts[game][1].removeprefix("seed:")))
            width = len(actions) // offsets[-1]
            joints = actions[offsets[game] * width : offsets[game + 1] * width].reshape(-1, width)
            for joint in joints[:ply].tolist():
                acting = games.acting_players(state)
                state = state.play(joint[0] if width == 1 else [joint[p] for p in acting])
            assert player in games.acting_players(state)
            np.testing.assert_array_equal(planes[index], state.planes(spec, int(player)))
            assert action[index] == joints[ply][0 if width == 1 else player]
            assert left[index] == len(joints) - ply
            assert width > 1 or key == state.key


@pytest.mark.parametrize("name", NATIVE)
def test_symmetries_are_those_that_states_have(name: str) -> None:
    made, _ = records(name)
    label = made.label(_core.Gate("none"))
    rows = np.random.default_rng(0).permutation(len(label[0]))[:60]
    states = [made.states(int(label[0][row]))[int(label[1][row])] for row in rows]
    ways = made.symmetries(states)
    assert set(ways.tolist()) <= {1, made.num_symmetries}
    spec = games.make(name).default_planes
    offsets = np.arange(61, dtype=np.int64) * 3
    policy = np.tile(np.arange(3, dtype=np.int32), 60)
    for symmetry in range(made.num_symmetries):
        given = np.full(60, symmetry, np.uint8)
        plain = sample(made, label, rows, spec)
        turned = sample(made, label, rows, spec, symmetries=given, policy=(offsets, policy))
        for row, count in enumerate(ways.tolist()):
            if symmetry == 0 or count == 1:
                np.testing.assert_array_equal(turned[0][row], plain[0][row])
                assert turned[1][row] == plain[1][row]
                assert turned[3][3 * row : 3 * row + 3].tolist() == [0, 1, 2]
            # Nothing is lost: planes hold the same numbers in other places.
            sums = [np.abs(part[0][row]).sum() for part in (plain, turned)]
            assert sums[0] == pytest.approx(sums[1], rel=1e-5)
    with pytest.raises(InvalidArray, match="symmetry"):
        sample(made, label, rows, spec, symmetries=np.full(60, made.num_symmetries, np.uint8))


STARTS = {
    "chess": ["4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "moves e2e4 e7e5", "seed:1"],
    "chess960": ["seed:7", "seed:7 moves a2a3", "bnqbnrkr/8/8/8/8/8/8/BNQBNRKR w KQkq - 0 1"],
    "atomic": ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves g1f3"],
    "crazyhouse": ["4k3/8/8/8/8/8/4P3/4K3[QNpp] w - - 0 1"],
    "krk": ["seed:3", "8/8/8/4k3/8/8/8/K6R b - - 0 1"],
    "connect-four": ["4453", "moves 44"],
    "pommerman-ffa": ["seed:4", "json"],
}


@pytest.mark.parametrize("name", STARTS)
def test_starts_are_texts(name: str) -> None:
    handle = games.make(name)
    empty = (np.empty(0, np.uint16), np.zeros(2, np.int64))
    for text in STARTS[name]:
        if text.startswith("moves") and name == "connect-four":
            with pytest.raises(CorruptRecord, match="not written as text"):
                _core.Records(name, *empty, [(0, text)])
            continue
        given = handle.initial_state(seed=9).to_json() if text == "json" else text
        width = 4 if name.startswith("pommerman") else 1
        actions = np.zeros(width, np.uint16)
        made = _core.Records(name, actions, np.array([0, 1]), [(0, given)])
        if width > 1:  # everybody may stop
            state = made.states(0)[0]
            expected = 9 if text == "json" else int(text.removeprefix("seed:"))
            assert state == handle.initial_state(seed=expected)
    for wrong in ("seed:x", "nonsense", "{}"):
        with pytest.raises(CorruptRecord, match="game 0: start"):
            _core.Records(name, *empty, [(0, wrong)])


def test_moves_before_a_start_are_shown_and_make_no_rows() -> None:
    chess = games.make("chess")
    fen = chess.initial_state().fen
    state = chess.from_fen(fen, ["e2e4", "e7e5"])
    actions, offsets = state.legal_actions[:1].astype(np.uint16), np.array([0, 1])
    made = _core.Records("chess", actions, offsets, [(0, f"{fen} moves e2e4 e7e5")])
    label = made.label(_core.Gate("none"))
    assert label[1].tolist() == [0]
    planes = sample(made, label, np.array([0]), "v2")[0]
    np.testing.assert_array_equal(planes[0], state.planes("v2"))


def test_options_decide_what_is_played() -> None:
    foggy, (*_, starts) = records("pommerman-ffa", fog=True)
    seed = int(starts[0][1].removeprefix("seed:"))
    assert foggy.states(0)[0] == games.make("pommerman-ffa", fog=True).initial_state(seed=seed)
    clear = games.make("pommerman-ffa").initial_state(seed=seed)
    assert not np.array_equal(foggy.states(0)[0].planes(), clear.planes())
    near, _ = records("krk", 40, start="uniform", dtm=[1, 3])
    assert near.states(0)[0].dtm in (1, 2, 3)
    for wrong in ('{"fgo": true}', "[1]", "nothing", '{"fog": 3}'):
        with pytest.raises(InvalidConfig):
            _core.play_episodes("pommerman-ffa", 10, options=wrong)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"game": "go"}, UnknownGame),
        ({"offsets": [0, 3]}, CorruptRecord),
        ({"offsets": [0, 2, 1]}, CorruptRecord),
        ({"actions": [0] * 7}, CorruptRecord),
        ({"starts": [(3, "seed:1")]}, CorruptRecord),
        ({"starts": [(0, "{}")]}, CorruptRecord),
        ({"options": '{"fog": 2}'}, InvalidConfig),
    ],
)
def test_columns_that_do_not_fit_are_refused(
    change: dict[str, Any], error: type[PhasezooError]
) -> None:
    given = {
        "game": "pommerman-ffa",
        "actions": [0] * 8,
        "offsets": [0, 2],
        "starts": [],
        "options": None,
    } | change
    with pytest.raises(error):
        _core.Records(
            given["game"],
            np.array(given["actions"], np.uint16),
            np.array(given["offsets"], np.int64),
            given["starts"],
            given["options"],
        )


@pytest.mark.parametrize("name", NATIVE)
def test_actions_that_cannot_be_are_named(name: str) -> None:
    _, (actions, offsets, starts) = records(name, 100)
    width = len(actions) // int(offsets[-1])
    broken = actions.copy()
    broken[width * int(offsets[1] // 2)] = 60_000
    made = _core.Records(name, broken, offsets, starts)
    with pytest.raises(CorruptRecord, match=r"game 0, ply \d+: "):
        made.label(_core.Gate("none"))
    with pytest.raises(InvalidPlaneSpec):
        sample_all(made, "no such planes")


def sample_all(made: Any, spec: str) -> None:
    empty = np.empty(0, np.int32)
    rows = (np.empty((0, 1, 1, 1), np.float32), np.empty(0, np.int64), np.empty(0, np.float32))
    made.sample(empty, empty, None, spec, *rows)


def test_agents_that_play_no_episodes_are_named() -> None:
    with pytest.raises(InvalidConfig, match="genius"):
        _core.play_episodes("chess", 10, agent="genius")
