"""``phasezoo data show`` and ``phasezoo data stats``: a stored game, and what a store holds."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rich.console import Console
from rich.table import Table

from phasezoo.apps.stores import refuse_existing
from phasezoo.errors import InvalidConfig, StoreError
from phasezoo.runs.files import save_files
from phasezoo.specs import Argument

if TYPE_CHECKING:
    from phasezoo.data.store import GameStore

Store = Annotated[Path, Argument(positional=True)]

_WIDTH = 88


@dataclass(frozen=True)
class ShowOptions:
    """Show one game of a store."""

    store: Store
    """Folder or file of games; sample:GAME for those in the package."""
    game: int
    """Number of the game, from 0."""
    format: Literal["text", "pgn", "svg", "json"] = "text"
    """text: what is known, the moves and a position; pgn; svg: a picture of a position; json."""
    ply: int | None = None
    """The position to show: after so many plies (none: the last before the end)."""
    gate: str | None = None
    """Gate whose phases are shown with the moves (none: the moves alone)."""
    out: Path | None = None
    """File to write; none: print."""
    overwrite: bool = False
    """Replace that file if it exists."""

    def run(self) -> int:
        """Print the game or write it to a file."""
        if self.out is not None:
            refuse_existing([self.out], overwrite=self.overwrite)
        from phasezoo.data.store import GameStore

        store = GameStore.open(self.store)
        if not 0 <= self.game < len(store):
            message = f"--game {self.game}: {self.store} has {len(store):,} games, counted from 0"
            raise InvalidConfig(message)
        one = store.subset([self.game])
        text = self._shown(one)
        if self.out is None:
            sys.stdout.write(text.rstrip("\n") + "\n")
            return 0
        save_files({self.out: text.rstrip("\n") + "\n"}, StoreError)
        return 0

    def _shown(self, one: "GameStore") -> str:
        from phasezoo.envs.rendering import render

        states = one.records.states(0)
        ply = len(states) - 1 if self.ply is None else self.ply
        if not 0 <= ply < len(states):
            message = f"--ply {self.ply}: the game has the positions 0 to {len(states) - 1}"
            raise InvalidConfig(message)
        if self.format == "pgn":
            return str(one.to_pgn())
        if self.format == "svg":
            return str(render(one.game, states[ply], "svg"))
        phases = None if self.gate is None else one.positions(self.gate)
        names = [] if phases is None else [phases.names[k] for k in phases.phase.tolist()]
        if self.format == "json":
            return json.dumps(game_json(one, names), ensure_ascii=False)
        return game_text(one, states, ply, names)


@dataclass(frozen=True)
class StatsOptions:
    """Print what a store holds: games, results, lengths, players, ratings, dates."""

    store: Store
    """Folder or file of games; sample:GAME for those in the package."""

    def run(self) -> int:
        """Print the table."""
        from phasezoo.data.store import GameStore

        store = GameStore.open(self.store)
        view = Table(title=str(self.store), title_justify="left", show_header=False)
        view.add_column("what", style="bold")
        view.add_column("value")
        for name, value in stats_of(store).items():
            view.add_row(name, value)
        Console(file=sys.stdout).print(view)
        return 0


def about_game(one: "GameStore") -> dict[str, Any]:
    """Return the properties of a store's only game that are known, without its moves."""
    columns = one.columns
    names, ratings = columns.players[0], columns.ratings[0].tolist()
    about = {
        "game": one.game.name,
        "options": dict(one.game.options),
        "players": names if any(names) else None,
        "ratings": [rating or None for rating in ratings] if any(ratings) else None,
        "date": columns.dates[0].decode(),
        "source": columns.sources[0],
        "start": columns.starts.get(0),
        "returns": columns.returns[0].tolist(),
        "plies": one.num_positions,
        "salvaged": bool(columns.salvaged[0]),
    }
    return {name: value for name, value in about.items() if value not in (None, "", {}, False)}


def game_json(one: "GameStore", phases: list[str]) -> dict[str, Any]:
    """The only game of a store as JSON takes it."""
    about = about_game(one)
    if isinstance(about.get("start"), bytes):
        about["start"] = about["start"].hex()
    actions = one.actions.reshape(-1, one.columns.width).tolist()
    about["actions"] = [row[0] if len(row) == 1 else row for row in actions]
    if phases:
        about["phases"] = phases
    if one.columns.values is not None:
        known = one.columns.values.tolist()
        about["values"] = [None if value != value else value for value in known]
    return about


