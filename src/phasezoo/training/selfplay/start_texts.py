"""Sources of starts from texts and from other objects that a user may give."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasezoo.arena.opening_files import text_of
from phasezoo.arena.openings import OpeningSuite
from phasezoo.data.store import GameStore
from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.training.selfplay.start_sources import (
    GivenStarts,
    MixedStarts,
    RandomPlies,
    StartSource,
    StoredPositions,
    SuiteStarts,
    UsualStart,
    checked_share,
)

GRAMMAR = (
    "initial, suite, suite:NAME or suite:FILE, random:LOW-HIGH (plies), start:FEN (or another "
    "start), starts:FILE (a start a line), games:STORE or games:STORE:LOW-HIGH (plies), each with "
    "a share before it if there are several, as in 0.25*random:2-8"
)
"""Texts of a source."""

_SOURCE = re.compile(r"([^*:]*\*)?(initial|suite|(suite|random|start|starts|games):.*)")


def start_source(starts: Any) -> StartSource:
    """Return a source from starts of any kind.

    Args:
        starts: A source, a text of :data:`GRAMMAR` or several of them, an opening suite, a store of
            games, a list of states or FENs; or a mapping of texts to shares. None: the usual start.
    """
    if starts is None:
        return UsualStart()
    if isinstance(starts, str):
        return source_of_texts([starts])
    if isinstance(starts, OpeningSuite):
        return SuiteStarts(starts)
    if isinstance(starts, GameStore):
        return StoredPositions(starts)
    if hasattr(starts, "begin"):
        source: StartSource = starts
        return source
    if isinstance(starts, Mapping):
        return MixedStarts([_with_share(text, share) for text, share in starts.items()])
    if isinstance(starts, Sequence) and any(map(_is_source, starts)):
        return source_of_texts(starts)
    if isinstance(starts, Sequence):
        return GivenStarts(starts)
    message = f"starts={starts!r}: expected states, an opening suite, a store, or {GRAMMAR}"
    raise InvalidConfig(message)


def source_of_texts(texts: Sequence[str]) -> StartSource:
    """Return the source of one text of :data:`GRAMMAR`, or of several with their shares."""
    mixed = [_parsed(text) for text in texts]
    return mixed[0][1] if len(mixed) == 1 else MixedStarts(mixed)


def _is_source(text: Any) -> bool:
    """Return True for the text of a source, and False for a start such as a FEN."""
    return isinstance(text, str) and _SOURCE.fullmatch(text) is not None


def _parsed(text: str) -> tuple[float, StartSource]:
    """Return the share and the source of a text."""
    share, star, rest = str(text).rpartition("*")
    kind, _, given = rest.partition(":")
    try:
        return checked_share(text, float(share) if star else 1.0), _of_kind(kind, given)
    except ValueError as error:
        if isinstance(error, PhasezooError):
            raise
        message = f"start {text!r}: expected {GRAMMAR}"
        raise InvalidConfig(message) from error


def _with_share(text: str, share: Any) -> tuple[float, StartSource]:
    """Return the share and the source of a text whose share is given beside it."""
    if isinstance(text, str) and "*" in text:
        message = f"start {text!r}: its share is given beside it, {share!r}; leave the other out"
        raise InvalidConfig(message)
    return checked_share(text, share), _parsed(text)[1]


def _of_kind(kind: str, given: str) -> StartSource:
    if kind == "initial" and not given:
        return UsualStart()
    if kind == "suite":
        return SuiteStarts(given or None)
    if kind == "random":
        return RandomPlies(*_range(given))
    if kind == "start" and given:
        return GivenStarts([given])
    if kind == "starts" and given:
        return GivenStarts(_lines(Path(given)))
    if kind == "games" and given:
        path, _, plies = given.rpartition(":")
        if path and re.fullmatch(r"\d+-\d+", plies):
            return StoredPositions(path, *_range(plies))
        return StoredPositions(given)
    raise ValueError(kind)


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low), int(high or low)


def _lines(path: Path) -> list[str]:
    lines = text_of(path, "a file of starts").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
