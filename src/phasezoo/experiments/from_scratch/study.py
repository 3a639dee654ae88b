"""The comparison from the first game to the report: learning, matches after some rounds."""

import re
from typing import Any

from phasezoo import games, gating
from phasezoo.agents import Limit, MCTSAgent, SearchConfig
from phasezoo.arena import crossed_pairs, stream
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.from_scratch import report
from phasezoo.experiments.from_scratch.config import ScratchConfig, learning_of
from phasezoo.experiments.from_scratch.report import Advantage, Results
from phasezoo.experiments.learning import LearningRun, learn
from phasezoo.experiments.matches import MatchSummary, check_two_players, match_once
from phasezoo.experiments.networks import check_networks
from phasezoo.experiments.study import StudyRun
from phasezoo.report.console import Console
from phasezoo.training import ReplayRules, SelfPlayConfig, SelfPlayOutcome
from phasezoo.training.selfplay.config import Watching, self_play_settings

BASELINE = "one network"
"""How reports call the side without experts."""


def _file_name(side: str) -> str:
    return re.sub(r"[ :,=]", "-", side)


class ScratchRun(StudyRun[ScratchConfig, Results]):
    """One network and experts, each player by its own games; paired by seed."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: ScratchConfig, console: Console) -> None:
        """Refuse games of more than two players, and gates, networks and planes that do not fit."""
        del console
        handle = games.make(config.game)
        check_two_players(handle)
        if len(gating.make(config.gate, handle.name).names) < 2:
            message = f"--gate {config.gate}: it has one phase, so there is nothing to compare"
            raise InvalidConfig(message)
        check_networks([config.network], handle, config.planes)

    def work(self) -> Results:
        """Do every stage that is not done."""
        config = self.config
        self.console.heading("Learning by play")
        self.outcomes: dict[tuple[str, int], SelfPlayOutcome] = {}
        runs = [
            self._learn(side, training)
            for training in range(config.trainings)
            for side in (BASELINE, *config.strategies)
        ]
        self.console.heading("Experts against one network")
        advantages = [
            self._advantage(strategy, update)
            for strategy in config.strategies
            for update in config.compared
        ]
        self.table(report.advantages_table(advantages))
        return Results(
            **self.head(),
            runs=runs,
            advantages=advantages,
            seconds=self.seconds({"learning by play": ["learn/"], "matches": ["matches/"]}),
        )

    def _learn(self, side: str, training: int) -> LearningRun:
        """A training of a side, or what is left of it."""
        config = self.config
        name = f"{_file_name(side)}-{training + 1}"
        knobs = SelfPlayConfig(
            updates=config.updates,
            games_per_update=config.games,
            nodes=config.nodes,
            concurrency=config.concurrency,
            samples_per_new=config.samples_per_new,
            replay=ReplayRules(capacity=config.buffer),
            learning=self_play_settings(
                batch_size=config.training_batch,
                optimizer=config.optimizer,
                max_lr=config.learning_rate,
                threads=config.threads,
            ),
            max_plies=config.max_plies,
            watching=Watching.nothing(),
            **({} if side == BASELINE else learning_of(side)),
        )
        options: dict[str, Any] = {
            "game": config.game,
            "network": config.network,
            "planes": config.planes,
            "gate": None if side == BASELINE else config.gate,
            "seed": stream(config.seed, "training", training),
            "config": knobs,
        }
        title = f"{side} ({training + 1})"
        run, self.outcomes[side, training] = learn(self, name, title, **options)
        return run

    def _advantage(self, strategy: str, update: int) -> Advantage:
        """Experts against one network after some rounds, each with that of its own seed."""
        matches = [
            self._match(strategy, update, training) for training in range(self.config.trainings)
        ]
        elo = matches[0].elo
        if len(matches) > 1:
            elo = crossed_pairs([[one.pairs] for one in matches]).elo
        return Advantage(strategy, update, matches, elo)

    def _match(self, strategy: str, update: int, training: int) -> MatchSummary:
        config = self.config
        name = f"{_file_name(strategy)}-{training + 1}-update-{update}"
        return match_once(
            self,
            f"matches/{name}",
            lambda: {side: self._player(side, update, training) for side in (strategy, BASELINE)},
            game=config.game,
            games=config.match_games,
            seed=stream(config.seed, "match", training, update),
            max_plies=config.max_plies,
            concurrency=config.concurrency,
            threads=config.threads,
        )

    def _player(self, side: str, update: int, training: int) -> MCTSAgent:
        """The agent of a version, its moves drawn in the first plies so that games differ."""
        config = self.config
        evaluator = self.outcomes[side, training].evaluator(update, threads=config.threads)
        return MCTSAgent(
            evaluator,
            limit=Limit(nodes=config.match_nodes),
            config=SearchConfig(temperature=1.0, temperature_plies=12),
            game=config.game,
            threads=config.threads,
        )
