"""How far a cycle's training leads away from the network that played the cycle's games."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, inference, training
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.results import Stale
from phasezoo.experiments.statistics import percentile_interval, wilson
from phasezoo.training.selfplay.config import CONSTANT, self_play_settings
from phasezoo.training.starts import start_state

__all__ = ["staleness"]

MOST_POSITIONS = 1024
"""Positions at which two policies are compared."""


def staleness(config: BeamStudyConfig, store: Path, threads: int) -> list[Stale]:
    """Learn from the beam's games for several numbers of steps, each from the network anew."""
    experts = inference.load_experts(config.network)
    initial = experts.directory / str(experts.baseline_folder)
    played = training.GameStore.open(store)
    states, owners = _positions(played, config.seed)
    replay = training.Replay.open(store)
    settings = self_play_settings(batch_size=config.batch, threads=threads)
    found = []
    for steps in config.steps:
        learner = training.Learner(
            "chess", config=settings, schedule=CONSTANT, initial=initial, seed=config.seed
        )
        before = _policies(learner, states)
        learner.learn(replay, steps * config.batch)
        found.append(_compared(config, steps, before, _policies(learner, states), owners))
    return found


def _positions(store: training.GameStore, seed: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Positions of the games, and the game of each."""
    states, owners = [], []
    for number, (low, high) in enumerate(pairwise(store.offsets.tolist())):
        state = start_state(games.make("chess"), store.starts.get(number, ""))
        for action in store.actions[low:high].tolist():
            states.append(state)
            owners.append(number)
            state = state.play(action)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(states))[:MOST_POSITIONS])
    return [states[place] for place in chosen], np.array(owners)[chosen]


def _policies(learner: training.Learner, states: list[Any]) -> list[npt.NDArray[np.float64]]:
    """The network's policy over the legal actions of each state."""
    import torch

    planes = torch.from_numpy(games.encode(states, learner.manifest.planes))
    network = learner.network.eval()
    with torch.no_grad():
        logits = network(planes.to(next(network.parameters()).device)).policy_logits
    network.train()
    rows = logits.cpu().numpy().astype(np.float64)
    return [_softmax(row[state.legal_actions]) for row, state in zip(rows, states, strict=True)]


def _softmax(logits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights = np.exp(logits - logits.max())
    shares: npt.NDArray[np.float64] = weights / weights.sum()
    return shares


def _compared(
    config: BeamStudyConfig,
    steps: int,
    before: list[npt.NDArray[np.float64]],
    after: list[npt.NDArray[np.float64]],
    owners: npt.NDArray[np.int64],
) -> Stale:
    pairs = list(zip(before, after, strict=True))
    divergence = np.array([(old * np.log(old / new)).sum() for old, new in pairs])
    changed = sum(int(old.argmax() != new.argmax()) for old, new in pairs)
    each = np.array([divergence[owners == game].mean() for game in np.unique(owners)])
    rng = np.random.default_rng([config.seed, 2])
    drawn = each[rng.integers(len(each), size=(config.resamples, len(each)))].mean(axis=1)
    return Stale(
        steps=steps,
        positions=len(pairs),
        divergence=percentile_interval(float(each.mean()), drawn),
        changed=wilson(changed, len(pairs)),
    )
