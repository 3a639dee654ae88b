"""KRK-v0: starts, what infos tell of the table, draws, defending, and what is refused."""

import gymnasium as gym
import numpy as np
import pytest

import phasezoo  # noqa: F401 - registers
from phasezoo import games
from phasezoo.agents import TablebaseAgent
from phasezoo.envs import KRKEnv, krk_v0
from phasezoo.errors import InvalidConfig, InvalidFen
from phasezoo.observation import UNKNOWN

KRK = games.make("krk")
FIXED = "8/8/8/4k3/8/8/8/K6R w - - 0 1"


def uci(env, text):
    return env.game_state.parse_uci(text)


def best(env):
    return int(env.game_state.best_actions[0])


class TestStarts:
    def test_the_fixed_start_is_mate_in_fifteen(self):
        info = KRKEnv().reset(seed=1)[1]
        assert (info["fen"], info["dtm"], info["dtm_difference"]) == (FIXED, 15, None)

    @pytest.mark.parametrize("start", ["uniform", "train", "heldout", "heldout-region"])
    def test_drawn_starts_differ_and_come_again_by_seed(self, start):
        env, other = KRKEnv(start=start), KRKEnv(start=start)
        fens = [env.reset(seed=seed)[1]["fen"] for seed in range(30)]
        assert len(set(fens)) > 25
        assert fens == [other.reset(seed=seed)[1]["fen"] for seed in range(30)]
        assert all(" w " in fen and "R" in fen for fen in fens)

    @pytest.mark.parametrize("dtm", [(1, 1), (4, 6), [16, 16]])
    def test_a_range_is_kept_to(self, dtm):
        env = KRKEnv(start="dtm", dtm=dtm)
        found = {env.reset(seed=seed)[1]["dtm"] for seed in range(40)}
        assert found == set(map(float, range(dtm[0], dtm[1] + 1)))

    def test_no_mirror_image_is_in_another_part(self):
        parts = {}
        for start in ("train", "heldout", "heldout-region"):
            game = games.make("krk", start=start)
            for seed in range(3_000):
                key = smallest_image(game.initial_state(seed))
                assert parts.setdefault(key, start) == start
        # Positions were met again, by themselves or an image, so that the test has seen something.
        assert len(parts) < 8_900
        assert {len(set(parts.values()))} == {3}

    @pytest.mark.parametrize("color", ["black", "random"])
    @pytest.mark.parametrize("opponent", ["random", "tablebase"])
    def test_no_drawn_start_is_over_before_the_defender_moves(self, color, opponent):
        env = KRKEnv(start="uniform", agent_color=color, opponent=opponent, observation="none")
        env.reset(seed=3)
        for _ in range(1_500):
            assert env.reset()[1]["reason"] is None

    def test_another_opponent_for_white_may_be_given_one_start(self):
        env = KRKEnv(agent_color="black", opponent="random")
        info = env.reset(seed=1, options={"fen": "7k/8/8/8/8/8/8/KR6 w - - 0 1"})[1]
        assert info["to_play"] == 1


def smallest_image(state):
    """The least of the eight images of a position, as squares of king, rook and lone king."""
    board = state.board()
    squares = (board.king(True), next(iter(board.pieces(4, True))), board.king(False))
    points = [divmod(square, 8) for square in squares]
    images = []
    for flip_rank in (False, True):
        for flip_file in (False, True):
            for swap in (False, True):
                moved = [(7 - r if flip_rank else r, 7 - f if flip_file else f) for r, f in points]
                images.append([(f, r) if swap else (r, f) for r, f in moved])
    return tuple(min(images))


