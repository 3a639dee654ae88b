"""Replays recordings of the original Pommerman through our simulator and SimpleAgent.

    python scripts/replay_pommerman.py FILE…

For each file, JSON lines, gzipped or not, it prints how many records, steps and differences there
were, and the first difference. It exits with 1 if there was any. Records are ``game`` lines with
their ``step`` lines (with the draws of SimpleAgents where they were recorded), single steps
(``micro``), collapses of rings (``collapse``) and boards from seeds (``board``).
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasezoo import _core
from phasezoo.errors import PhasezooError

MODES = {"FFA": "ffa", "Team": "team", "TeamRadio": "radio", "OneVsOne": "1v1"}
BOARDS = {"FFA/Team": "ffa", "OneVsOne": "1v1"}


@dataclass
class Tally:
    """Counts of one file."""

    records: int = 0
    steps: int = 0
    differences: int = 0
    first: str = ""

    def compare(self, what: str, ours: Any, theirs: Any) -> None:
        """Count a difference, and keep the first one."""
        if ours != theirs:
            self.fail(f"{what}: ours {ours}, recorded {theirs}")

    def fail(self, message: str) -> None:
        """Count a difference described by ``message``."""
        self.differences += 1
        self.first = self.first or message


@dataclass
class Playing:
    """The game that step lines belong to."""

    record: dict[str, Any]
    state: Any
    agents: list[Any] = field(default_factory=lambda: [_core.PommermanSimple() for _ in range(4)])


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is no JSON.
    """
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    for line in text.splitlines():
        if line.strip():
            yield json.loads(line)


def recorded_json(state: dict[str, Any], size: int, step: int) -> str:
    """Return a recorded state in the original's own format."""
    fields = {
        "board_size": size,
        "step_count": step,
        "board": [state["b"][row * size : (row + 1) * size] for row in range(size)],
        "agents": [
            {
                "agent_id": player,
                "position": [row, column],
                "ammo": ammo,
                "blast_strength": blast,
                "can_kick": bool(kick),
                "is_alive": bool(alive),
            }
            for player, (row, column, ammo, blast, kick, alive) in enumerate(state["ag"])
        ],
        "bombs": [
            {
                "bomber_id": player,
                "position": [row, column],
                "life": life,
                "blast_strength": blast,
                "moving_direction": direction or None,
            }
            for player, row, column, life, blast, direction in state["bo"]
        ],
        "flames": [{"position": [row, column], "life": life} for row, column, life in state["fl"]],
        "items": [[[row, column], kind] for row, column, kind in state["it"]],
        "intended_actions": [],
        # Single steps go on whoever lives.
        "paid": None,
    }
    return json.dumps({key: json.dumps(value) for key, value in fields.items()})


def shown(state: Any) -> dict[str, Any]:
    """Our state as it is recorded."""
    size = state.size
    items = state.items.reshape(-1).tolist()
    return {
        "b": state.board.reshape(-1).tolist(),
        "ag": [[*map(int, agent)] for agent in state.agents],
        "bo": [[*bomb] for bomb in state.bombs],
        "fl": [[*flame] for flame in state.flames],
        "it": [[*divmod(cell, size), kind] for cell, kind in enumerate(items) if kind],
    }


def joint(actions: list[Any]) -> list[int]:
    """Action indices; a radio's words are part of them."""
    return [
        action if isinstance(action, int) else action[0] + 6 * (action[1] + 8 * action[2])
        for action in actions
    ]


def differs(tally: Tally, where: str, state: Any, record: dict[str, Any]) -> None:
    """Compare a state with a recorded one, key by key."""
    ours = shown(state)
    for key, value in ours.items():
        tally.compare(f"{where}, {key}", value, record[key])


