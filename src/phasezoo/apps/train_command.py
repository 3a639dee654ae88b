"""``phasezoo train``: a network, an expert, or a baseline with experts, from stored games."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from phasezoo._interrupt import continuing, saying
from phasezoo.apps.command_line import match_hint
from phasezoo.errors import InvalidConfig
from phasezoo.inference.storage.experts import ValueSource
from phasezoo.report.console import TerminalConsole, show_table
from phasezoo.report.document import Table
from phasezoo.specs import Argument, NonNegativeInt, PositiveFloat, PositiveInt
from phasezoo.training.config import SupervisedConfig

if TYPE_CHECKING:
    from phasezoo.data.splits import PositionStore


@dataclass(frozen=True)
class TrainOptions:
    """Train on stored games; the same command again continues what was interrupted.

    Without --strategy one network is trained: of all phases, or the expert of --phase. With it a
    baseline and an expert for each phase are, and all of them are tested on every phase.
    """

    common: ClassVar[tuple[str, ...]] = (
        "gate",
        "phase",
        "strategy",
        "network",
        "init",
        "seed",
        "batch_size",
        "max_lr",
        "device",
    )

    store: Annotated[str, Argument(positional=True)]
    """Folder or file of games; sample:GAME for those in the package."""
    positions: PositiveInt
    """Training positions that the network, or the baseline, sees."""
    out: Path
    """New or empty directory, or that of this very training."""
    gate: str = "none"
    """Gate that defines the phases, such as lichess, moves:3, plies:10 or material."""
    phase: str | None = None
    """Train the expert of this phase, by its name."""
    strategy: str | None = None
    """How experts of all phases learn: separated, staged, weighted:FACTOR such as weighted:4, or as
    one network that receives the phase: planes, heads, policies, film, adapters, blocks or
    router."""
    order: Annotated[tuple[str, ...], Argument(metavar="PHASE ...")] = ()
    """Stages of staged experts: none for all phases first, farthest-first, or all phases; --order
    may be given several times."""
    budget: Literal["equal", "study"] = "equal"
    """Whether baseline and mixture see the same number of positions, or the published numbers."""
    value: ValueSource = "own"
    """Origin of a mixture's values: own (the experts'), shared (the one network's), distilled (the
    experts', which learn the one network's answers too), or all (the experts', which learn them
    from positions of every phase)."""
    phases: Annotated[tuple[str, ...], Argument(metavar="PHASE ...")] = ()
    """Phases that get an expert: none for all; the one network answers for the others."""
    freeze_baseline: bool = False
    """Whether --freeze holds for the baseline too, and for what staged experts start from."""
    learning_rates: Annotated[tuple[PositiveFloat, ...], Argument(metavar="RATE ...")] = ()
    """Peak learning rates that the baseline and every expert are trained with; validation chooses
    one for each network (none: --max-lr alone)."""
    value_games: str | None = None
    """Folder or file of games whose results are learned from and whose moves are not (none: there
    are none); every batch has --value-share times as many of their positions more."""
    test_games: PositiveInt | None = 300
    """Test games that a baseline and its experts are measured on (none: all)."""
    network: str = "rise-32x4"
    """Architecture, such as rise-32x4, with options as rise-32x4:value=mse; or one's own; or a
    trained network that is trained further, by its folder or by a file of lc0's (.pb.gz)."""
    planes: str | None = None
    """Input planes (none: the game's default, or those of the trained network)."""
    history: int | None = None
    """How many of the last moves they show (none: all)."""
    init: Path | None = None
    """Directory of a network to start from; not with --strategy."""
    seed: NonNegativeInt = 0
    """Decides split, initial weights and the order of positions."""
    config: Annotated[SupervisedConfig, Argument(name="")] = field(default_factory=SupervisedConfig)
    plugin: tuple[str, ...] = ()

    def run(self) -> int:
        """Train, and print what came of it."""
        self._check()
        from phasezoo.data.store import GameStore
        from phasezoo.training.callbacks import progress_bar

        store = GameStore.open(self.store)
        shared: dict[str, Any] = {
            "network": self.network,
            "planes": self.planes,
            "history": self.history,
            "positions": self.positions,
            "seed": self.seed,
            "out": self.out,
            "config": self.config,
            "value_games": None if self.value_games is None else GameStore.open(self.value_games),
        }
        console = TerminalConsole()
        bar = progress_bar("training", sys.stderr)
        how = f"The same command continues what is in {self.out}."
        with saying(continuing(self.out, "", how)), bar as shared["progress"]:
            shown = self._experts(store, shared) if self.strategy else self._one(store, shared)
        for part in shown:
            show_table(part, console) if isinstance(part, Table) else console.note(part)
        return 0

    def _one(self, store: "PositionStore", shared: dict[str, Any]) -> list[Any]:
        from phasezoo.training.supervised import train_supervised

        result = train_supervised(store, gate=self.gate, phase=self.phase, init=self.init, **shared)
        hint = match_hint(f"mcts:net={result.path},nodes=100", store.game.name, self.plugin)
        shown = [result.describe(), f"in {result.path}"]
        if self.gate != "none" and self.phase is None:
            shown.append(
                f"one network of all phases; --strategy separated trains an expert for each of "
                f"{self.gate} too, and --phase NAME one of them alone"
            )
        return [*shown, hint]

    def _experts(self, store: "PositionStore", shared: dict[str, Any]) -> list[Any]:
        from phasezoo.training.experts.phase_experts import train_experts

        experts = train_experts(
            store,
            self.gate,
            str(self.strategy),
            order=(self.order[0] if len(self.order) == 1 else self.order) or None,
            budget=self.budget,
            value=self.value,
            phases=self.phases or None,
            freeze_baseline=self.freeze_baseline,
            learning_rates=self.learning_rates or None,
            test_games=self.test_games,
            **shared,
        )
        agent = f"m2cts:experts={experts.directory},nodes=100"
        one = experts.baseline_folder
        opponent = f"mcts:net={experts.directory / one},nodes=100" if one else "random"
        hint = match_hint(agent, store.game.name, self.plugin, opponent=opponent)
        shown = [*experts.tables(), f"in {experts.directory}"]
        if not experts.losses.games:
            shown.append(
                "no loss was measured: the test split, a tenth of the games, is empty; a store of "
                "10 games or more has one"
            )
        return [*shown, hint]

    def _check(self) -> None:
        """Refuse options that say nothing together."""
        if self.strategy is None:
            given = {
                "--order": self.order,
                "--budget": self.budget != "equal",
                "--value": self.value != "own",
                "--phases": self.phases,
                "--freeze-baseline": self.freeze_baseline,
                "--learning-rates": self.learning_rates,
            }
            alone = [name for name, value in given.items() if value]
            if alone:
                message = f"{alone[0]}: is for experts; give --strategy too, or leave it out"
                raise InvalidConfig(message)
            return
        wrong = [n for n, v in (("--phase", self.phase), ("--init", self.init)) if v is not None]
        if wrong:
            message = f"{wrong[0]}: is for one network, and --strategy trains one for each phase"
            raise InvalidConfig(message)
