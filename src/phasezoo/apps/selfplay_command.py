"""``phasezoo selfplay``: a network learns a game by playing it against itself."""

import dataclasses
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from phasezoo._interrupt import continuing, saying
from phasezoo._progress import bar, is_quiet
from phasezoo.apps.command_line import match_hint, option_in
from phasezoo.errors import InvalidConfig
from phasezoo.runs import jsonable
from phasezoo.specs import Argument, NonNegativeInt
from phasezoo.training.catalogue import RECIPES, recipe_of
from phasezoo.training.selfplay.config import MCTS, Recipe, SelfPlayConfig

if TYPE_CHECKING:
    from phasezoo.training.selfplay.measurements import ProbeRow
    from phasezoo.training.selfplay.outcome import SelfPlayProgress, Update

Preset = Literal["quick", "standard", "paper"]


@dataclass(frozen=True)
class SelfPlayOptions:
    """Learn a game by playing it; the same command again continues what was interrupted.

    Every round plays games with the newest network, adds them to a replay, and learns from it.
    """

    common: ClassVar[tuple[str, ...]] = (
        "preset",
        "network",
        "gate",
        "search",
        "initial",
        "updates",
        "games_per_update",
        "nodes",
        "concurrency",
        "seed",
    )

    game: Annotated[str, Argument(positional=True)]
    """Game to learn, such as connect-four, krk, or one of your own from --plugin."""
    out: Path
    """New or empty directory, or that of this very run."""
    config: Any
    """The settings, by preset."""
    preset: Preset = "quick"
    """Size of the run: quick (minutes), standard (hours), paper (a cluster); each of its settings
    can be given by itself."""
    network: str | None = None
    """Architecture, such as resnet-16x2 (none: that, or what --initial is)."""
    gate: str | None = None
    """Phases that get an expert each, such as plies:14,28 (none: one network)."""
    initial: Annotated[str | None, Argument(metavar="PATH")] = None
    """Folder of a network to start from, or its name (none: new weights)."""
    planes: str | None = None
    """Input planes (none: the game's default)."""
    history: int | None = None
    """How many of the last moves they show (none: all)."""
    seed: NonNegativeInt = 0
    """Seed of all random draws."""
    plugin: tuple[str, ...] = ()

    def run(self) -> int:
        """Play and learn, and print what came of it."""
        how = f"The same command continues what is in {self.out}."
        stopped = continuing(self.out, "config.json", how)
        with saying(stopped), _watching(sys.stderr) as progress:
            from phasezoo.training.selfplay.loop import SelfPlay

            loop = SelfPlay(
                self.game,
                self.network,
                gate=self.gate,
                config=self.config,
                out=self.out,
                seed=self.seed,
                initial=self.initial,
                planes=self.planes,
                history=self.history,
                progress=progress,
                on_update=_print_update,
                on_probe=_print_probe,
            )
            outcome = loop.run()
        shown = "; report.html shows it" if self.config.watching.report else ""
        kind = "mcts:net" if self.gate is None else "m2cts:experts"
        agent = f"{kind}={outcome.path},nodes=100"
        sys.stdout.write(
            f"{outcome.describe()}\nin {outcome.path}{shown}\n"
            f"{match_hint(agent, self.game, self.plugin, board=True)}\n"
        )
        return 0


def selfplay_command(arguments: Sequence[str]) -> Any:
    """The command, with the settings of the preset asked for as defaults."""
    asked = option_in(arguments, "--preset")
    _check_search(arguments)
    known = Preset.__args__  # type: ignore[attr-defined]
    preset = asked if asked is not None and asked in known else "quick"
    game = _game_in(arguments)
    # What there is to start from has its own network and planes.
    begins = option_in(arguments, "--initial") is not None
    recipe = Recipe() if begins else recipe_of(game, preset)
    config = SelfPlayConfig.preset(preset, game)
    settings: Any = Annotated[SelfPlayConfig, Argument(name="")]
    fields: list[Any] = [
        ("config", settings, dataclasses.field(default=config)),
        ("network", str | None, dataclasses.field(default=recipe.network)),
        ("planes", str | None, dataclasses.field(default=recipe.planes)),
    ]
    options: Any = dataclasses.make_dataclass(
        "SelfPlayOptions", fields, bases=(SelfPlayOptions,), frozen=True, kw_only=True
    )
    options.__doc__ = f"{SelfPlayOptions.__doc__}\n{_own_settings(game, config, preset, recipe)}"
    return options


def _own_settings(game: str | None, config: SelfPlayConfig, preset: str, recipe: Recipe) -> str:
    """Return the settings of a game's own that differ from the preset's, as a paragraph of help."""
    if game is None:
        return ""
    before, after = (
        jsonable.flat(jsonable.plain(each)) for each in (SelfPlayConfig.preset(preset), config)
    )
    changed = [name for name in ("network", "planes") if getattr(recipe, name) is not None]
    changed += [name for name in after if after[name] != before[name]]
    if not changed:
        return ""
    words = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
    return f"{game} has settings of its own for --preset {preset}: the defaults of {words}."


def _check_search(arguments: Sequence[str]) -> None:
    """Refuse options of MCTS beside another search, because they would change nothing."""
    search = option_in(arguments, "--search") or MCTS
    names = [word.partition("=")[0] for word in arguments]
    idle = [name for name in names if name == "--nodes" or name.startswith("--search.")]
    if search != MCTS and idle:
        message = (
            f"{idle[0]} is an option of mcts, and --search {search} plays; options of a beam stand "
            "behind its name, --search beam:temperature=1,temperature_plies=30"
        )
        raise InvalidConfig(message)


def _game_in(arguments: Sequence[str]) -> str | None:
    """The first word that is a game with settings of its own, and no value of an option."""
    before = ["", *arguments]
    return next(
        (
            word
            for word, last in zip(arguments, before, strict=False)
            if word in RECIPES and not (last.startswith("--") and "=" not in last)
        ),
        None,
    )


def _print_update(row: "Update") -> None:
    """A round in one line."""
    if is_quiet():
        return
    numbers = row.numbers
    named = {
        "loss": numbers.get("learn/loss"),
        "plies a game": numbers.get("games/mean_plies"),
        "match score": numbers.get("match/score"),
    }
    shown = "".join(f", {name} {value:.3g}" for name, value in named.items() if value is not None)
    sys.stdout.write(
        f"update {row.update}: {row.games:,} games so far, {row.samples:,} new samples{shown}\n"
    )
    sys.stdout.flush()


def _print_probe(row: "ProbeRow") -> None:
    """Print the result of a probe in one line."""
    if not is_quiet():
        sys.stdout.write(f"  version {row.version}: {row.describe()}\n")
        sys.stdout.flush()


@contextmanager
def _watching(file: IO[str]) -> Iterator[Callable[["SelfPlayProgress"], None]]:
    """A bar of games while a run goes on; a file that is no terminal gets a line a minute."""
    from rich import progress as rich

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("games"),
        rich.TimeRemainingColumn(),
    )
    with bar(file, *columns, transient=True) as update:
        yield lambda event: update(
            completed=event.done,
            total=event.total,
            description=f"update {event.update}/{event.updates}, {event.doing}",
        )
