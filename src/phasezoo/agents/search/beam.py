"""Beam search as an agent: the best successors of every kept position, layer by layer."""

import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval

from phasezoo import _core, games
from phasezoo._core import SearchResult
from phasezoo.agents.arguments import name_or
from phasezoo.agents.limit import Limit, limit_or
from phasezoo.agents.search.beam_pool import BeamPool
from phasezoo.agents.search.config import CoreSettings
from phasezoo.agents.search.mcts_session import MCTSSession
from phasezoo.agents.search.searching import SearchingAgent
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import between
from phasezoo.specs import UInt32
from phasezoo.types import Gate

DEFAULT_LIMIT = Limit(infinite=True)
"""A beam ends by its schedule."""

_DEFAULT = _core.beam_settings()


@dataclass(frozen=True)
class BeamConfig(CoreSettings):
    """Everything that a beam search does besides its limit; the defaults are the core's.

    The page ``docs/definitions/beam.md`` says what each means exactly, and what it costs.

    Attributes:
        schedule: How many successors every kept position keeps, by layer: numbers, or their text
            with commas between them. The default keeps 1 → 8 → 40 → 120 → 240 → 240 → 240 → 240
            positions. 1 to 127 numbers from 1, of 1,048,576 positions at most.
        keep: What they are chosen by: the policy of the position, so that only what is kept is
            evaluated; or their own values, all that are ``rated`` being evaluated.
        rated: With ``keep="value"``, how many successors of a position are rated, the likeliest
            first; 0: all.
        backup: What a position is worth: as much as its best kept successor for who moves, or the
            mean of those kept, weighted by the policy.
        wins: Where all moves are tried for one that wins at once, which costs no evaluation: at the
            ``"root"``, at ``"all"`` kept positions, or nowhere, so that it counts if it is
            ``"kept"``.
        node_temperature: Softmax temperature of priors.
        policy_temperature: The final policy, the target of self-play, is softmax(ln P + Q /
            ``policy_temperature``).
        temperature: In the first plies the action is drawn from policy^(1 / ``temperature``); 0:
            the best is played.
        temperature_plies: How many plies those are.
        stagger: Whether the beams of many games begin a layer apart, so that the evaluator's
            batches are alike.
        memory_mb: Size of a tree, in MiB, at which its search ends; 0: no limit.
    """

    core = _core.beam_settings

    schedule: str | Sequence[int] = _DEFAULT["schedule"]
    keep: Literal["policy", "value"] = _DEFAULT["keep"]
    rated: Annotated[int, Interval(ge=0, le=65535)] = _DEFAULT["rated"]
    backup: Literal["minimax", "mean"] = _DEFAULT["backup"]
    wins: Literal["kept", "root", "all"] = _DEFAULT["wins"]
    node_temperature: Annotated[float, Interval(ge=0.01, le=100)] = _DEFAULT["node_temperature"]
    policy_temperature: Annotated[float, Interval(ge=0.001, le=1000)] = _DEFAULT[
        "policy_temperature"
    ]
    temperature: Annotated[float, Interval(ge=0, le=100)] = _DEFAULT["temperature"]
    temperature_plies: UInt32 = _DEFAULT["temperature_plies"]
    stagger: bool = _DEFAULT["stagger"]
    memory_mb: UInt32 = _DEFAULT["memory_mb"]

    def __post_init__(self) -> None:
        object.__setattr__(self, "schedule", _schedule_text(self.schedule))
        super().__post_init__()
        object.__setattr__(self, "schedule", self.for_core()["schedule"])  # written one way

    @property
    def layers(self) -> tuple[int, ...]:
        """Positions of each layer, the root's first, if no game ends and moves suffice."""
        widths = [int(width) for width in str(self.schedule).split(",")]
        return tuple(itertools.accumulate([1, *widths], lambda rows, width: rows * width))

    @property
    def positions(self) -> int:
        """Positions of a whole beam, the root among them."""
        return sum(self.layers)

    @property
    def batch_size(self) -> int:
        """Rows of a game in a call of the evaluator, in the mean over a search, rounded up."""
        return -(-self.positions // len(self.layers))


class BeamAgent(SearchingAgent):
    """Beam search with an evaluator, for games in which one player moves at a time.

    Layer by layer every kept position expands its best successors, by a schedule; the evaluator is
    asked about a whole layer at once, eight calls a move by default. Values are backed up to a
    principal variation, whose first action is played. Every search begins with a new tree.

    Args:
        evaluator: Answers positions; a mixture brings its gate with it.
        limit: Ends a search before its schedule does: the next layer is looked at whole or not at
            all. Default none.
        plies: How many plies of the principal variation are played after a search, where this agent
            plays all players of a game, as in self-play: those after the first are not searched and
            are no samples of a policy. Against others, and in sessions, every ply is searched.
        seed: Seeds everything random in its calls and searches.
        game: The game's name; default that of the states it is shown.
        gate: Says the phases of positions; default the mixture's.
        config: How to search; default :class:`BeamConfig`.
        name: How reports call it.
        threads: Threads that make planes; default 1.
        overrides: Fields of ``config`` by name, such as ``schedule=(8, 5, 3)``.

    Raises:
        InvalidConfig: An option does not exist or is out of range, or ``evaluator`` is not one.
        GameMismatch: ``evaluator`` is a network of another game.
        GateMismatch: ``gate`` is not the one that the mixture routes by.
    """

    player = 0
    ends_by_itself = True

    def __init__(
        self,
        evaluator: Any,
        *,
        limit: Limit | None = None,
        plies: int = 1,
        seed: int = 0,
        game: str | games.Game | None = None,
        gate: str | Gate | None = None,
        config: BeamConfig | None = None,
        name: str | None = None,
        threads: int | None = None,
        **overrides: Any,
    ) -> None:
        self._set_up(evaluator, limit_or(limit, DEFAULT_LIMIT), seed, game, gate, threads)
        self.config = BeamConfig.of(config, overrides)
        self.plies = between("plies", plies, 1, len(self.config.layers) - 1)
        self.name = name_or(name, "Beam")

    def search(self, state: Any) -> SearchResult:
        """Search ``state`` with a new tree; the same state always gives the same result.

        Returns:
            A ``SearchResult``: ``action``; ``actions``, ``visits`` (positions kept behind each),
            ``q`` and ``prior``; ``policy`` over all actions; ``value``; ``pv``; ``nodes``,
            ``simulations`` (with ends of games), ``depth``, ``seconds``; ``proven``; ``ended``,
            ``"schedule"`` or as :meth:`MCTSAgent.search` says.

        Raises:
            UnknownGame: The state belongs to no registered game.
            InvalidConfig: Players of the game move at once.
            InvalidEvaluation: The evaluator's answer is not valid.
            InvalidState: The game is over.
        """
        return self.session(self.seed).search(state)

    def session(self, seed: int, game: str | games.Game | None = None) -> MCTSSession:
        """A game that draws from ``seed`` alone, every ply of which is searched."""
        agent = self
        if self.plies > 1:
            agent = copy.copy(self)
            agent.plies = 1
        return MCTSSession(agent, seed, self.game if game is None else games.make(game))

    def _pool_of(self, game: games.Game, limit: Limit, **sizes: Any) -> BeamPool:
        return BeamPool(
            game,
            self.evaluator,
            self.config.for_core(),
            limit,
            self.gate,
            positions=self.config.positions,
            plies=self.plies,
            **sizes,
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.evaluator!r}, schedule={self.config.schedule!r}, "
            f"plies={self.plies}, seed={self.seed})"
        )


def _schedule_text(schedule: Any) -> str:
    """A schedule as the core reads it."""
    if isinstance(schedule, str):
        return schedule
    is_row = isinstance(schedule, Sequence) or hasattr(schedule, "tolist")
    widths: list[Any] = list(schedule) if is_row else [None]
    if not all(hasattr(width, "__index__") and not isinstance(width, bool) for width in widths):
        message = (
            f"schedule={schedule!r}: expected whole numbers, how many successors every kept "
            "position keeps by layer, such as (8, 5, 3, 2, 1, 1, 1)"
        )
        raise InvalidConfig(message)
    return ",".join(str(int(width)) for width in widths)
