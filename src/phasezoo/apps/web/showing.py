"""A game as its page shows it, and as texts to take along."""

import json
from itertools import zip_longest
from typing import Any

from phasezoo.apps.web.analysis import Analysis
from phasezoo.apps.web.game_tree import Played
from phasezoo.apps.web.pictures import Sight, board_of
from phasezoo.apps.web.positions import TAGS, written_pgn
from phasezoo.apps.web.session import GameSession
from phasezoo.data.pgn import plies_before
from phasezoo.envs.rendering.choice import pointing_of, sides_of
from phasezoo.errors import InvalidConfig
from phasezoo.types import SIMULTANEOUS


def text_of(session: GameSession, kind: str) -> str:
    """The game as PGN or JSON, or the position on the board."""
    line, played = session.positions, session.tree.played
    states = [each.turn.state for each in line]
    actions = [each.action for each in played]
    own = [next(iter(each.analyses.values()), None) for each in played]
    result = session.result()
    if kind == "pgn":
        ended = session.recorded if result is None else result["result"]
        names = session.player_names()
        kept = {k: v for k, v in session.tags.items() if k in TAGS or session.is_as_recorded}
        tags = {**kept, "White": names[0], "Black": names[-1], "Result": ended or "*"}
        # Without a search that chose the move, a comment is of the position after it.
        said = [one or after.review for one, after in zip(own, line[1:], strict=True)]
        return written_pgn(session.game, states, actions, tags, said)
    if kind == "json":
        whole = {
            "game": session.game.name,
            "options": dict(session.game.options),
            "position": session.game.text_of(states[0]),
            "actions": actions,
            "moves": [each.name for each in played],
            "players": session.player_names(),
            "phases": session.strip.as_dict(),
            "searches": [one or at.review for one, at in zip(own, line, strict=False)],
            "result": result,
            "recorded": session.recorded,
        }
        return json.dumps(whole, indent=1, ensure_ascii=False, default=_as_json)
    position = session.game.text_of(session.turn.state) if kind == "position" else None
    if position is None:
        message = f"{session.game.name!r} has no {kind}: take the JSON of the game"
        raise InvalidConfig(message)
    return position


def _as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else str(value)


def shown(session: GameSession, sight: Sight, ply: int | None = None) -> dict[str, Any]:
    """Return the whole game for a page.

    Args:
        session: The game.
        sight: How the page looks at it.
        ply: The position on the board of the page; None: where the game stands.
    """
    at = session.ply if ply is None else ply
    played = session.tree.played
    actor = session.person_at(at)
    first, state = (session.positions[place].turn.state for place in (0, at))
    board = board_of(session.game, state, sight, actor, _described(session, at))
    if at:
        board |= _last_move(session, at)
    return {
        "game": session.name,
        "kind": session.game.name,
        "title": session.title,
        "sides": sides_of(session.game),
        "players": [None if each is None else each.text for each in session.searchers],
        "names": session.player_names(),
        "ply": session.ply,
        "at": at,
        "board": board,
        "moves": [each.name for each in played],
        "line": [each.number for each in session.positions],
        "plies_before": plies_before(first) if hasattr(first, "san") else 0,
        "tree": session.tree.moves(),
        "values": _values(session),
        "expert_moves": [(each.review or {}).get("expert_moves") for each in session.positions],
        "reviewed": session.analyst.task is not None,
        "splits": [_split(each) for each in played],
        "strip": session.strip.as_dict(),
        "analyses": _analyses(session, at),
        "to_play": int(session.turn.state.to_play),
        "waits": session.waits_for(),
        "thinking": session.searching,
        "plays": session.plays,
        "looks": session.analyst.searcher is not None,
        "trouble": session.trouble,
        "over": session.result(),
        "recorded": session.recorded,
    }


def _analyses(session: GameSession, at: int) -> list[Analysis]:
    """Return the analyses of the position on the board.

    Without any, return those before the last move, marked as past.
    """
    played, position, analyst = session.tree.played, session.positions[at], session.analyst
    if at < session.ply:
        found = list(played[at].analyses.values())
    else:
        found = [{**each, "live": who in session.searching} for who, each in session.live.items()]
    if position is analyst.position and analyst.found is not None:
        found.append({**analyst.found, "live": analyst.stop is not None})
    elif not found and position.review is not None:
        found = [position.review]
    if found or not at:
        return found
    return [{**each, "past": True} for each in played[at - 1].analyses.values()]


def _last_move(session: GameSession, at: int) -> dict[str, Any]:
    """Return the spots of the last move: those pointed at, and those that blew up."""
    before, played = session.positions[at - 1].turn.state, session.tree.played[at - 1]
    pointing = pointing_of(session.game)
    if pointing is None or not isinstance(played.action, int):
        return {}
    paths = {way.action: way.path for way in pointing.ways(before, int(before.to_play))}
    return {
        "moved": paths.get(played.action, ()),
        "falls": pointing.falls,
        "blast": pointing.blast(before, played.action),
    }


def _described(session: GameSession, at: int) -> str:
    """The position in words, for those who do not see it."""
    turn = session.positions[at].turn.state.to_play
    who = session.person_at(at) if turn == SIMULTANEOUS else turn
    sides = sides_of(session.game)
    text = f"{session.game.name}, after {at} {'ply' if at == 1 else 'plies'}"
    if at:
        text += f", the last move was {session.tree.played[at - 1].name}"
    result = session.result() if at == session.ply else None
    if result is not None:
        reason = (result["reason"] or "").replace("_", " ")
        return f"{text}; the game is over: {result['result'] or ''} {reason}"
    return text if who is None else f"{text}; {sides[who]} to move"


def _values(session: GameSession) -> list[list[float | None]]:
    """Return the value that each player expected at each position.

    The analysis of the game comes before those of the players.
    """
    found = []
    for position, played in zip_longest(session.positions, session.tree.played):
        analyses = {} if played is None else played.analyses
        if position.review is not None:
            analyses = {position.review["player"]: position.review}
        found.append([analyses.get(k, {}).get("value") for k in range(session.game.num_players)])
    return found


def _split(played: Played) -> dict[str, Any] | None:
    """How the leaves of a ply were split over experts, and who answered for the root."""
    analysis = next((t for t in played.analyses.values() if t.get("experts")), None)
    if analysis is None:
        return None
    return {key: analysis.get(key) for key in ("experts", "expert", "off_phase", "regated")}
