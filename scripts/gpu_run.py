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
from collections.abc import Mapping
from dataclasses import replace
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
        unknown = {m[side] for m in plan["matches"].values() for side in ("experts", "one")}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"{file}: is no plan ({error!r}); expected JSON with `trainings`")
    if unknown - trainings:
        sys.exit(f"{file}: matches name {sorted(unknown - trainings)}; trainings: {[*trainings]}")
    return plan


def pack(folder: Path, plan: Path, games: Path, wheels: list[Path]) -> float:
    """Put all that a run needs into a new folder, and return its size in MiB.

    Raises:
        SystemExit: A file is missing or no plan, or the folder is there or would be too large.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    missing = [str(path) for path in (plan, games, *wheels) if not path.is_file()]
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
    table = pq.read_table(games)
    for name in UNREAD:
        index = table.schema.get_field_index(name)
        if index >= 0:
            field = table.schema.field(index)
            table = table.set_column(index, field, pa.nulls(len(table), field.type))
    options = {"compression": "zstd", "compression_level": 12, "row_group_size": 8192}
    pq.write_table(table, folder / "games.parquet", **options)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
    if size > MOST_MB:
        shutil.rmtree(folder)
        sys.exit(f"{size:.1f} MiB: expected {MOST_MB:g} at most; take fewer games")
    return size


def run(folder: Path, out: Path, seconds: float, parallel: int) -> int:
    """Do what is not done yet until the time is over; return 0, or :data:`UNFINISHED`."""
    end = time.monotonic() + seconds
    plan = read_plan(folder / "plan.json")
    site, wheels = out / "site", sorted((folder / "wheels").glob("*.whl"))
    if wheels and not site.is_dir():  # no more than these: torch stays the machine's own
        words = ["install", "-q", "--no-index", "--no-deps", "--target", site, *wheels]
        subprocess.run([sys.executable, "-m", "pip", *map(str, words)], check=True)
    for kind in KINDS:
        names = plan["matches" if kind == "matches" else "trainings"]
        todo = [name for name in names if not (out / kind / f"{name}.json").is_file()]
        (out / kind).mkdir(parents=True, exist_ok=True)
        command = ["job", folder, out, kind]
        left = _in_parallel(command, out / kind, todo, parallel, end, site)
        print(f"{kind}: {len(todo) - len(left)} done, left {left}", flush=True)
        if left:
            return UNFINISHED
    return 0


def _in_parallel(
    job: list[Any], logs: Path, todo: list[str], parallel: int, end: float, site: Path
) -> list[str]:
    """Run jobs, each in a process of its own, and return those that did not end."""
    waiting, failed = list(todo), []
    running: dict[str, subprocess.Popen[bytes]] = {}
    threads = max(1, (os.cpu_count() or 1) // max(1, min(parallel, len(todo))))
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
    while (waiting or running) and time.monotonic() < end:
        while waiting and len(running) < parallel:
            name = waiting.pop(0)
            words = [sys.executable, __file__, *job, name, "--threads", threads]
            with (logs / f"{name}.log").open("ab") as log:
                running[name] = subprocess.Popen(
                    [*map(str, words)], stdout=log, stderr=log, env=environment
                )
        for name in [name for name, process in running.items() if process.poll() is not None]:
            if running.pop(name).returncode:
                failed.append(name)
                print(f"{name} failed: {logs / name}.log says why", flush=True)
        time.sleep(0.5)
    for process in running.values():
        process.terminate()
        process.wait()
    return [*failed, *running, *waiting]


def job(folder: Path, out: Path, kind: str, name: str, threads: int) -> None:
    """Do one job, and write its result."""
    plan = read_plan(folder / "plan.json")
    work = {"trainings": _train, "measurements": _measure, "matches": _play}[kind]
    started = time.perf_counter()
    result = work(plan, folder / "games.parquet", out, name, threads)
    result["wall_seconds"] = time.perf_counter() - started
    part = out / kind / f"{name}.part"
    part.write_text(json.dumps(result, indent=1), encoding="utf-8")
    part.replace(out / kind / f"{name}.json")


def _train(plan: Any, games: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Train one network, or the experts of a strategy, one stage after the other."""
    from phasezoo import training
    from phasezoo.training.data import LabelledSplits
    from phasezoo.training.experts.planned import Recipe, train_planned

    wanted, place = plan["trainings"][name], out / "networks" / name
    seed, positions = wanted["seed"], wanted["positions"]
    splits = training.GameStore.open(games).split(plan["split_seed"])
    labelled = LabelledSplits.of(splits.train, splits, plan["gate"], seed, threads)
    is_one = wanted["strategy"] == "one"
    strategy = training.Strategy.parse("separated" if is_one else wanted["strategy"])
    planned = training.plan_strategy(labelled.train, strategy, positions)
    results = []
    for stage in (planned.baseline,) if is_one else planned.stages:
        settings = training.SupervisedConfig(
            **{
                "threads": threads,
                **plan["training"],
                **wanted.get("settings", {}),
                **(wanted.get("started_settings", {}) if stage.start else {}),
                **wanted.get("phase_settings", {}).get(stage.phase, {}),
            }
        )
        recipe = Recipe(splits, plan["network"], settings)
        found = train_planned(replace(stage, seed=seed), recipe, place, labelled)
        print(found.describe(), flush=True)
        row = {**vars(found), "path": str(found.path), "history": found.history[-1]}
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


def _measure(plan: Any, games: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Keep sums of every loss of a training's networks by test game and phase."""
    import numpy as np

    from phasezoo import gating, training

    test = training.GameStore.open(games).split(plan["split_seed"]).test
    rows = test.positions(gating.make(plan["gate"], test.variant), threads=threads)
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


def policy_and_value(policy: Mapping[str, Any], value: Mapping[str, Any], gate: str) -> Any:
    """Return a mixture that takes policies of some networks by phase, and values of others.

    Args:
        policy: Of each phase, the network whose policies count.
        value: Of each phase, the network whose values do.
        gate: Names the phases.
    """
    from phasezoo import inference

    return inference.MixtureOfExperts(policy=policy, value=value, gate=gate)


def _play(plan: Any, games: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Play a match of a mixture with one network."""
    from phasezoo import agents, arena

    match = plan["matches"][name]
    own = _networks(plan, out, match["experts"], "playing", threads)
    one = _networks(plan, out, match["one"], "playing", threads)["all"]
    chosen = [
        {phase: own[phase] if phase in match.get(part, own) else one for phase in own}
        for part in ("policy", "value")
    ]
    mixture = policy_and_value(*chosen, plan["gate"])
    limit, batch = agents.Limit(nodes=match["nodes"]), match["batch_size"]
    sides = [
        agents.MCTSAgent(each, limit=limit, batch_size=batch, game="chess", threads=threads)
        for each in (mixture, one)
    ]
    how = {name: match[name] for name in ("games", "seed", "max_plies", "concurrency")}
    log, rows = out / "matches" / f"{name}.jsonl", batch * match["concurrency"]
    played = arena.play_match(*sides, game="chess", pool_rows=rows, log=log, **how)
    asked = [{"nodes": side.nodes, **vars(side.counts)} for side in played.sides]
    return {"match": match, "group_scores": list(played.group_scores), "sides": asked}


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Carry a run to a machine with a GPU.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("pack", "run", "job"):
        commands.add_parser(name).add_argument("folder", type=Path, help="the packed folder")
    packing, running, one = (commands.choices[name] for name in ("pack", "run", "job"))
    packing.add_argument("--plan", type=Path, required=True, help="JSON: what is run")
    packing.add_argument("--games", type=Path, required=True, help="games store, one file")
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
