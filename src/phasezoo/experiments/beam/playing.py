"""Games of self-play of each search, and how much they differ from each other."""

import shutil
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, training
from phasezoo.arena.intervals import Interval
from phasezoo.experiments.beam import paper
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.beam.results import Played
from phasezoo.experiments.beam.searchers import BEAM, MCTS, PUSHING, beam_of, mcts_of
from phasezoo.experiments.statistics import percentile_interval
from phasezoo.training.starts import start_state

__all__ = ["diversity", "played"]


def played(config: BeamStudyConfig, network: Any, out: Path) -> list[Played]:
    """Games of every kind.

    Actions are drawn from the searches' policies, but for variations that are played: those are of
    the best, after the note's openings of two plies.
    """
    warm: dict[str, Any] = {"temperature": 1.0, "temperature_plies": config.plies}
    kinds = {
        BEAM: (beam_of(network, config.playing, **warm), "initial"),
        PUSHING: (beam_of(network, config.playing, paper.PUSHED), "random:2-2"),
        MCTS: (mcts_of(network, config.playing.positions, **warm), "initial"),
    }
    warmed = beam_of(network, config.playing)
    warmed.search(games.make("chess").initial_state())  # what a first call costs is nobody's
    return [_played(config, name, *kind, out) for name, kind in kinds.items()]


def _played(config: BeamStudyConfig, name: str, agent: Any, starts: str, out: Path) -> Played:
    folder = out / name.replace(" ", "-").replace(",", "")
    shutil.rmtree(folder, ignore_errors=True)  # of an attempt that was killed
    counting = _Counted(agent)
    started = time.perf_counter()
    store = training.play_games(
        counting,
        game="chess",
        games=config.games,
        seed=config.seed,
        out=folder,
        starts=starts,
        concurrency=config.concurrency,
        max_plies=config.plies,
        explore=False,
    )
    seconds = time.perf_counter() - started
    shares = _own_shares(store)
    means = _means(shares, config)
    visits = store.columns.visits
    assert visits is not None  # searches keep their policies
    entropies = [
        _bits(visits.counts[low:high]) for low, high in pairwise(visits.offsets) if high > low
    ]
    return Played(
        name=name,
        games=len(store),
        plies=store.num_positions,
        searched=len(entropies),
        rows=counting.rows,
        seconds=seconds,
        distinct=percentile_interval(float(shares.mean()), means),
        entropy=float(np.mean(entropies)),
        shares=shares.tolist(),
    )


class _Counted:
    """An agent, and how many rows its seats have asked for."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._seats: list[Any] = []
        self.name = agent.name
        self.config = agent.config

    def seats(self, game: games.Game, **options: Any) -> Any:
        """Seats of the agent."""
        self._seats.append(self._agent.seats(game, **options))
        return self._seats[-1]

    @property
    def rows(self) -> int:
        """Rows of all seats."""
        return sum(seats.counts.rows for seats in self._seats)


def _own_shares(store: training.GameStore) -> npt.NDArray[np.float64]:
    """``float64[games]``: the share of a game's positions that no other game met."""
    met: list[set[int]] = []
    for number, (low, high) in enumerate(pairwise(store.offsets.tolist())):
        state, keys = start_state(games.make("chess"), store.starts.get(number, "")), set()
        for action in store.actions[low:high].tolist():
            state = state.play(action)
            keys.add(state.key)
        met.append(keys)
    times: dict[int, int] = {}
    for keys in met:
        for key in keys:
            times[key] = times.get(key, 0) + 1
    return np.array([np.mean([times[key] == 1 for key in keys]) for keys in met])


def _bits(counts: npt.NDArray[np.integer[Any]]) -> float:
    """The entropy of shares, in bits."""
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _means(shares: npt.NDArray[np.float64], config: BeamStudyConfig) -> npt.NDArray[np.float64]:
    """``float64[R]``: the mean over games, of games drawn with replacement."""
    rng = np.random.default_rng(config.seed)
    drawn = shares[rng.integers(len(shares), size=(config.resamples, len(shares)))]
    means: npt.NDArray[np.float64] = drawn.mean(axis=1)
    return means


def diversity(config: BeamStudyConfig, kinds: list[Played]) -> Interval | None:
    """The beam's share of a game's own positions less that of MCTS."""
    beam, mcts = (
        np.array(next(kind.shares for kind in kinds if kind.name == name)) for name in (BEAM, MCTS)
    )
    other = np.random.default_rng([config.seed, 1])
    drawn = mcts[other.integers(len(mcts), size=(config.resamples, len(mcts)))].mean(axis=1)
    return percentile_interval(float(beam.mean() - mcts.mean()), _means(beam, config) - drawn)
