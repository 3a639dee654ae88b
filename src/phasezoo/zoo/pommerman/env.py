"""Pommerman as Gymnasium environments: one learner, the others inside; one game or many."""

import inspect
import warnings
from collections.abc import Mapping
from typing import Any, Unpack

from phasezoo import games
from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.learner import LearnerOption, learner_of
from phasezoo.envs.options import ManyOptions, ObservedOptions
from phasezoo.envs.vector_env import GameVectorEnv
from phasezoo.errors import InvalidConfig
from phasezoo.games.options import one_of

MODES = {
    "ffa": "pommerman-ffa",
    "team": "pommerman-team",
    "radio": "pommerman-team-radio",
    "1v1": "pommerman-1v1",
}
"""The games by the name of their mode."""


def pommerman_game(
    mode: str, *, fog: bool | None = None, collapse: bool | None = None
) -> games.Game:
    """The game of a mode."""
    return games.make(MODES[one_of("mode", mode, tuple(MODES))], fog=fog, collapse=collapse)


class PommermanEnv(GymEnv):
    """Pommerman: bombs, wooden walls, power-ups; whoever is left has won.

    ## Description
    Two or four players walk a board of 11 by 11 cells (8 by 8 for two), lay bombs that break wood and
    kill, and pick up what lies under the wood. All move at once. The game is step for step that of the
    competitions at NeurIPS, in their Python package's version 0.2.0, with its boards by seed and its
    agents.

    | ``mode`` | id | players |
    |---|---|---|
    | ``"ffa"`` | ``PommermanFFA-v0`` | four, everyone for themselves |
    | ``"team"`` | ``PommermanTeam-v0`` | players 0 and 2 against 1 and 3 |
    | ``"radio"`` | ``PommermanTeamRadio-v0`` | the same in fog, with two words to the mate every step |
    | ``"1v1"`` | ``PommermanOneVsOne-v0`` | two |

    ## Action Space
    ``Discrete(6)``: 0 stop, 1 up, 2 down, 3 left, 4 right, 5 bomb; any of them is allowed at any time.
    With the radio ``MultiDiscrete([6, 8, 8])``: the action and two words; an index
    ``action + 6 * (first word + 8 * second word)`` is taken too.

    ## Observation Space
    ``Box(float32[23, n, n])``, ``"planes"``: rigid walls, wood, three kinds of power-ups, bombs (timer,
    reach, movement to the right and upwards), flames, the players by relative index, then planes of one
    number each: own reach, bombs laid, bombs owned, kick, who lives by relative index, step. What is
    in fog is 0. ``observation="dict"`` gives the original's dictionary, key for key, and has a
    space of its own (:class:`~phasezoo.zoo.pommerman.observation_space.PommermanDictSpace`).

    ## Starting State
    A board drawn by the seed as the original draws it, the players in the corners.

    ## Rewards
    Each once: -1 at the learner's death in ``ffa`` and ``1v1``, +1 if the learner alone is left; in teams +1
    or -1 at the end to both members, the dead too. After step 800 with more than one side alive -1 for
    all; if both die at once in ``1v1`` 0. ``rewards="original"`` is the original's at every step,
    which for the learner comes to the same.

    ## Episode End
    Terminated at the learner's death in ``ffa`` and ``1v1``, when one side alone is left, when nobody
    is, and after step 800, which is the game's own rule. In teams a dead learner's game goes on: the
    mask shows stop alone, and whatever the learner sends is ignored. Truncated by ``max_plies``.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | ``int8[6]``, 1 = allowed; with the radio a tuple of masks of the three parts |
    | ``to_play`` | -2: all move at once |
    | ``ply`` | steps since the start |
    | ``phase`` | the phase by ``gate``; 0 without one |
    | ``result`` | ``"win"`` or ``"tie"`` when the game is over for all; None before, also if the learner has died |
    | ``winners`` | who won, a tuple of players; None until ``result`` |
    | ``reason`` | ``"last_standing"``, ``"last_team_standing"``, ``"all_dead"``, ``"step_limit"``; None before |
    | ``illegal_action`` | always False: everything is allowed |

    The state has no place here, because players do not see all of it: :attr:`game_state` has it.

    ## Arguments
    | argument | default | meaning |
    |---|---|---|
    | ``mode`` | ``"ffa"`` | which of the four games, see above; ids have it set |
    | ``opponents`` | ``"simple"`` | who the other players are: one for all, or a list in the players' order without the learner (in teams the partner is among them). ``"simple"`` is the original's agent, ``"simple_unbiased"`` the one that published searches learn from; ``"random"``, other agents' names, agents, and callables ``(observation, info) -> action`` |
    | ``player`` | 0 | which player the learner is: an index, ``"alternate"`` (the next one every game) or ``"random"`` (drawn for each game) |
    | ``seat`` | None | the old name of ``player``, which warns |
    | ``fog`` | None | players see four cells far and blasts reach no farther: True, False, or as the mode has it (``radio`` alone has fog) |
    | ``collapse`` | False | the board shrinks from step 500 on |
    | ``gate`` | None | ``"steps"``, ``"mixedness"`` (also ``"proximity"``), ``"opponents"``, ``"hash:n"``, or a gate of one's own |
    | ``render_mode`` | None | ``"ansi"``, ``"svg"``, ``"rgb_array"``; in fog as the learner sees it |

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:PommermanFFA-v0", player="random", gate="steps:40")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(
        self,
        mode: str = "ffa",
        *,
        opponents: Any = "simple",
        player: int | str | None = None,
        seat: int | str | None = None,
        fog: bool | None = None,
        collapse: bool = False,
        **options: Unpack[ObservedOptions],
    ) -> None:
        _check_names(options)
        game = pommerman_game(mode, fog=fog, collapse=collapse)
        learner = _learner(player, seat, game.num_players)
        super().__init__(game, opponent=checked(opponents), agent_color=learner, **options)


class PommermanVectorEnv(GameVectorEnv):
    """Many games of Pommerman stepped in native code: :class:`phasezoo.envs.PommermanEnv`.

    Opponents that are all ``"simple"``, ``"simple_unbiased"`` or ``"random"`` run natively too;
    there are no ``"dict"`` observations. What is special to many games is described in
    :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        mode: str = "ffa",
        *,
        opponents: Any = "simple",
        player: int | str | None = None,
        seat: int | str | None = None,
        fog: bool | None = None,
        collapse: bool = False,
        **options: Unpack[ManyOptions],
    ) -> None:
        _check_names(options)
        game = pommerman_game(mode, fog=fog, collapse=collapse)
        learner = _learner(player, seat, game.num_players)
        super().__init__(
            num_envs, game, opponent=checked(opponents), agent_color=learner, **options
        )


