"""The command line as tyro reads it from dataclasses; errors become one sentence."""

import contextlib
import dataclasses
import io
import re
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

import tyro
from tyro.constructors import (
    MISSING_NONPROP,
    ConstructorRegistry,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
)

from phasezoo.apps.command_words import chosen, options_of, unknown_command
from phasezoo.errors import InvalidConfig
from phasezoo.specs import as_typed, check, values_of
from phasezoo.specs.removed import removal_of

T = TypeVar("T")

_FRAME = re.compile(r"[╭╮╰╯│─┌┐└┘├┤━┃]+")
_RULE = re.compile(r"\s*-{5,}\s*")
_NO_NUMBER = re.compile(
    r"Error parsing (\S+): (?:(invalid literal for int\(\) with base 10)|"
    r"could not convert string to float): '(.*?)'"
)
_NO_TYPE = re.compile(
    r"no type matching \{None\}\|(\S+) could be instantiated from \['(.*?)'\]\..*"
)
_OPTION = re.compile(r"--[a-z][\w.-]*")
_APPLIED = re.compile(r" \(applied to [^()]*\)")
_SIMILAR = " Arguments are applied to"
"""Begins what tyro says of options with names alike, whatever command they belong to."""
_HINTS = ("For full helptext", "Argument helptext")


RANGES = ConstructorRegistry()
"""Has help texts say what range an option's annotation gives it."""


@RANGES.struct_rule
def _with_ranges(info: StructTypeInfo) -> StructConstructorSpec | None:
    if not dataclasses.is_dataclass(info.type) or _asking:
        return None
    _asking.append(info.type)
    try:
        spec = ConstructorRegistry.get_struct_spec(info)
    finally:
        _asking.pop()
    if not isinstance(spec, StructConstructorSpec):
        return None
    fields = tuple(map(_with_range, spec.fields))
    return dataclasses.replace(spec, fields=fields)


_asking: list[Any] = []
"""The class whose specification tyro is asked for, so that its own rule answers."""


def _with_range(field: StructFieldSpec) -> StructFieldSpec:
    words = values_of(field.type).range_words
    if not words or field.default is MISSING_NONPROP:
        return field
    hint = tyro.conf.arg(help_behavior_hint=lambda default: f"({words}; default: {default})")
    noted: Any = Annotated[field.type, hint]
    return dataclasses.replace(field, type=noted)


def parse(kind: Any, arguments: Sequence[str], program: str) -> Any:
    """Read a command line into a value of ``kind``; ``--help`` prints it and ends the program.

    Args:
        kind: A dataclass, or a union of them annotated as subcommands; fields are the options,
            docstrings their help.
        arguments: What was typed after the program's name.
        program: The program's name.

    Raises:
        InvalidConfig: A command or option is unknown, missing, ill-formed or out of range.
    """
    complaints = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaints):
            found = tyro.cli(
                kind,
                prog=program,
                args=list(arguments),
                config=(tyro.conf.OmitSubcommandPrefixes,),
                registry=RANGES,
            )
    except SystemExit as end:
        if end.code in (0, None):
            raise
        command, count = chosen(kind, arguments)
        named = getattr(command, "program", None) or " ".join([program, *arguments[:count]])
        names = [word[2:].partition("=")[0] for word in arguments if word.startswith("--")]
        complaint = (
            unknown_command(kind, arguments)
            or next(filter(None, map(removal_of, names)), None)
            or _with_own_hints(_sentence(complaints.getvalue()), command)
        )
        message = f"{complaint} (see {named} --help)"
        raise InvalidConfig(message) from None
    check(found, as_typed)
    return found


def glance(kind: type[T], arguments: Sequence[str]) -> T:
    """Read a few options ahead of all others, which are left alone.

    Args:
        kind: A dataclass with a default for every field.
        arguments: The whole command line.
    """
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            found, _ = tyro.cli(
                kind, args=list(arguments), return_unknown_args=True, add_help=False
            )
    except SystemExit:  # ill-formed: left to the parser of the whole line to refuse
        return kind()
    return found


def _sentence(framed: str) -> str:
    """Tyro's framed complaint as one line: what is wrong, without frame, title and hints."""
    parts: list[str] = []
    lines = framed[max(framed.find("╭"), 0) :].splitlines()
    ruled = [number for number, line in enumerate(lines) if _RULE.fullmatch(line)]
    if ruled:  # a terminal without the characters of frames: the title stands above a rule
        lines = lines[ruled[0] :]
    for line in lines:
        if line.startswith(("╭", "┌")) or _RULE.fullmatch(line):
            continue  # the title, such as "Value error"
        text = _FRAME.sub(" ", line).strip()
        if text.startswith(_HINTS):
            break
        if text:
            parts.append(text)
    joined = re.sub(r"\s+", " ", " ".join(parts)).strip().rstrip(".")
    joined, _, _ = joined.partition(_SIMILAR)
    joined = _APPLIED.sub("", joined)
    joined = _NO_NUMBER.sub(_no_number, joined)
    joined = _NO_TYPE.sub(r"expected \1, not '\2'", joined)
    return joined or "the options cannot be read"


def _with_own_hints(sentence: str, command: Any) -> str:
    """Return an error with similar names of this command alone, and without their help."""
    wrong, _, alike = sentence.partition(" Perhaps you meant:")
    if not dataclasses.is_dataclass(command):
        return wrong
    own = {option.name for option in options_of(command)}
    names = dict.fromkeys(_OPTION.findall(alike))
    known = [name for name in names if name[2:].replace("-", "_") in own][:3]
    return f"{wrong}; perhaps {' or '.join(known)}" if known else wrong


def _no_number(found: re.Match[str]) -> str:
    option, whole, given = found.groups()
    return f"{option} {given}: expected a {'whole ' if whole else ''}number"
