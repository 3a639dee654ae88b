"""Who is compared: one network, a mixture for each gate, the placebo, and references."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from phasezoo import gating
from phasezoo.arena import stream
from phasezoo.experiments.m2cts.plan import PlannedNetwork, folders, number
from phasezoo.experiments.m2cts.pommerman.config import PommermanConfig
from phasezoo.training.experts import plan_baseline, plan_experts

__all__ = ["Contender", "Kind", "contenders", "networks_of", "plan"]

Kind: TypeAlias = Literal["one", "gate", "placebo", "policy", "nothing", "large"]
"""One network for all positions; an expert for each phase of a gate; the same for the placebo; one
network's policy without search; search without a network; the large network."""

LARGE = "large"
"""Name of the large network."""


@dataclass(frozen=True)
class Contender:
    """Somebody who plays the games of the comparison.

    Attributes:
        name: As tables call it.
        kind: See :data:`Kind`.
        gate: The gate of its experts; ``none`` for one network.
        training: Index of the training, from 0.
        simulations: Simulations a move; 0 plays the network's policy.
    """

    name: str
    kind: Kind
    gate: str
    training: int
    simulations: int


def contenders(config: PommermanConfig) -> list[Contender]:
    """Everybody, in the order in which they play."""
    found = []
    for training in range(config.trainings):
        found.append(Contender("one network", "one", "none", training, config.simulations))
        for gate in config.gates:
            spec = _spec(gate)
            found.append(Contender(spec, "gate", spec, training, config.simulations))
        placebo = _spec(config.placebo)
        found.append(Contender(placebo, "placebo", placebo, training, config.simulations))
    if config.references:
        found.append(Contender("one network, no search", "policy", "none", 0, 0))
        found.append(Contender("search, no network", "nothing", "none", 0, config.simulations))
    if config.large_network is not None:
        found += [
            Contender(f"{config.large_network}, {simulations}", "large", "none", 0, simulations)
            for simulations in config.large_simulations
        ]
    return found


def plan(
    config: PommermanConfig, tables: dict[str, Any], large_positions: int
) -> list[PlannedNetwork]:
    """Plan all trainings, in the order in which they are done.

    Separated learning: the experts of a gate share the one network's number of positions in
    proportion to the positions of their phases, so that all go through theirs equally often. All
    networks of one training start from the same weights.

    Args:
        config: The settings.
        tables: The training positions labelled by each gate, by specification; ``none`` among them.
        large_positions: Training positions of the large network.
    """

    def seed(*names: str | int) -> int:
        return stream(config.seed, *names)

    budget = max(1, round(config.epochs * len(tables["none"])))
    groups = [("one", [plan_baseline(budget, "one")])]
    for role, gates in (("gate", config.gates), ("placebo", (config.placebo,))):
        for gate in map(_spec, gates):
            prefix = gate.replace(":", "-").replace(",", "-")
            groups.append((role, plan_experts(tables[gate], budget, prefix)))
    planned = [
        network
        for training in range(config.trainings)
        for role, plans in groups
        for network in number(plans, role, training, seed)
    ]
    if config.large_network is not None:
        planned.append(
            PlannedNetwork(
                name=LARGE,
                role="large",
                training=0,
                gate="none",
                phase=None,
                positions=large_positions,
                seed=seed("order", LARGE),
                initial_seed=seed("initial weights", LARGE),
            )
        )
    return planned


def networks_of(
    contender: Contender, planned: Sequence[PlannedNetwork], networks: Path
) -> dict[str | None, Path]:
    """Where a contender's networks are, by the phase that each is for."""
    if contender.kind == "nothing":
        return {}
    role = {"policy": "one"}.get(contender.kind, contender.kind)
    return folders(planned, networks, contender.training, role, contender.gate)


def _spec(gate: str) -> str:
    return str(gating.make(gate, "pommerman-ffa").spec)