def game_text(one: "GameStore", states: list[Any], ply: int, phases: list[str]) -> str:
    """The only game of a store in words: what is known, its moves, and a position."""
    from phasezoo.envs.rendering import render

    lines = [f"{name}: {_text_of(value)}" for name, value in about_game(one).items()]
    words = _moves(one, states)
    if phases and one.columns.width == 1:
        words = [
            f"{word} ({phase})" if k == 0 or phases[k - 1] != phase else word
            for k, (word, phase) in enumerate(zip(words, phases, strict=True))
        ]
    lines += ["", *_wrapped(words), ""]
    lines += [f"position after {ply} plies:", "", str(render(one.game, states[ply], "ansi"))]
    return "\n".join(lines)


def _moves(one: "GameStore", states: list[Any]) -> list[str]:
    """The moves as people write them, or else the names of actions."""
    from phasezoo.data.pgn import numbered, plies_before
    from phasezoo.envs.rendering.choice import name_of

    actions = one.actions.reshape(-1, one.columns.width).tolist()
    if one.columns.width == 1 and hasattr(one.game.state_type, "san"):
        first = plies_before(states[0]) if states else 0
        return [
            numbered(state.san(action), first + ply, follows=ply > 0)
            for ply, (state, (action,)) in enumerate(zip(states, actions, strict=True))
        ]
    return [
        "/".join(name_of(state, action) for action in row)
        for state, row in zip(states, actions, strict=False)
    ]


def _wrapped(words: list[str]) -> list[str]:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _text_of(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(
            "unknown" if item is None else f"{item:g}" if isinstance(item, float) else str(item)
            for item in value
        )
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={item}" for name, item in value.items())
    return "yes" if value is True else str(value)


def stats_of(store: "GameStore") -> dict[str, str]:
    """Return statistics of a store by name; those that no game has are left out."""
    import numpy as np

    columns, count = store.columns, len(store)
    plies = np.diff(store.offsets)
    stats = {
        "game": store.game.name
        + "".join(f" {name}={value}" for name, value in store.game.options.items()),
        "games": f"{count:,}",
    }
    at_once = columns.width > 1
    stats["total plies" if at_once else "positions"] = f"{store.num_positions:,}" + (
        ", each a position for every player still in" if at_once else ""
    )
    if count:
        low, middle, high = np.percentile(plies, (0, 50, 100))
        stats["plies"] = (
            f"{plies.mean():.1f} ± {plies.std():.1f}, from {low:.0f} over {middle:.0f} (median) "
            f"to {high:.0f}"
        )
        stats["results"] = _results(store.returns)
    if columns.starts:
        stats["other starts"] = f"{len(columns.starts):,} games"
    rated = columns.ratings[columns.ratings > 0]
    if rated.size:
        low, middle, high = np.percentile(rated, (0, 50, 100))
        both = (columns.ratings > 0).all(axis=1).mean()
        stats["ratings"] = (
            f"{low:.0f} to {high:.0f}, median {middle:.0f}; every player rated in {both:.0%} of "
            "games"
        )
    if columns.players.names:
        known = np.unique(columns.players.codes[columns.players.codes >= 0])
        stats["players"] = f"{len(known):,} names"
    dates = columns.dates[columns.dates != b""]
    if dates.size:
        # An unknown part sorts before every known one, so 2013.??.?? is no later than 2013.01.01.
        dates = dates[np.argsort(np.char.replace(dates, b"?", b"0"))]
        stats["dates"] = f"{dates[0].decode()} to {dates[-1].decode()}, of {dates.size:,} games"
    if columns.salvaged.any():
        stats["salvaged"] = f"{int(columns.salvaged.sum()):,} games end before a fault"
    if columns.visits is not None:
        searched = int((np.diff(columns.visits.offsets) > 0).sum())
        stats["searched"] = f"{searched:,} decisions have visit counts"
    if columns.values is not None:
        stats["root values"] = f"{int((~np.isnan(columns.values)).sum()):,} decisions"
    hashes = store.records.hashes(0)
    twice = count - len(np.unique(hashes))
    if twice:
        stats["duplicates"] = f"{twice:,} games are the same as one before"
    return stats


def _results(returns: Any) -> str:
    players = returns.shape[1]
    drawn = 1 - (returns > 0).any(axis=1).mean()
    won = (returns > 0).mean(axis=0)
    numbered = tuple(f"player {player}" for player in range(players))
    names = ("first", "second") if players == 2 else numbered
    parts = [f"{name} wins {share:.1%}" for name, share in zip(names, won, strict=True)]
    return ", ".join([*parts, f"{'drawn' if players == 2 else 'nobody'} {drawn:.1%}"])
