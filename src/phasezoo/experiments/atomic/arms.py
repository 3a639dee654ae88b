"""The variants of learning: what each of them changes of the thesis' own."""

from collections.abc import Callable
from typing import Any

from phasezoo.experiments.atomic import inputs
from phasezoo.experiments.atomic.config import INPUTS, AtomicConfig
from phasezoo.training import ReplayRules, SelfPlayConfig
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.selfplay.config import CONSTANT, self_play_search, self_play_settings
from phasezoo.training.selfplay.watching import Watching

__all__ = ["THESIS", "arms_of", "options_of"]

THESIS = "thesis"
"""The variant that the others are compared with."""

_LADDER = 4
"""Rungs of the ladder above version 0."""


def arms_of(config: AtomicConfig) -> tuple[str, ...]:
    """Every variant of a run, the thesis' own first."""
    others = [name for name in (*config.arms, *config.inputs) if name != THESIS]
    return (THESIS, *others)


def options_of(name: str, config: AtomicConfig) -> dict[str, Any]:
    """What :class:`phasezoo.training.SelfPlay` gets for a variant, but for its directory."""
    options: dict[str, Any] = {
        "game": "atomic",
        "network": config.network,
        "planes": "minimal",
        "seed": config.seed,
        "config": _config(config, ladder=name == THESIS),
    }
    if name in INPUTS:
        size = config.network.split(":")[0].split("-")[1]
        return {**options, "network": f"{inputs.NAME}-{size}:thing={name}", "planes": "v1"}
    change = _CHANGES.get(name)
    return options if change is None else {**options, **change(config)}


def _learning(config: AtomicConfig, **changes: Any) -> SupervisedConfig:
    """The thesis' SGD at one rate, with loss (z - v)^2 - pi log p."""
    values: dict[str, Any] = {
        "batch_size": config.training_batch,
        "optimizer": "sgd",
        "max_lr": config.learning_rate,
        "min_lr": config.learning_rate / 10,
        "max_momentum": 0.9,
        "weight_decay": 1e-4,
        "policy_weight": 1.0,
        "value_weight": 1.0,
        "wdl_weight": 0.0,
        "plies_weight": 0.0,
        "threads": config.threads,
    }
    return self_play_settings(**{**values, **changes})


def _config(config: AtomicConfig, *, ladder: bool = False, **changes: Any) -> SelfPlayConfig:
    """The thesis' own: moves drawn in proportion to visits, newer samples preferred."""
    values: dict[str, Any] = {
        "updates": config.updates,
        "games_per_update": config.games,
        "nodes": config.nodes,
        "concurrency": config.concurrency,
        "samples_per_new": config.samples_per_new,
        "search": self_play_search(
            temperature=1.0, temperature_decay=1.0, temperature_plies=config.max_plies
        ),
        "replay": ReplayRules(capacity=config.buffer, half_life=config.buffer / 2),
        "learning": _learning(config),
        "schedule": CONSTANT,
        "max_plies": config.max_plies,
        "watching": Watching(
            probe_every=max(1, config.updates // _LADDER),
            probe_positions=config.probe_positions,
            probe_nodes=config.simulations[-1],
            ladder_every=max(1, config.updates // _LADDER),
            ladder_games=config.match_games if ladder else 0,
            ladder_nodes=config.match_nodes,
        ),
    }
    return SelfPlayConfig(**{**values, **changes})


def _last_step(config: AtomicConfig) -> dict[str, Any]:
    replay = ReplayRules(capacity=config.last_step)
    return {"config": _config(config, replay=replay)}


def _half_buffer(config: AtomicConfig) -> dict[str, Any]:
    replay = ReplayRules(capacity=config.buffer // 2, half_life=config.buffer / 4)
    return {"config": _config(config, replay=replay)}


def _whole_buffer(config: AtomicConfig) -> dict[str, Any]:
    replay = ReplayRules(capacity=config.buffer)
    return {"config": _config(config, replay=replay, samples_per_update=config.buffer)}


def _even_ages(config: AtomicConfig) -> dict[str, Any]:
    return {"config": _config(config, replay=ReplayRules(capacity=config.buffer))}


def _other_heads(config: AtomicConfig) -> dict[str, Any]:
    learning = _learning(config, value_weight=0.0, wdl_weight=1.0, plies_weight=0.002)
    return {
        "network": config.network.split(":")[0],
        "config": _config(config, learning=learning),
    }


def _adamw(config: AtomicConfig) -> dict[str, Any]:
    learning = _learning(config, optimizer="adamw", max_lr=2e-3, min_lr=1e-5)
    return {"config": _config(config, learning=learning)}


_CHANGES: dict[str, Callable[[AtomicConfig], dict[str, Any]]] = {
    "last-step": _last_step,
    "half-buffer": _half_buffer,
    "whole-buffer": _whole_buffer,
    "even-ages": _even_ages,
    "other-heads": _other_heads,
    "adamw": _adamw,
}
