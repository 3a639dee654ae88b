"""The stand-in for the original Pommerman's package, and where it is put."""

import copy
import importlib
import subprocess
import sys
import types

import numpy as np
import pytest

from phasezoo import pommerman_compat
from phasezoo.errors import InvalidState, MissingDependency
from phasezoo.pommerman_compat import agents as stand_in, characters, constants, utility

# --- the modules ---


def test_a_base_agent_reads_its_figure():
    agent = stand_in.BaseAgent()
    agent.init_agent(2, constants.GameType.Team)
    assert (agent.agent_id, agent.ammo, agent.blast_strength) == (2, 1, 2)
    assert agent.teammate is constants.Item.Agent0
    assert agent.enemies[-1] is constants.Item.AgentDummy
    agent.ammo = 5
    assert agent._character.ammo == 1
    assert copy.deepcopy(agent).teammate is constants.Item.Agent0
    given = stand_in.DummyAgent(characters.Bomber())
    given.init_agent(1, constants.GameType.OneVsOne)
    assert given.enemies == [constants.Item.Agent0]
    assert given.to_json()["agent_id"] == 1
    assert given.act({}, None) == 0
    assert not given.has_user_input()
    for call in (lambda: agent.act({}, None), lambda: agent.nothing):
        with pytest.raises((NotImplementedError, AttributeError)):
            call()
    with pytest.raises(AttributeError, match="no figure"):
        stand_in.BaseAgent.__new__(stand_in.BaseAgent).ammo  # noqa: B018


def test_helpers():
    board = np.zeros((11, 11), dtype=np.uint8)
    board[1, 1:10] = range(1, 10)
    board[2, 1:5] = range(10, 14)

    def which(function, *rest):
        return [code for code, place in places.items() if function(board, place, *rest)]

    places = {0: (0, 0)} | {code: (1, code) for code in range(1, 10)}
    places |= {10 + player: (2, 1 + player) for player in range(4)}
    enemies = [constants.Item.Agent1, constants.Item.AgentDummy]
    assert which(utility.position_is_passage) == [0]
    assert which(utility.position_is_rigid) == [1]
    assert which(utility.position_is_wood) == [2]
    assert which(utility.position_is_wall) == [1, 2]
    assert which(utility.position_is_flames) == [4]
    assert which(utility.position_is_fog) == [5]
    assert which(utility.position_is_powerup) == [6, 7, 8]
    assert which(utility.position_is_agent) == [10, 11, 12, 13]
    assert which(utility.position_is_enemy, enemies) == [9, 11]
    assert which(utility.position_is_passable, enemies) == [0, 6, 7, 8, 10, 12, 13]
    assert which(utility.position_in_items, [constants.Item.Bomb, constants.Item.Kick]) == [3, 8]
    assert utility.position_is_bomb([types.SimpleNamespace(position=(3, 4))], (3, 4))
    assert not utility.position_is_bomb([], (3, 4))
    assert utility.agent_value(3) == 13
    assert utility.make_np_float([1, 2]).dtype == np.float32
    assert utility.make_np_float((5,)).tolist() == [5]


def test_directions():
    board = np.zeros((4, 4), dtype=np.uint8)
    board[0, 1], board[1, 0] = 1, 3
    for action in list(constants.Action)[1:5]:
        to = utility.get_next_position((2, 2), action)
        assert to == utility.get_next_position((2, 2), action.value)
        assert utility.get_direction((2, 2), to) is action
        assert utility.is_valid_direction(board, (2, 2), action)
    valid = [utility.is_valid_direction(board, (0, 0), action) for action in range(5)]
    assert valid == [True, False, True, False, False]
    assert not utility.is_valid_direction(board, (0, 0), 2, invalid_values=[3])
    assert utility.position_on_board(board, (3, 3))
    assert not utility.position_on_board(board, (0, 4))
    for call in (
        lambda: utility.get_next_position((1, 1), 5),
        lambda: utility.get_next_position((1, 1), "up"),
        lambda: utility.get_direction((1, 1), (1, 1)),
        lambda: utility.get_direction((1, 1), (2, 2)),
    ):
        with pytest.raises(constants.InvalidAction):
            call()


# --- installing ---


@pytest.fixture
def no_pommerman():
    """A process without any package of that name, before and after."""
    pommerman_compat.uninstall()
    if importlib.util.find_spec("pommerman"):
        pytest.skip("the original pommerman is installed here")
    yield
    pommerman_compat.uninstall()


def test_install_and_uninstall(no_pommerman):
    pommerman_compat.uninstall()
    pommerman_compat.install()
    import pommerman

    pommerman_compat.install()
    assert sys.modules["pommerman"] is pommerman
    from pommerman.agents import BaseAgent, random_agent
    from pommerman.constants import Item

    assert Item is constants.Item
    assert random_agent.RandomAgent.__mro__[1] is BaseAgent is stand_in.BaseAgent
    assert importlib.util.find_spec("pommerman") is not None
    pommerman_compat.uninstall()
    assert not [name for name in sys.modules if name.partition(".")[0] == "pommerman"]
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("pommerman")


def test_what_the_stand_in_lacks_is_an_error_that_says_so(no_pommerman):
    pommerman_compat.install()
    import pommerman

    with pytest.raises(MissingDependency, match=r"no pommerman\.graphics.*LegacyPommermanAgent"):
        pommerman.graphics.PommeViewer()
    with pytest.raises(ImportError, match=r"no pommerman\.runner"):
        from pommerman import runner  # noqa: F401
    with pytest.raises(MissingDependency, match=r"no pommerman\.graphics"):
        pommerman_compat.graphics  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        import pommerman.cli
    assert not hasattr(pommerman, "nonsense")
    assert not hasattr(pommerman_compat, "nonsense")


@pytest.mark.parametrize(
    ("kind", "advice"),
    [
        (stand_in.PlayerAgent, "HumanAgent"),
        (stand_in.PlayerAgentBlocking, "HumanAgent"),
        (stand_in.DockerAgent, "act"),
        (stand_in.HttpAgent, "act"),
        (stand_in.TensorForceAgent, "BaseAgent"),
    ],
)
def test_agents_that_cannot_be_are_imported_but_not_made(kind, advice):
    assert issubclass(kind, stand_in.BaseAgent)
    with pytest.raises(MissingDependency, match=rf"no {kind.__name__}: .*{advice}.*original"):
        kind("arrows", port=1050)


def test_the_original_is_not_replaced_unasked(no_pommerman, tmp_path, monkeypatch):
    package = tmp_path / "pommerman"
    package.mkdir()
    (package / "__init__.py").write_text("ORIGINAL = True")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InvalidState, match=r"pommerman.*would be hidden.*replace=True"):
        pommerman_compat.install()
    assert "pommerman" not in sys.modules
    original = importlib.import_module("pommerman")
    with pytest.raises(InvalidState, match="__init__"):
        pommerman_compat.install()
    pommerman_compat.install(replace=True)
    assert importlib.import_module("pommerman").agents.BaseAgent is stand_in.BaseAgent
    pommerman_compat.uninstall()
    assert importlib.import_module("pommerman") is original
    del sys.modules["pommerman"]


def test_importing_phasezoo_installs_nothing():
    code = (
        "import sys, phasezoo, phasezoo.games, phasezoo.agents, phasezoo.pommerman_compat\n"
        "import phasezoo.zoo.pommerman.agents.legacy\n"
        "print([name for name in sys.modules if name.startswith('pommerman')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
