"""Options of the engine: what they are called, what they take, what they are set to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Annotated, Any, Literal

from annotated_types import Interval

from phasezoo import _core
from phasezoo.apps.uci.commands import Setting
from phasezoo.specs import values_of, write_value

EMPTY = "<empty>"
"""How the protocol writes a text of no letters."""

NETWORKS = ("net", "experts", "policy", "value")
"""Options of agents that name networks."""

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
    annotation: Any
    """Its values: a range of whole numbers, true or false, one of several words, or a text."""
    default: str
    """Value unless it is set; a text may be empty."""
    reloads: bool = False
    """True if the networks have to be loaded again when it changes."""

    def line(self) -> str:
        """Return the line that announces it."""
        (kind,) = values_of(self.annotation).kinds
        names = {bool: "check", int: "spin", str: "string"}
        text = f"option name {self.name} type {names.get(kind.type, 'combo')}"
        text += f" default {self.default or EMPTY}"
        if kind.type is int:
            text += f" min {kind.range.least} max {kind.range.most}"
        return text + "".join(f" var {word}" for word in kind.choices)

    def read(self, text: str) -> str:
        """Return the value of ``text``; words may be in any case."""
        values = values_of(self.annotation)
        if self.annotation is str:
            return "" if text == EMPTY else text
        words = {word.lower(): word for word in values.kinds[0].choices}
        value = values.taken(values.read(words.get(text.lower(), text)))
        return str(write_value(value))


OPTIONS = (
    Option(
        "Threads",
        Annotated[int, Interval(ge=1, le=1024)],
        str(min(1024, _core.default_threads())),
        reloads=True,
    ),
    Option("Hash", Annotated[int, Interval(ge=1, le=1 << 20)], str(_core.SearchParams().memory_mb)),
    Option("Move Overhead", Annotated[int, Interval(ge=0, le=60_000)], "100"),
    Option("MultiPV", Annotated[int, Interval(ge=1, le=500)], "1"),
    Option("Ponder", bool, "false"),
    Option(_VARIANT, Literal[VARIANTS], VARIANTS[0]),
    Option(_CHESS960, bool, "false"),
    Option("UCI_ShowWDL", bool, "false"),
    Option("SyzygyPath", str, "", reloads=True),
    Option("Gate", str, "", reloads=True),
    Option("Routing", Literal["default", "exact", "majority", "soft"], "default", reloads=True),
    Option("ExpertsPath", str, "", reloads=True),
)
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
            else replace(option, default=variants[0], annotation=Literal[tuple(variants)])
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
    def refusal(self) -> str:
        """Why the game cannot be played; empty if it can."""
        variant = self[_VARIANT]
        if variant == VARIANTS[0] or not self.is_on(_CHESS960):
            return ""
        return f"{_CHESS960}: {variant} is played with the usual castling alone; set it to false"

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
            option = replace(option, annotation=Literal[VARIANTS])  # the experts may be of any
        try:
            self._values[option.name] = option.read(setting.value)
        except ValueError:
            expected = values_of(option.annotation).words(as_text=True)
            return f"setoption {option.name}: {setting.value!r}, expected {expected}"
        return None
