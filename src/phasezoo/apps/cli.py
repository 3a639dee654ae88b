"""The command ``phasezoo``: finds the subcommand, runs it, turns errors into one line and a code.

Exit codes: 0 done, 1 the work failed, 2 the command was wrong, 130 stopped by Ctrl-C.
"""

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated, Any, Protocol, Self, TextIO, Union

from tyro.conf import subcommand

from phasezoo._interrupt import STOPPED, nothing_written, saying
from phasezoo.apps.command_words import arranged, chosen
from phasezoo.apps.common import PLUGIN, Common, with_common
from phasezoo.apps.options import parse
from phasezoo.apps.uci.command import UciOptions
from phasezoo.errors import (
    InvalidConfig,
    InvalidFen,
    InvalidGate,
    InvalidPlaneSpec,
    NotRegistered,
    PhasezooError,
    UnknownGame,
)

DONE, FAILED, USAGE = 0, 1, 2

UCI = "uci"
"""The command that is parsed alone."""

_WRONG_COMMAND = (InvalidConfig, InvalidFen, InvalidGate, InvalidPlaneSpec, UnknownGame)
"""Errors that lie in what was typed; all others lie in the work."""

_LONGEST = 200
"""Letters of a word in a message."""


class Command(Protocol):
    """Options of a subcommand, which can be run."""

    def run(self) -> int:
        """Do what was asked for, and return the exit code."""


class Parsed(Command, Protocol):
    """The same with the common options beside its own."""

    def with_plugins(self, plugins: Sequence[str]) -> Self:
        """The same options with the modules that were imported first."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: What follows the program's name; default ``sys.argv[1:]``.

    Raises:
        SystemExit: Help was asked for and printed.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given == ["help"]:
        given = ["--help"]
    try:
        with saying(nothing_written), warnings.catch_warnings():
            warnings.showwarning = _warn
            code = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        # The reader has left, as in `phasezoo … | head`.
        _close_output()
        return DONE
    except PhasezooError as error:
        sys.stderr.write(f"phasezoo: {_shorten(' '.join(_explained(error).split()))}\n")
        return USAGE if isinstance(error, _WRONG_COMMAND) else FAILED
    except OSError as error:
        if error.filename is None:
            return _full_output(error)
        sys.stderr.write(f"phasezoo: {_shorten(str(error.filename))}: {error.strerror}\n")
        return FAILED
    return code


def uci_main() -> int:
    """Run ``phasezoo uci`` as a program of its own, for interfaces that give no arguments.

    Raises:
        SystemExit: Help was asked for and printed.
    """
    return main([UCI, *sys.argv[1:]])


def _full_output(error: OSError) -> int:
    """Say that standard output is full, as errors of the disk that name no file do."""
    from phasezoo.runs.files import is_full

    if not is_full(error):
        raise error
    _close_output()
    sys.stderr.write(f"phasezoo: standard output: {error.strerror}; free some space, then again\n")
    return FAILED


def _close_output() -> None:
    """Let standard output end nowhere; Python would complain about it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(given: list[str]) -> int:
    if given[0] in ("-V", "--version"):
        sys.stdout.write(f"phasezoo {metadata.version('phasezoo')}\n")
        return DONE
    common = Common.split(given)
    options = common.read()
    plugins = common.taken_plugins(options)
    common.import_plugins(plugins)
    added = common.words(options)
    arguments, program = common.arguments, "phasezoo"
    if arguments[:1] == (UCI,):  # the others' modules would take longer than it may
        tree: Any = with_common(UciOptions)
        arguments, program = arguments[1:], f"phasezoo {UCI}"
        words = [*_in_order(arguments, tree), *added]
    else:
        tree = _tree([*arguments, *added])
        words = [*(_in_order(arguments, tree) or ["--help"]), *added]
    common.check(options, tree)
    try:
        command: Parsed = parse(tree, words, program)
    except InvalidConfig as error:
        if not options:
            raise
        message = f"{error}; options of {common.config} were read too"
        raise InvalidConfig(message) from error
    return command.with_plugins([*plugins, *common.plugins]).run()


def _in_order(given: Sequence[str], tree: Any) -> list[str]:
    kind, named_by = chosen(tree, given)
    return list(given) if kind is None else arranged(given, kind, named_by)


def _tree(given: Sequence[str]) -> Any:
    """Every subcommand, a line each."""
    from phasezoo.apps.bench_command import BenchOptions
    from phasezoo.apps.check_command import CheckOptions
    from phasezoo.apps.data_import_command import ImportOptions
    from phasezoo.apps.data_phases_command import PhasesOptions
    from phasezoo.apps.data_show_command import ShowOptions, StatsOptions
    from phasezoo.apps.doctor import DoctorOptions
    from phasezoo.apps.inference_bench.command import InferenceBenchOptions
    from phasezoo.apps.perft_command import PerftOptions
    from phasezoo.apps.reproduce_command import generalise_command, reproduce_tree
    from phasezoo.apps.selfplay_command import selfplay_command
    from phasezoo.apps.tournament.commands import MatchOptions, TournamentOptions
    from phasezoo.apps.train_command import TrainOptions
    from phasezoo.apps.web.command import WebOptions

    data = _union(
        _named(ImportOptions, "import"),
        _named(PhasesOptions, "phases"),
        _named(ShowOptions, "show"),
        _named(StatsOptions, "stats"),
    )
    bench = _named(BenchOptions, "bench")
    if "inference" in given[1:2]:
        inference = _named(InferenceBenchOptions, "inference")
        both = _union(inference, _named(BenchOptions, "all"))
        bench = Annotated[both, subcommand("bench", description="Speed, measured here.")]
    return _union(
        Annotated[
            _union(*reproduce_tree(given)),
            subcommand("reproduce", description="Do a published study again, and write a report."),
        ],
        Annotated[data, subcommand("data", description="Games on disk.")],
        _named(TrainOptions, "train"),
        selfplay_command(given),
        _named(MatchOptions, "match"),
        _named(TournamentOptions, "tournament"),
        generalise_command(given),
        _named(UciOptions, UCI),
        _named(WebOptions, "web"),
        _named(CheckOptions, "check"),
        _named(PerftOptions, "perft"),
        bench,
        _named(DoctorOptions, "doctor"),
    )


def _named(kind: type[Command], name: str) -> Any:
    return Annotated[with_common(kind), subcommand(name)]


def _union(*members: Any) -> Any:
    # A union of one member would be that member, and no subcommand.
    return Union[members]  # noqa: UP007


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """One line of a warning, as of an error."""
    sys.stderr.write(f"phasezoo: warning: {_shorten(' '.join(str(message).split()))}\n")


def _explained(error: BaseException) -> str:
    """The error's words; a name that may be of one's own needs the module that registers it."""
    text, cause = "; ".join([str(error), *getattr(error, "__notes__", ())]), error
    while not isinstance(cause, NotRegistered):
        reason = cause.__cause__ or cause.__context__
        if reason is None:
            return text
        cause = reason
    if PLUGIN in text:
        return text
    return f"{text}; {PLUGIN} MODULE imports a module, or file, that registers one of your own"


def _shorten(text: str) -> str:
    """Cut words, such as paths, that are too long to be read."""
    return " ".join(w if len(w) <= _LONGEST else f"{w[:40]}…{w[-40:]}" for w in text.split(" "))
