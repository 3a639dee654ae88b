"""The registered environments, over which every conformance test runs."""

import gymnasium
import pytest

import phasezoo  # noqa: F401 - registers
from phasezoo.registration import ENVIRONMENTS

IDS = [
    name
    for name, spec in gymnasium.registry.items()
    if str(spec.entry_point).startswith("phasezoo.")
]


def pytest_generate_tests(metafunc):
    if "env_id" in metafunc.fixturenames:
        metafunc.parametrize("env_id", IDS)
    if "plain_id" in metafunc.fixturenames:
        # The namespaced twin has the same entry points; what takes long runs once.
        metafunc.parametrize("plain_id", [each.gymnasium_id for each in ENVIRONMENTS])
    if "pettingzoo_module" in metafunc.fixturenames:
        # Pommerman's modes share one module.
        names = list(dict.fromkeys(each.pettingzoo_module for each in ENVIRONMENTS))
        metafunc.parametrize("pettingzoo_module", names)


@pytest.fixture
def module(pettingzoo_module):
    """A PettingZoo module with ``env`` and ``raw_env``."""
    from importlib import import_module

    return import_module(f"phasezoo.envs.{pettingzoo_module}")
