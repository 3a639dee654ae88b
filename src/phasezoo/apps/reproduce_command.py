"""``phasezoo reproduce m2cts``: the main job from the command line."""

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro

from phasezoo.apps.options import parse
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.console import TerminalConsole
from phasezoo.experiments.m2cts.command import PROGRAM, resuming
from phasezoo.experiments.m2cts.config import PRESETS, M2ctsConfig

__all__ = ["Options", "main"]

STOPPED = 130


@dataclass(frozen=True)
class Options:
    """Train phase experts, play M2CTS against MCTS with one network, and write a report.

    Sizes come as presets, and every setting of a preset can be given by itself.
    """

    out: Path | None = None
    """Directory of the run, new or empty; the same command again continues what is unfinished
    there (none: runs/m2cts-PRESET)."""
    resume: Path | None = None
    """Directory of a run to continue after Ctrl-C or a kill, with its own settings; nothing else
    may be given beside it."""
    config: Annotated[M2ctsConfig, tyro.conf.arg(name="")] = field(default_factory=M2ctsConfig)
    """What to run."""


def main(arguments: Sequence[str]) -> int:
    """Run the command.

    Raises:
        PhasezooError: The options are wrong, or the run failed; what is finished is kept.
    """
    options = _read(arguments)
    out = options.resume or options.out or Path("runs") / f"m2cts-{options.config.preset}"
    # Loaded only now: help and wrong options should not wait for torch.
    from phasezoo.experiments.m2cts import run

    console = TerminalConsole()
    try:
        if options.resume is not None:
            run.resume(options.resume, console)
        else:
            run.reproduce(options.config, out, console)
    except KeyboardInterrupt:
        if (out / "config.json").exists():
            sys.stderr.write(f"\nStopped. Continue with: {resuming(out)}\n")
        return STOPPED
    return 0


def _read(arguments: Sequence[str]) -> Options:
    """The options, over the values of the preset that is among them."""
    default = Options(config=_preset(arguments))
    options = parse(Options, arguments, PROGRAM, default)
    if options.resume is not None:
        if options != dataclasses.replace(default, resume=options.resume):
            message = (
                f"--resume {options.resume}: a run continues with its own settings; give nothing "
                "else beside it, or start another run with --out"
            )
            raise InvalidConfig(message)
        return options
    config = options.config
    if config.games is not None:
        # A resumed run may be started from elsewhere.
        config = dataclasses.replace(config, games=config.games.absolute())
    config.validate()
    return dataclasses.replace(options, config=config)


def _preset(arguments: Sequence[str]) -> M2ctsConfig:
    """The preset that is asked for; a name that is none is left for the parser to refuse."""
    asked = "quick"
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == "--preset":
            asked = following
        elif word.startswith("--preset="):
            asked = word.removeprefix("--preset=")
    return next((p for name, p in PRESETS.items() if name == asked), PRESETS["quick"])
