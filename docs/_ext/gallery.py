"""Galleries: a card for each game of the catalogue, and one for each page of results."""

import re
from collections.abc import Iterator
from pathlib import Path

from environments import Family, families, gates_of, picture_of, space_text
from phasezoo import games
from phasezoo.games.catalogue import GAMES
from phasezoo.registration import NAMESPACE

__all__ = ["CAPTION", "game_gallery", "report_gallery"]

CAPTION = "Studies and results"
"""Caption of the tree of contents whose pages the gallery of reports shows."""

TREE = re.compile(r"^```\{toctree\}\n(?P<lines>.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^!\[(?P<text>[^\]]+)\]\((?P<file>[^)]+)\)", re.MULTILINE)
BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
SHORTEST_ANSWER = 60
"""Letters of an answer in bold; shorter bold text introduces a paragraph."""
NO_PROSE = re.compile(r"^(?:(?:#|<!--|[|>!])[^\n]*|```.*?^```)$", re.MULTILINE | re.DOTALL)
SENTENCE = re.compile(r".+?(?<!\b[A-Z])[.?!](?=\s|$)", re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


INTRODUCTION = f"""
One class makes the environments of a page. Each id is registered plain and as `{NAMESPACE}/…`, and
is a native vector too (`gymnasium.make_vec`). A card shows a start of the game, what its
environment observes, and gates to begin with; `plies:a,b,…`, `hash:n` and [your own
gate](../howto/own_gate.md) fit every game. What environments have in common is on the pages
[info](../definitions/info.md), [ends](../definitions/ends.md),
[actions](../definitions/actions.md), [planes](../definitions/planes.md) and
[vector](../definitions/vector.md).
"""


def game_gallery() -> str:
    """Return the page that shows every game of the catalogue, in Markdown."""
    found = families()
    made = {
        env.game.name: (family, line.gymnasium_id, env)
        for family in found
        for line, env in zip(family.lines, family.made, strict=True)
    }
    relatives = {family.made[0].game.state_type: family for family in reversed(found)}
    cards = []
    for name in [*made, *(game.name for game in GAMES if game.name not in made)]:
        game = games.make(name)
        if name in made:
            family, own_id, env = made[name]
            call = f'gym.make("{own_id}")'
            spaces = space_text(env.observation_space), space_text(env.action_space)
        else:
            family, call = relatives.get(game.state_type), f'games.make("{name}")'
            spaces = f"`float32{list(game.plane_shape())}`", f"`{game.policy_size()}`"
        cards.append(_game_card(game, family, call, spaces))
    tree = ["```{toctree}", ":hidden:", "", *(family.name for family in found), "```", ""]
    return "\n".join(["# Games", INTRODUCTION, *_gallery(cards), *tree])


def _game_card(
    game: games.Game, family: Family | None, call: str, spaces: tuple[str, str]
) -> list[str]:
    """The lines of a game's card."""
    picture = [f"![a start of {game.name}]({game.name}.svg)", ""] if picture_of(game) else []
    title = f"[{game.name}]({family.name}.md)" if family else game.name
    gates = ", ".join(f"`{gate.spec}`" for gate in gates_of(game))
    facts = [f"- observation {spaces[0]}", f"- actions {spaces[1]}", f"- gates {gates}"]
    return [*picture, f"**{title}**", "", *facts, "", "```python", call, "```"]


def report_gallery(docs: Path) -> str:
    """Return the page that shows every page of results, in Markdown.

    Args:
        docs: Folder of the documentation, whose ``index.md`` lists the pages.
    """
    index = (docs / "index.md").read_text(encoding="utf-8")
    tree = next(found["lines"] for found in TREE.finditer(index) if CAPTION in found["lines"])
    names = [line for line in tree.splitlines() if line and not line.startswith((":", "reports/"))]
    cards = [_report_card(docs, name) for name in names]
    lines = [
        "# All reports",
        "",
        "Each card shows what a page answers, with its first picture if it has one.",
        "",
        *_gallery(cards),
    ]
    return "\n".join(lines)


def _report_card(docs: Path, name: str) -> list[str]:
    """The lines of a page's card."""
    text = (docs / f"{name}.md").read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    picture = PICTURE.search(text)
    shown = []
    if picture is not None:
        file = (docs / name).parent / picture["file"]
        shown = [f"![{picture['text']}](../{file.resolve().relative_to(docs).as_posix()})", ""]
    return [*shown, f"**[{title}](../{name}.md)**", "", _answer(text)]


def _answer(text: str) -> str:
    """The first answer in bold of a page, or else its first sentence."""
    prose = LINK.sub(r"\1", NO_PROSE.sub("", text)).strip()
    paragraphs = [" ".join(each.split()) for each in prose.split("\n\n")]
    bold = [found for each in paragraphs for found in BOLD.findall(each)]
    for each in bold:
        if len(each) >= SHORTEST_ANSWER:
            return f"{each[0].upper()}{each[1:].removesuffix('.')}."
    sentence = SENTENCE.match(paragraphs[0])
    return sentence[0] if sentence else paragraphs[0]


def _gallery(cards: list[list[str]]) -> Iterator[str]:
    yield from ("::::{container} gallery", "")
    for card in cards:
        yield from (":::{container} card", "", *card, ":::", "")
    yield from ("::::", "")
