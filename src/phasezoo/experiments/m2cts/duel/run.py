"""The comparison of two searches, stage by stage: data, training, losses, games, report."""

from collections.abc import Mapping, Sequence
from typing import Any

from phasezoo.errors import RunDirectoryError, StoreError
from phasezoo.experiments.console import Console
from phasezoo.experiments.m2cts.duel import dataset, evaluation, matches, page, show
from phasezoo.experiments.m2cts.duel.config import M2ctsConfig
from phasezoo.experiments.m2cts.duel.preparation import Prepared, prepare
from phasezoo.experiments.m2cts.duel.results import Dataset, Losses, Pairing, Results
from phasezoo.experiments.m2cts.duel.tabular import losses_csv
from phasezoo.experiments.m2cts.plan import PlannedNetwork, folders, number
from phasezoo.experiments.m2cts.run import M2ctsRun
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.experts import plan_baseline, plan_experts

__all__ = ["DuelRun"]


class DuelRun(M2ctsRun[M2ctsConfig, Results]):
    """M2CTS against MCTS with one network, in a game of two players with stored games."""

    prepared: Prepared

    @classmethod
    def prepare(cls, config: M2ctsConfig, console: Console) -> Prepared:
        """Load, split and label the games; see :func:`~.preparation.prepare`."""
        console.heading("Reading the games")
        return prepare(config)

    def work(self) -> Results:
        """Do every stage that is not done."""
        data = self._dataset()
        show.show_dataset(self.console, data)
        planned = self._plan()
        seeds = self._seeds(planned)
        self.same("seeds.json", seeds)
        cards = self.train(planned)
        show.show_networks(self.console, cards)
        losses = self._losses(planned)
        show.show_losses(self.console, losses)
        together = matches.summarise(self.config, self._pairings(planned))
        self.directory.write_json("match.json", together)
        show.show_match(self.console, together)
        return Results(
            **self.head(),
            seeds=seeds,
            dataset=data,
            networks=cards,
            losses=losses,
            matches=together,
            seconds=self.times(
                cards,
                {
                    "reading and labelling games": ["prepare", "data"],
                    "measuring losses": ["losses"],
                    "playing games": ["matches/"],
                },
            ),
        )

    def render(self, results: Results) -> str:
        """The report as one HTML page."""
        return page.render(results)

    def show(self, results: Results) -> None:
        """The answer in a few lines."""
        show.show_verdict(self.console, results)

    def recipe(self, network: PlannedNetwork) -> Mapping[str, Any]:
        """All networks learn the same way from the training games."""
        config = self.config
        return {
            "store": self.prepared.splits.train,
            "splits": self.prepared.splits,
            "network": config.network,
            "planes": config.planes,
            "config": SupervisedConfig(
                batch_size=config.training_batch,
                optimizer=config.optimizer,
                max_lr=config.learning_rate,
                validation_positions=config.validation_positions,
                init_seed=network.initial_seed,
                device=config.device,
                threads=config.threads,
            ),
        }

    def _dataset(self) -> Dataset:
        data = self.once("data", "dataset.json", Dataset, lambda: dataset.describe(self.prepared))
        if data.sha256 != self.prepared.sha256:
            message = (
                f"{self.config.games or 'the sample games'}: changed since this run began; start "
                "a new run with --out"
            )
            raise StoreError(message)
        if data.openings_digest != self.prepared.openings.digest():
            message = (
                f"{self.path}: begun with other openings than this version of phasezoo has; "
                "finish it with the version in config.json, or start a new run with --out"
            )
            raise RunDirectoryError(message)
        return data

    def _plan(self) -> list[PlannedNetwork]:
        """Separated learning: experts and placebo share the baseline's number of positions."""
        prepared, config = self.prepared, self.config
        table = prepared.tables["train"]
        placebo = prepared.splits.train.positions(prepared.placebo, threads=config.threads)
        budget = config.positions
        if config.epochs is not None:
            budget = max(1, round(config.epochs * len(table)))
        groups = {
            "baseline": [plan_baseline(budget)],
            "expert": plan_experts(table, budget),
            "placebo": plan_experts(placebo, budget, "placebo"),
        }
        return [
            network
            for training in range(config.trainings)
            for role, plans in groups.items()
            for network in number(plans, role, training, self.seed)
        ]

    def _seeds(self, planned: Sequence[PlannedNetwork]) -> dict[str, int]:
        trainings = range(self.config.trainings)
        pairs = [(i, j) for i in trainings for j in trainings]
        return {
            "run": self.config.seed,
            **{name: self.seed(name) for name in ("split", "test games", "resampling")},
            **{f"initial weights {k + 1}": self.seed("initial weights", k) for k in trainings},
            **{f"order {n.name}": n.seed for n in planned},
            **{f"match {i + 1} v {j + 1}": self.seed("match", i, j) for i, j in pairs},
        }

    def _losses(self, planned: Sequence[PlannedNetwork]) -> Losses:
        self.console.heading("Losses on test positions")

        def measure() -> Losses:
            networks = [
                {
                    role: list(folders(planned, self.networks, training, role).values())
                    for role in ("baseline", "expert", "placebo")
                }
                for training in range(self.config.trainings)
            ]
            found = evaluation.measure(self.prepared, networks, self.console)
            self.directory.write_text("losses.csv", losses_csv(found))
            return found

        return self.once("losses", "losses.json", Losses, measure)

    def _pairings(self, planned: Sequence[PlannedNetwork]) -> list[Pairing]:
        self.console.heading("Games: M2CTS against MCTS")
        trainings = range(self.config.trainings)
        pairs = [(i, j) for i in trainings for j in trainings]
        pairings = [self._pairing(planned, pair) for pair in pairs]
        games = [(self.path / f"{_name(pair)}.pgn").read_text(encoding="utf-8") for pair in pairs]
        self.directory.write_text("games.pgn", "".join(games))
        return pairings

    def _pairing(self, planned: Sequence[PlannedNetwork], pair: tuple[int, int]) -> Pairing:
        mixture, baseline = pair
        name = _name(pair)

        def play() -> Pairing:
            experts = folders(planned, self.networks, mixture, "expert")
            one = folders(planned, self.networks, baseline, "baseline")
            log = self.path / f"{name}.jsonl"
            log.parent.mkdir(parents=True, exist_ok=True)
            pairing, pgn = matches.play_pairing(
                self.prepared,
                {str(phase): path for phase, path in experts.items()},
                one[None],
                pair,
                log,
                self.console,
            )
            self.directory.write_text(f"{name}.pgn", pgn)
            return pairing

        return self.once(name, f"{name}.json", Pairing, play)


def _name(pair: tuple[int, int]) -> str:
    return f"matches/mixture-{pair[0] + 1}-baseline-{pair[1] + 1}"
