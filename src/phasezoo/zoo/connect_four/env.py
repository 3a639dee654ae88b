"""Connect Four as Gymnasium environments."""

from typing import Unpack

from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.options import SingleOptions, VectorOptions
from phasezoo.envs.vector_env import GameVectorEnv


class ConnectFourEnv(GymEnv):
    """Connect Four with one learner.

    ## Description
    Two players drop stones into seven columns of six cells; a stone falls to the lowest empty cell.
    Four stones of a player in a line (along a row, a column or a diagonal) win. The game is solved:
    the first player wins by starting in the middle (Allen, 1988; Allis, 1988), and exact scores of
    every position are at hand (``game.action_scores``, extra ``solve``).

    ## Action Space
    ``Discrete(7)``: the columns from the left. A full column is illegal.

    ## Observation Space
    ``Box(float32[3, 6, 7])``, planes ``default``, seen by the learner. Row 0 is the bottom row.

    | plane | value |
    |---|---|
    | 0 | own stones |
    | 1 | the opponent's stones |
    | 2 | 1 everywhere if player 0 is to move, otherwise 0 |

    ## Starting State
    The empty board, or ``reset(options={"columns": "4453"})``: the columns played so far, 1 for the
    leftmost.

    ## Rewards
    At the end: +1 for a win, 0 for a draw, -1 for a loss of the learner, 0 before. An illegal action
    costs -1 and ends the game (``illegal="terminate"``).

    ## Episode End
    Terminated by four in a line, a full board, or an illegal action. Truncated by ``max_plies``.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | ``int8[7]``, 1 = legal; all ones in a finished game |
    | ``state`` | the state, a value: :attr:`game_state` |
    | ``to_play`` | the player to move, 0 or 1 |
    | ``ply`` | stones on the board |
    | ``phase`` | the phase by ``gate``; 0 without one |
    | ``result`` | ``"1-0"``, ``"0-1"``, ``"1/2-1/2"``; None until the rules have ended the game |
    | ``reason`` | ``"connect_four"``, ``"board_full"``, ``"illegal_action"``; None before |
    | ``illegal_action`` | whether the learner's action was illegal |

    ## Arguments
    Those of :class:`phasezoo.envs.GymEnv`. Gates of this game are ``plies:a,b,…`` (default
    ``14,28``), ``threats:a,b,…`` (default ``1,3``: empty cells that would make four for either
    player) and the placebo ``hash:n``. ``opponent="tablebase"`` plays perfectly (extra ``solve``).

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:ConnectFour-v0", opponent="random", gate="plies:14,28")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(self, **options: Unpack[SingleOptions]) -> None:
        super().__init__("connect-four", **options)


class ConnectFourVectorEnv(GameVectorEnv):
    """Many games of Connect Four stepped in native code: :class:`phasezoo.envs.ConnectFourEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Unpack[VectorOptions]) -> None:
        super().__init__(num_envs, "connect-four", **options)