def replay_game(tally: Tally, record: dict[str, Any]) -> Playing:
    """Set a recorded game up; if its board follows from the seed, draw that too."""
    mode = MODES[record["mode"]]
    fog, collapse = bool(record["view"]), bool(record["collapses"])
    text = recorded_json(record["state"], record["n"], 0)
    state = _core.pommerman_from_json(text, mode, fog, collapse, record["max_blast"])
    differs(tally, f"game {record['idx']}", state, record["state"])
    if record["tweak"] is None and "SimpleAgent" in record["agents"]:
        drawn = _core.pommerman_initial(mode, record["seed"], fog, collapse)
        differs(tally, f"game {record['idx']} from its seed", drawn, record["state"])
    return Playing(record, state)


def replay_step(tally: Tally, playing: Playing, record: dict[str, Any]) -> None:
    """Play a recorded step, and compare what it led to and what SimpleAgents would have done."""
    where = f"game {playing.record['idx']}, step {record['i']}"
    for player, drawn in enumerate(record.get("rng", ())):
        if drawn:
            replay_decision(tally, f"{where}, player {player}", playing, player, record, drawn)
    state = playing.state.play(joint(record["a"]))
    differs(tally, where, state, record)
    tally.compare(f"{where}, rewards", state.rewards.tolist(), record["r"])
    tally.compare(f"{where}, done", int(state.is_terminal), record["done"])
    playing.state = state


def replay_decision(
    tally: Tally, where: str, playing: Playing, player: int, record: dict[str, Any], drawn: Any
) -> None:
    """Ask our SimpleAgent with the recorded draws."""
    coins, choice, rule = drawn
    options, chosen = choice or (0, None)
    ours = playing.agents[player].replay(
        playing.state, player, [coin == "1" for coin in coins], chosen
    )
    tally.compare(where, ours, (joint(record["a"])[player], rule, len(coins), options))


def replay_single(tally: Tally, record: dict[str, Any]) -> None:
    """One step, or one ring's collapse, of a synthetic state."""
    size = record["n"]
    mode = "1v1" if len(record["pre"]["ag"]) == 2 else "ffa"
    text = recorded_json(record["pre"], size, 0)
    state = _core.pommerman_from_json(text, mode, max_blast=record.get("max_blast"))
    if record["t"] == "micro":
        after = _core.pommerman_forward(state, record["a"])
    else:
        after = _core.pommerman_collapse(state, record["ring"])
    differs(tally, f"{record['t']} {record['idx']}", after, record["post"])


def replay_board(tally: Tally, record: dict[str, Any]) -> None:
    """A board from its seed."""
    state = _core.pommerman_initial(BOARDS[record["kind"]], record["seed"])
    ours = shown(state)
    tally.compare(f"board of seed {record['seed']}", ours["b"], record["b"])
    tally.compare(f"items of seed {record['seed']}", ours["it"], sorted(record["it"]))


def replay(path: Path) -> Tally:
    """Replay one file.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is no JSON, or no record.
    """
    tally = Tally()
    playing: Playing | None = None
    for record in lines(path):
        kind = record.get("t")
        tally.records += kind != "step"
        tally.steps += kind in ("step", "micro")
        try:
            if kind == "game":
                playing = replay_game(tally, record)
            elif kind == "step" and playing is not None:
                replay_step(tally, playing, record)
            elif kind in ("micro", "collapse"):
                replay_single(tally, record)
            elif kind == "board":
                replay_board(tally, record)
            else:
                message = f"a line of kind {kind!r}; known are game, step, micro, collapse, board"
                raise ValueError(message)
        except PhasezooError as error:
            tally.fail(f"{kind} {record.get('idx', record.get('i'))}: {error}")
    return tally


def main(paths: list[str]) -> int:
    """Replay all files; the exit status."""
    if not paths:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    different = False
    for path in paths:
        try:
            tally = replay(Path(path))
        except (OSError, ValueError, KeyError) as error:
            sys.stderr.write(f"{path}: {error!r}\n")
            return 2
        print(
            f"{path}: {tally.records} records, {tally.steps} steps, {tally.differences} differences"
        )
        if tally.first:
            print(f"  {tally.first}")
        different |= tally.differences > 0
    return int(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
