"""The Universal Chess Interface as engines really speak it.

python-chess gives an engine up for one option that it cannot read, and writes a traceback for an
illegal ponder move. Neither hinders play.
"""

import functools
import logging
import re
from collections.abc import Mapping

from chess.engine import ConfigValue, Option, UciProtocol

__all__ = ["EngineProtocol"]

_LOGGER = logging.getLogger(__name__)

_OPTION = re.compile(
    r"name\s+(?P<name>\S.*?)\s+type\s+(?P<type>check|spin|combo|button|string)(\s+(?P<rest>.*))?",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:^|(?<=\s))(default|min|max|var)(?:\s+|$)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")

_LONGEST = 200
"""Letters of an engine's line that a warning quotes."""


class EngineProtocol(UciProtocol):
    """python-chess's protocol, which plays on where an engine's lines are at fault.

    An option whose default is missing or out of its range can be set all the same; one whose name
    or type cannot be read is passed over. Each fault is one warning in the log.
    """

    program = "engine"
    """What warnings call the engine."""

    def _line_received(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        if word == "option" and not self.initialized:
            self._add_option(rest.strip())
            return
        if word == "bestmove":
            line = self._without_bad_ponder_move(line)
        super()._line_received(line)

    def _add_option(self, text: str) -> None:
        shown = f"{'option ' + text[:_LONGEST]!r}{'…' if len(text) > _LONGEST else ''}"
        found = _OPTION.fullmatch(text)
        if found is None:
            _warn_once(self.program, f"{shown}: no name or no type that UCI knows; passed over")
            return
        option, fault = _read_option(found["name"], found["type"].lower(), found["rest"] or "")
        self.options[option.name] = option
        for known in (self.config, self.target_config):
            known.pop(option.name, None)  # of an option told twice, the last counts
        if fault:
            _warn_once(self.program, f"{shown}: {fault}; the option can be set all the same")
        elif option.default is not None:
            self.config[option.name] = option.default
            if not (option.is_managed() or option.name.lower() == "uci_analysemode"):
                self.target_config[option.name] = option.default

    def _without_bad_ponder_move(self, line: str) -> str:
        words = line.split()
        if len(words) < 4 or words[2] != "ponder" or words[3] in ("(none)", "NULL"):
            return line
        board = self.board.copy(stack=False)
        try:
            board.push_uci(words[1].lower())
        except ValueError:
            return line  # python-chess refuses that move
        try:
            board.parse_uci(words[3].lower())
        except ValueError:
            _warn_once(self.program, "illegal ponder moves are ignored")
            return " ".join(words[:2])
        return line


@functools.lru_cache(maxsize=256)
def _warn_once(program: str, text: str) -> None:
    """Say it of the first of a program's processes."""
    _LOGGER.warning("%s: %s", program, text)


def _read_option(name: str, kind: str, rest: str) -> tuple[Option, str]:
    """An option, and what is wrong with it; empty for nothing."""
    default: ConfigValue
    if kind == "string":  # its default may hold any words
        word, _, text = rest.partition(" ")
        before, given, words = rest if word != "default" else "", {"default": text.strip()}, []
    else:
        before, *parts = (part.strip() for part in _FIELD.split(rest))
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        given = dict(reversed(pairs))  # the first of each counts
        words = [value for field, value in pairs if field == "var"]
    default = None if kind == "button" else given.get("default")
    least, most, fault = _number(given.get("min")), _number(given.get("max")), ""
    if kind == "spin":
        default = _number(given.get("default"))
        fault = _fault_of_spin(default, least, most, given)
        if fault:  # python-chess sets MultiPV to its default
            default = 1 if least is None else least
    elif kind == "combo" and default not in words:
        default, fault = None, "its default is not one of its values"
    elif kind == "check" and default is not None:
        default = {"true": True, "false": False}.get(given["default"].lower())
        fault = "its default is neither true nor false" if default is None else ""
    if before:
        fault = "expected default, min, max or var after the type"
    return Option(name, kind, default, least, most, words), fault


def _fault_of_spin(
    default: int | None, least: int | None, most: int | None, given: Mapping[str, str]
) -> str:
    if default is None:
        return "its default is not a whole number"
    if (least is None and "min" in given) or (most is None and "max" in given):
        return "its range is not two whole numbers"
    is_below = least is not None and default < least
    is_above = most is not None and default > most
    return "its default is out of its range" if is_below or is_above else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None
