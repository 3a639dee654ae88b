"""A page for each family of environments, made from its class, its options and its games.

A family is what one class makes; nothing here knows which there are. What a page says of a game is
read from the class's docstring, from the environment as it is made, and from the game's handle.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import gymnasium

from docstrings import to_markdown
from env_options import Option, options_of
from phasezoo import games, gating
from phasezoo.envs.rendering import render
from phasezoo.envs.rendering.choice import painter_of, pointing_of
from phasezoo.errors import InvalidGate
from phasezoo.games.bounds import UNLIMITED
from phasezoo.registration import ENVIRONMENTS, NAMESPACE, Environment

__all__ = [
    "Family",
    "environment_pages",
    "families",
    "gates_of",
    "picture_of",
    "pictures",
    "space_text",
]

SEED = 7
KINDS = {"b": "ones and zeros", "c": "one number", "g": "numbers"}
SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
PLANES_ARE_IN = "Observation Space"
OPTIONS_ARE_IN = "Arguments"
INFO_IS_IN = "Information"


@dataclass(frozen=True)
class Family:
    """The environments of one class."""

    lines: tuple[Environment, ...]
    """Their lines in the table of registration."""

    @cached_property
    def kind(self) -> type:
        """The class."""
        return _imported(self.lines[0].entry_point)

    @property
    def name(self) -> str:
        """The name of its page."""
        return self.lines[0].pettingzoo_module.rpartition("_v")[0]

    @property
    def title(self) -> str:
        """Its name for people: that of the class in words."""
        words = self.kind.__name__.removesuffix("Env")
        return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words)

    @cached_property
    def sections(self) -> dict[str, str]:
        """The sections of the class's docstring in Markdown; what comes first is ``""``."""
        text = to_markdown(inspect.getdoc(self.kind) or "", _link)
        text = text.replace("{py:attr}`game_state`", "`game_state`")
        first, *rest = SECTION.split(text)
        titles, bodies = rest[::2], rest[1::2]
        return {"": first.strip()} | {
            title: body.strip() for title, body in zip(titles, bodies, strict=True)
        }

    @cached_property
    def made(self) -> list[Any]:
        """One environment of each id, as it is made unless told otherwise."""
        return [gymnasium.make(line.gymnasium_id).unwrapped for line in self.lines]

    @cached_property
    def options(self) -> list[Option]:
        """What the class can be told."""
        return options_of(self.kind, self.sections.get(OPTIONS_ARE_IN, ""))


def families() -> list[Family]:
    """Every family of registered environments."""
    by_class: dict[str, list[Environment]] = {}
    for environment in ENVIRONMENTS:
        by_class.setdefault(environment.entry_point, []).append(environment)
    return [Family(tuple(lines)) for lines in by_class.values()]


def environment_pages() -> dict[str, str]:
    """The pages in Markdown, by their names."""
    return {family.name: "\n".join(_page(family)) for family in families()}


def pictures() -> dict[str, str]:
    """A picture of a start of each game, as an SVG document by the game's name."""
    drawn = {name: picture_of(games.make(name)) for name in games.names()}
    return {name: document for name, document in drawn.items() if document is not None}


def picture_of(game: games.Game) -> str | None:
    """Return an SVG document of a start of a game, or None if nothing draws the game.

    Args:
        game: The game.
    """
    if painter_of(game) is None:  # games of others are not drawn here
        return None
    return str(render(game, game.initial_state(seed=SEED), "svg"))


def gates_of(game: games.Game) -> list[Any]:
    """Return the gates that are suggested for a game.

    Args:
        game: The game.
    """
    pointing, found = pointing_of(game), []
    for spec in ("none",) if pointing is None else pointing.gates:
        try:
            found.append(gating.make(spec, game.name))
        except InvalidGate:
            continue  # suggested to another game of its kind
    return found


def space_text(space: gymnasium.Space[Any]) -> str:
    """Return a space in a few words: ``float32[52, 8, 8]``, ``Discrete(7)``.

    Args:
        space: The space.
    """
    if isinstance(space, gymnasium.spaces.Box):
        return f"`{space.dtype}{list(space.shape)}`"
    return f"`{space}`"


def _page(family: Family) -> Iterator[str]:
    """The lines of a family's page."""
    sections = dict(family.sections)
    yield from (f"# {family.title}", "", sections.pop(""), "")
    game = family.made[0].game
    if painter_of(game) is not None:
        yield from (
            "```{image} " + game.name + ".svg",
            ":alt: where a game starts",
            ":width: 320px",
        )
        yield from (":class: board", "```", "")
    told = ("made with",) if any(line.kwargs for line in family.lines) else ()
    yield from _table(("id", *told, "observation", "actions"), _ids(family))
    for title, body in sections.items():
        heading = "Options" if title == OPTIONS_ARE_IN else title
        yield from (f"## {heading}", "", body, "")
        if title == PLANES_ARE_IN:
            yield from _planes(family)
        if title == INFO_IS_IN:
            yield from _first_info(family)
        if title == OPTIONS_ARE_IN:
            yield from _options(family)
            yield from _gates(family)
            yield from _elsewhere(family)


