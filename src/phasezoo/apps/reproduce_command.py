"""``phasezoo reproduce`` and ``phasezoo generalise``: studies from the command line."""

import dataclasses
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import tyro

from phasezoo._interrupt import nothing_written, saying
from phasezoo.apps.common import with_common
from phasezoo.apps.options import glance
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.catalogue import CURVES, GAMES, STUDIES, find
from phasezoo.experiments.from_scratch.config import SCRATCH
from phasezoo.experiments.generalisation.config import GENERALISE
from phasezoo.experiments.study import Study
from phasezoo.plugins import lasting
from phasezoo.report.console import TerminalConsole
from phasezoo.runs import kind_of


@dataclass(frozen=True)
class StudyOptions:
    """Sizes come as presets, and every setting of a preset can be given by itself."""

    study: ClassVar[Study[Any]]

    config: Any
    """Configuration of the study."""
    out: Path | None = None
    """Directory of the run, new or empty; the same command again continues what is unfinished
    there (none: runs/ with the names of study and preset)."""
    resume: Path | None = None
    """Directory of a run to continue after Ctrl-C or a kill, with its own settings; no other
    setting may be given beside it."""
    plugin: tuple[str, ...] = ()

    def run(self) -> int:
        """Start or continue the run; Ctrl-C says how to go on.

        Raises:
            PhasezooError: The options are wrong, or the run failed; what is finished is kept.
        """
        study, config = self._begun(), self.config
        self._check_game(config)
        config.validate()
        out = self.resume or self.out or self._default_out(config.preset)
        console = TerminalConsole()

        def stopped() -> str | None:
            is_begun = (out / "config.json").exists()
            if is_begun:
                return f"Stopped. Continue with: {study.resuming(out)}"
            return nothing_written(out)

        with saying(stopped):
            if self.resume is not None:
                self._check_alone()
                study.resume(out, console)
            else:
                study.reproduce(_absolute(config), out, console)
        return 0

    def _begun(self) -> Study[Any]:
        """The study of the run to continue, whose game need not be named again, or the own one."""
        kind = None if self.resume is None else kind_of(self.resume)
        of_phases = [*GAMES.values(), *CURVES.values(), SCRATCH]
        others = of_phases if self.study in of_phases else [self.study]
        found = next((study for study in others if study.name == kind), self.study)
        return dataclasses.replace(found, plugins=tuple(map(lasting, self.plugin)))

    def _default_out(self, preset: str) -> Path:
        return Path("runs") / f"{self.study.program.rsplit(maxsplit=1)[-1]}-{preset}"

    def _check_game(self, config: Any) -> None:
        asked, played = getattr(config, "game", None), getattr(self.study.default, "game", None)
        if asked != played and not self.study.any_game:
            games = next(games for games in STUDIES.values() if self.study in games.values())
            message = f"--game {asked}: expected {' or '.join(games)}"
            raise InvalidConfig(message)

    def _check_alone(self) -> None:
        if self != type(self)(self.study.default, resume=self.resume, plugin=self.plugin):
            message = (
                f"--resume {self.resume}: a run continues with its own settings; give nothing "
                "else beside it, or start another run with --out"
            )
            raise InvalidConfig(message)


@dataclass(frozen=True)
class _Choice:
    """Options that decide which others there are, and their defaults."""

    game: str = ""
    preset: str = ""
    from_scratch: bool = False
    curve: bool = False


def reproduce_tree(arguments: Sequence[str]) -> Any:
    """The subcommands of ``reproduce``, with the defaults of the game and preset asked for.

    With ``--from-scratch`` the study of phase experts is the one whose networks learn by play, with
    ``--curve`` the one at several sizes.
    """
    choice = glance(_Choice, arguments)
    members = []
    for name, games in STUDIES.items():
        own = choice if games is GAMES else _Choice()  # no other study has these variants
        study = find(name, choice.game, curve=own.curve, from_scratch=own.from_scratch)
        members.append(_study_command(name, study, choice.preset))
    return members


def generalise_command(arguments: Sequence[str]) -> Any:
    """The command ``generalise``, with the defaults of the preset asked for."""
    return _study_command("generalise", GENERALISE, glance(_Choice, arguments).preset)


def _study_command(name: str, study: Study[Any], preset: str) -> Any:
    """The subcommand of a study, with the defaults of a preset."""
    config = study.presets.get(preset, study.default)
    # The class of its options, whose settings stand beside --out and --resume.
    settings: Any = Annotated[type(config), tyro.conf.arg(name="")]
    options: Any = dataclasses.make_dataclass(
        "StudyOptions",
        [("config", settings)],
        bases=(StudyOptions,),
        frozen=True,
        namespace={"study": study, "program": study.program},
    )
    options = with_common(options)
    text = inspect.cleandoc(type(config).__doc__ or "")
    about = tyro.conf.subcommand(name, default=options(config), description=text)
    return Annotated[options, about]


def _absolute(config: Any) -> Any:
    """Paths from the root: a resumed run may be started from elsewhere."""
    paths = {
        field.name: value.absolute()
        for field in dataclasses.fields(config)
        if isinstance(value := getattr(config, field.name), Path)
    }
    return dataclasses.replace(config, **paths)
