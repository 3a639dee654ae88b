"""The original's environments by version: ``v0``, ``v1`` (the board collapses), ``v2`` (radio)."""

from phasezoo.pommerman_compat.envs import v0, v1, v2

__all__ = ["v0", "v1", "v2"]
