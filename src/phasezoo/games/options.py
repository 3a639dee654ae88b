"""Checks of options that several layers make."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge, Interval

from phasezoo.errors import InvalidConfig, PhasezooError
from phasezoo.specs import check_value

Kind = TypeVar("Kind")
Default = TypeVar("Default", int, None)

_MOST_THREADS = 1024
"""As many as the core runs; torch ends the process with many more."""


def one_of(option: str, value: str, allowed: Sequence[str]) -> str:
    """``value``, if it is allowed."""
    return str(check_value(option, Literal[tuple(allowed)], value))


def flag(option: str, value: Any) -> bool:
    """``value``, if it is True or False; anything else, such as ``"no"``, is a mistake."""
    return bool(check_value(option, bool, value))


def at_least(option: str, value: Any, least: int) -> int:
    """``value``, if it is a whole number that is not below ``least``."""
    return int(check_value(option, Annotated[int, Ge(least)], value))


def between(option: str, value: Any, least: int, most: int) -> int:
    """``value``, if it is a whole number from ``least`` to ``most``."""
    return int(check_value(option, Annotated[int, Interval(ge=least, le=most)], value))


def threads_or(threads: Any, default: Default) -> int | Default:
    """A number of threads, None for the default."""
    return default if threads is None else between("threads", threads, 1, _MOST_THREADS)


def file_path(option: str, value: Any, error: type[PhasezooError] = InvalidConfig) -> Path:
    """``value``, if it is a path that can be."""
    return _path(option, value, "file", error)


def is_file(path: str | Path) -> bool:
    """Whether there is such a file: not so either where there can be no such path."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def is_unicode(text: str) -> bool:
    """Whether a file or a page can hold a text: half a surrogate pair is no character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def folder_path(option: str, value: Any) -> Path:
    """``value``, if it is a path that can be."""
    return _path(option, value, "directory", InvalidConfig)


def instance_of(option: str, value: Any, kind: type[Kind]) -> Kind:
    """``value``, if it is a ``kind``."""
    if not isinstance(value, kind):
        message = f"{option}={value!r}: expected a {kind.__name__}"
        raise InvalidConfig(message)
    return value


def list_of(option: str, value: Any, what: str) -> Any:
    """Return a list or tuple, or refuse what is neither."""
    if isinstance(value, list | tuple):
        return value
    message = f"{option}={value!r}: expected a list of {what}"
    raise InvalidConfig(message)


def function_or_none(option: str, value: Any) -> Any:
    """``value``, if it is a function or None."""
    if value is not None and not callable(value):
        message = f"{option}={value!r}: expected a function"
        raise InvalidConfig(message)
    return value


def _path(option: str, value: Any, what: str, error: type[PhasezooError]) -> Path:
    if not isinstance(value, str | os.PathLike):
        message = f"{option}={value!r}: expected the path of a {what}"
        raise error(message)
    if reason := _impossible(value):
        message = f"{option}={os.fsdecode(value)[:80]!r}: cannot be the path of a {what} ({reason})"
        raise error(message)
    return Path(value)


def _impossible(path: str | os.PathLike[str]) -> str | None:
    """Why the system can have no such path; None if it can, whatever is there now."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.strerror if error.errno == errno.ENAMETOOLONG else None
    except ValueError as error:  # a zero byte
        return str(error)
    return None
