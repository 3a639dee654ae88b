"""The games that learned gates learn from: the validation games, which no expert learnt from."""

from phasezoo.errors import StoreError
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.training.splits import PositionStore, Splits

__all__ = ["check_games", "parts_of"]

_SHARES = (0.8, 0.2, 0.0)
"""Of the validation games, for learning, for choosing among epochs, and left over."""


def parts_of(splits: Splits, seed: int) -> tuple[PositionStore, PositionStore]:
    """The validation games that a gate learns from, and those that it is chosen by.

    Args:
        splits: The run's games.
        seed: Divides them.
    """
    parts = splits.validation.split(seed, _SHARES)
    return parts.train, parts.validation


def check_games(config: M2ctsConfig, splits: Splits, seed: int) -> None:
    """Refuse games that leave a gate nothing to learn from, or to be chosen by.

    Raises:
        StoreError: There are too few validation games.
    """
    if config.learned_gate and min(map(len, parts_of(splits, seed))) == 0:
        message = (
            f"--learned-gate: a gate learns from validation games, and there are only "
            f"{len(splits.validation)}; give more games with --games, or leave the option out"
        )
        raise StoreError(message)
