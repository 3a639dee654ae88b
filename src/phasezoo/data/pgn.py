"""Games as PGN."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from phasezoo import games
from phasezoo.data.starts import start_state
from phasezoo.errors import InvalidConfig
from phasezoo.games.queries import result_text
from phasezoo.specs.text import one_line

if TYPE_CHECKING:
    from phasezoo.data.store import GameStore

WIDTH = 80
"""Columns of move text, as the PGN standard's export format has it (§4.3)."""


_COMMAND = re.compile(r"\[%[^]]*\]")
"""What programs read in a comment, such as ``[%eval 0.35]``; over two lines not all of them do."""

_JOINT = "\0"
"""A space at which no line ends."""

_COLOURS = ("White", "Black")


def variant_tag(game: games.Game) -> dict[str, str]:
    """Return the tag ``Variant``, if readers of PGN need it."""
    variant = game.name.capitalize() if game.pgn_variant is None else game.pgn_variant
    return {"Variant": variant} if variant else {}


def pgn_text(
    tags: Mapping[str, str],
    played: Sequence[tuple[Any, int]],
    comments: Sequence[str | None] = (),
) -> str:
    """Return a game as PGN, in the standard's export format, with a blank line at the end.

    Args:
        tags: The header; its ``Result`` stands after the moves too.
        played: The states before each move, and the actions.
        comments: What is said after each of the first moves; None for nothing.
    """
    first = plies_before(played[0][0]) if played else 0
    words: list[str] = []
    for index, (state, action) in enumerate(played):
        follows = bool(words) and not words[-1].endswith("}")
        words.append(numbered(state.san(action), first + index, follows=follows))
        comment = comments[index] if index < len(comments) else None
        if comment is not None:
            words.append(f"{{{_COMMAND.sub(_joined, comment)}}}")
    header = "\n".join(f'[{key} "{_escaped(value)}"]' for key, value in tags.items())
    text = textwrap.fill(
        " ".join([*words, tags["Result"]]), WIDTH, break_long_words=False, break_on_hyphens=False
    )
    return f"{header}\n\n{text.replace(_JOINT, ' ')}\n\n"


def _joined(command: re.Match[str]) -> str:
    return command[0].replace(" ", _JOINT)


def plies_before(state: Any) -> int:
    """Plies before a position of chess or a variant, as its FEN counts them."""
    _, side, *_, number = state.fen.split()
    return 2 * (int(number) - 1) + int(side == "b")


def numbered(san: str, ply: int, *, follows: bool) -> str:
    """The move after ``ply`` plies with its number, unless Black's follows White's."""
    number, is_black = divmod(ply, 2)
    if is_black and follows:
        return san
    return f"{number + 1}{'...' if is_black else '.'} {san}"


def moves_from(state: Any, moves: Iterable[str]) -> list[tuple[Any, int]]:
    """Moves in UCI notation as actions, each with the state before it."""
    played = []
    for move in moves:
        played.append((state, state.parse_uci(move)))
        state = state.play(played[-1][1])
    return played


def _escaped(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def _check_has_pgn(game: Any) -> None:
    """Refuse games that are not written as PGN."""
    if not hasattr(game.state_type, "san"):
        message = (
            f"{game.name!r} has no SAN and so no PGN: phasezoo data show prints its games as text "
            "or JSON, and store.save() keeps them"
        )
        raise InvalidConfig(message)


def games_as_pgn(store: "GameStore") -> Iterator[str]:
    """Yield every game of a store as PGN.

    Moves before a game's own, which fill the planes of the last moves, are moves of the PGN:
    ``OpeningPlies`` says how many. A game whose end could not be read has the result ``*``.
    """
    _check_has_pgn(store.game)
    for number in range(len(store)):
        states = store.records.states(number)
        actions = store.actions[store.offsets[number] : store.offsets[number + 1]].tolist()
        start = start_state(store.game, store.starts.get(number, ""))
        tags = _tags(store, number) | variant_tag(store.game)
        if start.start_fen is None:
            first = store.game.initial_state()
        else:
            first = store.game.from_fen(start.start_fen)
            tags |= {"SetUp": "1", "FEN": start.start_fen}
        if start.moves:
            tags["OpeningPlies"] = str(len(start.moves))
        opening = moves_from(first, start.moves)
        yield pgn_text(tags, [*opening, *zip(states, actions, strict=True)])


def _tags(store: "GameStore", number: int) -> dict[str, str]:
    columns = store.columns
    result = "*" if columns.salvaged[number] else result_text(*store.returns[number].tolist())
    tags = {
        "Event": "?",
        "Site": columns.sources[number] or "?",
        "Date": columns.dates[number].decode() or "????.??.??",
        "Round": "-",
    }
    names, ratings = columns.players[number], columns.ratings[number].tolist()
    tags |= {colour: name or "?" for colour, name in zip(_COLOURS, names, strict=True)}
    tags["Result"] = result
    rated = zip(_COLOURS, ratings, strict=True)
    return tags | {f"{colour}Elo": str(rating) for colour, rating in rated if rating}
