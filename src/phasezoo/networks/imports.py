"""Import paths of factories, ``module:name``, and which of them a network's folder may name."""

import importlib
import importlib.util
import inspect
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from torch import nn

from phasezoo.errors import UnregisteredNetwork
from phasezoo.plugins import check_allowed

SCRIPTS = ("__main__", "__mp_main__")
"""Names of modules that another program gives to another module."""

OWN_PACKAGE = __name__.partition(".")[0]


def import_path(factory: Callable[..., Any]) -> str | None:
    """``module:name`` of a factory that another program can import.

    None if it cannot: a lambda, what is defined inside a function, what a script or a notebook
    defines itself (its module is called ``__main__`` only while it runs).
    """
    module, name = getattr(factory, "__module__", None), getattr(factory, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module in SCRIPTS:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is factory else None


def imported(path: str, where: str) -> Callable[..., Any]:
    """Return the factory at a ``path`` that the user typed."""
    module, _, name = path.partition(":")
    check_allowed(module)
    try:
        found: Any = importlib.import_module(module)
    except Exception as error:  # whatever a user's module raises while it is imported
        reason = f"importing {module} raised {type(error).__name__}: {error}"
        raise UnregisteredNetwork(_message(path, where, reason)) from error
    factory = _attribute(found, name)
    if not callable(factory):
        raise UnregisteredNetwork(_message(path, where, f"{module} has no factory {name}"))
    return factory  # type: ignore[no-any-return]


def trusted(path: str, where: str, folder: Path | None = None) -> Callable[..., Any]:
    """Return the factory at a ``path`` that a file names, which may come from anybody.

    A file must not run code that the user has not chosen. The module has to be imported already,
    or to be installed, and must not lie in the file's own folder. The factory has to be a class of
    networks, or a function of a module that is the user's own or made for this package; both under
    the very name by which their module defines them.
    """
    module, _, name = path.partition(":")
    try:
        found = _installed(module, folder)
    except Exception as error:  # whatever a module raises while it is imported
        reason = str(error) if isinstance(error, _Refused) else f"{type(error).__name__}: {error}"
        raise UnregisteredNetwork(_message(path, where, reason)) from error
    factory = _attribute(found, name)
    own_name = (getattr(factory, "__module__", None), getattr(factory, "__qualname__", None))
    if own_name != (module, name):
        reason = f"{module} defines no network {name}"
        raise UnregisteredNetwork(_message(path, where, reason))
    is_network = inspect.isclass(factory) and issubclass(factory, nn.Module)
    if not is_network and not (inspect.isfunction(factory) and _makes_networks(found)):
        reason = f"{name} is neither a class of networks nor a function of a module of your own"
        raise UnregisteredNetwork(_message(path, where, reason))
    return factory  # type: ignore[no-any-return]


def _attribute(module: ModuleType, name: str) -> Any:
    """Return an object of a module by its dotted name; None if there is no such object."""
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


class _Refused(Exception):
    """A file may not have a module imported."""


def _installed(module: str, folder: Path | None) -> ModuleType:
    """Return a module that is imported already, or import it if it is installed.

    Packages are looked at one by one from the outermost, since importing a module imports them.
    """
    parts = module.split(".")
    if not all(part.isidentifier() for part in parts) or not {*SCRIPTS}.isdisjoint(parts):
        message = f"{module!r} names no module that a file may use"
        raise _Refused(message)
    found = sys.modules.get(module)
    for end in range(1, len(parts) + 1) if found is None else ():
        name = ".".join(parts[:end])
        found = sys.modules.get(name)
        if found is None:
            _check_place(name, importlib.util.find_spec(name), folder)
            found = importlib.import_module(name)
    assert found is not None
    return found


def _check_place(module: str, spec: ModuleSpec | None, folder: Path | None) -> None:
    """Refuse a module that is not installed, before any of its code runs."""
    if spec is None:
        message = f"there is no module {module}"
        raise _Refused(message)
    if spec.origin is None or not spec.has_location:
        message = f"{module} has no file of its own"  # a namespace package, or built in
        raise _Refused(message)
    place = Path(spec.origin)
    places = (place.absolute(), place.resolve())
    if folder is not None and any(
        each.is_relative_to(own) for each in places for own in (folder.absolute(), folder.resolve())
    ):
        message = f"{place} lies in the folder of the network itself"
        raise _Refused(message)
    depth = module.count(".") + (spec.submodule_search_locations is not None)
    if places[0].parents[depth].resolve() not in _installed_folders():
        message = f"{place} was neither imported by you nor installed"
        raise _Refused(message)


@lru_cache(maxsize=1)
def _installed_folders() -> tuple[Path, ...]:
    """Return the folders of installed packages, and those that ``.pth`` files there add."""
    found = [*_site_folders()]
    for folder in _site_folders():
        for listing in sorted(folder.glob("*.pth")):
            lines = listing.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [
                (folder / line).resolve()
                for line in map(str.strip, lines)
                if line and not line.startswith(("#", "import ", "import\t"))
            ]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1)
def _site_folders() -> tuple[Path, ...]:
    """Return where pip and the system's package manager put packages."""
    found = [*site.getsitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    if site.ENABLE_USER_SITE:
        found.append(site.getusersitepackages())
    return tuple(dict.fromkeys(Path(folder).resolve() for folder in found))


def _makes_networks(module: ModuleType) -> bool:
    """Return whether functions of a module may be called as factories of networks.

    Those of the user's own modules may, and those of installed packages made for this one.
    Functions of any other installed package do whatever they are for.
    """
    top = module.__name__.partition(".")[0]
    if top in sys.stdlib_module_names or top == OWN_PACKAGE:
        return False
    file = getattr(module, "__file__", None)
    if file is None:
        return False
    place = Path(file).resolve()
    if not any(place.is_relative_to(folder) for folder in _site_folders()):
        return True
    return any(map(_is_made_for_this, _distributions_of(top)))


def _distributions_of(top: str) -> Iterator[Distribution]:
    """Yield the installed packages that bring a module."""
    for each in distributions(path=[str(folder) for folder in _site_folders()]):
        if any(file.parts[0] in (top, f"{top}.py") for file in each.files or ()):
            yield each


def _is_made_for_this(package: Distribution) -> bool:
    needs = package.requires or ()
    return any(need.startswith(OWN_PACKAGE) for need in needs) or any(
        entry.group.startswith(f"{OWN_PACKAGE}.") for entry in package.entry_points
    )


def _message(path: str, where: str, reason: str) -> str:
    return (
        f"{where}: its factory {path} cannot be imported ({reason}); if you trust it, import its "
        "module first (commands: --plugin MODULE), or call networks.register(name, factory)"
    )
