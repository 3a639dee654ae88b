"""Chess as a Gymnasium environment, of one game or of many."""

from typing import Unpack

from phasezoo.envs.gym_env import GymEnv
from phasezoo.envs.options import SingleOptions, VectorOptions
from phasezoo.envs.vector_env import GameVectorEnv
from phasezoo.games.options import flag


class ChessEnv(GymEnv):
    """Chess by the FIDE rules, the learner on one side.

    ## Description
    The learner plays one colour, the opponent the other, inside :meth:`step`. With ``opponent=None``
    the learner plays both sides, one ply a step (the self-play view): **the reward is then for the
    player who has just moved, the observation for the player to move.** ``gymnasium.make_vec`` steps
    many boards in native code (:class:`phasezoo.envs.ChessVectorEnv`).

    ## Action Space
    ``Discrete(4672)``: ``plane * 64 + square``, the from-square as the mover sees it (a1 = 0; ranks
    mirrored for Black).

    | planes | moves |
    |---|---|
    | 0–55 | like a queen: ``direction * 7 + distance - 1``, directions N NE E SE S SW W NW; promotions to a queen are here |
    | 56–63 | knight: (rank, file) = (+2, +1) (+1, +2) (-1, +2) (-2, +1) (-2, -1) (-1, -2) (+1, -2) (+2, -1) |
    | 64–72 | under-promotions: ``64 + 3 * piece + file step + 1``, piece: knight 0, bishop 1, rook 2 |

    Castling is the king's move by two squares, in chess960 its move onto its own rook. ``info["action_mask"]`` says which are legal;
    ``env.unwrapped.game_state.parse_uci("e2e4")`` and ``.san(action)`` translate.

    ## Observation Space
    ``Box(float32[C, 8, 8])``, seen by the learner: row 0 is their first rank, column 0 the a-file.

    | plane of ``v2`` (52, the default) | value |
    |---|---|
    | 0–5 | own P N B R Q K |
    | 6–11 | the opponent's P N B R Q K |
    | 12–13 | whether the position stood once, twice before |
    | 14 | en passant square, if a capture is legal |
    | 15–18 | castling: own short, own long, the opponent's short, long |
    | 19 | halfmove clock / 50 |
    | 20–35 | the last eight moves, newest first: from-square, to-square |
    | 36 | chess960 |
    | 37–38 | all own pieces, all the opponent's |
    | 39 | checkerboard, 1 on light squares as the viewer sees them |
    | 40–44 | own less opponent's P N B R Q / 8 |
    | 45 | bishops of opposite colours |
    | 46 | pieces that give check |
    | 47–51 | own P N B R Q / 8 |

    | plane of ``v1`` (39) | value |
    |---|---|
    | 0–5 | own P N B R Q K |
    | 6–11 | the opponent's P N B R Q K |
    | 12–13 | whether the position stood once, twice before |
    | 14 | en passant square, after any double step |
    | 15 | 1 if the viewer is White |
    | 16 | number of the full move / 500 |
    | 17–20 | castling: own short, own long, the opponent's short, long |
    | 21 | halfmove clock / 50 |
    | 22 | chess960 |
    | 23–38 | the last eight moves, newest first: from-square, to-square |

    ``minimal`` has planes 0–11 alone. Moves that are not known, as after a start from a FEN, are zero.

    ## Starting State
    The initial position, with ``chess960=True`` one of 960 drawn by the seed, or ``reset(options={"fen": …, "moves": ["e2e4", …]})``: a FEN (or an EPD of
    four fields), moves in UCI notation played from it, or both. Moves fill the history planes.

    ## Rewards
    At the end: +1 for a win, 0 for a draw, -1 for a loss of the learner, 0 before. An illegal action
    costs -1 and ends the game (``illegal="terminate"``).

    ## Episode End
    Terminated by checkmate, stalemate, insufficient material, the third occurrence of a position and
    the fifty-move rule (both applied without a claim), or an illegal action. Truncated by
    ``max_plies``.

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
    | ``reason`` | ``"checkmate"``, ``"stalemate"``, ``"insufficient_material"``, ``"threefold_repetition"``, ``"fifty_moves"``, ``"illegal_action"``; None before |
    | ``illegal_action`` | whether the learner's action was illegal |

    ## Arguments
    | argument | default | meaning |
    |---|---|---|
    | ``chess960`` | False | whether games start from one of the 960 arrays and castle by their rules |
    | ``planes`` | ``"v2"`` | or ``"v1"``, ``"minimal"`` |

    The others are those of :class:`phasezoo.envs.GymEnv`.

    ```python
    import gymnasium as gym
    env = gym.make("phasezoo:Chess-v0", opponent="random", gate="lichess")
    ```

    ## Version History
    * v0: first release
    """  # noqa: E501

    def __init__(self, *, chess960: bool = False, **options: Unpack[SingleOptions]) -> None:
        super().__init__("chess960" if flag("chess960", chess960) else "chess", **options)


class ChessVectorEnv(GameVectorEnv):
    """Many games of chess, or of chess960, stepped in native code.

    Actions, planes, endings and options are those of :class:`phasezoo.envs.ChessEnv`; what is
    special to many games is described in :class:`phasezoo.envs.GameVectorEnv`.

    ```python
    import gymnasium as gym
    envs = gym.make_vec("phasezoo:Chess-v0", num_envs=256, opponent=None)
    ```
    """

    def __init__(
        self, num_envs: int = 1, *, chess960: bool = False, **options: Unpack[VectorOptions]
    ) -> None:
        super().__init__(num_envs, "chess960" if flag("chess960", chess960) else "chess", **options)
