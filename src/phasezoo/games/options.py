"""Options of which one of a few values is allowed."""

from collections.abc import Sequence

from phasezoo.errors import InvalidConfig

__all__ = ["one_of"]


def one_of(option: str, value: str, allowed: Sequence[str]) -> str:
    """``value``, if it is allowed.

    Raises:
        InvalidConfig: It is not.
    """
    if value not in allowed:
        message = f"{option}={value!r}: expected one of {', '.join(map(repr, allowed))}"
        raise InvalidConfig(message)
    return value
