"""Finished games to be stepped through: stores, PGN, and recordings of states."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from phasezoo import games
from phasezoo.apps.web.analysis import MOST_MOVES, Analysis
from phasezoo.apps.web.game_tree import Played, Plies
from phasezoo.apps.web.pictures import paths_of
from phasezoo.apps.web.positions import TAGS
from phasezoo.apps.web.storage import PGN, RECORDED, SAMPLES, Storage, is_plain_file
from phasezoo.data.importer import read_games
from phasezoo.data.store import GameStore
from phasezoo.envs.rendering.choice import name_of
from phasezoo.errors import InvalidConfig, InvalidPgn, PhasezooError
from phasezoo.games.queries import result_text
from phasezoo.runs import jsonable
from phasezoo.types import SIMULTANEOUS

MOST_LISTED = 200
"""Games that are listed at once."""

LARGEST_PGN = 64 << 20
"""Bytes of a PGN file that is read for a page."""

LARGEST_STATE = 1 << 20
"""Bytes of a recorded state."""


MOST_VARIATIONS = 200
"""Variations of a pasted game that are shown."""

MOST_QUOTED = 40
"""Letters of a text that an error repeats."""

_TAG = re.compile(r'\s*\[\s*\w+\s+"')
_OF_THE_START = ("fen", "setup", "variant")
"""Tags that are written anew from the start of a game."""

_TAGS = re.compile(r'\[\s*(\w+)\s+"((?:\\.|[^"\\])*)"')
_WORDS = r"(1-0|0-1|1/2-1/2|\*)"
_RESULTS = ("1/2-1/2", "1-0", "0-1")
_RESULT_TAG = re.compile(r'\[\s*Result\s+"([^"]*)"\s*\]', re.IGNORECASE)
_PIECE = re.compile(
    r'\{[^}]*(?:\}|\Z)|;[^\n]*|(?P<tag>^[ \t]*\[\s*\w+\s+"[^\n]*)|'
    rf"(?P<result>(?<![^\s(){{}}]){_WORDS}(?![^\s(){{;]))|(?P<word>[()}}]|[^\s(){{}};]+)",
    re.MULTILINE,
)
_COMMENT = re.compile(r"\{[^}]*(?:\}|\Z)|;[^\n]*")
_NO_MOVE = re.compile(r"^\d+$|^\d*\.+|^\$\d+")
"""Parts of a word before its move: a number, a glyph."""
_COMMAND = re.compile(r"\[%[^][]*\]")
"""What programs write into comments, such as ``[%eval 0.35]``."""


class Recording(NamedTuple):
    """A finished game."""

    game: games.Game
    start: Any
    plies: Plies
    title: str
    players: list[str | None]
    variations: Sequence[Plies] = ()
    """Lines from the start."""
    result: str | None = None
    """The result that was recorded for a game of two players; None if it is not known."""
    tags: Mapping[str, str] = {}
    """Other tags of PGN: event, site, date, ratings and more."""


def stores_at(storage: Storage, root: str, path: str) -> list[GameStore]:
    """The games at a path, a store for each game that is played in them."""
    if root == SAMPLES:
        return [GameStore.sample(games.make(path))]
    found = storage.find(root, path)
    if found.suffix == PGN:
        if found.stat().st_size > LARGEST_PGN:
            message = f"{path}: has more than {LARGEST_PGN >> 20} MiB; import it into a store first"
            raise InvalidConfig(message)
        stores, _ = read_games(found, threads=1, evals=True)
        return list(stores.values())
    if found.is_dir() and not all(map(_may_be_read, found.iterdir())):
        message = f"{path}: holds links or pipes, which are not followed for a page"
        raise InvalidConfig(message)
    return [GameStore.open(found)]


def _may_be_read(path: Path) -> bool:
    return is_plain_file(path) or (path.is_dir() and not path.is_symlink())


def games_in(storage: Storage, root: str, path: str, first: int) -> dict[str, Any]:
    """The games at a path, a page of them."""
    if root == SAMPLES and not path:
        return {"samples": _samples()}
    if root != SAMPLES and _is_recording(storage.find(root, path)):
        return {"total": 1, "first": 0, "games": [{"number": 0, "title": path, "plies": None}]}
    stores = stores_at(storage, root, path)
    total = sum(map(len, stores))
    listed = []
    for number in range(first, min(first + MOST_LISTED, total)):
        store, index = _of_number(stores, number)
        names = store.columns.players[index]
        listed.append(
            {
                "number": number,
                "game": store.game.name,
                "players": names if any(names) else None,
                "plies": int(store.offsets[index + 1] - store.offsets[index]),
                "returns": store.returns[index].tolist(),
                "date": store.columns.dates[index].decode() or None,
            }
        )
    return {"total": total, "first": first, "games": listed}


def _samples() -> list[str]:
    """The games of which the package has samples."""
    found = []
    for name in games.names():
        try:
            GameStore.sample(name)
        except PhasezooError:
            continue
        found.append(name)
    return found


def _of_number(stores: Sequence[GameStore], number: int) -> tuple[GameStore, int]:
    for store in stores:
        if number < len(store):
            return store, number
        number -= len(store)
    message = f"game {number}: there are fewer"
    raise InvalidConfig(message)


def recording(storage: Storage, root: str, path: str, number: int) -> Recording:
    """One game of those at a path."""
    if root != SAMPLES and _is_recording(found := storage.find(root, path)):
        return _states_in(found, path)
    stores = stores_at(storage, root, path)
    total = sum(map(len, stores))
    place = f"game {number + 1:,} of {total:,}" if total > 1 else ""
    return _stored(stores, number, path, place, is_pgn=path.endswith(PGN))


def pasted(text: str) -> Recording:
    """The first game of a text that is PGN."""
    parts = _split(text)
    place = f"game 1 of {len(parts):,}" if len(parts) > 1 else ""
    tags = _tags_in(parts[0])
    event = tags.get("Event", "?").strip()
    main = _read(parts[0], place)
    lines = _variations(parts[0])
    read = [line for each in lines[:MOST_VARIATIONS] if (line := _read_line(parts[0], each))]
    left_out = ["some of its variations"] if len(read) < len(lines) else []
    if any(_COMMAND.sub("", each).strip(" {};\n") for each in _COMMENT.findall(_moves(parts[0]))):
        left_out.append("its comments" if not left_out else "comments")
    without = f"without {' and '.join(left_out)}" if left_out else ""
    note = ", ".join(filter(None, (place, without)))
    title = "pasted game" if event.startswith("?") or not event else event
    found = _stored(main, 0, title, note, is_pgn=True)
    words = _RESULT_TAG.findall(parts[0])
    words += [piece["result"] for piece, is_main in _pieces(parts[0]) if is_main]
    results = [word for word in words if word in _RESULTS]
    return found._replace(
        variations=[_stored(line, 0, "", "", is_pgn=True).plies for line in read],
        tags=tags,
        result=results[-1] if results else None,  # the last word counts, as in the import
    )


def _tags_in(text: str) -> dict[str, str]:
    """The tags of a game in PGN, those of the standard's seven as it writes them."""
    lines = "\n".join(line for line in text.splitlines() if _TAG.match(line))
    found = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _TAGS.findall(lines)}
    known = {name.lower(): name for name in TAGS}
    named = {known.get(name.lower(), name): value for name, value in found.items()}
    return {name: text for name, text in named.items() if name.lower() not in _OF_THE_START}