class TestInfo:
    def test_a_perfect_game_takes_fifteen_moves_without_a_difference(self):
        env = KRKEnv()
        info = env.reset(seed=1)[1]
        for left in range(14, -1, -1):
            _, reward, terminated, _, info = env.step(best(env))
            assert (info["dtm"], info["dtm_difference"]) == (left, 0)
            assert terminated == (left == 0)
        assert (reward, info["reason"], info["result"]) == (1.0, "checkmate", "1-0")
        assert env.game_state.ply == 29

    def test_a_worse_move_has_its_difference_also_after_the_reply(self):
        env = KRKEnv(start="uniform")
        env.reset(seed=8)
        state = env.game_state
        finite = np.flatnonzero(np.isfinite(state.action_dtm))
        worst = finite[state.action_dtm[finite].argmax()]
        info = env.step(int(state.legal_actions[worst]))[4]
        assert info["to_play"] == 0
        assert info["dtm_difference"] == state.action_dtm[worst] - state.action_dtm.min() > 0

    def test_moves_that_draw_have_none(self):
        env = KRKEnv()
        env.reset(seed=1, options={"fen": "8/8/8/8/8/4k3/3R4/K7 w - - 0 1"})
        info = env.step(uci(env, "a1b1"))[4]  # leaves the rook to the king
        assert (info["dtm"], info["dtm_difference"], info["result"]) == (None, None, "1/2-1/2")
        assert info["reason"] == "insufficient_material"

    def test_alone_the_last_move_is_told_of(self):
        env = KRKEnv(opponent=None, start="uniform")
        info = env.reset(seed=5)[1]
        assert info["dtm_difference"] is None
        rng = np.random.default_rng(0)
        for _ in range(20):
            state = env.game_state
            action = int(rng.choice(state.legal_actions))
            _, _, over, _, info = env.step(action)
            assert info["dtm_difference"] == state.dtm_difference(action)
            assert info["dtm"] == env.game_state.dtm
            if over:
                break

    def test_in_pettingzoo_each_is_told_of_his_own_move(self):
        env = krk_v0.raw_env(start="dtm", dtm=(5, 9))
        env.reset(seed=2)
        own = dict.fromkeys(env.possible_agents, UNKNOWN)
        rng = np.random.default_rng(3)
        for agent in env.agent_iter(20):
            told = {name: env.infos[name]["dtm_difference"] for name in own}
            assert told == own
            if env.terminations[agent]:
                break
            state = env.game_state
            winning = state.legal_actions[np.isfinite(state.action_dtm)]
            action = int(rng.choice(winning))
            own[agent] = state.dtm_difference(action)
            env.step(action)
        assert own["player_0"] > 0

    def test_a_state_put_back_has_no_move_before_it(self):
        env = KRKEnv(start="uniform")
        env.reset(seed=1)
        saved = env.game_state
        env.step(best(env))
        info = env.set_game_state(saved)[1]
        assert (info["dtm"], info["dtm_difference"]) == (saved.dtm, None)

    def test_an_illegal_action_is_no_move(self):
        env = KRKEnv()
        env.reset(seed=1)
        info = env.step(8)[4]  # from b1, where nobody stands
        assert (info["illegal_action"], info["dtm_difference"]) == (True, None)

    def test_vectors_of_scalar_environments_hold_draws_as_nan(self):
        envs = gym.make_vec(
            "KRK-v0", 6, vectorization_mode="sync", start="uniform", opponent=None,
            vector_kwargs={"autoreset_mode": "NextStep"},
        )  # fmt: skip
        envs.reset(seed=1)
        rng = np.random.default_rng(1)
        seen_draw = False
        for _ in range(60):
            masks = [state.action_mask for state in envs.get_attr("game_state")]
            actions = [rng.choice(np.flatnonzero(m)) if m.any() else 0 for m in masks]
            infos = envs.step(np.array(actions))[4]
            # The array is of floats unless its first value was None.
            seen_draw |= np.isnan(infos["dtm"].astype(np.float64)).any()
        assert seen_draw


class TestDraws:
    @pytest.mark.parametrize(
        ("fen", "move", "reason"),
        [
            ("k7/8/K7/8/8/8/8/1R6 b - - 0 1", None, "stalemate"),
            ("k7/8/K7/8/8/8/8/2R5 w - - 0 1", "c1b1", "stalemate"),
            ("8/8/8/8/8/4k3/3R4/K7 b - - 0 1", "e3d2", "insufficient_material"),
            ("8/8/8/4k3/8/8/8/4K2R w - - 99 80", "h1h2", "fifty_moves"),
        ],
    )
    def test_ways_to_draw(self, fen, move, reason):
        if move is None:
            assert KRK.from_fen(fen).outcome.reason == reason
            return
        env = KRKEnv(opponent=None)
        env.reset(seed=0, options={"fen": fen})
        _, reward, terminated, _, info = env.step(uci(env, move))
        assert (reward, terminated) == (0.0, True)
        assert (info["reason"], info["dtm"]) == (reason, None)

    def test_the_third_occurrence_draws(self):
        env = KRKEnv(opponent=None)
        env.reset(seed=0, options={"fen": "8/8/8/4k3/8/8/8/4K2R w - - 0 1"})
        for move in ["h1h2", "e5e4", "h2h1", "e4e5"] * 2:
            assert env.game_state.dtm is not None
            info = env.step(uci(env, move))[4]
        assert (info["reason"], info["dtm"]) == ("threefold_repetition", None)
        # The state's is the table's.
        assert env.game_state.dtm == KRK.from_fen("8/8/8/4k3/8/8/8/4K2R w - - 0 1").dtm

    def test_the_clock_changes_no_distance(self):
        fresh, late = (KRK.from_fen(f"8/8/8/4k3/8/8/8/4K2R w - - {clock} 80") for clock in (0, 99))
        assert (late.dtm, late.action_dtm.tolist()) == (fresh.dtm, fresh.action_dtm.tolist())
        assert late.best_actions.tolist() == fresh.best_actions.tolist()
        after = [late.play(action).dtm for action in late.legal_actions]
        assert after == [None if np.isinf(dtm) else dtm for dtm in late.action_dtm]


