"""``phasezoo match`` and ``phasezoo tournament``: their options, and what a run leaves behind."""

import contextlib
import re
import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from phasezoo._interrupt import continuing, saying
from phasezoo.apps.tournament.report import report
from phasezoo.arena import Standings
from phasezoo.arena.frames import without_infinite
from phasezoo.errors import CheckpointError, InvalidConfig, PhasezooError
from phasezoo.frames import csv_text
from phasezoo.plugins import is_installed_program, lasting
from phasezoo.report.again import done_again
from phasezoo.runs import RunDirectory
from phasezoo.specs import Argument, NonNegativeInt, PositiveInt, Share, read_spec, words_of


def write_results(run: RunDirectory, standings: Standings, options: Any, seconds: float) -> None:
    """Write ``results.json``, ``players.csv``, ``games.csv`` and ``report.html``.

    Args:
        run: The open directory.
        standings: Results of all games.
        options: The command's options.
        seconds: How long the games took, since the command was last begun.
    """
    run.write_json("results.json", standings.to_dict())
    run.write_text("players.csv", _csv(standings.rows()))
    run.write_text("games.csv", _csv(standings.games_rows()))
    again = done_again(
        f"{options.command} --out {shlex.quote(str(run.path))}",
        run.record.provenance,
        {"games": seconds},
        [(field.name, getattr(options, field.name)) for field in fields(options)],
        "[games.jsonl](games.jsonl) (all games with settings and versions), games.pgn where the "
        "game has such notation, [results.json](results.json), [players.csv](players.csv), "
        "[games.csv](games.csv).",
    )
    page = report(standings, options.kind, run.record.date, again).to_html()
    run.write_text("report.html", page)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    head = rows[0] if rows else []
    return csv_text(head, (map(_cell, without_infinite(row).values()) for row in rows))


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return " ".join("-" if each is None else str(each) for each in value)
    return value


NUMBER = r"(?i)[+-]?([\d.]+(e[+-]?\d+)?|nan|inf(inity)?)"
"""Pattern of texts that Python reads as numbers."""

_HARMLESS = re.compile(r"[0-9.+/]+|true|false")
"""Values of an engine's options that name no file: numbers, clocks, switches."""

BEGUN_IN = "begun_in.txt"
"""Where a run was begun: relative paths in agents' texts are meant from there."""


