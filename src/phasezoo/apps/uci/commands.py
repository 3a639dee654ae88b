"""Commands of a user interface: lines of the protocol, taken apart.

Nothing here needs more than Python itself, so that an engine can answer before it is loaded.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

COMMANDS = (
    "uci", "debug", "isready", "setoption", "register", "ucinewgame", "position", "go", "stop",
    "ponderhit", "quit",
)  # fmt: skip
"""First words of lines; words before one of them are passed over, as the protocol wants it."""

MOST = 2**31 - 1
"""No number of the protocol is larger; more is taken for this."""

_MOVE = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])=?([a-z]?)", re.IGNORECASE)
"""A move with what some tools add: capitals, a hyphen, and the ``=`` of a promotion."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Command:
    """A line."""

    name: str
    """One of :data:`COMMANDS`."""
    words: tuple[str, ...]
    """The words after it."""


@dataclass(frozen=True)
class Go:
    """Arguments of ``go``; times are milliseconds."""

    wtime: int | None = None
    """Time left to White, at least 0."""
    btime: int | None = None
    """Time left to Black."""
    winc: int | None = None
    """Time added after each of White's moves."""
    binc: int | None = None
    """Time added after each of Black's moves."""
    movestogo: int | None = None
    """Moves until more time is added."""
    depth: int | None = None
    """Depth of the search."""
    nodes: int | None = None
    """Positions to be evaluated."""
    mate: int | None = None
    """Moves in which a mate is looked for."""
    movetime: int | None = None
    """Time to be spent; 0: play as soon as the position was looked at."""
    searchmoves: tuple[str, ...] = ()
    """The moves that are searched alone; none means all."""
    infinite: bool = False
    """Whether only ``stop`` ends the search."""
    ponder: bool = False
    """Whether ``ponderhit`` has to come first."""


@dataclass(frozen=True)
class Place:
    """A position."""

    fen: str | None
    """Where it begins; None: the start of the game."""
    moves: tuple[str, ...]
    """The moves from there."""


@dataclass(frozen=True)
class Setting:
    """An option and its new value."""

    name: str
    """As it was written."""
    value: str
    """Empty if there was none."""


def read_line(line: str) -> Command | None:
    """The command of a line, in any case; None if it holds none."""
    words = line.lstrip("\ufeff").split()
    for place, word in enumerate(words):
        if word.lower() in COMMANDS:
            return Command(word.lower(), tuple(words[place + 1 :]))
    return None


def read_go(words: Sequence[str]) -> tuple[Go, list[str]]:
    """Return the arguments of ``go``, and complaints about those that cannot be read.

    A time below 0 counts as 0, but for ``movetime``, which has to be 0 or more. Counts have to be 1
    or more; what is not a number is passed over. Fractions are cut off.
    """
    given: dict[str, int | bool | tuple[str, ...]] = {}
    complaints = []
    names = {field.name for field in fields(Go)}
    left = list(words)
    while left:
        name = left.pop(0).lower()
        if name in ("infinite", "ponder"):
            given[name] = True
        elif name == "searchmoves":
            end = next((at for at, word in enumerate(left) if word.lower() in names), len(left))
            given[name] = tuple(map(_move, left[:end]))
            del left[:end]
        elif name in names:
            text = "" if not left or left[0].lower() in names else left.pop(0)
            number, least = _number(text), _LEAST.get(name)
            if number is None or (least is not None and number < least):
                expected = "a number" if least is None else f"a number from {least}"
                complaints.append(f"go {name} {text[:40]!r}: expected {expected}, passed over")
            else:
                given[name] = int(min(max(number, 0), MOST))
        else:
            complaints.append(f"go {name[:40]}: not known, passed over")
    return Go(**given), complaints  # type: ignore[arg-type]


_LEAST = {"movestogo": 1, "depth": 1, "nodes": 1, "mate": 1, "movetime": 0}


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _move(word: str) -> str:
    """A move as the protocol writes it, from what tools write."""
    piece, drop, square = word.partition("@")
    if drop:
        return f"{piece.upper()}@{square.lower()}"
    found = _MOVE.fullmatch(word)
    return word if found is None else "".join(found.groups()).lower()


def read_place(words: Sequence[str]) -> Place | str:
    """Return the position, or what is wrong with it; keywords may be in any case."""
    known = [word.lower() for word in words]
    # The last one, as a comment of an EPD may hold the word.
    end = len(known) - 1 - known[::-1].index("moves") if "moves" in known else len(known)
    moves = tuple(map(_move, words[end + 1 :]))
    if known[:end] in (["startpos"], ["fen", "startpos"]):
        return Place(None, moves)
    if end > 1 and known[0] == "fen":
        return Place(" ".join(words[1:end]), moves)
    return "position: expected startpos or fen FEN, then perhaps moves and the moves"


def read_setting(words: Sequence[str]) -> Setting | str:
    """The option that is set, or what is wrong; keywords may be in any case."""
    known = [word.lower() for word in words]
    if len(words) < 2 or known[0] != "name":
        return "setoption: expected name NAME, then perhaps value VALUE"
    end = known.index("value") if "value" in known else len(known)
    return Setting(" ".join(words[1:end]), " ".join(words[end + 1 :]))
