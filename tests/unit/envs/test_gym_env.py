"""The Gymnasium environment of chess: seats, opponents, endings, rewards, infos, bad input."""

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import errors, games, gating
from phasezoo.envs import ChessEnv

MATE_IN_ONE = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"
NEVER_LEGAL = 4671  # an under-promotion from the last rank
KEYS = [
    "action_mask", "state", "fen", "to_play", "ply", "phase", "result", "reason", "illegal_action",
]  # fmt: skip


def uci(env, move):
    return env.unwrapped.game_state.parse_uci(move)


def test_infos_have_their_keys_and_types():
    env = gym.make("Chess-v0", opponent=None, gate="lichess")
    _, info = env.reset(seed=1)
    assert list(info) == KEYS
    assert info["action_mask"].dtype == np.int8
    assert info["state"] == games.make("chess").initial_state()
    *_, info = env.step(uci(env, "e2e4"))
    assert list(info) == KEYS
    assert (info["to_play"], info["ply"], info["phase"]) == (1, 1, 0)
    assert (info["result"], info["reason"], info["illegal_action"]) == (None, None, False)
    assert info["fen"] == info["state"].fen


def test_white_mates():
    env = ChessEnv()
    _, info = env.reset(options={"fen": MATE_IN_ONE})
    observation, reward, terminated, truncated, info = env.step(uci(env, "f7g7"))
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["result"], info["reason"]) == ("1-0", "checkmate")
    # A policy samples once more before the reset: every action is allowed, and ignored.
    assert info["action_mask"].all()
    assert env.action_masks().all()
    # The learner's view, not that of the player who would be to move.
    np.testing.assert_array_equal(observation, env.game_state.planes("v2", 0))


def test_black_is_mated_by_the_opponent():
    def mates(observation, info):
        return info["state"].parse_san("Qh4#" if info["ply"] == 3 else "e5")

    env = ChessEnv(opponent=mates, agent_color="white")
    env.reset()
    _, reward, terminated, *_ = env.step(uci(env, "f2f3"))
    assert (reward, terminated) == (0.0, False)
    observation, reward, terminated, truncated, info = env.step(uci(env, "g2g4"))
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["result"], info["reason"], info["to_play"]) == ("0-1", "checkmate", 0)
    np.testing.assert_array_equal(observation, env.game_state.planes("v2", 0))


def test_self_play_rewards_the_mover_and_shows_the_next():
    env = ChessEnv(opponent=None)
    env.reset()
    for move in ("f2f3", "e7e5", "g2g4"):
        observation, reward, *_ = env.step(uci(env, move))
        assert reward == 0.0
        np.testing.assert_array_equal(observation, env.game_state.planes())
    observation, reward, terminated, _, info = env.step(uci(env, "d8h4"))
    assert (reward, terminated, info["to_play"], info["result"]) == (1.0, True, 0, "0-1")
    np.testing.assert_array_equal(observation, env.game_state.planes("v2", 0))


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "g1g6", "stalemate"),
        ("7k/8/8/8/8/8/6p1/6K1 w - - 0 1", "g1g2", "insufficient_material"),
        ("7k/8/8/8/8/8/R7/6K1 w - - 99 90", "a2a3", "fifty_moves"),
    ],
)
def test_draws_are_applied_without_a_claim(fen, move, reason):
    env = ChessEnv(opponent=None)
    env.reset(options={"fen": fen})
    _, reward, terminated, truncated, info = env.step(uci(env, move))
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert (info["result"], info["reason"]) == ("1/2-1/2", reason)


def test_the_third_occurrence_is_a_draw_also_across_given_moves():
    moves = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]
    env = ChessEnv(opponent=None)
    env.reset(options={"moves": moves})
    _, _, terminated, _, info = env.step(uci(env, "f6g8"))
    assert terminated
    assert info["reason"] == "threefold_repetition"


