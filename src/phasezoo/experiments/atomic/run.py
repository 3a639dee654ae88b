"""The study from the first game to the report: learning, matches, the search."""

from pathlib import Path
from typing import Any

from phasezoo import arena, games, networks
from phasezoo.agents import Limit, MCTSAgent, SearchConfig
from phasezoo.arena import stream
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.atomic import findings, page, searching, show
from phasezoo.experiments.atomic.arms import THESIS, arms_of, options_of
from phasezoo.experiments.atomic.config import ARMS, AtomicConfig
from phasezoo.experiments.atomic.results import Results, Searched
from phasezoo.experiments.atomic.workers import worker_rows
from phasezoo.experiments.console import Console
from phasezoo.experiments.learning import Course, Meeting, learn, meet
from phasezoo.experiments.study import StudyRun
from phasezoo.training import SelfPlayOutcome

__all__ = ["AtomicRun"]

UNTRAINED = "untrained"

_PHASES = ("middlegame", "endgame")


class AtomicRun(StudyRun[AtomicConfig, Results]):
    """Variants of learning, matches between what they came to, and what the search costs."""

    @classmethod
    def prepare(cls, config: AtomicConfig, console: Console) -> None:
        """Refuse networks that cannot be made."""
        del console
        for name in arms_of(config):
            options = options_of(name, config)
            game = games.make(options["game"])
            shape = game.plane_shape(options["planes"])
            networks.make(options["network"], shape, game.num_actions, seed=config.seed)

    def work(self) -> Results:
        """Do every stage that is not done."""
        self.console.heading("Learning by play")
        self.outcomes: dict[str, SelfPlayOutcome] = {}
        courses = [self._learn(name) for name in arms_of(self.config)]
        show.show_courses(self.console, courses)
        self.console.heading("Matches")
        arms = list(self.outcomes)
        untrained = {UNTRAINED: self._player(THESIS, 0)}
        beaten = [self._meet(name, {name: self._player(name)}, untrained) for name in arms]
        thesis = {THESIS: self._player(THESIS)}
        compared = [self._meet(name, {name: self._player(name)}, thesis) for name in arms[1:]]
        itself = self._meet("itself", {"one": self._player(THESIS)}, {"other": thesis[THESIS]})
        phases = self._from_phases(untrained)
        styles = self._styles()
        show.show_meetings(self.console, [*beaten, *compared])
        self.console.heading("The search")
        searched = self.once("search", "search.json", Searched, self._search)
        claims = findings.claims_of(courses, beaten, compared, itself, searched)
        return Results(
            **self.head(),
            courses=courses,
            against_untrained=beaten,
            against_thesis=compared,
            itself=itself,
            from_phases=phases,
            styles=styles,
            searched=searched,
            claims=claims,
            seconds={
                "learning by play": self.seconds(["learn/"]),
                "matches": self.seconds(["matches/"]),
                "measuring the search": self.seconds(["search"]),
            },
        )

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The claims and how they fared."""
        show.show_claims(self.console, results)

    def _learn(self, name: str) -> Course:
        """A variant of learning, or what is left of it."""
        options = options_of(name, self.config)
        course, self.outcomes[name] = learn(self, name, ARMS.get(name, name), **options)
        return course

    def _player(self, arm: str, version: int | None = None, **search: Any) -> MCTSAgent:
        """The agent of a version, its moves drawn in the first plies so that games differ."""
        config = self.config
        drawn = {"temperature": 1.0, "temperature_plies": 12, "fpu": 0.0, "fpu_style": "absolute"}
        return MCTSAgent(
            self.outcomes[arm].evaluator(version, threads=config.threads),
            limit=Limit(nodes=config.match_nodes),
            config=SearchConfig(**{**drawn, **search}),
            game="atomic",
            threads=config.threads,
        )

    def _meet(self, stage: str, first: Any, second: Any, **options: Any) -> Meeting:
        (other,) = second
        stage = f"matches/{stage}-{other}"
        values = {
            "game": "atomic",
            "games": self.config.match_games,
            "seed": stream(self.config.seed, "atomic", stage),
            "max_plies": self.config.max_plies,
            "concurrency": self.config.concurrency,
            "threads": self.config.threads,
        }

        def play() -> Meeting:
            log = self.path / f"{stage}.jsonl"
            return meet({**first, **second}, log, self.console, **{**values, **options})

        return self.once(stage, f"{stage}.json", Meeting, play)

    def _from_phases(self, untrained: dict[str, Any]) -> dict[str, Meeting]:
        """Trained against untrained, from where games of self-play reach a phase."""
        found = {}
        store = self.outcomes[THESIS].store()
        for phase in _PHASES:
            try:
                suite = arena.OpeningSuite.at_phase(store, "lichess", phase, game="atomic")
            except InvalidConfig:  # no game got there
                self.console.note(f"no game of self-play reached the {phase}")
                continue
            first = {THESIS: self._player(THESIS)}
            found[phase] = self._meet(phase, first, untrained, openings=suite)
        return found

    def _styles(self) -> Meeting:
        batch = self.config.search_batch
        sides = {
            text: self._player(THESIS, virtual_style=style, batch_size=batch)
            for style, text in searching.STYLES.items()
        }
        first, second = ({name: side} for name, side in sides.items())
        return self._meet("styles", first, second)

    def _search(self) -> Searched:
        outcome = self.outcomes[THESIS]
        evaluator = outcome.evaluator(threads=self.config.threads)
        return Searched(
            collisions=searching.collision_rows(evaluator, self.config),
            batches=searching.batch_rows(evaluator, self.config),
            move=searching.move_cost(evaluator, self.config),
            workers=worker_rows(Path(outcome.version()), self.config),
        )
