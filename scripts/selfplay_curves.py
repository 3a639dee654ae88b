"""Draws the curves of runs of self-play for the docs, from their probes.

    python scripts/selfplay_curves.py docs/images/x.svg "starts won %" "regret" --runs runs/a runs/b

A panel a score, by games played; of several runs (seeds) the mean, and a band from the least to
the most. Numbers are those of ``probes.jsonl`` of each run.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from phasezoo.report.plots import BASELINE, PHASE, PLACEBO, axes, entitle

COLOURS = (PHASE, PLACEBO, BASELINE)


@dataclass(frozen=True)
class Curves:
    """Settings of a figure."""

    figure: tyro.conf.Positional[Path]
    """The SVG to write."""
    scores: tyro.conf.Positional[tuple[str, ...]]
    """Scores of probes; those written with a % behind are shares."""
    runs: tuple[Path, ...]
    """Directories of runs that differ by their seed alone."""


Points = dict[str, dict[str, dict[int, float]]]
"""Numbers by score, by who was measured, and by version."""


def points_of(run: Path) -> Points:
    """Return the probes of a run with the settings that were used last."""
    rows = [json.loads(line) for line in (run / "probes.jsonl").read_text().splitlines()]
    last = rows[-1]["settings"]
    found: Points = {}
    for row in rows:
        for name, numbers in row["numbers"].items() if row["settings"] == last else ():
            for who, number in numbers.items():
                found.setdefault(name, {}).setdefault(who, {})[row["version"]] = number
    return found


def games_a_round(run: Path) -> int:
    """Games of a round of the run."""
    first = json.loads((run / "updates.jsonl").read_text().splitlines()[0])
    return int(first["games"]) // int(first["update"])


def main(curves: tyro.conf.OmitArgPrefixes[Curves]) -> None:
    """Draw."""
    import matplotlib as mpl

    runs = [points_of(run) for run in curves.runs]
    each = games_a_round(curves.runs[0])
    figure, made = axes(3.6 * len(curves.scores), 2.8, columns=len(curves.scores))
    panels: list[Any] = [made] if len(curves.scores) == 1 else list(made)
    for panel, name in zip(panels, curves.scores, strict=True):
        score, is_share = name.rstrip(" %"), name.endswith("%")
        for who, colour in zip(runs[0][score], COLOURS, strict=False):
            versions = sorted(set.intersection(*(set(run[score][who]) for run in runs)))
            values = np.array([[run[score][who][v] for v in versions] for run in runs])
            values *= 100 if is_share else 1
            games = [version * each / 1000 for version in versions]
            panel.fill_between(games, values.min(0), values.max(0), color=colour, alpha=0.2, lw=0)
            panel.plot(games, values.mean(0), color=colour, linewidth=1.8, label=who)
        if is_share:
            panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0f} %")
            panel.set_ylim(0, 101)
        panel.set_xlabel("thousand games played")
        panel.locator_params(axis="x", nbins=6)
        entitle(panel, score)
        panel.legend(frameon=False, fontsize=8)
    settings = {"svg.fonttype": "none", "svg.hashsalt": "selfplay_curves"}
    with mpl.rc_context(settings):
        figure.savefig(curves.figure, metadata={"Date": None})


if __name__ == "__main__":
    tyro.cli(main)
