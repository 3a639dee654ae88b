"""The Universal Chess Interface as engines really speak it.

python-chess gives an engine up for one option that it cannot read, writes a traceback for an
illegal ponder move, and logs every line at fault without the engine's name. None hinders play.
"""

import logging
import re
from collections.abc import Mapping

from chess.engine import ConfigValue, Option, UciProtocol

_LOGGER = logging.getLogger(__name__)

_OPTION = re.compile(
    r"name\s+(?P<name>\S.*?)\s+type\s+(?P<type>check|spin|combo|button|string)(\s+(?P<rest>.*))?",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:^|(?<=\s))(default|min|max|var)(?:\s+|$)")
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")

_LONGEST = 200
"""Letters of an engine's line that a warning quotes."""

_MOST = 1000
"""Warnings that are remembered; after as many, they are given again."""

_ANSWERS = ("info", "bestmove", "readyok")
"""First words of what an engine says once it is started."""

_warned: set[tuple[str, str]] = set()
"""Programs and the kinds of faults that they have been warned of."""


class EngineProtocol(UciProtocol):
    """python-chess's protocol, which plays on where an engine's lines are at fault.

    An option whose default is missing or out of its range can be set all the same; one whose name
    or type cannot be read is passed over, as are lines that mean nothing and numbers in lines of
    ``info`` that are none. Each kind of fault is one warning in the log for each program.
    """

    program = "engine"
    """The engine's name in warnings."""

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        """Take what the engine has written; lines that are not UTF-8 count as Latin-1."""
        self.buffer[fd].extend(data.encode() if isinstance(data, str) else data)
        *lines, self.buffer[fd] = self.buffer[fd].split(b"\n")
        for line in lines:
            try:
                text = line.decode()
            except UnicodeDecodeError:
                text = line.decode("latin-1")
                self._warn("lines that are not UTF-8 are read as Latin-1", text)
            if fd == 1:
                self._line_received(text)
            else:
                self.error_line_received(text)

    def _line_received(self, line: str) -> None:
        line = line.strip()
        word, _, rest = line.partition(" ")
        if not self.initialized:
            if word == "option":
                self._add_option(rest.strip())
            else:
                super()._line_received(line)
            return
        awaits_ready = getattr(self.command, "sent_isready", None)  # None: no move is asked for
        if word not in _ANSWERS or (word == "readyok" and awaits_ready is False):
            if line:
                self._warn("unexpected lines are ignored", line)
            return
        if word == "info":
            if awaits_ready is None:
                return
            line = self._readable_info(line)
        elif word == "bestmove":
            line = self._without_bad_ponder_move(line)
        super()._line_received(line)

    def _warn(self, fault: str, line: str) -> None:
        """Warn of the first line with a fault."""
        _warn_once(self.program, f"{fault}: {_shown(line)}", kind=fault)

    def _readable_info(self, line: str) -> str:
        """A line of ``info`` with what is used of it, as far as it can be read."""
        words = line.split()
        kept = words[:1]
        for at, word in enumerate(words):
            if word == "string":  # what follows is text
                break
            if word in ("depth", "nodes"):
                given = words[at : at + 2]
                number = _number(given[-1])
                is_good = number is not None and number >= 0
            elif word == "score":
                given = words[at : at + 3]
                is_good = given[1:2] in (["cp"], ["mate"]) and _number(given[-1]) is not None
            else:
                continue
            if is_good:
                kept += given
            else:
                self._warn(f"an unreadable {word!r} in a line of info is ignored", line)
        return " ".join(kept)

    def _add_option(self, text: str) -> None:
        shown = _shown(f"option {text}")
        found = _OPTION.fullmatch(text)
        if found is None:
            _warn_once(self.program, f"{shown}: no name or no type that UCI knows; passed over")
            return
        option, fault = _read_option(found["name"], found["type"].lower(), found["rest"] or "")
        self.options[option.name] = option
        for known in (self.config, self.target_config):
            known.pop(option.name, None)  # of an option given twice, the last counts
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


def _shown(line: str) -> str:
    return f"{line[:_LONGEST]!r}{'…' if len(line) > _LONGEST else ''}"


def _warn_once(program: str, text: str, kind: str = "") -> None:
    """Warn of a kind of fault, by default the text itself, once for each program."""
    if len(_warned) >= _MOST:
        _warned.clear()
    known = (program, kind or text)
    if known not in _warned:
        _warned.add(known)
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
        if least is not None and most is not None and least > most:
            least = most = None  # no value is allowed by it
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
    if least is not None and most is not None and least > most:
        return f"its range is empty, min {least} being above max {most}: it is left to the engine"
    is_below = least is not None and default < least
    is_above = most is not None and default > most
    return "its default is out of its range" if is_below or is_above else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and _NUMBER.fullmatch(text) else None
