"""The study from the first game to the report: learning, matches, the search."""

from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from phasezoo import arena, games, networks
from phasezoo.agents import Limit, MCTSAgent, SearchConfig
from phasezoo.arena import stream
from phasezoo.errors import InvalidConfig
from phasezoo.experiments.atomic import measurements, report
from phasezoo.experiments.atomic.config import INPUTS, VARIANTS, AtomicConfig, one_mate
from phasezoo.experiments.atomic.measurements import OneMate, Results, Searched
from phasezoo.experiments.games_file import read_games
from phasezoo.experiments.learning import LearningRun, learn
from phasezoo.experiments.matches import MatchSummary, match_once
from phasezoo.experiments.study import StudyRun
from phasezoo.networks import NetworkOutput
from phasezoo.networks.making import described
from phasezoo.report.console import Console
from phasezoo.training import ReplayRules, SelfPlay, SelfPlayConfig, SelfPlayOutcome
from phasezoo.training.config import SupervisedConfig
from phasezoo.training.selfplay.config import (
    CONSTANT,
    Watching,
    self_play_search,
    self_play_settings,
)

THESIS = "thesis"
"""The variant that the others are compared with."""

_LADDER = 4
"""Rungs of the ladder above version 0."""

NAME = "shown"
"""Name of such a network: ``shown-16x2:thing=clock``."""

_HEADS = ("policy", "value", "value_channels", "value_units")
"""Options of a network's heads."""

PIECES = 12
"""Planes of pieces come first."""

UNTRAINED = "untrained"

_PHASES = ("middlegame", "endgame")


