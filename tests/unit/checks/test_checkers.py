"""Checkers pass what is sound, and name each contract that is broken."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from broken_games import BREAKS, Heap

from phasezoo import agents, games, gating, inference
from phasezoo.checking import BrokenContract
from phasezoo.errors import InvalidConfig


@pytest.fixture
def registered(own_games_forgotten):
    """Registers a game's type for the length of a test."""

    def register(kind):
        games.register(
            "heap", initial_state=kind, num_players=2, num_actions=2,
            plane_specs={"default": (1, 1, 2)},
        )  # fmt: skip
        return "heap"

    return register


@pytest.mark.parametrize("name", [name for name in games.names() if games.make(name).native])
def test_every_game_of_the_package_keeps_its_contracts(name):
    report = games.check(name, games=1, seed=3)
    assert report.ok, str(report)


def test_a_sound_game_passes(registered):
    report = games.check(registered(Heap), games=30)
    assert report
    assert report.breaches == ()
    report.raise_if_broken()
    assert "every contract held" in str(report)


@pytest.mark.parametrize("kind", BREAKS, ids=lambda kind: kind.__name__)
def test_a_broken_contract_of_a_game_is_named(registered, kind):
    report = games.check(registered(kind), games=10)
    assert not report
    assert BREAKS[kind] in {breach.contract for breach in report.breaches}, str(report)
    with pytest.raises(BrokenContract, match="broken"):
        report.raise_if_broken()


def test_all_members_that_are_missing_are_named(registered):
    class Bare:
        to_play = 0

        def play(self, action):
            return self

    report = games.check(registered(Bare))
    assert "Bare has no is_terminal, legal_actions, returns, planes" in str(report)
    assert len(report.breaches) == 1


def test_keys_that_tell_positions_apart_are_right_whoever_came_by_other_moves(registered):
    class ByMoves(Heap):
        """Planes show the last move, and keys do not: two ways to one position differ in them."""

        def planes(self, spec, player=None):
            planes = super().planes(spec, player)
            planes[..., 1] = hash((self.left, self.ply)) % 5
            return planes

    class Shared(Heap):
        @property
        def graph_key(self):
            return None if self.left == 2 else self.left

    for kind in (ByMoves, Shared):
        assert "states of one ply" not in str(games.check(registered(kind)))


def test_the_same_seed_gives_the_same_report(registered):
    name = registered(Heap)
    assert str(games.check(name, games=5, seed=4)) == str(games.check(name, games=5, seed=4))


def test_one_breach_does_not_hide_others(registered):
    class Twice(next(kind for kind in BREAKS if kind.__name__ == "Unordered")):
        key = -1

    contracts = {breach.contract for breach in games.check(registered(Twice)).breaches}
    assert len(contracts) >= 2


def broken_contracts(report):
    assert not report.ok
    return {breach.contract for breach in report.breaches}


def constant(state):
    return 0


class Picky:
    """A gate that fails on some states."""

    def __call__(self, state):
        return 1 // (state.ply % 7)


class TestGates:
    @pytest.mark.parametrize("spec", ["lichess", "none", "hash:5", "moves:4", "material"])
    def test_built_in_gates_pass(self, spec):
        assert gating.check(spec, "chess", states=60).ok

    def test_a_function_passes(self):
        report = gating.check(constant, names=("a", "b"), states=20)
        assert report.ok, str(report)

    def test_an_answer_that_is_no_phase(self):
        report = gating.check(lambda state: 2, names=("a", "b"), states=20)
        assert "answers are phases" in broken_contracts(report)

    def test_an_answer_that_changes(self):
        rng = random.Random(1)
        report = gating.check(lambda state: rng.randrange(2), names=("a", "b"), states=50)
        assert "the same state has the same phase" in broken_contracts(report)

    def test_a_gate_that_fails(self):
        report = gating.check(Picky(), names=("a", "b"), states=20)
        assert "a gate answers every state of its game" in broken_contracts(report)

    def test_a_game_that_fails(self, registered):
        """The fault is the game's, and the report says so."""

        class Falling(Heap):
            def play(self, action):
                raise IndexError("no such cell")

        report = gating.check(constant, registered(Falling), names=("a", "b"), states=20)
        assert broken_contracts(report) == {"random games give a gate its states"}
        assert "the game 'heap' raised IndexError: no such cell" in str(report)

    def test_a_game_that_changes_its_states(self, registered):
        """The states that random games gave are over once the games have ended."""

        class Spent(Heap):
            def play(self, action):
                object.__setattr__(self, "left", self.left - 1 - int(action))
                return self

        report = gating.check(constant, registered(Spent), names=("a", "b"), states=20)
        assert str(report)

    def test_a_batch_that_answers_otherwise(self):
        gate = gating.make(
            lambda states: [len(states) > 1] * len(states), names=("a", "b"), batched=True
        )
        contracts = broken_contracts(gating.check(gate, states=20))
        assert "batch answers as one call a state does" in contracts

    def test_players_who_move_at_once(self):
        assert gating.check("opponents", "pommerman-ffa", states=40).ok


