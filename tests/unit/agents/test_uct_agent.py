"""UCT with rollouts: what it plays, what it remembers, what it refuses."""

import copy
import math
import pickle
import threading
import warnings
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from own_games import Stones

from phasezoo import agents, arena, games
from phasezoo.agents import Limit, UCTAgent
from phasezoo.errors import GameContract, IllegalAction, InvalidConfig, InvalidState, UnknownGame

KRK = games.make("krk")
CHESS = games.make("chess")
START = KRK.initial_state()
FEW = Limit(simulations=400)


@dataclass(frozen=True)
class Nim(Stones):
    """As a game of this name."""


Nim.register("uct-nim")


def krk_agent(**options: Any) -> UCTAgent:
    own = {"c": 1.0, "threshold": 30, "expansion": "rollouts", "rollout": "krk", "limit": FEW}
    return UCTAgent(**own | options)


def test_the_same_seed_searches_alike_and_another_differs() -> None:
    first, second = krk_agent(seed=3).search(START), krk_agent(seed=3).search(START)
    other = krk_agent(seed=4).search(START)
    assert first.visits.tolist() == second.visits.tolist() != other.visits.tolist()
    assert first.totals.tolist() == second.totals.tolist()
    assert first.simulations == 400 == first.visits.sum()
    assert first.ended == "simulations"
    assert first.tree_nodes == first.nodes + 1 <= 401
    np.testing.assert_allclose(first.q, first.totals / first.visits)
    assert first.value == pytest.approx(first.totals.sum() / first.visits.sum())


def test_the_root_holds_what_the_policy_plays() -> None:
    names = {START.san(action) for action in krk_agent().search(START).actions}
    assert names == {"Ka2", "Kb1", "Kb2"}  # the kings are far apart: the king comes nearer
    random = krk_agent(rollout="random", limit=Limit(simulations=2000), threshold=400)
    assert random.search(START).actions.tolist() == START.legal_actions.tolist()
    untried = krk_agent(expansion="untried").search(START)
    assert untried.actions.tolist() == START.legal_actions.tolist()


@dataclass(frozen=True)
class Bandit:
    """One choice, whose return is known."""

    payoffs: tuple[float, ...]
    chosen: int | None = None
    to_play: int = 0

    @property
    def is_terminal(self) -> bool:
        return self.chosen is not None

    @property
    def legal_actions(self) -> Any:
        return np.arange(len(self.payoffs))

    @property
    def returns(self) -> Any:
        value = 0.0 if self.chosen is None else self.payoffs[self.chosen]
        return np.array([value, -value], dtype=np.float32)

    def play(self, action: int) -> "Bandit":
        return Bandit(self.payoffs, int(action))

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.zeros((1, 1, 1), dtype=np.float32)


games.register(
    "uct-bandit",
    initial_state=lambda: Bandit((0.0,)),
    num_players=2,
    num_actions=40,
    plane_specs={"default": (1, 1, 1)},
)


def ucb1(payoffs: tuple[float, ...], pulls: int, c: float) -> list[int]:
    """Pulls of each arm by UCB1 as its authors wrote it: every arm once, then the best bound."""
    counts = [1] * len(payoffs)
    while sum(counts) < pulls:
        total = math.log(sum(counts))
        bounds = [
            (1 + payoff) / 2 + c * math.sqrt(total / count)
            for payoff, count in zip(payoffs, counts, strict=True)
        ]
        counts[bounds.index(max(bounds))] += 1
    return counts


