"""The original's numbers: codes of cells, actions, results, kinds of games, and sizes."""

from enum import Enum

from phasezoo.errors import IllegalAction

__all__ = [
    "AGENT_VIEW_SIZE",
    "BOARD_SIZE",
    "BOARD_SIZE_ONE_VS_ONE",
    "DEFAULT_BLAST_STRENGTH",
    "DEFAULT_BOMB_LIFE",
    "FIRST_COLLAPSE",
    "MAX_STEPS",
    "NUM_ITEMS",
    "NUM_ITEMS_ONE_VS_ONE",
    "NUM_RIGID",
    "NUM_RIGID_ONE_VS_ONE",
    "NUM_WOOD",
    "NUM_WOOD_ONE_VS_ONE",
    "RADIO_NUM_WORDS",
    "RADIO_VOCAB_SIZE",
    "Action",
    "GameType",
    "InvalidAction",
    "Item",
    "Result",
]

BOARD_SIZE = 11
NUM_RIGID = 36
NUM_WOOD = 36
NUM_ITEMS = 20

BOARD_SIZE_ONE_VS_ONE = 8
NUM_RIGID_ONE_VS_ONE = 16
NUM_WOOD_ONE_VS_ONE = 16
NUM_ITEMS_ONE_VS_ONE = 10

AGENT_VIEW_SIZE = 4
"""How many cells far one sees in fog."""
DEFAULT_BLAST_STRENGTH = 2
"""At the start; a blast reaches one cell less beyond its bomb."""
DEFAULT_BOMB_LIFE = 9
"""As observations first show a bomb's life, after the step that laid it."""
MAX_STEPS = 800
FIRST_COLLAPSE = 500

RADIO_VOCAB_SIZE = 8
RADIO_NUM_WORDS = 2


class Item(Enum):
    """Content of a cell."""

    Passage = 0
    Rigid = 1
    Wood = 2
    Bomb = 3
    Flames = 4
    Fog = 5
    ExtraBomb = 6
    IncrRange = 7
    Kick = 8
    AgentDummy = 9
    Agent0 = 10
    Agent1 = 11
    Agent2 = 12
    Agent3 = 13


class Action(Enum):
    """Action of an agent; agents answer with the value."""

    Stop = 0
    Up = 1
    Down = 2
    Left = 3
    Right = 4
    Bomb = 5


class Result(Enum):
    """How a game stands."""

    Win = 0
    Loss = 1
    Tie = 2
    Incomplete = 3


class GameType(Enum):
    """Who plays against whom."""

    FFA = 1
    Team = 2
    TeamRadio = 3
    OneVsOne = 4


class InvalidAction(IllegalAction):
    """A direction that does not exist."""
