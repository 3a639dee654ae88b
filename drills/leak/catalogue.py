"""The work whose memory is watched; each goes on until it is killed."""

import itertools
from pathlib import Path

from drills.leak.watching import Finished, Work

_ENDLESS = 10**9


def _vector(_: Path, finished: Finished) -> None:
    """Boards step together: alone, against random play, and against a search."""
    import gymnasium as gym
    import numpy as np

    import phasezoo  # noqa: F401 - registers
    from phasezoo import agents

    search = agents.UCTAgent(limit=agents.Limit(simulations=20), seed=1)
    made = [
        gym.make_vec("Chess-v0", num_envs=256, opponent=None, gate="lichess"),
        gym.make_vec("Crazyhouse-v0", num_envs=64, opponent="random"),
        gym.make_vec("ConnectFour-v0", num_envs=16, opponent=search),
        gym.make_vec("PommermanFFA-v0", num_envs=16, opponents="simple"),
    ]
    drawn = np.random.default_rng(1)
    for envs in made:
        envs.reset(seed=1)
    while True:
        for envs in made:
            for _ in range(20):
                envs.step(envs.unwrapped.sample_actions(drawn))
        finished()


def _search(_: Path, finished: Finished) -> None:
    """Games of chess by experts, of Connect Four by a graph of positions, of KRK by rollouts."""
    from phasezoo import agents, games, inference

    experts = agents.make("m2cts:experts=phasezoo/chess-small,nodes=100")
    network = inference.load("phasezoo/connect-four-small")
    graph = agents.MCTSAgent(
        network, limit=agents.Limit(nodes=200), batch_size=8, graph=True, seed=1
    )
    rollouts = agents.UCTAgent(rollout="krk", limit=agents.Limit(simulations=300), seed=1)
    for seed in itertools.count():
        for name, agent in (("chess", experts), ("connect-four", graph), ("krk", rollouts)):
            session = agent.session(seed)
            state = games.make(name).initial_state(seed=seed)
            while state.outcome is None and state.ply < 30:
                state = state.play(session.act(state))
        finished()


def _training(folder: Path, finished: Finished) -> None:
    """One long training, with validations, checkpoints and logs."""
    from phasezoo import training

    training.train_supervised(
        training.GameStore.sample("chess"),
        gate="lichess",
        network="rise-16x2",
        positions=_ENDLESS,
        batch_size=64,
        evaluate_every=50,
        validation_positions=256,
        seed=1,
        device="cpu",
        out=folder / "training",
        progress=lambda _: finished(),
    )


def _match(folder: Path, finished: Finished) -> None:
    """Matches of a network against rollouts, each with its log."""
    from phasezoo import agents, arena, inference

    folder.mkdir(parents=True, exist_ok=True)
    network = inference.load("phasezoo/connect-four-small")
    first = agents.MCTSAgent(network, limit=agents.Limit(nodes=40), seed=1)
    second = agents.UCTAgent(limit=agents.Limit(simulations=100), seed=1)
    for seed in itertools.count():
        (folder / "match.jsonl").unlink(missing_ok=True)
        arena.play_match(
            first,
            second,
            game="connect-four",
            games=20,
            seed=seed,
            concurrency=10,
            log=folder / "match.jsonl",
        )
        finished()


def _self_play(folder: Path, finished: Finished) -> None:
    """One long run of learning by play, its replay soon full.

    Each round learns from equally many samples: oneDNN keeps what it has compiled for each size of
    batch, and a last batch of another size in every round looks like a leak until all were met.
    """
    from phasezoo import training

    training.SelfPlay(
        "connect-four",
        "resnet-16x2",
        out=folder / "selfplay",
        updates=_ENDLESS,
        games_per_update=16,
        concurrency=16,
        nodes=24,
        samples_per_update=448,
        replay=training.ReplayRules(capacity=1_000),
        watching=training.Watching(probe_positions=20, probe_nodes=20, ladder_every=2),
        seed=1,
        on_update=lambda _: finished(),
    ).run()


WORKS: dict[str, Work] = {
    "vector": _vector,
    "search": _search,
    "training": _training,
    "match": _match,
    "selfplay": _self_play,
}
"""By the names that the command takes."""
