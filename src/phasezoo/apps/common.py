"""Options of every command: ``--config FILE`` and ``--plugin MODULE``."""

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from tyro.conf import arg

from phasezoo.apps.command_words import chosen, options_of
from phasezoo.errors import InvalidConfig
from phasezoo.plugins import import_module
from phasezoo.specs.removed import removal_of

T = TypeVar("T")

CONFIG, PLUGIN = "--config", "--plugin"
"""The common options as they are typed."""

_CONFIG_HELP = (
    "TOML file with options of this command by their names (min_lr = 0.001); those typed here win"
)
_PLUGIN_HELP = (
    "module, or file, that is imported first: it registers games, gates, networks or agents of "
    'one\'s own; may be given several times, and named in the file (plugin = "my_module")'
)


@dataclass(frozen=True, kw_only=True)
class CommonOptions:
    """Read ahead of all others by :class:`Common`, and listed with them in every help text."""

    config_file: Annotated[Path | None, arg(name=CONFIG[2:], metavar="FILE", help=_CONFIG_HELP)] = (
        None
    )
    plugin: Annotated[tuple[str, ...], arg(metavar="MODULE", help=_PLUGIN_HELP)] = ()

    def with_plugins(self, plugins: Sequence[str]) -> Self:
        """The same options with the modules that the command line had imported first."""
        return dataclasses.replace(self, plugin=tuple(plugins))


def with_common(kind: type[T]) -> type[T]:
    """A command's class with the common options beside its own."""
    made = dataclasses.make_dataclass(
        kind.__name__, [], bases=(CommonOptions, kind), frozen=True, kw_only=True
    )
    made.__doc__, made.__module__ = kind.__doc__, kind.__module__
    return made


@dataclass(frozen=True)
class Common:
    """A command line without the common options, and what they said."""

    arguments: tuple[str, ...]
    """The other words."""
    config: Path | None
    """The file of options."""
    plugins: tuple[str, ...]
    """Modules to import."""

    @classmethod
    def split(cls, given: Sequence[str]) -> "Common":
        """Take the common options out of a command line, wherever they stand.

        Raises:
            InvalidConfig: One has no value, or there are two files.
        """
        found: dict[str, list[str]] = {CONFIG: [], PLUGIN: []}
        rest: list[str] = []
        words = iter(given)
        for word in words:
            name, equals, value = word.partition("=")
            if name not in found:
                rest.append(word)
                continue
            value = value if equals else next(words, "")
            if not value or value.startswith("--"):
                message = f"{name} needs a value: {name} {'FILE' if name == CONFIG else 'MODULE'}"
                raise InvalidConfig(message)
            found[name].append(value)
        if len(found[CONFIG]) > 1:
            message = f"--config {found[CONFIG][1]}: one file of options can be given"
            raise InvalidConfig(message)
        config = Path(found[CONFIG][0]) if found[CONFIG] else None
        return cls(tuple(rest), config, tuple(found[PLUGIN]))

    def import_plugins(self, in_file: Sequence[str] = ()) -> None:
        """Import a user's modules, so that what they register can be named.

        Args:
            in_file: Those that the file of options names; they come first.

        Raises:
            InvalidConfig: One cannot be imported.
        """
        if not (in_file or self.plugins):
            return
        from phasezoo.registration import register_all

        register_all()  # modules of a user's own expect the environments
        for plugin in in_file:
            try:
                import_module(plugin)
            except InvalidConfig as error:
                message = f"{self.config}: plugin {error}"
                raise InvalidConfig(message) from error
        for plugin in self.plugins:
            if plugin not in in_file:
                import_module(plugin)

    def read(self) -> dict[str, Any]:
        """The options in the file, by name with underscores; none without a file.

        Raises:
            InvalidConfig: The file cannot be read, or holds something else.
        """
        if self.config is None:
            return {}
        if self.config.exists() and not self.config.is_file():  # might never end
            message = f"{self.config}: a folder, a device or a named pipe; --config takes a file"
            raise InvalidConfig(message)
        try:
            record = tomllib.loads(self.config.read_text(encoding="utf-8"))
        except OSError as error:
            message = f"{self.config}: cannot be read ({error.strerror})"
            raise InvalidConfig(message) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            message = f"{self.config}: not a TOML file ({error})"
            raise InvalidConfig(message) from error
        return {_underscored(key): value for key, value in record.items()}

    def taken_plugins(self, options: dict[str, Any]) -> list[str]:
        """Take the modules to import out of the options of the file.

        Raises:
            InvalidConfig: They are no names.
        """
        given = options.pop(PLUGIN[2:], [])
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list) or not all(isinstance(n, str) and n for n in names):
            message = (
                f'{self.config}: plugin = {given!r}: expected a module, plugin = "my_module", or '
                'several, plugin = ["my_module", "my_file.py"]'
            )
            raise InvalidConfig(message)
        return names

    def words(self, options: Mapping[str, Any]) -> list[str]:
        """Options of the file as words of a command line, without those that were typed.

        Raises:
            InvalidConfig: No option can have such a value.
        """
        typed = {_option_of(word) for word in self.arguments if word.startswith("--")}
        return [
            word
            for key, value in options.items()
            if key not in typed
            for word in _words(key, value, self.config)
        ]

    def check(self, options: Mapping[str, Any], tree: Any) -> None:
        """Refuse keys that are no options of the command that was typed.

        Args:
            options: What the file holds.
            tree: All commands.

        Raises:
            InvalidConfig: The message names file and key.
        """
        kind, _ = chosen(tree, [word for word in self.arguments if not word.startswith("-")])
        if kind is None:  # left to the parser of the whole line to refuse
            return
        own = {option.name for option in options_of(CommonOptions)}
        known = {o.name: o for o in options_of(kind) if o.name not in own}
        for key in options:
            if key not in known:
                names = ", ".join(o.name for o in known.values() if not o.is_positional)
                complaint = f"unknown key {key!r}; this command has {names}"
                message = f"{self.config}: {removal_of(key) or complaint}"
                raise InvalidConfig(message)
            if known[key].is_positional:
                message = f"{self.config}: {key} is not read from a file; type it"
                raise InvalidConfig(message)


def _words(key: str, value: Any, file: Path | None) -> list[str]:
    option = "--" + key.replace("_", "-")
    if isinstance(value, bool):
        return [option if value else f"--no-{option[2:]}"]
    if isinstance(value, list):
        return [option, *(str(item) for item in value)]
    if isinstance(value, Mapping):
        message = f"{file}: {key!r} is a table; options stand at the top of the file"
        raise InvalidConfig(message)
    return [option, str(value)]


def _underscored(name: str) -> str:
    return name.replace("-", "_")


def _option_of(word: str) -> str:
    """The option that a typed word gives, such as ``symmetries`` of ``--no-symmetries``."""
    name = _underscored(word[2:].partition("=")[0])
    return name.removeprefix("no_")
