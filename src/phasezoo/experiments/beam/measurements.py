"""Batches, rates, games of self-play and training of a run, and the records of them."""

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import games, inference, training
from phasezoo.agents import BeamAgent, BeamConfig, Limit, MCTSAgent, SearchConfig
from phasezoo.arena.openings import as_suite
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.starts import start_state
from phasezoo.experiments.beam import published
from phasezoo.experiments.beam.config import BeamStudyConfig
from phasezoo.experiments.games_file import read_games
from phasezoo.experiments.learning import LearningRun
from phasezoo.experiments.matches import Counted
from phasezoo.experiments.statistics import wilson
from phasezoo.experiments.study import RunResults
from phasezoo.training.resampling import between_trainings, over_trainings
from phasezoo.training.selfplay.config import CONSTANT, Watching, self_play_settings

BEAM, MCTS, PUSHING = "beam", "MCTS", "beam, 3 plies a search"

PACE = 8
"""Searches of the beam that plays for one of the beam that is measured, which is larger."""

MOST_POSITIONS = 1024
"""Positions at which two policies are compared."""


@dataclass(frozen=True)
class Batches:
    """Rows of the calls of a block of games, from its first."""

    apart: list[int]
    """With games a layer apart."""
    in_step: list[int]
    """With games in step."""


@dataclass(frozen=True)
class Rate:
    """Speed of one search, `games_at_once` games at once."""

    name: str
    """Which search."""
    with_network: bool
    """True if the network answers; otherwise every position is even and no planes are made."""
    searches: int
    """Searches of a measurement."""
    rows: list[int]
    """Positions of each measurement."""
    calls: float
    """Calls of the evaluator, in the mean over the measurements."""
    seconds: list[float]
    """Wall time of each measurement."""

    @property
    def rows_a_second(self) -> float:
        """Positions a second, in the mean over the measurements."""
        return sum(self.rows) / sum(self.seconds)

    @property
    def rows_of_one(self) -> float:
        """Positions of a measurement, in the mean."""
        return sum(self.rows) / len(self.rows)


@dataclass(frozen=True)
class Played:
    """Games of self-play of one search."""

    name: str
    """Which search."""
    games: int
    plies: int
    """Plies of all."""
    searched: int
    """Plies that were searched, the samples of a policy."""
    rows: int
    """Positions evaluated."""
    seconds: float
    """Wall time."""
    distinct: Interval | None
    """Share of a game's positions that no other game of the kind met, in the mean."""
    entropy: float
    """Entropy of the policy in bits, in the mean over searched plies."""
    shares: list[float]
    """That share of each game."""

    @property
    def own(self) -> float:
        """The mean of those shares."""
        return sum(self.shares) / len(self.shares)


@dataclass(frozen=True)
class MatchResult(Counted):
    """A match of the beam against MCTS, from the beam's view."""

    name: str
    """Which quantity is equal."""
    nodes: int
    """Nodes a move of MCTS."""
    elo: Interval
    """The beam's Elo less that of MCTS."""
    rows: tuple[float, float]
    """Positions a move, of each."""
    seconds: tuple[float, float]
    """Seconds inside the network, of each."""


@dataclass(frozen=True)
class Stale:
    """Effect of a cycle of so many training steps on a policy."""

    steps: int
    """Training steps of the cycle."""
    positions: int
    """Positions of its games at which the policies were compared."""
    divergence: Interval | None
    """Kullback-Leibler divergence of the network after the cycle from the one that played its
    games, in nats, in the mean over games."""
    changed: Interval
    """Share of positions with another likeliest move."""


@dataclass(frozen=True)
class Results(RunResults):
    """Everything a report shows."""

    config: BeamStudyConfig
    batches: Batches
    rates: list[Rate]
    played: list[Played]
    matches: list[MatchResult]
    """At equal positions, and at equal time."""
    stale: list[Stale]
    """By training steps of a cycle."""
    learned: LearningRun | None
    """Rounds of learning by play, with the ladder of its versions."""
    grown: list[MatchResult]
    """The same matches with the network that it came to."""


def network_of(name: str, threads: int) -> Any:
    """Return the one network of a folder: of experts, their baseline."""
    return inference.load_experts(name).baseline(threads=threads)


