"""Atomic chess as a Gymnasium environment, of one game or of many."""

from typing import Unpack

from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.options import SingleOptions, VectorOptions
from phasezoo.envs.vector_env import GameVectorEnv


class AtomicChessEnv(GymEnv):
    """Atomic chess by the rules of lichess, the learner on one side.

    ## Description
    A capture explodes: the captured piece, the capturing one and every piece but pawns on the eight
    squares around leave the board. Whose king explodes has lost, at once, even if that side was giving
    mate; nobody may explode their own king. Kings may touch, and while they do there is no check, since
    taking a king would explode the other too. Who plays what, and the self-play view of
    ``opponent=None``, are as in :class:`phasezoo.envs.ChessEnv`.

    ## Action Space
    ``Discrete(4672)``, the actions of :class:`phasezoo.envs.ChessEnv`. Beside the other king, a king
    may castle although it is attacked.

    ## Observation Space
    ``Box(float32[C, 8, 8])``, seen by the learner: row 0 is their first rank, column 0 the a-file.
    ``v2`` (52, the default), ``v1`` (39) and ``minimal`` (12) are those of
    :class:`phasezoo.envs.ChessEnv`.

    | plane of ``lichess`` (80) | value |
    |---|---|
    | 0–5 | own P N B R Q K |
    | 6–11 | the opponent's P N B R Q K |
    | 12–13 | whether the position stood once, twice before |
    | 14–25 | 0, pockets and promoted pieces in another variant |
    | 26 | en passant square, if a capture is legal |
    | 27–28 | 0, once colour and move number |
    | 29–32 | castling: own short, own long, the opponent's short, long |
    | 33 | halfmove clock / 50 |
    | 34–37 | 0, remaining checks in another variant |
    | 38 | chess960 |
    | 39–46 | which variant: chess, crazyhouse, king of the hill, three-check, antichess, atomic, horde, racing kings |
    | 47–62 | the last eight moves, newest first: from-square, to-square |
    | 63–64 | all own pieces, all the opponent's |
    | 65 | checkerboard, 1 on light squares as the viewer sees them |
    | 66–71 | own less opponent's P N B R Q K / 8 |
    | 72 | bishops of opposite colours |
    | 73 | pieces that give check |
    | 74–79 | own P N B R Q K / 8 |

    ## Starting State
    The initial position of chess, or ``reset(options={"fen": …, "moves": ["e2e4", …]})``. Moves fill
    the history planes.

    ## Rewards
    At the end: +1 for a win, 0 for a draw, -1 for a loss of the learner, 0 before. An illegal action
    costs -1 and ends the game (``illegal="terminate"``).

    ## Episode End
    Terminated by checkmate, an exploded king, stalemate, insufficient material, the third occurrence
    of a position and the fifty-move rule (both applied without a claim), or an illegal action.
    Truncated by ``max_plies``.

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
    | ``reason`` | ``"checkmate"``, ``"king_exploded"``, ``"stalemate"``, ``"insufficient_material"``, ``"threefold_repetition"``, ``"fifty_moves"``, ``"illegal_action"``; None before |
    | ``illegal_action`` | whether the learner's action was illegal |

    ## Arguments
    Those of :class:`phasezoo.envs.ChessEnv` but ``chess960``; ``planes`` may be ``"lichess"`` too, and
    ``gate`` one for the chess family.

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:AtomicChess-v0", opponent="random", gate="material")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(self, **options: Unpack[SingleOptions]) -> None:
        super().__init__("atomic", **options)


class AtomicChessVectorEnv(GameVectorEnv):
    """Many games of atomic chess stepped in native code: :class:`phasezoo.envs.AtomicChessEnv`.

    What is special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.
    """

    def __init__(self, num_envs: int = 1, **options: Unpack[VectorOptions]) -> None:
        super().__init__(num_envs, "atomic", **options)
