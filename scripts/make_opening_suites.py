"""Makes the package's opening suites besides the usual one of chess.

    python scripts/make_opening_suites.py NAME [NAME …]     # names: see SUITES

Each is a file of `src/phasezoo/data/samples/`, and a function of the seed below.
"""

import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import chess
import numpy as np
from sample_games import chunks, openings as stockfish_openings
from sample_games.recipes import RECIPES

from phasezoo import agents, arena, games, training

DATA: Final = Path(__file__).resolve().parent.parent / "src" / "phasezoo" / "data" / "samples"
SEED: Final = 20_242

UNBALANCED: Final = (60, 120)
"""Centipawns that one side is better by in the unbalanced openings of chess: more than the first,
at most the second."""
STOCKFISH: Final = stockfish_openings.OpeningConfig(candidates=700, seed=SEED, workers=2)

COUNT: Final = 100
"""Openings of a drawn suite, at most."""
DRAW_NODES: Final = 100
"""Nodes of the search from whose visits the plies of variants are drawn."""
CHECK_NODES: Final = 2_000
"""Nodes of the search that says whether their last position is balanced."""
BALANCE: Final = 0.1
"""Greatest value for either player then."""
PLIES: Final = (4, 8)
"""Fewest and most plies, both included."""


def two_ply() -> tuple[list[str], dict[str, Any]]:
    """Connect Four: all pairs of first moves."""
    return [f"{a} {b}" for a, b in itertools.product(range(7), repeat=2)], {}


def drawn() -> tuple[list[str], dict[str, Any]]:
    """Connect Four: positions that are drawn by perfect play, all different, also mirrored."""
    game = games.make("connect-four")
    rng = np.random.default_rng(SEED)
    lines: dict[int, str] = {}
    tried = 0
    while len(lines) < COUNT:
        tried += 1
        state, moves = game.initial_state(), []
        for _ in range(int(rng.integers(PLIES[0], PLIES[1] + 1))):
            moves.append(int(rng.choice(state.legal_actions)))
            state = state.play(moves[-1])
            if state.is_terminal:
                break
        if not state.is_terminal and game.action_scores(state).max() == 0:
            mirrored = game.initial_state()
            for move in moves:
                mirrored = mirrored.play(6 - move)
            lines.setdefault(min(state.key, mirrored.key), " ".join(map(str, moves)))
    return list(lines.values()), {"seed": SEED, "plies": PLIES, "drawn": tried}


def starts() -> tuple[list[str], dict[str, Any]]:
    """Chess960: its 960 starts, by number."""
    return [chess.Board.from_chess960_pos(number).fen() for number in range(960)], {}


def unbalanced() -> tuple[list[str], dict[str, Any]]:
    """Chess: one side is a little better, as Stockfish sees it."""
    candidates = stockfish_openings.draw_candidates(STOCKFISH, lambda: None)
    low, high = UNBALANCED
    lines = [each.moves for each in candidates if low < abs(each.score) <= high]
    about = {"nodes": STOCKFISH.check_nodes, "centipawns": UNBALANCED, "seed": SEED}
    return fresh("chess", lines), {**about, "drawn": STOCKFISH.candidates}


def balanced(name: str) -> Callable[[], tuple[list[str], dict[str, Any]]]:
    """A variant: balanced by the search that plays its sample games."""

    def make() -> tuple[list[str], dict[str, Any]]:
        rng = np.random.default_rng([SEED, len(name)])
        found = itertools.islice(balanced_lines(name, rng), COUNT + COUNT // 2)
        about = {"seed": SEED, "plies": PLIES, "nodes": CHECK_NODES, "value": BALANCE}
        return fresh(name, list(found)), about

    return make


def balanced_lines(name: str, rng: np.random.Generator) -> Iterator[list[str]]:
    """Lines drawn from searches' visits, whose last position is about even and quiet."""
    evaluator = RECIPES[name].searches["strong"]().evaluator
    options = {"fpu": 0.2, "c_puct_init": 1.5, "batch_size": 64, "node_temperature": 2.0}
    draw = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=DRAW_NODES), **options)
    check = agents.MCTSAgent(evaluator, limit=agents.Limit(nodes=CHECK_NODES), **options)
    while True:
        state, moves = games.make(name).initial_state(), []
        for _ in range(int(rng.integers(PLIES[0], PLIES[1] + 1))):
            result = draw.search(state)
            action = int(rng.choice(result.actions, p=result.visits / result.visits.sum()))
            moves.append(state.uci(action))
            state = state.play(action)
            if state.is_terminal:
                break
        if state.is_terminal or state.board().is_check():
            continue
        result = check.search(state)
        if abs(result.value) <= BALANCE and result.proven is None:
            yield moves


def fresh(name: str, lines: list[list[str]]) -> list[str]:
    """At most `COUNT` of the lines: last positions differ and occur in no sample game."""
    suite = arena.OpeningSuite(name, tuple(tuple(line) for line in lines))
    left, _ = suite.without(training.GameStore.sample(name).positions("none").key)
    different = {left.state(index).key: left.lines[index] for index in reversed(range(len(left)))}
    return [" ".join(line) for line in reversed(different.values())][:COUNT]


SUITES: Final[dict[str, Callable[[], tuple[list[str], dict[str, Any]]]]] = {
    "connect-four_two-ply": two_ply,
    "connect-four_drawn": drawn,
    "chess960_starts": starts,
    "chess_unbalanced": unbalanced,
    "atomic_balanced": balanced("atomic"),
    "crazyhouse_balanced": balanced("crazyhouse"),
}


def main() -> None:
    """Makes the suites that are named."""
    for name in sys.argv[1:] or SUITES:
        lines, about = SUITES[name]()
        doc = " ".join((SUITES[name].__doc__ or f"{name.partition('_')[0]}: balanced.").split())
        head = [
            f"# Opening suite of phasezoo. {doc} One opening a line.",
            f"# Made by scripts/make_opening_suites.py {name}. {json.dumps(about)}",
        ]
        path = DATA / f"{name}_openings.txt"
        chunks.write_atomically(path, "\n".join([*head, *lines]) + "\n")
        print(f"{path.name}: {len(lines)} openings")


if __name__ == "__main__":
    main()