@pytest.mark.parametrize("c", [0.3, 1.0, 2.7])
@pytest.mark.parametrize("seed", range(3))
def test_every_action_is_tried_before_ucb1_chooses(c: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for arms in (2, 7, 40):
        payoffs = tuple(float(x) for x in np.float32(rng.uniform(-1, 1, arms)))
        root = Bandit(payoffs)
        agent = UCTAgent(c=c, seed=seed, limit=Limit(simulations=arms))
        first = agent.search(root)
        assert first.actions.tolist() == list(range(arms))
        assert first.visits.tolist() == [1] * arms
        pulls = 60 * arms
        found = UCTAgent(c=c, seed=seed, limit=Limit(simulations=pulls)).search(root)
        # Two bounds that are equal but for rounding may change one visit.
        assert np.abs(found.visits - np.array(ucb1(payoffs, pulls, c))).sum() <= 2
    orders = set()
    for other in range(30):
        few = UCTAgent(seed=other, limit=Limit(simulations=3)).search(Bandit((0.1, -0.2, 0.3, 0.0)))
        assert few.visits.tolist() == [1, 1, 1]
        orders.add(tuple(few.actions.tolist()))
    assert len(orders) == 4  # which are tried first is drawn


@pytest.mark.parametrize("simulations", [25, 60])
def test_few_simulations_beat_random_play(simulations: int) -> None:
    points, games_played = 0.0, 0
    for seed in range(5):
        match = arena.play_match(
            f"uct:simulations={simulations},seed={seed}",
            f"random:seed={seed}",
            game="connect-four",
            games=40,
            seed=seed,
        )
        points, games_played = points + match.wins + match.draws / 2, games_played + 40
        assert match.score > 0.8
    assert points >= 0.9 * games_played


def test_settings_that_leave_nothing_to_choose_are_named_once() -> None:
    empty = [
        ({"threshold": 60}, "visited 60 times and has not chosen once"),
        ({"expansion": "rollouts"}, "threshold=100 the root was visited 60 times"),
        ({"expansion": "rollouts", "threshold": 0}, "the one action of its first rollout"),
        ({"threshold": 9000, "limit": Limit(nodes=60)}, "has not chosen once"),
    ]
    for options, said in empty:
        agent = UCTAgent(**{"limit": Limit(simulations=60)} | options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for stones in (9, 7):
                agent.session(3).search(Nim(stones))
        assert [said in str(each.message) for each in caught] == [True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        UCTAgent(limit=Limit(simulations=60)).search(Nim(9))
        UCTAgent(limit=Limit(simulations=60), threshold=59).search(Nim(9))
        UCTAgent(limit=Limit(simulations=200), expansion="rollouts").search(Nim(9))
        # Somebody else's limit says nothing of the agent's settings.
        UCTAgent(threshold=60, limit=FEW).session(1).search(Nim(9), Limit(simulations=5))


def test_two_threads_share_an_agent_and_no_game() -> None:
    agent = UCTAgent(limit=Limit(simulations=150), seed=5)
    alone = {}
    for stones in (17, 23, 31):
        state, alone[stones] = Nim(stones), []
        own = UCTAgent(limit=Limit(simulations=150), seed=5)
        while not state.is_terminal:
            alone[stones].append(own(None, {"state": state}))
            state = state.play(alone[stones][-1])
    together: dict[int, list[int]] = {stones: [] for stones in alone}
    start = threading.Barrier(len(alone))

    def play(stones: int) -> None:
        start.wait()
        state = Nim(stones)
        while not state.is_terminal:
            together[stones].append(agent(None, {"state": state}))
            state = state.play(together[stones][-1])

    threads = [threading.Thread(target=play, args=(stones,)) for stones in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_a_session_takes_one_search_at_a_time_and_can_be_stopped() -> None:
    session = UCTAgent(limit=Limit(simulations=10**9)).session(1)
    refused: list[str] = []

    def watch() -> None:
        with pytest.raises(InvalidState, match="a session of its own") as refusal:
            session.search(Nim(9))
        refused.append(str(refusal.value))
        session.stop()

    result = session.search(CHESS.initial_state(), watch=watch)
    assert (result.ended, len(refused)) == ("stopped", 1)
    assert 0 < result.simulations < 10**9
    twin = copy.deepcopy(session)
    after = CHESS.initial_state().play(result.action)
    few = Limit(simulations=100)
    assert twin.search(after, few).visits.tolist() == session.search(after, few).visits.tolist()

    def fails() -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        session.search(CHESS.initial_state(), watch=fails)


@pytest.mark.parametrize(
    ("fen", "mate"),
    [("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8"), ("r7/8/8/8/8/6k1/8/7K b - - 0 1", "a8a1")],
)
def test_a_mate_is_played_by_either_colour(fen: str, mate: str) -> None:
    state = KRK.from_fen(fen)
    assert state.uci(krk_agent(threshold=300).search(state).action) == mate
    chess = CHESS.from_fen(fen)
    assert (
        chess.uci(UCTAgent(threshold=300, limit=Limit(simulations=2000)).search(chess).action)
        == mate
    )


def test_the_lone_king_counts_what_is_no_mate() -> None:
    state = KRK.from_fen("8/8/8/8/8/3k4/4R3/K7 b - - 0 1")  # it can take the rook
    wide = krk_agent(rollout="random", threshold=400, limit=Limit(simulations=2000))
    result = wide.search(state)
    take = result.actions.tolist().index(state.parse_uci("d3e2"))
    assert result.q[take] == 1.0
    assert state.uci(result.action) == "d3e2"


@pytest.mark.parametrize("stones", [5, 6, 7, 9])
def test_nim_is_played_well_whatever_plays_rollouts(stones: int) -> None:
    def policy(state: Any, rng: np.random.Generator) -> int:
        return int(rng.choice(state.legal_actions))

    for rollout in ("random", policy):
        agent = UCTAgent(rollout=rollout, threshold=5, limit=Limit(simulations=2000), seed=1)
        assert (stones - 1 - agent.search(Nim(stones)).action) % 4 == 0


def test_a_policy_in_python_sees_states_and_is_held_to_the_rules() -> None:
    seen = []

    def first(state: Any, rng: np.random.Generator) -> int:
        seen.append(state)
        return int(state.legal_actions[0])

    options = {"limit": Limit(simulations=3), "max_rollout_plies": 4}
    UCTAgent(rollout=first, **options).search(CHESS.initial_state())
    assert len(seen) == 12
    assert all(games.game_of(state) is CHESS for state in seen)
    result = krk_agent(rollout=lambda state, rng: int(rng.choice(state.best_actions))).search(START)
    assert result.value == 1.0  # perfect play of both mates

    def broken(state: Any, rng: np.random.Generator) -> int:
        raise RuntimeError("no idea")

    with pytest.raises(RuntimeError, match="no idea"):
        UCTAgent(rollout=broken, **options).search(CHESS.initial_state())
    with pytest.raises(IllegalAction, match="action 7, which is not legal"):
        UCTAgent(rollout=lambda state, rng: 7, **options).search(CHESS.initial_state())


def test_a_session_keeps_its_tree_and_counts_collapses() -> None:
    session = krk_agent(limit=Limit(simulations=1000)).session(5)
    rng = np.random.default_rng(2)
    state, searches, collapsed = START, 0, 0
    while not state.is_terminal and searches < 10:
        result = session.search(state)
        searches, collapsed = searches + 1, collapsed + result.collapsed
        kept = result.visits.sum() > 1000
        assert kept is np.bool_(searches > 1 and not result.collapsed)
        state = state.play(result.action)
        if not state.is_terminal:
            state = state.play(int(rng.choice(state.legal_actions)))
    assert session.collapses == collapsed > 0
    # Another game: no tree, no collapse; the numbers drawn are not those of the first game again.
    assert not session.search(START).collapsed
    assert session.collapses == 0


def test_the_first_search_has_a_limit_of_its_own() -> None:
    session = krk_agent(first_limit=Limit(simulations=900)).session(1)
    first = session.search(START)
    state = START.play(first.action)
    second = session.search(state.play(int(state.best_actions[0])))
    assert (first.simulations, second.simulations) == (900, 400)


def test_limits_of_each_kind_end_a_search() -> None:
    assert krk_agent(limit=Limit(nodes=50)).search(START).nodes == 50
    timed = krk_agent(limit=Limit(movetime_ms=20)).search(START)
    assert timed.ended == "movetime"
    assert timed.simulations > 0
    small = krk_agent(memory_mb=1, limit=Limit(simulations=1_000_000)).search(START)
    assert small.ended == "memory"
    assert small.nodes < 100_000


def test_selection_and_defender_are_variants() -> None:
    base = krk_agent().search(START).visits.tolist()
    for options in ({"selection": "puct"}, {"defender": "follow"}, {"c": 0.0}, {"threshold": 3}):
        assert krk_agent(**options).search(START).visits.tolist() != base


def test_numbers_of_numpy_are_numbers() -> None:
    own = krk_agent(c=np.float32(1.0), threshold=np.int64(30)).search(START)
    assert own.visits.tolist() == krk_agent().search(START).visits.tolist()


def test_copies_are_configuration() -> None:
    agent = krk_agent(seed=9)
    info = {"state": START}
    action = agent(None, info)
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert twin(None, info) == action
    session = agent.session(4)
    state = START
    for _ in range(2):
        state = state.play(session.search(state).action)
        state = state.play(int(state.legal_actions[0]))
    for twin in (copy.deepcopy(session), pickle.loads(pickle.dumps(session))):
        assert twin.collapses == session.collapses
        again = copy.deepcopy(twin)
        ours, theirs = copy.deepcopy(session).search(state), twin.search(state)
        assert theirs.visits.tolist() == ours.visits.tolist()
        assert again.search(state).totals.tolist() == ours.totals.tolist()
    ours = session.search(state)
    assert twin.search(state).visits.tolist() == session.search(state).visits.tolist()
    assert theirs.visits.tolist() == ours.visits.tolist()


def test_it_plays_in_environments_and_matches() -> None:
    env = gym.make("KRK-v0", start="dtm", dtm=(1, 3), observation="none")
    observation, info = env.reset(seed=3)
    agent = krk_agent(limit=Limit(simulations=2000), c=5.0, threshold=300)
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent(observation, info))
        over = terminated or truncated
    assert reward == 1.0
    assert info["reason"] == "checkmate"
    made = agents.make("uct", limit=Limit(simulations=30), threshold=5)
    result = arena.play_match(made, agents.RandomAgent(), game="chess", games=2, max_plies=6)
    assert len(result.games) == 2


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"c": -1.0}, "c=-1.0: expected a finite number, 0 or more"),
        ({"c": float("nan")}, "finite number"),
        ({"threshold": -1}, "threshold=-1: expected a whole number from 0 to 4,294,967,295"),
        ({"selection": "ucb"}, "selection='ucb': expected 'ucb1' or 'puct'"),
        ({"defender": "yield"}, "defender"),
        ({"defender": "follow", "game": "chess"}, 'for the game "krk"'),
        ({"rollout": "krk", "game": "chess"}, 'rollout="krk" is for the game "krk"'),
        ({"rollout": "greedy"}, 'rollout="greedy": expected "random"'),
        ({"max_rollout_plies": 0}, "from 1"),
        ({"memory_mb": 0}, "memory_mb=0"),
        ({"c": "1"}, "finite number, 0 or more"),
        ({"threshold": 2.5}, "whole number from 0"),
        ({"rollout": 5}, "or a callable"),
        ({"limit": 3000}, "expected a Limit"),
        ({"expansion": "all"}, "expansion='all': expected 'untried' or 'rollouts'"),
        ({"ties": "any"}, "ties='any': expected 'first' or 'random'"),
        ({"choice": "best"}, "choice='best': expected 'careful' or 'most_visited'"),
        ({"ends": "again"}, "ends='again': expected 'count' or 'restart'"),
        ({"selection": 1}, "selection=1: expected 'ucb1'"),
        ({"threshold": 2**70}, "from 0 to 4,294,967,295"),
        ({"root_visits": -1}, "root_visits=-1: expected a whole number from 0"),
        ({"rollout": "krk:nearer"}, "known are urgent, .*, capture"),
        ({"rollout": "krk:closer", "game": "chess"}, 'is for the game "krk"'),
    ],
)
def test_bad_options_are_refused_at_once(options: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidConfig, match=match):
        UCTAgent(**options)


