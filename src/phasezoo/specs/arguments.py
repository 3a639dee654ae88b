"""Options of a command: the fields of a dataclass, read from words and shown by ``--help``."""

import dataclasses
import inspect
import re
import shutil
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any

from phasezoo.errors import InvalidConfig
from phasezoo.specs.options import Option, descriptions_of, fields_of
from phasezoo.specs.removed import removal_of
from phasezoo.specs.text import did_you_mean
from phasezoo.specs.values import NONE, REQUIRED, write_value


@dataclass(frozen=True)
class Argument:
    """Form of an option on the command line, to stand in its annotation."""

    positional: bool = False
    """True if its place alone identifies it."""
    name: str | None = None
    """Name there (default: the field's). Options of a group whose name is empty have no prefix."""
    metavar: str = ""
    """Its value in help texts (default: by its type)."""
    pattern: str = ""
    """Regular expression of each word of a list; the list ends before a word of another form."""
    aliases: tuple[str, ...] = ()
    """More names."""
    short: str = ""
    """Name of one letter, as ``-q``."""


@dataclass(frozen=True)
class Parameter:
    """One option of a command."""

    name: str
    """Name with underscores, after those of its groups: ``search.c_puct_init``."""
    option: Option
    """Annotation and default."""
    note: Argument
    """Form on the command line."""
    path: tuple[str, ...]
    """Fields that lead to it, its own last."""
    owner: type
    """Dataclass that has the field."""
    group: type | None
    """Dataclass whose options stand together in help texts."""

    @cached_property
    def is_list(self) -> bool:
        """True if it takes any number of words."""
        return any(kind.items is not None for kind in self.option.values.kinds)

    @cached_property
    def is_flag(self) -> bool:
        """True if it takes no word."""
        return [kind.type for kind in self.option.values.kinds] == [bool]

    @property
    def spelling(self) -> str:
        """Its name as it is typed."""
        return self.metavar if self.note.positional else "--" + self.name.replace("_", "-")

    @property
    def negation(self) -> str:
        """The name that sets a flag to false."""
        group, dot, last = self.spelling.removeprefix("--").rpartition(".")
        return f"--{group}{dot}no-{last}"

    @property
    def metavar(self) -> str:
        """Its value in help texts."""
        if self.note.metavar:
            return self.note.metavar
        kinds = [kind for kind in self.option.values.kinds if kind.type is not type(None)]
        kind = next((k.items.kinds[0] for k in kinds if k.items is not None), kinds[0])
        if kind.choices:
            word = f"{{{','.join(map(str, kind.choices))}}}"
        elif self.note.positional:
            word = self.name.upper()
        else:
            word = {str: "TEXT"}.get(kind.type, kind.type.__name__.upper())
        return f"{word} ..." if self.is_list else word

    def read(self, words: Sequence[str]) -> Any:
        """Read the value that words write."""
        values = self.option.values
        if not self.is_list:
            (word,) = words
            return values.taken(values.read(word))
        items = next(kind.items for kind in values.kinds if kind.items is not None)
        return values.taken(tuple(map(items.read, words)))


def parameters_of(
    kind: type,
    default: Any = None,
    prefix: str = "",
    path: tuple[str, ...] = (),
    group: type | None = None,
) -> Iterator[Parameter]:
    """Iterate over the options of a command and of its groups, which are fields with dataclasses.

    Args:
        kind: The dataclass.
        default: An object of it that holds the defaults; default: those of its fields.
        prefix: Stands before the names.
        path: Fields that lead to the object.
        group: Dataclass under which help texts have the options.
    """
    for option in fields_of(kind):
        value = option.default if default is None else getattr(default, option.name)
        notes = getattr(option.annotation, "__metadata__", ())
        note = next((each for each in notes if isinstance(each, Argument)), Argument())
        name = prefix + (note.name or option.name)
        steps = (*path, option.name)
        inner = option.values.kinds[0].type
        if isinstance(inner, type) and dataclasses.is_dataclass(inner):
            own = None if value is REQUIRED else value
            if note.name == "":
                yield from parameters_of(inner, own, prefix, steps, group)
            else:
                yield from parameters_of(inner, own, f"{name}.", steps, inner)
        else:
            own_option = dataclasses.replace(option, default=value)
            yield Parameter(name, own_option, note, steps, kind, group)


