"""Games played through by the core before they are stored, beside their states played in Python."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from played_games import NATIVE, random_game

from phasezoo import _core, games
from phasezoo.data.starts import start_state
from phasezoo.data.store_file import decisions_a_ply
from phasezoo.errors import CorruptRecord, InvalidConfig
from phasezoo.games.random_play import random_action
from phasezoo.training import GameStore, StoreWriter
from phasezoo.types import SIMULTANEOUS


def by_states(state, actions, visits):
    """What is found of a game, asking the states alone."""
    last = state
    for ply, joint in enumerate(actions.tolist()):
        if state.is_terminal:
            return "goes on", ply
        last, acting = state, games.acting_players(state)
        seats = {player: player if len(joint) > 1 else 0 for player in acting}
        for player, seat in seats.items():
            seen = visits[ply] if len(joint) == 1 else visits[ply][seat]
            if not set(seen or {}) <= set(games.legal_actions_of(state, player).tolist()):
                return "wrong visits", ply
        for player, seat in seats.items():
            if joint[seat] not in games.legal_actions_of(state, player):
                return "wrong action", ply
        if any(joint[seat] for seat in set(range(len(joint))) - set(seats.values())):
            return "wrong action", ply
        chosen = [joint[seat] for seat in seats.values()]
        at_once = state.to_play == SIMULTANEOUS
        state = state.play(np.array(chosen) if at_once else chosen[0])
    return last, state


def columns_of_visits(visits, width):
    """Offsets and actions of them."""
    flat = visits if width == 1 else [one for ply in visits for one in ply]
    seen = [sorted(one or {}) for one in flat]
    offsets = np.cumsum([0, *map(len, seen)], dtype=np.int64)
    return offsets, np.array([action for one in seen for action in one], dtype=np.int32)


def by_core(start, actions, visits):
    width = actions.shape[1]
    columns = columns_of_visits(visits, width)
    try:
        led = _core.play_through(start, actions.astype(np.uint16).ravel(), width, columns)
    except CorruptRecord as error:
        ply, _, why = str(error).removeprefix("ply ").partition(": ")
        return "wrong visits" if why.startswith("visits") else "wrong action", int(ply)
    return ("goes on", led) if isinstance(led, int) else led


@pytest.mark.parametrize("name", NATIVE)
@settings(deadline=None, max_examples=6)
@given(seed=st.integers(0, 2**32), damage=st.sampled_from(["none", "action", "visits"]))
def test_the_core_finds_what_the_states_do(name, seed, damage):
    rng = np.random.default_rng(seed)
    told = random_game(name, rng, longest=60)
    actions, visits = told["actions"], told["visits"]
    game = games.make(name)
    if len(actions) and damage == "action":
        place = rng.integers(len(actions)), rng.integers(actions.shape[1])
        actions[place] = rng.integers(game.num_actions)
    if len(actions) and damage == "visits":
        ply, wrong = rng.integers(len(visits)), {int(rng.integers(game.num_actions)): 1}
        seats = actions.shape[1]
        visits[ply] = wrong if seats == 1 else [wrong if s == 0 else None for s in range(seats)]
    start = game.initial_state() if told["start"] is None else start_state(game, told["start"])
    expected = by_states(start, actions, visits)
    if damage == "none":
        assert not isinstance(expected[0], str)
    assert by_core(start, actions, visits) == expected


@pytest.mark.parametrize("name", ["pommerman-ffa", "pommerman-team"])
def test_whoever_is_out_does_nothing(name):
    game, rng = games.make(name), np.random.default_rng(2)
    width = decisions_a_ply(game)
    state, joints = game.initial_state(seed=1), []
    while not any(out := [state.is_idle(player) for player in range(width)]):
        joint = np.zeros(width, dtype=np.int64)
        joint[list(games.acting_players(state))] = random_action(state, rng)
        joints.append(joint)
        state = state.play(joint)
    joints.append(np.where(out, 5, 0))
    with pytest.raises(CorruptRecord, match=f"ply {len(joints) - 1}: action 5 of player"):
        _core.play_through(
            game.initial_state(seed=1), np.array(joints, dtype=np.uint16).ravel(), width
        )


def actions_of(moves):
    state, actions = games.make("chess").initial_state(), []
    for move in moves.split():
        actions.append(state.parse_uci(move))
        state = state.play(actions[-1])
    return actions


REPEATED = actions_of("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")
MATED = actions_of("f2f3 e7e5 g2g4 d8h4")


@pytest.fixture
def writer(tmp_path):
    with StoreWriter(tmp_path / "games", "chess") as writer:
        yield writer


def test_games_that_went_on_after_a_draw_are_kept_if_their_returns_are_told(writer):
    further = [*REPEATED, *actions_of("e2e4 e7e5")]
    writer.add(actions=further, returns=[1, -1])
    writer.add(actions=REPEATED)
    with pytest.raises(InvalidConfig, match="goes on after its end by the rules at ply 8"):
        writer.add(actions=further)
    with pytest.raises(InvalidConfig, match="goes on after its end by the rules at ply 8"):
        writer.add(actions=[*further, 0])
    with pytest.raises(CorruptRecord, match="ply 10: action 0"):
        writer.add(actions=[*further, 0], returns=[1, -1])
    writer.close()
    store = GameStore.open(writer.folder)
    assert np.diff(store.offsets).tolist() == [10, 8]
    assert store.returns.tolist() == [[1, -1], [0, 0]]
    assert len(store.positions()) == 18


def test_nobody_plays_on_after_mate(writer):
    with pytest.raises(CorruptRecord, match="ply 4: action 8"):
        writer.add(actions=[*MATED, 8], returns=[-1, 1])
    with pytest.raises(InvalidConfig, match="goes on after its end by the rules at ply 4"):
        writer.add(actions=[*MATED, 8])
    writer.add(actions=MATED)
    assert len(writer) == 1


def test_what_is_no_game_is_refused():
    start, one = games.make("chess").initial_state(), np.array([8], dtype=np.uint16)
    assert _core.play_through(start, one[:0]) == (start, start)
    for width in (0, 2, 9):
        with pytest.raises(CorruptRecord, match=f"1 actions, {width} a ply"):
            _core.play_through(start, one, width)
    with pytest.raises(TypeError, match="no state"):
        _core.play_through("start", one)
    offsets = np.array([5, -3], dtype=np.int64)
    assert _core.play_through(start, one, 1, (offsets, np.zeros(1, np.int32)))[0] == start
