"""Modules of a user's own, by their names or files, and what installed packages offer.

A package offers a game, gate, network or agent by an entry point of the group ``phasezoo.games``,
``phasezoo.gates``, ``phasezoo.networks`` or ``phasezoo.agents``::

    [project.entry-points."phasezoo.games"]
    hex = "hex_game.rules"            # a module whose import registers it
    go = "go_game.rules:register"     # or a function without arguments that does

It is loaded when its name is asked for, or when names are listed, so that importing phasezoo costs
no more with it. One that fails causes one warning, and is taken for absent.
"""

import importlib
import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

from phasezoo.errors import InvalidConfig, PhasezooError

Kind: TypeAlias = Literal["games", "gates", "networks", "agents"]
"""Kinds of things that packages offer; their groups of entry points are ``phasezoo.KIND``."""

_EXPECTED = "give a module's name, such as my_module, or its file, such as my_module.py"

_KNOWN = ("phasezoo", "stable_baselines3", "sb3_contrib")
"""Packages whose modules texts may always name."""

_allowed: frozenset[str] | None = None

_tried: set[metadata.EntryPoint] = set()


def load(kind: Kind, name: str, into: Container[str]) -> bool:
    """Load what an installed package offers by a name; whether it is registered now."""
    for entry in _offered(kind, tuple(sys.path)):
        if name not in into and entry.name == name:
            _load(entry, into)
    return name in into


def load_all(kind: Kind, into: Container[str]) -> None:
    """Load everything of a kind that installed packages offer and that is not registered yet."""
    for entry in _offered(kind, tuple(sys.path)):
        if entry.name not in into:
            _load(entry, into)


@lru_cache(maxsize=16)
def _offered(kind: Kind, path: tuple[str, ...]) -> list[metadata.EntryPoint]:
    """The entry points of a kind on a path, by the names of their packages."""
    found = metadata.entry_points(group=f"phasezoo.{kind}")
    return sorted(found, key=lambda entry: (entry.name, _package_of(entry)))


def _load(entry: metadata.EntryPoint, into: Container[str]) -> None:
    if entry in _tried:
        return
    _tried.add(entry)
    try:
        found = entry.load()
        if not isinstance(found, ModuleType):
            found()
    except (Exception, SystemExit) as error:
        _warn(entry, _text_of(error))
    else:
        if entry.name not in into:
            _warn(entry, f"loading it registers nothing called {entry.name!r}")


def _warn(entry: metadata.EntryPoint, reason: str) -> None:
    message = (
        f"{entry.name!r} of {entry.group}, which the package {_package_of(entry)} offers by "
        f"{entry.value!r}, cannot be used: {reason}"
    )
    warnings.warn(message, stacklevel=5)


def _package_of(entry: metadata.EntryPoint) -> str:
    return "of no name" if entry.dist is None else entry.dist.name


def _text_of(error: BaseException) -> str:
    """An error in one line; those of phasezoo without their classes."""
    text = " ".join(str(error).split())
    return text if isinstance(error, PhasezooError) else f"{type(error).__name__}: {text}"


@contextmanager
def only(names: Iterable[str] | None) -> Iterator[None]:
    """Refuse to import what texts name besides these modules and files; None: allow everything.

    It is for texts that may come from anybody, such as those of a run's directory.
    """
    global _allowed
    before = _allowed
    _allowed = None if names is None else frozenset(map(lasting, names))
    try:
        yield
    finally:
        _allowed = before


def allowed() -> frozenset[str] | None:
    """The modules and files of :func:`only`; None outside of it."""
    return _allowed


def check_allowed(path: str) -> None:
    """Refuse a module, or a file, that :func:`only` does not name."""
    if _allowed is None:
        return
    stems = {Path(name).stem for name in _allowed if name.endswith(".py")}
    known = {*_KNOWN, *_allowed, *stems}
    if lasting(path) not in known and not any(path.startswith(f"{name}.") for name in known):
        message = (
            f"{path!r} is code that only the run's directory names: if you trust it, name it too, "
            f"by --plugin {path}"
        )
        raise InvalidConfig(message)


def import_module(path: str) -> ModuleType:
    """The module of a dotted name, or of a file; one that is imported already is that one."""
    check_allowed(path)
    reason = _no_module(path)
    if reason:
        message = f"{path!r} cannot be imported: {reason}; {_EXPECTED}"
        raise InvalidConfig(message)
    file = Path(path)
    if path.endswith(".py") and file.stem in sys.modules:
        return _if_of(sys.modules[file.stem], file)
    try:
        if not path.endswith(".py"):
            if str(Path.cwd()) not in sys.path:
                sys.path.insert(0, str(Path.cwd()))  # as `python -m` has it
            return importlib.import_module(path)
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[file.stem] = module  # so that its classes can be pickled
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(file.stem, None)
            raise
    except (Exception, SystemExit) as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == path
        hint = f"; {_EXPECTED}" if is_missing else ""
        if isinstance(error, ModuleNotFoundError) and not is_missing:
            beside = Path(path).with_name(f"{error.name}.py")
            if beside.is_file():
                hint = f"; it lies beside it, so import it first: --plugin {beside}"
        message = f"{path!r} cannot be imported: {_text_of(error)}{hint}"
        raise InvalidConfig(message) from error
    return module


def import_modules(paths: Iterable[str]) -> None:
    """Import modules by their names or files, one after the other."""
    for path in paths:
        import_module(path)


def attribute_named(text: str) -> Any:
    """The object that ``module:name`` or ``file.py:name`` names."""
    path, _, name = text.rpartition(":")
    if not path or not name:
        message = f"{text!r}: expected module:name, such as my_package.my_module:MyAgent"
        raise InvalidConfig(message)
    found: Any = import_module(path)
    for each in name.split("."):
        if not hasattr(found, each):
            message = f"{path!r} has no {name!r}"
            raise InvalidConfig(message)
        found = getattr(found, each)
    return found


def _no_module(path: str) -> str:
    """Why a text can name neither a module nor its file; empty if it can."""
    is_source = path.endswith(".py")
    if not path.strip():
        return "it names nothing"
    is_file = not is_source and os.path.isfile(path)  # noqa: PTH113 - Path's raises if long
    if not is_source and not is_file and not {"/", os.sep} & set(path):
        return ""
    try:
        if Path(path).is_dir():
            return "it is a folder"
        if not Path(path).exists():
            return "there is no such file"
        if not Path(path).is_file():
            return "it is a device, a pipe or a socket"
    except (OSError, ValueError) as error:
        return f"there is no such file ({error})"
    return "" if is_source else "the name of a file to import ends in .py"


def lasting(name: str) -> str:
    """A name, or the absolute path of a file: what is done with it may go on from elsewhere."""
    return str(Path(name).absolute()) if Path(name).is_file() else name


def is_installed_program(command: str) -> bool:
    """Whether a command is the bare name of a program in ``PATH``, without arguments."""
    found = shutil.which(command) if Path(command).name == command else None
    return found is not None and Path(found).is_absolute()


def _if_of(module: ModuleType, file: Path) -> ModuleType:
    """The module, if it was made from the file: pickles know modules by their names alone."""
    own = getattr(module, "__file__", None)
    if own is not None and Path(own).resolve() == file.resolve():
        return module
    of = "the interpreter's own" if own is None else str(own)
    message = (
        f"{str(file)!r} cannot be imported: a module {file.stem!r} is imported already, {of}; "
        "rename the file"
    )
    raise InvalidConfig(message)
