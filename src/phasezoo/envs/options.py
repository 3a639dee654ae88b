"""The options of environments: type, range, default and meaning of each, said here alone.

Type checkers and editors show them wherever a class or function takes ``**options`` of a game's
environment; the pages of environments list them.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Annotated, Any, Literal, TypedDict

from annotated_types import Ge, Interval
from gymnasium.vector import AutoresetMode

from phasezoo import games
from phasezoo.errors import InvalidConfig
from phasezoo.observation import GameRunner, View, make_view
from phasezoo.observation.game_runner import Illegal, MaxPlies, Rewards
from phasezoo.specs import Default, options_in, options_of, unknown_option


class GameOptions(TypedDict, total=False):
    """Options of every environment."""

    planes: Annotated[str | None, Default(None)]
    """The planes that are observed; None: the game's own."""
    history: Annotated[int | None, Default(None)]
    """How many of the last moves planes show; None: all that the planes have."""
    gate: Annotated[Any, Default(None)]
    """Says ``info["phase"]``: a specification, a gate or a callable; None for phase 0."""
    monotone: Annotated[bool, Default(False)]
    """Whether phases never go back."""
    illegal: Annotated[Illegal, Default("terminate")]
    """After an illegal action ``"terminate"`` (the game ends with -1 for its player), ``"raise"``,
    or ``"random_legal"`` (a legal one is played instead)."""
    max_plies: Annotated[MaxPlies, Default(None)]
    """Games are truncated after so many plies; None for no limit."""
    render_mode: Annotated[str | None, Default(None)]
    """``"ansi"``, ``"svg"``, ``"rgb_array"``, in environments of one game ``"human"`` (a window,
    which needs the extra ``render``); or None."""
    observation: Annotated[str, Default("planes")]
    """``"planes"``; ``"packed"``, a dictionary of the packed planes' ``bits`` uint64[words] and
    ``numbers`` float32[numbers]; ``"masked"``, a dictionary of the planes as ``observation`` and
    the mask as ``action_mask`` (of all parts one after the other if actions have parts); ``"none"``
    for agents that look at ``info["state"]`` alone; ``"dict"`` in games that know one."""


class PettingZooOptions(GameOptions, total=False):
    """Options of PettingZoo's environments."""

    state_in_info: Annotated[bool, Default(False)]
    """Whether infos have the state, in games that do not hide it, and its FEN; agents that plan
    ahead need it, and no wrapper for tensors can carry it. Without it infos are numbers, flags and
    arrays."""


class ObservedOptions(GameOptions, total=False):
    """Options of environments that may be paid at every step."""

    rewards: Annotated[Rewards, Default("once")]
    """``"once"``, at the end; or ``"original"`` in games that pay at every step."""


class ParallelOptions(PettingZooOptions, ObservedOptions, total=False):
    """Options of PettingZoo's parallel environments."""


class SingleOptions(ObservedOptions, total=False):
    """Options of environments with one learner."""

    opponent: Annotated[Any, Default("random")]
    """``"random"``, in games with a table of perfect play ``"tablebase"``, the text of an agent
    such as ``"mcts:nodes=50"`` (:func:`phasezoo.agents.make`), a callable ``(observation, info) ->
    action``, an agent, or None for self-play; in games of more than two players also a list, in the
    order of players."""
    agent_color: Annotated[int | str, Default(0)]
    """The learner: a player's index, ``"white"`` or ``"black"`` if there are two players,
    ``"alternate"`` (the next player every game) or ``"random"``."""
    compact_actions: Annotated[bool, Default(False)]
    """Whether the learner's actions and masks are the game's compact ones, in games with few moves
    in a large action space; opponents are shown the game's own."""


class ManyOptions(ObservedOptions, total=False):
    """Options of many games that are stepped together."""

    autoreset_mode: Annotated[
        Literal["NextStep", "SameStep", "Disabled"] | AutoresetMode,
        Default(AutoresetMode.NEXT_STEP),
    ]
    """``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or Gymnasium's ``AutoresetMode``."""
    copy: Annotated[bool, Default(True)]
    """False to fill the same arrays at every step: those that were returned before change, and
    masks must not be written to, because only what was set is cleared."""
    threads: Annotated[Annotated[int, Ge(1)] | None, Default(None)]
    """Threads to use; None: all that this process may."""
    infos: Annotated[Sequence[str], Default(())]
    """More that infos have, because it takes time: ``"fen"`` in games that have one, ``"reason"``,
    and what a game alone reports, such as KRK's ``"dtm"`` and ``"dtm_difference"``. Texts are
    object[N], numbers float64[N] with nan for None."""
    max_episode_steps: Annotated[
        Annotated[int, Interval(ge=1, le=2**32 - 1)] | Literal[-1] | None, Default(None)
    ]
    """Episodes are truncated after so many steps of the learner, as ``gymnasium.make`` does it: the
    game itself is not over, and its masks stay as they are. None, or -1, for no limit."""
    disable_env_checker: Annotated[bool | None, Default(None)]
    """Taken as ``gymnasium.make`` takes it; no checker is put around many games."""


class VectorOptions(SingleOptions, ManyOptions, total=False):
    """Options of many games with one learner each."""


def read_options(env: object, table: Any, given: Any) -> SimpleNamespace:
    """The options of an environment, those that were not given by their defaults."""
    known = options_in(table)
    for name in given:
        if name not in known:
            kind = type(env)
            called = getattr(kind, "metadata", {}).get("name", kind.__name__)
            raise InvalidConfig(unknown_option(name, called, sorted(options_of(kind).by_name)))
    return SimpleNamespace(
        **{
            name: option.check(given[name]) if name in given else option.default
            for name, option in known.items()
        }
    )


def make_runner(game: "str | games.Game", given: SimpleNamespace) -> GameRunner:
    """The runner of the games that an environment's options ask for."""
    return GameRunner(
        game,
        gate=given.gate,
        monotone=given.monotone,
        illegal=given.illegal,
        max_plies=given.max_plies,
        rewards=getattr(given, "rewards", "once"),
    )


def learner_view(game: "games.Game", given: SimpleNamespace) -> View:
    """The view of learners that an environment's options ask for."""
    return make_view(
        game,
        given.planes,
        given.observation,
        given.history,
        compact=getattr(given, "compact_actions", False),
        state_in_info=getattr(given, "state_in_info", None),
    )