class Arguments:
    """The options of a command.

    Args:
        kind: The dataclass that holds them; its class variable ``common`` names those that
            ``--help`` lists, default all.
        more: A dataclass of options that are listed in help texts and read elsewhere.
    """

    def __init__(self, kind: type, more: type | None = None) -> None:
        self.kind = kind
        self._own = list(parameters_of(kind))
        others = [] if more is None else list(parameters_of(more))
        self._elsewhere = {each.name: each for each in others}
        self.by_name = {
            name: each for each in self._own for name in (each.name, *each.note.aliases)
        }
        flags = (each for each in self._own if each.is_flag)
        self._negations = {each.negation[2:].replace("-", "_"): each for each in flags}
        self._positional = [each for each in self._own if each.note.positional]

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """Read a command line, in which options and paths may stand in any order.

        A list takes the words after it as far as they have its form, and may be given several
        times. If the command lacks its path then, the last word of a list is the path.

        Returns:
            The values by their options' names.
        """
        found: dict[str, list[str]] = {}
        free: list[str] = []
        rest = list(words)
        while rest:
            word = rest.pop(0)
            if word == "-" or not word.startswith("-"):
                free.append(word)
                continue
            parameter, taken = self._option(word, rest)
            if parameter.is_list:
                found.setdefault(parameter.name, []).extend(taken)
            else:
                found[parameter.name] = taken
        placed = self._placed(found, free)
        return {name: self._value(self.by_name[name], texts) for name, texts in placed.items()}

    def read_file(
        self, options: Mapping[str, Any], file: str, typed: Collection[str]
    ) -> dict[str, Any]:
        """Read the options of a file.

        Returns:
            The values by their options' names.
        """
        found: dict[str, Any] = {}
        for key, value in options.items():
            if isinstance(value, Mapping):
                message = f"{file}: {key!r} is a table; options stand at the top of the file"
                raise InvalidConfig(message)
            parameter = self.by_name.get(key)
            if parameter is None:
                names = [each.name for each in self._own if not each.note.positional]
                hint = did_you_mean(key, names, cutoff=0.7).removesuffix(".")
                known = f"; this command has {', '.join(names) or 'none'}"
                complaint = f"unknown key {key!r}{hint or known}"
                message = f"{file}: {removal_of(key) or complaint}"
                raise InvalidConfig(message)
            if parameter.note.positional:
                message = f"{file}: {key} is not read from a file; type it"
                raise InvalidConfig(message)
            if key not in typed:
                texts = [str(each) for each in (value if isinstance(value, list) else [value])]
                found[key] = self._value(parameter, texts, f"{file}: {key} = {value!r}")
        return found

    def build(self, values: Mapping[str, Any]) -> Any:
        """Make the dataclass."""
        missing = [p for p in self._own if p.option.is_required and p.name not in values]
        if missing:
            verb = "is" if len(missing) == 1 else "are"
            message = f"{', '.join(each.spelling for each in missing)} {verb} missing"
            raise InvalidConfig(message)
        return _built(self.kind, {self.by_name[n].path: value for n, value in values.items()})

    def help(self, program: str, everything: bool = False) -> str:
        """Return the help text: of the options that the class calls ``common``, or of all.

        Args:
            program: The command, such as ``phasezoo perft``.
            everything: True to list all options.
        """
        import argparse

        parser = argparse.ArgumentParser(program, add_help=False)
        self.fill(parser, everything)
        return parser.format_help()

    def fill(self, parser: Any, everything: bool = True) -> None:
        """Add description and options to a parser of ``argparse``.

        Args:
            parser: The parser.
            everything: True to add all options, also where the class names those that are common.
        """
        places = "".join(f" {each.spelling}" for each in self._positional)
        parser.usage = f"%(prog)s [OPTIONS]{places}"
        parser.description = wrapped(inspect.getdoc(self.kind) or "")
        parser.formatter_class = help_formatter()
        common = () if everything else getattr(self.kind, "common", ())
        groups: dict[type | None, Any] = {None: parser}
        left_out = 0
        for each in self._own:
            is_common = not common or each.name in common or each.option.is_required
            if each.name in self._elsewhere or not (is_common or each.note.positional):
                left_out += each.name not in self._elsewhere
                continue
            if each.group not in groups:
                title = f"{each.name.rpartition('.')[0]} options"
                about = wrapped((inspect.getdoc(each.group) or "").partition("\n\n")[0])
                groups[each.group] = parser.add_argument_group(title, about)
            _add(groups[each.group], each)
        general = parser.add_argument_group("options of every command")
        general.add_argument("-h", "--help", action="help", help="Show the usual options.")
        general.add_argument("--help-all", action="help", help="Show all options.")
        for each in self._elsewhere.values():
            _add(general, each)
        if left_out:
            parser.epilog = wrapped(f"{left_out} more options: {parser.prog} --help-all")

    def _option(self, word: str, rest: list[str]) -> tuple[Parameter, list[str]]:
        """Find the option that a word names, and take its own words out of those that follow."""
        name, equals, value = word.partition("=")
        key = name.removeprefix("--").replace("-", "_")
        parameter, flag = self.by_name.get(key), "true"
        if parameter is None:
            parameter, flag = self._negations.get(key), "false"
        if parameter is None or parameter.note.positional or not name.startswith("--"):
            raise InvalidConfig(self._unknown(name))
        taken = [value] if equals else []
        if parameter.is_flag:
            return parameter, taken or [flag]
        if not equals and rest and not rest[0].startswith("--"):
            taken.append(rest.pop(0))
        pattern = parameter.note.pattern
        while parameter.is_list and rest and not rest[0].startswith("--"):
            if pattern and not re.fullmatch(pattern, rest[0]):
                break
            taken.append(rest.pop(0))
        if not taken and (not parameter.is_list or self._positional):
            message = f"{name} needs a value"
            raise InvalidConfig(message)
        return parameter, taken

    def _unknown(self, name: str) -> str:
        typed = [each.spelling for each in self._own if not each.note.positional]
        hint = did_you_mean(name, typed, most=3, form="{}", cutoff=0.7).removesuffix(".")
        if name == "--resume" and "--out" in typed:
            hint = "; the same command again, with its --out, goes on with what was interrupted"
        if elsewhere := getattr(self.kind, "elsewhere", None):
            hint = elsewhere(name.removeprefix("--").replace("-", "_")) + hint
        if not hint and self._positional:
            hint = "; words without an option are " + ", and ".join(
                f"{each.spelling}, {descriptions_of(each.owner)[each.path[-1]].rstrip('.')}"
                for each in self._positional
            )
        return removal_of(name.removeprefix("--")) or f"{name}: no such option{hint}"

    def _placed(self, found: dict[str, list[str]], free: list[str]) -> dict[str, list[str]]:
        """Give the words without an option to the options that their places identify."""
        if self._positional and not free and not self._positional[0].is_list:
            last = next((texts for texts in reversed(found.values()) if len(texts) > 1), None)
            free = [last.pop()] if last else []
        for place, each in enumerate(self._positional, 1):
            after = len(self._positional) - place
            count = max(len(free) - after, 0) if each.is_list else 1
            if free:
                found[each.name] = free[:count]
            free = free[count:]
        if free:
            message = f"{free[0]!r}: this command takes no such word"
            raise InvalidConfig(message)
        return found

    def _value(self, parameter: Parameter, texts: list[str], given: str = "") -> Any:
        try:
            return parameter.read(texts)
        except ValueError:
            typed = f"{parameter.spelling} {' '.join(text or repr(text) for text in texts)}"
            expected = parameter.option.values.expected(texts[-1] if texts else "", as_text=True)
            message = f"{given or typed}: expected {expected}"
            raise InvalidConfig(message) from None