def test_bad_states_are_refused() -> None:
    with pytest.raises(InvalidState, match="over at the root"):
        UCTAgent().search(CHESS.from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
    with pytest.raises(InvalidState, match=r"info\['state'\]"):
        UCTAgent()(None, {})
    with pytest.raises(InvalidState, match='where one of "krk" is needed'):
        UCTAgent(game="krk").search(CHESS.initial_state())
    with pytest.raises(UnknownGame, match="checkers"):
        UCTAgent(game="checkers")
    lost = KRK.from_fen("8/8/8/8/8/8/4k3/K3R3 b - - 0 1")
    with pytest.raises(InvalidState, match="over at the root"):
        krk_agent().search(lost.play(lost.parse_uci("e2e1")))

    class Stuck(Nim):
        @property
        def legal_actions(self) -> Any:
            return np.arange(0)

        def play(self, action: int) -> "Stuck":
            return self

    Stuck.register("uct-stuck")
    with pytest.raises(GameContract, match="legal_actions is empty"):
        UCTAgent().search(Stuck())


@pytest.mark.parametrize("cap", [1, 2, None])
def test_a_win_at_once_is_won_whatever_the_cap_of_rollouts(cap: int | None) -> None:
    state = games.make("connect-four").from_columns("121212")
    agent = UCTAgent(limit=Limit(simulations=500), threshold=20, max_rollout_plies=cap, seed=1)
    result = agent.session(1).search(state)
    assert result.action == 0
    assert result.q[result.actions.tolist().index(0)] == 1.0


def test_what_states_hold_counts_in_the_memory_of_a_tree() -> None:
    @dataclass(frozen=True)
    class Heavy(Nim):
        load: bytes = bytes(100_000)

        def play(self, action: Any) -> "Heavy":
            return Heavy(self.stones - 1 - int(action), 1 - self.turn, bytes(100_000))

    game = Heavy.register("uct-heavy")
    agent = UCTAgent(limit=Limit(simulations=2_000), memory_mb=1, game=game)
    result = agent.session(1).search(Heavy(40))
    assert result.ended == "memory"
    assert result.tree_nodes < 20
