"""Cost of experts: memory and time of their networks, and nodes at equal cost."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from phasezoo import gating, inference, networks
from phasezoo.arena.statistics.intervals import Interval
from phasezoo.data.starts import playable_states
from phasezoo.experiments.timing import between_rounds, in_rounds, stopwatch
from phasezoo.experiments.two_player.preparation import Prepared, load
from phasezoo.experiments.two_player.tested import Mixture, TestedNetworks, TrainedNetworks
from phasezoo.experiments.two_player.variants import BASELINE, EXPERT, ONE, mixture_name
from phasezoo.inference.cost import CostModel
from phasezoo.inference.counts import Counts
from phasezoo.inference.evaluator import Evaluation, ask
from phasezoo.inference.routing import RoutingName
from phasezoo.inference.storage.manifest import MODEL
from phasezoo.training.experts.planned import TrainedNetwork
from phasezoo.training.trainer import torch_threads
from phasezoo.types import Planes


@dataclass(frozen=True)
class Size:
    """The networks of one player."""

    name: str
    networks: int
    parameters: int
    """Of all of them."""
    active: int
    """Parameters of those that answer a position, in the phase that has the most."""
    weights: int
    """Bytes of all their weights, statistics of normalisations included."""


@dataclass(frozen=True)
class CallCost:
    """A call with positions of all phases."""

    name: str
    routing: str | None
    """How a mixture divides the positions; None of one network."""
    batch: int
    """Positions of the call."""
    calls: int
    """Networks that were asked."""
    rows: int
    """Positions that they answered together."""
    milliseconds: Interval
    """Inside the networks, a call: the median round between the extremes."""
    ratio: Interval
    """The same beside one network's, round by round."""


@dataclass(frozen=True)
class GateCost:
    """A learned gate that is asked for the phases of all positions of a call, like a call."""

    batch: int
    milliseconds: Interval
    ratio: Interval


@dataclass(frozen=True)
class Cost:
    """Memory and time of the networks of the first training."""

    clock: str
    """Kind of the times, for people."""
    rounds: int
    """Rounds of measuring."""
    sizes: list[Size]
    """One network and every mixture."""
    calls: list[CallCost]
    """One network, and the phase mixture by each routing; empty if nothing was timed."""
    gate: list[GateCost]
    """The learned gate by batch; empty if there is none."""


@dataclass(frozen=True)
class Prices:
    """Cost of calls and rows of the networks of the first training in matches."""

    expert: CostModel
    """Of an expert of the phase mixture, which all have the same architecture."""
    one: CostModel


ROUNDS = 6
"""Rounds of measuring: the true median lies between the extremes of six in 97 % of cases."""

ROUND_SECONDS = 0.03
"""Time of each measurement of a round."""


def measure(tested: TestedNetworks, cards: Sequence[TrainedNetwork], gate: str | None) -> Cost:
    """Weigh the networks of the first training, and time them."""
    prepared, trained = tested.prepared, tested.trainings[0]
    parameters = {card.name: card.parameters for card in cards}
    sizes = [_size(ONE, [trained[BASELINE]], parameters)]
    for variant in prepared.variants:
        mixture = Mixture.of(prepared, variant, trained)
        sizes.append(_size(mixture_name(variant.role), mixture.answering, parameters))
    is_cpu = networks.resolve_device(prepared.config.device).type == "cpu"
    clock = time.process_time if is_cpu else time.perf_counter
    calls: list[CallCost] = []
    gates: list[GateCost] = []
    batches = prepared.config.timed_batches
    with tested.console.task("Time of a call", max(len(batches), 1)) as task, torch_threads(1):
        players = _players(prepared, trained, clock) if batches else []
        for done, batch in enumerate(batches, 1):
            own, asked = _timed(players, gate, leaves_of(prepared, batch), clock)
            calls += own
            gates += asked
            task.update(done, f"{batch:,} positions")
    text = "CPU time of one thread" if is_cpu else "time that passes"
    return Cost(text, ROUNDS, sizes, calls, gates)


def weights_of(path: Path) -> int:
    """Bytes of a network's weights: those of its file but for the header."""
    with (path / MODEL).open("rb") as file:
        header = int.from_bytes(file.read(8), "little")  # as the format of safetensors has it
    return (path / MODEL).stat().st_size - 8 - header


