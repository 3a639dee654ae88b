"""Self-play: what the trees cost, where the time of a run goes, and OpenSpiel's actors beside ours.

The first rows play games by an evaluator that knows nothing, with planes for each leaf, on one
thread: everything but the network. The second is a run of learning by play of Connect Four with a
small network. The third plays games of Connect Four beside the actor of OpenSpiel's AlphaZero in
Python (`alpha_zero.py` of version 2), with a network of the same size and the same simulations;
both are one process.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Row, absent, alone, named, sized
from phasezoo import agents, games, inference, networks, training
from phasezoo.agents import Limit
from phasezoo.games.queries import action_spec
from phasezoo.inference.backends.modules import answers_of
from phasezoo.inference.backends.onnx import OnnxEvaluator
from phasezoo.inference.backends.onnx_export import export_onnx
from phasezoo.inference.storage.manifest import Manifest

GAMES, NODES = sized((256, 100), (4, 4))
"""Of a run with the evaluator that knows nothing."""

NETWORK, SIMULATIONS = "resnet-64x4", sized(50, 4)
"""Of Connect Four."""

ROUND_GAMES, OWN_GAMES = sized((64, 128), (4, 4))
"""Of a round of learning, and of those beside the peer's."""

REPEATS = sized(3, 1)

PEER_GAMES = sized(2, 1)
"""Of OpenSpiel's actor, which are enough: they take tens of seconds."""


class CountedPlanes:
    """Values every position 0, but wants its planes; counts rows."""

    def __init__(self, plane_spec: str) -> None:
        self.plane_spec = plane_spec
        self.rows = 0

    def evaluate(self, planes: Any) -> inference.Evaluation:
        """Zeros, one per row."""
        self.rows += len(planes)
        return inference.Evaluation(value=np.zeros(len(planes), dtype=np.float32))


def played(agent: Any, game: str, count: int, **options: Any) -> training.GameStore:
    """Games of an agent against itself, in a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        return training.play_games(
            agent, game=game, games=count, out=Path(folder) / "games", seed=1, **options
        )


def leaves(game: str, max_plies: int | None, batch_size: int) -> Callable[[], float]:
    """Leaf evaluations of many games by an evaluator that knows nothing, on one thread."""
    spec = games.make(game).default_planes
    config = agents.SearchConfig.self_play(batch_size=batch_size, fpu=0.0)

    def work() -> float:
        evaluator = CountedPlanes(spec)
        agent = agents.MCTSAgent(evaluator, limit=Limit(nodes=NODES), config=config, threads=1)
        played(agent, game, GAMES, max_plies=max_plies, concurrency=64, threads=1)
        return evaluator.rows

    return work


def learning_share() -> float:
    """Percent of the time of a run that is inference or training."""
    with tempfile.TemporaryDirectory() as folder:
        loop = training.SelfPlay(
            "connect-four",
            NETWORK,
            out=Path(folder) / "run",
            games_per_update=ROUND_GAMES,
            updates=2,
            nodes=SIMULATIONS,
            watching=training.Watching(probe_every=0),
        )
        outcome = loop.run()
        rows = [update.numbers for update in outcome.updates]
    spent = {
        name: sum(row[f"time/{name}"] or 0.0 for row in rows)
        for name in ("inference", "learning", "playing", "promoting")
    }
    parts = spent["playing"] + spent["learning"] + spent["promoting"]
    return 100 * (spent["inference"] + spent["learning"]) / parts


def network() -> OnnxEvaluator:
    """Return a network with random weights, which cost as much as trained ones."""
    game = games.make("connect-four")
    shape = game.plane_shape("default")
    made = networks.make(NETWORK, shape, game.num_actions)
    manifest = Manifest(
        game=game.name,
        planes="default",
        network=NETWORK,
        input_shape=shape,
        num_actions=game.num_actions,
        actions=action_spec(game.num_actions, shape),
    )
    return OnnxEvaluator(manifest, export_onnx(answers_of(made, manifest), shape))


def ours() -> tuple[float, float]:
    """Games and positions a second with :data:`NETWORK`."""
    config = agents.SearchConfig.self_play(batch_size=1, fpu=0.0)
    agent = agents.MCTSAgent(network(), limit=Limit(simulations=SIMULATIONS), config=config)
    start = time.perf_counter()
    store = played(agent, "connect-four", OWN_GAMES, concurrency=64)
    seconds = time.perf_counter() - start
    return len(store) / seconds, store.num_positions / seconds


def open_spiel() -> tuple[float, float]:
    """The same of OpenSpiel's actor, after a game that compiles its network."""
    import pyspiel
    from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator, model_nnx

    game = pyspiel.load_game("connect_four")
    width, depth = map(int, NETWORK.removeprefix("resnet-").split("x"))
    shape, actions = game.observation_tensor_shape(), game.num_distinct_actions()
    with tempfile.TemporaryDirectory() as folder:
        config = alpha_zero.Config(
            game="connect_four", path=folder, learning_rate=1e-3, weight_decay=1e-4,
            decouple_weight_decay=False, train_batch_size=128, replay_buffer_size=2**14,
            replay_buffer_reuse=False, max_steps=1, checkpoint_freq=1, actors=1, evaluators=0,
            evaluation_window=1, eval_levels=1, uct_c=2.0, max_simulations=SIMULATIONS,
            policy_alpha=0.3, policy_epsilon=0.25, temperature=0.8, temperature_drop=15,
            nn_model="resnet", nn_width=width, nn_depth=depth, observation_shape=shape,
            output_size=actions, verbose=False, quiet=True,
        )  # fmt: skip
        model = model_nnx.Model.build_model(
            "resnet", shape, actions, width, depth, 1e-4, 1e-3, folder
        )
        answers = evaluator.AlphaZeroEvaluator(game, model)
        bot = alpha_zero._init_bot(config, game, answers, evaluation=False)
        log = _Silent()
        alpha_zero._play_game(log, 0, game, (bot, bot), 0.8, 15)
        answers.clear_cache()
        # That throws compiled code away too, which belongs to no game.
        answers.prior(game.new_initial_state())
        start, plies = time.perf_counter(), 0
        for number in range(PEER_GAMES):
            record = alpha_zero._play_game(log, number, game, (bot, bot), 0.8, 15)
            plies += len(record.states)
        seconds = time.perf_counter() - start
    return PEER_GAMES / seconds, plies / seconds


