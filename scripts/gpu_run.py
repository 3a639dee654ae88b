"""Carries trainings and matches of phase experts to a machine with a GPU, and runs them there.

    python scripts/gpu_run.py pack FOLDER --plan plan.json --games games.parquet WHEEL...
    python3 FOLDER/gpu_run.py run FOLDER OUT --seconds 540

``docs/howto/gpu.md`` says what a plan is. The other machine needs Python and torch, and no network.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

MOST_MB = 60.0
"""Size of a packed folder, at the most."""
POLL_SECONDS = 0.5
WATCH_SECONDS = 5.0
"""Time between two looks at how busy the GPU is."""
UNFINISHED = 3
"""Exit code of a run that the same command continues."""
UNREAD = ("player_0", "player_1", "rating_0", "rating_1", "date", "source")
"""Columns of a games store that say nothing of the moves."""
ROW_GROUP = 8192
"""Games that are compressed together."""
KINDS = ("trainings", "measurements", "matches")


def pack(folder: Path, plan: Path, games: Path, wheels: list[Path], most_mb: float) -> float:
    """Put all that a run needs into a new folder, and return its size in MiB.

    Raises:
        SystemExit: A file is missing, the plan names no runs, or the folder would be too large.
    """
    missing = [str(path) for path in (plan, games, *wheels) if not path.is_file()]
    if missing:
        sys.exit(f"{', '.join(missing)}: no such file")
    if not any(wheel.name.startswith("phasezoo-") for wheel in wheels):
        sys.exit("no wheel of phasezoo is given; `make wheel` builds one")
    Plan.read(plan)
    if folder.exists():
        sys.exit(f"{folder}: is there already; give a new folder")
    (folder / "wheels").mkdir(parents=True)
    shutil.copy(__file__, folder / "gpu_run.py")
    shutil.copy(plan, folder / "plan.json")
    _write_actions(games, folder / "games.parquet")
    for wheel in wheels:
        shutil.copy(wheel, folder / "wheels")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
    if size > most_mb:
        shutil.rmtree(folder)
        sys.exit(f"{size:.1f} MiB: expected {most_mb:g} at most; take fewer games")
    return size


def _write_actions(games: Path, target: Path) -> None:
    """Write a store anew without the columns that no training reads, such as players' names."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(games)
    for name in UNREAD:
        index = table.schema.get_field_index(name)
        if index >= 0:
            field = table.schema.field(index)
            table = table.set_column(index, field, pa.nulls(len(table), field.type))
    pq.write_table(
        table, target, compression="zstd", compression_level=12, row_group_size=ROW_GROUP
    )


@dataclass(frozen=True)
class Plan:
    """What is run: the plan's file, with a name for each job."""

    options: dict[str, Any]
    """``gate``, ``network``, ``test_games``, ``training`` (of all trainings), and alike."""
    trainings: dict[str, dict[str, Any]]
    """By name: the one network, or the experts of a strategy."""
    matches: dict[str, dict[str, Any]]
    """By name: who plays whom."""

    @classmethod
    def read(cls, file: Path) -> "Plan":
        """Read a plan.

        Raises:
            SystemExit: It is no plan, or a match names a training that it does not hold.
        """
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
            plan = cls(record, record.pop("trainings"), record.pop("matches", {}))
        except (ValueError, KeyError) as error:
            sys.exit(f"{file}: is no plan ({error!r}); expected JSON with `trainings`")
        for name, match in plan.matches.items():
            unknown = {match["experts"], match["one"]} - set(plan.trainings)
            if unknown:
                sys.exit(f"{file}: match {name} names {sorted(unknown)}, which no training is")
        return plan

    def jobs(self, kind: str) -> list[str]:
        """The names of all jobs of a kind."""
        return list(self.matches if kind == "matches" else self.trainings)