def beam_of(evaluator: Any, config: BeamConfig, plies: int = 1, **changes: Any) -> BeamAgent:
    """Return the beam as an agent."""
    return BeamAgent(evaluator, config=config.with_(**changes), plies=plies, game="chess")


def mcts_of(evaluator: Any, nodes: int, batch_size: int = 1, **changes: Any) -> MCTSAgent:
    """Return MCTS as in match play, but that searches begin anew, as beams do, without a solver."""
    config = SearchConfig(batch_size=batch_size, reuse_tree=False, solver=False, **changes)
    return MCTSAgent(evaluator, limit=Limit(nodes=nodes), config=config, game="chess")


class _Counting:
    """An evaluator that knows nothing and keeps the sizes of its batches."""

    plane_spec = None

    def __init__(self) -> None:
        self.rows: list[int] = []

    def evaluate_batch(self, leaves: Any) -> inference.Evaluation:
        self.rows.append(len(leaves))
        return inference.Evaluation(value=np.zeros(len(leaves), dtype=np.float32))


def batches(config: BeamStudyConfig) -> Batches:
    """Return the rows by call of a block of games of chess, which begin anew where one ends."""
    found = []
    for stagger in (True, False):
        evaluator = _Counting()
        agent = beam_of(evaluator, config.beam, stagger=stagger)
        for _ in _searches(agent, config.seed, config.games_at_once, None):
            if len(evaluator.rows) >= config.ticks:
                break
        found.append(evaluator.rows[: config.ticks])
    return Batches(*found)


def measured(config: BeamStudyConfig, network: Any) -> list[Rate]:
    """Return the rates of every search, at the beam's positions a move."""
    beam = config.beam
    searches = {
        BEAM: lambda evaluator: beam_of(evaluator, beam),
        MCTS: lambda evaluator: mcts_of(evaluator, beam.positions),
        f"{MCTS}, 16 leaves a tree": lambda evaluator: mcts_of(evaluator, beam.positions, 16),
    }
    return [
        _rate((config, config.moves), name, make, evaluator, with_network=evaluator is network)
        for evaluator in (network, inference.Uniform())
        for name, make in searches.items()
    ]


def _rate(
    size: tuple[BeamStudyConfig, int], name: str, make: Any, evaluator: Any, *, with_network: bool
) -> Rate:
    config, moves = size
    wanted = moves * config.games_at_once
    seconds, rows, calls = [], [], []
    make(evaluator).search(games.make("chess").initial_state())  # what a first call costs
    for repeat in range(config.repeats):
        found = _searches(make(evaluator), config.seed + repeat, config.games_at_once, moves)
        started = time.perf_counter()
        for done, counts in enumerate(found, start=1):
            if done == wanted:
                seconds.append(time.perf_counter() - started)
                rows.append(counts.rows)
                calls.append(counts.calls)
                break
    return Rate(name, with_network, wanted, rows, float(np.mean(calls)), seconds)


def playing_rates(config: BeamStudyConfig, network: Any) -> tuple[float, float]:
    """Return positions a second of the beam that plays, and of MCTS with as many a move."""
    playing: BeamConfig = config.playing
    found = [
        _rate((config, PACE * config.moves), name, make, network, with_network=True)
        for name, make in (
            (BEAM, lambda evaluator: beam_of(evaluator, playing)),
            (MCTS, lambda evaluator: mcts_of(evaluator, playing.positions)),
        )
    ]
    return found[0].rows_a_second, found[1].rows_a_second


def _searches(agent: Any, seed: int, at_once: int, moves: int | None) -> Iterator[Any]:
    """Yield counts after every search of a block of games from openings, each of ``moves``."""
    chess = games.make("chess")
    suite = as_suite(None, "chess")
    pool = agent.session_pool(chess, pool_rows=at_once * 4096)
    states, left = {}, {}
    rng = np.random.default_rng(seed)

    def begin() -> None:
        index = int(rng.integers(len(suite)))
        slot = pool.open(seed)
        states[slot], left[slot] = suite.states(index, 0, chess)[-1], moves
        pool.ask(slot, states[slot], states[slot].to_play)

    for _ in range(at_once):
        begin()
    while states:
        for slot, move in pool.poll():
            states[slot] = states[slot].play(move.action)
            pool.tell(slot, move.action, states[slot])
            remaining = left[slot]
            left[slot] = None if remaining is None else remaining - 1
            if left[slot] == 0 or states[slot].is_terminal:
                pool.close(slot)
                del states[slot]
                if left[slot] != 0:
                    begin()
            else:
                pool.ask(slot, states[slot], states[slot].to_play)
            yield pool.counts