class AtomicRun(StudyRun[AtomicConfig, Results]):
    """Variants of learning, matches between their results, and the cost of the search."""

    results = Results
    report = staticmethod(report.report)

    @classmethod
    def prepare(cls, config: AtomicConfig, console: Console) -> None:
        """Refuse networks that cannot be made."""
        del console
        for name in variants_of(config):
            options = options_of(name, config)
            game = games.make(options["game"])
            shape = game.plane_shape(options["planes"])
            networks.make(options["network"], shape, game.num_actions, seed=config.seed)

    def work(self) -> Results:
        """Do every stage that is not done."""
        self.console.heading("Learning by play")
        self.outcomes: dict[str, SelfPlayOutcome] = {}
        trainings = [self._learn(name) for name in variants_of(self.config)]
        self.table(report.learning_table(trainings))
        self.console.heading("Matches")
        variants = list(self.outcomes)
        untrained = {UNTRAINED: self._player(THESIS, 0)}
        beaten = [self._match(name, {name: self._player(name)}, untrained) for name in variants]
        thesis = {THESIS: self._player(THESIS)}
        compared = [self._match(name, {name: self._player(name)}, thesis) for name in variants[1:]]
        itself = self._match("itself", {"one": self._player(THESIS)}, {"other": thesis[THESIS]})
        phases = self._from_phases(untrained)
        mate = None
        if self.config.mate_games:
            mate = self.once("mate", OneMate, self._one_mate, heading="One mate in two")
        styles = self._styles()
        self.table(report.beaten_table(beaten, compared))
        searched = self.once("search", Searched, self._search, heading="The search")
        return Results(
            **self.head(),
            runs=trainings,
            against_untrained=beaten,
            against_thesis=compared,
            itself=itself,
            from_phases=phases,
            mate=mate,
            styles=styles,
            searched=searched,
            seconds=self.seconds(
                {
                    "learning by play": ["learn/"],
                    "matches": ["matches/"],
                    "one mate": ["mate"],
                    "measuring the search": ["search"],
                }
            ),
        )

    def _learn(self, name: str) -> LearningRun:
        """Train a variant, or go on with it."""
        options = options_of(name, self.config)
        training, self.outcomes[name] = learn(self, name, VARIANTS.get(name, name), **options)
        return training

    def _player(self, variant: str, version: int | None = None, **search: Any) -> MCTSAgent:
        """Return a version's agent; it draws moves in the first plies, so that games differ."""
        config = self.config
        drawn = {"temperature": 1.0, "temperature_plies": 12, "fpu": 0.0, "fpu_style": "absolute"}
        return MCTSAgent(
            self.outcomes[variant].evaluator(version, threads=config.threads),
            limit=Limit(nodes=config.match_nodes),
            config=SearchConfig(**{**drawn, **search}),
            game="atomic",
            threads=config.threads,
        )

    def _match(self, name: str, first: Any, second: Any, **options: Any) -> MatchSummary:
        (other,) = second
        stage = f"matches/{name}-{other}"
        usual: dict[str, Any] = {
            "game": "atomic",
            "games": self.config.match_games,
            "seed": stream(self.config.seed, "atomic", stage),
            "max_plies": self.config.max_plies,
            "concurrency": self.config.concurrency,
            "threads": self.config.threads,
        }
        return match_once(self, stage, lambda: {**first, **second}, **usual | options)

    def _from_phases(self, untrained: dict[str, Any]) -> dict[str, MatchSummary]:
        """Play trained against untrained from where games of self-play reach a phase."""
        found = {}
        store = self.outcomes[THESIS].store()
        for phase in _PHASES:
            try:
                suite = arena.OpeningSuite.at_phase(store, "lichess", phase, game="atomic")
            except InvalidConfig:  # no game got there
                self.console.note(f"no game of self-play reached the {phase}")
                continue
            first = {THESIS: self._player(THESIS)}
            found[phase] = self._match(phase, first, untrained, openings=suite)
        return found

    def _one_mate(self) -> OneMate:
        """Play games from one mate in two, learn after each, and show it to every version."""
        config, puzzle = self.config, one_mate(self.config.mate)
        options = options_of(THESIS, config)
        options["config"] = _config(
            config,
            updates=config.mate_games,
            games_per_update=1,
            nodes=config.mate_simulations,
            max_plies=config.mate_plies,
            concurrency=1,
            samples_per_update=config.training_batch,
            starts=(f"start:{puzzle.state.fen}",),
            search=self_play_search(
                temperature=1.0, temperature_plies=config.max_plies, batch_size=config.search_batch
            ),
            watching=Watching.nothing(),
        )
        with self.console.task("Games from one mate in two", config.mate_games) as task:
            run = SelfPlay(
                out=self.path / "learn" / "mate",
                progress=lambda event: task.update(event.done, ""),
                **options,
            )
            outcome = run.run()
        rows = [
            measurements.mate_row(
                outcome.evaluator(version, threads=config.threads), puzzle, version, config
            )
            for version in range(config.mate_games + 1)
        ]
        moves = sorted(puzzle.state.uci(action) for action in puzzle.actions)
        return OneMate(puzzle.state.fen, moves, rows)

    def _styles(self) -> MatchSummary:
        batch = self.config.search_batch
        sides = {
            text: self._player(THESIS, virtual_style=style, batch_size=batch)
            for style, text in measurements.STYLES.items()
        }
        first, second = ({name: side} for name, side in sides.items())
        return self._match("styles", first, second)

    def _search(self) -> Searched:
        outcome = self.outcomes[THESIS]
        evaluator = outcome.evaluator(threads=self.config.threads)
        return Searched(
            collisions=measurements.collision_rows(evaluator, self.config),
            batches=measurements.batch_rows(evaluator, self.config),
            move=measurements.move_cost(evaluator, self.config),
            workers=measurements.worker_rows(
                Path(outcome.version()), self.config, [__name__, *self.study.plugins]
            ),
        )


def variants_of(config: AtomicConfig) -> tuple[str, ...]:
    """Return every variant of a run, the thesis' own first."""
    others = [name for name in (*config.arms, *config.inputs) if name != THESIS]
    return (THESIS, *others)


def options_of(name: str, config: AtomicConfig) -> dict[str, Any]:
    """Return a variant's arguments of :class:`phasezoo.training.SelfPlay`, but its directory."""
    options: dict[str, Any] = {
        "game": "atomic",
        "network": config.network,
        "planes": "minimal",
        "seed": config.seed,
        "config": _config(config, ladder=name == THESIS, **_changes(name, config)),
    }
    if name in INPUTS or name == "other-heads":
        tower = described(config.network)
        family, _, size = tower.name.rpartition("-")
        if name in INPUTS:
            if family != "resnet":
                message = (
                    f"--network {config.network}: --inputs needs a residual tower, such as "
                    f"resnet-16x2; leave --inputs out, or choose one"
                )
                raise InvalidConfig(message)
            shown = networks.spec_of(f"{NAME}-{size}", thing=name, **tower.options)
            return {**options, "network": shown, "planes": "v1"}
        kept = {option: value for option, value in tower.options.items() if option not in _HEADS}
        options["network"] = networks.spec_of(tower.name, **kept)
    return options


