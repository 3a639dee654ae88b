"""The commands of ``phasezoo``, and how a command line and its file of options name one."""

import contextlib
import dataclasses
import importlib
import inspect
import io
import logging
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TextIO

from phasezoo.errors import InvalidConfig
from phasezoo.specs import Argument, Arguments, did_you_mean

CONFIG, PLUGIN, LOG_FILE = "--config", "--plugin", "--log-file"

_SWITCHES = {"-q": "-q", "--quiet": "-q", "-v": "-v", "--verbose": "-v"}
_IN_FILE = {"quiet": bool, "verbose": bool, "log_file": str}
"""Common options that the file of options may have besides ``plugin``, and their types."""
_HELP = ("-h", "--help", "--help-all")


class Command(Protocol):
    """Options of a command, which can be run."""

    def run(self) -> int:
        """Do what was asked for, and return the exit code."""


@dataclass(frozen=True)
class CommonOptions:
    """Options of every command, which are read ahead of all others."""

    config_file: Annotated[Path | None, Argument(name="config", metavar="FILE")] = None
    """TOML file with options of this command by their names (min_lr = 0.001); those typed here
    win."""
    plugin: Annotated[tuple[str, ...], Argument(metavar="MODULE")] = ()
    """Module, or file, that is imported first: it registers games, gates, networks or agents of
    one's own; may be given several times, and named in the file (plugin = "my_module")."""
    quiet: Annotated[bool, Argument(short="-q")] = False
    """Show no progress: results and errors alone."""
    verbose: Annotated[bool, Argument(short="-v")] = False
    """Show what is logged for developers, too."""
    log_file: Annotated[Path | None, Argument(metavar="FILE")] = None
    """File to which standard output and all that is logged are appended as well (none: no file)."""


@dataclass(frozen=True)
class Entry:
    """A command, or a group of them."""

    options: Callable[[Sequence[str]], type[Any]] | None = None
    """Return the class of its options; the words of the command line may decide which."""
    members: Callable[[], "Mapping[str, Entry]"] = dict
    """Return the commands of a group by name."""
    about: str = ""
    """Description; default: that of the class."""

    def description(self) -> str:
        """The first paragraph of its help text."""
        if self.about or self.options is None:
            return self.about
        return (inspect.getdoc(self.options(())) or "").partition("\n\n")[0]


def _command(place: str) -> Entry:
    """A command whose module is imported when it is asked for."""

    def options(words: Sequence[str]) -> Any:
        module, _, name = place.partition(":")
        found = getattr(importlib.import_module(f"phasezoo.apps.{module}"), name)
        return found if inspect.isclass(found) else found(words)

    return Entry(options)


def _studies() -> Mapping[str, Entry]:
    from phasezoo.apps.reproduce_command import study_commands

    return {name: Entry(options) for name, options in study_commands().items()}


_DATA = {
    "fetch": _command("data_fetch_command:FetchOptions"),
    "import": _command("data_import_command:ImportOptions"),
    "phases": _command("data_phases_command:PhasesOptions"),
    "show": _command("data_show_command:ShowOptions"),
    "solve": _command("data_solve_command:SolveOptions"),
    "stats": _command("data_show_command:StatsOptions"),
}
_BENCH = {"inference": _command("inference_bench.command:InferenceBenchOptions")}

COMMANDS = Entry(
    members=lambda: {
        "reproduce": Entry(members=_studies, about="Repeat a published study, and write a report."),
        "data": Entry(members=lambda: _DATA, about="Games on disk, and solved endings."),
        "train": _command("train_command:TrainOptions"),
        "selfplay": _command("selfplay_command:selfplay_command"),
        "match": _command("tournament.commands:MatchOptions"),
        "tournament": _command("tournament.commands:TournamentOptions"),
        "audit": _command("reproduce_command:audit_command"),
        "generalise": _command("reproduce_command:generalise_command"),
        "uci": _command("uci.command:UciOptions"),
        "web": _command("web.command:WebOptions"),
        "check": _command("check_command:CheckOptions"),
        "perft": _command("perft_command:PerftOptions"),
        "bench": Entry(_command("bench_command:BenchOptions").options, lambda: _BENCH),
        "doctor": _command("doctor:DoctorOptions"),
        "completion": _command("command_line:CompletionOptions"),
    }
)
"""All commands."""