def words_of(given: Any, default: Any) -> tuple[list[str], list[str]]:
    """Return the words that write an object on the command line.

    Args:
        given: A dataclass of options.
        default: Another of its kind, whose values need not be written.

    Returns:
        The words that places identify, and the options with theirs.
    """
    places: list[str] = []
    options: list[str] = []
    for each in parameters_of(type(given), default):
        value = attrgetter(".".join(each.path))(given)
        values = value if isinstance(value, tuple) else (value,)
        texts = [NONE if one is None else str(one) for one in values]
        if each.note.positional:
            places += texts
        elif value != each.option.default:
            flag = each.spelling if value else each.negation
            options += [flag] if each.is_flag else [each.spelling, *texts]
    return places, options


def _built(kind: type[Any], values: Mapping[tuple[str, ...], Any], default: Any = None) -> Any:
    """Make a dataclass, or change one, by values under the fields that lead to them."""
    own: dict[str, Any] = {}
    groups: dict[str, dict[tuple[str, ...], Any]] = {}
    for (first, *rest), value in values.items():
        if rest:
            groups.setdefault(first, {})[tuple(rest)] = value
        else:
            own[first] = value
    for option in fields_of(kind):  # type: ignore[arg-type]
        if option.name in groups:
            before = option.default if default is None else getattr(default, option.name)
            inner = option.values.kinds[0].type
            base = None if before is REQUIRED else before
            own[option.name] = _built(inner, groups[option.name], base)
    return kind(**own) if default is None else dataclasses.replace(default, **own)


