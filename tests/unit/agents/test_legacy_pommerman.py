"""Agents for the original Pommerman, as they were written."""

import random
import sys
import types
from enum import Enum

import numpy as np
import pytest

from phasezoo import games, pommerman_compat
from phasezoo.agents.base import session_pool_of
from phasezoo.errors import IllegalAction, InvalidConfig, InvalidState
from phasezoo.pommerman_compat import agents as stand_in, constants
from phasezoo.zoo.pommerman.agents.legacy import LegacyPommermanAgent

FFA = games.make("pommerman-ffa")
RADIO = games.make("pommerman-team-radio", fog=True)

# As people wrote them: helpers of the package, state on the object, the package's own base class.
SOURCE = """
import random
from collections import defaultdict

import numpy as np

from pommerman import agents, characters, constants, utility
from pommerman.agents.base_agent import BaseAgent
from pommerman.agents.simple_agent import SimpleAgent
import pommerman.constants


class Walker(agents.BaseAgent):
    def __init__(self, *args, **kwargs):
        super(Walker, self).__init__(*args, **kwargs)
        self.visits = defaultdict(int)

    def act(self, obs, action_space):
        board = np.array(obs['board'])
        here = tuple(obs['position'])
        assert here == self.position and obs['ammo'] == self.ammo
        assert board[here] == utility.agent_value(self.agent_id)
        assert obs['teammate'] == self.teammate
        assert pommerman.constants.Item(4) == constants.Item.Flames
        enemies = [constants.Item(e) for e in obs['enemies']]
        self.visits[here] += 1
        free = []
        for direction in [constants.Action.Up, constants.Action.Down,
                          constants.Action.Left, constants.Action.Right]:
            if not utility.is_valid_direction(board, here, direction.value):
                continue
            to = utility.get_next_position(here, direction)
            if utility.position_is_passable(board, to, enemies):
                free.append((self.visits[to], random.random(), direction))
            elif utility.position_is_wood(board, to) and self.ammo > 0 and random.random() < .1:
                return constants.Action.Bomb.value
        return min(free)[2].value if free else constants.Action.Stop.value


class Talker(SimpleAgent):
    def act(self, obs, action_space):
        action = super(Talker, self).act(obs, action_space)
        assert len(obs['message']) == 2
        return [action, obs['step_count'] % 8, self.agent_id]


class Anything(agents.RandomAgent):
    pass
"""


@pytest.fixture
def old_agents():
    """The classes of ``SOURCE``, run while the stand-in is there."""
    pommerman_compat.install(replace=True)
    module = types.ModuleType("old_agents")
    sys.modules["old_agents"] = module
    exec(SOURCE, module.__dict__)
    yield module
    del sys.modules["old_agents"]
    pommerman_compat.uninstall()


class Answering:
    """Answers the same at all times, and notes what it is called."""

    def __init__(self, answer=0, calls=None):
        self.answer = answer
        self.calls = [] if calls is None else calls

    def act(self, obs, action_space):
        self.calls.append(("act", obs["step_count"], action_space.sample()))
        return self.answer

    def init_agent(self, id_, game_type):
        self.calls.append(("init_agent", id_, game_type))

    def episode_end(self, reward):
        self.calls.append(("episode_end", reward))

    def shutdown(self):
        self.calls.append(("shutdown",))


def play(game, agents, seed=1, steps=900):
    """The states of a game, each player's session of its own."""
    state = game.initial_state(seed=seed)
    sessions = [agent.session(seed + player) for player, agent in enumerate(agents)]
    states = [state]
    while not state.is_terminal and len(states) <= steps:
        state = state.play([session.act(state, player) for player, session in enumerate(sessions)])
        states.append(state)
    for session in sessions:
        session.end(state)
        session.close()
    return states


# --- whole games ---