@dataclass(frozen=True)
class CommandLine:
    """A command line without the common options, and their values."""

    words: tuple[str, ...]
    """The other words."""
    config: Path | None
    """The file of options."""
    in_file: Mapping[str, Any]
    """Options in the file by name, with underscores, those that every command has left out."""
    plugins: tuple[str, ...]
    """Modules to import, those that the file names first."""
    quiet: bool = False
    """True for no progress."""
    verbose: bool = False
    """True for all that is logged."""
    log_file: Path | None = None
    """File that receives output and log as well."""

    @classmethod
    def read(cls, given: Sequence[str]) -> "CommandLine":
        """Take the common options out of a command line, wherever they are, and do as they say."""
        found: dict[str, list[str]] = {CONFIG: [], PLUGIN: [], LOG_FILE: []}
        rest: list[str] = []
        switches = set()
        words = iter(given)
        for word in words:
            name, equals, value = word.partition("=")
            if word in _SWITCHES:
                switches.add(_SWITCHES[word])
                continue
            if name not in found:
                rest.append(word)
                continue
            value = value if equals else next(words, "")
            if not value or value.startswith("--"):
                message = f"{name} needs a value: {name} {'MODULE' if name == PLUGIN else 'FILE'}"
                raise InvalidConfig(message)
            found[name].append(value)
        for name in (CONFIG, LOG_FILE):
            if len(found[name]) > 1:
                message = f"{name} {found[name][1]}: one file can be given"
                raise InvalidConfig(message)
        config = Path(found[CONFIG][0]) if found[CONFIG] else None
        options = {} if config is None else _options_in(config)
        common = {name: _taken(options, name, kind, config) for name, kind in _IN_FILE.items()}
        switches = switches or {"-" + name[0] for name in ("quiet", "verbose") if common[name]}
        if common["quiet"] and common["verbose"]:
            message = f"{config}: quiet and verbose: one shows less, the other more; give one"
            raise InvalidConfig(message)
        if len(switches) > 1:
            message = "-q, -v: one shows less, the other more; give one of them"
            raise InvalidConfig(message)
        first = _plugins_of(config, options.pop("plugin", []))
        plugins = tuple(dict.fromkeys([*first, *found[PLUGIN]]))
        _import(plugins, first, config)
        log = found[LOG_FILE][0] if found[LOG_FILE] else common["log_file"]
        log_file = None if log is None else Path(log)
        if log_file is not None:
            from phasezoo.runs.files import check_parent  # heavy

            check_parent(log_file, InvalidConfig)
            if log_file.is_fifo() or log_file.is_dir():
                message = f"--log-file {log_file}: is a pipe or a directory; give a file"
                raise InvalidConfig(message)
        return cls(
            tuple(rest), config, options, plugins, "-q" in switches, "-v" in switches, log_file
        )

    def command(self) -> Command | str:
        """Return the command, or the help text that is asked for."""
        entry, names = COMMANDS, ["phasezoo"]
        words = list(self.words) or ["--help"]
        while words and (member := entry.members().get(words[0])):
            entry = member
            names.append(words.pop(0))
        program = " ".join(names)
        wants_help = any(word in _HELP for word in words)
        try:
            if entry.options is None:
                if wants_help:
                    return _help(program, entry)
                raise _unknown_command(words, entry.members())
            kind = entry.options([*self._in_file_as_words(), *words])
            program = getattr(kind, "program", program)
            arguments = Arguments(kind, CommonOptions)
            if wants_help:
                return arguments.help(program, "--help-all" in words)
            typed = arguments.read(words)
            in_file = arguments.read_file(self.in_file, str(self.config), typed)
            command: Command = arguments.build({**in_file, **typed})
        except InvalidConfig as error:
            message = f"{error} (see {program} --help)"
            raise InvalidConfig(message) from error
        if hasattr(command, "plugin"):
            changed: Any = command
            command = dataclasses.replace(changed, plugin=self.plugins)
        return command

    def _in_file_as_words(self) -> list[str]:
        given = ((f"--{key.replace('_', '-')}", value) for key, value in self.in_file.items())
        return [k if v is True else f"{k}={v}" for k, v in given if v is not False]


