"""Tree search as an agent: MCTS with one evaluator, M2CTS with a mixture of phase experts."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from phasezoo import games
from phasezoo._core import SearchResult
from phasezoo.agents.arguments import checked_player, name_or
from phasezoo.agents.limit import Limit, limit_or
from phasezoo.agents.search.config import SearchConfig
from phasezoo.agents.search.mcts_pool import MCTSPool
from phasezoo.agents.search.others import INFORMATION, check_others
from phasezoo.agents.search.searching import SearchingAgent
from phasezoo.checking import type_name
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import one_of
from phasezoo.inference.cache import with_cache
from phasezoo.inference.evaluator import check_evaluator
from phasezoo.inference.mixture import MixtureOfExperts
from phasezoo.inference.oracle import Oracle, check_knows
from phasezoo.inference.routing import Routing
from phasezoo.types import Gate

DEFAULT_LIMIT = Limit(nodes=800)
"""Nodes a move of the published self-play (M2CTS, Table XII)."""


class MCTSAgent(SearchingAgent):
    """Batched PUCT tree search (Silver et al., AlphaZero 2018; details: :class:`SearchConfig`).

    The agent is configuration; :meth:`session` plays a game, :meth:`search` looks at one position.
    Calling it plays the game it is shown: the tree goes on while the states shown continue one
    another, otherwise it starts anew.

    In games whose players move at once it searches for one player, and ``others`` says who moves
    the others: single-player MCTS (Helfenstein et al., M2CTS). Edges are the player's own actions;
    the others answer once for every node, from the search's own random numbers; values are not
    negated. Every move is searched with a new tree, because what the others did is seen only
    afterwards, and without the solver unless ``config`` has it, because a proof would hold for the
    drawn answers alone.

    Args:
        evaluator: Answers leaves; a mixture brings its gate with it.
        others: Who moves the others: a name, ``"random"`` or one of the game's own
            (``game.search_others``), or an agent with ``select_batch(states, players)``, such as a
            ``PolicyAgent``, which is asked once for every node and is slow. None: one player moves
            at a time.
        information: With ``others``, what the search knows: ``"observed"``, what its player has
            seen of the game, or ``"full"``, the true state, which tables must name. The same in
            games that hide nothing.
        player: With ``others``, whom calls of the agent move.
        limit: When a search ends; default 800 nodes.
        batch_size: Leaves that the tree may have outstanding; default ``config.batch_size``.
        seed: Seeds everything random in its calls and searches.
        game: The game's name; default that of the states it is shown.
        gate: Says the phases of leaves, for counting them; default the mixture's.
        config: How to search; default match play.
        name: How reports call it.
        threads: Threads that walk trees and make planes; default 1
            (:data:`~phasezoo.agents.search.tree_pool.DEFAULT_THREADS`).
        cache_mb: Memory in MiB for answers that are kept for positions which come again
            (:class:`~phasezoo.inference.Cached`), shared by all its games; 0: none.
        oracle: Knows what some positions are worth, such as endgame tables
            (:class:`~phasezoo.agents.Syzygy`, or an :class:`~phasezoo.inference.Oracle` of one's
            own): leaves get its values, as proofs if they are exact, and what is played is among
            the actions that it keeps.
        overrides: Fields of ``config`` by name, such as ``c_puct_init=2.0``.

    Raises:
        InvalidConfig: An option does not exist or is out of range, or ``evaluator`` is not one.
        GameMismatch: ``evaluator`` is a network of another game than ``game``, or of the states
            that it is shown later (``inference.load(…, allow_other_game=True)`` allows that); or
            ``oracle`` is for other games.
        GateMismatch: ``gate`` is not the one that the mixture routes by.
    """

    def __init__(
        self,
        evaluator: Any,
        *,
        others: Any = None,
        information: Literal["observed", "full"] = "observed",
        player: int = 0,
        limit: Limit | None = None,
        batch_size: int | None = None,
        seed: int = 0,
        game: str | games.Game | None = None,
        gate: str | Gate | None = None,
        config: SearchConfig | None = None,
        name: str | None = None,
        threads: int | None = None,
        cache_mb: int = 0,
        oracle: Oracle | None = None,
        **overrides: Any,
    ) -> None:
        if batch_size is not None:
            overrides["batch_size"] = batch_size
        self._set_up(evaluator, limit_or(limit, DEFAULT_LIMIT), seed, game, gate, threads)
        check_others(others, self.game)
        if cache_mb:
            self.evaluator = with_cache(evaluator, cache_mb)
        self.others = others
        self.information = one_of("information", information, INFORMATION)
        self.player = checked_player(player, self.game)
        self.config = _config(config, others, overrides)
        self.name = name_or(name, self._default_name())
        self.oracle = _checked_oracle(oracle, others, self.game)

    def _default_name(self) -> str:
        return "M2CTS" if isinstance(self.evaluator, MixtureOfExperts) else "MCTS"

    def search(
        self,
        state: Any,
        player: int | None = None,
        *,
        searchmoves: Sequence[int] | None = None,
    ) -> SearchResult:
        """Search ``state`` with a new tree; the same state always gives the same result.

        Args:
            state: Where to search; with ``others``, nothing else is known of its game.
            player: For whom, if players move at once; default the agent's ``player``.
            searchmoves: The root's actions that are searched alone; default all.

        Returns:
            A ``SearchResult``: ``action``; ``actions``, ``visits``, ``q`` and ``prior`` of the
            root's legal actions, or of ``searchmoves``; ``policy`` over all actions; ``value`` for
            the player to move; ``pv``; ``lines(n)``, the n best with ``action``, ``visits``, ``q``
            and ``pv`` (UCI: MultiPV), ``lines()`` all; ``nodes``, ``simulations``; ``depth`` and
            ``seldepth``, the mean and the longest descent in plies;
            ``draws``, their share by action; ``proven``, ``seconds``; ``ended``, why it has:
            ``"nodes"``, ``"simulations"``, ``"movetime"``, ``"depth"``, ``"mate"``, ``"solved"``,
            ``"forced"``, ``"exhausted"``, ``"memory"`` or ``"stopped"``
            (``docs/definitions/limits.md#units``); ``state``, by which ``str()`` and
            ``to_frame()`` name the moves.

        Raises:
            UnknownGame: The state belongs to no registered game.
            InvalidConfig: Players move at once, and the agent was made without ``others``; there
                is no such ``player``; or ``searchmoves`` are no whole numbers.
            InvalidEvaluation: The evaluator's answer is not valid.
            InvalidState: The game is over, or over for the player.
            IllegalAction: One of ``searchmoves`` is not legal.
        """
        return self.session(self.seed).search(state, player, searchmoves=searchmoves)

    def _pool_of(self, game: games.Game, limit: Limit, **sizes: Any) -> MCTSPool:
        return MCTSPool(
            game,
            self.evaluator,
            self.config,
            limit,
            self.gate,
            **sizes,
            others=self.others,
            information=self.information,
            oracle=self.oracle,
        )

    def __repr__(self) -> str:
        others = "" if self.others is None else f"others={self.others!r}, "
        return (
            f"{type(self).__name__}({self.evaluator!r}, {others}limit={self.limit}, "
            f"seed={self.seed})"
        )


class M2CTSAgent(MCTSAgent):
    """MCTS over a mixture of phase experts (Helfenstein et al., M2CTS).

    Args:
        experts: An evaluator for each phase's name.
        gate: The gate the experts were trained under.
        routing: ``"exact"``, ``"majority"``, ``"soft"`` or a rule; see :class:`MixtureOfExperts`.
        policy: In place of ``experts``, and with ``value``: evaluators whose policies are used, by
            phase, or one for all phases.
        value: The same of values.
        search_gate: Route by this gate instead, on purpose.
        fallback: The phase whose expert answers for phases that have none.
        options: As for :class:`MCTSAgent`, ``others=`` for games whose players move at once among
            them.

    Raises:
        InvalidConfig, GateMismatch, InvalidGate: See :class:`MixtureOfExperts`.
    """

    def __init__(
        self,
        experts: Mapping[str, Any] | None = None,
        gate: str | Gate | None = None,
        routing: Routing = "exact",
        *,
        policy: Any = None,
        value: Any = None,
        search_gate: str | Gate | None = None,
        fallback: str | None = None,
        **options: Any,
    ) -> None:
        given: Any = experts
        if given is not None and not isinstance(given, Mapping):
            message = (
                f"experts is {type_name(given)}: expected a dictionary from the names of the "
                "gate's phases to evaluators, such as {'opening': …, 'endgame': …}"
            )
            raise InvalidConfig(message)
        for each in (experts, policy, value):
            if each is not None:
                for expert in each.values() if isinstance(each, Mapping) else (each,):
                    check_evaluator(expert)
        game = options.get("game")
        mixture = MixtureOfExperts(
            experts,
            gate,
            routing,
            policy=policy,
            value=value,
            search_gate=search_gate,
            fallback=fallback,
            game=game.name if isinstance(game, games.Game) else game,
        )
        super().__init__(mixture, **options)


def _checked_oracle(oracle: Any, others: Any, game: games.Game | None) -> Oracle | None:
    """Refuse what is no oracle, one beside ``others``, and one of other games than ``game``."""
    if oracle is None:
        return None
    if isinstance(oracle, type) or not isinstance(oracle, Oracle):
        message = (
            f"oracle={oracle!r}: expected an object with look(leaves) and root_actions(state), "
            "such as agents.Syzygy(folder)"
        )
        raise InvalidConfig(message)
    if others is not None:
        message = "oracle= is for games in which one player moves at a time: leave out others="
        raise InvalidConfig(message)
    if game is not None:
        check_knows(oracle, game)
    return oracle


def _config(config: SearchConfig | None, others: Any, overrides: Mapping[str, Any]) -> SearchConfig:
    """The settings of a search."""
    if others is None:
        return SearchConfig.of(config, overrides)
    if overrides.get("reuse_tree"):
        message = (
            "reuse_tree=True: what the others did is seen only afterwards, so that every move is "
            "searched with a new tree; leave it out"
        )
        raise InvalidConfig(message)
    return SearchConfig.of(config, {**overrides, "reuse_tree": False}, solver=False)
