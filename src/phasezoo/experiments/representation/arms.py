"""The networks of a run, each of them once, and the tables that they stand in."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from phasezoo.experiments.m2cts.plan import PlannedNetwork
from phasezoo.experiments.representation.config import RepresentationConfig

__all__ = ["CORNERS", "GRIDS", "HEADS", "PLANES", "Arm", "arms_of", "corner", "groups_of", "plan"]

PLANES = ("v1", "v2")
"""Input planes, the older first."""

HEADS = ("mse", "wdlp")
"""Value heads, the older first."""

CORNERS = tuple(f"{planes}-{head}" for planes in PLANES for head in HEADS)
"""Names of the four combinations; the first is AlphaZero's, the last the paper's own."""

GRIDS = ("architectures", "blocks", "transformers", "kernels", "depths")
"""The other tables: settings that list networks."""


@dataclass(frozen=True)
class Arm:
    """A network with planes and head, trained as often as its table says."""

    name: str
    """Its name in files and reports."""
    planes: str
    """Input planes."""
    head: str
    """Value head."""
    tower: str
    """Its network without the head."""
    trainings: int
    """Times that it is trained."""

    @property
    def network(self) -> str:
        """Its network with the head."""
        return f"{self.tower}{',' if ':' in self.tower else ':'}value={self.head}"


def corner(planes: str, head: str) -> str:
    """The name of one of the four combinations."""
    return f"{planes}-{head}"


def arms_of(config: RepresentationConfig) -> list[Arm]:
    """Every network of a run once; one that stands in several tables is trained for the first.

    A table's networks have planes v2 and the head wdlp, as in the paper.
    """
    found = {
        (planes, head, config.network): Arm(
            corner(planes, head), planes, head, config.network, config.trainings
        )
        for planes in PLANES
        for head in HEADS
    }
    for grid in GRIDS:
        often = "architecture_trainings" if grid == "architectures" else "grid_trainings"
        for tower in getattr(config, grid):
            key = (PLANES[-1], HEADS[-1], tower)
            arm = Arm(_file_name(tower), *key, getattr(config, often))
            found.setdefault(key, arm)
    return list(found.values())


def groups_of(config: RepresentationConfig) -> dict[str, list[Arm]]:
    """The tables: the four combinations, then those of :data:`GRIDS` that list a network.

    Every arm stands in a table, whose first row the others are compared with; a grid of one network
    is a table of one row.
    """
    arms = arms_of(config)
    by_tower = {arm.tower: arm for arm in arms if (arm.planes, arm.head) == (PLANES[-1], HEADS[-1])}
    groups = {"corners": [arm for arm in arms if arm.name in CORNERS]}
    for grid in GRIDS:
        towers = getattr(config, grid)
        if grid == "architectures" and towers and config.network not in towers:
            towers = (config.network, *towers)
        groups[grid] = [by_tower[tower] for tower in towers]
    return {name: group for name, group in groups.items() if group}


def plan(
    arms: Sequence[Arm], positions: int, seed: Callable[..., int]
) -> dict[str, list[PlannedNetwork]]:
    """The trainings of every arm by its name.

    Trainings with one number see the same positions in the same order, whatever the arm, so that
    two arms can be compared pair by pair.

    Args:
        arms: What to train.
        positions: Training positions that each network sees.
        seed: The run's seed of a named stream.
    """
    return {
        arm.name: [
            PlannedNetwork(
                name=f"{arm.name}-{training + 1}",
                gate="none",
                phase=None,
                positions=positions,
                role=arm.name,
                training=training,
                seed=seed("order", training),
                initial_seed=seed("initial weights", training),
            )
            for training in range(arm.trainings)
        ]
        for arm in arms
    }


def _file_name(tower: str) -> str:
    """A network's text as a name of a folder."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", tower).strip("-")