def _moves(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not _TAG.match(line))


def _variations(text: str) -> list[list[str]]:
    """Return the moves of each variation of a game in PGN, from the start of the game."""
    found: list[list[str]] = []
    line: list[str] = []
    outer: list[list[str]] = []
    for piece, _ in _pieces(text):
        word = piece["word"] or ""
        if word == "(":
            outer.append(line)
            line = line[:-1]
            found.append(line)
        elif word == ")":
            line = outer.pop()
        elif move := _NO_MOVE.sub("", word.rstrip("!?")):
            line.append(move)
    return found


def _read_line(text: str, moves: Sequence[str]) -> list[GameStore]:
    """Read a variation of a game in PGN; nothing if a move is wrong."""
    tags = "\n".join(line for line in text.splitlines() if _TAG.match(line))
    try:
        return _read(f"{tags}\n\n{' '.join(moves)}", "")
    except InvalidPgn:
        return []


def _split(text: str) -> list[str]:
    """The games of PGN: one begins where tags follow moves, and where moves follow a result."""
    begins, has_moves, is_over = [0], False, False
    for piece, is_main in _pieces(text):
        is_move = piece["word"] not in (None, "(", ")")
        if piece["tag"] or (is_move and is_main and is_over):
            if has_moves:
                begins.append(piece.start())
            has_moves, is_over = False, False
        is_over = is_over or bool(piece["result"] and is_main)
        has_moves = has_moves or bool(piece["word"] or piece["result"])
    return [text[i:j].strip() for i, j in zip(begins, [*begins[1:], len(text)], strict=True)]


