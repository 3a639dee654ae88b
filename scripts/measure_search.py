"""Measures what a search option is worth: a match of the same network with and without it.

    python scripts/measure_search.py '{"fpu": 0.0}' --nodes 100 --pairs 400

plays a network of the package against itself at equal nodes, one side with the options that are
given, and writes the result to ``target/search_options``. The same command again goes on where it
was stopped. The page ``docs/search_options.md`` has the results.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import tyro

from phasezoo import agents, arena, inference

WORK = Path("target/search_options")


@dataclass
class Measurement:
    """Settings of a comparison, and its length."""

    options: tyro.conf.Positional[str]
    """Fields of ``agents.SearchConfig`` for the first side, as JSON."""
    other: str = "{}"
    """The same for the second side."""
    network: str = "phasezoo/chess-small"
    """Whose baseline plays both sides."""
    game: str = "chess"
    """The game of the network."""
    nodes: int = 100
    """Nodes a move, of both sides."""
    pairs: int = 400
    """Pairs of games: each opening with both colours."""
    batch_size: int = 1
    """Leaves that a tree may have outstanding."""
    seed: int = 1
    """Of the openings and of both searches."""


def run(measurement: Measurement) -> None:
    """Play the match, or what is left of it, and print the difference."""
    given, other = json.loads(measurement.options), json.loads(measurement.other)
    words = [f"{key}={value}" for side in (given, other) for key, value in side.items()]
    name = "-".join(
        [
            measurement.game,
            *words,
            f"nodes{measurement.nodes}",
            f"batch{measurement.batch_size}",
            f"seed{measurement.seed}",
        ]
    )
    # Each side looks at much of what the other one has asked about: they share the answers.
    network = inference.with_cache(inference.load_experts(measurement.network).baseline())
    limit = agents.Limit(nodes=measurement.nodes)
    sides = [
        agents.MCTSAgent(
            network,
            limit=limit,
            seed=measurement.seed,
            name=name,
            **{"batch_size": measurement.batch_size} | options,
        )
        for name, options in (("with", given), ("without", other))
    ]
    WORK.mkdir(parents=True, exist_ok=True)
    match = arena.play_match(
        *sides,
        game=measurement.game,
        games=2 * measurement.pairs,
        seed=measurement.seed,
        adjudication=arena.Adjudication(),
        max_plies=400,
        log=WORK / f"{name}.jsonl",
    )
    text = f"{name}: {match}"
    (WORK / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    run(tyro.cli(Measurement))
