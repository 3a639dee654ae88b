"""Learning curves of MaskablePPO on our environments: train seeds, then draw the docs' figure.

python scripts/sb3_curves.py random krk
python scripts/sb3_curves.py train krk --seeds 1 2 3 4 5 --out runs/sb3_curves
python scripts/sb3_curves.py draw --out runs/sb3_curves
"""

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
FIGURE = ROOT / "docs" / "images" / "sb3_curves.svg"
STEPS = 50_000
GAMES = 100
"""Games that a point of a curve is the mean of: the last ones before it."""


@dataclass(frozen=True)
class Task:
    """What is learnt."""

    title: str
    env_id: str
    options: dict[str, Any] = field(default_factory=dict)
    n_envs: int = 16
    turned: bool = False
    """Whether all eight images of a position are answered as one, by ``TurnedPolicy``."""
    hyperparameters: dict[str, Any] = field(default_factory=dict)
    """Those that differ from :data:`HYPERPARAMETERS`."""


KRK_OPTIONS = {"start": "dtm", "dtm": (1, 4), "planes": "minimal", "max_plies": 8}
"""A mate in 4 takes seven plies. Random play mates in one game of a hundred whatever the limit, so
that games cut after 8 plies show 2.6 times as many mates a step as games cut after 40."""

KRK_HYPERPARAMETERS = {
    "n_steps": 16,
    "n_epochs": 10,
    "learning_rate": 2e-3,
    "gamma": 0.9,
}
"""Mates are rare and near: each step is learnt from ten times, and the discount is that of a short
game."""

TASKS = {
    "krk": Task(
        "KRK-v0, mate in 1 to 4, against the table, 36 actions",
        "KRK-v0",
        KRK_OPTIONS | {"compact_actions": True},
        n_envs=64,
        turned=True,
        hyperparameters=KRK_HYPERPARAMETERS,
    ),
    "krk-4672": Task(
        "the same with the game's 4,672 actions",
        "KRK-v0",
        KRK_OPTIONS,
        n_envs=64,
        turned=True,
        hyperparameters=KRK_HYPERPARAMETERS,
    ),
    "connect-four": Task("ConnectFour-v0 against random play", "ConnectFour-v0"),
    "pommerman": Task(
        "PommermanFFA-v0 against three random players",
        "PommermanFFA-v0",
        {"opponents": "random", "player": "random", "max_plies": 200},
    ),
}
HYPERPARAMETERS: dict[str, Any] = {
    "n_steps": 64,
    "batch_size": 256,
    "n_epochs": 4,
    "learning_rate": 1e-3,
    "ent_coef": 0.01,
    "gamma": 0.98,
    "policy_kwargs": {"net_arch": [128, 128]},
}


def train(
    task: Task, seed: int, steps: int = STEPS, told: Callable[[dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """Train one seed; the points of its curve, one an update.

    Args:
        task: What is learnt.
        seed: Of the games and the network.
        steps: Steps of all games together.
        told: Called with every point.
    """
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    from phasezoo.integrations import sb3

    points: list[dict[str, Any]] = []
    start = time.perf_counter()

    class Watch(BaseCallback):  # type: ignore[misc]
        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            rewards = np.array([game["r"] for game in self.model.ep_info_buffer])
            if len(rewards) == 0:
                return
            points.append(
                {
                    "steps": self.num_timesteps,
                    "seconds": round(time.perf_counter() - start, 1),
                    "wins": round(float((rewards > 0).mean()), 4),
                    "reward": round(float(rewards.mean()), 4),
                    "games": len(rewards),
                }
            )
            if told is not None:
                told(points[-1])

    envs = sb3.make_vec_env(task.env_id, n_envs=task.n_envs, seed=seed, **task.options)
    settings = HYPERPARAMETERS | task.hyperparameters
    policy: Any = "MlpPolicy"
    if task.turned:
        symmetries = envs.get_attr("game")[0].symmetries(task.options.get("compact_actions", False))
        policy = sb3.TurnedPolicy
        settings["policy_kwargs"] = settings["policy_kwargs"] | {"symmetries": symmetries}
    model = MaskablePPO(policy, envs, seed=seed, device="cpu", stats_window_size=GAMES, **settings)
    model.learn(steps, callback=Watch())
    return points


def random_games(task: Task, seed: int, games: int) -> tuple[float, float]:
    """How random play does: the share of games won, and the learner's moves a game.

    Args:
        task: What is played.
        seed: Of the games and the moves.
        games: How many at least; as many in each environment, so that long ones count as much.
    """
    from phasezoo.integrations import sb3

    envs = sb3.make_vec_env(task.env_id, n_envs=task.n_envs, seed=seed, **task.options)
    envs.reset()
    rng = np.random.default_rng(seed)
    each = -(-games // task.n_envs)
    ended: list[list[dict[str, float]]] = [[] for _ in range(task.n_envs)]
    while min(map(len, ended)) < each:
        *_, dones, infos = envs.step(envs.vector.sample_actions(rng))
        for row in np.flatnonzero(dones).tolist():
            ended[row].append(infos[row]["episode"])
    counted = [game for row in ended for game in row[:each]]
    wins = np.mean([game["r"] > 0 for game in counted])
    return float(wins), float(np.mean([game["l"] for game in counted]))


def draw(folder: Path) -> None:
    """The figure: a panel a task, a line a seed."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "sb3_curves"
    panels = [name for name in TASKS if [*folder.glob(f"{name}_*.json")]]
    figure, axes = plt.subplots(1, len(panels), figsize=(3.4 * len(panels), 2.8), squeeze=False)
    for axis, name in zip(axes[0], panels, strict=True):
        for file in sorted(folder.glob(f"{name}_*.json")):
            points = json.loads(file.read_text())
            axis.plot([p["steps"] for p in points], [p["wins"] for p in points], linewidth=0.9)
        axis.set_title(TASKS[name].title, fontsize=7)
        axis.set_ylim(0, 1)
        axis.set_xlabel("steps", fontsize=7)
        axis.tick_params(labelsize=6)
    axes[0][0].set_ylabel(f"games won of the last {GAMES}", fontsize=7)
    figure.tight_layout()
    figure.savefig(FIGURE, metadata={"Date": None})


def main() -> None:
    """Parse the command line, play, train or draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("random", "train", "draw"))
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--out", type=Path, default=Path("runs/sb3_curves"))
    given = parser.parse_args()
    if given.what == "draw":
        draw(given.out)
        return
    if given.what == "random":
        for name in given.tasks:
            wins, moves = random_games(TASKS[name], given.seeds[0], 10_000)
            print(f"{name}: random play wins {wins:.2%} of games, in {moves:.2f} moves a game")
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for seed in given.seeds:
        for name in given.tasks:
            points = train(TASKS[name], seed, given.steps)
            (given.out / f"{name}_{seed}.json").write_text(json.dumps(points))
            print(f"{name}, seed {seed}: {points[-1]}", flush=True)


if __name__ == "__main__":
    main()
