"""``phasezoo reproduce`` and ``phasezoo generalise``: studies from the command line."""

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

from phasezoo._interrupt import continuing, saying
from phasezoo.apps.command_line import option_in
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.auditing.config import AUDIT
from phasezoo.experiments.catalogue import CURVES, GAMES, STUDIES, find
from phasezoo.experiments.from_scratch.config import SCRATCH
from phasezoo.experiments.generalisation.config import GENERALISE
from phasezoo.experiments.study import Study
from phasezoo.plugins import lasting
from phasezoo.report.console import TerminalConsole
from phasezoo.runs import kind_of
from phasezoo.specs import Argument


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
        """Start or continue the run; Ctrl-C says how to go on."""
        study, config = self._begun(), self.config
        self._check_game(config)
        out = self.resume or self.out or self._default_out(config.preset)
        console = TerminalConsole()
        how = f"Continue with: {study.resuming(out)}"
        with saying(continuing(out, "config.json", how)):
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


def study_commands() -> dict[str, Callable[[Sequence[str]], type[Any]]]:
    """Return, by the names of studies, what makes the options from the words of a command line.

    Game and preset decide the defaults. With ``--from-scratch`` the study of phase experts is the
    one whose networks learn by play, with ``--curve`` the one at several sizes.
    """
    return {name: partial(_study_command, name) for name in STUDIES}


def generalise_command(words: Sequence[str]) -> type[Any]:
    """The options of ``generalise``, with the defaults of the preset asked for."""
    return _options(GENERALISE, words)


def audit_command(words: Sequence[str]) -> type[Any]:
    """The options of ``audit``, with the defaults of the preset asked for."""
    return _options(AUDIT, words)


def _study_command(name: str, words: Sequence[str]) -> type[Any]:
    if STUDIES[name] is not GAMES:  # no other study has these variants
        return _options(find(name), words)
    study = find(
        name,
        option_in(words, "--game") or "",
        curve=option_in(words, "--curve") is not None,
        from_scratch=option_in(words, "--from-scratch") is not None,
    )
    return _options(study, words)


def _options(study: Study[Any], words: Sequence[str]) -> type[Any]:
    """The class of a study's options, whose settings stand beside --out and --resume."""
    config = study.presets.get(option_in(words, "--preset"), study.default)
    settings: Any = Annotated[type(config), Argument(name="")]
    common = getattr(config, "common", ())
    common = (*common, "out", "resume") if common else ()
    made = dataclasses.make_dataclass(
        "StudyOptions",
        [("config", settings, dataclasses.field(default=config))],
        bases=(StudyOptions,),
        frozen=True,
        namespace={"study": study, "program": study.program, "common": common},
    )
    made.__doc__ = inspect.getdoc(type(config))
    return made


def _absolute(config: Any) -> Any:
    """Paths from the root: a resumed run may be started from elsewhere."""
    paths = {
        field.name: value.absolute()
        for field in dataclasses.fields(config)
        if isinstance(value := getattr(config, field.name), Path)
    }
    return dataclasses.replace(config, **paths)