def _add(target: Any, each: Parameter) -> None:
    """Add an option to a help text."""
    default = each.option.default
    ends = [] if each.option.annotation is bool else [each.option.values.range_words]
    if each.option.is_required:
        ends.append("required")
    elif default != ():
        texts = map(str, default) if isinstance(default, tuple) else [write_value(default) or NONE]
        ends.append(f"default: {' '.join(texts)}")
    end = "; ".join(filter(None, ends))
    text = " ".join(descriptions_of(each.owner).get(each.path[-1], "").split())
    text = " ".join([text, f"({end})" * bool(end)]).strip().replace("%", "%%")
    if each.note.positional:
        target.add_argument(each.spelling, help=text)
    elif each.is_flag:
        aliases = [f"--{alias.replace('_', '-')}" for alias in each.note.aliases]
        short = [each.note.short] if each.note.short else []
        flags = [*short, each.spelling, *aliases, *([] if short else [each.negation])]
        target.add_argument(*flags, help=text, action="store_true")
    else:
        short = [each.note.short] if each.note.short else []
        kind = next(k for k in each.option.values.kinds if k.type is not type(None))
        choices = (kind.items.kinds[0] if kind.items is not None else kind).choices or None
        target.add_argument(*short, each.spelling, help=text, metavar=each.metavar, choices=choices)


@lru_cache(maxsize=1)
def help_formatter() -> type:
    """Return the formatter of help texts, which folds long lists of choices."""
    import argparse

    class Formatter(argparse.RawDescriptionHelpFormatter):
        def _format_action_invocation(self, action: argparse.Action) -> str:
            text = super()._format_action_invocation(action)
            room = self._width - self._current_indent
            if len(text) <= room:
                return text
            # Lists of choices have no spaces to fold at.
            width = max(room - 2, 1)
            lines = textwrap.wrap(re.sub(r",(?! )", ", ", text), width, break_on_hyphens=False)
            return f"\n{' ' * (self._current_indent + 2)}".join(lines)

    return Formatter


def wrapped(text: str) -> str:
    """Wrap the paragraphs of a help text to the terminal's width."""
    width = max(shutil.get_terminal_size().columns - 2, 1)
    paragraphs = (" ".join(each.split()) for each in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(each, width, break_on_hyphens=False) for each in paragraphs)