def _learner(player: int | str | None, seat: int | str | None, num_players: int) -> LearnerOption:
    """Return the learner by ``player=`` or its old name ``seat=``; by default the first."""
    name, given = "player", 0 if player is None else player
    if seat is not None:
        if player is not None:
            message = (
                f"player={player!r}, seat={seat!r}: both name the learner's player; leave seat= "
                "out, which is the old name of player="
            )
            raise InvalidConfig(message)
        message = f"seat= is deprecated in Pommerman: write player={seat!r}"
        warnings.warn(message, DeprecationWarning, stacklevel=_caller())
        name, given = "seat", seat
    return learner_of(given, num_players, name=name)


def _caller() -> int:
    """The level of the code that made the environment, seen by who calls this.

    Python shows a DeprecationWarning only if the code that it is put down to is a user's own, and
    ``gymnasium.make`` stands between.
    """
    level, frame = 0, inspect.currentframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in ("gymnasium", "phasezoo"):
            break
        level, frame = level + 1, frame.f_back
    return level


def _check_names(options: Mapping[str, Any]) -> None:
    """Refuse what is called otherwise in Pommerman."""
    for name, here in (("opponent", "opponents"), ("agent_color", "player")):
        if name in options:
            message = f"{name}={options[name]!r}: in Pommerman this option is {here}="
            raise InvalidConfig(message)


def checked(opponents: Any) -> Any:
    """``opponents``, if some are named."""
    if opponents is None:
        message = (
            "opponents=None: all players move at once, so that one action a step is not enough; "
            "name "
            "opponents, or use pommerman_v0.parallel_env() to move everybody"
        )
        raise InvalidConfig(message)
    return opponents
