"""A published study: what the command line knows of it, and the frame that every run of it has.

A study brings its settings and its own stages; the run directory, going on after a kill, the check
of packages, the report and the command that does it all again are here, once.
"""

import dataclasses
import importlib
import importlib.util
import re
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from phasezoo import _core
from phasezoo._progress import is_verbose
from phasezoo.errors import InvalidConfig, MissingDependency, RunDirectoryError
from phasezoo.experiments.settings import StudySettings
from phasezoo.plugins import import_modules, is_installed_program, lasting, only
from phasezoo.report import numbers
from phasezoo.report.again import done_again
from phasezoo.report.console import Console, show_table, silent
from phasezoo.report.document import Document, Item, Section, Table, Text
from phasezoo.runs import RunDirectory, jsonable
from phasezoo.runs.directory import check_free, record_to_resume
from phasezoo.runs.provenance import Provenance
from phasezoo.specs import words_of

REPORT = "report.html"
"""Page of a run, in its folder."""

INCIDENTAL = ("train_workers",)
"""Settings that say how a run is worked off; another attempt at it may have others."""

MAY_NAME_CODE = ("agent", "axes", "learner", "network", "networks")
"""Settings of studies whose texts can name something of one's own, ``module:name``."""

_WORDS = "(?:experts|learned|monotone|network|sb3):"

_CODE = re.compile(
    rf"(?:{_WORDS})*(?!{_WORDS})(?P<module>[\w./\\-]+):[A-Za-z_][\w.]*(?![\w.=]).*", re.DOTALL
)
"""Such a text; what stands before an equals sign is an option."""

T = TypeVar("T")
Config = TypeVar("Config", bound=StudySettings)
Results = TypeVar("Results")