class Sum:
    plane_spec = "v2"

    def evaluate(self, planes):
        return inference.Evaluation(value=np.tanh(planes.sum(axis=(1, 2, 3)) / 1e3))


class Neighbour(Sum):
    def evaluate(self, planes):
        value = planes.sum(axis=(1, 2, 3))
        return inference.Evaluation(value=np.tanh(value - value.mean()))


class Forgetful(Sum):
    calls = 0

    def evaluate(self, planes):
        self.calls += 1
        return inference.Evaluation(value=np.full(len(planes), self.calls % 2))


class TooLarge(Sum):
    def evaluate(self, planes):
        return inference.Evaluation(value=planes.sum(axis=(1, 2, 3)))


class OnlyPairs(Sum):
    def evaluate(self, planes):
        if len(planes) == 1:
            message = "two at least"
            raise ValueError(message)
        return super().evaluate(planes)


class ForeignPlanes(Sum):
    plane_spec = "v7"


class TestEvaluators:
    @pytest.mark.parametrize("evaluator", [inference.Uniform(), Sum()])
    def test_sound_ones_pass(self, evaluator):
        report = inference.check(evaluator)
        assert report.ok, str(report)

    @pytest.mark.parametrize(
        ("evaluator", "contract"),
        [
            (Neighbour(), "a row's answer does not depend on the rows beside it"),
            (Forgetful(), "the same batch has the same answer"),
            (TooLarge(), "answers have the right shape and range"),
            (OnlyPairs(), "an evaluator answers every batch"),
            (ForeignPlanes(), "plane_spec names planes of the game"),
            (object(), "an evaluator has evaluate(planes)"),
        ],
        ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
    )
    def test_broken_ones_are_named(self, evaluator, contract):
        assert contract in broken_contracts(inference.check(evaluator))

    def test_players_at_once_are_asked_in_turn(self):
        shown = []

        class Each(Sum):
            plane_spec = "standard"

            def evaluate_batch(self, leaves):
                shown.append(leaves.players.tolist())
                value = np.tile(np.arange(4) / 8, (len(leaves), 1)).astype(np.float32)
                return inference.Evaluation(value=value)

        report = inference.check(Each(), "pommerman-ffa", rows=8)
        assert report.ok, str(report)
        assert "8 states" in str(report)
        assert set(shown[0]) == {0, 1, 2, 3}

    def test_a_mixture_is_asked_under_its_own_gate(self):
        late = inference.MixtureOfExperts({"up to 4": Sum(), "over 4": TooLarge()}, "plies:4")
        assert "answers have the right shape and range" in broken_contracts(inference.check(late))
        sound = inference.MixtureOfExperts({"up to 4": Sum(), "over 4": Sum()}, "plies:4")
        assert inference.check(sound).ok


def first(observation, info):
    return int(np.flatnonzero(info["action_mask"])[0])


def spoils(observation, info):
    action = first(observation, info)
    info["action_mask"][:] = 0
    return action


def wrong(observation, info):
    return int(np.flatnonzero(info["action_mask"] == 0)[0])


def nothing(observation, info):
    return None


class Wants:
    """Fails unless it is shown what it asks for, and told nothing that is hidden."""

    plane_spec = "minimal"
    gate = "lichess"

    def __call__(self, observation, info):
        assert observation.shape == (12, 8, 8)
        return first(observation, info)


class Moody:
    """Sessions of one seed play differently."""

    def __init__(self):
        self.games = 0

    def session(self, seed):
        self.games += 1
        return Turns(self.games)


class Turns:
    def __init__(self, shift):
        self.shift = shift

    def act(self, state, player=None):
        return int(state.legal_actions[self.shift % len(state.legal_actions)])


class TestAgents:
    @pytest.mark.parametrize("agent", [first, Wants(), agents.RandomAgent(seed=1)])
    def test_sound_ones_pass(self, agent):
        report = agents.check(agent, matches=1)
        assert report.ok, str(report)

    def test_an_agent_of_a_hidden_game_is_shown_no_state(self):
        def looks(observation, info):
            assert "state" not in info
            return 0

        report = agents.check(looks, "pommerman-team-radio", matches=1)
        assert broken_contracts(report) == {"an agent can be pickled, for worker processes"}

    @pytest.mark.parametrize(
        ("agent", "contract"),
        [
            (spoils, "an agent leaves observation and info as they are"),
            (wrong, "an agent answers with a legal action"),
            (nothing, "an agent answers with a legal action"),
            (Moody(), "sessions of the same seed play alike"),
            (3, "an agent is a callable (observation, info) -> action, or has session(seed)"),
        ],
        ids=["spoils", "wrong", "nothing", "moody", "number"],
    )
    def test_broken_ones_are_named(self, agent, contract):
        assert contract in broken_contracts(agents.check(agent, matches=1))


