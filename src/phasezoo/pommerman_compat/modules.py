"""Putting the stand-in where ``import pommerman`` finds it, and taking it away."""

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from phasezoo.errors import InvalidState, MissingDependency
from phasezoo.pommerman_compat import (
    agents,
    characters,
    configs,
    constants,
    env,
    envs,
    forward_model,
    utility,
)

__all__ = ["ABSENT", "absent", "install", "uninstall"]

_NAME = "pommerman"

_CONTENTS: dict[str, tuple[ModuleType, tuple[str, ...]]] = {
    "pommerman": (env, ("REGISTRY", "make")),
    "pommerman.agents": (agents, tuple(agents.__all__)),
    "pommerman.agents.base_agent": (agents, ("BaseAgent",)),
    "pommerman.agents.random_agent": (agents, ("RandomAgent",)),
    "pommerman.agents.simple_agent": (agents, ("SimpleAgent",)),
    "pommerman.characters": (characters, ("Bomb", "Bomber", "Flame")),
    "pommerman.configs": (configs, tuple(name for name in configs.__all__ if "_env" in name)),
    "pommerman.constants": (constants, tuple(constants.__all__)),
    "pommerman.envs": (envs, ()),
    "pommerman.envs.v0": (envs.v0, ("Pomme",)),
    "pommerman.envs.v1": (envs.v1, ("Pomme",)),
    "pommerman.envs.v2": (envs.v2, ("Pomme",)),
    "pommerman.forward_model": (forward_model, ("ForwardModel",)),
    "pommerman.utility": (utility, tuple(utility.__all__)),
}
"""The modules there are: where their names come from, and which these are."""

ABSENT: dict[str, tuple[str, ...]] = {
    "pommerman": (
        "cli",
        "graphics",
        "helpers",
        "network",
        "registry",
        "runner",
    ),
    "pommerman.utility": ("join_json_state",),
}
"""Modules of the original that are missing here."""


def absent(module: str, name: str) -> MissingDependency:
    """The error that says that something of the original has no counterpart.

    An AttributeError would lose its message in ``from pommerman import …``.
    """
    message = (
        f"phasezoo's stand-in has no {module}.{name}, only what agents and training scripts need: "
        f"{', '.join(_CONTENTS)}. For games call pommerman.make(id, agents), or take phasezoo.envs "
        "and phasezoo.agents.LegacyPommermanAgent; for the rest install the original package"
    )
    return MissingDependency(message)


class _StandIn(ModuleType):
    """One module, with what it displaced."""

    def __init__(self, name: str) -> None:
        source, names = _CONTENTS[name]
        super().__init__(name, source.__doc__)
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__: list[str] = []
        self.displaced: dict[str, ModuleType] = {}
        for each in names:
            setattr(self, each, getattr(source, each))

    def __getattr__(self, name: str) -> Any:
        if name in ABSENT.get(self.__name__, ()):
            raise absent(self.__name__, name)
        message = f"module {self.__name__!r} has no attribute {name!r} (it is phasezoo's stand-in)"
        raise AttributeError(message)


def install(*, replace: bool = False) -> None:
    """Let ``import pommerman`` find the stand-in, in this process, until :func:`uninstall`.

    Doing it again is harmless.

    Args:
        replace: Hide the original if there is one. Modules of it that were imported come back
            with :func:`uninstall`; what agents took from them already, they keep.

    Raises:
        InvalidState: The original is there, and is not to be replaced.
    """
    if isinstance(sys.modules.get(_NAME), _StandIn):
        return
    if not replace and (place := _original()):
        message = (
            f"a package named {_NAME!r} is there ({place}) and would be hidden: agents can use it "
            "as it is with LegacyPommermanAgent(…, constants=pommerman.constants); "
            "install(replace=True) hides it"
        )
        raise InvalidState(message)
    stand_in = _StandIn(_NAME)
    stand_in.displaced = _take_out()
    sys.modules[_NAME] = stand_in
    for name in list(_CONTENTS)[1:]:
        parent, _, child = name.rpartition(".")
        sys.modules[name] = _StandIn(name)
        setattr(sys.modules[parent], child, sys.modules[name])


def uninstall() -> None:
    """Take the stand-in out again, and put back what it replaced; harmless if it is not in."""
    stand_in = sys.modules.get(_NAME)
    if isinstance(stand_in, _StandIn):
        _take_out()
        sys.modules.update(stand_in.displaced)


def _original() -> str | None:
    """Where the original is, if anywhere."""
    if _NAME in sys.modules:
        return getattr(sys.modules[_NAME], "__file__", None) or "already imported"
    spec = find_spec(_NAME)
    return None if spec is None else spec.origin or "importable"


def _take_out() -> dict[str, ModuleType]:
    names = [name for name in sys.modules if name == _NAME or name.startswith(f"{_NAME}.")]
    return {name: sys.modules.pop(name) for name in names}
