"""The handle of a game, which makes its states."""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo import _core
from phasezoo.errors import InvalidConfig, InvalidPlaneSpec, InvalidState, UnknownGame
from phasezoo.games.action_tables import MoveNames
from phasezoo.games.bounds import Bounds, bounds_of_planes
from phasezoo.games.options import between
from phasezoo.games.packed import PlaneLayout
from phasezoo.specs import unknown_option
from phasezoo.types import Actions, Info, PlaneShape

_HISTORY = ":history="
"""Between the name of planes and how many of the last moves they show."""


@dataclass(frozen=True)
class Game:
    """A game: how its states are made, and the sizes of its spaces.

    Get one with :func:`phasezoo.games.make`; define one with :func:`phasezoo.games.register`.
    """

    name: str
    """The registered name, such as ``"chess"``."""
    num_players: int
    """How many players take part."""
    num_actions: int
    """Size of the action space, the same for every player."""
    plane_specs: Mapping[str, PlaneShape]
    """Channels, height and width of each choice of input planes."""
    default_planes: str
    """The choice that environments and networks take by default."""
    state_type: type
    """The type of the game's states."""
    plane_bounds: Mapping[str, Bounds] = field(repr=False, compare=False, default_factory=dict)
    """How low and high numbers can be in each choice of planes; of those not named nothing is
    known."""
    plane_names: Mapping[str, tuple[str, ...]] = field(
        repr=False, compare=False, default_factory=dict
    )
    """Short texts of what each plane shows, for each choice of planes; those not named have numbers
    alone."""
    shown_moves: Mapping[str, int] = field(repr=False, default_factory=dict)
    """How many of the last moves each choice of planes shows; those not named show none."""
    policy_sizes: Mapping[str, int] = field(repr=False, default_factory=dict)
    """Actions that a network of a choice of planes answers, where they are more than the game's:
    planes that several games share go with the actions of all of them."""
    native: bool = False
    """Whether the states live in the native core."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of :func:`phasezoo.games.make` besides the name: what games start from."""
    option_names: tuple[str, ...] = field(repr=False, compare=False, default=())
    """The options there are."""
    new_state: Callable[..., Any] = field(repr=False, compare=False, default=object)
    """Makes the initial state; called with the options, and with ``seed=`` if it takes one."""
    parse_position: Callable[[str, Sequence[str]], Any] | None = field(
        repr=False, compare=False, default=None
    )
    """Makes a state from a FEN and moves played from it, in games that have such notation."""
    parse_json: Callable[..., Any] | None = field(repr=False, compare=False, default=None)
    """Makes a state from JSON, in games that have it; called with the text and the options."""
    parse_columns: Callable[[str], Any] | None = field(repr=False, compare=False, default=None)
    """Makes a state from the columns played, in games that are written so."""
    draws_start: Callable[[Mapping[str, Any]], bool] = field(
        repr=False, compare=False, default=lambda options: False
    )
    """Whether, under these options, seeds draw what games start from."""
    match_options: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)
    """Options of a match that names none, so that its games differ."""
    match_openings: str | None = field(repr=False, compare=False, default=None)
    """The package's suite of openings that a match which names none takes, so that its games
    differ; None: the one without a name, otherwise the start."""
    solve: Callable[[Any], npt.NDArray[np.float64]] | None = field(
        repr=False, compare=False, default=None
    )
    """Scores the legal actions of a state by perfect play, if that is known; see
    :meth:`action_scores`."""
    core_solves: bool = field(repr=False, compare=False, default=False)
    """Whether the native core knows perfect play by itself."""
    scripted: Mapping[str, Callable[[int, int], Any]] = field(
        repr=False, compare=False, default_factory=dict
    )
    """Players that the game brings along, by name: made from the game's seed and the player's
    index, they have ``act(state, player)``."""
    max_rollout_plies: int | None = field(repr=False, compare=False, default=None)
    """Plies after which a rollout counts as no win, unless a search says otherwise."""
    search_others: tuple[str, ...] = field(repr=False, compare=False, default=())
    """Names of those who may move the other players inside a search, if players move at once."""
    tracker: Callable[[int], Any] | None = field(repr=False, compare=False, default=None)
    """Makes what rebuilds a state from all that a player has seen of a game, if players do not see
    the whole: called with the player; it has ``observe(state)`` and ``state()``."""
    move_names: Callable[[str], MoveNames] | None = field(repr=False, compare=False, default=None)
    """Returns the texts of actions, for networks whose policies are in another order: called with
    the planes that decide between two meanings of an action."""
    action_parts: tuple[int, ...] | None = field(repr=False, compare=False, default=None)
    """Where an action has several parts, how many choices each has; the index of an action is
    ``first + choices of the first * (second + choices of the second * …)``."""
    compact_actions: Callable[[Any], Actions] | None = field(
        repr=False, compare=False, default=None
    )
    """Numbers the actions as small as can be, in games with few moves in a large action space: the
    action of each compact index in a state, -1 if it has none there."""
    num_compact: int = field(repr=False, compare=False, default=0)
    """How many compact indices there are."""
    symmetries: Callable[[bool], npt.NDArray[np.int64]] | None = field(
        repr=False, compare=False, default=None
    )
    """Returns the image of each action, or if asked so of each compact one, under the eight
    symmetries of a square board, ``int64[8, A]``, in games whose rules know no direction."""
    is_hidden: bool = field(repr=False, compare=False, default=False)
    """Whether players do not see the whole state: environments do not show it to them."""
    win_or_tie: bool = field(repr=False, compare=False, default=False)
    """Whether results are ``"win"`` or ``"tie"`` with the winners; always if not two play."""
    encode_states: Callable[..., Any] | None = field(repr=False, compare=False, default=None)
    """Makes the planes of many states at once, in games that do so faster than one by one: called
    with the states, the planes, ``out``, the players, the threads and whether they are packed."""
    observation_dict: Callable[[Any, int], dict[str, Any]] | None = field(
        repr=False, compare=False, default=None
    )
    """Returns a player's observation of a state as a dictionary, in games that are observed so."""
    pgn_variant: str | None = field(repr=False, compare=False, default=None)
    """The value of the tag ``Variant`` in its PGN, by default the name; none is written for "",
    which is for games that any reader of PGN understands."""
    dict_space: Callable[["Game"], Any] | None = field(repr=False, compare=False, default=None)
    """Makes the space of these dictionaries."""
    state_info: Callable[[Any], Info] | None = field(repr=False, compare=False, default=None)
    """Returns entries that the infos of a state have in this game alone."""
    measures: Callable[[Any], Mapping[str, float]] | None = field(
        repr=False, compare=False, default=None
    )
    """Returns numbers of a state that define phases, by their names, for pictures of data."""
    move_info: Callable[[Any, int | None], Info] | None = field(
        repr=False, compare=False, default=None
    )
    """Returns entries of infos about a move, given the state before it and the action; None before
    any move."""

    @property
    def tells_winners(self) -> bool:
        """Whether results are ``"win"`` or ``"tie"`` with the winners."""
        return self.win_or_tie or self.num_players != 2

    @property
    def turnings(self) -> Callable[[bool], npt.NDArray[np.int64]] | None:
        """Deprecated name of :attr:`symmetries`."""
        message = "turnings is deprecated and goes with the next version: use symmetries"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.symmetries

    def with_options(self, /, **options: Any) -> "Game":
        """The same game with other options; those that are None are left out.

        Raises:
            InvalidConfig: The game has no such option, or not such a value.
        """
        unknown = sorted(options.keys() - set(self.option_names))
        if unknown:
            raise InvalidConfig(unknown_option(unknown[0], repr(self.name), self.option_names))
        given = {name: _plain(value) for name, value in options.items() if value is not None}
        game = replace(self, options=given)
        if given:
            game.initial_state(seed=0)  # refuses wrong values
        return game

    def initial_state(self, seed: int | None = None) -> Any:
        """The state a game starts from.

        Args:
            seed: Draws the start in games with random ones; the others ignore it. From 0 to
                2^64 - 1.

        Raises:
            InvalidConfig: ``seed`` is no such number.
        """
        if seed is not None:
            seed = between("seed", seed, 0, 2**64 - 1)
        if seed is not None and self.takes_seed:
            return self.new_state(seed=seed, **self.options)
        return self.new_state(**self.options)

    def from_fen(self, fen: str, moves: Sequence[str] = ()) -> Any:
        """The state after ``moves`` (UCI) from the position ``fen``.

        Args:
            fen: A FEN, or an EPD of four fields.
            moves: Moves in UCI notation, played from there; they fill the history planes.

        Raises:
            InvalidFen: ``fen`` is not a position of this game.
            InvalidUci: A move cannot be read or is not legal where it stands.
            UnknownGame: The game has no such notation.
        """
        if self.parse_position is None:
            other = "" if self.parse_columns is None else "from_columns('4453'), "
            message = (
                f"{self.name!r} has no FEN: make its states with {other}initial_state() and play()"
            )
            raise UnknownGame(message)
        return self.parse_position(fen, moves)

    def from_columns(self, columns: str) -> Any:
        """The state after ``columns``.

        Args:
            columns: The columns played as one word of digits, 1 for the leftmost: ``"4453"``.

        Raises:
            InvalidState: A column does not exist, is full, or played after the end.
            UnknownGame: The game has no such notation.
        """
        if self.parse_columns is None:
            message = (
                f"{self.name!r} is not written as columns: make its states with initial_state() "
                "and play()"
            )
            raise UnknownGame(message)
        return self.parse_columns(columns)

    def from_json(self, text: str) -> Any:
        """The state that ``state.to_json()``, or a recording of the original, holds.

        Args:
            text: JSON in the original's format.

        Raises:
            InvalidState: The text holds no state, or one that no game can reach.
            UnknownGame: The game has no such format.
        """
        if self.parse_json is None:
            message = f"{self.name!r} has no JSON; states are pickled, and board games have a FEN"
            raise UnknownGame(message)
        return self.parse_json(text, **self.options)

    def from_text(self, text: str) -> Any:
        """The state in the notation that the game has: FEN, columns or JSON.

        Raises:
            InvalidState: The text is no state of this game; of a FEN, InvalidFen.
            UnknownGame: The game has no notation.
        """
        if self.parse_columns is not None:
            return self.from_columns(text)
        return self.from_fen(text) if self.parse_json is None else self.from_json(text)

    def text_of(self, state: Any) -> str | None:
        """A state as :meth:`from_text` reads it; None if the game has no notation."""
        if self.parse_position is not None:
            return str(state.fen)
        if self.parse_columns is not None:
            return str(state.columns)
        return None if self.parse_json is None else str(state.to_json())

    @property
    def has_table(self) -> bool:
        """Whether perfect play is known."""
        return self.solve is not None

    def action_scores(self, state: Any) -> npt.NDArray[np.float64]:
        """``float64[L]``: what each legal action is worth by perfect play, for the player to move.

        Above 0 it wins, and the more the sooner; 0 draws; below 0 it loses, and the more below the
        sooner. Only signs and order have a meaning in every game.

        Raises:
            InvalidConfig: Nobody knows perfect play of this game.
            InvalidState: The game is over.
        """
        if self.solve is None:
            message = (
                f"perfect play of {self.name!r} is not known, so that its actions have no exact "
                "scores; choose another agent, or another game"
            )
            raise InvalidConfig(message)
        if state.is_terminal:
            message = "the game is over: there are no actions to score"
            raise InvalidState(message)
        return self.solve(state)

    def best_actions(self, state: Any) -> npt.NDArray[np.int64]:
        """``int64[K]``, ascending: the actions of perfect play; see :meth:`action_scores`."""
        scores = self.action_scores(state)
        legal: npt.NDArray[np.int64] = np.asarray(state.legal_actions, dtype=np.int64)
        best: npt.NDArray[np.int64] = legal[scores == scores.max()]
        return best

    def plane_shape(self, spec: str | None = None) -> PlaneShape:
        """Channels, height and width of ``spec`` (default: the game's default planes).

        Raises:
            InvalidPlaneSpec: The game has no such planes.
        """
        return self.plane_specs[self._split_spec(spec)[0]]

    def plane_layout(self, spec: str | None = None) -> PlaneLayout:
        """Return the packed layout of each plane of ``spec`` (default: the game's own).

        Nothing is known of the planes of a game of one's own: packed they stay float32.

        Raises:
            InvalidPlaneSpec: The game has no such planes.
        """
        channels, height, width = self.plane_shape(spec)
        name = self.plane_spec(spec)
        kinds = _core.plane_kinds(self.name, name) if self.native else "g" * channels
        return PlaneLayout(kinds, height, width)

    def policy_size(self, spec: str | None = None) -> int:
        """How many actions a network of the planes ``spec`` (default: the game's own) answers.

        Those from :attr:`num_actions` on are never legal here.

        Raises:
            InvalidPlaneSpec: The game has no such planes.
        """
        return self.policy_sizes.get(self._split_spec(spec)[0], self.num_actions)

    def bounds(
        self, spec: str | None = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """``float32[C]`` twice: the lowest and the highest number of each plane of ``spec``.

        Raises:
            InvalidPlaneSpec: The game has no such planes.
        """
        name = self._split_spec(spec)[0]
        return bounds_of_planes(self.plane_specs[name][0], self.plane_bounds.get(name))

    def names_of_planes(self, spec: str | None = None) -> tuple[str, ...]:
        """Return short texts of what each plane of ``spec`` (default: the game's own) shows.

        In games that do not say they are called ``"plane 0"`` and so on.

        Raises:
            InvalidPlaneSpec: The game has no such planes.
        """
        name = self._split_spec(spec)[0]
        numbered = tuple(f"plane {number}" for number in range(self.plane_specs[name][0]))
        return self.plane_names.get(name, numbered)

    def plane_spec(self, spec: str | None = None, history: int | None = None) -> str:
        """The text that names planes wherever planes are asked for: ``"v2"``, ``"v2:history=4"``.

        The second are the planes of the first with the moves before the last four left out (zeros).

        Args:
            spec: A choice of planes, with or without a history; default the game's own.
            history: How many of the last moves are shown; None: as ``spec`` says, else all that
                the planes have room for.

        Raises:
            InvalidPlaneSpec: The game has no such planes, or they cannot show so many moves.
        """
        name, given = self._split_spec(spec)
        if given is not None and history is not None and given != history:
            message = f"planes {spec!r} and history={history!r} differ: give one of them"
            raise InvalidPlaneSpec(message)
        shown = given if history is None else history
        if shown is None:
            return name
        most = self.shown_moves.get(name, 0)
        if most == 0:
            message = f"planes {name!r} of {self.name} show no moves: leave history= out"
            raise InvalidPlaneSpec(message)
        if isinstance(shown, bool) or not isinstance(shown, (int, np.integer)):
            message = f"history={shown!r}: expected a whole number"
            raise InvalidPlaneSpec(message)
        if not 0 <= shown <= most:
            message = f"history={shown}: planes {name!r} of {self.name} show 0 to {most} moves"
            raise InvalidPlaneSpec(message)
        return name if shown == most else f"{name}{_HISTORY}{shown}"

    def _split_spec(self, spec: str | None) -> tuple[str, int | None]:
        """The name of the planes, and the moves that the text says they show."""
        given = self.default_planes if spec is None else spec
        if given in self.plane_specs:
            return given, None
        name, _, text = str(given).partition(_HISTORY)
        most = self.shown_moves.get(name, 0)
        if name in self.plane_specs and text in map(str, range(most + 1)):
            return name, int(text)
        known = ", ".join(map(repr, self.plane_specs))
        message = f"{given!r}: {self.name} has no such planes; choose one of {known}"
        if most:
            message += f", and of {name!r} those with {_HISTORY!r} and a number from 0 to {most}"
        raise InvalidPlaneSpec(message)

    @cached_property  # looking takes longer than making most states
    def takes_seed(self) -> bool:
        """Whether :meth:`initial_state` passes its seed on; it may still draw nothing."""
        try:
            return "seed" in inspect.signature(self.new_state).parameters
        except (TypeError, ValueError):  # built-in callables may have no signature
            return False


def fen_info(state: Any) -> Info:
    """Return the info of a state that has a FEN."""
    return {"fen": state.fen}


def _plain(value: Any) -> Any:
    """An option's value as JSON knows it, lists as tuples: equal options are equal games."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value
