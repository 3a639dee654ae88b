"""What the pages of definitions, and the README, say in tables is what the package does."""

import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from phasezoo import _core, arena, games, gating
from phasezoo.registration import ENVIRONMENTS

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "definitions"
SPAN = re.compile(r"(\d+)(?:–(\d+))?")

PLANES = {
    "Chess `v1`": ("chess", "v1"),
    "Chess `v2`": ("chess", "v2"),
    "Atomic `lichess`": ("atomic", "lichess"),
    "Pommerman `standard`": ("pommerman-ffa", "standard"),
}
"""Sections of the page on planes whose table has one row for each group of planes."""

GATES = {
    "moves:n": ("moves:3", "chess"),
    "hash:n": ("hash:2", "chess"),
    "plies:a,b,…": ("plies:14,28", "chess"),
}
"""Specifications of the page on gates that need arguments, filled in, and their game."""

GAMES = {"chess family": "chess", "KRK": "krk", "Pommerman": "pommerman-ffa", "all": "chess",
         "Connect Four": "connect-four"}  # fmt: skip


def section(page: str, title: str) -> str:
    """The text below a heading, up to the next one."""
    text = (PAGES / page).resolve().read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of a table's body."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    body = lines[next(i for i, line in enumerate(lines) if set(line) <= set("|-")) + 1 :]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in body]


def test_the_table_of_planned_widths_is_what_the_function_says() -> None:
    table = rows(section("statistics.md", "Planning a run"))
    assert [row[0] for row in table] == ["4", "6", "8", "12"]
    for trainings, *cells in table:
        widths = [arena.planned_width(int(trainings), games) for games in (12, 20, 40, 100)]
        assert cells == [f"{width:.0f}" for width in widths]


def planes_in(cell: str) -> list[int]:
    """The planes that a cell names: ``0–5, 6–11``."""
    spans = [(int(low), int(high or low)) for low, high in SPAN.findall(cell)]
    return [plane for low, high in spans for plane in range(low, high + 1)]


def test_the_table_of_packed_planes_tells_kinds_and_sizes() -> None:
    table = [row for row in rows(section("planes.md", "Packed planes")) if row[-1][:1].isdigit()]
    # "and crazyhouse": those planes are the same in all games before and in that one.
    named = ["chess"] * 4 + ["atomic"] + ["crazyhouse"] * 3 + ["connect-four", "pommerman-ffa"]
    assert len(table) == len(named)
    for name, (_, spec, binary, constant, packed, floats) in zip(named, table, strict=True):
        layout = games.make(name).plane_layout(spec.strip("`"))
        first = games.make("chess").plane_layout(spec.strip("`")) if "as chess" in binary else None
        for kind, cell in (("b", binary), ("c", constant)):
            before = [] if first is None else first.planes_of(kind).tolist()
            assert layout.planes_of(kind).tolist() == before + planes_in(cell), (name, spec)
        sizes = [int(cell.split(" (")[0].replace(",", "")) for cell in (packed, floats)]
        assert sizes == [layout.nbytes, 4 * np.prod(layout.shape)]


@pytest.mark.parametrize("title", PLANES)
def test_tables_of_planes_name_every_plane_once(title: str) -> None:
    game, spec = PLANES[title]
    named = [plane for row in rows(section("planes.md", title)) for plane in planes_in(row[0])]
    assert named == list(range(games.make(game).plane_shape(spec)[0]))


def test_tables_of_crazyhouse_name_every_plane_once() -> None:
    table = rows(section("planes.md", "Crazyhouse"))
    for column, spec in ((0, "v1"), (2, "v2")):
        named = [plane for row in table for plane in planes_in(row[column])]
        assert named == list(range(games.make("crazyhouse").plane_shape(spec)[0]))


def test_the_worked_values_of_mixedness_are_right() -> None:
    chess = games.make("chess")
    table = rows(section("gates.md", "Mixedness").partition("Worked values")[2])
    assert len(table) == 7
    for placement, *values in table:
        state = chess.from_fen(f"{placement.strip('`')} w - - 0 1")
        found = [_core.chess_mixedness(state, name) for name in ("classic", "engine", "current")]
        assert found == [int(value) for value in values]


def listed_gates() -> list:
    """Specification, game and names of each row of the page's table."""
    cases = []
    for spec, where, _, names in rows(section("gates.md", "Specifications")):
        name = spec.strip("`")
        kind = next(kind for kind in GAMES if where.startswith(kind))
        plain, game = GATES.get(name, (name.partition(":")[0], GAMES[kind]))
        cases.append(pytest.param(plain, game, names, id=name.partition(":")[0]))
    return cases


@pytest.mark.parametrize(("spec", "game", "names"), listed_gates())
def test_listed_gates_exist_and_have_the_names(spec: str, game: str, names: str) -> None:
    gate = gating.make(spec, game)
    if "…" not in names:
        assert names == ", ".join(gate.names)
    state = games.make(game).initial_state(seed=1)
    assert 0 <= gate(state, 0) < len(gate.names) == gate.num_phases
    assert np.array_equal(gate.batch([state] * 2, [0, 0]), [gate(state, 0)] * 2)


def environments() -> list:
    """Id, shape and actions of each environment in the README's table."""
    text = section("../../README.md", "What there is")
    cases = []
    seen = ""
    for ids, observation, actions, _ in rows(text.partition("Every id")[0]):
        seen = seen if observation == "the same" else observation
        cases += [
            pytest.param(name, seen, actions, id=name) for name in re.findall(r"`(\w+-v\d)`", ids)
        ]
    return cases


@pytest.mark.parametrize(("name", "observation", "actions"), environments())
def test_the_readme_has_the_shapes(name: str, observation: str, actions: str) -> None:
    env = gymnasium.make(name, disable_env_checker=True)
    shape = re.search(r"\[[\d, ]+\]", observation)
    assert shape is not None
    assert shape[0] == str(list(env.observation_space.shape or ()))
    space = env.action_space
    size = space.nvec.tolist() if hasattr(space, "nvec") else space.n
    assert actions.strip("`") == str(size)


def test_the_readme_has_every_environment() -> None:
    listed = {case.id for case in environments()}
    assert listed == {environment.gymnasium_id for environment in ENVIRONMENTS}


def test_every_gate_and_every_family_of_networks_is_defined():
    pytest.importorskip("torch", reason="networks need the extra 'train'")
    from phasezoo.networks.catalogue import FAMILIES

    pages = {
        name: (PAGES / name).read_text(encoding="utf-8") for name in ("gates.md", "networks.md")
    }
    rows = [line.split("|")[1] for line in pages["networks.md"].splitlines() if line[:1] == "|"]
    assert [name for name in _core.GATE_NAMES if f"`{name}" not in pages["gates.md"]] == []
    assert len(FAMILIES) >= 15
    assert [name for name in FAMILIES if not any(f"`{name}-" in row for row in rows)] == []
