"""Stored games as PGN."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from phasezoo.arena.pgn import moves_from, pgn_text, variant_tag
from phasezoo.errors import InvalidConfig
from phasezoo.training.starts import start_state

if TYPE_CHECKING:
    from phasezoo.training.store import GameStore

__all__ = ["check_has_pgn", "games_as_pgn"]

_RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}
_SEATS = ("White", "Black")


def check_has_pgn(game: Any) -> None:
    """Refuse games that are not written as PGN.

    Raises:
        InvalidConfig: The game is one.
    """
    if not hasattr(game.state_type, "san"):
        message = (
            f"{game.name!r} has no SAN and so no PGN: its games are kept with save(), and read as "
            "states with records.states(game)"
        )
        raise InvalidConfig(message)


def games_as_pgn(store: "GameStore") -> Iterator[str]:
    """Every game of a store as PGN.

    Moves before a game's own, which fill the planes of the last moves, are moves of the PGN:
    ``OpeningPlies`` says how many. A game whose end could not be read has the result ``*``.

    Raises:
        CorruptRecord: A game cannot be replayed.
        InvalidConfig: The game has no SAN.
    """
    check_has_pgn(store.game)
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
    first, second = store.returns[number].tolist()
    columns = store.columns
    result = "*" if columns.salvaged[number] else _RESULTS[(first > second) - (first < second)]
    tags = {
        "Event": "?",
        "Site": columns.sources[number] or "?",
        "Date": columns.dates[number].decode() or "????.??.??",
        "Round": "-",
    }
    names, ratings = columns.players[number], columns.ratings[number].tolist()
    tags |= {seat: name or "?" for seat, name in zip(_SEATS, names, strict=True)}
    tags["Result"] = result
    rated = zip(_SEATS, ratings, strict=True)
    return tags | {f"{seat}Elo": str(rating) for seat, rating in rated if rating}
