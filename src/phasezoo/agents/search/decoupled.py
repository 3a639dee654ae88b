"""Search of games whose players move at once, everybody's actions being searched."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Interval

from phasezoo import _core, games
from phasezoo._core import SearchResult
from phasezoo.agents.arguments import checked_player, name_or
from phasezoo.agents.limit import Limit, limit_or
from phasezoo.agents.search.config import CoreSettings
from phasezoo.agents.search.decoupled_pool import DecoupledPool
from phasezoo.agents.search.others import INFORMATION
from phasezoo.agents.search.searching import SearchingAgent
from phasezoo.games.options import one_of
from phasezoo.specs import PositiveUInt16, Share, UInt32
from phasezoo.types import Gate

DEFAULT_LIMIT = Limit(simulations=800)

DEFAULT_NAME = "Decoupled MCTS"

_DEFAULT = _core.decoupled_settings()


@dataclass(frozen=True)
class DecoupledConfig(CoreSettings):
    """Everything that a decoupled search does besides its limit; the defaults are the core's.

    Attributes:
        selection: How a player chooses at a node: by their own PUCT (decoupled UCT: Finnsson and
            Björnsson 2008, with the priors of AlphaZero 2018), or by a draw from their regrets
            (Hart and Mas-Colell 2000; in a tree: Lanctot, Lisý and Winands 2013), whose mean
            strategy approaches a mixed equilibrium of a zero-sum game of two where PUCT may not.
        play: The action: the likeliest of the final policy, or drawn from it; ``"auto"``: drawn
            with regret matching, the likeliest with PUCT.
        batch_size: Leaves that a tree may have outstanding, each with a row for every mover.
        c_puct_init: Exploration constant of PUCT: c(N) = ln((N + c_puct_base + 1) / c_puct_base) +
            c_puct_init (AlphaZero 2018).
        c_puct_base: How slowly exploration grows with the visits N of a node (AlphaZero 2018).
        fpu: Value of an action that was not tried: the node's mean for its player minus this.
        node_temperature: Softmax temperature of priors.
        exploration: Share of uniform draws in regret matching; the final policy leaves them out.
        memory_mb: Size of a tree, in MiB, at which its search ends, states counted; 0: no limit.
    """

    core = _core.decoupled_settings

    selection: Literal["puct", "regret_matching"] = _DEFAULT["selection"]
    play: Literal["auto", "best", "sample"] = _DEFAULT["play"]
    batch_size: PositiveUInt16 = _DEFAULT["batch_size"]
    c_puct_init: Annotated[float, Interval(ge=0, le=1000)] = _DEFAULT["c_puct_init"]
    c_puct_base: Annotated[float, Interval(ge=1, le=10**9)] = _DEFAULT["c_puct_base"]
    fpu: Annotated[float, Interval(ge=0, le=2)] = _DEFAULT["fpu"]
    node_temperature: Annotated[float, Interval(ge=0.01, le=100)] = _DEFAULT["node_temperature"]
    exploration: Share = _DEFAULT["exploration"]
    memory_mb: UInt32 = _DEFAULT["memory_mb"]


class DecoupledMCTSAgent(SearchingAgent):
    """Tree search for games whose players move at once, in which everybody's actions are searched.

    At every node each player has statistics of their own and chooses by them alone; the joint
    actions are the edges (*decoupled* UCT: Finnsson and Björnsson 2008; Tak, Lanctot and Winands
    2014). Values are one for each player, and games need not be zero-sum. Nodes at which one player
    moves are searched as everywhere. Every move is searched with a new tree.

    The evaluator is asked once for every player who moves at a leaf, with the planes and actions of
    that player; of those who do not move it says what its rows say of everybody (a value for each
    player), otherwise they share the opposite of what was said.

    :class:`~phasezoo.agents.MCTSAgent` with ``others=`` searches one player's actions, the others
    being moved by agents; this agent assumes that all search.

    Args:
        evaluator: Answers leaves; a mixture brings its gate with it.
        information: What the search knows: ``"observed"``, what its player has seen of the game, or
            ``"full"``, the true state, which tables must name. The same in games that hide nothing.
        player: Whom calls of the agent move, where players move at once.
        limit: When a search ends; default 800 simulations.
        seed: Seeds everything random in its calls and searches.
        game: The game's name; default that of the states it is shown.
        gate: Says the phases of leaves; default the mixture's.
        config: How to search; default :class:`DecoupledConfig`.
        name: How reports call it.
        threads: Threads that make planes; default 1.
        overrides: Fields of ``config`` by name, such as ``selection="regret_matching"``.

    Raises:
        InvalidConfig: An option does not exist or is out of range, or ``evaluator`` is not one.
        GameMismatch: ``evaluator`` is a network of another game.
        GateMismatch: ``gate`` is not the one that the mixture routes by.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        information: Literal["observed", "full"] = "observed",
        player: int = 0,
        limit: Limit | None = None,
        seed: int = 0,
        game: str | games.Game | None = None,
        gate: str | Gate | None = None,
        config: DecoupledConfig | None = None,
        name: str | None = None,
        threads: int | None = None,
        **overrides: Any,
    ) -> None:
        self._set_up(evaluator, limit_or(limit, DEFAULT_LIMIT), seed, game, gate, threads)
        self.information = one_of("information", information, INFORMATION)
        self.player = checked_player(player, self.game)
        self.config = DecoupledConfig.of(config, overrides)
        self.name = name_or(name, DEFAULT_NAME)

    def search(self, state: Any, player: int | None = None) -> SearchResult:
        """Search ``state`` with a new tree; the same state always gives the same result.

        Args:
            state: Where to search; nothing else is known of its game.
            player: For whom; default who is to move, or the agent's ``player``.

        Returns:
            A ``SearchResult``: ``action``; ``actions``, ``visits``, ``q`` and ``prior`` of the
            player's actions; their ``policy`` over all actions; ``policies float32[P, A]`` and
            ``values float32[P]`` of every player; ``value``, the player's own; ``pv``, their own
            actions; ``nodes``, ``simulations``, ``depth``, ``seconds``; ``ended``, as
            :meth:`MCTSAgent.search` says.

        Raises:
            UnknownGame: The state belongs to no registered game.
            InvalidConfig: There is no such ``player``.
            InvalidEvaluation: The evaluator's answer is not valid.
            InvalidState: The game is over, over for the player, or it is not their turn.
        """
        return self.session(self.seed).search(state, player)

    def _pool_of(self, game: games.Game, limit: Limit, **sizes: Any) -> DecoupledPool:
        return DecoupledPool(
            game,
            self.evaluator,
            self.config.for_core(),
            limit,
            self.gate,
            **sizes,
            information=self.information,
        )

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.evaluator!r}, selection={self.config.selection!r}, "
            f"limit={self.limit}, seed={self.seed})"
        )