def run(folder: Path, out: Path, seconds: float, parallel: int, kinds: list[str]) -> int:
    """Do what is not done yet, several jobs at once, until the time is over.

    Returns:
        0, or :data:`UNFINISHED` if time ran out: checkpoints and finished games are kept.
    """
    end = time.monotonic() + seconds
    plan = Plan.read(folder / "plan.json")
    out.mkdir(parents=True, exist_ok=True)
    environment = _installed(folder, out)
    done = True
    for kind in kinds:
        todo = [name for name in plan.jobs(kind) if not (out / kind / f"{name}.json").is_file()]
        started = time.monotonic()
        with _watched_gpu(out / f"busy-{kind}.jsonl"):
            left = _in_parallel(folder, out, kind, todo, parallel, end, environment)
        print(f"{kind}: {len(todo) - len(left)} done in {time.monotonic() - started:.0f} s, "
              f"left {left}", flush=True)  # fmt: skip
        done = done and not left
        if left:
            break
    return 0 if done else UNFINISHED


def _installed(folder: Path, out: Path) -> dict[str, str]:
    """The environment in which the wheels can be imported; torch stays the machine's own."""
    site = out / "site"
    if not site.is_dir():
        words = ["install", "-q", "--no-index", "--no-deps", "--no-compile", "--target", str(site)]
        wheels = [str(wheel) for wheel in sorted((folder / "wheels").glob("*.whl"))]
        if wheels:
            subprocess.run([sys.executable, "-m", "pip", *words, *wheels], check=True)
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(site), *([before] if before else [])])
    return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}