def _size(name: str, answering: Sequence[Sequence[Path]], parameters: Mapping[str, int]) -> Size:
    """The size of networks, of which each phase is answered by some."""
    paths = list(dict.fromkeys(path for each in answering for path in each))
    active = max(sum(parameters[path.name] for path in each) for each in answering)
    parameters_of_all = sum(parameters[path.name] for path in paths)
    return Size(name, len(paths), parameters_of_all, active, sum(map(weights_of, paths)))


class _Watched:
    """A network that adds up the time that it takes."""

    def __init__(self, evaluator: Any, clock: Callable[[], float]) -> None:
        self.plane_spec = evaluator.plane_spec
        self.packed = getattr(evaluator, "packed", False)
        self.policy_size = getattr(evaluator, "policy_size", None)
        self.seconds = 0.0
        self._evaluator, self._clock = evaluator, clock

    def evaluate(self, planes: Planes) -> Evaluation:
        """The network's answer."""
        start = self._clock()
        answer: Evaluation = self._evaluator.evaluate(planes)
        self.seconds += self._clock() - start
        return answer


@dataclass(frozen=True)
class _Player:
    """Who is asked, and the networks in it."""

    name: str
    routing: RoutingName | None
    evaluator: Any
    networks: Sequence[_Watched]

    def timed(self, leaves: inference.StateBatch) -> Callable[[], float]:
        """Return what asks and returns the seconds inside networks."""

        def timed() -> float:
            before = sum(one.seconds for one in self.networks)
            ask(self.evaluator, leaves, Counts())
            return sum(one.seconds for one in self.networks) - before

        return timed


def _players(
    prepared: Prepared, trained: TrainedNetworks, clock: Callable[[], float]
) -> list[_Player]:
    config = replace(prepared.config, threads=1)
    one = _Watched(load(config, trained[BASELINE][0]), clock)
    found = [_Player(ONE, None, one, [one])]
    experts = [_Watched(load(config, path), clock) for path in trained[EXPERT]]
    gate = gating.make(config.gate, config.game)
    named = dict(zip(gate.names, experts, strict=True))
    for routing in get_args(RoutingName):
        mixture = inference.MixtureOfExperts(named, gate=gate, routing=routing, game=config.game)
        found.append(_Player(mixture_name(EXPERT), routing, mixture, experts))
    return found


def leaves_of(prepared: Prepared, batch: int) -> inference.StateBatch:
    """So many test positions of all phases, as if they were leaves of one tree."""
    rng = np.random.default_rng(prepared.seed("timed positions", batch))
    store: Any = prepared.splits.test
    drawn = prepared.test.select(rng.permutation(len(prepared.test)))
    known = list(islice(playable_states(store, drawn), batch))
    known = (known * -(-batch // len(known)))[:batch]  # more than there are: some again
    rows = drawn.select(np.array([place for place, _ in known]))
    states = [state for _, state in known]
    leaves = inference.StateBatch(states, rows.phase, players=rows.player.tolist())
    leaves.trees = np.zeros(batch, dtype=np.int32)
    return leaves


def _timed(
    players: Sequence[_Player],
    gate: str | None,
    leaves: inference.StateBatch,
    clock: Callable[[], float],
) -> tuple[list[CallCost], list[GateCost]]:
    """Every player and the learned gate in turn, round by round; one network is the first."""
    calls = [player.timed(leaves) for player in players]
    if gate is not None:
        learned, states, to_play = gating.make(gate), leaves.states(), leaves.players.tolist()
        calls.append(stopwatch(lambda: learned.batch(states, to_play), clock))
    times = in_rounds(calls, ROUNDS, ROUND_SECONDS)

    def costs(own: Sequence[float]) -> tuple[Interval, Interval]:
        ratios = [each / one for each, one in zip(own, times[0], strict=True)]
        return between_rounds([1e3 * each for each in own]), between_rounds(ratios)

    batch, found = len(leaves), []
    for player, own in zip(players, times, strict=False):
        counts = Counts()
        ask(player.evaluator, leaves, counts)
        routed = player.name, player.routing, batch, counts.calls, counts.rows
        found.append(CallCost(*routed, *costs(own)))
    return found, [] if gate is None else [GateCost(batch, *costs(times[-1]))]


_POSITIONS = 64
"""Test positions that networks are asked about."""


def measure_prices(prepared: Prepared, trained: TrainedNetworks) -> Prices:
    """Time one network and an expert, with the backend and the threads of matches."""
    states = leaves_of(prepared, _POSITIONS).states()

    def price(path: Path) -> CostModel:
        return CostModel.measure(load(prepared.config, path), states)

    return Prices(expert=price(trained[EXPERT][0]), one=price(trained[BASELINE][0]))