@dataclass(frozen=True)
class Study(Generic[Config]):
    """A study as it is known before anything heavy is loaded."""

    name: str
    """Its name in run directories, such as ``krk``."""
    program: str
    """The command, such as ``phasezoo reproduce krk``."""
    presets: Mapping[Any, Config]
    """Its published sizes, smallest first; the first is the default."""
    stages: str
    """Where its work is: ``module:class`` of a :class:`StudyRun`."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Packages that every run needs, with the extra that installs each."""
    any_game: bool = False
    """Whether its setting ``game`` may be any game; otherwise each game has a study of its own."""
    plugins: tuple[str, ...] = ()
    """Modules, or files, of the user's own that were imported for this run."""

    @property
    def default(self) -> Config:
        """The settings of the first size."""
        return next(iter(self.presets.values()))

    def reproduce(
        self,
        config: Config,
        out: Path,
        console: Console | None = None,
        prepared: Any = None,
    ) -> Any:
        """Run the study, or finish it if ``out`` holds an unfinished run of the same settings.

        Args:
            config: The settings.
            out: A new or empty directory, or one of this very run.
            console: Where to report; default nowhere.
            prepared: What :meth:`StudyRun.prepare` would return, if the caller has it already.

        Returns:
            The study's results.
        """
        self._check(config)
        check_free(out, self.name, config, INCIDENTAL)
        return self._finish(config, out, console or silent(), prepared)

    def resume(self, out: Path, console: Console | None = None) -> Any:
        """Finish the run in ``out`` with the settings and modules it was started with.

        What is in ``out`` may come from anybody: code that it names is run only if :attr:`plugins`
        names it too.
        """
        record = record_to_resume(out, self.name)
        if not record.is_as_begun:
            message = (
                f"{out / 'config.json'}: its settings were changed after the run was begun, and "
                "what is finished was made with the earlier ones: put them back, or remove the "
                "entry config_sha256 if only the place of a file has changed"
            )
            raise RunDirectoryError(message)
        if len(self.plugins) < len(record.plugins):  # a file may have moved since
            again = dataclasses.replace(self, plugins=tuple(record.plugins)).resuming(out)
            message = (
                f"{out} was begun with --plugin {', '.join(record.plugins)}, which runs their "
                f"code: if you trust it, name it again: {again}"
            )
            raise InvalidConfig(message)
        import_modules(self.plugins)
        config = jsonable.decode(type(self.default), record.config, f"{out / 'config.json'}")
        self._check_code(config, out)
        with only(self.plugins):
            self._check(config)
            return self._finish(config, out, console or silent())

    def report(self, results: Any) -> Document:
        """Return the report of what a run found."""
        return self._stages().report(results)

    def results_in(self, out: Path) -> Any:
        """Return what the run in a directory found."""
        file = out / "results.json"
        if not file.exists():
            message = f"{out}: its run has not ended; go on with: {self.resuming(out)}"
            raise RunDirectoryError(message)
        try:
            text = file.read_text(encoding="utf-8")
            return jsonable.decode(self._stages().results, jsonable.parsed(text), file.name)
        except (OSError, ValueError) as error:
            message = (
                f"{file}: cannot be read ({error}); {self.resuming(out)} makes it anew from what "
                "the run measured"
            )
            raise RunDirectoryError(message) from error

    def _stages(self) -> "type[StudyRun[Config, Any]]":
        module, name = self.stages.split(":")
        found: type[StudyRun[Config, Any]] = getattr(importlib.import_module(module), name)
        return found

    def _check_code(self, config: Config, out: Path) -> None:
        """Refuse settings from a run's directory that name a user's own code."""
        known = {lasting(name) for name in self.plugins}
        named = []
        for setting in MAY_NAME_CODE:
            value = getattr(config, setting, None)
            for text in value if isinstance(value, tuple) else (value,):
                found = _CODE.fullmatch(text) if isinstance(text, str) else None
                if found is not None and lasting(found["module"]) not in known:
                    named.append(f"--{setting} {text}")
        engine = getattr(config, "engine", None)
        if isinstance(engine, str) and not is_installed_program(engine):
            named.append(f"--engine {engine}")
        if named:
            message = (
                f"{out / 'config.json'} names code to run: {', '.join(named)}. If you trust it, go "
                f"on by the whole command, {self.command_line(config, out)}; or name modules again "
                "by --plugin"
            )
            raise InvalidConfig(message)

    def command_line(self, config: Config, out: Path) -> str:
        """Return the command line for these settings: the preset, and what differs from it."""
        places, options = words_of(config, self.presets[config.preset])
        start = [*self.program.split(), *places]
        words = [*start, "--preset", config.preset, "--out", str(out), *options]
        if "--seed" not in words:
            words += ["--seed", str(config.seed)]
        return shlex.join([*words, *self._imports()])

    def resuming(self, out: Path) -> str:
        """Return the command line that continues a run."""
        return shlex.join([*self.program.split(), "--resume", str(out), *self._imports()])

    def _imports(self) -> Iterator[str]:
        """Yield the words that import the user's modules once more."""
        for name in self.plugins:
            yield from ("--plugin", name)

    def _check(self, config: Config) -> None:
        """Refuse at the beginning what would fail at the end."""
        config.validate()
        if config.preset not in self.presets:
            message = f"--preset {config.preset}: expected {' or '.join(self.presets)} here"
            raise InvalidConfig(message)
        for package, extra in self.packages.items():
            if importlib.util.find_spec(package) is None:
                need = f"a run needs {package}, which is not installed"
                raise MissingDependency.of_extra(need=need, extra=extra)

    def _finish(self, config: Config, out: Path, console: Console, prepared: Any = None) -> Any:
        make = self._stages()
        started = time.monotonic()
        if prepared is None:
            prepared = make.prepare(config, console)
        seconds = round(time.monotonic() - started, 3)
        with RunDirectory.create(
            out,
            self.name,
            config,
            threads=config.threads,
            devices=_devices(config),
            plugins=self.plugins,
            incidental=INCIDENTAL,
        ) as directory:
            if not directory.is_done("prepare"):
                directory.log("prepare", "done", seconds=seconds)
            results = make(self, directory, config, prepared, console).finish()
            stages: Mapping[str, float] = getattr(results, "seconds", {})
            console.note(
                f"Stages: {numbers.duration(sum(stages.values()))} in total; this command, with "
                f"the report: {numbers.duration(time.monotonic() - started)}."
            )
            console.note(f"Report: {directory.path / REPORT}")
            return results


