"""A run of self-play is watched: probes and the ladder, which change nothing of it."""

import json
from pathlib import Path
from typing import Any

import pytest
import selfplay_games

from phasezoo.errors import InvalidConfig
from phasezoo.training import Probed, SelfPlay, Watching
from phasezoo.training.selfplay.config import self_play_settings
from phasezoo.training.selfplay.watch import ProbeRow, RungRow, elo_of

selfplay_games.register()


def run(out: Path, updates: int = 2, **options: Any) -> Any:
    given = {
        "network": "mlp-16x1",
        "backend": "torch",
        "learning": self_play_settings(threads=1, batch_size=16),
        "games_per_update": 4,
        "nodes": 5,
        "samples_per_update": 40,
        **options,
    }
    return SelfPlay("own-crosses", out=out, updates=updates, **given).run()


def probes_in(out: Path) -> list[tuple[int, dict[str, Any]]]:
    rows = [json.loads(line) for line in (out / "probes.jsonl").read_text().splitlines()]
    return [(row["version"], row["numbers"]) for row in rows]


def corners(version: Probed) -> dict[str, float]:
    state = version.game.initial_state()
    moves = {who: agent.select_batch([state])[0] for who, agent in version.players().items()}
    return {who: float(move in (0, 2, 6, 8)) for who, move in moves.items()}


def test_probes_measure_every_version_once(tmp_path: Path) -> None:
    seen: list[ProbeRow] = []
    watching = Watching(probe_nodes=4)
    options = {"probes": [corners], "on_probe": seen.append, "watching": watching}
    run(tmp_path / "run", **options)
    assert [row.version for row in seen] == [0, 1, 2]
    assert set(seen[0].numbers["corners"]) == {"network", "4 nodes"}
    run(tmp_path / "run", **options)
    assert len(seen) == 3
    run(tmp_path / "run", updates=3, **options)
    assert [row.version for row in seen] == [0, 1, 2, 3]
    assert probes_in(tmp_path / "run") == [(row.version, row.numbers) for row in seen]


def test_what_a_kill_left_out_is_measured_when_the_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    options = {"probes": [corners], "watching": Watching(ladder_every=1, ladder_games=4)}
    run(out, **options)
    logs = [out / "probes.jsonl", out / "ladder.jsonl"]
    whole = [log.read_bytes() for log in logs]
    for log, text in zip(logs, whole, strict=True):
        log.write_bytes(text[: len(text) // 2])
    run(out, **options)
    assert [log.read_bytes() for log in logs] == whole


def test_watching_changes_nothing_of_a_run(tmp_path: Path) -> None:
    watched = run(tmp_path / "a", probes=[corners], watching=Watching(ladder_games=2))
    plain = run(tmp_path / "b", watching=Watching.nothing())
    models = [outcome.version() / "model.safetensors" for outcome in (watched, plain)]
    assert models[0].read_bytes() == models[1].read_bytes()
    # And a run may go on with another watch.
    assert run(tmp_path / "b", updates=3, watching=Watching(ladder_every=3, ladder_games=2))
    (line,) = (tmp_path / "b" / "ladder.jsonl").read_text().splitlines()
    assert (json.loads(line)["first"], json.loads(line)["second"]) == (3, 0)


def test_a_rung_meets_rungs_at_powers_of_two() -> None:
    watching = Watching(ladder_every=2, ladder_games=2)
    rungs = watching.rungs(13)
    assert rungs == [0, 2, 4, 6, 8, 10, 12]
    assert watching.opponents(rungs) == [10, 8, 4]
    assert watching.opponents(rungs[:1]) == []
    assert Watching().rungs(13) == []


def test_ratings_come_from_every_match_once() -> None:
    rows = [
        RungRow(1, 0, 8, [1.0, 0.5] * 8, list(range(16))),
        RungRow(2, 1, 8, [1.0, 0.5] * 8, list(range(16))),
        RungRow(2, 0, 99, [0.0] * 2, [0, 1]),  # another search
    ]
    elo = elo_of(rows)
    assert list(elo) == [0, 1, 2]
    assert elo[0].value == 0
    assert elo[1].value == pytest.approx(190.8, abs=0.1)  # 75 %
    assert elo[2].value == pytest.approx(2 * 190.8, abs=0.2)
    assert elo_of([]) == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("probe_every", -1),
        ("probe_positions", 0),
        ("ladder_games", 3),
        ("ladder_nodes", 0),
        ("report", 3),
    ],
)
def test_wrong_values_name_their_field(field: str, value: int) -> None:
    with pytest.raises(InvalidConfig, match=field):
        Watching(**{field: value})


@pytest.mark.parametrize("probes", [5, [5], "corners"])
def test_what_is_no_list_of_probes_is_refused(tmp_path: Path, probes: Any) -> None:
    with pytest.raises(InvalidConfig, match="prob"):
        run(tmp_path / "run", probes=probes)
    assert not (tmp_path / "run").exists()