MODULE = """
import numpy as np
from broken_games import Heap
from phasezoo import agents, games, gating, inference

games.register("own-heap", initial_state=Heap, num_players=2, num_actions=2,
               plane_specs={"default": (1, 1, 2)})

@gating.register("own-size", names=("many", "few"))
def size(state):
    return int(state.left < 4)

class Half:
    plane_spec = "default"

    def evaluate(self, planes):
        return inference.Evaluation(value=planes.mean(axis=(1, 2, 3)) / 10)

def first(observation, info):
    return int(np.flatnonzero(info["action_mask"])[0])

def nothing(observation, info):
    return None
"""


class TestShell:
    @pytest.fixture
    def run(self, tmp_path):
        (tmp_path / "own_module.py").write_text(MODULE)

        def run(*arguments):
            path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
            return subprocess.run(
                [sys.executable, "-m", "phasezoo", "check", *arguments],
                cwd=tmp_path, env=os.environ | {"PYTHONPATH": path},
                capture_output=True, text=True, check=False, timeout=120,
            )  # fmt: skip

        return run

    def test_a_module_is_checked_whole(self, run):
        done = run("own_module", "--games", "3")
        assert done.returncode == 1, done.stderr
        for subject in ("game 'own-heap'", "gate 'own-size'", "evaluator Half", "agent first"):
            assert f"{subject}: every contract held" in done.stdout
        assert "agent nothing: 1 contract broken" in done.stdout

    def test_one_object_of_a_file(self, run):
        done = run("own_module.py:first")
        assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stderr

    @pytest.mark.parametrize(
        "module", ["no_such_module", "own_module:zzz", "json", "json:JSONDecoder"]
    )
    def test_what_cannot_be_checked_is_one_line(self, run, module):
        done = run(module)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("phasezoo: ")

    def test_a_game_of_the_package_is_checked_by_its_name(self, run):
        done = run("connect-four", "--games", "2")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("game 'connect-four': every contract held (2 random games")

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (
                (
                    "from phasezoo import games\n"
                    "games.register('own-heap', initial_state=lambda: 1 / 0, num_players=2, "
                    "num_actions=2, plane_specs={'default': (1, 1, 2)})\n"
                ),
                "game 'own-heap': initial_state() raised ZeroDivisionError: division by zero",
            ),
            (
                "class Pile:\n    is_terminal = legal_actions = returns = play = None\n",
                "the class Pile looks like the state of a game: register the game with games.reg",
            ),
        ],
    )
    def test_a_game_that_is_not_registered_is_named(self, run, tmp_path, text, words):
        (tmp_path / "own_game.py").write_text(text)
        done = run("own_game.py")
        assert done.returncode == 2
        assert words in done.stderr

    def test_a_class_that_needs_arguments_is_no_object(self, run, tmp_path):
        (tmp_path / "own_net.py").write_text("class Tiny:\n    def __init__(self, shape): pass\n")
        done = run("own_net.py:Tiny")
        assert done.returncode == 2
        assert "Tiny cannot be made without arguments" in done.stderr
        assert "networks.check(" in done.stderr

    def test_a_module_that_lies_beside_is_named(self, run, tmp_path):
        folder = tmp_path / "elsewhere"
        folder.mkdir()
        (folder / "own_axis.py").write_text("import own_rules\n")
        (folder / "own_rules.py").write_text("")
        done = run("elsewhere/own_axis.py")
        assert done.returncode == 2
        assert "import it first: --plugin elsewhere/own_rules.py" in done.stderr

    def test_a_module_that_is_not_there_is_told_from_a_broken_one(self, run):
        assert "such as my_module.py" in run("own_modul").stderr


@pytest.mark.parametrize("wrong", [0, -5, 1.5, float("nan"), "3"])
def test_a_check_of_nothing_is_refused(wrong):
    for check, count in (
        (lambda **given: games.check("connect-four", **given), "games"),
        (lambda **given: gating.check("plies:3", "chess", **given), "states"),
        (lambda **given: agents.check(agents.RandomAgent(), **given), "matches"),
        (lambda **given: inference.check(inference.Uniform(), **given), "rows"),
    ):
        with pytest.raises(InvalidConfig, match=f"{count}="):
            check(**{count: wrong})
        if wrong != 0:
            with pytest.raises(InvalidConfig, match="seed="):
                check(seed=wrong)


@pytest.mark.parametrize(("sizes", "says"), [
    ({"num_actions": 0}, "num_actions"),
    ({"num_actions": 10**30}, "num_actions"),
    ({"num_players": 9}, "num_players"),
])  # fmt: skip
def test_a_game_of_a_size_that_none_has_is_refused(sizes, says):
    given = {"num_players": 2, "num_actions": 2, **sizes}
    with pytest.raises(InvalidConfig, match=f"'heap': {says}"):
        games.register("heap", initial_state=Heap, plane_specs={"default": (1, 1, 2)}, **given)
    assert "heap" not in games.names()
