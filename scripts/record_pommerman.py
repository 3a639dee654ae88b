"""Records games of our own Pommerman, from seeds and actions of our own, for the tests.

    python scripts/record_pommerman.py [FOLDER]

It writes ``tests/golden/pommerman_recordings/*.jsonl.gz``: the same games on every machine. The
format is that of the recordings of the original, so that ``replay_pommerman.py`` replays both: a
``game`` line with the start, then a ``step`` line for every step with the actions, the state that
they led to, rewards and whether the game is over. Record anew only with a simulator that replays
all recordings of the original without a difference.
"""

import gzip
import json
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from replay_pommerman import joint, shown

from phasezoo import _core

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden" / "pommerman_recordings"
SIMPLE = "SimpleAgents"

Chooser = Callable[[Any, random.Random], list[Any]]
"""The recorded actions of all players, one each; those of the dead are 0."""


@dataclass(frozen=True)
class Series:
    """Games of one file."""

    mode: str
    """FFA, Team, TeamRadio or OneVsOne."""
    seeds: Sequence[int]
    agents: str
    weights: Sequence[int] = ()
    """Of the six actions, for players who draw them; none: SimpleAgents play."""
    view: int = 0
    collapse: bool = False
    max_steps: int = 1_000
    """Steps that are recorded at most."""


RECORDED = {
    "ffa_simple": Series("FFA", range(1, 4), SIMPLE),
    "team_simple": Series("Team", range(11, 13), SIMPLE, view=4),
    "ovo_simple": Series("OneVsOne", range(21, 24), SIMPLE),
    "radio_random": Series("TeamRadio", range(31, 39), "random", (2, 4, 4, 4, 4, 1), view=4),
    "ffa_collapse": Series("FFA", (41, 42), "no bombs", (1, 1, 1, 1, 1, 0), collapse=True),
    "team_collapse": Series("Team", (51, 52), "no bombs", (1, 1, 1, 1, 1, 0), collapse=True),
}
MODES = {"FFA": "ffa", "Team": "team", "TeamRadio": "radio", "OneVsOne": "1v1"}
COLLAPSES = (500, 575, 650, 725)


def simple_agents(seeds: Sequence[int]) -> Chooser:
    """Players who decide as the original's SimpleAgent, each on a stream of their own."""
    agents = [_core.PommermanSimple(seed) for seed in seeds]

    def choose(state: Any, _: random.Random) -> list[Any]:
        alive = [agent[5] for agent in state.agents]
        return [agents[i].act(state, i) if lives else 0 for i, lives in enumerate(alive)]

    return choose


def random_agents(weights: Sequence[int], *, radio: bool) -> Chooser:
    """Players who draw actions by weights, and words where there is a radio."""

    def choose(state: Any, draw: random.Random) -> list[Any]:
        actions = [draw.choices(range(6), weights)[0] if agent[5] else 0 for agent in state.agents]
        if not radio:
            return actions
        words = [[draw.randrange(8), draw.randrange(8)] for _ in actions]
        return [
            [action, *said] if agent[5] else 0
            for action, said, agent in zip(actions, words, state.agents, strict=True)
        ]

    return choose


def record_game(series: Series, index: int, seed: int) -> list[dict[str, Any]]:
    """Return the lines of one game."""
    fog = series.view > 0
    state = _core.pommerman_initial(MODES[series.mode], seed, fog, series.collapse)
    streams = [1_000 * seed + player for player in range(state.num_players)]
    choose = (
        random_agents(series.weights, radio=series.mode == "TeamRadio")
        if series.weights
        else simple_agents(streams)
    )
    game = {
        "t": "game",
        "idx": index,
        "mode": series.mode,
        "n": state.size,
        "seed": seed,
        "agents": series.agents,
        "agent_seeds": streams,
        "max_steps": 800,
        "max_blast": 4 if fog else 10,
        "view": series.view,
        "partial": int(fog),
        "tweak": None,
        "collapses": list(COLLAPSES) if series.collapse else [],
        "state": shown(state),
    }
    lines, draw = [game], random.Random(seed)
    while not state.is_terminal and state.ply < series.max_steps:
        actions = choose(state, draw)
        state = state.play(joint(actions))
        paid = {"r": state.rewards.tolist(), "done": int(state.is_terminal)}
        lines.append({"t": "step", "i": state.ply, "a": actions, **shown(state), **paid})
    return lines


def main(arguments: list[str]) -> None:
    """Write all files."""
    folder = Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, series in RECORDED.items():
        games = [record_game(series, index, seed) for index, seed in enumerate(series.seeds)]
        text = "".join(
            json.dumps(line, separators=(",", ":")) + "\n" for game in games for line in game
        )
        # No time of day in the file, so that it is the same whenever it is made.
        packed = gzip.compress(text.encode(), 9, mtime=0)
        (folder / f"{name}.jsonl.gz").write_bytes(packed)
        steps = sum(len(game) - 1 for game in games)
        print(f"{name}: {len(games)} games, {steps} steps, {len(packed):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
