"""Every exception class that phasezoo raises.

Messages say what was given, what is allowed and what to do next. The classes that the native core
raises carry the names of its error variants.
"""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "CheckpointError",
    "CorruptRecord",
    "EngineFailed",
    "GameContract",
    "GameForfeited",
    "GameMismatch",
    "GateMismatch",
    "IllegalAction",
    "InvalidArray",
    "InvalidConfig",
    "InvalidEvaluation",
    "InvalidFen",
    "InvalidGate",
    "InvalidNetwork",
    "InvalidPgn",
    "InvalidPlaneSpec",
    "InvalidSan",
    "InvalidState",
    "InvalidUci",
    "MissingDependency",
    "NotRegistered",
    "PhasezooError",
    "RunDirectoryError",
    "StoreError",
    "UnknownAgent",
    "UnknownGame",
    "WorkersFailed",
]


class PhasezooError(Exception):
    """Base of all errors raised by phasezoo on purpose."""


class InvalidFen(PhasezooError, ValueError):
    """A FEN or EPD that is not a position of the variant."""


class InvalidUci(PhasezooError, ValueError):
    """Text that is not a UCI move, or not one of this position."""


class InvalidSan(PhasezooError, ValueError):
    """Text that is not a SAN move, or not one, or more than one, of this position."""


class InvalidPgn(PhasezooError, ValueError):
    """A PGN file that cannot be read at all; bad games inside a readable file are counted."""


class IllegalAction(PhasezooError, ValueError):
    """An action outside the action space, or not legal in this state."""


class InvalidGate(PhasezooError, ValueError):
    """A gate specification that does not follow the grammar or does not fit the game."""


class InvalidPlaneSpec(PhasezooError, ValueError):
    """A plane specification that the game does not have."""


class UnknownGame(PhasezooError, ValueError):
    """A game or variant name that is not registered."""


class UnknownAgent(UnknownGame):
    """An agent name that is not registered; version 0.2.0 raised ``UnknownGame``."""


class NotRegistered(PhasezooError):
    """A name that may be of one's own, and that nobody has registered."""


class UnregisteredGame(UnknownGame, NotRegistered):
    """A game that nobody has registered."""


class UnregisteredGate(InvalidGate, NotRegistered):
    """A gate that neither the package has nor anybody has registered."""


class InvalidArray(PhasezooError, ValueError):
    """An array of the wrong shape, type or length."""


class InvalidConfig(PhasezooError, ValueError):
    """An option outside its range, or one that does not exist."""


class UnregisteredNetwork(InvalidConfig, NotRegistered):
    """A network that neither the package has nor anybody has registered."""


class InvalidNetwork(InvalidConfig):
    """A network that answers something else than it must, or that cannot be trained."""


class InvalidEvaluation(PhasezooError, ValueError):
    """An evaluator or oracle that answered with NaN, infinities or the wrong shape."""


class GameContract(PhasezooError, ValueError):
    """A user's game that breaks the contract of a game, such as no action before the end."""


class CorruptRecord(PhasezooError, ValueError):
    """A stored game that cannot be replayed."""


class InvalidState(PhasezooError, RuntimeError):
    """A call out of order, such as stepping an environment before its first reset."""


class StoreError(PhasezooError, ValueError):
    """A games store that is missing, truncated, empty or of another kind."""


class CheckpointError(PhasezooError, ValueError):
    """A checkpoint or network that is missing, truncated, changed or of another architecture."""


class GateMismatch(CheckpointError):
    """An expert that was trained under another gate than the one it is asked to serve."""


class GameMismatch(CheckpointError):
    """A network or an oracle of another game than the one that it is asked to play."""


class RunDirectoryError(PhasezooError, ValueError):
    """An output directory that belongs to another run, or cannot be written."""


class EngineFailed(PhasezooError, RuntimeError):
    """An engine from outside that is missing, cannot be started, or does not play the game."""


class GameForfeited(PhasezooError, RuntimeError):
    """A player gave a game up, or failed in it; matches count that as a loss.

    Attributes:
        reason: A word for it, such as ``"timeout"``.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (str(self), self.reason)


class WorkersFailed(PhasezooError, RuntimeError):
    """More workers of a cluster died than a run allows, or none could start."""


class MissingDependency(PhasezooError, ImportError):
    """An optional package that is not installed; the message names the extra that brings it."""

    @classmethod
    def of_extra(cls, *, need: str, extra: str) -> "MissingDependency":
        """Return the error of what needs an extra.

        Args:
            need: The thing and the package that it needs.
            extra: The extra that installs the package.
        """
        return cls(f"{need}: {install_hint(extra)}")


@contextmanager
def about(
    what: object, caught: type[PhasezooError], raised: type[PhasezooError] | None = None
) -> Iterator[None]:
    """Say in errors that are raised inside this context what they are about.

    Args:
        what: Comes before their message, with a colon.
        caught: Which errors.
        raised: What they become; None: they stay what they are.
    """
    try:
        yield
    except caught as error:
        message = f"{what}: {error}"
        raise (raised or type(error))(message) from error


@contextmanager
def needs(need: str, extra: str) -> Iterator[None]:
    """Import packages of an extra inside this context."""
    try:
        yield
    except ImportError as error:
        raise MissingDependency.of_extra(need=need, extra=extra) from error


def install_hint(extra: str) -> str:
    """Return the command that installs an extra, from a clone or from the wheel.

    Args:
        extra: The extra, such as ``web``.
    """
    from importlib import metadata
    from pathlib import Path

    # No package index has phasezoo.
    if (Path(__file__).parents[2] / "pyproject.toml").is_file():
        return f"uv pip install '.[{extra}]'"
    return f"pip install 'phasezoo-{metadata.version('phasezoo')}-….whl[{extra}]'"


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, or its class's name if it says nothing."""
    return str(error).strip().partition("\n")[0].strip() or type(error).__name__
