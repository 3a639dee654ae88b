"""Games of an agent against itself, all leaves in one batch, and the agents of a run's versions."""

import contextlib
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phasezoo import gating, inference
from phasezoo.agents import BeamAgent, DecoupledMCTSAgent, Limit, MCTSAgent, SearchConfig
from phasezoo.agents.arguments import seed_of
from phasezoo.agents.search.beam import BeamConfig
from phasezoo.arena.adjudication import Adjudication
from phasezoo.arena.concurrent_games import ConcurrentGames, Scheduled, SideFailed
from phasezoo.arena.records import GameRecord
from phasezoo.arena.sides import make_sides
from phasezoo.arena.streams import stream
from phasezoo.errors import InvalidConfig, InvalidEvaluation, InvalidState
from phasezoo.games import Game, acting_players
from phasezoo.games.options import at_least
from phasezoo.games.queries import move_text
from phasezoo.inference.counts import Counts
from phasezoo.specs import Share, check_value
from phasezoo.training.selfplay.config import SelfPlayConfig, measuring_search
from phasezoo.training.selfplay.recording import PlayedGame, Recorder
from phasezoo.training.selfplay.start_sources import (
    Begun,
    StartSource,
    UsualStart,
    check_source,
    over_there,
)
from phasezoo.types import SIMULTANEOUS, Gate


@dataclass(frozen=True)
class Generation:
    """Settings of games of self-play; a game depends on the seed and its number alone."""

    game: Game
    """The game."""
    seed: int = 0
    """Seed of everything random."""
    starts: StartSource = field(default_factory=UsualStart)
    """Start positions."""
    concurrency: int = 64
    """Number of games at once (1 or more), about the rows of a call of the evaluator."""
    max_plies: int | None = None
    """Plies at which a game is cut and counted as a draw (1 or more); None: never."""
    adjudication: Adjudication | None = None
    """Rules of resignation, with the share of those games that are played on; None: never."""
    limit: Limit | None = None
    """Limit of searches; None: the agent's."""
    pool_rows: int | None = None
    """Largest number of rows of a call of the evaluator; None: 256, or ``concurrency`` if more."""
    threads: int | None = None
    """Number of threads for trees and planes; None: the agent's."""
    random_moves: float = 0.0
    """Share of moves (0 to 1) that are drawn from the legal ones in place of the agent's."""

    def __post_init__(self) -> None:
        seed_of(self.seed)
        at_least("concurrency", self.concurrency, 1)
        if self.max_plies is not None:
            at_least("max_plies", self.max_plies, 1)
        check_value("random_moves", Share, self.random_moves)
        check_source(self.starts, self.game)
        rules: Any = self.adjudication
        if rules is None:
            return
        if not isinstance(rules, Adjudication):
            message = f"adjudication={rules!r}: expected arena.Adjudication(…)"
            raise InvalidConfig(message)
        rules.check_game(self.game)

    def check_start(self, gate: Gate | None = None) -> None:
        """Refuse a start of the first game from which it cannot be played.

        Args:
            gate: Gate that has to know the phase there.

        Raises:
            InvalidConfig: No game can start so.
            InvalidGate: The gate needs something that the game's states do not have.
            InvalidState: The game is over at its start, or cut by ``max_plies``.
        """
        state = next(self._scheduled([0], Recorder(self.game))).history[-1]
        if gate is not None:
            gate(state, acting_players(state)[0])

    def play(
        self, agent: Any, numbers: Sequence[int], finished: Callable[[PlayedGame], None]
    ) -> Counts:
        """Play games to their ends.

        Args:
            agent: Agent of all players, or its text.
            numbers: Numbers of the games, ascending.
            finished: Called with each game as it ends.

        Returns:
            Rows, calls and seconds of inference.

        Raises:
            InvalidConfig: No game can start so.
            InvalidEvaluation: The evaluator's answer is not valid, NaN for example; the message has
                the number of finished games.
            InvalidState: A game is over at its start, or cut by ``max_plies``.
            PhasezooError: The game or the agent breaks a contract.
        """
        recorder = Recorder(self.game)
        done = 0

        def ended(_: Scheduled, record: GameRecord) -> None:
            nonlocal done
            finished(recorder.finished(record))
            done += 1

        with contextlib.ExitStack() as stack:
            (side,) = make_sides(
                [agent],
                self.game,
                stack,
                limit=self.limit,
                pool_rows=self._pool_rows(agent),
                threads=self.threads,
            )
            playing = ConcurrentGames(
                self.game,
                [side],
                concurrency=self.concurrency,
                max_plies=self.max_plies,
                adjudication=self.adjudication,
                finished=ended,
                moved=recorder.moved,
                random_moves=self.random_moves,
            )
            try:
                playing.play(self._scheduled(numbers, recorder))
            except SideFailed as error:
                reason = error.__cause__ or error
                message = f"{reason}; {done} games of self-play had been finished"
                raise InvalidEvaluation(message) from error
            return Counts() + side.pool.counts

    def _pool_rows(self, agent: Any) -> int | None:
        """Return the rows of a call, at least one of each game; None: the agent's own."""
        if self.pool_rows is not None or not hasattr(agent, "config"):
            return self.pool_rows
        batch = getattr(agent.config, "batch_size", 1)
        return max(256, self.concurrency * batch)

    def _scheduled(self, numbers: Sequence[int], recorder: Recorder) -> Iterator[Scheduled]:
        for number in numbers:
            rng = np.random.default_rng(stream(self.seed, "selfplay", "start", number))
            begun = self.starts.begin(self.game, rng)
            if begun.states[-1].is_terminal:
                where = f"start of game {number}"
                raise over_there(where)
            begun_at = len(begun.actions)
            if self.max_plies is not None and begun_at >= self.max_plies:
                message = (
                    f"start of game {number}: it is reached after {begun_at} plies, and "
                    f"max_plies={self.max_plies} cuts games there, the plies of their starts "
                    "included; give a larger max_plies or shorter starts"
                )
                raise InvalidState(message)
            recorder.begin(number, begun)
            yield self._of(number, begun)

    def _of(self, number: int, begun: Begun) -> Scheduled:
        players = range(self.game.num_players)
        at_once = begun.states[0].to_play == SIMULTANEOUS
        pairs = zip(begun.states, begun.actions, strict=False)
        moves = () if at_once else tuple(move_text(state, action) for state, action in pairs)
        return Scheduled(
            number=number,
            group=number,
            sides=tuple(0 for _ in players),
            seeds=tuple(stream(self.seed, "selfplay", number, player) for player in players),
            opening=0,
            opening_moves=moves,
            start_fen=None,
            history=begun.states[-1:] if at_once else begun.states,
            pairing=(0, 0),
            one_session=not at_once,
        )


