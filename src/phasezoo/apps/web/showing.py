"""A game as its page shows it, and as texts to take along."""

from typing import Any

from phasezoo.apps.web.pictures import Sight, board_of, sides_of
from phasezoo.apps.web.positions import written_json, written_pgn
from phasezoo.apps.web.table import Played, Table
from phasezoo.apps.web.thoughts import Thought
from phasezoo.envs.rendering.choice import pointing_of
from phasezoo.errors import InvalidConfig

__all__ = ["shown", "text_of"]


def text_of(table: Table, kind: str) -> str:
    """The game as PGN or JSON, or the position on the board.

    Raises:
        InvalidConfig: The game has no such text.
    """
    states = [turn.state for turn in table.turns]
    actions = [each.action for each in table.played]
    thoughts = [next(iter(each.thoughts.values()), None) for each in table.played]
    result = table.result()
    if kind == "pgn":
        told = None if result is None else result["result"]
        return written_pgn(table.game, states, actions, table.seat_names(), thoughts, told)
    if kind == "json":
        moves = [each.name for each in table.played]
        return written_json(
            table.game, states, actions, moves, table.seat_names(), table.strip.as_dict(),
            thoughts, result,
        )  # fmt: skip
    position = table.game.text_of(table.turn.state) if kind == "position" else None
    if position is None:
        message = f"{table.game.name!r} has no {kind}: take the JSON of the game"
        raise InvalidConfig(message)
    return position


def shown(table: Table, sight: Sight, ply: int | None = None) -> dict[str, Any]:
    """The whole game for a page.

    Args:
        table: The game.
        sight: How the page looks at it.
        ply: The position on the board of the page; None: where the game stands.
    """
    at = len(table.played) if ply is None else ply
    actor = table.person() if at == len(table.played) else None
    state = table.turns[at].state
    board = board_of(table.game, state, sight, actor, _described(table, at))
    if at:
        board |= _last_move(table, at)
    return {
        "game": table.name,
        "kind": table.game.name,
        "title": table.title,
        "sides": sides_of(table.game),
        "seats": [seat.text for seat in table.seats],
        "ply": len(table.played),
        "at": at,
        "board": board,
        "moves": [each.name for each in table.played],
        "values": [_values(table, each) for each in table.played],
        "splits": [_split(each) for each in table.played],
        "strip": table.strip.as_dict(),
        "thoughts": _thoughts(table, at),
        "to_play": int(table.turn.state.to_play),
        "waits": table.waits_for(),
        "thinking": table.thinking,
        "plays": table.plays,
        "looks": table.looks,
        "analyst": None if table.analyst is None else table.analyst.text,
        "trouble": table.trouble,
        "over": table.result(),
    }


def _thoughts(table: Table, at: int) -> list[Thought]:
    """What is thought, or was thought, about the position on the board.

    Without any, what was thought before the last move, marked as past.
    """
    if at < len(table.played):
        found = list(table.played[at].thoughts.values())
    else:
        found = [{**each, "live": who in table.thinking} for who, each in table.live.items()]
    if found or not at:
        return found
    return [{**each, "past": True} for each in table.played[at - 1].thoughts.values()]


def _last_move(table: Table, at: int) -> dict[str, Any]:
    """What led to a position: the spots that were pointed at, and those that blew up."""
    before, played = table.turns[at - 1].state, table.played[at - 1]
    pointing = pointing_of(table.game)
    if pointing is None or not isinstance(played.action, int):
        return {}
    paths = {way.action: way.path for way in pointing.ways(before, int(before.to_play))}
    return {
        "moved": paths.get(played.action, ()),
        "blast": pointing.blast(before, played.action),
    }


def _described(table: Table, at: int) -> str:
    """The position in words, for those who do not see it."""
    turn = table.turns[at].state.to_play
    sides = sides_of(table.game)
    told = f"{table.game.name}, after {at} plies"
    if at:
        told += f", the last move was {table.played[at - 1].name}"
    result = table.result() if at == len(table.played) else None
    if result is not None:
        return f"{told}; the game is over: {result['result'] or ''} {result['reason'] or ''}"
    return f"{told}; {sides[turn]} to move" if turn >= 0 else told


def _values(table: Table, played: Played) -> list[float | None]:
    """What each player expected, by player."""
    found = (played.thoughts.get(player) for player in range(table.game.num_players))
    return [None if thought is None else thought.get("value") for thought in found]


def _split(played: Played) -> dict[str, Any] | None:
    """How the leaves of a ply were split over experts, and who answered for the root."""
    thought = next((t for t in played.thoughts.values() if t.get("experts")), None)
    if thought is None:
        return None
    return {key: thought.get(key) for key in ("experts", "expert", "off_phase", "regated")}
