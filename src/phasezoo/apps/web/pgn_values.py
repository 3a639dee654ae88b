"""Values that comments of a PGN tell, such as those that our matches write.

The moves themselves are read by the core, which drops comments; here words are only counted.
"""

import re
from pathlib import Path

from phasezoo.agents.centipawns import value_of_centipawns

__all__ = ["values_of"]

EVAL = re.compile(r"\[%eval (#?-?\d+(?:\.\d+)?)")
WORD = re.compile(r"\{[^}]*\}|[^\s{]+")
NO_MOVE = re.compile(r"\d+\.*|1-0|0-1|1/2-1/2|\*|\$\d+")
TAG = re.compile(r"^\[\w+ \".*\"\]\s*$", re.MULTILINE)
EVENT = re.compile(r"^\[Event ", re.MULTILINE)


def values_of(path: Path, number: int) -> dict[int, float]:
    """What White was expected to get, in [-1, 1], by the ply before the move.

    Args:
        path: A PGN file.
        number: Which of its games, from 0.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    begins = [match.start() for match in EVENT.finditer(text)]
    if number >= len(begins):
        return {}
    end = begins[number + 1] if number + 1 < len(begins) else len(text)
    moves = TAG.sub("", text[begins[number] : end])
    found: dict[int, float] = {}
    ply = 0
    for word in WORD.findall(moves):
        if not word.startswith("{"):
            ply += not NO_MOVE.fullmatch(word)
            continue
        told = EVAL.search(word)
        if told is not None and ply:
            found[ply - 1] = _value(told[1])
    return found


def _value(text: str) -> float:
    """Pawns, or with ``#`` moves to mate, as a value."""
    if text.startswith("#"):
        return -1.0 if text.startswith("#-") else 1.0
    return value_of_centipawns(100.0 * float(text))
