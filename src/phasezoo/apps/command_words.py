"""Words of a command line, divided among its command, its options and its paths."""

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import tyro

from phasezoo.errors import InvalidConfig
from phasezoo.specs import did_you_mean

_POSITIONAL = get_args(tyro.conf.Positional[int])[1]


@dataclass(frozen=True)
class Looks:
    """Pattern of the words of a list, so that a path after them does not count as one."""

    pattern: str
    """A regular expression of a whole word."""


@dataclass(frozen=True)
class Option:
    """One option of a command."""

    name: str
    """Its name with underscores."""
    kind: Any
    """Type of its value."""
    is_positional: bool
    """Whether its place alone identifies it."""
    looks: str | None = None
    """Pattern of further words of a list; None: any word."""

    @property
    def is_list(self) -> bool:
        """Whether it takes any number of words."""
        return get_origin(self.kind) is tuple

    @property
    def is_flag(self) -> bool:
        """Whether it takes none."""
        return self.kind is bool


def chosen(tree: Any, words: Sequence[str]) -> tuple[Any, int]:
    """The class of the command that ``words`` begin with, and how many of them name it.

    None in place of the class if there is no such command.
    """
    if not get_args(tree) or dataclasses.is_dataclass(tree):
        return tree, 0
    for member in get_args(tree):
        kind, *notes = get_args(member) if get_origin(member) is Annotated else (member,)
        names = [getattr(note, "name", None) for note in notes]
        if words and words[0] in names:
            found, count = chosen(kind, words[1:])
            return found, count + 1
    return None, 0


def unknown_command(tree: Any, words: Sequence[str]) -> str | None:
    """Return a message about the first of ``words`` that should name a command and does not.

    Args:
        tree: A command, or a union of commands.
        words: The words after the program's name.

    Returns:
        None if a command is named, or the word is an option or missing.
    """
    if not get_args(tree) or dataclasses.is_dataclass(tree) or not words:
        return None
    members: dict[str, Any] = {}
    for member in get_args(tree):
        kind, *notes = get_args(member) if get_origin(member) is Annotated else (member,)
        members |= dict.fromkeys((n.name for n in notes if getattr(n, "name", None)), kind)
    word, *rest = words
    if word in members:
        return unknown_command(members[word], rest)
    if word.startswith("-") or not members:
        return None
    return f"{word!r}: no such command{did_you_mean(word, members)} There are {', '.join(members)}"


def options_of(kind: Any) -> Iterator[Option]:
    """The options of a command, those of its groups among them."""
    hints = get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        inner, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        names = [note.name for note in notes if getattr(note, "name", None) is not None]
        if names == [""]:  # a group whose options stand beside the others
            yield from options_of(inner)
            continue
        if dataclasses.is_dataclass(inner):  # a group whose options have its name before theirs
            group = (names or [field.name])[0].replace("-", "_")
            yield from (
                replace(option, name=f"{group}.{option.name}") for option in options_of(inner)
            )
            continue
        looks = next((note.pattern for note in notes if isinstance(note, Looks)), None)
        name = (names or [field.name])[0].replace("-", "_")
        yield Option(name, inner, _POSITIONAL in notes, looks)


def arranged(words: Sequence[str], kind: Any, named_by: int) -> list[str]:
    """A command line with its paths in one row before the options, wherever they were typed.

    A list takes the words after it as far as they look like its own, and may be given several
    times; if the command lacks its path then, the last word of a list is the path.

    Args:
        words: The words after the program's name.
        kind: The command's class.
        named_by: How many words name it.

    Raises:
        InvalidConfig: A list has no words.
    """
    known = list(options_of(kind))
    places = [option for option in known if option.is_positional]
    if not places:
        return list(words)
    by_name = {option.name: option for option in known if not option.is_positional}
    free: list[str] = []
    lists: dict[str, list[str]] = {}
    given: list[str] = []
    queue = list(words[named_by:])
    while queue:
        word = queue.pop(0)
        if not word.startswith("-") or word == "-":
            free.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        option = by_name.get(name.replace("-", "_"))
        taken = _taken(option, queue, given_already=bool(equals))
        if option is not None and option.is_list and not equals and not taken:
            message = f"{word} needs a value"
            raise InvalidConfig(message)
        if option is not None and option.is_list:
            lists.setdefault(option.name, []).extend([value] * bool(equals) + taken)
        else:
            given += [word, *taken]
        del queue[: len(taken)]
    if not free and not places[0].is_list:
        last = next((values for values in reversed(lists.values()) if len(values) > 1), None)
        free += [last.pop()] if last else []
    for name, values in lists.items():
        given += [f"--{name.replace('_', '-')}", *values]
    return [*words[:named_by], *free, *given]


def _taken(option: Option | None, words: Sequence[str], *, given_already: bool) -> list[str]:
    """Those of the words after an option that are its own."""
    if option is None or option.is_flag:
        return []
    first = [word for word in words[:1] if not word.startswith("--")]
    if not option.is_list:
        return [] if given_already else first
    taken = [] if given_already else first
    for word in words[len(taken) :]:
        if word.startswith("--") or (option.looks and not re.fullmatch(option.looks, word)):
            break
        taken.append(word)
    return taken