def _pieces(text: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The pieces of PGN, and whether each is outside variations."""
    depth = 0
    for piece in _PIECE.finditer(text):
        depth = 0 if piece["tag"] else depth
        yield piece, depth == 0
        depth += (piece[0] == "(") - (piece[0] == ")")


def _read(text: str, place: str) -> list[GameStore]:
    """Read one game of PGN with the first result that its moves allow."""
    moves = _PIECE.sub(lambda piece: "" if piece["result"] else piece[0], _RESULT_TAG.sub("", text))
    for result in _RESULTS:  # the importer takes games with results alone
        with tempfile.NamedTemporaryFile(
            "w", suffix=PGN, encoding="utf-8", errors="replace"
        ) as file:
            file.write(f"{moves}\n{result}\n")
            file.flush()
            try:
                return list(read_games(file.name, threads=1, evals=True)[0].values())
            except InvalidPgn as error:
                reason = re.split(r"; line \d+: ", str(error), maxsplit=1)[-1]
        if not reason.startswith("contradictory results"):
            break
    given = " ".join(text.split())
    given = given if len(given) <= MOST_QUOTED else f"{given[:MOST_QUOTED]}…"
    where = (f"{place}, {reason}" if place else reason).removesuffix(" can be no move")
    where += "" if where.endswith(".") else "."
    message = (
        f"{given!r} cannot be read as PGN: {where} Correct it there, or delete what follows, and "
        "open it again"
    )
    raise InvalidPgn(message)


def _stored(
    stores: Sequence[GameStore], number: int, otherwise: str, place: str, *, is_pgn: bool = False
) -> Recording:
    """One game of stores, titled by its players, or else as is said.

    Values in PGN are of the positions after moves, those of other stores of searches before them.
    """
    store, index = _of_number(stores, number)
    if any(isinstance(start, bytes) for start in store.starts.values()):
        message = f"{otherwise}: holds pickled starts, which are not opened for a page"
        raise InvalidConfig(message)
    one = store.subset([index])
    searches = _Searches(one)
    # The last state by the stored moves: a game may go on after a draw that nobody claimed.
    states = [*one.records.states(0), one.records.last(0)]
    width = one.columns.width
    actions = np.asarray(one.actions).reshape(-1, width).tolist()
    plies = []
    for ply, (state, action) in enumerate(zip(states[:-1], actions, strict=True)):
        played: Any = action if width > 1 else action[0]
        name = "/".join(name_of(state, each) for each in action)
        found = searches.of(ply, state)
        after = found.pop(int(state.to_play), None) if is_pgn else None
        plies.append((Played(played, name, found, after), states[ply + 1]))
    names = one.columns.players[0]
    title = " – ".join(name or "?" for name in names) if any(names) else otherwise
    title += f", {place}" if place else ""
    known = not (one.game.tells_winners or one.columns.salvaged[0])
    result = result_text(*one.returns[0].tolist()) if known else None
    return Recording(one.game, states[0], plies, title, list(names), result=result)


class _Searches:
    """Visits and values of the searches of a stored game."""

    def __init__(self, one: GameStore) -> None:
        self._one = one
        self._width = one.columns.width

    def of(self, ply: int, state: Any) -> dict[int, Analysis]:
        """Return the analyses of a ply, by player."""
        players = [int(state.to_play)]
        if state.to_play == SIMULTANEOUS:
            players = list(range(self._width))
        found = {}
        for column, player in enumerate(players[: self._width]):
            analysis = self._analysis(ply * self._width + column, state, player)
            if analysis is not None:
                found[player] = analysis
        return found

    def _analysis(self, decision: int, state: Any, player: int) -> Analysis | None:
        columns = self._one.columns
        value = None if columns.values is None else float(columns.values[decision])
        value = None if value is None or np.isnan(value) else round(value, 4)
        moves = self._moves(decision, state, player)
        if value is None and not moves:
            return None
        return {
            "player": player,
            "value": value,
            "moves": moves,
            "lines": [],
            "agent": "stored with the game",
            "action": moves[0]["action"] if moves else None,
        }

    def _moves(self, decision: int, state: Any, player: int) -> list[dict[str, Any]]:
        visits = self._one.columns.visits
        if visits is None:
            return []
        begin, end = visits.offsets[decision : decision + 2].tolist()
        pairs = sorted(
            zip(visits.counts[begin:end].tolist(), visits.actions[begin:end].tolist(), strict=True),
            reverse=True,
        )
        total = sum(count for count, _ in pairs)
        paths = paths_of(self._one.game, state, player) if pairs else {}
        return [
            {
                "action": action,
                "name": name_of(state, action),
                "path": paths.get(action, ()),
                "visits": count,
                "share": round(count / max(total, 1), 4),
                "q": None,
                "prior": None,
            }
            for count, action in pairs[:MOST_MOVES]
        ]


def _is_recording(path: Path) -> bool:
    return path.is_dir() and any(RECORDED.fullmatch(each.name) for each in path.iterdir())


def _states_in(folder: Path, path: str) -> Recording:
    """A game that was recorded as states, a file each."""
    files = sorted(
        (each for each in folder.iterdir() if RECORDED.fullmatch(each.name)),
        key=lambda each: int(each.stem),
    )
    texts = [_text_of(each) for each in files]
    known = [games.make(name) for name in games.names()]
    reasons = []
    for game in known:
        if game.parse_json is None:
            continue
        try:
            states = [game.from_json(text) for text in texts]
        except PhasezooError as error:
            reasons.append(f"{game.name}: {error}")
            continue
        plies = [(Played(None, f"step {state.ply}"), state) for state in states[1:]]
        return Recording(game, states[0], plies, path, [None] * game.num_players)
    message = f"{path}: no game is recorded so ({'; '.join(reasons)[:300]})"
    raise InvalidConfig(message)


def _text_of(file: Path) -> str:
    if not is_plain_file(file) or file.stat().st_size > LARGEST_STATE:
        message = f"{file.name}: is no file, a link, or too large for a state"
        raise InvalidConfig(message)
    text = file.read_text(encoding="utf-8", errors="replace")
    # The original writes a state as JSON, or as a string that holds that JSON.
    try:
        inner = jsonable.parsed(text)
    except ValueError:
        return text
    return inner if isinstance(inner, str) else text
