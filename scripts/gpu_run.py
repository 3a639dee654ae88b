"""Carries trainings and matches of phase experts to a machine with a GPU, and runs them there.

    python scripts/gpu_run.py pack FOLDER --plan plan.json --games games.parquet WHEEL...
    python3 FOLDER/gpu_run.py run FOLDER OUT --seconds 540

``docs/howto/gpu.md`` says what a plan is. The other machine needs Python and torch, and no network.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

MOST_MB = 60.0
"""Size of a packed folder in MiB, at the most."""
UNREAD = ("player_0", "player_1", "rating_0", "rating_1", "date", "source")
"""Columns of a games store that no training reads; they are left behind."""
UNFINISHED = 3  # exit code of a run that the same command continues
KINDS = ("trainings", "measurements", "matches")


def read_plan(file: Path) -> dict[str, Any]:
    """Return the plan in a file.

    Raises:
        SystemExit: It is no plan, or a match names a training that it does not hold.
    """
    try:
        plan: dict[str, Any] = {"matches": {}, **json.loads(file.read_text(encoding="utf-8"))}
        trainings = plan["trainings"].keys()
        unknown = {name for match in plan["matches"].values() for name in _sides(match)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{file}: is no plan ({error!r}); expected JSON with `trainings`")
    if unknown - trainings:
        sys.exit(f"{file}: matches name {sorted(unknown - trainings)}; trainings: {[*trainings]}")
    return plan


def _sides(match: dict[str, Any]) -> list[str]:
    """Return the trainings whose networks play a match: the experts', and all opponents'."""
    ones = match["one"]
    return [match["experts"], *([ones] if isinstance(ones, str) else ones)]


def pack(
    folder: Path, plan: Path, games: Path, wheels: list[Path], network: Path | None = None
) -> float:
    """Put all that a run needs into a new folder, and return its size in MiB.

    Args:
        folder: The folder.
        plan: What is run.
        games: A games store of one file.
        wheels: That of phasezoo, and those that the machine lacks.
        network: Folder or file of a trained network that the plan names; None: it names none.

    Raises:
        SystemExit: A file is missing or no plan, or the folder is there or would be too large.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    missing = [str(path) for path in (plan, games, *wheels) if not path.is_file()]
    if network is not None and not network.exists():
        missing.append(str(network))
    if missing:
        sys.exit(f"{', '.join(missing)}: no such file")
    if not any(wheel.name.startswith("phasezoo-") for wheel in wheels):
        sys.exit("no wheel of phasezoo is given; `make wheel` builds one")
    read_plan(plan)
    if folder.exists():
        sys.exit(f"{folder}: is there already; give a new folder")
    (folder / "wheels").mkdir(parents=True)
    shutil.copy(__file__, folder / "gpu_run.py")
    shutil.copy(plan, folder / "plan.json")
    for wheel in wheels:
        shutil.copy(wheel, folder / "wheels")
    if network is not None and network.is_dir():
        shutil.copytree(network, folder / network.name)
    elif network is not None:
        shutil.copy(network, folder)
    table = pq.read_table(games)
    for name in UNREAD:
        index = table.schema.get_field_index(name)
        if index >= 0:
            field = table.schema.field(index)
            table = table.set_column(index, field, pa.nulls(len(table), field.type))
    options = {"compression": "zstd", "compression_level": 19, "row_group_size": 8192}
    pq.write_table(table, folder / "games.parquet", **options)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
    if size > MOST_MB:
        shutil.rmtree(folder)
        sys.exit(f"{size:.1f} MiB: expected {MOST_MB:g} at most; take fewer games")
    return size


@dataclass(frozen=True)
class Job:
    """A training, a measurement of its networks, or a match."""

    kind: str
    """One of :data:`KINDS`."""
    name: str
    """Its name in the plan."""
    round: int
    """Jobs of an earlier round come first."""
    needs: tuple[str, ...]
    """Trainings that must have ended."""

    def file(self, out: Path, suffix: str = "json") -> Path:
        """Return a file of the job; that with the result has no other suffix."""
        return out / self.kind / f"{self.name}.{suffix}"

    def is_ready(self, out: Path) -> bool:
        """Whether the networks that it needs are there."""
        return all((out / "trainings" / f"{name}.json").is_file() for name in self.needs)


def jobs_of(plan: dict[str, Any]) -> list[Job]:
    """Return all jobs of a plan by round; in a round trainings come first, then measurements."""
    found = []
    for name, wanted in plan["trainings"].items():
        number = wanted.get("round", 0)
        found.append(Job("trainings", name, number, ()))
        found.append(Job("measurements", name, number, (name,)))
    for name, match in plan["matches"].items():
        found.append(Job("matches", name, match.get("round", 0), tuple(_sides(match))))
    return sorted(found, key=lambda job: (job.round, KINDS.index(job.kind)))