def _taken(options: dict[str, Any], name: str, kind: type, config: Path | None) -> Any:
    """Take a common option out of those of a file; None if it is not there."""
    value = options.pop(name, None)
    if value is None or (isinstance(value, kind) and value != ""):
        return value
    expected = "true or false" if kind is bool else "the name of a file, in quotes"
    message = f"{config}: {name} = {value!r}: expected {expected}"
    raise InvalidConfig(message)


@contextlib.contextmanager
def output(line: CommandLine) -> Iterator[None]:
    """Show and log as the common options of a command line say.

    Progress is shown as long as the logger ``phasezoo`` takes warnings.
    """
    logger = logging.getLogger("phasezoo")
    before = logger.level, logger.propagate
    shown = logging.ERROR if line.quiet else logging.DEBUG if line.verbose else logging.WARNING
    with contextlib.ExitStack() as stack:
        handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
        handlers[0].setLevel(shown)
        handlers[0].setFormatter(logging.Formatter("phasezoo: %(levelname)s: %(message)s"))
        if line.log_file is not None:
            log = stack.enter_context(contextlib.closing(_Log(line.log_file)))
            handlers.append(logging.StreamHandler(log))
            handlers[1].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
            stack.enter_context(contextlib.redirect_stdout(_Both(sys.stdout, log)))
        for handler in handlers:
            logger.addHandler(handler)
            stack.callback(logger.removeHandler, handler)
        logger.setLevel(logging.DEBUG if line.log_file and not line.quiet else shown)
        try:
            yield
        finally:
            logger.setLevel(before[0])


class _Log(io.TextIOBase):
    """A file to append to, whose disk may get full: one warning says so, and no run ends."""

    def __init__(self, path: Path) -> None:
        self._file: TextIO | None = path.open("a", encoding="utf-8")

    def write(self, text: str) -> int:
        if self._file is not None:
            try:
                self._file.write(text)
                self._file.flush()
            except OSError as error:
                sys.stderr.write(
                    f"phasezoo: warning: --log-file {self._file.name}: {error.strerror}; it ends "
                    "here\n"
                )
                self._end()
        return len(text)

    def close(self) -> None:
        self._end()
        super().close()

    def _end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # what is kept back cannot be written either
                file.close()


class _Both(io.TextIOBase):
    """A text stream that writes to two; no terminal, whose bars would fill the file."""

    def __init__(self, first: TextIO, second: io.TextIOBase) -> None:
        self._both = first, second

    def write(self, text: str) -> int:
        for each in self._both:
            each.write(text)
        return len(text)

    def flush(self) -> None:
        for each in self._both:
            each.flush()

    def fileno(self) -> int:
        return self._both[0].fileno()


@dataclass(frozen=True)
class CompletionOptions:
    """Print the script that completes commands and options in a shell.

    For bash: `eval "$(phasezoo completion bash)"` in ~/.bashrc. For zsh: `phasezoo completion zsh >
    DIR/_phasezoo`, with a DIR of $fpath. For fish: `phasezoo completion fish >
    ~/.config/fish/completions/phasezoo.fish`.
    """

    shell: Annotated[Literal["bash", "zsh", "fish"], Argument(positional=True)]
    """Shell that reads the script: bash, zsh or fish."""

    def run(self) -> int:
        """Print the script."""
        import argparse

        import shtab

        parser = argparse.ArgumentParser("phasezoo", add_help=False)
        _fill(parser, COMMANDS)
        sys.stdout.write(shtab.complete(parser, self.shell) + "\n")
        return 0


def _fill(parser: Any, entry: Entry) -> None:
    """Add the options and members of a command to a parser."""
    if entry.options is not None:
        Arguments(entry.options(()), CommonOptions).fill(parser)
    if members := entry.members():
        commands = parser.add_subparsers(required=entry.options is None)
        for name, each in members.items():
            about = each.description().replace("%", "%%")
            _fill(commands.add_parser(name, help=about, add_help=False), each)


