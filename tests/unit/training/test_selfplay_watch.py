"""A run of self-play is watched: probes and the ladder, which change nothing of it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import selfplay_games

from phasezoo import gating
from phasezoo.errors import InvalidConfig
from phasezoo.training import Probed, SelfPlay, Watching
from phasezoo.training.selfplay import figures
from phasezoo.training.selfplay.config import self_play_search, self_play_settings
from phasezoo.training.selfplay.generation import Players
from phasezoo.training.selfplay.measurements import ProbeRow, RungRow, elo_of, gains_of

selfplay_games.register()


def unreported(**options: Any) -> Watching:
    """Measurements without the page, which takes longer than these runs."""
    return Watching(report=False, **options)


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
    watching = unreported(probe_nodes=4)
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
    options = {"probes": [corners], "watching": unreported(ladder_every=1, ladder_games=4)}
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
    assert run(tmp_path / "b", updates=3, watching=unreported(ladder_every=3, ladder_games=2))
    (line,) = (tmp_path / "b" / "ladder.jsonl").read_text().splitlines()
    assert (json.loads(line)["first"], json.loads(line)["second"]) == (3, 0)


def test_what_is_measured_is_searched_without_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    searching = Players.searching

    def noted(self: Players, *arguments: Any, **options: Any) -> Any:
        agent = searching(self, *arguments, **options)
        made.append((agent.limit.nodes, agent.config))
        return agent

    monkeypatch.setattr(Players, "searching", noted)
    noisy = self_play_search(node_random_factor=0.5, cheap_search_prob=0.5)
    watching = unreported(probe_nodes=4, ladder_every=1, ladder_games=2, ladder_nodes=6)
    promotion = {"promote_games": 2, "promote_nodes": 7}
    run(tmp_path / "a", search=noisy, probes=[corners], watching=watching, **promotion)
    seen = {nodes: {s.node_random_factor for n, s in made if n == nodes} for nodes, _ in made}
    assert seen == {5: {0.5}, 4: {0.0}, 6: {0.0}, 7: {0.0}}
    measured = [search for nodes, search in made if nodes != 5]
    assert {(s.dirichlet_epsilon, s.cheap_search_prob) for s in measured} == {(0.0, 0.0)}


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


@pytest.mark.slow
def test_the_expert_of_each_phase_meets_the_rung_before(tmp_path: Path) -> None:
    def gate(state: Any) -> int:
        return sum(map(abs, state.cells)) // 5

    own = gating.make(gate, names=("early", "late"))
    watching = Watching(ladder_every=1, ladder_games=4, ladder_phases=True)
    options = {"gate": own, "strategy": "separated", "watching": watching}
    run(tmp_path / "run", **options)
    text = (tmp_path / "run" / "ladder.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    played = [(row["first"], row["second"], row["phase"]) for row in rows]
    both = ["early", "late"]
    assert played == [
        *[(1, 0, phase) for phase in (None, *both)],
        *[(2, later, None) for later in (1, 0)],
        *[(2, 1, phase) for phase in both],
    ]
    run(tmp_path / "run", **options)
    assert (tmp_path / "run" / "ladder.jsonl").read_text() == text
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Elo over the rung before, by the phase" in page


def test_gains_of_phases_are_no_ratings_of_versions() -> None:
    openings = list(range(16))
    rows = [
        RungRow(1, 0, 8, [1.0, 0.5] * 8, openings),
        RungRow(1, 0, 8, [0.5, 0.5] * 8, openings, "early"),
        RungRow(1, 0, 8, [1.0, 0.5] * 8, openings, "late"),
        RungRow(2, 1, 8, [0.0, 0.5] * 8, openings, "late"),
    ]
    assert elo_of(rows) == elo_of(rows[:1])
    gains = gains_of(rows)
    assert {phase: list(by_version) for phase, by_version in gains.items()} == {
        "early": [1],
        "late": [1, 2],
    }
    assert gains["early"][1].value == 0
    assert gains["late"][1].value == pytest.approx(190.8, abs=0.1)
    assert gains["late"][2].value == pytest.approx(-190.8, abs=0.1)
    assert gains["late"][1].low < 190.8 < gains["late"][1].high


def test_phases_climb_only_where_there_are_rungs_and_experts(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match="ladder_phases=True: without a ladder"):
        Watching(ladder_phases=True)
    watching = Watching(ladder_games=2, ladder_phases=True)
    with pytest.raises(InvalidConfig, match="give a gate"):
        run(tmp_path / "run", watching=watching)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("probe_every", -1),
        ("probe_positions", 0),
        ("ladder_games", 3),
        ("ladder_nodes", 0),
        ("ladder_phases", 1),
        ("probe_everywhere", "yes"),
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


@pytest.mark.parametrize("how", [KeyboardInterrupt, ValueError])
def test_the_page_of_a_run_that_was_stopped_is_as_new_as_the_run(
    tmp_path: Path, how: type[BaseException]
) -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")
    out = tmp_path / "run"
    seen: list[int] = []

    def stop(row: Any) -> None:
        seen.append(row.update)
        if row.update == 4:
            raise how("enough")

    # Rounds are much quicker than the page, which is not written after each of them.
    with pytest.raises(how, match="enough"):
        run(out, updates=6, on_update=stop)
    assert seen == [1, 2, 3, 4]
    page = (out / "report.html").read_text()
    assert "After 4 of 6 rounds" in page
    assert 'http-equiv="refresh"' not in page
    run(out, updates=6)
    assert "After all 6 rounds" in (out / "report.html").read_text()


def test_a_version_that_won_all_games_is_drawn_at_its_finite_end() -> None:
    pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")
    games = list(range(8)), [1.0] * 16
    row = RungRow(1, 0, 5, games[1], [opening for opening in games[0] for _ in range(2)])
    found = elo_of([row])
    assert found[1].value == math.inf
    drawn = str(figures.ladder(found, 4).svg())
    assert "nan" not in drawn
    assert "inf" not in drawn