@dataclass(frozen=True)
class Players:
    """Makes evaluators and agents of a run's versions, in other processes too."""

    game: Game
    """The game."""
    config: SelfPlayConfig
    """Settings."""
    gate: Any = None
    """Gate of the experts, as it was given; None: a version is one network."""
    own_agent: Callable[[Any], Any] | None = None
    """Function that makes the agent of an evaluator; None: a tree search."""
    own_load: Callable[..., Any] | None = None
    """Function that makes the evaluator of a version's directory; None: by its manifest."""

    def loaded(self, folder: Path, **options: Any) -> Any:
        """Load the evaluator of a version."""
        if self.own_load is not None:
            return self.own_load(folder, **options)
        if self.gate is None:
            return inference.load(folder, **options)
        gate = gating.make(self.gate, self.game.name)
        return inference.load_experts(folder).mixture(self.config.routing, gate=gate, **options)

    def evaluator(self, folder: Path) -> Any:
        """Load the evaluator with which a version plays."""
        options = {} if self.own_load is not None else {"backend": self.config.backend}
        return self.loaded(folder, **options)

    def searching(
        self,
        evaluator: Any,
        nodes: int | None = None,
        *,
        is_measured: bool = False,
        draws: bool = True,
    ) -> Any:
        """Make the agent that plays with an evaluator.

        Args:
            evaluator: The evaluator.
            nodes: Nodes of its searches; None: as in self-play.
            is_measured: True for searches without noise.
            draws: True if actions are drawn as in self-play, False for the best ones.
        """
        agent = self._agent(evaluator)
        if not isinstance(agent, MCTSAgent | BeamAgent | DecoupledMCTSAgent):
            return agent
        search: Any = agent.config
        if isinstance(search, SearchConfig):
            search = measuring_search(search) if is_measured else search
            search = search if draws else search.with_(gumbel_scale=0.0, temperature=0.0)
        elif not draws:
            still = {"temperature": 0.0} if isinstance(search, BeamConfig) else {"play": "best"}
            search = search.with_(**still)
        limit = agent.limit if nodes is None else Limit(nodes=nodes)
        if (limit, search) == (agent.limit, agent.config):
            return agent
        agent = copy.copy(agent)  # a function of one's own may give the same object every time
        agent.limit, agent.config = limit, search
        return agent

    def _agent(self, evaluator: Any) -> Any:
        """Make the agent that plays in self-play with an evaluator."""
        if self.own_agent is not None:
            return self.own_agent(evaluator)
        beam = self.config.beam(evaluator, self.game)
        if beam is not None:
            return beam
        search, others = self.config.search, self.config.others
        if others is not None:  # a proof would hold for their drawn answers alone
            search = search.with_(solver=False)
        limit = Limit(nodes=self.config.nodes)
        return MCTSAgent(evaluator, others=others, limit=limit, config=search, game=self.game)