def run(folder: Path, out: Path, seconds: float, parallel: int) -> int:
    """Do what is not done yet until the time is over; return 0, or :data:`UNFINISHED`."""
    end = time.monotonic() + seconds
    plan = read_plan(folder / "plan.json")
    site, wheels = out / "site", sorted((folder / "wheels").glob("*.whl"))
    if wheels and not site.is_dir():  # no more than these: torch stays the machine's own
        words = ["install", "-q", "--no-index", "--no-deps", "--target", site, *wheels]
        subprocess.run([sys.executable, "-m", "pip", *map(str, words)], check=True)
    for kind in KINDS:
        (out / kind).mkdir(parents=True, exist_ok=True)
    todo = [each for each in jobs_of(plan) if not each.file(out).is_file()]
    left = _in_parallel(folder, out, todo, parallel, end)
    for kind in KINDS:
        names = [each.name for each in left if each.kind == kind]
        done = sum(each.kind == kind for each in todo) - len(names)
        print(f"{kind}: {done} done, left {names}", flush=True)
    return UNFINISHED if left else 0


def _in_parallel(folder: Path, out: Path, todo: list[Job], parallel: int, end: float) -> list[Job]:
    """Run jobs, each in a process of its own, and return those that did not end."""
    waiting, failed = list(todo), []
    running: dict[Job, subprocess.Popen[bytes]] = {}
    threads = max(1, (os.cpu_count() or 1) // max(1, min(parallel, len(todo))))
    path = os.pathsep.join(filter(None, (str(out / "site"), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
    while time.monotonic() < end:
        ready = [each for each in waiting if each.is_ready(out)]
        for each in ready[: parallel - len(running)]:
            waiting.remove(each)
            words = ["job", folder, out, each.kind, each.name, "--threads", threads]
            with each.file(out, "log").open("ab") as log:
                running[each] = subprocess.Popen(
                    [sys.executable, __file__, *map(str, words)],
                    stdout=log, stderr=log, env=environment,
                )  # fmt: skip
        for each in [each for each, process in running.items() if process.poll() is not None]:
            if running.pop(each).returncode:
                failed.append(each)
                print(f"{each.name} failed: {each.file(out, 'log')} says why", flush=True)
        if not running and not any(each.is_ready(out) for each in waiting):
            break  # all is done, or waits for a training that failed
        time.sleep(0.2)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.wait()
    return [*failed, *running, *waiting]


def job(folder: Path, out: Path, kind: str, name: str, threads: int) -> None:
    """Do one job, and write its result."""
    plan = read_plan(folder / "plan.json")
    work = {"trainings": _train, "measurements": _measure, "matches": _play}[kind]
    started = time.perf_counter()
    result = work(plan, folder, out, name, threads)
    result["wall_seconds"] = time.perf_counter() - started
    part = out / kind / f"{name}.part"
    part.write_text(json.dumps(result, indent=1), encoding="utf-8")
    part.replace(out / kind / f"{name}.json")


def _train(plan: Any, folder: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Train one network, or the experts of a strategy, one stage after the other."""
    from phasezoo import training
    from phasezoo.training.data import LabelledSplits
    from phasezoo.training.experts.planned import Recipe, train_planned
    from phasezoo.training.fresh_network import Beginning

    wanted, place = plan["trainings"][name], out / "networks" / name
    seed, positions = wanted["seed"], wanted["positions"]
    splits = training.GameStore.open(folder / "games.parquet").split(plan["split_seed"])
    gate = wanted.get("gate", plan["gate"])
    labelled = LabelledSplits.of(splits.train, splits, gate, seed, threads)
    is_one = wanted["strategy"] == "one"
    strategy = training.Strategy.parse("separated" if is_one else wanted["strategy"])
    planned = training.plan_strategy(labelled.train, strategy, positions)
    packed = folder / plan["network"]
    begun = Beginning.of(str(packed) if packed.exists() else plan["network"], None)
    rates = tuple(wanted.get("learning_rates", ()))
    results = []
    for stage in (planned.baseline,) if is_one else planned.stages:
        given = {
            "threads": threads,
            **plan["training"],
            **wanted.get("settings", {}),
            **(wanted.get("started_settings", {}) if stage.start else {}),
            **wanted.get("phase_settings", {}).get(stage.phase, {}),
        }
        settings = begun.settings(training.SupervisedConfig(**given), given)
        recipe = Recipe(
            splits, begun.network, settings, begun.planes, weights=begun.weights,
            named=frozenset(given), learning_rates=rates,
        )  # fmt: skip
        found = train_planned(replace(stage, seed=seed), recipe, place, labelled)
        print(found.describe(), flush=True)
        row = {**vars(found), "path": str(found.path), "history": found.history[-1]}
        row |= {"trials": [vars(trial) for trial in found.trials]}
        results.append({**row, "name": stage.name, "metrics": dict(found.metrics)})
    return {"training": wanted, "stages": results}


def _networks(plan: Any, out: Path, name: str, kind: str, threads: int) -> dict[str, Any]:
    """Load the networks of a training by their phases; that of all phases is called ``all``."""
    from phasezoo import inference

    record = json.loads((out / "trainings" / f"{name}.json").read_text(encoding="utf-8"))
    place = out / "networks" / name
    return {
        stage["phase"] or "all": inference.load_network(
            place / stage["name"], **plan[kind], threads=threads
        )
        for stage in record["stages"]
        if stage["name"].startswith(("baseline", "expert-"))
    }


def _measure(plan: Any, folder: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Keep sums of every loss of a training's networks by test game and phase."""
    import numpy as np

    from phasezoo import gating, training

    test = training.GameStore.open(folder / "games.parquet").split(plan["split_seed"]).test
    gate = gating.make(plan["trainings"][name].get("gate", plan["gate"]), test.variant)
    rows = test.positions(gate, threads=threads)
    drawn = np.random.default_rng(0).permutation(len(test))[: plan["test_games"]]
    rows = rows.select(np.isin(rows.game, drawn))
    networks = _networks(plan, out, name, "measuring", threads)
    found = training.evaluate_networks(networks, test, rows, 1024, threads)
    known, game = np.unique(rows.game, return_inverse=True)
    shape = (len(known), len(rows.names))

    def by_game(column: Any) -> Any:
        place = game * shape[1] + rows.phase
        return np.bincount(place, column, minlength=shape[0] * shape[1]).reshape(shape)

    sums = {"positions": by_game(np.ones(len(rows)))}
    for network, losses in found.items():
        result = (1 - np.sign(losses.result)).astype(int)  # 0 won, 1 drawn, 2 lost
        likely = losses.wdl[np.arange(len(rows)), result]
        sums |= {f"result/{kind}": by_game(result == kind) for kind in range(3)}
        sums[f"{network}/policy"] = by_game(losses.policy)
        sums[f"{network}/accuracy"] = by_game(losses.correct)
        sums[f"{network}/value"] = by_game(losses.value)
        sums[f"{network}/wdl"] = by_game(-np.log(np.maximum(likely, 1e-7)))
    np.savez_compressed(out / "measurements" / f"{name}.npz", games=known, **sums)
    return {"positions": len(rows), "phases": list(rows.names)}


def mixture_of(match: dict[str, Any], experts: dict[str, Any], one: Any, gate: str) -> Any:
    """Return the mixture of a match: in phases that it does not list, the one network answers.

    Args:
        match: The match, with lists of phases for ``policy`` and ``value``; without one, all.
        experts: The expert of each phase.
        one: The one network.
        gate: Names the phases.
    """
    from phasezoo import inference

    policy, value = (
        {phase: own if phase in match.get(part, experts) else one for phase, own in experts.items()}
        for part in ("policy", "value")
    )
    return inference.MixtureOfExperts(policy=policy, value=value, gate=gate)


def _play(plan: Any, folder: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Play matches of a mixture with one network, or with several, one after the other."""
    from phasezoo import agents, arena

    match = plan["matches"][name]
    _, *ones = _sides(match)
    own = _networks(plan, out, match["experts"], "playing", threads)
    experts = {phase: network for phase, network in own.items() if phase != "all"}
    gate = plan["trainings"][match["experts"]].get("gate", plan["gate"])
    limit, batch = agents.Limit(nodes=match["nodes"]), match["batch_size"]
    how = {name: match[name] for name in ("games", "max_plies", "concurrency")}
    played = {}
    for seed, opponent in enumerate(ones, match["seed"]):
        started = time.perf_counter()
        one = _networks(plan, out, opponent, "playing", threads)["all"]
        mixed = mixture_of(match, experts, one, gate) if experts else own["all"]
        sides = [
            agents.MCTSAgent(each, limit=limit, batch_size=batch, game="chess", threads=threads)
            for each in (mixed, one)
        ]
        log = out / "matches" / f"{name}-{opponent}.jsonl"
        rows = batch * match["concurrency"]
        found = arena.play_match(*sides, game="chess", pool_rows=rows, log=log, seed=seed, **how)
        asked = [{"nodes": side.nodes, **vars(side.counts)} for side in found.sides]
        seconds = time.perf_counter() - started
        scores = list(found.group_scores)
        played[opponent] = {"group_scores": scores, "sides": asked, "seconds": seconds}
    return {"match": match, "opponents": played}


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Carry a run to a machine with a GPU.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("pack", "run", "job"):
        commands.add_parser(name).add_argument("folder", type=Path, help="the packed folder")
    packing, running, one = (commands.choices[name] for name in ("pack", "run", "job"))
    packing.add_argument("--plan", type=Path, required=True, help="JSON: what is run")
    packing.add_argument("--games", type=Path, required=True, help="games store, one file")
    packing.add_argument("--network", type=Path, help="a trained network that the plan names")
    packing.add_argument("wheels", type=Path, nargs="+", help="phasezoo's, and what is missing")
    for command in (running, one):
        command.add_argument("out", type=Path, help="where networks and results go")
    running.add_argument("--seconds", type=float, default=1e9, help="end after so long")
    running.add_argument("--parallel", type=int, default=5, help="jobs at once")
    one.add_argument("kind", choices=KINDS)
    one.add_argument("name")
    one.add_argument("--threads", type=int, default=1)
    given = vars(parser.parse_args())
    command = given.pop("command")
    if command == "pack":
        print(f"{given['folder']}: {pack(**given):.1f} MiB")
        return 0
    return (run if command == "run" else job)(**given) or 0


if __name__ == "__main__":
    sys.exit(main())
