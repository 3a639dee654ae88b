"""Makes the networks inside the package: trains them, plays for their strength, packs them.

    python scripts/make_models.py train chess-small    # or go on where it was stopped
    python scripts/make_models.py measure chess-small  # the same; needs Stockfish
    python scripts/make_models.py pack chess-small     # into src/phasezoo/models

All networks learn from the sample games of the package, which this project made. See
scripts/README.md.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tyro
from sample_games.engine import Engine, EngineError

from phasezoo import agents, arena, inference, training
from phasezoo.errors import PhasezooError
from phasezoo.report.console import TerminalConsole, show_table
from phasezoo.training.callbacks import progress_bar
from phasezoo.training.experts.strategies import Budget

MODELS = Path(__file__).resolve().parents[1] / "src" / "phasezoo" / "models"
WORK = Path("target/models")
TEST_GAMES = 600
"""Games that losses are measured on."""
NETWORK_FILES = ("manifest.json", "model.safetensors", "config.json")
"""Files of each network in the package."""
ABOUT_FILES = ("experts.json", "losses.json", "strength.json")
"""Files of each set of experts in the package."""


@dataclass(frozen=True)
class Recipe:
    """How a baseline and its experts are trained."""

    game: str
    gate: str
    network: str
    positions: int
    """Positions that the baseline sees."""
    strategy: str
    budget: Budget
    seed: int = 1
    knobs: dict[str, Any] = field(default_factory=dict)
    """Fields of the training's config."""


RECIPES = {
    "chess-small": Recipe(
        game="chess",
        gate="lichess",
        network="resnet-64x2:policy=pointwise",
        positions=2_000_000,
        strategy="staged",
        budget="study",
        knobs={"optimizer": "adamw", "max_lr": 0.003, "batch_size": 64},
    ),
}


@dataclass(frozen=True)
class Strength:
    """How networks are measured by playing."""

    nodes: int = 200
    """Positions that a search evaluates for a move."""
    games: int = 200
    """Games of the experts against the one network."""
    engine_games: int = 60
    """Games of each other match."""
    engine: str = "/usr/games/stockfish"
    """Executable of Stockfish."""
    engine_nodes: tuple[int, ...] = (100, 1_000)
    """Its node limits, each a match."""
    seed: int = 1
    """Seed of openings and searches."""


class EngineAgent:
    """Stockfish by nodes, the hash table cleared for every move, so that equal seeds play alike."""

    def __init__(self, engine: Engine, nodes: int) -> None:
        self._engine, self._nodes = engine, nodes
        self.name = f"{engine.name}, {nodes:,} nodes"

    def session(self, seed: int) -> "EngineAgent":
        """Return a session for a game; the engine keeps no state of games."""
        return self

    def act(self, state: Any, player: int | None = None) -> int:
        """Return the engine's move."""
        self._engine.new_game()
        [line] = self._engine.search((), self._nodes, start=state.fen)
        return int(state.parse_uci(line.move))


def train(name: tyro.conf.Positional[str], work: Path = WORK, threads: int = 1) -> None:
    """Train a baseline and its experts; what is there already is not done again.

    Args:
        name: Which networks.
        work: Folder of unfinished work.
        threads: CPU threads.
    """
    recipe = _recipe(name)
    with progress_bar("training") as progress:
        experts = training.train_experts(
            training.GameStore.sample(recipe.game),
            recipe.gate,
            recipe.strategy,
            network=recipe.network,
            positions=recipe.positions,
            budget=recipe.budget,
            seed=recipe.seed,
            out=work / name,
            test_games=TEST_GAMES,
            threads=threads,
            device="cpu",
            tensorboard=False,
            progress=progress,
            **recipe.knobs,
        )
    for table in experts.tables():
        show_table(table, TerminalConsole())


def measure(
    name: tyro.conf.Positional[str],
    settings: tyro.conf.OmitArgPrefixes[Strength],
    work: Path = WORK,
) -> None:
    """Play for strength; matches that were interrupted go on.

    Args:
        name: Which networks.
        settings: How.
        work: Folder of unfinished work.
    """
    recipe = _recipe(name)
    experts = inference.load_experts(work / name)
    limit = agents.Limit(nodes=settings.nodes)
    one = agents.MCTSAgent(experts.baseline(threads=1), limit=limit)
    mixture = agents.MCTSAgent(experts.mixture(threads=1), limit=limit)
    with Engine(settings.engine) as engine:
        matches: list[tuple[str, Any, str, Any]] = [("experts", mixture, "one network", one)]
        for nodes in settings.engine_nodes:
            opponent = EngineAgent(engine, nodes)
            for side, agent in (("experts", mixture), ("one network", one)):
                matches.append((side, agent, opponent.name, opponent))
        played = {}
        for number, (first_name, first, second_name, second) in enumerate(matches):
            title = f"{first_name} v {second_name}"
            match = arena.play_match(
                first,
                second,
                recipe.game,
                games=settings.engine_games if number else settings.games,
                seed=settings.seed,
                threads=1,
                names=(first_name, second_name),
                log=work / f"{name}-{_slug(title)}-{settings.nodes}.log",
            )
            print(match.summary(), flush=True)
            played[title] = {
                "games": len(match.games),
                "wins": match.wins,
                "draws": match.draws,
                "losses": match.losses,
                "elo": str(match.elo),
            }
    about = {"nodes": settings.nodes, "seed": settings.seed, "matches": played}
    (work / name / "strength.json").write_text(json.dumps(about, indent=2) + "\n")


def pack(name: tyro.conf.Positional[str], work: Path = WORK, models: Path = MODELS) -> None:
    """Copy what the package needs.

    Args:
        name: Which networks.
        work: Folder of unfinished work.
        models: Folder of the package.
    """
    _recipe(name)
    experts, out = inference.load_experts(work / name), models / name
    folders = [*experts.experts.values(), str(experts.baseline_folder)]
    files = [Path(folder, file) for folder in folders for file in NETWORK_FILES]
    files += map(Path, ABOUT_FILES)
    for file in files:  # before what is there goes
        if not (work / name / file).is_file():
            message = f"{work / name / file} is not there: run train and measure first"
            raise ValueError(message)
    shutil.rmtree(out, ignore_errors=True)
    for file in files:
        (out / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(work / name / file, out / file)
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{out}: {len(folders)} networks, {size:,} bytes")


def _recipe(name: str) -> Recipe:
    if name not in RECIPES:
        message = f"{name!r}: expected one of {', '.join(RECIPES)}"
        raise ValueError(message)
    return RECIPES[name]


def _slug(title: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in title.lower())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; an expected failure is one sentence and exit status 1."""
    try:
        tyro.extras.subcommand_cli_from_dict(
            {"train": train, "measure": measure, "pack": pack},
            description=__doc__,
            args=arguments,
        )
    except (PhasezooError, EngineError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