class _Silent:
    """OpenSpiel's logger, of which nothing is wanted."""

    def print(self, *_: Any) -> None:
        """Nothing."""

    def opt_print(self, *_: Any) -> None:
        """Nothing."""


def rows() -> list[Row]:
    """Trees and planes, the share of a run, games beside OpenSpiel's."""
    result = []
    cases: list[tuple[str, str, int | None, int]] = [
        ("Connect Four, one leaf a tree", "connect-four", None, 1),
        ("Connect Four, 8 leaves a tree", "connect-four", None, 8),
        ("chess, cut at ply 30, 8 leaves a tree", "chess", 30, 8),
    ]
    for what, game, max_plies, batch_size in cases:
        name = f"self-play, uniform, planes for each leaf, {NODES} nodes, one thread: {what}"
        work = leaves(game, max_plies, batch_size)
        result.append(alone(name, "leaf evaluations/s", "≥ 350 k", work, repeats=3))
    shares = sorted(learning_share() for _ in range(2))
    name = f"learning Connect Four by play, {NETWORK}: share of inference and training"
    spread = (shares[0], shares[-1])
    result.append(Row(name, statistics.median(shares), "%", "≥ 90 %", spread=spread))
    mine = [ours() for _ in range(REPEATS)]
    theirs, peer = [], f"{named('OpenSpiel', 'open-spiel')} alpha_zero.py, one actor"
    try:
        theirs = [open_spiel() for _ in range(REPEATS)]
    except ImportError as error:
        peer = f"{peer}: {absent(error)}"
    for place, unit in enumerate(("games/s", "positions/s")):
        name = f"self-play of Connect Four, {NETWORK}, {SIMULATIONS} simulations"
        own, other = sorted(run[place] for run in mine), [run[place] for run in theirs]
        result.append(
            Row(
                name,
                statistics.median(own),
                unit,
                "≥ 10x",
                peer,
                statistics.median(other) if other else None,
                (own[0], own[-1]),
            )
        )
    return result
