"""Where games of the page start, and how they are taken along: FEN, PGN, JSON."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo import games
from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.fields import LONGEST_MESSAGE, Fields
from phasezoo.arena.pgn import comment_of
from phasezoo.arena.records import Thought
from phasezoo.data.pgn import pgn_text, variant_tag
from phasezoo.errors import InvalidConfig, UnknownGame


def started(game: games.Game, fields: Fields, seed: int) -> Any:
    """The state that a message asks for: of a text, or drawn by the seed."""
    text = fields.text_or_none("position", LONGEST_MESSAGE)
    if text is None:
        return game.initial_state(seed=seed)
    try:
        return game.from_text(text)
    except UnknownGame as error:
        message = f"{game.name!r} has no notation of positions: leave the position empty"
        raise InvalidConfig(message) from error


def is_pgn(game: games.Game, text: str) -> bool:
    """Whether a text is rather PGN than a position of the game."""
    if begins_as_pgn(text):
        return True
    return game.parse_position is not None and "/" not in text.split(maxsplit=1)[0]


def begins_as_pgn(text: str) -> bool:
    """Whether a text begins with a tag of PGN, or the number of the first move."""
    return _PGN.match(text) is not None


_PGN = re.compile(r"""\s*(\[\s*\w+\s+"|1\s*\.)""")


def written_pgn(
    game: games.Game,
    states: Sequence[Any],
    actions: Sequence[Any],
    known: Mapping[str, str],
    analyses: Sequence[Analysis | None],
) -> str:
    """A game as PGN.

    Comments after moves have values, nodes and phases: those of the search that chose the move, or
    those of the position after it.
    """
    first = states[0]
    if not hasattr(first, "san") or None in actions:
        message = f"{game.name!r} has no PGN here: take its JSON"
        raise InvalidConfig(message)
    tags = {**TAGS, **known}
    if first.fen != game.new_state().fen:
        tags |= {"SetUp": "1", "FEN": first.fen}
    tags |= variant_tag(game)
    played = list(zip(states, actions, strict=False))
    return pgn_text(tags, played, [_comment(analysis) for analysis in analyses])


TAGS = {
    "Event": "phasezoo web",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "-",
    "White": "?",
    "Black": "?",
    "Result": "*",
}
"""The tags that every game in PGN has, in their order."""


def _comment(analysis: Analysis | None) -> str | None:
    if analysis is None:
        return None
    value, nodes, depth, phase = map(analysis.get, ("value", "nodes", "depth", "phase"))
    return comment_of(Thought(value, nodes or 0, depth or 0, phase), analysis["player"]) or None
