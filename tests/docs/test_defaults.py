"""Defaults and ranges that texts state are those of the code."""

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasezoo import agents, arena, games, inference, training
from phasezoo.agents import Limit
from phasezoo.errors import InvalidConfig
from phasezoo.training.selfplay.config import self_play_search

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/search_options.md").read_text()
KRK = (ROOT / "docs/definitions/krk.md").read_text()
UNIFORM = inference.Uniform()

DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
WORDS = {"no": False, "off": False, "yes": True, "as everywhere": None}
NUMBER = r"10[⁰-⁹]+|[−-]?\d[\d,]*(?:\.\d+)?"


def number(text: str) -> float:
    if re.fullmatch(r"10[⁰-⁹]+", text):
        return float(10 ** int(text[2:].translate(DIGITS)))
    return float(text.replace("−", "-").replace(",", ""))


def value(text: str) -> Any:
    """What a cell says: a number, a word in quotes or as code, or yes and no."""
    text = re.sub(r" \(.*\)$", "", text.strip())
    quoted = re.fullmatch(r'`"?([\w ]+)"?`', text)
    if quoted is not None:
        return quoted[1]
    return WORDS[text] if text in WORDS else number(text)


def rows(page: str) -> list[dict[str, str]]:
    """The rows of all tables of options."""
    found: list[dict[str, str]] = []
    heads: list[str] = []
    section = ""
    for line in page.splitlines():
        section = line[3:] if line.startswith("## ") else section
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif heads[0] == "option" and "default" in heads and not set(line) <= set("|- "):
            found.append({"section": section, **dict(zip(heads, cells, strict=True))})
    return found


OPTIONS = [row for row in rows(PAGE) if row["section"] != "Results"]


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row["option"])
def test_the_tables_of_search_options_state_the_defaults(row: dict[str, str]) -> None:
    config = agents.SearchConfig()
    choice = re.fullmatch(r'`(\w+)="(\w+)"`', row["option"])
    stated = row["default"]
    if choice is not None:
        name, word = choice.groups()
        is_default = stated == "yes" or (stated and stated != "yes" and value(stated) == word)
        assert (getattr(config, name) == word) is bool(is_default)
        if stated not in ("", "yes"):
            assert getattr(config, name) == value(stated)
        return
    names = re.findall(r"`(\w+)`", row["option"])
    values = [value(part) for part in stated.split(", ")]
    for name, said in zip(names, values if len(values) > 1 else values * len(names), strict=True):
        assert getattr(config, name) == said, name


def test_every_search_option_off_the_page_of_limits_is_in_a_table() -> None:
    named = {name for row in OPTIONS for name in re.findall(r"`(\w+)[=`]", row["option"])}
    elsewhere = {
        "batch_size", "memory_mb", "memory_full", "reuse_tree", "solver", "quantile_clipping",
        "draw_on_second_occurrence", "temperature", "temperature_plies", "temperature_decay",
    }  # fmt: skip
    assert named | elsewhere == {field.name for field in fields(agents.SearchConfig)}


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row["option"])
def test_the_tables_of_search_options_state_the_ranges(row: dict[str, str]) -> None:
    names = re.findall(r"`(\w+)`", row["option"])
    bounds = re.findall(rf"({NUMBER}) to (below )?({NUMBER})", row["range"])
    if not bounds or not names or names[0].startswith("fpu"):
        return
    for name, (low, below, high) in zip(
        names, bounds if len(bounds) > 1 else bounds * len(names), strict=True
    ):
        kind = int if isinstance(getattr(agents.SearchConfig(), name), int) else float
        least, most = kind(number(low)), kind(number(high))
        agents.SearchConfig(**{name: least})
        wrongs = [least - 1, most if below else kind(most * 1.1 + 1)]
        if not below:
            agents.SearchConfig(**{name: most})
        for wrong in wrongs:
            with pytest.raises(InvalidConfig):
                agents.SearchConfig(**{name: wrong})