@dataclass(frozen=True)
class _PlayOptions:
    """Options that matches and tournaments have in common."""

    kind: ClassVar[str]

    common: ClassVar[tuple[str, ...]] = (
        "game",
        "games",
        "openings",
        "seed",
        "concurrency",
        "max_plies",
        "adjudicate",
        "sprt",
        "format",
        "out",
        "resume",
    )

    agents: Annotated[tuple[str, ...], Argument(positional=True, metavar="AGENT ...")] = ()
    """Agents by their texts, such as mcts:nodes=400, m2cts:experts=runs/x, uci:stockfish,nodes=100,
    uct:simulations=200 or random."""
    game: str = "chess"
    """Game to play."""
    games: PositiveInt = 100
    """Games of each two players; each opening is played once with each colour."""
    openings: str | None = None
    """Openings: a file of move lists, PGN, EPD or FEN, the name of a suite in the package, or
    random:2-8 for 2 to 8 random moves (none: the package's usual one for the game)."""
    openings_as: Literal["moves", "fen"] = "moves"
    """Start with the opening's moves as history, or from its last position without."""
    seed: NonNegativeInt = 0
    """Everything random comes from it."""
    gate: str | None = None
    """Gate whose phases agents of your own receive, such as lichess."""
    concurrency: PositiveInt | None = None
    """Games at once (none: 64, with engines from outside 8, 1 if a search is timed)."""
    max_plies: PositiveInt | None = None
    """Plies at which a game is cut and counted as a draw (none: never)."""
    adjudicate: bool = False
    """End games early: 5 moves in a row at a value of -0.867 or less (6 pawns) resign, 4 of each
    within 0.065 of 0 from move 30 on agree to a draw."""
    tables: str | None = None
    """End games as soon as tables know the result: a folder of Syzygy tables, or game where perfect
    play is known, as in krk."""
    check_adjudication: Share = 0.0
    """Share of games that are played on after the first verdict, to see how often it was wrong."""
    names: tuple[str, ...] = ()
    """How the report calls the agents (none: by their texts)."""
    out: Path | None = None
    """Directory for games, results and report, new or empty; the same command again goes on with
    what is unfinished there (none: the result is printed alone)."""
    resume: Path | None = None
    """Directory of a run to go on with, by its own settings. Agents and --plugin are given again
    beside it if they run modules or programs of one's own; nothing else may be."""
    plugin: tuple[str, ...] = ()
    """Modules or files that were imported first."""

    @staticmethod
    def elsewhere(name: str) -> str:
        """Say of an unknown option that a search has it."""
        from phasezoo import agents

        return f"; a search has one, as in mcts:{name}=…" if name in agents.options("mcts") else ""

    @property
    def _own(self) -> dict[str, Any]:
        """Arguments of a tournament that this command alone gives."""
        return {}

    def run(self) -> int:
        """Play, and say what came of it."""
        self._check()
        out = self.resume or self.out
        if out is None:
            with saying(lambda: "Stopped. No game is kept without --out."):
                text = self._summary(self._played()) + "\n"
        else:
            how = f"Continue with: {self._resuming(out)}"
            with saying(continuing(out, "games.jsonl", how)):
                text = self._begin(out) if self.resume is None else self._go_on(out.absolute())
        with saying(lambda: None):  # the work is done
            sys.stdout.write(text)
        return 0

    def _begin(self, out: Path) -> str:
        """Begin a run, or go on with one of the same settings, and return what came of it."""
        from phasezoo.runs import RunDirectory

        was_there, is_new = out.exists(), not (out / "config.json").exists()
        with RunDirectory.create(out, self.kind, self._config()) as run:
            if not run.has(BEGUN_IN):
                run.write_text(BEGUN_IN, f"{Path.cwd()}\n")
            try:
                return self._keep(run)
            except PhasezooError:
                if is_new and not (out / "games.jsonl").exists():
                    # Nothing could begin, and the mended command may have the directory.
                    for name in ("config.json", "run.lock", BEGUN_IN):
                        (out / name).unlink()
                    if not was_there:
                        out.rmdir()
                raise

    def _go_on(self, out: Path) -> str:
        """Go on with a run, where it was begun if that is still there."""
        from phasezoo.runs import RunDirectory, kind_of

        other = kind_of(out)
        if other != self.kind and other in (MatchOptions.kind, TournamentOptions.kind):
            message = (
                f"{out}: was made by phasezoo {other}; go on with it by "
                f"phasezoo {other} --resume {shlex.quote(str(self.resume))}"
            )
            raise InvalidConfig(message)
        with RunDirectory.resume(out, self.kind) as run:
            resumed = self._resumed(run.config)
            self._check_named_again(resumed)
            with _where_it_was_begun(out):
                return resumed._keep(run)

    def _check_named_again(self, run: "_PlayOptions") -> None:
        """Refuse to run code that a run's directory names and this command does not.

        The directory may come from anybody, and plugins were imported before it was read.
        """
        if self.agents and self.agents != run.agents:
            message = (
                f"--resume {self.resume}: its agents are {' '.join(map(shlex.quote, run.agents))}; "
                "give the same, or start another run with --out"
            )
            raise InvalidConfig(message)
        named: list[str] = []
        if len(self.plugin) < len(run.plugin):  # a file may have moved since
            named += run.plugin
        if not self.agents:
            named += filter(_runs_code, run.agents)
        if named:
            message = (
                f"{self.resume}/config.json names code to run: {', '.join(named)}. If you trust "
                f"it, name it again: {run._resuming(self.resume)}"
            )
            raise InvalidConfig(message)

    def _resuming(self, out: Any) -> str:
        """The command line that goes on with these settings in a directory."""
        agents = self.agents if any(map(_runs_code, self.agents)) else ()
        plugins = [word for each in self.plugin for word in ("--plugin", lasting(each))]
        return shlex.join(["phasezoo", self.kind, *agents, "--resume", str(out), *plugins])

    def _check(self) -> None:
        """Refuse what cannot be played."""
        if self.resume is not None:
            if self != type(self)(self.agents, resume=self.resume, plugin=self.plugin):
                message = (
                    f"--resume {self.resume}: a run goes on with its own settings; give nothing "
                    "else beside it, or start another one with --out"
                )
                raise InvalidConfig(message)
            return
        if self.names and len(self.names) != len(self.agents):
            message = f"--names: {len(self.names)} names for {len(self.agents)} agents"
            raise InvalidConfig(message)
        if self.check_adjudication and not (self.adjudicate or self.tables):
            message = (
                f"--check-adjudication {self.check_adjudication}: no game is ended early; give "
                "--adjudicate or --tables too"
            )
            raise InvalidConfig(message)

    def _config(self) -> dict[str, Any]:
        """The settings that games depend on, and what a run goes on with."""
        config = {field.name: getattr(self, field.name) for field in fields(self)}
        del config["out"], config["resume"]
        if self.openings is not None:
            config["openings"] = lasting(self.openings)
        config["plugin"] = [lasting(plugin) for plugin in self.plugin]
        return config

    def _resumed(self, config: dict[str, Any]) -> "_PlayOptions":
        from phasezoo.runs import jsonable

        return jsonable.decode(type(self), config, f"{self.resume}/config.json")

    def _played(self, **files: Any) -> Any:
        """The standings, after all games."""
        from phasezoo import arena
        from phasezoo.apps.tournament.live import watching

        rules = {"tables": self._tables(), "check": self.check_adjudication}
        if not self.adjudicate:
            rules |= {"resign_value": None, "draw_value": None}
        adjudication = arena.Adjudication(**rules) if self.adjudicate or self.tables else None
        by_hand = any(read_spec(agent).name == "human" for agent in self.agents)
        names = self.names or self.agents
        with watching(sys.stderr, names, by_hand=by_hand) as (on_game, progress):
            return arena.tournament(
                list(self.agents),
                self.game,
                self.games,
                gate=self.gate,
                openings=self.openings,
                openings_as=self.openings_as,
                seed=self.seed,
                concurrency=self.concurrency,
                max_plies=self.max_plies,
                adjudication=adjudication,
                names=names,
                on_game=on_game,
                progress=progress,
                **self._own,
                **files,
            )

    def _tables(self) -> Any:
        if self.tables is None or self.tables == "game":
            return self.tables
        from phasezoo import agents

        return agents.Syzygy(self.tables)

    def _keep(self, run: Any) -> str:
        """Play in a directory, leave results and a report there, and return what came of it."""
        from phasezoo import games

        began = time.monotonic()
        has_pgn = hasattr(games.make(self.game).initial_state(), "san")
        standings = self._played(
            log=run.path / "games.jsonl", pgn=run.path / "games.pgn" if has_pgn else None
        )
        write_results(run, standings, self, time.monotonic() - began)
        page = shlex.quote(str(run.path / "report.html"))
        return f"{self._summary(standings)}\nin {run.path}\nnext: open {page}\n"

    def _summary(self, standings: Any) -> str:
        return str(standings.summary())

    @property
    def command(self) -> str:
        """The command line that does the same again, without its directory."""
        settings = replace(self, out=None, resume=None, plugin=())
        places, options = words_of(settings, type(self)())
        plugins = [word for each in self.plugin for word in ("--plugin", each)]
        return shlex.join(["phasezoo", self.kind, *places, *options, *plugins])


