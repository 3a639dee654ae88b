"""Stored trees, compared node by node.

A change of the search shows here first. Where it is meant, the files are made again with
``PHASEZOO_UPDATE_GOLDEN=1 pytest tests/unit/search/test_golden_trees.py``, and the change says why.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from search_fakes import Pile, chess_state, drive, pile_pool

from phasezoo import _core

FOLDER = Path(__file__).resolve().parents[2] / "golden" / "trees"
MIDGAME = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9"

CHESS = {
    "batch_1": {"batch_size": 1},
    "virtual_loss": {"batch_size": 16, "virtual_style": "virtual_loss"},
    "virtual_visit": {"batch_size": 16, "virtual_style": "virtual_visit"},
    "virtual_mix": {"batch_size": 16, "virtual_mix_threshold": 20},
    "fpu_noise": {"batch_size": 4, "fpu": 0.3, "dirichlet_epsilon": 0.25, "node_temperature": 1.0},
    "no_solver": {"batch_size": 4, "solver": False, "fpu": 0.2},
}


def nodes_below(pool: Any, tree: int, path: tuple[int, ...] = ()) -> list[dict[str, Any]]:
    """All nodes that a tree holds, parents first; priors and means only where visits are."""
    node = pool.inspect(tree, list(path))
    if node is None:
        return []
    record = {
        "path": list(path),
        "phase": node.phase,
        "visits": node.visits,
        "value": node.value,
        "mean": node.mean,
        "proven": node.proven,
        "moves": [
            [int(action), float(prior), int(visits)]
            for action, prior, visits in zip(
                node.actions, node.priors, node.action_visits, strict=True
            )
            if visits > 0
        ],
    }
    below = [nodes_below(pool, tree, (*path, int(action))) for action in node.actions]
    return [record, *(entry for part in below for entry in part)]


def compare(name: str, found: dict[str, Any]) -> None:
    """Compare with the stored tree, or store it."""
    file = FOLDER / f"{name}.json"
    if os.environ.get("PHASEZOO_UPDATE_GOLDEN"):
        file.write_text(
            json.dumps(found, separators=(",", ":")).replace('{"path"', '\n{"path"') + "\n"
        )
    stored = json.loads(file.read_text())
    assert len(found["nodes"]) == len(stored["nodes"])
    for new, old in zip(found["nodes"], stored["nodes"], strict=True):
        exact = ("path", "phase", "visits", "proven")
        assert {key: new[key] for key in exact} == {key: old[key] for key in exact}
        assert [move[::2] for move in new["moves"]] == [move[::2] for move in old["moves"]]
        for key in ("value", "mean"):
            assert new[key] == pytest.approx(old[key], abs=1e-5), (new["path"], key)
        priors = [move[1] for move in old["moves"]]
        assert [move[1] for move in new["moves"]] == pytest.approx(priors, abs=1e-5)
    assert found["action"] == stored["action"]
    assert found["pv"] == stored["pv"]


@pytest.mark.parametrize("name", CHESS)
def test_chess(name: str) -> None:
    pool = _core.SearchPool("chess", _core.SearchParams(**CHESS[name]), _core.Gate("hash:3"))
    tree = pool.add(11)
    pool.begin(tree, chess_state(fen=MIDGAME), nodes=150)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    compare(
        f"chess_{name}",
        {"action": result.action, "pv": result.pv, "nodes": nodes_below(pool, tree)},
    )


def test_chess_after_two_moves() -> None:
    pool = _core.SearchPool("chess", _core.SearchParams(batch_size=8))
    tree = pool.add(11)
    state = chess_state(fen=MIDGAME)
    pool.begin(tree, state, nodes=300)
    drive(pool, num_actions=4672)
    for action in pool.finish(tree).pv[:2]:
        pool.advance(tree, action)
        state = state.play(action)
    pool.begin(tree, state, nodes=60)
    drive(pool, num_actions=4672)
    result = pool.finish(tree)
    found = {"action": result.action, "pv": result.pv, "nodes": nodes_below(pool, tree)}
    compare("chess_reused", found)


@pytest.mark.parametrize("players", [2, 3])
def test_nim(players: int) -> None:
    pool, tree = pile_pool(players=players, batch_size=3)
    pool.begin(tree, Pile(12, players=players), nodes=120)
    drive(pool, num_actions=4)
    result = pool.finish(tree)
    found = {"action": result.action, "pv": result.pv, "nodes": nodes_below(pool, tree)}
    compare(f"nim_{players}_players", found)