def test_the_table_of_rollout_searches_states_the_defaults() -> None:
    own = {row["option"].strip("`"): row for row in rows(KRK)}
    assert set(own) == {"ties", "choice", "ends", "root_visits"}
    agent = agents.UCTAgent()
    for name, row in own.items():
        stated = row["default"].partition(":")[0].strip("`")
        assert str(getattr(agent, name)) == stated
    assert '`expansion="untried"` with `threshold=0`, the default' in KRK
    assert agents.UCTAgent(threshold=0, expansion="untried").__dict__ == {
        **agent.__dict__,
        "threshold": 0,
    }


LIMITS = {
    agents.MCTSAgent: lambda: agents.MCTSAgent(UNIFORM).limit,
    agents.DecoupledMCTSAgent: lambda: agents.DecoupledMCTSAgent(UNIFORM).limit,
    agents.UCTAgent: lambda: agents.UCTAgent().limit,
}


@pytest.mark.parametrize("kind", LIMITS, ids=lambda kind: kind.__name__)
def test_agents_search_as_long_as_they_say(kind: Any) -> None:
    text = " ".join(str(inspect.getdoc(kind)).split())
    count, unit = re.search(r"default ([\d,]+) (nodes|simulations)", text).groups()  # type: ignore[union-attr]
    assert LIMITS[kind]() == Limit(**{unit: int(count.replace(",", ""))})


def test_other_figures_in_words_are_those_of_the_code() -> None:
    config = agents.SearchConfig()
    assert "default 2 GiB" in str(inspect.getdoc(agents.SearchConfig))
    assert config.memory_mb == 2048
    uct = " ".join(str(inspect.getdoc(agents.UCTAgent)).split())
    assert 'Default 0, or 100 with ``expansion="rollouts"``' in uct
    study = agents.UCTAgent(expansion="rollouts", limit=Limit(simulations=300), seed=2)
    again = agents.UCTAgent(
        expansion="rollouts", threshold=100, limit=Limit(simulations=300), seed=2
    )
    start = games.make("krk").initial_state()
    assert study.search(start).visits.tolist() == again.search(start).visits.tolist()
    assert "The default is 1" in (ROOT / "docs/definitions/limits.md").read_text()
    assert config.batch_size == 1
    assert "`fpu`, 0 by default" in (ROOT / "docs/definitions/limits.md").read_text()
    assert (config.fpu, config.fpu_style) == (0.0, "reduction")
    widths = "1 → 8 → 40 → 120 → 240 → 240 → 240 → 240"
    assert f"The default keeps {widths}" in " ".join(str(inspect.getdoc(agents.BeamConfig)).split())
    assert " → ".join(map(str, agents.BeamConfig().layers)) == widths
    play = " ".join(str(inspect.getdoc(arena.play_match)).split())
    assert "Games at once; default 64" in play


def test_self_play_takes_an_unvisited_action_for_as_good_as_its_node() -> None:
    """Of a root that is worth 0.6 a move that nobody looked at is worth 0.6 and not 0."""

    class Hopeful:
        plane_spec = None

        def evaluate(self, planes: Any) -> inference.Evaluation:
            raise AssertionError("states are asked for")

        def evaluate_batch(self, leaves: Any) -> inference.Evaluation:
            signs = [0.6 if state.to_play == 0 else -0.6 for state in leaves.states()]
            return inference.Evaluation(value=np.array(signs, dtype=np.float32))

    search = training.SelfPlayConfig().search
    assert (self_play_search().fpu, self_play_search().fpu_style) == (0.0, "reduction")
    assert search.fpu == 0.0
    agent = agents.MCTSAgent(
        Hopeful(), limit=Limit(nodes=3), config=search.with_(dirichlet_epsilon=0.0)
    )
    found = agent.search(games.make("connect-four").initial_state())
    assert found.q[found.visits == 0] == pytest.approx(0.6)
    text = " ".join(str(inspect.getdoc(self_play_search)).split())
    assert "worth the mean of their node" in text