def option_in(words: Sequence[str], name: str) -> str | None:
    """Return the last value of an option, for what decides which options there are.

    Args:
        words: The words of a command line.
        name: The option, such as ``--preset``.

    Returns:
        None if the option is not there; an empty text if it has no value.
    """
    found = None
    for word, following in zip_longest(words, words[1:], fillvalue=""):
        if word == name:
            found = "" if following.startswith("--") else following
        elif word.startswith(f"{name}="):
            found = word.partition("=")[2]
    return found


def match_hint(
    agent: str,
    game: str,
    plugins: Sequence[str],
    *,
    opponent: str = "random",
    board: bool = False,
) -> str:
    """Return the lines that say how to play with an agent that a command made."""
    from phasezoo import games
    from phasezoo.apps.tournament.commands import MatchOptions
    from phasezoo.arena.tournaments import playable

    own, text = "".join(f" --plugin {shlex.quote(p)}" for p in plugins), shlex.quote(agent)
    other = shlex.quote(opponent)
    usual, most = MatchOptions.games, playable(MatchOptions.games, games.make(game))
    count = "" if most == usual else f" --games {most}"
    hint = f"next: phasezoo match {text} {other} --game {game}{count}{own}"
    return f"{hint}\n      phasezoo web --agents {text}{own}" if board else hint


def _unknown_command(words: Sequence[str], members: Mapping[str, Entry]) -> InvalidConfig:
    known = ", ".join(members)
    if not words:
        return InvalidConfig(f"expected one of {known}")
    if words[0].startswith("-"):
        hint = did_you_mean(words[0], ("--help", "--version"))
        return InvalidConfig(f"{words[0]!r}: no such option here{hint} Expected one of {known}")
    hint = did_you_mean(words[0], members)
    return InvalidConfig(f"{words[0]!r}: no such command{hint} There are {known}")


def _help(program: str, group: Entry) -> str:
    """The help text of a group of commands."""
    import argparse

    parser = argparse.ArgumentParser(
        program, usage="%(prog)s [-h] COMMAND ...", description=group.about
    )
    commands = parser.add_argument_group("commands")
    for name, each in group.members().items():
        commands.add_argument(name, help=each.description().replace("%", "%%"))
    parser.epilog = f"{program} COMMAND --help lists the options of one."
    return parser.format_help()


def _options_in(file: Path) -> dict[str, Any]:
    """The options in a file, by name with underscores."""
    if file.exists() and not file.is_file():  # might never end
        message = f"{file}: a folder, a device or a named pipe; --config takes a file"
        raise InvalidConfig(message)
    try:
        record = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"{file}: cannot be read ({error.strerror})"
        raise InvalidConfig(message) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        message = f"{file}: not a TOML file ({error})"
        raise InvalidConfig(message) from error
    found: dict[str, Any] = {}
    for key, value in record.items():
        name = key.replace("-", "_")
        if name in found:
            message = f"{file}: {name} is there twice, with - and with _; give it once"
            raise InvalidConfig(message)
        found[name] = value
    return found


def _plugins_of(file: Path | None, given: Any) -> list[str]:
    """The modules that a file of options names."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        message = (
            f'{file}: plugin = {given!r}: expected a module, plugin = "my_module", or several, '
            'plugin = ["my_module", "my_file.py"]'
        )
        raise InvalidConfig(message)
    return names


def _import(plugins: Sequence[str], in_file: Sequence[str], file: Path | None) -> None:
    """Import a user's modules, so that what they register can be named."""
    if not plugins:
        return
    from phasezoo.plugins import import_module
    from phasezoo.registration import register_all

    register_all()  # modules of a user's own expect the environments
    for plugin in plugins:
        try:
            import_module(plugin)
        except InvalidConfig as error:
            if plugin not in in_file:
                raise
            message = f"{file}: plugin {error}"
            raise InvalidConfig(message) from error