def _in_parallel(
    folder: Path,
    out: Path,
    kind: str,
    todo: list[str],
    parallel: int,
    end: float,
    environment: dict[str, str],
) -> list[str]:
    """Run jobs, each in a process of its own, and return those that did not end."""
    waiting, left = list(todo), []
    running: dict[str, subprocess.Popen[bytes]] = {}
    threads = max(1, (os.cpu_count() or 1) // max(1, min(parallel, len(todo))))
    while (waiting or running) and time.monotonic() < end:
        while waiting and len(running) < parallel:
            name = waiting.pop(0)
            log = out / kind / f"{name}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            words = [__file__, "job", str(folder), str(out), kind, name, "--threads", str(threads)]
            with log.open("ab") as file:
                running[name] = subprocess.Popen(
                    [sys.executable, *words], stdout=file, stderr=file, env=environment
                )
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                if process.returncode:
                    left.append(name)
                    print(f"{kind} {name} failed; see {out / kind / name}.log", flush=True)
        time.sleep(POLL_SECONDS)
    for process in running.values():
        process.terminate()
    for process in running.values():
        process.wait()
    return [*left, *running, *waiting]


@contextlib.contextmanager
def _watched_gpu(log: Path) -> Iterator[None]:
    """Write how busy the GPU is, by NVIDIA's driver, for as long as the context lasts."""
    if shutil.which("nvidia-smi") is None:
        yield
        return
    query = "timestamp,utilization.gpu,utilization.memory,memory.used,power.draw"
    words = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader,nounits"]
    with log.open("ab") as file:
        watch = subprocess.Popen([*words, f"--loop={WATCH_SECONDS:.0f}"], stdout=file)
        try:
            yield
        finally:
            watch.terminate()
            watch.wait()


def job(folder: Path, out: Path, kind: str, name: str, threads: int) -> None:
    """Do one job, and write its result."""
    plan = Plan.read(folder / "plan.json")
    started = time.perf_counter()
    games = folder / "games.parquet"
    if kind == "trainings":
        result = _train(plan, games, out, name, threads)
    elif kind == "measurements":
        result = _measure(plan, games, out, name, threads)
    else:
        result = _play(plan, out, name, threads)
    result["wall_seconds"] = time.perf_counter() - started
    file = out / kind / f"{name}.json"
    part = file.with_suffix(".part")
    part.write_text(json.dumps(result, indent=1), encoding="utf-8")
    part.replace(file)


def _splits(plan: Plan, games: Path) -> Any:
    from phasezoo import training

    return training.GameStore.open(games).split(plan.options.get("split_seed", 0))


def _train(plan: Plan, games: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """The one network, or the experts of a strategy, one stage after the other."""
    from phasezoo.training import Strategy, SupervisedConfig, plan_baseline, plan_strategy
    from phasezoo.training.data import LabelledSplits, TrainingData
    from phasezoo.training.preparation import Task
    from phasezoo.training.supervised import train_on

    wanted, options = plan.trainings[name], plan.options
    seed, positions = wanted["seed"], wanted["positions"]
    splits = _splits(plan, games)
    labelled = LabelledSplits.of(splits.train, splits, options["gate"], seed, threads)
    stages = [plan_baseline(positions)]
    if wanted["strategy"] != "one":
        strategy = Strategy.parse(wanted["strategy"])
        stages = list(plan_strategy(labelled.train, strategy, positions).stages)
    results = []
    for stage in stages:
        start = getattr(stage, "start", None)
        settings = SupervisedConfig(**{
            "threads": threads, "tensorboard": False,
            **options.get("training", {}), **wanted.get("settings", {}),
            **(wanted.get("started_settings", {}) if start else {}),
            **wanted.get("phase_settings", {}).get(stage.phase, {}),
        })  # fmt: skip
        weights = getattr(stage, "weights", None)
        data = TrainingData.select(labelled, stage.phase, seed, settings, weights)
        task = Task(
            wanted.get("network", options["network"]), None, None, stage.positions, seed,
            out / "networks" / name / stage.name,
            out / "networks" / name / start if start else None,
        )  # fmt: skip
        found = train_on(data, task, settings)
        row = {**vars(found), "path": str(found.path), "history": found.history[-1]}
        results.append({"name": stage.name, **row, "metrics": dict(found.metrics)})
        print(found.describe(), flush=True)
    return {"training": wanted, "stages": results}


def _networks(plan: Plan, out: Path, name: str) -> dict[str, Path]:
    """The folders of a training's networks: of each phase, or of all."""
    place = out / "networks" / name
    if plan.trainings[name]["strategy"] == "one":
        return {"all": place / "baseline"}
    record = json.loads((out / "trainings" / f"{name}.json").read_text(encoding="utf-8"))
    experts = [row for row in record["stages"] if row["name"].startswith("expert-")]
    return {row["phase"]: place / row["name"] for row in experts}


def _load(folder: Path, options: dict[str, Any], threads: int) -> Any:
    from phasezoo import inference

    return inference.load_network(folder, **options, threads=threads)


def _measure(plan: Plan, games: Path, out: Path, name: str, threads: int) -> dict[str, Any]:
    """Sums of every loss of a training's networks by test game and phase."""
    import numpy as np

    from phasezoo import gating, training

    splits = _splits(plan, games)
    test = splits.test
    gate = gating.make(plan.options["gate"], test.variant)
    rows = test.positions(gate, threads=threads)
    drawn = np.random.default_rng(0).permutation(len(test))[: plan.options["test_games"]]
    rows = rows.select(np.isin(rows.game, drawn))
    how = plan.options.get("measuring", {})
    folders = _networks(plan, out, name)
    networks = {phase: _load(path, how, threads) for phase, path in folders.items()}
    found = training.evaluate_networks(networks, test, rows, 1024, threads)
    index, game = np.unique(rows.game, return_inverse=True)
    place = game * len(rows.names) + rows.phase
    shape = (len(index), len(rows.names))

    def by_game(column: Any) -> Any:
        return np.bincount(place, column, minlength=shape[0] * shape[1]).reshape(shape)

    sums = {"positions": by_game(np.ones(len(rows)))}
    for network, losses in found.items():
        classes = (1 - np.sign(losses.result)).astype(int)
        likely = np.maximum(losses.wdl[np.arange(len(rows)), classes], 1e-7)
        columns = {
            "policy": losses.policy, "accuracy": losses.correct, "value": losses.value,
            "wdl": -np.log(likely),
        }  # fmt: skip
        sums |= {f"{network}/{key}": by_game(column) for key, column in columns.items()}
        sums |= {f"result/{k}": by_game(classes == k) for k in range(3)}
    np.savez_compressed(out / "measurements" / f"{name}.npz", games=index, **sums)
    return {
        "positions": len(rows),
        "phases": list(rows.names),
        "means": {key: (sums[key].sum(0) / sums["positions"].sum(0)).tolist() for key in sums},
    }


def _play(plan: Plan, out: Path, name: str, threads: int) -> dict[str, Any]:
    """A match of a mixture with one network."""
    from phasezoo import agents, arena, inference

    class PolicyAndValue(inference.MixtureOfExperts):
        """Policies of one mixture, values of another."""

        def evaluate_batch(self, leaves: Any) -> Any:
            policy = super().evaluate_batch(leaves)
            value = self.value.evaluate_batch(leaves)
            return replace(policy, value=value.value, wdl=value.wdl, plies_left=value.plies_left)

    match, options = plan.matches[name], plan.options
    how = options.get("playing", {})
    folders = _networks(plan, out, match["experts"])
    own = {phase: _load(path, how, threads) for phase, path in folders.items()}
    one = _load(_networks(plan, out, match["one"])["all"], how, threads)

    def routed(experts: list[str]) -> dict[str, Any]:
        return {phase: own[phase] if phase in experts else one for phase in own}

    mixture = PolicyAndValue(routed(match.get("policy", list(own))), options["gate"], game="chess")
    mixture.value = inference.MixtureOfExperts(
        routed(match.get("value", list(own))), options["gate"], game="chess"
    )
    batch, at_once = match.get("batch_size", 1), match["concurrency"]
    search = {
        "limit": agents.Limit(nodes=match["nodes"]), "batch_size": batch,
        "game": "chess", "threads": threads,
    }  # fmt: skip
    played = arena.play_match(
        agents.MCTSAgent(mixture, **search), agents.MCTSAgent(one, **search),
        game="chess", games=match["games"], seed=match["seed"], max_plies=match["max_plies"],
        concurrency=at_once, pool_rows=batch * at_once,
        names=("mixture", "one"), log=out / "matches" / f"{name}.jsonl",
    )  # fmt: skip
    return {
        "match": match,
        "wins": played.wins, "draws": played.draws, "losses": played.losses,
        "pentanomial": list(played.pentanomial), "group_scores": list(played.group_scores),
        "plies": sum(record.plies for record in played.games) / len(played.games),
        "sides": [{"nodes": s.nodes, **vars(s.counts)} for s in played.sides],
    }  # fmt: skip


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    packing = commands.add_parser("pack", help="put all that a run needs into a folder")
    packing.add_argument("folder", type=Path, help="folder to make")
    packing.add_argument("--plan", type=Path, required=True, help="JSON: what is run")
    packing.add_argument("--games", type=Path, required=True, help="games store, one file")
    packing.add_argument("--most-mb", type=float, default=MOST_MB, help="size in MiB, at the most")
    packing.add_argument("wheels", type=Path, nargs="+", help="phasezoo's, and what is missing")
    running = commands.add_parser("run", help="run it; the same command again goes on")
    running.add_argument("folder", type=Path, help="the packed folder")
    running.add_argument("out", type=Path, help="where networks, results and checkpoints go")
    running.add_argument("--seconds", type=float, default=1e9, help="end after so long")
    running.add_argument("--parallel", type=int, default=4, help="jobs at once on the GPU")
    running.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    one = commands.add_parser("job", help="one job, as run starts it")
    one.add_argument("folder", type=Path)
    one.add_argument("out", type=Path)
    one.add_argument("kind", choices=KINDS)
    one.add_argument("name")
    one.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    if given.command == "pack":
        size = pack(given.folder, given.plan, given.games, given.wheels, given.most_mb)
        print(f"{given.folder}: {size:.1f} MiB")
        return 0
    if given.command == "job":
        job(given.folder, given.out, given.kind, given.name, given.threads)
        return 0
    return run(given.folder, given.out, given.seconds, given.parallel, given.kinds)


if __name__ == "__main__":
    sys.exit(main())
