"""The page of a run of self-play: it grows with the rounds, and tells what they were."""

import json
from pathlib import Path
from typing import Any

import page_checker
import pytest

from phasezoo.training import Probed, SelfPlay, Watching
from phasezoo.training.selfplay import monitor
from phasezoo.training.selfplay.config import self_play_settings

GATE = "plies:6,100"


def run(out: Path, **options: Any) -> Any:
    given = {
        "network": "mlp-16x1",
        "backend": "torch",
        "gate": GATE,
        "learning": self_play_settings(threads=1, batch_size=16),
        "games_per_update": 4,
        "nodes": 8,
        "updates": 2,
        "samples_per_update": 40,
        "probes": [ply_of_the_moon],
        "watching": Watching(ladder_every=1, ladder_games=4, probe_positions=4, probe_nodes=4),
        **options,
    }
    return SelfPlay("connect-four", out=out, **given).run()


def ply_of_the_moon(version: Probed) -> dict[str, float]:
    return {who: float(len(who)) for who in version.players()}


def costs_in(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "costs.jsonl").read_text().splitlines()]


def test_the_page_tells_rounds_probes_phases_and_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(monitor, "PATIENCE", 0)
    out = tmp_path / "run"
    texts: list[str] = []

    def look(update: Any) -> None:  # before the page of this round
        found = out / monitor.REPORT
        texts.append(found.read_text() if found.exists() else "")

    outcome = run(out, on_update=look)
    assert texts[0] == ""
    assert "After 1 of 2 rounds" in texts[1]
    assert 'http-equiv="refresh"' in texts[1]
    text = (out / monitor.REPORT).read_text()
    page_checker.check_page(text)
    assert "After all 2 rounds" in text
    assert 'http-equiv="refresh"' not in text
    for told in ("ply_of_the_moon, 4 nodes", "Elo above version 0", "up to 6", "search.fpu"):
        assert told in text
    rows = costs_in(out)
    searched = [update.samples for update in outcome.updates]
    assert [sum(row["samples"].values()) for row in rows] == searched
    for row in rows:
        assert row["games"] == 4
        assert sum(row["expert_rows"].values()) == row["rows"] > 0
        assert 1 <= row["visits"]["up to 6"] <= 8
        assert row["samples"]["over 100"] == row["visits"]["over 100"] == 0
        assert row["seconds"]["playing"] >= row["seconds"]["inference"] > 0


def test_a_longer_run_goes_on_with_what_was_noted(tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(out, updates=1, gate=None, watching=Watching.nothing())
    assert not (out / monitor.REPORT).exists()
    run(out, gate=None, watching=Watching(probe_every=0))
    rows = costs_in(out)
    assert [row["update"] for row in rows] == [1, 2]
    assert all(row["samples"] == row["expert_rows"] == {} for row in rows)
    assert "After all 2 rounds" in (out / monitor.REPORT).read_text()
