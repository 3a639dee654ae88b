"""Options of the engine: what they are called, what they take, what they are set to."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Literal

from phasezoo import _core
from phasezoo.apps.uci.commands import Setting

EMPTY = "<empty>"
"""How the protocol writes a text of no letters."""

VARIANTS = ("chess", "atomic", "crazyhouse")
"""Values of ``UCI_Variant``: the games by their registered names."""

CHESS960 = "chess960"
"""Game in place of the first of them if ``UCI_Chess960`` is set."""

_VARIANT, _CHESS960 = "UCI_Variant", "UCI_Chess960"

STARTS = {CHESS960: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"}
"""Position of ``startpos`` in games whose start is drawn."""


@dataclass(frozen=True)
class Option:
    """One option."""

    name: str
    """As user interfaces show it."""
    kind: Literal["spin", "check", "combo", "string"]
    """A whole number, true or false, one of several words, or a text."""
    default: str
    """Value unless it is set; a text may be empty."""
    least: int = 0
    """Of a number."""
    most: int = 0
    """Of a number."""
    words: tuple[str, ...] = ()
    """The words to choose from."""
    reloads: bool = False
    """Whether the networks have to be loaded again when it changes."""

    def line(self) -> str:
        """Return the line that announces it."""
        text = f"option name {self.name} type {self.kind} default {self.default or EMPTY}"
        if self.kind == "spin":
            text += f" min {self.least} max {self.most}"
        return text + "".join(f" var {word}" for word in self.words)

    def read(self, text: str) -> str | None:
        """Return the value of ``text``; None if it is not allowed."""
        if self.kind == "spin":
            is_number = text.isascii() and text.removeprefix("-").isdigit() and len(text) < 12
            fits = is_number and self.least <= int(text) <= self.most
            return str(int(text)) if fits else None
        if self.kind in ("check", "combo"):
            words = ("true", "false") if self.kind == "check" else self.words
            return next((word for word in words if word.lower() == text.lower()), None)
        return "" if text == EMPTY else text

    def allowed(self) -> str:
        """Return the allowed values, in words."""
        if self.kind == "spin":
            return f"a whole number from {self.least} to {self.most}"
        return "true or false" if self.kind == "check" else ", ".join(self.words)


def _cores() -> int:
    """The cores that this process may use."""
    known = getattr(os, "sched_getaffinity", None)  # not on every system
    return min(1024, len(known(0)) if known else os.cpu_count() or 1)


OPTIONS = (
    Option("Threads", "spin", str(_cores()), 1, 1024, reloads=True),
    Option("Hash", "spin", str(_core.SearchParams().memory_mb), 1, 1 << 20),
    Option("Move Overhead", "spin", "100", 0, 60_000),
    Option("MultiPV", "spin", "1", 1, 500),
    Option("Ponder", "check", "false"),
    Option(_VARIANT, "combo", VARIANTS[0], words=VARIANTS),
    Option(_CHESS960, "check", "false"),
    Option("UCI_ShowWDL", "check", "false"),
    Option("SyzygyPath", "string", "", reloads=True),
    Option("Gate", "string", "", reloads=True),
    Option("Routing", "combo", "default", words=("default", "exact", "majority", "soft"),
           reloads=True),
    Option("ExpertsPath", "string", "", reloads=True),
)  # fmt: skip
"""All of them."""


def packaged_agents() -> dict[str, str]:
    """The agents of those variants whose networks are in the package."""
    models = resources.files("phasezoo") / "models"
    networks = {variant: f"{variant}-small" for variant in VARIANTS}
    return {
        variant: f"mcts:net=phasezoo/{name},batch_size=16"
        for variant, name in networks.items()
        if (models / name).is_dir()
    }


class Options:
    """The options and their values.

    Args:
        variants: The variants that the agent plays, the one by default first.
    """

    def __init__(self, variants: Sequence[str] = VARIANTS) -> None:
        offered = [
            option
            if option.name != _VARIANT
            else replace(option, default=variants[0], words=tuple(variants))
            for option in OPTIONS
        ]
        self._values = {option.name: option.default for option in offered}
        self._known = {
            option.name.lower(): option
            for option in offered
            if option.name != _CHESS960 or VARIANTS[0] in variants
        }

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def number(self, name: str) -> int:
        """The value of a spin."""
        return int(self._values[name])

    def is_on(self, name: str) -> bool:
        """The value of a check."""
        return self._values[name] == "true"

    def is_set(self, name: str) -> bool:
        """Whether an option is not what it is by default."""
        return self._values[name] != self._known[name.lower()].default

    @property
    def game(self) -> str:
        """Registered name of the game."""
        variant = self[_VARIANT]
        is_drawn = variant == VARIANTS[0] and self.is_on(_CHESS960)
        return CHESS960 if is_drawn else variant

    @property
    def loaded(self) -> tuple[str, ...]:
        """The values that networks are loaded by."""
        return tuple(self._values[option.name] for option in OPTIONS if option.reloads)

    def lines(self) -> Iterator[str]:
        """Return the lines that announce them."""
        return (option.line() for option in self._known.values())

    def set(self, setting: Setting) -> str | None:
        """Give an option a value; what is wrong, if it cannot have it."""
        option = self._known.get(setting.name.lower())
        if option is None:
            return f"setoption: no option {setting.name!r}"
        if option.name == _VARIANT and self.is_set("ExpertsPath"):
            option = replace(option, words=VARIANTS)  # the experts may be of any
        value = option.read(setting.value)
        if value is None:
            return f"setoption {option.name}: {setting.value!r}, expected {option.allowed()}"
        self._values[option.name] = value
        return None