def test_the_colour_is_that_asked_for():
    for color, seat in (("white", 0), ("black", 1), (1, 1), (np.int64(1), 1)):
        env = ChessEnv(agent_color=color)
        _, info = env.reset(seed=1)
        assert (env.player, info["to_play"], info["ply"]) == (seat, seat, seat)
    env = ChessEnv(agent_color="alternate")
    for _ in range(2):
        seats = [env.reset(seed=4 if game == 0 else None)[1]["to_play"] for game in range(5)]
        assert seats == [0, 1, 0, 1, 0]
    env = ChessEnv(agent_color="random")
    first, second = (
        [env.reset(seed=4 if game == 0 else None)[1]["to_play"] for game in range(30)]
        for _ in range(2)
    )
    assert first == second
    assert set(first) == {0, 1}


def test_the_same_seed_gives_the_same_games_and_another_seed_others():
    def played(env, seed, games_count=3):
        fens = []
        for game in range(games_count):
            _, info = env.reset(seed=seed if game == 0 else None)
            for _ in range(10):
                _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
                fens.append(info["fen"])
                if terminated:
                    break
        return fens

    env = ChessEnv()
    first = played(env, 7)
    assert played(env, 7) == first  # the opponent is seeded anew, too
    assert played(ChessEnv(), 7) == first
    assert played(env, 8) != first
    assert first[:10] != first[10:20]


def test_opponents_see_their_own_side():
    shown = []

    def opponent(observation, info):
        shown.append((observation, info))
        return int(np.flatnonzero(info["action_mask"])[0])

    env = ChessEnv(opponent=opponent, gate="lichess", planes="v1")
    env.reset(seed=1)
    env.step(uci(env, "e2e4"))
    ((observation, info),) = shown
    assert list(info) == KEYS
    assert (info["to_play"], info["ply"]) == (1, 1)
    np.testing.assert_array_equal(observation, info["state"].planes("v1", 1))
    np.testing.assert_array_equal(info["action_mask"], info["state"].action_mask)


class Agent:
    """An agent with sessions, which notes its seeds."""

    def __init__(self):
        self.seeds = []

    def __call__(self, observation, info):
        raise AssertionError("the session is asked, not the agent")

    def session(self, seed):
        self.seeds.append(seed)
        return self

    def act(self, state, player=None):
        return int(state.legal_actions[0])


def test_agents_get_a_session_for_every_game():
    agent = Agent()
    env = ChessEnv(opponent=agent)
    for seed in (1, None, 1):
        env.reset(seed=seed)
        env.step(uci(env, "e2e4"))
    assert agent.seeds[0] == agent.seeds[2] != agent.seeds[1]


def test_names_are_those_of_the_agents():
    pytest.importorskip("phasezoo.agents")
    env = ChessEnv(opponent="random")
    env.reset(seed=1)
    with pytest.raises(errors.UnknownAgent, match="no such agent"):
        ChessEnv(opponent="randum")
    with pytest.raises(errors.InvalidConfig, match="opponent=42"):
        ChessEnv(opponent=42)


@pytest.mark.parametrize("answer", [0, -1, 5000])
def test_an_opponents_illegal_action_raises_and_changes_nothing(answer):
    env = ChessEnv(opponent=lambda observation, info: answer)
    env.reset()
    before = env.game_state
    action = uci(env, "e2e4")
    with pytest.raises(errors.IllegalAction, match="opponent in the place of player 1"):
        env.step(action)
    assert env.game_state == before


def test_an_opponents_own_error_comes_back_as_it_was():
    def broken(observation, info):
        raise KeyError("mine")

    env = ChessEnv(opponent=broken)
    env.reset()
    with pytest.raises(KeyError, match="mine"):
        env.step(uci(env, "e2e4"))
    assert env.game_state.ply == 0


def test_illegal_actions_end_the_game():
    env = ChessEnv(agent_color="black")
    observation, before = env.reset(seed=1)
    after, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert (info["result"], info["reason"], info["illegal_action"]) == (
        None, "illegal_action", True,
    )  # fmt: skip
    assert info["fen"] == before["fen"]
    np.testing.assert_array_equal(after, observation)
    with pytest.raises(errors.InvalidState, match="over"):
        env.step(0)


