"""UCT with rollouts: what it plays, what it remembers, what it refuses."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from phasezoo import agents, arena, games
from phasezoo.agents import Limit, UCTAgent
from phasezoo.errors import GameContract, IllegalAction, InvalidConfig, InvalidState, UnknownGame

KRK = games.make("krk")
CHESS = games.make("chess")
START = KRK.initial_state()
FEW = Limit(simulations=400)


@dataclass(frozen=True)
class Nim:
    """Who takes the last stone wins; one to three are taken."""

    stones: int = 10
    to_play: int = 0

    @property
    def is_terminal(self) -> bool:
        return self.stones == 0

    @property
    def legal_actions(self) -> Any:
        return np.arange(min(3, self.stones))

    @property
    def returns(self) -> Any:
        last = 1 - self.to_play
        sign = [1.0, -1.0] if last == 0 else [-1.0, 1.0]
        return np.array(sign if self.is_terminal else [0.0, 0.0], dtype=np.float32)

    def play(self, action: int) -> "Nim":
        return Nim(self.stones - 1 - action, 1 - self.to_play)

    def planes(self, spec: str, player: int | None = None) -> Any:
        return np.full((1, 1, 1), self.stones, dtype=np.float32)


NIM = games.register(
    "uct-nim",
    initial_state=Nim,
    num_players=2,
    num_actions=3,
    plane_specs={"default": (1, 1, 1)},
)


def krk_agent(**options: Any) -> UCTAgent:
    options = {"c": 1.0, "threshold": 30, "rollout": "krk", "limit": FEW} | options
    return UCTAgent(**options)


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
    random = krk_agent(rollout="random", threshold=400).search(START)
    assert random.actions.tolist() == START.legal_actions.tolist()


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
    result = krk_agent(rollout="random", threshold=400).search(state)
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
    for options in ({"selection": "puct"}, {"defender": "follow"}, {"c": 0.0}, {"threshold": 0}):
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
        ({"c": -1.0}, "c=-1: the exploration constant is a finite number from 0"),
        ({"c": float("nan")}, "finite number"),
        ({"threshold": -1}, "threshold=-1: expected a whole number from 0"),
        ({"selection": "ucb"}, 'selection="ucb": expected "ucb1", "puct"'),
        ({"defender": "yield"}, "defender"),
        ({"defender": "follow", "game": "chess"}, 'for the game "krk"'),
        ({"rollout": "krk", "game": "chess"}, 'rollout="krk" is for the game "krk"'),
        ({"rollout": "greedy"}, 'rollout="greedy": expected "random"'),
        ({"max_rollout_plies": 0}, "from 1"),
        ({"memory_mb": 0}, "memory_mb=0"),
        ({"c": "1"}, "finite number from 0"),
        ({"threshold": 2.5}, "whole number from 0"),
        ({"rollout": 5}, "or a callable"),
        ({"limit": 3000}, "expected a Limit"),
        ({"ties": "any"}, 'ties="any": expected "first", "random"'),
        ({"choice": "best"}, 'choice="best": expected "careful", "most_visited"'),
        ({"ends": "again"}, 'ends="again": expected "count", "restart"'),
        ({"selection": 1}, "selection=1: expected a word"),
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

    @dataclass(frozen=True)
    class Stuck(Nim):
        @property
        def legal_actions(self) -> Any:
            return np.arange(0)

        def play(self, action: int) -> "Stuck":
            return self

    games.register(
        "uct-stuck",
        initial_state=Stuck,
        num_players=2,
        num_actions=3,
        plane_specs={"default": (1, 1, 1)},
    )
    with pytest.raises(GameContract, match="legal_actions is empty"):
        UCTAgent().search(Stuck())
