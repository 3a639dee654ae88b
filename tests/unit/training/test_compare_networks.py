"""The script that compares networks at equal CPU time, on a few games and in no time."""

import json

import compare_networks as script
import numpy as np
import pytest

from phasezoo.training import GameStore


@pytest.fixture(autouse=True)
def as_short_as_can_be(monkeypatch):
    few = GameStore.sample("chess").subset(np.arange(60))
    monkeypatch.setattr(script.training.GameStore, "sample", lambda game: few)
    for name, value in {"ROUNDS": 1, "UPDATES": 4, "CALLS": 2, "BATCHES": (1, 4)}.items():
        monkeypatch.setattr(script, name, value)


def test_what_is_in_the_file_is_not_done_again(tmp_path):
    out = tmp_path / "networks.jsonl"
    settings = script.Settings(minutes=0.0005, rates=(0.001, 0.003), test_positions=50, out=out)
    script.run(("rise-8x1", "resnet-8x1:policy=pointwise"), settings)
    lines = out.read_text()
    rows = script.read(out)
    assert [row["kind"] for row in rows] == ["cost"] * 2 + ["training"] * 4
    assert {row["rate"] for row in rows if row["kind"] == "training"} == {0.001, 0.003}
    for row in rows[2:]:
        assert row["positions"] == 64 * row["updates"]
        assert row["test_positions"] == 50
    script.run(("rise-8x1", "resnet-8x1:policy=pointwise"), settings)
    assert out.read_text() == lines
    assert not list((tmp_path / "networks").glob("*-*"))


def test_a_budget_buys_updates_at_the_measured_cost(tmp_path):
    out = tmp_path / "networks.jsonl"
    cost = {"update_seconds": 0.25, "call_seconds": 1e-4, "row_seconds": 1e-5}
    out.write_text(json.dumps({"kind": "cost", "network": "rise-8x1", "batch": 64, **cost}) + "\n")
    script.run(("rise-8x1",), script.Settings(minutes=0.0125, test_positions=50, out=out))
    [_, row] = script.read(out)
    assert row["updates"] == 3


def test_the_table_averages_seeds_and_puts_the_lowest_loss_first(tmp_path, capsys):
    def trained(network, seed, loss):
        job = {"network": network, "minutes": 3.0, "optimizer": "adamw", "rate": 0.003}
        numbers = {"parameters": 1000, "positions": 64_000, "total": loss, "accuracy": 0.25}
        return {"kind": "training", **job, "batch": 64, "seed": seed, **numbers}

    cost = {"update_seconds": 1.0, "call_seconds": 1e-4, "row_seconds": 1e-5}
    rows = [{"kind": "cost", "network": name, "batch": 64, **cost} for name in ("a-8x1", "b-8x1")]
    rows += [trained("a-8x1", 1, 3.0), trained("b-8x1", 1, 2.0), trained("b-8x1", 2, 2.5)]
    path = tmp_path / "networks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    script.table(path)
    _, _, first, second = capsys.readouterr().out.splitlines()
    assert first == (
        "| 3 | `b-8x1` | adamw 0.003, 64 | 1,000 | 64,000 | 100 | 10 | 86,486 | 2.250 | 25.0% | 2 |"
    )
    assert "| `a-8x1` |" in second