def faster(rates: Sequence[Rate]) -> Interval:
    """Return positions a second of the beam over those of MCTS, with the network."""
    beam, mcts = (
        next(rate for rate in rates if rate.name == name and rate.with_network)
        for name in (BEAM, MCTS)
    )
    slow, fast = (np.array(rate.seconds) / np.array(rate.rows) for rate in (mcts, beam))
    ratios = np.log(slow / fast)
    half = between_trainings(ratios)
    mean = float(ratios.mean())
    return Interval(*np.exp([mean, mean - half, mean + half]).tolist())


def played(config: BeamStudyConfig, network: Any, out: Path) -> list[Played]:
    """Play games of every kind.

    Actions are drawn from the searches' policies, but for variations that are played: those are of
    the best, after the note's openings of two plies.
    """
    warm: dict[str, Any] = {"temperature": 1.0, "temperature_plies": config.plies}
    kinds = {
        BEAM: (beam_of(network, config.playing, **warm), "initial"),
        PUSHING: (beam_of(network, config.playing, published.PUSHED), "random:2-2"),
        MCTS: (mcts_of(network, config.playing.positions, **warm), "initial"),
    }
    warmed = beam_of(network, config.playing)
    warmed.search(games.make("chess").initial_state())  # the cost of a first call is no search's
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
    own = _over_games(float(shares.mean()), means, len(shares))
    return Played(
        name=name,
        games=len(store),
        plies=store.num_positions,
        searched=len(entropies),
        rows=counting.rows,
        seconds=seconds,
        distinct=own and own.of_share(),
        entropy=float(np.mean(entropies)),
        shares=shares.tolist(),
    )


class _Counted:
    """An agent that counts the rows that its pools have evaluated."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self._pools: list[Any] = []
        self.name = agent.name
        self.config = agent.config

    def session_pool(self, game: games.Game, **options: Any) -> Any:
        """Open a pool of the agent."""
        self._pools.append(self._agent.session_pool(game, **options))
        return self._pools[-1]

    @property
    def rows(self) -> int:
        """Rows of all pools."""
        return sum(pool.counts.rows for pool in self._pools)


def _own_shares(store: training.GameStore) -> npt.NDArray[np.float64]:
    """``float64[games]``: the share of a game's positions that no other game met."""
    met = [{state.key for state in states[1:]} for states in _games(store)]
    times = Counter(key for keys in met for key in keys)
    return np.array([np.mean([times[key] == 1 for key in keys]) for keys in met])


def _games(store: training.GameStore) -> Iterator[list[Any]]:
    """Yield the states of each game, from its start to its end."""
    chess = games.make("chess")
    for number, (low, high) in enumerate(pairwise(store.offsets.tolist())):
        states = [start_state(chess, store.starts.get(number, ""))]
        for action in store.actions[low:high].tolist():
            states.append(states[-1].play(action))
        yield states


def _bits(counts: npt.NDArray[np.integer[Any]]) -> float:
    """Return the entropy of shares, in bits."""
    shares = counts / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def _means(
    shares: npt.NDArray[np.float64], config: BeamStudyConfig, *stream: int
) -> npt.NDArray[np.float64]:
    """``float64[R]``: the mean over games, of games drawn with replacement."""
    rng = np.random.default_rng([config.seed, *stream])
    drawn = shares[rng.integers(len(shares), size=(config.resamples, len(shares)))]
    means: npt.NDArray[np.float64] = drawn.mean(axis=1)
    return means


def _over_games(
    mean: float, resampled: npt.NDArray[np.float64], games_drawn: int
) -> Interval | None:
    """Return a mean over games, of one training, with its 95 % interval."""
    return over_trainings(np.array([mean]), resampled[:, np.newaxis], games=games_drawn)


