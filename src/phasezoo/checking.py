"""Findings of the checkers of users' own objects: the contracts that are broken, by name."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from phasezoo.errors import InvalidConfig, PhasezooError

MOST_OF_A_KIND = 1
"""Breaches of one contract that a report shows; the first says how, the rest would repeat it."""


@dataclass(frozen=True)
class Breach:
    """One contract that is broken."""

    contract: str
    """Its name, such as ``"play leaves the state as it is"``."""
    found: str
    """How it is broken, and where."""

    def __str__(self) -> str:
        return f"{self.contract}: {self.found}"


@dataclass(frozen=True)
class Report:
    """Result of a checker. It is true if nothing is broken."""

    subject: str
    """The object that was checked."""
    breaches: tuple[Breach, ...]
    """Each contract that is broken, once."""
    looked_at: str
    """How much was tried, in words."""

    @property
    def ok(self) -> bool:
        """Whether every contract held."""
        return not self.breaches

    def __bool__(self) -> bool:
        return self.ok

    def raise_if_broken(self) -> None:
        """Do nothing if every contract held.

        Raises:
            BrokenContract: One did not; the message names each.
        """
        if self.breaches:
            raise BrokenContract(str(self))

    def __str__(self) -> str:
        if self.ok:
            return f"{self.subject}: every contract held ({self.looked_at})"
        count = len(self.breaches)
        head = f"{self.subject}: {count} contract{'s' * (count > 1)} broken ({self.looked_at})"
        return "\n".join([head, *(f"  - {breach}" for breach in self.breaches)])

    __repr__ = __str__


class BrokenContract(PhasezooError, AssertionError):
    """A game, gate, evaluator or agent that breaks a contract; the message names each."""


@dataclass
class Findings:
    """Collects breaches while a checker works."""

    breaches: list[Breach] = field(default_factory=list)

    def expect(self, holds: bool, contract: str, found: str | Callable[[], str]) -> bool:
        """Note a breach of ``contract`` unless it ``holds``; returns whether it does."""
        if not holds and self._is_new(contract):
            self.breaches.append(Breach(contract, found if isinstance(found, str) else found()))
        return bool(holds)

    @contextmanager
    def calling(self, contract: str, what: str) -> Iterator[None]:
        """Note whatever the user's code raises as a breach of ``contract``.

        The code below goes on after the block, so that one broken method does not hide the others.
        """
        try:
            yield
        except Exception as error:
            text = " ".join(str(error).split())
            self.expect(False, contract, f"{what} raised {type(error).__name__}: {text}")

    def report(self, subject: str, looked_at: str) -> Report:
        """All that was found."""
        return Report(subject, tuple(self.breaches), looked_at)

    def _is_new(self, contract: str) -> bool:
        return sum(b.contract == contract for b in self.breaches) < MOST_OF_A_KIND


def type_name(value: Any) -> str:
    """The type of a value with its article, as in ``an int``."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def refuse_class(given: Any) -> None:
    """Refuse an agent's class in place of an agent."""
    if isinstance(given, type):
        message = f"{given.__name__} is a class: give an agent, such as {given.__name__}(…)"
        raise InvalidConfig(message)


def takes(function: Any, count: int) -> bool:
    """Whether a function takes so many arguments by position; True of a builtin that hides it."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def shown(value: Any, most: int = 80) -> str:
    """A value as messages quote it, cut if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else f"{text[: most - 1]}…"