def test_illegal_actions_raise():
    env = ChessEnv(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(errors.IllegalAction, match="20 legal actions"):
        env.step(0)
    *_, terminated, _, info = env.step(uci(env, "e2e4"))
    assert not terminated
    assert info["ply"] == 2


def test_illegal_actions_are_replaced():
    games_played = []
    for _ in range(2):
        env = ChessEnv(illegal="random_legal", opponent=None)
        env.reset(seed=1)
        for _ in range(10):
            _, reward, terminated, _, info = env.step(NEVER_LEGAL)
            assert (reward, terminated, info["illegal_action"]) == (0.0, False, True)
        games_played.append(info["fen"])
    assert games_played[0] == games_played[1]
    assert info["ply"] == 10


@pytest.mark.parametrize("illegal", ["terminate", "raise", "random_legal"])
@pytest.mark.parametrize("action", [-1, 4672, 10**30, "e2e4", None, 1.0, np.array([1, 2])])
def test_what_is_no_action_always_raises(illegal, action):
    env = ChessEnv(illegal=illegal)
    env.reset(seed=1)
    with pytest.raises(errors.IllegalAction, match="0 to 4671"):
        env.step(action)
    assert env.game_state.ply == 0


@pytest.mark.parametrize("kind", [int, np.int64, np.uint16, np.array])
def test_whole_numbers_of_any_kind_are_actions(kind):
    env = ChessEnv()
    env.reset(seed=1)
    *_, info = env.step(kind(uci(env, "e2e4")))
    assert info["ply"] == 2


def test_length_limits_truncate():
    env = ChessEnv(max_plies=4)
    env.reset(seed=1)
    env.step(uci(env, "e2e4"))
    action = int(env.game_state.legal_actions[0])
    _, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["ply"], info["result"], info["reason"]) == (4, None, None)
    assert info["action_mask"].all()


def test_phases_are_those_of_the_gate():
    env = ChessEnv(opponent=None, gate="material:10,6")
    for fen, phase in (
        ("r1bqkbnr/8/8/8/8/8/8/RNBQKBNR w - - 0 1", 0),
        ("r1bqk3/8/8/8/8/8/8/RNBQKBNR w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/RNBQKB2 w - - 0 1", 2),
    ):
        assert env.reset(options={"fen": fen})[1]["phase"] == phase
    assert env.gate == gating.make("material:10,6")
    # Callables see the state; a monotone gate never goes back.
    counting = gating.make(lambda state: state.ply % 3, names=("a", "b", "c"))
    for monotone, expected in ((False, [0, 1, 2, 0, 1]), (True, [0, 1, 2, 2, 2])):
        env = ChessEnv(opponent=None, gate=counting, monotone=monotone)
        phases = [env.reset()[1]["phase"]]
        moves = ("e2e4", "e7e5", "g1f3", "b8c6")
        phases += [env.step(uci(env, move))[4]["phase"] for move in moves]
        assert phases == expected


def test_moves_without_observations():
    env = ChessEnv(observation="none")
    observation, _ = env.reset(seed=1)
    assert observation.shape == (0,)
    assert env.observation_space.contains(observation)
    observation, *_ = env.step(uci(env, "e2e4"))
    assert observation.shape == (0,)