def test_old_agents_play_a_game_for_themselves(old_agents):
    random.seed(5)
    agents = [LegacyPommermanAgent(old_agents.Walker)] * 2
    agents += [LegacyPommermanAgent(old_agents.Anything), LegacyPommermanAgent(Answering)]
    states = play(FFA, agents)
    assert states[-1].is_terminal
    moved = {state.agents[player][:2] for state in states for player in (0, 1)}
    assert len(moved) > 10
    assert any(state.bombs for state in states)


def test_old_agents_play_with_a_radio(old_agents):
    random.seed(6)
    kinds = [old_agents.Talker, old_agents.Anything, old_agents.Talker, old_agents.Walker]
    states = play(RADIO, [LegacyPommermanAgent(kind) for kind in kinds])
    assert states[-1].is_terminal
    assert states[1].words[0] == (0, 0)
    assert states[2].words[0] == (1, 0)
    assert states[2].words[2] == (1, 2)
    assert states[2].words[3] == (0, 0)
    assert any(state.words[1] != (0, 0) for state in states)


def test_the_simple_agent_beats_random_ones():
    random.seed(7)
    agents = [LegacyPommermanAgent(stand_in.SimpleAgent)]
    agents += [LegacyPommermanAgent(stand_in.RandomAgent)] * 3
    results = [play(FFA, agents, seed)[-1].outcome.winner for seed in range(20)]
    assert results.count(0) >= 10


@pytest.mark.parametrize("fog", [False, True])
@pytest.mark.parametrize("mode", ["ffa", "team", "team-radio", "1v1"])
def test_the_simple_agent_plays_every_mode(mode, fog):
    agent = LegacyPommermanAgent(stand_in.SimpleAgent())
    game = games.make(f"pommerman-{mode}", fog=fog)
    assert len(play(game, [agent] * game.num_players, steps=60)) > 10


def test_games_repeat_when_the_global_generator_does():
    agent = LegacyPommermanAgent(stand_in.SimpleAgent)
    random.seed(8)
    first = play(FFA, [agent] * 4, steps=80)
    random.seed(8)
    assert play(FFA, [agent] * 4, steps=80) == first


# --- life cycle ---


def test_hooks_are_called_in_order():
    calls = []
    agent = LegacyPommermanAgent(lambda: Answering(calls=calls))
    others = [LegacyPommermanAgent(lambda: Answering(5))] * 3
    states = play(FFA, [agent, *others])
    assert states[-1].outcome.winner == 0
    assert calls[0] == ("init_agent", 0, constants.GameType.FFA)
    assert [call[1] for call in calls[1:-2]] == list(range(len(states) - 1))
    assert calls[-2:] == [("episode_end", 1), ("shutdown",)]


def test_seats_tell_of_the_end():
    calls = []
    pool = session_pool_of(LegacyPommermanAgent(lambda: Answering(5, calls)), FFA)
    state = FFA.initial_state(seed=2)
    slot = pool.open(3)
    while not state.is_terminal:
        pool.ask(slot, state, 2)
        ((_, move),) = pool.poll()
        state = state.play([5, 0, move.action, 5])
        pool.tell(slot, (5, 0, move.action, 5), state)
    pool.close(slot)
    assert calls[-2:] == [("episode_end", -1), ("shutdown",)]
    # The dead are not asked: a bomb that is laid at first explodes in the tenth step.
    assert sum(call[0] == "act" for call in calls) == 10


def test_every_game_and_player_has_an_object_of_its_own():
    given = Answering(calls=["kept"])
    agent = LegacyPommermanAgent(given)
    state = FFA.initial_state(seed=1)
    for session in (agent.session(1), agent.session(1)):
        for player in (0, 3, 0):
            assert session.act(state, player) == 0
    assert given.calls == ["kept"]
    made = []

    def factory():
        made.append(Answering())
        return made[-1]

    for session in (LegacyPommermanAgent(factory).session(seed) for seed in (1, 2)):
        for player in (0, 3, 0):
            session.act(state, player)
    assert [len(each.calls) for each in made] == [3, 2, 3, 2]


