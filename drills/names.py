"""The names that a drill's command is given."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence


def add_names(parser: ArgumentParser, known: Iterable[str]) -> None:
    """Let the command name some of what is known, or none for all of it."""
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(known)}; default all")


def parsed(
    parser: ArgumentParser, words: Sequence[str], known: Iterable[str], kind: str
) -> Namespace:
    """The options of a command, its ``names`` never empty; ends the program if one is unknown."""
    options = parser.parse_args(words)
    if unknown := sorted(set(options.names) - set(known)):
        parser.error(f"no such {kind}: {', '.join(unknown)}; known are {', '.join(known)}")
    options.names = options.names or list(known)
    return options