def _learning(config: AtomicConfig, **changes: Any) -> SupervisedConfig:
    """Return the thesis' SGD at one rate, with loss (z - v)^2 - pi log p."""
    values: dict[str, Any] = {
        "batch_size": config.training_batch,
        "optimizer": "sgd",
        "max_lr": config.learning_rate,
        "min_lr": config.learning_rate / 10,
        "max_momentum": 0.9,
        "weight_decay": 1e-4,
        "policy_weight": 1.0,
        "value_weight": 1.0,
        "wdl_weight": 0.0,
        "plies_weight": 0.0,
        "threads": config.threads,
    }
    return self_play_settings(**{**values, **changes})


def _config(config: AtomicConfig, *, ladder: bool = False, **changes: Any) -> SelfPlayConfig:
    """Return the thesis' settings: moves drawn in proportion to visits, newer samples preferred."""
    values: dict[str, Any] = {
        "updates": config.updates,
        "games_per_update": config.games,
        "nodes": config.nodes,
        "concurrency": config.concurrency,
        "samples_per_new": config.samples_per_new,
        "search": self_play_search(
            temperature=1.0, temperature_decay=1.0, temperature_plies=config.max_plies
        ),
        "replay": _preferring_newer(config),
        "learning": _learning(config),
        "schedule": CONSTANT,
        "max_plies": config.max_plies,
        "watching": Watching(
            probe_every=max(1, config.updates // _LADDER),
            probe_positions=config.probe_positions,
            probe_nodes=config.simulations[-1],
            ladder_every=max(1, config.updates // _LADDER),
            ladder_games=config.match_games if ladder else 0,
            ladder_nodes=config.match_nodes,
        ),
    }
    return SelfPlayConfig(**{**values, **changes})


def _changes(name: str, config: AtomicConfig) -> dict[str, Any]:
    """Return the settings of self-play that a variant changes."""
    buffer = config.buffer
    match name:
        case "last-step":
            return {"replay": ReplayRules(capacity=config.last_step)}
        case "half-buffer":
            return {"replay": ReplayRules(capacity=buffer // 2, half_life=buffer / 4)}
        case "whole-buffer":
            return {"replay": ReplayRules(capacity=buffer), "samples_per_update": buffer}
        case "even-ages":
            return {"replay": ReplayRules(capacity=buffer)}
        case "other-heads":
            heads = {"value_weight": 0.0, "wdl_weight": 1.0, "plies_weight": 0.002}
            return {"learning": _learning(config, **heads)}
        case "adamw":
            rates = {"optimizer": "adamw", "max_lr": 2e-3, "min_lr": 1e-5}
            return {"learning": _learning(config, **rates)}
        case "mirrored":
            return {"replay": _preferring_newer(config, symmetries=True)}
        case "game-weights":
            return {"replay": _preferring_newer(config, counts="game")}
        case "hotter":
            hot = {"temperature": 2.0, "temperature_decay": 0.97}
            return {"search": self_play_search(**hot, temperature_plies=config.max_plies)}
        case "later-starts":
            sample = f"games:{read_games('atomic', None).path}:0-{config.max_plies // 2}"
            return {"starts": ("0.5*initial", f"0.5*{sample}")}
    return {}


def _preferring_newer(config: AtomicConfig, **changes: Any) -> ReplayRules:
    """Return the thesis' buffer."""
    return ReplayRules(capacity=config.buffer, half_life=config.buffer / 2, **changes)


class Shown(nn.Module):
    """A network behind a mask over its input planes.

    Args:
        network: What is masked, of planes ``float32[B, C, H, W]``.
        channels: C.
        kept: The planes that it is shown; the others are 0 for it.
    """

    kept: Tensor

    def __init__(self, network: nn.Module, channels: int, kept: tuple[int, ...]) -> None:
        super().__init__()
        self.network = network
        mask = torch.zeros(1, channels, 1, 1)
        mask[:, list(kept)] = 1
        self.register_buffer("kept", mask, persistent=False)

    def forward(self, planes: Tensor) -> NetworkOutput:
        """Return the network's output for the planes that it is shown."""
        answer: NetworkOutput = self.network(planes * self.kept)
        return answer


def shown_network(
    input_shape: tuple[int, int, int],
    num_actions: int,
    channels: int,
    blocks: int,
    thing: Literal[
        "repetitions", "en-passant", "colour", "move-number", "castling", "clock", "last-moves"
    ] = "clock",
    **options: Any,
) -> nn.Module:
    """Return a residual tower of planes ``v1``, which sees the pieces and ``thing`` alone."""
    made = networks.make(f"resnet-{channels}x{blocks}", input_shape, num_actions, **options)
    return Shown(made, input_shape[0], (*range(PIECES), *INPUTS[thing]))


networks.register(NAME, shown_network)