def _ids(family: Family) -> Iterator[tuple[str, ...]]:
    for line, env in zip(family.lines, family.made, strict=True):
        told = ", ".join(f"`{name}={value!r}`" for name, value in line.kwargs.items())
        names = f"`{line.gymnasium_id}`, `{NAMESPACE}/{line.gymnasium_id}`"
        spaces = space_text(env.observation_space), space_text(env.action_space)
        yield (names, told, *spaces) if told else (names, *spaces)


def _planes(family: Family) -> Iterator[str]:
    """The planes of every choice, folded; choices that are the same are told once."""
    yield from ("### Planes one by one", "")
    yield "`game.names_of_planes(spec)` and `game.bounds(spec)` tell these tables to programs."
    yield ""
    told: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for env in family.made:
        for spec in env.game.plane_specs:
            specs = told.setdefault(tuple(_plane_rows(env.game, spec)), [])
            specs += [] if spec in specs else [spec]
    usual = {env.game.default_planes for env in family.made}
    for rows, specs in told.items():
        names = ", ".join(f"<code>{spec}</code>" for spec in specs)
        default = ", the default" if usual & {*specs} else ""
        yield from ("<details>", f"<summary>{names}: {len(rows)} planes{default}</summary>", "")
        yield from _table(("plane", "shows", "holds", "from", "to"), rows)
        yield from ("</details>", "")


def _plane_rows(game: games.Game, spec: str) -> Iterator[tuple[str, ...]]:
    layout, (low, high) = game.plane_layout(spec), game.bounds(spec)
    for plane, name in enumerate(game.names_of_planes(spec)):
        ends = (_number(low[plane]), _number(high[plane]))
        yield str(plane), name, KINDS[layout.kinds[plane]], *ends


def _number(value: Any) -> str:
    return "any" if abs(float(value)) >= UNLIMITED else f"{float(value):g}"


def _first_info(family: Family) -> Iterator[str]:
    """What a new game tells, key by key."""
    yield from ("### After a reset", "")
    yield f"`env.reset(seed={SEED})` of `{family.lines[0].gymnasium_id}` told:"
    yield ""
    _, info = family.made[0].reset(seed=SEED)
    yield from _table(("key", "value"), [(f"`{key}`", _shown(info[key])) for key in info])


def _shown(value: Any) -> str:
    if hasattr(value, "dtype") and value.shape:
        return f"`{value.dtype}{list(value.shape)}`"
    return (
        f"`{value!r}`"
        if isinstance(value, str | int | float | bool | tuple) or value is None
        else (f"a `{type(value).__name__}`")
    )


def _options(family: Family) -> Iterator[str]:
    """The keywords that the class's own table leaves out, being those of every environment."""
    rest = [option for option in family.options if not option.told]
    rows = [(f"`{each.name}`", f"`{each.default!r}`", each.text) for each in rest]
    if rows:
        yield from ("### Keywords of every environment", "")
        yield from _table(("argument", "default", "meaning"), rows)


def _gates(family: Family) -> Iterator[str]:
    """Gates that suit, with the names of their phases."""
    rows = [(f"`{gate.spec}`", ", ".join(gate.names)) for gate in gates_of(family.made[0].game)]
    yield from ("## Gates to begin with", "")
    yield "All that there are is on the page [gates](../definitions/gates.md)."
    yield ""
    yield from _table(("`gate=`", "phases"), rows)


def _elsewhere(family: Family) -> Iterator[str]:
    """The same as a native vector and as a PettingZoo module."""
    first = family.lines[0]
    kind = f"phasezoo.envs.{family.kind.__name__}"
    vector = f"phasezoo.envs.{_imported(first.vector_entry_point).__name__}"
    module = f"phasezoo.envs.{first.pettingzoo_module}"
    yield from ("## Classes and modules", "")
    yield f"- one game: {{py:class}}`{kind}`"
    yield f"- many games in native code: {{py:class}}`{vector}`"
    yield f"- PettingZoo: {{py:mod}}`{module}`"
    yield ""
    yield to_markdown(inspect.getdoc(import_module(module)) or "", _link)
    yield ""


def _table(heads: tuple[str, ...], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _imported(entry_point: str) -> Any:
    module, _, name = entry_point.partition(":")
    return getattr(import_module(module), name)


def _link(page: str, anchor: str) -> str:
    name = page.rpartition("/")[2].replace("_", " ")
    return f"[{name}](../{page}.md{f'#{anchor}' if anchor else ''})"
