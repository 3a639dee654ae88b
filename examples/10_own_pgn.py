"""From one's own PGN to phase experts: import games, look at their phases, train, and play.

Give the path of a PGN file, plain or compressed; without one, some games of the package are written
as PGN first.

    python examples/10_own_pgn.py games.pgn.zst
"""

import sys
import tempfile
from pathlib import Path

import rich

from phasezoo import agents, arena, training

GATE = "lichess"


def packaged_pgn(folder):
    """Four hundred games that the package brings, as PGN."""
    path = Path(folder) / "games.pgn"
    training.GameStore.sample("chess").subset(range(400)).to_pgn(path)
    return path


def main():
    with tempfile.TemporaryDirectory() as place:
        pgn = Path(sys.argv[1]) if len(sys.argv) > 1 else packaged_pgn(place)
        report = training.import_pgn(pgn, Path(place) / "games", game="chess")
        print(f"{report.kept:,} of {report.games:,} games kept; skipped: {dict(report.skipped)}")

        store = training.GameStore.open(Path(place) / "games")
        table = store.positions(GATE)
        for name, count in zip(table.names, table.positions_per_phase(), strict=True):
            print(f"{name}: {count:,} positions")

        # The same amount of work for the baseline as for all experts together.
        experts = training.train_experts(
            store,
            GATE,
            "separated",
            network="resnet-16x2",
            positions=4_000,
            validation_positions=300,
            test_games=10,
            seed=1,
            out=Path(place) / "experts",
        )
        for table in experts.tables()[:2]:  # what each network got, and its loss on each phase
            rich.print(table)

        limit = agents.Limit(nodes=20)
        match = arena.play_match(
            agents.MCTSAgent(experts.mixture(routing="exact"), limit=limit, seed=1, name="experts"),
            agents.MCTSAgent(experts.baseline(), limit=limit, seed=2, name="baseline"),
            game="chess",
            games=4,
            seed=3,
            max_plies=60,
        )
        print(match.summary())


if __name__ == "__main__":
    main()
