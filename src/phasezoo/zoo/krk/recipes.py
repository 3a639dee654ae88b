"""Settings of self-play for the endgame (measured in ``docs/results/krk_self_play.md``)."""

from collections.abc import Mapping

from phasezoo.training.selfplay.config import Recipe, Watching
from phasezoo.training.selfplay.replay import ReplayRules


def krk_recipes() -> Mapping[str, Recipe]:
    """Games are cut before the lone king gets its draw by fifty moves: mates come much sooner."""
    shared = {
        "games_per_update": 256,
        "nodes": 50,
        "max_plies": 50,
        "concurrency": 256,
        "replay": ReplayRules(capacity=60_000, symmetries=True),
    }
    often = Watching(probe_every=10, probe_positions=200, probe_everywhere=True)
    quick = {**shared, "updates": 70, "watching": often}
    standard = {**shared, "updates": 200, "watching": often}
    return {
        "quick": Recipe("resnet-16x2", "minimal", quick),
        "standard": Recipe("resnet-16x2", "minimal", standard),
    }
