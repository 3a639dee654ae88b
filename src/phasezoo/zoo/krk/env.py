"""The endgame of king and rook against king as Gymnasium environments: one game or many."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from phasezoo import games
from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.learner import learner_of
from phasezoo.envs.options import ManyOptions, ObservedOptions
from phasezoo.envs.vector_env import GameVectorEnv
from phasezoo.errors import InvalidConfig
from phasezoo.zoo.krk.game import range_of


class KRKEnv(GymEnv):
    """King and rook against king: the learner mates, or defends, against perfect play.

    ## Description
    White has king and rook and the first move, Black the king. The longest win takes 16 moves. A table
    knows the distance to mate of every position, so that the quality of every move is known exactly:
    ``info`` and states have it. Everything else is chess; the self-play view of ``opponent=None`` is
    that of :class:`phasezoo.envs.ChessEnv`.

    ## Action Space
    ``Discrete(4672)``, the actions of :class:`phasezoo.envs.ChessEnv`. With ``compact_actions=True``
    ``Discrete(36)``: the king's steps N, NE, E, SE, S, SW, W, NW as the mover sees the board (0 to 7),
    then the rook's moves, ``8 + 7 * direction + distance - 1`` with the directions N, E, S, W. Masks
    are over these; opponents and states know the actions of chess.

    ## Observation Space
    ``Box(float32[C, 8, 8])`` as in :class:`phasezoo.envs.ChessEnv`: ``v2`` (52, the default), ``v1``
    (39) and ``minimal`` (12). No plane knows the table.

    ## Starting State
    White is to move and has the rook.

    | ``start`` | games start from |
    |---|---|
    | ``"fixed"`` | one position, mate in 15: ``8/8/8/4k3/8/8/8/K6R w - - 0 1`` |
    | ``"uniform"`` | any position of White to move, all alike |
    | ``"dtm"`` | the same within ``dtm``, which must be given |
    | ``"train"``, ``"heldout"`` | four fifths of them, and one fifth |
    | ``"heldout-region"`` | neither: the lone king on the rim, mate in 8 to 11 |

    No mirror image of a position is in another of the three splits. ``dtm=(low, high)`` keeps to starts
    with so many moves to mate (all but ``"fixed"``). If an opponent has White, starts that its first
    move can end, by mate or stalemate, are not drawn: ``dtm`` then begins at 2.
    ``reset(options={"fen": …, "moves": […]})`` starts anywhere, Black may have the rook there.

    ## Rewards
    At the end: +1 for a win, 0 for a draw, -1 for a loss of the learner, 0 before. An illegal action
    costs -1 and ends the game (``illegal="terminate"``).

    ## Episode End
    Terminated by checkmate; as draws by the loss of the rook, stalemate, the third occurrence of a
    position and the fifty-move rule (both applied without a claim); or by an illegal action. Truncated
    by ``max_plies``.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | ``int8[4672]``, 1 = legal; all ones in a finished game |
    | ``state`` | the state, a value: :attr:`game_state` |
    | ``fen`` | its FEN |
    | ``to_play`` | 0 White, 1 Black |
    | ``ply`` | moves of both sides since the start |
    | ``phase`` | the phase by ``gate``; 0 without one |
    | ``result`` | ``"1-0"``, ``"0-1"``, ``"1/2-1/2"``; None until the rules have ended the game |
    | ``reason`` | ``"checkmate"``, ``"stalemate"``, ``"insufficient_material"`` (the rook was lost), ``"threefold_repetition"``, ``"fifty_moves"``, ``"illegal_action"``; None before |
    | ``illegal_action`` | whether the learner's action was illegal |
    | ``dtm`` | moves to mate of the rook side with best play of both, a float; 0 when mated, None when drawn |
    | ``dtm_difference`` | of the learner's last move, with ``opponent=None`` of the last move: ``dtm`` after it less ``dtm`` after the best one, 0 for a perfect move, above for the rook side, below for the lone king; None before any move, and where the move or the best one draws |

    Floats, because Gymnasium's vector environments hold None among them as nan. PettingZoo's
    infos have -1000.0 for None. ``state.action_dtm`` has ``dtm`` after every legal action.

    ## Arguments
    | argument | default | meaning |
    |---|---|---|
    | ``start`` | ``"fixed"`` | where games start, see above |
    | ``dtm`` | None | ``(low, high)``, moves to mate of drawn starts, 1 to 16 |
    | ``opponent`` | ``"tablebase"`` | perfect play, ties drawn by the seed; or anything that :class:`phasezoo.envs.ChessEnv` takes |
    | ``agent_color`` | ``"white"`` | the rook; ``"black"`` defends; ``"alternate"``, ``"random"`` (by game) |
    | ``compact_actions`` | False | 36 actions in place of 4,672, see above |

    The others are those of :class:`phasezoo.envs.ChessEnv` but ``chess960``. Gates of this game are
    ``dtm:…`` (by the table, an oracle), ``box:…`` (by the lone king's room) and the placebo ``hash:n``.

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:KRK-v0", start="dtm", dtm=(1, 5), gate="box")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(
        self,
        *,
        start: str = "fixed",
        dtm: Sequence[int] | None = None,
        opponent: Any = "tablebase",
        agent_color: int | str = "white",
        compact_actions: bool = False,
        **options: Unpack[ObservedOptions],
    ) -> None:
        super().__init__(
            krk_game(start, dtm, opponent, agent_color),
            opponent=opponent,
            agent_color=agent_color,
            compact_actions=compact_actions,
            **options,
        )


class KRKVectorEnv(GameVectorEnv):
    """Many games of the endgame stepped in native code: :class:`phasezoo.envs.KRKEnv`.

    The table's opponent runs natively too. Infos have ``dtm`` and ``dtm_difference`` if they are
    asked for, ``infos=("dtm", "dtm_difference")``; :meth:`dtm` gives the one on demand.
    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        start: str = "fixed",
        dtm: Sequence[int] | None = None,
        opponent: Any = "tablebase",
        agent_color: int | str = "white",
        compact_actions: bool = False,
        **options: Unpack[ManyOptions],
    ) -> None:
        super().__init__(
            num_envs,
            krk_game(start, dtm, opponent, agent_color),
            opponent=opponent,
            agent_color=agent_color,
            compact_actions=compact_actions,
            **options,
        )

    def dtm(self) -> npt.NDArray[np.float64]:
        """``float64[N]``: moves to mate of the rook side with best play; nan in drawn positions."""
        return self._vector.numbers()[:, self._vector.number_names()[0].index("dtm")]


def krk_game(
    start: str, dtm: Sequence[int] | None, opponent: Any, agent_color: int | str
) -> games.Game:
    """The endgame with the starts of an environment, in which the learner always comes to move."""
    game = games.make("krk", start=start, dtm=dtm)
    waits = opponent is not None and learner_of(agent_color, game.num_players) != 0
    if start == "fixed" or not waits:
        return game
    low, high = range_of(dtm) or (2, 16)
    if low < 2:
        message = (
            f"dtm=({low}, {high}) with agent_color={agent_color!r}: White's first move would mate "
            "in one where the learner has Black; begin the range at 2, or take opponent=None"
        )
        raise InvalidConfig(message)
    return games.make("krk", start=start, dtm=(low, high), both_move=True)
