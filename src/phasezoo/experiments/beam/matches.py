"""Matches of the beam against MCTS with the same network."""

from collections import Counter
from pathlib import Path
from typing import Any

from phasezoo.arena import play_match
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.records import GameRecord
from phasezoo.arena.streams import stream
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.results import MatchResult
from phasezoo.experiments.beam.searchers import BEAM, MCTS, beam_of, mcts_of
from phasezoo.report.console import Console

__all__ = ["EQUAL_POSITIONS", "EQUAL_TIME", "match"]

EQUAL_POSITIONS, EQUAL_TIME = "equal positions", "equal time"


def match(
    config: BeamStudyConfig, network: Any, name: str, nodes: int, log: Path, console: Console
) -> MatchResult:
    """Play a match against MCTS of so many nodes; games in ``log`` are not played again."""
    tally: Counter[float] = Counter()
    with console.task(f"Matches, {name}", config.match_games) as task:

        def show(record: GameRecord) -> None:
            tally[record.score] += 1
            won, drawn, lost = (tally[score] for score in (1.0, 0.5, 0.0))
            task.update(sum(tally.values()), f"beam +{won} ={drawn} −{lost}")

        found = play_match(
            beam_of(network, config.playing),
            mcts_of(network, nodes),
            game="chess",
            games=config.match_games,
            seed=stream(config.seed, "beam", name),
            concurrency=config.concurrency,
            max_plies=config.max_plies,
            adjudication=Adjudication(),
            names=(BEAM, MCTS),
            log=log,
            on_game=show,
        )
    rows = [side.nodes / max(side.moves, 1) for side in found.sides]
    seconds = [side.counts.seconds for side in found.sides]
    return MatchResult(
        name=name,
        nodes=nodes,
        games=len(found.games),
        wins=found.wins,
        draws=found.draws,
        losses=found.losses,
        elo=found.elo,
        rows=(rows[0], rows[1]),
        seconds=(seconds[0], seconds[1]),
    )
