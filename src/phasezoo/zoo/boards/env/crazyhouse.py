"""Crazyhouse as a Gymnasium environment, of one game or of many."""

from typing import Unpack

from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.options import SingleOptions, VectorOptions
from phasezoo.envs.vector_env import GameVectorEnv


class CrazyhouseEnv(GymEnv):
    """Crazyhouse by the rules of lichess, the learner on one side.

    ## Description
    A captured piece changes sides and goes into the capturer's pocket, a promoted one as a pawn.
    Instead of moving, a player may drop a piece from the pocket on an empty square; pawns not on the
    first or last rank. Who plays what, and the self-play view of ``opponent=None``, are as in
    :class:`phasezoo.envs.ChessEnv`.

    ## Action Space
    ``Discrete(4992)``: the actions of :class:`phasezoo.envs.ChessEnv`, and after them drops.

    | planes | moves |
    |---|---|
    | 73–77 | ``plane * 64 + square`` drops P N B R Q **on** the square, as the mover sees it |

    ``env.unwrapped.game_state.parse_uci("N@f3")`` and ``.san(action)`` translate.

    ## Observation Space
    ``Box(float32[C, 8, 8])``, seen by the learner: row 0 is their first rank, column 0 the a-file. The
    first 52 planes of ``v2`` (64, the default) are the ``v2`` of :class:`phasezoo.envs.ChessEnv`, with
    the halfmove clock / 40; a drop has no from-square.

    | further plane of ``v2`` | value |
    |---|---|
    | 52–56 | own pocket: P N B R Q / 32 |
    | 57–61 | the opponent's pocket: P N B R Q / 32 |
    | 62–63 | own pieces that were promoted, the opponent's |

    | plane of ``v1`` (34) | value |
    |---|---|
    | 0–5 | own P N B R Q K |
    | 6–11 | the opponent's P N B R Q K |
    | 12–13 | whether the position stood once, twice before |
    | 14–18 | own pocket: P N B R Q / 32 |
    | 19–23 | the opponent's pocket: P N B R Q / 32 |
    | 24–25 | own pieces that were promoted, the opponent's |
    | 26 | en passant square, after any double step |
    | 27 | 1 if the viewer is White |
    | 28 | number of the full move / 500 |
    | 29–32 | castling: own short, own long, the opponent's short, long |
    | 33 | halfmove clock / 40 |

    ``minimal`` (22) has the pieces (0–11) and both pockets (12–21).

    ## Starting State
    The initial position of chess with empty pockets, or ``reset(options={"fen": …, "moves": […]})``;
    a FEN has the pockets in brackets after the placement, and ``~`` after a promoted piece.

    ## Rewards
    At the end: +1 for a win, 0 for a draw, -1 for a loss of the learner, 0 before. An illegal action
    costs -1 and ends the game (``illegal="terminate"``).

    ## Episode End
    Terminated by checkmate, stalemate, the third occurrence of a position (without a claim), or an
    illegal action: there is no insufficient material and no fifty-move rule. Truncated by
    ``max_plies``.

    ## Information
    | key | value |
    |---|---|
    | ``action_mask`` | ``int8[4992]``, 1 = legal; all ones in a finished game |
    | ``state`` | the state, a value: :attr:`game_state` |
    | ``fen`` | its FEN |
    | ``to_play`` | 0 White, 1 Black |
    | ``ply`` | moves of both sides since the start |
    | ``phase`` | the phase by ``gate``; 0 without one |
    | ``result`` | ``"1-0"``, ``"0-1"``, ``"1/2-1/2"``; None until the rules have ended the game |
    | ``reason`` | ``"checkmate"``, ``"stalemate"``, ``"threefold_repetition"``, ``"illegal_action"``; None before |
    | ``illegal_action`` | whether the learner's action was illegal |

    ## Arguments
    Those of :class:`phasezoo.envs.ChessEnv` but ``chess960``, with ``gate`` one for the chess family.

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:Crazyhouse-v0", opponent="random", planes="v1")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(self, **options: Unpack[SingleOptions]) -> None:
        super().__init__("crazyhouse", **options)


class CrazyhouseVectorEnv(GameVectorEnv):
    """Many games of crazyhouse stepped in native code: :class:`phasezoo.envs.CrazyhouseEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Unpack[VectorOptions]) -> None:
        super().__init__(num_envs, "crazyhouse", **options)
