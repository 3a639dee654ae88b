"""JSON: states of Pommerman, options of games and agents, and the records that runs leave."""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any

from drills.fuzz.mutations import mutated_json, mutated_text, mutated_value
from drills.fuzz.target import Target
from phasezoo import arena, games, gating
from phasezoo.apps.web.agents import Agents
from phasezoo.apps.web.workers import Workers
from phasezoo.arena.log import GameLog as MatchLog
from phasezoo.errors import (
    CheckpointError,
    InvalidConfig,
    InvalidGate,
    InvalidState,
    RunDirectoryError,
    StoreError,
    UnknownGame,
)
from phasezoo.runs import RunDirectory
from phasezoo.runs.directory import read_record
from phasezoo.training.selfplay.game_log import GameLog

OPTIONS: dict[str, Any] = {"fog": True, "collapse": False, "start": "training", "seed": 1}

AGENTS = (
    "mcts:nodes=40,c_puct_init=2.0,seed=3",
    "uct:simulations=40,threshold=7",
    "random:seed=2",
    "beam:schedule='4,3'",
    "decoupled_mcts:simulations=9",
    "mcts:movetime_ms=50,batch_size=8,dirichlet_alpha=0.3,exploration_fraction=0.25",
    "single_player_mcts:simulations=60",
)
GATES = (
    "lichess",
    "moves:3",
    "material:20,10",
    "monotone:plies:8",
    "hash:4",
    "mixedness:16",
    "none",
)
WORDS = (
    *"=,:'\"",
    "nodes=",
    "seed=1",
    "true",
    "none",
    "1e400",
    "-1",
    "phasezoo/chess-small",
    "net=",
)

WAITING = {
    "number": 0, "start": "", "actions": [3, 2, 3, 2, 3, 2, 3], "returns": [1.0, -1.0],
    "visits": [[0, 2, 4, 6, 8, 10, 12, 14], [3, 2] * 7, [5, 1] * 7],
    "values": [0.5, -0.5, None, 0.0, 0.1, 0.2, 0.3], "phases": [0, 0, 1, 1, 1, 1, 1],
    "source": "self-play", "ending": "rules", "searched": 7, "cheap": 0, "verdict": None,
}  # fmt: skip
"""A game as the log of self-play keeps it."""

GAME = "connect-four"


def states_and_options(folder: Path) -> Target:
    """States of Pommerman, options of games, texts of agents and of gates."""
    modes = [name for name in games.names() if name.startswith("pommerman")]
    states = [
        (name, json.loads(state.to_json()))
        for name in modes
        for state in _episodes(games.make(name), 6)
    ]
    workers = Workers(threads=1, most_seconds=60.0)
    agents = Agents(trusting=False)  # reads any text, and makes no agent that runs programs
    names = games.names()

    def drawn(draw: Random) -> tuple[str, str, Any]:
        kind = draw.choice(("state",) * 6 + ("options",) * 2 + ("agent", "gate"))
        if kind == "state":
            name, state = draw.choice(states)
            return (
                kind,
                name if draw.random() < 0.9 else draw.choice(modes),
                mutated_json(draw, state),
            )
        if kind == "options":
            options = mutated_value(draw, OPTIONS)
            return kind, draw.choice(names), options if isinstance(options, dict) else {}
        texts = AGENTS if kind == "agent" else GATES
        text = draw.choice(texts)
        return kind, draw.choice(names), mutated_text(draw, text, (draw.choice(texts),), WORDS)

    def read(given: tuple[str, str, Any]) -> None:
        kind, name, value = given
        if kind == "state":
            state = games.make(name).from_json(value)
            assert games.make(name).from_json(state.to_json()) == state, "its JSON is another state"
        elif kind == "options":
            games.make(name, **value)
        elif kind == "agent":
            asyncio.run(agents.get(value, workers))
        else:
            gate = gating.make(value, game=name)
            assert gating.make(gate.spec).spec == gate.spec, "its text is another gate"

    promised = (InvalidState, InvalidConfig, InvalidGate, UnknownGame, CheckpointError)
    return Target(drawn, read, promised)


def _episodes(game: games.Game, count: int) -> list[Any]:
    """States of random games of players who move at once."""
    draw, found = Random(5), []
    for seed in range(count):
        state = game.initial_state(seed=seed)
        for _ in range(draw.choice((0, 5, 30))):
            if state.is_terminal:
                break
            state = state.play([draw.randrange(6) for _ in range(game.num_players)])
        found.append(state)
    return found


def records(folder: Path) -> Target:
    """``config.json`` of a run, the log of a match, and of games of self-play that wait."""
    run, match, log = folder / "run", folder / "match.jsonl", folder / "unfinished.jsonl"
    with RunDirectory.create(run, "drill", {"seed": 1}):
        config = json.loads((run / "config.json").read_text())
    arena.play_match("random", "random", game=GAME, games=2, seed=1, log=match)
    lines = [json.loads(line) for line in match.read_text().splitlines()]
    waiting = [WAITING, {**WAITING, "number": 1}, {"file": "games-00000.parquet", "numbers": [0]}]

    def drawn(draw: Random) -> tuple[str, bytes]:
        kind = draw.choices(("config", "games", "match"), (60, 35, 5))[0]  # the last is slow
        if kind == "config":
            return kind, _bytes(draw, mutated_json(draw, config))
        told = lines if kind == "match" else waiting
        texts = [json.dumps(line) for line in told]
        at = draw.randrange(len(told))
        texts[at] = mutated_json(draw, told[at])
        return kind, _bytes(draw, "\n".join(texts) + "\n")

    def read(given: tuple[str, bytes]) -> None:
        kind, data = given
        file = {"config": run / "config.json", "match": match, "games": log}[kind]
        file.write_bytes(data)
        if kind == "config":
            read_record(run, "drill")
        elif kind == "match":
            MatchLog(file, lines[0]["match"], seed=1).close()
        else:
            GameLog(file, folder, games.make(GAME))

    return Target(drawn, read, (RunDirectoryError, StoreError))


def _bytes(draw: Random, text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass" if draw.random() < 0.3 else "replace")
