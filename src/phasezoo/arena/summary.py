"""A match in a few lines of text."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from phasezoo.arena.records import GameRecord, SideStats
from phasezoo.arena.statistics.elo import los_unsaid
from phasezoo.arena.statistics.intervals import Interval, signed
from phasezoo.arena.statistics.rates import percent
from phasezoo.specs.text import one_line

if TYPE_CHECKING:
    from phasezoo.arena.match import Match
    from phasezoo.arena.standings import Standings

_LONGEST_NOTE = 200
"""Letters of a game's note that a summary quotes."""


def standings_summary(standings: "Standings") -> str:
    """Ratings and results of the players, the strongest first, and who scored what against whom."""
    head = ("", "player", "Elo", "95 %", "games", "+", "=", "-", "score")
    rows = []
    for rank, place in enumerate(standings.ranking, start=1):
        line, rating = standings.lines[place], standings.ratings[place]
        counts = (line.games, line.wins, line.draws, line.losses)
        rows.append(
            (
                str(rank),
                line.name,
                signed(rating.value, 0),
                _ends(rating.interval) if place != standings.anchor else "anchor",
                *map(str, counts),
                f"{line.score:.1%}",
            )
        )
    played = f"{standings.format}, {len(standings.games)} games of {standings.game}"
    matches = [
        (
            f"{first} v {second}",
            f"+{match.wins} ={match.draws} -{match.losses}",
            f"{match.score:.1%}",
        )
        for (first, second), match in standings.crosstable.items()
        if standings.place_of(first) < standings.place_of(second)
    ]
    kinds = [] if standings.trainings is None else ["", kinds_line(standings)]
    played_by = ((record, record.agents) for record in standings.games)
    forfeits = _forfeits(played_by, standings.names)
    return "\n".join(
        [
            played,
            *_aligned([head, *rows], left=(1,)),
            "",
            *_aligned(matches, left=(0, 1)),
            *([""] if forfeits else []),
            *forfeits,
            *kinds,
        ]
    )


def kinds_line(standings: "Standings") -> str:
    """Return the difference of two kinds of players, over trainings and over games alone."""
    first = standings.trainings or 0
    counts = f"{first} against {len(standings.names) - first} trainings"
    found = standings.between_kinds
    if found is None:
        return f"{counts}: too few games"
    games_only = _interval(found.elo_games_only, "other games of these")
    if found.elo_games_only.is_known and not found.elo.is_known:
        return f"{counts}: Elo {games_only}; too few trainings for an interval over others"
    return f"{counts}: Elo {_interval(found.elo, 'other trainings')}, {games_only}"


def summary_of(match: "Match") -> str:
    """Return the match in a few lines: result, strength, and a table of what each side did."""
    first, second = match.sides
    lines = [f"{first.name} v {second.name}: {len(match.games)} games of {match.game}"]
    if match.group_scores:
        lines += _of_two(match) if match.num_players == 2 else _of_many(match)
    lines += _remarks(match)
    lines += _table(match.sides)
    return "\n".join(lines)


def _of_two(match: "Match") -> list[str]:
    normalised = match.elo_normalized
    return [
        f"+{match.wins} ={match.draws} -{match.losses}   score {match.score:.1%}",
        f"Elo {_interval(match.elo, 'pairs')}   LOS {_los(match)}",
        # Pairs that all scored alike have no spread to be divided by: Elo has said it all.
        *(
            [f"normalised Elo {_interval(normalised, 'pairs')}"]
            if math.isfinite(normalised.value)
            else []
        ),
        *([] if match.verdict is None else [f"SPRT: {match.verdict}"]),
        "   ".join(
            "as player {} +{} ={} -{}".format(player, *won)
            for player, won in enumerate(match.by_player)
        ),
        "pairs by points 0 ½ 1 1½ 2: " + " ".join(map(str, match.pentanomial)),
    ]


def _interval(interval: Interval, unit: str) -> str:
    return f"{interval} (95 %, {unit})" if interval.is_known else f"{interval}, {unit}"


def _los(match: "Match") -> str:
    unsaid = los_unsaid(match.pentanomial)
    if unsaid is not None:
        return f"– ({unsaid})"
    if match.los < 0.001:  # no match gives certainty
        return "below 0.1%"
    return "above 99.9%" if match.los > 0.999 else f"{match.los:.1%}"


def _of_many(match: "Match") -> list[str]:
    """Ratings compare two players; with more, shares take their place."""
    won = sum(record.won for record in match.games)
    return [
        f"{match.sides[0].name} won {won} of {len(match.games)}: {percent(match.win_rate)} (95 %)",
        f"score against players of {match.sides[1].name}: {percent(match.score_rate)} (95 %)",
    ]


def _remarks(match: "Match") -> list[str]:
    starts_alike = len({(record.start, record.start_fen) for record in match.games}) == 1
    advice = ": openings, such as random:2, make them differ" if starts_alike else ""
    counted = (
        (match.duplicates, f"repeated another game{advice}"),
        (match.truncated, "cut at the cap on plies, counted as draws"),
        (match.adjudicated, "adjudicated"),
    )
    remarks = [f"{count} {what}" for count, what in counted if count]
    played_by = ((record, record.sides) for record in match.games)
    remarks += _forfeits(played_by, [side.name for side in match.sides])
    judged, wrong = match.checked_verdicts
    if judged:
        remarks.append(f"{judged} played on after a verdict, which was wrong in {wrong}")
    return remarks + [
        f"{side.name}: trained under {side.gate}, searched with {side.search_gate}, which differ "
        f"on {side.regated_share:.1%} of positions"
        for side in match.sides
        if side.search_gate != side.gate
    ]


def _forfeits(games: Iterable[tuple[GameRecord, Sequence[int]]], names: Sequence[str]) -> list[str]:
    """Say who forfeited games, how many, why, and the note of the first of them."""
    found: dict[tuple[int, str], list[str]] = {}
    for record, played in games:
        if record.ending == "forfeit":
            for who in {who for who, r in zip(played, record.returns, strict=True) if r < 0}:
                found.setdefault((who, record.reason), []).append(one_line(record.note))
    lines = []
    for (who, reason), notes in sorted(found.items()):
        count = "1 game" if len(notes) == 1 else f"{len(notes)} games"
        cut = "…" if len(notes[0]) > _LONGEST_NOTE else ""
        note = f" ({'first: ' if len(notes) > 1 else ''}{notes[0][:_LONGEST_NOTE]}{cut})"
        shown = note if notes[0] else ""
        lines.append(f"{count} forfeited by {names[who]}: {reason.replace('_', ' ')}{shown}")
    return lines


def _table(sides: Sequence[SideStats]) -> list[str]:
    head = (
        "side",
        "limit",
        "moves",
        "nodes",
        "rows",
        "padded",
        "calls",
        "rows/call",
        "off-phase",
        "s",
    )
    rows = [
        (
            side.name,
            side.limit or "-",
            str(side.moves),
            str(side.nodes),
            str(side.counts.rows),
            str(side.counts.padded_rows),
            str(side.counts.calls),
            f"{side.counts.mean_rows:.1f}",
            f"{side.off_phase_share:.1%}",
            f"{side.counts.seconds:.1f}",
        )
        for side in sides
    ]
    return _aligned([head, *rows], left=(0, 1))


def _ends(interval: Interval) -> str:
    if not interval.is_known:
        return "too few games"
    return f"[{signed(interval.low, 0)}, {signed(interval.high, 0)}]"


def _aligned(rows: Sequence[Sequence[str]], left: Collection[int]) -> list[str]:
    """Rows of text in columns, those in ``left`` aligned to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if column in left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
