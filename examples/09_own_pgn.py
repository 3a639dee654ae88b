"""From one's own PGN to phase experts: import games, look at their phases, train, and compare.

With so few positions experts fall behind one network, because each learns from a part of them;
`10_experts.py` has an expert that helps.

Give the path of a PGN file, plain or compressed; without one, some games of the package are written
as PGN first.

    python examples/10_own_pgn.py games.pgn.zst
"""

import sys
import tempfile
from pathlib import Path

import rich

from phasezoo import training

GATE = "lichess"


def packaged_pgn(folder):
    """Four hundred games that the package brings, as PGN."""
    path = Path(folder) / "games.pgn"
    training.GameStore.sample("chess").subset(range(400)).to_pgn(path)
    return path


def main(positions=4_000, test_games=50):
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
            positions=positions,
            validation_positions=300,
            test_games=test_games,
            seed=1,
            out=Path(place) / "experts",
        )
        for table in experts.tables()[:2]:  # what each network got, and its loss on each phase
            rich.print(table)

        mixture = experts.losses.cell("mixture")
        low, high = mixture.difference_low, mixture.difference_high
        answer = "help" if high < 0 else "cost" if low > 0 else "neither help nor cost for sure"
        print(
            f"Test loss of the experts less one network's, {positions:,} training positions each "
            f"side:\n{mixture.difference:+.2f} ({low:+.2f} to {high:+.2f}, 95 %). With so few, "
            f"experts {answer}"
        )


if __name__ == "__main__":
    main()