class StudyRun(ABC, Generic[Config, Results]):
    """One attempt at a run: a study's subclass does its stages in :meth:`work`.

    Args:
        study: The study.
        directory: The run's directory, locked.
        config: The settings.
        prepared: What :meth:`prepare` returned.
        console: Where to report.
    """

    def __init__(
        self,
        study: Study[Config],
        directory: RunDirectory,
        config: Config,
        prepared: Any,
        console: Console,
    ) -> None:
        self.study = study
        self.directory = directory
        self.path = directory.path
        self.config = config
        self.prepared = prepared
        self.console = console
        self.threads = config.threads or _core.default_threads()
        self._tables: set[str] = set()

    @classmethod
    def prepare(cls, config: Config, console: Console) -> Any:
        """Do what can be refused before anything is written; default nothing."""
        del config, console

    @abstractmethod
    def work(self) -> Results:
        """Do every stage that is not done, and return what all of them found."""

    results: ClassVar[type[Any]]
    """Class of everything that a run finds, which ``results.json`` holds."""

    @staticmethod
    def report(results: Any) -> Document:
        """Return the report of what a run found."""
        raise NotImplementedError

    def show(self, document: Document) -> None:
        """Show what came out: the answer and the claims, and all other tables if asked for.

        A study that has shown no table while it worked shows all of them.
        """
        beside = {item.name for item in document.answer if isinstance(item, Table)}
        shows_all = is_verbose() or not self._tables
        left = set() if shows_all else document.tables.keys() - beside - self._tables
        document.show(self.console, self._tables | left)
        if left:
            tables = numbers.plural(len(left), "more table")
            self.console.note(f"The report has {tables}; -v prints them too.")

    def finish(self) -> Results:
        """Do the work, and leave ``results.json`` and ``report.html``."""
        self._note_other_versions()
        results = self.work()
        self.console.heading("Report")
        self.directory.write_json("results.json", results)
        document = self.report(results)
        self.directory.write_text(REPORT, document.to_html())
        self.show(document)
        return results

    def head(self) -> dict[str, Any]:
        """Return the fields that the results of every study begin with."""
        return {
            "config": self.config,
            "command": self.study.command_line(self.config, self.path),
            "date": self.directory.record.date,
            "provenance": self.directory.record.provenance,
        }

    def table(self, *tables: Table) -> None:
        """Show tables of the report as soon as their rows are there."""
        for table in tables:
            self._tables.add(table.name)
            show_table(table, self.console)

    def once(
        self,
        stage: str,
        kind: type[T],
        make: Callable[[], T],
        *,
        file: str = "",
        heading: str = "",
        beside: Sequence[str] = (),
        same: str = "",
    ) -> T:
        """Do a stage unless it is done, keep what it found in a file, and return it.

        Args:
            stage: Its name in the journal.
            kind: What it finds.
            make: Does the stage.
            file: The JSON file of what it found; empty: that of the stage's name.
            heading: Heading of the part of the run that it is; empty: it has none.
            beside: Other files that it writes.
            same: What has changed if a stage that is done again finds anything else, which is then
                refused; empty: it may.
        """
        if heading:
            self.console.heading(heading)
        name = file or f"{stage}.json"
        if not self.has_done(stage, name):
            with self.directory.stage(stage, name, *beside):
                found = make()
                if same and not self.directory.is_as_before(name, found):
                    message = (
                        f"{self.path / name}: was removed, and {same} changed since this run "
                        "began; put both back, or start a new run with --out"
                    )
                    raise RunDirectoryError(message)
                self.directory.write_json(name, found)
        return self.directory.read_json(name, kind)

    def has_done(self, stage: str, name: str) -> bool:
        """Return whether a stage is done, and the file of what it found is there."""
        return self.directory.is_done(stage) and self.directory.has(name)

    def same(self, name: str, value: Any, of: str = "") -> None:
        """Write a file that must be the same in every attempt.

        Args:
            name: The file.
            value: What is in it.
            of: What is another one if it is not the same, such as ``"games"``; empty: the version
                of this package.
        """
        if not self.directory.has(name):
            with self.directory.stage(name, name):
                self.directory.write_json(name, value)
        elif self.directory.read_json(name, Any) != jsonable.plain(value):
            message = (
                f"{self.path}: was begun with other {of} than these; start a new run with --out"
                if of
                else f"{self.path / name}: this version of phasezoo would go on with other {name}; "
                "finish this run with the version in config.json, or start a new one with --out"
            )
            raise RunDirectoryError(message)

    def seconds(self, parts: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return the seconds of each part: of finished stages whose names begin as it says."""
        found = self.directory.seconds().items()
        return {
            part: sum(s for name, s in found if name.startswith(tuple(stages)))
            for part, stages in parts.items()
        }

    def _note_other_versions(self) -> None:
        changed = self.directory.record.changed_packages()
        if changed:
            self.console.note(
                f"This run was begun with other versions of {', '.join(changed)}; its numbers "
                "may differ from an uninterrupted run's."
            )


@dataclass(frozen=True)
class RunResults:
    """Fields that the results of every study have."""

    config: Any
    """The settings."""
    command: str
    """Command that does the run again."""
    date: str
    """Date of its start."""
    provenance: Provenance
    """Versions and machine."""
    seconds: dict[str, float] = field(default_factory=dict, kw_only=True)
    """Seconds of each part of the run."""


QUICK = (
    "This is a quick run: it can settle large differences and cannot settle small ones. Where it "
    "says *not settled*, it is too small to tell, and a larger preset may settle it."
)
"""Sentence of the first paragraph of a quick run's report."""


def study_report(
    results: RunResults,
    sections: Iterable[Item],
    *,
    subject: str,
    answer: Sequence[Item],
    terms: str,
    limits: str,
    beside: str,
    more: Sequence[Item] = (),
    versions: Iterable[tuple[str, str]] = (),
    game: str = "",
    **texts: Any,
) -> Document:
    """Return the report of a study: its sections between what every report begins and ends with.

    Args:
        results: Everything that a run found.
        sections: The study's own sections.
        subject: Subject of the report, such as ``reproduce krk``.
        answer: Items beside the headline.
        terms: Terms, as a list in Markdown.
        limits: Limits, as a list in Markdown.
        beside: What else lies in the run's directory, in Markdown.
        more: What else the last section shows, before the settings.
        versions: Further rows of the table of versions.
        game: The game, if the kicker names it behind the preset.
        **texts: Title, headline, lead and source, as for :class:`Document`.
    """
    config, run = results.config, results.provenance
    settings = [(f.name, getattr(config, f.name)) for f in dataclasses.fields(config)]
    named = filter(None, ("phasezoo", subject, f"preset {config.preset}", game, results.date))
    if config.preset == "quick":
        first, *rest = texts["lead"].split("\n\n")
        texts["lead"] = "\n\n".join([f"{first} {QUICK}", *rest])
    return Document(
        kicker=" · ".join(named),
        answer=answer,
        items=[
            *sections,
            Section("Terms and limits", [Text(terms), Section("Limits", [Text(limits)])]),
            done_again(
                results.command, run, results.seconds, settings, beside, *more, versions=versions
            ),
        ],
        **texts,
    )


def took(results: RunResults) -> str:
    """Return how long a run took, and where, as the end of a sentence."""
    run = results.provenance
    duration = numbers.duration(sum(results.seconds.values()))
    return f"took {duration} on {run.processor} with {run.threads} threads"


def _devices(config: Any) -> list[str]:
    """Return names of the accelerators that a study with networks uses."""
    if not hasattr(config, "device"):
        return []
    import torch

    from phasezoo.networks.precision import resolve_device

    device = resolve_device(config.device)
    return [torch.cuda.get_device_name(device)] if device.type == "cuda" else []
