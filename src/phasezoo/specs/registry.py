"""Things by name: those of the package, of installed packages, and of one's own."""

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from phasezoo import plugins
from phasezoo.errors import PhasezooError
from phasezoo.specs.text import did_you_mean

Thing = TypeVar("Thing")
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class Registry(Mapping[str, Thing], Generic[Thing]):
    """Things by name; a name that nobody has registered is looked for among installed packages.

    Args:
        what: What one of them is called, such as ``"game"``.
        offered: The group of entry points in which packages offer more; None: no group.
        package: Answers the things of the package by name; asked when they are needed.
        error: Raised for a name that nobody has registered.
        refusal: Raised for a name that cannot be registered.
        form: What a name may be, as a regular expression.
        allowed: What a name may be, in words.
        reserved: More names that belong to the package.
        advice: Ends the message about an unknown name.
    """

    def __init__(
        self,
        what: str,
        offered: plugins.Kind | None,
        package: Callable[[], Mapping[str, Thing]],
        *,
        error: type[PhasezooError],
        refusal: type[PhasezooError],
        form: str = r"[A-Za-z0-9_][A-Za-z0-9_.-]*",
        allowed: str = "letters, digits, '_', '-' and '.'",
        reserved: tuple[str, ...] = (),
        advice: str = "",
    ) -> None:
        self.what = what
        self.own: dict[str, Thing] = {}
        """The things of one's own, and of installed packages that were asked for."""
        self._offered = offered
        self._package = package
        self._error, self._refusal = error, refusal
        self._form, self._allowed = re.compile(form), allowed
        self._reserved = reserved
        self._advice = advice

    @property
    def package(self) -> Mapping[str, Thing]:
        """The things of the package."""
        return self._package()

    def __getitem__(self, name: str) -> Thing:
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter({**self.package, **self.own})

    def __len__(self) -> int:
        return len({**self.package, **self.own})

    def names(self) -> tuple[str, ...]:
        """All names, those that installed packages offer among them, sorted."""
        if self._offered is not None:
            plugins.load_all(self._offered, self.own)
        return tuple(sorted({*self, *self._reserved}))

    def find(self, name: object) -> Thing | None:
        """The thing of a name; None if nobody has registered one."""
        if not isinstance(name, str):
            return None
        found = self.package.get(name) or self.own.get(name)
        if found is None and self._offered and plugins.load(self._offered, name, self.own):
            found = self.own[name]
        return found

    def get_or_raise(self, name: object) -> Thing:
        """The thing of a name."""
        found = self.find(name)
        if found is None:
            raise self.unknown(name)
        return found

    def unknown(self, name: object) -> PhasezooError:
        """The error about a name that nobody has registered."""
        known = self.names()
        return self._error(
            f"{name!r}: no such {self.what}{did_you_mean(name, known)} Known are "
            f"{', '.join(known)}{self._advice}"
        )

    def may_be(self, name: str) -> bool:
        """Whether a thing of one's own could be called so."""
        return self._form.fullmatch(name) is not None and name not in self._reserved

    def check_name(self, name: object) -> None:
        """Refuse a name that cannot be registered."""
        if not isinstance(name, str) or self._form.fullmatch(name) is None:
            message = f"{self.what} name {name!r}: expected {self._allowed}"
            raise self._refusal(message)
        if name in self.package or name in self._reserved:
            article = "an" if self.what[0] in "aeiou" else "a"
            message = f"{name!r} is {article} {self.what} of the package: choose another name"
            raise self._refusal(message)

    def register(self, name: str, thing: Thing) -> None:
        """Add a thing of one's own; registering its name again replaces it."""
        self.check_name(name)
        self.own[name] = thing


def renamed(function: Callable[Given, Answer], old: str, new: str) -> Callable[Given, Answer]:
    """The old spelling of a function, which works for one version with a warning."""

    @wraps(function)
    def deprecated(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        warn_renamed(old, new)
        return function(*args, **kwargs)

    deprecated.__name__ = old.rpartition(".")[2]
    deprecated.__doc__ = f"Deprecated spelling of :func:`{new}`."
    return deprecated


def renamed_method(thing: Any, new: str, old: str) -> Callable[..., Any] | None:
    """Return a method that a user's object may define under its new or, with a warning, old name.

    Returns:
        The method that the most derived class defines; None if the object has neither.
    """
    names = (new, old)
    defined = (name for kind in type(thing).__mro__ for name in names if name in vars(kind))
    name = next(defined, None) or next((name for name in names if hasattr(thing, name)), None)
    if name is None:
        return None
    if name == old:
        kind = type(thing).__name__
        warn_renamed(f"{old}() of {kind}", f"{new}(), with the same arguments")
    method: Callable[..., Any] = getattr(thing, name)
    return method


def warn_renamed(old: str, new: str) -> None:
    """Warn the caller of the calling function that a name is deprecated."""
    message = f"{old} is deprecated and goes with the next version: use {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