class TestBlack:
    def test_the_learner_defends_against_the_table(self):
        env = KRKEnv(agent_color="black", start="dtm", dtm=(6, 9))
        info = env.reset(seed=4)[1]
        assert (info["to_play"], info["ply"]) == (1, 1)
        start, rng = info["dtm"], np.random.default_rng(2)
        over = False
        while not over:
            state = env.game_state
            action = int(rng.choice(state.legal_actions))
            difference = state.dtm_difference(action)
            _, reward, over, _, info = env.step(action)
            assert info["dtm_difference"] == difference
            assert difference is None or difference <= 0
        assert (reward, info["result"]) == (-1.0, "1-0")
        assert env.game_state.ply <= 2 * start + 1

    def test_the_best_defence_lasts_as_long_as_the_table_says(self):
        env = KRKEnv(agent_color="black", start="fixed")
        env.reset(seed=4)
        agent, over, info = TablebaseAgent(seed=1), False, {"state": env.game_state}
        while not over:
            _, reward, over, _, info = env.step(agent(None, info))
            assert info["dtm_difference"] == 0
        assert (reward, env.game_state.ply) == (-1.0, 29)

    def test_ties_of_the_table_are_drawn_by_the_seed(self):
        def replies(seed):
            env = KRKEnv()
            env.reset(seed=seed)
            for _ in range(8):
                env.step(best(env))
            return tuple(env.game_state.moves[1::2])

        games_played = [replies(seed) for seed in range(12)]
        assert len(set(games_played)) > 6
        assert games_played == [replies(seed) for seed in range(12)]


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "allowed"),
        [
            ({"start": "dtm", "dtm": (16, 3)}, "1 <= low <= high <= 16"),
            ({"start": "dtm", "dtm": (0, 3)}, "1 <= low"),
            ({"start": "dtm", "dtm": (3, 17)}, "<= 16"),
            ({"start": "dtm", "dtm": 4}, r"\(low, high\)"),
            ({"start": "dtm", "dtm": (1, 2, 3)}, r"\(low, high\)"),
            ({"start": "dtm", "dtm": (1.5, 2)}, r"\(low, high\)"),
            ({"start": "dtm", "dtm": (1, 1 << 80)}, r"\(low, high\)"),
            ({"start": "dtm"}, "needs dtm"),
            ({"start": "fixed", "dtm": (1, 3)}, "leave dtm= out"),
            ({"start": "heldout-region", "dtm": (1, 3)}, "8 to 11"),
            ({"start": "elsewhere"}, "heldout-region"),
            ({"start": 3}, "uniform"),
            ({"start": "dtm", "dtm": (1, 3), "agent_color": "black"}, "begin the range at 2"),
            ({"start": "dtm", "dtm": (1, 3), "agent_color": "alternate"}, "begin the range at 2"),
            ({"agent_color": "green"}, "'white'"),
        ],
    )
    @pytest.mark.parametrize("vector", [False, True])
    def test_options_are_refused_with_what_is_allowed(self, options, allowed, vector):
        with pytest.raises(InvalidConfig, match=allowed):
            gym.make_vec("KRK-v0", 2, **options) if vector else gym.make("KRK-v0", **options)

    def test_black_to_defend_alone_may_have_mate_in_one(self):
        env = KRKEnv(start="dtm", dtm=(1, 1), opponent=None, agent_color="black")
        assert env.reset(seed=1)[1]["dtm"] == 1

    @pytest.mark.parametrize(
        ("fen", "error", "allowed"),
        [
            ("8/8/8/4k3/4R3/8/8/4K3 w - - 0 1", InvalidFen, "king"),  # takes a king
            ("8/8/8/4k3/8/8/8/4K1RR w - - 0 1", InvalidFen, "one rook"),
            ("8/8/8/4k3/8/8/8/4K2Q w - - 0 1", InvalidFen, "one rook"),
            ("8/8/8/4k3/8/8/8/4K3 w - - 0 1", InvalidFen, "one rook"),
            ("8/8/8/4k3/8/8/8/4K2R w K - 0 1", InvalidFen, "castling"),
            ("k7/8/K7/8/8/8/8/1R6 b - - 0 1", InvalidConfig, "stalemate"),
            ("R6k/8/6K1/8/8/8/8/8 b - - 0 1", InvalidConfig, "checkmate"),
            ("8/8/8/4k3/8/8/8/4K2R w - - 100 80", InvalidConfig, "fifty_moves"),
        ],
    )
    @pytest.mark.parametrize("vector", [False, True])
    def test_positions_are_refused(self, fen, error, allowed, vector):
        env = gym.make_vec("KRK-v0", 2) if vector else KRKEnv()
        env.reset(seed=1)
        with pytest.raises(error, match=allowed):
            env.reset(options={"fen": fen})

    def test_a_mate_in_one_for_the_other_side_is_refused(self):
        env = KRKEnv(agent_color="black")
        with pytest.raises(InvalidConfig, match="first moves end the game"):
            env.reset(seed=1, options={"fen": "7k/8/6K1/8/8/8/8/R7 w - - 0 1"})

    @pytest.mark.parametrize("env_id", ["Chess-v0", "AtomicChess-v0", "Crazyhouse-v0"])
    @pytest.mark.parametrize("vector", [False, True])
    def test_the_table_is_this_games_alone(self, env_id, vector):
        make = (lambda **options: gym.make_vec(env_id, 2, **options)) if vector else (
            lambda **options: gym.make(env_id, **options)
        )  # fmt: skip
        with pytest.raises(InvalidConfig, match="no table of perfect play"):
            make(opponent="tablebase")