def test_the_space_draws_from_the_seed():
    state = RADIO.initial_state(seed=1)

    def drawn(seed):
        session = LegacyPommermanAgent(stand_in.RandomAgent).session(seed)
        return [session.act(state, player) for player in (0, 1) for _ in range(9)]

    assert drawn(4) == drawn(4) != drawn(5)
    assert drawn(4)[:9] != drawn(4)[9:]
    assert max(drawn(4)) > 5


def test_plain_objects_without_hooks_play():
    class Plain:
        def act(self, obs, action_space):
            return np.int64(action_space.n - 1)

    agent = LegacyPommermanAgent(Plain())
    assert agent.name == "Plain"
    assert agent.session(1).act(FFA.initial_state(seed=1), 2) == 5


def test_the_original_package_may_be_used():
    theirs = types.ModuleType("pommerman.constants")
    for name in ("Item", "GameType"):
        ours = getattr(constants, name)
        setattr(theirs, name, Enum(name, [(each.name, each.value) for each in ours]))
    seen = []

    class Theirs(Answering):
        def act(self, obs, action_space):
            seen.append(obs["teammate"])
            return 0

    calls = []
    agent = LegacyPommermanAgent(lambda: Theirs(calls=calls), constants=theirs, name="theirs")
    agent.session(1).act(RADIO.initial_state(seed=1), 1)
    assert seen == [theirs.Item.Agent3]
    assert calls == [("init_agent", 1, theirs.GameType.TeamRadio)]


# --- answers ---


@pytest.mark.parametrize(
    ("game", "answer", "action"),
    [
        (FFA, 4, 4),
        (FFA, np.uint8(5), 5),
        (FFA, np.array(3), 3),
        (RADIO, 2, 2),
        (RADIO, np.int64(2), 2),
        (RADIO, [1, 2, 3], 1 + 6 * (2 + 8 * 3)),
        (RADIO, (5, np.int64(7), 7), 383),
        (RADIO, np.array([0, 1, 0]), 6),
    ],
)
def test_answers(game, answer, action):
    session = LegacyPommermanAgent(lambda: Answering(answer)).session(0)
    result = session.act(game.initial_state(seed=0), 1)
    assert result == action
    assert type(result) is int


@pytest.mark.parametrize(
    ("game", "answer"),
    [
        *((FFA, answer) for answer in (6, -1, None, 2.0, "1", [1, 0, 0], np.zeros(2, int))),
        *((RADIO, answer) for answer in (6, [6, 0, 0], [0, 8, 0], [0, 0, -1], [1, 2], [1] * 4)),
        *((RADIO, answer) for answer in ("123", None, [1.0, 2, 3], [[1], [2], [3]], [])),
    ],
)
def test_answers_that_are_none(game, answer):
    session = LegacyPommermanAgent(lambda: Answering(answer), name="bad").session(0)
    with pytest.raises(IllegalAction, match=r"bad answered .* as player 1 at step 0") as raised:
        session.act(game.initial_state(seed=0), 1)
    assert "from 0 to 5" in str(raised.value)
    assert ("words from 0 to 7" in str(raised.value)) == (game is RADIO)


def test_what_is_no_agent_is_an_error():
    for given in (3, None, "agent"):
        with pytest.raises(InvalidConfig, match="give a class or function"):
            LegacyPommermanAgent(given)
    state = FFA.initial_state(seed=0)
    with pytest.raises(InvalidConfig, match="made an int, which has no act"):
        LegacyPommermanAgent(lambda: 3).session(0).act(state, 0)
    with pytest.raises(InvalidConfig, match="cannot be copied"):
        LegacyPommermanAgent(Answering(sys)).session(0).act(state, 0)


def test_states_and_players_are_checked():
    session = LegacyPommermanAgent(Answering).session(0)
    with pytest.raises(InvalidConfig, match="give player="):
        session.act(FFA.initial_state(seed=0))
    with pytest.raises(InvalidConfig, match="players 0 to 3"):
        session.act(FFA.initial_state(seed=0), 4)
    with pytest.raises(InvalidState, match="no state of Pommerman"):
        session.act(games.make("chess").initial_state(), 0)