def _runs_code(agent: str) -> bool:
    """Whether an agent's text runs more than the package's own code and installed engines.

    An engine is one if it goes by the name of a program in ``PATH``, and none of its options can
    name a file.
    """
    from phasezoo.agents.making import code_named

    code = code_named(agent)
    spec = read_spec(agent)
    if code is None or spec.name != "uci":
        return code is not None
    given = {key: value for key, value in spec.options.items() if key not in ("name", "command")}
    return not is_installed_program(code) or not all(map(_HARMLESS.fullmatch, given.values()))


@contextlib.contextmanager
def _where_it_was_begun(out: Path) -> Iterator[None]:
    """Work in the directory in which a run was begun; where one is if that is gone."""
    here, known = Path.cwd(), out / BEGUN_IN
    folder = Path(known.read_text(encoding="utf-8").strip()) if known.is_file() else here
    with contextlib.chdir(folder if folder.is_dir() else here):
        try:
            yield
        except CheckpointError as error:
            if folder.is_dir():
                raise
            message = (
                f"{error} (the run began in {folder}, which is gone, so relative paths are taken "
                f"from {here}: resume it in the folder where these files lie)"
            )
            raise CheckpointError(message) from error


@dataclass(frozen=True)
class MatchOptions(_PlayOptions):
    """Play a match between two agents.

    Each opening is played with both colours; the result has its 95 % interval.
    """

    kind: ClassVar[str] = "match"

    sprt: Annotated[tuple[float, ...], Argument(pattern=NUMBER, metavar="ELO0 ELO1")] = ()
    """End the match as soon as a test of normalised Elo decides between these two differences, such
    as 0 10; --games is how many are played at most (none: play all games)."""

    @property
    def _own(self) -> dict[str, Any]:
        if not self.sprt:
            return {}
        from phasezoo import arena

        elo0, elo1 = self.sprt
        return {"sprt": arena.Sprt(elo0, elo1)}

    def _check(self) -> None:
        count = len(self.agents)
        if self.resume is None and count != 2:
            message = f"a match is between two agents, {count} were given: phasezoo match A B"
            raise InvalidConfig(message)
        super()._check()
        if len(self.sprt) not in (0, 2):
            message = f"--sprt: {len(self.sprt)} numbers, expected two differences, such as 0 10"
            raise InvalidConfig(message)

    def _summary(self, standings: Any) -> str:
        return str(standings.as_match().summary())


@dataclass(frozen=True)
class TournamentOptions(_PlayOptions):
    """Play a tournament between two agents or more, with ratings and their 95 % intervals."""

    kind: ClassVar[str] = "tournament"

    format: Literal["round-robin", "gauntlet", "ladder"] = "round-robin"
    """Who plays whom: everybody everybody, the first everybody else, or each the next."""
    trainings: PositiveInt | None = None
    """The first so many agents are trainings of one kind and the others of another: each plays each
    of the other kind, and the difference has an interval that counts trainings (none: who
    plays whom is the format's)."""
    anchor: str | None = None
    """The player whose rating is 0 (none: the first)."""

    @property
    def _own(self) -> dict[str, Any]:
        return {"format": self.format, "trainings": self.trainings, "anchor": self.anchor}

    def _check(self) -> None:
        count = len(self.agents)
        if self.resume is None and count < 2:
            message = (
                f"a tournament needs two agents at least, {count} were given: "
                "phasezoo tournament A B C"
            )
            raise InvalidConfig(message)
        super()._check()