def diversity(config: BeamStudyConfig, kinds: Sequence[Played]) -> Interval | None:
    """Return the beam's share of a game's own positions less that of MCTS."""
    beam, mcts = (
        np.array(next(kind.shares for kind in kinds if kind.name == name)) for name in (BEAM, MCTS)
    )
    drawn = _means(beam, config) - _means(mcts, config, 1)
    return _over_games(float(beam.mean() - mcts.mean()), drawn, min(len(beam), len(mcts)))


def staleness(config: BeamStudyConfig, store: Path, threads: int) -> list[Stale]:
    """Learn from the beam's games for several numbers of steps, each from the network anew."""
    experts = inference.load_experts(config.network)
    initial = experts.directory / str(experts.baseline_folder)
    played = training.GameStore.open(store)
    states, owners = _positions(played, config.seed)
    replay = training.Replay.open(store)
    settings = self_play_settings(batch_size=config.batch, threads=threads)
    found = []
    for steps in config.steps:
        learner = training.Learner(
            "chess", config=settings, schedule=CONSTANT, initial=initial, seed=config.seed
        )
        before = _policies(learner, states)
        learner.learn(replay, steps * config.batch)
        found.append(_compared(config, steps, before, _policies(learner, states), owners))
    return found


def cycle_options(config: BeamStudyConfig, threads: int) -> dict[str, Any]:
    """Return the arguments of :class:`phasezoo.training.SelfPlay` of the note's training cycle.

    A round plays games, three plies of a variation at a search and the best ones always, and then
    takes one training step for every batch of new samples.
    """
    experts = inference.load_experts(config.network)
    beam = config.playing
    # Later positions would leave games that are cut at `max_plies` few plies.
    base = f"games:{read_games('chess', None).path}:0-{config.max_plies // 2}"
    text = (
        f"beam:schedule='{beam.schedule}',backup={beam.backup},keep={beam.keep},rated={beam.rated},"
        f"plies={published.PUSHED},temperature=0"
    )
    watching = Watching(
        probe_every=0, ladder_every=config.ladder_every, ladder_games=config.ladder_games
    )
    settings = training.SelfPlayConfig(
        agent=text,
        updates=config.cycles,
        games_per_update=config.cycle_games,
        concurrency=config.concurrency,
        samples_per_new=1.0,
        starts=config.starts or ("random:1-1", "random:2-2", base),
        max_plies=config.max_plies,
        schedule=CONSTANT,
        learning=self_play_settings(batch_size=config.batch, threads=threads),
        watching=watching,
    )
    initial = experts.directory / str(experts.baseline_folder)
    return {"game": "chess", "initial": initial, "seed": config.seed, "config": settings}


def _positions(store: training.GameStore, seed: int) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Positions of the games, and the game of each."""
    games = [states[:-1] for states in _games(store)]
    states = [state for each in games for state in each]
    owners = [number for number, each in enumerate(games) for _ in each]
    chosen = np.sort(np.random.default_rng(seed).permutation(len(states))[:MOST_POSITIONS])
    return [states[place] for place in chosen], np.array(owners)[chosen]


def _policies(learner: training.Learner, states: list[Any]) -> list[npt.NDArray[np.float64]]:
    """Return the network's policy over the legal actions of each state."""
    import torch
    from scipy.special import softmax

    planes = torch.from_numpy(games.encode(states, learner.manifest.planes))
    network = learner.network.eval()
    with torch.no_grad():
        logits = network(planes.to(next(network.parameters()).device)).policy_logits
    network.train()
    rows = logits.cpu().numpy().astype(np.float64)
    return [softmax(row[state.legal_actions]) for row, state in zip(rows, states, strict=True)]


def _compared(
    config: BeamStudyConfig,
    steps: int,
    before: list[npt.NDArray[np.float64]],
    after: list[npt.NDArray[np.float64]],
    owners: npt.NDArray[np.int64],
) -> Stale:
    pairs = list(zip(before, after, strict=True))
    divergence = np.array([(old * np.log(old / new)).sum() for old, new in pairs])
    changed = sum(int(old.argmax() != new.argmax()) for old, new in pairs)
    each = np.array([divergence[owners == game].mean() for game in np.unique(owners)])
    return Stale(
        steps=steps,
        positions=len(pairs),
        divergence=_over_games(float(each.mean()), _means(each, config, 2), len(each)),
        changed=wilson(changed, len(pairs)),
    )
