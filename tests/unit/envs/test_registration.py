"""What registration says if another package holds one of our names."""

import gymnasium as gym
import pytest

from phasezoo import registration
from phasezoo.envs import ChessEnv


class Theirs(gym.Env):
    """Another package's chess."""


@pytest.fixture
def _taken(monkeypatch):
    theirs = gym.spec("Chess-v0")
    monkeypatch.setitem(gym.registry, "Chess-v0", theirs)
    monkeypatch.delitem(gym.registry, "Chess-v0")
    gym.register("Chess-v0", entry_point=Theirs)


@pytest.mark.usefixtures("_taken")
def test_a_name_that_another_package_holds_is_told_and_ours_is_named():
    with pytest.warns(UserWarning, match=r"'Chess-v0'.*'phasezoo/Chess-v0'"):
        registration.register_all()
    assert gym.spec("Chess-v0").entry_point is Theirs
    assert isinstance(gym.make("phasezoo/Chess-v0").unwrapped, ChessEnv)


def test_registering_again_says_nothing():
    registration.register_all()
    registration.register_all()
