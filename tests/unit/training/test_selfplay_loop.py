"""Rounds of self-play: what is learnt by whom, which version plays, and what ends a run."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import selfplay_games
from selfplay_runs import one_by_one, run

from phasezoo import agents, games, inference
from phasezoo.errors import (
    GameMismatch,
    InvalidConfig,
    InvalidEvaluation,
    InvalidState,
    RunDirectoryError,
)
from phasezoo.specs import removed
from phasezoo.training import GameStore, SelfPlay, SelfPlayConfig, Watching
from phasezoo.training.selfplay.config import self_play_search, self_play_settings
from phasezoo.training.selfplay.generation import Players

selfplay_games.register()

TINY = {"updates": 2, "games_per_update": 4, "nodes": 5, "samples_per_update": 40}


def tiny(out: Path, game: str = "connect-four", **options: Any) -> SelfPlay:
    learning = self_play_settings(threads=1, batch_size=16)
    shared = {"backend": "torch", "learning": learning, "watching": Watching.nothing()}
    given = {"network": "mlp-16x1", **shared, **TINY, **options}
    return SelfPlay(game, out=out, **given)


@pytest.mark.parametrize("value", ["own", "shared"])
@pytest.mark.parametrize("strategy", ["separated", "staged", "weighted:4"])
def test_experts_share_the_samples_of_a_round(tmp_path: Path, strategy: str, value: str) -> None:
    loop = tiny(tmp_path / "run", gate="plies:6,30", strategy=strategy, value=value)
    outcome = loop.run()
    told = outcome.updates[-1].numbers
    samples = {name: told[name] for name in told if name.endswith("/samples") and "learn" in name}
    # Of 40: a rounding for each phase, and half a batch for the rarest ones.
    assert 37 <= sum(samples.values()) <= 60
    rounds = [sum(u.numbers[name] or 0 for name in samples) for u in outcome.updates]
    assert [u.learned for u in outcome.updates] == list(np.cumsum(rounds))
    experts = inference.load_experts(outcome.version())
    assert experts.phases == ("up to 6", "7–30", "over 30")
    assert (experts.baseline_folder is not None) == (strategy == "staged" or value == "shared")
    assert experts.value == value
    first = inference.load_experts(outcome.version(0))
    changed = [
        not np.array_equal(one.evaluate(PLANES).policy_logits, two.evaluate(PLANES).policy_logits)
        for one, two in (
            (experts.expert(phase, backend="torch"), first.expert(phase, backend="torch"))
            for phase in experts.phases
        )
    ]
    assert changed[:2] == [True, True]
    store = outcome.store()
    assert store.columns.phases is not None
    assert set(store.columns.phases.tolist()) >= {0, 1}


def test_strategies_of_stored_games_alone_are_refused(tmp_path: Path) -> None:
    for strategy in ("planes", "heads"):
        with pytest.raises(InvalidConfig, match="training on stored games"):
            tiny(tmp_path / strategy, gate="plies:6,30", strategy=strategy).run()


def test_one_value_for_all_plays_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    options = {"gate": "plies:6,30", "strategy": "separated", "value": "shared"}
    outcome = tiny(tmp_path / "run", updates=1, **options).run()
    experts = inference.load_experts(outcome.version())
    start = games.make("connect-four").initial_state()
    late = start
    for column in (0, 1, 2, 3, 4, 5, 6, 0, 1, 2):
        late = late.play(column)
    leaves = inference.StateBatch([start, late], [0, 1])
    planes = games.encode([start, late])
    one = experts.baseline(backend="torch").evaluate(planes)
    mixed = experts.mixture(backend="torch").evaluate_batch(leaves)
    own = [experts.expert(phase, backend="torch").evaluate(planes) for phase in experts.phases]
    assert np.allclose(mixed.values(), one.values(), atol=1e-6)
    assert not np.allclose(mixed.values(), [own[0].values()[0], own[1].values()[1]], atol=1e-6)
    again = tiny(tmp_path / "run", updates=2, **options).run()
    assert [u.learned for u in again.updates] == [
        u.learned for u in tiny(tmp_path / "whole", updates=2, **options).run().updates
    ]
    with pytest.raises(RunDirectoryError, match="value"):
        tiny(tmp_path / "run", updates=3, **{**options, "value": "own"}).run()


PLANES = np.random.default_rng(1).random((2, 3, 6, 7)).astype(np.float32)


@pytest.mark.slow
def test_only_versions_that_win_play_on(tmp_path: Path) -> None:
    never = run(tmp_path / "never", "promoted", promote_score=1.0, updates=2)
    assert [update.best for update in never.updates] == [0, 0]
    assert never.version().name == "00000"
    always = run(tmp_path / "always", "promoted", promote_score=0.0, updates=2)
    assert [update.best for update in always.updates] == [1, 2]
    scores = [update.numbers["match/score"] for update in never.updates]
    assert all(score is not None and 0 <= score < 1 for score in scores)
    assert (tmp_path / "never" / "matches" / "version-00002.jsonl").is_file()


def test_targets_are_policies_if_visits_are_not_what_is_to_be_learnt(tmp_path: Path) -> None:
    search = self_play_search(root="gumbel")
    outcome = tiny(tmp_path, search=search, updates=1, nodes=16).run()
    visits = outcome.store().columns.visits
    assert visits is not None
    sums = np.add.reduceat(visits.counts, visits.offsets[:-1])
    assert (sums > 900_000).any()  # millionths


def test_a_run_begins_from_a_network(tmp_path: Path) -> None:
    first = tiny(tmp_path / "first").run()
    second = tiny(tmp_path / "second", network=None, initial=first.version(), seed=9)
    begun = second.run().evaluator(0, backend="torch").evaluate(PLANES)
    assert np.array_equal(
        begun.policy_logits, first.evaluator(backend="torch").evaluate(PLANES).policy_logits
    )
    with pytest.raises(GameMismatch, match="own-crosses"):
        tiny(tmp_path / "third", "own-crosses", network=None, initial=first.version())


def test_games_in_which_all_move_at_once(tmp_path: Path) -> None:
    options = {"max_plies": 5, "updates": 1, "others": "random"}
    outcome = tiny(tmp_path / "run", "pommerman-ffa", **options).run()
    assert outcome.updates[0].samples > 20
    assert outcome.updates[0].numbers["games/cut"] == 4

    def agent(evaluator: Any) -> agents.MCTSAgent:
        return agents.MCTSAgent(evaluator, others="random", limit=agents.Limit(nodes=5))

    own = tiny(tmp_path / "own", "pommerman-ffa", max_plies=5, updates=1, agent=agent).run()
    assert own.updates[0].samples > 20
    with pytest.raises(InvalidConfig, match="others="):
        tiny(tmp_path / "none", "pommerman-ffa")
    with pytest.raises(InvalidConfig, match="others="):
        tiny(tmp_path / "none", others="random")


@pytest.mark.slow
def test_a_network_that_answers_nan_ends_the_run_and_what_was_finished_goes_on(
    tmp_path: Path,
) -> None:
    class Broken:
        plane_spec = "default"
        rows = 0

        def __init__(self, whole: Any) -> None:
            self.whole = whole

        def evaluate(self, planes: Any) -> inference.Evaluation:
            Broken.rows += len(planes)
            answer = self.whole.evaluate(planes)
            if Broken.rows > 400:
                answer.value[:] = np.nan
            return answer

    whole = run(tmp_path / "whole", "promoted")
    broken = {"load": lambda folder, **_: Broken(one_by_one(folder))}
    with pytest.raises(InvalidEvaluation, match="had been finished"):
        run(tmp_path / "run", "promoted", **broken)
    games = sum(len(GameStore.open(f)) for f in (tmp_path / "run" / "games").glob("*.parquet"))
    waiting = (tmp_path / "run" / "unfinished.jsonl").read_bytes().count(b"\n")
    assert games + waiting > 3
    again = run(tmp_path / "run", "promoted")
    assert [u.samples for u in again.updates] == [u.samples for u in whole.updates]


def test_rounds_without_samples_teach_nothing(tmp_path: Path) -> None:
    search = self_play_search(cheap_search_prob=1.0)
    outcome = tiny(tmp_path / "run", search=search, updates=1).run()
    assert (outcome.updates[0].samples, outcome.updates[0].learned) == (0, 0)
    again = tiny(tmp_path / "run", search=search).run()
    assert len(again.updates) == 2
    one, two = (again.evaluator(update, backend="torch").evaluate(PLANES) for update in (0, 2))
    assert np.array_equal(one.policy_logits, two.policy_logits)


def test_what_is_refused(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"games_per_update": 0}, "games_per_update=0"),
        ({"updates": 0}, "updates=0"),
        ({"schedule": "0:0.1,9:0"}, "rates above 0"),
        ({"starts": ("opening",)}, "random:LOW-HIGH"),
        ({"samples_per_new": 0.0}, "samples_per_new"),
        ({"resign_value": 2.0}, "resign_value"),
        ({"resign_value": 0.9, "resign_check": 2.0}, "check"),
        ({"promote_score": 2.0}, "promote_score"),
        ({"strategy": "alone"}, "strategy"),
        ({"gate": "none"}, "two or more"),
        ({"value": "shared"}, "give a gate too"),
        ({"value": "distilled"}, "value='distilled'"),
        ({"size": 3}, "size"),
        ({"learning": self_play_settings(value_mix=0.5)}, "replay.value-mix"),
        ({"learning": self_play_settings(symmetries=False)}, "replay.symmetries"),
    ]
    for options, told in wrong:
        with pytest.raises(InvalidConfig, match=told):
            tiny(tmp_path / "run", **options)
    (tmp_path / "starts.txt").write_text("# four in a row\n1212121\n")
    with pytest.raises(InvalidState, match="over there"):
        tiny(tmp_path / "run", starts=(f"starts:{tmp_path / 'starts.txt'}",))
    with pytest.raises(InvalidConfig, match="preset 'huge'"):
        SelfPlayConfig.preset("huge")
    assert not (tmp_path / "run").exists()


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    seen: list[str] = []

    def other(event: Any) -> None:
        if event.done == 1 and not seen:
            with pytest.raises(RunDirectoryError):
                tiny(tmp_path / "run").run()
            seen.append("refused")

    tiny(tmp_path / "run", progress=other).run()
    assert seen == ["refused"]


def test_presets_are_settings() -> None:
    assert SelfPlayConfig.preset("paper").nodes == 800
    assert SelfPlayConfig.preset("quick", nodes=7).nodes == 7
    assert SelfPlayConfig.preset("standard").replay.capacity == 300_000


def test_a_run_of_a_version_that_had_fewer_options_goes_on(tmp_path: Path) -> None:
    tiny(tmp_path / "run", updates=1).run()
    path = tmp_path / "run" / "config.json"
    record = json.loads(path.read_text())
    del record["config"]["search"]["node_random_factor"], record["config"]["promote_nodes"]
    path.write_text(json.dumps(record))
    assert len(tiny(tmp_path / "run").run().updates) == 2
    other = self_play_search(node_random_factor=0.1)
    with pytest.raises(RunDirectoryError, match="node_random_factor"):
        tiny(tmp_path / "run", search=other).run()


def test_a_run_of_a_version_that_had_more_options_goes_on_if_none_was_used(tmp_path: Path) -> None:
    tiny(tmp_path / "run", updates=1).run()
    path = tmp_path / "run" / "config.json"
    record = json.loads(path.read_text())
    record["config"]["search"] |= removed.DEFAULTS | {"draw_score": -0.2}
    path.write_text(json.dumps(record))
    with pytest.raises(RunDirectoryError, match=r"search\.draw_score 0\.0 \(there -0\.2\)"):
        tiny(tmp_path / "run").run()
    record["config"]["search"]["draw_score"] = 0.0
    path.write_text(json.dumps(record))
    assert len(tiny(tmp_path / "run").run().updates) == 2


def test_an_agent_of_ones_own_is_measured_as_any_other() -> None:
    """By the nodes that are asked for and without noise; in self-play it is as it was made."""
    game, limit = games.make("connect-four"), agents.Limit(nodes=9)
    made = agents.MCTSAgent(inference.Uniform(), limit=limit, config=self_play_search(), game=game)
    players = Players(game, SelfPlayConfig(), own_agent=lambda _: made)
    playing = players.searching(None)
    assert (playing.limit, playing.config) == (limit, made.config)
    usual = Players(game, SelfPlayConfig())
    asked = {"is_measured": True, "draws": False}
    probed, other = players.searching(None, 5, **asked), usual.searching(made.evaluator, 5, **asked)
    assert probed.limit == other.limit == agents.Limit(nodes=5)
    names = ("dirichlet_epsilon", "temperature", "gumbel_scale", "cheap_search_prob")
    assert [getattr(probed.config, n) for n in names] == [getattr(other.config, n) for n in names]
    assert made.limit == limit