def test_positions_and_moves_start_a_game():
    env = ChessEnv(opponent=None)
    _, info = env.reset(options={"fen": MATE_IN_ONE})
    assert (info["fen"], info["ply"]) == (MATE_IN_ONE, 0)
    _, info = env.reset(options={"fen": "7k/5Q2/6K1/8/8/8/8/8 w - -"})
    assert info["fen"] == MATE_IN_ONE
    observation, info = env.reset(options={"moves": ["e2e4", "e7e5"]})
    assert (info["ply"], info["to_play"]) == (2, 0)
    assert observation[20:24].sum() == 4  # two moves, a from- and a to-square each
    # The next game starts as usual.
    assert env.reset()[1]["ply"] == 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"fenn": MATE_IN_ONE}, errors.InvalidConfig, "known are 'fen'"),
        ({"fen": "nonsense"}, errors.InvalidFen, "nonsense"),
        ({"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, errors.InvalidFen, "king"),
        ({"moves": ["e2e5"]}, errors.InvalidUci, "e2e5"),
        ({"moves": ["xyz"]}, errors.InvalidUci, "xyz"),
        ({"moves": "e2e4"}, errors.InvalidConfig, "list of UCI"),
        ({"moves": [1]}, errors.InvalidConfig, "list of UCI"),
        ({"fen": 3}, errors.InvalidConfig, "fen=3: expected a text"),
        ({"fen": "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"}, errors.InvalidConfig, "checkmate"),
        ({"fen": "7k/8/8/8/8/8/8/6K1 w - - 0 1"}, errors.InvalidConfig, "insufficient_material"),
    ],
)
def test_bad_reset_options_leave_the_game_alone(options, error, message):
    env = ChessEnv(opponent=None)
    env.reset(seed=1)
    env.step(uci(env, "e2e4"))
    with pytest.raises(error, match=message):
        env.reset(options=options)
    assert env.game_state.ply == 1
    env.step(uci(env, "e7e5"))


def test_a_start_that_the_opponent_ends_is_refused():
    env = ChessEnv(agent_color="black", opponent=lambda o, info: info["state"].parse_san("Qg7#"))
    with pytest.raises(errors.InvalidConfig, match="checkmate"):
        env.reset(options={"fen": MATE_IN_ONE})
    env = ChessEnv(max_plies=2)
    with pytest.raises(errors.InvalidConfig, match="max_plies"):
        env.reset(options={"moves": ["e2e4", "e7e5"]})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"agent_color": "green"}, errors.InvalidConfig),
        ({"agent_color": 2}, errors.InvalidConfig),
        ({"agent_color": True}, errors.InvalidConfig),
        ({"illegal": "ignore"}, errors.InvalidConfig),
        ({"observation": "pixels"}, errors.InvalidConfig),
        ({"max_plies": 0}, errors.InvalidConfig),
        ({"max_plies": "many"}, errors.InvalidConfig),
        ({"render_mode": "film"}, errors.InvalidConfig),
        ({"monotone": "no"}, errors.InvalidConfig),
        ({"chess960": "no"}, errors.InvalidConfig),
        ({"chess960": 1}, errors.InvalidConfig),
        ({"max_plies": True}, errors.InvalidConfig),
        ({"planes": "v9"}, errors.InvalidPlaneSpec),
        ({"gate": "moves:0"}, errors.InvalidGate),
        ({"gate": "steps:40"}, errors.InvalidGate),
    ],
)
def test_bad_options_are_named(options, error):
    with pytest.raises(error, match=str(next(iter(options.values())))[:5]):
        ChessEnv(**options)


def test_calls_before_the_first_reset_are_errors():
    env = ChessEnv(render_mode="ansi")
    for call in (lambda: env.step(0), lambda: env.game_state, env.action_masks, env.render):
        with pytest.raises(errors.InvalidState, match="reset"):
            call()


def test_states_are_put_back_only_where_they_belong():
    env = ChessEnv()
    env.reset(seed=1)
    chess = games.make("chess")
    black = chess.initial_state().play(chess.initial_state().parse_uci("e2e4"))
    with pytest.raises(errors.InvalidState, match="player 1 is to move"):
        env.set_game_state(black)
    with pytest.raises(errors.UnknownGame):
        env.set_game_state("a position")
    over = chess.from_fen(MATE_IN_ONE)
    over = over.play(over.parse_san("Qg7#"))
    _, info = env.set_game_state(over)
    assert info["result"] == "1-0"
    with pytest.raises(errors.InvalidState, match="over"):
        env.step(0)


def test_sb3s_masks_are_those_of_the_info():
    env = gym.make("Chess-v0", opponent=None)
    _, info = env.reset(seed=1)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, info["action_mask"] == 1)
