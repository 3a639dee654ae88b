"""Games, gates, networks and agents that an installed package offers by its entry points."""

import os
import subprocess
import sys

import pytest

MODULE = """
import numpy as np
from phasezoo import games

class Nim:
    game = "nim"
    num_players = 2

    def __init__(self, left=7, ply=0):
        self.left, self.ply = left, ply
        self.to_play, self.is_terminal, self.key = ply % 2, left == 0, left

    @property
    def legal_actions(self):
        return np.arange(min(self.left, 3))

    def play(self, action):
        return Nim(self.left - 1 - int(action), self.ply + 1)

    @property
    def returns(self):
        won = 1 if self.is_terminal else 0
        return [won, -won] if self.ply % 2 else [-won, won]

    def planes(self, spec):
        return np.full((1, 1, 7), self.left / 7, dtype=np.float32)

def register():
    games.register("nim", initial_state=Nim, num_players=2, num_actions=3,
                   plane_specs={"heap": (1, 1, 7)})
"""
GATE = """
from phasezoo import gating

@gating.register("heap", names=("many", "few"))
def heap(state):
    return int(state.left < 4)
"""
NETWORK = """
import torch
from phasezoo import networks

@networks.register("lever")
class Lever(torch.nn.Module):
    def __init__(self, input_shape, num_actions, width: int):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(width))
        self.policy, self.value = torch.nn.Linear(width, num_actions), torch.nn.Linear(width, 1)

    def forward(self, planes):
        found = self.body(planes)
        return self.policy(found), self.value(found)
"""
AGENT = """
from phasezoo import agents

class Greedy:
    def session(self, seed):
        return self

    def act(self, state, player=None):
        return int(state.legal_actions[-1])

agents.register("greedy", Greedy)
"""
ENTRIES = """
[phasezoo.games]
nim = nim_suite.rules:register
wreck = nim_suite.wreck
idle = nim_suite.agents

[phasezoo.gates]
heap = nim_suite.gates

[phasezoo.networks]
lever = nim_suite.nets

[phasezoo.agents]
greedy = nim_suite.agents
mcts = nim_suite.wreck
"""


@pytest.fixture
def run(tmp_path):
    """Runs code in a new process that finds a distribution in a folder of its own."""
    package, info = tmp_path / "nim_suite", tmp_path / "nim_suite-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    parts = {"__init__": "", "rules": MODULE, "gates": GATE, "nets": NETWORK, "agents": AGENT,
             "wreck": "raise RuntimeError('no rudder')"}  # fmt: skip
    for name, text in parts.items():
        (package / f"{name}.py").write_text(text)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nim-suite\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)

    def run(code, *options):
        path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
        words = [sys.executable, *options, "-c", code]
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip(), done.stderr

    return run


def test_what_a_package_offers_is_found_by_its_name_and_loaded_no_sooner(run):
    code = """
import sys, phasezoo
from phasezoo import agents, arena, games, gating, networks
assert not [name for name in sys.modules if name.startswith("nim_suite")]
games.make("chess"), gating.make("lichess"), agents.make("random"), networks.make("mlp-8x1")
assert not [name for name in sys.modules if name.startswith("nim_suite")]
state = games.make("nim").new_state()
assert gating.make("heap", "nim")(state) == 0
assert networks.spec_of("lever-5") == "lever-5"
session = agents.make("greedy").session(1)
while not state.is_terminal:
    state = state.play(session.act(state))
print(state.ply, gating.make("heap").spec, agents.make("greedy").__class__.__name__)
"""
    assert run(code, "-W", "error") == ("3 heap Greedy", "")


def test_one_that_fails_is_told_of_once_and_hinders_nothing(run):
    code = """
import warnings
from phasezoo import agents, errors, games
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    for _ in range(2):
        try:
            games.make("wreck")
        except errors.UnregisteredGame as error:
            assert "no such game" in str(error)
        assert "nim" in games.names() and "wreck" not in games.names()
        assert "greedy" in agents.names()
        assert type(agents.make("mcts", nodes=10)).__name__ == "MCTSAgent"
for each in seen:
    print(each.message)
"""
    told, _ = run(code)
    offered = "which the package nim-suite offers by"
    wrong = "RuntimeError: no rudder"
    names = [
        ("'idle' of phasezoo.games", "agents", "loading it registers nothing called 'idle'"),
        ("'mcts' of phasezoo.agents", "wreck", wrong),
        ("'wreck' of phasezoo.games", "wreck", wrong),
    ]
    assert sorted(told.splitlines()) == [
        f"{name}, {offered} 'nim_suite.{module}', cannot be used: {reason}"
        for name, module, reason in names
    ]


def test_commands_know_them_and_warn_in_a_line(run):
    code = """
from phasezoo.apps.cli import main
print(main(["match", "greedy", "random", "--game", "nim", "--games", "2"]))
print(main(["match", "greedy", "random", "--game", "wreck"]))
"""
    told, errors = run(code)
    assert told.splitlines()[-2:] == ["0", "2"], errors
    assert "phasezoo: warning: 'wreck' of phasezoo.games" in errors
    assert "Traceback" not in errors
