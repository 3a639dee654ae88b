"""``phasezoo reproduce m2cts`` and ``reproduce krk``: published studies from the command line."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import tyro

from phasezoo.apps.options import parse
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.command import resuming
from phasezoo.experiments.console import TerminalConsole
from phasezoo.experiments.krk import command as krk
from phasezoo.experiments.krk.config import PRESETS as KRK_PRESETS
from phasezoo.experiments.krk.config import KrkConfig
from phasezoo.experiments.m2cts import command as m2cts
from phasezoo.experiments.m2cts.config import PRESETS as M2CTS_PRESETS
from phasezoo.experiments.m2cts.config import M2ctsConfig
from phasezoo.experiments.pommerman import command as pommerman
from phasezoo.experiments.pommerman.config import PRESETS as POMMERMAN_PRESETS
from phasezoo.experiments.pommerman.config import PommermanConfig

__all__ = ["KrkOptions", "M2ctsOptions", "PommermanOptions", "krk_main", "main"]

STOPPED = 130


@dataclass(frozen=True)
class M2ctsOptions:
    """Train phase experts, play M2CTS against MCTS with one network, and write a report.

    Sizes come as presets, and every setting of a preset can be given by itself. With --game
    pommerman the study is played in Pommerman, with options of its own: see --game pommerman
    --help.
    """

    out: Path | None = None
    """Directory of the run, new or empty; the same command again continues what is unfinished
    there (none: runs/m2cts-PRESET)."""
    resume: Path | None = None
    """Directory of a run to continue after Ctrl-C or a kill, with its own settings; nothing else
    may be given beside it."""
    config: Annotated[M2ctsConfig, tyro.conf.arg(name="")] = field(default_factory=M2ctsConfig)
    """What to run."""


@dataclass(frozen=True)
class KrkOptions:
    """Play king and rook against king with UCT over many settings, and write a report.

    Sizes come as presets, and every setting of a preset can be given by itself.
    """

    out: Path | None = None
    """Directory of the run, new or empty; the same command again continues what is unfinished
    there (none: runs/krk-PRESET)."""
    resume: Path | None = None
    """Directory of a run to continue after Ctrl-C or a kill, with its own settings; nothing else
    may be given beside it."""
    config: Annotated[KrkConfig, tyro.conf.arg(name="")] = field(default_factory=KrkConfig)
    """What to run."""


@dataclass(frozen=True)
class PommermanOptions:
    """Train phase experts for Pommerman, search with them in free-for-all, and write a report.

    Sizes come as presets, and every setting of a preset can be given by itself.
    """

    out: Path | None = None
    """Directory of the run, new or empty; the same command again continues what is unfinished
    there (none: runs/pommerman-PRESET)."""
    resume: Path | None = None
    """Directory of a run to continue after Ctrl-C or a kill, with its own settings; nothing else
    may be given beside it."""
    config: Annotated[PommermanConfig, tyro.conf.arg(name="")] = field(
        default_factory=PommermanConfig
    )
    """What to run."""


Options = TypeVar("Options", M2ctsOptions, KrkOptions, PommermanOptions)

GAMES = ("chess", "pommerman")
"""Games of the study of phase experts."""


def main(arguments: Sequence[str]) -> int:
    """Run ``phasezoo reproduce m2cts``.

    Raises:
        PhasezooError: The options are wrong, or the run failed; what is finished is kept.
    """
    game, arguments = _game(arguments)
    if game == "pommerman":
        return _pommerman_main(arguments)
    default = M2ctsOptions(config=_preset(arguments, M2CTS_PRESETS))
    options = _read(arguments, m2cts.PROGRAM, default)
    # Loaded only now: help and wrong options should not wait for torch.
    from phasezoo.experiments.m2cts import run

    games = options.config.games
    if games is not None:
        # A resumed run may be started from elsewhere.
        config = dataclasses.replace(options.config, games=games.absolute())
        options = dataclasses.replace(options, config=config)
    return _run(run, m2cts.PROGRAM, options)


def _pommerman_main(arguments: Sequence[str]) -> int:
    default = PommermanOptions(config=_preset(arguments, POMMERMAN_PRESETS))
    options = _read(arguments, pommerman.PROGRAM, default)
    from phasezoo.experiments.pommerman import run

    return _run(run, pommerman.PROGRAM, options)


def _game(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """The game that is asked for, and the other arguments.

    Raises:
        InvalidConfig: There is no study of that game.
    """
    game, rest = "chess", []
    words = iter(arguments)
    for word in words:
        if word == "--game":
            game = next(words, "")
        elif word.startswith("--game="):
            game = word.removeprefix("--game=")
        else:
            rest.append(word)
    if game not in GAMES:
        message = f"--game {game}: expected {' or '.join(GAMES)}"
        raise InvalidConfig(message)
    return game, rest


def krk_main(arguments: Sequence[str]) -> int:
    """Run ``phasezoo reproduce krk``.

    Raises:
        PhasezooError: The options are wrong, or the run failed; what is finished is kept.
    """
    options = _read(arguments, krk.PROGRAM, KrkOptions(config=_preset(arguments, KRK_PRESETS)))
    from phasezoo.experiments.krk import run

    return _run(run, krk.PROGRAM, options)


def _run(study: Any, program: str, options: M2ctsOptions | KrkOptions | PommermanOptions) -> int:
    """Start or continue a run of a study's module; Ctrl-C says how to go on."""
    name = f"{program.rsplit(maxsplit=1)[-1]}-{options.config.preset}"
    out = options.resume or options.out or Path("runs") / name
    console = TerminalConsole()
    try:
        if options.resume is not None:
            study.resume(options.resume, console)
        else:
            study.reproduce(options.config, out, console)
    except KeyboardInterrupt:
        if (out / "config.json").exists():
            sys.stderr.write(f"\nStopped. Continue with: {resuming(program, out)}\n")
        return STOPPED
    return 0


def _read(arguments: Sequence[str], program: str, default: Options) -> Options:
    """The options, over the values of ``default``, which are those of the preset asked for."""
    options = parse(type(default), arguments, program, default)
    if options.resume is not None:
        if options != dataclasses.replace(default, resume=options.resume):
            message = (
                f"--resume {options.resume}: a run continues with its own settings; give nothing "
                "else beside it, or start another run with --out"
            )
            raise InvalidConfig(message)
        return options
    options.config.validate()
    return options


Config = TypeVar("Config", M2ctsConfig, KrkConfig, PommermanConfig)


def _preset(arguments: Sequence[str], presets: Mapping[Any, Config]) -> Config:
    """The preset that is asked for; a name that is none is left for the parser to refuse."""
    asked = "quick"
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == "--preset":
            asked = following
        elif word.startswith("--preset="):
            asked = word.removeprefix("--preset=")
    return presets.get(asked, presets["quick"])
